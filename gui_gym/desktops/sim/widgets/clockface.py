"""An analogue clock, whose hands can be dragged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button, Key
from gui_gym.desktops.sim.canvas import Canvas, Rect, disc
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke, Widget
from gui_gym.desktops.sim.widgets.shapes import FINE, UNIT, Point, direction, draw_line, draw_ring, polygon, round_mask

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window

HOUR, MINUTE = "hour", "minute"  #: the hands


@dataclass(kw_only=True)
class ClockFace(Widget):
    """Twelve hours with a short and a long hand. Dragging a hand sets it: the long one to whole minutes, the short one to whole hours.

    With the keyboard, Up and Down change the minutes, Page Up and Page Down the hours.

    Args:
        minutes: the time since twelve, 0 to 719.
        numbers: whether the hours are written on it.
        fixed: whether it can only be read.
    """

    role: ClassVar[str] = "dial"
    focusable: ClassVar[bool] = True

    minutes: int = 0
    numbers: bool = True
    fixed: bool = False
    held: str = ""  #: the hand that is dragged, or ""

    @property
    def value(self) -> Any:
        return None if self.fixed else f"{self.minutes // 60 or 12}:{self.minutes % 60:02d}"

    @property
    def radius(self) -> int:
        """Of the face, in pixels."""
        return (min(self.w, self.h) - 3) // 2

    def turn(self, hand: str, number: int) -> int:
        """The direction in degrees of a hand at an hour (0-11, and the minutes it has) or a minute (0-59)."""
        return 30 * number + self.minutes % 60 // 2 if hand == HOUR else 6 * number

    def spot(self, hand: str, number: int) -> Point:
        """Where a hand ends, relative to the widget, at an hour or a minute."""
        x, y = direction(self.turn(hand, number))
        length = self.radius * (50 if hand == HOUR else 82) // 100
        return self.w // 2 + x * length // UNIT, self.h // 2 + y * length // UNIT

    def hand_end(self, hand: str) -> Point:
        """Where a hand ends now."""
        return self.spot(hand, self.minutes // 60 if hand == HOUR else self.minutes % 60)

    def _set(self, session: Session, window: Window, minutes: int) -> None:
        self.minutes = minutes % 720
        session.changed(window, self)

    def _hand_at(self, x: int, y: int) -> str:
        """The hand nearest to a pixel: that whose tip is nearer, "" if both are far away."""
        reach = max(4, self.radius // 5)
        near = []
        for hand in (MINUTE, HOUR):
            tip_x, tip_y = self.hand_end(hand)
            far = (x - tip_x) ** 2 + (y - tip_y) ** 2
            if far <= reach * reach:
                near.append((far, hand))
        return min(near)[1] if near else ""

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        self.held = self._hand_at(pointer.x, pointer.y) if pointer.button is Button.LEFT and not self.fixed else ""

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        x, y = pointer.x - self.w // 2, pointer.y - self.h // 2
        if not self.held or (x, y) == (0, 0):
            return

        def along(number: int) -> int:
            """How well a number's direction goes with the pointer's: their scalar product."""
            dx, dy = direction(self.turn(self.held, number))
            return x * dx + y * dy

        best = max(range(12 if self.held == HOUR else 60), key=along)
        hours, rest = divmod(self.minutes, 60)
        self._set(session, window, best * 60 + rest if self.held == HOUR else hours * 60 + best)

    def release(self, session: Session, window: Window, pointer: Pointer) -> None:
        self.held = ""

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        by = {Key.UP: 1, Key.DOWN: -1, Key.PAGE_UP: 60, Key.PAGE_DOWN: -60}.get(stroke.key)
        if by is None or stroke.modifiers or self.fixed:
            return False
        self._set(session, window, self.minutes + by)
        return True

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme, r = look.theme, self.radius
        x, y = rect[0] + self.w // 2, rect[1] + self.h // 2
        canvas.mask(x - r, y - r, round_mask(2 * r + 1), theme.field)
        draw_ring(canvas, x, y, r, theme.accent if focused else theme.text, max(1, r // 24))
        for i in range(60):
            dx, dy = direction(6 * i)
            if i % 5 == 0:
                ends = [(x + dx * share * r // (100 * UNIT), y + dy * share * r // (100 * UNIT)) for share in (86, 96)]
                draw_line(canvas, ends[0], ends[1], theme.text, 2 if r >= 40 else 1)
            elif r >= 40:
                side = 2 if r >= 60 else 1
                canvas.fill((x + dx * 94 * r // (100 * UNIT) - side // 2, y + dy * 94 * r // (100 * UNIT) - side // 2, side, side), theme.text)
        if self.numbers:
            for i in range(1, 13):
                dx, dy = direction(30 * i)
                at = r * 70 // 100 if r < 60 else r * 74 // 100
                text = str(i)
                left, top = x + dx * at // UNIT - look.sans.width(text) // 2, y + dy * at // UNIT - look.sans.height // 2
                canvas.text(left, top, text, look.sans, theme.muted)
        self._hand(canvas, (x, y), self.turn(HOUR, self.minutes // 60), r * 50 // 100, max(3, r // 9), theme.text)
        self._hand(canvas, (x, y), self.turn(MINUTE, self.minutes % 60), r * 82 // 100, max(2, r // 16), theme.accent)
        canvas.mask(x - 2, y - 2, disc(5), theme.text)

    @staticmethod
    def _hand(canvas: Canvas, at: Point, turn: int, length: int, thick: int, color: tuple[int, int, int]) -> None:
        """A hand that gets narrower towards its end."""
        (dx, dy), (sx, sy) = direction(turn), direction(turn + 90)
        half = thick * FINE // 2
        corners = [(0, half), (length * FINE, half // 2), (length * FINE, -half // 2), (0, -half)]
        points = tuple(((dx * n + sx * side) // UNIT + FINE // 2, (dy * n + sy * side) // UNIT + FINE // 2) for n, side in corners)
        alpha, left, top = polygon(points)
        canvas.mask(at[0] + left, at[1] + top, alpha, color)
