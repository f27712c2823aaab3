"""OSWorld's metrics on presentations, on files that LibreOffice wrote and on changed ones."""

from __future__ import annotations

import io
import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

pytest.importorskip("pptx")

from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.enum.shapes import MSO_SHAPE
from pptx.enum.text import MSO_UNDERLINE, PP_ALIGN
from pptx.util import Emu, Inches, Pt

from gui_gym.verifiers.osworld.metrics import load_metric
from gui_gym.verifiers.osworld.safe_files import UnreadableFile

FILES = Path(__file__).parent / "files" / "slides"
DECK, BOLD, CHANGED = (str(FILES / f"{name}.pptx") for name in ("deck", "bold", "changed"))
OTHERS = ("text", "shape", "font_bold", "color_rgb", "background_color", "bullets", "image_size")


def compare(result: str, expected: str, **options: Any) -> float:
    return load_metric("compare_pptx_files")(result, expected, **options)


def save(path: Path, change: Callable[[Any], None] = lambda deck: None) -> str:
    """A presentation of three slides: text, table and picture, group, after ``change``."""
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Product Comparison"
    slide.placeholders[1].text = "one\ntwo"
    slide.notes_slide.notes_text_frame.text = "say this"
    second = deck.slides.add_slide(deck.slide_layouts[6])
    picture = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(picture, "PNG")
    second.shapes.add_picture(picture, Inches(1), Inches(2), Inches(3), Inches(2))
    second.shapes.add_textbox(Inches(1), Inches(5), Inches(3), Inches(1)).text_frame.text = "Elaborate on what you want to discuss."
    third = deck.slides.add_slide(deck.slide_layouts[6])
    table = third.shapes.add_table(2, 2, Inches(1), Inches(1), Inches(4), Inches(1)).table
    table.cell(0, 0).text = "cell"
    group = third.shapes.add_group_shape()
    group.shapes.add_textbox(Inches(1), Inches(4), Inches(2), Inches(1)).text_frame.text = "grouped"
    third.shapes.add_shape(MSO_SHAPE.RECTANGLE, Inches(6), Inches(4), Inches(1), Inches(1))
    change(deck)
    deck.save(str(path))
    return str(path)


def run(deck: Any, slide: int = 0, shape: int = 0, paragraph: int = 0) -> Any:
    return deck.slides[slide].shapes[shape].text_frame.paragraphs[paragraph].runs[0]


def paragraph(deck: Any, index: int = 1) -> Any:
    return deck.slides[0].shapes[1].text_frame.paragraphs[index]


def cell_run(deck: Any) -> Any:
    return deck.slides[2].shapes[0].table.cell(0, 0).text_frame.paragraphs[0].runs[0]


def plain(deck: Any, rgb: str = "0000FF", slide: int = 0) -> None:
    fill = deck.slides[slide].background.fill
    fill.solid()
    fill.fore_color.rgb = RGBColor.from_string(rgb)


def xml(element: Any, tag: str, **attributes: str) -> None:
    from pptx.oxml.ns import qn

    element.append(element.makeelement(qn(tag), attributes))


def set_attribute(element: Any, **attributes: str) -> None:
    for name, value in attributes.items():
        element.set(name, value)


#: What is changed, and the switch that must be off for the two files to be alike; "" where no switch helps.
CHANGES: dict[str, tuple[Callable[[Any], Any], tuple[str, ...]]] = {
    "slide added": (lambda d: d.slides.add_slide(d.slide_layouts[6]), ("number_of_slides",)),
    "shape added": (lambda d: d.slides[0].shapes.add_textbox(0, 0, 9, 9), ("",)),
    "moved": (lambda d: setattr(d.slides[1].shapes[0], "left", Inches(2)), ("shape",)),
    "resized": (lambda d: setattr(d.slides[1].shapes[0], "height", Inches(1)), ("shape",)),
    "text": (lambda d: setattr(run(d), "text", "Other"), ("text", "bullets")),
    "text in a table": (lambda d: setattr(cell_run(d), "text", "other"), ("text", "bullets")),
    "text in a group": (lambda d: setattr(grouped_run(d), "text", "other"), ("text", "bullets")),
    "level": (lambda d: setattr(paragraph(d), "level", 1), ("indent", "bullets")),
    "font": (lambda d: setattr(run(d).font, "name", "Arial"), ("font_name",)),
    "size": (lambda d: setattr(run(d).font, "size", Pt(30)), ("font_size",)),
    "bold": (lambda d: setattr(run(d).font, "bold", True), ("font_bold",)),
    "italic": (lambda d: setattr(run(d).font, "italic", True), ("font_italic",)),
    "underline": (lambda d: setattr(run(d).font, "underline", True), ("font_underline",)),
    "double underline": (lambda d: setattr(run(d).font, "underline", MSO_UNDERLINE.DOUBLE_LINE), ("font_underline",)),
    "strike": (lambda d: set_attribute(run(d).font._element, strike="sngStrike"), ("strike_through",)),
    "color": (lambda d: setattr(run(d).font.color, "rgb", RGBColor(255, 0, 0)), ("color_rgb",)),
    "theme color": (lambda d: setattr(run(d).font.color, "theme_color", MSO_THEME_COLOR.ACCENT_2), ("color_rgb",)),
    "bold in a table": (lambda d: setattr(cell_run(d).font, "bold", True), ("font_bold",)),
    "alignment": (lambda d: setattr(paragraph(d), "alignment", PP_ALIGN.RIGHT), ("alignment",)),
    "bullet": (lambda d: xml(paragraph(d)._p.get_or_add_pPr(), "a:buChar", char="*"), ("bullets",)),
    "numbering": (lambda d: xml(paragraph(d)._p.get_or_add_pPr(), "a:buAutoNum", type="arabicPeriod"), ("bullets",)),
    "note": (lambda d: setattr(d.slides[0].notes_slide.notes_text_frame, "text", "say that"), ("note",)),
    "background": (plain, ("background_color",)),
    "run split": (lambda d: split(d), ("run_count",)),
    "paragraph added": (lambda d: d.slides[0].shapes[1].text_frame.add_paragraph(), ("",)),
}


def grouped_run(deck: Any) -> Any:
    return deck.slides[2].shapes[1].shapes[0].text_frame.paragraphs[0].runs[0]


def split(deck: Any) -> None:
    run(deck).text = "Product"
    deck.slides[0].shapes[0].text_frame.paragraphs[0].add_run().text = " Comparison"


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> str:
    return save(tmp_path_factory.mktemp("gold") / "gold.pptx")


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_seen_unless_its_switch_is_off(name: str, gold: str, tmp_path: Path) -> None:
    change, switches = CHANGES[name]
    result = save(tmp_path / "result.pptx", change)
    assert compare(result, gold) == compare(gold, result) == 0
    off = {f"examine_{switch}": False for switch in switches if switch}
    assert compare(result, gold, **off) == float(bool(off))
    others = {f"examine_{switch}": False for switch in OTHERS if switch not in switches}
    assert compare(result, gold, **others) == 0


#: Changes that nobody sees.
SAME: list[Callable[[Any], Any]] = [
    lambda d: setattr(run(d).font, "bold", False),
    lambda d: setattr(run(d).font, "italic", False),
    lambda d: setattr(run(d).font, "underline", False),
    lambda d: setattr(paragraph(d), "alignment", PP_ALIGN.LEFT),
    lambda d: set_attribute(paragraph(d)._p.get_or_add_pPr(), lvl="0"),
    lambda d: setattr(run(d).font.color, "rgb", RGBColor(0, 0, 0)),
    lambda d: setattr(run(d).font.color, "theme_color", MSO_THEME_COLOR.TEXT_1),
    lambda d: plain(d, "FFFFFF"),
    lambda d: setattr(d.slides[1].shapes[0], "left", Emu(Inches(1) + 4000)),
    lambda d: d.slides[2].shapes[2].text_frame.paragraphs[0].add_run(),
]


@pytest.mark.parametrize("change", SAME)
def test_what_looks_the_same_is_the_same(change: Callable[[Any], None], gold: str, tmp_path: Path) -> None:
    result = save(tmp_path / "result.pptx", change)
    assert compare(result, gold) == compare(gold, result) == 1


def test_options_that_are_not_known_are_ignored(gold: str) -> None:
    assert compare(gold, gold, _note="why", examine_shape_lenient_height=True, enable_debug=True) == 1


def move(slide: int, shape: int, **box: float) -> Callable[[Any], None]:
    def change(deck: Any) -> None:
        for name, inches in box.items():
            setattr(deck.slides[slide].shapes[shape], name, Inches(inches))

    return change


#: A switch for moves, a move that it wants and one that it does not.
MOVES: list[tuple[str, Callable[[Any], None], Callable[[Any], None]]] = [
    ("title_bottom_position", move(0, 0, left=0.5, top=6, width=9, height=1.25), move(0, 0, left=0.5, top=3, width=9, height=1.25)),
    ("title_bottom_position", move(0, 0, left=0.5, top=6, width=9, height=1.25), move(1, 0, top=6)),
    ("table_bottom_position", move(2, 0, top=5), move(2, 0, top=2)),
    ("right_position", move(1, 0, left=6), move(1, 0, left=4)),
    ("top_position", move(1, 0, top=1), move(1, 0, top=1.9 + 0.4)),
    ("shape_for_shift_size", move(1, 1, left=4), move(1, 0, left=4)),
    ("image_size", move(1, 0, left=0), move(1, 0, width=4)),
    ("modify_height", move(1, 0, width=4, left=0), move(1, 0, height=4)),
]


@pytest.mark.parametrize(("switch", "right", "wrong"), MOVES)
def test_where_things_are_moved_to(switch: str, right: Callable[[Any], None], wrong: Callable[[Any], None], gold: str, tmp_path: Path) -> None:
    options = {"examine_shape": False, f"examine_{switch}": True}
    assert compare(save(tmp_path / "right.pptx", right), gold, **options) == 1
    assert compare(save(tmp_path / "wrong.pptx", wrong), gold, **options) == 0


def test_the_tolerance_is_an_option(gold: str, tmp_path: Path) -> None:
    result = save(tmp_path / "a.pptx", move(1, 0, left=1.009))
    assert compare(result, gold) == 0
    assert compare(result, gold, approximately_tolerance=0.01) == 1


def test_tables_of_other_sizes_and_shapes_of_other_kinds_differ(gold: str, tmp_path: Path) -> None:
    def other_table(deck: Any) -> None:
        old = deck.slides[2].shapes[0]
        new = deck.slides[2].shapes.add_table(3, 2, old.left, old.top, old.width, old.height)
        old._element.addprevious(new._element)
        old._element.getparent().remove(old._element)

    def picture_for_table(deck: Any) -> None:
        old = deck.slides[2].shapes[0]
        new = deck.slides[2].shapes.add_shape(MSO_SHAPE.OVAL, old.left, old.top, old.width, old.height)
        old._element.addprevious(new._element)
        old._element.getparent().remove(old._element)

    for change in (other_table, picture_for_table):
        result = save(tmp_path / "result.pptx", change)
        assert compare(result, gold, examine_text=False, examine_bullets=False, examine_alignment=False, examine_shape=False) == 0


def test_files_that_libreoffice_wrote() -> None:
    assert compare(DECK, DECK) == compare(CHANGED, CHANGED) == 1
    assert compare(BOLD, DECK) == 0
    assert compare(BOLD, DECK, examine_font_bold=False) == 1
    assert compare(CHANGED, DECK) == 0
    off = ("text", "bullets", "color_rgb", "background_color", "shape")
    assert compare(CHANGED, DECK, **{f"examine_{name}": False for name in off}) == 1
    for name in off:
        assert compare(CHANGED, DECK, **{f"examine_{other}": False for other in off if other != name}) == 0


@pytest.mark.parametrize("path", [DECK, CHANGED])
def test_slides_that_libreoffice_wrote(path: str, tmp_path: Path) -> None:
    changed = float(path == CHANGED)
    assert load_metric("check_page_number_colors")(path, {"color": "red"}) == changed
    assert load_metric("check_page_number_colors")(path, {"color": "black"}) == 1 - changed
    assert load_metric("check_image_stretch_and_center")(path, DECK) == changed
    for index in (0, 1):
        assert load_metric("check_transition")(path, {"slide_idx": index, "transition_type": "dissolve"}) == changed
        assert load_metric("check_transition")(path, {"slide_idx": index, "transition_type": "fade"}) == 0
    assert load_metric("check_transition")(path, {"slide_idx": 2, "transition_type": "dissolve"}) == 0
    blue = {"rgb": [0, 0, 255], "original_rgb": [255, 255, 255]}
    assert load_metric("evaluate_presentation_fill_to_rgb_distance")(path, blue) == changed
    assert load_metric("check_slide_orientation_Portrait")(path) == 0


def test_orientation(tmp_path: Path) -> None:
    def turn(deck: Any) -> None:
        deck.slide_width, deck.slide_height = deck.slide_height, deck.slide_width

    assert load_metric("check_slide_orientation_Portrait")(save(tmp_path / "a.pptx", turn)) == 1


def test_distance_of_backgrounds(tmp_path: Path) -> None:
    distance = load_metric("evaluate_presentation_fill_to_rgb_distance")
    one_of_three = save(tmp_path / "a.pptx", plain)
    assert distance(one_of_three, {"rgb": [0, 0, 255], "original_rgb": [255, 255, 255]}) == pytest.approx(1 / 3)
    white = (1 - (2 / 3) ** 0.5) * 2 / 3
    assert distance(one_of_three, {"rgb": [0, 0, 255]}) == pytest.approx(1 / 3 + white)

    def master(deck: Any) -> None:
        fill = deck.slide_masters[0].background.fill
        fill.solid()
        fill.fore_color.rgb = RGBColor(0, 0, 255)

    assert distance(save(tmp_path / "b.pptx", master), {"rgb": [0, 0, 255]}) == 1

    def gradient(deck: Any) -> None:
        deck.slides[0].background.fill.gradient()
        plain(deck, slide=1)
        plain(deck, slide=2)

    assert distance(save(tmp_path / "c.pptx", gradient), {"rgb": [0, 0, 255]}) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("color", "yes", "no"), [("red", "C9211E", "0000FF"), ("blue", "2A6099", "FF0000"), ("green", "00A933", "FFFFFF"), ("black", "111111", "808080")]
)
def test_colors_of_slide_numbers(color: str, yes: str, no: str, tmp_path: Path) -> None:
    for value, score in ((yes, 1), (no, 0)):
        path = tmp_path / "numbers.pptx"
        recolor(CHANGED, path, value)
        assert load_metric("check_page_number_colors")(str(path), {"color": color}) == score


def recolor(source: str, target: Path, value: str) -> None:
    """The presentation with another colour in place of the slide numbers' red."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for item in old.infolist():
            new.writestr(item, re.sub(rb"c9211e", value.lower().encode(), old.read(item)) if item.filename.endswith(".xml") else old.read(item))


RULES: dict[str, Any] = {
    "compare_pptx_files": DECK,
    "check_slide_orientation_Portrait": None,
    "check_page_number_colors": {"color": "red"},
    "check_image_stretch_and_center": DECK,
    "check_transition": {"slide_idx": 0, "transition_type": "dissolve"},
    "evaluate_presentation_fill_to_rgb_distance": {"rgb": [0, 0, 255]},
}


@pytest.mark.parametrize("name", RULES)
def test_unreadable_files_are_0_and_golds_raise(name: str, tmp_path: Path) -> None:
    whole = Path(CHANGED).read_bytes()
    bad = {"empty": b"", "text": b"no archive", "half": whole[: len(whole) // 2]}
    for label, content in bad.items():
        (tmp_path / label).write_bytes(content)
    hostile(tmp_path / "no-slide", {"ppt/slides/slide1.xml": b""})
    hostile(tmp_path / "broken-xml", {"ppt/slides/slide1.xml": b"<p:sld"})
    hostile(tmp_path / "odd-value", {"ppt/slides/slide1.xml": lambda data: data.replace(b'sz="1800"', b'sz="much"')})
    hostile(tmp_path / "entity", {"ppt/slides/slide1.xml": lambda data: b'<!DOCTYPE x [<!ENTITY a "b">]>' + data.partition(b"?>")[2]})
    hostile(tmp_path / "broken-theme", {"ppt/theme/theme1.xml": b"<a:theme"})
    for path in sorted(tmp_path.iterdir()):
        assert load_metric(name)(str(path), *([] if RULES[name] is None else [RULES[name]])) == 0, path.name
    if isinstance(RULES[name], str):
        for label in bad:
            with pytest.raises(UnreadableFile):
                load_metric(name)(DECK, str(tmp_path / label))


def hostile(target: Path, parts: dict[str, Any]) -> None:
    """``changed.pptx`` with other bytes in some parts."""
    with zipfile.ZipFile(CHANGED) as old, zipfile.ZipFile(target, "w") as new:
        for item in old.infolist():
            part, data = parts.get(item.filename), old.read(item)
            new.writestr(item, data if part is None else part(data) if callable(part) else part)


def test_wrong_rules_raise(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected one of red, green, blue, black, got 'pink'"):
        load_metric("check_page_number_colors")(DECK, {"color": "pink"})
    no_picture = tmp_path / "none.pptx"
    shutil.copyfile(save(tmp_path / "a.pptx"), no_picture)
    with pytest.raises(ValueError, match="expected a picture"):
        load_metric("check_image_stretch_and_center")(DECK, str(no_picture))


def test_files_that_take_too_long_to_read_are_0(monkeypatch: pytest.MonkeyPatch) -> None:
    from gui_gym.verifiers.osworld.metrics.slides import reading

    monkeypatch.setattr(reading, "READ_SECONDS", -1.0)
    with pytest.raises(UnreadableFile, match="expected a presentation that is read in"):
        reading.read_deck(DECK)
    assert load_metric("check_slide_orientation_Portrait")(DECK) == 0


def test_values_that_are_no_colors_are_no_colors(tmp_path: Path) -> None:
    hostile(tmp_path / "odd.pptx", {"ppt/slides/slide1.xml": lambda data: data.replace(b'"0000ff"', b'"blue"')})
    assert load_metric("evaluate_presentation_fill_to_rgb_distance")(str(tmp_path / "odd.pptx"), {"rgb": [0, 0, 255]}) == 0.5
