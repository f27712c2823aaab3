"""Exact decimal numbers: how they are read, computed with and shown, the same on every machine."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Context, Decimal, DivisionByZero, InvalidOperation, Overflow

#: 28 digits; what cannot be computed raises one of :data:`ARITHMETIC_ERRORS`.
CONTEXT = Context(
    prec=28, rounding=ROUND_HALF_UP, Emin=-999, Emax=999, capitals=1, clamp=0, flags=[], traps=[DivisionByZero, InvalidOperation, Overflow]
)
ARITHMETIC_ERRORS = (DivisionByZero, InvalidOperation, Overflow)
#: What the signs of formulas do.
OPERATIONS = {"+": CONTEXT.add, "-": CONTEXT.subtract, "*": CONTEXT.multiply, "/": CONTEXT.divide, "^": CONTEXT.power}
PLACES = 10  #: digits after the point that are shown of a result
_LAST_PLACE = Decimal(1).scaleb(-PLACES)
_PLAIN_DIGITS = 16  #: longer numbers are shown with an exponent
_NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)\s*(%?)\s*", re.ASCII)


def to_number(text: str) -> Decimal | None:
    """The number a text stands for ("1.50", "-.5", "2E3", "50%"), or None."""
    match = _NUMBER.fullmatch(text) if len(text) < 400 else None
    if match is None:
        return None
    try:
        number = CONTEXT.create_decimal(match[1])
        return CONTEXT.divide(number, Decimal(100)) if match[2] else number
    except ARITHMETIC_ERRORS:
        return None


def to_text(number: Decimal, comma: bool = False) -> str:
    """A number as results are shown: without zeros at the end, with a decimal comma on request."""
    if not number:
        return "0"
    size = number.adjusted()
    if size >= _PLAIN_DIGITS or size < -PLACES:
        mantissa, _, exponent = f"{Context(prec=PLACES, rounding=ROUND_HALF_UP).create_decimal(number):E}".partition("E")
        text = f"{trim(mantissa)}E{exponent}"
    else:
        text = trim(f"{number.quantize(_LAST_PLACE, ROUND_HALF_UP, CONTEXT):f}")
    return text.replace(".", ",") if comma else text


def trim(digits: str) -> str:
    """Digits without the zeros at the end of their fraction."""
    return digits.rstrip("0").rstrip(".") if "." in digits else digits
