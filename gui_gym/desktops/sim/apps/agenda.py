"""The calendar as files: one text file an appointment in ``~/.calendar``, its fields one a line::

    Title: Dentist
    Date: 2026-03-12
    Start: 14:00
    End: 14:30
    Place: Market Square 3

An appointment without a start lasts all day.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, time

from gui_gym.desktops.sim.clock import read_date, read_time
from gui_gym.desktops.sim.filesystem import HOME, Files

CALENDAR = f"{HOME}/.calendar"


@dataclass(frozen=True)
class Appointment:
    """Something at a date, from a time to another one, or all day if ``start`` is None."""

    title: str
    date: date
    start: time | None = None
    end: time | None = None
    place: str = ""


def write_appointment(appointment: Appointment) -> str:
    """An appointment as the text of a file."""
    start, end = (moment.strftime("%H:%M") if moment else "" for moment in (appointment.start, appointment.end))
    values = {"Title": appointment.title, "Date": appointment.date.isoformat(), "Start": start, "End": end, "Place": appointment.place}
    return "".join(f"{name}: {' '.join(value.splitlines())}\n" for name, value in values.items())


def read_appointment(text: str) -> Appointment | None:
    """The appointment in the text of a file, or None if it has no date."""
    values: dict[str, str] = {}
    for line in text.split("\n"):
        name, _, value = line.partition(":")
        values.setdefault(name, value.strip())
    day = read_date(values.get("Date", ""))
    if day is None:
        return None
    start = read_time(values.get("Start", ""))
    end = read_time(values.get("End", "")) if start else None
    return Appointment(values.get("Title", ""), day, start, end, values.get("Place", ""))


def is_appointment(path: str) -> bool:
    """Whether a path is that of an appointment."""
    return path.startswith(CALENDAR + "/") and path.endswith(".ics") and path.count("/") == CALENDAR.count("/") + 1


def appointments(files: Mapping[str, str]) -> dict[str, Appointment]:
    """All appointments by path, in the order of their time."""
    read = {path: read_appointment(files[path]) for path in files if is_appointment(path)}
    found = {path: appointment for path, appointment in read.items() if appointment is not None}
    return {path: found[path] for path in sorted(found, key=lambda path: (found[path].date, found[path].start or time.min, path))}


def appointments_on(files: Mapping[str, str], day: date) -> dict[str, Appointment]:
    """The appointments of a day by path, those of all day first."""
    return {path: appointment for path, appointment in appointments(files).items() if appointment.date == day}


def add_appointment(files: Files, appointment: Appointment) -> str:
    """Write an appointment under the next free number; its path."""
    stems = [path.rpartition("/")[2].removesuffix(".ics") for path in files if is_appointment(path)]
    numbers = [int(stem) for stem in stems if stem.isascii() and stem.isdigit() and len(stem) < 10]
    path = f"{CALENDAR}/{max(numbers, default=0) + 1}.ics"
    files[path] = write_appointment(appointment)
    return path
