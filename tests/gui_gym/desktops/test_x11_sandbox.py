"""What a real desktop's sandbox keeps in, keeps out, and leaves behind: nothing."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest
from x11_helpers import EMPTY, eventually, host_leftovers, host_processes, own_processes

from gui_gym import Action, DesktopError, Modifier
from gui_gym.desktops import DesktopFileNotFoundError
from gui_gym.desktops.x11.pid1 import left_by_server

pytestmark = pytest.mark.usefixtures("require_x11")


@pytest.fixture(scope="module")
def x11_shared(require_x11):
    """Without spares, so that each reset sees what a test has changed of the machine and counts only its own processes."""
    from gui_gym.desktops.x11 import X11Desktop

    desktop = X11Desktop(800, 600, spares=0)
    yield desktop
    desktop.close()


@pytest.fixture
def shell(x11):
    """``shell(script)`` runs a script on a fresh desktop and gives its exit status and output, both streams together."""

    def run(script: str, *arguments: str) -> tuple[int, str]:
        done = x11.run(["bash", "-c", "exec 2>&1; " + script, "bash", *arguments])
        return done.returncode, done.stdout.decode(errors="replace")

    run.desktop = x11
    return run


# -- what it keeps out -----------------------------------------------------------------------------------------------


def test_nothing_on_a_desktop_is_root_outside(x11):
    pids = [pid for marker in ("800x600x24", "pid1.py", "openbox") for pid in own_processes(marker)]
    assert len(pids) >= 3
    for pid in pids:
        status = dict(line.split(":\t", 1) for line in open(f"/proc/{pid}/status").read().splitlines() if ":\t" in line)
        assert "0" not in status["Uid"].split() + status["Gid"].split(), status["Name"]
        assert "0" not in status["Groups"].split()


def test_it_has_no_capability_and_cannot_get_one(shell):
    code, text = shell("grep -E 'Cap(Prm|Eff|Bnd|Amb)|NoNewPrivs' /proc/self/status; id -u; mount -o remount,rw,bind / ; unshare -m true; true")
    values = dict(line.split(":\t") for line in text.splitlines() if ":\t" in line)
    assert {int(values[name], 16) for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb")} == {0}
    assert values["NoNewPrivs"] == "1"
    assert "1000" in text.splitlines()


@pytest.mark.parametrize("path", ["/root", "/etc/shadow", "/home", "/var/lib", "/var/log", "/var/spool", "/sys", "/mnt", "/media", "/srv", "/boot"])
def test_the_files_of_the_host_are_not_there(shell, path):
    code, text = shell(f"ls -A {path}")
    assert code != 0 or text.split() in ([], ["user"], ["dpkg"]), text


def test_the_folder_this_runs_in_is_not_there(shell, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("hunter2")
    assert "No such file" in shell("cat $1", str(secret))[1]
    assert "No such file" in shell("cat /proc/1/root$1 /proc/self/root$1", str(secret))[1]


@pytest.mark.parametrize("path", ["/usr/x", "/etc/x", "/x", "/dev/x", "/bin/x", "/home/x", "/opt/x"])
def test_the_programs_of_the_host_cannot_be_changed(shell, path):
    code, text = shell(f"touch {path}")
    assert code != 0 and ("Read-only" in text or "denied" in text or "No such" in text)


def test_the_environment_of_the_host_does_not_leak(require_x11, x11_shared, monkeypatch):
    monkeypatch.setenv("MY_API_TOKEN", "hunter2")
    x11_shared.reset(EMPTY, 0)
    done = x11_shared.run(["bash", "-c", "env; cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'"])
    assert b"HOME=/home/user" in done.stdout
    assert b"hunter2" not in done.stdout + done.stderr and b"TOKEN" not in done.stdout
    assert os.path.expanduser("~").encode() + b"/" not in done.stdout
    assert x11_shared.run(["printenv", "X"], env={"X": "y"}).stdout == b"y\n"


def test_there_is_no_network(shell):
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0gui-gym-test-{os.getpid()}")
        abstract.listen()
        script = (
            "import socket, sys\n"
            f"for family, address in ((2, ('127.0.0.1', {server.getsockname()[1]})), (2, ('1.1.1.1', 53)), (1, '\\0gui-gym-test-{os.getpid()}')):\n"
            "    try: socket.socket(family).connect(address); print('connected', address)\n"
            "    except OSError as e: print(e.strerror)\n"
            "print(sorted(n for _, n in socket.if_nameindex()))\n"
        )
        done = shell.desktop.run(["python3", "-c", script])
    assert b"connected" not in done.stdout and done.stdout.count(b"\n") == 4, done
    assert b"'lo'" in done.stdout and b"eth" not in done.stdout


def test_the_processes_of_the_host_are_not_there(shell):
    pids = [int(pid) for pid in shell("cd /proc; ls -d [0-9]*")[1].split()]
    assert len(pids) < 12
    assert shell(f"kill -9 {os.getpid()}")[0] != 0


def test_settings_beside_the_programs_of_the_host_are_not_there(shell, monkeypatch):
    from gui_gym.desktops.x11 import sandbox

    assert shell("ls -A /usr/etc /usr/local/etc /usr/src /usr/local/src 2>/dev/null | grep -v -e : -e '^$'")[1] == ""
    assert all(name in ("google", "gui-gym") or name.startswith("libreoffice") for name in shell("ls -A /opt 2>/dev/null")[1].split())
    assert len(shell("ls -A /usr/share/applications")[1].split()) > 3
    monkeypatch.setattr(sandbox, "HIDDEN", ("/usr/share/applications", "/usr/no-such"))
    shell.desktop.reset(EMPTY, 0)
    assert shell("ls -A /usr/share/applications") == (0, "")
    code, text = shell("unshare -Urm umount /usr/share/applications; ls -A /usr/share/applications; touch /usr/share/applications/x")
    assert code != 0 and "desktop" not in text.replace("/usr/share/applications", ""), "nor in namespaces made inside"


KERNEL = """
import ctypes, errno, platform, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    return "done" if libc.syscall(number, *arguments) >= 0 else errno.errorcode[ctypes.get_errno()]
x86 = platform.machine() == "x86_64"
add_key, request_key, keyctl = (248, 249, 250) if x86 else (217, 218, 219)
print(*[call(add_key, b"user", b"x", b"y", 1, -3), call(request_key, b"user", b"x", None, -3), call(keyctl, 0, -3, 0), call(425, 1, None)])
print(call(0x40000000 + 41, 40, 1, 0) if x86 else "ENOSYS")
for family in range(1, 46):
    try:
        socket.socket(family, socket.SOCK_STREAM if family in (1, 2, 10, 40) else socket.SOCK_RAW, 0)
        print(family, "made")
    except OSError as error:
        print(family, errno.errorcode[error.errno])
"""


def test_what_no_namespace_covers_is_refused(x11):
    """Keyrings, io_uring, calls by another ABI's numbers; of sockets all but unix, internet and netlink: vsock reaches a machine's host."""
    keys, other_abi, *sockets = x11.run(["python3", "-I", "-c", KERNEL]).stdout.decode().splitlines()
    assert keys.split() == ["EPERM", "EPERM", "EPERM", "ENOSYS"] and other_abi == "ENOSYS"
    answers = dict(line.split() for line in sockets)
    assert len(answers) == 45
    assert {family for family, answer in answers.items() if answer != "EAFNOSUPPORT"} <= {"1", "2", "10", "16"}
    assert answers["1"] == answers["2"] == "made"


def test_a_processor_whose_calls_are_not_known_is_refused(monkeypatch):
    import platform

    from gui_gym.desktops.x11 import sandbox

    monkeypatch.setattr(platform, "machine", lambda: "sparc64")
    report = sandbox.probe()
    assert not report.ok and "sparc64" in report.reason


def test_there_is_no_terminal_to_type_into(shell):
    code, text = shell("exec 3<>/dev/tty")
    assert code != 0 and "No such device" in text
    assert shell("ls /dev/pts")[1].split() in ([], ["ptmx"]), "its own"


def test_short_of_memory_the_kernel_ends_programs_of_desktops_first(shell):
    text = shell("cat /proc/self/oom_score_adj; echo 0 > /proc/self/oom_score_adj; cat /proc/self/oom_score_adj")[1].splitlines()
    assert text[0] == "1000"
    with open("/proc/self/status") as status:
        capabilities = int(next(line for line in status if line.startswith("CapEff")).split()[1], 16)
    if os.getuid() == 0 and capabilities & 1 << 24:  # CAP_SYS_RESOURCE
        assert text[-1] == "1000", "nothing inside can change it"


def test_another_x_client_needs_the_cookie(shell):
    assert shell("xprop -root _NET_SUPPORTED >/dev/null")[0] == 0
    code, text = shell("XAUTHORITY=/dev/null xprop -root _NET_SUPPORTED")
    assert code != 0 and "uthoriz" in text


# -- what it keeps in ------------------------------------------------------------------------------------------------


def test_planted_links_lead_nowhere(shell, tmp_path):
    outside = tmp_path / "outside"
    outside.write_text("host")
    desktop = shell.desktop
    shell(
        "ln -s $1 link; ln -s $2 folder; ln -s /etc/shadow shadow; ln -s /proc/1/root/etc/shadow deep; ln -s loop loop", str(outside), str(tmp_path)
    )
    for name in ("link", "folder/outside", "shadow", "deep", "loop", "../../etc/shadow", "/proc/1/environ", "/proc/1/mem"):
        with pytest.raises(DesktopError):
            desktop.read_file(name)
    for name in ("link", "folder/outside", "folder/new"):
        try:
            desktop.write_file(name, b"changed")
        except DesktopError:
            pass
    assert outside.read_text() == "host" and [p.name for p in tmp_path.iterdir()] == ["outside"]


def test_files(x11):
    data = bytes(range(256)) * 5000
    x11.write_file("/home/user/a folder/né/file.bin", data)
    assert x11.read_file("a folder/né/file.bin") == x11.read_file("~/a folder/né/file.bin") == data
    x11.write_file("a folder/né/file.bin", b"")
    assert x11.read_file("a folder/né/file.bin") == b""
    assert x11.read_file("/proc/self/comm") == b"python3\n", "a file that says it is empty"
    for missing in ("nothing", "a folder/nothing", "a folder/né/file.bin/x"):
        with pytest.raises(DesktopFileNotFoundError, match="no such file"):
            x11.read_file(missing)
    x11.run(["mkfifo", "pipe"])
    for odd in ("a folder", "pipe", "/dev/zero", "bad\0name"):
        with pytest.raises(DesktopError) as caught:
            x11.read_file(odd)
        assert not isinstance(caught.value, DesktopFileNotFoundError)
    with pytest.raises(DesktopError, match="too large"):
        x11.read_file("/usr/bin/python3", limit=1000)
    with pytest.raises(DesktopError):
        x11.write_file("/etc/passwd", b"")


def test_programs(x11, monkeypatch):
    done = x11.run(["bash", "-c", "cat; pwd; echo err >&2; exit 3"])
    assert (done.returncode, done.stdout, done.stderr) == (3, b"/home/user\n", b"err\n")
    assert x11.run(["bash", "-c", "kill -9 $$"]).returncode == -9
    assert x11.run(["printf", "%s", "$HOME; `id` <é>"]).stdout.decode() == "$HOME; `id` <é>", "no shell is involved"
    with pytest.raises(DesktopError, match="no program 'no-such'"):
        x11.run(["no-such"])
    with pytest.raises(DesktopError, match="no program 'no-such'"):
        x11.launch(["no-such"])
    for bad in ([], "ls -l", ["a\0b"]):
        with pytest.raises(DesktopError):
            x11.run(bad)
    with pytest.raises(DesktopError, match="did not end within 0.2 s"):
        x11.run(["bash", "-c", "sleep 4321 & sleep 4322"], timeout=0.2)
    assert eventually(lambda: not x11.run(["pgrep", "-f", "sleep 432"]).stdout), "its children ended with it"
    # a program it leaves behind keeps running and does not hold the call
    assert x11.run(["bash", "-c", "sleep 4323 & echo started"]).stdout == b"started\n"
    assert eventually(lambda: x11.run(["pgrep", "-xf", "sleep 4323"]).returncode == 0)
    from gui_gym.desktops.x11 import session

    monkeypatch.setattr(session, "MAX_OUTPUT", 1000)
    with pytest.raises(DesktopError, match="too large"):
        x11.run(["head", "-c", "2000", "/dev/zero"])


def test_its_memory_disk_and_processes_are_bounded(x11):
    script = (
        "import os, resource, signal\n"
        "print({p: os.statvfs(p).f_blocks * os.statvfs(p).f_frsize for p in ('/home/user', '/tmp', '/dev/shm', '/run')})\n"
        "print([resource.getrlimit(n)[1] for n in (resource.RLIMIT_FSIZE, resource.RLIMIT_DATA, resource.RLIMIT_CORE)])\n"
        "pids = []\n"
        "try:\n"
        "    while len(pids) < 5000:\n"
        "        pid = os.fork()\n"
        "        if not pid: signal.pause()\n"
        "        pids.append(pid)\n"
        "except OSError as e: print(type(e).__name__)\n"
        "for pid in pids: os.kill(pid, 9); os.waitpid(pid, 0)\n"
        "print(len(pids))\n"
    )
    sizes, limits, error, processes = x11.run(["python3", "-I", "-S", "-c", script]).stdout.decode().split("\n")[:4]
    assert all(0 < size <= 1 << 30 for size in eval(sizes, {"__builtins__": {}}).values())
    assert limits == f"[{1 << 30}, {4 << 30}, 0]"
    assert error == "BlockingIOError" and 500 < int(processes) <= 1024
    assert x11.healthy(), "and it goes on"


def test_process_1_cannot_be_ended_or_read_from_inside(shell):
    code, text = shell("for signal in {1..64}; do kill -$signal 1; done; ls /proc/1/fd; echo end")
    assert "denied" in text and text.splitlines()[-1] == "end"
    assert shell("echo alive") == (0, "alive\n")


# -- what it leaves behind -------------------------------------------------------------------------------------------


def test_nothing_survives_a_reset(x11):
    def state() -> tuple[bytes, bytes]:
        files = x11.run(["bash", "-c", "find /home /tmp /run /dev/shm /var -printf '%p %s\\n' | grep -v -e mesa_shader -e fontconfig | sort"]).stdout
        return files, x11.run(["bash", "-c", "for p in /proc/[0-9]*; do cat $p/comm; done | sort -u"]).stdout

    assert eventually(lambda: b"openbox" in state()[1])
    before = state()
    x11.launch(["mousepad"])
    x11.wait_for_window("mousepad")
    x11.perform(Action.type_text("copied\n"))
    for key in "a", "c":
        x11.perform(Action.press(key, Modifier.CTRL))
    x11.run(["bash", "-c", "echo x > /tmp/x; echo x > /run/x; echo x > /dev/shm/x; echo y >> .bashrc; mkdir -p .config/mousepad; setsid sleep 987 &"])
    assert state() != before
    x11.reset(EMPTY, 0)
    assert eventually(lambda: state() == before), (state(), before)
    x11.write_file("a.txt", b"")
    x11.launch(["mousepad", "a.txt"])
    x11.wait_for_window("a.txt")
    x11.perform(Action.press("v", Modifier.CTRL))
    x11.perform(Action.press("s", Modifier.CTRL))
    assert x11.read_file("a.txt") == b"", "the clipboard"


SCRIPT = """
import os, sys, threading, time
from gui_gym.desktops.x11 import X11Desktop
from gui_gym.tasks import Task
width, ending, unsafe = int(sys.argv[1]), sys.argv[2], sys.argv[3] == "True"
desktop = X11Desktop(width, 31, unsafe_no_sandbox=unsafe)
start = threading.Thread(target=desktop.reset, args=(Task("t", "s", "i"), 0))
start.start()
start.join()
desktop.launch(["sleep", f"98765.{width}"])
desktop.launch(["setsid", "sleep", f"98765.{width}"])
child = os.fork() if ending == "forked" else None
if child == 0:
    time.sleep(60)
    os._exit(0)
print("ready", desktop.run(["printenv", "DISPLAY"]).stdout.decode().strip(), flush=True)
if child:
    print(child, flush=True)
if ending == "exception":
    raise RuntimeError("the caller fails")
if ending == "dropped":
    del desktop
    print("dropped", flush=True)
if ending == "exit":
    sys.exit()
time.sleep(60)
"""


@pytest.mark.parametrize("unsafe", [False, True])
@pytest.mark.parametrize("ending", ["close", "exception", "dropped", "exit", "killed", "forked"])
def test_nothing_outlives_its_caller(ending, unsafe, short_tmp, monkeypatch):
    """Processes, sockets, files: gone after close, an exception, exit, and SIGKILL, even while a forked child of the caller lives."""
    width = 10_000 + os.getpid() % 10_000  # what to look for on this machine

    def processes() -> list[int]:
        return host_processes(f"{width}x31x24") + host_processes(f"98765.{width}")

    if ending == "close":
        from gui_gym.desktops.x11 import X11Desktop

        desktop = X11Desktop(width, 31, unsafe_no_sandbox=unsafe)
        desktop.reset(EMPTY, 0)
        display = desktop.run(["printenv", "DISPLAY"]).stdout.decode().strip() if unsafe else ":none"
        desktop.launch(["setsid", "sleep", f"98765.{width}"])
        started = eventually(lambda: len(host_processes(f"98765.{width}")) == 1 and len(processes()) >= 2)  # a spare may have an X server too
        desktop.close()
        assert started and processes() == [], "at once"
        assert host_leftovers(short_tmp, display) == []
        desktop.close()
        with pytest.raises(DesktopError, match="not running"):
            desktop.screenshot()
        return
    forked: list[int] = []
    caller = subprocess.Popen([sys.executable, "-c", SCRIPT, str(width), ending, str(unsafe)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        ready, _, display = caller.stdout.readline().decode().partition(" ")
        assert ready == "ready", caller.stderr.read()
        display = display.strip() if unsafe else ":none"
        if ending in ("killed", "forked"):
            assert eventually(lambda: len(processes()) >= 3)
            if ending == "forked":
                forked = [int(caller.stdout.readline())]
            caller.kill()
            caller.wait()
        elif ending == "dropped":
            assert caller.stdout.readline() == b"dropped\n"
        else:
            caller.wait(60)
        assert eventually(lambda: processes() == []), processes()
        assert eventually(lambda: host_leftovers(short_tmp, display) == []), host_leftovers(short_tmp, display)
        assert all(os.path.exists(f"/proc/{pid}") for pid in forked), "the forked child was there all the time"
    finally:
        for pid in [*forked, caller.pid]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        caller.communicate()


def test_an_x_server_that_had_to_be_killed_leaves_nothing(require_x11, short_tmp):
    from gui_gym.desktops.x11 import X11Desktop

    width = 10_000 + os.getpid() % 10_000
    desktop = X11Desktop(width, 31, unsafe_no_sandbox=True, spares=0)
    desktop.reset(EMPTY, 0)
    display = desktop.run(["printenv", "DISPLAY"]).stdout.decode().strip()
    files = left_by_server(display.lstrip(":"))
    assert sum(map(os.path.lexists, files)) >= 1
    (server,) = own_processes(f"{width}x31x24")
    os.kill(server, signal.SIGSTOP)  # it hangs, and does not hear that it should end
    desktop.close()
    assert eventually(lambda: host_processes(f"{width}x31x24") == [] and host_leftovers(short_tmp, display) == [])


def test_a_desktop_outlives_the_thread_that_started_it(require_x11):
    from gui_gym.desktops.x11 import X11Desktop

    desktop = X11Desktop(320, 240)
    thread = threading.Thread(target=desktop.reset, args=(EMPTY, 0))
    thread.start()
    thread.join()
    time.sleep(0.2)
    try:
        assert desktop.healthy() and desktop.screenshot().any()
    finally:
        desktop.close()


def test_many_resets_leak_nothing(x11):
    def open_files() -> int:
        return len(os.listdir("/proc/self/fd"))

    x11.reset(EMPTY, 0)
    files, threads = open_files(), threading.active_count()
    for _ in range(10):
        x11.reset(EMPTY, 0)
        x11.screenshot()
    assert open_files() <= files and threading.active_count() <= threads
    assert len(own_processes("Xvfb -screen".replace(" ", "\0"))) == 1


# -- when it fails ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("pkill -9 Xvfb", "the X server failed while .* ended with status -9"),
        ("pkill -STOP Xvfb", "did not answer"),
        ("truncate -s 100 /run/gui-gym/frame/Xvfb_screen0", "cut short|ended with status"),
    ],
)
def test_a_server_that_fails_is_an_error_and_the_next_reset_mends_it(x11, monkeypatch, damage, message):
    from gui_gym.desktops.x11 import display

    monkeypatch.setattr(display, "REPLY_TIMEOUT", 0.5)
    x11.run(damage.split())
    with pytest.raises(DesktopError, match=message):
        for _ in range(3):
            x11.perform(Action.move(10, 10))
            x11.screenshot()
    with pytest.raises(DesktopError):
        x11.screenshot()
    if "truncate" not in damage:
        assert not x11.healthy()
    cursor = x11.cursor
    assert isinstance(cursor, tuple), "never raises"
    x11.reset(EMPTY, 0)
    assert x11.healthy() and x11.screenshot().any()


def test_a_server_that_dies_during_a_wait_is_noticed(x11):
    x11.launch(["bash", "-c", "sleep 0.3; pkill -9 Xvfb"])
    start = time.monotonic()
    with pytest.raises(DesktopError):
        x11.perform(Action.wait_for(60))
    assert time.monotonic() - start < 30


def test_a_sandbox_that_dies_is_an_error_everywhere(x11):
    for pid in own_processes("pid1.py"):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    assert eventually(lambda: not x11.healthy())
    for use in (x11.screenshot, x11.windows, lambda: x11.run(["true"]), lambda: x11.read_file("x"), lambda: x11.perform(Action.press("a"))):
        with pytest.raises(DesktopError):
            use()
    x11.reset(EMPTY, 0)
    assert x11.run(["true"]).returncode == 0


def test_missing_programs_are_named_with_the_command_that_installs_them(monkeypatch, tmp_path):
    from gui_gym.desktops.x11 import X11Desktop, sandbox

    monkeypatch.setenv("PATH", str(tmp_path))
    for unsafe in (False, True):
        with pytest.raises(sandbox.SandboxError, match=r"not found: .*Xvfb.*apt-get install.*xvfb.*openbox"):
            X11Desktop(unsafe_no_sandbox=unsafe)
    report = sandbox.probe()
    assert not report.ok and "bwrap" in report.reason and "bubblewrap" in report.fix


def test_where_no_sandbox_works_it_refuses_and_says_what_to_do(monkeypatch, tmp_path):
    from gui_gym.desktops.x11 import X11Desktop, sandbox

    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n")
    broken.chmod(0o755)
    os.chmod(tmp_path, 0o755)
    monkeypatch.setattr(sandbox, "_working", False)
    monkeypatch.setattr(sandbox, "_which", lambda name: str(broken) if name == "bwrap" else "/usr/bin/env")
    if os.getuid() == 0:  # setpriv's place: env takes no such options
        monkeypatch.setattr(os, "getuid", lambda: 1000)
    with pytest.raises(sandbox.SandboxError, match=r"No permissions to create a new namespace.*Do: .*unsafe_no_sandbox=True"):
        X11Desktop()


def test_without_a_sandbox_it_has_its_own_home_and_server(tmp_path, monkeypatch):
    from gui_gym.desktops.x11 import X11Desktop

    desktop = X11Desktop(320, 240, unsafe_no_sandbox=True)
    try:
        desktop.reset(EMPTY, 0)
        home = desktop.run(["printenv", "HOME"]).stdout.decode().strip()
        assert home not in ("/home/user", os.path.expanduser("~")) and os.path.isdir(home)
        desktop.write_file("/home/user/a/b.txt", b"x")
        assert open(f"{home}/a/b.txt").read() == "x"
        assert desktop.run(["cat", "/home/user/a/b.txt"]).stdout == b"x"
        assert desktop.screenshot().shape == (240, 320, 3)
    finally:
        desktop.close()
    assert not os.path.exists(home)


def test_desktops_without_a_sandbox_do_not_take_each_others_servers(require_x11):
    from gui_gym.desktops.x11 import X11Desktop

    desktops = [X11Desktop(100 + 20 * i, 100, unsafe_no_sandbox=True, spares=0) for i in range(3)]
    try:
        for desktop in desktops:
            desktop.reset(EMPTY, 0)
        displays = {desktop.run(["printenv", "DISPLAY"]).stdout for desktop in desktops}
        assert len(displays) == 3
        for desktop in desktops:
            desktop.perform(Action.move(desktop.width - 1, 5))
            assert desktop.healthy() and desktop.cursor == (desktop.width - 1, 5)
    finally:
        for desktop in desktops:
            desktop.close()


FLOOD = """
import ctypes
x = ctypes.CDLL("libX11.so.6")
x.XOpenDisplay.restype, pointer, number = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_ulong
x.XDefaultRootWindow.argtypes, x.XDefaultRootWindow.restype = [pointer], number
x.XInternAtom.argtypes, x.XInternAtom.restype = [pointer, ctypes.c_char_p, ctypes.c_int], number
x.XSendEvent.argtypes = [pointer, number, ctypes.c_int, ctypes.c_long, pointer]
display = x.XOpenDisplay(None)
root = x.XDefaultRootWindow(display)
message = (ctypes.c_long * 24)(33, 0, 0, 0, root, x.XInternAtom(display, b"WM_PROTOCOLS", 0), 32)  # a ClientMessage, as answers to pings are
while True:
    x.XSendEvent(display, root, 0, 3 << 18, message)
"""


def test_events_without_end_are_an_error_and_no_hang(x11, monkeypatch):
    from gui_gym.desktops.x11 import display

    monkeypatch.setattr(display, "_FLOOD_SECONDS", 0.3)
    monkeypatch.setattr(display, "REPLY_TIMEOUT", 2.0)
    for _ in range(2):
        x11.launch(["python3", "-c", FLOOD])
    with pytest.raises(DesktopError, match="more events than can be taken in|did not answer within"):
        for _ in range(100):
            x11.perform(Action.move(5, 5))
    monkeypatch.undo()
    x11.reset(EMPTY, 0)
    x11.perform(Action.move(7, 7))
    assert x11.cursor == (7, 7)
