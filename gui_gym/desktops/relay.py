"""A way from this machine to a port inside a desktop, for clients that need an address, such as a browser's debugger."""

from __future__ import annotations

import contextlib
import logging
import secrets
import socket
import threading
import time
from types import TracebackType

from gui_gym.desktops.base import Desktop, DesktopError

logger = logging.getLogger(__name__)

_MAX_LINE = 4096  #: bytes of the first line of a request
_HEAD_SECONDS = 10.0  #: longest wait for one
_CHUNK = 1 << 16
_MAX_OPEN = 64  #: most connections at a time, both sides counted: other users of this machine can open some, too
_MAX_BYTES = 512 << 20  #: most bytes of one connection in one direction


class Relay:
    """Passes HTTP and WebSocket connections to one path of a server on the desktop.

    It listens on a free port of 127.0.0.1 and answers only to :attr:`address`, which holds a secret: other users of this machine
    reach nothing. What comes back is the desktop's and is not to be trusted. Used with ``with``; leaving it ends every connection.

    Args:
        desktop: the desktop.
        port: port of the desktop's own loopback interface.
        path: the path that :attr:`address` stands for.
        seconds: after so long every connection is ended, whatever the server does.

    Attributes:
        address: ``ws://127.0.0.1:<port>/<secret>``.
    """

    def __init__(self, desktop: Desktop, port: int, path: str, seconds: float):
        if not path.startswith("/") or any(char.isspace() or not char.isprintable() for char in path):
            raise DesktopError(f"expected the path of a server on the desktop, got {path!r:.120}")
        self._desktop, self._port, self._path, self._seconds = desktop, port, path, seconds
        self._secret = secrets.token_urlsafe(32)
        self._lock = threading.Lock()
        self._closed = False
        self._open: set[socket.socket] = set()

    def __enter__(self) -> Relay:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"ws://127.0.0.1:{self._listener.getsockname()[1]}/{self._secret}"
        self._timer = threading.Timer(self._seconds, self.close)
        self._timer.daemon = True
        self._timer.start()
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End every connection. May be called twice."""
        self._timer.cancel()
        with self._lock:
            self._closed = True
            connections, self._open = self._open, set()
        for connection in (self._listener, *connections):
            _end(connection)

    @property
    def expired(self) -> bool:
        """Whether it was ended, by its time or by :meth:`close`."""
        return self._closed

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:  # closed
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        try:
            if not self._keep(client):
                return
            head = _read_line(client, time.monotonic() + _HEAD_SECONDS)
            method, _, rest = head.partition(b" ")
            path, _, version = rest.partition(b" ")
            if method != b"GET" or not secrets.compare_digest(path, b"/" + self._secret.encode()):
                client.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return
            server = self._desktop.connect(self._port)
            if not self._keep(server):
                return
            client.settimeout(None)
            server.settimeout(None)
            server.sendall(b" ".join((method, self._path.encode(), version)))
            back = threading.Thread(target=_pump, args=(server, client), daemon=True)
            back.start()
            _pump(client, server)
            back.join()
            self._drop(server)
        except (OSError, DesktopError) as error:
            logger.debug("relay to port %d: %s", self._port, error)
        finally:
            self._drop(client)

    def _keep(self, connection: socket.socket) -> bool:
        """Remember it for :meth:`close`; False, and it is closed, if that has come before or there are too many."""
        with self._lock:
            if not self._closed and len(self._open) < _MAX_OPEN:
                self._open.add(connection)
                return True
        _end(connection)
        return False

    def _drop(self, connection: socket.socket) -> None:
        with self._lock:
            self._open.discard(connection)
        _end(connection)


def _read_line(connection: socket.socket, deadline: float) -> bytes:
    """The first line, its end included, and not a byte more. TimeoutError if it is not there at the time ``deadline``."""
    line = bytearray()
    while not line.endswith(b"\n") and len(line) < _MAX_LINE:
        connection.settimeout(max(0.001, deadline - time.monotonic()))
        byte = connection.recv(1)
        if not byte:
            break
        line += byte
    return bytes(line)


def _pump(source: socket.socket, target: socket.socket) -> None:
    """Pass bytes on until either side ends, or there are too many, then end both ways of it."""
    passed = 0
    try:
        while passed < _MAX_BYTES and (data := source.recv(_CHUNK)):
            target.sendall(data)
            passed += len(data)
    except OSError:
        pass  # one of them is gone
    shut(source)
    shut(target)


def shut(connection: socket.socket) -> None:
    """End both ways of a connection, which wakes a thread that waits on it, as ``close()`` alone does not."""
    with contextlib.suppress(OSError):  # not connected, or gone already
        connection.shutdown(socket.SHUT_RDWR)


def _end(connection: socket.socket) -> None:
    shut(connection)
    connection.close()
