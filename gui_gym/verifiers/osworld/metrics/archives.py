"""Metrics on archives, electronic books and web pages."""

from __future__ import annotations

import bz2
import difflib
import gzip
import lzma
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path, PurePosixPath
from typing import IO, Any

import lxml.html
from lxml import etree

from gui_gym.verifiers.osworld.metrics import load_metric
from gui_gym.verifiers.osworld.safe_files import UnreadableFile, check_zip, open_file, read_bytes, reading, zero_if_unreadable

MAX_UNPACKED = 512 << 20  #: most bytes of an archive's files, unpacked
MAX_FILES = 10_000  #: most entries of an archive
MAX_LINES = 50_000  #: most lines of a part of a book, of which each may be compared with each
MAX_PAGE = 64 << 20  #: most bytes of a web page, or of a part of a book
PDF_ALIKE = 0.95  #: how alike the texts of two PDF files in zip archives must be

_COMPRESSIONS: dict[bytes, Callable[[IO[bytes]], IO[bytes]]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\0": lzma.open}  # type: ignore[dict-item]

#: The metrics that compare the files of an archive, by ``file_type``.
FILE_TYPES = {
    "text": "compare_text_file",
    "pdf": "compare_pdfs",
    "docx": "compare_docx_files",
    "ppt": "compare_pptx_files",
    "image": "compare_images",
    "csv": "compare_csv",
    "table": "compare_table",
    "audio": "compare_audios",
    "video": "compare_videos",
}


def compare_archive(result: str, expected: str, file_type: str = "text", file_path: str = "", **options: Any) -> float:
    """The mean, over the files of two archives (zip, or tar with any compression), of the metric for their type; 0 if their names differ.

    Args:
        file_type: text, pdf, docx, ppt, image, csv, table, audio or video.
        file_path: the folder of the archives to look at.
        **options: given to the metric.
    """
    if file_type not in FILE_TYPES:
        raise ValueError(f"compare_archive: file_type: expected one of {', '.join(FILE_TYPES)}, got {file_type!r}")
    metric = load_metric(FILE_TYPES[file_type])
    folder = Path(tempfile.mkdtemp(dir=Path(result).parent))
    golds = unpack(expected, folder / "expected", file_path)
    if not golds:
        raise ValueError(f"compare_archive: expected files in {file_path or 'the archive'!r} of what to compare with, got none")
    try:
        results = unpack(result, folder / "result", file_path)
    except UnreadableFile:
        return 0.0
    if sorted(results) != sorted(golds):
        return 0.0
    return sum(metric(str(results[name]), str(golds[name]), **options) for name in golds) / len(golds)


def unpack(path: str, folder: Path, inside: str = "") -> dict[str, Path]:
    """Write the files below the folder ``inside`` of an archive to ``folder``; returns where they are, by name.

    On disk they have numbers for names, with the extension: what an archive calls them leads nowhere. Links and devices are left
    out. Raises :class:`UnreadableFile`.
    """
    folder.mkdir()
    files: dict[str, Path] = {}
    within = PurePosixPath(inside).parts
    entries = _zip_entries(path) if _is_zip(path) else _tar_entries(path, folder)
    with reading(path, tarfile.TarError, lzma.LZMAError):
        for name, file in entries:
            parts = tuple(part for part in PurePosixPath(name).parts if part != "/")
            if parts[: len(within)] != within or len(parts) == len(within) or ".." in parts:
                continue
            target = folder / f"{len(files)}{PurePosixPath(name).suffix[:16]}"
            target.write_bytes(file.read())
            files["/".join(parts[len(within) :])] = target
    return files


def _is_zip(path: str) -> bool:
    with open_file(path) as file:
        return zipfile.is_zipfile(file)


def _zip_entries(path: str) -> Iterator[tuple[str, IO[bytes]]]:
    check_zip(path, MAX_UNPACKED, MAX_FILES)
    with zipfile.ZipFile(path) as archive:
        for item in archive.infolist():
            if not item.is_dir():
                with archive.open(item) as file:
                    yield item.filename, file


def _tar_entries(path: str, folder: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """The regular files; first unpacked to a file of bounded size, since tarfile reads some headers whole."""
    plain = folder / "archive.tar"
    with open_file(path) as packed, plain.open("wb") as file:
        start = packed.read(6)
        packed.seek(0)
        opener = next((opener for magic, opener in _COMPRESSIONS.items() if start.startswith(magic)), None)
        source = opener(packed) if opener else packed
        while block := source.read(1 << 20):
            if file.tell() + len(block) > MAX_UNPACKED:
                raise UnreadableFile(path, f"expected at most {MAX_UNPACKED} bytes unpacked")
            file.write(block)
    with tarfile.open(plain, "r:") as archive:
        for count, member in enumerate(archive):
            if count >= MAX_FILES:
                raise UnreadableFile(path, f"expected at most {MAX_FILES} entries")
            entry = archive.extractfile(member) if member.isreg() else None
            if entry is not None:
                yield member.name, entry
    plain.unlink()


@zero_if_unreadable
def compare_zip_files(result: str, expected: str, **options: Any) -> float:
    """1 if two zip archives have entries of the same names and contents; of PDF files, of the same text within 5 %."""
    check_zip(expected)
    check_zip(result)
    with zipfile.ZipFile(result) as archive, zipfile.ZipFile(expected) as golds:
        names = set(golds.namelist())
        if set(archive.namelist()) != names:
            return 0.0
        folder = Path(tempfile.mkdtemp(dir=Path(result).parent))
        for name in sorted(names):
            with reading(result):
                content = archive.read(name)
            with reading(expected):
                gold = golds.read(name)
            if not _same(name, content, gold, folder):
                return 0.0
    return 1.0


def _same(name: str, content: bytes, gold: bytes, folder: Path) -> bool:
    if content == gold or not name.lower().endswith(".pdf"):
        return content == gold
    paths = [folder / "result.pdf", folder / "expected.pdf"]
    for path, data in zip(paths, (content, gold), strict=True):
        path.write_bytes(data)
    return bool(load_metric("compare_pdfs")(*map(str, paths)) >= PDF_ALIKE)


@zero_if_unreadable
def compare_epub(result: str, expected: str) -> float:
    """How alike two electronic books are: the mean :meth:`difflib.SequenceMatcher.ratio` of the lines of their parts of one name.

    Parts are the table of contents (``toc.ncx``, without its ``navPoint`` lines), the package (``content.opf``, without its
    identifier) and the pages, written anew so that only their elements and texts count. A part that one of them lacks counts 0.
    """
    gold, book = _book(expected), _book(result)
    if not gold:
        raise ValueError("compare_epub: expected a book with toc.ncx, content.opf or pages to compare with, got none of them")
    names = gold.keys() | book.keys()
    return sum(difflib.SequenceMatcher(a=book[name], b=gold[name]).ratio() for name in names if name in gold and name in book) / len(names)


def _book(path: str) -> dict[str, list[str]]:
    """The lines of a book's parts, by name."""
    parts: dict[str, list[str]] = {}
    with reading(path, etree.LxmlError):
        for name, file in _zip_entries(path):
            text = file.read(MAX_PAGE).decode(errors="replace")
            base = PurePosixPath(name).name
            if base in ("toc.ncx", "content.opf"):
                left_out = "navPoint" if base == "toc.ncx" else "dc:identifier"
                parts[name] = [line for line in text.splitlines() if left_out not in line]
            elif base.lower().endswith((".html", ".xhtml", ".htm")):
                parts[name] = _rewritten(text.replace("\n", "").replace("\r", ""))
            if len(parts.get(name, ())) > MAX_LINES:
                raise UnreadableFile(path, f"expected parts of at most {MAX_LINES} lines, got {name!r:.80} with {len(parts[name])}")
    return parts


def _rewritten(page: str) -> list[str]:
    """The lines of a page, indented by its elements; none if there is nothing on it."""
    if not page.strip():
        return []
    return str(lxml.html.tostring(lxml.html.fromstring(page.encode()), pretty_print=True, encoding="unicode")).splitlines()


@zero_if_unreadable
def compare_htmls(result: str, expected: str, ignore_sdnum: bool | None = None, **options: Any) -> float:
    """1 if two web pages have the same elements with the same attributes and the same texts between them.

    ``ignore_sdnum`` leaves out the attribute in which LibreOffice Calc keeps a cell's number format.
    """
    left_out = {"sdnum"} if ignore_sdnum else set()
    pages = (_page(path, left_out) for path in (expected, result))
    return float(all(one == other for one, other in zip_longest(*pages)))


def _page(path: str, left_out: set[str]) -> Iterator[tuple[Any, ...]]:
    """Each element: its name (of a comment, what it is), attributes, the text after its start and that after its end."""
    data = read_bytes(path, MAX_PAGE)
    with reading(path, etree.LxmlError):
        root = lxml.html.document_fromstring(data, parser=lxml.html.HTMLParser(encoding="utf-8"))
    for node in root.iter():
        yield str(node.tag), {name: value for name, value in node.items() if name not in left_out}, node.text or "", node.tail or ""
