"""The guest server: an ASGI app over desktops of this machine, and how it is run."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import AsyncIterator, Callable
from typing import Any

from gui_gym.desktops.base import Desktop

try:
    import uvicorn
    from starlette.applications import Starlette

    from gui_gym.desktops.guest.server import browser, connections, native, osworld
    from gui_gym.desktops.guest.server.access import Access
    from gui_gym.desktops.guest.server.connections import BoundedProtocol
    from gui_gym.desktops.guest.server.sessions import Sessions
except ModuleNotFoundError as error:
    raise ImportError(f'the guest server needs {error.name}: pip install "gui-gym[serve]"') from error

SHUTDOWN_SECONDS = 2  #: longest wait for requests under way when the server ends


def guest_app(
    make: Callable[[], Desktop],
    about: dict[str, Any],
    token: str | None,
    max_sessions: int,
    idle_seconds: float,
    max_upload: int,
    hosts: tuple[str, ...] = (),
    own_routes: bool = True,
) -> Access:
    """The server as an ASGI app.

    Args:
        make: makes one desktop.
        about: what clients are told of the desktops: ``desktop`` (kind), ``width``, ``height``, ``real``, ``network``.
        token: what requests must hold; None lets anyone in.
        max_sessions: most desktops at a time.
        idle_seconds: after so long without a request a session's desktop is closed.
        max_upload: longest upload, in bytes.
        hosts: names that the Host header may have, besides IP addresses and localhost.
        own_routes: False offers OSWorld's routes alone.
    """

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        idle = asyncio.create_task(app.state.sessions.close_idle())
        try:
            yield
        finally:
            idle.cancel()
            await app.state.sessions.close_all()

    app = Starlette(routes=[*osworld.routes(), *browser.routes(), *(native.routes() if own_routes else [])], lifespan=lifespan)
    app.state.sessions = Sessions(make, max_sessions, idle_seconds)
    app.state.about = about
    return Access(app, token, hosts, max_upload)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there (port 0: a free one); ValueError if it cannot."""
    # its protocol is said because asyncio turns off Nagle's algorithm, which costs 40 ms a request, only on sockets that say it
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)
    except (OSError, OverflowError) as error:
        listener.close()
        raise ValueError(f"{host}:{port} cannot be used: {error}; expected an address of this machine and a free port, or port 0 for any") from error
    return listener


def make_server(app: Any) -> uvicorn.Server:
    """What serves ``app`` on sockets given to its ``run``, until its ``should_exit`` is set or the process is told to end."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="on",
        server_header=False,
        http=BoundedProtocol,
        ws="websockets-sansio",
        timeout_keep_alive=connections.HEAD_SECONDS,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    return uvicorn.Server(config)


def run(app: Any, listeners: list[socket.socket]) -> None:
    """Serve until SIGINT or SIGTERM, then close every desktop."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # uvicorn passes the signal on once it is done
    try:
        make_server(app).run(sockets=listeners)
    except KeyboardInterrupt:
        pass
    finally:
        for listener in listeners:
            listener.close()
