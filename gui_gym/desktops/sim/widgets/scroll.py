"""What text areas and lists share: rows, of which some are in view, and a scroll bar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui_gym.actions import Button
from gui_gym.desktops.sim.canvas import Canvas, Rect, inside
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer, Widget

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window

NOTCH = 3  #: rows that one notch of the wheel scrolls


@dataclass(kw_only=True)
class Scrolling(Widget):
    """A widget of rows. ``top`` is the first row in view; ``grip`` is where the pointer holds the thumb, or -1."""

    top: int = 0
    grip: int = -1

    def rows_in_all(self) -> int:
        """How many rows it has."""
        raise NotImplementedError

    def rows_in_view(self, look: Look) -> int:
        """How many rows fit in it."""
        raise NotImplementedError

    def scroll_to(self, look: Look, top: int) -> None:
        """Make ``top`` the first row in view, as far as there are rows."""
        self.top = max(0, min(top, self.rows_in_all() - self.rows_in_view(look)))

    def reveal(self, look: Look, row: int) -> None:
        """Scroll as little as brings ``row`` into view."""
        self.scroll_to(look, min(self.top, row) if row < self.top else max(self.top, row - self.rows_in_view(look) + 1))

    def track(self, look: Look) -> Rect:
        """The scroll bar, relative to the widget."""
        width = max(5, look.size.font * 2 // 3)
        return self.w - width - 1, 1, width, self.h - 2

    def thumb(self, look: Look) -> Rect | None:
        """The scroll bar's thumb, relative to the widget, or None if all rows are in view."""
        total, view = self.rows_in_all(), self.rows_in_view(look)
        if total <= view:
            return None
        x, y, w, h = self.track(look)
        length = max(look.size.font, h * view // total)
        return x, y + (h - length) * self.top // (total - view), w, length

    def wheel(self, session: Session, window: Window, dx: int, dy: int) -> None:
        self.scroll_to(session.look, self.top + NOTCH * dy)

    def press_bar(self, look: Look, pointer: Pointer) -> bool:
        """A press on the scroll bar: hold the thumb, or turn a page. Whether it was one."""
        thumb = self.thumb(look)
        if thumb is None or not inside(self.track(look), pointer.x, pointer.y):
            return False
        if pointer.button is Button.LEFT:
            if inside(thumb, pointer.x, pointer.y):
                self.grip = pointer.y - thumb[1]
            else:
                page = max(1, self.rows_in_view(look) - 1)
                self.scroll_to(look, self.top + (page if pointer.y > thumb[1] else -page))
        return True

    def move_bar(self, look: Look, pointer: Pointer) -> bool:
        """The pointer moved: whether it holds the thumb."""
        thumb = self.thumb(look)
        if self.grip < 0 or thumb is None:
            return False
        _, y, _, h = self.track(look)
        free, hidden = h - thumb[3], self.rows_in_all() - self.rows_in_view(look)
        if free > 0:
            self.scroll_to(look, ((pointer.y - self.grip - y) * hidden + free // 2) // free)
        return True

    def release(self, session: Session, window: Window, pointer: Pointer) -> None:
        self.grip = -1

    def draw_bar(self, canvas: Canvas, rect: Rect, look: Look) -> None:
        """Draw the scroll bar if there is something to scroll."""
        thumb = self.thumb(look)
        if thumb is not None:
            x, y, w, h = self.track(look)
            canvas.fill((rect[0] + x, rect[1] + y, w, h), look.theme.face)
            color = look.theme.accent if self.grip >= 0 else look.theme.muted
            canvas.rounded((rect[0] + thumb[0] + 1, rect[1] + thumb[1] + 1, w - 2, thumb[3] - 2), color, w // 2 - 1)
