"""Text in every script: what has a glyph, how wide it is, that it is the same bytes everywhere, and that Latin alone loads little."""

import hashlib
import subprocess
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gui_gym
from gui_gym.assets_path import asset
from gui_gym.desktops.sim.canvas import Canvas
from gui_gym.desktops.sim.fonts import _PARTS, _cells, _json, font

FACES = ("sans", "bold", "mono")
SIZES = (8, 9, 10, 11, 12, 13, 14, 16, 17, 20)
FONTS = [(face, size) for face in FACES for size in SIZES]

SAMPLES = {
    "latin": "The quick brown fox (42%) ‘jumps’ – Über Łódź çàñ Şğ Őű ¿qué? ×÷±°€£¥",
    "europe": "Tiếng Việt Ấế Ổn Ưở ǎǐ Șț Ŵẁ ẞ ΑΒΓ Ελληνικά Привет Їжак Ґ ѓ",
    "symbols": "✓✗≤≥→←↑↓▲▼◀▶●○■□★☆…₺₽½⅔ ☐☑⚙⚠✉⌘⇧↵ ┌─┐│█░└─┘ ∑√∞",
    "japanese": "名前を付けて保存 ファイル「設定」、カタカナー。ＡＢＣ１２ 漢字 ①",
    "chinese": "编辑视图 撤销复制粘贴，重命名文件夹；个人们这图书馆！",
    "emoji": "OK 😀😂❤️👍🏽🔥🎉 📁📄🗑 ✅❌⭐ done e\u0301 か\u3099",
}

#: blake2b of the samples drawn one below the other. They change with the atlases, and with every frame that holds such text.
GOLDEN: dict[str, str] = {
    "sans-8": "39ec2d2c363b5dfcdf310881",
    "sans-9": "b881755631a00901c1931493",
    "sans-10": "0f406167363e52d26b02fbd7",
    "sans-11": "368c275e3eeedbf4426d63a5",
    "sans-12": "c843abcce87a88337186fbbb",
    "sans-13": "4e2accfa9f040776f63a5cbd",
    "sans-14": "89525288294b6711b83f0926",
    "sans-16": "68cdb652313e6b292b41cd65",
    "sans-17": "6e8c9c9ca76b88bb87a3048d",
    "sans-20": "222f951606b4e1eedf11bfb5",
    "bold-8": "36d25842e135ad8dae58afb9",
    "bold-9": "47c3d38fb7d4d2f382196baa",
    "bold-10": "e9cc421004f1af4a44c79bc2",
    "bold-11": "2760ea45250339d6474a4d7f",
    "bold-12": "4548d594ac7cbc913d01f176",
    "bold-13": "f19b56311144ed132c0e6b1b",
    "bold-14": "da5d3a85cae1617ea22f62ce",
    "bold-16": "06c97fb4fdeccb3b383c1081",
    "bold-17": "6761261113b4bc0c09018b05",
    "bold-20": "a22c5888a020125cce03a175",
    "mono-8": "b8f8f4d8fb21f2e8c80a716f",
    "mono-9": "f9cd4c32b74553fdbe734a74",
    "mono-10": "f83be8d24db8ae40656ae14e",
    "mono-11": "8758f839b5ca5166f5151c8b",
    "mono-12": "c471ace44549dce805e73035",
    "mono-13": "0b3dcdcf2de5d559e9a0b26b",
    "mono-14": "f1a55f5624436bd05ba6408a",
    "mono-16": "4f4d1c57f7d51c2b359fcd5b",
    "mono-17": "4faf7e09988d308e6b07d55b",
    "mono-20": "fdab1b7aa8268f1ee943f44f",
}


def drawn(face: str, size: int, text: str, width: int = 0) -> np.ndarray:
    """``text`` on white, with room around it."""
    letters = font(face, size)
    pixels = np.full((letters.height + 12, width or letters.width(text) + 60, 3), 255, np.uint8)
    Canvas(pixels, (0, 0, pixels.shape[1], pixels.shape[0])).text(30, 6, text, letters, (20, 30, 50))
    return pixels


def has_glyph(face: str, size: int, c: str) -> bool:
    """Whether a character is drawn as something else than the box."""
    run, box = font(face, size).render(c), font(face, size).render("\u1200")  # an Ethiopic letter, which no atlas holds
    return bool(run.pictures) or not np.array_equal(run.mask, box.mask)


def digest(face: str, size: int) -> str:
    hashed = hashlib.blake2b(digest_size=12)
    for text in SAMPLES.values():
        hashed.update(drawn(face, size, text).tobytes())
    return hashed.hexdigest()


@pytest.mark.parametrize("face, size", FONTS)
def test_text_is_these_bytes(face: str, size: int) -> None:
    assert digest(face, size) == GOLDEN[f"{face}-{size}"]


@pytest.mark.parametrize("face, size", FONTS)
def test_every_character_has_a_glyph_of_its_own(face: str, size: int) -> None:
    letters = font(face, size)
    seen: dict[bytes, str] = {}
    for c in [chr(i) for i in range(0x21, 0x7F)] + list("éüßñøŁőž“”…–•▼"):
        mask = letters.render(c).mask
        assert mask.any() and letters.width(c) > 0, c
        seen.setdefault(mask.tobytes(), c)
    if size >= 11:
        assert len(seen) >= 105, "letters that cannot be told apart"


@pytest.mark.parametrize("face, size", [(face, size) for face in FACES for size in (8, 9, 11, 14, 20)])
def test_ideographs_can_be_told_apart(face: str, size: int) -> None:
    han = [c for c in _json("more.json")["han"] if c >= "\u4e00" and c <= "\u9fff"]
    masks = {font(face, size).render(c).mask.tobytes() for c in han}
    assert len(masks) >= 0.99 * len(han)
    assert len({drawn(face, size, c).tobytes() for c in _json("more.json")["emoji"]}) == len(_json("more.json")["emoji"])


@pytest.mark.parametrize("face, size", FONTS)
def test_all_that_the_atlases_hold_is_drawn_whole_within_the_line(face: str, size: int) -> None:
    letters, more = font(face, size), _json("more.json")
    top, end = -2, letters.height + 2  # as far as Canvas.text and the widgets expect ink
    wide = more["wide"][f"{face}-{size}"]
    assert wide["em"] >= 10
    sheet = _cells(f"han-{wide['em']}", wide["em"], wide["em"] + 2)
    for c in more["more"] + more["han"] + more["emoji"]:
        run = letters.render(c)
        assert not run.mask.size or top <= run.y and run.y + run.mask.shape[0] <= end and run.mask[0].any() and run.mask[-1].any(), c
        assert has_glyph(face, size, c) and all(p.y >= top and p.y + p.alpha.shape[0] <= end and p.alpha.any() for p in run.pictures), c
        assert run.mask.any() or run.pictures or c.isspace(), c
    for c, cell in zip(more["han"], sheet, strict=False):
        if c in "＄ｊ":  # taller than their em
            continue
        shown, solid = np.count_nonzero(letters.render(c).mask >= 85), np.count_nonzero(cell >= 85)
        assert shown >= solid if face == "bold" else shown == solid, f"{c} is cut"


def test_scripts_of_europe_are_complete() -> None:
    turkish, polish, czech, hungarian, romanian = "çğıöşüÇĞİÖŞÜ", "ąćęłńóśźżĄĆĘŁŃÓŚŹŻ", "áčďéěíňóřšťúůýž", "áéíóöőúüű", "ăâîșț"
    vietnamese = [unicodedata.normalize("NFC", vowel + tone) for vowel in "aăâeêioôơuưyAĂÂEÊIOÔƠUƯY" for tone in "\u0300\u0301\u0303\u0309\u0323"]
    greek = [chr(code) for code in range(0x386, 0x3CF) if unicodedata.category(chr(code)) != "Cn"]
    cyrillic = [chr(code) for code in range(0x400, 0x460)] + list("Ґґ")
    for c in [*turkish, *polish, *czech, *hungarian, *romanian, *"đĐ", *vietnamese, *greek, *cyrillic]:
        assert len(c) == 1 and all(has_glyph(face, 14, c) for face in FACES), c


def test_every_character_in_the_code_of_desktop_and_tasks_has_a_glyph() -> None:
    """Names and words in the code, whatever they are used for; labels have a test of their own."""
    package = Path(gui_gym.__file__).parent
    files = [file for folder in ("desktops/sim", "tasks/sim") for file in (package / folder).rglob("*.py")]
    assert len(files) > 30
    for c in sorted({c for file in files for c in file.read_text(encoding="utf-8") if c.isprintable()}):
        assert has_glyph("sans", 14, c) or font("sans", 14).width(c) == 0, f"{c!r} has no glyph: run assets/make_font_atlas.py"


def test_in_the_face_of_equal_widths_characters_are_whole_cells() -> None:
    more = _json("more.json")
    for size in SIZES:
        mono = font("mono", size)
        cell = mono.width("0")
        assert {mono.width(c) for c in more["han"] + more["emoji"]} == {2 * cell}
        assert {mono.width(c) for c in more["more"] if c.isalpha() or "\u2500" <= c <= "\u259f"} == {cell}
        assert {mono.width(c) for c in more["more"]} <= {cell, 2 * cell}


def test_a_missing_glyph_is_a_box_and_a_tab_is_four_spaces() -> None:
    sans = font("sans", 14)
    box = drawn("sans", 14, "\ufffd")
    for c in ("\u1200", "한", "\U0001fae0", "\x07", "\n", "\x7f", "\u2028", "\ud800", "\uffff", "\U0010ffff"):
        assert np.array_equal(drawn("sans", 14, c), box) and sans.width(c) == sans.width("\ufffd") > 0
    assert sans.width("\t") == 4 * sans.width(" ")


def test_marks_and_joiners_take_no_room() -> None:
    for face, size in FONTS:
        letters = font(face, size)
        for c in "\u0301\u0323\u200b\u200d\u2060\ufe0f\ufeff\u3099\U0001f3fd\U000e0101":
            assert letters.advances(f"a{c}b") == [letters.width("a"), 0, letters.width("b")], hex(ord(c))
            assert not letters.render(c).mask.any()


@pytest.mark.parametrize("text", ["Ame\u0301lie", "Vie\u0302\u0323t", "か\u3099き\u3099", "И\u0306од", "Z\u030carko \u0301"])
def test_letters_with_marks_look_like_the_letters_they_make(text: str) -> None:
    composed = unicodedata.normalize("NFC", text)
    assert len(composed) < len(text)
    for face, size in FONTS:
        assert np.array_equal(drawn(face, size, text, 200), drawn(face, size, composed, 200))


def test_emoji_are_in_colour_and_blended() -> None:
    heart = drawn("sans", 14, "❤️")
    red = heart[(heart[..., 0] > 150) & (heart[..., 1] < 90)]
    assert len(red) > 40
    for c in ("❤", "😀", "📁"):
        whole = drawn("sans", 14, f"a{c}b")
        tiles = np.full_like(whole, 255)
        for x in range(0, whole.shape[1], 5):
            for y in range(0, whole.shape[0], 4):
                clip = (x, y, min(5, whole.shape[1] - x), min(4, whole.shape[0] - y))
                Canvas(tiles, clip).text(30, 6, f"a{c}b", font("sans", 14), (20, 30, 50))
        assert np.array_equal(whole, tiles)


def test_positions_in_a_text_and_back() -> None:
    sans, text = font("sans", 11), "Wide, narrow: ill\tŒ 保存 Я 😀!"
    assert len(sans.advances(text)) == len(text)
    for i in range(len(text) + 1):
        assert sans.position(text, sans.width(text[:i])) == i
    assert sans.position(text, -5) == 0 and sans.position(text, 10**6) == len(text)
    marked, letter = "e\u0301\u0323x", sans.width("e")
    assert [sans.position(marked, x) for x in (0, letter - 1, letter, letter + sans.width("x"))] == [0, 3, 3, 4]


def test_shortening_and_wrapping_fit_the_width() -> None:
    sans, text = font("sans", 11), "a rather long sentence that has to be broken"
    for line in (text, "名前を付けて保存するファイル", "😀" * 30):
        for width in range(0, 320, 7):
            short = sans.shorten(line, width)
            assert sans.width(short) <= width and (short == line or not short or short[-1] == "…" and line.startswith(short[:-1]))
            if short not in (line, ""):
                assert sans.width(line[: len(short)] + "…") > width, "more would fit"
    lines = sans.wrap(text, 90)
    assert " ".join(lines) == text and all(sans.width(line) <= 90 for line in lines)


def test_chinese_and_japanese_wrap_between_characters() -> None:
    sans, text = font("sans", 14), "ファイル「報告書」の名前を変えて、保存してください。Der Name ist egal。"
    for width in range(60, 400, 11):
        lines = sans.wrap(text, width)
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
        assert not any(line[0] in "、。」" or line[-1] == "「" for line in lines)
        assert all(sans.width(line) <= width for line in lines) and len(lines) <= sans.width(text) // (width - 45) + 1
    assert sans.wrap("a 保存 b", 1000) == ["a 保存 b"] and sans.wrap("", 10) == [""]


@given(st.text(max_size=40) | st.text(st.characters(), max_size=12))
def test_no_text_raises(text: str) -> None:
    for face, size in (("sans", 8), ("mono", 14)):
        letters = font(face, size)
        advances = letters.advances(text)
        assert len(advances) == len(text) and min(advances, default=0) >= 0 and letters.width(text) == sum(advances)
        drawn(face, size, text)
        letters.wrap(text, 50)
        assert letters.width(letters.shorten(text, 50)) <= 50
    for word in text.split(" "):
        assert word.isascii() or "".join(_PARTS.findall(word)) == word


def test_sheets_are_plain_pictures() -> None:
    """8 bits a channel, grey or RGBA, and no chunk that changes their colours."""
    sheets = sorted(asset("fonts").glob("*.png"))
    assert len(sheets) == 2 * len(FONTS) + 2 * len({wide["em"] for wide in _json("more.json")["wide"].values()})
    for path in sheets:
        data, at, kinds = path.read_bytes(), 8, []
        while at < len(data):
            length = int.from_bytes(data[at : at + 4])
            kinds.append(data[at + 4 : at + 8].decode())
            at += 12 + length
        assert set(kinds) == {"IHDR", "IDAT", "IEND"}, (path.name, kinds)
        depth, color, _, _, interlaced = data[24:29]
        assert (depth, color, interlaced) == (8, 6 if path.name.startswith("emoji") else 0, 0), path.name
    assert sum(path.stat().st_size for path in asset("fonts").iterdir()) < 4_000_000


def test_latin_alone_loads_only_latin() -> None:
    code = """
from gui_gym.desktops.sim import fonts
for face in ("sans", "bold", "mono"):
    fonts.font(face, 14).render("Straße (1 °C) … café")
    fonts.font(face, 14).width("Łódź")
assert fonts._cells.cache_info().currsize == 3 and fonts._json.cache_info().currsize == 1
fonts.font("sans", 14).width("保存")
assert fonts._cells.cache_info().currsize == 4 and fonts._json.cache_info().currsize == 2
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


if __name__ == "__main__":  # prints GOLDEN after a wanted change
    print("\n".join(f'    "{face}-{size}": "{digest(face, size)}",' for face, size in FONTS))
