"""Metrics on PDF files."""

from __future__ import annotations

import importlib.util
import json
import operator
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

try:
    from rapidfuzz import fuzz
    from scipy.fft import dctn
except ImportError as error:
    raise ImportError('metrics on PDF files need rapidfuzz and scikit-image: pip install "gui-gym[osworld]"') from error

from gui_gym.verifiers.osworld.safe_files import UnreadableFile, open_file, zero_if_unreadable

if importlib.util.find_spec("pypdfium2") is None:
    raise ImportError('metrics on PDF files need pypdfium2: pip install "gui-gym[osworld]"')

_READER = Path(__file__).parents[1] / "read_pdf.py"
READ_SECONDS = 60.0  #: longest time for reading one file
MAX_DISTANCE = 5  #: of 64 bits of two images' hashes, most that differ where the images are taken to be the same
_RELATIONS = ("eq", "ne", "lt", "le", "gt", "ge")


def read_pdf(path: str, what: str) -> Any:
    """The "pages" (their number), the "text", or the "images" (32x32 grey values each) of a PDF file, read by a process of its own.

    Raises:
        UnreadableFile: it is no PDF file, is encrypted, or takes too much time or memory to read.
    """
    with open_file(path):  # a regular file of bounded size
        pass
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    try:
        done = subprocess.run([sys.executable, "-P", _READER, path, what], env=environment, capture_output=True, timeout=READ_SECONDS)
    except subprocess.TimeoutExpired:
        raise UnreadableFile(path, f"expected a PDF file that is read in {READ_SECONDS:.0f} s") from None
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip()[-200:] or f"the reader ended with status {done.returncode}"
        raise UnreadableFile(path, f"expected a PDF file that can be read ({why})")
    return json.loads(done.stdout)


def compare_pdfs(result: str | list[str | None], expected: str | list[str], **options: Any) -> float:
    """How alike the texts of two PDF files are, :func:`rapidfuzz.fuzz.ratio` / 100; of two lists the mean of the pairs.

    A result that is missing or cannot be read counts 0.
    """
    results: list[str | None] = result if isinstance(result, list) else [result]
    golds = expected if isinstance(expected, list) else [expected]
    return sum(_text_ratio(path, gold) for path, gold in zip(results, golds, strict=False)) / len(golds)


def _text_ratio(result: str | None, expected: str) -> float:
    gold = read_pdf(expected, "text")
    try:
        return 0.0 if result is None else float(fuzz.ratio(read_pdf(result, "text"), gold) / 100)
    except UnreadableFile as error:
        if error.path == result:
            return 0.0
        raise


@zero_if_unreadable
def compare_pdf_images(result: str, expected: str, **options: Any) -> float:
    """The part of the images, in the order of the pages, that look the same in both PDF files; 0 if one has more than the other.

    Two images look the same if at most 5 of the 64 bits of their perceptual hashes differ: the signs, against their median, of
    the 8x8 lowest frequencies of 32x32 grey values (as the library ImageHash's ``phash``). 1 where there are no images.
    """
    hashes = [[_hash(image) for image in read_pdf(path, "images")] for path in (expected, result)]
    if len(hashes[0]) != len(hashes[1]):
        return 0.0
    if not hashes[0]:
        return 1.0
    return float(np.mean([np.count_nonzero(one != other) <= MAX_DISTANCE for one, other in zip(*hashes, strict=True)]))


def _hash(image: str) -> np.ndarray:
    """The perceptual hash of 32x32 grey values: ``(8, 8)`` bool."""
    grey = np.frombuffer(bytes.fromhex(image), np.uint8).reshape(32, 32).astype(float)
    low = dctn(grey)[:8, :8]
    return low > np.median(low)


@zero_if_unreadable
def check_pdf_pages(result: str, rules: Mapping[str, Any]) -> float:
    """1 if the number of pages stands in ``rules["relation"]``, one of eq, ne, lt, le, gt, ge, to ``rules["ref_value"]``."""
    if rules["relation"] not in _RELATIONS:
        raise ValueError(f"check_pdf_pages: relation: expected one of {', '.join(_RELATIONS)}, got {rules['relation']!r}")
    return float(getattr(operator, rules["relation"])(read_pdf(result, "pages"), rules["ref_value"]))
