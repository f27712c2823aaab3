"""A text of many lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from gui_gym.actions import Key
from gui_gym.desktops.sim.canvas import Canvas, Rect
from gui_gym.desktops.sim.fonts import Font
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke
from gui_gym.desktops.sim.widgets.scroll import NOTCH, Scrolling
from gui_gym.desktops.sim.widgets.text import TextWidget

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window


@dataclass(kw_only=True)
class TextArea(Scrolling, TextWidget):
    """Lines of text in a font of equal widths, unbroken, with a scroll bar. Enter and Tab are typed."""

    lines: ClassVar[bool] = True

    def font(self, look: Look) -> Font:
        return look.mono

    def rows_in_all(self) -> int:
        return self.text.count("\n") + 1

    def rows_in_view(self, look: Look) -> int:
        return max(1, (self.h - 2 * look.size.gap) // self.font(look).height)

    def _row(self, index: int) -> int:
        return self.text.count("\n", 0, index)

    def index_at(self, look: Look, x: int, y: int) -> int:
        rows = self.text.split("\n")
        row = max(0, min(self.top + (y - look.size.gap) // self.font(look).height, len(rows) - 1))
        return sum(len(line) + 1 for line in rows[:row]) + self.font(look).position(rows[row], x - look.size.gap + self.left)

    def reveal_caret(self, look: Look) -> None:
        self.reveal(look, self._row(self.caret))
        start, _ = self.line_bounds(self.caret)
        at = self.font(look).width(self.text[start : self.caret])
        room = self.w - 2 * look.size.gap - self.track(look)[2] - 2
        self.left = at if at < self.left else max(self.left, at - room)

    def motion_target(self, look: Look, key: Key, ctrl: bool) -> int | None:
        steps = {Key.UP: -1, Key.DOWN: 1, Key.PAGE_UP: 1 - self.rows_in_view(look), Key.PAGE_DOWN: self.rows_in_view(look) - 1}
        if key not in steps:
            return super().motion_target(look, key, ctrl)
        start, _ = self.line_bounds(self.caret)
        x = self.font(look).width(self.text[start : self.caret])
        rows = self.text.split("\n")
        row = self._row(self.caret) + steps[key]
        if row < 0:
            return 0
        if row >= len(rows):
            return len(self.text)
        return sum(len(line) + 1 for line in rows[:row]) + self.font(look).position(rows[row], x)

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        if not stroke.modifiers and stroke.key in (Key.ENTER, Key.TAB):
            self.insert(session, window, "\n" if stroke.key is Key.ENTER else "\t")
            return True
        return super().stroke(session, window, stroke)

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        if not self.press_bar(session.look, pointer):
            super().press(session, window, pointer)

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        if not self.move_bar(session.look, pointer):
            super().motion(session, window, pointer)

    def wheel(self, session: Session, window: Window, dx: int, dy: int) -> None:
        super().wheel(session, window, dx, dy)
        letter = self.font(session.look).width(" ")
        longest = letter * max(map(len, self.text.split("\n")))
        self.left = max(0, min(self.left + NOTCH * dx * letter, longest - self.w // 2))

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme, gap = look.theme, look.size.gap
        x, y, w, h = rect
        canvas.fill(rect, theme.field)
        canvas.outline(rect, theme.accent if focused else theme.border)
        inner = canvas.within((x + gap - 1, y + 1, w - gap - self.track(look)[2] - 1, h - 2))
        if inner is not None:
            rows = self.text.split("\n")
            start = sum(len(line) + 1 for line in rows[: self.top])
            height = self.font(look).height
            for i, line in enumerate(rows[self.top : self.top + self.rows_in_view(look) + 1]):
                self.draw_line(inner, x + gap - self.left, y + gap + i * height, start, line, look, focused)
                start += len(line) + 1
        self.draw_bar(canvas, rect, look)
