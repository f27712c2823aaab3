"""What the tools of a drawing program make of a picture. Each gives a new picture; points may lie outside of it. Integers alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gui_gym.desktops.sim.canvas import Color, Rect, disc, intersect
from gui_gym.desktops.sim.fonts import Font
from gui_gym.desktops.sim.painting.picture import Picture, from_array, index_of
from gui_gym.desktops.sim.widgets.shapes import Point, shape

_HALF = 128  #: coverage from which a pixel counts as covered: pictures have no half tones


def painted(picture: Picture, color: Color, paint: Callable[[np.ndarray, int], None]) -> Picture:
    """A picture after ``paint(array, index)`` has put the index of a colour into its pixels."""
    palette, index = index_of(picture.palette, color)
    array = picture.array.copy()
    paint(array, index)
    return from_array(array, palette)


def _stamp(array: np.ndarray, mask: np.ndarray, x: int, y: int, index: int) -> None:
    """Set the pixels where ``mask`` is true; its corner lies at ``(x, y)``."""
    part = intersect((x, y, mask.shape[1], mask.shape[0]), (0, 0, array.shape[1], array.shape[0]))
    if part:
        px, py, w, h = part
        array[py : py + h, px : px + w][mask[py - y : py - y + h, px - x : px - x + w]] = index


def box(start: Point, end: Point) -> Rect:
    """The pixels between two corners, both included."""
    x, y = min(start[0], end[0]), min(start[1], end[1])
    return x, y, abs(end[0] - start[0]) + 1, abs(end[1] - start[1]) + 1


def points_between(start: Point, end: Point) -> list[Point]:
    """The pixels of a thin line."""
    (x0, y0), (x1, y1) = start, end
    steps = max(abs(x1 - x0), abs(y1 - y0))
    return (
        [
            ((2 * (x0 * (steps - i) + x1 * i) + steps) // (2 * steps), (2 * (y0 * (steps - i) + y1 * i) + steps) // (2 * steps))
            for i in range(steps + 1)
        ]
        if steps
        else [start]
    )


def line(picture: Picture, start: Point, end: Point, color: Color, thick: int = 1) -> Picture:
    """A line with round ends."""
    mask = disc(thick) >= _HALF

    def paint(array: np.ndarray, index: int) -> None:
        for x, y in points_between(start, end):
            _stamp(array, mask, x - thick // 2, y - thick // 2, index)

    return painted(picture, color, paint)


def rectangle(picture: Picture, rect: Rect, color: Color, thick: int = 1, filled: bool = False) -> Picture:
    """A rectangle, or its edge, ``thick`` pixels wide inside ``rect``."""
    mask = np.ones((rect[3], rect[2]), bool)
    if not filled:
        mask[thick : rect[3] - thick, thick : rect[2] - thick] = False
    return painted(picture, color, lambda array, index: _stamp(array, mask, rect[0], rect[1], index))


def _oval(w: int, h: int) -> np.ndarray:
    """Which pixels of a box an ellipse that touches its sides covers."""
    x, y = 2 * np.arange(w, dtype=np.int64)[None] + 1 - w, 2 * np.arange(h, dtype=np.int64)[:, None] + 1 - h
    return x * x * h * h + y * y * w * w <= w * w * h * h


def ellipse(picture: Picture, rect: Rect, color: Color, thick: int = 1, filled: bool = False) -> Picture:
    """An ellipse in ``rect``, or its edge, ``thick`` pixels wide."""
    _, _, w, h = rect
    mask = _oval(w, h)
    if not filled and w > 2 * thick and h > 2 * thick:
        mask[thick : h - thick, thick : w - thick] &= ~_oval(w - 2 * thick, h - 2 * thick)
    return painted(picture, color, lambda array, index: _stamp(array, mask, rect[0], rect[1], index))


def region(picture: Picture, x: int, y: int) -> np.ndarray:
    """The pixels of one colour that hang together with a pixel, side by side: bool ``(height, width)``."""
    array = picture.rgb
    same = (array == array[y, x]).all(axis=2)
    found = np.zeros(same.shape, bool)
    todo = [(x, y)]
    while todo:
        px, py = todo.pop()
        if found[py, px]:
            continue
        row = same[py]
        left = right = px
        while left > 0 and row[left - 1]:
            left -= 1
        while right + 1 < len(row) and row[right + 1]:
            right += 1
        found[py, left : right + 1] = True
        for other in (py - 1, py + 1):
            if 0 <= other < len(same):
                open_ = same[other, left : right + 1] & ~found[other, left : right + 1]
                starts = np.flatnonzero(open_ & ~np.concatenate(([False], open_[:-1])))
                todo += [(left + int(i), other) for i in starts]
    return found


def fill(picture: Picture, at: Point, color: Color) -> Picture:
    """Pour a colour into the region a pixel is in."""
    if not (0 <= at[0] < picture.width and 0 <= at[1] < picture.height):
        return picture
    mask = region(picture, *at)
    return painted(picture, color, lambda array, index: _stamp(array, mask, 0, 0, index))


def write(picture: Picture, at: Point, text: str, font: Font, color: Color) -> Picture:
    """A line of text whose line box has its corner at a pixel."""
    run = font.render(text)
    mask = run.mask >= _HALF * 3 // 4
    return painted(picture, color, lambda array, index: _stamp(array, mask, at[0] + run.x, at[1] + run.y, index))


def figure(picture: Picture, name: str, x: int, y: int, side: int, color: Color, turn: int = 0) -> Picture:
    """A shape of :data:`~gui_gym.desktops.sim.widgets.shapes.SHAPES` in a square with that corner."""
    alpha, dx, dy = shape(name, side, turn)
    return painted(picture, color, lambda array, index: _stamp(array, alpha >= _HALF, x + dx, y + dy, index))


def turn(picture: Picture, quarters: int) -> Picture:
    """Turned clockwise by so many right angles."""
    return from_array(np.rot90(picture.array, -quarters), picture.palette)


def flip(picture: Picture, upside_down: bool = False) -> Picture:
    """Mirrored from left to right, or from top to bottom."""
    return from_array(picture.array[::-1] if upside_down else picture.array[:, ::-1], picture.palette)


def crop(picture: Picture, rect: Rect) -> Picture:
    """The part of a picture in a rectangle; all of it if the rectangle holds none of it."""
    part = intersect(rect, (0, 0, picture.width, picture.height))
    if part is None:
        return picture
    x, y, w, h = part
    return from_array(picture.array[y : y + h, x : x + w], picture.palette)


def resize(picture: Picture, width: int, height: int) -> Picture:
    """Stretched to another size, without new colours."""
    rows = np.arange(height, dtype=np.int64) * picture.height // height
    columns = np.arange(width, dtype=np.int64) * picture.width // width
    return from_array(picture.array[rows][:, columns], picture.palette)


def paste(picture: Picture, other: Picture, at: Point) -> Picture:
    """Another picture laid over this one with its corner at a pixel."""
    palette, numbers = picture.palette, []
    for color in other.palette:
        palette, index = index_of(palette, color)
        numbers.append(index)
    array, patch = picture.array.copy(), np.asarray(numbers, np.uint8)[other.array]
    part = intersect((*at, other.width, other.height), (0, 0, picture.width, picture.height))
    if part:
        x, y, w, h = part
        array[y : y + h, x : x + w] = patch[y - at[1] : y - at[1] + h, x - at[0] : x - at[0] + w]
    return from_array(array, palette)
