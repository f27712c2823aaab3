"""The values of formulas."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal
from typing import Protocol

from gui_gym.desktops.sim.sheets.formula import Node
from gui_gym.desktops.sim.sheets.numbers import ARITHMETIC_ERRORS, CONTEXT, OPERATIONS, to_number, to_text
from gui_gym.desktops.sim.sheets.references import Cell, Range


class Fault(str):
    """An error as the value of a cell: #DIV/0!, #REF!, #NAME?, #VALUE!, #NUM!, #CYCLE! or #ERROR!."""


Value = Decimal | str | bool | None  #: of a cell; None if it is empty, a :class:`Fault` if it has an error


class Cells(Protocol):
    """Where formulas read from."""

    @property
    def used(self) -> tuple[int, int]:
        """How many rows and columns hold everything that is not empty."""

    def value(self, cell: Cell) -> Value:
        """The value of a cell."""


Function = Callable[[tuple[Node, ...], Cells], Value]

DIV, REF, NAME, VALUE, NUM, CYCLE = (Fault(code) for code in ("#DIV/0!", "#REF!", "#NAME?", "#VALUE!", "#NUM!", "#CYCLE!"))

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip


class _Stop(Exception):
    """An error on the way, which is the value of the formula."""

    def __init__(self, fault: Fault):
        self.fault = fault


def evaluate(node: Node, cells: Cells) -> Value:
    """The value of a formula's tree, whose references are to ``cells``."""
    try:
        value = _value(node, cells)
        return Decimal(0) if value is None else value
    except _Stop as stop:
        return stop.fault
    except ARITHMETIC_ERRORS:
        return NUM


def _value(node: Node, cells: Cells) -> Value:
    kind = node[0]
    match kind:
        case "number" | "text" | "bool":
            return node[1]  # type: ignore[no-any-return]
        case "error":
            raise _Stop(Fault(node[1]))
        case "range":
            if not node[2]:
                raise _Stop(VALUE)
            return _checked(cells.value(node[1][:2]))
        case "percent":
            return CONTEXT.divide(_number(_value(node[1], cells)), Decimal(100))
        case "negative":
            return CONTEXT.minus(_number(_value(node[1], cells)))
        case "call":
            if node[1] not in FUNCTIONS:
                raise _Stop(NAME)
            return FUNCTIONS[node[1]](node[2], cells)
    result = _value(node[1], cells)
    for sign, operand in node[2]:
        result = _apply(sign, result, _value(operand, cells))
    return result


def _checked(value: Value) -> Value:
    if isinstance(value, Fault):
        raise _Stop(value)
    return value


def _number(value: Value) -> Decimal:
    """A value in a calculation; texts that look like numbers count as such."""
    if isinstance(value, bool):
        return Decimal(int(value))
    if isinstance(value, str):
        number = to_number(value)
        if number is None:
            raise _Stop(VALUE)
        return number
    return Decimal(0) if value is None else value


def as_text(value: Value, comma: bool = False) -> str:
    """A value as it is shown."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    return value if isinstance(value, str) else to_text(value, comma)


def _apply(sign: str, left: Value, right: Value) -> Value:
    if sign == "&":
        return (as_text(left) + as_text(right))[:1000]
    if sign in _COMPARE:
        return _COMPARE[sign](compare(left, right), 0)
    a, b = _number(left), _number(right)
    if sign == "/" and not b or sign == "^" and not a and b < 0:
        raise _Stop(DIV)
    if sign == "^" and not a and not b:
        return Decimal(1)
    return OPERATIONS[sign](a, b)


def compare(left: Value, right: Value) -> int:
    """-1, 0 or 1: numbers before texts before truth values; texts without regard to capitals."""
    if left is None or right is None:
        blank: Value = "" if isinstance(left if right is None else right, str) else Decimal(0)
        left, right = blank if left is None else left, blank if right is None else right
    ranks = [2 if isinstance(each, bool) else 1 if isinstance(each, str) else 0 for each in (left, right)]
    if ranks[0] != ranks[1]:
        return -1 if ranks[0] < ranks[1] else 1
    a, b = (each.casefold() if isinstance(each, str) else each for each in (left, right))
    return (a > b) - (a < b)  # type: ignore[operator]


def _truth(value: Value) -> bool:
    return bool(_number(value))


def _within(area: Range, cells: Cells) -> Iterator[Cell]:
    """The cells of a range as far as they are in use, row by row."""
    rows, columns = cells.used
    for row in range(area[0], min(area[2] + 1, rows)):
        for column in range(area[1], min(area[3] + 1, columns)):
            yield row, column


def _listed(nodes: tuple[Node, ...], cells: Cells) -> Iterator[Value]:
    """The values of arguments, of ranges each of theirs."""
    for node in nodes:
        if node[0] == "range":
            for cell in _within(node[1], cells):
                yield _checked(cells.value(cell))
        else:
            yield _value(node, cells)


def numbers_of(nodes: tuple[Node, ...], cells: Cells) -> list[Decimal]:
    """The numbers among arguments; texts and empty cells of ranges are left out, texts that are arguments themselves are not."""
    found: list[Decimal] = []
    for node in nodes:
        if node[0] == "range":
            found += [value for value in _listed((node,), cells) if isinstance(value, Decimal)]
        else:
            found.append(_number(_value(node, cells)))
    return found


def total(numbers: list[Decimal]) -> Decimal:
    """The sum of numbers."""
    result = Decimal(0)
    for number in numbers:
        result = CONTEXT.add(result, number)
    return result


def mean(numbers: list[Decimal]) -> Decimal:
    """The average of numbers, an error of the formula if there are none."""
    if not numbers:
        raise _Stop(DIV)
    return CONTEXT.divide(total(numbers), Decimal(len(numbers)))


def _median(numbers: list[Decimal]) -> Decimal:
    if not numbers:
        raise _Stop(NUM)
    ordered = sorted(numbers)
    return mean(ordered[(len(ordered) - 1) // 2 : len(ordered) // 2 + 1])


def _product(numbers: list[Decimal]) -> Decimal:
    result = Decimal(1)
    for number in numbers:
        result = CONTEXT.multiply(result, number)
    return result


def rounded(number: Decimal, places: Decimal) -> Decimal:
    """A number with so many digits after the point, halves away from zero; before the point if negative."""
    digits = int(places)
    if not -30 <= digits <= 30:
        raise _Stop(NUM)
    unit = CONTEXT.scaleb(Decimal(1), -digits)
    return CONTEXT.multiply(CONTEXT.divide(number, unit).to_integral_value(ROUND_HALF_UP), unit)


def _scalars(nodes: tuple[Node, ...], cells: Cells, least: int, most: int) -> list[Value]:
    if not least <= len(nodes) <= most:
        raise _Stop(VALUE)
    return [_value(node, cells) for node in nodes]


def _if(nodes: tuple[Node, ...], cells: Cells) -> Value:
    if not 2 <= len(nodes) <= 3:
        raise _Stop(VALUE)
    if _truth(_value(nodes[0], cells)):
        return _value(nodes[1], cells)
    return _value(nodes[2], cells) if len(nodes) == 3 else False


def _criterion(value: Value) -> Callable[[Value], bool]:
    """What COUNTIF and SUMIF look for: a value, or a comparison in a text such as ">=10"."""
    sign, wanted = "=", value
    if isinstance(value, str):
        sign = next((each for each in ("<=", ">=", "<>", "<", ">", "=") if value.startswith(each)), "")
        rest = value[len(sign) :]
        number = to_number(rest)
        sign, wanted = sign or "=", rest if number is None else number
    return lambda each: each is not None and isinstance(each, str) == isinstance(wanted, str) and _COMPARE[sign](compare(each, wanted), 0)


def _where(nodes: tuple[Node, ...], cells: Cells, most: int) -> list[Value]:
    """The values of the last range whose fellow in the first range fits the criterion."""
    if not 2 <= len(nodes) <= most or any(node[0] != "range" for node in (nodes[0], *nodes[2:])):
        raise _Stop(VALUE)
    fits = _criterion(_value(nodes[1], cells))
    area, other = nodes[0][1], nodes[-1][1] if len(nodes) == 3 else nodes[0][1]
    down, across = other[0] - area[0], other[1] - area[1]
    found = [(row + down, column + across) for row, column in _within(area, cells) if fits(cells.value((row, column)))]
    return [_checked(cells.value(cell)) for cell in found]


def _numeric(function: Callable[..., Decimal], least: int, most: int, defaults: tuple[Decimal, ...] = ()) -> Function:
    """A function of ``least`` to ``most`` numbers."""

    def call(nodes: tuple[Node, ...], cells: Cells) -> Value:
        numbers = [_number(value) for value in _scalars(nodes, cells, least, most)]
        return function(*numbers, *defaults[len(numbers) - least :])

    return call


def _over(function: Callable[[list[Decimal]], Decimal]) -> Function:
    """A function of all numbers of its arguments."""
    return lambda nodes, cells: function(numbers_of(nodes, cells))


def _modulo(number: Decimal, by: Decimal) -> Decimal:
    if not by:
        raise _Stop(DIV)
    return CONTEXT.subtract(number, CONTEXT.multiply(by, CONTEXT.divide(number, by).to_integral_value(ROUND_FLOOR)))


def _texts(function: Callable[[str], Value]) -> Function:
    return lambda nodes, cells: function(as_text(_scalars(nodes, cells, 1, 1)[0]))


FUNCTIONS: dict[str, Function] = {
    "SUM": _over(total),
    "AVERAGE": _over(mean),
    "MIN": _over(lambda numbers: min(numbers, default=Decimal(0))),
    "MAX": _over(lambda numbers: max(numbers, default=Decimal(0))),
    "MEDIAN": _over(_median),
    "PRODUCT": _over(_product),
    "COUNT": lambda nodes, cells: Decimal(sum(isinstance(value, Decimal) for value in _listed(nodes, cells))),
    "COUNTA": lambda nodes, cells: Decimal(sum(value is not None for value in _listed(nodes, cells))),
    "COUNTIF": lambda nodes, cells: Decimal(len(_where(nodes, cells, 2))),
    "SUMIF": lambda nodes, cells: total([value for value in _where(nodes, cells, 3) if isinstance(value, Decimal)]),
    "IF": _if,
    "AND": lambda nodes, cells: all([_truth(value) for value in _listed(nodes, cells)]),
    "OR": lambda nodes, cells: any([_truth(value) for value in _listed(nodes, cells)]),
    "NOT": lambda nodes, cells: not _truth(_scalars(nodes, cells, 1, 1)[0]),
    "ROUND": _numeric(rounded, 1, 2, (Decimal(0),)),
    "ABS": _numeric(CONTEXT.abs, 1, 1),
    "INT": _numeric(lambda number: number.to_integral_value(ROUND_FLOOR), 1, 1),
    "MOD": _numeric(_modulo, 2, 2),
    "SQRT": _numeric(CONTEXT.sqrt, 1, 1),
    "CONCAT": lambda nodes, cells: "".join(as_text(value) for value in _listed(nodes, cells))[:1000],
    "LEN": _texts(lambda text: Decimal(len(text))),
    "UPPER": _texts(str.upper),
    "LOWER": _texts(str.lower),
}
