"""Small squares of which one is chosen: colours."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button, Key
from gui_gym.desktops.sim.canvas import Canvas, Color, Rect, inside
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke, Widget

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window


@dataclass(kw_only=True)
class Swatches(Widget):
    """Colours to choose from, by a press or the arrow keys, which signals ``"selected"`` with the colour's name.

    Args:
        names, colors: of the squares.
        selected: the index of the chosen one, or -1.
    """

    role: ClassVar[str] = "list"
    focusable: ClassVar[bool] = True

    names: list[str] = field(default_factory=list)
    colors: list[Color] = field(default_factory=list)
    selected: int = 0

    @property
    def value(self) -> Any:
        return self.names[self.selected] if self.selected >= 0 else ""

    def columns(self) -> int:
        """How many squares are side by side."""
        rows = next(rows for rows in range(1, len(self.names) + 1) if -(-len(self.names) // rows) * (self.h // rows) <= self.w or self.h // rows < 8)
        return -(-len(self.names) // rows)

    def cells(self) -> list[Rect]:
        """The bounds of the squares relative to the widget."""
        columns = self.columns()
        side = max(1, min(self.w // columns, self.h // -(-len(self.names) // columns)))
        return [(side * (i % columns), side * (i // columns), side, side) for i in range(len(self.names))]

    def children(self, rect: Rect, look: Look) -> list[dict[str, Any]]:
        return [
            {"role": "list item", "name": name, "bounds": [rect[0] + x, rect[1] + y, w, h], "value": i == self.selected, "children": []}
            for i, (name, (x, y, w, h)) in enumerate(zip(self.names, self.cells(), strict=True))
        ]

    def choose(self, session: Session, window: Window, index: int) -> None:
        """Choose a colour."""
        self.selected = index
        session.signal(window, self, "selected", self.names[index])

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        hit = next((i for i, cell in enumerate(self.cells()) if inside(cell, pointer.x, pointer.y)), -1)
        if hit >= 0 and pointer.button is Button.LEFT:
            self.choose(session, window, hit)

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        step = {Key.LEFT: -1, Key.RIGHT: 1, Key.UP: -self.columns(), Key.DOWN: self.columns()}.get(stroke.key)
        if step is None or stroke.modifiers:
            return False
        if 0 <= self.selected + step < len(self.names):
            self.choose(session, window, self.selected + step)
        return True

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme = look.theme
        for i, (x, y, w, h) in enumerate(self.cells()):
            cell = (rect[0] + x, rect[1] + y, w - 1, h - 1)
            canvas.fill(cell, self.colors[i])
            canvas.outline(cell, theme.border)
            if i == self.selected:
                canvas.outline(cell, theme.accent)
                canvas.outline((cell[0] + 1, cell[1] + 1, w - 3, h - 3), theme.accent)
                canvas.outline((cell[0] + 2, cell[1] + 2, w - 5, h - 5), theme.field)
        if focused:
            canvas.outline(rect, theme.accent)
