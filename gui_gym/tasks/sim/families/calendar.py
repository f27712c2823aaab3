"""The calendar: make, move and delete appointments, find free time, and say when something is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, ClassVar

import numpy as np

from gui_gym.actions import Key
from gui_gym.desktops.sim import clock
from gui_gym.desktops.sim.apps.agenda import Appointment
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.agenda_world import (
    CALENDAR_FILES,
    EVENTS,
    as_appointment,
    draw_agenda,
    draw_event,
    draw_titles,
    enter_event,
    fill_form,
    is_agenda,
    open_calendar_somewhere,
    select_event,
    span,
    with_event,
    world_of,
    write_agenda,
)
from gui_gym.tasks.sim.families.common import clutter, quoted, wording
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import CITIES
from gui_gym.verifiers.score import Outcome

DAY = (9, 18)  #: between which hours free time is looked for


class CalendarFamily(Family):
    """A task about the appointments ``params["agenda"]``, one of which may be number ``params["target"]``.

    ``any_clock``: whether the clock may have 12 hours; its longer times leave no room for the ends of events in a narrow list.
    """

    touches = (CALENDAR_FILES,)
    min_size = (560, 360)
    max_steps = 36
    any_clock: ClassVar[bool] = True

    def drawn(self, brief: Brief, agenda: Sequence[dict[str, Any]], **more: Any) -> dict[str, Any]:
        """The parameters of an instance with this agenda."""
        return {"agenda": list(agenda), "open": brief.chance(brief.by_level(1.0, 0.8, 0.5)), **more}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        write_agenda(session.state.files, params["agenda"])
        session.state.settings["clock_24_hours"] = bool(rng.random() < 0.7) or not self.any_clock
        session.state.settings["week_starts"] = "monday" if rng.random() < 0.6 else "sunday"
        clutter(session, rng)
        if params["open"]:
            open_calendar_somewhere(session, rng)

    def before(self, params: Params) -> list[Appointment]:
        """The appointments at the start."""
        return sorted(map(as_appointment, params["agenda"]), key=repr)

    def target(self, params: Params) -> Appointment:
        """The appointment the task is about."""
        return as_appointment(params["agenda"][params["target"]])

    def after(self, params: Params) -> list[Appointment]:
        """The appointments there should be at the end: those of the start, unless the task changes them."""
        return self.before(params)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return is_agenda(state, self.after(params))

    def spoil(self, solver: Solver, params: Params) -> bool:
        """Delete an appointment."""
        known = world_of(solver.state)
        if not known:
            return False
        select_event(solver, known[0])
        solver.press(Key.DELETE)
        solver.press(Key.ENTER)
        return True


def _listed(event: Appointment) -> str:
    """When something is, as instructions say it."""
    assert event.start and event.end
    return f"from {event.start:%H:%M} to {event.end:%H:%M}"


class NewEventFamily(CalendarFamily):
    """A task to enter the appointment ``params["event"]``."""

    def after(self, params: Params) -> list[Appointment]:
        return with_event(self.before(params), as_appointment(params["event"]))

    def solve(self, solver: Solver, params: Params) -> None:
        if world_of(solver.state) != self.after(params):
            enter_event(solver, as_appointment(params["event"]))


class EditEventFamily(CalendarFamily):
    """A task to make the appointment ``params["event"]`` of the one that it is about."""

    def after(self, params: Params) -> list[Appointment]:
        rest = [as_appointment(data) for i, data in enumerate(params["agenda"]) if i != params["target"]]
        return with_event(rest, as_appointment(params["event"]))

    def solve(self, solver: Solver, params: Params) -> None:
        if world_of(solver.state) != self.after(params):
            select_event(solver, self.target(params))
            solver.click("calendar", "edit")
            fill_form(solver, as_appointment(params["event"]))


class CreateEvent(NewEventFamily):
    """Enter an appointment with title, day and times, on harder tasks with a place."""

    id = "create-event"
    skills = ("type", "calendar", "form", "click")
    max_steps = 32

    def draw(self, brief: Brief) -> dict[str, Any]:
        day = clock.START.date() + timedelta(days=brief.integer(-brief.by_level(0, 5, 20), brief.by_level(14, 19, 60)))
        *others, title = draw_titles(brief, brief.by_level(3, 6, 10))
        event = draw_event(brief, title, day)
        event["place"] = brief.pick(CITIES) if brief.by_level(False, True, True) else ""
        agenda = [draw_event(brief, name, day + timedelta(days=brief.integer(-6, 6))) for name in others]
        instruction = wording(
            brief,
            [
                "Enter {title} into the calendar on {day} {when}{place}.",
                "Add an event to the calendar: {title}, {day}, {when}{place}.",
                "Make a new event {title} for {day} {when}{place}.",
            ],
            title=quoted(title),
            day=f"{clock.WEEKDAYS[day.weekday()]} {day.isoformat()}",
            when=_listed(as_appointment(event)),
            place=f", place {quoted(event['place'])}" if event["place"] else "",
        )
        return self.drawn(brief, agenda, instruction=instruction, event=event)


class MoveEvent(EditEventFamily):
    """Put an appointment on another day, on hard tasks also at another time."""

    id = "move-event"
    skills = ("drag", "calendar", "read")
    max_steps = 32
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        *agenda, spare = draw_agenda(brief, brief.by_level(4, 7, 12) + 1)
        target = brief.integer(0, len(agenda) - 1)
        event = agenda[target]
        if not event["start"] and brief.by_level(False, False, True):
            event["start"], event["end"] = span(brief.integer(16, 30))
        day = clock.read_date(event["date"])
        assert day is not None
        moved = {**event, "date": (day + timedelta(days=brief.pick((-1, 1)) * brief.integer(1, brief.by_level(6, 9, 40)))).isoformat()}
        if brief.by_level(False, False, True):
            moved["start"], moved["end"] = span(brief.integer(16, 40), 30 * brief.integer(1, 4))
        when = f" {_listed(as_appointment(moved))}" if moved["start"] != event["start"] or moved["end"] != event["end"] else ""
        instruction = wording(
            brief,
            [
                "Move {title} to {day}{when}.",
                "{title} is now on {day}{when}: change the calendar.",
                "Change the date of {title} to {day}{when}.",
            ],
            title=quoted(event["title"] if brief.feasible else spare["title"]),
            day=moved["date"],
            when=when,
        )
        return self.drawn(brief, agenda, instruction=instruction, target=target, event=moved)


class DeleteEvent(CalendarFamily):
    """Delete one appointment, on harder tasks several."""

    id = "delete-event"
    skills = ("click", "calendar", "dialog", "read")
    max_steps = 26
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        *agenda, spare = draw_agenda(brief, brief.by_level(4, 8, 14) + 1)
        targets = sorted(brief.sample(range(len(agenda)), brief.by_level(1, 1, 2)))
        titles = [agenda[i]["title"] for i in targets]
        if not brief.feasible:
            titles[-1] = spare["title"]
        instruction = brief.pick(
            ["Delete {} from the calendar.", "{} will not take place: delete it from the calendar and nothing else.", "Take {} out of the calendar."],
        )
        names = " and ".join(quoted(title) for title in titles)
        instruction = instruction.replace("delete it", "delete them" if len(titles) > 1 else "delete it")
        return self.drawn(brief, agenda, instruction=instruction.replace("{}", names), targets=targets)

    def after(self, params: Params) -> list[Appointment]:
        return sorted((as_appointment(data) for i, data in enumerate(params["agenda"]) if i not in params["targets"]), key=repr)

    def solve(self, solver: Solver, params: Params) -> None:
        for i in params["targets"]:
            event = as_appointment(params["agenda"][i])
            if event in world_of(solver.state):
                select_event(solver, event)
                solver.click("calendar", "delete")
                solver.click("ask:calendar", "delete")


class WhenIsEvent(CalendarFamily):
    """Say when an appointment begins or ends, or on which day it is."""

    id = "when-is-event"
    skills = ("read", "calendar", "answer")
    max_steps = 20
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        *agenda, spare = draw_agenda(brief, brief.by_level(4, 8, 14) + 1, timed=True)
        target, asked = brief.integer(0, len(agenda) - 1), brief.pick(("start", "end", "date"))
        title = quoted(agenda[target]["title"] if brief.feasible else spare["title"])
        questions = {
            "start": ["At what time does {} begin?", "When does {} begin, in hours and minutes?", "Look up the time at which {} begins."],
            "end": ["At what time does {} end?", "Until what time does {} go?", "Look up the time at which {} ends."],
            "date": ["On which date is {}?", "Which day is {} on?", "Look up the date of {}."],
        }
        like = "2026-03-01" if asked == "date" else "07:30"
        instruction = brief.pick(questions[asked]).format(title) + f" Answer in the form {like} alone."
        return self.drawn(brief, agenda, instruction=instruction, target=target, asked=asked)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        event, said = self.target(params), (outcome.answer or "").strip().rstrip(".")
        expected = {"start": event.start, "end": event.end, "date": event.date}[params["asked"]]
        read = clock.read_date(said) if params["asked"] == "date" else clock.read_time(said)
        return read is not None and read == expected and super().check(state, start, params, outcome)

    def solve(self, solver: Solver, params: Params) -> None:
        select_event(solver, self.target(params))
        solver.answer(params["agenda"][params["target"]][params["asked"]])


class FreeSlot(NewEventFamily):
    """Enter something at the first hour of a day in which nothing else is."""

    id = "free-slot"
    skills = ("read", "reason", "calendar", "type")
    max_steps = 32

    def draw(self, brief: Brief) -> dict[str, Any]:
        day = clock.START.date() + timedelta(days=brief.integer(1, brief.by_level(4, 12, 25)))
        titles = draw_titles(brief, 12)
        event = {"title": titles.pop(), "date": day.isoformat(), "place": ""}
        free = brief.integer(DAY[0] + 1, DAY[1] - 1)
        # hours before the free one are taken, by things of one or more hours; later ones may be
        hour, agenda = DAY[0], []
        while hour < free:
            length = brief.integer(1, min(free - hour, brief.by_level(4, 3, 2)))
            agenda.append({**event, "title": titles.pop(), "start": f"{hour:02d}:00", "end": f"{hour + length:02d}:00"})
            hour += length
        if free + 2 < DAY[1] and brief.chance(0.7):
            agenda.append({**event, "title": titles.pop() if titles else EVENTS[0], "start": f"{free + 1:02d}:00", "end": f"{free + 2:02d}:30"})
        for name in brief.sample(EVENTS, brief.by_level(1, 3, 5)):
            agenda.append(draw_event(brief, f"{name} again", day + timedelta(days=brief.pick((-1, 1)))))
        event["start"], event["end"] = f"{free:02d}:00", f"{free + 1:02d}:00"
        instruction = wording(
            brief,
            [
                "Find the first free hour on {day} between {first}:00 and {last}:00 and enter {title} there for one hour.",
                "Enter {title} for one hour on {day}, at the first full hour from {first}:00 to {last}:00 that is free.",
                "On {day}, the first full hour after {first}:00 (or at it) in which nothing is planned is for {title}: put it there, one hour long.",
            ],
            day=day.isoformat(),
            first=DAY[0],
            last=DAY[1],
            title=quoted(event["title"]),
        )
        return self.drawn(brief, brief.sample(agenda, len(agenda)), instruction=instruction, event=event)
