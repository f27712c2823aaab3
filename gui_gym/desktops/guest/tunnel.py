"""A TCP connection to a port inside a desktop of our server, through a WebSocket of the server's one port."""

from __future__ import annotations

import socket
import threading
from contextlib import ExitStack

from gui_gym.desktops.base import DesktopError
from gui_gym.desktops.guest.client import GuestClient
from gui_gym.desktops.guest.wire import ROOT
from gui_gym.desktops.relay import shut

_OPEN_SECONDS = 20.0
_CHUNK = 1 << 16
_MAX_MESSAGE = 1 << 20  #: longest message of the server, whose own are of 64 KiB


def open_tunnel(client: GuestClient, port: int) -> socket.socket:
    """A connected socket; closing it ends the tunnel. Raises :class:`DesktopError` if nothing listens there."""
    try:
        from websockets.exceptions import ConnectionClosed, WebSocketException
        from websockets.sync.client import connect
    except ModuleNotFoundError as error:
        raise ImportError('ports of a guest need websockets: pip install "gui-gym[guest]"') from error

    address = f"ws{client.address.removeprefix('http')}{ROOT}/connect/{port}"
    opened = ExitStack()
    try:
        # a connection of our own: websockets would follow a redirect to any machine, but not with one that it was given
        connection = socket.create_connection((client.host, client.port), _OPEN_SECONDS)
        tunnel = opened.enter_context(
            connect(
                address,
                sock=connection,
                additional_headers=client.headers,
                open_timeout=_OPEN_SECONDS,
                max_size=_MAX_MESSAGE,
                compression=None,
                proxy=None,
            )
        )
        greeting = tunnel.recv(timeout=_OPEN_SECONDS)
        if greeting != "connected":
            raise DesktopError(f"the guest at {client.address} opened no tunnel to port {port} but said {greeting!r:.100}")
    except ConnectionClosed as error:
        opened.close()
        raise DesktopError(f"port {port} of the guest: {error.rcvd.reason if error.rcvd else error}") from error
    except (OSError, ValueError, WebSocketException) as error:  # ValueError: a redirect
        opened.close()
        raise DesktopError(f"port {port} of the guest at {client.address} cannot be reached: {error}") from error
    except DesktopError:
        opened.close()
        raise
    ours, theirs = socket.socketpair()

    def to_guest() -> None:
        try:
            while data := theirs.recv(_CHUNK):
                tunnel.send(data)
        except (OSError, ConnectionClosed):
            pass  # either side is gone: the end below
        opened.close()

    def from_guest() -> None:
        try:
            for data in tunnel:
                theirs.sendall(data if isinstance(data, bytes) else data.encode())
        except (OSError, ConnectionClosed):
            pass
        shut(theirs)

    def pump() -> None:
        back = threading.Thread(target=from_guest, daemon=True)
        back.start()
        to_guest()
        back.join()
        theirs.close()

    threading.Thread(target=pump, daemon=True).start()
    return ours
