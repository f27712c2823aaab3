"""Shapes as coverage masks: polygons, thick lines and rings, in integers alone.

Points are in sixteenths of a pixel, so that a shape keeps its form at any size. Masks are cached: the same shape is drawn again and again.
"""

from __future__ import annotations

from functools import lru_cache
from math import isqrt

import numpy as np

from gui_gym.desktops.sim.canvas import Canvas, Color, Rect, disc

FINE = 16  #: parts of a pixel that points are counted in
UNIT = 4096  #: what 1 is in :func:`direction`
_SAMPLES = 4  #: samples along each side of a pixel
_STRIP = 32  #: pixels: long lines and rings are drawn in strips, so that little beside them is computed

Point = tuple[int, int]
Mask = tuple[np.ndarray, int, int]  #: coverage ``(h, w)`` uint8, and the pixel of its upper left corner

#: UNIT * sin(d) for d = 0..90 degrees, rounded.
_SINES = (
    0, 71, 143, 214, 286, 357, 428, 499, 570, 641, 711, 782, 852, 921, 991, 1060, 1129, 1198, 1266, 1334, 1401, 1468, 1534, 1600, 1666, 1731, 1796,
    1860, 1923, 1986, 2048, 2110, 2171, 2231, 2290, 2349, 2408, 2465, 2522, 2578, 2633, 2687, 2741, 2793, 2845, 2896, 2946, 2996, 3044, 3091, 3138,
    3183, 3228, 3271, 3314, 3355, 3396, 3435, 3474, 3511, 3547, 3582, 3617, 3650, 3681, 3712, 3742, 3770, 3798, 3824, 3849, 3873, 3896, 3917, 3937,
    3956, 3974, 3991, 4006, 4021, 4034, 4046, 4056, 4065, 4074, 4080, 4086, 4090, 4094, 4095, 4096,
)  # fmt: skip


def sine(degrees: int) -> int:
    """:data:`UNIT` times the sine of whole degrees."""
    d = degrees % 360
    if d >= 180:
        return -sine(d - 180)
    return _SINES[d] if d <= 90 else _SINES[180 - d]


def direction(degrees: int) -> Point:
    """The way that ``degrees``, clockwise from straight up, point on the screen: ``(x, y)`` of length :data:`UNIT`."""
    return sine(degrees), -sine(degrees + 90)


def regular(corners: int, turn: int = 0, inner: int = 100) -> tuple[Point, ...]:
    """Corners of a regular polygon of radius :data:`UNIT`, the first ``turn`` degrees clockwise from straight up.

    With ``inner`` below 100, between every two of them lies one at that many hundredths of the radius: a star.
    """
    points = []
    for i in range(corners):
        points.append(direction(turn + 360 * i // corners))
        if inner < 100:
            x, y = direction(turn + (360 * i + 180) // corners)
            points.append((x * inner // 100, y * inner // 100))
    return tuple(points)


#: How many sides the polygons have that are called by their number of sides.
SIDES: dict[str, int] = {"triangle": 3, "square": 4, "pentagon": 5, "hexagon": 6, "heptagon": 7, "octagon": 8, "nonagon": 9, "decagon": 10}
_BOX: dict[str, tuple[Point, ...]] = {
    "diamond": ((0, -UNIT), (UNIT * 2 // 3, 0), (0, UNIT), (-UNIT * 2 // 3, 0)),
    "cross": tuple(
        (UNIT * x * 19 // 60, UNIT * y * 19 // 60)  # its corners lie just within the circle
        for x, y in ((-1, -3), (1, -3), (1, -1), (3, -1), (3, 1), (1, 1), (1, 3), (-1, 3), (-1, 1), (-3, 1), (-3, -1), (-1, -1))
    ),
    "arrow": tuple((UNIT * x // 4, UNIT * y // 4) for x, y in ((0, -4), (3, 0), (1, 0), (1, 4), (-1, 4), (-1, 0), (-3, 0))),
}
SHAPES: tuple[str, ...] = ("circle", *SIDES, "star", "diamond", "cross", "arrow")  #: what :func:`outline` and :func:`shape` know


@lru_cache(maxsize=512)
def outline(shape: str, diameter: int, turn: int = 0) -> tuple[Point, ...]:
    """The corners of a shape that fits a square of ``diameter`` pixels, in sixteenths of a pixel from that square's corner."""
    if shape == "star":
        unit = regular(5, turn, 45)
    elif shape in SIDES:
        unit = regular(SIDES[shape], turn + (45 if shape == "square" else 0))
    else:
        unit = tuple(rotated(point, turn) for point in _BOX[shape])
    half = diameter * FINE // 2
    reach = max(max(abs(x), abs(y)) for x, y in unit) if shape == "square" and turn % 90 == 0 else UNIT
    return tuple((half + x * half // reach, half + y * half // reach) for x, y in unit)


def rotated(point: Point, degrees: int) -> Point:
    """A point turned clockwise about the origin."""
    x, y = point
    s, c = sine(degrees), sine(degrees + 90)
    return (x * c - y * s) // UNIT, (x * s + y * c) // UNIT


def shape(name: str, diameter: int, turn: int = 0) -> Mask:
    """A shape of :data:`SHAPES` that fits a square of ``diameter`` pixels whose corner is (0, 0)."""
    return (round_mask(diameter), 0, 0) if name == "circle" else polygon(outline(name, diameter, turn))


@lru_cache(maxsize=512)
def polygon(points: tuple[Point, ...]) -> Mask:
    """The inside of a polygon (where it crosses itself: by the even-odd rule)."""
    left, top = min(x for x, _ in points) // FINE, min(y for _, y in points) // FINE
    w, h = -(-max(x for x, _ in points) // FINE) - left, -(-max(y for _, y in points) // FINE) - top
    if w <= 0 or h <= 0:
        return np.zeros((0, 0), np.uint8), left, top
    step = FINE // _SAMPLES  # sample points lie between the points' coordinates, which are doubled for that
    x = 2 * (left * FINE + step * np.arange(w * _SAMPLES, dtype=np.int64)) + step
    y = 2 * (top * FINE + step * np.arange(h * _SAMPLES, dtype=np.int64)) + step
    hits = np.zeros((len(y), len(x)), bool)
    for (x0, y0), (x1, y1) in zip(points, (*points[1:], points[0]), strict=True):
        if y0 > y1:
            x0, y0, x1, y1 = x1, y1, x0, y0
        rows = slice(*np.searchsorted(y, (2 * y0, 2 * y1)))
        # the sample is left of the edge where it crosses the sample's row
        hits[rows] ^= (x[None] - 2 * x0) * (y1 - y0) < (x1 - x0) * (y[rows, None] - 2 * y0)
    return _covered(hits.reshape(h, _SAMPLES, w, _SAMPLES).sum(axis=(1, 3)), _SAMPLES * _SAMPLES), left, top


def _covered(counts: np.ndarray, of: int) -> np.ndarray:
    return ((counts * 255 + of // 2) // of).astype(np.uint8)


def _cover(distance2: np.ndarray, reach: int) -> np.ndarray:
    """Coverage of pixels by what reaches ``reach`` sixteenths of a pixel; ``distance2`` is in sixteenths, squared."""
    edges = np.maximum(reach - FINE // 2 + np.arange(FINE), 0)  # a pixel is covered less the more of these distances it lies beyond
    return _covered(FINE - np.searchsorted(edges * edges, distance2), FINE)


def _line_cover(dx: int, dy: int, width: int, rect: Rect) -> np.ndarray:
    """Coverage of the pixels of ``rect`` by a line with round ends from (0, 0) to ``(dx, dy)``."""
    x = np.arange(rect[0], rect[0] + rect[2], dtype=np.int64)[None]
    y = np.arange(rect[1], rect[1] + rect[3], dtype=np.int64)[:, None]
    length2, along, square = dx * dx + dy * dy, x * dx + y * dy, FINE * FINE
    far = np.where(along <= 0, x * x + y * y, (x - dx) ** 2 + (y - dy) ** 2) * square
    if length2:
        far = np.where((along > 0) & (along < length2), (x * dy - y * dx) ** 2 * square // length2, far)
    return _cover(far, width // 2)


def _line_box(dx: int, dy: int, width: int) -> Rect:
    reach = width // (2 * FINE) + 2
    return min(0, dx) - reach, min(0, dy) - reach, abs(dx) + 2 * reach + 1, abs(dy) + 2 * reach + 1


@lru_cache(maxsize=4096)
def _strip(dx: int, dy: int, thick: int, i: int) -> Mask:
    """The part of a line, ``thick`` pixels wide, from the middle of the pixel (0, 0) to that of ``(dx, dy)`` that lies in one strip across it.

    Strips are :data:`_STRIP` pixels wide, along the way that the line is longer; ``i`` counts pixels from the first one of its box.
    """
    left, top, wide, high = _line_box(dx, dy, thick * FINE)
    reach = thick * 3 // 4 + 2  # across the line, measured along a row or a column, that is enough up to 45 degrees
    if abs(dx) >= abs(dy):
        ends = [(left + j) * dy // dx for j in (i, i + _STRIP)]
        rect = left + i, min(ends) - reach, min(_STRIP, wide - i), abs(ends[1] - ends[0]) + 2 * reach + 1
    else:
        ends = [(top + j) * dx // dy for j in (i, i + _STRIP)]
        rect = min(ends) - reach, top + i, abs(ends[1] - ends[0]) + 2 * reach + 1, min(_STRIP, high - i)
    return _line_cover(dx, dy, thick * FINE, rect), rect[0], rect[1]


def draw_line(canvas: Canvas, start: Point, end: Point, color: Color, thick: int) -> None:
    """Draw a line between two pixels, ``thick`` pixels wide, with round ends unless it is level or upright."""
    (x0, y0), (x1, y1) = start, end
    if x0 == x1 or y0 == y1:
        canvas.fill((min(x0, x1) - thick // 2, min(y0, y1) - thick // 2, abs(x1 - x0) + thick, abs(y1 - y0) + thick), color)
        return
    dx, dy = x1 - x0, y1 - y0
    for i in range(0, max(_line_box(dx, dy, thick * FINE)[2:]), _STRIP):
        alpha, x, y = _strip(dx, dy, thick, i)
        canvas.mask(x0 + x, y0 + y, alpha, color)


@lru_cache(maxsize=64)
def round_mask(diameter: int) -> np.ndarray:
    """Coverage ``(d, d)`` of a filled circle: as :func:`~gui_gym.desktops.sim.canvas.disc`, but quickly made for a large one too."""
    if diameter <= _STRIP:
        return disc(diameter)
    half = 2 * np.arange(diameter, dtype=np.int64) + 1 - diameter  # half pixels from the middle
    return _cover((half[:, None] ** 2 + half[None] ** 2) * (FINE * FINE // 4), diameter * FINE // 2)


@lru_cache(maxsize=1024)
def _arc(radius: int, thick: int, rect: Rect) -> np.ndarray:
    """Coverage of the pixels of ``rect`` by a circle's line around the pixel (0, 0)."""
    columns = np.arange(rect[0], rect[0] + rect[2], dtype=np.int64)[None]
    rows = np.arange(rect[1], rect[1] + rect[3], dtype=np.int64)[:, None]
    far, reach = (columns * columns + rows * rows) * (FINE * FINE), radius * FINE + FINE // 2
    return _cover(far, reach) - _cover(far, reach - thick * FINE)


def draw_ring(canvas: Canvas, x: int, y: int, radius: int, color: Color, thick: int) -> None:
    """Draw a circle's line around the pixel ``(x, y)``; its outer edge is ``radius`` pixels from there."""
    for top in range(-radius - 1, radius + 2, _STRIP):
        bottom = top + _STRIP - 1
        nearest, farthest = (0 if top <= 0 <= bottom else min(abs(top), abs(bottom))), max(abs(top), abs(bottom))
        outer = isqrt(max(0, (radius + 1) ** 2 - nearest**2)) + 1
        inner = isqrt(max(0, (radius - thick - 1) ** 2 - farthest**2)) - 1 if radius > thick else 0
        for left, wide in [(-outer, 2 * outer + 1)] if inner <= 0 else [(-outer, outer - inner + 1), (inner, outer - inner + 1)]:
            if canvas.sees((x + left, y + top, wide, _STRIP)):
                canvas.mask(x + left, y + top, _arc(radius, thick, (left, top, wide, _STRIP)), color)
