"""A running desktop: its programs, its screen and its hands, as one thing that can be started ahead and handed over."""

from __future__ import annotations

import os
import time

from gui_gym.desktops.base import DesktopError
from gui_gym.desktops.x11.display import Display, x_errors
from gui_gym.desktops.x11.frame import Frame
from gui_gym.desktops.x11.keyboard import Keyboard
from gui_gym.desktops.x11.mouse import Mouse
from gui_gym.desktops.x11.session import Session


class Running:
    """One desktop for one episode. Call :meth:`start`, and in any case :meth:`close`.

    Attributes:
        session: its sandbox with all programs.
        display: the connection to its X server.
        keyboard, mouse, frame: what acts on it and shows it.
        timing: figures of the last time it settled, see :meth:`~gui_gym.desktops.x11.display.Display.settle`.
    """

    display: Display
    keyboard: Keyboard
    mouse: Mouse
    frame: Frame

    def __init__(self, width: int, height: int, unsafe_no_sandbox: bool = False):
        self.kind = width, height, unsafe_no_sandbox
        self.born = time.monotonic()
        self.timing: dict[str, float] = {}
        self.session = Session(width, height, unsafe_no_sandbox)
        self._owner = os.getpid()

    def start(self) -> None:
        """Wait until its X server and window manager run. Raises :class:`DesktopError` if they do not come up."""
        self.session.start()
        fd, self.session.x_fd = self.session.x_fd, -1
        self.display = Display(fd, self.session.cookie)
        with x_errors("reading its keyboard"):
            self.keyboard = Keyboard(self.display)
        self.mouse = Mouse(self.display)
        self.frame = Frame(self.session.frame_fd, *self.kind[:2])

    def settle(self, only_if_drawn: bool = False) -> None:
        """Wait until the screen has settled; if ``only_if_drawn``, not where nothing was drawn since the last time."""
        with x_errors("settling", self.session.server_state):
            self.timing = self.display.settle(only_if_drawn=only_if_drawn)

    def healthy(self) -> bool:
        """Whether its programs and X server answer."""
        if not self.session.alive():
            return False
        try:
            with x_errors("answering"):
                self.display.sync()
        except DesktopError:
            return False
        return True

    def stop(self) -> None:
        """End its processes from another thread than the one that uses it, which meets an error and closes it."""
        self.session.stop()

    def close(self) -> None:
        """End it and wait until all its processes are gone. Does nothing in a forked child: the parent goes on using it."""
        if os.getpid() != self._owner:
            return
        if hasattr(self, "display"):
            self.display.close()
            del self.display
        self.session.close()
