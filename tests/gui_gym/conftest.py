"""Fixtures of the tests of gui_gym."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from gui_gym import Action, Desktop, DesktopError, Task
from gui_gym.desktops import Completed, DesktopFileNotFoundError
from gui_gym.desktops.windows import Window, Windowed


class Guest(Desktop, Windowed):
    """A desktop in memory: files in a dict, programs that ``answer`` plays, windows by title. ``dead`` makes all of it fail."""

    kind, real = "guest-in-memory", False

    def __init__(self, width: int = 1280, height: int = 720):
        self.width, self.height, self.dead = width, height, False
        self.files: dict[str, bytes] = {}
        self.ran: list[list[str]] = []
        self.launched: list[list[str]] = []
        self.titles: list[str] = []
        self.answer: Callable[[list[str]], Completed] = self.shell

    def shell(self, argv: list[str]) -> Completed:
        """The few programs that steps and getters call themselves; any other succeeds and prints nothing."""
        if argv[:2] == ["test", "-e"]:
            return Completed(int(argv[2] not in self.files), b"", b"")
        if argv[:2] == ["test", "-d"]:
            return Completed(int(not any(path.startswith(f"{argv[2]}/") for path in self.files)), b"", b"")
        if argv[0] == "printenv":
            return Completed(0, b"/home/user\n", b"")
        if argv[0] == "cat":
            found = self.files.get(argv[1])
            return Completed(int(found is None), found or b"", b"" if found is not None else b"cat: no such file")
        return Completed(0, b"", b"")

    def alive(self) -> None:
        if self.dead:
            raise DesktopError("the desktop is dead")

    def run(self, argv: Sequence[str], *, timeout: float = 60.0, env: dict[str, str] | None = None) -> Completed:
        self.alive()
        self.ran.append(list(argv))
        return self.answer(list(argv))

    def launch(self, argv: Sequence[str], *, env: dict[str, str] | None = None) -> None:
        self.alive()
        self.launched.append(list(argv))
        self.titles.append(f"{argv[-1].rsplit('/', 1)[-1]} - {argv[0]}")

    def read_file(self, path: str) -> bytes:
        self.alive()
        if path not in self.files:
            raise DesktopFileNotFoundError(path)
        return self.files[path]

    def write_file(self, path: str, data: bytes) -> None:
        self.alive()
        self.files[path] = data

    def windows(self) -> list[Window]:
        self.alive()
        return [Window(number, title, title.rpartition(" - ")[2], (0, 0, 640, 480)) for number, title in enumerate(self.titles)]

    def wait_for_window(self, title: str = "", timeout: float = 0.0, strict: bool = False, by_class: bool = False) -> Window:
        return super().wait_for_window(title, 0.0, strict, by_class)  # nothing comes up by itself

    def activate_window(self, title: str, strict: bool = False, by_class: bool = False, timeout: float = 0.0) -> None:
        found = self.titles.pop(self._window(title, strict, by_class).id)
        self.titles.append(found)

    def close_window(self, title: str, strict: bool = False, by_class: bool = False, timeout: float = 0.0) -> None:
        self.titles.pop(self._window(title, strict, by_class).id)

    def _settle(self) -> None:
        pass

    def _pause(self) -> None:
        pass

    def reset(self, task: Task, seed: int) -> None:
        self.alive()

    def screenshot(self, out: np.ndarray | None = None) -> np.ndarray:
        self.alive()
        return np.zeros((self.height, self.width, 3), np.uint8)

    def perform(self, action: Action) -> None:
        self.alive()

    @property
    def cursor(self) -> tuple[int, int]:
        return (0, 0)

    def healthy(self) -> bool:
        return not self.dead

    def close(self) -> None: ...


@pytest.fixture
def guest() -> Guest:
    return Guest()
