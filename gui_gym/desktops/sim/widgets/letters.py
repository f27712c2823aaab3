"""A square of letters in which words are marked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button, Modifier
from gui_gym.desktops.sim.canvas import Canvas, Rect
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke, Widget
from gui_gym.desktops.sim.widgets.board import ARROWS

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window

Cell = tuple[int, int]  #: column and row


@dataclass(kw_only=True)
class LetterGrid(Widget):
    """Rows of letters, as many in each. Dragging from a letter to another in the same row, column or diagonal marks all from one to the other.

    With the keyboard, arrow keys move the end, and with SHIFT leave the start where it is.
    """

    role: ClassVar[str] = "table"
    focusable: ClassVar[bool] = True

    rows: list[str] = field(default_factory=list)
    start: Cell | None = None
    end: Cell | None = None

    @property
    def value(self) -> Any:
        return "".join(self.rows[row][column] for column, row in self.marked())

    def marked(self) -> list[Cell]:
        """The marked cells from the start to the end; none if the two are in no line."""
        if self.start is None or self.end is None:
            return []
        dx, dy = self.end[0] - self.start[0], self.end[1] - self.start[1]
        if dx and dy and abs(dx) != abs(dy):
            return []
        steps = max(abs(dx), abs(dy))
        return [(self.start[0] + dx * i // max(1, steps), self.start[1] + dy * i // max(1, steps)) for i in range(steps + 1)]

    def cell_rect(self, column: int, row: int) -> Rect:
        """A cell relative to the widget."""
        w, h = (self.w - 2) // len(self.rows[0]), (self.h - 2) // len(self.rows)
        return 1 + (self.w - 2 - w * len(self.rows[0])) // 2 + column * w, 1 + (self.h - 2 - h * len(self.rows)) // 2 + row * h, w, h

    def cell_at(self, x: int, y: int) -> Cell:
        """The cell at, or nearest to, a pixel of the widget."""
        left, top, w, h = self.cell_rect(0, 0)
        return max(0, min((x - left) // w, len(self.rows[0]) - 1)), max(0, min((y - top) // h, len(self.rows) - 1))

    def children(self, rect: Rect, look: Look) -> list[dict[str, Any]]:
        nodes, marked = [], self.marked()
        for row, letters in enumerate(self.rows):
            for column, letter in enumerate(letters):
                x, y, w, h = self.cell_rect(column, row)
                bounds = [rect[0] + x, rect[1] + y, w, h]
                nodes.append({"role": "table cell", "name": letter, "bounds": bounds, "value": (column, row) in marked, "children": []})
        return nodes

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        if pointer.button is Button.LEFT:
            self.end = self.cell_at(pointer.x, pointer.y)
            if Modifier.SHIFT not in pointer.modifiers or self.start is None:
                self.start = self.end

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        self.end = self.cell_at(pointer.x, pointer.y)

    def release(self, session: Session, window: Window, pointer: Pointer) -> None:
        session.changed(window, self)

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        if stroke.key not in ARROWS or stroke.modifiers - {Modifier.SHIFT}:
            return False
        column, row = self.end or (0, 0)
        dx, dy = ARROWS[stroke.key] if self.end else (0, 0)
        self.end = max(0, min(column + dx, len(self.rows[0]) - 1)), max(0, min(row + dy, len(self.rows) - 1))
        if not stroke.modifiers or self.start is None:
            self.start = self.end
        session.changed(window, self)
        return True

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme, font = look.theme, look.bold
        canvas.fill(rect, theme.field)
        marked = self.marked()
        for row, letters in enumerate(self.rows):
            for column, letter in enumerate(letters):
                x, y, w, h = self.cell_rect(column, row)
                x, y, on = rect[0] + x, rect[1] + y, (column, row) in marked
                if on:
                    canvas.fill((x, y, w, h), theme.accent)
                ink = theme.on_accent if on else theme.text
                canvas.text(x + (w - font.width(letter)) // 2, y + (h - font.height) // 2, letter, font, ink)
        canvas.outline(rect, theme.accent if focused else theme.border)
