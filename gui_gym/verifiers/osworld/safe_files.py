"""Reading files that an agent made: bounded, no links followed, no entities, no helper programs.

What cannot be read raises :class:`UnreadableFile`, which names the file: of the agent's file that is a score of 0, of
the author's an error (:func:`zero_if_unreadable` tells them apart).
"""

from __future__ import annotations

import functools
import io
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from PIL import Image, UnidentifiedImageError

if TYPE_CHECKING:
    from lxml import etree

__all__ = [
    "UnreadableFile",
    "check_zip",
    "open_file",
    "open_image",
    "parse_xml",
    "read_bytes",
    "read_lines",
    "read_text",
    "reading",
    "zero_if_unreadable",
]

MAX_FILE = 256 << 20  #: most bytes of a file
MAX_TEXT = 16 << 20  #: most bytes of a text file
MAX_XML = 64 << 20  #: most bytes of an XML document, and of all XML parts of an archive together
MAX_UNPACKED = 512 << 20  #: most bytes of an archive's entries, unpacked
MAX_ENTRIES = 10_000  #: most entries of an archive
MAX_RATIO = 250  #: most unpacked bytes for each packed one, where an archive unpacks to more than ...
FREE_UNPACKED = 16 << 20  #: ... these bytes
MAX_PIXELS = 64_000_000  #: most pixels of an image

#: Pillow's formats that are decoded by Pillow itself: EPS, for one, would run Ghostscript.
IMAGE_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP", "PPM", "ICO", "TGA", "PCX", "PSD", "XPM", "XBM", "ICNS")

#: What the libraries that parse documents raise for a file that is not what they expect.
PARSER_ERRORS: tuple[type[Exception], ...] = (
    ValueError, LookupError, TypeError, AttributeError, ArithmeticError, OSError, EOFError, RecursionError, NotImplementedError,
    zipfile.BadZipFile, zlib.error, struct.error, SyntaxError, RuntimeError, AssertionError,
)  # fmt: skip


class UnreadableFile(ValueError):
    """A file that is not what it should be, or larger than a check reads.

    Args:
        path: the file; the message has its name.
        why: what was expected and what came.
    """

    def __init__(self, path: str | Path, why: str) -> None:
        super().__init__(f"{Path(path).name}: {why}")
        self.path = str(path)


def zero_if_unreadable(metric: Callable[..., float]) -> Callable[..., float]:
    """Make a metric give 0 where its ``result``, a path, is unreadable. What the task's author supplied still raises."""

    @functools.wraps(metric)
    def guarded(result: Any, *args: Any, **options: Any) -> float:
        try:
            return metric(result, *args, **options)
        except UnreadableFile as error:
            if error.path in ([result] if isinstance(result, (str, Path)) else result):
                return 0.0
            raise

    return guarded


@contextmanager
def reading(path: str | Path, *also: type[Exception]) -> Iterator[None]:
    """Turn what a library raises while it parses ``path`` into :class:`UnreadableFile`. Only the parsing belongs inside.

    Args:
        path: the file.
        also: exceptions of the library's own that are no subclass of Python's.
    """
    try:
        yield
    except UnreadableFile:
        raise
    except (*PARSER_ERRORS, *also) as error:  # a parser fed with hostile bytes raises whatever its next line does
        raise UnreadableFile(path, f"cannot be read ({type(error).__name__}: {error!s:.200})") from error


@contextmanager
def open_file(path: str | Path, limit: int = MAX_FILE) -> Iterator[BinaryIO]:
    """The regular file ``path``, open for reading; not one behind a link, not a pipe or device, at most ``limit`` bytes."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise UnreadableFile(path, f"expected a regular file ({error.strerror})") from error
    status = os.fstat(number)
    if not stat.S_ISREG(status.st_mode):
        os.close(number)
        raise UnreadableFile(path, "expected a regular file")
    with open(number, "rb") as file:
        if status.st_size > limit:
            raise UnreadableFile(path, f"expected at most {limit} bytes, got {status.st_size}")
        yield file


def read_bytes(path: str | Path, limit: int = MAX_FILE) -> bytes:
    """The bytes of a regular file of at most ``limit`` bytes."""
    with open_file(path, limit) as file:
        return file.read()


def read_text(path: str | Path, limit: int = MAX_TEXT) -> str:
    r"""A text file with "\n" line ends. Bytes that are not UTF-8 are kept as lone surrogates, so that they match only themselves."""
    return read_bytes(path, limit).decode("utf-8", "surrogateescape").replace("\r\n", "\n").replace("\r", "\n")


def read_lines(path: str | Path, limit: int = MAX_TEXT) -> list[str]:
    """The lines of a text file in UTF-8, or else Latin-1, as programs write tables."""
    data = read_bytes(path, limit)
    try:
        return data.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        return data.decode("latin-1").splitlines()


def check_zip(path: str | Path, unpacked: int = MAX_UNPACKED, entries: int = MAX_ENTRIES) -> None:
    """Check that a zip archive (a document of an office program is one) can be unpacked without harm.

    Bounded: the entries, their bytes unpacked (which :mod:`zipfile` never exceeds while reading), the ratio, the bytes of XML.
    Refused: names that lead out of a folder, encrypted entries, and XML with a document type, the only place where entities
    are declared; no office format allows one.

    Raises:
        UnreadableFile: it is not such an archive.
    """
    with open_file(path) as file, reading(path), zipfile.ZipFile(file) as archive:
        items = archive.infolist()
        if len(items) > entries:
            raise UnreadableFile(path, f"expected at most {entries} entries, got {len(items)}")
        total, packed = sum(item.file_size for item in items), sum(item.compress_size for item in items)
        if total > unpacked or (total > FREE_UNPACKED and total > MAX_RATIO * min(packed, os.fstat(file.fileno()).st_size)):
            raise UnreadableFile(path, f"expected at most {unpacked} bytes and {MAX_RATIO} for each packed one, got {total} unpacked of {packed}")
        for item in items:
            if item.filename.startswith("/") or ".." in item.filename.replace("\\", "/").split("/"):
                raise UnreadableFile(path, f"expected names inside the archive, got {item.filename!r:.80}")
            if item.flag_bits & 1:
                raise UnreadableFile(path, f"expected no encrypted entry, got {item.filename!r:.80}")
        parts = [item for item in items if item.filename.lower().endswith((".xml", ".rels"))]
        if sum(item.file_size for item in parts) > MAX_XML:
            raise UnreadableFile(path, f"expected at most {MAX_XML} bytes of XML")
        for item in parts:
            if b"<!DOCTYPE" in archive.read(item).replace(b"\0", b""):  # without the zero bytes UTF-16 reads as ASCII
                raise UnreadableFile(path, f"expected XML without a document type, got {item.filename!r:.80}")


def parse_xml(source: bytes | str | Path, limit: int = MAX_XML, path: str | Path = "XML") -> etree._Element:
    """The root of an XML document: bytes (of the file ``path``), or a path. No entities, no network, no huge trees."""
    from lxml import etree

    data, path = (source, path) if isinstance(source, bytes) else (read_bytes(source, limit), source)
    if len(data) > limit:
        raise UnreadableFile(path, f"expected at most {limit} bytes of XML, got {len(data)}")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    with reading(path):
        root = etree.fromstring(data, parser)
    declared = root.getroottree().docinfo.internalDTD
    if declared is not None and next(declared.iterentities(), None) is not None:
        raise UnreadableFile(path, "expected XML that declares no entities")
    return root


def open_image(source: bytes | str | Path, path: str | Path = "image") -> Image.Image:
    """An image, loaded: bytes (of the file ``path``), or a path. Of several frames the first."""
    data, path = (source, path) if isinstance(source, bytes) else (read_bytes(source), source)
    with reading(path, Image.DecompressionBombError, Image.DecompressionBombWarning):
        try:
            image = Image.open(io.BytesIO(data), formats=IMAGE_FORMATS)
        except UnidentifiedImageError as error:
            raise UnreadableFile(path, "expected an image") from error
    if image.width * image.height > MAX_PIXELS:
        raise UnreadableFile(path, f"expected at most {MAX_PIXELS} pixels, got {image.width}x{image.height}")
    with reading(path):
        image.load()
    return image
