"""Desktops by name."""

from __future__ import annotations

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
    },
)
register_desktop = DESKTOPS.register


def make_desktop(kind: str, width: int, height: int, **options: Any) -> Desktop:
    """A new desktop of ``kind`` with a screen of ``width`` x ``height`` pixels."""
    return DESKTOPS.get(kind)(width=width, height=height, **options)  # type: ignore[call-arg]
