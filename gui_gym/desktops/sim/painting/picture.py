"""Pictures and the text of their files.

A ``.pic`` file begins with ``pic WIDTH HEIGHT``, then names the colours, one a line, each by a letter: ``A ffffff``; then come the rows from the
top. A row is letters, each of which may have a count before it (``12A3B``), and equal rows may be one line with a count and a star: ``4*160A``.
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gui_gym.desktops.sim.canvas import Color

ENDING = ".pic"
MAX_SIDE = 320  #: pixels of the widest and of the highest picture
LETTERS = string.ascii_uppercase + string.ascii_lowercase
MAX_COLORS = len(LETTERS)
_MAX_TEXT = 500_000  #: characters; no picture needs more
_HEAD = re.compile(r"pic (\d{1,4}) (\d{1,4})")
_COLOR = re.compile(r"([A-Za-z]) ([0-9a-f]{6})")
_ROW = re.compile(r"(?:(\d{1,4})\*)?((?:\d{0,4}[A-Za-z])+)")
_RUN = re.compile(r"(\d*)([A-Za-z])")


class PictureError(ValueError):
    """A text is no picture."""


@dataclass(frozen=True)
class Picture:
    """``width`` x ``height`` pixels, each the index of a colour of ``palette``, row by row from the top."""

    width: int
    height: int
    palette: tuple[Color, ...]
    pixels: bytes

    @property
    def array(self) -> np.ndarray:
        """The indices, ``(height, width)`` uint8, read-only."""
        return np.frombuffer(self.pixels, np.uint8).reshape(self.height, self.width)

    @property
    def rgb(self) -> np.ndarray:
        """The colours, ``(height, width, 3)`` uint8."""
        return np.asarray(self.palette, np.uint8)[self.array]

    def color_at(self, x: int, y: int) -> Color:
        """The colour of a pixel."""
        return self.palette[self.pixels[y * self.width + x]]

    def same_as(self, other: Picture) -> bool:
        """Whether both look the same, whatever the order of their palettes."""
        return (self.width, self.height) == (other.width, other.height) and np.array_equal(self.rgb, other.rgb)


def from_array(array: np.ndarray, palette: tuple[Color, ...]) -> Picture:
    """A picture of indices ``(height, width)``."""
    height, width = array.shape
    return Picture(width, height, palette, np.ascontiguousarray(array, np.uint8).tobytes())


def blank(width: int, height: int, color: Color = (255, 255, 255)) -> Picture:
    """A picture of one colour."""
    return Picture(width, height, (color,), bytes(width * height))


def index_of(palette: tuple[Color, ...], color: Color) -> tuple[tuple[Color, ...], int]:
    """The palette with a colour in it, and its index; in a full palette that of the colour nearest to it."""
    if color in palette:
        return palette, palette.index(color)
    if len(palette) < MAX_COLORS:
        return (*palette, color), len(palette)
    far = [sum((a - b) ** 2 for a, b in zip(color, other, strict=True)) for other in palette]
    return palette, far.index(min(far))


def write_picture(picture: Picture) -> str:
    """The text of a picture: the same for all that look the same."""
    seen: dict[Color, str] = {}
    letters = [""] * len(picture.palette)
    indices, firsts = np.unique(picture.array, return_index=True)
    for index in indices[np.argsort(firsts)].tolist():
        letters[index] = seen.setdefault(picture.palette[index], LETTERS[len(seen)])
    lines = [f"pic {picture.width} {picture.height}", *(f"{letter} {bytes(color).hex()}" for color, letter in seen.items())]
    array = np.asarray([LETTERS.find(letter) if letter else 0 for letter in letters])[picture.array]
    starts = np.ones(array.shape, bool)  # where runs start; each row starts with one
    starts[:, 1:] = array[:, 1:] != array[:, :-1]
    places = np.flatnonzero(starts)
    codes = np.diff(places, append=array.size) * MAX_COLORS + array.reshape(-1)[places]
    words = {
        code: f"{code // MAX_COLORS}{LETTERS[code % MAX_COLORS]}".removeprefix("1" if code < 2 * MAX_COLORS else "") for code in set(codes.tolist())
    }
    runs = [words[code] for code in codes.tolist()]
    ends = np.cumsum(starts.sum(axis=1)).tolist()
    fresh = [True, *(array[1:] != array[:-1]).any(axis=1).tolist(), True]
    row = 0
    while row < picture.height:
        after = fresh.index(True, row + 1)
        packed = "".join(runs[ends[row - 1] if row else 0 : ends[row]])
        lines.append(packed if after - row == 1 else f"{after - row}*{packed}")
        row = after
    return "\n".join(lines) + "\n"


@lru_cache(maxsize=128)
def read_picture(text: str) -> Picture:
    """The picture of a file's text; :class:`PictureError` says what is wrong with one that is none."""
    if len(text) > _MAX_TEXT:
        raise PictureError(f"a picture has at most {_MAX_TEXT} characters, got {len(text)}")
    lines = text.splitlines()
    head = _HEAD.fullmatch(lines[0]) if lines and text.isascii() else None
    if head is None:
        raise PictureError(f"expected 'pic WIDTH HEIGHT' in the first line, got {lines[0][:40] if lines else ''!r}")
    width, height = int(head[1]), int(head[2])
    if not (1 <= width <= MAX_SIDE and 1 <= height <= MAX_SIDE):
        raise PictureError(f"a picture has 1 to {MAX_SIDE} pixels to a side, got {width} x {height}")
    palette: list[Color] = []
    number: dict[str, int] = {}
    at = 1
    while at < len(lines) and (match := _COLOR.fullmatch(lines[at])):
        if match[1] in number:
            raise PictureError(f"line {at + 1}: the colour {match[1]} is there twice")
        number[match[1]] = len(palette)
        palette.append((int(match[2][:2], 16), int(match[2][2:4], 16), int(match[2][4:], 16)))
        at += 1
    rows: list[bytes] = []
    for place, line in enumerate(lines[at:], at + 1):
        match = _ROW.fullmatch(line)
        if match is None:
            raise PictureError(f"line {place}: expected a row of letters with counts, got {line[:40]!r}")
        rows += [_row(match[2], number, width, place)] * min(int(match[1] or 1), height + 1)
        if len(rows) > height:
            raise PictureError(f"line {place}: more than {height} rows")
    if len(rows) != height:
        raise PictureError(f"expected {height} rows, got {len(rows)}")
    return Picture(width, height, tuple(palette), b"".join(rows))


def _row(text: str, number: dict[str, int], width: int, place: int) -> bytes:
    """The indices of a row."""
    parts, used = [], 0
    for count, letter in _RUN.findall(text):
        if letter not in number:
            raise PictureError(f"line {place}: there is no colour {letter}")
        times = int(count or 1)
        used += times
        if used > width:
            break
        parts.append(bytes([number[letter]]) * times)
    if used != width:
        raise PictureError(f"line {place}: expected {width} pixels, got {'more' if used > width else used}")
    return b"".join(parts)
