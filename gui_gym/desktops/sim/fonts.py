"""Text from the glyph atlases in ``assets/fonts`` (made by ``assets/make_font_atlas.py``)."""

from __future__ import annotations

import json
from functools import cache, lru_cache
from typing import Any

import numpy as np
from PIL import Image

from gui_gym.assets_path import asset

TAB = "    "


@cache
def _index() -> dict[str, Any]:
    return json.loads(asset("fonts", "index.json").read_text(encoding="utf-8"))


class Font:
    """One face at one size. Measures and renders single lines; a character without a glyph is a box."""

    def __init__(self, name: str):
        """``name``: ``"sans-14"``, a face (sans, bold, mono) and a size in pixels that the atlases hold."""
        index = _index()
        metrics = index["faces"][name]
        width, height = metrics["cell"]
        with Image.open(asset("fonts", f"{name}.png")) as image:
            sheet = np.asarray(image)
        cells = sheet.reshape(-1, height, index["columns"], width).swapaxes(1, 2).reshape(-1, height, width)
        self.height = metrics["ascent"] + metrics["descent"]
        self.ascent: int = metrics["ascent"]
        self._pad: int = metrics["pad"]
        self._top: int = metrics["top"]
        self._cells = np.ascontiguousarray(cells)
        self._number = {c: i for i, c in enumerate(index["characters"])}
        self._advance: list[int] = metrics["advances"]
        self._width_of = {c: self._advance[i] for c, i in self._number.items()}
        self._width_of["\t"] = 4 * self._width_of[" "]
        self._run = lru_cache(maxsize=512)(self._render)

    def advances(self, text: str) -> list[int]:
        """The width of each character of ``text``, in pixels."""
        missing = self._advance[0]
        return [self._width_of.get(c, missing) for c in text]

    def width(self, text: str) -> int:
        """The width of ``text`` in pixels."""
        return sum(self.advances(text))

    def position(self, text: str, x: int) -> int:
        """The index in ``text`` of the gap between characters that is nearest to ``x`` pixels from its start."""
        at = 0
        for i, advance in enumerate(self.advances(text)):
            if x < at + advance / 2:
                return i
            at += advance
        return len(text)

    def shorten(self, text: str, width: int) -> str:
        """``text``, or its start and an ellipsis if it is wider than ``width`` pixels."""
        if self.width(text) <= width:
            return text
        while text and self.width(text + "…") > width:
            text = text[:-1]
        return text + "…" if text else ""

    def wrap(self, text: str, width: int) -> list[str]:
        """The lines of ``text`` broken between words to at most ``width`` pixels (a longer word has its own line)."""
        lines = []
        for paragraph in text.split("\n"):
            line = ""
            for word in paragraph.split(" "):
                if line and self.width(f"{line} {word}") > width:
                    lines.append(line)
                    line = word
                else:
                    line = f"{line} {word}" if line else word
            lines.append(line)
        return lines

    def render(self, text: str) -> tuple[np.ndarray, int, int]:
        """Coverage ``(h, w)`` uint8 of ``text`` and its offset ``(x, y)`` from the pen's start and the line's top."""
        return self._run(text), -self._pad, self._top

    def _render(self, text: str) -> np.ndarray:
        text = text.replace("\t", TAB)
        height, cell = self._cells.shape[1:]
        mask = np.zeros((height, self.width(text) + cell), np.uint8)
        x = 0
        for c in text:
            i = self._number.get(c, 0)
            if c != " ":
                part = mask[:, x : x + cell]
                np.maximum(part, self._cells[i], out=part)
            x += self._advance[i]
        mask.setflags(write=False)
        return mask


@cache
def font(face: str, size: int) -> Font:
    """The font of ``face`` ("sans", "bold", "mono") at ``size`` pixels, loaded once."""
    return Font(f"{face}-{size}")
