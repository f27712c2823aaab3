"""Looking over the calendar: count appointments, find the longest, correct one."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from gui_gym.desktops.sim import clock
from gui_gym.desktops.sim.state import State
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.agenda_world import (
    as_appointment,
    draw_agenda,
    draw_titles,
    show_day,
    span,
)
from gui_gym.tasks.sim.families.calendar import CalendarFamily, EditEventFamily
from gui_gym.tasks.sim.families.common import joined, quoted, said_number, wording
from gui_gym.tasks.sim.family import Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import CITIES
from gui_gym.verifiers.score import Outcome


class CountEvents(CalendarFamily):
    """Say how many appointments are on a day, on harder tasks in several days."""

    id = "count-events"
    skills = ("read", "count", "calendar", "answer")
    max_steps = 16

    def draw(self, brief: Brief) -> dict[str, Any]:
        first = clock.START.date() + timedelta(days=brief.integer(-brief.by_level(2, 8, 20), brief.by_level(14, 16, 30)))
        last = first + timedelta(days=brief.by_level(0, 0, 2))
        agenda = draw_agenda(brief, brief.by_level(9, 11, 14))
        number = brief.integer(1, len(agenda) - 2)
        for i, data in enumerate(agenda):  # as many as that are then, all others on other days
            if i < number:
                data["date"] = (first + timedelta(days=brief.integer(0, (last - first).days))).isoformat()
            elif first.isoformat() <= data["date"] <= last.isoformat():
                data["date"] = (last + timedelta(days=brief.integer(1, 9))).isoformat()
        agenda = brief.sample(agenda, len(agenda))
        when = f"on {first.isoformat()}" if first == last else f"from {first.isoformat()} to {last.isoformat()}, both included"
        instruction = wording(
            brief,
            [
                "How many events are in the calendar {when}? Answer with the number alone.",
                "Count the events of the calendar {when} and answer with the number.",
                "Tell how many events there are {when}, as a number.",
            ],
            when=when,
        )
        return self.drawn(brief, agenda, instruction=instruction, number=number, day=first.isoformat())

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return said_number(outcome.answer, str(params["number"])) and super().check(state, start, params, outcome)

    def solve(self, solver: Solver, params: Params) -> None:
        day = clock.read_date(params["day"])
        assert day is not None
        show_day(solver, day)
        solver.answer(str(params["number"]))


class LongestEvent(CalendarFamily):
    """Say which appointment of a day takes longest."""

    id = "longest-event"
    skills = ("read", "reason", "calendar", "answer")
    max_steps = 16
    any_clock = False

    def draw(self, brief: Brief) -> dict[str, Any]:
        day = clock.START.date() + timedelta(days=brief.integer(-brief.by_level(2, 8, 25), brief.by_level(14, 16, 40)))
        titles = draw_titles(brief, brief.by_level(8, 11, 14))
        count = brief.by_level(4, 5, 7)
        lengths = brief.sample(range(1, 9), count)
        agenda = []
        for title, length in zip(titles, lengths, strict=False):
            start, end = span(brief.integer(14, 46 - length), 30 * length)
            agenda.append({"title": title, "date": day.isoformat(), "start": start, "end": end, "place": ""})
        for title in titles[count:]:
            start, end = span(brief.integer(14, 36), 300)
            other = day + timedelta(days=brief.pick((-2, -1, 1, 2)))
            agenda.append({"title": title, "date": other.isoformat(), "start": start, "end": end, "place": ""})
        shortest = brief.chance(0.4)
        target = agenda[lengths.index(min(lengths) if shortest else max(lengths))]["title"]
        instruction = wording(
            brief,
            [
                "Which event on {day} takes the {most} time? Answer with its title.",
                "Look at {day} in the calendar: what is the {est} event called? Answer with the title alone.",
                "Find the {est} event of {day} and answer with its title.",
            ],
            day=day.isoformat(),
            most="least" if shortest else "most",
            est="shortest" if shortest else "longest",
        )
        return self.drawn(brief, brief.sample(agenda, len(agenda)), instruction=instruction, title=target, day=day.isoformat())

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        said = (outcome.answer or "").strip().strip('“”".').casefold()
        return said == params["title"].casefold() and super().check(state, start, params, outcome)

    def solve(self, solver: Solver, params: Params) -> None:
        day = clock.read_date(params["day"])
        assert day is not None
        show_day(solver, day)
        solver.answer(params["title"])


class ChangeEvent(EditEventFamily):
    """Correct an appointment: its place, on harder tasks also its title and times."""

    id = "change-event"
    skills = ("type", "edit", "calendar", "read")
    max_steps = 30
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        *agenda, spare = draw_agenda(brief, brief.by_level(4, 7, 11) + 1, timed=True)
        target = brief.integer(0, len(agenda) - 1)
        event = as_appointment(agenda[target])
        place = brief.pick([city for city in CITIES if city != event.place])
        changed, wishes = replace(event, place=place), [f"the place is {quoted(place)}"]
        if brief.by_level(False, True, True):
            start, end = span(brief.integer(16, 40), 30 * brief.integer(1, 5))
            changed = replace(changed, start=clock.read_time(start), end=clock.read_time(end))
            wishes.append(f"it goes from {start} to {end}")
        if brief.by_level(False, False, True):
            title = f"{event.title}, part {brief.integer(2, 9)}"
            changed = replace(changed, title=title)
            wishes.append(f"its title is {quoted(title)}")
        instruction = wording(
            brief,
            [
                "Change {name} in the calendar, so that {wishes}.",
                "Correct the event {name}: {wishes}.",
                "Something about {name} in the calendar is wrong. It should be so: {wishes}.",
            ],
            name=quoted(event.title if brief.feasible else spare["title"]),
            wishes=joined(wishes),
        )
        data = {"title": changed.title, "date": changed.date.isoformat(), "place": changed.place}
        data |= {"start": f"{changed.start:%H:%M}", "end": f"{changed.end:%H:%M}"}
        return self.drawn(brief, agenda, instruction=instruction, target=target, event=data)
