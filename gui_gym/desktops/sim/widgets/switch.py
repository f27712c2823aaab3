"""A switch that is on or off, and takes effect at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gui_gym.desktops.sim.canvas import Canvas, Rect, disc
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.basic import CheckBox


@dataclass(kw_only=True)
class Switch(CheckBox):
    """Its label at the left, the switch at the right end: to the right and coloured while it is on."""

    role: ClassVar[str] = "toggle button"

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme, (x, y, w, h) = look.theme, rect
        high = look.size.font + look.size.font % 2
        wide = 2 * high
        left, top = x + w - wide - 2, y + (h - high) // 2
        canvas.rounded((left, top, wide, high), theme.accent if self.checked else theme.muted, high // 2)
        knob = high - 4
        canvas.mask(left + (wide - knob - 2 if self.checked else 2), top + 2, disc(knob), theme.on_accent if self.checked else theme.window)
        text = look.sans.shorten(self.name, w - wide - look.size.gap)
        canvas.text(x + 1, y + (h - look.sans.height) // 2, text, look.sans, theme.text if self.enabled else theme.muted)
        if focused:
            canvas.outline(rect, theme.accent)
