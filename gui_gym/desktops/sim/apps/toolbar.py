"""Arranging the parts of an app's window at whatever size it has."""

from __future__ import annotations

from collections.abc import Sequence

from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Widget


def hide(widget: Widget) -> None:
    """Take a widget out of its window's picture and out of reach."""
    widget.x = widget.y = widget.w = widget.h = 0
    widget.enabled = False


def show(widget: Widget, x: int, y: int, w: int, h: int) -> None:
    """Put a widget at a place of its window, or hide it if there is no room."""
    if w <= 0 or h <= 0:
        hide(widget)
        return
    widget.x, widget.y, widget.w, widget.h, widget.enabled = x, y, w, h, True


def put_buttons(look: Look, buttons: Sequence[Widget], x: int, y: int, width: int) -> None:
    """Put buttons in a row ``width`` pixels wide, each as wide as its label. Those there is no room for are hidden: menus have them too."""
    size, left = look.size, x
    for i, button in enumerate(buttons):
        w = look.sans.width(button.name) + 2 * size.gap + 4
        if left + w > x + width:
            for other in buttons[i:]:
                hide(other)
            return
        show(button, left, y, w, size.control)
        left += w + max(2, size.gap // 2)
