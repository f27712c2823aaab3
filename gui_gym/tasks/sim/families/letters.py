"""Writing mail: new messages, replies, forwarding, and what goes from a message to the calendar and back."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, ClassVar

import numpy as np

from gui_gym.desktops.sim import clock
from gui_gym.desktops.sim.apps.mailbox import prefixed, quote
from gui_gym.desktops.sim.filesystem import HOME
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.agenda_world import (
    CALENDAR_FILES,
    as_appointment,
    draw_agenda,
    enter_event,
    is_agenda,
    open_calendar_somewhere,
    select_event,
    with_event,
    write_agenda,
)
from gui_gym.tasks.sim.families.agenda_world import world_of as agenda_of
from gui_gym.tasks.sim.families.common import quoted, wording
from gui_gym.tasks.sim.families.mail_world import (
    MAIL_FILES,
    SUBJECTS,
    MailFamily,
    address_of,
    attach,
    draw_mail,
    draw_people,
    is_letter,
    mail_window,
    select_message,
    sent_since,
    use_action,
    write,
)
from gui_gym.tasks.sim.families.mail_world import world_of as mail_of
from gui_gym.tasks.sim.families.settings import set_setting
from gui_gym.tasks.sim.family import Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import CITIES, LINES, SENTENCES, STEMS, note

SIGNATURES = ("", "Sam Rivera, Oslo", "Kind regards, Sam", "Sam · tel. 5521")


def _sentence(brief: Brief) -> str:
    """A text to write; always a new one, as it ends in a number."""
    return f"{brief.pick((*SENTENCES, *LINES))}, {brief.pick(CITIES)} {brief.integer(2, 999)}"


class WritingFamily(MailFamily):
    """A task that ends with one message sent."""

    max_steps = 30

    def furnish(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        session.state.settings["mail_signature"] = SIGNATURES[int(rng.integers(len(SIGNATURES)))]

    def spoil(self, solver: Solver, params: Params) -> bool:
        mail_window(solver)
        if not solver.widget("mail", "new").w:
            return False
        solver.click("mail", "new")
        write(solver, "once more", to="somebody@example.org", subject="x")
        return True


class SendMail(WritingFamily):
    """Write a new message with a subject and a text, on harder tasks with a copy to somebody or with a file."""

    id = "send-mail"
    skills = ("type", "mail", "form", "dialog")
    max_steps = 36

    def draw(self, brief: Brief) -> dict[str, Any]:
        people = draw_people(brief, brief.by_level(4, 6, 8))
        to, cc = address_of(people[0]), address_of(people[1]) if brief.by_level(False, True, True) and brief.chance(0.6) else ""
        subject, text = f"{brief.pick(SUBJECTS)} {brief.integer(2, 99)}", _sentence(brief)
        files = {f"{stem}{brief.integer(10, 99)}.txt": note(brief.rng, 3) for stem in brief.sample(STEMS, 4)}
        file = brief.pick(sorted(files)) if brief.by_level(False, False, True) else ""
        instruction = wording(
            brief,
            [
                "Send a mail to {to} with the subject {subject} and the text {text}{more}.",
                "Write to {to}: the subject is {subject}, the text is {text}{more}.",
                "Mail the text {text} to {to} under the subject {subject}{more}.",
            ],
            to=quoted(to),
            subject=quoted(subject),
            text=quoted(text),
            more=(f", with a copy to {quoted(cc)}" if cc else "") + (f", and attach {quoted(file)} from {quoted('Documents')}" if file else ""),
        )
        mail = draw_mail(brief, people[2:])
        return self.drawn(brief, mail, instruction=instruction, to=to, cc=cc, subject=subject, text=text, files=files, file=file)

    def furnish(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        super().furnish(session, params, rng)
        session.state.files.update({f"{HOME}/Documents/{name}": text for name, text in params["files"].items()})

    def done(self, state: State, start: State, params: Params) -> bool:
        message = sent_since(state, start)
        attached = ((params["file"], params["files"][params["file"]]),) if params["file"] else ()
        cc = [params["cc"]] if params["cc"] else []
        return message is not None and is_letter(message, [params["to"]], params["subject"], params["text"], cc) and message.attachments == attached

    def solve(self, solver: Solver, params: Params) -> None:
        mail_window(solver)
        solver.click("mail", "new")
        if params["file"]:
            attach(solver, f"{HOME}/Documents/{params['file']}")
        write(solver, params["text"], to=params["to"], cc=params["cc"], subject=params["subject"])


class ReplyToMail(WritingFamily):
    """Answer a message, or its sender and everybody else it went to."""

    id = "reply-to-mail"
    skills = ("type", "mail", "read")
    max_steps = 22
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        people = draw_people(brief, brief.by_level(5, 8, 11))
        missing, senders = people[-1], brief.sample(people[:-1], len(people) - 1)
        mail = draw_mail(brief, senders)
        target, text = brief.integer(0, len(mail) - 1), _sentence(brief)
        for data in mail:
            others = brief.sample(people[:-1], 2)
            data["cc"] = ", ".join(f"{name} <{address_of(name)}>" for name in others if name not in data["sender"]) if brief.chance(0.7) else ""
        everyone = bool(mail[target]["cc"]) and brief.by_level(False, True, True) and brief.chance(0.6)
        who = senders[target] if brief.feasible else missing
        verb = "Reply to {who} and everybody else who got the mail" if everyone else "Reply to {who} alone"
        instruction = wording(
            brief,
            [
                f"{verb} with the text {{text}}.",
                f"Answer the mail from {{who}}{' to all' if everyone else ''}: {{text}} is all that the answer shall say.",
                f"{verb}; the answer is {{text}}.",
            ],
            who=quoted(who),
            text=quoted(text),
        )
        return self.drawn(brief, mail, instruction=instruction, targets=[target], text=text, everyone=everyone)

    def done(self, state: State, start: State, params: Params) -> bool:
        data = params["mail"][params["targets"][0]]
        cc = [address_of(part.partition(" <")[0]) for part in data["cc"].split(", ") if part] if params["everyone"] else []
        sender = address_of(data["sender"].partition(" <")[0])
        message = sent_since(state, start)
        return message is not None and not message.attachments and is_letter(message, [sender], prefixed("Re: ", data["subject"]), params["text"], cc)

    def solve(self, solver: Solver, params: Params) -> None:
        select_message(solver, self.messages(params)[0])
        use_action(solver, "reply-all" if params["everyone"] else "reply")
        write(solver, params["text"])


class ForwardMail(WritingFamily):
    """Pass a message on, with what is attached to it, and on harder tasks with a remark."""

    id = "forward-mail"
    skills = ("type", "mail", "read")
    max_steps = 24
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        people = draw_people(brief, brief.by_level(5, 8, 11))
        to, missing, senders = address_of(people[-1]), people[-2], people[:-2]
        mail = draw_mail(brief, brief.sample(senders, len(senders)))
        target = brief.integer(0, len(mail) - 1)
        for data in mail:
            if brief.chance(0.4):
                data["attachments"] = [[f"{brief.pick(STEMS)}{brief.integer(10, 99)}.txt", note(brief.rng, 2)]]
        text = _sentence(brief) if brief.by_level(False, True, True) else ""
        who = mail[target]["sender"].partition(" <")[0] if brief.feasible else missing
        instruction = wording(
            brief,
            [
                "Forward the mail from {who} to {to}{text}.",
                "Pass on to {to} what {who} wrote{text}.",
                "Send the mail from {who} on to {to}{text}.",
            ],
            who=quoted(who),
            to=quoted(to),
            text=f" and write {quoted(text)} above it" if text else "",
        )
        return self.drawn(brief, mail, instruction=instruction, targets=[target], text=text, to=to)

    def done(self, state: State, start: State, params: Params) -> bool:
        original, message = self.messages(params)[0], sent_since(state, start)
        if message is None or not is_letter(message, [params["to"]], prefixed("Fwd: ", original.subject), params["text"]):
            return False
        return message.attachments == original.attachments and quote(original.text) in message.text

    def solve(self, solver: Solver, params: Params) -> None:
        select_message(solver, self.messages(params)[0])
        use_action(solver, "forward")
        write(solver, params["text"], to=params["to"])


class EventFromMail(MailFamily):
    """Enter the meeting that a message asks for into the calendar."""

    id = "event-from-mail"
    has_infeasible = True
    skills = ("read", "type", "mail", "calendar", "multi-app")
    max_steps = 36
    touches: ClassVar[tuple[str, ...]] = (*MAIL_FILES, CALENDAR_FILES)

    def draw(self, brief: Brief) -> dict[str, Any]:
        *senders, missing = draw_people(brief, brief.by_level(5, 7, 10))
        order = brief.sample(range(len(senders)), len(senders))
        target, said, events = order.index(0), {}, {}
        for at, i in enumerate(order):
            if i == 0 or brief.chance(brief.by_level(0.2, 0.4, 0.6)):
                day = clock.START.date() + timedelta(days=brief.integer(1, 19))
                start = brief.integer(8, 17)
                end = start + brief.integer(1, 3)
                place = brief.pick(CITIES)
                kind, whom = brief.pick(("Meeting", "Call", "Walk", "Lunch", "Visit")), senders[i] if i or brief.feasible else missing
                title = f"{kind} with {whom.split(' ')[0]}"
                events[i] = {"title": title, "date": day.isoformat(), "start": f"{start:02d}:00", "end": f"{end:02d}:00", "place": place}
                said[at] = f"Can we meet in {place} on {day.isoformat()} from {start}:00 to {end}:00?"
        event = events[0]
        if brief.by_level(True, False, False):
            event["place"] = ""
        instruction = wording(
            brief,
            [
                "{who} asks for a meeting by mail. Enter it into the calendar as {title}{place}, with its date and times.",
                "Put the meeting that {who} writes about into the calendar: call it {title}{place}.",
                "Read the mail from {who} and add the meeting to the calendar as {title}{place}, from its start to its end.",
            ],
            who=quoted(senders[0] if brief.feasible else missing),
            title=quoted(event["title"]),
            place=", with the place" if event["place"] else " and leave the place empty",
        )
        mail = draw_mail(brief, [senders[i] for i in order], said)
        return self.drawn(brief, mail, instruction=instruction, targets=[target], event=event, agenda=draw_agenda(brief, brief.by_level(2, 5, 9)))

    def furnish(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        write_agenda(session.state.files, params["agenda"])

    def done(self, state: State, start: State, params: Params) -> bool:
        return mail_of(state) == mail_of(start) and is_agenda(state, with_event(agenda_of(start), as_appointment(params["event"])))

    def solve(self, solver: Solver, params: Params) -> None:
        if agenda_of(solver.state) == with_event(sorted(map(as_appointment, params["agenda"]), key=repr), as_appointment(params["event"])):
            return
        select_message(solver, self.messages(params)[0])
        enter_event(solver, as_appointment(params["event"]))


class MailTheEvent(WritingFamily):
    """Tell somebody by mail when something in the calendar begins."""

    id = "mail-the-event"
    skills = ("read", "type", "mail", "calendar", "multi-app")
    max_steps = 36

    def draw(self, brief: Brief) -> dict[str, Any]:
        people = draw_people(brief, 5)
        agenda = draw_agenda(brief, brief.by_level(4, 8, 14), timed=True)
        target, to = brief.integer(0, len(agenda) - 1), address_of(people[0])
        title = agenda[target]["title"]
        instruction = wording(
            brief,
            [
                "Look up when {title} begins and mail it to {to}: the subject is {title}, the text just date and time, such as {like}.",
                "Let {to} know when {title} is. Subject: {title}. Text: date and start, written like {like}.",
                "Send {to} a mail with the subject {title} that says when this begins, in the form {like} and nothing else.",
            ],
            title=quoted(title),
            to=quoted(to),
            like=quoted("2026-03-01 07:30"),
        )
        return self.drawn(brief, draw_mail(brief, people[1:]), instruction=instruction, agenda=agenda, target=target, to=to)

    def furnish(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        super().furnish(session, params, rng)
        write_agenda(session.state.files, params["agenda"])
        if rng.random() < 0.5:
            open_calendar_somewhere(session, rng)

    def _text(self, params: Params) -> str:
        event = params["agenda"][params["target"]]
        return f"{event['date']} {event['start']}"

    def done(self, state: State, start: State, params: Params) -> bool:
        message = sent_since(state, start)
        title = params["agenda"][params["target"]]["title"]
        return message is not None and not message.attachments and is_letter(message, [params["to"]], title, self._text(params))

    def solve(self, solver: Solver, params: Params) -> None:
        select_event(solver, as_appointment(params["agenda"][params["target"]]))
        mail_window(solver)
        solver.click("mail", "new")
        write(solver, self._text(params), to=params["to"], subject=params["agenda"][params["target"]]["title"])


class SignMail(WritingFamily):
    """Give mail a signature in the settings, and send a message that has it."""

    id = "sign-mail"
    skills = ("type", "mail", "settings", "multi-app")
    max_steps = 34
    touches = (*MAIL_FILES, "setting:mail_signature")

    def draw(self, brief: Brief) -> dict[str, Any]:
        people = draw_people(brief, brief.by_level(4, 6, 8))
        signature = (
            f"{brief.pick(('Sam Rivera', 'Yours, Sam', 'S. Rivera', 'Best wishes, Sam'))}, {brief.pick(CITIES)}, tel. {brief.integer(1000, 9999)}"
        )
        subject, text, to = f"{brief.pick(SUBJECTS)} {brief.integer(2, 99)}", _sentence(brief), address_of(people[0])
        instruction = wording(
            brief,
            [
                "Set the signature of mail to {signature}, then send {to} a mail with the subject {subject} and the text {text} above it.",
                "From now on mail shall be signed {signature}: set that up, and then write {text} to {to} with the subject {subject}.",
                "Make {signature} the signature in the settings. After that, send the text {text} to {to}, subject {subject}, with this signature.",
            ],
            signature=quoted(signature),
            to=quoted(to),
            subject=quoted(subject),
            text=quoted(text),
        )
        return self.drawn(brief, draw_mail(brief, people[1:]), instruction=instruction, signature=signature, to=to, subject=subject, text=text)

    def done(self, state: State, start: State, params: Params) -> bool:
        message = sent_since(state, start)
        if message is None or state.settings["mail_signature"] != params["signature"] or message.attachments:
            return False
        return is_letter(message, [params["to"]], params["subject"], params["text"]) and f"\n-- \n{params['signature']}" in message.text

    def solve(self, solver: Solver, params: Params) -> None:
        if solver.state.settings["mail_signature"] != params["signature"]:
            set_setting(solver, "mail_signature", params["signature"])
        mail_window(solver)
        solver.click("mail", "new")
        write(solver, params["text"], to=params["to"], subject=params["subject"])
