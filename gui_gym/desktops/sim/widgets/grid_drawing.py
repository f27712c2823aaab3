"""Drawing a grid of cells."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from gui_gym.desktops.sim.canvas import Canvas, Color, Rect, intersect
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.sheets.evaluate import Fault
from gui_gym.desktops.sim.sheets.references import Cell, column_name

if TYPE_CHECKING:
    from gui_gym.desktops.sim.widgets.grid import Grid

_LONGEST = 400  #: characters of a text that are drawn


@dataclass(frozen=True)
class _View:
    """Where things are on the screen, worked out once for a drawing.

    Args:
        rect: the grid.
        body: where the cells are seen.
        columns: those of which something is seen, each with its left edge and width.
        rows: those of which something is to be drawn, each with its upper edge.
        height: of a row.
    """

    grid: Grid
    look: Look
    rect: Rect
    body: Rect
    columns: tuple[tuple[int, int, int], ...]
    rows: tuple[tuple[int, int], ...]
    height: int

    def place(self, part: Rect) -> Rect:
        """A rectangle of the grid on the screen."""
        return self.rect[0] + part[0], self.rect[1] + part[1], part[2], part[3]


def _view(grid: Grid, canvas: Canvas, rect: Rect, look: Look) -> _View:
    x, y, w, h = grid.body(look)
    height, seen = grid.row_height(look), grid.columns_seen(look)
    columns, at = [], rect[0] + grid.column_left(look, seen.start)
    for column in seen:
        width = grid.column_width(look, column)
        columns.append((column, at, width))
        at += width
    top = rect[1] + y
    rows = [(row, top + i * height) for i, row in enumerate(grid.rows_seen(look))]
    drawn = [(row, at) for row, at in rows if at < canvas.clip[1] + canvas.clip[3] and at + height > canvas.clip[1]]
    return _View(grid, look, rect, (rect[0] + x, top, w, h), tuple(columns), tuple(drawn), height)


def draw_grid(grid: Grid, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
    """Draw a grid at ``rect`` on the screen, without its scroll bars."""
    view, theme = _view(grid, canvas, rect, look), look.theme
    canvas.fill(rect, theme.field)
    _draw_heads(view, canvas)
    body = canvas.within(view.body)
    if body is not None:
        _draw_lines(view, body)
        _draw_selection(view, body)
        for row, top in view.rows:
            _draw_row(view, body, row, top)
        _draw_marks(view, body)
        if grid.editing:
            _draw_editor(view, body, focused)
    canvas.outline(rect, theme.accent if focused else theme.border)


def _draw_heads(view: _View, canvas: Canvas) -> None:
    grid, theme, font = view.grid, view.look.theme, view.look.sans
    first_row, first_column, last_row, last_column = grid.selection
    x, y, w, h = view.rect
    left, top, body_w, body_h = view.body
    canvas.fill((x, y, w, top - y), theme.face)
    canvas.fill((x, y, left - x, h), theme.face)
    columns, rows = canvas.within((left, y, body_w, top - y)), canvas.within((x, top, left - x, body_h))
    inset = (view.height - font.height) // 2
    if columns is not None:
        for column, px, width in view.columns:
            if first_column <= column <= last_column:
                columns.fill((px, y, width, view.height), theme.select)
            name = font.shorten(column_name(column), width)
            columns.text(px + (width - font.width(name)) // 2, y + inset + 1, name, font, theme.text)
            columns.fill((px + width - 1, y, 1, view.height), theme.border)
    if rows is not None:
        for row, py in view.rows:
            if first_row <= row <= last_row:
                rows.fill((x, py, left - x, view.height), theme.select)
            name = str(row + 1)
            rows.text(x + (left - x - font.width(name)) // 2, py + inset, name, font, theme.text)
            rows.fill((x, py + view.height - 1, left - x, 1), theme.border)
    canvas.fill((x, top - 1, w, 1), theme.border)
    canvas.fill((left - 1, y, 1, h), theme.border)


def _draw_lines(view: _View, body: Canvas) -> None:
    color = _between(view.look.theme.border, view.look.theme.field)
    x, y, w, h = view.body
    for _, px, width in view.columns:
        body.fill((px + width - 1, y, 1, h), color)
    for _, py in view.rows:
        body.fill((x, py + view.height - 1, w, 1), color)


def _between(a: Color, b: Color) -> Color:
    return (a[0] + b[0]) // 2, (a[1] + b[1]) // 2, (a[2] + b[2]) // 2


def _draw_selection(view: _View, body: Canvas) -> None:
    grid, theme = view.grid, view.look.theme
    if grid.cell != (grid.to_row, grid.to_column):
        part = intersect(body.clip, view.place(grid.range_rect(view.look, grid.selection)))
        if part is not None:
            body.tint(part, theme.select, 190)
        x, y, w, h = view.place(grid.cell_rect(view.look, *grid.cell))
        body.fill((x, y, w - 1, h - 1), theme.field)


def _draw_row(view: _View, body: Canvas, row: int, top: int) -> None:
    """The texts of a row: numbers at the right, texts at the left and over empty cells at their right."""
    grid, look = view.grid, view.look
    texts = grid.sheet.rows[row] if row < len(grid.sheet.rows) else ()
    first = view.columns[0][0] if view.columns else 0
    if len(texts) > first and not texts[first]:  # a text that begins out of view may reach into it
        start = first
        while start > 0 and not texts[start]:
            start -= 1
        if texts[start]:
            x, _, w, _ = view.place(grid.cell_rect(look, row, start))
            _draw_cell(view, body, (row, start), -1, x, top, w)
    for i, (column, x, w) in enumerate(view.columns):
        if column >= len(texts):
            return
        if texts[column]:
            _draw_cell(view, body, (row, column), i, x, top, w)


def _draw_cell(view: _View, body: Canvas, cell: Cell, index: int, x: int, y: int, w: int) -> None:
    """A cell that is not empty; ``index`` is that of its column among those seen, or -1."""
    grid, look = view.grid, view.look
    if grid.editing and cell == grid.cell:
        return
    sheet, theme, pad = grid.sheet, look.theme, max(2, look.size.gap // 2)
    font = look.bold if cell[0] == 0 and sheet.has_header else look.sans
    text = sheet.shown(cell)[:_LONGEST].replace("\n", " ").replace("\t", " ")
    top, value, width = y + (view.height - font.height) // 2, sheet.value(cell), font.width(text)
    if isinstance(value, Decimal | bool):
        if width > w - 2 * pad:
            text = "#" * ((w - 2 * pad) // max(1, font.width("#")))
            width = font.width(text)
        body.text(x + w - pad - width, top, text, font, theme.text)
        return
    room = w
    if width > w - 2 * pad:
        room = _room_for_text(view, cell, index, x, w, min(width + 2 * pad, 1 << 12))
        body.fill((x + w - 1, y, room - w, view.height - 1), theme.field)  # no line between the cells it reaches over
    inner = body.within((x, y, room - 1, view.height - 1))
    if inner is not None:
        inner.text(x + pad, top, text, font, theme.accent if isinstance(value, Fault) else theme.text)


def _room_for_text(view: _View, cell: Cell, index: int, x: int, w: int, wanted: int) -> int:
    """How wide a text that is wider than its cell can be: over the empty ones at its right."""
    grid = view.grid
    end = x + w
    for column, px, width in view.columns[index + 1 :]:
        if column <= cell[1]:
            continue
        other = (cell[0], column)
        if end - x >= wanted or grid.sheet.text(other) or (grid.editing and other == grid.cell):
            break
        end = px + width
    return max(w, min(end - x, wanted) if end > x + w else w)


def _draw_marks(view: _View, body: Canvas) -> None:
    """The frames around the active cell, the selection and what is being filled, and the fill handle."""
    grid, look, theme = view.grid, view.look, view.look.theme
    area = grid.selection
    if area[0] != area[2] or area[1] != area[3]:
        body.outline(_grown(view.place(grid.range_rect(look, area))), theme.accent)
    cell = _grown(view.place(grid.cell_rect(look, *grid.cell)))
    body.outline(cell, theme.accent)
    body.outline((cell[0] + 1, cell[1] + 1, cell[2] - 2, cell[3] - 2), theme.accent)
    if grid.filled is not None and grid.filled != area:
        body.outline(_grown(view.place(grid.range_rect(look, grid.filled))), theme.text)
    if not grid.editing:
        x, y, w, h = view.place(grid.handle_rect(look, area))
        body.fill((x - 1, y - 1, w + 2, h + 2), theme.field)
        body.fill((x, y, w, h), theme.accent)


def _grown(rect: Rect) -> Rect:
    return rect[0] - 1, rect[1] - 1, rect[2] + 1, rect[3] + 1


def _draw_editor(view: _View, body: Canvas, focused: bool) -> None:
    """The cell being edited, as wide as its text if there is room."""
    grid, look, editor = view.grid, view.look, view.grid.editor
    x, y, w, h = view.place(grid.cell_rect(look, *grid.cell))
    w = max(w, min(look.sans.width(editor.text) + 8, view.body[0] + view.body[2] - x))
    body.fill((x - 1, y - 1, w + 1, h + 1), look.theme.field)
    body.outline((x - 1, y - 1, w + 1, h + 1), look.theme.accent)
    inner = body.within((x, y, w - 1, h - 1))
    if inner is not None:
        over = max(0, look.sans.width(editor.text[: editor.caret]) + 6 - w)
        editor.draw_line(inner, x + 2 - over, y + (h - look.sans.height) // 2, 0, editor.text, look, focused)
