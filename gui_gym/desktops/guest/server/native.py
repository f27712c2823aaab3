"""The guest server's own routes, under ``/gui-gym``: what OSWorld's API lacks, for our client."""

from __future__ import annotations

import asyncio
import base64
import socket
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from gui_gym.actions import TERMINAL
from gui_gym.desktops.base import Desktop, DesktopError
from gui_gym.desktops.guest.server.programs import DURATION
from gui_gym.desktops.guest.server.replies import (
    Handler,
    RequestError,
    end,
    failures_told,
    on_desktop,
    read_json,
    read_upload,
    session_of,
    sessions_of,
    take,
    windowed,
)
from gui_gym.desktops.guest.server.sessions import NoSessionError
from gui_gym.desktops.guest.wire import ROOT, action_from_json
from gui_gym.tasks.fields import FLAG, PATH, Field, flag

_ARGUMENTS = Field("a list of strings, the program and its arguments", lambda v: isinstance(v, list) and bool(v) and all(map(_plain, v)))
_ENVIRONMENT = Field("an object of strings", lambda v: isinstance(v, dict) and all(_plain(k) and _plain(w) for k, w in v.items()))
_TITLE = Field("a string", lambda v: isinstance(v, str))
_WINDOW_DO = Field("activate or close", lambda v: v in ("activate", "close"))
_CHUNK = 1 << 16


def _plain(value: Any) -> bool:
    return isinstance(value, str) and "\0" not in value


async def _about(request: Request) -> Response:
    """What this server offers. Starts no desktop."""
    return JSONResponse({"server": "gui-gym", **request.app.state.about, "session": request.scope["gui_gym.session"]})


async def _sessions(request: Request) -> Response:
    return JSONResponse({"sessions": sessions_of(request).names()})


async def _reset(request: Request) -> Response:
    """A clean desktop for the session. A recording goes on."""
    session = sessions_of(request).get(request.scope["gui_gym.session"])
    await session.reset()
    return await session.do(_state)


def _state(desktop: Desktop) -> Response:
    return JSONResponse({"width": desktop.width, "height": desktop.height, "cursor": list(desktop.cursor), "timing": desktop.timing()})


async def _close(request: Request) -> Response:
    return JSONResponse({"closed": await sessions_of(request).close(request.scope["gui_gym.session"])})


def _health(desktop: Desktop) -> Response:
    return JSONResponse({"healthy": desktop.healthy()})


def _action(desktop: Desktop, body: Mapping[str, Any]) -> Response:
    action = action_from_json(body).check(desktop.width, desktop.height)
    if action.type in TERMINAL:
        raise RequestError(f"{action.type.name} ends an episode and is no action on a desktop")
    desktop.perform(action)
    return _state(desktop)


def _run(desktop: Desktop, body: Mapping[str, Any]) -> Response:
    argv, seconds = take(body, "argv", _ARGUMENTS), take(body, "timeout", DURATION, 60.0)
    done = desktop.run(argv, timeout=seconds, env=take(body, "env", _ENVIRONMENT, {}))
    outputs = {name: base64.b64encode(getattr(done, name)).decode() for name in ("stdout", "stderr")}
    return JSONResponse({"returncode": done.returncode, **outputs})


def _launch(desktop: Desktop, body: Mapping[str, Any]) -> Response:
    desktop.launch(take(body, "argv", _ARGUMENTS), env=take(body, "env", _ENVIRONMENT, {}))
    return JSONResponse({})


def _read(desktop: Desktop, body: Mapping[str, Any]) -> Response:
    return Response(desktop.read_file(take(body, "path", PATH)), media_type="application/octet-stream")


async def _write(request: Request) -> Response:
    path, data = await read_upload(request, "path", "data")
    await session_of(request).do(lambda desktop: desktop.write_file(path, data))
    return JSONResponse({})


def _accessibility(desktop: Desktop) -> Response:
    return JSONResponse({"tree": desktop.accessibility_tree()})


def _wait_until_idle(desktop: Desktop) -> Response:
    desktop.wait_until_idle()
    return JSONResponse({})


def _windows(desktop: Desktop) -> Response:
    found = windowed(desktop).windows()
    return JSONResponse({"windows": [{"id": w.id, "title": w.title, "wm_class": w.wm_class, "bounds": list(w.bounds)} for w in found]})


def _window(desktop: Desktop, body: Mapping[str, Any]) -> Response:
    how = {name: flag(take(body, name, FLAG, False)) for name in ("strict", "by_class")}
    act = getattr(windowed(desktop), f"{take(body, 'do', _WINDOW_DO)}_window")
    act(take(body, "title", _TITLE), **how, timeout=take(body, "timeout", DURATION))
    return JSONResponse({})


async def _connect(websocket: WebSocket) -> None:
    """Bytes to and from a port of the desktop's own loopback interface."""
    try:
        port = int(websocket.path_params["port"])
        connection = await session_of(websocket).do(lambda desktop: desktop.connect(port))
    except (ValueError, DesktopError, NoSessionError) as error:
        await end(websocket, str(error))
        return
    with connection:
        connection.setblocking(False)
        await websocket.accept()
        await websocket.send_text("connected")
        ways = [asyncio.create_task(_to_client(websocket, connection)), asyncio.create_task(_to_desktop(websocket, connection))]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
    await end(websocket)


async def _to_client(websocket: WebSocket, connection: socket.socket) -> None:
    try:
        while data := await asyncio.get_running_loop().sock_recv(connection, _CHUNK):
            await websocket.send_bytes(data)
    except (OSError, WebSocketDisconnect, RuntimeError):
        pass  # either side is gone


async def _to_desktop(websocket: WebSocket, connection: socket.socket) -> None:
    try:
        while True:
            await asyncio.get_running_loop().sock_sendall(connection, await websocket.receive_bytes())
    except (OSError, WebSocketDisconnect, RuntimeError, KeyError):  # KeyError: a text
        pass  # either side is gone


def routes() -> list[Route | WebSocketRoute]:
    """All of them, for an app whose ``state`` has ``sessions`` and ``about``."""

    def route(path: str, method: str, handler: Handler) -> Route:
        return Route(ROOT + path, failures_told(handler), methods=[method])

    return [
        route("", "GET", _about),
        route("/sessions", "GET", _sessions),
        route("/session", "DELETE", _close),
        route("/reset", "POST", _reset),
        route("/health", "GET", on_desktop(None, _health)),
        route("/state", "GET", on_desktop(None, _state)),
        route("/action", "POST", on_desktop(read_json, _action)),
        route("/run", "POST", on_desktop(read_json, _run)),
        route("/launch", "POST", on_desktop(read_json, _launch)),
        route("/read", "POST", on_desktop(read_json, _read)),
        route("/write", "POST", _write),
        route("/accessibility", "GET", on_desktop(None, _accessibility)),
        route("/wait_until_idle", "POST", on_desktop(None, _wait_until_idle)),
        route("/windows", "GET", on_desktop(None, _windows)),
        route("/window", "POST", on_desktop(read_json, _window)),
        WebSocketRoute(ROOT + "/connect/{port}", _connect),
    ]
