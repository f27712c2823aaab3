"""Sections of links that open and close."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from gui_gym.actions import Button
from gui_gym.desktops.sim.canvas import Canvas, Rect
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer
from gui_gym.desktops.sim.widgets.outline import Outline, Row, draw_arrow

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window


@dataclass(kw_only=True)
class Sections(Outline):
    """A click on a section's head opens or closes it; one on a link below it signals ``"clicked"`` with the path of both."""

    role: ClassVar[str] = "panel"

    def role_of(self, row: Row) -> str:
        return "link" if row.depth else "toggle button"

    def row_height(self, look: Look) -> int:
        return look.size.control - 1

    def use(self, session: Session, window: Window, row: Row) -> None:
        if row.node.nodes:
            self.toggle(session, window, row)
        else:
            session.signal(window, self, "clicked", row.path)

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        at = self.row_at(session.look, pointer.y)
        if self.press_bar(session.look, pointer) or at < 0 or pointer.button is not Button.LEFT or pointer.count > 1:
            return
        row = self.rows()[at]
        left, wide = self._text(session.look, row)
        if row.depth == 0 or left <= pointer.x < left + wide:
            self.selected = row.path
            self.use(session, window, row)

    @staticmethod
    def _text(look: Look, row: Row) -> tuple[int, int]:
        """Where a row's text begins, from the widget's left edge, and how wide it is."""
        font = look.sans if row.depth else look.bold
        return look.size.font + look.size.gap + 1, font.width(row.node.name)

    def draw_row(self, canvas: Canvas, rect: Rect, row: Row, look: Look) -> None:
        x, y, w, h = rect
        theme, step = look.theme, look.size.font + look.size.gap
        head = row.depth == 0
        if head:
            canvas.fill((x, y, w, h - 1), theme.face)
            canvas.fill((x, y + h - 1, w, 1), theme.border)
            draw_arrow(canvas, (x, y, step, h), row.node.open, look, theme.muted)
        font = look.bold if head else look.sans
        left = x + step
        text = font.shorten(row.node.name, x + w - left - 1)
        top = y + (h - font.height) // 2
        canvas.text(left, top, text, font, theme.text if head else theme.accent)
        if not head:
            canvas.fill((left, min(top + font.ascent + 1, y + h - 1), font.width(text), 1), theme.accent)
        if row.path == self.selected:
            canvas.outline((x, y, w, h), theme.accent)
