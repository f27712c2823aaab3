"""Drawing primitives on an RGB array, in integers alone so that they give the same bytes everywhere."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np

from gui_gym.desktops.sim.fonts import Font

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


@lru_cache(maxsize=64)
def _falloff(size: int, strength: int) -> np.ndarray:
    """What a shadow leaves of the light, in 256ths, ``(size, size)`` uint16: its lower right corner, darkest at its upper left."""
    d2 = np.arange(size, dtype=np.int64) ** 2
    far = size * size
    near = np.maximum(far - (d2[:, None] + d2[None]), 0)
    return (256 - strength * near * near // (far * far)).astype(np.uint16)


@lru_cache(maxsize=256)
def _pixels(color: Color, width: int) -> tuple[np.ndarray, np.ndarray]:
    """A row of ``width`` pixels of one colour, flat, as uint8 and as uint16: whole rows are much faster than pixels of three bytes."""
    row = np.tile(np.asarray(color, np.uint8), width)
    return row, row.astype(np.uint16)


def _row(color: Color, width: int) -> tuple[np.ndarray, np.ndarray]:
    """As :func:`_pixels`, of which few lengths are kept."""
    narrow, wide = _pixels(color, max(64, 1 << (width - 1).bit_length()))
    return narrow[: 3 * width], wide[: 3 * width]


class Layer(NamedTuple):
    """A colour with a coverage ready to be laid over pixels: what is kept of them and what is added, in 255ths. Flat, ``(h, 3 w)`` uint16."""

    keep: np.ndarray
    add: np.ndarray


def _layer(alpha: np.ndarray, color: np.ndarray) -> Layer:
    """``alpha`` ``(h, w)`` uint8; ``color`` flat uint16, ``(3 w,)`` for one or ``(h, 3 w)``."""
    a = alpha.astype(np.uint16).repeat(3, axis=1)
    return Layer(255 - a, a * color + 128)


def _blend(target: np.ndarray, keep: np.ndarray, add: np.ndarray) -> None:
    """Lay a :class:`Layer` over ``target``, flat ``(h, 3 w)`` uint8, rounding exactly."""
    value = target * keep
    value += add
    value += value >> 8
    value >>= 8
    target[...] = value


@lru_cache(maxsize=512)
def _corners(radius: int, color: Color) -> tuple[tuple[Layer, Layer], tuple[Layer, Layer]]:
    """The corners of a rounded rectangle: the upper left and right one, and the lower ones."""
    quarter, over = disc(2 * radius)[:radius, :radius], _row(color, radius)[1]
    left, right = _layer(quarter, over), _layer(quarter[:, ::-1], over)
    return (left, right), (Layer(left.keep[::-1], left.add[::-1]), Layer(right.keep[::-1], right.add[::-1]))


@lru_cache(maxsize=128)
def _disc_layer(diameter: int, color: Color) -> Layer:
    return _layer(disc(diameter), _row(color, diameter)[1])


@lru_cache(maxsize=1024)
def _text_layer(text: str, font: Font, color: Color) -> Layer:
    alpha = font.render(text).mask
    return _layer(alpha, _row(color, alpha.shape[1])[1])


@lru_cache(maxsize=1024)
def _text_image(text: str, font: Font, color: Color, ground: Color) -> np.ndarray:
    """A line of text without emoji on a ground of one colour, flat: ``(h, 3 w)`` uint8."""
    layer = _text_layer(text, font, color)
    image = np.empty(layer.keep.shape, np.uint8)
    image[:] = _row(ground, layer.keep.shape[1] // 3)[0]
    _blend(image, *layer)
    return image


@lru_cache(maxsize=512)
def _stamp(draw: Callable[..., None], args: tuple[Hashable, ...], width: int, height: int, ground: Color) -> np.ndarray:
    """What ``draw(canvas, rect, *args)`` draws on a ground of one colour, flat: ``(h, 3 w)`` uint8."""
    canvas = Canvas(np.empty((height, width, 3), np.uint8), (0, 0, width, height))
    canvas.fill(canvas.clip, ground)
    draw(canvas, canvas.clip, *args)
    return canvas.flat


#: Pixels: larger pictures are not remembered.
_STAMP = 2**14

#: How far back a canvas looks for what lies below: among more, the search costs what it saves.
_LOOK_BACK = 48


class Canvas:
    """Draws on ``pixels`` ``(height, width, 3)`` uint8, contiguous, but only within the rectangle ``clip``.

    It remembers what it has drawn where. Most things are drawn on a ground of one colour, and look the same on it each time: then an image
    of them is copied, which is several times faster than blending and gives the same bytes.
    """

    __slots__ = ("clip", "flat", "pixels", "_drawn")

    def __init__(self, pixels: np.ndarray, clip: Rect):
        height, width, _ = pixels.shape
        self.pixels = pixels
        self.clip = clip
        self.flat = pixels.reshape(height, 3 * width)
        self._drawn: list[tuple[int, int, int, int, Color | None]] = []  # left, top, right, bottom, and the colour if it is one
        if not pixels.flags.c_contiguous:
            raise ValueError("a canvas needs a contiguous array of pixels")

    def anew(self, clip: Rect) -> Canvas:
        """A canvas on the same pixels with another clip, which knows nothing of what was drawn before."""
        canvas = self._clipped(clip)
        canvas._drawn = []
        return canvas

    def within(self, rect: Rect) -> Canvas | None:
        """A canvas clipped to ``rect`` as well, or None if nothing of it can be seen."""
        clip = intersect(self.clip, rect)
        return self._clipped(clip) if clip else None

    def _clipped(self, clip: Rect) -> Canvas:
        canvas = Canvas.__new__(Canvas)
        canvas.pixels, canvas.clip, canvas.flat, canvas._drawn = self.pixels, clip, self.flat, self._drawn
        return canvas

    def sees(self, rect: Rect) -> bool:
        """Whether any of ``rect`` would be drawn."""
        return intersect(self.clip, rect) is not None

    def _ground(self, part: Rect) -> Color | None:
        """The colour of all pixels in a rectangle, if it is known that they have one."""
        left, top, w, h = part
        right, bottom = left + w, top + h
        seen: Color | None = None
        for x0, y0, x1, y1, color in islice(reversed(self._drawn), _LOOK_BACK):
            if x0 < right and left < x1 and y0 < bottom and top < y1:
                if color is None or seen is not None and color != seen:
                    return None
                if x0 <= left and y0 <= top and x1 >= right and y1 >= bottom:
                    return color
                seen = color  # the rest of it may have the same colour from before
        return None

    def _note(self, part: Rect, color: Color | None) -> None:
        x, y, w, h = part
        self._drawn.append((x, y, x + w, y + h, color))

    def fill(self, rect: Rect, color: Color) -> None:
        """Fill a rectangle."""
        part = intersect(self.clip, rect)
        if part:
            x, y, w, h = part
            self.flat[y : y + h, 3 * x : 3 * (x + w)] = _pixels(color, self.pixels.shape[1])[0][: 3 * w]
            self._drawn.append((x, y, x + w, y + h, color))

    def paste(self, image: np.ndarray, x: int = 0, y: int = 0) -> None:
        """Copy ``image`` ``(h, w, 3)`` uint8 to ``(x, y)``."""
        part = intersect(self.clip, (x, y, image.shape[1], image.shape[0]))
        if part:
            self._paste(image.reshape(image.shape[0], -1), x, y, part)

    def _paste(self, image: np.ndarray, x: int, y: int, part: Rect) -> None:
        px, py, w, h = part
        if 3 * w != image.shape[1] or h != image.shape[0]:
            image = image[py - y : py - y + h, 3 * (px - x) : 3 * (px - x + w)]
        self.flat[py : py + h, 3 * px : 3 * (px + w)] = image
        self._drawn.append((px, py, px + w, py + h, None))

    def mask(self, x: int, y: int, alpha: np.ndarray, color: Color) -> None:
        """Lay ``color`` at ``(x, y)`` with coverage ``alpha`` ``(h, w)`` uint8."""
        if self.sees((x, y, alpha.shape[1], alpha.shape[0])):
            self._lay(x, y, _layer(alpha, _row(color, alpha.shape[1])[1]))

    def _lay(self, x: int, y: int, layer: Layer) -> None:
        part = intersect(self.clip, (x, y, layer.keep.shape[1] // 3, layer.keep.shape[0]))
        if part:
            px, py, w, h = part
            rows, columns = slice(py - y, py - y + h), slice(3 * (px - x), 3 * (px - x + w))
            _blend(self.flat[py : py + h, 3 * px : 3 * (px + w)], layer.keep[rows, columns], layer.add[rows, columns])
            self._note(part, None)

    def disc(self, x: int, y: int, diameter: int, color: Color) -> None:
        """A filled circle in the square whose upper left corner is ``(x, y)``."""
        self._lay(x, y, _disc_layer(diameter, color))

    def tint(self, rect: Rect, color: Color, alpha: int) -> None:
        """Lay ``color`` over a rectangle with one ``alpha`` (0..255)."""
        self.mask(rect[0], rect[1], np.broadcast_to(np.uint8(alpha), (rect[3], rect[2])), color)

    def text(self, x: int, y: int, text: str, font: Font, color: Color) -> None:
        """One line of text whose pen starts at ``x`` and whose line box has its top at ``y``."""
        if text and y - 2 < self.clip[1] + self.clip[3] and y + font.height + 2 > self.clip[1]:  # marks reach out of the line box
            run = font.render(text)
            x0, y0 = x + run.x, y + run.y
            part = intersect(self.clip, (x0, y0, run.mask.shape[1], run.mask.shape[0]))
            ground = self._ground(part) if part and not run.pictures else None
            if part and ground:
                self._paste(_text_image(text, font, color, ground), x0, y0, part)
                return
            self._lay(x0, y0, _text_layer(text, font, color))
            for picture in run.pictures:
                self._lay(x + picture.x, y + picture.y, _layer(picture.alpha, picture.colors))

    def outline(self, rect: Rect, color: Color) -> None:
        """A border one pixel wide, inside ``rect``."""
        x, y, w, h = rect
        self.fill((x, y, w, 1), color)
        self.fill((x, y + h - 1, w, 1), color)
        self.fill((x, y, 1, h), color)
        self.fill((x + w - 1, y, 1, h), color)

    def stamp(self, rect: Rect, draw: Callable[..., None], *args: Hashable) -> None:
        """Draw within ``rect`` with ``draw(canvas, rect, *args)``, which depends on nothing else, or copy what that drew before."""
        part = intersect(self.clip, rect)
        if part:
            x, y, w, h = rect
            ground = self._ground(part) if w * h <= _STAMP else None
            if ground:
                self._paste(_stamp(draw, args, w, h, ground), x, y, part)
            else:
                draw(self._clipped(part), rect, *args)

    def rounded(self, rect: Rect, color: Color, radius: int, corners: str = "tb") -> None:
        """Fill a rectangle with round corners: at the top ("t"), the bottom ("b"), or both."""
        self.stamp(rect, Canvas._rounded, color, radius, corners)
        self._note_plain(rect, radius, 0, color)

    def panel(self, rect: Rect, color: Color, border: Color, radius: int) -> None:
        """A rounded rectangle with a border one pixel wide."""
        self.stamp(rect, Canvas._panel, color, border, radius)
        self._note_plain(rect, radius, 1, color)

    def _note_plain(self, rect: Rect, radius: int, border: int, color: Color) -> None:
        """What has one colour in a rounded rectangle: all between its corners, and what reaches a little into them."""
        x, y, w, h = rect
        aside, into = max(border, radius), border + (max(0, radius - border) + 2) // 3
        parts = [(x + aside, y + border, w - 2 * aside, h - 2 * border), (x + into, y + into, w - 2 * into, h - 2 * into)]
        for part in parts if aside > into else parts[:1]:
            plain = intersect(self.clip, part)
            if plain:
                self._note(plain, color)

    def _panel(self, rect: Rect, color: Color, border: Color, radius: int) -> None:
        self._rounded(rect, border, radius, "tb")
        self._rounded(inset(rect, 1), color, radius - 1, "tb")

    def _rounded(self, rect: Rect, color: Color, radius: int, corners: str) -> None:
        x, y, w, h = rect
        r = max(0, min(radius, w // 2, h // 2))
        top, bottom = r if "t" in corners else 0, r if "b" in corners else 0
        self.fill((x, y + top, w, h - top - bottom), color)
        upper, lower = _corners(r, color)
        for height, at, (left, right) in ((top, y, upper), (bottom, y + h - r, lower)):
            if height:
                self.fill((x + r, at, w - 2 * r, r), color)
                self._lay(x, at, left)
                self._lay(x + w - r, at, right)

    def shadow(self, rect: Rect, size: int, strength: int) -> None:
        """Darken what lies around ``rect``, less with distance, and most below it: up to ``size`` pixels there, ``size // 2`` above."""
        x, y, w, h = rect
        if size < 2 or covers((x, y + size, w, h - 2 * size), self.clip):
            return
        drop = size // 4
        size -= drop
        x, y, w, h = rect[0], rect[1] + drop, rect[2], rect[3]
        corner = _falloff(size, strength)
        edge = corner[0]
        under = drop + size // 2
        self._shade((x, y + h - under, w, under), edge[:1, None])  # from under the round corners
        self._shade((x, y - size, w, size), edge[::-1, None])
        self._shade((x, y + h, w, size), edge[:, None])
        self._shade((x - size, y, size, h), edge[None, ::-1])
        self._shade((x + w, y, size, h), edge[None])
        self._shade((x - size, y - size, size, size), corner[::-1, ::-1])
        self._shade((x + w, y - size, size, size), corner[::-1])
        self._shade((x - size, y + h, size, size), corner[:, ::-1])
        self._shade((x + w, y + h, size, size), corner)

    def _shade(self, rect: Rect, light: np.ndarray) -> None:
        """Leave ``light`` 256ths of a rectangle's light: uint16 ``(h, w)``, where an axis of length 1 stands for all. Rounds down."""
        part = intersect(self.clip, rect)
        if part:
            px, py, w, h = part
            if light.shape[0] > 1:
                light = light[py - rect[1] : py - rect[1] + h]
            if light.shape[1] > 1:
                light = light[:, px - rect[0] : px - rect[0] + w].repeat(3, axis=1)
            target = self.flat[py : py + h, 3 * px : 3 * (px + w)]
            value = target * light
            value >>= 8
            target[...] = value
            self._note(part, None)
