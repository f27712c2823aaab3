"""A real X11 desktop in a sandbox as a :class:`~gui_gym.desktops.base.Desktop`."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

import numpy as np

from gui_gym.actions import Action, ActionType
from gui_gym.desktops.base import Completed, Desktop, DesktopError, check_size
from gui_gym.desktops.x11 import sandbox
from gui_gym.desktops.x11.display import Display, Window, x_errors
from gui_gym.desktops.x11.frame import Frame
from gui_gym.desktops.x11.keyboard import Keyboard
from gui_gym.desktops.x11.mouse import Mouse
from gui_gym.desktops.x11.session import MAX_OUTPUT, Session
from gui_gym.tasks.task import Task

IDLE_QUIET = 0.5  #: seconds: longer than the timers that programs delay work by (GTK's file dialog 0.25)
IDLE_LIMIT = 3.0  #: seconds after which programs that never rest, such as a playing video, are let be
_POLL = 0.01


class X11Desktop(Desktop):
    """Xvfb, openbox and real applications, one sandbox for each episode.

    The user inside is ``user`` (uid 1000) with the home ``/home/user``; there is no network but the loopback.

    Args:
        width: pixels.
        height: pixels.
        unsafe_no_sandbox: run without a sandbox, as the user that runs this, with only the home and the X server its own.

    Raises:
        SandboxError: nothing of the kind can run here; the message says why and what to do.
    """

    kind = "x11"
    real = True

    def __init__(self, width: int = 1280, height: int = 720, unsafe_no_sandbox: bool = False):
        self.width, self.height = check_size(width, height)
        self.unsafe_no_sandbox = unsafe_no_sandbox
        sandbox.require(unsafe_no_sandbox)
        self._session: Session | None = None
        self._cursor = (0, 0)
        self._timing: dict[str, float] = {}

    # -- the contract of a desktop -----------------------------------------------------------------------------------

    def reset(self, task: Task, seed: int) -> None:
        """A new sandbox, then the task's setup. Nothing on this desktop is random, so ``seed`` changes nothing."""
        start = time.monotonic()
        self.close()
        self._session = Session(self.width, self.height, self.unsafe_no_sandbox)
        try:
            self._connect(self._session)
            if task.setup:
                from gui_gym.tasks.setup import run_setup

                run_setup(task, self)
            self._timing = {**self._settle(), "reset": time.monotonic() - start}
        except BaseException:  # whatever stopped it, no half-made desktop may live on
            self.close()
            raise

    def _connect(self, session: Session) -> None:
        fd, session.x_fd = session.x_fd, -1
        self._display = Display(fd, session.cookie)
        with x_errors("reading its keyboard"):
            self._keyboard = Keyboard(self._display)
        self._mouse = Mouse(self._display)
        self._frame = Frame(session.frame_fd, self.width, self.height)

    def screenshot(self, out: np.ndarray | None = None) -> np.ndarray:
        start = time.monotonic()
        frame = np.empty((self.height, self.width, 3), np.uint8) if out is None else out
        with self._x_errors("showing its screen"):
            self._cursor = self._display.pointer()[:2]  # a server that is gone must not show its last frame
        self._frame.read(frame)
        self._timing["screenshot"] = time.monotonic() - start
        return frame

    def perform(self, action: Action) -> None:
        """Do ``action`` and wait until the screen has settled, at most :data:`~gui_gym.desktops.x11.display.SETTLE_LIMIT` seconds."""
        with self._x_errors(f"doing {action.type.name}"):
            self._do(action)
            self._timing = self._display.settle(len(action.text) if action.type is ActionType.TYPE else 0)
            self._cursor = self._display.pointer()[:2]

    def _do(self, action: Action) -> None:
        keyboard, mouse = self._keyboard, self._mouse
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
                self._display.rest(action.wait)
            case _:
                raise ValueError(f"{action.type.name} ends an episode and is no action on a desktop")

    def _settle(self) -> dict[str, float]:
        with self._x_errors("settling"):
            return self._display.settle()

    @property
    def cursor(self) -> tuple[int, int]:
        """Pixel ``(x, y)`` of the pointer's hotspot, as it was at the last action or screenshot."""
        return self._cursor

    def healthy(self) -> bool:
        try:
            self._running()
            with x_errors("answering"):
                self._display.sync()
        except DesktopError:
            return False
        return True

    def timing(self) -> dict[str, float]:
        """``settle``, ``ping`` and ``settle_limit`` of the last action, ``screenshot``, and after a reset ``reset``."""
        return dict(self._timing)

    def close(self) -> None:
        session, self._session = self._session, None
        if session is None:
            return
        if hasattr(self, "_display"):
            self._display.close()
            del self._display
        session.close()

    def __del__(self) -> None:
        if getattr(self, "_session", None) is not None:  # dropped without close()
            self.close()

    def _x_errors(self, doing: str) -> AbstractContextManager[None]:
        return x_errors(doing, self._running().server_state)

    def _running(self) -> Session:
        if self._session is None or not self._session.alive():
            raise DesktopError("the desktop is not running: call reset() to start one")
        return self._session

    # -- programs and files ------------------------------------------------------------------------------------------

    def run(self, argv: Sequence[str], *, timeout: float = 60.0, env: dict[str, str] | None = None) -> Completed:
        """Run a program in the sandbox, in the home folder; output of more than 64 MiB is a :class:`DesktopError`."""
        return self._running().run(argv, timeout, env)

    def launch(self, argv: Sequence[str], *, env: dict[str, str] | None = None) -> None:
        self._running().launch(argv, env)

    def read_file(self, path: str, limit: int = MAX_OUTPUT) -> bytes:
        """A file as programs in the sandbox see it (a relative path, or ``~/``, starts at home), of at most ``limit`` bytes."""
        return self._running().read_file(path, limit)

    def write_file(self, path: str, data: bytes) -> None:
        self._running().write_file(path, data)

    def connect(self, port: int) -> socket.socket:
        return self._running().connect(port)

    def wait_until_idle(self) -> None:
        """Wait until no program on the desktop has run for :data:`IDLE_QUIET` seconds, at most :data:`IDLE_LIMIT`.

        A screen settles before that: what GTK's file dialog saves is on the disk 0.5 s after Enter, and until then nothing is drawn.
        """
        self._running().wait_until_idle(IDLE_QUIET, IDLE_LIMIT)

    # -- windows -----------------------------------------------------------------------------------------------------

    def windows(self) -> list[Window]:
        """The windows of applications, oldest first."""
        with self._x_errors("listing windows"):
            return self._display.windows()

    def find_window(self, title: str, strict: bool = False, by_class: bool = False) -> Window | None:
        """The newest window whose title (or class) holds ``title`` in any case, or is exactly it if ``strict``; None if there is none."""
        for window in reversed(self.windows()):
            text = window.wm_class if by_class else window.title
            if text == title if strict else title.lower() in text.lower():
                return window
        return None

    def wait_for_window(self, title: str = "", timeout: float = 30.0, strict: bool = False, by_class: bool = False) -> Window:
        """Wait until such a window is there ("" is any) and drawn; :class:`DesktopError` after ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        while (window := self.find_window(title, strict, by_class)) is None:
            if time.monotonic() > deadline:
                raise self._no_window(title, f" within {timeout:g} s")
            self._display.rest(_POLL)
        self._settle()
        return window

    def activate_window(self, title: str, strict: bool = False, by_class: bool = False, timeout: float = 5.0) -> Window:
        """Bring a window to the front and give it the focus."""
        window = self.find_window(title, strict, by_class)
        if window is None:
            raise self._no_window(title)
        self._ask(window, "_NET_ACTIVE_WINDOW", lambda: self._display.active() == window.id, timeout)
        return window

    def close_window(self, title: str, strict: bool = False, by_class: bool = False, timeout: float = 5.0) -> None:
        """Ask a window to close, as its title bar's button does, and wait until it is gone."""
        window = self.find_window(title, strict, by_class)
        if window is None:
            raise self._no_window(title)
        self._ask(window, "_NET_CLOSE_WINDOW", lambda: window.id not in [w.id for w in self.windows()], timeout)

    def _ask(self, window: Window, request: str, done: Callable[[], bool], timeout: float) -> None:
        with self._x_errors(f"asking for {request}"):
            self._display.ask_manager(window.id, request)
            deadline = time.monotonic() + timeout
            while not done():
                if time.monotonic() > deadline:
                    raise DesktopError(f"the window {window.title!r} did not follow {request} within {timeout:g} s")
                self._display.rest(_POLL)
        self._settle()

    def _no_window(self, title: str, when: str = "") -> DesktopError:
        return DesktopError(f"no window with {title!r} in its title or class{when}; open: {[w.title for w in self.windows()]}")
