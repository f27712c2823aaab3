"""A field for a number, with arrows that step it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button, Key
from gui_gym.desktops.sim.canvas import Canvas, Rect
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke
from gui_gym.desktops.sim.widgets.text import TextField

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window

_STEPS = {Key.UP: 1, Key.DOWN: -1, Key.PAGE_UP: 10, Key.PAGE_DOWN: -10}


@dataclass(kw_only=True)
class Spinner(TextField):
    """A whole number from ``low`` to ``high``, typed, or stepped by the arrows at its right, the up and down keys and the wheel.

    What cannot become such a number cannot be typed; while it is being typed it may be empty or below ``low``.

    Args:
        step: what one step adds.
        digits: how many digits a stepped number has at least; zeros fill it up.
        wrap: whether stepping beyond one end goes on at the other.
        held: which arrow is held down: 1 the upper, -1 the lower, 0 none.
    """

    role: ClassVar[str] = "spin button"

    low: int = 0
    high: int = 100
    step: int = 1
    digits: int = 1
    wrap: bool = False
    held: int = 0

    @property
    def value(self) -> Any:
        """The number, or "" while there is none."""
        return int(self.text) if re.fullmatch(r"-?[0-9]+", self.text) else ""

    def written(self, number: int) -> str:
        """How a number is shown."""
        return f"{number:0{self.digits}d}"

    def arrows(self, look: Look) -> tuple[Rect, Rect]:
        """The upper and the lower arrow, relative to the widget."""
        width = look.size.font + look.size.gap
        return (self.w - width, 0, width, self.h // 2), (self.w - width, self.h // 2, width, self.h - self.h // 2)

    def children(self, rect: Rect, look: Look) -> list[dict[str, Any]]:
        return [
            {"role": "push button", "name": name, "bounds": [rect[0] + x, rect[1] + y, w, h], "value": None, "children": []}
            for name, (x, y, w, h) in zip(("▲", "▼"), self.arrows(look), strict=True)
        ]

    def replace(self, session: Session, window: Window, text: str, typing: bool = False) -> None:
        low, high = self.selection
        if self._fits(self.text[:low] + text + self.text[high:]):
            super().replace(session, window, text, typing)

    def erase(self, session: Session, window: Window, edge: int) -> None:
        low, high = sorted((self.caret, max(0, min(edge, len(self.text)))))
        if self._fits(self.text[:low] + self.text[high:]):
            super().erase(session, window, edge)

    def _fits(self, text: str) -> bool:
        """Whether a text is a number it can show, or the start of one."""
        longest = max(len(str(self.low)), len(str(self.high)), self.digits)
        if len(text) > longest or not re.fullmatch(r"-?[0-9]*" if self.low < 0 else r"[0-9]*", text):
            return False
        return text in ("", "-") or int(text) <= self.high

    def turn(self, session: Session, window: Window, steps: int) -> None:
        """Step it."""
        number = self.value
        number = self.low if number == "" else number + steps * self.step
        if self.wrap and not self.low <= number <= self.high:
            number = self.low + (number - self.low) % (self.high - self.low + 1)
        text = self.written(max(self.low, min(number, self.high)))
        if text != self.text:
            self.anchor, self.caret = 0, len(self.text)
            super().replace(session, window, text)

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        if pointer.x < self.arrows(session.look)[0][0]:
            super().press(session, window, pointer)
        elif pointer.button is Button.LEFT:
            self.held = 1 if pointer.y < self.h // 2 else -1
            self.turn(session, window, self.held)

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        if not self.held:
            super().motion(session, window, pointer)

    def release(self, session: Session, window: Window, pointer: Pointer) -> None:
        self.held = 0
        super().release(session, window, pointer)

    def wheel(self, session: Session, window: Window, dx: int, dy: int) -> None:
        if dy:
            self.turn(session, window, -dy)

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        if stroke.key in _STEPS and not stroke.modifiers:
            self.turn(session, window, _STEPS[stroke.key])
            return True
        return super().stroke(session, window, stroke)

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        super().draw(canvas, rect, look, focused)
        theme = look.theme
        for part, way in zip(self.arrows(look), (1, -1), strict=True):
            x, y, w, h = rect[0] + part[0], rect[1] + part[1], part[2], part[3]
            canvas.fill((x, y + (1 if way > 0 else 0), w - 1, h - 1), theme.select if self.held == way else theme.face)
            high = max(2, min(w // 4, h // 2 - 1))
            middle, top = x + w // 2, y + (h - high) // 2
            for i in range(high):
                row = top + i if way > 0 else top + high - 1 - i
                canvas.fill((middle - i, row, 2 * i + 1, 1), theme.text if self.enabled else theme.muted)
        canvas.fill((rect[0] + self.arrows(look)[0][0], rect[1] + 1, 1, rect[3] - 2), theme.border)
