"""A machine behind a guest server, OSWorld's or ours, as a :class:`~gui_gym.desktops.base.Desktop`."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from gui_gym.actions import Action
from gui_gym.desktops.base import Completed, Desktop, DesktopError
from gui_gym.desktops.dropped import close_later, watch
from gui_gym.desktops.guest import osworld, reverting
from gui_gym.desktops.guest.client import BadReplyError, GuestClient, Reply
from gui_gym.desktops.guest.frames import MAX_PIXELS
from gui_gym.desktops.guest.native import NativeGuest
from gui_gym.desktops.guest.osworld import OSWorldGuest
from gui_gym.desktops.guest.wire import ROOT
from gui_gym.desktops.windows import Window, Windowed
from gui_gym.tasks.task import Task

SERVE = "serve"  #: as ``revert``: our server gives a clean desktop
_KEPT_SECONDS = 0.25  # how long the frame that settled may stand for the screen
_POLL = 0.1


class GuestDesktop(Desktop, Windowed):
    """The desktop of a guest server at ``address``.

    Behind ``gui-gym serve`` each of these is a session of its own: a desktop of its own, clean after each reset. Behind OSWorld's own server
    there is one desktop, which only ``revert`` can clean, and a screen counts as settled when it has stopped changing.

    A token is taken from the environment (``GUI_GYM_GUEST_TOKEN``, or the file that ``GUI_GYM_GUEST_TOKEN_FILE`` names). Requests that change
    nothing are repeated a few times; an action is sent at most once, and if nobody knows whether it arrived, that is a
    :class:`~gui_gym.desktops.DesktopError`, so the episode is unscored.

    Args:
        address: "http://host:5000".
        width: pixels; None takes the screen's own.
        height: pixels; None takes the screen's own.
        revert: command of this machine (no shell) that brings the guest back to its clean state, run before each episode; what it left is
            compared with the first time. "serve": expect our server, which needs none. None: our server's way, or a warning.

    Raises:
        ValueError: the address or the command cannot be one, or the screen has another size.
        DesktopError: the server does not answer.
    """

    kind = "guest"

    def __init__(self, address: str, width: int | None = None, height: int | None = None, revert: str | None = None):
        self._closed = True
        self._client = GuestClient(address)
        self._revert = revert
        self._guest: NativeGuest | OSWorldGuest
        try:
            if revert not in (None, SERVE):
                reverting.split_command(revert)
            about = self._client.read("GET", ROOT, _about, also=(404,))
            self._guest = OSWorldGuest(self._client) if about is None else NativeGuest(self._client, about)
            self._check_revert()
            self.width, self.height = self._guest.size()
            if (width or self.width, height or self.height) != (self.width, self.height):
                raise ValueError(
                    f"the guest at {self._client.address} has a screen of {self.width}x{self.height}, not {width}x{height}: leave the size out, "
                    "or change the guest's"
                )
        except BaseException:  # whatever stopped it, the connection must not leak
            self._client.close()
            raise
        self._closed = False
        self._watched = watch(self)
        self.real, self.network = self._guest.real, self._guest.network
        self._cursor = (0, 0)
        self._timing: dict[str, float] = {}
        self._kept: tuple[float, np.ndarray] | None = None

    def _check_revert(self) -> None:
        native = isinstance(self._guest, NativeGuest)
        if self._revert == SERVE and not native:
            raise ValueError(f"revert='serve' needs a server started with gui-gym serve, which the one at {self._client.address} is not")
        if self._revert not in (None, SERVE) and native:
            raise ValueError("revert: gui-gym serve gives a clean desktop for each episode by itself; leave it out")

    # -- the contract of a desktop -----------------------------------------------------------------------------------

    def reset(self, task: Task, seed: int) -> None:
        """A clean desktop, then the task's setup, which is done from here. ``seed`` changes nothing."""
        start = time.monotonic()
        self._alive()
        self._kept = None
        if isinstance(self._guest, NativeGuest):
            self._guest.reset()
        else:
            self._make_clean(self._guest)
        if task.setup:
            from gui_gym.tasks.setup import run_setup

            run_setup(task, self)
        self._settle()
        self._timing["reset"] = time.monotonic() - start

    def _make_clean(self, guest: OSWorldGuest) -> None:
        address = self._client.address
        if self._revert is None:
            reverting.warn_dirty(address)
        else:
            reverting.run_revert(self._revert)
            reverting.wait_for_server(guest.healthy, address)
            reverting.check_clean(address, lambda: guest.state(reverting.ASKED))
        if (size := guest.size()) != (self.width, self.height):
            raise DesktopError(f"the guest's screen is {size[0]}x{size[1]} now, and was {self.width}x{self.height}")
        guest.release_all()

    def screenshot(self, out: np.ndarray | None = None) -> np.ndarray:
        self._alive()
        start = time.monotonic()
        kept, self._kept = self._kept, None
        frame = kept[1] if kept is not None and start - kept[0] < _KEPT_SECONDS else self._guest.frame()
        if frame.shape != (self.height, self.width, 3):
            raise DesktopError(f"the guest's screen is {frame.shape[1]}x{frame.shape[0]} now, and was {self.width}x{self.height}")
        if isinstance(self._guest, NativeGuest):
            self._cursor = self._guest.cursor()
        self._timing["screenshot"] = time.monotonic() - start
        if out is None:
            return frame
        np.copyto(out, frame)
        return out

    def perform(self, action: Action) -> None:
        """Do ``action`` and wait until the screen has settled, at most :data:`~gui_gym.desktops.guest.osworld.SETTLE_LIMIT` seconds."""
        self._changing()
        start = time.monotonic()
        self._guest.perform(action)
        self._timing = {"action": time.monotonic() - start}
        self._look()

    def _settle(self) -> None:
        if isinstance(self._guest, NativeGuest):
            self._guest.settle()
        self._look()

    def _look(self) -> None:
        """Where the pointer is and how long settling took, once the screen has settled: our server has waited for it."""
        if isinstance(self._guest, NativeGuest):
            self._timing.update(self._guest.timing)
        else:
            frame, seconds = self._guest.settled()
            self._timing.update(settle=seconds, settle_limit=osworld.SETTLE_LIMIT)
            self._kept = (time.monotonic(), frame)
        self._cursor = self._guest.cursor()

    @property
    def cursor(self) -> tuple[int, int]:
        """Pixel ``(x, y)`` of the pointer's hotspot, as it was at the last action."""
        return self._cursor

    def healthy(self) -> bool:
        if self._closed:
            return False
        try:
            return self._guest.healthy()
        except DesktopError:
            return False

    def timing(self) -> dict[str, float]:
        """``action``, ``settle`` and ``settle_limit`` of the last action, ``screenshot``, and after a reset ``reset``."""
        return dict(self._timing) if self.real else {}

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        with contextlib.suppress(DesktopError):  # a server that is gone has closed the desktop
            self._guest.close()
        self._client.close()

    def __del__(self) -> None:
        if not getattr(self, "_closed", True):  # dropped without close()
            close_later(self.close, self._watched)

    def _alive(self) -> None:
        if self._closed:
            raise DesktopError("this guest desktop is closed: make a new one")

    def _changing(self) -> None:
        """Before what may change the screen."""
        self._alive()
        self._kept = None

    # -- programs and files ------------------------------------------------------------------------------------------

    def run(self, argv: Sequence[str], *, timeout: float = 60.0, env: dict[str, str] | None = None) -> Completed:
        self._changing()
        return self._guest.run(_arguments(argv), timeout, env)

    def launch(self, argv: Sequence[str], *, env: dict[str, str] | None = None) -> None:
        self._changing()
        self._guest.launch(_arguments(argv), env)

    def read_file(self, path: str) -> bytes:
        self._alive()
        return self._guest.read_file(path)

    def write_file(self, path: str, data: bytes) -> None:
        self._changing()
        self._guest.write_file(path, data)

    def connect(self, port: int) -> socket.socket:
        self._alive()
        return self._guest.connect(port)

    def wait_until_idle(self) -> None:
        self._alive()
        self._guest.wait_until_idle()

    def accessibility_tree(self) -> dict[str, Any] | None:
        self._alive()
        return self._guest.accessibility_tree()

    # -- windows -----------------------------------------------------------------------------------------------------

    def _pause(self) -> None:
        time.sleep(_POLL)

    def windows(self) -> list[Window]:
        self._alive()
        return self._guest.windows()

    def activate_window(self, title: str, strict: bool = False, by_class: bool = False, timeout: float = 5.0) -> None:
        self._changing()
        self._guest.on_window("activate", title, strict, by_class, timeout)
        self._settle()

    def close_window(self, title: str, strict: bool = False, by_class: bool = False, timeout: float = 5.0) -> None:
        self._changing()
        self._guest.on_window("close", title, strict, by_class, timeout)
        self._settle()


def _arguments(argv: Sequence[str]) -> list[str]:
    if isinstance(argv, str) or not argv:
        raise DesktopError(f"cannot run {argv!r}: expected a list, the program and its arguments (no shell is involved)")
    return [str(argument) for argument in argv]


def _about(reply: Reply) -> dict[str, Any] | None:
    """What our server says of itself; None if this is another."""
    if reply.status == 404:
        return None
    told = reply.json()
    if told.get("server") != "gui-gym" or not {"width", "height", "real", "network"} <= told.keys():
        raise BadReplyError(f"no gui-gym server but {reply.shown()}")
    sides = told["width"], told["height"]
    if not all(type(side) is int and side > 0 for side in sides) or sides[0] * sides[1] > MAX_PIXELS:
        raise BadReplyError(f"no screen but one of {sides[0]!r:.40}x{sides[1]!r:.40}")
    return told
