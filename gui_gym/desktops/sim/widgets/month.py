"""The days of a month in weeks, with what is on each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button, Key
from gui_gym.desktops.sim.canvas import Canvas, Rect, inside
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.state import Item
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke, Widget

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window

ROWS = 6  #: weeks shown of every month
FIRST, LAST = date(1900, 1, 1), date(2199, 12, 31)  #: the days that can be reached


def within(day: date) -> date:
    """The nearest day that can be reached."""
    return max(FIRST, min(day, LAST))


def month_end(day: date) -> date:
    """The last day of a day's month."""
    return (day.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)


def other_month(day: date, step: int) -> date:
    """The same day ``step`` months later, or the last one of that month."""
    months = max(FIRST.year * 12, min(day.year * 12 + day.month - 1 + step, LAST.year * 12 + 11))
    start = date(months // 12, months % 12 + 1, 1)
    return start.replace(day=min(day.day, month_end(start).day))


def column_of(day: date, sunday_first: bool) -> int:
    """The column of a day in its week, from 0."""
    return (day.weekday() + sunday_first) % 7


def week_of(names: Sequence[str], sunday_first: bool) -> list[str]:
    """The names of the days from Monday on in the order of their columns."""
    return [*names[-1:], *names[:-1]] if sunday_first else list(names)


@dataclass(kw_only=True)
class MonthGrid(Widget):
    """A month, a day of which is selected. A click selects a day or an entry, a double click or Enter activates it, an entry can be dragged.

    Signals: ``"selected"`` and ``"activated"`` with the day, such as "2026-03-11", or with an entry's key after a double click on it;
    ``"moved"`` with an entry's key, a space and the day it was dropped on; ``"chosen"`` with the item of its context menu.

    Args:
        day: the selected day; its month is shown.
        today: the present day.
        sunday_first: whether weeks start on Sunday.
        weekdays: what the days from Monday to Sunday are called.
        entries: what is on each day ("2026-03-11"): pairs of a key and a text.
        entry: key of the selected entry, or "".
        day_menu, entry_menu: the items of the context menus of a day and of an entry; ``texts`` is what is shown for them.
        held: key of the entry that is dragged, or "".
        over: the day it is dragged over, or "".
    """

    role: ClassVar[str] = "calendar"
    focusable: ClassVar[bool] = True

    day: date
    today: date
    sunday_first: bool = False
    weekdays: list[str] = field(default_factory=list)
    entries: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    entry: str = ""
    day_menu: list[Item] = field(default_factory=list)
    entry_menu: list[Item] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    held: str = ""
    over: str = ""

    @property
    def value(self) -> Any:
        return self.day.isoformat()

    # Geometry, relative to the widget

    @property
    def start(self) -> date:
        """The day in the upper left corner."""
        first = self.day.replace(day=1)
        return first - timedelta(days=column_of(first, self.sunday_first))

    def days(self) -> list[date]:
        """The days shown, row by row."""
        return [self.start + timedelta(days=i) for i in range(7 * ROWS)]

    def head(self, look: Look) -> int:
        """The height of the row of weekdays."""
        return look.sans.height + 2

    def cell(self, look: Look, day: date) -> Rect | None:
        """The bounds of a day, or None if it is not shown."""
        index = (day - self.start).days
        if not 0 <= index < 7 * ROWS:
            return None
        row, column = divmod(index, 7)
        head = self.head(look)
        x, y = (self.w - 1) * column // 7, head + (self.h - 1 - head) * row // ROWS
        return x, y, (self.w - 1) * (column + 1) // 7 - x + 1, head + (self.h - 1 - head) * (row + 1) // ROWS - y + 1

    def entry_rects(self, look: Look, day: date) -> list[tuple[str, str, Rect]]:
        """Key, text and bounds of the entries of a day that there is room for; the last text may be "+ n" with the key ""."""
        cell, entries = self.cell(look, day), self.entries.get(day.isoformat(), [])
        if cell is None or not entries:
            return []
        x, y, w, h = cell
        height = look.sans.height + 1
        room = (h - look.sans.height - 3) // height
        shown = entries if len(entries) <= room else [*entries[: max(0, room - 1)], ("", f"+ {len(entries) - max(0, room - 1)}")]
        return [(key, text, (x + 2, y + look.sans.height + 1 + i * height, w - 4, height)) for i, (key, text) in enumerate(shown[:room])]

    def at(self, look: Look, x: int, y: int) -> tuple[date | None, str]:
        """The day at a pixel, and the key of the entry there."""
        for day in self.days():
            cell = self.cell(look, day)
            if cell and inside(cell, x, y):
                return day, next((key for key, _, rect in self.entry_rects(look, day) if inside(rect, x, y)), "")
        return None, ""

    def children(self, rect: Rect, look: Look) -> list[dict[str, Any]]:
        nodes = []
        for day in self.days():
            cell = self.cell(look, day)
            assert cell is not None
            parts = [
                {"role": "list item", "name": text, "bounds": _moved(place, rect), "value": bool(key) and key == self.entry, "children": []}
                for key, text, place in self.entry_rects(look, day)
            ]
            bounds = _moved(cell, rect)
            nodes.append({"role": "table cell", "name": day.isoformat(), "bounds": bounds, "value": day == self.day, "children": parts})
        return nodes

    # Input

    def go(self, session: Session, window: Window, day: date, entry: str = "") -> None:
        """Select a day, and an entry of it, and show its month."""
        self.day, self.entry = within(day), entry
        session.signal(window, self, "selected", self.day.isoformat())

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        day, key = self.at(session.look, pointer.x, pointer.y)
        if day is None or pointer.button is Button.MIDDLE:
            return
        if pointer.count == 2 and pointer.button is Button.LEFT:
            if day == self.day:
                session.signal(window, self, "activated", key or day.isoformat())
            return
        if pointer.count > 1:
            return
        same = day.month == self.day.month  # else the page turns under the pointer, and nothing can be dragged
        self.held = key if same and pointer.button is Button.LEFT else ""
        self.go(session, window, day, key)
        menu = self.entry_menu if key else self.day_menu
        if pointer.button is Button.RIGHT and menu:
            x, y, _, _ = window.rect_of(self)
            session.pop_up(window, self, x + pointer.x, y + pointer.y, menu, labels=self.texts)

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        if self.held:
            day, _ = self.at(session.look, pointer.x, pointer.y)
            self.over = day.isoformat() if day else ""

    def release(self, session: Session, window: Window, pointer: Pointer) -> None:
        held, over, self.held, self.over = self.held, self.over, "", ""
        home = next((day for day, entries in self.entries.items() if any(key == held for key, _ in entries)), "")
        if held and over and home and over != home:
            session.signal(window, self, "moved", f"{held} {over}")

    def wheel(self, session: Session, window: Window, dx: int, dy: int) -> None:
        if dy and not self.held:
            self.go(session, window, other_month(self.day, 1 if dy > 0 else -1))

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        days = {Key.LEFT: -1, Key.RIGHT: 1, Key.UP: -7, Key.DOWN: 7}
        months = {Key.PAGE_UP: -1, Key.PAGE_DOWN: 1}
        if stroke.modifiers or stroke.key not in (*days, *months, Key.HOME, Key.END, Key.ENTER):
            return False
        if stroke.key is Key.ENTER:
            session.signal(window, self, "activated", self.entry or self.day.isoformat())
        elif stroke.key in months:
            self.go(session, window, other_month(self.day, months[stroke.key]))
        elif stroke.key in days:
            self.go(session, window, self.day + timedelta(days=days[stroke.key]))
        else:
            self.go(session, window, self.day.replace(day=1) if stroke.key is Key.HOME else month_end(self.day))
        return True

    # Drawing

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme, font = look.theme, look.sans
        x, y, w, h = rect
        canvas.fill(rect, theme.field)
        canvas.fill((x, y, w, self.head(look)), theme.face)
        names = week_of(self.weekdays, self.sunday_first)
        for i, day in enumerate(self.days()):
            cell = self.cell(look, day)
            assert cell is not None
            cx, cy, cw, ch = _moved(cell, rect)
            if i < 7:
                name = font.shorten(names[i], cw - 2)
                canvas.text(cx + (cw - font.width(name)) // 2, y + 1, name, font, theme.muted)
            inner = canvas.within((cx, cy, cw, ch))  # what a low cell has no room for is not in the next one
            if inner:
                self._draw_day(inner, (cx, cy, cw, ch), day, rect, look)
        canvas.outline(rect, theme.accent if focused else theme.border)

    def _draw_day(self, canvas: Canvas, cell: Rect, day: date, rect: Rect, look: Look) -> None:
        theme, font = look.theme, look.sans
        x, y, w, h = cell
        if day == self.day or day.isoformat() == self.over:
            canvas.fill(cell, theme.select)
        canvas.outline(cell, theme.accent if day.isoformat() == self.over else theme.border)
        number, top = str(day.day), y + 2
        wide = font.width(number)
        if day == self.today:
            canvas.rounded((x + 2, top - 1, wide + 6, font.height + 1), theme.accent, look.size.radius // 2)
        ink = theme.on_accent if day == self.today else theme.text if day.month == self.day.month else theme.muted
        canvas.text(x + 5, top, number, look.bold if day == self.today else font, ink)
        for key, text, place in self.entry_rects(look, day):
            ex, ey, ew, eh = _moved(place, rect)
            chosen = bool(key) and key == self.entry
            if key:
                canvas.rounded((ex, ey, ew, eh - 1), theme.accent if chosen else theme.face, 2)
            part = canvas.within((ex, ey, ew - 1, eh))  # cut off without an ellipsis, which would take half of a narrow day
            if part:
                part.text(ex + 2, ey, text, font, theme.on_accent if chosen else theme.text)


def _moved(place: Rect, rect: Rect) -> Rect:
    return rect[0] + place[0], rect[1] + place[1], place[2], place[3]
