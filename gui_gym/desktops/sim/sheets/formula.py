"""Formulas: from text to a tree, and changes of the text that follow cells which were copied or moved."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from gui_gym.desktops.sim.sheets.numbers import ARITHMETIC_ERRORS, CONTEXT
from gui_gym.desktops.sim.sheets.references import REFERENCE, Range, column_name, column_number, spanning, within

MAX_FORMULA = 1000  #: characters
MAX_DEPTH = 40  #: parentheses within each other

#: A node: ("number", Decimal), ("text", str), ("bool", bool), ("error", code), ("range", Range, whether it is one cell alone),
#: ("percent", node), ("negative", node), ("call", name, nodes), or a kind of operation with its first operand and (operator, operand) pairs.
Node = tuple[Any, ...]

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3}(?![A-Za-z0-9]))?)
      | (?P<text>"(?:[^"]|"")*")
      | (?P<error>\#(?:REF!|NAME\?|DIV/0!|VALUE!|NUM!|CYCLE!?|ERROR!?))
      | (?P<reference>\$?[A-Za-z]{1,2}\$?[1-9]\d{0,3}(?![A-Za-z0-9_(]))
      | (?P<name>[A-Za-z_][A-Za-z0-9_.]*)
      | (?P<operator><=|>=|<>|[-+*/^&=<>(),;:%])
    )""",
    re.VERBOSE | re.ASCII,
)
#: Operators from the loosest to the tightest; those of one level go from left to right.
_LEVELS = (("compare", ("=", "<>", "<=", ">=", "<", ">")), ("join", ("&",)), ("sum", ("+", "-")), ("product", ("*", "/")))


class FormulaError(ValueError):
    """A text that is no formula."""


def tokens(text: str) -> list[tuple[str, str]]:
    """The parts of a formula without its "=": their kinds and texts. FormulaError at what is none."""
    found, at, text = [], 0, text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or match.end() == at:
            raise FormulaError(f"expected a number, a cell, a text, a function or an operator at {text[at:]!r}")
        kind = match.lastgroup or ""
        found.append((kind, match[kind]))
        at = match.end()
    return found


class _Parser:
    """Recursive descent, one method a level."""

    def __init__(self, text: str):
        self.parts = tokens(text)
        self.at = self.depth = 0

    def peek(self) -> str:
        kind, text = self.parts[self.at] if self.at < len(self.parts) else ("", "")
        return text if kind == "operator" else ""

    def take(self, *operators: str) -> str:
        """The next operator if it is one of these, else ""."""
        found = self.peek()
        if found in operators:
            self.at += 1
            return found
        return ""

    def expect(self, operator: str) -> None:
        if not self.take(operator):
            raise FormulaError(f"expected {operator!r}")

    def whole(self) -> Node:
        node = self.level(0)
        if self.at < len(self.parts):
            raise FormulaError(f"expected an operator before {self.parts[self.at][1]!r}")
        return node

    def level(self, number: int) -> Node:
        if number == len(_LEVELS):
            return self.power()
        kind, operators = _LEVELS[number]
        first, rest = self.level(number + 1), []
        while operator := self.take(*operators):
            rest.append((operator, self.level(number + 1)))
        return (kind, first, tuple(rest)) if rest else first

    def power(self) -> Node:
        first, rest = self.signed(), []
        while self.take("^"):
            rest.append(("^", self.signed()))
        return ("power", first, tuple(rest)) if rest else first

    def signed(self) -> Node:
        negative = False
        while sign := self.take("-", "+"):
            negative ^= sign == "-"
        node = self.operand()
        while self.take("%"):
            node = ("percent", node)
        return ("negative", node) if negative else node

    def operand(self) -> Node:
        if self.take("("):
            node = self.nested(lambda: self.level(0))
            self.expect(")")
            return node
        if self.at >= len(self.parts):
            raise FormulaError("expected a number, a cell, a text or a function at the end")
        kind, text = self.parts[self.at]
        self.at += 1
        match kind:
            case "number":
                return "number", CONTEXT.create_decimal(text)
            case "text":
                return "text", text[1:-1].replace('""', '"')
            case "error":
                return "error", text
            case "reference":
                return self.reference(text)
            case "name":
                if text.upper() in ("TRUE", "FALSE") and self.peek() != "(":
                    return "bool", text.upper() == "TRUE"
                if not self.take("("):
                    return "error", "#NAME?"
                return "call", text.upper(), self.nested(self.arguments)
        raise FormulaError(f"expected a number, a cell, a text or a function, got {text!r}")

    def nested(self, inner: Callable[[], Any]) -> Any:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise FormulaError(f"expected at most {MAX_DEPTH} parentheses within each other")
        result = inner()
        self.depth -= 1
        return result

    def arguments(self) -> tuple[Node, ...]:
        found: list[Node] = []
        if not self.take(")"):
            found.append(self.level(0))
            while self.take(",", ";"):
                found.append(self.level(0))
            self.expect(")")
        return tuple(found)

    def reference(self, text: str) -> Node:
        first = _cell(text)
        last = first
        if self.take(":"):
            kind, text = self.parts[self.at] if self.at < len(self.parts) else ("", "")
            if kind != "reference":
                raise FormulaError("expected a cell after ':'")
            self.at += 1
            last = _cell(text)
        area = spanning(first, last)
        return ("range", area, first == last) if within((area[2], area[3])) else ("error", "#REF!")


def _cell(text: str) -> tuple[int, int]:
    match = REFERENCE.fullmatch(text)
    assert match is not None
    return int(match[4]) - 1, column_number(match[2])


@lru_cache(maxsize=4096)
def parse(text: str) -> Node:
    """The tree of a formula without its "="; one that is none is the error #ERROR!."""
    try:
        return _Parser(text).whole() if len(text) <= MAX_FORMULA else ("error", "#ERROR!")
    except FormulaError:
        return "error", "#ERROR!"
    except ARITHMETIC_ERRORS:
        return "error", "#NUM!"


@lru_cache(maxsize=4096)
def ranges_of(text: str) -> tuple[Range, ...]:
    """The ranges a formula reads."""
    found: list[Range] = []

    def visit(node: Node) -> None:
        kind, *parts = node
        if kind == "range":
            found.append(parts[0])
        elif kind == "call":
            for part in parts[1]:
                visit(part)
        elif kind in ("percent", "negative"):
            visit(parts[0])
        elif kind in ("compare", "join", "sum", "product", "power"):
            visit(parts[0])
            for _, part in parts[1]:
                visit(part)

    visit(parse(text))
    return tuple(found)


_START = r"(?<![A-Za-z0-9_$.])"  # a reference begins where no word goes on
_ONE = re.compile(_START + REFERENCE.pattern, re.ASCII)
_ONE_OR_TWO = re.compile(rf"{_START}{REFERENCE.pattern}(?:\s*:\s*{REFERENCE.pattern})?", re.ASCII)


def _edited(text: str, pattern: re.Pattern[str], change: Callable[[re.Match[str]], str]) -> str:
    """A formula with every match of a pattern changed, but for what stands between quotes."""
    parts = text.split('"')
    parts[::2] = [pattern.sub(change, part) for part in parts[::2]]
    return '"'.join(parts)


def copied(text: str, rows: int, columns: int) -> str:
    """A formula (with its "=") as it reads in a cell so many rows and columns further on: parts marked with $ stay."""

    def change(match: re.Match[str]) -> str:
        row = int(match[4]) - 1 + (0 if match[3] else rows)
        column = column_number(match[2]) + (0 if match[1] else columns)
        return f"{match[1]}{column_name(column)}{match[3]}{row + 1}" if within((row, column)) else "#REF!"

    return _edited(text, _ONE, change) if text.startswith("=") and (rows or columns) else text


def renumbered(text: str, axis: int, first: int, count: int) -> str:
    """A formula after ``count`` rows (axis 0) or columns (axis 1) were put in before number ``first``, or taken out from it on if negative.

    Ranges grow and shrink with what is put into them or taken out of them; what is gone altogether is #REF!.
    """

    def place(number: int, last: bool) -> int:
        if number < first:
            return number
        if number >= first - count or count > 0:
            return number + count
        return first - 1 if last else first  # gone: a range's edge moves to the next row or column that is left

    def change(match: re.Match[str]) -> str:
        ends = [match.groups()[:4], *([match.groups()[4:]] if match[5] is not None else [])]
        cells = [[int(digits) - 1, column_number(letters)] for _, letters, _, digits in ends]
        lost = len(cells) == 1 and count < 0 and first <= cells[0][axis] < first - count
        for i, cell in enumerate(cells):
            cell[axis] = place(cell[axis], i == 1)
        if lost or cells[0][axis] > cells[-1][axis] or not all(within((row, column)) for row, column in cells):
            return "#REF!"
        return ":".join(f"{a}{column_name(column)}{b}{row + 1}" for (a, _, b, _), (row, column) in zip(ends, cells, strict=True))

    return _edited(text, _ONE_OR_TWO, change) if text.startswith("=") else text


def with_comma(text: str) -> str:
    """A formula as it is edited where numbers have a decimal comma: 1,5 for 1.5, and semicolons between arguments."""
    return _edited(text, re.compile(r"(?<=\d)\.(?=\d)|,"), lambda match: "," if match[0] == "." else ";")


def without_comma(text: str) -> str:
    """The opposite of :func:`with_comma`."""
    return _edited(text, re.compile(r"(?<=\d),(?=\d)|;"), lambda match: "." if match[0] == "," else ",")
