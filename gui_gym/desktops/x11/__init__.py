"""A real desktop: an X server, a window manager and applications in a sandbox. Linux; extra ``x11``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gui_gym.desktops.x11.desktop import X11Desktop

__all__ = ["X11Desktop"]


def __getattr__(name: str) -> Any:
    if name == "X11Desktop":  # late: the sandbox can be probed without the extra
        from gui_gym.desktops.x11.desktop import X11Desktop

        return X11Desktop
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
