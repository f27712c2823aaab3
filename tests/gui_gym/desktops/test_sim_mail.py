"""The mail program, used by mouse and keyboard."""

from __future__ import annotations

import pytest

from gui_gym.actions import Action, Button, Key, Modifier
from gui_gym.desktops.sim import SimDesktop
from gui_gym.desktops.sim.apps import mailbox, open_path
from gui_gym.desktops.sim.apps.compose import Compose
from gui_gym.desktops.sim.apps.mail import Mail, open_mail
from gui_gym.desktops.sim.apps.mailbox import ADDRESS, DRAFTS, INBOX, MAIL, SENT, STARRED, TRASH, Message
from gui_gym.desktops.sim.state import Window

ADA, BO = "Ada Novák <ada@example.org>", "Bo Lund <bo@example.org>"
ME = f"Sam Rivera <{ADDRESS}>"


class Hand:
    """A desktop with three messages and the mail program open."""

    def __init__(self, size: tuple[int, int] = (1280, 720), **settings: bool | int | str):
        self.desktop = SimDesktop(*size)
        self.session, self.state = self.desktop.session, self.desktop.state
        self.files = self.state.files
        self.state.settings.update(settings)
        self.files["/home/user/Documents/plan.txt"] = "one\ntwo\n"
        mailbox.add_folder(self.files, "Work")
        mailbox.add_message(self.files, INBOX, Message(BO, ME, "", "Old", "2026-03-08 10:00", text="old\n"))
        mailbox.add_message(
            self.files, INBOX, Message(ADA, ME, BO, "Tickets", "2026-03-10 14:05", attachments=(("seats.txt", "12A\n"),), text="Row four?\n")
        )
        mailbox.add_message(self.files, INBOX, Message(BO, ME, "", "Lunch", "2026-03-11 08:30", text="At noon.\n"))
        window = open_mail(self.session)
        assert isinstance(window, Mail)
        self.mail = window

    def subjects(self, folder: str) -> list[str]:
        return [message.subject for message in mailbox.messages_in(self.files, folder).values()]

    def latest(self, folder: str) -> Message:
        return next(iter(mailbox.messages_in(self.files, folder).values()))

    def window(self, start: str) -> Window:
        return next(window for window in reversed(self.state.windows) if window.id.startswith(start))

    def click(self, window: Window, widget: str) -> None:
        x, y, w, h = window.rect_of(window.widget(widget))
        self.desktop.perform(Action.click(x + w // 2, y + h // 2))

    def at(self, row: int, view: str = "messages") -> tuple[int, int]:
        """A pixel of a row, beside its star."""
        list_ = self.mail.view if view == "messages" else self.mail.tree
        place = list_.row_rect(self.session.look, row)
        assert place is not None
        x, y, _, _ = self.mail.rect_of(list_)
        return x + place[0] + place[2] // 2, y + place[1] + place[3] // 2

    def row(self, row: int, button: Button = Button.LEFT, clicks: int = 1, *modifiers: Modifier) -> None:
        self.desktop.perform(Action.click(*self.at(row), button, clicks, modifiers))

    def press(self, key: Key, *modifiers: Modifier) -> None:
        self.desktop.perform(Action.press(key, *modifiers))

    def type(self, text: str) -> None:
        self.desktop.perform(Action.type_text(text))

    def choose(self, path: str) -> None:
        popup = self.state.popup
        for key in path.split(" > "):
            assert popup is not None
            at = next(i for i, item in enumerate(popup.items) if (item if isinstance(item, str) else item[0]) == key)
            x, y, w, h = self.session.item_rects(popup)[at]
            self.desktop.perform(Action.click(x + w // 2, y + h // 2))
            popup = popup.child


def test_the_inbox_is_listed_and_a_message_is_read() -> None:
    hand = Hand()
    assert hand.mail.view.rows == [["Bo Lund", "Lunch", "08:30"], ["Ada Novák", "Tickets", "2026-03-10"], ["Bo Lund", "Old", "2026-03-08"]]
    assert hand.mail.view.unread == [True] * 3 and hand.mail.tree.rows[0] == ["Inbox (3)"]
    hand.row(1)
    assert "Row four?" in hand.mail.reader.text and f"Cc: {BO}" in hand.mail.reader.text
    assert hand.mail.view.unread == [True, False, True] and hand.mail.tree.rows[0] == ["Inbox (2)"]
    hand.row(1, Button.RIGHT)
    hand.choose("unread")
    assert hand.mail.view.unread[1]


def test_a_click_below_the_last_message_leaves_none_in_the_preview() -> None:
    hand = Hand()
    hand.row(1)
    assert "Row four?" in hand.mail.reader.text and hand.mail.find("file-0") is not None
    x, y, w, h = hand.mail.rect_of(hand.mail.view)
    hand.desktop.perform(Action.click(x + w // 3, y + h - 4))
    assert hand.mail.path == "" and hand.mail.reader.text == "" and hand.mail.find("file-0") is None
    assert not hand.mail.widget("reply").enabled


def test_stars_and_the_folder_of_starred_messages() -> None:
    hand = Hand()
    view = hand.mail.view
    x, y, _, _ = hand.mail.rect_of(view)
    star = view.star_rect(hand.session.look, 1)
    assert star is not None
    hand.desktop.perform(Action.click(x + star[0] + star[2] // 2, y + star[1] + star[3] // 2))
    assert view.starred == [False, True, False] and view.selected == -1
    hand.desktop.perform(Action.click(*hand.at(hand.mail.folders.index(STARRED), "folders")))
    assert [row[1] for row in view.rows] == ["Tickets"]


def test_delete_goes_to_the_trash_and_from_there_for_good() -> None:
    hand = Hand()
    hand.row(0)
    hand.press(Key.DELETE)
    assert hand.subjects(INBOX) == ["Tickets", "Old"] and hand.subjects(TRASH) == ["Lunch"]
    hand.desktop.perform(Action.click(*hand.at(hand.mail.folders.index(TRASH), "folders")))
    hand.row(0)
    hand.click(hand.mail, "delete")
    assert hand.subjects(TRASH) == ["Lunch"]  # it asks first
    hand.press(Key.ENTER)
    assert hand.subjects(TRASH) == []


def test_deleting_asks_where_the_setting_says_so() -> None:
    hand = Hand(confirm_delete=True)
    hand.row(0)
    hand.click(hand.mail, "delete")
    hand.press(Key.ESCAPE)
    assert len(hand.subjects(INBOX)) == 3
    hand.click(hand.mail, "delete")
    hand.click(hand.window("ask:"), "delete")
    assert hand.subjects(TRASH) == ["Lunch"]


def test_several_messages_are_moved_by_menu_and_by_dragging() -> None:
    hand = Hand()
    hand.row(0)
    hand.row(2, Button.LEFT, 1, Modifier.CTRL)
    hand.click(hand.mail, "move")
    hand.choose("Work")
    assert sorted(hand.subjects("Work")) == ["Lunch", "Old"] and hand.subjects(INBOX) == ["Tickets"]
    hand.row(0)
    hand.desktop.perform(Action.drag(*hand.at(0), *hand.at(hand.mail.folders.index("Work"), "folders")))
    assert hand.subjects(INBOX) == [] and len(hand.subjects("Work")) == 3 and hand.mail.tree.target == -1


def test_a_drag_to_the_same_folder_or_to_nowhere_moves_nothing() -> None:
    hand = Hand()
    before = dict(hand.files)
    for row in (hand.mail.folders.index(INBOX), hand.mail.folders.index(STARRED)):
        hand.desktop.perform(Action.drag(*hand.at(0), *hand.at(row, "folders")))
    hand.desktop.perform(Action.drag(*hand.at(0), 5, 5))
    assert {path: mailbox.read_message(text).subject for path, text in hand.files.items() if path.endswith(".eml")} == {
        path: mailbox.read_message(text).subject for path, text in before.items() if path.endswith(".eml")
    }


def test_the_list_is_searched_and_sorted() -> None:
    hand = Hand()
    hand.click(hand.mail, "search")
    hand.type("four")
    assert [row[1] for row in hand.mail.view.rows] == ["Tickets"]
    hand.press(Key.A, Modifier.CTRL)
    hand.press(Key.BACKSPACE)
    x, y, _, _ = hand.mail.rect_of(hand.mail.view)
    cx, cy, cw, ch = hand.mail.view.column_rects(hand.session.look)[1]
    for expected in (["Lunch", "Old", "Tickets"], ["Tickets", "Old", "Lunch"]):
        hand.desktop.perform(Action.click(x + cx + cw // 2, y + cy + ch // 2))
        assert [row[1] for row in hand.mail.view.rows] == expected


def test_a_new_message_is_sent_with_the_signature_and_a_file() -> None:
    hand = Hand(mail_signature="Sam, Oslo", mail_name="Sam R.")
    hand.press(Key.N, Modifier.CTRL)
    window = hand.window("compose:")
    hand.type("ada novák, c@d.org")
    hand.click(window, "subject")
    hand.type("Plan")
    hand.click(window, "text")
    hand.press(Key.HOME, Modifier.CTRL)
    hand.type("Here it is.")
    hand.click(window, "attach")
    dialog = hand.window("file:")
    hand.click(dialog, "name")
    hand.type("plan.txt\n")
    hand.click(window, "send")
    sent = hand.latest(SENT)
    assert (sent.sender, sent.subject, sent.date) == (f"Sam R. <{ADDRESS}>", "Plan", "2026-03-11 09:00")
    assert mailbox.addresses(sent.to) == ["ada@example.org", "c@d.org"] and sent.attachments == (("plan.txt", "one\ntwo\n"),)
    assert sent.text.endswith("-- \nSam, Oslo") and mailbox.own_words(sent.text) == "Here it is."
    assert hand.state.window(window.id) is None


@pytest.mark.parametrize("to", ["", "nobody", "a@b@c"])
def test_without_an_address_nothing_is_sent(to: str) -> None:
    hand = Hand()
    hand.press(Key.N, Modifier.CTRL)
    hand.type(to)
    hand.click(hand.window("compose:"), "send")
    assert hand.subjects(SENT) == [] and hand.window("ask:").role == "dialog"


@pytest.mark.parametrize("all_, cc", [(False, []), (True, ["bo@example.org"])])
def test_a_reply_quotes_and_goes_to_the_sender_or_to_all(all_: bool, cc: list[str]) -> None:
    hand = Hand()
    hand.row(1)
    hand.press(Key.R, *((Modifier.CTRL, Modifier.SHIFT) if all_ else (Modifier.CTRL,)))
    hand.type("Yes.")
    hand.press(Key.ENTER, Modifier.CTRL)
    sent = hand.latest(SENT)
    assert (sent.to, mailbox.addresses(sent.cc), sent.subject) == (ADA, cc, "Re: Tickets")
    assert mailbox.own_words(sent.text) == "Yes." and "> Row four?" in sent.text and sent.attachments == ()


def test_a_message_is_forwarded_with_what_is_attached() -> None:
    hand = Hand()
    hand.row(1)
    hand.click(hand.mail, "forward")
    hand.type("c@d.org")
    hand.press(Key.ENTER, Modifier.CTRL)
    sent = hand.latest(SENT)
    assert (sent.to, sent.subject, sent.attachments) == ("c@d.org", "Fwd: Tickets", (("seats.txt", "12A\n"),))
    assert "> Row four?" in sent.text and mailbox.own_words(sent.text) == ""


def test_an_attached_file_is_saved() -> None:
    hand = Hand()
    hand.row(1)
    hand.click(hand.mail, "file-0")
    hand.press(Key.A, Modifier.CTRL)
    hand.type("/home/user/Documents/kept.txt\n")
    assert hand.files["/home/user/Documents/kept.txt"] == "12A\n"


def test_drafts_are_kept_opened_and_sent() -> None:
    hand = Hand()
    hand.press(Key.N, Modifier.CTRL)
    hand.type("c@d.org")
    window = hand.window("compose:")
    assert isinstance(window, Compose)
    hand.press(Key.F4, Modifier.ALT)
    hand.press(Key.ESCAPE)
    assert hand.state.window(window.id) is window and hand.subjects(DRAFTS) == []
    hand.press(Key.F4, Modifier.ALT)
    hand.press(Key.ENTER)
    assert hand.state.window(window.id) is None and hand.latest(DRAFTS).to == "c@d.org"
    hand.desktop.perform(Action.click(*hand.at(hand.mail.folders.index(DRAFTS), "folders")))
    hand.row(0, clicks=2)
    hand.click(hand.window("compose:"), "send")
    assert hand.subjects(DRAFTS) == [] and hand.latest(SENT).to == "c@d.org"


def test_what_is_discarded_is_gone_after_a_question() -> None:
    hand = Hand()
    hand.press(Key.N, Modifier.CTRL)
    window = hand.window("compose:")
    hand.type("c@d.org")
    hand.click(window, "discard")
    hand.click(hand.window("ask:"), "no")
    assert hand.state.window(window.id) is window
    hand.click(window, "discard")
    hand.click(hand.window("ask:"), "yes")
    assert hand.state.window(window.id) is None and hand.subjects(DRAFTS) == []


def test_a_message_in_its_own_window_goes_with_the_message() -> None:
    hand = Hand()
    path = f"{MAIL}/Inbox/2.eml"
    open_path(hand.session, path)
    window = hand.window("message:")
    assert "Row four?" in str(window.widget("text").value) and mailbox.read_message(hand.files[path]).read
    hand.press(Key.DELETE)
    assert hand.state.window(window.id) is None and hand.subjects(TRASH) == ["Tickets"]


def test_folders_are_made_by_the_menu() -> None:
    hand = Hand()
    hand.press(Key.F10)
    hand.choose("new-folder")
    hand.type("Trips\n")
    assert "Trips" in hand.mail.folders and "Trips" in mailbox.folders(hand.files)
    hand.press(Key.F10)
    hand.choose("new-folder")
    hand.type("Trips\n")
    assert hand.window("ask:").title == "New folder"


def test_the_trash_is_emptied_after_a_question() -> None:
    hand = Hand()
    hand.row(0)
    hand.press(Key.DELETE)
    for key, left in ((Key.ESCAPE, ["Lunch"]), (Key.ENTER, [])):
        hand.press(Key.F10)
        hand.choose("empty-trash")
        hand.press(key)
        assert hand.subjects(TRASH) == left and len(hand.subjects(INBOX)) == 2


def test_on_a_tiny_screen_a_message_is_read_in_a_window_of_its_own() -> None:
    hand = Hand((320, 200))
    assert hand.mail.reader.w == 0
    hand.row(1)
    assert not mailbox.read_message(hand.files[f"{MAIL}/Inbox/2.eml"]).read
    hand.row(1, clicks=2)
    assert "Row four?" in str(hand.window("message:").widget("text").value)
