"""``json``: ``{"action": "click", "x": 3, "y": 6}``, or a list of such objects. The names are those of the grammar's table."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from gui_gym.actions import Action
from gui_gym.codecs.base import Codec
from gui_gym.codecs.errors import ActionParseError, clip
from gui_gym.codecs.frames import Size
from gui_gym.codecs.grammar import GRAMMAR, Call, Kind, Parameter, Word, find_call, to_action, to_arguments

_SPACE = " \t\n\r"  #: white space of JSON


class JsonCodec(Codec):
    """One JSON object per action; see the module."""

    name = "json"

    def format(self, action: Action, screen: Size) -> str:
        call, arguments = to_arguments(action, self.frame, screen)
        parts = [f'"action": {json.dumps(call.name)}']
        parts += [f'"{name}": {value if isinstance(value, Word) else json.dumps(value, ensure_ascii=False)}' for name, value in arguments.items()]
        return "{" + ", ".join(parts) + "}"

    def describe(self, screen: Size) -> str:
        lines = [
            f"Write one action as a JSON object, such as {self.example(screen)}, or a list of them. If you think first, begin it with 'Action:'.",
            f"X is {self.frame.range(screen, 0)} from the left, Y is {self.frame.range(screen, 1)} from the top.",
        ]
        lines += [f"{_signature(call)}: {call.meaning}{_options(call)}" for call in GRAMMAR]
        return "\n".join(lines)

    def starts(self, line: str) -> bool:
        return line.startswith(("{", "["))

    def mentions(self, text: str) -> bool:
        return bool(re.search(r'"action"\s*:', text))

    def parse_strict(self, text: str, screen: Size, cursor: Size) -> list[Action]:
        value = read_json(text, self.example(screen), Word)
        return [self._action(item, screen, cursor) for item in (value if isinstance(value, list) else [value])]

    def _action(self, item: Any, screen: Size, cursor: Size) -> Action:
        if not isinstance(item, dict):
            raise ActionParseError(f"expected a JSON object for each action, got {clip(item)}")
        arguments = dict(item)
        name = arguments.pop("action", None)
        if not isinstance(name, str) or isinstance(name, Word):
            raise ActionParseError('expected a JSON object with an "action", which is a name such as "click"')
        known = {parameter.name for parameter in find_call(name)[0].parameters}
        for argument, value in arguments.items():
            if argument in ("key", "modifiers") and isinstance(value, list) and value and all(isinstance(v, str) for v in value):
                arguments[argument] = "+".join(value)
            elif not isinstance(value, str):
                if argument in known:
                    raise ActionParseError(f"{argument} of {name}: expected a number or a text, got {clip(json.dumps(value))}")
                arguments[argument] = ""  # to_action says which arguments there are
        return to_action(name, arguments, self.frame, screen, cursor)


def read_json(text: str, example: str, numeral: Callable[[str], Any] | None = None) -> Any:
    """The value of a JSON text, whose numbers go through ``numeral`` as they are written, if it is given.

    Raises :class:`ActionParseError`, with ``example``, for what is no JSON, and for a name that stands twice in an object, NaN and infinity.
    """
    value, end = read_json_at(text, 0, example, numeral)
    if rest := text[end:].strip():
        raise ActionParseError(f"expected a JSON object such as {example} and nothing after it, got {clip(rest)}")
    return value


def read_json_at(text: str, at: int, example: str, numeral: Callable[[str], Any] | None = None) -> tuple[Any, int]:
    """The value of the JSON that begins at ``at``, or after space there, and where it ends. Raises what :func:`read_json` does."""
    decoder = json.JSONDecoder(object_pairs_hook=_object, parse_int=numeral, parse_float=numeral, parse_constant=_constant)
    try:
        return decoder.raw_decode(text, len(text) - len(text[at:].lstrip(_SPACE)))
    except ActionParseError:
        raise
    except (ValueError, RecursionError) as error:  # ValueError: no JSON, or a number of thousands of digits
        raise ActionParseError(f"expected a JSON object such as {example}, got {clip(text[at:])}: {error}") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ActionParseError(f"the JSON object gives {clip(next(n for n in names if names.count(n) > 1))} twice")
    return found


def _constant(name: str) -> Any:
    raise ActionParseError(f"expected a number, got {name}")


def _signature(call: Call) -> str:
    def one(p: Parameter) -> str:
        return f'"{p.name}": "{p.kind.value}"' if p.kind in (Kind.KEY, Kind.CHORD) else f'"{p.name}": {_PLACE[p.kind]}'

    needed = [one(p) for p in call.parameters if not p.optional or p.kind in (Kind.X, Kind.Y)]
    return "{" + ", ".join([f'"action": "{call.name}"', *needed]) + "}"


_PLACE = {Kind.X: "X", Kind.Y: "Y", Kind.TEXT: '"..."', Kind.INTEGER: "N"}


def _options(call: Call) -> str:
    def one(p: Parameter) -> str:
        if p.kind is Kind.BUTTON:
            return '"button": "left", "middle" or "right"'
        if p.kind is Kind.MODIFIERS:
            return '"modifiers": such as "ctrl+shift"'
        return f'"{p.name}": {p.low} to {p.high}'

    shown = [one(p) for p in call.parameters if p.optional and p.kind not in (Kind.X, Kind.Y)]
    return f"; may have {', '.join(shown)}" if shown else ""
