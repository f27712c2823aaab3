"""The tabs of a browser: each can be closed, and a plus opens another one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button
from gui_gym.desktops.sim.canvas import Canvas, Rect, inside
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer, Widget
from gui_gym.desktops.sim.widgets.shapes import draw_line

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window


@dataclass(kw_only=True)
class PageTabs(Widget):
    """Signals "chosen tab" and "closed tab" with a tab's number, and "new tab".

    Args:
        names: the titles of the tabs.
        selected: the tab that is shown.
        close, add: what the cross and the plus are called.
        pressed: what the left button was pressed on: "close 2", or "".
    """

    role: ClassVar[str] = "page tab list"

    names: list[str] = field(default_factory=list)
    selected: int = 0
    close: str = ""
    add: str = ""
    pressed: str = ""

    @property
    def value(self) -> Any:
        return self.names[self.selected] if self.selected < len(self.names) else ""

    def tab_rects(self, look: Look) -> list[Rect]:
        """The bounds of the tabs relative to the widget."""
        wide = max(2 * look.size.font, min(14 * look.size.font, (self.w - self.h) // max(1, len(self.names))))
        return [(i * wide, 0, wide, self.h) for i in range(len(self.names))]

    def cross(self, rect: Rect) -> Rect | None:
        """Where a tab is closed, if there is room for that."""
        side = self.h * 2 // 3
        return (rect[0] + rect[2] - side - 2, rect[1] + (self.h - side) // 2, side, side) if rect[2] >= 3 * side else None

    def plus(self, look: Look) -> Rect:
        """Where a tab is added."""
        rects = self.tab_rects(look)
        x = rects[-1][0] + rects[-1][2] if rects else 0
        return min(x + 2, self.w - self.h), 0, self.h, self.h

    def part_at(self, look: Look, x: int, y: int) -> str:
        """What is at a point: "close 2", "tab 2", "add", or ""."""
        if inside(self.plus(look), x, y):
            return "add"
        for i, rect in enumerate(self.tab_rects(look)):
            cross = self.cross(rect)
            if cross and inside(cross, x, y):
                return f"close {i}"
            if inside(rect, x, y):
                return f"tab {i}"
        return ""

    def children(self, rect: Rect, look: Look) -> list[dict[str, Any]]:
        nodes = []
        for i, (name, (x, y, w, h)) in enumerate(zip(self.names, self.tab_rects(look), strict=True)):
            cross, inner = self.cross((x, y, w, h)), []
            if cross:
                bounds = [rect[0] + cross[0], rect[1] + cross[1], cross[2], cross[3]]
                inner.append({"role": "push button", "name": self.close, "bounds": bounds, "value": None, "children": []})
            bounds = [rect[0] + x, rect[1] + y, w, h]
            nodes.append({"role": "page tab", "name": name, "bounds": bounds, "value": i == self.selected, "children": inner})
        x, y, w, h = self.plus(look)
        nodes.append({"role": "push button", "name": self.add, "bounds": [rect[0] + x, rect[1] + y, w, h], "value": None, "children": []})
        return nodes

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        part = self.part_at(session.look, pointer.x, pointer.y)
        kind, _, number = part.partition(" ")
        if pointer.button is Button.MIDDLE and number:
            session.signal(window, self, "closed tab", number)
        elif pointer.button is Button.LEFT:
            self.pressed = part
            if kind == "tab":
                session.signal(window, self, "chosen tab", number)

    def release(self, session: Session, window: Window, pointer: Pointer) -> None:
        part, self.pressed = self.pressed, ""
        if part == self.part_at(session.look, pointer.x, pointer.y):
            kind, _, number = part.partition(" ")
            if kind == "close":
                session.signal(window, self, "closed tab", number)
            elif kind == "add":
                session.signal(window, self, "new tab")

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme, font, gap = look.theme, look.sans, look.size.gap
        left, top, _, high = rect
        canvas.fill(rect, theme.face)
        canvas.fill((left, top + high - 1, rect[2], 1), theme.border)
        for i, (name, (x, y, w, h)) in enumerate(zip(self.names, self.tab_rects(look), strict=True)):
            chosen = i == self.selected
            canvas.rounded((left + x, top + y + 1, w - 1, h - 1), theme.border, look.size.radius // 2, "t")
            inner = (left + x + 1, top + y + 2, w - 3, h - 2 if chosen else h - 3)
            canvas.rounded(inner, theme.window if chosen else theme.face, look.size.radius // 2, "t")
            if chosen:
                canvas.fill((left + x + 2, top + y + 1, w - 5, 2), theme.accent)
            cross = self.cross((x, y, w, h))
            room = w - 2 * gap - (cross[2] if cross else 0)
            ink = theme.text if chosen else theme.muted
            canvas.text(left + x + gap, top + (h - font.height) // 2 + 1, font.shorten(name, room), font, ink)
            if cross:
                held = self.pressed == f"close {i}"
                _cross(canvas, (left + cross[0], top + cross[1], cross[2], cross[3]), theme.accent if held else ink)
        x, y, w, h = self.plus(look)
        arm, mx, my = h // 4, left + x + w // 2, top + y + h // 2
        ink = theme.accent if self.pressed == "add" else theme.text
        canvas.fill((mx - arm, my, 2 * arm + 1, 1 + (h > 20)), ink)
        canvas.fill((mx, my - arm, 1 + (h > 20), 2 * arm + 1), ink)


def _cross(canvas: Canvas, rect: Rect, ink: tuple[int, int, int]) -> None:
    x, y, side, _ = rect
    arm = side // 4
    mx, my = x + side // 2, y + side // 2
    draw_line(canvas, (mx - arm, my - arm), (mx + arm, my + arm), ink, 1)
    draw_line(canvas, (mx - arm, my + arm), (mx + arm, my - arm), ink, 1)
