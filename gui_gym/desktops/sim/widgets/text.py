"""Editing text: what a field of one line and an area of many have in common, and the field."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import accumulate
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
_LONG = 256  #: characters: shorter lines are drawn whole, which is faster than finding out which part of them is seen

#: The context menu, and the letter that does the same with CTRL.
MENU = {"Cut": Key.X, "Copy": Key.C, "Paste": Key.V, "Select all": Key.A}
_SHORTCUTS = {name: f"Ctrl+{key.name}" for name, key in MENU.items()}

#: What other keys do, with CTRL (True) or with SHIFT: the same as a letter with CTRL.
_OLD_KEYS = {(Key.INSERT, True): Key.C, (Key.INSERT, False): Key.V, (Key.DELETE, False): Key.X}


@dataclass(frozen=True)
class Edit:
    """A change that can be undone: at an index, ``new`` took the place of ``old``; caret and anchor were there before."""

    at: int
    old: str
    new: str
    caret: int
    anchor: int


@dataclass(kw_only=True)
class TextWidget(Widget):
    """Editable text. ``caret`` and ``anchor`` are indices between characters; what lies between them is selected.

    Args:
        readonly: whether it can be selected and copied, but not changed.
        run: "type" or "erase" while the last change was that, which the next one of its kind joins as one step to undo, else "".
    """

    role: ClassVar[str] = "text"
    focusable: ClassVar[bool] = True
    lines: ClassVar[bool] = False  #: whether it holds line ends
    secret: ClassVar[bool] = False  #: whether it cannot be copied, nor its words be told apart

    text: str = ""
    caret: int = 0
    anchor: int = 0
    left: int = 0  #: pixels scrolled out of view at the left
    readonly: bool = False
    undone: list[Edit] = field(default_factory=list)
    done: list[Edit] = field(default_factory=list)
    run: str = ""

    @property
    def value(self) -> Any:
        return self.text

    @property
    def selection(self) -> tuple[int, int]:
        """The selected range, empty if there is none."""
        return min(self.caret, self.anchor), max(self.caret, self.anchor)

    @property
    def shown(self) -> str:
        """What is drawn for the text, as long as it."""
        return self.text

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
        self.run = ""
        self.reveal_caret(look)

    # Changes

    def set(self, session: Session, window: Window, text: str) -> None:
        """Give it another text, as a program does: it cannot be undone and tells nobody."""
        self.text, self.done, self.undone, self.left = text, [], [], 0
        self.move_caret(session.look, len(text), False)
        session.touch(window, self)

    def replace(self, session: Session, window: Window, text: str, typing: bool = False) -> None:
        """Put ``text`` in the place of the selection. What is typed in one go is undone in one."""
        low, high = self.selection
        if self.readonly or not text and low == high or len(self.text) - (high - low) + len(text) > MAX_LENGTH:
            return
        self._record(Edit(low, self.text[low:high], text, self.caret, self.anchor), "type" if typing and low == high else "")
        self._put(session, window, low, high, text)

    def erase(self, session: Session, window: Window, edge: int) -> None:
        """Take away what is between the caret and ``edge``. What is erased in one go is undone in one."""
        low, high = sorted((self.caret, max(0, min(edge, len(self.text)))))
        if not self.readonly and low < high:
            self._record(Edit(low, self.text[low:high], "", self.caret, self.caret), "erase")
            self._put(session, window, low, high, "")

    def _put(self, session: Session, window: Window, low: int, high: int, text: str) -> None:
        run = self.run
        self.text = self.text[:low] + text + self.text[high:]
        self.move_caret(session.look, low + len(text), False)
        self.run = run
        session.changed(window, self)

    def _record(self, edit: Edit, run: str) -> None:
        """Keep a change to be undone, as part of the last one if both belong to a run."""
        last = self.done[-1] if self.done and run and run == self.run else None
        if last and run == "type" and edit.at == last.at + len(last.new):
            self.done[-1] = Edit(last.at, last.old, last.new + edit.new, last.caret, last.anchor)
        elif last and run == "erase" and edit.at + len(edit.old) == last.at:
            self.done[-1] = Edit(edit.at, edit.old + last.old, "", last.caret, last.anchor)
        elif last and run == "erase" and edit.at == last.at:
            self.done[-1] = Edit(last.at, last.old + edit.old, "", last.caret, last.anchor)
        else:
            self.done = [*self.done[1 - MAX_UNDO :], edit]
        self.undone, self.run = [], run

    def undo(self, session: Session, window: Window) -> None:
        """Take the last change back."""
        if self.done:
            edit = self.done.pop()
            self.undone.append(edit)
            self.text = self.text[: edit.at] + edit.old + self.text[edit.at + len(edit.new) :]
            self.move_caret(session.look, edit.caret, False)
            self.anchor = edit.anchor
            session.changed(window, self)

    def redo(self, session: Session, window: Window) -> None:
        """Do again what was taken back last."""
        if self.undone:
            edit = self.undone.pop()
            self.done.append(edit)
            self.text = self.text[: edit.at] + edit.new + self.text[edit.at + len(edit.old) :]
            self.move_caret(session.look, edit.at + len(edit.new), False)
            session.changed(window, self)

    def insert(self, session: Session, window: Window, text: str) -> None:
        self.replace(session, window, text, typing=True)

    # Words

    def word(self, index: int, step: int) -> int:
        """The edge of a word to the left (``step`` -1) or right (1) of ``index``."""
        if self.secret:
            return 0 if step < 0 else len(self.text)
        while 0 < index + (step > 0) <= len(self.text) and index + step >= 0 and not self._letter(index if step > 0 else index - 1):
            index += step
        while 0 < index + (step > 0) <= len(self.text) and index + step >= 0 and self._letter(index if step > 0 else index - 1):
            index += step
        return index

    def _letter(self, index: int) -> bool:
        return self.text[index].isalnum() or self.text[index] == "_"

    def word_at(self, index: int) -> tuple[int, int]:
        """Where the word around ``index`` starts and ends; all of a password."""
        if self.secret:
            return 0, len(self.text)
        start = end = index
        while start > 0 and self._letter(start - 1):
            start -= 1
        while end < len(self.text) and self._letter(end):
            end += 1
        return start, end

    # Input

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        look, at = session.look, self.index_at(session.look, pointer.x, pointer.y)
        low, high = self.selection
        if pointer.button is Button.RIGHT:
            if not low <= at <= high or low == high:
                self.move_caret(look, at, False)
            x, y, _, _ = window.rect_of(self)
            labels = {name: session.label(name) for name in MENU}
            session.pop_up(window, self, x + pointer.x, y + pointer.y, list(MENU), labels=labels, shortcuts=_SHORTCUTS)
        if pointer.button is not Button.LEFT:
            return
        if pointer.count == 1:
            self.move_caret(look, at, Modifier.SHIFT in pointer.modifiers)
        else:
            self.anchor, self.caret = self.word_at(at) if pointer.count == 2 else self.line_bounds(at)
            self.run = ""

    def chosen(self, session: Session, window: Window, item: str) -> None:
        self.command(session, window, MENU[item])
        session.touch(window, self)

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        self.move_caret(session.look, self.index_at(session.look, pointer.x, pointer.y), True)

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        key, modifiers = stroke.key, stroke.modifiers
        if modifiers & {Modifier.ALT, Modifier.META}:
            return False
        ctrl, select = Modifier.CTRL in modifiers, Modifier.SHIFT in modifiers
        if ctrl != select and (key, ctrl) in _OLD_KEYS:
            return self.command(session, window, _OLD_KEYS[key, ctrl])
        if ctrl and self.command(session, window, Key.Y if key is Key.Z and select else key):
            return True
        target = self.motion_target(session.look, key, ctrl)
        if target is not None:
            low, high = self.selection
            if low != high and not select and key in (Key.LEFT, Key.RIGHT):
                target = low if key is Key.LEFT else high
            self.move_caret(session.look, target, select)
            return True
        if key in (Key.BACKSPACE, Key.DELETE):
            step = -1 if key is Key.BACKSPACE else 1
            if self.caret != self.anchor:
                self.replace(session, window, "")
            else:
                self.erase(session, window, self.word(self.caret, step) if ctrl else self.caret + step)
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
        """What CTRL and a letter do: A all, C copy, X cut, V paste, Z undo, Y redo. Whether it is one of them."""
        low, high = self.selection
        if key is Key.A:
            self.anchor, self.caret, self.run = 0, len(self.text), ""
        elif key in (Key.C, Key.X):
            if low != high and not self.secret:
                session.copy_text(self.text[low:high])
                if key is Key.X:
                    self.replace(session, window, "")
        elif key is Key.V:
            text = session.state.clipboard
            self.replace(session, window, text if self.lines else text.replace("\n", " "))
        elif key is Key.Y:
            self.redo(session, window)
        elif key is Key.Z:
            self.undo(session, window)
        else:
            return False
        return True

    def draw_line(self, canvas: Canvas, x: int, y: int, start: int, line: str, look: Look, focused: bool) -> None:
        """Draw a line of text whose first character is number ``start``, with what is selected in it and the caret.

        Of a very long line only the characters within the canvas are drawn.
        """
        font, (low, high), end = self.font(look), self.selection, start + len(line)
        selected, caret = low != high and low <= end and high >= start, focused and start <= self.caret <= end
        first, last, ends = 0, len(line), [x]
        if selected or caret or last > _LONG:
            ends = list(accumulate(font.advances(line), initial=x))  # where the gaps between characters are
            if last > _LONG:
                first = bisect_left(ends, canvas.clip[0] - font.height, 1) - 1
                last = max(first, min(last, bisect_left(ends, canvas.clip[0] + canvas.clip[2])))
        if selected:
            a, b = max(low - start, first), min(high - start, last)
            if a <= b:
                width = ends[b] - ends[a] + (font.width(" ") // 2 if high > end else 0)
                canvas.fill((ends[a], y, width, font.height), look.theme.select)
        canvas.text(ends[first], y, line[first:last], font, look.theme.text)
        if caret and first <= self.caret - start <= last:
            canvas.fill((ends[self.caret - start], y, 1 if look.size.font < 14 else 2, font.height), look.theme.accent)


@dataclass(kw_only=True)
class TextField(TextWidget):
    """A field of one line, which scrolls sideways with the caret.

    Args:
        hint: what is shown while it is empty.
    """

    hint: str = ""

    def index_at(self, look: Look, x: int, y: int) -> int:
        return self.font(look).position(self.shown, x - self._inset(look) + self.left)

    def _inset(self, look: Look) -> int:
        return look.size.gap + 1

    def reveal_caret(self, look: Look) -> None:
        at = self.font(look).width(self.shown[: self.caret])
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
        if self.hint and not self.text:
            inner.text(x + inset, top, look.sans.shorten(self.hint, w - 2 * inset), look.sans, theme.muted)
        self.draw_line(inner, x + inset - self.left, top, 0, self.shown, look, focused)
