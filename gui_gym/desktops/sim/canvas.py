"""Drawing primitives on an RGB array, in integers alone so that they give the same bytes everywhere."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gui_gym.desktops.sim.fonts import Font, Picture

Color = tuple[int, int, int]
Rect = tuple[int, int, int, int]  #: x, y, width, height in pixels


def intersect(a: Rect, b: Rect) -> Rect | None:
    """The common part of two rectangles, or None."""
    ax, ay, aw, ah = a
    bx, by, bw, bh = b
    x, y = ax if ax > bx else bx, ay if ay > by else by  # spelled out: this is called some thirty times a step
    w = (ax + aw if ax + aw < bx + bw else bx + bw) - x
    h = (ay + ah if ay + ah < by + bh else by + bh) - y
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


@lru_cache(maxsize=512)
def _band(radius: int, width: int) -> np.ndarray:
    """Coverage ``(radius, width)`` of the upper rows of a rectangle with round corners."""
    circle = disc(2 * radius)[:radius]
    return np.hstack([circle[:, :radius], np.full((radius, width - 2 * radius), 255, np.uint8), circle[:, radius:]])


@lru_cache(maxsize=64)
def _falloff(size: int, strength: int) -> np.ndarray:
    """Alpha ``(size, size)`` of a shadow's lower right corner: strongest at its upper left, 0 at distance ``size``."""
    d2 = np.arange(size, dtype=np.int64) ** 2
    far = size * size
    near = np.maximum(far - (d2[:, None] + d2[None]), 0)
    return (strength * near * near // (far * far)).astype(np.uint8)


@lru_cache(maxsize=128)
def _row(color: Color, width: int) -> tuple[np.ndarray, np.ndarray]:
    """A row of ``width`` pixels of one colour, flat, as uint8 and as uint16: whole rows are much faster than pixels of three bytes."""
    row = np.tile(np.asarray(color, np.uint8), width)
    return row, row.astype(np.uint16)


def _blend(target: np.ndarray, alpha: np.ndarray, color: np.ndarray) -> None:
    """Lay ``color`` over ``target`` with ``alpha``, rounding exactly.

    All are flat rows: ``(h, 3 w)`` uint8, ``(h, w)`` uint8, and uint16 ``(3 w,)`` for one colour or ``(h, 3 w)``.
    """
    a = np.repeat(alpha, 3, axis=1).astype(np.uint16)
    value = target * (255 - a)
    a *= color
    value += a
    value += 128
    value += value >> 8
    np.right_shift(value, 8, out=target, casting="unsafe")


def _darken(target: np.ndarray, alpha: np.ndarray) -> None:
    """Take the share ``alpha`` / 256 of its light from ``target``, shaped as in :func:`_blend`. Shadows need no exact rounding."""
    value = target * (256 - np.repeat(alpha, 3, axis=1).astype(np.uint16))
    np.right_shift(value, 8, out=target, casting="unsafe")


class Canvas:
    """Draws on ``pixels`` ``(height, width, 3)`` uint8, contiguous, but only within the rectangle ``clip``."""

    def __init__(self, pixels: np.ndarray, clip: Rect):
        height, width, _ = pixels.shape
        self.pixels = pixels
        self.clip = clip
        self._flat = pixels.reshape(height, 3 * width)
        if not pixels.flags.c_contiguous:
            raise ValueError("a canvas needs a contiguous array of pixels")

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
            self._flat[y : y + h, 3 * x : 3 * (x + w)] = _row(color, self.pixels.shape[1])[0][: 3 * w]

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
            over = _row(color, self.pixels.shape[1])[1][: 3 * w]
            _blend(self._flat[py : py + h, 3 * px : 3 * (px + w)], alpha[py - y : py - y + h, px - x : px - x + w], over)

    def tint(self, rect: Rect, color: Color, alpha: int) -> None:
        """Lay ``color`` over a rectangle with one ``alpha`` (0..255)."""
        self.mask(rect[0], rect[1], np.broadcast_to(np.uint8(alpha), (rect[3], rect[2])), color)

    def text(self, x: int, y: int, text: str, font: Font, color: Color) -> None:
        """One line of text whose pen starts at ``x`` and whose line box has its top at ``y``."""
        if text and y < self.clip[1] + self.clip[3] and y + font.height + 2 > self.clip[1]:
            run = font.render(text)
            self.mask(x + run.x, y + run.y, run.mask, color)
            for picture in run.pictures:
                self._picture(x + picture.x, y + picture.y, picture)

    def _picture(self, x: int, y: int, picture: Picture) -> None:
        part = intersect(self.clip, (x, y, picture.alpha.shape[1], picture.alpha.shape[0]))
        if part:
            px, py, w, h = part
            rows, left = slice(py - y, py - y + h), px - x
            target = self._flat[py : py + h, 3 * px : 3 * (px + w)]
            _blend(target, picture.alpha[rows, left : left + w], picture.colors[rows, 3 * left : 3 * (left + w)])

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
        if top:
            self.mask(x, y, _band(r, w), color)
        if bottom:
            self.mask(x, y + h - r, _band(r, w)[::-1], color)

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
        self._shade(x, y + h - drop - size // 2, np.broadcast_to(edge[:1, None], (drop + size // 2, w)))  # from under the round corners
        for row, alpha in ((y - size, edge[::-1]), (y + h, edge)):
            self._shade(x, row, np.broadcast_to(alpha[:, None], (size, w)))
        for column, alpha in ((x - size, edge[::-1]), (x + w, edge)):
            self._shade(column, y, np.broadcast_to(alpha[None], (h, size)))
        self._shade(x - size, y - size, corner[::-1, ::-1])
        self._shade(x + w, y - size, corner[::-1])
        self._shade(x - size, y + h, corner[:, ::-1])
        self._shade(x + w, y + h, corner)

    def _shade(self, x: int, y: int, alpha: np.ndarray) -> None:
        part = intersect(self.clip, (x, y, alpha.shape[1], alpha.shape[0]))
        if part:
            px, py, w, h = part
            _darken(self._flat[py : py + h, 3 * px : 3 * (px + w)], alpha[py - y : py - y + h, px - x : px - x + w])
