"""The calendar: a month, and the appointments of one of its days."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim import clock, filesystem
from gui_gym.desktops.sim.apps.agenda import Appointment, appointments, is_appointment, write_appointment
from gui_gym.desktops.sim.apps.dialog import ask
from gui_gym.desktops.sim.apps.event_form import open_form
from gui_gym.desktops.sim.apps.toolbar import hide, put_buttons, show
from gui_gym.desktops.sim.layout import cascade, fit
from gui_gym.desktops.sim.state import Window
from gui_gym.desktops.sim.widgets.base import Stroke, Widget
from gui_gym.desktops.sim.widgets.basic import Button, Label
from gui_gym.desktops.sim.widgets.listview import ListView
from gui_gym.desktops.sim.widgets.month import MonthGrid, other_month, within
from gui_gym.desktops.sim.widgets.text import TextField

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

ACTIONS = {"new": "New event", "edit": "Edit", "delete": "Delete"}


@dataclass(kw_only=True)
class Calendar(Window):
    """Its widgets: the buttons "previous", "today", "next", "new", "edit" and "delete", the label "month", the field "search", the month
    "grid", and the list "events": the selected day's appointments, or all that the search finds.

    ``paths`` are those of the appointments in the list.
    """

    icon = "calendar"

    paths: list[str] = field(default_factory=list)

    @property
    def grid(self) -> MonthGrid:
        """The month."""
        return self.part("grid", MonthGrid)

    @property
    def view(self) -> ListView:
        """The appointments of a day, or those found."""
        return self.part("events", ListView)

    @property
    def searching(self) -> str:
        """What is searched for, or ""."""
        return str(self.widget("search").value).strip().casefold()

    def refresh(self, session: Session) -> None:
        """Show the appointments as they are now, with the same one selected."""
        settings, grid, view = session.state.settings, self.grid, self.view
        known = appointments(session.state.files)
        grid.sunday_first = settings["week_starts"] == "sunday"
        grid.today = clock.now(session.state).date()
        grid.entries = {}
        for path, each in known.items():
            grid.entries.setdefault(each.date.isoformat(), []).append((path, each.title))
        grid.entry = grid.entry if grid.entry in known else ""
        words = self.searching.split()
        listed = {path: each for path, each in known.items() if (_matches(each, words) if words else each.date == grid.day)}
        self.paths = list(listed)
        view.rows = [_row(session, each, bool(words), True) for each in listed.values()]
        if sum(_widths(session, view)) > view.w:
            view.rows = [_row(session, each, bool(words), False) for each in listed.values()]
        view.selected = self.paths.index(grid.entry) if grid.entry in self.paths else -1
        self._fit_list(session)
        if view.selected >= 0:
            view.reveal(session.look, view.selected)
        self.widget("month").name = clock.month_text(settings, grid.day)
        self.widget("day").name = session.label("Search") if words else clock.date_text(settings, grid.day)
        self._enable(session)
        session.touch(self)

    def _fit_list(self, session: Session) -> None:
        """Make the list's columns as wide as their texts, as far as there is room."""
        view = self.view
        when, what = (min(80, wide * 100 // max(1, view.w) + 1) for wide in _widths(session, view))
        what = max(5, min(what, 100 - when))
        view.shares = [when, what, 100 - when - what]
        view.scroll_to(session.look, view.top)

    def _enable(self, session: Session) -> None:
        for name in ("edit", "delete"):
            button = self.widget(name)
            button.enabled = button.w > 0 and bool(self.grid.entry)

    def on_files(self, session: Session) -> None:
        self.refresh(session)

    def on_setting(self, session: Session, name: str) -> None:
        if name in ("clock_24_hours", "week_starts"):
            self.refresh(session)

    def layout(self, session: Session) -> None:
        look, size = session.look, session.look.size
        self.least = (24 * size.font, 20 * size.font)
        gap, left, width = max(1, size.gap // 2), size.pad, self.w - 2 * size.pad
        y, bottom = size.title + gap, self.h - size.pad
        turn = [self.widget(name) for name in ("previous", "today", "next")]
        put_buttons(look, turn, left, y, width)
        used = max(widget.x + widget.w for widget in turn) + size.gap
        new = look.sans.width(self.widget("new").name) + 2 * size.gap + 4
        show(self.widget("month"), used, y, left + width - used - new - size.gap, size.control)
        put_buttons(look, [self.widget("new")], left + width - new, y, new)
        y += size.control + gap
        beside = self.w >= 34 * size.font
        side = min(width * 45 // 100, 28 * size.font) if beside else width
        grid_w = width - side - size.gap if beside else width
        grid_h = bottom - y if beside else (bottom - y) * 55 // 100
        show(self.grid, left, y, grid_w, grid_h)
        if beside:
            left += grid_w + size.gap
        else:
            y += grid_h + gap
        show(self.widget("search"), left, y, side, size.control)
        y += size.control + gap
        if bottom - y - 2 * (size.control + gap) >= 3 * self.view.row_height(look):
            show(self.widget("day"), left, y, side, size.control)
            y += size.control
        else:
            hide(self.widget("day"))
        put_buttons(look, [self.widget("edit"), self.widget("delete")], left, bottom - size.control, side)
        show(self.view, left, y, side, bottom - size.control - gap - y)
        self._fit_list(session)
        self._enable(session)

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        grid = self.grid
        if signal == "clicked" or signal == "chosen":
            self.do(session, value if signal == "chosen" else widget.id)
        elif widget is grid and signal == "activated":
            self.do(session, "edit" if is_appointment(value) else "new")
        elif widget is grid and signal == "moved":
            path, _, day = value.rpartition(" ")
            self._move(session, path, day)
        elif widget is grid:
            self.refresh(session)
        elif widget is self.view and signal in ("selected", "activated"):
            grid.entry = self.paths[self.view.selected] if self.view.selected >= 0 else ""
            known = appointments(session.state.files).get(grid.entry)
            if known is not None:
                grid.day = within(known.date)
            self.refresh(session)
            if signal == "activated":
                self.do(session, "edit")
        elif widget.id == "search":
            self.refresh(session)

    def do(self, session: Session, action: str) -> None:
        """Do what a button or an item of a context menu says: "previous", "today", "next", or a key of :data:`ACTIONS`."""
        grid = self.grid
        appointment = appointments(session.state.files).get(grid.entry)
        if action in ("previous", "next"):
            grid.go(session, self, other_month(grid.day, 1 if action == "next" else -1))
        elif action == "today":
            grid.go(session, self, clock.now(session.state).date())
        elif action == "new":
            open_form(session, self, grid.day)
        elif appointment is None:
            return
        elif action == "edit":
            open_form(session, self, grid.day, grid.entry, appointment)
        elif action == "delete":
            text = session.label("Delete this event?")
            ask(session, self, grid.entry, session.label("Delete event"), f"{text}\n{appointment.title}", ("delete", "cancel"))

    def on_answer(self, session: Session, purpose: str, button: str) -> None:
        if button == "delete" and purpose in session.state.files:
            filesystem.remove(session.state.files, purpose)
            session.files_changed()

    def _move(self, session: Session, path: str, day: str) -> None:
        """An appointment was dragged to another day."""
        appointment, to = appointments(session.state.files).get(path), clock.read_date(day)
        if appointment is not None and to is not None:
            session.state.files[path] = write_appointment(replace(appointment, date=to))
            self.grid.day, self.grid.entry = within(to), path
            session.files_changed()

    def on_stroke(self, session: Session, stroke: Stroke) -> bool:
        if stroke.is_(Key.DELETE):
            self.do(session, "delete")
        elif stroke.is_(Key.N, Modifier.CTRL):
            self.do(session, "new")
        elif stroke.is_(Key.F, Modifier.CTRL):
            session.focus(self, self.widget("search"))
        else:
            return False
        return True


def _matches(appointment: Appointment, words: list[str]) -> bool:
    text = f"{appointment.title} {appointment.place}".casefold()
    return all(word in text for word in words)


def _row(session: Session, appointment: Appointment, dated: bool, whole: bool) -> list[str]:
    """When an appointment is, with its date if ``dated`` or else its end if ``whole``, what it is, and where."""
    settings = session.state.settings
    when = clock.time_text(settings, appointment.start) if appointment.start else session.label("All day")
    if dated:
        when = f"{appointment.date.isoformat()} {when if appointment.start else ''}".strip()
    elif whole and appointment.start and appointment.end:
        when += f"–{clock.time_text(settings, appointment.end)}"
    return [when, appointment.title, appointment.place]


def _widths(session: Session, view: ListView) -> tuple[int, int]:
    """The widths that the first two columns want, in pixels."""
    look = session.look
    when, what = (max([look.bold.width(view.columns[i]), *(look.sans.width(row[i]) for row in view.rows)]) + 2 * look.size.gap + 2 for i in range(2))
    return when + look.size.gap, what


def make_calendar(session: Session, width: int, height: int) -> Calendar:
    """A calendar of the present month, ``width`` x ``height`` pixels, at the screen's corner and not opened yet."""
    label = session.label
    window = Calendar(id="calendar", title=label("Calendar"), w=width, h=height, resizable=True, focus="grid")
    today = clock.now(session.state).date()
    grid = MonthGrid(id="grid", name=label("Calendar"), day=today, today=today, weekdays=[label(day) for day in clock.WEEKDAYS_SHORT])
    grid.day_menu, grid.entry_menu = ["new"], ["edit", "delete"]
    grid.texts = {name: label(english) for name, english in ACTIONS.items()}
    window.widgets = [
        Button(id="previous", name="◀", tip=label("Previous month")),
        Button(id="today", name=label("Today")),
        Button(id="next", name="▶", tip=label("Next month")),
        Label(id="month"),
        Button(id="new", name=label("New event"), primary=True),
        grid,
        TextField(id="search", name=label("Search"), hint=label("Search")),
        Label(id="day", muted=True),
        ListView(id="events", name=label("Events"), columns=[label("Time"), label("Event"), label("Place")], shares=[30, 50, 20]),
        Button(id="edit", name=label("Edit")),
        Button(id="delete", name=label("Delete")),
    ]
    window.layout(session)
    window.refresh(session)
    return window


def open_calendar(session: Session, path: str = "") -> Window:
    """Open the calendar, or raise it; with the path of an appointment, show that one."""
    window = session.state.window("calendar")
    if window is None:
        window = make_calendar(session, *fit(session, 60, 40))
        cascade(session, window)
    else:
        session.activate(window)
    appointment = appointments(session.state.files).get(path)
    if isinstance(window, Calendar) and appointment is not None:
        window.grid.go(session, window, appointment.date, path)
    return window
