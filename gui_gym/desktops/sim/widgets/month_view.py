"""A month's days to choose from."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button, Key, Modifier
from gui_gym.desktops.sim.canvas import Canvas, Rect, inside
from gui_gym.desktops.sim.clock import MONTHS, WEEKDAYS_SHORT
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke, Widget
from gui_gym.desktops.sim.widgets.month import FIRST, LAST, column_of, month_end, other_month, week_of

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window

ROWS = 8  #: the head, the names of the weekdays, and six weeks


@dataclass(kw_only=True)
class MonthView(Widget):
    """The days of one month under its name and arrows for the next and previous month and year.

    A click on a day, or Enter, signals ``"picked"`` with the day as ``YYYY-MM-DD``. The arrow keys go from day to day, Page up and down
    from month to month, with Shift from year to year.

    Args:
        day: the marked day as ``YYYY-MM-DD``; its month is shown at first.
        shown: the month shown, as ``YYYY-MM``.
        months: the twelve months' names.
        weekdays: the seven weekdays' names, from Monday.
        sunday_first: whether weeks start on Sunday.
    """

    role: ClassVar[str] = "calendar"
    focusable: ClassVar[bool] = True

    day: str
    shown: str = ""
    months: list[str] = field(default_factory=lambda: list(MONTHS))
    weekdays: list[str] = field(default_factory=lambda: list(WEEKDAYS_SHORT))
    sunday_first: bool = False

    def __post_init__(self) -> None:
        self.shown = self.shown or self.day[:7]

    @property
    def value(self) -> Any:
        return self.day

    @property
    def first(self) -> date:
        """The first day of the month shown."""
        return date.fromisoformat(f"{self.shown}-01")

    @property
    def heading(self) -> str:
        """The name of the month shown, and the year."""
        return f"{self.months[self.first.month - 1]} {self.first.year}"

    def arrows(self) -> list[tuple[str, int, Rect]]:
        """The buttons of the head: what they show, by how many months they turn, and their bounds relative to the widget."""
        side, high = max(self.w // 9, 9), self.h // ROWS
        return [
            ("«", -12, (0, 0, side, high)),
            ("‹", -1, (side, 0, side, high)),
            ("›", 1, (self.w - 2 * side, 0, side, high)),
            ("»", 12, (self.w - side, 0, side, high)),
        ]

    def days(self) -> list[tuple[str, Rect]]:
        """The days of the month shown, as ``YYYY-MM-DD``, and their bounds relative to the widget."""
        lead = column_of(self.first, self.sunday_first)
        result = []
        for i in range(month_end(self.first).day):
            row, column = divmod(lead + i, 7)
            x, y = self.w * column // 7, self.h * (row + 2) // ROWS
            result.append((f"{self.shown}-{i + 1:02d}", (x, y, self.w * (column + 1) // 7 - x, self.h * (row + 3) // ROWS - y)))
        return result

    def turn(self, months: int) -> None:
        """Show another month; the marked day stays."""
        self.shown = other_month(self.first, months).isoformat()[:7]

    def mark(self, days: int) -> None:
        """Mark the day that is so many days after the marked one, and show its month."""
        day = date.fromisoformat(self.day) + timedelta(days)
        if FIRST <= day <= LAST:
            self.day = day.isoformat()
            self.shown = self.day[:7]

    def children(self, rect: Rect, look: Look) -> list[dict[str, Any]]:
        def node(role: str, name: str, area: Rect, value: Any) -> dict[str, Any]:
            return {"role": role, "name": name, "bounds": [rect[0] + area[0], rect[1] + area[1], area[2], area[3]], "value": value, "children": []}

        head = node("label", self.heading, (0, 0, self.w, self.h // ROWS), None)
        arrows = [node("push button", glyph, area, None) for glyph, _, area in self.arrows()]
        return [head, *arrows, *(node("push button", day, area, day == self.day) for day, area in self.days())]

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        if pointer.button is not Button.LEFT:
            return
        for _, months, area in self.arrows():
            if inside(area, pointer.x, pointer.y):
                self.turn(months)
        for day, area in self.days():
            if pointer.y >= self.h * 2 // ROWS and inside(area, pointer.x, pointer.y):
                self.day = day
                session.signal(window, self, "picked", day)
                return

    def wheel(self, session: Session, window: Window, dx: int, dy: int) -> None:
        self.turn(dy)

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        days = {Key.LEFT: -1, Key.RIGHT: 1, Key.UP: -7, Key.DOWN: 7}.get(stroke.key)
        months = {Key.PAGE_UP: -1, Key.PAGE_DOWN: 1}.get(stroke.key)
        if months is not None and stroke.modifiers <= {Modifier.SHIFT}:
            self.turn(months * (12 if stroke.modifiers else 1))
            self.day = f"{self.shown}-{min(int(self.day[8:]), month_end(self.first).day):02d}"
        elif days is not None and not stroke.modifiers:
            self.mark(days)
        elif stroke.is_(Key.ENTER) or stroke.is_(Key.SPACE):
            session.signal(window, self, "picked", self.day)
        else:
            return False
        return True

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme, font = look.theme, look.sans
        x, y, w, h = rect
        line = h // ROWS

        def centred(text: str, area: Rect, ink: tuple[int, int, int]) -> None:
            canvas.text(area[0] + (area[2] - font.width(text)) // 2, area[1] + (area[3] - font.height) // 2, text, font, ink)

        canvas.fill(rect, theme.field)
        canvas.outline(rect, theme.accent if focused else theme.border)
        canvas.fill((x + 1, y + 1, w - 2, line - 1), theme.face)
        centred(self.heading, (x, y, w, line), theme.text)
        for glyph, _, (left, top, wide, high) in self.arrows():
            centred(glyph, (x + left, y + top, wide, high), theme.text)
        for i, name in enumerate(week_of(self.weekdays, self.sunday_first)):
            left, right = w * i // 7, w * (i + 1) // 7
            centred(font.shorten(name, right - left), (x + left, y + line, right - left, line), theme.muted)
        for day, (left, top, wide, high) in self.days():
            area = (x + left, y + top, wide, high)
            if day == self.day:
                canvas.rounded((area[0] + 1, area[1] + 1, wide - 2, high - 2), theme.accent, look.size.radius // 2)
            centred(str(int(day[8:])), area, theme.on_accent if day == self.day else theme.text)
