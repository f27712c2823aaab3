"""Mail: find what a message says, delete, star and move messages, and save what is attached to one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gui_gym.actions import Action
from gui_gym.desktops.sim.apps.mailbox import INBOX, TRASH
from gui_gym.desktops.sim.filesystem import HOME
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import listed, quoted, said_number, wording
from gui_gym.tasks.sim.families.mail_world import (
    MAIL_FILES,
    OWN_FOLDERS,
    SUBJECTS,
    MailFamily,
    draw_mail,
    draw_people,
    mail_window,
    moved,
    row_of,
    save_attachment,
    select_message,
    world_of,
)
from gui_gym.tasks.sim.family import Params
from gui_gym.tasks.sim.solver import Solver, middle
from gui_gym.tasks.sim.words import STEMS, note
from gui_gym.verifiers.score import Outcome

#: What a message can say, and what is asked about it.
FACTS = {
    "amount": ("The bill comes to {} euros", "How many euros does the bill come to that {} mailed about?"),
    "guests": ("We shall be {} people in the hall", "How many people will be in the hall, according to the mail from {}?"),
    "code": ("The door code is {} from now on", "Which door code is in the mail from {}?"),
    "chairs": ("Please order {} chairs for us", "How many chairs does {} ask for by mail?"),
    "copies": ("I need {} copies of the leaflet", "How many copies of the leaflet does {} need, as the mail says?"),
}


class FindMail(MailFamily):
    """Say the number that somebody's message names."""

    id = "find-mail"
    skills = ("read", "mail", "answer")
    max_steps = 16
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        people = draw_people(brief, brief.by_level(5, 8, 12))
        missing, senders = people[-1], people[:-1]
        kinds = list(FACTS)
        kind = brief.pick(kinds)
        numbers = [brief.integer(11, 9876) for _ in senders]
        # others name numbers of the same kind, and on hard tasks so does an earlier message of the same person
        facts = {i: kind if i == 0 or brief.chance(0.5) else brief.pick(kinds) for i in range(len(senders))}
        latest = brief.by_level(False, False, True)
        order = brief.sample(range(len(senders)), len(senders))
        said = {at: FACTS[facts[i]][0].format(numbers[i]) + "." for at, i in enumerate(order)}
        names = [senders[i] for i in order]
        if latest:
            names.append(senders[0])
            said[len(names) - 1] = FACTS[kind][0].format(numbers[0] + brief.integer(1, 90)) + "."
        who = senders[0] if brief.feasible else missing
        question = FACTS[kind][1].format(quoted(who))
        if latest:
            question += " Go by the later one of the two messages."
        task = brief.pick(["{} Answer with the number alone.", "{} Look it up and answer with the number.", "{} Answer with a number."])
        target = order.index(0)
        return self.drawn(brief, draw_mail(brief, names, said), instruction=task.format(question), targets=[target], number=numbers[0])

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return said_number(outcome.answer, str(params["number"])) and self.done(state, start, params)

    def solve(self, solver: Solver, params: Params) -> None:
        select_message(solver, self.messages(params)[0])
        solver.answer(str(params["number"]))


def _draw_crowd(brief: Brief, copies: int) -> tuple[list[str], list[int], str]:
    """Who messages are from, with ``copies`` of them from one person, their places in the list, and the name of that person, who wrote none
    if the task is infeasible."""
    people = draw_people(brief, brief.by_level(5, 7, 10))
    missing, others = people[-1], people[:-1]
    who = others[0]
    names = brief.sample([*[who] * copies, *others[1:]], copies + len(others) - 1)
    return names, [i for i, name in enumerate(names) if name == who], who if brief.feasible else missing


class DeleteMails(MailFamily):
    """Delete all messages of one person and no others; they may go to the trash or away for good."""

    id = "delete-mails"
    skills = ("click", "mail", "read")
    max_steps = 26
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        names, targets, who = _draw_crowd(brief, brief.by_level(1, 2, 3))
        instruction = brief.pick(
            ["Delete all mail from {}.", "Delete every message that {} has sent, and no other.", "Clear the inbox of everything that came from {}."]
        ).format(quoted(who))
        return self.drawn(brief, draw_mail(brief, names), instruction=instruction, targets=targets)

    def done(self, state: State, start: State, params: Params) -> bool:
        before, now, targets = world_of(start), world_of(state), self.messages(params)
        in_trash = [message for message in targets if replace(message, read=False) in now[TRASH]]
        expected = moved(moved(before, targets, None), [], None)
        expected[TRASH] = sorted([*before[TRASH], *(replace(message, read=False) for message in in_trash)], key=repr)
        return now == expected

    def solve(self, solver: Solver, params: Params) -> None:
        self.use_on_each(solver, params, "delete")


class StarMails(MailFamily):
    """Give a star to all messages of one person, and to no others."""

    id = "star-mails"
    skills = ("click", "mail", "read")
    max_steps = 20
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        names, targets, who = _draw_crowd(brief, brief.by_level(2, 3, 4))
        instruction = brief.pick(
            ["Put a star on all mail from {}.", "Mark every message from {} with a star.", "Star all the messages that {} has sent, and no others."]
        ).format(quoted(who))
        mail = draw_mail(brief, names)
        for i in targets:
            mail[i]["starred"] = i != targets[0] and i != targets[1] and mail[i]["starred"]
        return self.drawn(brief, mail, instruction=instruction, targets=targets)

    def done(self, state: State, start: State, params: Params) -> bool:
        expected, targets = world_of(start), self.messages(params)
        before = [replace(message, read=False) for message in targets]
        expected[INBOX] = sorted((replace(m, starred=True) if m in before else m for m in expected[INBOX]), key=repr)
        return world_of(state) == expected

    def solve(self, solver: Solver, params: Params) -> None:
        for message in self.messages(params):
            window = mail_window(solver)
            row = row_of(window, solver, message)
            if not window.view.starred[row]:
                x, y, _, h = solver.scroll_row(window, window.view, row)
                star = window.view.star_rect(solver.session.look, row)
                assert star is not None
                solver.act(Action.click(*middle((x, y, star[2], h))))


class MoveMails(MailFamily):
    """Move one or several messages into a folder of the user's own."""

    id = "move-mails"
    skills = ("click", "mail", "menu", "read")
    max_steps = 32
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        names, _, _ = _draw_crowd(brief, 1)
        count = brief.by_level(1, 2, 3)
        targets = sorted(brief.sample(range(len(names)), count))
        mail = draw_mail(brief, names)
        own = brief.sample(OWN_FOLDERS, brief.by_level(2, 3, 5))
        folder, named = own[0], [mail[i]["subject"] for i in targets]
        if not brief.feasible:  # a folder that is missing could be made
            taken = [data["subject"] for data in mail]
            named[brief.integer(0, count - 1)] = brief.pick([subject for subject in SUBJECTS if subject not in taken])
        subjects = listed(named)
        word = "message" if count == 1 else "messages"
        instruction = wording(
            brief,
            [
                "Move the {word} {subjects} to the folder {folder}.",
                "File {subjects} under {folder}.",
                "Put {subjects} into the folder {folder}.",
            ],
            word=word,
            subjects=subjects,
            folder=quoted(folder),
        )
        drawn = self.drawn(brief, mail, instruction=instruction, targets=targets, folder=folder)
        return drawn | {"folders": brief.sample(own, len(own))}

    def done(self, state: State, start: State, params: Params) -> bool:
        return world_of(state) == moved(world_of(start), self.messages(params), params["folder"])

    def solve(self, solver: Solver, params: Params) -> None:
        self.use_on_each(solver, params, f"move > {params['folder']}")


class SaveAttachment(MailFamily):
    """Save the file that is attached to a message, on hard tasks under another name."""

    id = "save-attachment"
    skills = ("click", "mail", "files", "dialog")
    max_steps = 22
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        people = draw_people(brief, brief.by_level(4, 6, 9))
        missing, senders = people[-1], people[:-1]
        mail, stems = draw_mail(brief, brief.sample(senders, len(senders))), brief.sample(STEMS, 2 * len(senders) + 1)
        target = brief.integer(0, len(senders) - 1)
        files = [(f"{stem}{brief.integer(10, 99)}.txt", note(brief.rng, brief.integer(2, 5))) for stem in stems]
        for i, data in enumerate(mail):
            count = brief.by_level(1, 2, 2) if i == target else brief.integer(0, 2)
            data["attachments"] = [list(file) for file in files[2 * i : 2 * i + count]]
        attached = mail[target]["attachments"]
        which = brief.integer(0, len(attached) - 1)
        name = attached[which][0]
        new = f"{stems[-1]}{brief.integer(10, 99)}.txt" if brief.by_level(False, False, True) else name
        folder = brief.pick(("Downloads", "Documents"))
        who = mail[target]["sender"].partition(" <")[0] if brief.feasible else missing
        renamed = f" under the name {quoted(new)}" if new != name else ""
        instruction = wording(
            brief,
            [
                "Save the file {name} that {who} has sent in the folder {folder}{renamed}.",
                "{who} has sent the file {name} by mail: save it in {folder}{renamed}.",
                "Save the attachment {name} of the mail from {who} to {folder}{renamed}.",
            ],
            name=quoted(name),
            who=quoted(who),
            folder=quoted(folder),
            renamed=renamed,
        )
        return self.drawn(brief, mail, instruction=instruction, targets=[target], which=which, path=f"{HOME}/{folder}/{new}", text=attached[which][1])

    def furnish(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        for name in ("Downloads", "Documents"):
            for stem in rng.permutation(len(STEMS))[:2]:
                session.state.files[f"{HOME}/{name}/{STEMS[int(stem)]}.txt"] = note(rng, 3)

    def may_change(self, params: Params, start: State) -> Sequence[str]:
        return [*MAIL_FILES, f"file:{params['path']}"]

    def done(self, state: State, start: State, params: Params) -> bool:
        return state.files.get(params["path"]) == params["text"] and world_of(state) == world_of(start)

    def solve(self, solver: Solver, params: Params) -> None:
        if solver.state.files.get(params["path"]) == params["text"]:
            return
        save_attachment(solver, self.messages(params)[0], params["which"], params["path"])
