"""A terminal's screen: what was printed, and the line being typed after the prompt."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button, Key, Modifier
from gui_gym.desktops.sim.canvas import Canvas, Rect
from gui_gym.desktops.sim.fonts import Font
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke
from gui_gym.desktops.sim.widgets.scroll import Scrolling

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window

MAX_LINES = 400  #: that can be scrolled back to
MAX_LINE = 2000  #: characters of a printed line
MAX_INPUT = 8192  #: characters of the line being typed, and of what is pasted at once
MENU = ("Copy", "Paste", "Clear")
_BACK, _INK, _PROMPT, _MARKED = (24, 27, 34), (222, 226, 234), (124, 196, 130), (66, 92, 140)

Spot = tuple[int, int]  #: a line and an index in it


@lru_cache(maxsize=4096)
def breaks(font: Font, text: str, width: int) -> tuple[int, ...]:
    """Where the rows of a line start when it is broken to ``width`` pixels."""
    starts, used = [0], 0
    for at, advance in enumerate(font.advances(text)):
        if used + advance > width and at > starts[-1]:
            starts.append(at)
            used = 0
        used += advance
    return tuple(starts)


@dataclass(kw_only=True)
class Console(Scrolling):
    """Signals "entered" with a line that was typed; tells its window by "changed" that Tab wants ``completing`` done.

    Args:
        lines: what was printed, each with the length of the prompt it begins with.
        prompt: what the line being typed comes after.
        input: the line being typed.
        caret: where in it the next character goes.
        history: earlier lines, for the arrow keys.
        back: how many lines back in the history the input is, and ``draft`` what it was before.
        start, end: what is selected, from one spot to another; the line after the last is the one being typed.
        completing: whether Tab was pressed.
    """

    role: ClassVar[str] = "terminal"
    focusable: ClassVar[bool] = True

    lines: list[tuple[int, str]] = field(default_factory=list)
    prompt: str = "$ "
    input: str = ""
    caret: int = 0
    history: list[str] = field(default_factory=list)
    back: int = 0
    draft: str = ""
    start: Spot = (0, 0)
    end: Spot = (0, 0)
    selecting: bool = False
    completing: bool = False
    labels: dict[str, str] = field(default_factory=dict)

    @property
    def value(self) -> Any:
        return self.input

    @property
    def spoken(self) -> Any:
        return "\n".join([text for _, text in self.lines[-60:]] + [self.prompt + self.input])

    # Rows

    def text_of(self, line: int) -> str:
        """A printed line, or the one being typed."""
        return self.lines[line][1] if line < len(self.lines) else self.prompt + self.input

    def columns(self, look: Look) -> int:
        """How many letters a row takes."""
        return max(1, self._width(look) // look.mono.width("M"))

    def _width(self, look: Look) -> int:
        return max(1, self.w - 2 * look.size.gap - self.bar_width(look))

    def rows(self, look: Look) -> list[tuple[int, int, int]]:
        """The rows: of which line, and from which index to which."""
        font, width, found = look.mono, self._width(look), []
        for line in range(len(self.lines) + 1):
            text = self.text_of(line)
            starts = breaks(font, text, width)
            found += [(line, start, end) for start, end in zip(starts, (*starts[1:], len(text)), strict=True)]
        return found

    def rows_in_all(self, look: Look) -> int:
        font, width = look.mono, self._width(look)
        return sum(len(breaks(font, self.text_of(line), width)) for line in range(len(self.lines) + 1))

    def rows_in_view(self, look: Look) -> int:
        return max(1, (self.h - 2 * look.size.gap) // look.mono.height)

    def follow(self, look: Look) -> None:
        """Scroll to the end."""
        self.scroll_to(look, self.rows_in_all(look))

    def spot_at(self, look: Look, x: int, y: int) -> Spot:
        """The spot nearest to a pixel."""
        rows = self.rows(look)
        line, start, end = rows[max(0, min(self.top + (y - look.size.gap) // look.mono.height, len(rows) - 1))]
        return line, start + look.mono.position(self.text_of(line)[start:end], x - look.size.gap)

    # Text

    def print(self, look: Look, lines: list[str]) -> None:
        """Add lines below what was printed."""
        self._add([(0, line[:MAX_LINE]) for line in lines[-MAX_LINES:]])
        self.follow(look)

    def enter(self, look: Look) -> str:
        """Move the line being typed up to what was printed; what it was."""
        line = self.input
        self._add([(len(self.prompt), self.prompt + line)])
        self.set_input(look, "")
        self.back, self.draft = 0, ""
        return line

    def _add(self, lines: list[tuple[int, str]]) -> None:
        self.lines = [*self.lines, *lines][-MAX_LINES:]
        self.start = self.end = (0, 0)

    def set_input(self, look: Look, text: str, caret: int | None = None) -> None:
        """Give the line being typed another text."""
        self.input = text[:MAX_INPUT]
        self.caret = len(self.input) if caret is None else max(0, min(caret, len(self.input)))
        self.start = self.end = (0, 0)
        self.follow(look)

    @property
    def selected(self) -> str:
        """The text that is selected."""
        (first, a), (last, b) = sorted((self.start, self.end))
        texts = [self.text_of(line) for line in range(first, min(last, len(self.lines)) + 1)]
        texts[-1] = texts[-1][:b]
        texts[0] = texts[0][a:]
        return "\n".join(texts)

    # Input

    def insert(self, session: Session, window: Window, text: str) -> None:
        self.set_input(session.look, self.input[: self.caret] + text + self.input[self.caret :], self.caret + len(text))

    def paste(self, session: Session, window: Window) -> None:
        """Type what is on the clipboard; a line end in it runs the line."""
        first, *rest = session.state.clipboard[:MAX_INPUT].replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self.insert(session, window, first.replace("\t", " "))
        for line in rest:
            session.signal(window, self, "entered", self.input)
            if session.state.window(window.id) is not window:
                return
            self.insert(session, window, line.replace("\t", " "))

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        look, key, modifiers = session.look, stroke.key, stroke.modifiers
        if modifiers & {Modifier.ALT, Modifier.META}:
            return False
        if Modifier.CTRL in modifiers:
            return self._control(session, window, key, Modifier.SHIFT in modifiers)
        moves = {Key.LEFT: self.caret - 1, Key.RIGHT: self.caret + 1, Key.HOME: 0, Key.END: len(self.input)}
        page = max(1, self.rows_in_view(look) - 1)
        if key is Key.ENTER:
            session.signal(window, self, "entered", self.input)
        elif key is Key.TAB and not modifiers:
            self.completing = True
            session.changed(window, self)
        elif key in moves:
            self.set_input(look, self.input, moves[key])
        elif key in (Key.UP, Key.DOWN):
            self._recall(look, 1 if key is Key.UP else -1)
        elif key in (Key.PAGE_UP, Key.PAGE_DOWN):
            self.scroll_to(look, self.top + (page if key is Key.PAGE_DOWN else -page))
        elif key is Key.BACKSPACE:
            self._cut(look, self.caret - 1, self.caret)
        elif key is Key.DELETE:
            self._cut(look, self.caret, self.caret + 1)
        elif stroke.text:
            self.insert(session, window, stroke.text)
        else:
            return False
        return True

    def _control(self, session: Session, window: Window, key: Key, shift: bool) -> bool:
        look = session.look
        if key is Key.V and shift:
            self.paste(session, window)
        elif key is Key.C and shift:
            self.copy(session)
        elif shift:
            return False
        elif key is Key.C:
            self.set_input(look, self.input + "^C")
            self.enter(look)
            self.follow(look)
        elif key is Key.L:
            self.lines = []
            self.set_input(look, self.input, self.caret)
        elif key is Key.D and not self.input:
            session.signal(window, self, "entered", "exit")
        elif key in (Key.A, Key.HOME):
            self.set_input(look, self.input, 0)
        elif key in (Key.E, Key.END):
            self.set_input(look, self.input)
        elif key is Key.U:
            self._cut(look, 0, self.caret)
        elif key is Key.K:
            self._cut(look, self.caret, len(self.input))
        elif key in (Key.W, Key.BACKSPACE):
            self._cut(look, self._word(-1), self.caret)
        elif key in (Key.LEFT, Key.RIGHT):
            self.set_input(look, self.input, self._word(-1 if key is Key.LEFT else 1))
        else:
            return False
        return True

    def _cut(self, look: Look, low: int, high: int) -> None:
        low = max(0, low)
        self.set_input(look, self.input[:low] + self.input[high:], low)

    def _word(self, step: int) -> int:
        """The edge of the word before or after the caret."""
        at, text = self.caret, self.input
        while 0 <= at + min(step, 0) < len(text) and text[at + min(step, 0)] == " ":
            at += step
        while 0 <= at + min(step, 0) < len(text) and text[at + min(step, 0)] != " ":
            at += step
        return at

    def _recall(self, look: Look, step: int) -> None:
        """Another line of the history."""
        back = max(0, min(self.back + step, len(self.history)))
        if back != self.back:
            if self.back == 0:
                self.draft = self.input
            self.back = back
            self.set_input(look, self.history[-back] if back else self.draft)

    def copy(self, session: Session) -> None:
        """Put what is selected on the clipboard."""
        if self.start != self.end:
            session.copy_text(self.selected)

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        look = session.look
        if self.press_bar(look, pointer):
            return
        if pointer.button is Button.RIGHT:
            x, y, _, _ = window.rect_of(self)
            session.pop_up(window, self, x + pointer.x, y + pointer.y, list(MENU), labels=self.labels)
        elif pointer.button is Button.MIDDLE:
            self.paste(session, window)
        else:
            line, at = self.spot_at(look, pointer.x, pointer.y)
            text = self.text_of(line)
            self.selecting = pointer.count == 1
            if pointer.count == 3:
                self.start, self.end = (line, 0), (line, len(text))
            elif pointer.count == 2:
                low, high = at, at
                while low > 0 and text[low - 1] != " ":
                    low -= 1
                while high < len(text) and text[high] != " ":
                    high += 1
                self.start, self.end = (line, low), (line, high)
            else:
                self.start = self.end = (line, at)

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        if not self.move_bar(session.look, pointer) and self.selecting:
            self.end = self.spot_at(session.look, pointer.x, pointer.y)
            if not 0 <= pointer.y < self.h:
                self.scroll_to(session.look, self.top + (1 if pointer.y >= self.h else -1))

    def release(self, session: Session, window: Window, pointer: Pointer) -> None:
        super().release(session, window, pointer)
        self.selecting = False

    def chosen(self, session: Session, window: Window, item: str) -> None:
        if item == "Copy":
            self.copy(session)
        elif item == "Paste":
            self.paste(session, window)
        else:
            self._control(session, window, Key.L, False)
        session.touch(window, self)

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        font, gap = look.mono, look.size.gap
        x, y, w, h = rect
        canvas.fill(rect, _BACK)
        inner = canvas.within((x + 1, y + 1, w - 2, h - 2))
        (first, a), (last, b) = sorted((self.start, self.end))
        rows = self.rows(look) if inner is not None else []
        for i, (line, start, end) in enumerate(rows[self.top : self.top + self.rows_in_view(look) + 1]):
            assert inner is not None
            text, top = self.text_of(line), y + gap + i * font.height
            if first <= line <= last and (first, a) != (last, b):
                low, high = max(start, a) if line == first else start, min(end, b) if line == last else end
                if low < high:
                    inner.fill((x + gap + font.width(text[start:low]), top, font.width(text[low:high]), font.height), _MARKED)
            prompt = max(start, min(end, self.lines[line][0] if line < len(self.lines) else len(self.prompt)))
            inner.text(x + gap, top, text[start:prompt], font, _PROMPT)
            inner.text(x + gap + font.width(text[start:prompt]), top, text[prompt:end], font, _INK)
            caret = len(self.prompt) + self.caret
            if line == len(self.lines) and (start <= caret < end or (caret == end and end == len(text))):
                left, width = x + gap + font.width(text[start:caret]), font.width(text[caret : caret + 1] or " ")
                if focused:
                    inner.fill((left, top, width, font.height), _INK)
                    inner.text(left, top, text[caret : caret + 1], font, _BACK)
                else:
                    inner.outline((left, top, width, font.height), _INK)
        self.draw_bar(canvas, rect, look)
