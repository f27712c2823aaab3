"""The simulated desktop: everything in this process, in virtual time."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from gui_gym.actions import Action
from gui_gym.desktops.base import Desktop, DesktopError, DesktopFileNotFoundError, check_size
from gui_gym.desktops.sim.accessibility import accessibility_tree
from gui_gym.desktops.sim.canvas import Rect
from gui_gym.desktops.sim.filesystem import STANDARD
from gui_gym.desktops.sim.painter import Painter
from gui_gym.desktops.sim.perform import perform
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.setup import SETUP_STEPS
from gui_gym.desktops.sim.state import State
from gui_gym.tasks.task import Task, TaskError


class SimDesktop(Desktop):
    """Windows, widgets and a small file system as plain data, drawn with numpy at any size from 16 x 16 pixels up.

    Same task, same actions: same bytes, whatever the machine. Only WAIT passes time.

    Args:
        width: pixels.
        height: pixels.
        unsafe_no_sandbox: accepted for the sake of callers that pass it to every desktop; this one runs no programs.
    """

    kind = "sim"
    real = False

    def __init__(self, width: int = 1280, height: int = 720, unsafe_no_sandbox: bool = False):
        self.width, self.height = check_size(width, height)
        self._painter = Painter(width, height)
        self._session = Session(self._blank())
        self._start = pickle.dumps(self.state, protocol=5)
        self._start_state: State | None = None
        self._told = True  # whether refresh has told all that it drew
        self._closed = False

    def _blank(self) -> State:
        folders = {f"{folder}/": "" for folder in STANDARD}
        return State(self.width, self.height, files=folders, cursor=(self.width * 7 // 8, self.height * 5 // 6))

    @property
    def session(self) -> Session:
        """The running session, for setup and verification."""
        return self._session

    @property
    def state(self) -> State:
        """Everything there is to know about the screen."""
        return self._session.state

    @property
    def start(self) -> State:
        """The state that the episode started from, to be read only."""
        if self._start_state is None:
            self._start_state = pickle.loads(self._start)
        return self._start_state

    def copy_state(self) -> State:
        """A copy of the state, to try things on."""
        return pickle.loads(pickle.dumps(self.state, protocol=5))

    def copy_start(self) -> State:
        """A copy of the state that the episode started from, to try things on."""
        return pickle.loads(self._start)

    def reset(self, task: Task, seed: int) -> None:
        """Bring a clean desktop to the initial state of ``task``.

        Its instance decides everything, so ``seed`` changes nothing. Raises
        :class:`~gui_gym.tasks.TaskError` for a setup step this desktop does not know or a screen the task does not fit.
        """
        self._alive()
        session = Session(self._blank())
        for step in task.setup:
            name = step.get("type")
            if not isinstance(name, str) or name not in SETUP_STEPS:
                raise TaskError(f"task {task.id!r}: the sim desktop has no setup step {name!r}: expected one of {', '.join(SETUP_STEPS.names())}")
            SETUP_STEPS.get(name)(session, step.get("parameters", {}))
        self._session = session
        self._start, self._start_state = pickle.dumps(session.state, protocol=5), None

    def screenshot(self, out: np.ndarray | None = None) -> np.ndarray:
        self._alive()
        frame = np.empty((self.height, self.width, 3), np.uint8) if out is None else out
        self._told = not self._painter.update(self._session) and self._told
        np.copyto(frame, self._painter.frame)
        return frame

    def refresh(self, frame: np.ndarray) -> list[Rect] | None:
        self._alive()
        if frame is not self._painter.frame:
            self._painter.adopt(frame)
        changed = self._painter.update(self._session)
        told, self._told = self._told, True
        return changed if told else None

    def perform(self, action: Action) -> None:
        self._alive()
        perform(self._session, action)

    @property
    def cursor(self) -> tuple[int, int]:
        return self._session.state.cursor

    def healthy(self) -> bool:
        return not self._closed

    def close(self) -> None:
        self._closed = True

    def _alive(self) -> None:
        if self._closed:
            raise DesktopError("this sim desktop is closed: make a new one")

    def read_file(self, path: str) -> bytes:
        """A file of the virtual file system: paths are plain names such as ``/home/user/notes.txt``."""
        try:
            return self.state.files[path].encode("utf-8", "surrogateescape")
        except KeyError:
            raise DesktopFileNotFoundError(f"the sim desktop has no file {path!r}") from None

    def write_file(self, path: str, data: bytes) -> None:
        self.state.files[path] = data.decode("utf-8", "surrogateescape")

    def accessibility_tree(self) -> dict[str, Any]:
        return accessibility_tree(self._session)

    def snapshot(self) -> bytes:
        """The state and the one it started from, pickled: a value that nothing changes later."""
        return pickle.dumps((self.state, self._start), protocol=5)

    def restore(self, snapshot: bytes) -> None:
        """Go back to what :meth:`snapshot` of a desktop of this size gave. Only for bytes of your own: they are a pickle."""
        state, start = pickle.loads(snapshot)
        if not isinstance(state, State) or (state.width, state.height) != (self.width, self.height):
            raise ValueError(f"expected a snapshot of a sim desktop of {self.width}x{self.height} pixels")
        self._session, self._start, self._start_state = Session(state), start, None
