"""A slider with two thumbs: from one number to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button, Key
from gui_gym.desktops.sim.canvas import Canvas, Rect, disc
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke, Widget

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window


@dataclass(kw_only=True)
class RangeSlider(Widget):
    """The numbers ``start`` and ``end``, ``step`` apart from ``low`` to ``high``, which do not pass each other; both are shown at the right.

    A press takes the nearer thumb along. The arrow keys move the thumb used last, and Space takes the other one.
    """

    role: ClassVar[str] = "slider"
    focusable: ClassVar[bool] = True

    low: int = 0
    high: int = 100
    step: int = 1
    start: int = 0
    end: int = 100
    second: bool = False  #: whether the keys move the right thumb

    @property
    def value(self) -> Any:
        return [self.start, self.end]

    @staticmethod
    def written(start: int, end: int) -> str:
        """How the two numbers are shown."""
        return f"{start} – {end}"

    def rail(self, look: Look) -> tuple[int, int]:
        """The thumbs' first and last middle, in pixels from the widget's left edge."""
        radius = look.size.font // 2 + 1
        return radius, self.w - radius - look.sans.width(self.written(self.high, self.high)) - look.size.gap

    def position(self, look: Look, number: int) -> int:
        """The pixel, from the widget's left edge, where a thumb stands for ``number``."""
        first, last = self.rail(look)
        return first + (last - first) * (number - self.low) // (self.high - self.low)

    def _nearest(self, look: Look, x: int) -> int:
        first, last = self.rail(look)
        steps, share = (self.high - self.low) // self.step, max(0, min(x - first, last - first))
        return self.low + self.step * ((2 * share * steps + last - first) // (2 * max(1, last - first)))

    def move(self, session: Session, window: Window, number: int) -> None:
        """Move the thumb in use to ``number``, as far as the ends and the other thumb let it."""
        before = self.value
        if self.second:
            self.end = max(self.start, min(number, self.high))
        else:
            self.start = max(self.low, min(number, self.end))
        if self.value != before:
            session.changed(window, self)

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        if pointer.button is Button.LEFT:
            left, right = (abs(pointer.x - self.position(session.look, number)) for number in (self.start, self.end))
            self.second = right < left or right == left and pointer.x > self.position(session.look, self.end)
            self.move(session, window, self._nearest(session.look, pointer.x))

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        self.move(session, window, self._nearest(session.look, pointer.x))

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        steps = {Key.LEFT: -1, Key.DOWN: -1, Key.RIGHT: 1, Key.UP: 1, Key.PAGE_UP: 10, Key.PAGE_DOWN: -10}
        if stroke.modifiers or stroke.key not in (*steps, Key.HOME, Key.END, Key.SPACE):
            return False
        if stroke.key is Key.SPACE:
            self.second = not self.second
        else:
            to = {Key.HOME: self.low, Key.END: self.high}.get(stroke.key)
            self.move(session, window, (self.end if self.second else self.start) + self.step * steps[stroke.key] if to is None else to)
        return True

    def insert(self, session: Session, window: Window, text: str) -> None:
        """A typed space is the key."""
        if text.count(" ") % 2:
            self.second = not self.second

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme = look.theme
        x, y, _, h = rect
        first, last = self.rail(look)
        middle, thick = y + h // 2, max(2, look.size.font // 4)
        ends = [self.position(look, number) for number in (self.start, self.end)]
        canvas.rounded((x + first, middle - thick // 2, last - first, thick), theme.border, thick // 2)
        canvas.fill((x + ends[0], middle - thick // 2, ends[1] - ends[0], thick), theme.accent)
        side = look.size.font + (look.size.font + 1) % 2
        for at, used in zip(ends, (not self.second, self.second), strict=True):
            canvas.mask(x + at - side // 2, middle - side // 2, disc(side), theme.accent)
            canvas.mask(x + at - side // 2 + 2, middle - side // 2 + 2, disc(side - 4), theme.accent if focused and used else theme.field)
        text = self.written(self.start, self.end)
        canvas.text(x + self.w - look.sans.width(text) - 1, y + (h - look.sans.height) // 2, text, look.sans, theme.text)
