"""The calendar of tasks: how it is drawn, laid out, used and compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import numpy as np

from gui_gym.actions import Action, Key
from gui_gym.desktops.sim import clock
from gui_gym.desktops.sim.apps.agenda import CALENDAR, Appointment, add_appointment, appointments, is_appointment, read_appointment, write_appointment
from gui_gym.desktops.sim.apps.calendar import Calendar, make_calendar
from gui_gym.desktops.sim.filesystem import Files
from gui_gym.desktops.sim.layout import place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.mail_world import open_app
from gui_gym.tasks.sim.solver import Solver, middle
from gui_gym.tasks.sim.words import CITIES
from gui_gym.tasks.task import TaskError

EVENTS = (
    "Dentist", "Choir", "Swimming", "Team lunch", "Book club", "Haircut", "Piano lesson", "School play", "Car check", "Yoga", "Budget talk", "Dinner",
    "Concert", "Language course", "Flat viewing", "Football", "Eye test", "Workshop", "Interview", "Parents' evening", "Chess", "Board meeting",
)  # fmt: skip
CALENDAR_FILES = f"file:{CALENDAR}/*.ics"  #: what changes as appointments are made, changed and deleted
WHO = ("Ada", "Björn", "Chloé", "Farid", "Grace", "Inês", "Kofi", "Mia", "Noël", "Zoë")


def span(hour: int, minutes: int = 60) -> tuple[str, str]:
    """Start and end of something that begins at an hour, or half past one (``hour`` in half hours)."""
    end = hour * 30 + minutes
    return f"{hour // 2:02d}:{hour % 2 * 30:02d}", f"{end // 60:02d}:{end % 60:02d}"


def draw_event(brief: Brief, title: str, day: date, timed: bool = True) -> dict[str, Any]:
    """An appointment on a day as parameters."""
    start, end = span(brief.integer(15, 40), 30 * brief.integer(1, 6)) if timed else ("", "")
    return {"title": title, "date": day.isoformat(), "start": start, "end": end, "place": brief.pick(CITIES) if brief.chance(0.4) else ""}


def draw_titles(brief: Brief, n: int) -> list[str]:
    """``n`` different titles; on harder tasks some differ in the last word alone."""
    pool = [*EVENTS, *(f"{kind} with {who}" for kind in ("Meeting", "Lunch", "Call") for who in WHO)]
    if brief.by_level(True, False, False):
        return brief.sample(pool, n)
    kind = brief.pick(("Meeting", "Lunch", "Call"))
    alike = [f"{kind} with {who}" for who in brief.sample(WHO, min(n, 4))]
    return [*alike, *brief.sample([title for title in pool if title not in alike], n)][:n]


def draw_agenda(brief: Brief, n: int, timed: bool = False) -> list[dict[str, Any]]:
    """``n`` appointments with different titles in the weeks around the present day."""
    first = clock.START.date()
    days = [first + timedelta(days=brief.integer(-brief.by_level(3, 9, 30), brief.by_level(14, 18, 45))) for _ in range(n)]
    return [draw_event(brief, title, day, timed or brief.chance(0.85)) for title, day in zip(draw_titles(brief, n), days, strict=True)]


def as_appointment(data: Mapping[str, Any]) -> Appointment:
    """An appointment from the parameters of a task."""
    day = clock.read_date(data["date"])
    assert day is not None
    return Appointment(data["title"], day, clock.read_time(data["start"]), clock.read_time(data["end"]), data["place"])


def write_agenda(files: Files, agenda: Sequence[Mapping[str, Any]]) -> None:
    """Write appointments as files."""
    for data in agenda:
        add_appointment(files, as_appointment(data))


def world_of(state: State) -> list[Appointment]:
    """All appointments, in an order of their own."""
    return sorted(appointments(state.files).values(), key=repr)


def is_agenda(state: State, expected: Sequence[Appointment]) -> bool:
    """Whether these are the appointments there are, and their files say nothing else."""
    files = {path: text for path, text in state.files.items() if is_appointment(path)}
    return world_of(state) == list(expected) and all(_is_tidy(text) for text in files.values())


def _is_tidy(text: str) -> bool:
    """Whether the text of a file is an appointment and nothing besides, whoever wrote it."""
    event, names = read_appointment(text), [line.partition(":")[0] for line in text.split("\n") if line.strip()]
    known = [line.partition(":")[0] for line in write_appointment(event).splitlines()] if event else []
    return len(names) == len(set(names)) and set(names) <= set(known)


def with_event(world: Sequence[Appointment], event: Appointment) -> list[Appointment]:
    """The appointments and another one."""
    return sorted([*world, event], key=repr)


def open_calendar_somewhere(session: Session, rng: np.random.Generator) -> None:
    """Open the calendar at a random place and size."""
    size, (_, _, width, height) = session.look.size, session.work_area
    w = min(int(rng.integers(46, 64)) * size.font, width - size.gap)
    h = min(int(rng.integers(32, 44)) * size.font, height - size.gap)
    place(session, make_calendar(session, w, h), rng)


# Doing


def calendar_window(solver: Solver) -> Calendar:
    """The calendar, without a search; what blocks it is closed."""
    open_app(solver, "calendar", "calendar")
    window = solver.window("calendar")
    assert isinstance(window, Calendar)
    while blocker := solver.session.blocker(window):
        solver.raise_window(blocker)
        solver.press(Key.ESCAPE)
    if window.widget("search").value:
        solver.fill("calendar", "search", "x")
        solver.press(Key.BACKSPACE)
    return window


def show_day(solver: Solver, day: date) -> Calendar:
    """Turn to a day and select it."""
    window = calendar_window(solver)
    grid = window.grid
    while (grid.day.year, grid.day.month) != (day.year, day.month):
        solver.click("calendar", "next" if day > grid.day else "previous")
    cell = grid.cell(solver.session.look, day)
    assert cell is not None
    x, y, _, _ = window.rect_of(grid)
    solver.raise_window(window)
    if grid.day == day:
        return window  # another click would make a double click of the one before
    solver.act(Action.click(*solver.reach(window, (x + cell[0], y + cell[1], cell[2], solver.session.look.sans.height))))
    return window


def select_event(solver: Solver, event: Appointment) -> Calendar:
    """Select an appointment in the list of its day."""
    window = show_day(solver, event.date)
    known = appointments(solver.state.files)
    row = next((i for i, path in enumerate(window.paths) if known[path] == event), -1)
    if row < 0:
        raise TaskError(f"there is no scripted solution from here: {event.title!r} is not in the calendar")
    place_ = solver.scroll_row(window, window.view, row)
    if window.view.selected != row:
        solver.act(Action.click(*middle(place_)))
    return window


def fill_form(solver: Solver, event: Appointment) -> None:
    """Fill in the open form for an appointment, and confirm."""
    form, settings = "event:calendar", solver.state.settings
    if solver.widget(form, "all-day").value != (event.start is None):
        solver.click(form, "all-day")
    texts = {"title": event.title, "date": event.date.isoformat(), "place": event.place}
    if event.start and event.end:
        texts |= {"begins": clock.time_text(settings, event.start), "ends": clock.time_text(settings, event.end)}
    for name, text in texts.items():
        if solver.widget(form, name).value != text:
            solver.fill(form, name, text)
            if not text:
                solver.press(Key.BACKSPACE)
    solver.click(form, "ok")


def enter_event(solver: Solver, event: Appointment) -> None:
    """Make an appointment."""
    show_day(solver, event.date)
    solver.click("calendar", "new")
    fill_form(solver, event)
