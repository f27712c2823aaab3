"""A text to be read: broken into lines, scrolled, selected and copied, but not changed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from gui_gym.actions import Key
from gui_gym.desktops.sim.canvas import Canvas, Rect
from gui_gym.desktops.sim.fonts import Font
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer
from gui_gym.desktops.sim.widgets.scroll import Scrolling
from gui_gym.desktops.sim.widgets.text import TextWidget

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window


@lru_cache(maxsize=64)
def breaks(font: Font, text: str, width: int) -> list[tuple[int, int]]:
    """Where the lines of ``text`` start and end when they are at most ``width`` pixels wide: broken after spaces, or within a longer word."""
    lines, start = [], 0
    for paragraph in text.split("\n"):
        end = start + len(paragraph)
        used, space = 0, -1
        for at, advance in enumerate(font.advances(paragraph), start):
            if text[at] == " ":
                space = at
            elif used + advance > width and at > start:
                stop = space + 1 if space >= start else at
                lines.append((start, stop))
                used = font.width(text[stop:at])
                start, space = stop, -1
            used += advance
        lines.append((start, end))
        start = end + 1
    return lines


@dataclass(kw_only=True)
class Reader(Scrolling, TextWidget):
    """A text that cannot be changed, in the font of labels; its first line is bold if ``headed``."""

    headed: bool = False

    def _rows(self, look: Look) -> list[tuple[int, int]]:
        return breaks(look.sans, self.text, max(1, self.w - 2 * look.size.gap - self.track(look)[2] - 2))

    def show(self, text: str, headed: bool = False) -> None:
        """Show another text, from its start."""
        self.text, self.headed = text, headed
        self.caret = self.anchor = self.top = 0

    def rows_in_all(self, look: Look) -> int:
        return self._count

    @property
    def _count(self) -> int:
        return self.text.count("\n") + 1

    def rows_in_view(self, look: Look) -> int:
        return max(1, (self.h - 2 * look.size.gap) // look.sans.height)

    def scroll_to(self, look: Look, top: int) -> None:
        self.top = max(0, min(top, len(self._rows(look)) - self.rows_in_view(look)))

    def thumb(self, look: Look) -> Rect | None:
        total, view = len(self._rows(look)), self.rows_in_view(look)
        if total <= view:
            return None
        x, y, w, h = self.track(look)
        length = max(look.size.font, h * view // total)
        return x, y + (h - length) * min(self.top, total - view) // (total - view), w, length

    def _row(self, look: Look, index: int) -> int:
        return next((i for i, (start, _) in reversed(list(enumerate(self._rows(look)))) if start <= index), 0)

    def index_at(self, look: Look, x: int, y: int) -> int:
        rows = self._rows(look)
        start, end = rows[max(0, min(self.top + (y - look.size.gap) // look.sans.height, len(rows) - 1))]
        return start + look.sans.position(self.text[start:end], x - look.size.gap)

    def reveal_caret(self, look: Look) -> None:
        self.reveal(look, self._row(look, self.caret))

    def motion_target(self, look: Look, key: Key, ctrl: bool) -> int | None:
        steps = {Key.UP: -1, Key.DOWN: 1, Key.PAGE_UP: 1 - self.rows_in_view(look), Key.PAGE_DOWN: self.rows_in_view(look) - 1}
        if key not in steps:
            return super().motion_target(look, key, ctrl)
        rows = self._rows(look)
        return rows[max(0, min(self._row(look, self.caret) + steps[key], len(rows) - 1))][0]

    def replace(self, session: Session, window: Window, text: str, typing: bool = False) -> None:
        """Nothing: it is not to be changed."""

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        if not self.press_bar(session.look, pointer):
            super().press(session, window, pointer)

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        if not self.move_bar(session.look, pointer):
            super().motion(session, window, pointer)

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme, gap = look.theme, look.size.gap
        x, y, w, h = rect
        canvas.fill(rect, theme.field)
        canvas.outline(rect, theme.accent if focused else theme.border)
        inner = canvas.within((x + gap - 1, y + 1, w - gap - self.track(look)[2] - 1, h - 2))
        if inner is not None:
            rows, height = self._rows(look), look.sans.height
            for i, (start, end) in enumerate(rows[self.top : self.top + self.rows_in_view(look) + 1]):
                at = x + gap, y + gap + i * height
                if self.headed and "\n" not in self.text[:end]:
                    inner.text(*at, self.text[start:end], look.bold, theme.text)
                else:
                    self.draw_line(inner, *at, start, self.text[start:end], look, False)
        self.draw_bar(canvas, rect, look)
