"""The desktop's date and time: where they begin, how they are shown, and how what is typed is read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

from gui_gym.desktops.sim.labels import label

if TYPE_CHECKING:
    from gui_gym.desktops.sim.state import State

START = datetime(2026, 3, 11, 9, 0)  #: a Wednesday; what the clock shows at reset
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
WEEKDAYS_SHORT = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def now(state: State) -> datetime:
    """The present date and time of the desktop."""
    return START + timedelta(seconds=state.seconds)


def time_text(settings: Mapping[str, object], moment: time | datetime) -> str:
    """A time of day as the clock setting wants it: "14:05" or "2:05 PM"."""
    if settings["clock_24_hours"]:
        return f"{moment.hour:02d}:{moment.minute:02d}"
    return f"{(moment.hour - 1) % 12 + 1}:{moment.minute:02d} {'AM' if moment.hour < 12 else 'PM'}"


def month_text(settings: Mapping[str, object], day: date) -> str:
    """Month and year, such as "March 2026"."""
    language = str(settings["language"])
    month = label(MONTHS[day.month - 1], language)
    return f"{day.year}年 {month}" if language in ("ja", "zh") else f"{month} {day.year}"


def date_text(settings: Mapping[str, object], day: date) -> str:
    """Weekday and date, such as "Wednesday 2026-03-11"."""
    return f"{label(WEEKDAYS[day.weekday()], str(settings['language']))} {day.isoformat()}"


def read_date(text: str) -> date | None:
    """The date of "2026-03-11", or None."""
    match = re.fullmatch(r"\s*(\d{4})-(\d{1,2})-(\d{1,2})\s*", text, re.ASCII)
    if match is None:
        return None
    try:
        return date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return None


def read_time(text: str) -> time | None:
    """The time of day of "14:05", "9", "2:05 PM" or "2 pm", or None."""
    match = re.fullmatch(r"\s*(\d{1,2})(?:[:.](\d{2}))?\s*([ap])?\.?(?:m\.?)?\s*", text.lower(), re.ASCII)
    if match is None:
        return None
    hour, minute, half = int(match[1]), int(match[2] or 0), match[3]
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "p" else 0)
    return time(hour, minute) if hour < 24 and minute < 60 else None
