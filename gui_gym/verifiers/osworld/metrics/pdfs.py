"""Metrics on PDF files."""

from __future__ import annotations

import operator
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import pypdfium2
from PIL import Image
from pypdfium2 import raw
from rapidfuzz import fuzz
from scipy.fft import dctn

from gui_gym.verifiers.osworld.safe_files import UnreadableFile, read_bytes, reading, zero_if_unreadable

MAX_PAGES = 2_000  #: most pages that are looked at
MAX_TEXT = 400_000  #: most characters that are compared
MAX_IMAGES = 500  #: most images
MAX_PIXELS = 64_000_000  #: most pixels of an image
READ_SECONDS = 60.0  #: longest time for reading one file
MAX_DISTANCE = 5  #: of 64 bits of two images' hashes, most that differ where the images are taken to be the same
_RELATIONS = ("eq", "ne", "lt", "le", "gt", "ge")


@contextmanager
def _document(path: str) -> Iterator[Any]:
    """The PDF file; :class:`UnreadableFile` if it is none, is encrypted, or whatever fails while its parts are read."""
    data = read_bytes(path)
    with reading(path, pypdfium2.PdfiumError), pypdfium2.PdfDocument(data) as document:
        yield document


def _pages(document: Any) -> Iterator[Any]:
    deadline = time.monotonic() + READ_SECONDS
    for index in range(min(len(document), MAX_PAGES)):
        if time.monotonic() > deadline:
            raise ValueError(f"expected a PDF file that is read in {READ_SECONDS:.0f} s")
        yield document[index]


def text_of(path: str) -> str:
    """The text of a PDF file, of each page as it is drawn."""
    texts: list[str] = []
    with _document(path) as document:
        for page in _pages(document):
            drawn = page.get_textpage()
            texts.append(drawn.get_text_range(count=min(drawn.count_chars(), MAX_TEXT)).replace("\r\n", "\n").strip())
            if sum(map(len, texts)) > MAX_TEXT:
                break
    return "\n".join(texts)[:MAX_TEXT].strip()


def image_hashes(path: str) -> list[np.ndarray]:
    """The perceptual hashes of the images on the pages of a PDF file, in order, each ``(8, 8)`` bool."""
    hashes: list[np.ndarray] = []
    with _document(path) as document:
        for page in _pages(document):
            for item in page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,)):
                width, height = item.get_px_size()
                if len(hashes) == MAX_IMAGES or width * height > MAX_PIXELS:
                    raise ValueError(f"expected at most {MAX_IMAGES} images of at most {MAX_PIXELS} pixels")
                hashes.append(perceptual_hash(item.get_bitmap(render=False).to_pil()))
    return hashes


def perceptual_hash(image: Image.Image) -> np.ndarray:
    """``(8, 8)`` bool: whether each of the lowest frequencies of 32x32 grey values is above their median, as ImageHash's ``phash``."""
    grey = np.asarray(image.convert("L").resize((32, 32), Image.Resampling.LANCZOS), dtype=float)
    low = dctn(grey)[:8, :8]
    return low > np.median(low)


def compare_pdfs(result: str | list[str | None], expected: str | list[str | None], **options: Any) -> float:
    """How alike the texts of two PDF files are, :func:`rapidfuzz.fuzz.ratio` / 100; of two lists the mean of the pairs.

    A result that is missing or cannot be read counts 0; so does an expected file that is missing, where the agent was to make it.
    """
    results: list[str | None] = result if isinstance(result, list) else [result]
    golds: list[str | None] = expected if isinstance(expected, list) else [expected]
    return sum(_text_ratio(path, gold) for path, gold in zip(results, golds, strict=False)) / len(golds)


def _text_ratio(result: str | None, expected: str | None) -> float:
    if expected is None:
        return 0.0
    gold = text_of(expected)
    try:
        return 0.0 if result is None else float(fuzz.ratio(text_of(result), gold) / 100)
    except UnreadableFile as error:
        if error.path == result:
            return 0.0
        raise


@zero_if_unreadable
def compare_pdf_images(result: str, expected: str, **options: Any) -> float:
    """The part of the images, in the order of the pages, that look the same in both PDF files; 0 if one has more than the other.

    Two images look the same if at most 5 of the 64 bits of their perceptual hashes differ. 1 where there are no images.
    """
    hashes = [image_hashes(path) for path in (expected, result)]
    if len(hashes[0]) != len(hashes[1]):
        return 0.0
    if not hashes[0]:
        return 1.0
    return float(np.mean([np.count_nonzero(one != other) <= MAX_DISTANCE for one, other in zip(*hashes, strict=True)]))


@zero_if_unreadable
def check_pdf_pages(result: str, rules: Mapping[str, Any]) -> float:
    """1 if the number of pages stands in ``rules["relation"]``, one of eq, ne, lt, le, gt, ge, to ``rules["ref_value"]``."""
    if rules["relation"] not in _RELATIONS:
        raise ValueError(f"check_pdf_pages: relation: expected one of {', '.join(_RELATIONS)}, got {rules['relation']!r}")
    with _document(result) as document:
        pages = len(document)
    return float(getattr(operator, rules["relation"])(pages, rules["ref_value"]))
