"""HTTP to a vLLM server: what is repeated, what is waited for, and what each failure means.

Routes and fields are those of vLLM 0.32 (https://docs.vllm.ai, "Token in, token out", "LoRA adapters", "Reinforcement learning").
"""

from __future__ import annotations

import os
import socket
import threading
import time
import weakref
from collections.abc import Mapping
from typing import Any

from agents.config import EngineConfig
from agents.engines.base import EngineError

try:
    import httpx
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f'the vllm engine needs {error.name}: pip install "gui-gym[train]"', name=error.name) from error

#: Statuses of a server, or of what stands before it, that has no answer now. 500 too: so answers a server that is ending.
_AGAIN = frozenset({429, 500, 502, 503, 504})
GENERATE = "/inference/v1/generate"


class RequestFailed(RuntimeError):
    """One request has no answer though the server is there: it concerns that request alone."""


class NotFoundError(EngineError):
    """The server has no such route, model or adapter."""


class VllmClient:
    """The requests an engine makes. Threads may share it.

    Args:
        config: address, key, and how long to wait.

    Raises ValueError for a key that is not where ``config`` says.
    """

    def __init__(self, config: EngineConfig):
        self.config, self.url = config, config.url.rstrip("/")
        self._closing = threading.Event()
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self._key = _key(config)
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        # no connection is used twice: vLLM resets one on which it has answered 500, and the next request would be lost with it
        limits = httpx.Limits(max_keepalive_connections=0, max_connections=None)
        self._http = httpx.Client(base_url=self.url, headers=headers, limits=limits, timeout=httpx.Timeout(config.timeout, connect=10.0))

    def close(self) -> None:
        """Requests under way fail, and no further one is made."""
        self._closing.set()
        for each in list(self._sockets):
            try:
                each.shutdown(socket.SHUT_RDWR)  # closing alone would not wake the thread that reads from it
            except OSError:
                pass  # it has ended
        self._http.close()

    def _connected(self, event: str, about: Mapping[str, Any]) -> None:
        """Called by httpx at each step of a request."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._sockets.add(about["return_value"].get_extra_info("socket"))

    @property
    def closed(self) -> bool:
        return self._closing.is_set()

    def cards(self) -> dict[str, dict[str, Any]]:
        """What the server says of each model and adapter that it serves, by name."""
        return {card["id"]: card for card in self.get("/v1/models").get("data", [])}

    def find_model(self) -> tuple[str, int]:
        """The name the server serves the model by, and how many ids it can hold; ValueError if it serves no such model."""
        cards = self.cards()
        name = self.config.model or next((name for name, card in cards.items() if not card.get("parent")), "")
        if name not in cards:
            raise ValueError(f"engine.model: the server at {self.url} serves no {name!r}: expected one of {', '.join(cards) or 'none at all'}")
        return name, int(cards[name].get("max_model_len") or 2**31)

    def generate(self, body: dict[str, Any]) -> dict[str, Any]:
        """The reply to a request for tokens. With a fixed seed it is safe to repeat.

        Raises :class:`RequestFailed`, :class:`NotFoundError`, or :class:`EngineError`.
        """
        return self._send("POST", GENERATE, json=body)

    def get(self, path: str) -> dict[str, Any]:
        """What is read at ``path``."""
        return self._send("GET", path)

    def find(self, path: str) -> dict[str, Any] | None:
        """The same, or None where the server has no such route."""
        try:
            return self.get(path)
        except NotFoundError:
            return None

    def post(self, path: str, body: Any = None, timeout: float | None = None, **params: str) -> dict[str, Any]:
        """Carry out ``path``, once: a change whose outcome is unknown is not repeated, :class:`EngineError` says so.

        ``timeout`` is in seconds; None is that of the configuration.
        """
        try:
            return self._send("POST", path, timeout, json=body, params=params, repeat=False)
        except RequestFailed as error:
            raise EngineError(f"{self._who} did not carry out {path}: {error}") from error

    def wait(self) -> None:
        """Until the server is healthy. :class:`EngineError` once ``patience`` is over."""
        until = time.monotonic() + self.config.patience
        while True:
            problem = self.problem()
            if self._closing.is_set():
                raise EngineError("the engine was closed")
            if not problem:
                return
            left = until - time.monotonic()
            if left <= 0:
                raise EngineError(
                    f"{self._who} is gone: {problem}, for {self.config.patience:g} s (engine.patience). "
                    "Start it again, and go on from the last checkpoint with --resume"
                )
            self._closing.wait(min(1.0, self.config.patience / 10))

    def problem(self, timeout: float = 10.0) -> str:
        """Why the server cannot be used now, or "". It has ``timeout`` seconds to answer."""
        try:
            status = self._http.get("/health", timeout=timeout).status_code
        except (httpx.TransportError, RuntimeError) as error:  # RuntimeError: closed meanwhile
            return f"no connection ({error})"
        return "" if status < 500 else f"its health is {status}"

    @property
    def _who(self) -> str:
        return f"the vLLM server at {self.url}"

    def _send(self, method: str, path: str, timeout: float | None = None, *, repeat: bool = True, **kwargs: Any) -> dict[str, Any]:
        if timeout is not None:
            kwargs["timeout"] = timeout
        tries = self.config.attempts if repeat else 1
        for attempt in range(1, tries + 1):
            if self._closing.is_set():
                raise EngineError("the engine was closed")
            try:
                response = self._http.request(method, path, extensions={"trace": self._connected}, **kwargs)
            except httpx.TimeoutException:
                problem = f"{path} gave no answer in " + (f"{self.config.timeout:g} s (engine.timeout)" if timeout is None else f"{timeout:g} s")
            except httpx.TransportError as error:
                problem = f"{path} gave no answer ({type(error).__name__}: {error})"
            except RuntimeError as error:  # httpx's word for a client that was closed
                raise EngineError(f"the engine was closed: {error}") from error
            else:
                answer = self._read(response, path)
                if isinstance(answer, dict):
                    return answer
                problem = answer
            if attempt < tries:
                self._closing.wait(min(5.0, 0.1 * 4 ** (attempt - 1)))
                self.wait()
        raise RequestFailed(f"{problem}, in {tries} {'try' if tries == 1 else 'tries'}")

    def _read(self, response: httpx.Response, path: str) -> dict[str, Any] | str:
        """The answer, or why it is none and may be asked for again."""
        if response.status_code == 200:
            if not response.content or response.content[:1] != b"{":  # some changes are answered with a word
                return {}
            try:
                return dict(response.json())
            except ValueError as error:
                return f"{path} gave an answer that is no JSON ({error})"
        problem = f"{path} answered {response.status_code}: {self._message(response)}"
        if response.status_code in _AGAIN:
            return problem
        raise self._error(response.status_code, problem)

    def _error(self, status: int, problem: str) -> Exception:
        if status == 401:
            return EngineError(f"{self._who} wants another API key ({problem}): set ${self.config.token} (engine.token) or engine.token_file")
        if status == 403:
            return EngineError(f"{self._who} refuses tokens in and out ({problem}): start it with --enable-scale-out")
        if status == 404:
            return NotFoundError(f"{self._who}: {problem}")
        return EngineError(f"{self._who}: {problem}")

    def _message(self, response: httpx.Response) -> str:
        text = response.text[:500]
        try:
            about = response.json()
            text = about["error"]["message"] if isinstance(about.get("error"), dict) else str(about.get("detail", about.get("error", text)))
        except (ValueError, KeyError, AttributeError, TypeError):
            pass  # not in the server's own form: as it is
        return text.replace(self._key, "***")[:500] if self._key else text[:500]


def check_server(config: EngineConfig) -> int:
    """How many ids the model of the server can hold. EngineError or ValueError for a server that is not there, or serves no such model."""
    client = VllmClient(config)
    try:
        client.wait()
        return client.find_model()[1]
    finally:
        client.close()


def _key(config: EngineConfig) -> str:
    if config.token_file is None:
        return os.environ.get(config.token, "").strip()
    key = config.token_file.read_text().strip()
    if not key or "\n" in key:
        raise ValueError(f"engine.token_file: {config.token_file} holds no key: expected one line")
    return key
