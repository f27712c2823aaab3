"""The bubblewrap sandbox of an X11 desktop: how its command line is made, whether it works here, and who starts it.

A sandbox has its own user, pid, ipc, network and uts namespaces, no capability, a home and a /tmp of its own in memory,
and sees of the host only its programs, read-only. Bubblewrap started by root would still be root outside, so root
first becomes :data:`HOST_ID`.

Not kept out: /usr but for :data:`HIDDEN` can be read, so keep no secret there; of /opt only :data:`OPT`. Each process is
bounded and so is each file system in memory, but not what all processes take together: short of memory, the kernel ends
programs of desktops first. User namespaces can be made inside (browsers need them), so the kernel must be up to date.
"""

from __future__ import annotations

import glob
import json
import os
import platform
import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from gui_gym.desktops.base import DesktopError
from gui_gym.desktops.x11 import profile, seccomp

#: Host uid and gid of sandboxes started by root. Debian reserves 65000-65533, so no account has it and no file is
#: owned by it (nobody, 65534, has both); below 65536 it exists in containers that map only so many ids.
HOST_ID = 65432
#: Uid and gid inside, the home and the machine's name: those of the guests that OSWorld's tasks are written for.
USER_ID, HOME, HOST_NAME = 1000, "/home/user", "desktop"
#: Folder of the desktop's own files inside.
RUN_DIR = "/run/gui-gym"
PYTHON = "/usr/bin/python3"
#: Where the programs of :mod:`gui_gym.desktops.x11.guest` are inside, read-only; they come first on the PATH.
GUEST_DIR = "/opt/gui-gym"
PATH = f"{GUEST_DIR}/bin:/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"

MIB = 1 << 20
#: Size limits of the file systems in memory, in bytes.
TMPFS_BYTES = {HOME: 1024 * MIB, "/tmp": 512 * MIB, "/dev/shm": 512 * MIB, "/run": 256 * MIB}
#: Limits of each process inside (``resource`` names): a fork bomb, a giant file or a runaway allocation stops there.
LIMITS = {"RLIMIT_NPROC": 1024, "RLIMIT_NOFILE": 4096, "RLIMIT_FSIZE": 1024 * MIB, "RLIMIT_DATA": 4096 * MIB, "RLIMIT_CORE": 0}

#: Programs needed, and the Debian packages that hold them.
PROGRAMS = {"bwrap": "bubblewrap", "setpriv": "util-linux", "choom": "util-linux", "Xvfb": "xvfb", "xkbcomp": "x11-xkb-utils", "openbox": "openbox"}
#: What of /etc programs need and may see: the rest can hold a host's secrets (proxies, package indexes, accounts).
ETC = (
    "ImageMagick-6 X11 alternatives bash.bashrc ca-certificates ca-certificates.conf chromium chromium.d dbus-1 dconf debian_version "
    "default/locale fonts gimp glvnd gtk-2.0 gtk-3.0 gtk-4.0 inputrc java-17-openjdk ld.so.cache ld.so.conf ld.so.conf.d libreoffice "
    "locale.alias magic magic.mime mailcap mime.types nsswitch.conf openal os-release pango papersize perl protocols pulse "
    "python3 python3.11 python3.12 python3.13 services shells skel ssl/certs ssl/openssl.cnf terminfo thunderbird vim vlc xdg xfce4 xml sgml"
).split()
#: Folders of applications in /opt, where else a machine's services keep their settings.
OPT = ("google", "libreoffice*")
#: Debian's Chromium, and where Google Chrome's files would be: tasks know it by its process name, ``chrome``.
CHROMIUM, CHROME = "/usr/lib/chromium", "/opt/google/chrome"
#: Folders of /usr that hold settings or sources, not programs: npm's registry token is in /usr/local/etc.
HIDDEN = ("/usr/etc", "/usr/local/etc", "/usr/src", "/usr/local/src")
_FILES = {
    "/etc/passwd": f"root:x:0:0:root:/root:/usr/sbin/nologin\nuser:x:{USER_ID}:{USER_ID}:user:{HOME}:/bin/bash\n",
    "/etc/group": f"root:x:0:\nuser:x:{USER_ID}:\n",
    "/etc/hosts": f"127.0.0.1 localhost {HOST_NAME}\n::1 localhost\n",
    "/etc/machine-id": "67756967796d00000000000000000001\n",
}


#: Programs by the names that tasks know them by, and the host's programs that they are made of.
ALIASES = {"google-chrome": "chromium", "google-chrome-stable": "chromium", "chromium-browser": "chromium", "chromium": "chromium"}


class SandboxError(DesktopError):
    """No sandbox can be made here; the message says why and what to do."""


@dataclass(frozen=True)
class SandboxReport:
    """Whether sandboxes work on this machine; if not, why, and the command or setting that helps."""

    ok: bool
    reason: str = ""
    fix: str = ""


def has_program(name: str) -> bool:
    """Whether a program will be on a desktop's PATH."""
    if name not in ALIASES and f"bin/{name}" in {**profile.guest_files(), **profile.GUEST_LINKS}:
        return True
    return shutil.which(ALIASES.get(name, name), path=PATH) is not None


def missing_programs(sandboxed: bool = True) -> SandboxReport:
    """Whether the programs that desktops are made of are there."""
    needed = {name: package for name, package in PROGRAMS.items() if sandboxed or name not in ("bwrap", "setpriv", "choom")}
    if os.getuid() != 0:
        needed = {name: package for name, package in needed.items() if name not in ("setpriv", "choom")}
    path = os.environ.get("PATH", "")
    missing = {name: package for name, package in needed.items() if shutil.which(name, path=path) is None}
    if sandboxed and not os.path.exists(PYTHON):
        missing[PYTHON] = "python3"
    if sandboxed and not seccomp.supported():
        return SandboxReport(False, f"the sandbox's filter is not known for the processor {platform.machine()}", "use an x86_64 or aarch64 machine")
    if not missing:
        return SandboxReport(True)
    return SandboxReport(False, f"not found: {', '.join(missing)}", f"sudo apt-get install -y {' '.join(dict.fromkeys(missing.values()))}")


def probe() -> SandboxReport:
    """Whether sandboxes work here, found out by running one. Takes about 0.1 s."""
    report = missing_programs()
    if not report.ok:
        return report
    with Sandbox() as sandbox:
        try:
            done = _spawner.submit(
                subprocess.run, [*sandbox.argv, PYTHON, "-I", "-c", ""], pass_fds=sandbox.fds, capture_output=True, timeout=30, env={}, cwd="/"
            ).result()
        except subprocess.TimeoutExpired:
            return SandboxReport(False, "bubblewrap did not end within 30 s", "try again on a less loaded machine")
    if done.returncode == 0:
        return SandboxReport(True, "a bubblewrap sandbox starts")
    said = done.stderr.decode(errors="replace").strip() or f"exit status {done.returncode}"
    return SandboxReport(False, f"a bubblewrap sandbox does not start: {said}", _fix())


def _fix() -> str:
    def setting(path: str) -> str:
        try:
            return Path("/proc/sys", path).read_text().strip()
        except OSError:
            return ""

    if setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
        return "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
    if setting("kernel/unprivileged_userns_clone") == "0":
        return "sudo sysctl -w kernel.unprivileged_userns_clone=1"
    if setting("user/max_user_namespaces") == "0":
        return "sudo sysctl -w user.max_user_namespaces=10000"
    return "in a container, start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined"


_working = False


def require(unsafe_no_sandbox: bool = False) -> None:
    """Raise :class:`SandboxError` unless desktops can run here. A success is remembered for the life of the process."""
    global _working
    report = missing_programs(sandboxed=not unsafe_no_sandbox)
    if report.ok and not unsafe_no_sandbox and not _working:
        report = probe()
        _working = report.ok
    if not report.ok:
        hint = "" if unsafe_no_sandbox else "; or, if you trust every task and agent, pass unsafe_no_sandbox=True"
        raise SandboxError(f"no x11 desktop can run here: {report.reason}. Do: {report.fix}{hint}")


class Sandbox:
    """Command line of one sandbox: ``argv`` to put before the program's own, ``fds`` to pass on. Close it once started."""

    def __init__(self) -> None:
        self.fds: list[int] = []
        as_other: list[str] = []
        if os.getuid() == 0:  # what root chose for the kernel to end first, nothing inside can change
            as_other = [_which("choom"), "-n", "1000", "--"]
            as_other += [_which("setpriv"), f"--reuid={HOST_ID}", f"--regid={HOST_ID}", "--clear-groups", "--"]
        self.argv = [*as_other, _which("bwrap"), "--die-with-parent", "--as-pid-1", "--new-session", "--clearenv"]
        self.argv += ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
        self.argv += ["--seccomp", str(self._data(seccomp.program()))]
        self.argv += ["--uid", str(USER_ID), "--gid", str(USER_ID), "--cap-drop", "ALL", "--hostname", HOST_NAME]
        self._file_systems()
        self.argv += ["--chdir", "/", "--"]

    def _file_systems(self) -> None:
        self.argv += ["--proc", "/proc", "--dev", "/dev", "--ro-bind", "/usr", "/usr"]
        hidden = [path for path in HIDDEN if os.path.isdir(path) and not os.path.islink(path)]
        for path in hidden:
            self.argv += ["--size", str(MIB), "--tmpfs", path, "--remount-ro", path]
        for folder in sorted(found for name in OPT for found in glob.glob(f"/opt/{name}")):
            self.argv += ["--ro-bind", folder, folder]
        self._chrome()
        self._guest()
        for name in ("bin", "sbin", "lib", "lib32", "lib64"):
            if os.path.islink(f"/{name}"):
                self.argv += ["--symlink", os.readlink(f"/{name}"), f"/{name}"]
            else:
                self.argv += ["--ro-bind-try", f"/{name}", f"/{name}"]
        for name in ETC:
            if os.path.exists(f"/etc/{name}"):
                self.argv += ["--ro-bind", f"/etc/{name}", f"/etc/{name}"]
        for name in ("/var/cache/fontconfig", "/var/lib/dpkg"):
            self.argv += ["--ro-bind-try", name, name]
        for path, size in TMPFS_BYTES.items():
            self.argv += ["--perms", "1777" if path in ("/tmp", "/dev/shm") else "0755", "--size", str(size), "--tmpfs", path]
        self.argv += ["--perms", "0700", "--dir", f"/run/user/{USER_ID}", "--perms", "0700", "--dir", RUN_DIR]
        self.argv += ["--perms", "1777", "--dir", "/tmp/.X11-unix", "--symlink", "/run", "/var/run", "--symlink", "/tmp", "/var/tmp"]
        self.argv += [
            "--symlink",
            f"/usr/share/zoneinfo/{profile.TIME_ZONE}",
            f"{RUN_DIR}/localtime",
            "--symlink",
            f"{RUN_DIR}/localtime",
            "/etc/localtime",
        ]
        for path, text in _FILES.items():
            self.argv += ["--ro-bind-data", str(self._data(text.encode())), path]
        self.program = f"{RUN_DIR}/pid1.py"
        self.argv += ["--ro-bind-data", str(self._data(Path(__file__).with_name("pid1.py").read_bytes())), self.program]
        self.argv += ["--remount-ro", "/", "--remount-ro", "/dev"]

    def _chrome(self) -> None:
        """Chromium's files once more, with the program called chrome: the process is named after the file that it is started from."""
        if os.path.isdir(CHROMIUM) and not os.path.exists("/opt/google"):
            self.argv += ["--ro-bind", f"{CHROMIUM}/chromium", f"{CHROME}/chrome"]
            for name in sorted(set(os.listdir(CHROMIUM)) - {"chromium"}):
                self.argv += ["--symlink", f"{CHROMIUM}/{name}", f"{CHROME}/{name}"]

    def _guest(self) -> None:
        for path, (mode, content) in profile.guest_files().items():
            self.argv += ["--perms", f"{mode:o}", "--file", str(self._data(content)), f"{GUEST_DIR}/{path}"]
        for path, target in profile.GUEST_LINKS.items():
            self.argv += ["--symlink", target, f"{GUEST_DIR}/{path}"]

    def _data(self, content: bytes) -> int:
        fd = os.memfd_create("gui-gym", os.MFD_CLOEXEC)
        self.fds.append(fd)
        os.write(fd, content)
        os.lseek(fd, 0, os.SEEK_SET)
        return fd

    def close(self) -> None:
        for fd in self.fds:
            os.close(fd)
        self.fds = []

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _which(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise SandboxError(f"{name} not found. Do: sudo apt-get install -y {PROGRAMS[name]}")
    return os.path.abspath(found)


def start_pid1(sandbox: Sandbox | None, fd: int, python: str = PYTHON, scratch: str | None = None) -> subprocess.Popen[bytes]:
    """Start ``pid1.py`` serving socket ``fd``, in ``sandbox`` or, if that is None, with no sandbox at all but the folder ``scratch``."""
    argv: Sequence[str] = (
        [*sandbox.argv, PYTHON, "-I", "-S", sandbox.program] if sandbox else [python, "-I", "-S", str(Path(__file__).with_name("pid1.py"))]
    )
    # without a user namespace of its own a desktop's processes are counted with all others of the user
    limits = {name: value for name, value in LIMITS.items() if sandbox or name != "RLIMIT_NPROC"}
    return _spawner.submit(
        subprocess.Popen,
        [*argv, str(fd), json.dumps(limits), *([scratch, str(os.getpid())] if scratch else [])],
        pass_fds=[fd, *(sandbox.fds if sandbox else [])],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={},
        cwd="/",
        start_new_session=True,
    ).result()


def _new_spawner() -> None:
    global _spawner
    _spawner = ThreadPoolExecutor(1, "gui-gym-spawner")


# bubblewrap dies with the thread that started it, so one thread, as long-lived as the process, starts them all.
_spawner: ThreadPoolExecutor
_new_spawner()
os.register_at_fork(after_in_child=_new_spawner)
