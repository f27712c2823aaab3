"""The calculator."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim.apps.arithmetic import ArithmeticalError, calculate, result_text, shown
from gui_gym.desktops.sim.layout import cascade
from gui_gym.desktops.sim.sheets.numbers import ARITHMETIC_ERRORS, CONTEXT
from gui_gym.desktops.sim.state import Event, Window
from gui_gym.desktops.sim.widgets.base import Stroke, Widget
from gui_gym.desktops.sim.widgets.basic import Button, Label
from gui_gym.desktops.sim.widgets.listview import ListView
from gui_gym.desktops.sim.widgets.text import TextField

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

MAX_EXPRESSION = 200  #: characters
MAX_HISTORY = 100  #: lines, two for each calculation
POINT = "point"  #: id of the button of the decimal mark
#: The keys, row by row, by id and what is on them.
KEYS: tuple[tuple[tuple[str, str], ...], ...] = (
    (("mc", "MC"), ("mr", "MR"), ("m-minus", "M−"), ("m-plus", "M+")),
    (("clear", "C"), ("open", "("), ("close", ")"), ("back", "←")),
    (("7", "7"), ("8", "8"), ("9", "9"), ("divide", "÷")),
    (("4", "4"), ("5", "5"), ("6", "6"), ("times", "×")),
    (("1", "1"), ("2", "2"), ("3", "3"), ("minus", "−")),
    (("0", "0"), (POINT, "."), ("percent", "%"), ("plus", "+")),
)
_OPERATORS = "+−×÷%^"


@dataclass(kw_only=True)
class Display(TextField):
    """Where the expression is. ``answered`` says that it is a result, which an operator goes on with and a digit replaces."""

    comma: bool = False
    answered: bool = False

    def insert(self, session: Session, window: Window, text: str) -> None:
        first, *rest = text.split("=")
        self._put_in(session, window, first)
        for part in rest:
            window.on_signal(session, self, "equals", "")
            self._put_in(session, window, part)

    def _put_in(self, session: Session, window: Window, text: str) -> None:
        text = shown(text, self.comma)[: MAX_EXPRESSION - len(self.text)]
        if text:
            if self.answered and text[0] not in _OPERATORS:
                self.anchor, self.caret = 0, len(self.text)
            self.answered = False
            self.replace(session, window, text, typing=True)

    def command(self, session: Session, window: Window, key: Key) -> bool:
        low, high = self.selection
        if key is Key.C and low == high:
            session.copy_text(self.text)
        elif key is Key.V:
            self.insert(session, window, session.state.clipboard)
        else:
            return super().command(session, window, key)
        return True

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        used = super().stroke(session, window, stroke)
        if used and Modifier.CTRL not in stroke.modifiers and not stroke.text:
            self.answered = False  # the caret was moved into it
        return used


@dataclass(kw_only=True)
class Calculator(Window):
    """Its widgets: the field "display", the label "status", the keys by their ids in :data:`KEYS`, "equals", and the list "history".

    Args:
        memory: the number that was stored.
    """

    icon = "calculator"

    memory: Decimal = Decimal(0)

    @property
    def display(self) -> Display:
        """Where the expression is."""
        return self.part("display", Display)

    @property
    def history(self) -> ListView:
        """The expressions that were worked out, each above its result, the last one first."""
        return self.part("history", ListView)

    @property
    def calculations(self) -> list[tuple[str, str]]:
        """Those expressions with their results."""
        lines = [row[0] for row in self.history.rows]
        return [(expression, result.removeprefix("= ")) for expression, result in zip(lines[::2], lines[1::2], strict=True)]

    def layout(self, session: Session) -> None:
        size, look = session.look.size, session.look
        gap, left = max(2, size.gap // 2), size.pad
        display, status, equals, history = (self.widget(each) for each in ("display", "status", "equals", "history"))
        key_w, key_h, line = size.font * 3, size.control, look.sans.height + 2
        keys_w = 4 * key_w + 3 * gap
        side = 13 * size.font
        self.w = left + keys_w + size.gap + side + left
        y = size.title + gap
        display.x, display.y, display.w, display.h = left, y, keys_w, size.control
        y += size.control
        status.x, status.y, status.w, status.h = left, y, keys_w, line
        y += line
        for row in KEYS:
            for column, (name, _) in enumerate(row):
                key = self.widget(name)
                key.x, key.y, key.w, key.h = left + column * (key_w + gap), y, key_w, key_h
            y += key_h + gap
        equals.x, equals.y, equals.w, equals.h = left, y, keys_w, key_h
        self.h = y + key_h + max(3, gap)
        history.x, history.y = left + keys_w + size.gap, display.y
        history.w, history.h = side, y + key_h - history.y

    # Input

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if signal == "equals":
            self.work_out(session)
        elif signal == "clicked":
            self._press(session, widget.id)
            session.focus(self, self.display)
        elif signal == "activated":
            self._recall(session, value.removeprefix("= "))
        elif signal == "changed" and widget.id == "display":
            self._say(session)

    def on_stroke(self, session: Session, stroke: Stroke) -> bool:
        if stroke.key is Key.ENTER and not stroke.modifiers:
            self.work_out(session)
        elif stroke.is_(Key.ESCAPE):
            self._press(session, "clear")
        elif stroke.text and self.focus != "display":
            session.focus(self, self.display)
            self.display.insert(session, self, stroke.text)
            session.touch(self, self.display)
        else:
            return False
        return True

    def _press(self, session: Session, key: str) -> None:
        display = self.display
        if key == "equals":
            self.work_out(session)
        elif key == "clear":
            self._show(session, "", answered=False)
        elif key == "back":
            if display.selection[0] == display.selection[1]:
                display.erase(session, self, display.caret - 1)
            else:
                display.replace(session, self, "")
            display.answered = False
        elif key == "mc":
            self.memory = Decimal(0)
        elif key == "mr":
            self._recall(session, result_text(self.memory, display.comma))
        elif key in ("m-plus", "m-minus"):
            self._add_to_memory(session, 1 if key == "m-plus" else -1)
        else:
            display.insert(session, self, self.widget(key).name)
        session.touch(self, display)
        if key.startswith("m"):
            self._say(session)

    def work_out(self, session: Session) -> Decimal | None:
        """Put the result in the place of the expression, and both in the history; None if it has none."""
        display = self.display
        expression = display.text
        if not expression:
            return None
        try:
            number = calculate(expression)
        except ArithmeticalError:
            self._say(session, session.label("Error"))
            return None
        result = result_text(number, display.comma)
        if expression != result:
            self.history.rows = [[expression], [f"= {result}"], *self.history.rows][:MAX_HISTORY]
            self.history.selected, self.history.top = -1, 0
            session.touch(self, self.history)
            session.state.log.append(Event(self.id, "display", "calculated", f"{expression} = {result}"))
        self._show(session, result, answered=True)
        return number

    def _add_to_memory(self, session: Session, sign: int) -> None:
        number = self.work_out(session)
        if number is not None:
            try:
                self.memory = CONTEXT.fma(number, Decimal(sign), self.memory)
            except ARITHMETIC_ERRORS:
                self._say(session, session.label("Error"))

    def _recall(self, session: Session, number: str) -> None:
        """Go on with a number: in the place of a result, else where the caret is."""
        display = self.display
        if display.answered or not display.text:
            self._show(session, number, answered=False)
        else:
            display.insert(session, self, number)
        session.focus(self, display)

    def _show(self, session: Session, text: str, answered: bool) -> None:
        self.display.set(session, self, text)
        self.display.answered = answered
        self._say(session)

    def _say(self, session: Session, error: str = "") -> None:
        """The line below the display: an error, else what is in the memory."""
        status = self.widget("status")
        status.name = error or (session.label("Memory: {}", result_text(self.memory, self.display.comma)) if self.memory else "")
        session.touch(self, status)

    def on_setting(self, session: Session, name: str) -> None:
        if name == "decimal_comma":
            comma = bool(session.state.settings[name])
            before, after = (".", ",") if comma else (",", ".")
            self.display.comma = comma
            answered = self.display.answered
            self._show(session, self.display.text.replace(before, after), answered)
            self.history.rows = [[row[0].replace(before, after)] for row in self.history.rows]
            self.widget(POINT).name = after


def make_calculator(session: Session) -> Calculator:
    """A calculator at the screen's corner, not opened yet."""
    comma = bool(session.state.settings["decimal_comma"])
    window = Calculator(id="calculator", title=session.label("Calculator"), focus="display")
    keys = [Button(id=name, name="," if name == POINT and comma else text) for row in KEYS for name, text in row]
    window.widgets = [
        Display(id="display", name=session.label("Expression"), comma=comma),
        Label(id="status", muted=True),
        *keys,
        Button(id="equals", name="=", primary=True),
        ListView(id="history", name=session.label("History"), columns=[session.label("History")]),
    ]
    window.layout(session)
    return window


def open_calculator(session: Session, path: str = "") -> Window:
    """Open the calculator, or raise it if it is open."""
    known = session.state.window("calculator")
    if known:
        session.activate(known)
        return known
    window = make_calculator(session)
    cascade(session, window)
    return window
