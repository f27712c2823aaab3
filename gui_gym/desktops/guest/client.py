"""HTTP to a guest server: bounded in time and size, reads repeated, actions sent at most once."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

from gui_gym.actions import ActionError
from gui_gym.desktops.base import DesktopError, DesktopFileNotFoundError
from gui_gym.desktops.guest.wire import SESSION_HEADER, TOKEN_FILE_VARIABLE, TOKEN_VARIABLE, read_token

try:
    import httpx
except ModuleNotFoundError as error:
    raise ImportError('the guest desktop needs httpx: pip install "gui-gym[guest]"') from error

T = TypeVar("T")

CONNECT_SECONDS = 10.0
READ_SECONDS = 30.0  #: longest answer to a read
ATTEMPTS = 3  #: of a read
_PAUSES = (0.2, 1.0)  #: seconds between them
_KEEP = 2.0  # seconds that an idle connection is kept: one that the server has just closed would leave a delivery unknown
_JSON_BYTES = 96 << 20  # of the longest output of a program, in base64
_SHOWN = 300
_MESSAGE = 1000  # characters of what the server says of a failure


class BadReplyError(Exception):
    """An answer that is not what was asked for: cut off, no JSON, a page of errors."""


@dataclass(frozen=True)
class Reply:
    """An answer of the server, whole."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    def json(self) -> dict[str, Any]:
        """The JSON object it holds. Raises :class:`BadReplyError`."""
        try:
            value = json.loads(self.content)
        except (ValueError, RecursionError) as error:
            raise BadReplyError(f"no JSON ({error}) but {self.shown()}") from error
        if not isinstance(value, dict):
            raise BadReplyError(f"no JSON object but {self.shown()}")
        return value

    def told(self) -> dict[str, Any]:
        """:meth:`json`, or {} where it is none."""
        try:
            return self.json()
        except BadReplyError:
            return {}

    def shown(self) -> str:
        """The start of it, for a message."""
        return f"{self.content[:_SHOWN].decode('utf-8', 'replace')!r}"


def check_address(address: str) -> str:
    """``address`` as "http://host:port"; ValueError if it is something else, or holds a secret."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        raise ValueError(f"expected the address of a guest such as http://127.0.0.1:5000: {error}") from error
    if parts.username is not None or parts.password is not None:
        raise ValueError(
            f"the address of a guest holds a user name or password: put the token into the environment variable {TOKEN_VARIABLE}, "
            f"or the path of a file with it into {TOKEN_FILE_VARIABLE}"
        )
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/") or parts.query or parts.fragment:
        raise ValueError(f"expected the address of a guest such as http://127.0.0.1:5000, got {address!r:.200}")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}" + (f":{port}" if port is not None else "")


class GuestClient:
    """The HTTP of one guest.

    Args:
        address: "http://host:port". Proxies of the environment are not used.
    """

    def __init__(self, address: str):
        self.address = check_address(address)
        token = read_token()
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._connections: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self._http = httpx.Client(
            base_url=self.address,
            headers={**self.headers, "Accept-Encoding": "identity"},  # a few packed bytes can become as many as fill the memory
            follow_redirects=False,
            trust_env=False,
            verify=ssl.create_default_context() if self.address.startswith("https:") else False,
            limits=httpx.Limits(keepalive_expiry=_KEEP),
        )

    @property
    def host(self) -> str:
        return urlsplit(self.address).hostname or ""

    @property
    def port(self) -> int:
        parts = urlsplit(self.address)
        return parts.port or (443 if parts.scheme == "https" else 80)

    def name_session(self, name: str) -> None:
        """Say from now on which session of our server requests are for."""
        self.headers[SESSION_HEADER] = self._http.headers[SESSION_HEADER] = name

    def close(self) -> None:
        self._http.close()

    def read(
        self,
        method: str,
        path: str,
        take: Callable[[Reply], T],
        *,
        seconds: float = READ_SECONDS,
        limit: int = _JSON_BYTES,
        attempts: int = ATTEMPTS,
        also: tuple[int, ...] = (),
        **body: Any,
    ) -> T:
        """What ``take`` makes of the answer to a request that changes nothing, asked again while it fails.

        Args:
            method: of HTTP.
            path: of the route.
            take: reads the answer; raises :class:`BadReplyError` if it is not what was asked for.
            seconds: longest answer.
            limit: most bytes of it.
            attempts: how often it is asked for.
            also: statuses that are answers, besides 200.
            body: ``json``, ``data``, ``headers`` of httpx.

        Raises :class:`~gui_gym.desktops.DesktopError` after the last attempt.
        """
        for attempt in range(attempts):
            if attempt:
                time.sleep(_PAUSES[min(attempt, len(_PAUSES)) - 1])
            try:
                return take(self._request(method, path, seconds, limit, body, also))
            except (httpx.TransportError, BadReplyError) as error:
                problem = _said(error)
        raise DesktopError(f"the guest at {self.address} did not answer {method} {path} in {attempts} attempts; the last one: {problem}")

    def send(self, path: str, take: Callable[[Reply], T], *, method: str = "POST", seconds: float = READ_SECONDS, **body: Any) -> T:
        """What ``take`` makes of the answer to a request that changes something. Sent once: if anything fails nobody knows whether
        it was done, which is a :class:`~gui_gym.desktops.DesktopError`."""
        try:
            return take(self._request(method, path, seconds, _JSON_BYTES, body))
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise DesktopError(f"the guest at {self.address} cannot be reached, {method} {path} was not sent: {_said(error)}") from error
        except httpx.TransportError as error:
            raise DesktopError(
                f"whether the guest at {self.address} got {method} {path} is unknown, and it is not sent again: {_said(error)}"
            ) from error
        except BadReplyError as error:
            raise DesktopError(f"the guest at {self.address} answered {method} {path} with {error}") from error

    def _request(self, method: str, path: str, seconds: float, limit: int, body: Mapping[str, Any], also: tuple[int, ...] = ()) -> Reply:
        """One request and its whole answer. Raises httpx.TransportError and :class:`BadReplyError`; errors of the server are told apart."""
        deadline = time.monotonic() + seconds
        wait = httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        noting = {"trace": self._note}
        try:
            with self._ended_after(seconds), self._http.stream(method, path, timeout=wait, extensions=noting, **body) as response:
                if (packed := response.headers.get("content-encoding", "identity")) != "identity":
                    raise BadReplyError(f"an answer that is packed ({packed:.40}), which was not asked for")
                content = bytearray()
                for part in response.iter_raw():
                    content += part
                    if len(content) > limit:
                        raise BadReplyError(f"more than {limit} bytes")
                if time.monotonic() >= deadline:  # ended from here, which looks like the end of an answer of no said length
                    raise BadReplyError(f"an answer that takes more than {seconds:g} s")
                reply = Reply(response.status_code, response.headers, bytes(content))
        except httpx.InvalidURL as error:
            raise BadReplyError(f"what cannot be read: {error}") from error
        except (httpx.RemoteProtocolError, httpx.ReadError) as error:
            if time.monotonic() < deadline:
                raise
            raise httpx.ReadTimeout(f"an answer that takes more than {seconds:g} s") from error
        return reply if reply.status in also else _checked(reply, path)

    def _note(self, event: str, info: Mapping[str, Any]) -> None:
        """Remember a new connection, of which httpx tells."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._connections.add(info["return_value"].get_extra_info("socket"))

    @contextlib.contextmanager
    def _ended_after(self, seconds: float) -> Iterator[None]:
        """End the connections after ``seconds``: httpx bounds each wait for bytes, and a server can let some drip in forever."""

        def end() -> None:
            for connection in list(self._connections):
                with contextlib.suppress(OSError):  # closed already
                    connection.shutdown(socket.SHUT_RDWR)

        timer = threading.Timer(seconds, end)
        timer.daemon = True
        with contextlib.suppress(RuntimeError):  # Python ends and starts no thread any more: each wait for bytes is bounded all the same
            timer.start()
        try:
            yield
        finally:
            timer.cancel()


def _checked(reply: Reply, path: str) -> Reply:
    """``reply`` if it is good; else what is wrong with it, as an exception."""
    if reply.status == 200:
        return reply
    if 300 <= reply.status < 400:
        raise DesktopError(f"the guest answered {path} with a redirect to {reply.headers.get('location', '')!r:.200}, which is not followed")
    told = reply.told()
    message = str(told.get("message") or told.get("error") or "")[:_MESSAGE]
    if reply.status in (401, 403):
        raise DesktopError(
            f"the guest refused {path} ({reply.status}): {message or reply.shown()}. "
            f"Its token belongs into {TOKEN_VARIABLE} or, as a file, {TOKEN_FILE_VARIABLE}"
        )
    if told.get("kind") == "action":
        raise ActionError(message)
    if told.get("kind") == "missing" or (reply.status == 404 and told.get("error") == "File not found"):
        raise DesktopFileNotFoundError(message)
    if told.get("kind"):  # our server says what is wrong: asking again would not help
        raise DesktopError(message)
    raise BadReplyError(f"HTTP {reply.status} and {message or reply.shown()}")


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__
