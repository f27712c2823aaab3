"""Mail and calendar as files, and the clock."""

from datetime import date, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_gym.desktops.sim import clock
from gui_gym.desktops.sim.apps import agenda, mailbox
from gui_gym.desktops.sim.apps.agenda import Appointment
from gui_gym.desktops.sim.apps.mailbox import INBOX, MAIL, STARRED, TRASH, Message
from gui_gym.desktops.sim.state import State

LINE = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]))
MESSAGES = st.builds(
    Message, LINE, LINE, LINE, LINE, LINE, st.booleans(), st.booleans(), st.lists(st.tuples(st.text(), st.text())).map(tuple), st.text()
)


@given(MESSAGES)
def test_a_message_is_read_as_it_was_written(message):
    assert mailbox.read_message(mailbox.write_message(message)) == message


@given(st.text())
def test_any_file_can_be_read(text):
    message = mailbox.read_message(text)
    assert mailbox.read_message(mailbox.write_message(message)) == message
    agenda.read_appointment(text)


def test_broken_headers_are_left_out():
    text = "From: a\nAttachment: [1, 2]\nAttachment: {\nAttachment: " + "[" * 5000 + "\nnonsense\n\nhello"
    assert mailbox.read_message(text) == Message(sender="a", text="hello")


def test_folders_numbers_and_order():
    files = {}
    one = mailbox.add_message(files, INBOX, Message(subject="one", date="2026-03-10 09:00"))
    two = mailbox.add_message(files, INBOX, Message(subject="two", date="2026-03-11 08:00", starred=True))
    assert [one, two] == [f"{MAIL}/Inbox/1.eml", f"{MAIL}/Inbox/2.eml"]
    assert list(mailbox.messages_in(files, INBOX)) == [two, one] and mailbox.unread(files, INBOX) == 2
    assert mailbox.add_folder(files, "Work") and not mailbox.add_folder(files, "Work")
    assert not any(mailbox.add_folder(files, name) for name in ("", " ", "a/b", INBOX, STARRED))
    assert mailbox.folders(files) == ["Inbox", "Sent", "Drafts", "Trash", "Work"]
    moved = mailbox.move_message(files, two, "Work")
    assert two not in files and list(mailbox.messages_in(files, STARRED)) == [moved]
    assert mailbox.move_message(files, moved, "Work") == moved
    back = mailbox.move_message(files, moved, TRASH)
    assert mailbox.messages_in(files, STARRED) == {} and "Work" in mailbox.folders(files)
    assert mailbox.mark_message(files, back, read=True) and not mailbox.mark_message(files, back, read=True)
    assert mailbox.messages_in(files, TRASH)[back] == Message(subject="two", date="2026-03-11 08:00", starred=True, read=True)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Ada Novák <Ada@Example.org>, bo@x.org; c@d.e", ["ada@example.org", "bo@x.org", "c@d.e"]),
        (" , ;\n", []),
        ("Ada", ["ada"]),
        ("<a@b.c", ["<a@b.c"]),
    ],
)
def test_addresses(text, expected):
    assert mailbox.addresses(text) == expected


def test_what_an_address_is():
    assert mailbox.is_address("a.b@c.org")
    assert not any(map(mailbox.is_address, ["", "a", "a@", "@b", "a@b@c", "a b@c", "<a@b"]))


def test_own_words_leave_out_quotes_and_signature():
    reply = "Yes, nine is fine.\n-- \nSam\n\nOn Monday, Ada wrote:\n> Is nine fine?\n>\n> Ada"
    assert mailbox.own_words(reply) == "Yes, nine is fine."
    assert mailbox.own_words("Note:\nplain") == "Note:\nplain"
    assert mailbox.own_words(mailbox.quote("a\n\nb\n") + "\n\nbelow") == "below"


def test_an_appointment_is_read_as_it_was_written():
    files = {}
    timed = Appointment("Dentist", date(2026, 3, 12), time(14, 0), time(14, 30), "Market Square: 3")
    whole = Appointment("Fair", date(2026, 3, 12))
    paths = [agenda.add_appointment(files, each) for each in (timed, whole)]
    assert agenda.appointments_on(files, date(2026, 3, 12)) == {paths[1]: whole, paths[0]: timed}
    assert agenda.read_appointment("Title: x\nDate: soon\n") is None


@pytest.mark.parametrize(
    "text, expected",
    [("9", time(9)), ("09:05", time(9, 5)), ("2:05 PM", time(14, 5)), ("12 am", time(0)), ("12 p.m.", time(12)), ("23.59", time(23, 59))]
    + [(text, None) for text in ("24:00", "9:60", "13 pm", "0 am", "", "x", "9:5", "١٢")],
)
def test_times_are_read(text, expected):
    assert clock.read_time(text) == expected


def test_dates_and_times_are_shown():
    state = State(320, 200, seconds=5 * 3600 + 5 * 60)
    assert clock.now(state).isoformat() == "2026-03-11T14:05:00" and clock.START.weekday() == 2
    assert clock.time_text(state.settings, clock.now(state)) == "14:05"
    state.settings["clock_24_hours"] = False
    assert [clock.time_text(state.settings, time(hour, 5)) for hour in (0, 11, 12, 14)] == ["12:05 AM", "11:05 AM", "12:05 PM", "2:05 PM"]
    assert clock.month_text(state.settings, date(2026, 3, 1)) == "March 2026"
    assert clock.date_text(state.settings, date(2026, 3, 11)) == "Wednesday 2026-03-11"
    assert [clock.read_date(text) for text in ("2026-3-1", "2026-02-30", "x")] == [date(2026, 3, 1), None, None]
