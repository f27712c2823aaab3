"""Desktops started ahead: as good as new ones, never more than asked for, and gone with who asked for them."""

from __future__ import annotations

import difflib
import logging
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from x11_helpers import EMPTY, eventually, host_leftovers, host_processes, own_processes

from gui_gym import Action, Button, Key, Modifier
from gui_gym.tasks import Task, TaskError

pytest.importorskip("xcffib")
from gui_gym.desktops.x11 import X11Desktop  # noqa: E402
from gui_gym.desktops.x11 import pool as pools  # noqa: E402


def setup(*commands: str, name: str = "task") -> Task:
    return Task(name, "test", "", tuple({"type": "execute", "parameters": {"command": ["bash", "-c", command]}} for command in commands))


EDITOR = Task(
    "editor",
    "test",
    "",
    (
        {"type": "execute", "parameters": {"command": ["bash", "-c", "seq 100 > numbers.txt"]}},
        {"type": "launch", "parameters": {"command": ["mousepad", "numbers.txt"]}},
    ),
)


def filled(count: int) -> bool:
    """Whether the pool comes to hold ``count`` spares, all ready."""
    spares = pools.pool()._spares
    return eventually(lambda: len(spares) == count and all(spare.ended.is_set() for spare in spares), 60)


# -- what is kept, on desktops that are made up ----------------------------------------------------------------------


class FakeRunning:
    """Counts itself; ``fail`` and ``sick`` say what goes wrong with the next ones."""

    fail: BaseException | None = None
    sick = False
    alive: set[FakeRunning] = set()
    gate = threading.Event()  #: they start once this is set

    def __init__(self, *kind: object):
        self.kind, self.born, self.prepared, self.stopped = kind, time.monotonic(), "", False
        self.alive.add(self)

    def start(self) -> None:
        self.gate.wait(10)
        if self.fail or self.stopped:
            raise self.fail or OSError("stopped")

    def healthy(self) -> bool:
        return not self.sick

    def stop(self) -> None:
        self.stopped = True

    def close(self) -> None:
        self.alive.discard(self)


@pytest.fixture
def fake(monkeypatch):
    """A pool of such desktops; ``ask(token, task)`` is a reset, and gives what it was handed: a setup's key, or None."""
    monkeypatch.setattr(pools, "Running", FakeRunning)
    for name, value in {"fail": None, "sick": False, "alive": set(), "gate": threading.Event()}.items():
        monkeypatch.setattr(FakeRunning, name, value)
    FakeRunning.gate.set()
    pool = pools.Pool()
    setups_fail: list[BaseException] = []

    def prepare(running: FakeRunning, task: Task) -> None:
        if setups_fail:
            raise setups_fail[0]
        running.prepared = pools.setup_key(task)

    def ask(token: object, task: Task, spares: int = 1, width: int = 100, wait: bool = True) -> str | None:
        running, prepared = pool.take(token, (width, 100, False), task, spares)
        assert running is None or prepared == (running.prepared == pools.setup_key(task))
        if running is not None:
            running.close()  # what was handed out is no spare any more
        pool.refill(prepare)
        assert len(pool._spares) <= sum(wish.spares for wish in pool._wishes.values())
        if wait:
            assert eventually(lambda: all(spare.ended.is_set() for spare in pool._spares))
        return running.prepared if running else None

    pool.ask, pool.setups_fail = ask, setups_fail
    yield pool
    FakeRunning.gate.set()
    pool.close()
    assert eventually(lambda: FakeRunning.alive == set() and pool._workers == 0)


A, B = setup("true", name="a"), setup("true", name="b")
KEY_A, KEY_B = pools.setup_key(A), pools.setup_key(B)


def test_a_setup_that_is_asked_for_again_is_kept_ready_and_else_a_blank_desktop(fake):
    asked = [fake.ask("x", task) for task in (A, A, A, A, B, B, B, EMPTY, EMPTY, A)]
    assert asked == [None, "", KEY_A, KEY_A, None, "", KEY_B, None, "", ""]


def test_of_two_spares_one_is_blank(fake):
    asked = [fake.ask("x", task, 2) for task in (A, A, A, B, B, B)]
    assert asked == [None, "", KEY_A, "", "", KEY_B]
    assert sorted(spare.key for spare in fake._spares) == ["", KEY_B]


def test_desktops_share_spares_of_their_size_only(fake):
    assert fake.ask("x", EMPTY) is None and fake.ask("y", EMPTY) == "" and fake.ask("z", EMPTY, width=200) is None
    assert fake.ask("z", EMPTY, width=200) == "" and len(fake._spares) == 3
    fake.leave("x")
    assert len(fake._spares) == 2 and eventually(lambda: len(FakeRunning.alive) == 2)
    fake.leave("y")
    assert [spare.kind[0] for spare in fake._spares] == [200]
    fake.leave("z")
    assert fake._spares == [] and FakeRunning.alive == set()
    fake.leave("z")


def test_what_is_being_started_is_waited_for_and_what_waits_is_not(fake, monkeypatch):
    FakeRunning.gate.clear()
    assert fake.ask("x", EMPTY, 5, wait=False) is None
    assert eventually(lambda: len(FakeRunning.alive) == pools.WORKERS), "a few at a time"
    threading.Timer(0.1, FakeRunning.gate.set).start()
    assert fake.ask("x", EMPTY, 5) == ""
    monkeypatch.setattr(pools, "WORKERS", 0)
    assert eventually(lambda: fake._workers == 0)
    fake.leave("x")
    assert [fake.ask("x", EMPTY, 3, wait=False) for _ in range(3)] == [None] * 3, "it would take as long as starting one"
    assert len(fake._queue) == 3


def test_a_spare_that_failed_is_reported_and_not_used(fake, caplog):
    FakeRunning.fail = OSError("no space left")
    assert fake.ask("x", EMPTY) is None
    FakeRunning.fail = None
    with caplog.at_level(logging.WARNING):
        assert fake.ask("x", EMPTY) is None
    assert "OSError: no space left" in caplog.text
    assert fake.ask("x", EMPTY) == ""


def test_a_setup_that_fails_in_the_background_spoils_nothing(fake, caplog):
    fake.ask("x", A)
    fake.setups_fail.append(TaskError("a file is missing"))
    assert fake.ask("x", A) == ""
    with caplog.at_level(logging.WARNING):
        assert fake.ask("x", A) is None
    assert "TaskError: a file is missing" in caplog.text
    fake.setups_fail.clear()
    assert [fake.ask("x", B), fake.ask("x", B), fake.ask("x", B)] == [None, "", KEY_B]


def test_a_spare_that_is_sick_or_old_is_not_used(fake, caplog, monkeypatch):
    fake.ask("x", EMPTY)
    FakeRunning.sick = True
    with caplog.at_level(logging.WARNING):
        assert fake.ask("x", EMPTY) is None
    assert "not well" in caplog.text
    FakeRunning.sick = False
    monkeypatch.setattr(pools, "MAX_AGE", 0.0)
    assert fake.ask("x", A) == "", "a blank one does not age"
    assert [fake.ask("x", A), fake.ask("x", A)] == ["", None]


def test_leaving_stops_what_is_being_started(fake):
    FakeRunning.gate.clear()
    fake.ask("x", EMPTY, 3, wait=False)
    assert eventually(lambda: len(FakeRunning.alive) == pools.WORKERS)
    threading.Timer(0.1, FakeRunning.gate.set).start()
    fake.leave("x")
    assert FakeRunning.alive == set() and fake._spares == [] and not fake._queue


def test_what_starts_depend_on_is_told_apart():
    tasks = [EMPTY, A, B, setup("false", name="a"), Task("a", "test", "", A.setup, params={"cache": "elsewhere"}), Task("a", "other", "", A.setup)]
    assert len({pools.setup_key(task) for task in tasks}) == len(tasks)
    assert pools.setup_key(Task("a", "test", "other words", A.setup, {"type": "x"})) == KEY_A and pools.setup_key(Task("other", "s", "")) == ""


# -- on real desktops ------------------------------------------------------------------------------------------------

LOOK = """
find /home /tmp /run /dev/shm /var -printf '%y %p %m\\n' 2>/dev/null | grep -v -e fontconfig -e mesa_shader -e dconf.user | sort
for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline; echo; done | grep -vE '^(bash|sort|tr|find|grep|sed|$)' |
sed 's/\\(displayfd\\|pid1.py\\) [0-9]*//' | sort
cat ~/.config/gtk-3.0/settings.ini; env | grep -v -e SHLVL -e _= | sort
xprop -root | grep -v -e ' window id' -e _NET_SUPPORTING -e _NET_CLIENT -e AT_SPI_BUS | sort; xmodmap -pke; xset q | grep -v -e 'Monitor' -e 'Standby'
"""


@pytest.fixture
def desktop(require_x11):
    desktop = X11Desktop(400, 300)
    desktop.reset(EMPTY, 0)
    yield desktop
    desktop.close()


def state(desktop: X11Desktop) -> tuple[list[str], np.ndarray]:
    """All that can be seen of a desktop: files, processes, environment, keyboard, root window, pointer and held keys, windows; its screen."""
    desktop.wait_until_idle()  # programs write their settings a while after their start
    lines = desktop.run(["bash", "-c", LOOK]).stdout.decode().splitlines()
    return [*lines, str(desktop._live.display.pointer()), *(window.title for window in desktop.windows())], desktop.screenshot()


def differences(first: tuple[list[str], np.ndarray], second: tuple[list[str], np.ndarray]) -> list[str]:
    pixels = int((first[1] != second[1]).any(axis=2).sum())
    return [line for line in difflib.ndiff(first[0], second[0]) if line[0] in "+-"] + ([f"{pixels} pixels"] if pixels else [])


def make_a_mess(desktop: X11Desktop) -> None:
    """Files, settings, processes, clipboard, keyboard mapping, held keys and buttons, root window: all that an episode can change."""
    desktop.write_file("mess.txt", b"mess\n")
    desktop.launch(["mousepad", "mess.txt"])
    desktop.wait_for_window("mess")
    desktop.perform(Action.type_text("漢字 ñ"))
    for key in "a", "c":
        desktop.perform(Action.press(key, Modifier.CTRL))
    desktop.run(
        ["bash", "-c", "echo x > /tmp/x; echo x > /run/x; echo x > /dev/shm/x; echo 'x=1' >> ~/.config/gtk-3.0/settings.ini; setsid sleep 987 &"]
    )
    desktop.run(["bash", "-c", "xmodmap -e 'keycode 38 = b B'; xsetroot -solid red -cursor_name watch; xset m 9 9 r rate 100 100"])
    desktop.perform(Action.press(Key.CAPS_LOCK))
    desktop.perform(Action.key_down(Key.SHIFT))
    desktop.perform(Action.mouse_down(30, 40, Button.RIGHT))


def test_a_spare_starts_like_a_new_desktop_and_nothing_survives_in_it(desktop):
    fresh = state(desktop)
    assert desktop.timing()["spare"] == 0.0
    make_a_mess(desktop)
    assert len(differences(fresh, state(desktop))) > 8
    assert filled(1)
    desktop.reset(EMPTY, 0)
    assert desktop.timing()["spare"] == 1.0
    assert differences(fresh, state(desktop)) == []
    desktop.write_file("a.txt", b"")
    desktop.launch(["mousepad", "a.txt"])
    desktop.wait_for_window("a.txt")
    desktop.perform(Action.press("v", Modifier.CTRL))
    desktop.perform(Action.type_text("é a"))
    desktop.perform(Action.press("s", Modifier.CTRL))
    assert eventually(lambda: desktop.read_file("a.txt").decode().strip() == "é a"), "neither the clipboard nor the keyboard's meaning survives"


def test_a_spare_that_has_run_a_setup_starts_like_a_new_desktop_that_has(desktop):
    desktop.reset(EDITOR, 0)
    desktop.wait_for_window("numbers.txt")
    alone = X11Desktop(400, 300, spares=0)
    try:
        alone.reset(EDITOR, 0)
        fresh = state(alone)
        assert "numbers.txt" in fresh[0][-1]
    finally:
        alone.close()
    desktop.reset(EDITOR, 0)
    assert filled(1) and pools.pool()._spares[0].key == pools.setup_key(EDITOR)
    desktop.reset(EDITOR, 0)
    first = desktop.screenshot()
    assert np.array_equal(first, fresh[1]) and differences(fresh, state(desktop)) == []
    assert desktop.timing()["spare"] == 1.0
    desktop.perform(Action.type_text("x"))
    assert desktop.windows()[0].title.startswith("*"), "it has the focus"


def test_a_spare_whose_processes_died_is_thrown_away(desktop, caplog):
    assert filled(1)
    os.kill(pools.pool()._spares[0].running.session._process.pid, signal.SIGKILL)
    assert eventually(lambda: not pools.pool()._spares[0].running.healthy())
    desktop.reset(EMPTY, 0)
    assert desktop.timing()["spare"] == 0.0 and desktop.healthy()
    assert "not well" in caplog.text


def test_a_setup_that_fails_raises_in_the_reset_that_asks_for_it(desktop):
    wrong = Task("wrong", "test", "", ({"type": "no_such_step", "parameters": {}},))
    for _ in range(3):
        with pytest.raises(TaskError, match="no_such_step"):
            desktop.reset(wrong, 0)
    desktop.reset(EMPTY, 0)
    assert desktop.healthy()


def test_a_forked_child_has_no_spares_and_leaves_its_parents_alone(desktop):
    assert filled(1)
    spare = pools.pool()._spares[0].running
    child = os.fork()
    if child == 0:  # no assert here: pytest must not run on in the child
        code = 1
        try:
            desktop.close()
            spare.close()
            own = X11Desktop(400, 300)
            own.reset(EMPTY, 0)
            code = 2 if own.timing()["spare"] else 0 if own.screenshot().any() else 3
            own.close()
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert desktop.healthy() and spare.healthy() and desktop.screenshot().any()
    desktop.reset(EMPTY, 0)
    assert desktop.timing()["spare"] == 1.0


def test_a_desktop_that_is_dropped_waits_for_nobody(desktop):
    """The collector may run where a lock of the pool is held, or in a thread that its holder waits for."""
    other = X11Desktop(400, 300)
    other.reset(EMPTY, 0)
    session = other._live.session
    with pools.pool()._lock:
        dropping = threading.Thread(target=other.__del__, daemon=True)
        dropping.start()
        dropping.join(20)
        assert not dropping.is_alive()
    assert eventually(lambda: not session.alive() and other._live is None)


def test_desktops_of_one_process_share_and_leave_nothing(require_x11):
    desktops = [X11Desktop(401, 300) for _ in range(3)]
    try:
        for desktop in desktops:
            desktop.reset(EMPTY, 0)
        assert filled(3)
        for desktop in desktops:
            desktop.reset(EMPTY, 0)
            assert desktop.timing()["spare"] == 1.0
        for desktop in desktops[:2]:
            desktop.close()
        assert filled(1) and desktops[2].healthy()
    finally:
        for desktop in desktops:
            desktop.close()
    assert own_processes("401x300x24") == [] and not [t for t in threading.enumerate() if t.name.startswith("gui-gym-spares")]


SCRIPT = """
import sys, time, os
from gui_gym.desktops.x11 import X11Desktop, desktop as module, pool as pools
from gui_gym.tasks import Task
width, ending, unsafe = int(sys.argv[1]), sys.argv[2], sys.argv[3] == "True"
setup = ({"type": "execute", "parameters": {"command": ["sleep", f"98765.{width}"]}},)
kind, task = (width, 31, unsafe), Task("t", "s", "i", setup)
desktop = X11Desktop(width, 31, unsafe)
for _ in range(2):  # as two resets would
    pools.pool().take(desktop._token, kind, task, 1)
pools.pool().refill(module._prepare)
print("ready", flush=True)
sys.stdin.readline()
if ending == "close":
    desktop.close()
    print("closed", flush=True)
    time.sleep(60)
if ending == "exception":
    raise RuntimeError("the caller fails")
time.sleep(60)
"""


@pytest.mark.parametrize("unsafe", [False, True])
@pytest.mark.parametrize("ending", ["close", "exception", "killed"])
@pytest.mark.parametrize("moment", ["starting", "setting up"])
def test_nothing_outlives_its_caller_while_the_pool_fills(ending, moment, unsafe, short_tmp, monkeypatch):
    width = 10_000 + os.getpid() % 10_000  # what to look for on this machine
    caller = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(width), ending, str(unsafe)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )

    def processes() -> list[int]:
        return [pid for pid in host_processes(f"{width}x31x24") + host_processes(f"98765.{width}") if pid != caller.pid]

    try:
        assert caller.stdout.readline() == b"ready\n", caller.stderr.read()
        if moment == "setting up":
            assert eventually(lambda: host_processes(f"sleep\098765.{width}") != [])
        if ending == "killed":
            caller.kill()
        else:
            caller.stdin.write(b"go\n")
            caller.stdin.flush()
        if ending == "close":
            assert caller.stdout.readline() == b"closed\n"
            assert processes() == [], "at once"
        else:
            caller.wait(30)
        assert eventually(lambda: processes() == []), processes()
        assert eventually(lambda: host_leftovers(short_tmp, ":none") == []), host_leftovers(short_tmp, ":none")
    finally:
        caller.kill()
        caller.communicate()


def test_a_program_ends_though_a_thread_of_the_pool_never_lets_go(require_x11):
    """When the interpreter ends, threads stop where they are: what one of them holds stays held."""
    script = """
import threading, time
from gui_gym.desktops.x11 import X11Desktop, pool as pools
desktop = X11Desktop(320, 240)
pools.pool().close = lambda: None
held = threading.Event()
def hold():
    with pools.pool()._lock:
        held.set()
        time.sleep(600)
threading.Thread(target=hold, daemon=True).start()
held.wait()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
