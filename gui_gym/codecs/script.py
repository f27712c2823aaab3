"""What the formats of OSWorld and Qwen share: calls that act where the pointer is, one after the other, as a list of actions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

from gui_gym.actions import MAX_SCROLL, MAX_WAIT, Action, ActionError, ActionType, Button, Key, Modifier
from gui_gym.codecs.errors import ActionParseError, clip
from gui_gym.codecs.frames import CoordinateError, CoordinateFrame, Size
from gui_gym.codecs.grammar import check_characters, key_name, parse_chord

#: Most actions a text may ask for before it is refused: what counts for a turn is :data:`gui_gym.codecs.base.MAX_ACTIONS`.
MAX_CALLS = 64
#: What OSWorld's WAIT waits, in seconds.
WAIT_SECONDS = 2
#: What stands alone for an action.
WORDS: dict[str, Callable[[], Action]] = {"WAIT": lambda: Action.wait_for(WAIT_SECONDS), "DONE": Action.done, "FAIL": Action.fail}
_WORD_IN_FENCE = re.compile(rf"```[ \t]*({'|'.join(WORDS)})[ \t]*```")
#: pyautogui's names of keys where they are not ours.
_KEY_NAMES = {
    Key.PAGE_UP: "pageup", Key.PAGE_DOWN: "pagedown", Key.META: "win", Key.CAPS_LOCK: "capslock", Key.NUM_LOCK: "numlock",
    Key.SCROLL_LOCK: "scrolllock", Key.PRINT_SCREEN: "printscreen", Key.MENU: "apps",
}  # fmt: skip
_MODIFIER_OF = {Key.CTRL: Modifier.CTRL, Key.SHIFT: Modifier.SHIFT, Key.ALT: Modifier.ALT, Key.META: Modifier.META}

Number = int | float
Point = tuple[Number | None, Number | None]
HERE: Point = (None, None)


class Script:
    """Collects actions while it follows the pointer.

    A call "here" right after a move is one action at that place: ``move`` and ``drag_to`` are a DRAG.

    Args:
        frame: how points are written.
        screen: ``(width, height)`` in pixels.
        cursor: where the pointer is at first.
    """

    def __init__(self, frame: CoordinateFrame, screen: Size, cursor: Size):
        self._frame, self._screen = frame, screen
        self._cursor = (int(cursor[0]), int(cursor[1]))
        self._actions: list[Action] = []

    def actions(self) -> list[Action]:
        """The actions so far; keys held around a click alone are its modifiers."""
        found: list[Action] = []
        for action in self._actions:
            found.append(action)
            _join_modified_click(found)
        return found

    def add(self, action: Action) -> None:
        """One more action; :class:`ActionParseError` if it cannot be done."""
        if len(self._actions) >= MAX_CALLS:
            raise ActionParseError(f"expected at most {MAX_CALLS} actions, got more")
        try:
            self._actions.append(action.check(*self._screen))
        except ActionError as error:
            raise ActionParseError(str(error)) from error
        if action.type in (ActionType.MOVE, ActionType.CLICK, ActionType.MOUSE_DOWN, ActionType.MOUSE_UP, ActionType.SCROLL):
            self._cursor = action.point
        elif action.type is ActionType.DRAG:
            self._cursor = action.to

    def at(self, point: Point) -> tuple[int, int]:
        """The pixel of ``point``; where it says nothing, the pointer's. A move that only led there is no action of its own any more."""
        if point == HERE and self._actions and self._actions[-1].type is ActionType.MOVE:
            return self._actions.pop().point
        x, y = (self._cursor[axis] if value is None else self._pixel(value, axis) for axis, value in enumerate(point))
        return x, y

    def _pixel(self, value: Number, axis: int) -> int:
        try:
            return self._frame.decode(numeral(value), self._screen, axis)
        except CoordinateError as error:
            raise ActionParseError(f"{'xy'[axis]}: {error}") from error

    def by(self, dx: Number, dy: Number) -> tuple[int, int]:
        """The pixel ``(dx, dy)`` pixels from the pointer."""
        return self._cursor[0] + whole(dx, "xOffset"), self._cursor[1] + whole(dy, "yOffset")

    def word(self, name: str) -> None:
        """One of :data:`WORDS`."""
        self.add(WORDS[name]())

    def drag_to(self, target: tuple[int, int], button: Button) -> None:
        """Drag from where the pointer is to the pixel ``target``."""
        start = self.at(HERE)
        self.add(Action.drag(*start, *target, button))

    def scroll(self, dx: int, dy: int, point: Point = HERE) -> None:
        """Turn the wheel, right and down; as many actions as it takes."""
        x, y = self.at(point)
        parts = max(1, math.ceil(max(abs(dx), abs(dy)) / MAX_SCROLL))
        if parts > MAX_CALLS:
            raise ActionParseError(f"scroll: expected at most {MAX_CALLS * MAX_SCROLL} notches, got {max(abs(dx), abs(dy))}")
        for part in range(parts):
            done, after = (tuple(int(amount * n / parts) for amount in (dx, dy)) for n in (part, part + 1))
            self.add(Action.scroll_by(x, y, after[0] - done[0], after[1] - done[1]))

    def press(self, name: str) -> None:
        """One key by name; a capital letter is typed with shift, as a keyboard does."""
        held, key = parse_chord(name)
        self.add(Action.press(key, *held, *_shift(name)))

    def hotkey(self, names: Iterable[str]) -> None:
        """Modifier keys and one more."""
        names = list(names)
        if not names:
            raise ActionParseError("expected at least one key")
        held, key = parse_chord("+".join(names))
        self.add(Action.press(key, *{*held, *_shift(names[-1])}))

    def key(self, name: str, make: Callable[[Key], Action]) -> None:
        """``make`` (KEY_DOWN or KEY_UP) of one key by name."""
        held, key = parse_chord(name)
        if held:
            raise ActionParseError(f"expected one key, got {clip(name)}")
        self.add(make(key))

    def type(self, text: str) -> None:
        self.add(Action.type_text(check_characters(text, ActionParseError)))

    def answer(self, text: str) -> None:
        self.add(Action.answer(check_characters(text, ActionParseError)))

    def wait(self, seconds: Number) -> None:
        """Wait at least ``seconds``: whole ones."""
        if not math.isfinite(seconds) or not 0 <= seconds <= MAX_WAIT:
            raise ActionParseError(f"wait: expected 0..{MAX_WAIT} seconds, got {seconds}")
        self.add(Action.wait_for(math.ceil(seconds)))


def _shift(name: str) -> tuple[Modifier, ...]:
    return (Modifier.SHIFT,) if len(name) == 1 and name.isupper() else ()


def _join_modified_click(found: list[Action]) -> None:
    """If the list ends with a click within modifier keys pressed and released in reverse, make one action of it."""
    last = found[-1]
    if last.type is not ActionType.KEY_UP or last.key not in _MODIFIER_OF or len(found) < 3:
        return
    pressed, click = found[-3], found[-2]
    if pressed.type is ActionType.KEY_DOWN and pressed.key is last.key and click.type is ActionType.CLICK:
        modifier = _MODIFIER_OF[last.key]
        if modifier not in click.modifiers:
            found[-3:] = [Action.click(*click.point, click.button, click.clicks, (*click.modifiers, modifier))]


def spread_words(text: str) -> str:
    """``text`` with a word in a fence on one line, as models write it, on a line of its own."""
    return _WORD_IN_FENCE.sub(r"```\n\1\n```", text)


def key_text(key: Key) -> str:
    """pyautogui's name of ``key``."""
    return _KEY_NAMES.get(key) or key_name(key)


def numeral(value: Number) -> str:
    """A number as a frame reads it: without an exponent, whole ones without decimals."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ActionParseError(f"expected a number, got {value}")
        return str(int(value)) if value.is_integer() else format(Decimal(repr(value)), "f")
    return str(value)


def number(value: Any, name: str) -> Number:
    """``value`` if it is a number; :class:`ActionParseError` for any other."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ActionParseError(f"{name}: expected a number, got {clip(str(value))}")
    return value


def text_of(value: Any, name: str) -> str:
    """``value`` if it is a text; :class:`ActionParseError` for any other."""
    if not isinstance(value, str):
        raise ActionParseError(f"{name}: expected a text, got {clip(str(value))}")
    return value


def whole(value: Any, name: str) -> int:
    """A whole number; :class:`ActionParseError` for any other."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value != int(value):
        raise ActionParseError(f"{name}: expected a whole number, got {clip(str(value))}")
    return int(value)


def button_named(value: Any) -> Button:
    """The mouse button called ``value``, in any case; :class:`ActionParseError` if there is none."""
    name = text_of(value, "button")
    name = {"primary": "left", "secondary": "right"}.get(name.lower(), name.lower())
    if name.upper() not in Button.__members__:
        raise ActionParseError(f"button: expected left, middle or right, got {clip(name)}")
    return Button[name.upper()]
