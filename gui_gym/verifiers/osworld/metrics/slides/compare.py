"""Comparing two presentations."""

from __future__ import annotations

from typing import Any

from pptx.enum.shapes import MSO_SHAPE_TYPE
from pptx.enum.text import PP_ALIGN

from gui_gym.verifiers.osworld.metrics.slides.reading import Paragraph, Run, Shape, Slide, read_deck
from gui_gym.verifiers.osworld.safe_files import zero_if_unreadable

_ON = (
    "number_of_slides", "shape", "text", "indent", "font_name", "font_size", "font_bold", "font_italic", "color_rgb", "font_underline",
    "strike_through", "alignment", "bullets", "background_color", "note", "run_count",
)  # fmt: skip
_OFF = (
    "title_bottom_position", "table_bottom_position", "right_position", "top_position", "shape_for_shift_size", "image_size", "modify_height",
)  # fmt: skip
TOLERANCE = 0.005  #: how far apart two lengths may be, as a part of the larger
# What three of OSWorld's tasks ask for, in EMU: their switches hold for one text or slide.
_LOW, _RIGHT, _HIGH = 3_600_000, 4_320_000, 1_980_000
_LOWERED_TITLE, _SHIFTED_TEXT = "Product Comparison", "Elaborate on what you want to discuss."


@zero_if_unreadable
def compare_pptx_files(result: str, expected: str, approximately_tolerance: float = TOLERANCE, **options: Any) -> float:
    """1 if two presentations are alike in everything examined.

    Options ``examine_X`` switch what is examined; other options are ignored, as OSWorld does.

    - On by default: ``number_of_slides``; ``shape`` (position and size of each shape); ``text``; ``indent`` (levels of
      paragraphs); ``font_name``, ``font_size``, ``font_bold``, ``font_italic``, ``font_underline``, ``strike_through``,
      ``color_rgb`` (of runs of text); ``run_count``; ``alignment`` (of paragraphs, those in groups too); ``bullets``;
      ``background_color``; ``note``.
    - Off by default, for where a task moves something: ``title_bottom_position`` (the title "Product Comparison" is lower than
      in ``expected``, the rest in place), ``table_bottom_position`` (so is the table of slide 3), ``right_position`` (what on
      slide 2 has no text is farther right), ``top_position`` (pictures of slide 2 are higher), ``shape_for_shift_size`` (all
      but one text box is in place), ``image_size`` (pictures have the size, the rest is in place), ``modify_height`` (what has
      no text has the height, the rest is in place).

    Always: as many shapes on each slide, tables of the same rows and columns, as many paragraphs in each shape or cell. Slides are
    compared in order, without ``number_of_slides`` as many as the shorter has. Runs of blank paragraphs do not count. Colours
    are compared as they are seen, see :mod:`~gui_gym.verifiers.osworld.metrics.slides.colors`, and only where both can be told.

    Args:
        approximately_tolerance: how far apart two positions or sizes may be, as a part of the larger.
    """
    decks = read_deck(result), read_deck(expected)
    if len(decks[0].slides) != len(decks[1].slides) and options.get("examine_number_of_slides", True):
        return 0.0
    on = {name for name in (*_ON, *_OFF) if options.get(f"examine_{name}", name in _ON)}
    compare = _Comparison(on, approximately_tolerance)
    return float(all(compare.slides(number, *pair) for number, pair in enumerate(zip(*(deck.slides for deck in decks), strict=False), 1)))


class _Comparison:
    def __init__(self, on: set[str], tolerance: float) -> None:
        self._on = on
        self._tolerance = tolerance

    def slides(self, number: int, a: Slide, b: Slide) -> bool:
        on = self._on
        return (
            not ("background_color" in on and a.background != b.background)
            and not ("note" in on and a.notes != b.notes)
            and not ("bullets" in on and a.bullets != b.bullets)
            and len(a.shapes) == len(b.shapes)
            and all(self._shapes(number, *pair) for pair in zip(a.shapes, b.shapes, strict=True))
            and not ("alignment" in on and not self._texts(a, b))
        )

    def _texts(self, a: Slide, b: Slide) -> bool:
        """Texts and alignments of all shapes, those in groups too."""
        return len(a.texts) == len(b.texts) and all(
            len(one.paragraphs or ()) == len(other.paragraphs or ())
            and (_stripped(one) == _stripped(other) or "text" not in self._on)
            and all(map(_aligned, one.paragraphs or (), other.paragraphs or ()))
            for one, other in zip(a.texts, b.texts, strict=True)
        )

    def _shapes(self, number: int, a: Shape, b: Shape) -> bool:
        if not self._places(number, a, b):
            return False
        if (a.cells is None) != (b.cells is None):
            return False
        if a.cells is not None and b.cells is not None and not self._tables(a.cells, b.cells):
            return False
        if a.paragraphs is None or b.paragraphs is None:
            return not ("text" in self._on and _stripped(a) != _stripped(b))
        return (
            not ("text" in self._on and _stripped(a) != _stripped(b))
            and len(a.paragraphs) == len(b.paragraphs)
            and all(map(self._paragraphs, a.paragraphs, b.paragraphs))
        )

    def _places(self, number: int, a: Shape, b: Shape) -> bool:
        """Whether the two shapes are where the switches want them."""
        same = [self._near(*pair) for pair in zip(a.box, b.box, strict=True)]
        in_place = all(same)
        textless = a.paragraphs is None and b.paragraphs is None
        both = a.kind if a.kind == b.kind else None
        picture = both == MSO_SHAPE_TYPE.PICTURE
        (left, top), (old_left, old_top) = ((shape.box[0] or 0, shape.box[1] or 0) for shape in (a, b))
        lower = top > old_top and top >= _LOW
        same_text = a.text is not None and a.text == b.text
        wanted = {
            "shape": in_place,
            "title_bottom_position": (lower or a.text != _LOWERED_TITLE) if same_text else in_place,
            "table_bottom_position": lower if number == 3 and both == MSO_SHAPE_TYPE.TABLE else in_place,
            "right_position": not (number == 2 and textless) or (left > old_left and left >= _RIGHT),
            "top_position": not (number == 2 and picture) or (top < old_top and top <= _HIGH),
            "shape_for_shift_size": in_place or (same_text and a.text == _SHIFTED_TEXT),
            "image_size": same[2] and same[3] if picture else in_place,
            "modify_height": same[3] if textless or both == MSO_SHAPE_TYPE.FREEFORM else in_place,
        }
        return all(holds for name, holds in wanted.items() if name in self._on)

    def _near(self, a: int | None, b: int | None) -> bool:
        if a == b or not a or not b:
            return a == b
        return abs(a - b) / max(abs(a), abs(b)) <= self._tolerance

    def _tables(self, a: tuple[tuple[tuple[Paragraph, ...], ...], ...], b: tuple[tuple[tuple[Paragraph, ...], ...], ...]) -> bool:
        if [len(row) for row in a] != [len(row) for row in b]:
            return False
        cells = [pair for rows in zip(a, b, strict=True) for pair in zip(*rows, strict=True)]
        pairs = [(cell, other) for cell, other in cells]
        return all(len(cell) == len(other) and all(map(self._cell_paragraphs, cell, other)) for cell, other in pairs)

    def _cell_paragraphs(self, a: Paragraph, b: Paragraph) -> bool:
        """Of a table, OSWorld examines neither names and sizes of fonts nor alignment and level."""
        if "text" in self._on and a.text.strip() != b.text.strip():
            return False
        return self._runs(a, b, ("color_rgb", "font_bold", "font_italic", "font_underline"))

    def _paragraphs(self, a: Paragraph, b: Paragraph) -> bool:
        on = self._on
        return (
            not ("alignment" in on and not _aligned(a, b))
            and not ("text" in on and a.text != b.text)
            and not ("indent" in on and a.level != b.level)
            and self._runs(a, b, tuple(_LOOKS))
        )

    def _runs(self, a: Paragraph, b: Paragraph, looks: tuple[str, ...]) -> bool:
        if not a.text.strip() and not b.text.strip():
            return True
        if len(a.runs) != len(b.runs) and "run_count" in self._on:
            return False
        return all(_look(name, *pair) for pair in zip(a.runs, b.runs, strict=False) for name in looks if name in self._on)


#: The switches of what a run looks like, and the fields they compare.
_LOOKS = {
    "font_name": "font",
    "font_size": "size",
    "font_bold": "bold",
    "font_italic": "italic",
    "font_underline": "underline",
    "strike_through": "strike",
    "color_rgb": "color",
}


def _look(name: str, a: Run, b: Run) -> bool:
    values = getattr(a, _LOOKS[name]), getattr(b, _LOOKS[name])
    return values[0] == values[1] or (name == "color_rgb" and None in values)


def _aligned(a: Paragraph, b: Paragraph) -> bool:
    return (a.alignment or PP_ALIGN.LEFT) == (b.alignment or PP_ALIGN.LEFT)


def _stripped(shape: Shape) -> str:
    return (shape.text or "").strip()
