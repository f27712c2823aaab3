"""How fast real desktops are and what they take, each figure beside a limit measured in the same run."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import numpy as np

from gui_gym.actions import Action
from gui_gym.benchmarks import Record
from gui_gym.benchmarks.measure import click_places, milliseconds, record
from gui_gym.desktops import DesktopError
from gui_gym.desktops.x11 import X11Desktop
from gui_gym.desktops.x11.display import QUIET
from gui_gym.desktops.x11.pid1 import descendants
from gui_gym.desktops.x11.pool import pool
from gui_gym.desktops.x11.session import Session
from gui_gym.tasks import Task

WIDTH, HEIGHT = 1280, 720
EDITOR = "mousepad"
FLEET, STEPPING = 16, 8  #: desktops whose memory is counted, and those of them that step at once
BLANK = Task("benchmark", "benchmark", "")
_READY_SECONDS = 60.0  # longest wait for a spare


@contextmanager
def editors(count: int) -> Iterator[list[X11Desktop]]:
    """Desktops with an open editor, none of them with spares."""
    with ExitStack() as stack:
        desktops = [X11Desktop(WIDTH, HEIGHT, spares=0) for _ in range(count)]
        for desktop in desktops:
            stack.callback(desktop.close)

        def start(desktop: X11Desktop) -> None:
            desktop.reset(BLANK, 0)
            desktop.launch([EDITOR])
            desktop.wait_for_window(EDITOR)

        with ThreadPoolExecutor(4) as threads:
            list(threads.map(start, desktops))
        yield desktops


def clicking(desktop: X11Desktop) -> Callable[[], object]:
    """A function that clicks into the editor's text, each time elsewhere, and takes the settled frame."""
    places = click_places(desktop.wait_for_window(EDITOR).bounds)
    frame = np.ones((HEIGHT, WIDTH, 3), np.uint8)

    def once() -> object:
        desktop.perform(Action.click(*next(places)))
        return desktop.screenshot(frame)

    return once


def screenshot(desktop: X11Desktop) -> Record:
    """``x11.screenshot``: ms of one RGB frame; the limit is copying a ready frame of that size and layout."""
    ready, out = np.ones((HEIGHT, WIDTH, 4), np.uint8), np.ones((HEIGHT, WIDTH, 4), np.uint8)
    frame = np.ones((HEIGHT, WIDTH, 3), np.uint8)
    limit = milliseconds(lambda: np.copyto(out, ready), 300)
    value = milliseconds(lambda: desktop.screenshot(frame), 300)
    return record("x11.screenshot", value, "ms", limit, higher_is_better=False)


def step(desktops: Sequence[X11Desktop], seconds: float = 4.0) -> Record:
    """``x11.step.1`` and ``.8``: clicks with a settled frame a second, in a text editor, on desktops each of which has a thread of this
    process. The limit is the quiet time that settling waits for, as often as a thread can wait so long, times the number of desktops."""
    start = threading.Barrier(len(desktops))

    def one(desktop: X11Desktop) -> float:
        once = clicking(desktop)
        start.wait()
        count, begun = 0, time.perf_counter()
        while (now := time.perf_counter()) - begun < seconds:
            once()
            count += 1
        return count / (now - begun)

    with ThreadPoolExecutor(len(desktops)) as threads:
        value = sum(threads.map(one, desktops))
    limit = len(desktops) * 1e3 / milliseconds(lambda: time.sleep(QUIET), 20)
    return record(f"x11.step.{len(desktops)}", value, "steps/s", limit)


def memory(desktops: Sequence[X11Desktop]) -> Record:
    """``x11.pss_per_desktop``: MB that one desktop with an editor takes, of all its processes; the limit is its X server alone.

    Memory that processes share is divided among them (PSS). Where the kernel does not tell it, all that a process uses is counted (RSS).
    """
    total = server = 0
    for pid in descendants(os.getpid()):
        size = _memory(pid)
        total += size
        server += size if _name(pid) == "Xvfb" else 0
    count = len(desktops)
    return record("x11.pss_per_desktop", total / count / 1e6, "MB", server / count / 1e6, higher_is_better=False)


def _memory(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            return 1024 * next(int(line.split()[1]) for line in file if line.startswith(b"Pss:"))
    except PermissionError:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return os.sysconf("SC_PAGE_SIZE") * int(file.read().split()[1])
    except (FileNotFoundError, ProcessLookupError, StopIteration):  # it has ended
        return 0


def _name(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/comm") as file:
            return file.read().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _bare_start() -> None:
    session = Session(WIDTH, HEIGHT)
    try:
        session.start()
    finally:
        session.close()


def resets(count: int = 10) -> list[Record]:
    """``x11.reset``: ms from an old desktop to the first frame of a new one that is started then (median); the limit is the bare start and
    end of a sandbox with its X server. ``x11.reset.spare``: the same where a spare is ready; the limit is a screenshot.
    ``x11.reset.sustained``: resets a second asked for back to back, with one spare; the limit is the bare start."""
    frame = np.ones((HEIGHT, WIDTH, 3), np.uint8)

    def reset(desktop: X11Desktop) -> None:
        desktop.reset(BLANK, 0)
        desktop.screenshot(frame)

    bare = milliseconds(_bare_start, count)
    desktop = X11Desktop(WIDTH, HEIGHT, spares=0)
    try:
        reset(desktop)
        new = milliseconds(lambda: reset(desktop), count)
    finally:
        desktop.close()
    desktop = X11Desktop(WIDTH, HEIGHT, spares=1)
    try:
        reset(desktop)
        shot = milliseconds(lambda: desktop.screenshot(frame), 100)
        times = []
        for _ in range(count):
            if not pool().wait(_READY_SECONDS):
                raise DesktopError(f"no spare desktop was ready within {_READY_SECONDS:g} s")
            times.append(milliseconds(lambda: reset(desktop), 1))
        begun = time.perf_counter()
        for _ in range(2 * count):
            reset(desktop)
        sustained = 2 * count / (time.perf_counter() - begun)
    finally:
        desktop.close()
    return [
        record("x11.reset", new, "ms", bare, higher_is_better=False),
        record("x11.reset.spare", sorted(times)[len(times) // 2], "ms", shot, higher_is_better=False),
        record("x11.reset.sustained", sustained, "1/s", 1e3 / bare),
    ]


def run() -> list[Record]:
    """All figures, in about half a minute; :class:`~gui_gym.desktops.DesktopError` where no real desktop runs."""
    with editors(1) as one:
        records = [screenshot(one[0]), step(one)]
    with editors(FLEET) as fleet:
        records += [memory(fleet), step(fleet[:STEPPING])]
    return [*records, *resets()]
