"""The one table of calls that prompt, formatter and parser share, and the way between a call and an :class:`Action`.

A call is a name and arguments by name. An argument is a :class:`Word` (unquoted: a number or a name) or a ``str``
(quoted). A text format adds only its own punctuation (:mod:`gui_gym.codecs.dsl`, :mod:`gui_gym.codecs.json_codec`).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from gui_gym.actions import FIELDS, KEY_CHARACTER, MAX_SCROLL, MAX_WAIT, Action, ActionError, ActionType, Button, Key, Modifier, key_from_name
from gui_gym.codecs.errors import ActionFormatError, ActionParseError, clip
from gui_gym.codecs.frames import CoordinateError, CoordinateFrame, Size


class Word(str):
    """An argument that was written without quotes."""


class Kind(StrEnum):
    """What an argument holds."""

    X = "X"
    Y = "Y"
    INTEGER = "N"
    BUTTON = "BUTTON"
    MODIFIERS = "MODIFIERS"
    KEY = "KEY"  #: one key
    CHORD = "KEYS"  #: modifiers and one key: ctrl+shift+s
    TEXT = "TEXT"


@dataclass(frozen=True)
class Parameter:
    """One argument of a call. ``field`` is the field of :class:`Action` it fills, and ``index`` its place in a pair."""

    name: str
    kind: Kind
    field: str
    index: int | None = None
    default: int | None = None  #: of an INTEGER
    low: int = 0
    high: int = 0
    optional: bool = False
    positional: bool = False  #: whether its name may be left out


@dataclass(frozen=True)
class Call:
    """One call of the grammar."""

    name: str
    type: ActionType
    meaning: str
    parameters: tuple[Parameter, ...] = ()


def _point(optional: bool = True) -> tuple[Parameter, ...]:
    return (
        Parameter("x", Kind.X, "point", 0, optional=optional, positional=True),
        Parameter("y", Kind.Y, "point", 1, optional=optional, positional=True),
    )


_BUTTON = Parameter("button", Kind.BUTTON, "button", optional=True)
_TEXT = Parameter("text", Kind.TEXT, "text", positional=True)
_KEY = Parameter("key", Kind.KEY, "key", positional=True)

GRAMMAR: tuple[Call, ...] = (
    Call("move", ActionType.MOVE, "move the pointer", _point(optional=False)),
    Call(
        "click",
        ActionType.CLICK,
        "click once, or clicks times, with modifier keys held",
        (
            *_point(),
            _BUTTON,
            Parameter("clicks", Kind.INTEGER, "clicks", default=1, low=1, high=3, optional=True),
            Parameter("modifiers", Kind.MODIFIERS, "modifiers", optional=True),
        ),
    ),
    Call("mouse_down", ActionType.MOUSE_DOWN, "press a mouse button and hold it", (*_point(), _BUTTON)),
    Call("mouse_up", ActionType.MOUSE_UP, "release a mouse button", (*_point(), _BUTTON)),
    Call(
        "drag",
        ActionType.DRAG,
        "drag from a point to another",
        (*_point(), Parameter("to_x", Kind.X, "to", 0, positional=True), Parameter("to_y", Kind.Y, "to", 1, positional=True), _BUTTON),
    ),
    Call(
        "scroll",
        ActionType.SCROLL,
        "turn the wheel by notches, dx to the right, dy down; negative is left or up",
        (
            *_point(),
            Parameter("dx", Kind.INTEGER, "scroll", 0, default=0, low=-MAX_SCROLL, high=MAX_SCROLL, optional=True),
            Parameter("dy", Kind.INTEGER, "scroll", 1, default=0, low=-MAX_SCROLL, high=MAX_SCROLL, optional=True),
        ),
    ),
    Call("type", ActionType.TYPE, "type a text", (_TEXT,)),
    Call("key", ActionType.KEY, "press a key or several at once, such as enter or ctrl+s", (Parameter("key", Kind.CHORD, "key", positional=True),)),
    Call("key_down", ActionType.KEY_DOWN, "press a key and hold it", (_KEY,)),
    Call("key_up", ActionType.KEY_UP, "release a key", (_KEY,)),
    Call(
        "wait",
        ActionType.WAIT,
        "wait, one second unless told otherwise",
        (Parameter("seconds", Kind.INTEGER, "wait", default=1, low=0, high=MAX_WAIT, optional=True, positional=True),),
    ),
    Call("done", ActionType.DONE, "the task is done"),
    Call("fail", ActionType.FAIL, "the task cannot be done"),
    Call("answer", ActionType.ANSWER, "the task is done; this answers its question", (_TEXT,)),
)

CALLS: dict[str, Call] = {call.name: call for call in GRAMMAR}
CALL_OF: dict[ActionType, Call] = {call.type: call for call in GRAMMAR}

#: Other names that are understood, and the arguments each of them fixes.
ALIASES: dict[str, tuple[str, dict[str, str]]] = {
    "left_click": ("click", {}),
    "tap": ("click", {}),
    "right_click": ("click", {"button": "right"}),
    "middle_click": ("click", {"button": "middle"}),
    "double_click": ("click", {"clicks": "2"}),
    "triple_click": ("click", {"clicks": "3"}),
    "move_to": ("move", {}),
    "mouse_move": ("move", {}),
    "hover": ("move", {}),
    "scroll_up": ("scroll", {"direction": "up"}),
    "scroll_down": ("scroll", {"direction": "down"}),
    "scroll_left": ("scroll", {"direction": "left"}),
    "scroll_right": ("scroll", {"direction": "right"}),
    "write": ("type", {}),
    "type_text": ("type", {}),
    "press": ("key", {}),
    "press_key": ("key", {}),
    "hotkey": ("key", {}),
    "sleep": ("wait", {}),
    "finish": ("done", {}),
    "finished": ("done", {}),
    "terminate": ("done", {}),
    "failure": ("fail", {}),
    "infeasible": ("fail", {}),
}

_DIRECTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_DEFAULT_AMOUNT = 3  # notches of a scroll that gives a direction only
_INTEGER = re.compile(r"-?[0-9]{1,9}")


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")


_BY_NAME: dict[str, tuple[Call, dict[str, str]]] = {_plain(name): (call, {}) for name, call in CALLS.items()}
_BY_NAME.update({_plain(alias): (CALLS[name], fixed) for alias, (name, fixed) in ALIASES.items()})


def is_call(name: str) -> bool:
    """Whether ``name`` is the name or alias of a call, in any case."""
    return _plain(name) in _BY_NAME


def find_call(name: str) -> tuple[Call, dict[str, str]]:
    """The call of a name or alias in any case, and the arguments the alias fixes. :class:`ActionParseError` if there is none."""
    if not is_call(name):
        near = difflib.get_close_matches(name.lower()[:40], [*CALLS, *ALIASES], n=3, cutoff=0.4)
        hint = f"did you mean {', '.join(near)}? " if near else ""
        raise ActionParseError(f"unknown action {clip(name)}: {hint}expected one of {', '.join(CALLS)}")
    return _BY_NAME[_plain(name)]


def key_name(key: Key) -> str:
    """What a format writes for ``key``: its character, or its name in lower case."""
    return KEY_CHARACTER[key] if key in KEY_CHARACTER and key is not Key.SPACE else key.name.lower()


# ------------------------------------------------------------------------------------------------ action -> arguments


def to_arguments(action: Action, frame: CoordinateFrame, screen: Size) -> tuple[Call, dict[str, str]]:
    """The call of ``action`` and its arguments in the order of the table, defaults left out.

    Numbers are :class:`Word`. Raises :class:`ActionFormatError` for what cannot be written.
    """
    check_writable(action, screen)
    call = CALL_OF[action.type]
    arguments: dict[str, str] = {}
    for p in call.parameters:
        value: Any = getattr(action, p.field)
        if p.index is not None:
            value = value[p.index]
        if p.kind in (Kind.X, Kind.Y):
            arguments[p.name] = Word(frame.encode(value, screen, int(p.kind is Kind.Y)))
        elif p.kind is Kind.INTEGER:
            if value != p.default:
                arguments[p.name] = Word(value)
        elif p.kind is Kind.BUTTON:
            if value is not Button.LEFT:
                arguments[p.name] = Button(value).name.lower()
        elif p.kind is Kind.TEXT:
            arguments[p.name] = value
        elif p.kind is Kind.KEY:
            arguments[p.name] = key_name(value)
        else:
            names = [m.name.lower() for m in action.modifiers] + ([key_name(value)] if p.kind is Kind.CHORD else [])
            if names:
                arguments[p.name] = "+".join(names)
    if call.type is ActionType.SCROLL and action.scroll == (0, 0):
        arguments["dy"] = Word("0")  # a scroll must say how far
    return call, arguments


def check_writable(action: Action, screen: Size) -> None:
    """Raise :class:`ActionFormatError` for an action that no format can express on this screen."""
    try:
        action.check(*screen)
    except ActionError as error:
        raise ActionFormatError(str(error)) from error
    used = FIELDS[action.type]
    if "modifiers" in used and list(action.modifiers) != sorted(set(action.modifiers)):
        raise ActionFormatError(f"modifiers {action.modifiers} must be sorted and each named once")
    if "text" in used:
        check_characters(action.text, ActionFormatError)


def check_characters(text: str, error: type[ActionError]) -> str:
    """``text`` if each part of it is a character, else ``error`` is raised."""
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise error("text holds half of a surrogate pair, which is no character")
    return text


# ------------------------------------------------------------------------------------------------ arguments -> action


def to_action(name: str, arguments: Mapping[str, str], frame: CoordinateFrame, screen: Size, cursor: Size) -> Action:
    """The action of the call ``name`` with ``arguments``. Raises :class:`ActionParseError` for anything but a whole, valid call."""
    call, fixed = find_call(name)
    given = {**arguments, **{k: Word(v) for k, v in fixed.items()}}
    twice = set(arguments) & set(fixed)
    if twice:
        raise ActionParseError(f"{name} takes no {', '.join(sorted(twice))}: its name says it already")
    known = {p.name: p for p in call.parameters}
    if call.type is ActionType.SCROLL:
        _expand_direction(given)
    for argument in given:
        if argument not in known:
            raise ActionParseError(f"{call.name} has no argument {clip(argument)}: expected {', '.join(known) or 'no arguments'}")
    fields: dict[str, Any] = {}
    for p in call.parameters:
        if p.name in given:
            value = _value(call, p, given[p.name], frame, screen)
        elif not p.optional:
            raise ActionParseError(f"{call.name} needs the argument {p.name!r}")
        elif p.kind is Kind.INTEGER:
            value = p.default
        else:
            continue
        if p.kind is Kind.CHORD:
            fields["modifiers"], fields["key"] = value
        elif p.index is None:
            fields[p.field] = value
        else:
            fields.setdefault(p.field, {})[p.index] = value
    for field in ("point", "to", "scroll"):
        if field in fields:
            if len(fields[field]) != 2:
                raise ActionParseError(f"{call.name} needs both x and y, or neither (then it acts where the pointer is)")
            fields[field] = (fields[field][0], fields[field][1])
    if call.type is ActionType.SCROLL and not {"dx", "dy"} & set(given):
        raise ActionParseError("scroll needs dx or dy: notches of the wheel")
    if "point" not in fields and any(p.field == "point" for p in call.parameters):
        fields["point"] = (int(cursor[0]), int(cursor[1]))
    try:
        return Action(call.type, **fields).check(*screen)
    except ActionError as error:
        raise ActionParseError(str(error)) from error


def _expand_direction(given: dict[str, str]) -> None:
    """Replace ``direction`` and ``amount`` by ``dx`` and ``dy``, in place."""
    if "direction" not in given and "amount" not in given:
        return
    if {"dx", "dy"} & set(given) or "direction" not in given:
        raise ActionParseError("scroll takes dx and dy, or a direction with an amount")
    direction = given.pop("direction").lower()
    if direction not in _DIRECTIONS:
        raise ActionParseError(f"direction: expected {', '.join(_DIRECTIONS)}, got {clip(direction)}")
    amount = _integer("amount", given.pop("amount", Word(_DEFAULT_AMOUNT)), 1, MAX_SCROLL)
    dx, dy = _DIRECTIONS[direction]
    given.update(dx=Word(dx * amount), dy=Word(dy * amount))


def _integer(name: str, text: str, low: int, high: int) -> int:
    if not isinstance(text, Word) or not _INTEGER.fullmatch(text) or not low <= int(text) <= high:
        raise ActionParseError(f"{name}: expected a whole number {low}..{high}, got {clip(text)}")
    return int(text)


def _value(call: Call, p: Parameter, text: str, frame: CoordinateFrame, screen: Size) -> Any:
    where = f"{p.name} of {call.name}"
    if p.kind in (Kind.X, Kind.Y):
        axis = int(p.kind is Kind.Y)
        if not isinstance(text, Word):
            raise ActionParseError(f"{where}: expected {frame.range(screen, axis)}, got the text {clip(text)}")
        try:
            return frame.decode(text, screen, axis)
        except CoordinateError as error:
            raise ActionParseError(f"{where}: {error}") from error
    if p.kind is Kind.INTEGER:
        return _integer(where, text, p.low, p.high)
    if p.kind is Kind.TEXT:
        if isinstance(text, Word):
            raise ActionParseError(f"{where}: expected a text in quotes, got {clip(text)}")
        return check_characters(text, ActionParseError)
    if p.kind is Kind.BUTTON:
        if text.upper() not in Button.__members__:
            raise ActionParseError(f"{where}: expected left, middle or right, got {clip(text)}")
        return Button[text.upper()]
    if p.kind is Kind.KEY:
        return _key(where, text)
    if p.kind is Kind.MODIFIERS:
        return parse_modifiers(where, text)
    return parse_chord(text, where)


def parse_modifiers(where: str, text: str) -> tuple[Modifier, ...]:
    """The modifiers of such as "ctrl+shift", or of "". Raises :class:`ActionParseError`."""
    return _modifiers(where, text.split("+")) if text else ()


def parse_chord(text: str, where: str = "keys") -> tuple[tuple[Modifier, ...], Key]:
    """The modifiers and the key of such as "ctrl+shift+s", "enter" or "ctrl++". Raises :class:`ActionParseError`."""
    if len(text) > 1 and text.endswith("+"):  # the last key is the plus itself
        if text[-2] != "+" or len(text) == 2:
            raise ActionParseError(f"{where}: expected keys joined by +, such as ctrl+s, got {clip(text)}")
        *held, last = [*text[:-2].split("+"), "+"]
    else:
        *held, last = text.split("+") if text != "+" else ["+"]
    return _modifiers(where, held), _key(where, last)


def _key(where: str, name: str) -> Key:
    head = re.split("[- ]", name)[0]
    if head != name and len(name) > 1 and any(_is_modifier(head, m) for m in Modifier):
        raise ActionParseError(f"{where}: expected keys joined by +, such as {head}+s, got {clip(name)}")
    try:
        return key_from_name(name[:40])
    except ActionError as error:
        raise ActionParseError(f"{where}: {error}") from error


def _is_modifier(name: str, modifier: Modifier) -> bool:
    try:
        return key_from_name(name[:40]) is Key[modifier.name]
    except ActionError:
        return False


def _modifiers(where: str, names: list[str]) -> tuple[Modifier, ...]:
    held: list[Modifier] = []
    for name in names:
        found = [m for m in Modifier if _is_modifier(name, m)]
        if not found or found[0] in held:
            raise ActionParseError(f"{where}: expected ctrl, shift, alt or meta, each at most once and joined by +, got {clip('+'.join(names))}")
        held += found
    return tuple(sorted(held))
