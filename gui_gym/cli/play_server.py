"""The server behind ``gui-gym play``: one page, JSON over HTTP on 127.0.0.1.

Every address begins with a random token, and the Host header must be this server's: other users and web pages cannot
reach the desktop.
"""

from __future__ import annotations

import json
import secrets
import signal
from enum import IntEnum
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any, ClassVar

from gui_gym.actions import KEY_CHARACTER, ActionType, Button, Key, Modifier
from gui_gym.cli.play_session import Session
from gui_gym.desktops import DesktopError

MAX_BODY = 1 << 20  #: longest request body, in bytes


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
        try:
            super().__init__(("127.0.0.1", port), PlayHandler)
        except (OSError, OverflowError) as error:
            raise ValueError(f"port {port} cannot be used: {error}; expected a free one of 1024 to 65535, or 0 to take any") from error
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
        except (ValueError, RecursionError) as error:  # the latter from JSON that is nested too deep
            self._error(HTTPStatus.BAD_REQUEST, str(error))
        except DesktopError as error:
            self._error(HTTPStatus.BAD_GATEWAY, f"the desktop failed: {error}")
        except OSError as error:
            self._error(HTTPStatus.INTERNAL_SERVER_ERROR, f"the episode could not be recorded: {error}")

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the terminal shows the address alone."""


def serve(session: Session, port: int) -> None:
    """Serve ``session`` until interrupted, and print the address first. The session is closed at the end."""
    try:
        with PlayServer(session, port) as server:
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            print(f"Play at {server.url}\nStop with Ctrl+C.", flush=True)
            server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        session.close()
