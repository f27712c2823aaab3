"""Drawing a grid of cells."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from gui_gym.desktops.sim.canvas import Canvas, Color, Rect
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.sheets.evaluate import Fault
from gui_gym.desktops.sim.sheets.references import column_name

if TYPE_CHECKING:
    from gui_gym.desktops.sim.widgets.grid import Grid


def draw_grid(grid: Grid, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
    """Draw a grid at ``rect`` on the screen, without its scroll bars."""
    theme = look.theme
    canvas.fill(rect, theme.field)
    _draw_heads(grid, canvas, rect, look)
    x, y, w, h = _moved(grid.body(look), rect)
    body = canvas.within((x, y, w, h))
    if body is not None:
        _draw_lines(grid, body, rect, look)
        _draw_selection(grid, body, rect, look)
        for row in grid.rows_seen(look):
            _draw_row(grid, body, rect, look, row)
        _draw_marks(grid, body, rect, look)
        if grid.editing:
            _draw_editor(grid, body, rect, look, focused)
    canvas.outline(rect, theme.accent if focused else theme.border)


def _moved(part: Rect, rect: Rect) -> Rect:
    return rect[0] + part[0], rect[1] + part[1], part[2], part[3]


def _draw_heads(grid: Grid, canvas: Canvas, rect: Rect, look: Look) -> None:
    theme, font = look.theme, look.sans
    top, left, bottom, right = grid.selection
    height, width = grid.row_height(look), grid.head_width(look)
    x, y, w, h = rect
    canvas.fill((x, y, w, height), theme.face)
    canvas.fill((x, y, width, h), theme.face)
    columns = canvas.within((x + 1 + width, y, w - width - 2 - grid.bar_width(look), height))
    rows = canvas.within((x, y + 1 + height, width, h - height - 2 - grid.level_height(look)))
    baseline = (height - font.height) // 2 + 1
    for column in grid.columns_seen(look) if columns else ():
        assert columns is not None
        px, _, pw, _ = _moved(grid.cell_rect(look, 0, column), rect)
        if left <= column <= right:
            columns.fill((px, y, pw, height), theme.select)
        name = font.shorten(column_name(column), pw)
        columns.text(px + (pw - font.width(name)) // 2, y + baseline, name, font, theme.text)
        columns.fill((px + pw - 1, y, 1, height), theme.border)
    for row in grid.rows_seen(look) if rows else ():
        assert rows is not None
        py = y + grid.cell_rect(look, row, 0)[1]
        if top <= row <= bottom:
            rows.fill((x, py, width, height), theme.select)
        name = str(row + 1)
        rows.text(x + (width - font.width(name)) // 2, py + baseline - 1, name, font, theme.text)
        rows.fill((x, py + height - 1, width, 1), theme.border)
    canvas.fill((x, y + height, w, 1), theme.border)
    canvas.fill((x + width, y, 1, h), theme.border)


def _draw_lines(grid: Grid, body: Canvas, rect: Rect, look: Look) -> None:
    color = _between(look.theme.border, look.theme.field)
    x, y, w, h = _moved(grid.body(look), rect)
    for column in grid.columns_seen(look):
        px, _, pw, _ = _moved(grid.cell_rect(look, 0, column), rect)
        body.fill((px + pw - 1, y, 1, h), color)
    for row in grid.rows_seen(look):
        _, py, _, ph = _moved(grid.cell_rect(look, row, 0), rect)
        body.fill((x, py + ph - 1, w, 1), color)


def _between(a: Color, b: Color) -> Color:
    return (a[0] + b[0]) // 2, (a[1] + b[1]) // 2, (a[2] + b[2]) // 2


def _draw_selection(grid: Grid, body: Canvas, rect: Rect, look: Look) -> None:
    if (grid.row, grid.column) != (grid.to_row, grid.to_column):
        body.tint(_clipped(body, _moved(grid.range_rect(look, grid.selection), rect)), look.theme.select, 190)
        x, y, w, h = _moved(grid.cell_rect(look, grid.row, grid.column), rect)
        body.fill((x, y, w - 1, h - 1), look.theme.field)


def _clipped(canvas: Canvas, rect: Rect) -> Rect:
    """The part of a rectangle that is near the canvas: a tint needs memory for all of it."""
    x, y = max(rect[0], canvas.clip[0]), max(rect[1], canvas.clip[1])
    return (
        x,
        y,
        max(0, min(rect[0] + rect[2], canvas.clip[0] + canvas.clip[2]) - x),
        max(0, min(rect[1] + rect[3], canvas.clip[1] + canvas.clip[3]) - y),
    )


def _draw_row(grid: Grid, body: Canvas, rect: Rect, look: Look, row: int) -> None:
    """The texts of a row: numbers at the right, texts at the left and over empty cells at their right."""
    sheet, theme, pad = grid.sheet, look.theme, max(2, look.size.gap // 2)
    font = look.bold if row == 0 and sheet.has_header else look.sans
    seen = grid.columns_seen(look)
    first = seen.start
    while first > 0 and not sheet.text((row, first)):  # a text that begins out of view may reach into it
        first -= 1
    for column in range(first, seen.stop):
        text = sheet.shown((row, column)).replace("\n", " ").replace("\t", " ")
        if not text or (grid.editing and (row, column) == grid.cell):
            continue
        x, y, w, h = _moved(grid.cell_rect(look, row, column), rect)
        top, value = y + (h - font.height) // 2, sheet.value((row, column))
        fault = isinstance(value, Fault)
        if isinstance(value, Decimal | bool):
            text = text if font.width(text) <= w - 2 * pad else "#" * ((w - 2 * pad) // max(1, font.width("#")))
            body.text(x + w - pad - font.width(text), top, text, font, theme.text)
            continue
        room = w
        if font.width(text[:400]) > w - 2 * pad:
            after = column + 1
            while after < seen.stop and not sheet.text((row, after)) and not (grid.editing and (row, after) == grid.cell):
                room += grid.column_width(look, after)
                after += 1
            if room > w:  # no line between the cells it reaches over
                body.fill((x + w - 1, y, min(room - w, font.width(text[:400]) + 2 * pad - w), h - 1), theme.field)
        inner = body.within((x, y, room - 1, h - 1))
        if inner is not None:
            inner.text(x + pad, top, text[:400], font, theme.accent if fault else theme.text)


def _draw_marks(grid: Grid, body: Canvas, rect: Rect, look: Look) -> None:
    """The frames around the active cell, the selection and what is being filled, and the fill handle."""
    theme = look.theme
    area = grid.selection
    if area[0] != area[2] or area[1] != area[3]:
        body.outline(_grown(_moved(grid.range_rect(look, area), rect)), theme.accent)
    cell = _grown(_moved(grid.cell_rect(look, *grid.cell), rect))
    body.outline(cell, theme.accent)
    body.outline((cell[0] + 1, cell[1] + 1, cell[2] - 2, cell[3] - 2), theme.accent)
    if grid.filled is not None and grid.filled != area:
        body.outline(_grown(_moved(grid.range_rect(look, grid.filled), rect)), theme.text)
    if not grid.editing:
        x, y, w, h = _moved(grid.handle_rect(look, area), rect)
        body.fill((x - 1, y - 1, w + 2, h + 2), theme.field)
        body.fill((x, y, w, h), theme.accent)


def _grown(rect: Rect) -> Rect:
    return rect[0] - 1, rect[1] - 1, rect[2] + 1, rect[3] + 1


def _draw_editor(grid: Grid, body: Canvas, rect: Rect, look: Look, focused: bool) -> None:
    """The cell being edited, as wide as its text if there is room."""
    x, y, w, h = _moved(grid.cell_rect(look, *grid.cell), rect)
    left, _, width, _ = _moved(grid.body(look), rect)
    w = max(w, min(look.sans.width(grid.editor.text) + 8, left + width - x))
    body.fill((x - 1, y - 1, w + 1, h + 1), look.theme.field)
    body.outline((x - 1, y - 1, w + 1, h + 1), look.theme.accent)
    inner = body.within((x, y, w - 1, h - 1))
    if inner is not None:
        over = max(0, look.sans.width(grid.editor.text[: grid.editor.caret]) + 6 - w)
        grid.editor.draw_line(inner, x + 2 - over, y + (h - look.sans.height) // 2, 0, grid.editor.text, look, focused)
