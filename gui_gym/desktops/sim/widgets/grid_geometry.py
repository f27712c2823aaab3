"""Where the cells of a grid are."""

from __future__ import annotations

from dataclasses import dataclass, field

from gui_gym.desktops.sim.canvas import Rect, inside
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.sheets.references import MAX_COLUMNS, MAX_ROWS, Cell, Range
from gui_gym.desktops.sim.sheets.sheet import Sheet
from gui_gym.desktops.sim.widgets.scroll import Scrolling

CELLS, COLUMN, ROW, CORNER, BORDER, FILL = "cells", "column", "row", "corner", "border", "fill"  #: parts of a grid
WIDTH = 70  #: of a column, in tenths of a font size
_NARROWEST, _WIDEST = 15, 400
_WIDEST_FITTED = 180  #: widest column that is fitted to its texts
_LEAST_COLUMNS = 26
_SPARE_ROWS, _SPARE_COLUMNS = 60, 3  #: empty ones that can be scrolled to


@dataclass(kw_only=True)
class GridGeometry(Scrolling):
    """Rows of one height and columns of several widths, with numbers and letters at their heads. All pixels count from its upper left corner.

    Args:
        sheet: what is in the cells.
        widths: of columns that have another width than :data:`WIDTH`, in tenths of a font size.
        row, column: the active cell.
    """

    sheet: Sheet = field(default_factory=Sheet)
    widths: dict[int, int] = field(default_factory=dict)
    row: int = 0
    column: int = 0

    def row_height(self, look: Look) -> int:
        """The height of a row, also of the column letters."""
        return look.sans.height + (4 if look.size.font >= 11 else 2)

    def head_width(self, look: Look) -> int:
        """The width of the row numbers."""
        return look.sans.width("000") + 2 * look.size.gap

    def column_width(self, look: Look, column: int) -> int:
        """The width of a column."""
        return self.widths.get(column, WIDTH) * look.size.font // 10

    def columns_in_all(self) -> int:
        """How many columns can be scrolled to."""
        return min(MAX_COLUMNS, max(_LEAST_COLUMNS, self.sheet.used[1] + _SPARE_COLUMNS, self.column + 1 + _SPARE_COLUMNS))

    def rows_in_all(self, look: Look) -> int:
        return min(MAX_ROWS, max(self.sheet.used[0], self.row + 1, self.top + self.rows_in_view(look)) + _SPARE_ROWS)

    def rows_in_view(self, look: Look) -> int:
        height = self.row_height(look)
        return max(1, (self.h - height - 2 - self.level_height(look)) // height)

    def pixels_in_all(self, look: Look) -> int:
        count, usual = self.columns_in_all(), WIDTH * look.size.font // 10
        return count * usual + sum(self.column_width(look, column) - usual for column in self.widths if column < count)

    def pixels_in_view(self, look: Look) -> int:
        return max(1, self.w - 2 - self.bar_width(look) - self.head_width(look))

    def track(self, look: Look) -> Rect:
        x, y, w, h = super().track(look)
        head = self.row_height(look)
        return x, y + head, w, h - head

    def level_track(self, look: Look) -> Rect:
        x, y, w, h = super().level_track(look)
        head = self.head_width(look)
        return x + head, y, w - head, h

    def column_left(self, look: Look, column: int) -> int:
        """Where a column begins."""
        return 1 + self.head_width(look) - self.left + sum(self.column_width(look, each) for each in range(column))

    def body(self, look: Look) -> Rect:
        """Where the cells are seen."""
        x, y = 1 + self.head_width(look), 1 + self.row_height(look)
        return x, y, self.w - 1 - self.bar_width(look) - x, self.h - 1 - self.level_height(look) - y

    def cell_rect(self, look: Look, row: int, column: int) -> Rect:
        """A cell's bounds, wherever it is."""
        height = self.row_height(look)
        return self.column_left(look, column), 1 + height + (row - self.top) * height, self.column_width(look, column), height

    def range_rect(self, look: Look, area: Range) -> Rect:
        """The bounds of a range, as far as columns can be scrolled to and a little beyond the rows in view."""
        bottom, right = min(area[2], max(area[0], self.top + self.rows_in_view(look) + 1)), min(area[3], max(area[1], self.columns_in_all() - 1))
        x, y, _, height = self.cell_rect(look, area[0], area[1])
        end, _, width, _ = self.cell_rect(look, area[0], right)
        return x, y, end + width - x, (bottom - area[0] + 1) * height

    def selection_parts(self, look: Look, area: Range) -> list[Rect]:
        """Where a selected range is drawn: its frame with the handle, and the heads of its columns and rows."""
        x, y, w, h = self.range_rect(look, area)
        left, top, _, _ = self.body(look)
        return [(x - 5, y - 5, w + 10, h + 10), (max(x, left), 0, w, top), (0, max(y, top), left, h)]

    def row_part(self, look: Look, row: int) -> Rect:
        """The band of a row, with the frame of a cell in it and the fill handle."""
        _, y, _, h = self.cell_rect(look, row, 0)
        return 0, y - 3, self.w, h + 8

    def rows_seen(self, look: Look) -> range:
        """The rows of which something is in view."""
        return range(self.top, min(MAX_ROWS, self.top + self.rows_in_view(look) + 1))

    def columns_seen(self, look: Look) -> range:
        """The columns of which something is in view."""
        x, _, w, _ = self.body(look)
        first, at = 0, self.column_left(look, 0)
        count = self.columns_in_all()
        while first < count - 1 and at + self.column_width(look, first) <= x:
            at += self.column_width(look, first)
            first += 1
        last = first
        while last < count and at < x + w:
            at += self.column_width(look, last)
            last += 1
        return range(first, last)

    def cell_at(self, look: Look, x: int, y: int) -> Cell:
        """The cell at a pixel, or the nearest one."""
        height = self.row_height(look)
        row = max(0, min(self.top + (y - 1 - height) // height, self.rows_in_all(look) - 1))
        column, last = 0, self.columns_in_all() - 1
        at = self.column_left(look, 0)
        while column < last and at + self.column_width(look, column) <= x:
            at += self.column_width(look, column)
            column += 1
        return row, column

    def handle_rect(self, look: Look, area: Range) -> Rect:
        """The square at the lower right corner of a selection that is dragged to fill cells with it."""
        side = 6 if look.size.font >= 11 else 4
        x, y, w, h = self.range_rect(look, area)
        return x + w - side // 2 - 1, y + h - side // 2 - 1, side, side

    def part_at(self, look: Look, x: int, y: int, selection: Range) -> tuple[str, int, int]:
        """What is at a pixel, with its row and column."""
        left, top, w, h = self.body(look)
        row, column = self.cell_at(look, max(x, left), max(y, top))
        if y < top and x < left:
            return CORNER, 0, 0
        if y < top:
            reach = 3 if look.size.font >= 11 else 2
            start, _, width, _ = self.cell_rect(look, row, column)
            if x >= start + width - reach:
                return BORDER, row, column
            if column and x < start + reach and start >= left:
                return BORDER, row, column - 1
            return COLUMN, row, column
        if x < left:
            return ROW, row, column
        hx, hy, side, _ = self.handle_rect(look, selection)
        if selection[2] < MAX_ROWS - 1 and selection[3] < MAX_COLUMNS - 1 and inside((hx - 1, hy - 1, side + 2, side + 2), x, y):
            return FILL, row, column
        return CELLS, row, column

    def show_cell(self, look: Look, row: int, column: int) -> None:
        """Scroll as little as brings a cell into view; rows and columns that are selected whole stay where they are."""
        if row < MAX_ROWS - 1:
            self.reveal(look, row)
        if column < MAX_COLUMNS - 1:
            at = sum(self.column_width(look, each) for each in range(column))
            width, view = self.column_width(look, column), self.pixels_in_view(look)
            self.scroll_sideways(look, min(at, max(self.left, at + width - view)))

    def set_width(self, look: Look, column: int, pixels: int) -> None:
        """Give a column another width."""
        self.widths[column] = max(_NARROWEST, min(pixels * 10 // look.size.font, _WIDEST))

    def widen(self, look: Look, column: int) -> None:
        """Make a column as wide as its texts want it."""
        widest = 0
        for row in range(self.sheet.used[0]):
            font = look.bold if row == 0 else look.sans
            widest = max(widest, font.width(self.sheet.shown((row, column))[:60]))
        self.widths[column] = max(2 * _NARROWEST, min((widest + 2 * look.size.gap) * 10 // look.size.font + 2, _WIDEST_FITTED))
