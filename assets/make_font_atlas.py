"""Rasterise the fonts of the simulated desktop into the glyph atlases of ``assets/fonts``.

Run from anywhere: ``python assets/make_font_atlas.py [FOLDER_WITH_TTF]``; the default folder is the one of Debian's
package fonts-dejavu-core. Every glyph has a cell of the same size in a grid of 32 columns, its pen origin ``pad``
pixels from the cell's left edge. Frames are drawn from these files alone, so no FreeType version matters later.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

FACES = {"sans": "DejaVuSans.ttf", "bold": "DejaVuSans-Bold.ttf", "mono": "DejaVuSansMono.ttf"}
SIZES = (8, 9, 11, 14, 17)
COLUMNS = 32
PUNCTUATION = "‐‑‒–—―‘’‚“”„†‡•…‰‹›⁄€™−×÷≈≠≤≥←↑→↓✓✗▲▼◀▶●○"
MISSING = "\ufffd"  #: stands for every character without a glyph; drawn as a box


def characters() -> str:
    """What the atlases hold: ASCII, Latin-1, Latin Extended-A and some punctuation; the box comes first."""
    ranges = [range(0x20, 0x7F), range(0xA0, 0x180)]
    return MISSING + "".join(chr(code) for r in ranges for code in r) + "".join(c for c in PUNCTUATION if c not in "×÷")


def atlas(font: ImageFont.FreeTypeFont, text: str) -> tuple[Image.Image, dict[str, object]]:
    """The grid of cells of ``text`` and its metrics, all in pixels."""
    ascent, descent = font.getmetrics()
    boxes = {c: font.getbbox(c) for c in text if c != MISSING}
    pad = max(0, -min(box[0] for box in boxes.values()))
    advances = {c: round(font.getlength(c)) for c in boxes}
    top, bottom = min(0, min(int(box[1]) for box in boxes.values())), max(ascent + descent, max(int(box[3]) for box in boxes.values()))
    width = int(pad + max(max(box[2] for box in boxes.values()), max(advances.values())))
    height = bottom - top
    advances[MISSING] = advances["o"] + 1
    sheet = Image.new("L", (COLUMNS * width, -(-len(text) // COLUMNS) * height))
    for i, c in enumerate(text):
        cell = Image.new("L", (width, height))
        draw = ImageDraw.Draw(cell)
        if c == MISSING:
            draw.rectangle([pad, ascent - top - advances["o"] - 1, pad + advances["o"] - 1, ascent - top - 1], outline=255)
        else:
            draw.text((pad, -top), c, fill=255, font=font)
        sheet.paste(cell, (i % COLUMNS * width, i // COLUMNS * height))
    metrics = {
        "cell": [width, height],
        "pad": int(pad),
        "ascent": ascent,
        "descent": descent,
        "top": int(top),
        "advances": [advances[c] for c in text],
    }
    return sheet, metrics


def main() -> None:
    source = Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/fonts/truetype/dejavu")
    target = Path(__file__).parent / "fonts"
    text = characters()
    index: dict[str, object] = {"characters": text, "columns": COLUMNS, "faces": {}}
    for face, file in FACES.items():
        for size in SIZES:
            sheet, metrics = atlas(ImageFont.truetype(str(source / file), size, layout_engine=ImageFont.Layout.BASIC), text)
            sheet.save(target / f"{face}-{size}.png", optimize=True)
            index["faces"][f"{face}-{size}"] = metrics  # type: ignore[index]
    (target / "index.json").write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
