"""Errands with the calendar: what it says goes into a file or to somebody by mail, and what a file or a mail says changes it."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from gui_gym.desktops.sim import clock
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.agenda_world import (
    as_appointment,
    calendar_window,
    draw_agenda,
    draw_event,
    draw_titles,
    enter_event,
    fill_form,
    select_event,
    show_day,
    span,
)
from gui_gym.tasks.sim.families.agenda_world import world_of as agenda_of
from gui_gym.tasks.sim.families.common import listed, quoted, wording
from gui_gym.tasks.sim.families.errand_files import write_texts
from gui_gym.tasks.sim.families.errand_world import Errand, document, draw_file_names, draw_place, reached, read_mail, send, shown
from gui_gym.tasks.sim.families.errands import draw_subject, recipient
from gui_gym.tasks.sim.families.mail_world import address_of, draw_mail, draw_people
from gui_gym.tasks.sim.family import Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import CITIES, LINES, SENTENCES, note


def coming_day(brief: Brief) -> date:
    """A day in the weeks to come, later on harder tasks."""
    return clock.START.date() + timedelta(days=brief.integer(1, brief.by_level(9, 18, 40)))


class DayPlan(Errand):
    """Write the appointments of a day into a text file, in their order."""

    id = "day-plan"
    skills = ("read", "calendar", "editor", "files", "type", "multi-app")

    def draw(self, brief: Brief) -> dict[str, Any]:
        count, more = brief.by_level(2, 3, 5), brief.by_level(2, 6, 12)
        day = clock.START.date() + timedelta(days=brief.integer(0, brief.by_level(2, 9, 40)))
        titles, agenda = draw_titles(brief, count + more), []
        for i, (title, hour) in enumerate(zip(titles, brief.sample(range(14, 42), count + more), strict=True)):
            away = 0 if i < count else brief.pick([-7, -2, -1, 1, 2, 7])
            start, end = span(hour, 30 * brief.integer(1, 4))
            place = brief.pick(CITIES) if brief.chance(0.3) else ""
            agenda.append({"title": title, "date": (day + timedelta(days=away)).isoformat(), "start": start, "end": end, "place": place})
        lines = [f"{event['start']} {event['title']}" for event in sorted(agenda[:count], key=lambda event: event["start"])]
        folder, name = draw_place(brief), f"{brief.pick(('day', 'plan', 'today', 'agenda'))}-{brief.integer(10, 99)}.txt"
        other, path = draw_file_names(brief, 1, "txt")[0], f"{folder}/{name}"
        there = brief.by_level(True, False, False)
        instruction = wording(
            brief,
            [
                "Write what the calendar has on {day} into {file}: a line for each appointment, in the order of time, such as {like}.",
                "Make a plan of {day} from the calendar in {file}. Each line is a start and a title, like {like}, the earliest first.",
                "List the appointments of {day} in {file}, one a line from first to last, written like {like}.",
            ],
            day=quoted(day.isoformat()),
            file=f"the empty file {quoted(name)} in {quoted(folder)}" if there else f"the new text file {quoted(name)} in {quoted(folder)}",
            like=quoted("14:30 Tea"),
        )
        files = {f"{folder}/{other}": note(brief.rng, 4)} | ({path: ""} if there else {})
        open_ = shown(brief, path, "calendar") if there else shown(brief, "calendar", f"files:{folder}")
        agenda = brief.sample(agenda, len(agenda))
        return self.drawn(brief, instruction, {"texts": {path: lines}}, open_, files=files, agenda=agenda, day=day.isoformat())

    def solve(self, solver: Solver, params: Params) -> None:
        if not reached(solver.state, params["goal"], "texts"):
            calendar_window(solver)
            day = clock.read_date(params["day"])
            assert day is not None
            show_day(solver, day)
            write_texts(solver, params)


class NoteToCalendar(Errand):
    """Enter appointments that a text file lists into the calendar: one, on harder tasks all that the file marks as settled."""

    id = "note-to-calendar"
    skills = ("read", "editor", "files", "calendar", "type", "multi-app")
    has_infeasible = True
    max_steps = 60

    def draw(self, brief: Brief) -> dict[str, Any]:
        count, wanted = brief.by_level(3, 5, 8), brief.by_level(1, 1, 2)
        *titles, missing = brief.sample([f"{what} in {city}" for what in ("Tour", "Walk", "Visit", "Talk", "Fair") for city in CITIES], count + 1)
        events = [draw_event(brief, title, coming_day(brief)) for title in titles]
        targets, marked = brief.sample(range(count), wanted), brief.feasible and brief.by_level(False, brief.chance(0.5), brief.chance(0.5))
        mark, *marks = brief.sample(("settled", "not settled", "open", "asked", "cancelled"), 4)
        lines = []
        for i, event in enumerate(events):
            line = f"{event['date']}, {event['start']} to {event['end']}: {event['title']}" + (f", place: {event['place']}" if event["place"] else "")
            lines.append(f"{line} ({mark if i in targets else brief.pick(marks)})" if marked else line)
        folder, (name, *more) = draw_place(brief), draw_file_names(brief, brief.by_level(1, 3, 5), "txt")
        path = f"{folder}/{name}"
        named = [titles[i] for i in targets] if brief.feasible else [missing, *(titles[i] for i in targets[1:])]
        what = f"all appointments that are marked {quoted(mark)}" if marked else listed(named)
        instruction = wording(
            brief,
            [
                "From the file {file} in {folder}, enter {what} into the calendar: title, day, times and, if there is one, the place.",
                "The file {file} in {folder} lists appointments. Put {what} into the calendar, with the day, the times and the place, if it has one.",
                "Copy {what} from {file} in {folder} to the calendar, with title, day, times and place as the file has them.",
            ],
            what=what,
            file=quoted(name),
            folder=quoted(folder),
        )
        agenda, new = draw_agenda(brief, brief.by_level(2, 5, 9)), [events[i] for i in targets]
        files = {path: "".join(f"{line}\n" for line in lines), **{f"{folder}/{each}": note(brief.rng, 3) for each in more}}
        goal = {"agenda": [*agenda, *new]}
        return self.drawn(brief, instruction, goal, shown(brief, path, "calendar"), files=files, agenda=agenda, note=path, new=new)

    def solve(self, solver: Solver, params: Params) -> None:
        if reached(solver.state, params["goal"], "agenda"):
            return
        document(solver, params["note"])
        for event in map(as_appointment, params["new"]):
            if event not in agenda_of(solver.state):
                enter_event(solver, event)


class CancelAndTell(Errand):
    """Delete an appointment and tell somebody by mail. On hard tasks it is one of several of the same name."""

    id = "cancel-and-tell"
    skills = ("calendar", "mail", "dialog", "type", "multi-app")
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        people, *agenda = draw_people(brief, brief.by_level(4, 6, 8)), *draw_agenda(brief, brief.by_level(4, 7, 10) + 1)
        missing = agenda.pop()["title"]
        target = brief.pick(agenda)
        if brief.by_level(False, False, True):
            day = clock.read_date(target["date"])
            assert day is not None
            agenda += [draw_event(brief, target["title"], day + timedelta(days=away)) for away in brief.sample((-7, -1, 1, 7, 14), 2)]
        subject, text = draw_subject(brief), f"{brief.pick((*LINES, *SENTENCES))}, {brief.pick(CITIES)} {brief.integer(2, 999)}"
        instruction = wording(
            brief,
            [
                "Delete {title} on {day} from the calendar, and send {to} a mail with the subject {subject} and the text {text}.",
                "{title} on {day} is cancelled: remove it from the calendar. Then write {text} to {to}, under the subject {subject}.",
                "Take {title} on {day} out of the calendar and let {to} know by mail. Subject: {subject}. Text: {text}.",
            ],
            title=quoted(target["title"] if brief.feasible else missing),
            day=target["date"],
            to=recipient(brief, people[0]),
            subject=quoted(subject),
            text=quoted(text),
        )
        letter = {"to": address_of(people[0]), "subject": subject, "words": text, "attached": []}
        goal = {"agenda": [event for event in agenda if event is not target], "letter": letter}
        mail = draw_mail(brief, brief.sample(people, len(people)))
        agenda = brief.sample(agenda, len(agenda))
        return self.drawn(brief, instruction, goal, shown(brief, "calendar", "mail"), mail=mail, agenda=agenda, target=target)

    def solve(self, solver: Solver, params: Params) -> None:
        if as_appointment(params["target"]) in agenda_of(solver.state):
            select_event(solver, as_appointment(params["target"]))
            solver.click("calendar", "delete")
            solver.click("ask:calendar", "delete")
        send(solver, params["goal"]["letter"])


class MoveByMail(Errand):
    """Move an appointment to the day and times that somebody asks for by mail."""

    id = "move-by-mail"
    skills = ("read", "mail", "calendar", "type", "multi-app")
    has_infeasible = True
    max_steps = 40

    def draw(self, brief: Brief) -> dict[str, Any]:
        *people, missing = draw_people(brief, brief.by_level(4, 6, 9))
        agenda = draw_agenda(brief, brief.by_level(4, 6, 9), timed=True)
        order, said, asked = brief.sample(range(len(people)), len(people)), {}, brief.sample(range(len(agenda)), brief.by_level(2, 3, 5))
        goal = list(agenda)
        for i, which in enumerate(asked[: len(people)]):
            event = draw_event(brief, agenda[which]["title"], coming_day(brief)) | {"place": agenda[which]["place"]}
            said[order.index(i)] = f"Can we move {event['title']} to {event['date']}, from {event['start']} to {event['end']}?"
            if i == 0:
                goal[which] = event
        instruction = wording(
            brief,
            [
                "{who} asks by mail to move an appointment. Change it in the calendar to that day and those times.",
                "Move the appointment that {who} writes about to the day and the times that the mail asks for.",
                "Do in the calendar what {who} asks for by mail: the appointment gets the new day and times, and is otherwise as before.",
            ],
            who=quoted(people[0] if brief.feasible else missing),
        )
        mail = draw_mail(brief, [people[i] for i in order], said)
        change = {"old": agenda[asked[0]], "new": goal[asked[0]], "about": order.index(0)}
        return self.drawn(brief, instruction, {"agenda": goal}, shown(brief, "calendar", "mail"), mail=mail, agenda=agenda, **change)

    def solve(self, solver: Solver, params: Params) -> None:
        if not reached(solver.state, params["goal"], "agenda"):
            read_mail(solver, params)
            select_event(solver, as_appointment(params["old"]))
            solver.click("calendar", "edit")
            fill_form(solver, as_appointment(params["new"]))
