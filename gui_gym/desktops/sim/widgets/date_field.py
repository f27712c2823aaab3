"""A date chosen from a calendar that opens in a window of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button, Key
from gui_gym.desktops.sim import clock
from gui_gym.desktops.sim.canvas import Canvas, Rect
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.state import Window
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke, Widget
from gui_gym.desktops.sim.widgets.month_view import ROWS, MonthView

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session


def written(day: str, pattern: str) -> str:
    """The day ``YYYY-MM-DD`` in a pattern such as ``DD.MM.YYYY``."""
    return pattern.replace("YYYY", day[:4]).replace("MM", day[5:7]).replace("DD", day[8:])


@dataclass(kw_only=True)
class DateField(Widget):
    """A date, ``day`` as ``YYYY-MM-DD``, shown in ``pattern``. A press, Space or Enter opens a calendar for it."""

    role: ClassVar[str] = "combo box"
    focusable: ClassVar[bool] = True

    day: str
    pattern: str = "YYYY-MM-DD"

    @property
    def value(self) -> Any:
        return self.day

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        if pointer.button is Button.LEFT:
            open_calendar(session, window, self)

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        if stroke.modifiers or stroke.key not in (Key.SPACE, Key.ENTER):
            return False
        open_calendar(session, window, self)
        return True

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme = look.theme
        x, y, w, h = rect
        canvas.panel(rect, theme.field, theme.accent if focused else theme.border, look.size.radius // 2)
        ink = theme.text if self.enabled else theme.muted
        canvas.text(x + look.size.gap + 1, y + (h - look.sans.height) // 2, written(self.day, self.pattern), look.sans, ink)
        side = look.size.font
        left, top = x + w - side - look.size.gap, y + (h - side) // 2
        canvas.outline((left, top, side, side), theme.muted)
        canvas.fill((left, top, side, max(2, side // 4)), theme.accent)
        for i in range(2):
            for j in range(3):
                canvas.fill((left + side * (2 * j + 1) // 7, top + side * (5 + 3 * i) // 11, max(1, side // 7), max(1, side // 7)), theme.muted)


@dataclass(kw_only=True)
class Calendar(Window):
    """Sets the date of ``target``, a :class:`DateField` of the window it is modal for, to the day that is picked. Its widget: "month"."""

    role: ClassVar[str] = "dialog"

    target: str

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if signal == "picked":
            owner = session.state.window(self.modal_for)
            target = owner.find(self.target) if owner else None
            session.close(self)
            if owner is not None and isinstance(target, DateField) and target.day != value:
                target.day = value
                session.changed(owner, target)

    def on_stroke(self, session: Session, stroke: Stroke) -> bool:
        if stroke.is_(Key.ESCAPE):
            session.close(self)
            return True
        return False


def open_calendar(session: Session, owner: Window, target: DateField) -> None:
    """Open the calendar of a date, near it."""
    look, size = session.look, session.look.size
    left, top, width, height = session.work_area
    line = min(look.sans.height + size.gap, (height - size.title - 2 * size.gap) // ROWS)
    names = [session.label(name) for name in clock.WEEKDAYS_SHORT]
    cell = max(look.sans.width("30") + 2 * size.gap, *(look.sans.width(name) + 3 for name in names))
    w = min(max(7 * cell, 15 * size.font), width - 2 * size.gap)
    month = MonthView(id="month", name=target.name, day=target.day, x=size.gap, y=size.title + size.gap, w=w, h=ROWS * line)
    month.months, month.weekdays = [session.label(name) for name in clock.MONTHS], names
    month.sunday_first = session.state.settings["week_starts"] == "sunday"
    window = Calendar(id=f"calendar:{owner.id}", title=target.name, target=target.id, widgets=[month], focus="month", modal_for=owner.id)
    window.w, window.h = w + 2 * size.gap, ROWS * line + size.title + 2 * size.gap
    x, y, _, h = owner.rect_of(target)
    window.x = max(left, min(x, left + width - window.w))
    window.y = max(top, min(y + h + 1, top + height - window.h))
    session.open(window)
