"""A list of rows in columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button, Key
from gui_gym.desktops.sim.art import folder, page
from gui_gym.desktops.sim.canvas import Canvas, Rect
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke
from gui_gym.desktops.sim.widgets.scroll import Scrolling

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window


@dataclass(kw_only=True)
class ListView(Scrolling):
    """Rows of cells under a header. A click selects a row, a double click or Enter activates it, a right click opens ``menu``.

    Args:
        columns: the header; none is drawn if all are "".
        shares: width of each column in hundredths of the list.
        rows: the cells' texts.
        selected: index of the selected row, or -1.
        menu: items of its context menu.
        labels: what is shown for an item of the menu, if not the item itself.
        icons: whether rows have the picture of a file, or of a folder if their name ends in a slash.
    """

    role: ClassVar[str] = "list"
    focusable: ClassVar[bool] = True

    columns: list[str] = field(default_factory=lambda: [""])
    shares: list[int] = field(default_factory=lambda: [100])
    rows: list[list[str]] = field(default_factory=list)
    selected: int = -1
    menu: list[str] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    icons: bool = False

    @property
    def value(self) -> Any:
        return self.rows[self.selected][0] if self.selected >= 0 else ""

    def row_height(self, look: Look) -> int:
        """The height of a row in pixels."""
        return look.size.control - (4 if look.size.font >= 11 else 2)

    def _head(self, look: Look) -> int:
        return self.row_height(look) + 1 if any(self.columns) else 1

    def rows_in_all(self) -> int:
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
        return 1, self._head(look) + (row - self.top) * height, self.w - 2 - (self.track(look)[2] if self.thumb(look) else 0), height

    def row_at(self, look: Look, y: int) -> int:
        """The row at a pixel from the list's upper edge, or -1."""
        row = self.top + (y - self._head(look)) // self.row_height(look)
        return row if y >= self._head(look) and row < min(len(self.rows), self.top + self.rows_in_view(look)) else -1

    def children(self, rect: Rect, look: Look) -> list[dict[str, Any]]:
        nodes = []
        for i, cells in enumerate(self.rows):
            place = self.row_rect(look, i)
            if place:
                bounds = [rect[0] + place[0], rect[1] + place[1], place[2], place[3]]
                nodes.append({"role": "list item", "name": "\t".join(cells), "bounds": bounds, "value": i == self.selected, "children": []})
        return nodes

    def select(self, session: Session, window: Window, row: int) -> None:
        """Select a row and bring it into view."""
        self.selected = row
        if row >= 0:
            self.reveal(session.look, row)
            session.signal(window, self, "selected", self.rows[row][0])

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        look = session.look
        if self.press_bar(look, pointer):
            return
        row = self.row_at(look, pointer.y)
        if pointer.button is Button.LEFT and pointer.count == 2 and row >= 0 and row == self.selected:
            session.signal(window, self, "activated", self.rows[row][0])
        elif pointer.button in (Button.LEFT, Button.RIGHT) and (pointer.count == 1 or row != self.selected):
            self.select(session, window, row)
            if pointer.button is Button.RIGHT and row >= 0 and self.menu:
                left, top, _, _ = window.rect_of(self)
                session.pop_up(window, self, left + pointer.x, top + pointer.y, self.menu, labels=self.labels)

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        self.move_bar(session.look, pointer)

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        if stroke.modifiers or not self.rows:
            return False
        if stroke.key is Key.ENTER:
            if self.selected >= 0:
                session.signal(window, self, "activated", self.rows[self.selected][0])
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
        self.select(session, window, max(0, min(to, last)))
        return True

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme = look.theme
        x, y, w, h = rect
        canvas.fill(rect, theme.field)
        height = self.row_height(look)
        if any(self.columns):
            canvas.fill((x, y, w, height + 1), theme.face)
            self._cells(canvas, (x + 1, y, w - 2, height), self.columns, look, header=True)
        for row in range(self.top, min(len(self.rows), self.top + self.rows_in_view(look))):
            place = self.row_rect(look, row)
            assert place is not None
            spot = (x + place[0], y + place[1], place[2], place[3])
            if row == self.selected:
                canvas.fill(spot, theme.select)
            self._cells(canvas, spot, self.rows[row], look)
        canvas.outline(rect, theme.accent if focused else theme.border)
        self.draw_bar(canvas, rect, look)

    def _cells(self, canvas: Canvas, rect: Rect, cells: list[str], look: Look, header: bool = False) -> None:
        font = look.bold if header else look.sans
        x, indent = rect[0] + look.size.gap, self.indent(look)
        if indent and not header:
            side = look.size.font
            (folder if cells[0].endswith("/") else page)(canvas, (x, rect[1] + (rect[3] - side) // 2, side, side))
        for cell, share in zip(cells, self.shares, strict=True):
            width = (rect[2] - look.size.gap) * share // 100
            text = font.shorten(cell, width - indent - look.size.gap)
            canvas.text(x + indent, rect[1] + (rect[3] - font.height) // 2, text, font, look.theme.text)
            x, indent = x + width, 0
