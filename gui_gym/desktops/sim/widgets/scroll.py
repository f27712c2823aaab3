"""What text areas and lists share: rows, of which some are in view, and scroll bars."""

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
    """A widget of rows, and of any width.

    Args:
        top: the first row in view.
        left: pixels scrolled out of view at the left.
        grip, grip_x: where in pixels the pointer holds the thumb of the upright and of the level scroll bar, or -1.
    """

    top: int = 0
    left: int = 0
    grip: int = -1
    grip_x: int = -1

    def rows_in_all(self, look: Look) -> int:
        """How many rows it has."""
        raise NotImplementedError

    def rows_in_view(self, look: Look) -> int:
        """How many rows fit in it."""
        raise NotImplementedError

    def pixels_in_all(self, look: Look) -> int:
        """How wide its content is; 0 if it never scrolls sideways."""
        return 0

    def pixels_in_view(self, look: Look) -> int:
        """How much of that width fits in it."""
        return self.w - 2 - self.track(look)[2]

    def scroll_to(self, look: Look, top: int) -> None:
        """Make ``top`` the first row in view, as far as there are rows."""
        self.top = max(0, min(top, self.rows_in_all(look) - self.rows_in_view(look)))

    def scroll_sideways(self, look: Look, left: int) -> None:
        """Scroll ``left`` pixels out of view, as far as there is something to see."""
        self.left = max(0, min(left, self.pixels_in_all(look) - self.pixels_in_view(look)))

    def reveal(self, look: Look, row: int) -> None:
        """Scroll as little as brings ``row`` into view."""
        self.scroll_to(look, min(self.top, row) if row < self.top else max(self.top, row - self.rows_in_view(look) + 1))

    # Scroll bars, in pixels from the widget's upper left corner

    def bar_width(self, look: Look) -> int:
        """How wide a scroll bar is."""
        return max(5, look.size.font * 2 // 3)

    def track(self, look: Look) -> Rect:
        """The upright scroll bar."""
        width = self.bar_width(look)
        return self.w - width - 1, 1, width, self.h - 2 - self.level_height(look)

    def level_height(self, look: Look) -> int:
        """The height of the level scroll bar: 0 if all of the width is in view."""
        return self.bar_width(look) if self.pixels_in_all(look) > self.w - 2 - self.bar_width(look) else 0

    def level_track(self, look: Look) -> Rect:
        """The level scroll bar."""
        height = self.level_height(look)
        return 1, self.h - height - 1, self.w - 2 - self.bar_width(look), height

    def thumb(self, look: Look) -> Rect | None:
        """The upright scroll bar's thumb, or None if all rows are in view."""
        total, view = self.rows_in_all(look), self.rows_in_view(look)
        if total <= view:
            return None
        x, y, w, h = self.track(look)
        length = min(h, max(look.size.font, h * view // total))
        return x, y + (h - length) * min(self.top, total - view) // (total - view), w, length

    def level_thumb(self, look: Look) -> Rect | None:
        """The level scroll bar's thumb, or None if all of the width is in view."""
        total, view = self.pixels_in_all(look), self.pixels_in_view(look)
        if total <= max(0, view) or not self.level_height(look):
            return None
        x, y, w, h = self.level_track(look)
        length = min(w, max(look.size.font, w * view // total))
        return x + (w - length) * min(self.left, total - view) // (total - view), y, length, h

    def bars(self, look: Look) -> list[tuple[Rect, int]]:
        """The scroll bars for which there is something to scroll, and how far they are scrolled, in hundredths."""
        result = []
        if self.thumb(look) is not None:
            result.append((self.track(look), 100 * self.top // max(1, self.rows_in_all(look) - self.rows_in_view(look))))
        if self.level_thumb(look) is not None:
            result.append((self.level_track(look), 100 * self.left // max(1, self.pixels_in_all(look) - self.pixels_in_view(look))))
        return result

    def wheel(self, session: Session, window: Window, dx: int, dy: int) -> None:
        self.scroll_to(session.look, self.top + NOTCH * dy)
        if dx:
            self.scroll_sideways(session.look, self.left + NOTCH * dx * session.look.size.font)

    def press_bar(self, look: Look, pointer: Pointer) -> bool:
        """A press on a scroll bar: hold the thumb, or turn a page. Whether it was one."""
        if max(pointer.x - self.w, pointer.y - self.h) < -self.bar_width(look) - 1:
            return False  # where neither of them can be
        thumb, level = self.thumb(look), self.level_thumb(look)
        if thumb is not None and inside(self.track(look), pointer.x, pointer.y):
            if pointer.button is Button.LEFT:
                if inside(thumb, pointer.x, pointer.y):
                    self.grip = pointer.y - thumb[1]
                else:
                    page = max(1, self.rows_in_view(look) - 1)
                    self.scroll_to(look, self.top + (page if pointer.y > thumb[1] else -page))
            return True
        if level is not None and inside(self.level_track(look), pointer.x, pointer.y):
            if pointer.button is Button.LEFT:
                if inside(level, pointer.x, pointer.y):
                    self.grip_x = pointer.x - level[0]
                else:
                    page = self.pixels_in_view(look) * 3 // 4
                    self.scroll_sideways(look, self.left + (page if pointer.x > level[0] else -page))
            return True
        return False

    def move_bar(self, look: Look, pointer: Pointer) -> bool:
        """The pointer moved: whether it holds a thumb."""
        if self.grip < 0 and self.grip_x < 0:
            return False
        thumb, level = self.thumb(look), self.level_thumb(look)
        if self.grip >= 0 and thumb is not None:
            _, y, _, h = self.track(look)
            free, hidden = h - thumb[3], self.rows_in_all(look) - self.rows_in_view(look)
            if free > 0:
                self.scroll_to(look, ((pointer.y - self.grip - y) * hidden + free // 2) // free)
            return True
        if self.grip_x >= 0 and level is not None:
            x, _, w, _ = self.level_track(look)
            free, hidden = w - level[2], self.pixels_in_all(look) - self.pixels_in_view(look)
            if free > 0:
                self.scroll_sideways(look, ((pointer.x - self.grip_x - x) * hidden + free // 2) // free)
            return True
        return False

    def release(self, session: Session, window: Window, pointer: Pointer) -> None:
        self.grip = self.grip_x = -1

    def let_go(self) -> None:
        self.grip = self.grip_x = -1

    def draw_bar(self, canvas: Canvas, rect: Rect, look: Look) -> None:
        """Draw the scroll bars for which there is something to scroll."""
        for track, thumb, held in ((self.track, self.thumb(look), self.grip >= 0), (self.level_track, self.level_thumb(look), self.grip_x >= 0)):
            if thumb is not None:
                x, y, w, h = track(look)
                canvas.fill((rect[0] + x, rect[1] + y, w, h), look.theme.face)
                color = look.theme.accent if held else look.theme.muted
                inner = (rect[0] + thumb[0] + 1, rect[1] + thumb[1] + 1, thumb[2] - 2, thumb[3] - 2)
                canvas.rounded(inner, color, min(inner[2], inner[3]) // 2)
