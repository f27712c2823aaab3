"""The Desktop contract: a screen that can be seen and acted on, plus its files and processes."""

from __future__ import annotations

import socket
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gui_gym.actions import Action
    from gui_gym.tasks.task import Task


class DesktopError(RuntimeError):
    """The desktop failed: it died, cannot be reached, or did not answer in time.

    Never the agent's fault: an episode that meets it is unscored.
    """


class DesktopFileNotFoundError(DesktopError, FileNotFoundError):
    """A desktop that is well has no such file: for a verifier that is a missing output, so a score of 0."""


@dataclass(frozen=True)
class Completed:
    """A finished process on a desktop."""

    returncode: int
    stdout: bytes
    stderr: bytes


def check_size(width: int, height: int) -> tuple[int, int]:
    """``(width, height)``; ValueError if the screen is too small for a desktop."""
    if width < 16 or height < 16:
        raise ValueError(f"a screen of {width}x{height} is too small: expected at least 16x16 pixels")
    return width, height


class Desktop(ABC):
    """One screen of ``width`` x ``height`` pixels.

    Actions are delivered at most once: an implementation never repeats one whose delivery is unknown.
    """

    kind: str  #: name in :data:`gui_gym.desktops.DESKTOPS`
    real: bool  #: whether wall-clock time plays a part (then runs do not repeat exactly)
    network: bool = False  #: whether its programs reach the Internet
    width: int
    height: int

    @abstractmethod
    def reset(self, task: Task, seed: int) -> None:
        """Bring a clean desktop to the initial state of ``task``. Nothing of an earlier episode survives."""

    @abstractmethod
    def screenshot(self, out: np.ndarray | None = None) -> np.ndarray:
        """The screen now, pointer included: ``(height, width, 3)`` uint8 RGB, in ``out`` if given, else a new array.

        Never older than the effect of the last action.
        """

    def refresh(self, frame: np.ndarray) -> list[tuple[int, int, int, int]] | None:
        """Bring ``frame`` up to date, a C-contiguous array that holds what this desktop wrote there last and that nobody else writes.

        Returns the rectangles ``(x, y, width, height)`` that changed since, or None if that may be all of it. Like :meth:`screenshot`,
        but a desktop that knows what has changed draws no more than that.
        """
        self.screenshot(frame)
        return None

    @abstractmethod
    def perform(self, action: Action) -> None:
        """Do ``action``, which fits the screen (``Action.check``) and is not DONE, FAIL or ANSWER."""

    @property
    @abstractmethod
    def cursor(self) -> tuple[int, int]:
        """Pixel ``(x, y)`` of the pointer's hotspot."""

    @abstractmethod
    def healthy(self) -> bool:
        """Whether it would answer now. Never raises."""

    @abstractmethod
    def close(self) -> None:
        """Free everything it holds. May be called twice."""

    @classmethod
    def has_program(cls, name: str) -> bool:
        """Whether a program is there, as far as can be told before the desktop is started: if not known, it is taken to be."""
        return True

    def run(self, argv: Sequence[str], *, timeout: float = 60.0, env: dict[str, str] | None = None) -> Completed:
        """Run a program on the desktop and wait for it at most ``timeout`` seconds. No shell is involved.

        Raises :class:`DesktopError` when it could not be run or did not end in time.
        """
        raise DesktopError(f"the {self.kind!r} desktop runs no programs: use a task of a suite made for it")

    def launch(self, argv: Sequence[str], *, env: dict[str, str] | None = None) -> None:
        """Start a program on the desktop and return at once; it ends with the episode at the latest."""
        raise DesktopError(f"the {self.kind!r} desktop runs no programs: use a task of a suite made for it")

    def read_file(self, path: str) -> bytes:
        """A file of the desktop's own file system. :class:`DesktopFileNotFoundError` if it is not there."""
        raise DesktopError(f"the {self.kind!r} desktop has no files")

    def write_file(self, path: str, data: bytes) -> None:
        """Write a file of the desktop's own file system, making its folders."""
        raise DesktopError(f"the {self.kind!r} desktop has no files")

    def connect(self, port: int) -> socket.socket:
        """A TCP connection to ``port`` of the desktop's own loopback interface, such as a browser's remote debugging port.

        Raises :class:`DesktopError` if nothing listens there.
        """
        raise DesktopError(f"the {self.kind!r} desktop has no network")

    def wait_until_idle(self) -> None:  # noqa: B027  most desktops have nothing to do
        """Wait, within a bound, until programs are done with what the last action began, such as writing a file.

        For a verifier that acts on the desktop or reads its files: the agent that says DONE right after its last action is no worse
        off than one that waits. Nothing to do where an action is done once :meth:`perform` returns.
        """

    def accessibility_tree(self) -> dict[str, Any] | None:
        """The screen's widgets, or None.

        A node is ``{"role", "name", "bounds": [x, y, width, height], "value", "children"}``; real desktops add ``"states"`` (list of
        names, such as "showing"), ``"text"``, ``"description"`` and ``"attributes"`` (names to texts) where there are any. Roles and
        states have AT-SPI's names in lower case, such as "push button".
        """
        return None

    def snapshot(self) -> Any:
        """A copy of its state for :meth:`restore`, where that is cheap."""
        raise NotImplementedError(f"the {self.kind!r} desktop cannot be copied")

    def restore(self, snapshot: Any) -> None:
        """Go back to what :meth:`snapshot` copied."""
        raise NotImplementedError(f"the {self.kind!r} desktop cannot be copied")

    def timing(self) -> dict[str, float]:
        """Wall-clock figures of the last action, in seconds, for ``info``. Empty unless :attr:`real`."""
        return {}
