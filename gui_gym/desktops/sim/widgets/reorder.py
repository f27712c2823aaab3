"""A list whose rows are put into another order by dragging."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button, Key, Modifier
from gui_gym.desktops.sim.canvas import Canvas, Rect
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke, Widget

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window


@dataclass(kw_only=True)
class Reorder(Widget):
    """Rows of text, all in view. A row that is dragged goes where it is let go, and the others make room ("moved" with its text).

    With the keyboard, Up and Down choose a row, and with ALT move it. ``rows`` differ from each other.
    """

    role: ClassVar[str] = "list"
    focusable: ClassVar[bool] = True

    rows: list[str] = field(default_factory=list)
    selected: int = -1
    dragging: bool = False
    pointer_y: int = 0  #: while dragging, in pixels from the upper edge

    @property
    def value(self) -> Any:
        return list(self.rows)

    def row_rect(self, row: int) -> Rect:
        """A row's bounds relative to the list."""
        inner = self.h - 2
        top = 1 + inner * row // len(self.rows)
        return 1, top, self.w - 2, 1 + inner * (row + 1) // len(self.rows) - top

    def row_at(self, y: int) -> int:
        """The row at, or nearest to, a pixel from the upper edge."""
        return max(0, min((y - 1) * len(self.rows) // (self.h - 2), len(self.rows) - 1))

    def children(self, rect: Rect, look: Look) -> list[dict[str, Any]]:
        nodes = []
        for i, text in enumerate(self.rows):
            x, y, w, h = self.row_rect(i)
            bounds = [rect[0] + x, rect[1] + y, w, h]
            nodes.append({"role": "list item", "name": text, "bounds": bounds, "value": i == self.selected, "children": []})
        return nodes

    def _move(self, session: Session, window: Window, to: int) -> None:
        text = self.rows.pop(self.selected)
        self.rows.insert(to, text)
        self.selected = to
        session.signal(window, self, "moved", text)

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        if pointer.button is Button.LEFT:
            self.selected, self.dragging, self.pointer_y = self.row_at(pointer.y), True, pointer.y

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        self.pointer_y = pointer.y

    def release(self, session: Session, window: Window, pointer: Pointer) -> None:
        to = self.row_at(pointer.y)
        if self.dragging and to != self.selected:
            self._move(session, window, to)
        self.dragging = False

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        step = {Key.UP: -1, Key.DOWN: 1}.get(stroke.key)
        if step is None or stroke.modifiers - {Modifier.ALT} or self.dragging:
            return False
        to = max(0, min(self.selected + step, len(self.rows) - 1))
        if stroke.modifiers and self.selected >= 0:
            if to != self.selected:
                self._move(session, window, to)
        else:
            self.selected = to
        return True

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme, gap = look.theme, look.size.gap
        canvas.fill(rect, theme.field)
        for i, text in enumerate(self.rows):
            x, y, w, h = self.row_rect(i)
            place = (rect[0] + x + 1, rect[1] + y + 1, w - 2, h - 2)
            canvas.panel(place, theme.select if i == self.selected else theme.face, theme.border, look.size.radius - 2)
            for j in range(3):  # three bars to take it by
                canvas.fill((place[0] + gap, place[1] + h // 2 - 4 + 3 * j, look.size.font * 3 // 4, 1), theme.muted)
            left = place[0] + 2 * gap + look.size.font
            canvas.text(left, place[1] + (place[3] - look.sans.height) // 2, look.sans.shorten(text, w - (left - place[0])), look.sans, theme.text)
        if self.dragging:
            to = self.row_at(self.pointer_y)
            if to != self.selected:  # where it would go
                x, y, w, h = self.row_rect(to)
                canvas.fill((rect[0] + x, rect[1] + (y + h - 1 if to > self.selected else y - 1), w, 3), theme.accent)
        canvas.outline(rect, theme.accent if focused else theme.border)
