"""Keeping mail in order: count messages, mark them as unread, make a folder, take something back from the trash, send a draft."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gui_gym.actions import Action, Key
from gui_gym.desktops.sim.apps.mailbox import ADDRESS, DRAFTS, INBOX, SENT, TRASH, add_message, folders, messages_in
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import listed, quoted, said_number, wording
from gui_gym.tasks.sim.families.mail_world import (
    OWN_FOLDERS,
    MailFamily,
    address_of,
    as_message,
    compose_window,
    draw_mail,
    draw_people,
    is_letter,
    is_plain,
    mail_window,
    moved,
    row_of,
    select_message,
    use_action,
    world_of,
)
from gui_gym.tasks.sim.family import Params
from gui_gym.tasks.sim.solver import Solver, middle
from gui_gym.tasks.sim.words import CITIES, LINES
from gui_gym.verifiers.score import Outcome


class CountMails(MailFamily):
    """Say how many messages are from one person, or from one and unread, or have a star."""

    id = "count-mails"
    skills = ("read", "count", "mail", "answer")
    max_steps = 16

    def draw(self, brief: Brief) -> dict[str, Any]:
        who, *others = draw_people(brief, brief.by_level(2, 3, 4))
        size = brief.integer(*brief.by_level((7, 9), (9, 13), (12, 22)))
        from_who = brief.integer(1, size - 2)  # so that every number is as likely
        names = [who] * from_who + [brief.pick(others) for _ in range(size - from_who)]
        mail = draw_mail(brief, brief.sample(names, size))
        starred, unread = brief.sample(range(size), brief.integer(1, size - 1)), brief.sample(range(size), brief.integer(1, size - 1))
        for i, data in enumerate(mail):
            data["starred"], data["read"] = i in starred, i not in unread
        counts = {
            "from {}": [who in data["sender"] for data in mail],
            "with a star": [data["starred"] for data in mail],
            "from {} that have a star": [who in data["sender"] and data["starred"] for data in mail],
            "from {} that have not been read": [who in data["sender"] and not data["read"] for data in mail],
        }
        asked = brief.pick(list(counts)[: brief.by_level(2, 4, 4)])
        instruction = wording(
            brief,
            [
                "How many messages {what} are in the inbox? Answer with the number alone.",
                "Count the messages {what} in the inbox and answer with the number.",
                "Tell how many messages {what} there are in the inbox, as a number.",
            ],
            what=asked.format(quoted(who)),
        )
        return self.drawn(brief, mail, instruction=instruction, number=sum(counts[asked]))

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return said_number(outcome.answer, str(params["number"])) and self.done(state, start, params)

    def solve(self, solver: Solver, params: Params) -> None:
        window = mail_window(solver)
        solver.scroll_row(window, window.view, len(window.view.rows) - 1)
        solver.answer(str(params["number"]))


class MarkUnread(MailFamily):
    """Mark messages that have been read as unread again, and leave the others as they are."""

    id = "mark-unread"
    skills = ("click", "menu", "mail", "read")
    max_steps = 32

    def draw(self, brief: Brief) -> dict[str, Any]:
        people = draw_people(brief, brief.by_level(6, 9, 12))
        mail = draw_mail(brief, people)
        targets = sorted(brief.sample(range(len(mail)), brief.by_level(1, 2, 3)))
        for i, data in enumerate(mail):
            data["read"] = i in targets or data["read"]
        subjects = listed([mail[i]["subject"] for i in targets])
        instruction = wording(
            brief,
            [
                "Mark {what} as unread.",
                "Mark the mail about {what} as not read yet, and change nothing about the rest.",
                "Set {what} back to unread, as if nobody had opened it.",
            ],
            what=subjects,
        )
        return self.drawn(brief, mail, instruction=instruction, targets=targets)

    def done(self, state: State, start: State, params: Params) -> bool:
        if world_of(state) != world_of(start):
            return False
        unread = [replace(message, read=False) for message in messages_in(state.files, INBOX).values() if not message.read]
        before = [replace(message, read=False) for message in messages_in(start.files, INBOX).values() if not message.read]
        wanted = [replace(message, read=False) for message in self.messages(params)]
        # an unread message that was looked at on the way is no harm
        return all(message in unread for message in wanted) and all(message in wanted or message in before for message in unread)

    def solve(self, solver: Solver, params: Params) -> None:
        for message in self.messages(params):
            window = mail_window(solver)
            if not window.view.unread[row_of(window, solver, message)]:
                select_message(solver, message)
                use_action(solver, "unread")


class MakeMailFolder(MailFamily):
    """Make a new folder and move messages into it."""

    id = "make-mail-folder"
    skills = ("click", "type", "menu", "mail")
    max_steps = 36

    def draw(self, brief: Brief) -> dict[str, Any]:
        people = draw_people(brief, brief.by_level(5, 7, 10))
        mail = draw_mail(brief, people)
        targets = sorted(brief.sample(range(len(mail)), brief.by_level(1, 1, 2)))
        *own, new = brief.sample(OWN_FOLDERS, brief.by_level(2, 3, 5))
        name = f"{new} {brief.pick(('2026', '2027', 'A', 'B', 'old', *CITIES))}"
        instruction = wording(
            brief,
            [
                "Make a mail folder {name} and move {what} into it.",
                "In the mail program, create the folder {name} for {what}, and put that there.",
                "{what} shall go into a new mail folder called {name}.",
            ],
            name=quoted(name),
            what=listed([mail[i]["subject"] for i in targets]),
        )
        return self.drawn(brief, mail, instruction=instruction, targets=targets, folder=name) | {"folders": own}

    def done(self, state: State, start: State, params: Params) -> bool:
        before = {**world_of(start), params["folder"]: []}
        return world_of(state) == moved(before, self.messages(params), params["folder"])

    def solve(self, solver: Solver, params: Params) -> None:
        mail_window(solver)
        if params["folder"] not in folders(solver.state.files):
            solver.open_menu("mail", "menu", "file")
            solver.choose("new-folder")
            solver.fill("prompt:mail", "text", params["folder"])
            solver.press(Key.ENTER)
        self.use_on_each(solver, params, f"move > {params['folder']}")


class RestoreMail(MailFamily):
    """Take a message out of the trash, back to the inbox."""

    id = "restore-mail"
    skills = ("click", "mail", "menu", "read")
    max_steps = 24
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        *people, missing = draw_people(brief, brief.by_level(7, 11, 16))
        mail = draw_mail(brief, people)
        count = brief.by_level(3, 5, 8)
        target = brief.integer(len(mail) - count, len(mail) - 1)
        instruction = wording(
            brief,
            [
                "The mail from {who} was deleted by mistake: move it from the trash back to the inbox.",
                "Get the mail from {who} back out of the trash and into the inbox.",
                "Restore the deleted mail from {who}: it belongs in the inbox.",
            ],
            who=quoted(people[target] if brief.feasible else missing),
        )
        kept, gone = mail[: len(mail) - count], mail[len(mail) - count :]
        return self.drawn(brief, kept, instruction=instruction, trash=gone, target=target - len(kept))

    def furnish(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        for data in reversed(params["trash"]):
            add_message(session.state.files, TRASH, as_message(data))

    def done(self, state: State, start: State, params: Params) -> bool:
        target, expected = replace(as_message(params["trash"][params["target"]]), read=False), world_of(start)
        expected[TRASH] = [message for message in expected[TRASH] if message != target]
        expected[INBOX] = sorted([*expected[INBOX], target], key=repr)
        return world_of(state) == expected

    def solve(self, solver: Solver, params: Params) -> None:
        target = as_message(params["trash"][params["target"]])
        if replace(target, read=False) in world_of(solver.state)[TRASH]:
            window = mail_window(solver, TRASH)
            row = row_of(window, solver, target)
            place = solver.scroll_row(window, window.view, row)
            if window.view.selected != row:
                solver.act(Action.click(*middle(place)))
            use_action(solver, f"move > {INBOX}")


class SendDraft(MailFamily):
    """Finish a draft: give it the right address, on harder tasks also correct its text, and send it."""

    id = "send-draft"
    skills = ("type", "edit", "mail", "read")
    max_steps = 28

    def draw(self, brief: Brief) -> dict[str, Any]:
        people = draw_people(brief, brief.by_level(6, 8, 11))
        drafts = [
            {**data, "sender": f"Sam Rivera <{ADDRESS}>", "to": "", "read": True, "starred": False, "text": f"{text} on {brief.integer(1, 28)} March"}
            for data, text in zip(draw_mail(brief, people[: brief.by_level(1, 2, 4)]), brief.sample(LINES, 4), strict=False)
        ]
        target, to = brief.integer(0, len(drafts) - 1), address_of(people[-1])
        text = drafts[target]["text"]
        new = f"{text.rpartition(' on ')[0]} on {brief.integer(1, 30)} April" if brief.by_level(False, True, True) else text
        change = f", but first change its text to {quoted(new)}" if new != text else ""
        instruction = wording(
            brief,
            [
                "Send the draft {subject} to {to}{change}.",
                "There is a draft called {subject}: send it to {to}{change}.",
                "Address the draft {subject} to {to} and send it{change}.",
            ],
            subject=quoted(drafts[target]["subject"]),
            to=quoted(to),
            change=change,
        )
        mail = draw_mail(brief, people[5:-1] or people[:2])
        return self.drawn(brief, mail, instruction=instruction, drafts=drafts, target=target, to=to, text=new)

    def furnish(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        for data in reversed(params["drafts"]):
            add_message(session.state.files, DRAFTS, as_message(data))

    def done(self, state: State, start: State, params: Params) -> bool:
        draft, now, expected = as_message(params["drafts"][params["target"]]), world_of(state), world_of(start)
        new = [message for message in now[SENT] if message not in expected[SENT]]
        expected[DRAFTS] = [message for message in expected[DRAFTS] if message != replace(draft, read=False)]
        expected[SENT] = sorted([*expected[SENT], *new], key=repr)
        right = len(new) == 1 and is_letter(new[0], [params["to"]], draft.subject, params["text"])
        return right and not new[0].attachments and now == expected and is_plain(new[0], state, start)

    def solve(self, solver: Solver, params: Params) -> None:
        draft = as_message(params["drafts"][params["target"]])
        window = mail_window(solver, DRAFTS)
        place = solver.scroll_row(window, window.view, row_of(window, solver, draft))
        solver.act(Action.click(*middle(place), clicks=2))  # as one action it is a double click whatever was clicked before
        compose = compose_window(solver)
        solver.fill(compose.id, "to", params["to"])
        if compose.widget("text").value != params["text"]:
            solver.fill(compose.id, "text", params["text"])
        solver.click(compose.id, "send")
