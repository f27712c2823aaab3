"""Metrics on what documents look like: fonts, spacing, tab stops, page breaks, page numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from docx.document import Document
from docx.enum.text import WD_COLOR_INDEX, WD_PARAGRAPH_ALIGNMENT, WD_TAB_ALIGNMENT
from docx.oxml.ns import qn
from docx.text.paragraph import Paragraph
from docx.text.tabstops import TabStop
from skimage.color import deltaE_ciede2000, rgb2lab

from gui_gym.verifiers.osworld.metrics.documents.files import OdtFile, WordFile, font, font_name, layout, open_documents, runs
from gui_gym.verifiers.osworld.metrics.documents.texts import compare_docx_files
from gui_gym.verifiers.osworld.safe_files import zero_if_unreadable


@zero_if_unreadable
def compare_line_spacing(result: str, expected: str) -> float:
    """1 if two .docx documents say the same and their paragraphs have the same line spacing in effect."""
    first, second = (WordFile(path).read(_spacings) for path in (result, expected))
    return float(compare_docx_files(result, expected) == 1.0 and first == second)


def _spacings(document: Document) -> list[Any]:
    return [layout(paragraph, "line_spacing") or 1.0 for paragraph in document.paragraphs]


@zero_if_unreadable
def compare_font_names(result: str, rules: Mapping[str, str]) -> float:
    """1 if all text of the body has the font ``rules["font_name"]`` in effect, and there is some."""

    def fonts(document: Document) -> set[str | None]:
        return {font_name(run, paragraph) for paragraph in document.paragraphs for run in runs(paragraph)}

    return float(WordFile(result).read(fonts) == {rules["font_name"]})


@zero_if_unreadable
def check_italic_font_size_14(result: str, expected: str) -> float:
    """1 if two .docx documents say the same, all italic text of the result is of 14 points, and there is some if the expected has some."""
    sizes, wanted = (WordFile(path).read(_italic_sizes) for path in (result, expected))
    kept = bool(sizes) or not wanted
    return float(compare_docx_files(result, expected) == 1.0 and kept and all(size == 14.0 for size in sizes))


def _italic_sizes(document: Document) -> list[float | None]:
    found = [(run, paragraph) for paragraph in document.paragraphs for run in runs(paragraph) if font(run, paragraph, "italic")]
    sizes = [font(run, paragraph, "size") for run, paragraph in found]
    return [size.pt if size is not None else None for size in sizes]


@zero_if_unreadable
def compare_subscript_contains(result: str, expected: str) -> float:
    """1 if some paragraph of two .docx documents has the same text as a subscript."""
    first, second = (WordFile(path).read(_subscripts) for path in (result, expected))
    return float(any(one and one == other for one, other in zip(first, second, strict=False)))


def _subscripts(document: Document) -> list[str]:
    return ["".join(run.text for run in runs(paragraph) if run.font.subscript) for paragraph in document.paragraphs]


@zero_if_unreadable
def evaluate_strike_through_last_paragraph(result: str, expected: str) -> float:
    """1 if two .docx documents say the same and all of the last paragraph with text is struck through."""

    def struck(document: Document) -> bool:
        texts = [(paragraph, runs(paragraph)) for paragraph in document.paragraphs]
        last = next(((paragraph, found) for paragraph, found in reversed(texts) if found), None)
        return last is not None and all(font(run, last[0], "strike") or font(run, last[0], "double_strike") for run in last[1])

    return float(compare_docx_files(result, expected) == 1.0 and WordFile(result).read(struck))


RED, BLUE = (255, 0, 0), (0, 0, 255)


@zero_if_unreadable
def evaluate_colored_words_in_tables(result: str, expected: str, threshold: float = 3.5, **options: Any) -> float:
    """1 if two .docx documents say the same and in the result's tables words that start with a vowel are red, all others blue.

    A color is right within ``threshold`` of CIEDE2000.
    """

    def right(document: Document) -> bool:
        paragraphs = [paragraph for table in document.tables for row in table.rows for cell in row.cells for paragraph in cell.paragraphs]
        return all(
            _near(color, RED if word[0].lower() in "aeiou" else BLUE, threshold)
            for paragraph in paragraphs
            for word, colors in _words(paragraph)
            for color in colors
        )

    return float(compare_docx_files(result, expected) == 1.0 and WordFile(result).read(right))


def _words(paragraph: Paragraph) -> list[tuple[str, set[Any]]]:
    """Each word of a paragraph and the colors of its characters; None is automatic."""
    found = runs(paragraph)
    colors = [run.font.color.rgb for run in found for _ in run.text]
    text = "".join(run.text for run in found)
    return [(match[0], set(colors[match.start() : match.end()])) for match in re.finditer(r"\S+", text)]


def _near(color: Any, wanted: tuple[int, int, int], threshold: float) -> bool:
    if color is None:
        return False
    first, second = (rgb2lab([part / 255 for part in rgb]) for rgb in (color, wanted))
    return float(deltaE_ciede2000(first, second)) <= threshold


@zero_if_unreadable
def is_first_line_centered(result: str) -> float:
    """1 if the first paragraph is centered in effect."""

    def centered(document: Document) -> bool:
        return bool(document.paragraphs) and layout(document.paragraphs[0], "alignment") == WD_PARAGRAPH_ALIGNMENT.CENTER

    return float(WordFile(result).read(centered))


@zero_if_unreadable
def has_page_numbers_in_footers(result: str) -> float:
    """1 if the footer of every section shows the page's number, a field that a program fills in."""

    def numbered(document: Document) -> bool:
        footer, found = None, []
        for section in document.sections:
            if not section.footer.is_linked_to_previous:
                footer = section.footer.part.element
            found.append(footer is not None and _has_page_number(footer))
        return bool(found) and all(found)

    return float(WordFile(result).read(numbered))


def _has_page_number(footer: Any) -> bool:
    fields = [node.get(qn("w:instr"), "") for node in footer.iter(qn("w:fldSimple"))]
    return re.search(r"\bPAGE\b", " ".join([*fields, "".join(node.text or "" for node in footer.iter(qn("w:instrText")))])) is not None


@zero_if_unreadable
def contains_page_break(result: str, rules: Mapping[str, int]) -> float:
    """1 if there are page breaks in the body's paragraphs, and as many as ``rules["page_break_count"]`` where that is given."""

    def count(document: Document) -> int:
        breaks = [node for paragraph in document.paragraphs for node in paragraph._p.iter(qn("w:br"))]
        return sum(node.get(qn("w:type")) == "page" for node in breaks)

    found = WordFile(result).read(count)
    return float(found > 0 and found == rules.get("page_break_count", found))


@zero_if_unreadable
def check_tabstops(result: str, expected: str, word_number_split_by_tabstop: int | None = None, index: int = 0, **options: Any) -> float:
    """How near the tab stops of two .docx documents are: 1 less the mean over the paragraphs with text of the distances by the width of the text.

    0 if the paragraphs, or a paragraph's tab stops or their alignments, are not as many or not the same. With
    ``word_number_split_by_tabstop`` each paragraph of the result must have so many words in its part ``index`` between tabs.
    """
    wanted = WordFile(expected)
    section: Any = wanted.document.sections[0]
    width = section.page_width - section.left_margin - section.right_margin
    texts, first = WordFile(result).read(_tabs)
    _, second = wanted.read(_tabs)
    if len(first) != len(second):
        return 0.0
    if word_number_split_by_tabstop is not None:
        parts = [text.split("\t") for text in texts]
        if any(len(part) <= index or len(part[index].split()) != word_number_split_by_tabstop for part in parts):
            return 0.0
    distance = 0.0
    for ours, theirs in zip(first, second, strict=True):
        if [stop[0] for stop in ours] != [stop[0] for stop in theirs]:
            return 0.0
        distance += sum(abs(one[1] - other[1]) for one, other in zip(ours, theirs, strict=True)) / width
    return max(0.0, 1.0 - distance / len(first)) if first else 1.0


def _tabs(document: Document) -> tuple[list[str], list[list[tuple[Any, int]]]]:
    """The text and the tab stops, ``(alignment, position in EMU)``, of each paragraph with text."""

    def counts(stop: TabStop) -> bool:
        left = stop.alignment == WD_TAB_ALIGNMENT.LEFT and stop.position == 0
        return stop.alignment != WD_TAB_ALIGNMENT.CLEAR and not left

    paragraphs = [paragraph for paragraph in document.paragraphs if paragraph.text.strip()]
    stops = [[(stop.alignment, stop.position) for stop in paragraph.paragraph_format.tab_stops if counts(stop)] for paragraph in paragraphs]
    return [paragraph.text for paragraph in paragraphs], stops


@zero_if_unreadable
def check_highlighted_words(result: str, expected: str) -> float:
    """1 if two .odt or two .docx documents say the same and no text of the result is highlighted in yellow."""
    file, _ = open_documents(result, expected)
    yellow = file.has_background("#ffff00") if isinstance(file, OdtFile) else file.read(_yellow)
    return float(compare_docx_files(result, expected) == 1.0 and not yellow)


def _yellow(document: Document) -> bool:
    return any(run.font.highlight_color == WD_COLOR_INDEX.YELLOW for paragraph in document.paragraphs for run in runs(paragraph))
