"""A tree of folders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button
from gui_gym.desktops.sim.art import folder, page
from gui_gym.desktops.sim.canvas import Canvas, Rect, inside
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer
from gui_gym.desktops.sim.widgets.outline import Outline, Row, draw_arrow

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window


@dataclass(kw_only=True)
class Tree(Outline):
    """A click selects an entry; its arrow, a double click or Enter opens and closes one with entries below it, and activates any other."""

    role: ClassVar[str] = "tree"

    @property
    def value(self) -> Any:
        return self.selected

    def use(self, session: Session, window: Window, row: Row) -> None:
        if row.node.nodes:
            self.toggle(session, window, row)
        else:
            session.signal(window, self, "activated", row.path)

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        look, at = session.look, self.row_at(session.look, pointer.y)
        if self.press_bar(look, pointer) or at < 0 or pointer.button is not Button.LEFT:
            return
        row = self.rows()[at]
        arrow = self.arrow_rect(look, at, row.depth)
        if row.node.nodes and arrow and inside(arrow, pointer.x, pointer.y):
            self.toggle(session, window, row)
        elif pointer.count == 2 and row.path == self.selected:
            self.use(session, window, row)
        else:
            self.select(session, window, row)

    def draw_row(self, canvas: Canvas, rect: Rect, row: Row, look: Look) -> None:
        x, y, w, h = rect
        size, theme = look.size, look.theme
        if row.path == self.selected:
            canvas.fill(rect, theme.select)
        step = size.font + size.gap
        left = x + row.depth * step
        if row.node.nodes:
            draw_arrow(canvas, (left, y, step, h), row.node.open, look, theme.muted)
        left += step
        (folder if row.node.nodes else page)(canvas, (left, y + (h - size.font) // 2, size.font, size.font))
        left += step
        canvas.text(left, y + (h - look.sans.height) // 2, look.sans.shorten(row.node.name, x + w - left - 1), look.sans, theme.text)
