"""Formulas of conditional formats: a small, bounded part of what a spreadsheet calculates, on saved values.

What is not in :data:`FUNCTIONS` is an :class:`UnsupportedFormula`. Nothing of a formula is executed as code.
"""

from __future__ import annotations

import datetime
import math
import operator
import re
import statistics
from collections.abc import Callable, Iterable
from typing import Any

from openpyxl.formula import Tokenizer
from openpyxl.formula.tokenizer import Token, TokenizerError
from openpyxl.utils import column_index_from_string
from openpyxl.utils.datetime import from_excel, to_excel

from gui_gym.verifiers.osworld.metrics.tables.books import Sheet
from gui_gym.verifiers.osworld.safe_files import UnreadableFile

Place = tuple[int, int]
Node = Callable[[Place], Any]

MAX_FORMULA = 8192  #: most characters of a formula, as in spreadsheet programs
MAX_CELL_TEXT = 32767  #: most characters of a text, as in spreadsheet programs
MAX_STEPS = 2_000_000  #: most cells that one sheet's conditional formats look at
_REFERENCE = re.compile(r"(?:(?P<sheet>'[^']+'|[^'!]+)!)?(\$?)([A-Z]{1,3})(\$?)(\d{1,7})(?::(\$?)([A-Z]{1,3})(\$?)(\d{1,7}))?")


class UnsupportedFormula(ValueError):
    """A formula that is not calculated here."""


class CalculationError(ValueError):
    """What a spreadsheet shows as an error, such as #VALUE!."""


class Budget:
    """Counts the cells looked at; more than :data:`MAX_STEPS` make the file an :class:`UnreadableFile`."""

    def __init__(self, path: str) -> None:
        self.path, self.left = path, MAX_STEPS

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise UnreadableFile(self.path, f"expected conditional formats that look at no more than {MAX_STEPS} cells")


class Formula:
    """A formula, written for the cell ``corner``; called with another cell's place, it gives its value there.

    Raises:
        UnsupportedFormula: at once.
        CalculationError: when called.
    """

    def __init__(self, source: str, sheet: Sheet, corner: Place, budget: Budget) -> None:
        self.sheet, self.corner, self.budget = sheet, corner, budget
        if len(source) > MAX_FORMULA:
            raise UnsupportedFormula(f"formula: expected at most {MAX_FORMULA} characters, got {len(source)}")
        try:
            tokens = [token for token in Tokenizer("=" + source).items if token.type != Token.WSPACE]
            self._tokens = tokens[::-1]
            self._node = self._expression(0)
        except (TokenizerError, IndexError, RecursionError) as error:
            raise UnsupportedFormula(f"formula: expected one that can be read, got {source!r:.200}") from error
        if self._tokens:
            raise UnsupportedFormula(f"formula: expected its end after {source!r:.200}")

    def __call__(self, place: Place) -> Any:
        try:
            return _one(self._node(place))
        except RecursionError as error:
            raise CalculationError("expected a formula less deep") from error

    def _expression(self, strength: int) -> Node:
        left = self._operand()
        while self._tokens and self._tokens[-1].type in (Token.OP_IN, Token.OP_POST):
            token = self._tokens[-1]
            if token.type == Token.OP_POST:
                self._tokens.pop()
                left = _apply(lambda value: number(value) / 100, left)
                continue
            if token.value not in _STRENGTH or _STRENGTH[token.value] <= strength:
                break
            self._tokens.pop()
            left = _binary(token.value, left, self._expression(_STRENGTH[token.value]))
        return left

    def _operand(self) -> Node:
        token = self._tokens.pop()
        if token.type == Token.OP_PRE:
            value = self._expression(_STRENGTH["^"])
            return _apply(lambda found: -number(found), value) if token.value == "-" else value
        if token.type == Token.PAREN and token.subtype == Token.OPEN:
            inner = self._expression(0)
            self._close(Token.PAREN)
            return inner
        if token.type == Token.FUNC and token.subtype == Token.OPEN:
            return self._call(token.value[:-1].upper())
        if token.type == Token.OPERAND:
            if token.subtype == Token.NUMBER:
                return _constant(float(token.value))
            if token.subtype == Token.TEXT:
                return _constant(token.value[1:-1].replace('""', '"'))
            if token.subtype == Token.LOGICAL:
                return _constant(token.value.upper() == "TRUE")
            if token.subtype == Token.RANGE:
                return self._reference(token.value)
        raise UnsupportedFormula(f"formula: expected an operand, got {token.value!r:.80}")

    def _close(self, kind: str) -> None:
        token = self._tokens.pop()
        if token.type != kind or token.subtype != Token.CLOSE:
            raise UnsupportedFormula(f"formula: expected a closing parenthesis, got {token.value!r:.80}")

    def _call(self, name: str) -> Node:
        nodes: list[Node] = []
        while not (self._tokens[-1].type == Token.FUNC and self._tokens[-1].subtype == Token.CLOSE):
            nodes.append(self._expression(0))
            if self._tokens[-1].type == Token.SEP:
                self._tokens.pop()
        self._close(Token.FUNC)
        if name in ("ROW", "COLUMN") and not nodes:
            index = 0 if name == "ROW" else 1
            return lambda place: place[index]
        if name == "IF" and len(nodes) in (2, 3):
            return lambda place: nodes[1](place) if truth(nodes[0](place)) else nodes[2](place) if len(nodes) == 3 else False
        if name in ("IFERROR", "ISERROR") and nodes:
            return lambda place: _guarded(name, nodes, place)
        if name not in FUNCTIONS:
            raise UnsupportedFormula(f"formula: expected a function that is supported, got {name!r:.80}")
        function = FUNCTIONS[name]

        def call(place: Place) -> Any:
            try:
                return function(*(node(place) for node in nodes))
            except (TypeError, ValueError, ArithmeticError, LookupError) as error:  # as a spreadsheet shows an error there
                raise CalculationError(f"{name}: {error}") from error

        return call

    def _reference(self, text: str) -> Node:
        match = _REFERENCE.fullmatch(text.upper())
        if match is None:
            raise UnsupportedFormula(f"formula: expected a cell or a range, got {text!r:.80}")
        named = match["sheet"]
        sheet = Sheet(self.sheet.book, text[: len(named)].strip("'")) if named else self.sheet
        corners = [match.group(2, 3, 4, 5), match.group(6, 7, 8, 9)]

        def at(corner: tuple[str, ...], place: Place) -> Place:
            column, row = column_index_from_string(corner[1]), int(corner[3])
            return (row if corner[2] else row + place[0] - self.corner[0], column if corner[0] else column + place[1] - self.corner[1])

        if corners[1][1] is None:
            return lambda place: sheet.values.get(at(corners[0], place))

        def block(place: Place) -> list[Any]:
            (top, left), (low, right) = (at(corner, place) for corner in corners)
            self.budget.spend(len(sheet.values))
            return [value for (row, column), value in sheet.values.items() if top <= row <= low and left <= column <= right]

        return block


_STRENGTH = {"=": 1, "<>": 1, "<": 1, "<=": 1, ">": 1, ">=": 1, "&": 2, "+": 3, "-": 3, "*": 4, "/": 4, "^": 5}
_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": math.pow,
}


def _constant(value: Any) -> Node:
    return lambda _: value


def _apply(function: Callable[[Any], Any], node: Node) -> Node:
    return lambda place: function(node(place))


def _binary(sign: str, left: Node, right: Node) -> Node:
    def calculate(place: Place) -> Any:
        first, second = _one(left(place)), _one(right(place))
        if sign == "&":
            joined = text(first) + text(second)
            if len(joined) > MAX_CELL_TEXT:
                raise CalculationError("expected a shorter text")
            return joined
        if sign in _ARITHMETIC:
            try:
                return _ARITHMETIC[sign](number(first), number(second))
            except (ArithmeticError, ValueError) as error:
                raise CalculationError(str(error)) from error
        return compare(sign, first, second)

    return calculate


def _guarded(name: str, nodes: list[Node], place: Place) -> Any:
    try:
        value = _one(nodes[0](place))
        failed = isinstance(value, str) and value.startswith("#")
    except CalculationError:
        value, failed = None, True
    if name == "ISERROR":
        return failed
    return nodes[1](place) if failed else value


def _one(value: Any) -> Any:
    if isinstance(value, list):
        raise CalculationError("expected one value, got a range")
    return value


def number(value: Any) -> float:
    """A value as a number: dates are days, an empty cell is 0."""
    if value is None:
        return 0.0
    if isinstance(value, (datetime.date, datetime.time, datetime.timedelta)):
        return float(to_excel(value))
    try:
        return float(_one(value))
    except ValueError as error:
        raise CalculationError(f"expected a number, got {value!r:.80}") from error


def text(value: Any) -> str:
    """A value as text: 3.0 is "3"."""
    if _one(value) is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    return f"{value:g}" if isinstance(value, float) else str(value)


def truth(value: Any) -> bool:
    """A value as a condition."""
    if isinstance(value, str):
        raise CalculationError(f"expected a condition, got {value!r:.80}")
    return bool(_one(value))


def compare(sign: str, first: Any, second: Any) -> bool:
    """Compare as spreadsheets do: numbers before texts before booleans, texts without regard to case, an empty cell is 0 or ""."""

    def key(value: Any, other: Any) -> tuple[int, Any]:
        if value is None:
            value = "" if isinstance(other, str) else 0.0
        if isinstance(value, bool):
            return (2, value)
        return (1, value.lower()) if isinstance(value, str) else (0, number(value))

    signs = {"=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
    return bool(signs[sign](key(first, second), key(second, first)))


def _numbers(values: Iterable[Any]) -> list[float]:
    flat = [item for value in values for item in (value if isinstance(value, list) else [value])]
    return [number(item) for item in flat if item is not None and not isinstance(item, (str, bool))]


def _count_if(values: Any, criterion: Any) -> int:
    match = re.match(r"(<>|<=|>=|<|>|=)(.*)", criterion, re.DOTALL) if isinstance(criterion, str) else None
    sign, wanted = match.groups() if match else ("=", criterion)
    if isinstance(wanted, str):
        try:
            wanted = float(wanted)
        except ValueError:
            pass
    items = values if isinstance(values, list) else [values]
    same_kind = [item for item in items if item is not None and (sign == "<>" or isinstance(item, str) == isinstance(wanted, str))]
    return sum(compare(sign, item, wanted) for item in same_kind)


def _day(value: Any) -> Any:
    return value if isinstance(value, datetime.date) else from_excel(number(value))


def _weekday(value: Any, kind: Any = 1) -> int:
    monday = _day(value).weekday()
    return {1: (monday + 1) % 7 + 1, 2: monday + 1, 3: monday}[int(kind)]


def _conditions(values: Iterable[Any]) -> list[bool]:
    return [truth(item) for value in values for item in (value if isinstance(value, list) else [value])]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "AND": lambda *values: all(_conditions(values)),
    "OR": lambda *values: any(_conditions(values)),
    "NOT": lambda value: not truth(value),
    "TRUE": lambda: True,
    "FALSE": lambda: False,
    "ISBLANK": lambda value: value is None,
    "ISNUMBER": lambda value: value is not None and not isinstance(value, (str, bool)),
    "ISTEXT": lambda value: isinstance(value, str),
    "ISEVEN": lambda value: int(number(value)) % 2 == 0,
    "ISODD": lambda value: int(number(value)) % 2 == 1,
    "MOD": lambda value, divisor: number(value) - number(divisor) * math.floor(number(value) / number(divisor)),
    "ABS": lambda value: abs(number(value)),
    "INT": lambda value: math.floor(number(value)),
    "ROUND": lambda value, digits=0: round(number(value), int(number(digits))),
    "LEN": lambda value: len(text(value)),
    "LEFT": lambda value, many=1: text(value)[: int(number(many))],
    "RIGHT": lambda value, many=1: text(value)[max(0, len(text(value)) - int(number(many))) :],
    "MID": lambda value, start, many: text(value)[int(number(start)) - 1 : int(number(start)) - 1 + int(number(many))],
    "UPPER": lambda value: text(value).upper(),
    "LOWER": lambda value: text(value).lower(),
    "TRIM": lambda value: " ".join(text(value).split()),
    "EXACT": lambda first, second: text(first) == text(second),
    "FIND": lambda part, value: text(value).index(text(part)) + 1,
    "SEARCH": lambda part, value: text(value).lower().index(text(part).lower()) + 1,
    "SUM": lambda *values: math.fsum(_numbers(values)),
    "AVERAGE": lambda *values: statistics.fmean(_numbers(values)),
    "MEDIAN": lambda *values: statistics.median(_numbers(values)),
    "MIN": lambda *values: min(_numbers(values), default=0.0),
    "MAX": lambda *values: max(_numbers(values), default=0.0),
    "COUNT": lambda *values: len(_numbers(values)),
    "COUNTA": lambda *values: sum(item is not None for value in values for item in (value if isinstance(value, list) else [value])),
    "LARGE": lambda values, rank: sorted(_numbers([values]), reverse=True)[int(number(rank)) - 1],
    "SMALL": lambda values, rank: sorted(_numbers([values]))[int(number(rank)) - 1],
    "COUNTIF": _count_if,
    "YEAR": lambda value: _day(value).year,
    "MONTH": lambda value: _day(value).month,
    "DAY": lambda value: _day(value).day,
    "WEEKDAY": _weekday,
}
