"""Dates and times: typed in the format of the field, chosen in a calendar, or set with spinners."""

from __future__ import annotations

import datetime
from typing import Any

from gui_gym.desktops.sim.clock import MONTHS
from gui_gym.desktops.sim.widgets.date_field import written
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import draw_labels, quoted, wording
from gui_gym.tasks.sim.families.fields import FormFamily, Spec, goal, spec

PATTERNS = ("DD.MM.YYYY", "YYYY-MM-DD", "MM/DD/YYYY", "DD/MM/YYYY", "YYYY/MM/DD")
#: What dates are asked for.
NAMES = ("Departure", "Return", "Arrival", "Check-in", "Check-out", "Due date", "Birthday", "Delivery date", "Order date", "Appointment")
#: Labels of the hour and the minute of times.
_TIMES = {"Alarm": ("Alarm (hour)", "Alarm (minute)"), "Start": ("Start (hour)", "Start (minute)"), "End": ("End (hour)", "End (minute)")}
_HOURS = ("twelve", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")


def some_day(brief: Brief) -> datetime.date:
    """A day of the years 2024 to 2033."""
    return datetime.date(2024, 1, 1) + datetime.timedelta(brief.integer(0, 3650))


def in_words(day: datetime.date) -> str:
    """A day as instructions put it, such as 3 March 2027."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


class EnterDate(FormFamily):
    """Type a date in the format the field asks for; harder forms ask for two, in different formats, one of which has to be reckoned."""

    id = "enter-date"
    skills = ("type", "date", "read", "reason")
    max_steps = 20

    def draw(self, brief: Brief) -> dict[str, Any]:
        count = brief.by_level(1, 2, 4)
        names, patterns = draw_labels(brief, NAMES, count), brief.sample(PATTERNS, count)
        days = [some_day(brief) for _ in names]
        fields = []
        for i, (name, pattern) in enumerate(zip(names, patterns, strict=False)):
            earlier = written(some_day(brief).isoformat(), pattern) if i or brief.by_level(False, False, True) else ""
            fields.append(spec(f"date{i}", f"{name} ({pattern})", value=earlier))
        wanted = {"date0": written(days[0].isoformat(), patterns[0])}
        choices = [
            "Enter {day} as {name}, in the format given beside it, and press {ok}.",
            "Fill in {name} with the date {day} the way the field wants it written, then press {ok}.",
            "{name} is {day}: type it in the format shown, and confirm with {ok}.",
        ]
        if count > 2:
            later = brief.integer(3, 40)
            wanted["date1"] = written((days[0] + datetime.timedelta(later)).isoformat(), patterns[1])
            choices = [f"{choice[:-1]}, after you have set {{other}} to the date {later} days later in its own format." for choice in choices]
        parts = {"day": in_words(days[0]), "name": quoted(names[0]), "other": quoted(names[-1 if count < 3 else 1])}
        fields = [fields[i] for i in brief.rng.permutation(count)]
        return goal(brief.label("Booking"), fields, wanted, wording(brief, choices, **parts))


class ChooseDate(FormFamily):
    """Choose a date in the calendar that a field opens: in the same month, some months away, or in another year and for two fields."""

    id = "choose-date"
    skills = ("click", "date", "window")
    max_steps = 50

    def draw(self, brief: Brief) -> dict[str, Any]:
        count, asked = brief.by_level(1, 2, 3), brief.by_level(1, 1, 2)
        names, pattern = draw_labels(brief, NAMES, count), brief.pick(PATTERNS[:2])
        fields: list[Spec] = []
        wanted, parts = {}, []
        for i, name in enumerate(names):
            before = some_day(brief)
            fields.append(spec(f"date{i}", name, "date", before.isoformat(), pattern=pattern))
            if i < asked:
                away = brief.by_level(0, brief.integer(1, 3), brief.integer(4, 7) + 12 * brief.integer(0, 1)) * brief.pick([1, -1])
                months = 12 * before.year + before.month - 1 + away
                day = brief.integer(1, 28)
                if day == before.day:
                    day = day % 28 + 1
                target = datetime.date(months // 12, months % 12 + 1, day)
                wanted[f"date{i}"] = target.isoformat()
                parts.append(f"{quoted(name)} to {in_words(target)}")
        choices = [
            "Set {dates} in the calendar and press {ok}.",
            "With the calendar, change {dates}; then press {ok}.",
            "Change {dates} and confirm with {ok}; leave all else as it is.",
        ]
        instruction = wording(brief, choices, dates=" and ".join(parts))
        fields = [fields[i] for i in brief.rng.permutation(count)]
        return goal(brief.label("Booking"), fields, wanted, instruction)


def time_in_words(hour: int, minute: int) -> str:
    """A time at a quarter of an hour as people say it, such as a quarter to five in the afternoon."""
    named = (hour + (minute == 45)) % 24
    clock = {0: "{} o'clock", 15: "a quarter past {}", 30: "half past {}", 45: "a quarter to {}"}[minute].format(_HOURS[named % 12])
    part = "at night" if hour < 5 or hour >= 22 else "in the morning" if hour < 12 else "in the afternoon" if hour < 18 else "in the evening"
    return f"{clock} {part}"


class EnterTime(FormFamily):
    """Set hours and minutes with spinners of 24 hours; harder forms name two times in words."""

    id = "enter-time"
    skills = ("type", "click", "spinner", "reason")
    max_steps = 30

    def draw(self, brief: Brief) -> dict[str, Any]:
        names = brief.by_level(["Alarm"], ["Alarm"], ["Start", "End"])
        fields, wanted, said = [], {}, []
        for name in names:
            hour, minute = brief.integer(0, 23), brief.by_level(brief.integer(0, 59), brief.integer(0, 59), 15 * brief.integer(0, 3))
            if len(names) > 1:
                hour = brief.integer(0, 10) if name == "Start" else brief.integer(12, 23)
            for unit, english, value, high in zip(("hour", "minute"), _TIMES[name], (hour, minute), (23, 59), strict=True):
                before = (value + brief.integer(1, high)) % (high + 1)
                key = f"{name.lower()}-{unit}"
                fields.append(spec(key, brief.label(english), "spinner", before, low=0, high=high, digits=2, wrap=True))
                wanted[key] = value
            said.append(time_in_words(hour, minute) if len(names) > 1 else f"{hour:02d}:{minute:02d}")
        if brief.by_level(False, True, False):
            fields.append(spec("snooze", brief.label("Snooze (minutes)"), "spinner", brief.integer(1, 30), low=1, high=60))
        times = said[0] if len(said) == 1 else f"the start to {said[0]} and the end to {said[1]}"
        choices = [
            "Set the alarm to {times} and press {ok}.",
            "The alarm shall ring at {times}: set that and press {ok}.",
            "Wake-up time is {times}. Press {ok} when the alarm is set to it.",
        ]
        if len(said) > 1:
            choices = [
                "Set {times}, then press {ok}.",
                "For the appointment, set {times}, and press {ok}.",
                "Change {times} with the spinners and confirm with {ok}.",
            ]
        instruction = wording(brief, choices, times=times)
        return goal(brief.label("Appointment" if len(said) > 1 else "Alarms"), fields, wanted, instruction)
