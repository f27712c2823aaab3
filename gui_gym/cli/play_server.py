"""The server behind ``gui-gym play``: one env, one page, JSON over HTTP on 127.0.0.1.

Every address begins with a random token, and the Host header must be this server's: other users and web pages cannot
reach the desktop. The env lives in one thread of its own, since the processes of a real desktop end with the thread
that started them.
"""

from __future__ import annotations

import io
import json
import secrets
import signal
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from enum import IntEnum
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import gymnasium as gym
import numpy as np
from PIL import Image

import gui_gym  # noqa: F401  (registers the env)
from gui_gym.actions import KEY_CHARACTER, ActionType, Button, Key, Modifier
from gui_gym.desktops import DesktopError

MAX_BODY = 1 << 20  #: longest request body, in bytes
SHOWN = ("instruction", "task_id", "step", "action_error", "end", "answer", "scored", "score", "unscored")

T = TypeVar("T")


class Session:
    """One env, played by hand. Safe to call from any thread: calls are done one after the other in a thread of its own.

    Args:
        env_kwargs: arguments of :class:`~gui_gym.env.GuiDesktopEnv`.
        seed: of the first episode; the following ones count up from it.
        record: folder for recordings, or None.
    """

    def __init__(self, env_kwargs: Mapping[str, Any], seed: int, record: Path | None = None):
        self._thread = ThreadPoolExecutor(1, "gui-gym-play")
        self._frame_number, self._png, self._seed = 0, (-1, b""), seed
        self._env = self._do(lambda: gym.make("GuiDesktop-v0", disable_env_checker=True, **env_kwargs))
        self._do(lambda: self._see(*self._env.reset(seed=seed)))

    def _do(self, function: Callable[[], T]) -> T:
        return self._thread.submit(function).result()

    def _see(self, frame: np.ndarray, info: dict[str, Any]) -> dict[str, Any]:
        self._frame, self._info = frame, info
        self._frame_number += 1
        return self._state()

    def _state(self) -> dict[str, Any]:
        height, width = self._frame.shape[:2]
        shown = {name: self._info[name] for name in SHOWN}
        return {**shown, "seed": self._seed, "frame": self._frame_number, "width": width, "height": height}

    def state(self) -> dict[str, Any]:
        """What the page shows, as JSON."""
        return self._do(self._state)

    def step(self, element: Any) -> dict[str, Any]:
        """Do one action, an element of the action space as JSON; fields its type does not use may be left out."""

        def do() -> dict[str, Any]:
            frame, _, _, _, info = self._env.step(element)
            return self._see(frame, info)

        return self._do(do)

    def reset(self, following: bool) -> dict[str, Any]:
        """Start the same episode again, or the following one."""

        def do() -> dict[str, Any]:
            self._seed += following
            return self._see(*self._env.reset(seed=self._seed))

        return self._do(do)

    def png(self) -> bytes:
        """The screen as PNG."""

        def do() -> bytes:
            if self._png[0] != self._frame_number:
                out = io.BytesIO()
                Image.fromarray(self._frame).save(out, "PNG", compress_level=1)
                self._png = (self._frame_number, out.getvalue())
            return self._png[1]

        return self._do(do)

    def close(self) -> None:
        """Close the env."""
        self._do(self._env.close)
        self._thread.shutdown()


def page() -> bytes:
    """The page, with the enums of the action space written into it."""
    enums: dict[str, type[IntEnum]] = {"type": ActionType, "button": Button, "key": Key, "modifier": Modifier}
    tables: dict[str, dict[str, int]] = {name: {member.name: int(member) for member in enum} for name, enum in enums.items()}
    tables["character"] = {character: int(key) for key, character in KEY_CHARACTER.items()}
    html = files("gui_gym.cli").joinpath("play.html").read_text("utf-8")
    return html.replace("/*ENUMS*/null", json.dumps(tables).replace("<", "\\u003c")).encode()


class PlayServer(ThreadingHTTPServer):
    """Serves ``session`` on ``port`` of 127.0.0.1 (0: a free one); :attr:`url` is the only address that answers."""

    daemon_threads = True

    def __init__(self, session: Session, port: int = 0):
        super().__init__(("127.0.0.1", port), PlayHandler)
        self.session = session
        self.token = secrets.token_urlsafe(24)
        self.page = page()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/{self.token}/"


class PlayHandler(BaseHTTPRequestHandler):
    """Answers ``GET /TOKEN/{,state,screen.png}`` and ``POST /TOKEN/{step,reset,next}``."""

    protocol_version = "HTTP/1.1"
    server: PlayServer
    HEADERS: ClassVar[dict[str, str]] = {
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'self' data:; script-src 'unsafe-inline'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    }

    def _send(self, status: HTTPStatus, body: bytes, content_type: str) -> None:
        self.send_response(status)
        for name, value in {**self.HEADERS, "Content-Type": content_type, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _json(self, value: Any, status: HTTPStatus = HTTPStatus.OK) -> None:
        self._send(status, json.dumps(value, ensure_ascii=False).encode(), "application/json; charset=utf-8")

    def _error(self, status: HTTPStatus, message: str) -> None:
        self.close_connection = True  # the body may be unread
        self._json({"error": message}, status)

    def _route(self) -> str | None:
        port = self.server.server_port
        token, _, route = self.path.partition("?")[0].removeprefix("/").partition("/")
        if self.headers.get("Host") not in (f"127.0.0.1:{port}", f"localhost:{port}"):
            self._error(HTTPStatus.FORBIDDEN, "unexpected Host header")
        elif not secrets.compare_digest(token.encode(), self.server.token.encode()):
            self._error(HTTPStatus.FORBIDDEN, "wrong token: open the address that gui-gym play printed")
        else:
            return route
        return None

    def do_GET(self) -> None:
        route = self._route()
        if route == "":
            self._send(HTTPStatus.OK, self.server.page, "text/html; charset=utf-8")
        elif route == "state":
            self._json(self.server.session.state())
        elif route == "screen.png":
            self._send(HTTPStatus.OK, self.server.session.png(), "image/png")
        elif route is not None:
            self._error(HTTPStatus.NOT_FOUND, f"no page {route!r}")

    def do_POST(self) -> None:
        route = self._route()
        if route is None:
            return
        try:
            length = int(self.headers.get("Content-Length", ""))
            if not 0 <= length <= MAX_BODY:
                raise ValueError
        except ValueError:
            return self._error(HTTPStatus.BAD_REQUEST, f"expected a Content-Length of 0 to {MAX_BODY} bytes")
        body = self.rfile.read(length)
        session = self.server.session
        try:
            if route == "step":
                self._json(session.step(json.loads(body)))
            elif route in ("reset", "next"):
                self._json(session.reset(following=route == "next"))
            else:
                self._error(HTTPStatus.NOT_FOUND, f"no command {route!r}")
        except ValueError as error:
            self._error(HTTPStatus.BAD_REQUEST, str(error))
        except DesktopError as error:
            self._error(HTTPStatus.BAD_GATEWAY, f"the desktop failed: {error}")

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the terminal shows the address alone."""


def serve(env_kwargs: Mapping[str, Any], seed: int, port: int, record: Path | None) -> None:
    """Serve until interrupted, and print the address first."""
    session = Session(env_kwargs, seed, record)
    try:
        with PlayServer(session, port) as server:
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            print(f"Play at {server.url}\nStop with Ctrl+C.", flush=True)
            server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        session.close()
