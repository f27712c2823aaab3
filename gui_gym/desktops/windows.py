"""Windows of programs: what a desktop with a window manager has beside the :class:`~gui_gym.desktops.base.Desktop` contract."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import NamedTuple

from gui_gym.desktops.base import Desktop, DesktopError


class Window(NamedTuple):
    """One window of a program."""

    id: int
    title: str
    wm_class: str  #: ``instance.class``, as ``wmctrl -lx`` shows it
    bounds: tuple[int, int, int, int]  #: x, y, width and height without the frame, in pixels of the screen

    def matches(self, title: str, strict: bool = False, by_class: bool = False) -> bool:
        """Whether its title (or class) holds ``title`` in any case, or is exactly it if ``strict``."""
        text = self.wm_class if by_class else self.title
        return text == title if strict else title.lower() in text.lower()


def newest(windows: list[Window], title: str, strict: bool = False, by_class: bool = False) -> Window | None:
    """The last of ``windows`` that matches; None if there is none."""
    return next((window for window in reversed(windows) if window.matches(title, strict, by_class)), None)


def no_window(windows: list[Window], title: str, when: str = "") -> DesktopError:
    """What to raise where none of ``windows`` matches."""
    return DesktopError(f"no window with {title!r} in its title or class{when}; open: {[window.title for window in windows]}")


class Windowed(ABC):
    """A desktop whose programs have windows."""

    @abstractmethod
    def windows(self) -> list[Window]:
        """The windows of programs, oldest first."""

    @abstractmethod
    def activate_window(self, title: str, strict: bool = False, by_class: bool = False, timeout: float = 5.0) -> None:
        """Bring a window to the front and give it the focus; :class:`DesktopError` if there is none, or not within ``timeout`` seconds."""

    @abstractmethod
    def close_window(self, title: str, strict: bool = False, by_class: bool = False, timeout: float = 5.0) -> None:
        """Ask a window to close, as its title bar's button does, and wait until it is gone; errors as of :meth:`activate_window`."""

    @abstractmethod
    def _settle(self) -> None:
        """Wait until the screen has settled."""

    @abstractmethod
    def _pause(self) -> None:
        """Wait a moment before looking for windows again."""

    def _window(self, title: str, strict: bool, by_class: bool) -> Window:
        """As :meth:`find_window`; :class:`DesktopError` if there is none."""
        windows = self.windows()
        window = newest(windows, title, strict, by_class)
        if window is None:
            raise no_window(windows, title)
        return window

    def find_window(self, title: str, strict: bool = False, by_class: bool = False) -> Window | None:
        """The newest window whose title (or class) holds ``title`` in any case, or is exactly it if ``strict``; None if there is none."""
        return newest(self.windows(), title, strict, by_class)

    def wait_for_window(self, title: str = "", timeout: float = 30.0, strict: bool = False, by_class: bool = False) -> Window:
        """Wait until such a window is there ("" is any) and drawn; :class:`DesktopError` after ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        while (window := self.find_window(title, strict, by_class)) is None:
            if time.monotonic() > deadline:
                raise no_window(self.windows(), title, f" within {timeout:g} s")
            self._pause()
        self._settle()
        return window


def windows_of(desktop: Desktop) -> Windowed:
    """``desktop`` as one with windows; :class:`DesktopError` if it has none."""
    if not isinstance(desktop, Windowed):
        raise DesktopError(f"the {desktop.kind!r} desktop has no windows of programs: use desktop='x11' or a guest")
    return desktop
