"""Text from the glyph atlases in ``assets/fonts`` (made by ``assets/make_font_atlas.py``).

A font loads its Latin letters at once. Other letters and symbols, Chinese and Japanese, and emoji in colour are loaded when a text first needs
them, so that who draws Latin does not pay for them.
"""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from gui_gym.assets_path import asset

TAB = "    "

#: Where a line may break within a word: around wide characters, but neither after an opening bracket nor before what closes a clause.
_WIDE = "\u2e80-\u9fff\uff00-\uffef"
_PARTS = re.compile(rf"[「『（《〈【〔]*(?:[{_WIDE}]|[^{_WIDE}]+)[、。，．：；？！」』）》〉】〕ー々]*")


class Glyph(NamedTuple):
    """The picture of a character: coverage ``(h, w)`` or colour with alpha ``(h, w, 4)``, uint8; None if there is nothing to see.

    ``x`` and ``y`` are where its upper left corner is, in pixels from the pen and from the top of the line.
    """

    pixels: np.ndarray | None
    x: int
    y: int
    advance: int


class Picture(NamedTuple):
    """A coloured glyph in a run: its place, its alpha ``(h, w)`` uint8 and its flat rows of colours ``(h, 3 w)`` uint16."""

    x: int
    y: int
    alpha: np.ndarray
    colors: np.ndarray


class Run(NamedTuple):
    """A drawn line of text: coverage ``(h, w)`` uint8 to be inked, where it is from the pen's start and the line's top, and its emoji."""

    mask: np.ndarray
    x: int
    y: int
    pictures: tuple[Picture, ...] = ()


class Font:
    """One face at one size. Measures and renders single lines; a character without a glyph is a box.

    Every code point has its own advance, 0 for marks and joiners, so that indices into a text and pixels correspond.
    """

    render: Callable[[str], Run]  #: draws a line of text; runs are remembered

    def __init__(self, name: str):
        """``name``: ``"sans-14"``, a face (sans, bold, mono) and a size in pixels that the atlases hold."""
        index = _json("index.json")
        metrics = index["faces"][name]
        self._name = name
        self.height = metrics["ascent"] + metrics["descent"]
        self.ascent: int = metrics["ascent"]
        self._pad: int = metrics["pad"]
        self._top: int = metrics["top"]
        self._cells = _cells(name, *metrics["cell"])
        self._number = {c: i for i, c in enumerate(index["characters"])}
        self._advance: list[int] = metrics["advances"]
        widths = {c: self._advance[i] for c, i in self._number.items()}
        self._width_of = _Widths(widths | {"\t": 4 * widths[" "]}, self._rare)
        self.render = lru_cache(maxsize=512)(self._render)

    def advances(self, text: str) -> list[int]:
        """The width of each character of ``text``, in pixels."""
        return list(map(self._width_of.__getitem__, text))

    def width(self, text: str) -> int:
        """The width of ``text`` in pixels."""
        return sum(map(self._width_of.__getitem__, text))

    def position(self, text: str, x: int) -> int:
        """The index in ``text`` of the gap between characters that is nearest to ``x`` pixels from its start, never before a mark."""
        at = 0
        for i, advance in enumerate(self.advances(text)):
            if advance and 2 * (x - at) < advance:
                return i
            at += advance
        return len(text)

    def shorten(self, text: str, width: int) -> str:
        """``text``, or its start and an ellipsis if it is wider than ``width`` pixels."""
        ends = list(accumulate(self.advances(text), initial=0))
        if ends[-1] <= width:
            return text
        kept = bisect_right(ends, width - self.width("…")) - 1
        return text[:kept] + "…" if kept > 0 else ""

    def wrap(self, text: str, width: int) -> list[str]:
        """The lines of ``text`` broken to at most ``width`` pixels, between words or beside Chinese and Japanese characters.

        What is longer in itself is broken where the line is full.
        """
        lines = []
        for paragraph in text.split("\n"):
            line = ""
            for word in paragraph.split(" "):
                glue = " "
                for part in (word,) if word.isascii() else _PARTS.findall(word):
                    joined = line + glue + part if line else part
                    wide = self.width(joined) > width
                    if wide and line:
                        lines.append(line)
                        joined, wide = part, self.width(part) > width
                    while wide and len(joined) > 1:
                        full = max(1, bisect_right(list(accumulate(self.advances(joined))), width))
                        lines.append(joined[:full])
                        joined = joined[full:]
                        wide = self.width(joined) > width
                    line, glue = joined, ""
            lines.append(line)
        return lines

    def _render(self, text: str) -> Run:
        text = text.replace("\t", TAB)
        number = self._number
        try:
            numbers = [number[c] for c in text]
        except KeyError:
            return self._render_mixed(text)
        height, cell = self._cells.shape[1:]
        mask = np.zeros((height, self.width(text) + cell), np.uint8)
        x, blank = 0, number[" "]
        for i in numbers:
            if i != blank:
                part = mask[:, x : x + cell]
                np.maximum(part, self._cells[i], out=part)
            x += self._advance[i]
        return self._run(mask, -self._pad)

    def _render_mixed(self, text: str) -> Run:
        """A line with other characters than Latin letters."""
        placed: list[tuple[np.ndarray, int, int]] = []
        x = 0
        for c, pen in _compose(text, self._width_of):
            glyph = self._glyph(c)
            if glyph.pixels is not None:
                placed.append((glyph.pixels, x + glyph.x, glyph.y))
            x += pen
        inked = [(pixels, left, top) for pixels, left, top in placed if pixels.ndim == 2]
        left = min([0, *(at for _, at, _ in inked)])
        right = max([1, *(at + pixels.shape[1] for pixels, at, _ in inked)])
        height = self._cells.shape[1]
        mask = np.zeros((height, right - left), np.uint8)
        for pixels, at, top in inked:
            part = mask[top - self._top : top - self._top + pixels.shape[0], at - left : at - left + pixels.shape[1]]
            np.maximum(part, pixels, out=part)
        return self._run(mask, left, tuple(_picture(pixels, at, top) for pixels, at, top in placed if pixels.ndim == 3))

    def _run(self, mask: np.ndarray, left: int, pictures: tuple[Picture, ...] = ()) -> Run:
        """A line without the blank rows above and below its ink, which would touch the lines beside it."""
        inked = np.flatnonzero(mask.any(axis=1))
        first, end = (int(inked[0]), int(inked[-1]) + 1) if inked.size else (0, 0)
        mask = mask[first:end]
        mask.setflags(write=False)
        return Run(mask, left, self._top + first, pictures)

    def _glyph(self, c: str) -> Glyph:
        i = self._number.get(c)
        return self._rare(c) if i is None else Glyph(None if c == " " else self._cells[i], -self._pad, self._top, self._advance[i])

    def _rare(self, c: str) -> Glyph:
        """The glyph of a character that is no Latin letter; the box if it has none."""
        kind, number = _place(c)
        if kind == "more":
            metrics = _json("more.json")["faces"][self._name]
            cells = _cells(f"{self._name}-more", *metrics["cell"])
            return Glyph(cells[number], -metrics["pad"], metrics["top"], metrics["advances"][number])
        if kind in ("han", "emoji"):
            wide = _json("more.json")["wide"][self._name]
            em, x, y, advance = wide["em"], wide["x"], wide["y"], wide["advance"]
            if kind == "emoji":
                return Glyph(_cells(f"emoji-{em}", em, em)[number], x, y, advance)
            above = max(0, self._top - (y - 1))  # the smallest line has no room for the faint first and last row
            pixels = _cells(f"han-{em}", em, em + 2)[number][above : self._top + self._cells.shape[1] - (y - 1)]
            return Glyph(_bolder(pixels) if self._name.startswith("bold") else pixels, x, y - 1 + above, advance)
        if kind == "nothing":
            return Glyph(None, 0, 0, 0)
        return Glyph(self._cells[0], -self._pad, self._top, self._advance[0])


class _Widths(dict[str, int]):
    """Advances by character, of which those of rare ones are found when they are first asked for."""

    def __init__(self, common: dict[str, int], rare: Callable[[str], Glyph]):
        super().__init__(common)
        self._rare = rare

    def __missing__(self, c: str) -> int:
        advance = self._rare(c).advance
        if len(self) < 20_000:  # who types all of Unicode gets no more memory
            self[c] = advance
        return advance


@cache
def font(face: str, size: int) -> Font:
    """The font of ``face`` ("sans", "bold", "mono") at ``size`` pixels, loaded once."""
    return Font(f"{face}-{size}")


@cache
def _json(name: str) -> dict[str, Any]:
    return json.loads(asset("fonts", name).read_text(encoding="utf-8"))


@cache
def _cells(name: str, width: int, height: int) -> np.ndarray:
    """The cells ``(n, height, width)`` of a sheet, or ``(n, height, width, 4)`` of one in colour."""
    with Image.open(asset("fonts", f"{name}.png")) as image:
        sheet = np.asarray(image)
    columns = _json("index.json")["columns"]
    cells = sheet.reshape(-1, height, columns, width, *sheet.shape[2:]).swapaxes(1, 2)
    cells = np.ascontiguousarray(cells.reshape(-1, height, width, *sheet.shape[2:]))
    cells.setflags(write=False)
    return cells


def _bolder(pixels: np.ndarray) -> np.ndarray:
    """A glyph with thicker strokes, one column wider; small ones, whose strokes lie close, only a little."""
    wide = np.pad(pixels, ((0, 0), (0, 1))).astype(np.uint16)
    moved = np.roll(wide, 1, axis=1) * (5 if pixels.shape[1] >= 12 else 3) // 8
    return np.maximum(wide, np.minimum(wide // 2 + moved, 255)).astype(np.uint8)


@cache
def _places() -> dict[str, tuple[str, int]]:
    more = _json("more.json")
    return {c: (kind, i) for kind in ("more", "han", "emoji") for i, c in enumerate(more[kind])}


def _place(c: str) -> tuple[str, int]:
    """The kind of sheet a character is in and its number there; ``("nothing", 0)`` if it takes no room, ``("box", 0)`` if it has no glyph."""
    place = _places().get(c)
    if place:
        return place
    ranges = _json("more.json")["zero_width"]  # shipped, since Python versions know different characters
    i = bisect_right(ranges, ord(c), key=lambda pair: pair[0]) - 1
    return ("nothing" if i >= 0 and ord(c) <= ranges[i][1] else "box"), 0


def _compose(text: str, width_of: dict[str, int]) -> list[tuple[str, int]]:
    """The characters to draw and how far each moves the pen: a letter and the marks on it are one where the atlases have that one."""
    clusters: list[tuple[str, int]] = []
    for c in text:
        width = width_of[c]
        if width == 0 and clusters:
            letter, pen = clusters[-1]
            composed = unicodedata.normalize("NFC", letter + c)
            if len(composed) == 1 and _known(composed):
                clusters[-1] = composed, pen
        else:
            clusters.append((c, width))
    return clusters


def _known(c: str) -> bool:
    return c in _places() or c in _json("index.json")["characters"]


def _picture(pixels: np.ndarray, x: int, y: int) -> Picture:
    colors = pixels[..., :3].reshape(pixels.shape[0], -1).astype(np.uint16)
    return Picture(x, y, np.ascontiguousarray(pixels[..., 3]), colors)
