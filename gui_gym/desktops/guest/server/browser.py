"""The remote debugging port of a session's browser (Chrome DevTools Protocol), for clients that expect it on the server's machine.

The same credentials as everywhere: what the browser says of its addresses is changed to ones that hold them.
Protocol: https://chromedevtools.github.io/devtools-protocol/.
"""

from __future__ import annotations

import asyncio
import base64
import http.client
import re
import socket
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from gui_gym.desktops.base import Desktop, DesktopError
from gui_gym.desktops.devtools import PORTS, ask
from gui_gym.desktops.guest.server.replies import NO_STORE, end, failures_told, session_of
from gui_gym.desktops.guest.server.sessions import NoSessionError

_SECONDS = 10.0
_MAX_MESSAGE = 128 << 20  #: longest message of a browser, such as a page's pictures
_ADDRESS = re.compile(rb"(wss?://|ws=)(?:127\.0\.0\.1|localhost)(?::\d+)?(?=/)")


def _ask(desktop: Desktop, method: str, target: str) -> tuple[int, str, bytes]:
    """Status, type and content of what the browser's HTTP answers."""
    problem = ""
    for port in PORTS:
        try:
            return ask(desktop, port, method, target)
        except (OSError, ValueError, http.client.HTTPException, DesktopError) as error:  # ValueError: a target beyond ASCII
            problem = str(error)
    raise DesktopError(f"no browser of the desktop offers remote debugging on port {' or '.join(map(str, PORTS))}: {problem}")


async def _json(request: Request) -> Response:
    target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    status, kind, content = await session_of(request).do(_ask, request.method, target)
    address = (_credentials(request) + request.headers["host"]).encode()
    return Response(_ADDRESS.sub(lambda found: found[1] + address, content), status, {"Content-Type": kind, **NO_STORE})


def _credentials(request: Request) -> str:
    """What a client that showed a user name and password needs in an address to show them again."""
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return ""
    user, _, password = base64.b64decode(value).decode().partition(":")
    return f"{quote(user, safe='')}:{quote(password, safe='')}@"


def _connect(desktop: Desktop) -> tuple[int, socket.socket]:
    problem = ""
    for port in PORTS:
        try:
            return port, desktop.connect(port)
        except DesktopError as error:
            problem = str(error)
    raise DesktopError(problem)


async def _devtools(websocket: WebSocket) -> None:
    """Messages to and from the browser."""
    try:
        port, connection = await session_of(websocket).do(_connect)
        address = f"ws://127.0.0.1:{port}{websocket.url.path}"
        async with connect(address, sock=connection, max_size=_MAX_MESSAGE, compression=None, proxy=None, open_timeout=_SECONDS) as browser:
            await websocket.accept()
            ways = [asyncio.create_task(_to_client(websocket, browser)), asyncio.create_task(_to_browser(websocket, browser))]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
    except (DesktopError, NoSessionError, OSError, WebSocketException) as error:
        await end(websocket, str(error))
    else:
        await end(websocket)


async def _to_client(websocket: WebSocket, browser: ClientConnection) -> None:
    try:
        async for message in browser:
            await (websocket.send_text(message) if isinstance(message, str) else websocket.send_bytes(message))
    except (ConnectionClosed, WebSocketDisconnect, RuntimeError):
        pass  # either side is gone


async def _to_browser(websocket: WebSocket, browser: ClientConnection) -> None:
    try:
        while (message := await websocket.receive())["type"] == "websocket.receive":
            await browser.send(message["text"] if message.get("text") is not None else message["bytes"])
    except (ConnectionClosed, RuntimeError):
        pass  # either side is gone


def routes() -> list[Route | WebSocketRoute]:
    """All of them, for an app whose ``state.sessions`` are the server's."""
    return [
        Route("/json", failures_told(_json), methods=["GET"]),
        Route("/json/{path:path}", failures_told(_json), methods=["GET", "PUT"]),
        WebSocketRoute("/devtools/{path:path}", _devtools),
    ]
