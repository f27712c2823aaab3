"""Desktops by name."""

from __future__ import annotations

import inspect
from typing import Any

from gui_gym.desktops.base import Completed, Desktop, DesktopError, DesktopFileNotFoundError
from gui_gym.registry import Registry

__all__ = ["DESKTOPS", "Completed", "Desktop", "DesktopError", "DesktopFileNotFoundError", "make_desktop", "register_desktop"]

#: Desktops by name.
DESKTOPS: Registry[type[Desktop]] = Registry(
    "desktop",
    {
        "sim": "gui_gym.desktops.sim:SimDesktop",
        "x11": "gui_gym.desktops.x11:X11Desktop",
        "guest": "gui_gym.desktops.guest:GuestDesktop",
    },
)
register_desktop = DESKTOPS.register


def make_desktop(kind: str, width: int | None = None, height: int | None = None, **options: Any) -> Desktop:
    """A new desktop of ``kind``, or the guest whose server has the address ``kind`` ("http://host:5000").

    Args:
        kind: one of :data:`DESKTOPS`, or an address.
        width: pixels of the screen; None takes the desktop's own, which a guest says itself.
        height: the same.
        options: what else its constructor takes.
    """
    if kind.startswith(("http://", "https://")):
        kind, options = "guest", {**options, "address": kind}
    if width is not None:
        options["width"] = width
    if height is not None:
        options["height"] = height
    make = DESKTOPS.get(kind)
    if unknown := set(options) - set(inspect.signature(make).parameters):
        raise ValueError(f"the {kind!r} desktop takes no {', '.join(sorted(unknown))}: leave that out")
    return make(**options)
