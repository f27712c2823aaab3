"""The remote debugging port of a session's browser, through the guest server."""

from __future__ import annotations

import http
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("httpx")
pytest.importorskip("uvicorn")

import httpx
from guest_helpers import TOKEN, guest_server
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.sync.server import serve

from gui_gym.desktops import Desktop, DesktopError, make_desktop
from gui_gym.desktops.devtools import PORTS
from gui_gym.desktops.guest.wire import TOKEN_VARIABLE
from gui_gym.desktops.sim import SimDesktop
from gui_gym.tasks import Task


@pytest.fixture(scope="module")
def browser() -> Iterator[int]:
    """The port of what answers as a browser does, and to each message with the message."""

    def http_answer(connection: Any, request: Any) -> Any:
        if request.path.startswith("/json/version"):
            return connection.respond(http.HTTPStatus.OK, json.dumps({"webSocketDebuggerUrl": f"ws://127.0.0.1:{PORTS[0]}/devtools/browser/1"}))
        return None

    def echo(connection: Any) -> None:
        for message in connection:
            if message == "end":
                return
            connection.send(message)

    with serve(echo, "127.0.0.1", 0, process_request=http_answer, max_size=None) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.socket.getsockname()[1]
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def address(browser: int) -> Iterator[str]:
    class WithBrowser(SimDesktop):
        def connect(self, port: int) -> socket.socket:
            if port != PORTS[0]:
                raise DesktopError(f"nothing answers on port {port}")
            return socket.create_connection(("127.0.0.1", browser))

    with guest_server(lambda: WithBrowser(200, 100)) as address:
        yield address


def test_its_addresses_are_ones_that_the_client_can_use(address: str) -> None:
    host = address.removeprefix("http://")
    told = httpx.get(f"http://one:{TOKEN}@{host}/json/version/").json()
    assert told == {"webSocketDebuggerUrl": f"ws://one:{TOKEN}@{host}/devtools/browser/1"}
    with connect(told["webSocketDebuggerUrl"], proxy=None, max_size=None) as tunnel:
        for message in ("é", b"\x00\xff", "x" * 3_000_000):
            tunnel.send(message)
            assert tunnel.recv(timeout=30) == message
        tunnel.send("end")
        with pytest.raises(ConnectionClosed):
            tunnel.recv(timeout=30)


def test_without_the_token_there_is_nothing(address: str) -> None:
    assert httpx.get(f"{address}/json/version").status_code == 401
    for path in ("devtools/browser/1", f"gui-gym/connect/{PORTS[0]}"):
        with pytest.raises(InvalidStatus, match="403"), connect(f"ws{address.removeprefix('http')}/{path}", proxy=None):
            pass


def test_a_desktop_without_a_browser() -> None:
    with guest_server(lambda: make_desktop("sim", 100, 100)) as address:
        host = address.removeprefix("http://")
        answer = httpx.get(f"http://one:{TOKEN}@{host}/json/version")
        assert answer.status_code == 500 and "remote debugging" in answer.json()["message"]
        with connect(f"ws://one:{TOKEN}@{host}/devtools/browser/1", proxy=None) as tunnel, pytest.raises(ConnectionClosed, match="1011"):
            tunnel.recv(timeout=30)


def test_a_port_through_our_client(address: str, browser: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    desktop: Desktop = make_desktop(address)
    desktop.reset(Task("empty", "test", ""), 0)
    with desktop.connect(PORTS[0]) as connection:
        connection.sendall(b"GET /json/version HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        got = b"".join(iter(lambda: connection.recv(65536), b""))
    assert got.startswith(b"HTTP/1.1 200") and b"webSocketDebuggerUrl" in got
    with pytest.raises(DesktopError, match="port 1 of the guest: nothing answers on port 1"):
        desktop.connect(1)
    desktop.close()
