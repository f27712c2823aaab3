"""Text documents, opened within bounds: .docx with python-docx, .odt as XML; and what their text looks like in effect."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar
from zipfile import ZipFile

import docx
from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.exceptions import OpcError
from docx.oxml.ns import qn
from docx.text.font import Font
from docx.text.paragraph import Paragraph
from docx.text.parfmt import ParagraphFormat
from docx.text.run import Run
from lxml import etree

from gui_gym.verifiers.osworld.safe_files import UnreadableFile, check_zip, open_file, parse_xml, reading

T = TypeVar("T")

MAX_SPAN = 1000  #: most columns that a table's cell spans: python-docx makes an object of each
ODF_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
ODF_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
ODF_FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"


class WordFile:
    """A .docx document. Raises :class:`UnreadableFile` if ``path`` is none."""

    def __init__(self, path: str) -> None:
        self.path = path
        check_zip(path)
        with open_file(path) as file, reading(path, OpcError, etree.LxmlError):
            self.document: Document = docx.Document(file)
            for span in self.document.element.body.iter(qn("w:gridSpan"), qn("w:gridBefore"), qn("w:gridAfter")):
                if int(span.get(qn("w:val"))) > MAX_SPAN:
                    raise UnreadableFile(path, f"expected cells that span at most {MAX_SPAN} columns")

    def read(self, extract: Callable[[Document], T]) -> T:
        """What ``extract`` finds in the document; its errors make it an :class:`UnreadableFile`."""
        with reading(self.path, OpcError, etree.LxmlError):
            return extract(self.document)

    @cached_property
    def paragraphs(self) -> list[Paragraph]:
        """The paragraphs of the body, without those in tables."""
        return self.document.paragraphs

    @cached_property
    def texts(self) -> list[str]:
        """The text of each paragraph."""
        return self.read(lambda document: [paragraph.text for paragraph in document.paragraphs])


class OdtFile:
    """An .odt document. Raises :class:`UnreadableFile` if ``path`` is none."""

    def __init__(self, path: str) -> None:
        self.path = path
        check_zip(path)
        with open_file(path) as file, reading(path), ZipFile(file) as archive:
            self.content = parse_xml(archive.read("content.xml"), path=path)

    @cached_property
    def texts(self) -> list[str]:
        """The text of each paragraph and heading, also in tables and frames; deleted text that is tracked does not count."""
        wanted = (f"{ODF_TEXT}p", f"{ODF_TEXT}h")
        with reading(self.path):
            deleted = {id(node) for part in self.content.iter(f"{ODF_TEXT}tracked-changes") for node in part.iter(*wanted)}
            return ["".join(_odt_text(node)) for node in self.content.iter(*wanted) if id(node) not in deleted]

    def has_background(self, color: str) -> bool:
        """Whether a span of text has the background ``color``, such as "#ffff00"."""
        colored = {
            style.get(f"{ODF_STYLE}name")
            for style in self.content.iter(f"{ODF_STYLE}style")
            for text in style.iter(f"{ODF_STYLE}text-properties")
            if (text.get(f"{ODF_FO}background-color") or "").lower() == color
        }
        return any(span.get(f"{ODF_TEXT}style-name") in colored for span in self.content.iter(f"{ODF_TEXT}span") if "".join(span.itertext()))


def _odt_text(node: Any) -> Iterator[str]:
    """The text in a paragraph: spaces, tabs and line breaks are elements; paragraphs inside, as in notes, count for themselves."""
    yield node.text or ""
    for child in node:
        name = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else ""
        if name == "s":
            yield " " * min(int(child.get(f"{ODF_TEXT}c", "1")), MAX_SPAN)
        elif name in ("tab", "line-break"):
            yield "\t" if name == "tab" else "\n"
        elif name not in ("p", "h", ""):
            yield from _odt_text(child)
        yield child.tail or ""


def open_documents(result: str, expected: str) -> tuple[WordFile | OdtFile, WordFile | OdtFile]:
    """Two documents of one kind, chosen by the ending of their names."""
    endings = [Path(path).suffix.lower() for path in (result, expected)]
    if endings[0] != endings[1] or endings[0] not in (".docx", ".odt"):
        raise ValueError(f"expected two .docx or two .odt files, got {Path(result).name!r} and {Path(expected).name!r}")
    kind = WordFile if endings[0] == ".docx" else OdtFile
    return kind(result), kind(expected)


def runs(paragraph: Paragraph) -> list[Run]:
    """The runs of a paragraph that show text, also those in links and insertions."""
    found = [Run(element, paragraph) for element in paragraph._p.iter(qn("w:r"))]
    return [run for run in found if run.text.strip()]


def font(run: Run, paragraph: Paragraph, name: str) -> Any:
    """Property ``name`` of a run's :class:`docx.text.font.Font` in effect: its own, else its style's, its paragraph's style's, the document's."""
    for source in _sources(run, paragraph):
        value = getattr(source, name)
        if value is not None:
            return value
    return None


def font_name(run: Run, paragraph: Paragraph) -> str | None:
    """The font of Latin text in effect; a theme's font by its name there."""
    for source in _sources(run, paragraph):
        fonts = source._element.rPr.rFonts if source._element.rPr is not None else None
        theme = fonts.get(qn("w:asciiTheme")) if fonts is not None else None
        if theme is not None:
            return _theme_font(paragraph, "major" if theme.startswith("major") else "minor")
        if source.name is not None:
            return source.name
    return None


def _sources(run: Run, paragraph: Paragraph) -> Iterator[Any]:
    """What may say a run's font, the strongest first."""
    yield run.font
    for style in (run.style, paragraph.style):
        yield from (link.font for link in _chain(style))
    yield Font(_defaults(paragraph, "r"))


def _chain(style: Any) -> Iterator[Any]:
    """A style and those it is based on; a hostile file's circle ends."""
    seen: set[str] = set()
    while style is not None and style.style_id not in seen:
        yield style
        seen.add(style.style_id)
        style = style.base_style


def _theme_font(paragraph: Paragraph, kind: str) -> str | None:
    part = next((item.target_part for item in paragraph.part.rels.values() if item.reltype == RELATIONSHIP_TYPE.THEME), None)
    latin = parse_xml(part.blob).find(f".//{{*}}{kind}Font/{{*}}latin") if part is not None else None
    return latin.get("typeface") if latin is not None else None


def layout(paragraph: Paragraph, name: str) -> Any:
    """Property ``name`` of a paragraph's :class:`docx.text.parfmt.ParagraphFormat` in effect: its own, else its style's, the document's."""
    for source in [paragraph, *_chain(paragraph.style)]:
        value = getattr(source.paragraph_format, name)
        if value is not None:
            return value
    return getattr(ParagraphFormat(_defaults(paragraph, "p")), name)


def _defaults(paragraph: Paragraph, kind: str) -> Any:
    """The document's defaults, in the shape that python-docx expects of a run ("r") or a paragraph ("p")."""
    part: Any = paragraph.part
    styles = part.document.styles.element
    return SimpleNamespace(**{f"{kind}Pr": styles.find("/".join(qn(f"w:{name}") for name in ("docDefaults", f"{kind}PrDefault", f"{kind}Pr")))})
