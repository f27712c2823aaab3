"""A row of tabs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button, Key
from gui_gym.desktops.sim.canvas import Canvas, Rect, inside
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke, Widget

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window


@dataclass(kw_only=True)
class Tabs(Widget):
    """One of several names is chosen, by a press or the arrow keys, which signals ``"selected"`` with it; tabs that find no room begin a new line."""

    role: ClassVar[str] = "page tab list"
    focusable: ClassVar[bool] = True

    names: list[str] = field(default_factory=list)
    selected: int = 0

    @property
    def value(self) -> Any:
        return self.names[self.selected]

    def tab_rects(self, look: Look) -> list[Rect]:
        """The bounds of the tabs relative to the widget."""
        return place_tabs(look, self.names, self.w)

    def children(self, rect: Rect, look: Look) -> list[dict[str, Any]]:
        return [
            {"role": "page tab", "name": name, "bounds": [rect[0] + x, rect[1] + y, w, h], "value": i == self.selected, "children": []}
            for i, (name, (x, y, w, h)) in enumerate(zip(self.names, self.tab_rects(look), strict=True))
        ]

    def choose(self, session: Session, window: Window, index: int) -> None:
        """Choose a tab."""
        if index != self.selected:
            self.selected = index
            session.signal(window, self, "selected", self.names[index])

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        hit = next((i for i, rect in enumerate(self.tab_rects(session.look)) if inside(rect, pointer.x, pointer.y)), -1)
        if pointer.button is Button.LEFT and hit >= 0:
            self.choose(session, window, hit)

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        last = len(self.names) - 1
        to = {Key.LEFT: self.selected - 1, Key.RIGHT: self.selected + 1, Key.HOME: 0, Key.END: last}.get(stroke.key)
        if to is None or stroke.modifiers:
            return False
        self.choose(session, window, to % len(self.names))
        return True

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme, font = look.theme, look.sans
        canvas.fill((rect[0], rect[1] + rect[3] - 1, rect[2], 1), theme.border)
        for i, (name, (left, top, w, h)) in enumerate(zip(self.names, self.tab_rects(look), strict=True)):
            x, y, chosen = rect[0] + left, rect[1] + top, i == self.selected
            canvas.rounded((x, y, w, h), theme.border, look.size.radius // 2, "t")
            canvas.rounded((x + 1, y + 1, w - 2, h - 1), theme.window if chosen else theme.face, look.size.radius // 2, "t")
            if chosen:
                canvas.fill((x + 1, y + 1, w - 2, 2), theme.accent)
            else:
                canvas.fill((x, y + h - 1, w, 1), theme.border)
            text = font.shorten(name, w - 2)
            canvas.text(x + (w - font.width(text)) // 2, y + (h - font.height) // 2, text, font, theme.text)
            if focused and chosen:
                canvas.outline((x + 3, y + 4, w - 6, h - 6), theme.accent)


def place_tabs(look: Look, names: Sequence[str], width: int) -> list[Rect]:
    """The bounds of tabs with these names in a strip ``width`` pixels wide; the last one ends at its lower edge."""
    rects: list[Rect] = []
    x = y = 0
    for name in names:
        wide = min(width, look.sans.width(name) + 2 * look.size.gap + 4)
        if x and x + wide > width:
            x, y = 0, y + look.size.control
        rects.append((x, y, wide, look.size.control))
        x += wide - 1  # neighbours share a border
    return rects
