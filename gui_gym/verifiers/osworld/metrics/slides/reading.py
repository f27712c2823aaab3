"""What of a presentation the metrics look at, read into plain values."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from lxml import etree
from pptx import Presentation
from pptx.enum.shapes import MSO_SHAPE_TYPE
from pptx.exc import PythonPptxError
from pptx.oxml.ns import qn

from gui_gym.verifiers.osworld.metrics.slides.colors import Palette, background_color, text_color
from gui_gym.verifiers.osworld.safe_files import check_zip, reading

MAX_DEPTH = 50  #: deepest nesting of groups
READ_SECONDS = 60.0  #: longest time for reading one file; an ordinary one takes a tenth of a second


@dataclass(frozen=True)
class Run:
    """A piece of text of one look. Sizes in English Metric Units (914,400 an inch); None where the run itself says nothing."""

    text: str
    font: str | None
    size: int | None
    bold: bool
    italic: bool
    underline: Any
    strike: str
    color: str | None


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; ``bullet`` is a character, "numbered", or "" for none of its own."""

    text: str
    level: int
    alignment: Any
    bullet: str
    runs: tuple[Run, ...]


@dataclass(frozen=True)
class Shape:
    """A shape. ``box`` is left, top, width, height in EMU; ``paragraphs`` is None if it has no text of its own, ``cells`` if it is no table."""

    kind: Any
    box: tuple[int | None, ...]
    paragraphs: tuple[Paragraph, ...] | None
    cells: tuple[tuple[tuple[Paragraph, ...], ...], ...] | None
    image: str

    @property
    def text(self) -> str | None:
        return None if self.paragraphs is None else "\n".join(paragraph.text for paragraph in self.paragraphs)


@dataclass(frozen=True)
class Slide:
    """A slide. ``texts`` are its shapes with text, those in groups too; ``bullets`` its paragraphs that are not blank, tables' and groups' too."""

    background: str | None
    notes: str
    shapes: tuple[Shape, ...]
    texts: tuple[Shape, ...]
    bullets: tuple[tuple[str, int, str], ...]
    transitions: frozenset[str]
    number_colors: tuple[str | None, ...]


@dataclass(frozen=True)
class Deck:
    """A presentation; sizes in EMU."""

    width: int
    height: int
    slides: tuple[Slide, ...]
    number_colors: tuple[str | None, ...]  #: of the slide numbers of the masters that slides use


def read_deck(path: str) -> Deck:
    """The presentation in ``path``. Raises :class:`UnreadableFile`."""
    check_zip(path)
    with reading(path, PythonPptxError, etree.LxmlError):
        return _Reader(Presentation(path), path).deck()


class _Reader:
    def __init__(self, presentation: Any, path: str) -> None:
        self._presentation = presentation
        self._path = path
        self._deadline = time.monotonic() + READ_SECONDS
        self._palettes: dict[Any, Palette] = {}

    def deck(self) -> Deck:
        presentation = self._presentation
        slides = list(presentation.slides)
        masters = {slide.slide_layout.slide_master.part.partname: slide.slide_layout.slide_master for slide in slides}
        numbers = [color for master in masters.values() for color in self._number_colors(master, self._palette(master))]
        return Deck(int(presentation.slide_width), int(presentation.slide_height), tuple(map(self._slide, slides)), tuple(numbers))

    def _palette(self, master: Any) -> Palette:
        name = master.part.partname
        if name not in self._palettes:
            self._palettes[name] = Palette(master, self._path)
        return self._palettes[name]

    def _slide(self, slide: Any) -> Slide:
        palette = self._palette(slide.slide_layout.slide_master)
        notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
        bullets = [(p.text, p.level, p.bullet) for p in (self._paragraph(e, None, palette) for e in slide.element.iter(qn("a:p"))) if p.text.strip()]
        transitions = {
            child.tag.rpartition("}")[2] for found in slide.element.iter(qn("p:transition")) for child in found if isinstance(child.tag, str)
        }
        return Slide(
            background=background_color(slide, palette),
            notes="" if notes is None else notes.text.strip(),
            shapes=tuple(self._shape(shape, palette) for shape in slide.shapes),
            texts=tuple(self._shape(shape, palette) for shape in _text_shapes(slide.shapes)),
            bullets=tuple(bullets),
            transitions=frozenset(transitions),
            number_colors=tuple(self._number_colors(slide, palette)),
        )

    def _shape(self, shape: Any, palette: Palette) -> Shape:
        cells = None
        if shape.has_table:
            table = shape.table
            cells = tuple(tuple(self._paragraphs(cell._tc, None, palette) for cell in row.cells) for row in table.rows)
        kind = shape.shape_type
        picture = kind == MSO_SHAPE_TYPE.PICTURE and shape._element.blip_rId is not None
        return Shape(
            kind=kind,
            box=(shape.left, shape.top, shape.width, shape.height),
            paragraphs=self._paragraphs(shape.element.txBody, shape, palette) if shape.has_text_frame and shape.element.txBody is not None else None,
            cells=cells,
            image=hashlib.sha256(shape.image.blob).hexdigest() if picture else "",
        )

    def _paragraphs(self, body: Any, shape: Any, palette: Palette) -> tuple[Paragraph, ...]:
        return tuple(self._paragraph(element, shape, palette) for element in body.iter(qn("a:p")))

    def _paragraph(self, element: Any, shape: Any, palette: Palette) -> Paragraph:
        if time.monotonic() > self._deadline:
            raise ValueError(f"expected a presentation that is read in {READ_SECONDS:.0f} s")
        properties = element.pPr
        level = 0 if properties is None else int(properties.lvl)
        bullet = None if properties is None else properties.find(qn("a:buChar"))
        numbered = properties is not None and properties.find(qn("a:buAutoNum")) is not None
        return Paragraph(
            text=element.text,
            level=level,
            alignment=None if properties is None else properties.algn,
            bullet=bullet.get("char", "") if bullet is not None else "numbered" if numbered else "",
            runs=tuple(self._run(run, level, shape, palette) for run in element.r_lst),
        )

    def _run(self, element: Any, level: int, shape: Any, palette: Palette) -> Run:
        look = element.rPr
        if look is None:
            look = element.makeelement(qn("a:rPr"))
        font = look.find(qn("a:latin"))
        color = palette.fill(look) if shape is None else text_color(look, level, shape, self._presentation, palette)
        return Run(
            text=element.text,
            font=None if font is None else font.get("typeface"),
            size=None if look.sz is None else int(look.sz) * 127,
            bold=bool(look.b),
            italic=bool(look.i),
            underline=look.get("u", "none"),
            strike=look.get("strike", "noStrike"),
            color=color,
        )

    def _number_colors(self, owner: Any, palette: Palette) -> Iterator[str | None]:
        """The colours of the slide numbers among the placeholders of a slide or master."""
        for shape in owner.placeholders:
            kind = shape.element.find(f".//{qn('p:nvPr')}/{qn('p:ph')}")
            if kind is None or kind.get("type") != "sldNum" or not shape.has_text_frame:
                continue
            for piece in (*shape.element.iter(qn("a:fld")), *shape.element.iter(qn("a:r"))):
                yield text_color(piece.find(qn("a:rPr")), 0, shape, self._presentation, palette)


def _text_shapes(shapes: Iterable[Any], depth: int = 0) -> Iterator[Any]:
    if depth > MAX_DEPTH:
        raise ValueError(f"expected groups nested at most {MAX_DEPTH} deep")
    for shape in shapes:
        if shape.has_text_frame:
            yield shape
        if shape.shape_type == MSO_SHAPE_TYPE.GROUP:
            yield from _text_shapes(shape.shapes, depth + 1)
