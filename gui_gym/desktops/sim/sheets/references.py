"""Names of cells: "B3", "$B$3" and ranges of them."""

from __future__ import annotations

import re

MAX_ROWS, MAX_COLUMNS = 1000, 78  #: a sheet's size: columns A to BZ

Cell = tuple[int, int]  #: row and column, from 0
Range = tuple[int, int, int, int]  #: first row, first column, last row, last column

#: A reference: an optional mark that a part stays when the formula is copied, the column's letters and the row's number.
REFERENCE = re.compile(r"(\$?)([A-Za-z]{1,2})(\$?)([1-9]\d{0,3})(?![A-Za-z0-9_(])", re.ASCII)
_RANGE = re.compile(r"\s*([A-Za-z]{1,2})([1-9]\d{0,3})(?:\s*:\s*([A-Za-z]{1,2})([1-9]\d{0,3}))?\s*", re.ASCII)


def column_name(column: int) -> str:
    """The letters of a column: 0 is A, 26 is AA."""
    return chr(65 + column) if column < 26 else chr(64 + column // 26) + chr(65 + column % 26)


def column_number(letters: str) -> int:
    """The column of some letters."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - 64
    return number - 1


def cell_name(cell: Cell) -> str:
    """What a cell is called: (2, 1) is B3."""
    return f"{column_name(cell[1])}{cell[0] + 1}"


def range_name(area: Range) -> str:
    """What a range is called: "A1:B3", or the name of its only cell."""
    first, last = cell_name((area[0], area[1])), cell_name((area[2], area[3]))
    return first if first == last else f"{first}:{last}"


def within(cell: Cell) -> bool:
    """Whether a sheet has that cell."""
    return 0 <= cell[0] < MAX_ROWS and 0 <= cell[1] < MAX_COLUMNS


def read_range(text: str) -> Range | None:
    """The range of a name such as "B3" or "A1:C9", or None."""
    match = _RANGE.fullmatch(text)
    if match is None:
        return None
    first = int(match[2]) - 1, column_number(match[1])
    last = (int(match[4]) - 1, column_number(match[3])) if match[3] else first
    area = spanning(first, last)
    return area if within((area[2], area[3])) else None


def spanning(a: Cell, b: Cell) -> Range:
    """The range with two cells at its corners."""
    return min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])
