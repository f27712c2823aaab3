"""A desktop of another machine or process over HTTP: the client, and the server of ``gui-gym serve``. Extras ``guest`` and ``serve``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gui_gym.desktops.guest.desktop import GuestDesktop

__all__ = ["GuestDesktop"]


def __getattr__(name: str) -> Any:
    if name == "GuestDesktop":  # late: the server needs nothing of the client's extra
        from gui_gym.desktops.guest.desktop import GuestDesktop

        return GuestDesktop
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
