"""The routes of OSWorld's guest server, over any desktop.

Requests and answers are those that its clients send and look for (field names, texts, status codes). What is broken there works here: the
pointer is drawn at its hotspot, screenshots use up nothing, ``<`` and all of Unicode are typed, ``/run_bash_script`` answers.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import unquote, urlsplit

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from gui_gym.desktops.accessibility import terminal_text, to_xml
from gui_gym.desktops.base import Completed, Desktop, DesktopError, DesktopFileNotFoundError
from gui_gym.desktops.guest.server import programs, recording
from gui_gym.desktops.guest.server.folders import directory_tree
from gui_gym.desktops.guest.server.pictures import shown
from gui_gym.desktops.guest.server.replies import (
    NO_STORE,
    Handler,
    error_reply,
    failures_told,
    on_desktop,
    read_form,
    read_json,
    read_upload,
    session_of,
    take,
    windowed,
)
from gui_gym.desktops.guest.server.sessions import BLANK
from gui_gym.desktops.guest.wire import CURSOR_HEADER, RAW_FRAME
from gui_gym.tasks.fields import FLAG, PATH, TEXT, flag
from gui_gym.tasks.setup import SETUP_STEPS, Stage

_WALLPAPER = ("org.gnome.desktop.background", "picture-uri")
_BINARY = "application/octet-stream"


async def _screenshot(request: Request) -> Response:
    raw = RAW_FRAME in request.headers.get("accept", "")
    picture, (x, y) = await session_of(request).do(shown, raw)
    return Response(picture, media_type=RAW_FRAME if raw else "image/png", headers={CURSOR_HEADER: f"{x},{y}", **NO_STORE})


def _output(done: Completed) -> dict[str, Any]:
    return {
        "status": "success",
        "output": done.stdout.decode(errors="replace"),
        "error": done.stderr.decode(errors="replace"),
        "returncode": done.returncode,
    }


def _execute(desktop: Desktop, body: Mapping[str, Any]) -> Response:
    return JSONResponse(_output(programs.execute(desktop, body)))


def _execute_verified(desktop: Desktop, body: Mapping[str, Any]) -> Response:
    done, seconds = programs.execute_verified(desktop, body)
    if seconds is None:
        message = "what the verification waits for did not come true in time"
        return JSONResponse({**_output(done), "status": "verification_failed", "message": message}, 500)
    return JSONResponse({**_output(done), "verification": "passed", "wait_time": seconds})


def _launch(desktop: Desktop, body: Mapping[str, Any]) -> Response:
    argv = programs.command_of(desktop, body)
    desktop.launch(argv)
    return PlainTextResponse(f"{shlex.join(argv)} launched successfully")


def _run_python(desktop: Desktop, body: Mapping[str, Any]) -> Response:
    done = programs.run_python(desktop, take(body, "code", TEXT))
    output, error = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    told = {"status": "error" if done.returncode else "success", "message": error if done.returncode else output, "need_more": False}
    return JSONResponse({**told, "output": output, "error": error, "return_code": done.returncode})


def _run_bash(desktop: Desktop, body: Mapping[str, Any]) -> Response:
    try:
        done = programs.run_bash(desktop, body)
    except DesktopError as error:  # a client that got an error status would run the script again
        return JSONResponse({"status": "error", "output": "", "error": str(error), "returncode": -1})
    return JSONResponse({**_output(done), "status": "error" if done.returncode else "success"})


def _terminal(desktop: Desktop) -> Response:
    tree = desktop.accessibility_tree()
    return JSONResponse({"output": None if tree is None else terminal_text(tree), "status": "success"})


def _accessibility(desktop: Desktop) -> Response:
    tree = desktop.accessibility_tree()
    if tree is None:
        return error_reply(500, "desktop", f"the {desktop.kind!r} desktop has no accessibility tree")
    return JSONResponse({"AT": to_xml(tree)})


def _screen_size(desktop: Desktop) -> Response:
    return JSONResponse({"width": desktop.width, "height": desktop.height})


def _window_size(desktop: Desktop, form: FormData) -> Response:
    name = take(form, "app_class_name", TEXT)
    window = windowed(desktop).find_window(name, by_class=True)
    if window is None:
        return error_reply(404, "request", f"no window of the class {name!r}")
    return JSONResponse({"width": window.bounds[2], "height": window.bounds[3]})


def _desktop_path(desktop: Desktop) -> Response:
    return JSONResponse({"desktop_path": f"{programs.home_of(desktop)}/Desktop"})


def _wallpaper(desktop: Desktop) -> Response:
    if not programs.runs_programs(desktop):
        return error_reply(404, "missing", "no wallpaper is set")
    done = desktop.run(["gsettings", "get", *_WALLPAPER])
    path = unquote(urlsplit(done.stdout.decode(errors="replace").strip().strip("'")).path)
    if done.returncode or not path:
        return error_reply(404, "missing", f"no wallpaper is set: {done.stderr.decode(errors='replace')[:300]}")
    return Response(desktop.read_file(path), media_type=_BINARY)


def _change_wallpaper(desktop: Desktop, body: Mapping[str, Any]) -> Response:
    path = programs.expand(desktop, take(body, "path", PATH))
    desktop.read_file(path)  # says so if it is missing
    done = desktop.run(["gsettings", "set", *_WALLPAPER, f"file://{path}"])
    if done.returncode:
        raise DesktopError(f"the wallpaper was not changed: {done.stderr.decode(errors='replace')[:300]}")
    return PlainTextResponse("Wallpaper changed successfully")


def _list_directory(desktop: Desktop, body: Mapping[str, Any]) -> Response:
    return JSONResponse({"directory_tree": directory_tree(desktop, programs.expand(desktop, take(body, "path", PATH)))})


def _file(desktop: Desktop, form: FormData) -> Response:
    path = take(form, "file_path", PATH)
    data = desktop.read_file(programs.expand(desktop, path))
    return Response(data, media_type=_BINARY, headers={"Content-Disposition": "attachment", **NO_STORE})


async def _upload(request: Request) -> Response:
    path, data = await read_upload(request, "file_path", "file_data")
    return await session_of(request).do(_store, path, data)


def _store(desktop: Desktop, path: str, data: bytes) -> Response:
    desktop.write_file(programs.expand(desktop, path), data)
    return PlainTextResponse(f"File Uploaded: {len(data)} bytes")


def _cursor_position(desktop: Desktop) -> Response:
    desktop.screenshot()  # programs move the pointer, too
    return JSONResponse(list(desktop.cursor))


def _open_file(desktop: Desktop, body: Mapping[str, Any]) -> Response:
    path = programs.expand(desktop, take(body, "path", PATH))
    windowed(desktop)
    if desktop.run(["test", "-e", path]).returncode:
        raise DesktopFileNotFoundError(path)
    SETUP_STEPS.get("open").run(Stage(BLANK, desktop), {"path": path})
    return PlainTextResponse("File opened successfully")


def _on_window(method: str, done: str, desktop: Desktop, body: Mapping[str, Any]) -> Response:
    title = take(body, "window_name", TEXT)
    how = {name: flag(take(body, name, FLAG, False)) for name in ("strict", "by_class")}
    if windowed(desktop).find_window(title, **how) is None:
        return error_reply(404, "request", f"no window {title!r}")
    getattr(desktop, method)(title, **how)
    return PlainTextResponse(done)


def _download(desktop: Desktop, body: Mapping[str, Any]) -> Response:
    return error_reply(501, "request", "the desktop has no network: fetch the file and send it to /setup/upload, as OSWorld's download step does")


async def _start_recording(request: Request) -> Response:
    session = session_of(request)
    if session.recorder is not None:
        return error_reply(400, "request", "a recording is under way")
    size = await session.do(lambda desktop: (desktop.width, desktop.height))
    if session.recorder is not None:  # begun while the desktop started
        return error_reply(400, "request", "a recording is under way")
    session.recorder = recording.Recorder(*size)
    session.recorder.follow(session)
    return JSONResponse({"status": "success", "message": "the recording has begun"})


async def _end_recording(request: Request) -> Response:
    session = session_of(request)
    recorder, session.recorder = session.recorder, None
    if recorder is None:
        return error_reply(400, "request", "there is no recording")
    return Response(await recorder.finish(), media_type="video/mp4", headers={"Content-Disposition": "attachment; filename=recording.mp4"})


def routes() -> list[Route]:
    """All of them, for an app whose ``state.sessions`` are the server's."""

    def route(path: str, method: str, handler: Handler) -> Route:
        return Route(path, handler, methods=[method])

    def plain(path: str, method: str, call: Any) -> Route:
        return route(path, method, on_desktop(None, call))

    def with_json(path: str, call: Any) -> Route:
        return route(path, "POST", on_desktop(read_json, call))

    def with_form(path: str, call: Any) -> Route:
        return route(path, "POST", on_desktop(read_form, call))

    return [
        route("/screenshot", "GET", failures_told(_screenshot)),
        plain("/terminal", "GET", _terminal),
        plain("/accessibility", "GET", _accessibility),
        plain("/cursor_position", "GET", _cursor_position),
        plain("/platform", "GET", lambda desktop: PlainTextResponse("Linux")),
        plain("/screen_size", "POST", _screen_size),
        plain("/desktop_path", "POST", _desktop_path),
        plain("/wallpaper", "POST", _wallpaper),
        with_form("/window_size", _window_size),
        with_form("/file", _file),
        with_json("/list_directory", _list_directory),
        *(with_json(prefix + "/execute", _execute) for prefix in ("", "/setup")),
        *(with_json(prefix + "/execute_with_verification", _execute_verified) for prefix in ("", "/setup")),
        with_json("/run_python", _run_python),
        with_json("/run_bash_script", _run_bash),
        route("/setup/upload", "POST", failures_told(_upload)),
        with_json("/setup/launch", _launch),
        with_json("/setup/open_file", _open_file),
        with_json("/setup/activate_window", partial(_on_window, "activate_window", "Window activated successfully")),
        with_json("/setup/close_window", partial(_on_window, "close_window", "Window closed successfully")),
        with_json("/setup/change_wallpaper", _change_wallpaper),
        with_json("/setup/download_file", _download),
        route("/start_recording", "POST", failures_told(_start_recording)),
        route("/end_recording", "POST", failures_told(_end_recording)),
    ]
