"""Tasks about mail: other ways of doing them, and ways of not doing them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from gui_gym.actions import ActionType
from gui_gym.desktops.sim import SimDesktop, filesystem
from gui_gym.desktops.sim.apps import mailbox
from gui_gym.desktops.sim.apps.agenda import CALENDAR
from gui_gym.desktops.sim.apps.mailbox import DRAFTS, INBOX, MAIL, SENT, TRASH, Message
from gui_gym.tasks.sim import SimSuite, Solver
from gui_gym.tasks.sim.families.mail_world import address_of, mail_window, select_message, use_action, write
from gui_gym.tasks.sim.families.settings import set_setting
from gui_gym.verifiers import EndReason, Outcome, verify

SUITE = SimSuite()
FAMILIES = (
    "delete-mails",
    "star-mails",
    "move-mails",
    "save-attachment",
    "send-mail",
    "reply-to-mail",
    "forward-mail",
    "event-from-mail",
    "mail-the-event",
)


class Hand:
    """Someone who does a task."""

    def __init__(self, task_id: str):
        self.task, self.desktop = SUITE.get(task_id), SimDesktop(1280, 720)
        self.desktop.reset(self.task, 0)
        self.goal = self.task.params["goal"]
        self.answer: str | None = None
        self.files = self.desktop.state.files

    def solve(self) -> Hand:
        *actions, last = SUITE.solution(self.task, self.desktop)
        for action in actions:
            self.desktop.perform(action)
        self.answer = last.text if last.type is ActionType.ANSWER else None
        return self

    def scripted(self, act: Callable[[Solver], object]) -> Hand:
        solver = Solver(self.desktop.copy_state())
        act(solver)
        for action in solver.actions:
            self.desktop.perform(action)
        return self

    def score(self, answer: str | None = None) -> float | None:
        return verify(self.task, self.desktop, Outcome(EndReason.DONE, answer or self.answer)).value

    def message(self, i: int) -> Message:
        data = self.goal["mail"][i]
        return Message(**{**data, "attachments": tuple(map(tuple, data.get("attachments", ())))})

    def path(self, i: int) -> str:
        """The file of the message that is the i-th from the top."""
        return f"{MAIL}/{INBOX}/{len(self.goal['mail']) - i}.eml"

    def others(self) -> list[int]:
        return [i for i in range(len(self.goal["mail"])) if i not in self.goal["targets"]]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_message_lost_or_marked_besides_scores_0(family: str) -> None:
    hand = Hand(f"{family}#4").solve()
    assert hand.score() == 1
    path, message = next((path, message) for path, message in mailbox.messages_in(hand.files, INBOX).items())
    hand.files[path] = mailbox.write_message(replace(message, read=not message.read))
    assert hand.score() == 1  # that it was looked at is no harm
    hand.files[path] = mailbox.write_message(replace(message, starred=not message.starred))
    assert hand.score() == 0
    hand.files[path] = mailbox.write_message(replace(message, text=message.text + "!"))
    assert hand.score() == 0
    del hand.files[path]
    assert hand.score() == 0


@pytest.mark.parametrize("family", FAMILIES)
def test_a_draft_or_a_message_too_many_scores_0(family: str) -> None:
    for folder in (DRAFTS, SENT, "Else"):
        hand = Hand(f"{family}#5").solve()
        mailbox.add_message(hand.files, folder, Message(subject="x"))
        assert hand.score() == 0


def test_any_program_may_move_the_files() -> None:
    hand = Hand("move-mails#3")
    for i in hand.goal["targets"]:
        filesystem.move(hand.files, hand.path(i), f"{MAIL}/{hand.goal['folder']}/{i + 70}.eml")
    assert hand.score() == 1
    hand = Hand("delete-mails#3")
    for i in hand.goal["targets"]:
        filesystem.remove(hand.files, hand.path(i))
    assert hand.score() == 1
    filesystem.remove(hand.files, hand.path(hand.others()[0]))
    assert hand.score() == 0


def test_part_of_the_messages_is_not_all() -> None:
    for family in ("delete-mails", "move-mails"):
        hand = Hand(f"{family}#2")

        def act(solver: Solver, hand: Hand = hand) -> None:
            select_message(solver, hand.message(hand.goal["targets"][0]))
            use_action(solver, f"move > {hand.goal['folder']}" if "folder" in hand.goal else "delete")

        assert hand.scripted(act).score() == 0, family


def test_the_trash_is_not_any_folder() -> None:
    hand = Hand("delete-mails#3")
    for i in hand.goal["targets"]:
        mailbox.move_message(hand.files, hand.path(i), "Else")
    assert hand.score() == 0
    hand = Hand("move-mails#3")
    for i in hand.goal["targets"]:
        mailbox.move_message(hand.files, hand.path(i), TRASH)
    assert hand.score() == 0


def test_find_mail_wants_the_number_of_the_right_message() -> None:
    for seed in range(4):
        hand = Hand(f"find-mail#{seed}/hard")
        number = str(hand.goal["number"])
        assert hand.score("") == hand.score(f"{number} or 7") == hand.score(str(int(number) + 1)) == 0
        assert hand.score(number) == hand.score(f" {number}. ") == 1
        mailbox.move_message(hand.files, hand.path(hand.others()[0]), TRASH)
        assert hand.score(number) == 0


def sent(hand: Hand, **changes: object) -> float | None:
    """The score after a solution whose sent message is changed."""
    hand.solve()
    path, message = next(iter(mailbox.messages_in(hand.files, SENT).items()))
    hand.files[path] = mailbox.write_message(replace(message, **changes))  # type: ignore[arg-type]
    return hand.score()


@pytest.mark.parametrize("family", ["send-mail", "reply-to-mail", "forward-mail", "mail-the-event"])
def test_a_letter_has_to_be_right_in_every_part(family: str) -> None:
    task = f"{family}#7"
    assert sent(Hand(task)) == 1 and sent(Hand(task), date="2026-03-11 10:30") == 1
    assert sent(Hand(task), to="someone@else.org") == 0 and sent(Hand(task), cc="a@b.c, d@e.f") == 0
    assert sent(Hand(task), subject="x") == 0 and sent(Hand(task), attachments=(("x.txt", ""),)) == 0
    assert sent(Hand(task), text="x") == 0


def test_a_signature_does_not_spoil_what_is_written() -> None:
    hand = Hand("send-mail#1")
    hand.desktop.session.state.settings["mail_signature"] = "Sam"
    hand.desktop.start.settings["mail_signature"] = "Sam"
    hand.solve()
    message = next(iter(mailbox.messages_in(hand.files, SENT).values()))
    assert "-- \nSam" in message.text and hand.score() == 1


def test_a_reply_may_be_written_as_a_new_message() -> None:
    seed = next(seed for seed in range(50) if not Hand(f"reply-to-mail#{seed}").goal["everyone"])
    hand = Hand(f"reply-to-mail#{seed}")
    message = hand.message(hand.goal["targets"][0])
    to = address_of(message.sender.partition(" <")[0])

    def act(solver: Solver) -> None:
        mail_window(solver)
        solver.click("mail", "new")
        write(solver, hand.goal["text"], to=to, subject=f"Re: {message.subject}")

    assert hand.scripted(act).score() == 1


def test_a_file_under_another_name_is_not_the_one_saved() -> None:
    hand = Hand("save-attachment#3").solve()
    text = hand.files.pop(hand.goal["path"])
    assert hand.score() == 0
    hand.files[hand.goal["path"] + ".bak"] = text
    assert hand.score() == 0
    hand.files[hand.goal["path"]] = text
    assert hand.score() == 0  # the other one is still there
    del hand.files[hand.goal["path"] + ".bak"]
    assert hand.score() == 1


def test_an_event_besides_the_one_of_the_mail_scores_0() -> None:
    hand = Hand("event-from-mail#3").solve()
    assert hand.score() == 1
    hand.files[f"{CALENDAR}/99.ics"] = "Title: x\nDate: 2026-03-12\n"
    assert hand.score() == 0


def test_a_message_counts_as_unread_alone_where_that_was_asked_for() -> None:
    hand = Hand("mark-unread#3")
    for i in hand.goal["targets"]:
        mailbox.mark_message(hand.files, hand.path(i), read=False)
    assert hand.score() == 1
    spare = next(i for i in hand.others() if hand.message(i).read)
    mailbox.mark_message(hand.files, hand.path(spare), read=False)
    assert hand.score() == 0
    mailbox.mark_message(hand.files, hand.path(spare), read=True)
    seen = [i for i in hand.others() if not hand.message(i).read]
    for i in seen:
        mailbox.mark_message(hand.files, hand.path(i), read=True)
    assert hand.score() == 1  # those were looked at
    mailbox.mark_message(hand.files, hand.path(hand.goal["targets"][0]), read=True)
    assert hand.score() == 0


def test_messages_are_counted_exactly_and_left_where_they_are() -> None:
    for seed in range(6):
        hand = Hand(f"count-mails#{seed}")
        number = hand.goal["number"]
        assert hand.score(str(number)) == 1 and hand.score(str(number + 1)) == hand.score(f"{number} or {number + 1}") == 0
        mailbox.move_message(hand.files, hand.path(0), "Else")
        assert hand.score(str(number)) == 0


def test_a_new_folder_has_the_name_and_the_messages_that_were_asked_for() -> None:
    hand = Hand("make-mail-folder#2")
    mailbox.add_folder(hand.files, hand.goal["folder"])
    assert hand.score() == 0
    for i in hand.goal["targets"]:
        mailbox.move_message(hand.files, hand.path(i), hand.goal["folder"])
    assert hand.score() == 1
    mailbox.add_folder(hand.files, "Another")
    assert hand.score() == 0


def test_a_message_out_of_the_trash_is_one_and_the_right_one() -> None:
    hand = Hand("restore-mail#2").solve()
    assert hand.score() == 1
    path = next(iter(mailbox.messages_in(hand.files, TRASH)))
    mailbox.move_message(hand.files, path, INBOX)
    assert hand.score() == 0


def test_a_draft_is_gone_when_it_is_sent() -> None:
    hand = Hand("send-draft#2")
    draft = hand.goal["drafts"][hand.goal["target"]]
    message = Message(**{**draft, "to": hand.goal["to"], "text": hand.goal["text"]})
    mailbox.add_message(hand.files, SENT, message)
    assert hand.score() == 0
    path = next(path for path, each in mailbox.messages_in(hand.files, DRAFTS).items() if each.subject == draft["subject"])
    filesystem.remove(hand.files, path)
    assert hand.score() == 1


def test_a_signature_set_after_the_message_was_sent_is_not_in_it() -> None:
    hand = Hand("sign-mail#2")
    goal = hand.goal

    def act(solver: Solver) -> None:
        mail_window(solver)
        solver.click("mail", "new")
        write(solver, goal["text"], to=goal["to"], subject=goal["subject"])
        set_setting(solver, "mail_signature", goal["signature"])

    assert hand.scripted(act).score() == 0
    assert Hand("sign-mail#2").solve().score() == 1
