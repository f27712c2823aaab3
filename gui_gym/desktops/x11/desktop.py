"""A real X11 desktop in a sandbox as a :class:`~gui_gym.desktops.base.Desktop`."""

from __future__ import annotations

import functools
import json
import socket
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from gui_gym.actions import Action, ActionType
from gui_gym.desktops.accessibility import checked
from gui_gym.desktops.base import Completed, Desktop, DesktopError, check_size
from gui_gym.desktops.dropped import close_later, watch
from gui_gym.desktops.windows import Window, Windowed
from gui_gym.desktops.x11 import sandbox
from gui_gym.desktops.x11.display import x_errors
from gui_gym.desktops.x11.pool import pool
from gui_gym.desktops.x11.running import Running
from gui_gym.desktops.x11.session import MAX_OUTPUT, scratch_parent
from gui_gym.tasks.task import Task

IDLE_QUIET = 0.5  #: seconds: longer than the timers that programs delay work by (GTK's file dialog 0.25)
IDLE_LIMIT = 3.0  #: seconds after which programs that never rest, such as a playing video, are let be
A11Y_LIMIT = 30.0  #: seconds after which no accessibility tree is to be expected
SETUP_QUIET = 0.2  #: seconds: as IDLE_QUIET, for programs that were started a moment ago and have no input yet
_POLL = 0.01


class X11Desktop(Desktop, Windowed):
    """Xvfb, openbox and real applications, one sandbox for each episode.

    The user inside is ``user`` (uid 1000) with the home ``/home/user``; there is no network but the loopback.

    Args:
        width: pixels.
        height: pixels.
        spares: how many desktops to start ahead in the background, after each reset, for the next ones: a reset is then a swap. All
            desktops of a process share them (:mod:`~gui_gym.desktops.x11.pool`).
        unsafe_no_sandbox: run without a sandbox, as the user that runs this, with only the home and the X server its own.

    Raises:
        SandboxError: nothing of the kind can run here; the message says why and what to do.
    """

    kind = "x11"
    real = True

    def __init__(self, width: int = 1280, height: int = 720, unsafe_no_sandbox: bool = False, spares: int = 1):
        self.width, self.height = check_size(width, height)
        if spares < 0:
            raise ValueError(f"spares is {spares}: expected 0 or more")
        self.unsafe_no_sandbox, self.spares = unsafe_no_sandbox, spares
        sandbox.require(unsafe_no_sandbox)
        if unsafe_no_sandbox:
            scratch_parent()  # raises before a first reset does
        self._token = object()  # what the pool knows it by, so that the pool does not keep it alive
        self._live: Running | None = None
        self._cursor = (0, 0)
        self._timing: dict[str, float] = {}
        self._watched = watch()

    # -- the contract of a desktop -----------------------------------------------------------------------------------

    def reset(self, task: Task, seed: int) -> None:
        """A new sandbox with the task's setup done, or a spare one. Nothing on this desktop is random, so ``seed`` changes nothing."""
        start = time.monotonic()
        ready, prepared = None, False
        try:
            self._end_old()
            if self.spares:
                ready, prepared = pool().take(self._token, (self.width, self.height, self.unsafe_no_sandbox), task, self.spares)
            self._live = ready or Running(self.width, self.height, self.unsafe_no_sandbox)
            if ready is None:
                self._live.start()
            if prepared:
                self._live.settle(only_if_drawn=True)
            else:
                self._set_up(task)
        except BaseException:  # whatever stopped it, no half-made desktop may live on
            self.close()
            raise
        self._timing = {**self._live.timing, "spare": float(ready is not None), "reset": time.monotonic() - start}
        if self.spares:
            pool().refill(_prepare)

    def _set_up(self, task: Task) -> None:
        if task.setup:
            from gui_gym.tasks.setup import run_setup

            run_setup(task, self)
            self._running().session.wait_until_idle(SETUP_QUIET, IDLE_LIMIT)  # a window comes up before all that is in it
        self._settle()

    def _end_old(self) -> None:
        old, self._live = self._live, None
        if old is not None and self.spares:
            pool().end(old)
        elif old is not None:
            old.close()

    def screenshot(self, out: np.ndarray | None = None) -> np.ndarray:
        start = time.monotonic()
        frame = np.empty((self.height, self.width, 3), np.uint8) if out is None else out
        live = self._running()
        with self._x_errors("showing its screen"):
            self._cursor = live.display.pointer()[:2]  # a server that is gone must not show its last frame
        live.frame.read(frame)
        self._timing["screenshot"] = time.monotonic() - start
        return frame

    def perform(self, action: Action) -> None:
        """Do ``action`` and wait until the screen has settled, at most :data:`~gui_gym.desktops.x11.display.SETTLE_LIMIT` seconds."""
        with self._x_errors(f"doing {action.type.name}"):
            self._do(action)
            display = self._running().display
            self._timing = display.settle(len(action.text) if action.type is ActionType.TYPE else 0)
            self._cursor = display.pointer()[:2]

    def _do(self, action: Action) -> None:
        live = self._running()
        keyboard, mouse = live.keyboard, live.mouse
        match action.type:
            case ActionType.MOVE:
                mouse.move(*action.point)
            case ActionType.CLICK:
                held = keyboard.hold(action.modifiers)
                mouse.click(*action.point, action.button, action.clicks)
                keyboard.release(held)
            case ActionType.MOUSE_DOWN:
                mouse.down(*action.point, action.button)
            case ActionType.MOUSE_UP:
                mouse.up(*action.point, action.button)
            case ActionType.DRAG:
                mouse.drag(*action.point, *action.to, action.button)
            case ActionType.SCROLL:
                mouse.scroll(*action.point, *action.scroll)
            case ActionType.TYPE:
                keyboard.type(action.text)
            case ActionType.KEY:
                keyboard.press(action.key, action.modifiers)
            case ActionType.KEY_DOWN:
                keyboard.down(action.key)
            case ActionType.KEY_UP:
                keyboard.up(action.key)
            case ActionType.WAIT:
                live.display.rest(action.wait)
            case _:
                raise ValueError(f"{action.type.name} ends an episode and is no action on a desktop")

    @property
    def cursor(self) -> tuple[int, int]:
        """Pixel ``(x, y)`` of the pointer's hotspot, as it was at the last action or screenshot."""
        return self._cursor

    def healthy(self) -> bool:
        return self._live is not None and self._live.healthy()

    def timing(self) -> dict[str, float]:
        """``screenshot``, what :meth:`~gui_gym.desktops.x11.display.Display.settle` gave for the last action, and after a reset
        ``reset`` (seconds) and ``spare`` (1.0 if it was handed a desktop that was started ahead, else 0.0)."""
        return dict(self._timing)

    def close(self) -> None:
        self._close()

    def _close(self, wait: bool = True) -> None:
        live, self._live = self._live, None
        if live is not None:
            live.close()
        pool().leave(self._token, wait)

    def __del__(self) -> None:
        # when the interpreter ends, processes end with the connections to them
        if hasattr(self, "_watched") and not sys.is_finalizing():
            close_later(functools.partial(self._close, wait=False), self._watched)

    def _x_errors(self, doing: str) -> AbstractContextManager[None]:
        return x_errors(doing, self._running().session.server_state)

    def _running(self) -> Running:
        if self._live is None or not self._live.session.alive():
            raise DesktopError("the desktop is not running: call reset() to start one")
        return self._live

    # -- programs and files ------------------------------------------------------------------------------------------

    @classmethod
    def has_program(cls, name: str) -> bool:
        return sandbox.has_program(name)

    def run(self, argv: Sequence[str], *, timeout: float = 60.0, env: dict[str, str] | None = None) -> Completed:
        """Run a program in the sandbox, in the home folder; output of more than 64 MiB is a :class:`DesktopError`."""
        return self._running().session.run(argv, timeout, env)

    def launch(self, argv: Sequence[str], *, env: dict[str, str] | None = None) -> None:
        self._running().session.launch(argv, env)

    def read_file(self, path: str, limit: int = MAX_OUTPUT) -> bytes:
        """A file as programs in the sandbox see it (a relative path, or ``~/``, starts at home), of at most ``limit`` bytes."""
        return self._running().session.read_file(path, limit)

    def write_file(self, path: str, data: bytes) -> None:
        self._running().session.write_file(path, data)

    def connect(self, port: int) -> socket.socket:
        return self._running().session.connect(port)

    def wait_until_idle(self) -> None:
        """Wait until no program on the desktop has run for :data:`IDLE_QUIET` seconds, at most :data:`IDLE_LIMIT`.

        A screen settles before that: what GTK's file dialog saves is on the disk 0.5 s after Enter, and until then nothing is drawn.
        """
        self._running().session.wait_until_idle(IDLE_QUIET, IDLE_LIMIT)

    def accessibility_tree(self) -> dict[str, Any]:
        """What the applications tell of their widgets; it takes from 0.1 s to some seconds and is cut at 10,000 nodes or 10 s.

        What is not shown and has no place on the screen is left out.
        """
        session = self._running().session
        done = session.run([sandbox.PYTHON, "-I", f"{session.guest}/lib/accessibility_tree.py"], A11Y_LIMIT, None)
        if done.returncode:
            raise DesktopError(f"the accessibility tree could not be read: {done.stderr.decode(errors='replace').strip()[-500:]}")
        try:  # it was made among the programs of the desktop, which can change it
            return {**checked(json.loads(done.stdout)), "bounds": [0, 0, self.width, self.height]}
        except (ValueError, RecursionError) as error:
            raise DesktopError(f"the accessibility tree could not be read: {error}") from error

    # -- windows -----------------------------------------------------------------------------------------------------

    def windows(self) -> list[Window]:
        with self._x_errors("listing windows"):
            return self._running().display.windows()

    def activate_window(self, title: str, strict: bool = False, by_class: bool = False, timeout: float = 5.0) -> None:
        window = self._window(title, strict, by_class)
        display = self._running().display
        self._ask(window, "_NET_ACTIVE_WINDOW", lambda: display.active() == window.id, timeout)

    def close_window(self, title: str, strict: bool = False, by_class: bool = False, timeout: float = 5.0) -> None:
        window = self._window(title, strict, by_class)
        self._ask(window, "_NET_CLOSE_WINDOW", lambda: window.id not in [w.id for w in self.windows()], timeout)

    def _ask(self, window: Window, request: str, done: Callable[[], bool], timeout: float) -> None:
        display = self._running().display
        with self._x_errors(f"asking for {request}"):
            display.ask_manager(window.id, request)
            deadline = time.monotonic() + timeout
            while not done():
                if time.monotonic() > deadline:
                    raise DesktopError(f"the window {window.title!r} did not follow {request} within {timeout:g} s")
                display.rest(_POLL)
        self._settle()

    def _settle(self) -> None:
        self._running().settle()

    def _pause(self) -> None:
        self._running().display.rest(_POLL)


def _prepare(running: Running, task: Task) -> None:
    """Run the setup of ``task`` on a desktop that was started ahead."""
    width, height, unsafe_no_sandbox = running.kind
    desktop = X11Desktop(width, height, unsafe_no_sandbox, spares=0)
    desktop._live = running
    try:
        desktop._set_up(task)
    finally:
        desktop._live = None  # the pool closes it
