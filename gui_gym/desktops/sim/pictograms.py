"""Pictograms: simple figures of one colour, at any size, drawn in integers from shapes on a grid of 24 x 24 units."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

_GRID, _SAMPLES = 24, 4

#: A shape adds to the figure, or cuts out of it if its name begins with "-": rectangles (x, y, w, h), discs (x, y, radius), lines
#: (x, y, x, y, thickness) and polygons (x, y, x, y, ...), in half units of the grid.
Shape = tuple[str, tuple[int, ...]]

PICTOGRAMS: dict[str, tuple[Shape, ...]] = {
    "magnifying glass": (("disc", (20, 20, 14)), ("-disc", (20, 20, 9)), ("line", (30, 30, 42, 42, 6))),
    "heart": (("disc", (16, 18, 10)), ("disc", (32, 18, 10)), ("poly", (7, 22, 41, 22, 24, 43)), ("poly", (10, 16, 38, 16, 24, 34))),
    "star": (("poly", (24, 3, 30, 18, 46, 19, 34, 29, 38, 45, 24, 36, 10, 45, 14, 29, 2, 19, 18, 18)),),
    "house": (("poly", (24, 4, 46, 24, 2, 24)), ("rect", (8, 24, 32, 20)), ("-rect", (20, 30, 8, 14))),
    "envelope": (("rect", (3, 10, 42, 28)), ("-line", (3, 11, 24, 27, 3)), ("-line", (45, 11, 24, 27, 3))),
    "bell": (("disc", (24, 20, 13)), ("poly", (11, 20, 37, 20, 43, 37, 5, 37)), ("disc", (24, 39, 5))),
    "lock": (("disc", (24, 18, 12)), ("-disc", (24, 18, 7)), ("rect", (8, 20, 32, 24)), ("-disc", (24, 31, 4))),
    "camera": (("rect", (3, 13, 42, 28)), ("rect", (15, 7, 18, 8)), ("-disc", (24, 27, 10)), ("disc", (24, 27, 6))),
    "clock": (("disc", (24, 24, 21)), ("-line", (24, 24, 24, 10, 4)), ("-line", (24, 24, 34, 29, 4))),
    "flag": (("rect", (8, 4, 5, 41)), ("poly", (13, 5, 43, 15, 13, 26))),
    "plus sign": (("rect", (20, 5, 8, 38)), ("rect", (5, 20, 38, 8))),
    "printer": (("rect", (3, 18, 42, 18)), ("rect", (11, 4, 26, 12)), ("-rect", (11, 30, 26, 14)), ("rect", (13, 32, 22, 12))),
    "bin": (
        ("rect", (7, 9, 34, 5)), ("rect", (18, 4, 12, 5)), ("poly", (10, 17, 38, 17, 35, 45, 13, 45)),
        ("-rect", (18, 21, 3, 20)), ("-rect", (27, 21, 3, 20)),
    ),
    "cloud": (("disc", (14, 28, 11)), ("disc", (26, 20, 14)), ("disc", (37, 29, 9)), ("rect", (14, 28, 23, 11))),
    "moon": (("disc", (22, 24, 20)), ("-disc", (31, 18, 17))),
    "sun": (
        ("disc", (24, 24, 10)), ("rect", (22, 2, 4, 8)), ("rect", (22, 38, 4, 8)), ("rect", (2, 22, 8, 4)), ("rect", (38, 22, 8, 4)),
        ("line", (9, 9, 13, 13, 4)), ("line", (35, 35, 39, 39, 4)), ("line", (39, 9, 35, 13, 4)), ("line", (13, 35, 9, 39, 4)),
    ),
    "key": (("disc", (13, 24, 11)), ("-disc", (13, 24, 5)), ("rect", (22, 21, 24, 6)), ("rect", (36, 26, 4, 8)), ("rect", (42, 26, 4, 6))),
    "arrow to the left": (("poly", (3, 24, 23, 6, 23, 42)), ("rect", (22, 19, 23, 10))),
    "arrow to the right": (("poly", (45, 24, 25, 6, 25, 42)), ("rect", (3, 19, 23, 10))),
    "arrow up": (("poly", (24, 3, 42, 23, 6, 23)), ("rect", (19, 22, 10, 23))),
    "arrow down": (("poly", (24, 45, 42, 25, 6, 25)), ("rect", (19, 3, 10, 23))),
    "check mark": (("line", (6, 26, 18, 38, 7)), ("line", (18, 38, 42, 11, 7)), ("disc", (18, 38, 3))),
    "musical note": (("disc", (14, 37, 8)), ("rect", (18, 6, 5, 32)), ("poly", (23, 6, 40, 15, 40, 24, 23, 15))),
    "person": (("disc", (24, 13, 10)), ("disc", (24, 42, 18)), ("-rect", (0, 43, 48, 18))),
}  # fmt: skip


@lru_cache(maxsize=512)
def pictogram(name: str, side: int) -> np.ndarray:
    """Coverage ``(side, side)`` uint8 of a pictogram, from 4 x 4 samples a pixel."""
    n = side * _SAMPLES
    centre = (2 * np.arange(n, dtype=np.int64) + 1) * _GRID  # samples' middles; one half unit of the grid is n of these
    x, y = centre[None], centre[:, None]
    inside = np.zeros((n, n), bool)
    for kind, numbers in PICTOGRAMS[name]:
        hit = _covered(kind.removeprefix("-"), [number * n for number in numbers], x, y)
        inside = inside & ~hit if kind[0] == "-" else inside | hit
    counts = inside.reshape(side, _SAMPLES, side, _SAMPLES).sum(axis=(1, 3))
    result = (counts * 255 // _SAMPLES**2).astype(np.uint8)
    result.setflags(write=False)
    return result


def _covered(kind: str, numbers: list[int], x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Which points a shape covers."""
    if kind == "rect":
        left, top, w, h = numbers
        return (x >= left) & (x < left + w) & (y >= top) & (y < top + h)
    if kind == "disc":
        cx, cy, r = numbers
        return (x - cx) ** 2 + (y - cy) ** 2 <= r * r
    if kind == "line":
        x0, y0, x1, y1, thick = numbers
        dx, dy = x1 - x0, y1 - y0
        along, across = (x - x0) * dx + (y - y0) * dy, (x - x0) * dy - (y - y0) * dx
        length2 = dx * dx + dy * dy
        return (along >= 0) & (along <= length2) & (4 * across**2 <= thick * thick * length2)
    hit = np.zeros(np.broadcast(x, y).shape, bool)
    points = list(zip(numbers[::2], numbers[1::2], strict=True))
    for (x0, y0), (x1, y1) in zip(points, points[1:] + points[:1], strict=True):
        if y0 != y1:  # the even-odd rule: does a ray to the left cross this edge?
            low, high = min(y0, y1), max(y0, y1)
            side = (x - x0) * (y1 - y0) - (x1 - x0) * (y - y0)
            hit ^= (y >= low) & (y < high) & ((side > 0) if y1 > y0 else (side < 0))
    return hit
