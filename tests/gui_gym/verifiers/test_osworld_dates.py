"""Days relative to a day: every rule that OSWorld's tasks use, on the days where they differ."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from gui_gym.desktops import Completed, DesktopError
from gui_gym.tasks import Task, TaskError
from gui_gym.tasks.setup import Stage
from gui_gym.verifiers.osworld.getters import GETTERS, check_getter
from gui_gym.verifiers.osworld.getters.dates import apply_days, relative_day, write_day


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "words, today, expected",
    [
        ("tomorrow", "2026-12-31", "2027-01-01"),
        ("this month", "2026-12-31", "2026-12-31"),
        ("5th next month", "2026-11-30", "2026-12-05"),
        ("10th next month", "2026-12-31", "2027-01-10"),
        ("11th next month", "2026-01-31", "2026-02-11"),
        # 2026-11-30 is a Monday
        ("this Saturday", "2026-11-30", "2026-12-05"),
        ("this Saturday", "2026-12-06", "2026-12-05"),
        ("this Sunday", "2026-12-06", "2026-12-06"),
        ("next Monday", "2026-11-30", "2026-12-07"),
        ("next Monday", "2026-12-06", "2026-12-07"),
        ("next Monday split", "2026-12-02", "2026-12-07"),
        ("next Friday", "2026-12-03", "2026-12-04"),
        ("next Friday", "2026-12-04", "2026-12-11"),
        ("next Friday", "2026-12-05", "2026-12-11"),
        ("next Saturday", "2026-12-04", "2026-12-05"),
        ("next Saturday", "2026-12-05", "2026-12-12"),
        ("next Saturday", "2026-12-06", "2026-12-12"),
        ("next Sunday", "2026-12-05", "2026-12-06"),
        ("next Sunday", "2026-12-06", "2026-12-13"),
        ("next week Friday", "2026-11-30", "2026-12-11"),
        ("next week Saturday", "2026-12-06", "2026-12-12"),
        ("next week Sunday", "2026-12-02", "2026-12-13"),
        ("first monday four months later", "2026-08-31", "2026-12-07"),
        ("first monday four months later", "2026-09-01", "2027-01-04"),
        ("first monday eight months later", "2026-04-15", "2026-12-07"),
        ("first monday eight months later", "2026-11-30", "2027-07-05"),
    ],
)
def test_relative_day(words: str, today: str, expected: str) -> None:
    assert relative_day(words, day(today)).date().isoformat() == expected


@pytest.mark.parametrize(
    "first, last, today, expected",
    [
        ("next Monday", "next Friday", "2026-12-02", ("2026-12-07", "2026-12-11")),
        ("next Monday split", "next Friday split", "2026-12-06", ("2026-12-07", "2026-12-11")),
        ("next Friday", "next Sunday", "2026-12-06", ("2026-12-11", "2026-12-13")),
        ("next Saturday", "next Sunday", "2026-12-05", ("2026-12-12", "2026-12-13")),
        ("next week Saturday", "next week Sunday", "2026-12-06", ("2026-12-12", "2026-12-13")),
        ("10th next month", "11th next month", "2026-12-06", ("2027-01-10", "2027-01-11")),
    ],
)
def test_spans(first: str, last: str, today: str, expected: tuple[str, str]) -> None:
    begin = relative_day(first, day(today))
    assert (begin.date().isoformat(), relative_day(last, day(today), begin, first).date().isoformat()) == expected


@pytest.mark.parametrize("words", ["31st next month", "some day", "", "next", "first monday zero months later", "99th next month"])
def test_words_that_mean_no_day(words: str) -> None:
    with pytest.raises(TaskError, match="relativeTime"):
        relative_day(words, day("2027-01-15"))


def test_writing_a_day() -> None:
    text = "{DoW} {Month} {MonthFull} {month} {MonthD} {Month0D} {DayD} {Day0D} {Year} {Year} {other}"
    assert write_day(text, day("2027-03-07")) == "Sun Mar March march 3 03 7 07 2027 2027 {other}"
    assert write_day(["{DayD}", 7, None], day("2027-03-07")) == ["7", 7, None]


def test_rules_keep_what_is_no_day_and_are_not_changed() -> None:
    rules: dict[str, Any] = {
        "relativeTime": {"from": "next Monday split", "to": "next Friday split"},
        "expected": {"puDay": "{DayD}", "doMonth": "{MonthD}", "city": "{DayD}"},
        "timezone": "Europe/Zurich",
        "expect_in_result": True,
    }
    assert apply_days(rules, day("2026-12-25"))["expected"] == {"puDay": "28", "doMonth": "1", "city": "{DayD}"}
    assert apply_days(rules, day("2026-12-25"))["expect_in_result"] is True
    assert rules["expected"]["puDay"] == "{DayD}"


def rule(guest: Any, clock: str, **rules: Any) -> Any:
    guest.answer = lambda argv: Completed(0, clock.encode() + b"\n", b"")
    spec = {"type": "rule_relativeTime", "rules": {"relativeTime": {"from": "tomorrow"}, "expected": {"time": "{Year}-{Month0D}-{Day0D}"}, **rules}}
    check_getter(spec, "evaluator.expected")
    return GETTERS.get("rule_relativeTime").get(Stage(Task("t", "osworld", "x"), guest), spec)["expected"]["time"]


def test_the_clock_and_the_zone_are_the_desktops(guest: Any) -> None:
    assert rule(guest, "2026-12-31T23:30:00+00:00") == "2027-01-01"
    assert rule(guest, "2026-12-31T23:30:00+00:00", timezone="Europe/Zurich") == "2027-01-02"
    assert rule(guest, "2027-01-01T03:30:00+00:00", timezone="America/New_York") == "2027-01-01"


def test_a_clock_or_zone_that_is_none(guest: Any) -> None:
    with pytest.raises(DesktopError, match="clock"):
        rule(guest, "noon")
    with pytest.raises(TaskError, match="timezone"):
        rule(guest, "2026-12-31T23:30:00+00:00", timezone="../../etc/passwd")


@pytest.mark.parametrize("rules", [{}, {"relativeTime": {"from": 7}, "expected": {}}, {"relativeTime": {"from": "tomorrow"}}, []])
def test_rules_of_another_form_are_the_files_mistake(rules: Any) -> None:
    with pytest.raises(TaskError, match="rules"):
        check_getter({"type": "rule_relativeTime", "rules": rules}, "evaluator.expected")
