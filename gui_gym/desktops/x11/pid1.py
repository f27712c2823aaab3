"""Process 1 of a desktop's sandbox: starts its X server and programs, runs what it is told, and ends with its caller.

Run by the system's Python from a copy of this file, so it imports the standard library only. Usage:
``python3 pid1.py FD LIMITS [FOLDER CALLER]``, where FD is a stream socket, LIMITS a JSON object of resource limits, and without a
sandbox FOLDER holds all its files and CALLER is the pid of its caller. A message is a 4-byte big-endian length, then JSON; file
descriptors travel with the length. One request, one reply. The end of the stream ends this process, and with process 1
the kernel ends every other of its namespace. Nothing inside can signal or trace it.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import random
import re
import resource
import select
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import time
from typing import Any

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 1, 4, 36
CHUNK = 1 << 20
CONNECT_SECONDS = 5.0
END_SECONDS, POLITE_SECONDS = 8.0, 0.5  # longest end of all processes without a sandbox, and how long of it they are asked to
POLL = 0.05  # seconds between two looks at whether programs run
STATUS = re.compile(rb"State:|\w*voluntary_ctxt_switches:")
Reply = tuple[dict[str, Any], list[int]]


class RequestError(Exception):
    """A request that could not be done; ``kind`` tells a missing file ("missing") from the rest ("failed")."""

    def __init__(self, message: str, kind: str = "failed"):
        super().__init__(message)
        self.kind = kind


class Init:
    """The request loop. ``environment`` is what every program gets, ``children`` those that still run."""

    def __init__(self, sock: socket.socket, scratch: str | None):
        self.sock, self.scratch = sock, scratch
        self.left: list[str] = []
        if scratch:
            os.mkdir(scratch, 0o700)
        self.environment: dict[str, str] = {}
        self.children: dict[int, subprocess.Popen[bytes]] = {}
        self.wake, wake_write = socket.socketpair()
        self.wake.setblocking(False)
        wake_write.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # read from the wake socket
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # not Python's handler, which would let it reach process 1 from inside
        if os.getpid() != 1:  # as process 1, only signals it has a handler for can reach it from inside
            signal.signal(signal.SIGTERM, lambda *_: None)
        signal.set_wakeup_fd(wake_write.fileno(), warn_on_full_buffer=False)
        self.wake_write = wake_write

    def loop(self) -> None:
        try:
            while True:
                self.wait(None)
                header, fds, _, _ = socket.recv_fds(self.sock, 4, 4)
                request = json.loads(self.receive(struct.unpack(">I", header)[0])) if len(header) == 4 else {}
                if not request:
                    return
                try:
                    reply, back = getattr(self, "do_" + request["op"])(request, fds)
                except RequestError as error:
                    reply, back = {"error": str(error), "kind": error.kind}, []
                except (OSError, ValueError) as error:  # ValueError: a name with a null character
                    reply, back = {"error": f"{getattr(error, 'strerror', None) or error}: {request.get('path', '')!r}", "kind": "failed"}, []
                body = json.dumps(reply).encode()
                socket.send_fds(self.sock, [struct.pack(">I", len(body))], back)
                self.sock.sendall(body)
                for fd in fds + back:
                    os.close(fd)
        except (ConnectionError, EOFError):
            return
        finally:
            self.end()

    def receive(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            part = self.sock.recv(min(size - len(data), CHUNK))
            if not part:
                raise EOFError
            data += part
        return bytes(data)

    def wait(self, deadline: float | None, child: subprocess.Popen[bytes] | None = None) -> bool:
        """Reap until ``child`` has ended (True), ``deadline`` is over, or a message or the end of the stream has come (False)."""
        while True:
            self.reap()
            if child is not None and child.returncode is not None:
                return True
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return False
            ready = select.select([self.sock, self.wake], [], [], left)[0]
            if self.wake in ready and signal.SIGTERM in self.wake.recv(4096):
                raise EOFError
            if self.sock in ready:
                if child is not None:  # the caller gave up, or is gone: it never sends a second request before the reply
                    raise EOFError
                return False

    def reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            child = self.children.pop(pid, None)  # None: an orphan that came to us
            if child is not None:
                child.returncode = os.waitstatus_to_exitcode(status)

    def spawn(self, argv: list[str], env: dict[str, str] | None = None, **options: Any) -> subprocess.Popen[bytes]:
        options.setdefault("stdout", subprocess.DEVNULL)
        options.setdefault("stderr", subprocess.DEVNULL)
        try:
            environment = {**self.environment, **(env or {})}
            home = environment["HOME"]
            child = subprocess.Popen(argv, env=environment, cwd=home, stdin=subprocess.DEVNULL, start_new_session=True, **options)
        except FileNotFoundError:
            raise RequestError(f"no program {argv[0]!r} on the desktop (PATH {self.environment['PATH']})") from None
        except (OSError, ValueError) as error:
            raise RequestError(f"cannot start {argv[0]!r}: {error}") from None
        self.children[child.pid] = child
        return child

    def do_start(self, request: dict[str, Any], fds: list[int]) -> Reply:
        """Start bus, X server and window manager. Gives a socket connected to the X server and its frame file."""
        self.environment = request["env"]
        for folder in request["folders"]:
            os.makedirs(folder, mode=0o700, exist_ok=True)
        for path, text in request["files"].items():
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            with open(path, "wb", opener=lambda p, flags: os.open(p, flags, 0o600)) as file:
                file.write(text.encode("latin-1"))
        read, write = os.pipe()
        with open(request["log"], "wb") as log:
            display = []
            if self.scratch:  # a server that chooses itself takes another one's socket away
                chosen = free_display()
                display, self.left = [f":{chosen}"], left_by_server(chosen)
            server = self.spawn([*request["server"], *display, "-displayfd", str(write)], pass_fds=[write], stderr=log)
        os.close(write)
        answer = b""
        deadline = time.monotonic() + request["timeout"]
        while not answer.endswith(b"\n"):
            watched: list[Any] = [read, self.sock]
            ready = select.select(watched, [], [], max(0.0, deadline - time.monotonic()))[0]
            part = os.read(read, 16) if read in ready else b""
            if not part:
                with open(request["log"], "rb") as log:
                    said = log.read()[-2000:].decode(errors="replace").strip()
                raise RequestError(f"the X server did not start: {said or 'it said nothing'}")
            answer += part
        os.close(read)
        number = int(answer)
        self.environment["DISPLAY"] = f":{number}"
        if request["bus"]:  # once the display is known, so that programs the bus starts find it
            self.spawn(request["bus"])
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        client.connect(f"/tmp/.X11-unix/X{number}")
        frame = os.open(request["frame"], os.O_RDONLY | os.O_NOFOLLOW)
        self.spawn(request["manager"])
        if request["bus"]:
            self.wait_for_bus(deadline)
        self.server, self.log = server, request["log"]
        return {}, [client.detach(), frame]

    def wait_for_bus(self, deadline: float) -> None:
        path = self.environment["DBUS_SESSION_BUS_ADDRESS"].partition("=")[2]
        while not os.path.exists(path):
            if time.monotonic() > deadline:
                raise RequestError("the session bus did not start")
            time.sleep(0.001)

    def do_server_state(self, request: dict[str, Any], fds: list[int]) -> Reply:
        """The exit status of the X server, None if it still runs in a second, and the end of what it said."""
        self.wait(time.monotonic() + 1.0, self.server)
        with open(self.log, "rb") as log:
            return {"returncode": self.server.returncode, "said": log.read()[-500:].decode(errors="replace").strip()}, []

    def do_run(self, request: dict[str, Any], fds: list[int]) -> Reply:
        """Run a program to its end; its output goes to the two files that came with the request."""
        child = self.spawn(request["argv"], request["env"], stdout=fds[0], stderr=fds[1])
        if not self.wait(time.monotonic() + request["timeout"], child):
            os.killpg(child.pid, signal.SIGKILL)
            raise RequestError(f"{request['argv'][0]!r} did not end within {request['timeout']:g} s and was killed")
        return {"returncode": child.returncode}, []

    def do_launch(self, request: dict[str, Any], fds: list[int]) -> Reply:
        return {"pid": self.spawn(request["argv"], request["env"]).pid}, []

    def do_connect(self, request: dict[str, Any], fds: list[int]) -> Reply:
        """A socket connected to a TCP port in here: as a file descriptor it works outside as well."""
        error: OSError = ConnectionRefusedError("nothing listens there")
        for address in ("127.0.0.1", "::1"):
            try:
                with socket.create_connection((address, request["port"]), timeout=CONNECT_SECONDS) as client:
                    client.settimeout(None)
                    return {}, [client.detach()]
            except OSError as one:
                error = error if address == "::1" else one
        raise RequestError(f"cannot connect to port {request['port']} of the desktop: {error}")

    def do_wait_until_idle(self, request: dict[str, Any], fds: list[int]) -> Reply:
        """Wait until no program has run for ``quiet`` seconds, at most ``limit``."""
        before: dict[str, list[bytes]] | None = None
        start = since = time.monotonic()
        while (now := time.monotonic()) - since < request["quiet"] and now - start < request["limit"]:
            self.reap()
            activity = thread_activity()
            if activity != before or any(b"State:\tR" in lines or b"State:\tD" in lines for lines in activity.values()):
                since = now
            before = activity
            if select.select([self.sock], [], [], POLL)[0]:  # the caller gave up, or is gone
                raise EOFError
        return {"waited": time.monotonic() - start}, []

    def do_read(self, request: dict[str, Any], fds: list[int]) -> Reply:
        """Copy a file into the file that came with the request, at most one byte more than the limit."""
        with self.open(request["path"], os.O_RDONLY) as file, open(fds[0], "wb", closefd=False) as target:
            left = request["limit"] + 1
            while left > 0:
                part = file.read(min(left, CHUNK))
                if not part:
                    break
                left -= target.write(part)
        return {}, []

    def do_write(self, request: dict[str, Any], fds: list[int]) -> Reply:
        """Write a file from the file that came with the request."""
        os.makedirs(os.path.dirname(self.path(request["path"])), exist_ok=True)
        with self.open(request["path"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC) as file, open(fds[0], "rb", closefd=False) as source:
            shutil.copyfileobj(source, file, CHUNK)
        return {}, []

    def path(self, path: str) -> str:
        home = self.environment["HOME"]
        return os.path.join(home, path[2:] if path.startswith("~/") else path)

    def open(self, path: str, flags: int) -> Any:
        try:
            fd = os.open(self.path(path), flags | os.O_NONBLOCK, 0o644)  # a FIFO must not hold us
        except (FileNotFoundError, NotADirectoryError):
            raise RequestError(f"no such file: {path}", "missing") from None
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise RequestError(f"not a regular file: {path}")
        return open(fd, "wb" if flags & os.O_WRONLY else "rb", buffering=0)

    def end(self) -> None:
        """Leave nothing behind. In the sandbox the kernel does it; without one, kill every descendant and remove the folder."""
        if os.getpid() != 1:
            began, alone = time.monotonic(), 0
            # alone twice: a child whose parent has just ended is in nobody's chain while the processes are being read
            while alone < 2 and (seconds := time.monotonic() - began) < END_SECONDS:
                mine = descendants(os.getpid())
                alone = 0 if mine else alone + 1
                for pid in mine:
                    try:  # politely at first: the X server takes its socket and lock away
                        os.kill(pid, signal.SIGKILL if seconds > POLITE_SECONDS else signal.SIGTERM)
                    except ProcessLookupError:
                        continue
                self.reap()
                time.sleep(0.005)
            if self.scratch:
                shutil.rmtree(self.scratch, ignore_errors=True)
            for path in self.left:
                with contextlib.suppress(OSError):  # mostly gone: only a server that had to be killed leaves some
                    os.unlink(path)
        os._exit(0)


def free_display() -> int:
    """The number of a display that no X server of this machine has, chosen by chance, since others choose at the same time."""
    while True:
        number = random.randrange(100, 50_000)
        if not any(os.path.lexists(path) for path in (f"/tmp/.X11-unix/X{number}", f"/tmp/.X{number}-lock")):
            return number


def left_by_server(number: int | str) -> list[str]:
    """What the X server of display ``number`` leaves on this machine if it is killed: lock, socket, and the keyboard it was reading."""
    return [f"/tmp/.X{number}-lock", f"/tmp/.X11-unix/X{number}", *(f"{folder}/server-{number}.xkm" for folder in ("/var/lib/xkb", "/tmp"))]


def descendants(root: int) -> list[int]:
    """Processes whose chain of parents leads to ``root``."""
    parent = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    parent[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
    found: list[int] = []
    layer = [root]
    while layer:
        layer = [pid for pid, up in parent.items() if up in layer]
        found += layer
    return found


def thread_activity() -> dict[str, list[bytes]]:
    """State and number of context switches of each thread of our descendants: equal twice, and asleep, it did not run between."""
    found: dict[str, list[bytes]] = {}
    for pid in descendants(os.getpid()):
        try:
            for thread in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{thread}/status", "rb") as file:
                    found[thread] = [line[:8] if line.startswith(b"State:") else line for line in file.read().split(b"\n") if STATUS.match(line)]
        except (FileNotFoundError, ProcessLookupError):  # it ended meanwhile
            continue
    return found


def main() -> None:
    limits: dict[str, int] = json.loads(sys.argv[2])
    for name, value in limits.items():
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))
    with open("/proc/self/oom_score_adj", "w") as file:  # short of memory, the kernel kills a desktop before its caller
        file.write("1000")
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    if os.getpid() != 1:  # what bubblewrap and the kernel do in a sandbox
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    init = Init(socket.socket(fileno=int(sys.argv[1])), sys.argv[3] if len(sys.argv) > 3 else None)
    if len(sys.argv) > 4 and os.getppid() != int(sys.argv[4]):  # the caller ended before it would have been noticed
        init.end()
    init.loop()


if __name__ == "__main__":
    main()
