"""Metrics on what documents say: text, tables, pictures, references, records."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from rapidfuzz import fuzz

from gui_gym.verifiers.osworld.metrics.documents.files import WordFile, open_documents
from gui_gym.verifiers.osworld.safe_files import UnreadableFile, open_image, zero_if_unreadable


def one_line(texts: Sequence[str]) -> str:
    """The texts as one, each run of blanks a space."""
    return re.sub(r"\s+", " ", "\n".join(texts)).strip()


@zero_if_unreadable
def compare_docx_files(
    result: str,
    expected: str,
    ignore_blanks: bool = True,
    ignore_case: bool = False,
    ignore_order: bool = False,
    content_only: bool = False,
    fuzzy_match: bool = False,
    delete_empty_lines: bool = False,
    **options: Any,
) -> float:
    """1 if two .docx or two .odt documents say the same; with ``fuzzy_match`` or ``content_only`` how alike they are (:func:`rapidfuzz.fuzz.ratio`).

    Args:
        result: the agent's document.
        expected: the document to compare with.
        ignore_blanks: compare the whole text, each run of blanks a space; else paragraph by paragraph (``fuzzy_match``: their mean).
        ignore_case: in lower case.
        ignore_order: paragraphs sorted.
        content_only: as ``fuzzy_match`` with ``ignore_blanks``.
        fuzzy_match: give the likeness.
        delete_empty_lines: without paragraphs of blanks alone.
        options: ignored.
    """
    sides = []
    for document in open_documents(result, expected):
        texts = sorted(document.texts) if ignore_order else document.texts
        texts = [text for text in texts if text.strip()] if delete_empty_lines else texts
        sides.append([text.lower() for text in texts] if ignore_case else texts)
    if ignore_blanks or content_only:
        sides = [[one_line(texts)] for texts in sides]
    if not (fuzzy_match or content_only):
        return float(sides[0] == sides[1])
    if len(sides[0]) != len(sides[1]):
        return 0.0
    alike = [float(fuzz.ratio(first, second) / 100) for first, second in zip(*sides, strict=True)]
    return sum(alike) / len(alike) if alike else 1.0


@zero_if_unreadable
def compare_docx_files_and_ignore_new_lines(result: str, expected: str, ignore_blanks: bool = True, **options: Any) -> float:
    """1 if two .docx documents have the same paragraphs, but for empty ones; with ``ignore_blanks`` as one text, each run of blanks a space."""
    sides = [[text for text in WordFile(path).texts if text] for path in (result, expected)]
    return float(one_line(sides[0]) == one_line(sides[1]) if ignore_blanks else sides[0] == sides[1])


@zero_if_unreadable
def compare_docx_tables(result: str, expected: str) -> float:
    """1 if two .docx documents have the same tables: as many, of the same rows, with the same trimmed text in each cell."""
    first, second = (WordFile(path).read(_tables) for path in (result, expected))
    return float(first == second)


def _tables(document: Document) -> list[list[list[str]]]:
    return [[[cell.text.strip() for cell in row.cells] for row in table.rows] for table in document.tables]


@zero_if_unreadable
def compare_docx_images(result: str, expected: str) -> float:
    """1 if two .docx documents show the same pictures in the same order, pixel by pixel; vector graphics byte by byte."""
    first, second = (_pictures(WordFile(path)) for path in (result, expected))
    return float(first == second)


def _pictures(file: WordFile) -> list[Any]:
    blobs = file.read(_picture_bytes)
    return [_pixels(blob) for blob in blobs]


def _picture_bytes(document: Document) -> list[bytes]:
    """The embedded pictures of the body, in the order in which it first shows them."""
    pictures = {key: part for key, part in document.part.rels.items() if part.reltype == RELATIONSHIP_TYPE.IMAGE and not part.is_external}
    shown = [value for element in document.element.body.iter() for value in element.attrib.values() if value in pictures]
    return [pictures[key].target_part.blob for key in dict.fromkeys(shown)]


def _pixels(blob: bytes) -> Any:
    try:
        image = open_image(blob)
    except UnreadableFile:
        return blob
    return image.size, image.convert("RGBA").tobytes()


@zero_if_unreadable
def compare_references(
    result: str, expected: str, reference_indicator: str = "References", reference_base_result: float = 0.5, **options: Any
) -> float:
    """How alike the paragraphs after the one that says ``reference_indicator`` are in two .docx documents.

    0 unless there are as many that are not empty. Their mean :func:`rapidfuzz.fuzz.ratio` is scaled so that
    ``reference_base_result`` (what the document started with) is 0 and equality 1; less than 0.01 above it is 0. Where neither
    document has such a paragraph, 1.
    """
    first, second = (_after(WordFile(path).texts, reference_indicator) for path in (result, expected))
    if first is None or second is None or len(first) != len(second):
        return float(first is None and second is None)
    if not first:
        return 1.0
    alike = sum(fuzz.ratio(one, other) / 100 for one, other in zip(first, second, strict=True)) / len(first)
    return float((alike - reference_base_result) / (1 - reference_base_result)) if alike >= reference_base_result + 0.01 else 0.0


def _after(texts: Sequence[str], indicator: str) -> list[str] | None:
    return [text for text in texts[texts.index(indicator) + 1 :] if text.strip()] if indicator in texts else None


@zero_if_unreadable
def compare_unique_train_records(result: str, expected: Sequence[str], **options: Any) -> float:
    """1 if the .docx document keeps one record of each train: ``expected`` are the document to compare with, and the one it started from.

    Each line was there at the start; lines of four fields split by commas have as their second one a train's number, no number comes
    twice, and all numbers and as many lines as in the document to compare with are left.
    """
    if len(expected) != 2:
        raise ValueError(f"expected: expected two files, got {len(expected)}")
    lines, gold, start = ([text.strip() for text in WordFile(path).texts if text.strip()] for path in (result, *expected))
    numbers, wanted = ([line.split(",")[1].strip() for line in side if line.count(",") == 3] for side in (lines, gold))
    unique = len(numbers) == len(set(numbers))
    return float(unique and set(numbers) == set(wanted) and len(lines) == len(gold) and set(lines) <= set(start))


@zero_if_unreadable
def fuzzy_place_math(result: str, rules: Mapping[str, Sequence[str]]) -> float:
    """How alike the three words of a .docx document are to the best of ``rules["expected"]``: their mean :func:`rapidfuzz.fuzz.ratio`.

    0 unless there are three words.
    """
    words = [word for text in WordFile(result).texts for word in text.split()]
    if len(words) != 3:
        return 0.0
    return float(sum(max(fuzz.ratio(word, place) for place in rules["expected"]) for word in words) / 300)
