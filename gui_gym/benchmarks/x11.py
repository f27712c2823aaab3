"""How fast a real desktop is, each figure beside a limit measured in the same run."""

from __future__ import annotations

import itertools
import time

import numpy as np

from gui_gym.actions import Action
from gui_gym.benchmarks import Record
from gui_gym.benchmarks.measure import milliseconds, record
from gui_gym.desktops.x11 import X11Desktop
from gui_gym.desktops.x11.display import QUIET
from gui_gym.desktops.x11.session import Session
from gui_gym.tasks import Task

WIDTH, HEIGHT = 1280, 720
_TASK = Task("benchmark", "benchmark", "")


def screenshot(desktop: X11Desktop) -> Record:
    """``x11.screenshot``: ms of one RGB frame; the limit is copying a ready frame of that size and layout."""
    ready, out = np.ones((HEIGHT, WIDTH, 4), np.uint8), np.ones((HEIGHT, WIDTH, 4), np.uint8)
    frame = np.ones((HEIGHT, WIDTH, 3), np.uint8)
    limit = milliseconds(lambda: np.copyto(out, ready), 300)
    value = milliseconds(lambda: desktop.screenshot(frame), 300)
    return record("x11.screenshot", value, "ms", limit, higher_is_better=False)


def step(desktop: X11Desktop, seconds: float = 4.0) -> Record:
    """``x11.step``: clicks with a settled frame a second, in an editor; the limit is the quiet time that settling waits for."""
    desktop.launch(["mousepad"])
    x, y, width, height = desktop.wait_for_window("mousepad").bounds
    frame = np.ones((HEIGHT, WIDTH, 3), np.uint8)
    places = itertools.cycle((x + 20 + 30 * i, y + height // 2) for i in range((width - 40) // 30))
    count, start = 0, time.perf_counter()
    while (now := time.perf_counter()) - start < seconds:
        desktop.perform(Action.click(*next(places)))
        desktop.screenshot(frame)
        count += 1
    value = count / (now - start)
    return record("x11.step", value, "steps/s", 1 / QUIET)


def reset(desktop: X11Desktop) -> Record:
    """``x11.reset``: ms from an old desktop to a new, settled one; the limit is the bare start of a sandbox with its X server."""

    def bare() -> None:
        session = Session(WIDTH, HEIGHT)
        session.start()
        session.close()

    value = milliseconds(lambda: desktop.reset(_TASK, 0), 10)
    limit = milliseconds(bare, 10)
    return record("x11.reset", value, "ms", limit, higher_is_better=False)


def run() -> list[Record]:
    """All figures; :class:`~gui_gym.desktops.DesktopError` where no real desktop runs."""
    desktop = X11Desktop(WIDTH, HEIGHT, spares=0)
    try:
        desktop.reset(_TASK, 0)
        return [screenshot(desktop), step(desktop), reset(desktop)]
    finally:
        desktop.close()
