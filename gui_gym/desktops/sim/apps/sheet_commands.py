"""What the menus of the spreadsheet do to its sheet."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

from gui_gym.actions import Key
from gui_gym.desktops.sim.apps.document import Document
from gui_gym.desktops.sim.sheets.csv_text import from_tabs, to_tabs
from gui_gym.desktops.sim.sheets.formula import copied
from gui_gym.desktops.sim.sheets.references import MAX_COLUMNS, MAX_ROWS, Cell, Range, cell_name
from gui_gym.desktops.sim.sheets.sheet import COLUMNS, ROWS
from gui_gym.desktops.sim.widgets.grid import Grid
from gui_gym.desktops.sim.widgets.text import TextField

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session


@dataclass(kw_only=True)
class CommandHolder(Document):
    """A document with a :class:`~gui_gym.desktops.sim.widgets.grid.Grid` called "grid" and a field "formula".

    Args:
        copied_text: what it last put on the clipboard.
        copied_rows: the formulas behind that, which are pasted while that text is still there.
        copied_from: the upper left cell they come from.
        copied_cut: whether they were cut: then their references stay as they are.
    """

    copied_text: str = ""
    copied_rows: list[list[str]] = field(default_factory=list)
    copied_from: Cell = (0, 0)
    copied_cut: bool = False

    @property
    def grid(self) -> Grid:
        """Where the cells are."""
        return self.part("grid", Grid)

    def _field(self, name: str) -> TextField:
        return self.part(name, TextField)

    def change(self, session: Session, command: str) -> None:
        """Carry out a command on the selection."""
        grid = self.grid
        sheet, (top, left, bottom, right) = grid.sheet, grid.selection
        rows, columns = bottom - top + 1, right - left + 1
        match command:
            case "Undo" | "Redo":
                if grid.editing:
                    grid.editor.command(session, self, Key.Z if command == "Undo" else Key.Y)
                else:
                    sheet.undo() if command == "Undo" else sheet.redo()
            case "Cut" | "Copy":
                self._copy(session)
                self.copied_cut = command == "Cut"
                if self.copied_cut:
                    grid.clear(session, self)
            case "Paste":
                self._paste(session)
            case "Clear":
                grid.clear(session, self)
            case "Select all":
                grid.select(session, self, (0, 0), (MAX_ROWS - 1, MAX_COLUMNS - 1))
            case "Fill down":
                source = (top, left, top, right) if rows > 1 else (max(0, top - 1), left, max(0, top - 1), right)
                sheet.fill(source, (source[0], left, self._last_used(bottom), right), series=False)
            case "Row above" | "Row below":
                sheet.insert(ROWS, top if command == "Row above" else bottom + 1, min(rows, MAX_ROWS - bottom))
            case "Column left" | "Column right":
                sheet.insert(COLUMNS, left if command == "Column left" else right + 1, min(columns, MAX_COLUMNS - right))
            case "Delete rows":
                sheet.remove(ROWS, top, rows)
            case "Delete columns":
                sheet.remove(COLUMNS, left, columns)
            case "Sum":
                self._sum(session)
            case "Sort ascending" | "Sort descending":
                sheet.sort(self._to_sort(), grid.column, command == "Sort descending")
        session.changed(self, grid)

    def _last_used(self, row: int) -> int:
        """A row, but no further than the sheet is in use if whole columns are selected."""
        return max(0, self.grid.sheet.used[0] - 1) if row == MAX_ROWS - 1 else row

    def _copy(self, session: Session) -> None:
        grid = self.grid
        rows, columns = grid.sheet.used
        top, left, bottom, right = grid.selection
        cells = [[(r, c) for c in range(left, max(left, min(right, columns - 1)) + 1)] for r in range(top, max(top, min(bottom, rows - 1)) + 1)]
        self.copied_text = to_tabs([[grid.sheet.shown(cell) for cell in row] for row in cells])
        self.copied_rows, self.copied_from = [[grid.sheet.text(cell) for cell in row] for row in cells], (top, left)
        session.copy_text(self.copied_text)

    def _paste(self, session: Session) -> None:
        grid, text = self.grid, session.state.clipboard
        if not text:
            return
        top, left, bottom, right = grid.selection
        own = text == self.copied_text
        rows = self.copied_rows if own else [[grid.sheet.typed(cell) for cell in row] for row in from_tabs(text)]
        one = len(rows) == 1 and len(rows[0]) == 1
        targets = (
            [(r, c) for r in range(top, bottom + 1) for c in range(left, right + 1)] if one and not self._whole(grid.selection) else [(top, left)]
        )
        texts = {}
        for row, column in targets:
            down, across = (row - self.copied_from[0], column - self.copied_from[1]) if own and not self.copied_cut else (0, 0)
            for r, line in enumerate(rows[:MAX_ROWS]):
                for c, cell in enumerate(line[:MAX_COLUMNS]):
                    texts[row + r, column + c] = copied(cell, down, across)
        grid.sheet.write(texts)
        grid.row, grid.column = top, left
        grid.to_row = min(max(row for row, _ in texts), MAX_ROWS - 1)
        grid.to_column = min(max(column for _, column in texts), MAX_COLUMNS - 1)

    @staticmethod
    def _whole(area: Range) -> bool:
        """Whether whole rows or columns are selected."""
        return area[2] - area[0] == MAX_ROWS - 1 or area[3] - area[1] == MAX_COLUMNS - 1

    def _sum(self, session: Session) -> None:
        """Begin a sum of the numbers above the active cell, or at its left."""
        grid = self.grid
        row, column = grid.cell
        first = row
        while first > 0 and isinstance(grid.sheet.value((first - 1, column)), Decimal):
            first -= 1
        area = f"{cell_name((first, column))}:{cell_name((row - 1, column))}" if first < row else ""
        grid.edit(session, self, f"=SUM({area})")
        session.focus(self, grid)

    def _to_sort(self) -> Range:
        """The rows to be sorted: those selected, or all with anything in them but a header."""
        grid = self.grid
        rows, columns = grid.sheet.used
        area = grid.selection
        if area[0] != area[2] and not self._whole(area):
            return area
        return min(int(grid.sheet.has_header), max(0, rows - 1)), 0, max(0, rows - 1), max(0, columns - 1, grid.column)
