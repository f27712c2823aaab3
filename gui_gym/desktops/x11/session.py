"""One running desktop: a sandbox with its X server, window manager and programs, from start to end.

Used once and thrown away: the next episode gets a new one, so nothing can survive. Made apart from
:class:`~gui_gym.desktops.x11.desktop.X11Desktop` so that one can be started ahead of its use.
"""

from __future__ import annotations

import functools
import json
import os
import pwd
import secrets
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from typing import Any

from gui_gym.desktops.base import Completed, DesktopError, DesktopFileNotFoundError
from gui_gym.desktops.x11 import menu, profile
from gui_gym.desktops.x11.sandbox import GUEST_DIR, HOME, HOST_NAME, PATH, RUN_DIR, USER_ID, Sandbox, has_program, start_pid1

START_TIMEOUT = 30.0  #: seconds in which an X server must be up
REPLY_TIMEOUT = 30.0  #: seconds in which the sandbox must answer, beyond what a program was given
MAX_OUTPUT = 64 << 20  #: most bytes of standard output or error of one program, and of one file that is read
MAX_SOCKET_NAME = 107  #: bytes of a socket's path
MAX_REQUEST = 16 << 20  #: most bytes of one request, such as a long command


class Session:
    """A desktop of ``width`` x ``height`` pixels: the sandbox at once, all in it by :meth:`start`.

    Attributes:
        x_fd: a socket connected to the X server; whoever takes it sets this to -1.
        frame_fd: the X server's frame memory as a file (XWD format), for reading.
        cookie: what the X server wants to see.
        home: home folder, as programs on the desktop see it.
        guest: folder of :data:`~gui_gym.desktops.x11.profile.GUEST`, likewise.
    """

    def __init__(self, width: int, height: int, unsafe_no_sandbox: bool = False):
        self.x_fd = self.frame_fd = -1
        self._owner = os.getpid()
        self._lock = threading.Lock()
        # process 1 makes this folder, so that nothing is left of it whenever this process is killed
        self._scratch = f"{scratch_parent()}/gui-gym-{secrets.token_hex(4)}" if unsafe_no_sandbox else None
        self.home = f"{self._scratch}/home" if self._scratch else HOME
        self.guest = str(profile.GUEST) if self._scratch else GUEST_DIR
        self.cookie = secrets.token_bytes(16)
        self._socket, theirs = socket.socketpair()
        try:
            if self._scratch:
                self._process = start_pid1(None, theirs.fileno(), sys.executable, self._scratch)
            else:
                with Sandbox() as sandbox:
                    self._process = start_pid1(sandbox, theirs.fileno())
        except BaseException:  # whatever stopped it, such as the end of the interpreter
            self._socket.close()
            self._remove_files()
            raise
        finally:
            theirs.close()
        self._size = width, height

    def start(self) -> None:
        """Wait until its X server runs; :class:`DesktopError` if it does not come up."""
        run = f"{self._scratch}/run" if self._scratch else RUN_DIR
        runtime = f"{self._scratch}/r" if self._scratch else f"/run/user/{USER_ID}"
        path = os.environ.get("PATH", PATH) if self._scratch else PATH
        host = socket.gethostname() if self._scratch else HOST_NAME
        authority = b"".join(self._authority(*address) for address in ((65535, b""), (256, host.encode())))
        has_bus = shutil.which(profile.BUS[0], path=path) and (not self._scratch or _has_account())
        bus = [*profile.BUS, f"--address=unix:path={runtime}/bus"] if has_bus else []
        _, fds = self._request(
            {
                "op": "start",
                "timeout": START_TIMEOUT,
                "env": profile.environment(self.home, runtime, f"{run}/authority", path, self.guest, bool(bus)),
                "folders": [run, runtime, f"{run}/frame", *(f"{self.home}/{name}" for name in profile.FOLDERS)],
                "files": {
                    f"{run}/authority": authority.decode("latin-1"),
                    **menu.manager_files(run, functools.partial(shutil.which, path=path) if self._scratch else has_program),
                    **{f"{self.home}/{name}": text for name, text in profile.home_files().items()},
                },
                "bus": bus,
                "server": profile.x_server(*self._size, f"{run}/frame", f"{run}/authority"),
                "frame": f"{run}/frame/Xvfb_screen0",
                "log": f"{run}/server.log",
                "manager": ["openbox", "--sm-disable", "--config-file", f"{run}/openbox.xml"],
            },
            timeout=START_TIMEOUT + REPLY_TIMEOUT,
            expect_fds=2,
        )
        self.x_fd, self.frame_fd = fds

    def _authority(self, family: int, address: bytes) -> bytes:
        """One entry of an X authority file: family 65535 is any machine, 256 one of a name, which python-xlib insists on."""
        return struct.pack(">H", family) + b"".join(struct.pack(">H", len(s)) + s for s in (address, b"", b"MIT-MAGIC-COOKIE-1", self.cookie))

    # -- what a desktop can do besides its screen --------------------------------------------------------------------

    def run(self, argv: Sequence[str], timeout: float, env: dict[str, str] | None) -> Completed:
        with _memory_file() as out, _memory_file() as err:
            request = {"op": "run", "argv": self._arguments(argv), "env": env, "timeout": timeout}
            reply, _ = self._request(request, [out.fileno(), err.fileno()], timeout=timeout + REPLY_TIMEOUT)
            what = f"the output of {argv[0]!r}"
            return Completed(reply["returncode"], _content(out, MAX_OUTPUT, what), _content(err, MAX_OUTPUT, what))

    def launch(self, argv: Sequence[str], env: dict[str, str] | None) -> None:
        self._request({"op": "launch", "argv": self._arguments(argv), "env": env})

    def read_file(self, path: str, limit: int) -> bytes:
        with _memory_file() as file:
            self._request({"op": "read", "path": self._translate(path), "limit": limit}, [file.fileno()])
            return _content(file, limit, path)

    def write_file(self, path: str, data: bytes) -> None:
        with _memory_file() as file:
            file.write(data)
            file.seek(0)
            self._request({"op": "write", "path": self._translate(path)}, [file.fileno()])

    def connect(self, port: int) -> socket.socket:
        """A TCP connection to a port of the desktop's own loopback interface."""
        _, fds = self._request({"op": "connect", "port": port}, expect_fds=1)
        return socket.socket(fileno=fds[0])

    def wait_until_idle(self, quiet: float, limit: float) -> float:
        """Wait until no program has run for ``quiet`` seconds, at most ``limit``; how long that took."""
        reply, _ = self._request({"op": "wait_until_idle", "quiet": quiet, "limit": limit}, timeout=limit + REPLY_TIMEOUT)
        return float(reply["waited"])

    def _arguments(self, argv: Sequence[str]) -> list[str]:
        if isinstance(argv, str) or not argv:
            raise DesktopError(f"cannot run {argv!r}: expected a list, the program and its arguments (no shell is involved)")
        return [self._translate(str(argument)) for argument in argv]

    def _translate(self, text: str) -> str:
        """Without a sandbox the home of OSWorld's tasks is a temporary folder: say that instead."""
        return text.replace(HOME, self.home) if self._scratch else text

    # -- the line to process 1 ---------------------------------------------------------------------------------------

    def _request(
        self, request: dict[str, Any], fds: Sequence[int] = (), timeout: float = REPLY_TIMEOUT, expect_fds: int = 0
    ) -> tuple[dict[str, Any], list[int]]:
        body = json.dumps(request).encode()
        if len(body) > MAX_REQUEST:
            raise DesktopError(f"a request of {len(body)} bytes is too long: expected at most {MAX_REQUEST}; write a file and pass its name")
        try:
            with self._lock:
                data, back = self._exchange(body, fds, timeout)
        except BaseException as error:  # a reply that comes late would be taken for the next one: this session is over
            said = self._last_words() if isinstance(error, OSError) else ""
            self.close()
            if not isinstance(error, OSError):
                raise
            raise DesktopError(f"the desktop's sandbox did not answer {request['op']!r} ({said or error}); reset starts a new one") from None
        reply = json.loads(data)
        if "error" in reply:
            raise (DesktopFileNotFoundError if reply["kind"] == "missing" else DesktopError)(reply["error"])
        if len(back) != expect_fds:
            raise DesktopError(f"the sandbox sent {len(back)} files with its reply to {request['op']!r}: expected {expect_fds}")
        return reply, back

    def _exchange(self, body: bytes, fds: Sequence[int], timeout: float) -> tuple[bytes, list[int]]:
        self._socket.settimeout(timeout)
        socket.send_fds(self._socket, [struct.pack(">I", len(body))], fds)
        self._socket.sendall(body)
        header, back, _, _ = socket.recv_fds(self._socket, 4, 4)
        size = struct.unpack(">I", header)[0] if len(header) == 4 else 0
        data = bytearray()
        while 0 < size <= MAX_REQUEST and len(data) < size:
            part = self._socket.recv(size - len(data))
            if not part:
                break
            data += part
        if not data or len(data) < size:
            for fd in back:
                os.close(fd)
            raise ConnectionError("it ended")
        return bytes(data), back

    def _last_words(self) -> str:
        """What process 1 or bubblewrap said if it ended by itself."""
        try:
            self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            return ""
        stderr = self._process.stderr
        return stderr.read(4000).decode(errors="replace").strip() if stderr and not stderr.closed else ""

    def server_state(self) -> str:
        """What became of the X server, in words, for the message of an error."""
        try:
            reply, _ = self._request({"op": "server_state"})
        except DesktopError as error:
            return str(error)
        state = "it still runs" if reply["returncode"] is None else f"it ended with status {reply['returncode']}"
        return state + (f"; it said: {reply['said']}" if reply["said"] else "")

    def alive(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        """End every process of the desktop soon, whichever thread uses it now: that one meets an error and closes it."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)  # seen as the end even while a forked child holds a copy of the socket
        except OSError:
            pass  # closed already, or the other side is gone

    def close(self) -> None:
        """End every process of the desktop and wait until they are gone. May be called twice, and does nothing in a forked child."""
        if os.getpid() != self._owner:
            return
        for fd in (self.x_fd, self.frame_fd):
            if fd >= 0:
                os.close(fd)
        self.x_fd = self.frame_fd = -1
        self.stop()
        self._socket.close()
        try:
            self._process.wait(10.0)  # bubblewrap ends once the kernel has ended all of its pid namespace
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stderr:
            self._process.stderr.close()
        self._remove_files()

    def _remove_files(self) -> None:
        if self._scratch:
            shutil.rmtree(self._scratch, ignore_errors=True)


def _has_account() -> bool:
    """Whether this user has an account, without which a message bus does not start; in containers it may have a number alone."""
    try:
        pwd.getpwuid(os.getuid())
    except KeyError:
        return False
    return True


def scratch_parent() -> str:
    """Where desktops without a sandbox have their folders; :class:`DesktopError` if sockets in them would have too long names."""
    parent, longest = tempfile.gettempdir(), MAX_SOCKET_NAME - len("/gui-gym-12345678/r/at-spi/bus_99")
    if len(os.fsencode(parent)) > longest:
        raise DesktopError(f"the folder for temporary files, {parent}, has too long a name for sockets: set TMPDIR to one of at most {longest} bytes")
    return parent


def _memory_file() -> Any:
    return open(os.memfd_create("gui-gym", os.MFD_CLOEXEC), "w+b", buffering=0)


def _content(file: Any, limit: int, what: str) -> bytes:
    if os.fstat(file.fileno()).st_size > limit:
        raise DesktopError(f"{what} is too large: expected at most {limit} bytes")
    return os.pread(file.fileno(), limit, 0)
