"""Choices that show how they look: a small desktop for a theme, two letters for a size of text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gui_gym.desktops.sim.canvas import Canvas, Rect
from gui_gym.desktops.sim.fonts import font
from gui_gym.desktops.sim.look import THEMES, Look
from gui_gym.desktops.sim.widgets.basic import Radio


@dataclass(kw_only=True)
class Tile(Radio):
    """A radio button with a picture above its name: of the theme ``theme``, or of letters ``letters`` pixels high.

    The chosen one has a thick frame.
    """

    role: ClassVar[str] = "radio button"

    theme: str = ""
    letters: int = 0

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        x, y, w, h = rect
        edge, high = 2 if look.size.font >= 11 else 1, h - look.sans.height - 1
        frame = look.theme.accent if self.checked else look.theme.border
        canvas.rounded((x, y, w, high), frame, look.size.radius // 2)
        inner = (x + edge, y + edge, w - 2 * edge, high - 2 * edge)
        if self.theme:
            _draw_theme(canvas, inner, self.theme)
        else:
            canvas.fill(inner, look.theme.field)
            sample = font("sans", self.letters)
            top = y + (high - sample.height) // 2
            part = canvas.within(inner)
            if part:
                part.text(x + (w - sample.width("Aa")) // 2, top, "Aa", sample, look.theme.text)
        name = look.sans.shorten(self.name, w)
        face = look.theme.accent if focused else look.theme.text
        canvas.text(x + (w - look.sans.width(name)) // 2, y + high + 1, name, look.sans, face)


def _draw_theme(canvas: Canvas, rect: Rect, name: str) -> None:
    """A desktop with a window and a task bar in the colours of a theme."""
    theme, (x, y, w, h) = THEMES[name], rect
    canvas.fill((x, y, w, h // 2), theme.sky)
    canvas.fill((x, y + h // 2, w, h - h // 2), theme.ground)
    bar = max(2, h // 6)
    canvas.fill((x, y + h - bar, w, bar), theme.bar)
    left, top, wide, high = x + w // 4, y + h // 6, w // 2, h * 7 // 12
    canvas.fill((left, top, wide, high), theme.border)
    canvas.fill((left + 1, top + 1, wide - 2, high - 2), theme.window)
    canvas.fill((left + 1, top + 1, wide - 2, max(1, high // 5)), theme.title)
    canvas.fill((left + wide // 6, top + high // 3, wide * 2 // 3, max(1, high // 8)), theme.text)
    canvas.fill((left + wide // 6, top + high * 2 // 3, wide // 3, max(1, high // 5)), theme.accent)
