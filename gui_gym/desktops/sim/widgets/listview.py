"""A list of rows in columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button, Key, Modifier
from gui_gym.desktops.sim.apps import picture_of
from gui_gym.desktops.sim.art import paint_art
from gui_gym.desktops.sim.canvas import Canvas, Rect
from gui_gym.desktops.sim.fonts import Font
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.state import Item
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke
from gui_gym.desktops.sim.widgets.scroll import Scrolling

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window

_DRAG = 4  #: pixels that the pointer moves before a row it holds is dragged


@dataclass(kw_only=True)
class ListView(Scrolling):
    """Rows of cells under a header. A click selects a row, a double click or Enter activates it, a right click opens ``menu``.

    Args:
        columns: the header; none is drawn if all are "".
        shares: width of each column in hundredths of the list.
        rows: the cells' texts.
        selected: index of the selected row, or -1; of several, the one that was clicked last.
        menu: items of the context menu of rows.
        blank_menu: items of the context menu beside the rows.
        labels: what is shown for an item of the menus, if not the item itself.
        shortcuts: the keyboard's short ways to items of the menus, such as "Ctrl+C".
        icons: whether rows have the picture of a file, or of a folder if their name ends in a slash.
        multiple: whether several rows can be selected, by CTRL and SHIFT.
        others: indices of the selected rows besides ``selected``, ascending.
        anchor: the row from which SHIFT selects.
        sortable: whether a click on the header signals "sorted" with the number of the column; the window then sorts the rows.
        order, descending: the column the rows are sorted by, or -1, and which way.
        droppable: whether a row can be dragged onto one whose name ends in a slash, which signals "dropped" with that name.
        eager: whether a single click activates when the setting ``single_click`` says so.
        held, target: while a row is held down: where in pixels the pointer took it, or None, and the row it would be dropped on, or -1.
        dragging: whether the held row has been moved.
        seen: what :meth:`damage` knew when it was asked last.
    """

    role: ClassVar[str] = "list"
    focusable: ClassVar[bool] = True

    columns: list[str] = field(default_factory=lambda: [""])
    shares: list[int] = field(default_factory=lambda: [100])
    rows: list[list[str]] = field(default_factory=list)
    selected: int = -1
    menu: Sequence[Item] = field(default_factory=list)
    blank_menu: Sequence[Item] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    shortcuts: dict[str, str] = field(default_factory=dict)
    icons: bool = False
    multiple: bool = False
    others: list[int] = field(default_factory=list)
    anchor: int = -1
    sortable: bool = False
    order: int = -1
    descending: bool = False
    droppable: bool = False
    eager: bool = False
    held: tuple[int, int] | None = None
    target: int = -1
    dragging: bool = False
    seen: tuple[Any, ...] = ()

    @property
    def value(self) -> Any:
        return self.rows[self.selected][0] if self.selected >= 0 else ""

    @property
    def selection(self) -> list[int]:
        """The indices of the selected rows, ascending."""
        return sorted({*self.others, *([self.selected] if self.selected >= 0 else [])})

    @property
    def names(self) -> list[str]:
        """The first cells of the selected rows."""
        return [self.rows[row][0] for row in self.selection]

    # Geometry

    def row_height(self, look: Look) -> int:
        """The height of a row in pixels."""
        return look.size.control - (4 if look.size.font >= 11 else 2)

    def _head(self, look: Look) -> int:
        return self.row_height(look) + 1 if any(self.columns) else 1

    def rows_in_all(self, look: Look) -> int:
        return len(self.rows)

    def rows_in_view(self, look: Look) -> int:
        return max(1, (self.h - self._head(look) - 1) // self.row_height(look))

    def track(self, look: Look) -> Rect:
        x, y, w, h = super().track(look)
        head = self._head(look)
        return x, y + head - 1, w, h - head + 1

    def indent(self, look: Look) -> int:
        """The room for the picture before the first cell."""
        return look.size.font + look.size.gap if self.icons else 0

    def row_rect(self, look: Look, row: int) -> Rect | None:
        """A row's bounds relative to the list, or None if it is out of view."""
        if not self.top <= row < self.top + self.rows_in_view(look):
            return None
        height = self.row_height(look)
        return 1, self._head(look) + (row - self.top) * height, self.w - 2 - (self.bar_width(look) if self.thumb(look) else 0), height

    def row_at(self, look: Look, y: int) -> int:
        """The row at a pixel from the list's upper edge, or -1."""
        row = self.top + (y - self._head(look)) // self.row_height(look)
        return row if y >= self._head(look) and row < min(len(self.rows), self.top + self.rows_in_view(look)) else -1

    def menu_point(self, look: Look) -> tuple[int, int]:
        place = self.row_rect(look, self.selected) if self.selected >= 0 else None
        return (place[2] // 4, place[1] + place[3] // 2) if place else super().menu_point(look)

    def column_rects(self, look: Look) -> list[Rect]:
        """The bounds of the header's cells relative to the list; none without a header."""
        x, result = 1 + look.size.gap, []
        for share in self.shares if any(self.columns) else ():
            width = (self.w - 2 - look.size.gap) * share // 100
            result.append((x, 0, width, self._head(look)))
            x += width
        return result

    def children(self, rect: Rect, look: Look) -> list[dict[str, Any]]:
        nodes: list[dict[str, Any]] = []
        if self.sortable:
            for name, (x, y, w, h) in zip(self.columns, self.column_rects(look), strict=True):
                nodes.append({"role": "column header", "name": name, "bounds": [rect[0] + x, rect[1] + y, w, h], "value": None, "children": []})
        chosen = self.selection
        for i, cells in enumerate(self.rows):
            place = self.row_rect(look, i)
            if place:
                bounds = [rect[0] + place[0], rect[1] + place[1], place[2], place[3]]
                nodes.append({"role": "list item", "name": "\t".join(cells), "bounds": bounds, "value": i in chosen, "children": []})
        return nodes

    # Selecting

    def select(self, session: Session, window: Window, row: int) -> None:
        """Select a row alone, and bring it into view."""
        self.selected = self.anchor = row
        self.others = []
        if row >= 0:
            self.reveal(session.look, row)
            session.signal(window, self, "selected", self.rows[row][0])

    def select_names(self, look: Look, names: list[str]) -> None:
        """Select the rows with these names, as a program does: it tells nobody."""
        found = [i for i, row in enumerate(self.rows) if row[0] in names]
        self.selected = self.anchor = found[0] if found else -1
        self.others = found[1:] if self.multiple else []
        self.scroll_to(look, self.top)
        if found:
            self.reveal(look, found[0])

    def _toggle(self, session: Session, window: Window, row: int) -> None:
        """CTRL: add a row to the selected ones, or take it from them."""
        chosen = set(self.selection) ^ {row}
        self.anchor = row
        self.selected = row if row in chosen else max(chosen, default=-1)
        self.others = sorted(chosen - {self.selected})
        session.signal(window, self, "selected", str(self.value))

    def _extend(self, session: Session, window: Window, row: int) -> None:
        """SHIFT: select from the anchor to a row."""
        start = self.anchor if 0 <= self.anchor < len(self.rows) else row
        self.selected = row
        self.others = [i for i in range(min(start, row), max(start, row) + 1) if i != row]
        self.reveal(session.look, row)
        session.signal(window, self, "selected", self.rows[row][0])

    def _activate(self, session: Session, window: Window) -> None:
        session.signal(window, self, "activated", self.rows[self.selected][0])

    # Input

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        look = session.look
        if self.press_bar(look, pointer):
            return
        row, left = self.row_at(look, pointer.y), pointer.button is Button.LEFT
        if row < 0 and self.sortable and left and pointer.y < self._head(look):
            column = next((i for i, (x, _, w, _) in enumerate(self.column_rects(look)) if x <= pointer.x < x + w), -1)
            if column >= 0:
                session.signal(window, self, "sorted", str(column))
            return
        if pointer.button is Button.RIGHT:
            self._press_right(session, window, pointer, row)
        elif left:
            self._press_left(session, window, pointer, row)

    def _press_left(self, session: Session, window: Window, pointer: Pointer, row: int) -> None:
        if pointer.count == 2 and row >= 0 and row == self.selected:
            self._activate(session, window)
            return
        if pointer.count > 1 and row == self.selected:
            return
        if self.multiple and row >= 0 and Modifier.CTRL in pointer.modifiers:
            self._toggle(session, window, row)
        elif self.multiple and row >= 0 and Modifier.SHIFT in pointer.modifiers:
            self._extend(session, window, row)
        else:
            if not self.others or row not in self.selection:  # one of several stays selected with them, as all may be dragged
                self.select(session, window, row)
            if row >= 0 and (self.droppable or self.eager):
                self.held = (pointer.x, pointer.y)

    def _press_right(self, session: Session, window: Window, pointer: Pointer, row: int) -> None:
        if row not in self.selection:
            self.select(session, window, row)
        items = self.menu if row >= 0 else self.blank_menu
        if items:
            left, top, _, _ = window.rect_of(self)
            session.pop_up(window, self, left + pointer.x, top + pointer.y, items, labels=self.labels, shortcuts=self.shortcuts)

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        if self.move_bar(session.look, pointer) or self.held is None or not self.droppable:
            return
        self.dragging = self.dragging or max(abs(pointer.x - self.held[0]), abs(pointer.y - self.held[1])) > _DRAG
        row = self.row_at(session.look, pointer.y) if 0 <= pointer.x < self.w else -1
        self.target = row if self.dragging and row >= 0 and row not in self.selection and self.rows[row][0].endswith("/") else -1

    def release(self, session: Session, window: Window, pointer: Pointer) -> None:
        super().release(session, window, pointer)
        held, dragging, target = self.held, self.dragging, self.target
        self.held, self.dragging, self.target = None, False, -1
        row = self.row_at(session.look, pointer.y)
        if dragging:
            if target >= 0:
                session.signal(window, self, "dropped", self.rows[target][0])
        elif held is not None and row in self.selection:
            if self.others:
                self.select(session, window, row)
            if self.eager and session.state.settings["single_click"]:
                self._activate(session, window)

    def let_go(self) -> None:
        super().let_go()
        self.held, self.dragging, self.target = None, False, -1

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        extend = self.multiple and stroke.modifiers == {Modifier.SHIFT}
        if self.multiple and stroke.is_(Key.A, Modifier.CTRL) and self.rows:
            self.selected = max(0, self.selected)
            self.others = [i for i in range(len(self.rows)) if i != self.selected]
            return True
        if stroke.modifiers and not extend or not self.rows:
            return False
        if stroke.key is Key.ENTER:
            if self.selected >= 0:
                self._activate(session, window)
            return self.selected >= 0
        page, last = max(1, self.rows_in_view(session.look) - 1), len(self.rows) - 1
        to = {
            Key.UP: self.selected - 1 if self.selected >= 0 else last,
            Key.DOWN: self.selected + 1,
            Key.HOME: 0,
            Key.END: last,
            Key.PAGE_UP: self.selected - page,
            Key.PAGE_DOWN: self.selected + page,
        }.get(stroke.key)
        if to is None:
            return False
        (self._extend if extend else self.select)(session, window, max(0, min(to, last)))
        return True

    def insert(self, session: Session, window: Window, text: str) -> None:
        """Typing selects the next row that begins so."""
        order = [(self.selected + 1 + i) % len(self.rows) for i in range(len(self.rows))]
        row = next((i for i in order if self.rows[i][0].lower().startswith(text.lower())), -1)
        if row >= 0:
            self.select(session, window, row)

    # Drawing

    def damage(self, look: Look) -> list[Rect]:
        rows, frame, marked = self.rows[self.top : self.top + self.rows_in_view(look)], self._frame(look), {*self.others, self.selected, self.target}
        if not self.seen or self.seen[0] != frame or self.seen[1] != rows:
            self.seen = frame, [row[:] for row in rows], marked
            return super().damage(look)
        changed = self.seen[2] ^ marked
        if changed:
            self.seen = *self.seen[:2], marked
        return [place for row in sorted(changed) if (place := self.row_rect(look, row))]

    def _frame(self, look: Look) -> list[Any]:
        """What its picture depends on, besides the rows and which of them are marked."""
        return [self.w, self.h, self.top, len(self.rows), self.order, self.descending, self.grip, *self.columns, *self.shares]

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme = look.theme
        x, y, w, h = rect
        canvas.fill(rect, theme.field)
        height, chosen, shares, indent = self.row_height(look), self.selection, tuple(self.shares), self.indent(look)
        if any(self.columns):
            canvas.fill((x, y, w, height + 1), theme.face)
            _draw_cells(canvas, (x + 1, y, w - 2, height), tuple(self.columns), shares, 0, look.bold, look, self.order, self.descending)
        left, top, width, _ = self.row_rect(look, self.top) or (0, 0, 0, 0)
        first, last = (canvas.clip[1] - y - top) // height, (canvas.clip[1] + canvas.clip[3] - y - top - 1) // height  # of what can be seen
        for row in range(self.top + max(0, first), min(len(self.rows), self.top + min(last + 1, self.rows_in_view(look)))):
            place = (x + left, y + top + (row - self.top) * height, width, height)
            if row in chosen:
                canvas.fill(place, theme.select)
            canvas.stamp(place, _draw_cells, tuple(self.rows[row]), shares, indent, look.sans, look)
            if row == self.target:
                canvas.outline(place, theme.accent)
        canvas.outline(rect, theme.accent if focused else theme.border)
        self.draw_bar(canvas, rect, look)


def _draw_cells(
    canvas: Canvas, rect: Rect, cells: tuple[str, ...], shares: tuple[int, ...], indent: int, font: Font, look: Look,
    order: int = -1, descending: bool = False,
) -> None:  # fmt: skip
    """A row: the picture of a file if there is room for one before the first cell, the cells, and an arrow in the one that orders all rows."""
    x, y, w, h = rect
    at = x + look.size.gap
    if indent:
        side = look.size.font
        picture = "folder" if cells[0].endswith("/") else picture_of(cells[0])
        paint_art(canvas, picture, (at, y + (h - side) // 2, side, side))
    for column, (cell, share) in enumerate(zip(cells, shares, strict=True)):
        width = (w - look.size.gap) * share // 100
        text = font.shorten(cell, width - indent - look.size.gap)
        canvas.text(at + indent, y + (h - font.height) // 2, text, font, look.theme.text)
        if column == order:
            _arrow(canvas, at + indent + font.width(text) + look.size.gap, y + h // 2, look, descending)
        at, indent = at + width, 0


def _arrow(canvas: Canvas, x: int, y: int, look: Look, down: bool) -> None:
    """A small triangle that tells which way a column is sorted."""
    high = max(2, look.size.font // 4)
    for i in range(high):
        row = y - high // 2 + (high - 1 - i if down else i)
        canvas.fill((x + high - 1 - i, row, 2 * i + 1, 1), look.theme.muted)
