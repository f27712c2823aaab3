"""``dsl``: one call per line, such as ``click(x=3,y=6)`` or ``type(text="it's")``.

::

    program  = call { newline call }
    call     = name "(" [ argument { "," argument } ] ")"
    argument = [ name "=" ] ( word | string )
    string   = a JSON string; single quotes are read as well

Names are read in any case. What each call takes is :data:`gui_gym.codecs.grammar.GRAMMAR`.
"""

from __future__ import annotations

import json
import re

from gui_gym.actions import Action
from gui_gym.codecs.base import Codec
from gui_gym.codecs.errors import ActionParseError, clip
from gui_gym.codecs.frames import Size
from gui_gym.codecs.grammar import GRAMMAR, Call, Kind, Parameter, Word, find_call, is_call, to_action, to_arguments

_OPEN = re.compile(r"(?<![A-Za-z_-])([A-Za-z_][A-Za-z_-]*)[ \t]*\(")
_KEYWORD = re.compile(r"([A-Za-z_]+)\s*=\s*")
_WORD = re.compile(r"[A-Za-z0-9_.+-]+")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"' r"|'(?:[^'\\]|\\.)*'", re.DOTALL)
_SPACE = re.compile(r"\s*")
_BARE = re.compile(r"[A-Za-z0-9_]+(\+[A-Za-z0-9_]+)*")


class DslCodec(Codec):
    """One call per line; see the module."""

    name = "dsl"

    def format(self, action: Action, screen: Size) -> str:
        call, arguments = to_arguments(action, self.frame, screen)
        quoted = {p.name for p in call.parameters if p.kind is Kind.TEXT}
        parts = (f"{name}={_write(value, name in quoted)}" for name, value in arguments.items())
        return f"{call.name}({','.join(parts)})"

    def describe(self, screen: Size) -> str:
        lines = [
            f"Write one action on a line, such as {self.example(screen)}. If you think first, begin the action with 'Action:'.",
            f"X is {self.frame.range(screen, 0)} from the left, Y is {self.frame.range(screen, 1)} from the top. What is in [ ] may be left out.",
            'Texts are in double quotes; in them \\n is a new line, \\" a quote and \\\\ a backslash.',
        ]
        lines += [f"{_signature(call)}: {call.meaning}" for call in GRAMMAR]
        return "\n".join(lines)

    def starts(self, line: str) -> bool:
        found = _OPEN.match(line)  # a call of ours, or what is written like one: "Save (at the top)" is neither
        return found is not None and (is_call(found[1]) or line.startswith(f"{found[1]}("))

    def mentions(self, text: str) -> bool:
        return any(is_call(m[1]) for m in _OPEN.finditer(text))

    def parse_strict(self, text: str, screen: Size, cursor: Size) -> list[Action]:
        actions, at = [], 0
        while at < len(text):
            opened = _OPEN.match(text, at)
            if opened is None:
                raise ActionParseError(f"expected a call such as {self.example(screen)}, got {clip(text[at:])}")
            name, arguments, end = _read_call(text, opened)
            actions.append(to_action(name, arguments, self.frame, screen, cursor))
            at = _skip(text, end)
            if at < len(text) and "\n" not in text[end:at]:
                raise ActionParseError(f"expected a new line after {text[:end][-30:]!r}, got {clip(text[at:])}")
        return actions


def _write(value: str, quoted: bool) -> str:
    if isinstance(value, Word) or (not quoted and _BARE.fullmatch(value)):
        return str(value)
    return json.dumps(value, ensure_ascii=False)


def _signature(call: Call) -> str:
    def one(p: Parameter) -> str:
        if p.kind is Kind.BUTTON:
            return "button=left|middle|right"
        if p.kind is Kind.MODIFIERS:
            return "modifiers=ctrl+shift"
        if p.kind is Kind.INTEGER:
            return f"{p.name}={p.low}..{p.high}"
        return f'{p.name}="..."' if p.kind is Kind.TEXT else f"{p.name}={p.kind.value}"

    needed = ",".join(one(p) for p in call.parameters if not p.optional or p.kind in (Kind.X, Kind.Y))
    extra = "".join(f"[,{one(p)}]" for p in call.parameters if p.optional and p.kind not in (Kind.X, Kind.Y))
    return f"{call.name}({needed}{extra})".replace("([,", "([")


def _rest(text: str, at: int) -> str:
    return clip(text[at:]) if at < len(text) else "the end of the text"


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _read_call(text: str, opened: re.Match[str]) -> tuple[str, dict[str, str], int]:
    """The name and arguments of the call that begins at ``opened``, and where it ends."""
    name = opened[1]
    call, fixed = find_call(name)
    order = [p.name for p in call.parameters if p.positional and p.name not in fixed]
    arguments: dict[str, str] = {}
    words: list[str] = []
    at = _skip(text, opened.end())
    while not text.startswith(")", at):
        keyword = _KEYWORD.match(text, at)
        if keyword:
            at = keyword.end()
        value, at = _read_value(text, at, name)
        if keyword:
            argument = keyword[1].lower()
            if argument in arguments:
                raise ActionParseError(f"{name}: the argument {argument!r} is given twice")
            arguments[argument] = value
        elif arguments:
            raise ActionParseError(f"{name}: expected name=value after a named argument, got {clip(value)}")
        else:
            words.append(value)
        at = _skip(text, at)
        if text.startswith(",", at):
            at = _skip(text, at + 1)
            if text.startswith(")", at):
                raise ActionParseError(f"{name}: expected an argument after the comma")
        elif not text.startswith(")", at):
            raise ActionParseError(f"{name}: expected , or ) after {clip(value)}, got {_rest(text, at)}")
    if len(words) > 1 and order == ["key"]:
        words = ["+".join(words)]  # hotkey("ctrl", "s")
    if len(words) > len(order):
        raise ActionParseError(f"{name}: expected at most {len(order)} unnamed arguments ({', '.join(order) or 'none'}), got {len(words)}")
    for argument, value in zip(order, words, strict=False):
        if argument in arguments:
            raise ActionParseError(f"{name}: the argument {argument!r} is given twice")
        arguments[argument] = value
    return name, arguments, at + 1


def _read_value(text: str, at: int, name: str) -> tuple[str, int]:
    string = _STRING.match(text, at)
    if string:
        return _unquote(string[0]), string.end()
    word = _WORD.match(text, at)
    if not word:
        raise ActionParseError(f"{name}: expected a number, a name or a text in quotes, got {_rest(text, at)}")
    return Word(word[0]), word.end()


def _unquote(literal: str) -> str:
    body = literal[1:-1]
    if literal[0] == "'":  # to JSON: \' is a quote, and a bare " needs a backslash
        body = re.sub(r'\\.|"', lambda m: {"\\'": "'", '"': '\\"'}.get(m[0], m[0]), body, flags=re.DOTALL)
    try:
        return str(json.loads(f'"{body}"', strict=False))
    except ValueError as error:
        raise ActionParseError(f"expected a text with the escapes of JSON (\\\\ for a backslash), got {clip(literal)}: {error}") from error
