"""Editing text: what a field of one line and an area of many have in common, and the field."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button, Key, Modifier
from gui_gym.desktops.sim.canvas import Canvas, Rect
from gui_gym.desktops.sim.fonts import Font
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke, Widget

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window

MAX_LENGTH = 100_000  #: characters a widget holds; typing beyond them does nothing
MAX_UNDO = 50  #: steps that can be undone


@dataclass(kw_only=True)
class TextWidget(Widget):
    """Editable text. ``caret`` and ``anchor`` are indices between characters; what lies between them is selected."""

    role: ClassVar[str] = "text"
    focusable: ClassVar[bool] = True
    lines: ClassVar[bool] = False  #: whether it holds line ends

    text: str = ""
    caret: int = 0
    anchor: int = 0
    left: int = 0  #: pixels scrolled out of view at the left
    undo: list[tuple[str, int]] = field(default_factory=list)  #: earlier texts and carets
    typing: bool = False  #: whether the last change was typing, which the next joins as one step to undo

    @property
    def value(self) -> Any:
        return self.text

    @property
    def selection(self) -> tuple[int, int]:
        """The selected range, empty if there is none."""
        return min(self.caret, self.anchor), max(self.caret, self.anchor)

    def font(self, look: Look) -> Font:
        """The font it is drawn in."""
        return look.sans

    def index_at(self, look: Look, x: int, y: int) -> int:
        """The index between characters nearest to a pixel of the widget."""
        raise NotImplementedError

    def reveal_caret(self, look: Look) -> None:
        """Scroll so that the caret can be seen."""
        raise NotImplementedError

    def line_bounds(self, index: int) -> tuple[int, int]:
        """Where the line that holds ``index`` starts and ends."""
        end = self.text.find("\n", index)
        return self.text.rfind("\n", 0, index) + 1, len(self.text) if end < 0 else end

    def move_caret(self, look: Look, index: int, select: bool) -> None:
        """Put the caret at ``index``, selecting from where it was if ``select``."""
        self.caret = max(0, min(index, len(self.text)))
        if not select:
            self.anchor = self.caret
        self.typing = False
        self.reveal_caret(look)

    def replace(self, session: Session, window: Window, text: str, typing: bool = False) -> None:
        """Put ``text`` in the place of the selection."""
        low, high = self.selection
        if not text and low == high or len(self.text) - (high - low) + len(text) > MAX_LENGTH:
            return
        if not (typing and self.typing and low == high):
            self.undo = [*self.undo[1 - MAX_UNDO :], (self.text, self.caret)]
        self.text = self.text[:low] + text + self.text[high:]
        self.move_caret(session.look, low + len(text), False)
        self.typing = typing
        session.changed(window, self)

    def set(self, session: Session, window: Window, text: str) -> None:
        """Give it another text, as a program does: it cannot be undone and tells nobody."""
        self.text, self.undo, self.left = text, [], 0
        self.move_caret(session.look, len(text), False)
        session.touch(window, self)

    def insert(self, session: Session, window: Window, text: str) -> None:
        self.replace(session, window, text, typing=True)

    def word(self, index: int, step: int) -> int:
        """The edge of a word to the left (``step`` -1) or right (1) of ``index``."""
        while 0 < index + (step > 0) <= len(self.text) and index + step >= 0 and not self._alnum(index, step):
            index += step
        while 0 < index + (step > 0) <= len(self.text) and index + step >= 0 and self._alnum(index, step):
            index += step
        return index

    def _alnum(self, index: int, step: int) -> bool:
        return self.text[index if step > 0 else index - 1].isalnum()

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        if pointer.button is not Button.LEFT:
            return
        look, at = session.look, self.index_at(session.look, pointer.x, pointer.y)
        if pointer.count == 1:
            self.move_caret(look, at, Modifier.SHIFT in pointer.modifiers)
        elif pointer.count == 2:
            start = at
            while start > 0 and self.text[start - 1].isalnum():
                start -= 1
            end = at
            while end < len(self.text) and self.text[end].isalnum():
                end += 1
            self.anchor, self.caret = start, end
        else:
            self.anchor, self.caret = self.line_bounds(at)

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        self.move_caret(session.look, self.index_at(session.look, pointer.x, pointer.y), True)

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        key, modifiers = stroke.key, stroke.modifiers
        if modifiers & {Modifier.ALT, Modifier.META}:
            return False
        if Modifier.CTRL in modifiers and self.command(session, window, key):
            return True
        target = self.motion_target(session.look, key, Modifier.CTRL in modifiers)
        if target is not None:
            low, high = self.selection
            select = Modifier.SHIFT in modifiers
            if low != high and not select and key in (Key.LEFT, Key.RIGHT):
                target = low if key is Key.LEFT else high
            self.move_caret(session.look, target, select)
            return True
        if key in (Key.BACKSPACE, Key.DELETE):
            if self.caret == self.anchor:
                step = -1 if key is Key.BACKSPACE else 1
                edge = self.word(self.caret, step) if Modifier.CTRL in modifiers else self.caret + step
                self.anchor = max(0, min(edge, len(self.text)))
            self.replace(session, window, "")
            return True
        if stroke.text:
            self.insert(session, window, stroke.text)
            return True
        return False

    def motion_target(self, look: Look, key: Key, ctrl: bool) -> int | None:
        """Where a key takes the caret, or None if it is no key of that kind."""
        start, end = self.line_bounds(self.caret)
        match key:
            case Key.LEFT | Key.RIGHT:
                step = -1 if key is Key.LEFT else 1
                return self.word(self.caret, step) if ctrl else self.caret + step
            case Key.HOME:
                return 0 if ctrl else start
            case Key.END:
                return len(self.text) if ctrl else end
        return None

    def command(self, session: Session, window: Window, key: Key) -> bool:
        """What CTRL and a letter do: A all, C copy, X cut, V paste, Z undo. Whether it is one of them."""
        low, high = self.selection
        if key is Key.A:
            self.anchor, self.caret = 0, len(self.text)
        elif key in (Key.C, Key.X):
            if low != high:
                session.state.clipboard = self.text[low:high]
                if key is Key.X:
                    self.replace(session, window, "")
        elif key is Key.V:
            text = session.state.clipboard
            self.replace(session, window, text if self.lines else text.replace("\n", " "))
        elif key is Key.Z:
            if self.undo:
                self.text, caret = self.undo.pop()
                self.move_caret(session.look, caret, False)
                session.changed(window, self)
        else:
            return False
        return True

    def draw_line(self, canvas: Canvas, x: int, y: int, start: int, line: str, look: Look, focused: bool) -> None:
        """Draw a line of text whose first character is number ``start``, with what is selected in it and the caret.

        Only the characters within the canvas are drawn, so that a very long line costs little.
        """
        font = self.font(look)
        advances = font.advances(line)
        low, high = self.selection
        first, at = 0, x
        while first < len(line) and at + advances[first] < canvas.clip[0] - font.height:
            at += advances[first]
            first += 1
        last, right = first, at
        while last < len(line) and right < canvas.clip[0] + canvas.clip[2]:
            right += advances[last]
            last += 1
        if low != high and low <= start + len(line) and high >= start:
            a, b = max(low - start, first), min(high - start, last)
            if a <= b:
                left = at + sum(advances[first:a])
                width = sum(advances[a:b]) + (font.width(" ") // 2 if high > start + len(line) else 0)
                canvas.fill((left, y, width, font.height), look.theme.select)
        canvas.text(at, y, line[first:last], font, look.theme.text)
        if focused and start + first <= self.caret <= start + last:
            canvas.fill((at + sum(advances[first : self.caret - start]), y, 1 if look.size.font < 14 else 2, font.height), look.theme.accent)


@dataclass(kw_only=True)
class TextField(TextWidget):
    """A field of one line, which scrolls sideways with the caret."""

    def index_at(self, look: Look, x: int, y: int) -> int:
        return self.font(look).position(self.text, x - self._inset(look) + self.left)

    def _inset(self, look: Look) -> int:
        return look.size.gap + 1

    def reveal_caret(self, look: Look) -> None:
        at = self.font(look).width(self.text[: self.caret])
        room = self.w - 2 * self._inset(look) - 2
        self.left = max(0, min(self.left, at)) if at < self.left else max(self.left, at - room)

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme = look.theme
        x, y, w, h = rect
        canvas.panel(rect, theme.field, theme.accent if focused else theme.border, look.size.radius // 2)
        inset = self._inset(look)
        inner = canvas.within((x + inset - 1, y + 1, w - 2 * inset + 2, h - 2))
        if inner is None:
            return
        top = y + (h - look.sans.height) // 2
        self.draw_line(inner, x + inset - self.left, top, 0, self.text, look, focused)
