"""A link in a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from gui_gym.desktops.sim.canvas import Canvas, Rect
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.basic import Clickable

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window


@dataclass(kw_only=True)
class Link(Clickable):
    """Underlined words that can be clicked; pale once they have been."""

    role: ClassVar[str] = "link"

    visited: bool = False

    def use(self, session: Session, window: Window) -> None:
        self.visited = True
        super().use(session, window)

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        x, y, w, h = rect
        color = look.theme.muted if self.visited else look.theme.accent
        text = look.sans.shorten(self.name, w)
        top = y + (h - look.sans.height) // 2
        canvas.text(x, top, text, look.sans, color)
        canvas.fill((x, min(top + look.sans.ascent + 1, y + h - 1), look.sans.width(text), 1), color)
        if focused:
            canvas.outline(rect, color)
