"""Labels, buttons, check boxes and radio buttons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button as MouseButton
from gui_gym.actions import Key
from gui_gym.desktops.sim.canvas import Canvas, Color, Rect
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke, Widget

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window


def _caption(canvas: Canvas, rect: Rect, indent: int, text: str, look: Look, focused: bool) -> None:
    """The text at the right of a box, and a ring around both if they have the keyboard."""
    x, y, w, h = rect
    canvas.text(x + indent, y + (h - look.sans.height) // 2, look.sans.shorten(text, w - indent), look.sans, look.theme.text)
    if focused:
        canvas.outline(rect, look.theme.accent)


@dataclass(kw_only=True)
class Label(Widget):
    """Text, broken into lines as wide as the label."""

    role: ClassVar[str] = "label"

    muted: bool = False

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        font, color = look.sans, look.theme.muted if self.muted else look.theme.text
        lines = font.wrap(self.name, rect[2]) if rect[3] >= 2 * font.height else [font.shorten(self.name, rect[2])]
        y = rect[1] + (rect[3] - len(lines) * font.height) // 2
        for i, line in enumerate(lines):
            canvas.text(rect[0], y + i * font.height, line, font, color)


@dataclass(kw_only=True)
class Clickable(Widget):
    """What a full left click (down and up on it), Enter or Space uses."""

    focusable: ClassVar[bool] = True

    down: bool = False

    def use(self, session: Session, window: Window) -> None:
        """It was clicked."""
        session.signal(window, self, "clicked", self.name)

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        if pointer.button is MouseButton.LEFT:
            self.down = True

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        self.down = 0 <= pointer.x < self.w and 0 <= pointer.y < self.h

    def release(self, session: Session, window: Window, pointer: Pointer) -> None:
        self.down = False
        if 0 <= pointer.x < self.w and 0 <= pointer.y < self.h:
            self.use(session, window)

    def let_go(self) -> None:
        self.down = False

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        if stroke.modifiers or stroke.key not in (Key.ENTER, Key.SPACE):
            return False
        self.use(session, window)
        return True


@dataclass(kw_only=True)
class Button(Clickable):
    """A push button. ``color`` paints its face, ``primary`` uses the theme's accent."""

    role: ClassVar[str] = "push button"

    color: Color | None = None
    primary: bool = False

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme = look.theme
        face, ink = (theme.accent, theme.on_accent) if self.primary else (self.color or theme.face, theme.text)
        if self.color and not self.primary:
            ink = (20, 22, 28) if 3 * face[0] + 6 * face[1] + face[2] > 1300 else (255, 255, 255)
        edge: Color = theme.border if not (self.primary or self.color) else (face[0] * 3 // 4, face[1] * 3 // 4, face[2] * 3 // 4)
        if self.down:
            face = (face[0] * 7 // 8, face[1] * 7 // 8, face[2] * 7 // 8)
        canvas.panel(rect, face, edge, look.size.radius - 1)
        if focused:
            canvas.outline((rect[0] + 2, rect[1] + 2, rect[2] - 4, rect[3] - 4), ink)
        text = look.sans.shorten(self.name, rect[2] - 4)
        canvas.text(rect[0] + (rect[2] - look.sans.width(text)) // 2, rect[1] + (rect[3] - look.sans.height) // 2, text, look.sans, ink)


@dataclass(kw_only=True)
class CheckBox(Clickable):
    """A box that is checked or not, with its label at its right."""

    role: ClassVar[str] = "check box"

    checked: bool = False

    @property
    def value(self) -> Any:
        return self.checked

    def use(self, session: Session, window: Window) -> None:
        self.checked = not self.checked
        session.signal(window, self, "toggled", str(self.checked).lower())

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        return stroke.key is Key.SPACE and super().stroke(session, window, stroke)

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme = look.theme
        side = look.size.font + 2
        x, y = rect[0], rect[1] + (rect[3] - side) // 2
        canvas.panel((x, y, side, side), theme.accent if self.checked else theme.field, theme.accent if self.checked else theme.border, 3)
        if self.checked:
            self._tick(canvas, x, y, side, theme.on_accent)
        _caption(canvas, rect, side + look.size.gap, self.name, look, focused)

    @staticmethod
    def _tick(canvas: Canvas, x: int, y: int, side: int, color: Color) -> None:
        turn, end = side * 2 // 5, side - side // 4
        thick = max(2, side // 6)
        for i in range(side // 5, end):
            height = y + side // 2 + (i - side // 5) if i <= turn else y + side // 2 + (turn - side // 5) - (i - turn)
            canvas.fill((x + i, height - thick // 2 + 1, 1, thick), color)


@dataclass(kw_only=True)
class Radio(Clickable):
    """One of several choices: checking it, also by the arrow keys, unchecks the others of its ``group`` in the window."""

    role: ClassVar[str] = "radio button"

    group: str = ""
    checked: bool = False

    @property
    def value(self) -> Any:
        return self.checked

    def use(self, session: Session, window: Window) -> None:
        for other in window.widgets:
            if isinstance(other, Radio) and other.group == self.group and other.checked:
                other.checked = False
                session.touch(window, other)
        self.checked = True
        session.signal(window, self, "toggled", self.name)

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        step = {Key.UP: -1, Key.LEFT: -1, Key.DOWN: 1, Key.RIGHT: 1}.get(stroke.key)
        if step is None or stroke.modifiers:
            return stroke.key is Key.SPACE and super().stroke(session, window, stroke)
        group = [other for other in window.widgets if isinstance(other, Radio) and other.group == self.group]
        other = group[(group.index(self) + step) % len(group)]
        session.focus(window, other)
        other.use(session, window)
        return True

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme = look.theme
        side = look.size.font + 1
        x, y = rect[0], rect[1] + (rect[3] - side) // 2
        canvas.disc(x, y, side, theme.accent if self.checked else theme.border)
        canvas.disc(x + 1, y + 1, side - 2, theme.field)
        if self.checked:
            inner = side // 2 + side % 2
            canvas.disc(x + (side - inner) // 2, y + (side - inner) // 2, inner, theme.accent)
        _caption(canvas, rect, side + look.size.gap, self.name, look, focused)
