"""The calendar, used by mouse and keyboard."""

from __future__ import annotations

from datetime import date, time

import pytest

from gui_gym.actions import Action, Button, Key, Modifier
from gui_gym.desktops.sim import SimDesktop
from gui_gym.desktops.sim.apps import agenda, open_path
from gui_gym.desktops.sim.apps.agenda import CALENDAR, Appointment
from gui_gym.desktops.sim.apps.calendar import Calendar, open_calendar
from gui_gym.desktops.sim.widgets.month import FIRST, LAST, MonthGrid, month_end, other_month

DENTIST = Appointment("Dentist", date(2026, 3, 12), time(14), time(15, 30), "Market Square")
FAIR = Appointment("Fair", date(2026, 3, 11))


class Hand:
    """A desktop with two appointments and the calendar open."""

    def __init__(self, size: tuple[int, int] = (1280, 720), **settings: bool | int | str):
        self.desktop = SimDesktop(*size)
        self.session, self.state = self.desktop.session, self.desktop.state
        self.state.settings.update(settings)
        for each in (DENTIST, FAIR):
            agenda.add_appointment(self.state.files, each)
        window = open_calendar(self.session)
        assert isinstance(window, Calendar)
        self.window, self.grid = window, window.grid

    @property
    def known(self) -> list[Appointment]:
        return list(agenda.appointments(self.state.files).values())

    def click(self, widget: str, window: str = "calendar") -> None:
        owner = self.state.window(window)
        assert owner is not None
        x, y, w, h = owner.rect_of(owner.widget(widget))
        self.desktop.perform(Action.click(x + w // 2, y + h // 2))

    def day(self, day: date) -> tuple[int, int]:
        """A pixel beside the number of a day."""
        x, y, _, _ = self.window.rect_of(self.grid)
        cell = self.grid.cell(self.session.look, day)
        assert cell is not None
        return x + cell[0] + cell[2] // 2, y + cell[1] + 4

    def entry(self, day: date) -> tuple[int, int]:
        """A pixel of the first entry of a day."""
        x, y, _, _ = self.window.rect_of(self.grid)
        _, _, rect = self.grid.entry_rects(self.session.look, day)[0]
        return x + rect[0] + rect[2] // 2, y + rect[1] + rect[3] // 2

    def press(self, key: Key, *modifiers: Modifier) -> None:
        self.desktop.perform(Action.press(key, *modifiers))

    def fill(self, widget: str, text: str) -> None:
        self.click(widget, "event:calendar")
        self.press(Key.A, Modifier.CTRL)
        self.desktop.perform(Action.type_text(text))


def test_a_day_and_its_appointments_are_shown() -> None:
    hand = Hand()
    assert hand.grid.day == hand.grid.today == date(2026, 3, 11) and hand.window.view.rows == [["All day", "Fair", ""]]
    hand.desktop.perform(Action.click(*hand.day(DENTIST.date)))
    assert hand.window.view.rows == [["14:00–15:30", "Dentist", "Market Square"]]
    assert hand.window.widget("day").name == "Thursday 2026-03-12"
    hand.session.change_setting("clock_24_hours", False)
    assert hand.window.view.rows[0][0] == "2:00 PM–3:30 PM"


def test_months_are_turned_by_buttons_wheel_and_keys() -> None:
    hand = Hand()
    hand.click("next")
    assert (hand.grid.day, hand.window.widget("month").name) == (date(2026, 4, 11), "April 2026")
    hand.desktop.perform(Action.scroll_by(*hand.day(hand.grid.day), dy=-1))
    hand.click("previous")
    assert hand.grid.day == date(2026, 2, 11)
    hand.click("today")
    hand.desktop.perform(Action.click(*hand.day(date(2026, 3, 31))))
    for key, expected in [
        (Key.PAGE_UP, (2, 28)),
        (Key.RIGHT, (3, 1)),
        (Key.UP, (2, 22)),
        (Key.END, (2, 28)),
        (Key.HOME, (2, 1)),
        (Key.PAGE_DOWN, (3, 1)),
    ]:
        hand.press(key)
        assert (hand.grid.day.month, hand.grid.day.day) == expected, key


def test_weeks_start_as_the_setting_says() -> None:
    assert Hand().grid.start == date(2026, 2, 23) and Hand(week_starts="sunday").grid.start == date(2026, 3, 1)


def test_the_days_that_can_be_reached_have_an_end() -> None:
    grid = MonthGrid(id="g", day=LAST, today=LAST)
    assert other_month(LAST, 1) == LAST and other_month(FIRST, -5) == FIRST and month_end(date(2024, 2, 3)).day == 29
    assert len(grid.days()) == 42


def test_an_appointment_is_made_on_the_selected_day() -> None:
    hand = Hand()
    hand.desktop.perform(Action.click(*hand.day(date(2026, 3, 20)), clicks=2))
    for name, text in {"title": "Choir", "begins": "7:30 pm", "ends": "21", "place": "Hall"}.items():
        hand.fill(name, text)
    hand.click("ok", "event:calendar")
    assert Appointment("Choir", date(2026, 3, 20), time(19, 30), time(21), "Hall") in hand.known and len(hand.known) == 3
    assert hand.window.view.rows == [["19:30–21:00", "Choir", "Hall"]]


@pytest.mark.parametrize(
    "widget, text, complaint",
    [("title", " ", "title"), ("date", "soon", "date such as"), ("ends", "25:00", "time such as"), ("ends", "08:00", "before")],
)
def test_what_is_wrong_in_the_form_is_said(widget: str, text: str, complaint: str) -> None:
    hand = Hand()
    hand.click("new")
    hand.fill("title", "Choir")
    hand.fill(widget, text)
    hand.click("ok", "event:calendar")
    box = hand.session.active
    assert box is not None and complaint in box.widget("message").name and len(hand.known) == 2


def test_an_appointment_of_all_day_has_no_times() -> None:
    hand = Hand()
    hand.press(Key.N, Modifier.CTRL)
    hand.desktop.perform(Action.type_text("Trip"))
    hand.click("all-day", "event:calendar")
    form = hand.state.window("event:calendar")
    assert form is not None and not form.widget("begins").enabled
    hand.press(Key.ENTER)
    assert Appointment("Trip", date(2026, 3, 11)) in hand.known


def test_an_appointment_is_edited_and_deleted_after_a_question() -> None:
    hand = Hand()
    hand.desktop.perform(Action.click(*hand.entry(DENTIST.date), clicks=2))
    hand.fill("date", "2026-04-01")
    hand.click("ok", "event:calendar")
    assert [each.date for each in hand.known] == [FAIR.date, date(2026, 4, 1)]
    hand.desktop.perform(Action.click(*hand.entry(FAIR.date)))
    hand.press(Key.DELETE)
    hand.press(Key.ESCAPE)
    assert len(hand.known) == 2
    hand.desktop.perform(Action.click(*hand.entry(FAIR.date), Button.RIGHT))
    hand.press(Key.END)
    hand.press(Key.ENTER)
    hand.click("delete", "ask:calendar")
    assert [each.title for each in hand.known] == ["Dentist"]


def test_an_appointment_is_dragged_to_another_day() -> None:
    hand = Hand()
    hand.desktop.perform(Action.drag(*hand.entry(DENTIST.date), *hand.day(date(2026, 4, 3))))
    assert hand.known[-1].date == date(2026, 4, 3) and hand.known[-1].start == time(14)
    hand.click("today")
    hand.desktop.perform(Action.drag(*hand.entry(FAIR.date), 3, 3))
    assert FAIR in hand.known


def test_a_search_finds_appointments_of_all_days() -> None:
    hand = Hand()
    agenda.add_appointment(hand.state.files, Appointment("Dentist again", date(2027, 1, 5), time(9), time(10)))
    hand.session.files_changed()
    hand.press(Key.F, Modifier.CTRL)
    hand.desktop.perform(Action.type_text("dentist"))
    assert [row[0] for row in hand.window.view.rows] == ["2026-03-12 14:00", "2027-01-05 09:00"]
    x, y, _, _ = hand.window.rect_of(hand.window.view)
    place = hand.window.view.row_rect(hand.session.look, 1)
    assert place is not None
    hand.desktop.perform(Action.click(x + 20, y + place[1] + 3))
    assert hand.grid.day == date(2027, 1, 5)


def test_a_file_of_the_calendar_is_shown_on_its_day() -> None:
    hand = Hand()
    open_path(hand.session, f"{CALENDAR}/1.ics")
    assert hand.grid.day == DENTIST.date and hand.window.view.selected == 0


def test_an_entry_that_is_gone_while_it_is_dragged_is_not_moved() -> None:
    hand = Hand()
    hand.desktop.perform(Action.mouse_down(*hand.entry(DENTIST.date)))
    del hand.state.files[f"{CALENDAR}/1.ics"]
    hand.session.files_changed()
    hand.desktop.perform(Action.mouse_up(*hand.day(date(2026, 4, 3))))
    assert hand.known == [FAIR]
