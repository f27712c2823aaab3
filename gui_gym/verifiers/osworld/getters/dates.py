"""The getter of rules whose dates are relative to the day of the verification."""

from __future__ import annotations

import calendar
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from gui_gym.desktops.base import DesktopError
from gui_gym.tasks.fields import Field
from gui_gym.tasks.setup import Stage
from gui_gym.tasks.task import TaskError
from gui_gym.verifiers.osworld.getters import Getter

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS = ("one two three four five six seven eight nine ten eleven twelve").split()
#: Keys of ``expected`` that a rule with two days fills in, besides "from" and "to": pick-up and drop-off.
_KEYS = {"from": ("from", "puDay", "puMonth", "puYear"), "to": ("to", "doDay", "doMonth", "doYear")}


def relative_day(words: str, now: datetime, first: datetime | None = None, first_words: str = "") -> datetime:
    """The day that ``words`` mean at ``now``, as OSWorld's rules use them.

    ``first`` is the day that a span begins with, ``first_words`` its words: a span's end lies in the same week.
    "next Friday" is the first one after today, "next Monday" that of next week, "this Sunday" that of this week.

    Raises:
        TaskError: there is no such rule, or no such day.
    """
    text = words.lower().removesuffix(" split")
    to_monday = 7 - now.weekday()
    if text == "tomorrow":
        return now + timedelta(days=1)
    if text == "this month":
        return now
    if match := re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th) next month", text):
        month = _months_later(now, 1)
        try:
            return month.replace(day=int(match[1]))
        except ValueError as error:
            raise TaskError(f"relativeTime: {words!r}: {calendar.month_name[month.month]} has no such day") from error
    if match := re.fullmatch(rf"first ({'|'.join(_DAYS)}) ({'|'.join(_NUMBERS)}) months? later", text):
        month = _months_later(now, _NUMBERS.index(match[2]) + 1)
        return month + timedelta(days=(_DAYS.index(match[1]) - month.weekday()) % 7)
    if match := re.fullmatch(rf"(this|next|next week) ({'|'.join(_DAYS)})", text):
        day = _DAYS.index(match[2])
        if match[1] == "this":
            return now + timedelta(days=day - now.weekday())
        if match[1] == "next week" or text == "next monday":
            return now + timedelta(days=to_monday + day)
        if first is not None and first_words.lower().startswith("next ") and day >= first.weekday():
            return first + timedelta(days=day - first.weekday())
        return now + timedelta(days=(day - now.weekday() - 1) % 7 + 1)
    raise TaskError(
        f'relativeTime: expected words such as "tomorrow", "next Monday", "10th next month", "first monday four months later", got {words!r}'
    )


def _months_later(now: datetime, months: int) -> datetime:
    """The first day of the month that comes so many months after this one."""
    year, month = divmod(now.year * 12 + now.month - 1 + months, 12)
    return now.replace(year=year, month=month + 1, day=1)


def write_day(value: Any, day: datetime) -> Any:
    """``value``, a text or a list of them, with ``day`` for ``{Year}``, ``{Month}`` ("Jan"), ``{DoW}`` ("Mon") and the like."""
    if isinstance(value, list):
        return [write_day(item, day) for item in value]
    if not isinstance(value, str):
        return value
    names = {  # in English, whatever this machine speaks
        "{DoW}": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[day.weekday()],
        "{Month}": _MONTHS[day.month - 1][:3],
        "{MonthFull}": _MONTHS[day.month - 1],
        "{month}": _MONTHS[day.month - 1].lower(),
        "{MonthD}": str(day.month),
        "{Month0D}": f"{day.month:02}",
        "{DayD}": str(day.day),
        "{Day0D}": f"{day.day:02}",
        "{Year}": str(day.year),
    }
    for name, text in names.items():
        value = value.replace(name, text)
    return value


_MONTHS = "January February March April May June July August September October November December".split()


def apply_days(rules: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """``rules`` with the days of its ``relativeTime`` written into ``expected``."""
    words, expected = rules["relativeTime"], rules["expected"]
    first = relative_day(words["from"], now)
    if "to" not in words:
        return {**rules, "expected": {key: write_day(value, first) for key, value in expected.items()}}
    days = {"from": first, "to": relative_day(words["to"], now, first, words["from"])}
    day_of = {key: days[side] for side, keys in _KEYS.items() for key in keys}
    return {**rules, "expected": {key: write_day(value, day_of[key]) if key in day_of else value for key, value in expected.items()}}


def _rule(stage: Stage, spec: Mapping[str, Any]) -> dict[str, Any]:
    """The clock is the desktop's: it is what the agent sees. Without a ``timezone`` so is the time zone."""
    done = stage.desktop.run(["date", "+%Y-%m-%dT%H:%M:%S%:z"])
    try:
        now = datetime.fromisoformat(done.stdout.decode().strip())
    except ValueError as error:
        raise DesktopError(f"the desktop's clock cannot be read: {done!r:.200}") from error
    if zone := spec["rules"].get("timezone"):
        try:
            now = now.astimezone(ZoneInfo(zone))
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise TaskError(f'timezone: expected a name such as "Europe/Zurich", got {zone!r}') from error
    return apply_days(spec["rules"], now)


_RULES = Field(
    '{"relativeTime": {"from": words, "to": words or nothing}, "expected": {...}, "timezone": name or nothing}',
    lambda v: (
        isinstance(v, dict)
        and isinstance(v.get("expected"), dict)
        and isinstance(words := v.get("relativeTime"), dict)
        and isinstance(words.get("from"), str)
        and isinstance(words.get("to", ""), str)
        and isinstance(v.get("timezone", ""), str)
    ),
)
rule_relativeTime = Getter(_rule, {"rules": _RULES}, from_author=True)  # noqa: N816  the name in task files
