"""Workbooks and their sheets, opened within bounds, and how a rule names a sheet."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar
from zipfile import ZipFile

from openpyxl import Workbook, load_workbook
from openpyxl.cell.cell import Cell, MergedCell
from openpyxl.utils import coordinate_to_tuple, range_boundaries
from openpyxl.utils.datetime import to_excel
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.worksheet.worksheet import Worksheet
from PIL.Image import DecompressionBombError

from gui_gym.verifiers.osworld.safe_files import UnreadableFile, check_zip, open_file, parse_xml, read_lines, reading

T = TypeVar("T")

MAX_MERGED = 1 << 18  #: most cells under merged ranges: openpyxl makes an object of each


class Book:
    """An .xlsx workbook. Raises :class:`UnreadableFile` if ``path`` is none."""

    def __init__(self, path: str) -> None:
        self.path = path
        check_zip(path)
        with open_file(path) as file, reading(path), ZipFile(file) as archive:
            sheets = [name for name in archive.namelist() if name.startswith("xl/worksheets/") and name.endswith(".xml")]
            merged = [cell.get("ref") for name in sheets for cell in parse_xml(archive.read(name), path=path).iter("{*}mergeCell")]
            bounds = [range_boundaries(ref) for ref in merged]
        if sum((right - left + 1) * (low - top + 1) for left, top, right, low in bounds) > MAX_MERGED:
            raise UnreadableFile(path, f"expected at most {MAX_MERGED} merged cells")
        self.written = self._load(saved_values=False)
        self._sheets: dict[str, Sheet] = {}

    def _load(self, saved_values: bool) -> Workbook:
        with open_file(self.path) as file, reading(self.path, InvalidFileException, DecompressionBombError):
            return load_workbook(file, data_only=saved_values)

    @cached_property
    def calculated(self) -> Workbook:
        """The workbook with the values that the program saved for formulas."""
        return self._load(saved_values=True)

    def sheet(self, name: str) -> Sheet:
        """The sheet ``name``, whether or not it is there."""
        return self._sheets.setdefault(name, Sheet(self, name))

    @property
    def names(self) -> list[str]:
        """The names of the sheets with cells, in order."""
        return [sheet.title for sheet in self.written.worksheets]


@dataclass
class Sheet:
    """Sheet ``name`` of ``book``. It need not be in the workbook for :meth:`lines`."""

    book: Book
    name: str

    def _of(self, workbook: Workbook) -> Worksheet:
        for sheet in workbook.worksheets:
            if sheet.title == self.name:
                return sheet
        raise UnreadableFile(self.book.path, f"expected a sheet {self.name!r}, got {self.book.names}")

    @property
    def written(self) -> Worksheet:
        """The sheet with formulas and styles. Raises :class:`UnreadableFile`, of the book, if there is none."""
        return self._of(self.book.written)

    def read(self, extract: Callable[[Worksheet], T]) -> T:
        """What ``extract`` finds in :attr:`written`; its errors make the book an :class:`UnreadableFile`."""
        sheet = self.written
        with reading(self.book.path):
            return extract(sheet)

    @cached_property
    def values(self) -> dict[tuple[int, int], Any]:
        """The saved values by ``(row, column)``, from 1: numbers, texts, booleans, dates; empty cells are left out."""
        return {place: cell.value for place, cell in cells(self._of(self.book.calculated)).items() if cell.value not in (None, "")}

    def plain(self, coordinate: str) -> float | str | bool | None:
        """The saved value of the cell ``coordinate``, such as "B3": numbers and dates as floats; None if it is empty."""
        value = self.values.get(coordinate_to_tuple(coordinate))
        if isinstance(value, (datetime.date, datetime.time, datetime.timedelta)):
            return round(float(to_excel(value, self.book.calculated.epoch)), 9)
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value

    def lines(self) -> list[str]:
        """What the sheet looks like: the trimmed lines of the text file ``<book>-<sheet>.csv`` beside it, without empty ones at the end."""
        book = Path(self.book.path)
        beside = book.with_name(f"{book.stem}-{self.name.replace('/', '_')}.csv")
        try:
            found = read_lines(beside)
        except UnreadableFile as error:
            raise UnreadableFile(self.book.path, f"expected its printed sheet beside it: {error}") from error
        return "\n".join(line.strip() for line in found).rstrip("\n").split("\n")


def cells(sheet: Worksheet) -> dict[tuple[int, int], Cell | MergedCell]:
    """The cells that the file holds by ``(row, column)``. The way round: a sheet's rows and columns may be millions."""
    return sheet._cells


@dataclass
class Books:
    """The workbook of the agent and, where there is one, of the task's author."""

    result: Book
    expected: Book | None

    def sheet(self, index: int | str) -> Sheet:
        """The sheet that a rule names: 0 or "RI0", the result's first; "RNSheet1", the result's of that name; "EI0", "ENSheet1", the expected's."""
        side, kind, rest = ("R", "I", str(index)) if isinstance(index, int) else (index[:1], index[1:2], index[2:])
        book = {"R": self.result, "E": self.expected}.get(side)
        if book is None or kind not in ("I", "N"):
            raise ValueError(f"sheet index: expected a number, RI0, RNname, EI0 or ENname (E with an expected file), got {index!r}")
        if kind == "N":
            return book.sheet(rest)
        if not -len(book.names) <= int(rest) < len(book.names):
            raise UnreadableFile(book.path, f"expected a sheet at {rest}, got {book.names}")
        return book.sheet(book.names[int(rest)])
