"""What routes of the guest server have in common: bodies read and checked, failures told in one form."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.datastructures import FormData, UploadFile
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from gui_gym.actions import ActionError
from gui_gym.desktops.base import Desktop, DesktopError, DesktopFileNotFoundError
from gui_gym.desktops.guest.server.sessions import NoSessionError, Session, Sessions
from gui_gym.desktops.windows import Windowed
from gui_gym.tasks.fields import PATH, Field
from gui_gym.tasks.task import TaskError

Handler = Callable[[Request], Awaitable[Response]]
NO_STORE = {"Cache-Control": "no-store"}


class RequestError(Exception):
    """A request that cannot be understood; ``status`` is its HTTP status."""

    def __init__(self, message: str, status: int = 400):
        super().__init__(message)
        self.status = status


def error_reply(status: int, kind: str, message: str) -> JSONResponse:
    """A failure in every form that OSWorld's clients look for, with its ``kind`` for ours."""
    return JSONResponse({"status": "error", "kind": kind, "message": message, "error": message}, status, NO_STORE)


def failures_told(handler: Handler) -> Handler:
    """``handler`` with what it raises as a reply."""

    async def told(request: Request) -> Response:
        try:
            return await handler(request)
        except RequestError as error:
            return error_reply(error.status, "request", str(error))
        except ActionError as error:
            return error_reply(400, "action", str(error))
        except TaskError as error:
            return error_reply(400, "request", str(error))
        except DesktopFileNotFoundError:
            return error_reply(404, "missing", "File not found")
        except DesktopError as error:
            return error_reply(500, "desktop", str(error))
        except NoSessionError as error:
            return error_reply(503, "desktop", str(error))

    return told


def sessions_of(request: HTTPConnection) -> Sessions:
    return request.app.state.sessions


def session_of(request: HTTPConnection) -> Session:
    """The session that a request is for.

    For a client that names it in our header it must be there, by a reset: one that was closed meanwhile must not become a blank
    desktop unseen. For others it is made when it is first asked for.
    """
    return sessions_of(request).get(request.scope["gui_gym.session"], new=not request.scope["gui_gym.by_header"])


async def end(websocket: WebSocket, problem: str = "") -> None:
    """Close a WebSocket that may be closed already, or not accepted yet, saying what is wrong if something is."""
    try:
        if websocket.application_state is WebSocketState.CONNECTING:
            await websocket.accept()
        await websocket.close(1011 if problem else 1000, problem.encode()[:120].decode(errors="ignore"))
    except (RuntimeError, WebSocketDisconnect):
        pass  # the client has closed it


async def read_json(request: Request) -> dict[str, Any]:
    """The JSON object in a request. Its type must be said: web pages cannot send that type without asking first."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RequestError(f"expected a body of type application/json, got {kind or 'none'!r}", 415)
    try:
        value = json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        raise RequestError(f"expected JSON: {error}") from error
    if not isinstance(value, dict):
        raise RequestError(f"expected a JSON object, got {type(value).__name__}")
    return value


async def read_form(request: Request) -> FormData:
    return await request.form(max_files=1, max_fields=8)


async def read_upload(request: Request, path: str, file: str) -> tuple[str, bytes]:
    """What the fields ``path`` and ``file`` of a form hold."""
    form = await read_form(request)
    try:
        where, upload = take(form, path, PATH), form.get(file)
        if not isinstance(upload, UploadFile):
            raise RequestError(f"{file}: expected a file")
        return where, await upload.read()
    finally:
        await form.close()


def take(fields: Mapping[str, Any], name: str, field: Field, default: Any = None) -> Any:
    """``fields[name]`` checked; ``default`` where it is missing or null, if that is not None."""
    value = fields.get(name)
    if value is None and default is not None:
        return default
    return field.check(value, name)


def on_desktop(read: Callable[[Request], Awaitable[Any]] | None, call: Callable[..., Response]) -> Handler:
    """A route that calls ``call(desktop, body)``, or without ``read`` ``call(desktop)``, in the session's thread."""

    async def handler(request: Request) -> Response:
        body = [await read(request)] if read is not None else []
        return await session_of(request).do(call, *body)

    return failures_told(handler)


def windowed(desktop: Desktop) -> Windowed:
    """``desktop`` as one with windows; :class:`RequestError` if it has none."""
    if not isinstance(desktop, Windowed):
        raise RequestError(f"the {desktop.kind!r} desktop has no windows of programs", 501)
    return desktop
