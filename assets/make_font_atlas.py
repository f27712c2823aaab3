"""Rasterise the fonts of the simulated desktop into the glyph atlases of ``assets/fonts``.

Run from anywhere: ``python assets/make_font_atlas.py``. Needs Python 3.11 (for its version of Unicode), Pillow 13 and Debian 12's packages
fonts-dejavu-core, fonts-noto-cjk and fonts-noto-color-emoji; run it again when a label or a word of a task has a character without a glyph
(a test says so). Frames are drawn from these files alone, so no FreeType version matters later.

Four kinds of sheets, each a grid of 32 columns of cells of one size:

- ``<face>-<size>.png``, the Latin letters, which every desktop loads; what they hold is in ``index.json``;
- ``<face>-<size>-more.png``, other letters of Europe and symbols, ``han-<em>.png``, Chinese and Japanese, and ``emoji-<em>.png``, in
  colour. These are loaded when a text first needs them; what they hold is in ``more.json``.
"""

from __future__ import annotations

import json
import struct
import sys
import unicodedata
import zlib
from functools import cache
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

ASSETS = Path(__file__).parent
FONTS = Path("/usr/share/fonts")
FACES = {"sans": "DejaVuSans.ttf", "bold": "DejaVuSans-Bold.ttf", "mono": "DejaVuSansMono.ttf"}
SIZES = (8, 9, 10, 11, 12, 13, 14, 16, 17, 20)
#: The em of Chinese, Japanese and emoji, in pixels, beside letters of each size: as large as the line has room for. In the face of equal
#: widths they are two cells wide, which bounds them.
EMS = {
    "sans": (10, 11, 12, 12, 13, 13, 15, 17, 17, 21),
    "bold": (10, 11, 12, 12, 13, 13, 15, 17, 17, 21),
    "mono": (10, 10, 12, 13, 13, 15, 15, 17, 17, 21),
}
COLUMNS = 32
UNICODE = "14.0.0"  #: decides which characters there are and which take no room
GREYS, SHADES = 8, 32  #: levels of coverage of the larger sheets, and of each channel of emoji: not seen, and the files are half as large
MISSING = "\ufffd"  #: stands for every character without a glyph; drawn as a box
PUNCTUATION = "‐‑‒–—―‘’‚“”„†‡•…‰‹›⁄€™−≈≠≤≥←↑→↓✓✗▲▼◀▶●○"

MORE_RANGES = (  # accented Latin (pinyin, Romanian, Welsh, Irish, Vietnamese), Greek, Cyrillic, spaces, superscripts, box drawing, shapes
    range(0x01CD, 0x01DD), range(0x01E6, 0x01EC), range(0x01F8, 0x0200), range(0x0218, 0x021C), range(0x1E80, 0x1E86), range(0x1EA0, 0x1EFA),
    range(0x0384, 0x03CF), range(0x0400, 0x0460), range(0x0490, 0x0494), range(0x2002, 0x200B), range(0x2070, 0x207F), range(0x2080, 0x208F),
    range(0x2500, 0x25E6),
)  # fmt: skip
MORE = (
    "ƏəƒƠơƯưȲȳȷḂḃḊḋḞḟṀṁṖṗṠṡṪṫẞʹʺʻʼˆˇ˘˙˚˛˜˝ﬁﬂ′″‴※‼⁇⁈ⁿ₣₤₦₩₪₫₭₮₱₲₴₵₹₺₽℃℅℉ℓ№℗℠℡℮⅓⅔⅛⅜⅝⅞↔↕↖↗↘↙↩↪↰↱↲↳↵↶↷↺↻⇄⇅⇆⇐⇒⇑⇓⇔⇕⇤⇥⇦⇧⇨⇩⇪"
    "∀∂∃∅∆∇∈∉∋∌∏∑∓∕∗∘∙√∛∝∞∟∠∥∧∨∩∪∫∮∴∵∼∽≅≉≡≢≪≫⊂⊃⊄⊆⊇⊕⊖⊗⊙⊞⊟⊠⊢⊣⊤⊥⋅⋆⋮⋯⋰⋱⌀⌂⌃⌘⌥⌦⌫⌨⏎⏏☀☁☂☃★☆☎☏☐☑☒☹☺☻♀♂♠♡♢♣♤♥♦♧♩♪♫♬♭♮♯⚐⚑⚙⚠◦◧◨◯◻◼"
    "✂✆✈✉✌✍✎✏✐✑✒✔✕✖✘✙✚✛✜✝✡✦✧✩✪✯✱✲✳✴✶❄❏❐❖❛❜❝❞❢❣❧❮❯➔➘➙➚➛➜➝➞➟➡➢➣➤"
)
HAN_RANGES = (  # punctuation, hiragana, katakana, full-width forms, numbers in circles
    range(0x3000, 0x3031), range(0x3041, 0x3097), range(0x309B, 0x3100), range(0xFF01, 0xFF5F), range(0xFFE0, 0xFFE7), range(0x2460, 0x2474),
)  # fmt: skip
EMOJI = (
    "😀😃😄😁😆😅😂🤣😊😇🙂🙃😉😍🥰😘😋😜😎🤓🤩🥳😏😒😞😔😕😢😭😤😠😡😳😱😨🤔🤗😐🙄😴🤢😷💀👻👽🤖💩"
    "👍👎👌👈👉👆👇✋👋👏🙌🙏💪👀👤👥❤💛💚💙💜💔💯💥💧🔥✨🌟⭐🎉🎁🎈🎂🎵🎤🎧🎨🎬🎮🎯🏆⚽🏀🎾"
    "🐶🐱🐭🐰🦊🐻🐼🐯🦁🐮🐷🐸🐵🐔🐧🐢🐟🐬🐙🦋🐝🌸🌹🌻🌲🌴🌵🍀🍁🌍🌈🌙⛅⚡🌊"
    "🍎🍊🍋🍌🍉🍇🍓🍒🍍🍅🥕🌽🍞🧀🍕🍔🍟🍣🍩🍪🍰🍫☕🍵🍺🍷🚗🚌🚑🚲🚂🚀🚢🏠🏢🏥🏫"
    "📱💻📷📺🔋💡📁📂📄📅📊📈📉📋📌📍📎📝📖📚📧📤📥📦🔍🔒🔓🔑🔔🔕🔗🔧🔨💾🖥🖨🗑⏰⌛⌚💰💳🛒"
    "✅❌❗❓➕➖🚫⛔🔴🟠🟡🟢🔵🟣⚪⚫🟥🟧🟨🟩🟦🟪⬛⬜🔺🔻🆕🆗🚩🏁"
)


def characters(*ranges: range) -> str:
    """The assigned characters of the ranges that are drawn; marks that join the letter before them are not."""
    return "".join(c for r in ranges for c in map(chr, r) if unicodedata.category(c) not in ("Cn", "Co", "Mn", "Me", "Cf"))


LATIN = MISSING + "".join(map(chr, [*range(0x20, 0x7F), *range(0xA0, 0x180)])) + PUNCTUATION


def used() -> set[str]:
    """The characters of all labels and of the words and names in the code of the desktop and its tasks."""
    root = ASSETS.parent / "gui_gym"
    files = [*ASSETS.glob("labels/*.json"), *root.glob("desktops/sim/**/*.py"), *root.glob("tasks/sim/**/*.py")]
    return {c for file in files for c in file.read_text(encoding="utf-8")}


def han() -> str:
    """The characters of the sheets of Chinese and Japanese."""
    common = "".join(
        bytes([0xA0 + row, 0xA0 + column]).decode(standard, "ignore")
        for standard, rows in (("euc_jp", range(16, 48)), ("gb2312", range(16, 56)))  # the first levels of JIS X 0208 and GB 2312
        for row in rows
        for column in range(1, 95)
    )
    return characters(*HAN_RANGES) + "".join(sorted(set(common) | {c for c in used() if "\u4e00" <= c <= "\u9fff"}))


def zero_width() -> list[list[int]]:
    """The ranges (first, last) of code points that take no room: marks, joiners, variation selectors, skin tones."""
    ranges: list[list[int]] = []
    for code in range(0x300, sys.maxunicode + 1):
        if unicodedata.category(chr(code)) in ("Mn", "Me", "Cf") or 0x1F3FB <= code <= 0x1F3FF:
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return ranges


@cache
def truetype(file: str, size: int, index: int = 0) -> ImageFont.FreeTypeFont:
    """A font of the system at a size in pixels."""
    return ImageFont.truetype(str(FONTS / file), size, index, layout_engine=ImageFont.Layout.BASIC)


def dejavu(face: str, size: int) -> ImageFont.FreeTypeFont:
    """A font of letters."""
    return truetype(f"truetype/dejavu/{FACES[face]}", size)


def grid(cells: list[Image.Image]) -> Image.Image:
    """Cells of one size, side by side."""
    width, height = cells[0].size
    sheet = Image.new(cells[0].mode, (COLUMNS * width, -(-len(cells) // COLUMNS) * height))
    for i, cell in enumerate(cells):
        sheet.paste(cell, (i % COLUMNS * width, i // COLUMNS * height))
    return sheet


def latin(face: str, size: int) -> tuple[Image.Image, dict[str, Any]]:
    """The sheet of the Latin letters and its metrics, all in pixels. The pen is ``pad`` from a cell's left edge."""
    font = dejavu(face, size)
    ascent, descent = font.getmetrics()
    boxes = {c: font.getbbox(c) for c in LATIN if c != MISSING}
    pad = max(0, -min(box[0] for box in boxes.values()))
    advances = {c: round(font.getlength(c)) for c in boxes}
    top, bottom = min(0, min(int(box[1]) for box in boxes.values())), max(ascent + descent, max(int(box[3]) for box in boxes.values()))
    width = int(pad + max(max(box[2] for box in boxes.values()), max(advances.values())))
    height = bottom - top
    advances[MISSING] = advances["o"] + 1
    cells = []
    for c in LATIN:
        cell = Image.new("L", (width, height))
        draw = ImageDraw.Draw(cell)
        if c == MISSING:
            draw.rectangle([pad, ascent - top - advances["o"] - 1, pad + advances["o"] - 1, ascent - top - 1], outline=255)
        else:
            draw.text((pad, -top), c, fill=255, font=font)
        cells.append(cell)
    metrics = {"cell": [width, height], "pad": int(pad), "ascent": ascent, "descent": descent, "top": int(top)}
    return grid(cells), metrics | {"advances": [advances[c] for c in LATIN]}


def has_glyph(face: str, c: str) -> bool:
    """Whether a font of letters has the character, or only its own box."""
    font = dejavu(face, 32)
    return c.isspace() or bytes(font.getmask(c)) != bytes(font.getmask("\U000effff"))


def more_characters() -> str:
    """The letters and symbols of the second sheet: those of the ranges that the font has, but for those of other sheets."""
    others = {*LATIN, *EMOJI, *han()}
    return "".join(c for c in dict.fromkeys(characters(*MORE_RANGES) + MORE) if c not in others and has_glyph("sans", c))


def more(face: str, size: int, text: str, room: tuple[int, int]) -> tuple[Image.Image, dict[str, Any]]:
    """The second sheet of a face. ``room``: the rows, from the line's top, that the Latin letters use, which these stay within."""
    top, bottom = room
    cell_width = round(dejavu("mono", size).getlength("0"))
    drawn: list[tuple[Image.Image, int, int]] = []  # ink, its left edge from the pen, the advance
    for c in text:
        font = dejavu(face if has_glyph(face, c) else "sans", size)
        if face == "mono":
            while font.getlength(c) > cell_width + 0.5 and c.isalpha() and font.size > size * 2 // 3:
                font = dejavu("sans", int(font.size) - 1)  # a letter that the face lacks is made to fit
        ascent = dejavu(face, size).getmetrics()[0]
        x0, y0, x1, y1 = (int(v) for v in font.getbbox(c, anchor="ls"))
        advance = round(font.getlength(c))
        if face == "mono":
            cells = max(1, -(-(advance - 1) // cell_width))
            x0, x1 = (v + (cells * cell_width - advance) // 2 for v in (x0, x1))
            advance = cells * cell_width
        ink = Image.new("L", (max(x1 - x0, 1), bottom - top))
        lowered = 0 if "\u2500" <= c <= "\u259f" else max(0, top - (ascent + y0))  # boxes and blocks are made to be cut at the line's edge
        if x1 > x0:
            glyph = Image.new("L", (x1 - x0, y1 - y0))
            ImageDraw.Draw(glyph).text((-int(font.getbbox(c, anchor="ls")[0]), -y0), c, fill=255, font=font, anchor="ls")
            ink.paste(glyph, (0, ascent + y0 + lowered - top))
        drawn.append((ink, x0 if x1 > x0 else 0, advance))
    pad = max(0, -min(left for _, left, _ in drawn))
    width = pad + max(left + ink.width for ink, left, _ in drawn)
    cells_ = []
    for ink, left, _ in drawn:
        cell = Image.new("L", (width, bottom - top))
        cell.paste(ink, (pad + left, 0))
        cells_.append(coarse(cell, GREYS))
    return grid(cells_), {"cell": [width, bottom - top], "pad": pad, "top": top, "advances": [advance for _, _, advance in drawn]}


def coarse(image: Image.Image, levels: int) -> Image.Image:
    """The image with so many levels in each channel, black and white among them."""
    steps = levels - 1
    return image.point([(2 * v * steps + 255) // 510 * 255 // steps for v in range(256)] * len(image.getbands()))


def is_japanese(c: str) -> bool:
    """Whether Japanese has the character, by its standard JIS X 0208; its form is then the Japanese one."""
    return bool(c.encode("iso2022_jp", "ignore"))


def ideographs(em: int, text: str) -> Image.Image:
    """The sheet of Chinese and Japanese, in cells of ``em`` x ``em + 2`` pixels: faint edges may be in the first and last row."""
    baseline = em - round(0.12 * em)  # from the top of the em; the share is that of the font
    cells = []
    for c in text:
        font = truetype("opentype/noto/NotoSansCJK-Regular.ttc", em, 0 if is_japanese(c) else 2)
        large = Image.new("L", (em, 3 * em))
        ImageDraw.Draw(large).text((0, em + baseline), c, fill=255, font=font, anchor="ls")
        large = coarse(large, GREYS)
        solid = large.point([0] * 85 + [255] * 171).getbbox() or (0, em, em, 2 * em)
        shift = min(0, solid[1] - em) + max(0, solid[3] - 2 * em)  # a few full-width forms leave the em
        cells.append(large.crop((0, em - 1 + shift, em, 2 * em + 1 + shift)))
    return grid(cells)


def emoji(em: int) -> Image.Image:
    """The sheet of emoji, RGBA, in cells of ``em`` x ``em`` pixels."""
    font = truetype("truetype/noto/NotoColorEmoji.ttf", 109)  # the one size this font has
    cells = []
    for c in EMOJI:
        large = Image.new("RGBA", (136, 136))
        ImageDraw.Draw(large).text((0, 4), c, font=font, embedded_color=True)
        small = coarse(large.resize((em, em), Image.Resampling.BOX), SHADES)
        cells.append(Image.composite(small, Image.new("RGBA", (em, em)), small.getchannel("A").point([0] + [255] * 255)))
    return grid(cells)


def save(image: Image.Image, path: Path) -> None:
    """A PNG of grey or RGBA without filters, which glyphs are a sixth smaller without; Pillow has no setting for that."""
    width, height = image.size
    pixels, stride = image.tobytes(), width * len(image.getbands())
    header = struct.pack(">IIBBBBB", width, height, 8, {"L": 0, "RGBA": 6}[image.mode], 0, 0, 0)
    deflate = zlib.compressobj(9, strategy=zlib.Z_FILTERED)
    data = deflate.compress(b"".join(b"\0" + pixels[i : i + stride] for i in range(0, len(pixels), stride))) + deflate.flush()
    chunks = [kind + content for kind, content in ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(struct.pack(">I", len(c) - 4) + c + struct.pack(">I", zlib.crc32(c)) for c in chunks))


def main() -> None:
    if unicodedata.unidata_version != UNICODE:
        raise SystemExit(f"expected a Python with Unicode {UNICODE}, got {unicodedata.unidata_version}: use Python 3.11, or frames would change")
    target = ASSETS / "fonts"
    more_text, han_text = more_characters(), han()
    latin_faces: dict[str, Any] = {}
    more_faces: dict[str, Any] = {}
    wide: dict[str, Any] = {}
    for face in FACES:
        for size, em in zip(SIZES, EMS[face], strict=True):
            name = f"{face}-{size}"
            sheet, metrics = latin(face, size)
            save(sheet, target / f"{name}.png")
            latin_faces[name] = metrics
            top, height = metrics["top"], metrics["cell"][1]
            sheet, more_faces[name] = more(face, size, more_text, (top, top + height))
            save(sheet, target / f"{name}-more.png")
            advance = 2 * metrics["advances"][LATIN.index("0")] if face == "mono" else em
            line = metrics["ascent"] + metrics["descent"]
            wide[name] = {"em": em, "x": (advance - em) // 2, "y": (line - em) // 2, "advance": advance}
    for em in sorted({em for ems in EMS.values() for em in ems}):
        save(ideographs(em, han_text), target / f"han-{em}.png")
        save(emoji(em), target / f"emoji-{em}.png")
    write(target / "index.json", {"characters": LATIN, "columns": COLUMNS, "faces": latin_faces})
    write(
        target / "more.json",
        {"more": more_text, "han": han_text, "emoji": EMOJI, "faces": more_faces, "wide": wide, "zero_width": zero_width()},
    )
    print(f"{len(LATIN)} Latin, {len(more_text)} more, {len(han_text)} Chinese and Japanese characters, {len(EMOJI)} emoji")


def write(path: Path, content: dict[str, Any]) -> None:
    """A JSON file without spaces."""
    path.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
