"""The list of a mail folder's messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button
from gui_gym.desktops.sim.canvas import Canvas, Color, Rect
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer
from gui_gym.desktops.sim.widgets.listview import ListView

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window

GOLD: Color = (232, 172, 28)
DRAG = 4  #: pixels that the pointer moves before a row it holds is dragged


@dataclass(kw_only=True)
class MessageList(ListView):
    """A list whose rows are bold while unread and have a star to click, which signals ``"star"`` with its row.

    Rows can be dragged out of it: that calls the window's ``on_signal`` with ``"dragged"`` and the pixel of the window where the pointer is,
    such as "40 112", and in the end signals ``"dropped"`` with that.

    Args:
        shares: where each column but the last ends, in hundredths of the room before the last one, which is as wide as a date.
        unread, starred: whether each row is.
    """

    role: ClassVar[str] = "list"

    unread: list[bool] = field(default_factory=list)
    starred: list[bool] = field(default_factory=list)

    def star_rect(self, look: Look, row: int) -> Rect | None:
        """The star of a row, relative to the list, or None if it is out of view."""
        place = self.row_rect(look, row)
        return (place[0], place[1], look.size.font + 2 * look.size.gap, place[3]) if place else None

    def column_rects(self, look: Look) -> list[Rect]:
        """The header's columns, relative to the list."""
        left, height = 1 + look.size.font + 2 * look.size.gap, self.row_height(look)
        right = self.w - 2 - self.track(look)[2]
        last = min(look.bold.width("0000-00-00") + 2 * look.size.gap, right - left)
        edges = [left + (right - last - left) * share // 100 for share in self.shares]
        result = [(start, 1, end - start, height) for start, end in zip([left, *edges], edges, strict=False)]
        result.append((edges[-1], 1, last, height))
        return result

    def fit(self, look: Look) -> None:
        """Give the first column the width its texts want, up to half of the room."""
        edge = self.column_rects(look)[-1][0] - self.column_rects(look)[0][0]
        wide = max([look.bold.width(self.columns[0] + " ▼"), *(look.bold.width(row[0]) for row in self.rows)]) + look.size.gap + 2
        self.shares = [min(50, wide * 100 // max(1, edge) + 1), 100]

    def select(self, session: Session, window: Window, row: int) -> None:
        super().select(session, window, row)
        if row < 0:  # the message that is shown is chosen no more, and must not stay in the preview
            session.signal(window, self, "selected", "")

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        look = session.look
        row, left = self.row_at(look, pointer.y), pointer.button is Button.LEFT
        if row >= 0 and left and pointer.x < self.column_rects(look)[0][0]:
            if pointer.count == 1:
                session.signal(window, self, "star", str(row))
            return
        super().press(session, window, pointer)
        if left and pointer.count == 1 and not pointer.modifiers and self.grip < 0 and row in self.selection:
            self.held = (pointer.x, pointer.y)

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        super().motion(session, window, pointer)
        if self.held is not None:
            self.dragging = self.dragging or max(abs(pointer.x - self.held[0]), abs(pointer.y - self.held[1])) > DRAG
            if self.dragging:
                window.on_signal(session, self, "dragged", f"{self.x + pointer.x} {self.y + pointer.y}")

    def release(self, session: Session, window: Window, pointer: Pointer) -> None:
        dragging = self.dragging
        super().release(session, window, pointer)
        if dragging:
            session.signal(window, self, "dropped", f"{self.x + pointer.x} {self.y + pointer.y}")

    def _frame(self, look: Look) -> list[Any]:
        rows = slice(self.top, self.top + self.rows_in_view(look))
        return [*super()._frame(look), *self.unread[rows], *self.starred[rows]]

    def children(self, rect: Rect, look: Look) -> list[dict[str, Any]]:
        nodes = super().children(rect, look)
        items = [node for node in nodes if node["role"] == "list item"]
        for row, node in enumerate(items, self.top):
            star = self.star_rect(look, row)
            assert star is not None
            bounds = [rect[0] + star[0], rect[1] + star[1], star[2], star[3]]
            node["children"] = [{"role": "check box", "name": "star", "bounds": bounds, "value": self.starred[row], "children": []}]
        return nodes

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme, size = look.theme, look.size
        x, y, w, _ = rect
        canvas.fill(rect, theme.field)
        canvas.fill((x, y, w, self.row_height(look) + 1), theme.face)
        chosen = self.selection
        heads = [name + (" ▼▲"[1 if self.descending else 2] if i == self.order else "") for i, name in enumerate(self.columns)]
        columns = self.column_rects(look)
        for (cx, cy, cw, ch), text in zip(columns, heads, strict=True):
            canvas.text(x + cx, y + cy + (ch - look.bold.height) // 2, look.bold.shorten(text, cw - size.gap), look.bold, theme.text)
        for row in range(self.top, min(len(self.rows), self.top + self.rows_in_view(look))):
            place, star = self.row_rect(look, row), self.star_rect(look, row)
            assert place is not None and star is not None
            if row in chosen:
                canvas.fill((x + place[0], y + place[1], place[2], place[3]), theme.select)
            color = GOLD if self.starred[row] else theme.border
            draw_star(canvas, x + star[0] + size.gap, y + star[1] + (star[3] - size.font) // 2, size.font, color)
            font = look.bold if self.unread[row] else look.sans
            for (cx, _, cw, _), text in zip(columns, self.rows[row], strict=True):
                top = y + place[1] + (place[3] - font.height) // 2
                canvas.text(x + cx, top, font.shorten(text, cw - size.gap), font, theme.text)
        canvas.outline(rect, theme.accent if focused else theme.border)
        self.draw_bar(canvas, rect, look)


def draw_star(canvas: Canvas, x: int, y: int, side: int, color: Color) -> None:
    """A star of five points in a square of ``side`` pixels."""
    # each row of a 16 x 16 star as the pixels from its middle to its outline, both sides alike; 0 to 5 at the foot are left free
    outer = (1, 1, 2, 2, 3, 8, 7, 6, 5, 5, 5, 6, 6, 6, 6, 5)
    inner = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 5)
    middle = x + side // 2
    for row in range(side):
        step = row * 16 // side
        wide, hollow = outer[step] * side // 16, inner[step] * side // 16
        if wide > hollow or step < 12:
            canvas.fill((middle - max(1, wide), y + row, max(1, wide) - hollow, 1), color)
            canvas.fill((middle + hollow, y + row, max(1, wide) - hollow, 1), color)
