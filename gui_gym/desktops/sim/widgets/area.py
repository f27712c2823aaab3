"""A text of many lines."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Key
from gui_gym.desktops.sim.canvas import Canvas, Rect, intersect
from gui_gym.desktops.sim.fonts import Font
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke
from gui_gym.desktops.sim.widgets.scroll import Scrolling
from gui_gym.desktops.sim.widgets.text import TextWidget

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window


@lru_cache(maxsize=64)
def row_starts(font: Font, text: str, width: int) -> list[int]:
    """Where the rows of ``text`` start: at its lines, and if ``width`` is not 0 where these are broken to be at most so many pixels wide,
    after a space, or within a word that is longer."""
    starts, start = [], 0
    for line in text.split("\n"):
        starts.append(start)
        used, space = 0, -1
        for at, advance in enumerate(font.advances(line) if width else (), start):
            if text[at] == " ":
                space = at
            elif used + advance > width and at > starts[-1]:
                stop = space + 1 if space >= starts[-1] else at
                starts.append(stop)
                used = font.width(text[stop:at])
            used += advance
        start += len(line) + 1
    return starts


@lru_cache(maxsize=64)
def widest_line(font: Font, text: str) -> int:
    """The width of the widest line of ``text`` in pixels."""
    lines = text.split("\n")
    if text.isascii() and "\t" not in text:
        return font.width(max(lines, key=len))  # all letters of the font that areas use are equally wide
    return max(map(font.width, lines))


@dataclass(kw_only=True)
class TextArea(Scrolling, TextWidget):
    """Lines of text in a font of equal widths, with scroll bars. Enter and Tab are typed.

    Args:
        wrap: whether lines are broken to the width of the area.
        goal: where in pixels the caret wants to be when it goes up and down, or -1 for where it is.
        told: what :meth:`damage` knew when it was asked last.
    """

    lines: ClassVar[bool] = True

    wrap: bool = False
    goal: int = -1
    told: tuple[Any, ...] = ()

    def font(self, look: Look) -> Font:
        return look.mono

    def _room(self, look: Look) -> int:
        """The width that lines have, in pixels."""
        return self.w - 2 * look.size.gap - self.bar_width(look) - 2

    def rows(self, look: Look) -> list[int]:
        """Where the rows start."""
        return row_starts(self.font(look), self.text, max(1, self._room(look)) if self.wrap else 0)

    def row_of(self, look: Look, index: int) -> int:
        """The row an index is in."""
        return bisect_right(self.rows(look), index) - 1

    def row_end(self, look: Look, row: int) -> int:
        """Where a row ends: before its line end, or before what is broken off."""
        rows = self.rows(look)
        if row + 1 >= len(rows):
            return len(self.text)
        return rows[row + 1] - 1 if self.text[rows[row + 1] - 1] == "\n" else rows[row + 1]

    def rows_in_all(self, look: Look) -> int:
        return len(self.rows(look))

    def rows_in_view(self, look: Look) -> int:
        return max(1, (self.h - 2 * look.size.gap - self.level_height(look)) // self.font(look).height)

    def pixels_in_all(self, look: Look) -> int:
        return 0 if self.wrap else widest_line(self.font(look), self.text) + 2 * look.size.gap + 2

    def pixels_in_view(self, look: Look) -> int:
        return self._room(look) + 2 * look.size.gap

    def index_at(self, look: Look, x: int, y: int) -> int:
        rows = self.rows(look)
        row = max(0, min(self.top + (y - look.size.gap) // self.font(look).height, len(rows) - 1))
        return self._index_in(look, row, x - look.size.gap + self.left)

    def _index_in(self, look: Look, row: int, x: int) -> int:
        """The index in a row nearest to ``x`` pixels from its start; of a row that is broken off, before the space it ends with."""
        start, end = self.rows(look)[row], self.row_end(look, row)
        at = start + self.font(look).position(self.text[start:end], x)
        broken = end < len(self.text) and self.text[end] != "\n"
        return max(start, end - 1) if broken and at == end else at

    def reveal_caret(self, look: Look) -> None:
        row = self.row_of(look, self.caret)
        self.goal = -1
        self.reveal(look, row)
        at = self.font(look).width(self.text[self.rows(look)[row] : self.caret])
        self.left = at if at < self.left else max(self.left, at - self._room(look))

    def _caret_x(self, look: Look) -> int:
        """Where the caret is, in pixels from the start of its row."""
        return self.font(look).width(self.text[self.rows(look)[self.row_of(look, self.caret)] : self.caret])

    def motion_target(self, look: Look, key: Key, ctrl: bool) -> int | None:
        page = max(1, self.rows_in_view(look) - 1)
        row, steps = self.row_of(look, self.caret), {Key.UP: -1, Key.DOWN: 1, Key.PAGE_UP: -page, Key.PAGE_DOWN: page}
        if key in (Key.HOME, Key.END) and not ctrl:
            return self.rows(look)[row] if key is Key.HOME else self._index_in(look, row, 1 << 30)
        if key not in steps:
            return super().motion_target(look, key, ctrl)
        row += steps[key]
        if row < 0:
            return 0
        if row >= self.rows_in_all(look):
            return len(self.text)
        return self._index_in(look, row, self.goal if self.goal >= 0 else self._caret_x(look))

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        if not stroke.modifiers and stroke.key in (Key.ENTER, Key.TAB):
            self.insert(session, window, "\n" if stroke.key is Key.ENTER else "\t")
            return True
        goal = self.goal if self.goal >= 0 else self._caret_x(session.look)
        used = super().stroke(session, window, stroke)
        if used and stroke.key in (Key.UP, Key.DOWN, Key.PAGE_UP, Key.PAGE_DOWN):
            self.goal = goal
        return used

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        if not self.press_bar(session.look, pointer):
            super().press(session, window, pointer)

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        if not self.move_bar(session.look, pointer):
            super().motion(session, window, pointer)

    def damage(self, look: Look) -> list[Rect]:
        bars = self.thumb(look), self.level_thumb(look), self.grip, self.grip_x
        frame = [self.w, self.h, self.top, self.left, *bars, self.text if self.readonly else ""]
        before, self.told = self.told, (frame, self._lines(look))
        if not before or before[0] != frame:
            return super().damage(look)
        gap, height, out = look.size.gap, self.font(look).height, 2  # pixels that marks reach out of their line
        pairs = enumerate(zip_longest(before[1], self.told[1]))
        parts = [(0, gap + i * height - out, self.w, height + 2 * out) for i, (old, new) in pairs if old != new]
        return [part for part in (intersect(part, (0, 0, self.w, self.h)) for part in parts) if part]

    def _lines(self, look: Look) -> list[tuple[Any, ...]]:
        """What the rows in view show: their text, what of it is selected, and where the caret is."""
        rows, (low, high) = self.rows(look), self.selection
        lines = []
        for row, start in enumerate(rows[self.top : self.top + self.rows_in_view(look) + 1], self.top):
            end = self.row_end(look, row)
            selected = (max(low, start) - start, min(high, end + 1) - start) if low < high and low <= end and high >= start else ()
            lines.append((self.text[start:end], selected, self.caret - start if start <= self.caret <= end else -1))
        return lines

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme, gap = look.theme, look.size.gap
        x, y, w, h = rect
        canvas.fill(rect, theme.field)
        canvas.outline(rect, theme.accent if focused else theme.border)
        inner = canvas.within((x + gap - 1, y + 1, w - gap - self.bar_width(look) - 1, h - 2))
        if inner is not None:
            rows, height = self.rows(look), self.font(look).height
            above = (inner.clip[1] - 2 - y - gap) // height - 1  # rows that cannot be seen, but for marks
            for i, start in enumerate(rows[self.top : self.top + self.rows_in_view(look) + 1]):
                if i < above or i * height + y + gap - 2 >= inner.clip[1] + inner.clip[3]:
                    continue
                line = self.text[start : self.row_end(look, self.top + i)]
                self.draw_line(inner, x + gap - self.left, y + gap + i * height, start, line, look, focused)
        self.draw_bar(canvas, rect, look)
