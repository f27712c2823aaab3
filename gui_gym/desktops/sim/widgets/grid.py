"""A sheet of cells under column letters and beside row numbers: selecting, typing, filling and widening columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button, Key, Modifier
from gui_gym.desktops.sim.canvas import Canvas, Rect, intersect
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.sheets.references import MAX_COLUMNS, MAX_ROWS, Cell, Range, cell_name, column_name, range_name, spanning
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke
from gui_gym.desktops.sim.widgets.grid_drawing import draw_grid
from gui_gym.desktops.sim.widgets.grid_geometry import BORDER, CELLS, COLUMN, CORNER, FILL, ROW, GridGeometry
from gui_gym.desktops.sim.widgets.text import TextField

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window

TYPING, CARET = "typing", "caret"  #: ways to edit a cell: arrow keys leave it, or move the caret in it
POINTING = "pointing"  #: what is dragged while cells are pointed at for a formula
_ARROWS = {Key.UP: (-1, 0), Key.DOWN: (1, 0), Key.LEFT: (0, -1), Key.RIGHT: (0, 1)}
_BEFORE_REFERENCE = "=+-*/^&(,;:<>"  #: after these a click on a cell names it in the formula


@dataclass(kw_only=True)
class Grid(GridGeometry):
    """Shows and edits a :class:`~gui_gym.desktops.sim.sheets.sheet.Sheet`. Signals "changed" whenever the sheet, the selection or the cell being
    edited changes, and "chosen" with the key of an item of its context menu.

    Args:
        to_row, to_column: the cell at the other corner of the selection.
        editing: "" or how the active cell is being edited.
        editor: the field that edits it; not one of the window's widgets.
        drag: what the pointer drags.
        dragged: the column whose width is dragged.
        filled: the range that the fill handle was dragged to.
        pointed: where in the formula the reference starts that is being pointed at, or -1.
        point_from: the cell at which pointing began.
        tab_from: the column that Enter goes back to after cells were filled with Tab, or -1.
        menu: items of the context menu, and what they are called.
        seen: what :meth:`damage` knew when it was asked last.
    """

    role: ClassVar[str] = "table"
    focusable: ClassVar[bool] = True

    to_row: int = 0
    to_column: int = 0
    editing: str = ""
    editor: TextField = field(default_factory=lambda: TextField(id="cell"))
    drag: str = ""
    dragged: int = 0
    filled: Range | None = None
    pointed: int = -1
    point_from: Cell = (0, 0)
    tab_from: int = -1
    menu: list[str] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    seen: tuple[Any, ...] = ()

    # What is where

    @property
    def value(self) -> Any:
        return range_name(self.selection)

    @property
    def cell(self) -> Cell:
        """The active cell."""
        return self.row, self.column

    @property
    def selection(self) -> Range:
        """The selected range."""
        return spanning(self.cell, (self.to_row, self.to_column))

    @property
    def text(self) -> str:
        """What is in the active cell as it is edited."""
        return self.editor.text if self.editing else self.sheet.edited(self.cell)

    def children(self, rect: Rect, look: Look) -> list[dict[str, Any]]:
        def node(role: str, name: str, part: Rect, value: Any) -> dict[str, Any]:
            x, y, w, h = part
            return {"role": role, "name": name, "bounds": [rect[0] + x, rect[1] + y, w, h], "value": value, "children": []}

        top, left, bottom, right = self.selection
        height, head = self.row_height(look), self.head_width(look)
        nodes = []
        for column in self.columns_seen(look):
            x, _, w, _ = self.cell_rect(look, 0, column)
            nodes.append(node("column header", column_name(column), (x, 1, w, height), left <= column <= right))
        for row in self.rows_seen(look):
            nodes.append(node("row header", str(row + 1), (1, self.cell_rect(look, row, 0)[1], head, height), top <= row <= bottom))
            for column in self.columns_seen(look):
                cell = (row, column)
                shown = self.editor.text if self.editing and cell == self.cell else self.sheet.shown(cell)
                nodes.append(node("table cell", cell_name(cell), self.cell_rect(look, row, column), shown))
        return nodes

    # Moving and selecting

    def select(self, session: Session, window: Window, cell: Cell, to: Cell | None = None) -> None:
        """Make a cell the active one, or select from it to another, and bring it into view."""
        if self.editing:
            self.commit(session, window)
        self.row, self.column = self._within(cell)
        self.to_row, self.to_column = self._within(to or cell)
        self.tab_from = -1
        self.show_cell(session.look, *((self.to_row, self.to_column) if to else self.cell))
        session.changed(window, self)

    def extend(self, session: Session, window: Window, to: Cell) -> None:
        """Select from the active cell to another one."""
        self.to_row, self.to_column = self._within(to)
        self.show_cell(session.look, self.to_row, self.to_column)
        session.changed(window, self)

    @staticmethod
    def _within(cell: Cell) -> Cell:
        return max(0, min(cell[0], MAX_ROWS - 1)), max(0, min(cell[1], MAX_COLUMNS - 1))

    # Editing a cell

    def edit(self, session: Session, window: Window, text: str | None = None, way: str = CARET) -> None:
        """Begin to edit the active cell: what is in it, or ``text`` in its place."""
        self.show_cell(session.look, *self.cell)
        self.editing = way
        _, y, _, h = self.row_part(session.look, self.row)
        self.editor.x, self.editor.y, self.editor.w, self.editor.h = self.x, self.y + y, self.w, h
        self.editor.set(session, window, self.sheet.edited(self.cell) if text is None else text)
        self.to_row, self.to_column = self.cell
        session.changed(window, self)

    def commit(self, session: Session, window: Window) -> None:
        """Put what was edited into the cell."""
        if self.editing:
            self.editing, self.pointed = "", -1
            self.sheet.write({self.cell: self.sheet.typed(self.editor.text)})
            session.changed(window, self)

    def cancel(self, session: Session, window: Window) -> None:
        """Leave the cell as it was."""
        self.editing, self.pointed = "", -1
        session.changed(window, self)

    def insert(self, session: Session, window: Window, text: str) -> None:
        if not self.editing:
            self.edit(session, window, "", TYPING)
        self.pointed = -1
        self.editor.insert(session, window, text)

    def _point_at(self, session: Session, window: Window, area: Range) -> None:
        """Name a range in the formula being edited, in the place of the one just named."""
        editor = self.editor
        if self.pointed < 0:
            self.pointed = editor.caret
        editor.anchor = self.pointed
        editor.replace(session, window, range_name(area))

    @property
    def _can_point(self) -> bool:
        text = self.editor.text[: self.editor.caret].rstrip()
        return self.editing != "" and text.startswith("=") and (text[-1] in _BEFORE_REFERENCE or self.pointed >= 0)

    # The mouse

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        look = session.look
        if self.press_bar(look, pointer):
            return
        kind, row, column = self.part_at(look, pointer.x, pointer.y, self.selection)
        if pointer.button is Button.RIGHT and kind != BORDER:
            self._press_right(session, window, pointer, kind, row, column)
        if pointer.button is not Button.LEFT:
            return
        shift = Modifier.SHIFT in pointer.modifiers
        if kind == BORDER:
            self.drag, self.dragged = BORDER, column
            if pointer.count == 2:
                self.widen(look, column)
        elif kind == FILL and not self.editing:
            self.drag, self.filled = FILL, self.selection
        elif kind == CELLS and self._can_point:
            self.drag = POINTING
            self.point_from = (row, column)
            self._point_at(session, window, (row, column, row, column))
        elif kind in (CELLS, FILL) and self.editing and (row, column) == self.cell:
            self.editing = CARET
            self.editor.move_caret(
                look, self.editor.font(look).position(self.editor.text, pointer.x - self.cell_rect(look, row, column)[0] - 3), shift
            )
        elif kind in (CELLS, FILL) and pointer.count == 2:
            self.edit(session, window)
        elif pointer.count == 1 or kind in (ROW, COLUMN):
            self.drag = kind
            self._select_part(session, window, kind, row, column, shift)

    def _select_part(self, session: Session, window: Window, kind: str, row: int, column: int, extend: bool) -> None:
        """Select a cell, row or column, or from the active one to it."""
        if self.editing:
            self.commit(session, window)
        last_row, last_column = MAX_ROWS - 1, MAX_COLUMNS - 1
        first = {COLUMN: (0, column), ROW: (row, 0), CORNER: (0, 0)}.get(kind, (row, column))
        last = {COLUMN: (last_row, column), ROW: (row, last_column), CORNER: (last_row, last_column)}.get(kind, (row, column))
        if not extend:
            self.row, self.column = first
        self.to_row, self.to_column = last
        self.tab_from = -1
        session.changed(window, self)

    def _press_right(self, session: Session, window: Window, pointer: Pointer, kind: str, row: int, column: int) -> None:
        area = self.selection
        inside = area[0] <= row <= area[2] and area[1] <= column <= area[3]
        whole = {ROW: area[3] - area[1] == MAX_COLUMNS - 1, COLUMN: area[2] - area[0] == MAX_ROWS - 1}.get(kind, True)
        if not (inside and whole):
            self._select_part(session, window, CELLS if kind == FILL else kind, row, column, False)
        elif self.editing:
            self.commit(session, window)
        x, y, _, _ = window.rect_of(self)
        session.pop_up(window, self, x + pointer.x, y + pointer.y, self.menu, labels=self.labels)

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        look = session.look
        if self.move_bar(look, pointer) or not self.drag:
            return
        if self.drag == BORDER:
            self.set_width(look, self.dragged, pointer.x - self.column_left(look, self.dragged))
            return
        row, column = self.cell_at(look, pointer.x, pointer.y)
        if self.drag == POINTING:
            self._point_at(session, window, spanning(self.point_from, (row, column)))
        elif self.drag == FILL:
            self.filled = self._fill_target(row, column)
            self.show_cell(look, row, column)
        elif self.drag != CORNER:
            to = {COLUMN: (MAX_ROWS - 1, column), ROW: (row, MAX_COLUMNS - 1)}.get(self.drag, (row, column))
            if to != (self.to_row, self.to_column):
                self.to_row, self.to_column = to
                if self.drag == CELLS:
                    self.show_cell(look, row, column)
                session.changed(window, self)

    def _fill_target(self, row: int, column: int) -> Range:
        """The selection stretched to a cell, down or across, whichever is further."""
        top, left, bottom, right = self.selection
        down, across = max(row - bottom, top - row, 0), max(column - right, left - column, 0)
        if down >= across:
            return min(top, row), left, max(bottom, row), right
        return top, min(left, column), bottom, max(right, column)

    def release(self, session: Session, window: Window, pointer: Pointer) -> None:
        super().release(session, window, pointer)
        drag, filled = self.drag, self.filled
        self.drag, self.filled = "", None
        if drag == FILL and filled is not None and filled != self.selection:
            self.sheet.fill(self.selection, filled)
            self.row, self.column, self.to_row, self.to_column = filled
            session.changed(window, self)

    # The keyboard

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        if stroke.modifiers & {Modifier.ALT, Modifier.META}:
            return False
        return self._stroke_editing(session, window, stroke) if self.editing else self._stroke_moving(session, window, stroke)

    def _stroke_editing(self, session: Session, window: Window, stroke: Stroke) -> bool:
        key = stroke.key
        if key is Key.ESCAPE:
            self.cancel(session, window)
        elif key is Key.F2:
            self.editing = CARET if self.editing == TYPING else TYPING
        elif key in (Key.ENTER, Key.TAB) or (self.editing == TYPING and key in (*_ARROWS, Key.PAGE_UP, Key.PAGE_DOWN)):
            from_column = self.tab_from
            self.commit(session, window)
            self.tab_from = from_column
            return self._stroke_moving(session, window, stroke)
        else:
            self.pointed = -1
            return self.editor.stroke(session, window, stroke)
        return True

    def _stroke_moving(self, session: Session, window: Window, stroke: Stroke) -> bool:
        key, shift, ctrl = stroke.key, Modifier.SHIFT in stroke.modifiers, Modifier.CTRL in stroke.modifiers
        if key in (Key.ENTER, Key.TAB) and not ctrl:
            self._go_on(session, window, key, -1 if shift else 1)
        elif key is Key.F2:
            self.edit(session, window)
        elif key in (Key.DELETE, Key.BACKSPACE):
            self.clear(session, window)
        elif (target := self._target(session.look, key, ctrl, (self.to_row, self.to_column) if shift else self.cell)) is not None:
            if shift:
                self.extend(session, window, target)
            else:
                self.select(session, window, target)
        elif ctrl and key is Key.A:
            self._select_part(session, window, CORNER, 0, 0, False)
        elif not ctrl and stroke.text:
            self.insert(session, window, stroke.text)
        else:
            return False
        return True

    def _go_on(self, session: Session, window: Window, key: Key, step: int) -> None:
        """Enter or Tab: on to the next cell; Enter goes back to the column where a run of Tabs began."""
        start = self.tab_from
        if key is Key.TAB:
            start = self.column if start < 0 else start
            self.select(session, window, (self.row, self.column + step))
            self.tab_from = start
        else:
            self.select(session, window, (self.row + step, self.column if start < 0 else start))

    def _target(self, look: Look, key: Key, ctrl: bool, cell: Cell) -> Cell | None:
        """Where a key goes from a cell, or None if it is no key of that kind."""
        row, column = cell
        if key in _ARROWS:
            down, across = _ARROWS[key]
            return self.sheet.edge(cell, down, across) if ctrl else (row + down, column + across)
        page = max(1, self.rows_in_view(look) - 1)
        rows, columns = self.sheet.used
        return {
            Key.PAGE_UP: (row - page, column),
            Key.PAGE_DOWN: (row + page, column),
            Key.HOME: (0 if ctrl else row, 0),
            Key.END: (max(0, rows - 1) if ctrl else row, max(0, columns - 1)),
        }.get(key)

    def clear(self, session: Session, window: Window) -> None:
        """Empty the selected cells."""
        self.put(session, window, {})

    def put(self, session: Session, window: Window, texts: dict[Cell, str]) -> None:
        """Give cells of the selection these texts and empty the others."""
        rows, columns = self.sheet.used
        top, left, bottom, right = self.selection
        empty = {(r, c): "" for r in range(top, min(bottom + 1, rows)) for c in range(left, min(right + 1, columns))}
        if self.sheet.write(empty | texts):
            session.changed(window, self)

    def damage(self, look: Look) -> list[Rect]:
        view = (self.top, self.left, self.w, self.h, self.thumb(look), self.level_thumb(look), self.grip >= 0, self.grip_x >= 0, self.filled)
        shape = (*view, tuple(sorted(self.widths.items())))
        edited = (self.editing, self.editor.text, self.editor.caret, self.editor.anchor) if self.editing else ()
        before, self.seen = self.seen, (shape, self.selection, self.cell, edited)
        rows, self.sheet.changed_rows = self.sheet.changed_rows, []
        if rows is None or not before or before[0] != shape:
            return [(0, 0, self.w, self.h)]
        parts = [self.row_part(look, row) for row in rows]
        if before[1:3] != self.seen[1:3]:
            for area in (before[1], self.selection):
                parts += self.selection_parts(look, area)
        if before[2:] != self.seen[2:]:
            parts += [self.row_part(look, row) for row in {before[2][0]: None, self.row: None}]
        return [part for part in (intersect(part, (0, 0, self.w, self.h)) for part in parts) if part]

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        draw_grid(self, canvas, rect, look, focused)
        self.draw_bar(canvas, rect, look)
