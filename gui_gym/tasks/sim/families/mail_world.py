"""The mail of tasks: how it is drawn, laid out, looked through and compared."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, ClassVar

import numpy as np

from gui_gym.actions import Action, Button, Key, Modifier
from gui_gym.desktops.sim import clock
from gui_gym.desktops.sim.apps.compose import FIELDS, Compose, forward, reply_to
from gui_gym.desktops.sim.apps.file_dialog import FileDialog
from gui_gym.desktops.sim.apps.mail import Mail, make_mail
from gui_gym.desktops.sim.apps.mailbox import (
    ADDRESS,
    INBOX,
    MAIL,
    SENT,
    Message,
    add_folder,
    add_message,
    addresses,
    folders,
    messages_in,
    own_words,
)
from gui_gym.desktops.sim.layout import place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.shell import START, bar_parts
from gui_gym.desktops.sim.state import State
from gui_gym.desktops.sim.widgets.listview import ListView
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import clutter
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver, middle
from gui_gym.tasks.sim.words import FIRST, LAST, LINES, SENTENCES
from gui_gym.tasks.task import TaskError
from gui_gym.verifiers.score import Outcome

SUBJECTS = (
    "Saturday", "The garden party", "Your order", "Choir practice", "Lost keys", "Parking permit", "Photos from the lake", "Next week", "Invoice",
    "Bicycle for sale", "Minutes of the meeting", "A favour", "Holiday plans", "Broken lift", "Thank you", "New phone number", "Book club",
    "Train times", "Rent", "Recipe", "Library notice", "Football", "Question about the form", "Heating",
)  # fmt: skip
GREETINGS = ("Hello Sam,", "Dear Sam,", "Hi Sam,", "Good morning,", "Hi,")
OWN_FOLDERS = ("Work", "Family", "Bills", "Travel", "Club", "School", "House", "Orders")
_SPELT = str.maketrans({"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "'": ""})

World = dict[str, list[Message]]
SIGNED = "-- "  #: the line that begins a signature
MAIL_FILES = (f"file:{MAIL}/*/*.eml", f"file:{MAIL}/*/")  #: what changes as mail is read, written and moved: messages and folders


# Drawing


def address_of(name: str) -> str:
    """The e-mail address of a person."""
    plain = unicodedata.normalize("NFKD", name.translate(_SPELT)).encode("ascii", "ignore").decode("ascii")
    return f"{plain.lower().replace(' ', '.')}@example.org"


def draw_people(brief: Brief, n: int) -> list[str]:
    """``n`` different people; on hard tasks the first two have the same first name."""
    firsts, lasts = brief.sample(FIRST, len(FIRST)), brief.sample(LAST, len(LAST))
    people = [f"{firsts[i % len(firsts)]} {lasts[(i + i // len(firsts)) % len(lasts)]}" for i in range(n)]
    if brief.by_level(False, False, True):
        people[1] = f"{firsts[0]} {lasts[1]}"
    return people


def draw_text(brief: Brief, sender: str, *said: str) -> str:
    """A letter of a few sentences that says ``said`` among others."""
    lines = [f"{line}." for line in brief.sample(LINES, brief.by_level(0, 1, 2))] + list(said)
    lines = brief.sample(lines or [f"{brief.pick(LINES)}."], len(lines) or 1)
    return f"{brief.pick(GREETINGS)}\n\n" + "\n".join(lines) + f"\n\n{sender.split(' ')[0]}\n"


def draw_mail(brief: Brief, senders: Sequence[str], said: Mapping[int, str] | None = None) -> list[dict[str, Any]]:
    """A message from each of ``senders``, the latest first, with different subjects; the one of index i says ``said[i]``."""
    moment = clock.START - timedelta(minutes=brief.integer(3, 90))
    subjects, mail = brief.sample(SUBJECTS, len(senders)), []
    for i, (sender, subject) in enumerate(zip(senders, subjects, strict=True)):
        line = (said or {}).get(i)
        mail.append(
            {
                "sender": f"{sender} <{address_of(sender)}>",
                "to": f"Sam Rivera <{ADDRESS}>",
                "subject": subject,
                "date": moment.strftime("%Y-%m-%d %H:%M"),
                "read": brief.chance(0.6),
                "starred": brief.chance(0.15),
                "text": draw_text(brief, sender, line or brief.pick([text + "." for text in SENTENCES if text[-1].isalnum()])),
            }
        )
        moment -= timedelta(minutes=brief.integer(20, 1400))
    return mail


def as_message(data: Mapping[str, Any]) -> Message:
    """A message from the parameters of a task."""
    return Message(**{**data, "attachments": tuple((name, text) for name, text in data.get("attachments", ()))})


# Comparing


def world_of(state: State) -> World:
    """All mail by folder, each folder's in an order of its own; whether it has been read is left out, as looking at it changes that."""
    files = state.files
    return {folder: sorted((replace(message, read=False) for message in messages_in(files, folder).values()), key=repr) for folder in folders(files)}


def moved(world: World, messages: Sequence[Message], to: str | None) -> World:
    """The mail after moving messages out of the inbox into a folder, or away for good if ``to`` is None."""
    gone = [replace(message, read=False) for message in messages]
    after = {folder: list(known) for folder, known in world.items()}
    after[INBOX] = [message for message in after[INBOX] if message not in gone]
    if to is not None:
        after[to] = sorted([*after[to], *gone], key=repr)
    return after


def sent_since(state: State, start: State) -> Message | None:
    """The one message that has been sent since the start, if there is one and the rest of the mail is as it was."""
    before, now = world_of(start), world_of(state)
    new = [message for message in now[SENT] if message not in before[SENT]]
    now[SENT] = [message for message in now[SENT] if message in before[SENT]]
    return new[0] if len(new) == 1 and now == before and is_plain(new[0], state, start) else None


def is_plain(message: Message, state: State, start: State) -> bool:
    """Whether all that :func:`own_words` leaves out of a message comes from the mail program: the signature of the settings, and lines of mail
    there was, with the line before them. Else anything could be said there."""
    lines, signature = message.text.split("\n"), str(state.settings["mail_signature"])
    if SIGNED in lines:
        at = lines.index(SIGNED)
        if not signature or lines[at + 1 : at + 2] != [signature] or lines[at + 2 : at + 3] not in ([], [""]):
            return False
    known = _known_lines(start) if any(line.startswith(">") for line in lines) else set()
    words = own_words(message.text).split("\n")
    return all(line in known or line in words or line in ("", SIGNED, signature) for line in lines)


def _known_lines(start: State) -> set[str]:
    """The lines that answers to the mail there is, and messages that pass it on, quote and begin with."""
    session, known = Session(start), set()
    for message in (message for folder in folders(start.files) for message in messages_in(start.files, folder).values()):
        for begun in (reply_to(session, message), forward(session, message)):
            known.update(begun.text.split("\n"))
    return known


def is_letter(message: Message | None, to: Sequence[str], subject: str, words: str, cc: Sequence[str] = ()) -> bool:
    """Whether a message goes to these addresses alone, with this subject, and says this, quotes and the signature apart."""
    return (
        message is not None
        and (sorted(addresses(message.to)), sorted(addresses(message.cc))) == (sorted(to), sorted(cc))
        and message.subject.strip() == subject
        and own_words(message.text).strip() == words
    )


# Doing


def open_app(solver: Solver, app: str, window: str) -> None:
    """Start a program from the menu of the task bar, unless its window is open."""
    if solver.state.window(window) is None:
        solver.act(Action.click(*middle(bar_parts(solver.session)[START])))
        solver.choose(app)


def mail_window(solver: Solver, folder: str = INBOX) -> Mail:
    """The mail program showing all of a folder; what blocks it is closed."""
    open_app(solver, "mail", "mail")
    window = solver.window("mail")
    assert isinstance(window, Mail)
    blocker = solver.session.blocker(window)
    if blocker is not None:
        solver.raise_window(blocker)
        solver.press(Key.ESCAPE)
    if window.widget("search").value:
        solver.fill("mail", "search", "")
        solver.press(Key.BACKSPACE)
    if window.folder != folder:
        view = window.part("folders", ListView)
        solver.act(Action.click(*middle(solver.scroll_row(window, view, window.folders.index(folder)))))
    return window


def row_of(window: Mail, solver: Solver, message: Message) -> int:
    """The row of a message in the list."""
    known = messages_in(solver.state.files, window.folder)
    wanted = replace(message, read=False, starred=False)
    row = next((i for i, path in enumerate(window.paths) if replace(known[path], read=False, starred=False) == wanted), -1)
    if row < 0:
        raise TaskError(f"there is no scripted solution from here: the mail {message.subject!r} is not in the folder {window.folder!r}")
    return row


def select_message(solver: Solver, message: Message) -> Mail:
    """Select a message of the inbox."""
    window = mail_window(solver)
    row = row_of(window, solver, message)
    place_ = solver.scroll_row(window, window.view, row)
    if window.view.selected != row:
        solver.act(Action.click(*middle(place_)))
    return window


def use_action(solver: Solver, action: str) -> None:
    """Use an action of the selected message, by its button, or by the menu if the window has no room for the button."""
    name, _, folder = action.partition(" > ")
    button = solver.window("mail").find(name)
    if button is not None and button.w:
        solver.click("mail", name)
        if folder:
            solver.choose(folder)
        return
    window = solver.window("mail")
    assert isinstance(window, Mail)
    solver.act(Action.click(*middle(solver.scroll_row(window, window.view, window.view.selected)), Button.RIGHT))
    solver.choose(action)


def compose_window(solver: Solver) -> Compose:
    """The window a message is written on that was opened last."""
    window = next((w for w in reversed(solver.state.windows) if isinstance(w, Compose)), None)
    if window is None:
        raise TaskError("there is no scripted solution from here: no message is being written")
    return window


def write(solver: Solver, words: str, **fields: str) -> None:
    """Fill in the message that is being written, with ``words`` above what is there, and send it."""
    window = compose_window(solver)
    for name in FIELDS:
        if name in fields and window.widget(name).value != fields[name]:
            solver.fill(window.id, name, fields[name])
    if words:
        solver.click(window.id, "text")
        solver.press(Key.HOME, Modifier.CTRL)
        solver.type(words)
    solver.click(window.id, "send")


def _choose_file(solver: Solver, path: str) -> None:
    """Enter a path into the file dialog that is open, and confirm."""
    dialog = next((window for window in solver.state.windows if isinstance(window, FileDialog)), None)
    if dialog is None:
        raise TaskError("there is no scripted solution from here: no file is being chosen")
    solver.fill(dialog.id, "name", path)
    solver.click(dialog.id, "ok")


def attach(solver: Solver, path: str) -> None:
    """Attach a file to the message that is being written."""
    solver.click(compose_window(solver).id, "attach")
    _choose_file(solver, path)


def save_attachment(solver: Solver, message: Message, which: int, path: str) -> None:
    """Save a file that is attached to a message of the inbox under a path."""
    window = select_message(solver, message)
    if window.reader.w:
        solver.click("mail", f"file-{which}")
    else:
        use_action(solver, "open")
        solver.click(f"message:{window.path}", f"file-{which}")
    _choose_file(solver, path)


class MailFamily(Family):
    """A task about the mail in ``params["mail"]``, newest first, and the folders ``params["folders"]``."""

    touches: ClassVar[tuple[str, ...]] = MAIL_FILES
    min_size = (560, 360)
    max_steps = 30

    def drawn(self, brief: Brief, mail: Sequence[Mapping[str, Any]], **more: Any) -> dict[str, Any]:
        """The parameters of an instance with this mail."""
        open_ = brief.chance(brief.by_level(1.0, 0.8, 0.5))
        return {"mail": list(mail), "folders": brief.sample(OWN_FOLDERS, brief.by_level(1, 2, 4)), "open": open_, **more}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        files = session.state.files
        for name in params["folders"]:
            add_folder(files, name)
        for data in reversed(params["mail"]):
            add_message(files, INBOX, as_message(data))
        session.state.settings["clock_24_hours"] = bool(rng.random() < 0.7)
        self.furnish(session, params, rng)
        clutter(session, rng)
        if params["open"]:
            open_mail_somewhere(session, rng)

    def furnish(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        """Write what the task needs besides mail."""

    def messages(self, params: Params, key: str = "targets") -> list[Message]:
        """The messages whose numbers are ``params[key]``."""
        return [as_message(params["mail"][i]) for i in params[key]]

    def done(self, state: State, start: State, params: Params) -> bool:
        """Whether the mail is as it should be: as it was, unless the task changes it."""
        return world_of(state) == world_of(start)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return self.done(state, start, params)

    def use_on_each(self, solver: Solver, params: Params, action: str) -> None:
        """Carry out an action on each message of the task that is still in the inbox."""
        for message in self.messages(params):
            if replace(message, read=False) in world_of(solver.state)[INBOX]:
                select_message(solver, message)
                use_action(solver, action)

    def spoil(self, solver: Solver, params: Params) -> bool:
        """Delete a message that is still in the inbox."""
        window = mail_window(solver)
        if not window.paths:
            return False
        last = len(window.paths) - 1
        place_ = solver.scroll_row(window, window.view, last)
        if window.view.selected != last:
            solver.act(Action.click(*middle(place_)))
        solver.press(Key.DELETE)
        return True


def open_mail_somewhere(session: Session, rng: np.random.Generator) -> None:
    """Open the mail program at a random place and size."""
    size, (_, _, width, height) = session.look.size, session.work_area
    w = min(int(rng.integers(50, 68)) * size.font, width - size.gap)
    h = min(int(rng.integers(34, 46)) * size.font, height - size.gap)
    place(session, make_mail(session, w, h), rng)
