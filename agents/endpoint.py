"""Ask an OpenAI-compatible server about screens: many requests at once, tried again, each answer kept on disk and never asked for twice."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import math
import os
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from PIL import Image

from agents.episodes import Frame

try:
    import httpx
    import tenacity
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f'asking an endpoint needs {error.name}: pip install "gui-gym[train]"', name=error.name) from error

T = TypeVar("T")

MAX_WAIT = 60.0  #: longest time between two tries, in seconds, whatever the server asks for
_REFUSED = {401: "expected an API token that it accepts", 403: "expected an API token that may use it", 404: "expected another url or model"}
_PASSING = {408, 409, 425, 429}  #: client errors that may not come again


@dataclass(frozen=True)
class EndpointConfig:
    """An OpenAI-compatible server with a model that sees pictures.

    Args:
        url: its base address, such as http://127.0.0.1:8000/v1.
        model: name of the model there.
        token: environment variable that holds the API token; none is sent where it is not set.
        concurrency: requests at once.
        timeout: seconds that one may take.
        attempts: tries of each; one that fails them all has no answer.
        backoff: seconds before the second try; they double with each, up to a minute. A server that says how long to wait is waited for.
        temperature: of sampling there.
        max_tokens: most tokens of an answer; a longer one is no answer.
        max_pixels: screens with a larger area (width x height) are scaled down to it, which costs less; None shows them as they are.
        input_price: price of a million tokens of prompts, for the report of costs.
        output_price: price of a million tokens of answers.
    """

    url: str = ""
    model: str = ""
    token: str = "OPENAI_API_KEY"
    concurrency: int = 8
    timeout: float = 60.0
    attempts: int = 5
    backoff: float = 1.0
    temperature: float = 0.0
    max_tokens: int = 512
    max_pixels: int | None = None
    input_price: float = 0.0
    output_price: float = 0.0

    def __post_init__(self) -> None:
        if self.url and not self.url.startswith(("http://", "https://")):
            raise ValueError(f"url is {self.url!r}: expected a base address such as http://127.0.0.1:8000/v1")
        for name in ("concurrency", "attempts", "max_tokens", "max_pixels"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} is {value}: expected at least 1")
        for name in ("timeout", "backoff", "temperature", "input_price", "output_price"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0) or (name == "timeout" and value == 0):
                raise ValueError(f"{name} is {value}: expected a finite number, {'more than 0' if name == 'timeout' else '0 or more'}")

    def check_complete(self, what: str) -> None:
        """ValueError unless url and model are given."""
        if not (self.url and self.model):
            raise ValueError(f"{what} has the url {self.url!r} and the model {self.model!r}: expected the address of a server and a model there")


class EndpointError(ConnectionError):
    """A server that will not answer any request; says what it lacks."""


@dataclass(frozen=True, eq=False)
class Question:
    """One request: a system message, and a user message of texts and screens. ``about`` is kept beside the answer."""

    system: str
    parts: tuple[str | Frame, ...]
    about: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Spent:
    """What was asked for in this process: requests answered, and tokens as the server counts them (cached answers cost nothing)."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def cost(self, config: EndpointConfig) -> float:
        """In the unit of the config's prices."""
        return (self.input_tokens * config.input_price + self.output_tokens * config.output_price) / 1e6


class _Again(Exception):
    """A try that failed in a way that another may not; ``after`` is how long the server wants to be left alone, in seconds."""

    def __init__(self, reason: str, after: float = 0.0):
        super().__init__(reason)
        self.after = after


class _Refused(Exception):
    """A request that the server will never answer."""


class Endpoint:
    """Asks one server. Several threads may use one.

    Args:
        config: which, and how.
        store: JSONL file that answers are appended to as they come, and read from: what is in it is not asked again. A crash loses no more
            than the requests it interrupts. None keeps them in memory.

    Attributes:
        spent: see :class:`Spent`.
        problems: how many requests got no answer, by reason.
    """

    def __init__(self, config: EndpointConfig, store: Path | None = None):
        config.check_complete("the endpoint")
        self.config, self.store = config, store
        self.spent, self.problems = Spent(), Counter[str]()
        self._known = {record["key"]: record["text"] for record in read_store(store)} if store is not None else {}
        self._lock = threading.Lock()
        token = os.environ.get(config.token, "")
        self._http = httpx.Client(
            base_url=config.url.rstrip("/") + "/",
            headers={"Authorization": f"Bearer {token}"} if token else {},
            timeout=httpx.Timeout(config.timeout, connect=min(10.0, config.timeout)),
            limits=httpx.Limits(max_connections=config.concurrency),
        )

    def close(self) -> None:
        """Let go of the connections. May be called twice."""
        self._http.close()

    def key(self, question: Question) -> str:
        """What tells a question from others: model, settings and content, screens by their hash."""
        parts = [{"frame": part.hash} if isinstance(part, Frame) else part for part in question.parts]
        settings = (self.config.model, self.config.temperature, self.config.max_tokens, self.config.max_pixels)
        return hashlib.blake2b(json.dumps([settings, question.system, parts]).encode(), digest_size=16).hexdigest()

    def ask(
        self, questions: Sequence[Question], read: Callable[[str, Question], T], note: Callable[[int], None] = lambda done: None
    ) -> list[T | None]:
        """What ``read`` makes of each answer to its question, or None where there was none; equal questions are asked once.

        Args:
            questions: in any order.
            read: ValueError for an answer that will not do: it is asked for again, and only one that will do is kept.
            note: called with the number of different questions that are dealt with.

        Raises :class:`EndpointError` if the server refuses to be asked at all.
        """
        keys = [self.key(question) for question in questions]
        waiting = dict(zip(keys, questions, strict=True))
        with self._lock:
            known = {key: self._known[key] for key in waiting if key in self._known}
        found: dict[str, T | None] = {}
        for key, text in known.items():
            with suppress(ValueError):  # kept for another reader: asked again
                found[key] = read(text, waiting[key])
        pool, stop = ThreadPoolExecutor(self.config.concurrency, "endpoint"), threading.Event()
        try:
            futures = {pool.submit(self._answer, key, question, read, stop): key for key, question in waiting.items() if key not in found}
            for future in as_completed(futures):
                found[futures[future]] = future.result()
                note(len(found))
        except BaseException as error:
            stop.set()
            # what is under way is kept, unless somebody waits for the program to end
            pool.shutdown(wait=isinstance(error, Exception), cancel_futures=True)
            raise
        pool.shutdown()
        note(len(found))
        return [found[key] for key in keys]

    def _answer(self, key: str, question: Question, read: Callable[[str, Question], T], stop: threading.Event) -> T | None:
        """One question, tried again where that may help, until ``stop`` is set."""
        body = self._body(question)
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(_Again),
            stop=tenacity.stop_any(tenacity.stop_after_attempt(self.config.attempts), tenacity.stop_when_event_set(stop)),
            wait=self._wait,
            sleep=tenacity.sleep_using_event(stop),
            reraise=True,
        )
        try:
            return retrying(self._once, key, question, body, read)
        except (_Again, _Refused) as problem:
            with self._lock:
                self.problems[str(problem)] += 1
            return None

    def _wait(self, state: tenacity.RetryCallState) -> float:
        problem = state.outcome.exception() if state.outcome is not None else None
        after = problem.after if isinstance(problem, _Again) else 0.0
        first = self.config.backoff
        backoff = (tenacity.wait_exponential(first, MAX_WAIT) + tenacity.wait_random(0, first / 2))(state)
        return min(MAX_WAIT, max(after, backoff))

    def _once(self, key: str, question: Question, body: dict[str, Any], read: Callable[[str, Question], T]) -> T:
        try:
            response = self._http.post("chat/completions", json=body)
        except httpx.TransportError as error:
            raise _Again(f"{type(error).__name__}: {error}") from error
        status = response.status_code
        if status in _REFUSED:
            raise EndpointError(
                f"{self.config.url} answered {status}: {_REFUSED[status]} (token in ${self.config.token}); it says {response.text[:200]!r}"
            )
        if status in _PASSING or status >= 500:
            raise _Again(f"HTTP {status}", _seconds(response.headers.get("retry-after", "")))
        if status != 200:
            raise _Refused(f"HTTP {status}: {response.text[:200]}")
        text, used = self._text(response)
        with self._lock:
            self.spent.requests += 1
            self.spent.input_tokens += used[0]
            self.spent.output_tokens += used[1]
        if text is None:
            raise _Again(f"the answer was cut at max_tokens ({self.config.max_tokens})")
        try:
            value = read(text, question)
        except ValueError as error:
            raise _Again(f"the answer will not do: {error}") from error
        self._keep({"key": key, "text": text, "input_tokens": used[0], "output_tokens": used[1], "about": dict(question.about)})
        return value

    def _text(self, response: httpx.Response) -> tuple[str | None, tuple[int, int]]:
        """What the model says (None: it was cut off), and its tokens."""
        try:
            reply = response.json()
            choice, usage = reply["choices"][0], reply.get("usage") or {}
            content, cut = choice["message"]["content"], choice.get("finish_reason") == "length"
            used = int(usage.get("prompt_tokens", 0)), int(usage.get("completion_tokens", 0))
        except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
            raise _Again(f"the reply is no chat completion: {type(error).__name__}: {error}") from error
        if not cut and not isinstance(content, str):
            raise _Again("the reply is no chat completion: its content is no text")
        if not cut and any("\ud800" <= character <= "\udfff" for character in content):
            raise _Again("the answer will not do: it holds half of a character, which no file can keep")
        return None if cut else content, used

    def _keep(self, record: dict[str, Any]) -> None:
        with self._lock:
            self._known[record["key"]] = record["text"]
            if self.store is not None:
                self.store.parent.mkdir(parents=True, exist_ok=True)
                with self.store.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(record, ensure_ascii=False) + "\n")

    def _body(self, question: Question) -> dict[str, Any]:
        content = [
            {"type": "image_url", "image_url": {"url": _picture(part, self.config.max_pixels)}}
            if isinstance(part, Frame)
            else {"type": "text", "text": part}
            for part in question.parts
        ]
        messages = [{"role": "system", "content": question.system}, {"role": "user", "content": content}]
        return {
            "model": self.config.model, "messages": messages, "temperature": self.config.temperature, "max_tokens": self.config.max_tokens
        }  # fmt: skip


def read_store(path: Path) -> list[dict[str, Any]]:
    """The records of a store. A last line that was cut off, by a crash while it was written, is removed from the file.

    ValueError for any other line that is no record.
    """
    if not path.exists():
        return []
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        with path.open("r+b") as file:
            file.truncate(len(whole))
    records = []
    for number, line in enumerate(whole.decode("utf-8").split("\n")[:-1], start=1):
        try:
            record = json.loads(line)
            if not (isinstance(record["key"], str) and isinstance(record["text"], str)):
                raise ValueError("key and text must be texts")
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path}, line {number}: expected a JSON object with a key and a text ({error})") from error
        records.append(record)
    return records


def _picture(frame: Frame, max_pixels: int | None) -> str:
    """A frame as the data URL of a PNG."""
    picture = Image.fromarray(frame.pixels)
    if max_pixels is not None and picture.width * picture.height > max_pixels:
        scale = math.sqrt(max_pixels / (picture.width * picture.height))
        picture = picture.resize((max(1, int(picture.width * scale)), max(1, int(picture.height * scale))), Image.Resampling.BICUBIC)
    file = io.BytesIO()
    picture.save(file, "PNG", compress_level=1)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()


def _seconds(text: str) -> float:
    """A Retry-After header in seconds; 0 for none, or one that is a date."""
    try:
        return max(0.0, float(text))
    except ValueError:
        return 0.0
