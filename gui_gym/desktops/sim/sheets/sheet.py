"""A sheet: its cells' texts, the values of its formulas, and the changes that can be undone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cmp_to_key, lru_cache

from gui_gym.desktops.sim.sheets.csv_text import read_csv, trimmed, write_csv
from gui_gym.desktops.sim.sheets.evaluate import CYCLE, Value, as_text, compare, evaluate
from gui_gym.desktops.sim.sheets.formula import copied, parse, ranges_of, renumbered, with_comma, without_comma
from gui_gym.desktops.sim.sheets.numbers import CONTEXT, to_number, to_text
from gui_gym.desktops.sim.sheets.references import MAX_COLUMNS, MAX_ROWS, Cell, Range, within

MAX_CELL = 1000  #: characters
MAX_UNDO = 30  #: steps
_FEW_ROWS = 20  #: more than these are not told apart
ROWS, COLUMNS = 0, 1  #: the axes of a sheet

Rows = list[tuple[str, ...]]


@lru_cache(maxsize=8192)
def constant(text: str) -> Value:
    """The value of a cell without a formula: a number, or a text; what follows an apostrophe is a text."""
    if not text:
        return None
    if text[0] == "'":
        return text[1:]
    number = to_number(text)
    return text if number is None else number


@dataclass
class Sheet:
    """Cells as they were typed. Rows are as long as their last cell that is not empty, and are replaced, never changed, so that the steps
    that can be undone share them.

    Args:
        rows: the texts of the cells.
        comma: whether numbers are typed and shown with a decimal comma. Texts hold a point in any case.
        values: those of the cells with formulas.
        earlier, later: the rows before and after changes that can be undone and redone.
        changed_rows: the rows that show something else since whoever draws them emptied it; None if that may be any.
    """

    rows: Rows = field(default_factory=list)
    comma: bool = False
    values: dict[Cell, Value] = field(default_factory=dict)
    earlier: list[Rows] = field(default_factory=list)
    later: list[Rows] = field(default_factory=list)
    changed_rows: list[int] | None = None

    @classmethod
    def from_csv(cls, text: str, comma: bool = False) -> Sheet:
        """The sheet of a comma separated file, cut off at the size a sheet has."""
        rows = trimmed([cell[:MAX_CELL] for cell in row[:MAX_COLUMNS]] for row in read_csv(text)[:MAX_ROWS])
        sheet = cls(rows, comma)
        sheet._recalculate(None)
        return sheet

    def to_csv(self) -> str:
        """The sheet as a comma separated file."""
        return write_csv(self.rows)

    # Reading

    @property
    def used(self) -> tuple[int, int]:
        """How many rows and columns hold everything that is not empty."""
        return len(self.rows), max(map(len, self.rows), default=0)

    def text(self, cell: Cell) -> str:
        """What was typed into a cell."""
        row = self.rows[cell[0]] if cell[0] < len(self.rows) else ()
        return row[cell[1]] if cell[1] < len(row) else ""

    def value(self, cell: Cell) -> Value:
        """The value of a cell."""
        text = self.text(cell)
        return self.values.get(cell) if text.startswith("=") else constant(text)

    def shown(self, cell: Cell) -> str:
        """What a cell shows: what was typed, or the result of its formula."""
        text = self.text(cell)
        if text.startswith("="):
            return as_text(self.values.get(cell), self.comma)
        value = constant(text)
        if isinstance(value, Decimal):
            return text.strip().replace(".", ",") if self.comma else text.strip()
        return as_text(value)

    def edited(self, cell: Cell) -> str:
        """The text of a cell as it is edited."""
        text = self.text(cell)
        if not self.comma:
            return text
        if text.startswith("="):
            return with_comma(text)
        return text.replace(".", ",") if isinstance(constant(text), Decimal) else text

    def typed(self, text: str) -> str:
        """The text a cell gets when ``text`` was typed: the opposite of :meth:`edited`."""
        text = text[:MAX_CELL].replace("\r", " ").replace("\x00", "")
        if not self.comma:
            return text
        if text.startswith("="):
            return without_comma(text)
        pointed = text.replace(",", ".")
        return pointed if to_number(pointed) is not None else text

    @property
    def has_header(self) -> bool:
        """Whether the first row is a header: texts alone, with something below it."""
        first = self.rows[0] if self.rows else ()
        return len(self.rows) > 1 and bool(first) and all(isinstance(self.value((0, c)), str) for c in range(len(first)))

    def edge(self, cell: Cell, down: int, across: int) -> Cell:
        """Where CTRL and an arrow go from a cell: to the end of what is filled, or to the next that is."""
        row, column = cell
        here = bool(self.text((row, column)))
        full = here and within((row + down, column + across)) and bool(self.text((row + down, column + across)))
        while within((row + down, column + across)):
            ahead = bool(self.text((row + down, column + across)))
            if full and not ahead:
                break
            row, column = row + down, column + across
            if not full and ahead:
                break
        if not full and not self.text((row, column)):
            rows, columns = self.used  # nothing ahead: no further than where the sheet is in use
            row, column = (max(cell[0], rows - 1) if down > 0 else row), (max(cell[1], columns - 1) if across > 0 else column)
        return row, column

    def summary(self, areas: Range) -> tuple[int, Decimal | None]:
        """How many numbers a range holds and their sum, None if there are none."""
        rows, columns = self.used
        found = [
            value
            for row in range(areas[0], min(areas[2] + 1, rows))
            for column in range(areas[1], min(areas[3] + 1, columns))
            if isinstance(value := self.value((row, column)), Decimal)
        ]
        result = Decimal(0)
        for number in found:
            result = CONTEXT.add(result, number)
        return len(found), result if found else None

    # Changing

    def write(self, texts: Mapping[Cell, str]) -> bool:
        """Give cells new texts, as one step; whether any of them is another than before."""
        texts = {cell: text[:MAX_CELL] for cell, text in texts.items() if within(cell) and self.text(cell) != text[:MAX_CELL]}
        if not texts:
            return False
        by_row: dict[int, list[tuple[int, str]]] = {}
        for (row, column), text in texts.items():
            by_row.setdefault(row, []).append((column, text))
        rows = self.rows + [()] * (max(by_row) + 1 - len(self.rows))
        for number, cells in by_row.items():
            fresh = list(rows[number]) + [""] * (max(column for column, _ in cells) + 1 - len(rows[number]))
            for column, text in cells:
                fresh[column] = text
            rows[number] = tuple(fresh)
        self.replace(rows, list(texts))
        return True

    def replace(self, rows: Iterable[Sequence[str]], changed: list[Cell] | None = None) -> None:
        """Give the sheet other rows, as one step; ``changed`` are the cells that differ, if that is known."""
        self.earlier = [*self.earlier[1 - MAX_UNDO :], self.rows]
        self.later = []
        self.rows = trimmed(row[:MAX_COLUMNS] for row in list(rows)[:MAX_ROWS])
        self._recalculate(changed)

    def undo(self) -> bool:
        """Take the last step back; whether there was one."""
        return self._go(self.earlier, self.later)

    def redo(self) -> bool:
        """Do again what was taken back last; whether there was something."""
        return self._go(self.later, self.earlier)

    def _go(self, source: list[Rows], target: list[Rows]) -> bool:
        if source:
            target.append(self.rows)
            self.rows = source.pop()
            self._recalculate(None)
            return True
        return False

    def insert(self, axis: int, first: int, count: int) -> None:
        """Put empty rows or columns in before number ``first``; formulas follow."""
        rows = [tuple(renumbered(text, axis, first, count) for text in row) for row in self.rows]
        if axis == ROWS:
            rows[first:first] = [()] * count if first < len(rows) else []
        else:
            rows = [(*row[:first], *[""] * count, *row[first:]) if first < len(row) else row for row in rows]
        self.replace(rows)

    def remove(self, axis: int, first: int, count: int) -> None:
        """Take rows or columns out, from number ``first`` on; formulas follow."""
        rows = self.rows[:first] + self.rows[first + count :] if axis == ROWS else [row[:first] + row[first + count :] for row in self.rows]
        self.replace([tuple(renumbered(text, axis, first, -count) for text in row) for row in rows])

    def sort(self, area: Range, column: int, descending: bool = False) -> None:
        """Put the rows of a range in the order of a column: numbers, then texts; empty cells last in any case."""
        top, left, bottom, right = area
        numbers = list(range(top, bottom + 1))
        by_value = cmp_to_key(lambda a, b: compare(a[0], b[0]))  # type: ignore[index]
        filled = [(self.value((n, column)), n) for n in numbers if self.text((n, column))]
        order = [n for _, n in sorted(filled, key=by_value, reverse=descending)]
        order += [n for n in numbers if not self.text((n, column))]
        texts = {}
        for to, source in zip(numbers, order, strict=True):
            for each in range(left, right + 1):
                texts[to, each] = copied(self.text((source, each)), to - source, 0)
        self.write(texts)

    def fill(self, source: Range, target: Range, series: bool = True) -> bool:
        """Repeat a range over a larger one that holds it; whether anything changed. Formulas follow.

        Two or more numbers go on in their steps, if ``series``.
        """
        texts: dict[Cell, str] = {}
        down = target[2] - target[0] > source[2] - source[0]
        across, count = (source[1], source[3]), source[2] - source[0] + 1
        if not down:
            across, count = (source[0], source[2]), source[3] - source[1] + 1
        start = source[0] if down else source[1]
        lines = [*range(target[0] if down else target[1], (target[2] if down else target[3]) + 1)]
        for other in range(across[0], across[1] + 1):
            cells = [(start + i, other) if down else (other, start + i) for i in range(count)]
            steps = self._series(cells) if series else None
            for line in lines:
                if not start <= line < start + count:
                    cell = (line, other) if down else (other, line)
                    origin = cells[(line - start) % count]
                    moved = copied(self.text(origin), cell[0] - origin[0], cell[1] - origin[1])
                    texts[cell] = moved if steps is None else to_text(CONTEXT.fma(steps[1], Decimal(line - start), steps[0]))
        return self.write(texts)

    def _series(self, cells: list[Cell]) -> tuple[Decimal, Decimal] | None:
        """Where numbers in equal steps begin, and their step; None if they are not that."""
        values = [self.value(cell) for cell in cells if not self.text(cell).startswith("=")]
        numbers = [value for value in values if isinstance(value, Decimal)]
        if len(numbers) < 2 or len(numbers) < len(cells):
            return None
        steps = [CONTEXT.subtract(b, a) for a, b in zip(numbers, numbers[1:], strict=False)]
        return (numbers[0], steps[0]) if all(step == steps[0] for step in steps) else None

    # Formulas

    def _recalculate(self, changed: list[Cell] | None) -> None:
        """Work out the formulas anew: all, or those that read what changed."""
        if changed is None:
            self.changed_rows = None
            self.values = {(r, c): None for r, row in enumerate(self.rows) for c, text in enumerate(row) if text.startswith("=")}
            self._work_out(list(self.values))
            return
        for cell in changed:
            if self.text(cell).startswith("="):
                self.values[cell] = None
            else:
                self.values.pop(cell, None)
        low, high = (min(c[i] for c in changed) for i in (0, 1)), (max(c[i] for c in changed) for i in (0, 1))
        fresh: list[Range] = [(*low, *high)]  # type: ignore[list-item]
        stale = {cell: None for cell in changed if cell in self.values}
        while fresh:
            readers = [cell for cell in self.values if cell not in stale and self._reads(cell, fresh)]
            stale.update(dict.fromkeys(readers))
            fresh = [(*cell, *cell) for cell in readers]
        self._work_out(list(stale))
        if self.changed_rows is not None:
            fresh_rows = {0: None} | dict.fromkeys(row for row, _ in (*changed, *stale))  # the first may have become a header
            self.changed_rows = [*self.changed_rows, *fresh_rows] if len(fresh_rows) < _FEW_ROWS else None

    def _reads(self, cell: Cell, areas: list[Range]) -> bool:
        return any(
            one[0] <= two[2] and two[0] <= one[2] and one[1] <= two[3] and two[1] <= one[3] for one in ranges_of(self.text(cell)[1:]) for two in areas
        )

    @staticmethod
    def _among(cells: Mapping[Cell, object], areas: Sequence[Range]) -> list[Cell]:
        """Those of ``cells`` that are in any of some ranges, once each."""
        found: dict[Cell, None] = {}
        for top, left, bottom, right in areas:
            if (bottom - top + 1) * (right - left + 1) < len(cells):
                inside = ((row, column) for row in range(top, bottom + 1) for column in range(left, right + 1))
                found.update(dict.fromkeys(cell for cell in inside if cell in cells))
            else:
                found.update(dict.fromkeys(cell for cell in cells if top <= cell[0] <= bottom and left <= cell[1] <= right))
        return list(found)

    def _work_out(self, cells: list[Cell]) -> None:
        """Give formulas their values, each after those it reads; what reads itself in a circle is an error."""
        waiting: dict[Cell, int] = {}
        readers: dict[Cell, list[Cell]] = {cell: [] for cell in cells}
        for cell in cells:
            read = self._among(readers, ranges_of(self.text(cell)[1:]))
            waiting[cell] = len(read)
            for other in read:
                readers[other].append(cell)
        ready = [cell for cell in cells if not waiting[cell]]
        for cell in ready:  # grows while it is worked off
            self.values[cell] = evaluate(parse(self.text(cell)[1:]), self)
            for reader in readers[cell]:
                waiting[reader] -= 1
                if not waiting[reader]:
                    ready.append(reader)
        for cell in cells:
            if waiting[cell]:
                self.values[cell] = CYCLE
