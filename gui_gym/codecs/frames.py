"""Coordinate frames: how a model writes a point of the screen.

Every frame maps the pixels ``0 <= x < width`` of an axis to numbers and back, each axis by itself:

=============== ======================================== ======================================
spec            numbers                                  every pixel comes back exactly
=============== ======================================== ======================================
``pixels``      0 .. width-1                             always
``resized:WxH`` 0 .. W-1, pixels of a resized picture    where W >= width
``unit``        0 .. 1, with as many digits as needed    always
``thousand``    0 .. 1000                                up to 1000 pixels
``grid:N``      0 .. N-1, cells                          where N >= width
=============== ======================================== ======================================

A coarse frame moves a point by at most half of one of its cells, to the nearest pixel
(:meth:`CoordinateFrame.max_error`). Numbers outside the frame are errors, never clipped, so that no decoded point
leaves the screen.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from fractions import Fraction
from functools import lru_cache

from gui_gym.registry import unknown

Size = tuple[int, int]

_NUMERAL = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,40})?")


class CoordinateError(ValueError):
    """A number that is no coordinate of the frame; the message says what was expected."""


class CoordinateFrame(ABC):
    """How points are written. ``axis`` is 0 for x and 1 for y; numerals are text, as a model writes them."""

    spec: str  #: what :func:`make_frame` takes
    exact: bool  #: whether every pixel of every screen comes back exactly

    @abstractmethod
    def encode(self, pixel: int, screen: Size, axis: int) -> str:
        """The numeral of ``pixel``, which is on the screen."""

    @abstractmethod
    def decode(self, numeral: str, screen: Size, axis: int) -> int:
        """The pixel a numeral stands for, always on the screen. Raises :class:`CoordinateError` for any other text."""

    @abstractmethod
    def range(self, screen: Size, axis: int) -> str:
        """The numbers of the axis in words, such as ``"a whole number 0..1279"``."""

    def max_error(self, screen: Size) -> tuple[int, int]:
        """By how many pixels ``decode(encode(pixel))`` is off at most, on each axis."""
        return _max_error(self, screen, 0), _max_error(self, screen, 1)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CoordinateFrame) and other.spec == self.spec

    def __hash__(self) -> int:
        return hash(self.spec)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.spec!r})"


@lru_cache(maxsize=256)
def _max_error(frame: CoordinateFrame, screen: Size, axis: int) -> int:
    return max(abs(frame.decode(frame.encode(p, screen, axis), screen, axis) - p) for p in range(screen[axis]))


def _number(numeral: str, expected: str, whole: bool) -> Fraction:
    if not _NUMERAL.fullmatch(numeral) or (whole and "." in numeral):
        raise CoordinateError(f"expected {expected}, got {numeral[:40]!r}")
    return Fraction(numeral)


class CellFrame(CoordinateFrame):
    """Whole numbers that count cells: of a resized picture, of a grid, or (``cells`` None) the screen's own pixels."""

    def __init__(self, spec: str, cells: Size | None):
        self.spec, self.cells, self.exact = spec, cells, cells is None

    def _count(self, screen: Size, axis: int) -> int:
        return (self.cells or screen)[axis]

    def encode(self, pixel: int, screen: Size, axis: int) -> str:
        return str((2 * pixel + 1) * self._count(screen, axis) // (2 * screen[axis]))  # the cell the pixel's centre is in

    def decode(self, numeral: str, screen: Size, axis: int) -> int:
        count = self._count(screen, axis)
        cell = _number(numeral, self.range(screen, axis), whole=True)
        if not 0 <= cell < count:
            raise CoordinateError(f"expected {self.range(screen, axis)}, got {numeral[:40]}")
        return int((2 * cell + 1) * screen[axis] // (2 * count))  # the pixel the cell's centre is in

    def range(self, screen: Size, axis: int) -> str:
        return f"a whole number 0..{self._count(screen, axis) - 1}"


class FractionFrame(CoordinateFrame):
    """Numbers from 0 (left, top edge) to ``whole`` (right, bottom edge): 1 with decimals, or 1000 without."""

    def __init__(self, spec: str, whole: int, decimals: bool):
        self.spec, self.whole, self.exact = spec, whole, decimals

    def _digits(self, screen: Size, axis: int) -> int:
        return max(1, len(str(screen[axis] - 1))) if self.exact else 0  # one step is at most a pixel

    def encode(self, pixel: int, screen: Size, axis: int) -> str:
        digits = self._digits(screen, axis)
        steps, size = self.whole * 10**digits, screen[axis]
        step = -((size - (2 * pixel + 1) * steps) // (2 * size))  # the step nearest to the pixel's centre, halves down
        return f"{step // 10**digits}.{step % 10**digits:0{digits}d}" if digits else str(step)

    def decode(self, numeral: str, screen: Size, axis: int) -> int:
        value = _number(numeral, self.range(screen, axis), whole=not self.exact)
        if not 0 <= value <= self.whole:
            raise CoordinateError(f"expected {self.range(screen, axis)}, got {numeral[:40]}")
        return min(screen[axis] - 1, int(value * screen[axis] // self.whole))  # the far edge is the last pixel

    def range(self, screen: Size, axis: int) -> str:
        return f"a number 0..{self.whole}" if self.exact else f"a whole number 0..{self.whole}"


def make_frame(spec: str | CoordinateFrame) -> CoordinateFrame:
    """The frame of a spec: "pixels", "resized:1024x576", "unit", "thousand" or "grid:10"."""
    if isinstance(spec, CoordinateFrame):
        return spec
    name, _, size = spec.partition(":")
    if name == "pixels" and not size:
        return CellFrame(spec, None)
    if name == "unit" and not size:
        return FractionFrame(spec, 1, decimals=True)
    if name == "thousand" and not size:
        return FractionFrame(spec, 1000, decimals=False)
    if name == "grid" and re.fullmatch("[1-9][0-9]{0,4}", size):
        return CellFrame(spec, (int(size), int(size)))
    if name == "resized" and re.fullmatch("[1-9][0-9]{0,4}x[1-9][0-9]{0,4}", size):
        width, height = map(int, size.split("x"))
        return CellFrame(spec, (width, height))
    raise unknown("coordinate frame", spec, ["pixels", "resized:1024x576", "unit", "thousand", "grid:10"])
