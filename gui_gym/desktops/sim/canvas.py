"""Drawing primitives on an RGB array, in integers alone so that they give the same bytes everywhere."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gui_gym.desktops.sim.fonts import Font

Color = tuple[int, int, int]
Rect = tuple[int, int, int, int]  #: x, y, width, height in pixels


def intersect(a: Rect, b: Rect) -> Rect | None:
    """The common part of two rectangles, or None."""
    x, y = max(a[0], b[0]), max(a[1], b[1])
    w, h = min(a[0] + a[2], b[0] + b[2]) - x, min(a[1] + a[3], b[1] + b[3]) - y
    return (x, y, w, h) if w > 0 and h > 0 else None


def union(a: Rect, b: Rect) -> Rect:
    """The smallest rectangle that holds both."""
    x, y = min(a[0], b[0]), min(a[1], b[1])
    return x, y, max(a[0] + a[2], b[0] + b[2]) - x, max(a[1] + a[3], b[1] + b[3]) - y


def covers(rect: Rect, other: Rect) -> bool:
    """Whether all of ``other`` is in ``rect``."""
    x, y, w, h = other
    return rect[0] <= x and rect[1] <= y and x + w <= rect[0] + rect[2] and y + h <= rect[1] + rect[3]


def inset(rect: Rect, by: int) -> Rect:
    """``rect`` without its outermost ``by`` pixels on each side."""
    return rect[0] + by, rect[1] + by, rect[2] - 2 * by, rect[3] - 2 * by


def inside(rect: Rect, x: int, y: int) -> bool:
    """Whether the pixel is in the rectangle."""
    return rect[0] <= x < rect[0] + rect[2] and rect[1] <= y < rect[1] + rect[3]


@lru_cache(maxsize=256)
def disc(diameter: int) -> np.ndarray:
    """Coverage ``(d, d)`` uint8 of a filled circle, from 8 x 8 samples a pixel."""
    n = 8
    centre = 2 * np.arange(diameter * n, dtype=np.int64) + 1 - diameter * n
    hits = (centre[:, None] ** 2 + centre[None] ** 2) <= (diameter * n) ** 2
    counts = hits.reshape(diameter, n, diameter, n).sum(axis=(1, 3))
    return ((counts * 255 + n * n // 2) // (n * n)).astype(np.uint8)


@lru_cache(maxsize=64)
def _falloff(size: int, strength: int) -> np.ndarray:
    """Alpha ``(size, size)`` of a shadow's lower right corner: strongest at its upper left, 0 at distance ``size``."""
    d2 = np.arange(size, dtype=np.int64) ** 2
    far = size * size
    near = np.maximum(far - (d2[:, None] + d2[None]), 0)
    return (strength * near * near // (far * far)).astype(np.uint8)


@lru_cache(maxsize=128)
def _row(color: Color, length: int) -> np.ndarray:
    """A row of pixels of one colour: copying it is much faster than spreading three bytes."""
    row = np.empty((length, 3), np.uint8)
    row[:] = color
    row.setflags(write=False)
    return row


def _blend(target: np.ndarray, alpha: np.ndarray, color: Color) -> None:
    """Lay ``color`` over ``target`` ``(h, w, 3)`` with ``alpha`` (broadcast to ``(h, w, 1)``), rounding exactly."""
    a = alpha.astype(np.uint16)
    value = target * (255 - a)
    if color != (0, 0, 0):
        value += np.asarray(color, np.uint16) * a
    value += 128
    value += value >> 8
    value >>= 8
    target[...] = value


class Canvas:
    """Draws on ``pixels`` ``(height, width, 3)`` uint8, but only within the rectangle ``clip``."""

    def __init__(self, pixels: np.ndarray, clip: Rect):
        self.pixels = pixels
        self.clip = clip

    def within(self, rect: Rect) -> Canvas | None:
        """A canvas clipped to ``rect`` as well, or None if nothing of it can be seen."""
        clip = intersect(self.clip, rect)
        return Canvas(self.pixels, clip) if clip else None

    def sees(self, rect: Rect) -> bool:
        """Whether any of ``rect`` would be drawn."""
        return intersect(self.clip, rect) is not None

    def fill(self, rect: Rect, color: Color) -> None:
        """Fill a rectangle."""
        part = intersect(self.clip, rect)
        if part:
            x, y, w, h = part
            self.pixels[y : y + h, x : x + w] = _row(color, self.pixels.shape[1])[:w]

    def paste(self, image: np.ndarray, x: int = 0, y: int = 0) -> None:
        """Copy ``image`` ``(h, w, 3)`` uint8 to ``(x, y)``."""
        part = intersect(self.clip, (x, y, image.shape[1], image.shape[0]))
        if part:
            px, py, w, h = part
            self.pixels[py : py + h, px : px + w] = image[py - y : py - y + h, px - x : px - x + w]

    def mask(self, x: int, y: int, alpha: np.ndarray, color: Color) -> None:
        """Lay ``color`` at ``(x, y)`` with coverage ``alpha`` ``(h, w)`` uint8."""
        part = intersect(self.clip, (x, y, alpha.shape[1], alpha.shape[0]))
        if part:
            px, py, w, h = part
            _blend(self.pixels[py : py + h, px : px + w], alpha[py - y : py - y + h, px - x : px - x + w, None], color)

    def tint(self, rect: Rect, color: Color, alpha: int) -> None:
        """Lay ``color`` over a rectangle with one ``alpha`` (0..255)."""
        part = intersect(self.clip, rect)
        if part:
            x, y, w, h = part
            _blend(self.pixels[y : y + h, x : x + w], np.full((1, 1, 1), alpha, np.uint8), color)

    def text(self, x: int, y: int, text: str, font: Font, color: Color) -> None:
        """One line of text whose pen starts at ``x`` and whose line box has its top at ``y``."""
        if text and y < self.clip[1] + self.clip[3] and y + font.height + 2 > self.clip[1]:
            alpha, dx, dy = font.render(text)
            self.mask(x + dx, y + dy, alpha, color)

    def outline(self, rect: Rect, color: Color) -> None:
        """A border one pixel wide, inside ``rect``."""
        x, y, w, h = rect
        self.fill((x, y, w, 1), color)
        self.fill((x, y + h - 1, w, 1), color)
        self.fill((x, y, 1, h), color)
        self.fill((x + w - 1, y, 1, h), color)

    def rounded(self, rect: Rect, color: Color, radius: int, corners: str = "tb") -> None:
        """Fill a rectangle with round corners: at the top ("t"), the bottom ("b"), or both."""
        x, y, w, h = rect
        r = max(0, min(radius, w // 2, h // 2))
        top, bottom = r if "t" in corners else 0, r if "b" in corners else 0
        self.fill((x, y + top, w, h - top - bottom), color)
        circle = disc(2 * r) if r else None
        for size, row, part in ((top, y, slice(0, r)), (bottom, y + h - r, slice(r, 2 * r))):
            if size and circle is not None:
                self.fill((x + r, row, w - 2 * r, r), color)
                self.mask(x, row, circle[part, :r], color)
                self.mask(x + w - r, row, circle[part, r:], color)

    def panel(self, rect: Rect, color: Color, border: Color, radius: int) -> None:
        """A rounded rectangle with a border one pixel wide."""
        x, y, w, h = rect
        self.rounded(rect, border, radius)
        self.rounded((x + 1, y + 1, w - 2, h - 2), color, radius - 1)

    def shadow(self, rect: Rect, size: int, strength: int) -> None:
        """Darken what lies around ``rect``, less with distance, and most below it: up to ``size`` pixels there, ``size // 2`` above."""
        if size < 2:
            return
        drop = size // 4
        size -= drop
        x, y, w, h = rect[0], rect[1] + drop, rect[2], rect[3]
        corner = _falloff(size, strength)
        edge = corner[0]
        self.tint((x, y + h - drop - size // 2, w, drop + size // 2), (0, 0, 0), int(edge[0]))  # from under the round corners
        for row, alpha in ((y - size, edge[::-1]), (y + h, edge)):
            self.mask(x, row, np.broadcast_to(alpha[:, None], (size, w)), (0, 0, 0))
        for column, alpha in ((x - size, edge[::-1]), (x + w, edge)):
            self.mask(column, y, np.broadcast_to(alpha[None], (h, size)), (0, 0, 0))
        self.mask(x - size, y - size, corner[::-1, ::-1], (0, 0, 0))
        self.mask(x + w, y - size, corner[::-1], (0, 0, 0))
        self.mask(x - size, y + h, corner[:, ::-1], (0, 0, 0))
        self.mask(x + w, y + h, corner, (0, 0, 0))
