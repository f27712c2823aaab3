"""What the calculator works out: expressions of numbers, the same on every machine."""

from __future__ import annotations

from decimal import Decimal

from gui_gym.desktops.sim.sheets.formula import Node, parse
from gui_gym.desktops.sim.sheets.numbers import ARITHMETIC_ERRORS, CONTEXT, OPERATIONS, to_text

SIGNS = {"*": "×", "/": "÷", "-": "−"}  #: how operators are shown
_PLAIN = {shown: typed for typed, shown in SIGNS.items()}
KEPT = frozenset("0123456789.,+−×÷()%^E")  #: characters of expressions


class ArithmeticalError(ValueError):
    """An expression that has no value."""


def shown(text: str, comma: bool = False) -> str:
    """Typed characters as the calculator shows them; others than those of expressions are left out."""
    text = "".join(SIGNS.get(c, c) for c in text)
    text = text.replace(".", ",") if comma else text.replace(",", "")
    return "".join(c for c in text if c in KEPT)


def calculate(text: str) -> Decimal:
    """The value of an expression as it is shown; ArithmeticalError if it has none. "200 + 10%" is 220."""
    plain = "".join(_PLAIN.get(c, c) for c in text).replace(",", ".")
    try:
        return _value(parse(plain))
    except ARITHMETIC_ERRORS as error:
        raise ArithmeticalError(f"{text!r} has no value") from error


def result_text(number: Decimal, comma: bool = False) -> str:
    """A result as the calculator shows it."""
    return to_text(number, comma).replace("-", SIGNS["-"])


def _value(node: Node) -> Decimal:
    kind = node[0]
    match kind:
        case "number":
            assert isinstance(node[1], Decimal)
            return node[1]
        case "negative":
            return CONTEXT.minus(_value(node[1]))
        case "percent":
            return CONTEXT.divide(_value(node[1]), Decimal(100))
        case "sum" | "product" | "power":
            result = _value(node[1])
            for sign, operand in node[2]:
                if kind == "sum" and operand[0] == "percent":  # a share of what it is added to
                    operand = ("product", ("number", result), (("*", operand),))
                result = OPERATIONS[sign](result, _value(operand))
            return result
    raise ArithmeticalError("expected an expression of numbers")
