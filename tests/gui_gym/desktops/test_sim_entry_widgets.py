"""Widgets and windows for entering things: spinners, passwords, stars, ranges, dates, suggestions, forms and wizards."""

import calendar
import json

import numpy as np
import pytest

from gui_gym.actions import Action, Modifier
from gui_gym.desktops.sim.accessibility import accessibility_tree
from gui_gym.desktops.sim.apps.agreement import Agreement, Terms
from gui_gym.desktops.sim.apps.dialog import Dialog
from gui_gym.desktops.sim.apps.form import Form, make_form, problem_label
from gui_gym.desktops.sim.apps.player import make_player
from gui_gym.desktops.sim.apps.wizard import make_wizard
from gui_gym.desktops.sim.layout import Column
from gui_gym.desktops.sim.painter import Painter
from gui_gym.desktops.sim.perform import perform
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State, Window
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.desktops.sim.widgets.basic import Button, CheckBox, Label
from gui_gym.desktops.sim.widgets.date_field import DateField, written
from gui_gym.desktops.sim.widgets.month_view import MonthView
from gui_gym.desktops.sim.widgets.password import PasswordField
from gui_gym.desktops.sim.widgets.range_slider import RangeSlider
from gui_gym.desktops.sim.widgets.rating import Rating, star
from gui_gym.desktops.sim.widgets.spinner import Spinner
from gui_gym.desktops.sim.widgets.suggest import SuggestField
from gui_gym.desktops.sim.widgets.text import TextField

CTRL, SHIFT = Modifier.CTRL, Modifier.SHIFT
SCREEN = (640, 400)


class Rig:
    """A session with one window. After each action what was redrawn has to be what a drawing from nothing shows."""

    def __init__(self) -> None:
        self.session = Session(State(*SCREEN, cursor=(639, 0)))
        self.painter = Painter(*SCREEN)
        self.window = Window(id="window", title="Window")

    def hold(self, *widgets: Widget, height: int | None = None, window: Window | None = None) -> "Rig":
        self.window = window or Dialog(id="window", title="Window")
        column = Column(self.session, self.window, 280)
        for widget in widgets:
            column.row(widget, height=height)
        column.space(120)
        column.finish()
        return self.show(self.window)

    def show(self, window: Window) -> "Rig":
        self.window = window
        window.x, window.y = 100, 30
        self.session.open(window)
        return self

    def frame(self) -> np.ndarray:
        self.painter.update(self.session)
        return self.painter.frame.copy()

    def do(self, *actions: Action) -> "Rig":
        for action in actions:
            self.frame()
            perform(self.session, action.check(*SCREEN))
            drawn = self.frame()
            self.session.redraw_all()
            assert np.array_equal(drawn, self.frame()), f"after {action}: what was redrawn is not what has changed"
        return self

    def at(self, widget: Widget, dx: int | None = None, dy: int | None = None) -> tuple[int, int]:
        x, y, w, h = self.window.rect_of(widget)
        return x + (w // 2 if dx is None else dx), y + (h // 2 if dy is None else dy)

    def click(self, widget: Widget, dx: int | None = None, dy: int | None = None) -> "Rig":
        return self.do(Action.click(*self.at(widget, dx, dy)))

    def click_part(self, widget: Widget, rect: tuple[int, int, int, int]) -> "Rig":
        return self.click(widget, rect[0] + rect[2] // 2, rect[1] + rect[3] // 2)

    def keys(self, *keys: str, modifiers: tuple[Modifier, ...] = ()) -> "Rig":
        return self.do(*(Action.press(key, *modifiers) for key in keys))

    def type(self, text: str) -> "Rig":
        return self.do(Action.type_text(text))

    def submitted(self) -> dict[str, object]:
        (event,) = self.session.state.events("submitted")
        return json.loads(event.value)


# ------------------------------------------------------------------------------------------------------------ spinner


def spinner(**more) -> tuple[Rig, Spinner]:
    widget = Spinner(id="n", name="N", text="5", **more)
    return Rig().hold(widget), widget


def test_a_spinner_takes_only_what_can_become_its_number() -> None:
    rig, widget = spinner(high=60)
    rig.click(widget).keys("a", modifiers=(CTRL,)).type("x4y2")
    assert (widget.text, widget.value) == ("5", 5)  # one that is refused changes nothing
    rig.type("42")
    assert widget.value == 42
    rig.type("0").type("-")
    assert widget.value == 42
    rig.keys("backspace", "backspace")
    assert (widget.text, widget.value) == ("", "")
    rig.type("61")
    assert widget.value == ""
    rig.type("60")
    assert widget.value == 60
    rig.keys("z", modifiers=(CTRL,))
    assert widget.value == ""


def test_a_spinner_steps_by_arrows_keys_and_the_wheel_and_stops_at_its_ends() -> None:
    rig, widget = spinner(low=2, high=20)
    up, down = widget.arrows(rig.session.look)
    rig.click_part(widget, up)
    assert widget.value == 6
    rig.click_part(widget, down).click_part(widget, down)
    assert widget.value == 4
    rig.keys("up", "page_up")
    assert widget.value == 15
    rig.keys("page_up")
    assert widget.value == 20
    rig.do(Action.scroll_by(*rig.at(widget), dy=3))
    assert widget.value == 17
    rig.keys("page_down", "page_down")
    assert widget.value == 2
    rig.keys("a", modifiers=(CTRL,)).keys("delete", "up")
    assert widget.value == 2


def test_a_spinner_of_minutes_goes_on_at_the_other_end_and_is_filled_up_with_zeros() -> None:
    rig, widget = spinner(high=59, digits=2, wrap=True)
    rig.click(widget).keys("up")
    assert widget.text == "06"
    rig.keys(*["down"] * 7)
    assert widget.text == "59"
    rig.keys("up")
    assert widget.text == "00"


def test_a_spinner_below_zero() -> None:
    rig, widget = spinner(low=-9, high=9)
    rig.click(widget).keys("a", modifiers=(CTRL,)).type("-")
    assert widget.value == ""
    rig.type("7")
    assert widget.value == -7
    rig.keys("down", "down", "down")
    assert widget.value == -9


# ----------------------------------------------------------------------------------------------------------- password


def test_a_password_is_seen_by_nobody() -> None:
    password, other = PasswordField(id="p", name="P"), TextField(id="t", name="T")
    rig = Rig().hold(password, other)
    rig.click(password).type("s3cret")
    assert password.value == "s3cret" and "s3cret" not in json.dumps(accessibility_tree(rig.session))
    first = rig.frame()
    rig.keys("a", modifiers=(CTRL,)).type("zzzzzz")
    assert np.array_equal(first, rig.frame())
    rig.keys("a", modifiers=(CTRL,)).keys("c", "x", modifiers=(CTRL,))
    assert password.value == "zzzzzz" and rig.session.state.clipboard == ""
    rig.click(other).type("paste me").keys("a", "c", modifiers=(CTRL,)).click(password).keys("a", "v", modifiers=(CTRL,))
    assert password.value == "paste me"


# ------------------------------------------------------------------------------------------------------ stars, ranges


def test_stars_are_given_by_mouse_and_keys() -> None:
    rating = Rating(id="r", name="R", w=200)
    rig = Rig().hold(rating)
    rig.click_part(rating, rating.star_rects(rig.session.look)[3])
    assert rating.value == 4
    rig.keys("left", "left")
    assert rating.value == 2
    rig.keys("end", "right")
    assert rating.value == 5
    rig.keys("home", "left")
    assert rating.value == 0
    assert [node["name"] for node in rating.children((0, 0, 200, 20), rig.session.look)] == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize("side", [9, 20, 33])
def test_a_star_is_one_and_the_same_seen_in_a_mirror(side: int) -> None:
    cover = star(side).astype(int)
    assert cover.shape == (side, side) and np.abs(cover - cover[:, ::-1]).max() <= 32
    assert cover[side // 2, side // 2] == 255 and cover[0, 0] == cover[-1, 0] == 0
    assert 0.25 < cover.mean() / 255 < 0.5


def test_the_thumbs_of_a_range_do_not_pass_each_other() -> None:
    widget = RangeSlider(id="r", name="R", low=0, high=100, step=10, start=20, end=60)
    rig = Rig().hold(widget)
    look = rig.session.look
    y = rig.at(widget)[1]

    def x(number: int) -> int:
        return rig.at(widget, 0)[0] + widget.position(look, number)

    rig.do(Action.drag(x(60), y, x(80), y))
    assert widget.value == [20, 80]
    rig.do(Action.drag(x(20), y, x(100), y))
    assert widget.value == [80, 80]
    rig.do(Action.drag(x(80) + 2, y, x(100), y))
    assert widget.value == [80, 100]
    rig.do(Action.click(x(10), y))
    assert widget.value == [10, 100]
    rig.keys("right", "right", "left")
    assert widget.value == [20, 100]
    rig.keys("space", "left").type(" ").keys("home")
    assert widget.value == [0, 90]
    rig.keys("space", "home", "end", "page_down")
    assert widget.value == [0, 0]


# -------------------------------------------------------------------------------------------------------------- dates


@pytest.mark.parametrize("sunday", [False, True])
@pytest.mark.parametrize("month", ["2024-02", "2026-03", "2027-08", "2100-02", "2199-12"])
def test_a_month_has_its_days_under_their_weekdays(month: str, sunday: bool) -> None:
    view = MonthView(id="m", day=f"{month}-01", sunday_first=sunday, w=210, h=160)
    weeks = calendar.Calendar(6 if sunday else 0).monthdayscalendar(*map(int, month.split("-")))
    where = {int(day[8:]): (rect[1] // (160 // 8) - 2, rect[0] // 30) for day, rect in view.days()}
    assert where == {day: (row, column) for row, week in enumerate(weeks) for column, day in enumerate(week) if day}


def test_a_month_is_turned_by_arrows_keys_and_the_wheel() -> None:
    view = MonthView(id="m", day="2026-01-31", h=160)
    rig = Rig().hold(view, height=160)
    arrows = {months: rect for _, months, rect in view.arrows()}
    for months, shown in ((1, "2026-02"), (12, "2027-02"), (-1, "2027-01"), (-12, "2026-01")):
        rig.click_part(view, arrows[months])
        assert (view.shown, view.day) == (shown, "2026-01-31")
    rig.keys("page_down")
    assert view.day == "2026-02-28"
    rig.keys("page_up", modifiers=(SHIFT,))
    assert view.day == "2025-02-28"
    rig.keys("right")
    assert (view.day, view.shown) == ("2025-03-01", "2025-03")
    rig.keys("up", "left")
    assert view.day == "2025-02-21"
    rig.do(Action.scroll_by(*rig.at(view), dy=20), Action.scroll_by(*rig.at(view), dy=-3))
    assert view.shown == "2026-07"


def test_the_years_of_a_calendar_end_somewhere() -> None:
    view = MonthView(id="m", day="1900-01-01")
    view.mark(-1)
    view.turn(-1)
    assert (view.day, view.shown) == ("1900-01-01", "1900-01")
    view.turn(12 * 1000)
    assert view.shown == "2199-12" and len(view.days()) == 31


def test_a_date_is_chosen_in_a_calendar_that_blocks_its_owner() -> None:
    date, other = DateField(id="d", name="Day", day="2026-03-10", pattern="DD.MM.YYYY"), TextField(id="t", name="T")
    rig = Rig().hold(date, other)
    owner = rig.window
    rig.click(date)
    window = rig.session.state.window("calendar:window")
    assert window is not None and window.modal_for == "window"
    rig.click(other).type("x")
    assert other.value == "" and rig.session.active is window
    month = window.widget("month")
    assert isinstance(month, MonthView)
    rig.window = window
    rig.click_part(month, dict(month.days())["2026-03-17"])
    assert date.value == "2026-03-17" and rig.session.state.window("calendar:window") is None
    rig.window = owner
    rig.click(date).keys("escape")
    assert date.value == "2026-03-17" and rig.session.active is owner
    rig.keys("space", "down", "enter")
    assert date.value == "2026-03-24"


def test_dates_are_written_in_the_pattern_asked_for() -> None:
    assert [written("2026-03-07", pattern) for pattern in ("DD.MM.YYYY", "MM/DD/YYYY", "YYYY-MM-DD")] == ["07.03.2026", "03/07/2026", "2026-03-07"]


# -------------------------------------------------------------------------------------------------------- suggestions


def suggesting() -> tuple[Rig, SuggestField, TextField]:
    below = TextField(id="below", name="Below")
    field = SuggestField(id="s", name="S", entries=["Bern", "Berlin", "Bergen", "Bonn", "Bremen", "Brest", "Brüssel", "Zürich"])
    rig = Rig().hold(below, field)
    return rig, field, below


def test_suggestions_follow_what_is_typed_and_are_taken_by_a_click() -> None:
    rig, field, _ = suggesting()
    rig.click(field).type("ber")
    assert field.suggested == ["Bern", "Berlin", "Bergen"]
    rig.keys("backspace")
    assert len(field.suggested) == 3
    rig.keys("backspace")
    assert len(field.suggested) == 5
    rig.type("r").click(field, 10, field.line + field.line // 2)
    assert field.value == "Bremen" and field.suggested == [] and field.h == field.line


def test_suggestions_are_taken_and_closed_by_keys() -> None:
    rig, field, below = suggesting()
    rig.click(field).type("Be").keys("down", "down", "enter")
    assert field.value == "Berlin" and not field.suggested
    rig.keys("backspace")
    assert field.suggested == ["Berlin"]
    rig.keys("escape")
    assert not field.suggested and field.value == "Berli"
    rig.keys("z", modifiers=(CTRL,))
    assert field.value == "Berlin"
    rig.keys("a", modifiers=(CTRL,)).type("b").keys("up")
    assert field.marked == len(field.suggested) - 1
    rig.click(below)
    assert not field.suggested and field.h == field.line


# -------------------------------------------------------------------------------------------------------------- forms


def form(rules=(), count: int = 10) -> tuple[Rig, Form]:
    rig = Rig()
    window = Form(id="form", title="Form", rules=list(rules))
    rows = [[Label(id=f"l{i}", name=f"Field {i}", w=60), TextField(id=f"f{i}", name=f"Field {i}")] for i in range(count)]
    make_form(rig.session, window, 260, rows, 4, "OK", [([problem_label()], 0)])
    return rig.show(window), window


def test_a_form_scrolls_by_the_wheel_over_its_fields_and_by_its_bar() -> None:
    rig, window = form()
    assert [w.id for w in window.widgets if isinstance(w, TextField)] == ["f0", "f1", "f2", "f3"]
    rig.do(Action.scroll_by(*rig.at(window.widget("f1")), dy=1))
    assert [w.id for w in window.widgets if isinstance(w, TextField)] == ["f3", "f4", "f5", "f6"]
    x, y, w, h = window.pane.track(rig.session.look)
    rig.click(window.pane, x + w // 2, y + h - 2)
    assert window.pane.top == 6
    thumb = window.pane.thumb(rig.session.look)
    assert thumb is not None
    rig.do(Action.drag(*rig.at(window.pane, thumb[0] + 2, thumb[1] + 4), *rig.at(window.pane, x, 0)))
    assert window.pane.top == 0


def test_tab_reaches_the_fields_that_are_out_of_view() -> None:
    rig, window = form()
    for _ in range(12):
        rig.keys("tab")
    assert window.focus == "cancel"
    rig.keys("tab", "tab")
    assert window.focus == "f1" and window.pane.top == 0
    rig.keys("tab", "tab", "tab")
    assert window.focus == "f4" and window.pane.top == 1
    rig.type("typed")
    rig.keys("tab", "tab", modifiers=(SHIFT,))
    assert window.focus == "f2" and window.widget("f4").value == "typed"


def test_a_form_hands_in_what_is_out_of_view_too() -> None:
    rig, window = form(count=6)
    rig.click(window.widget("f0")).type("a").do(Action.scroll_by(*rig.at(window.pane), dy=5)).type("b")
    rig.click(window.widget("f5")).type("c").keys("enter")
    assert rig.submitted() == {"f0": "ab", "f1": "", "f2": "", "f3": "", "f4": "", "f5": "c"}
    assert rig.session.state.window("form") is None


def test_a_form_refuses_what_breaks_a_rule_and_says_so() -> None:
    rig, window = form([("f8", "[0-9]+", "digits only"), ("f1", ".+", "empty")])
    rig.keys("enter")
    problem = window.widget("problem")
    assert problem.name == "✗ digits only" and window.focus == "f8" and window.pane.top == 5
    rig.type("12").keys("enter")
    assert problem.name == "✗ empty" and window.focus == "f1"
    rig.type("x").keys("enter")
    assert rig.submitted()["f8"] == "12"


def test_cancel_breaks_no_rule() -> None:
    rig, window = form([("f8", "[0-9]+", "digits only")])
    rig.click(window.widget("cancel"))
    assert rig.session.state.events("submitted")[0].widget == "cancel"


def test_a_wizard_keeps_what_was_entered_and_sums_it_up() -> None:
    rig = Rig()
    pages = [
        ("One", [[Label(id="l", name="A", w=30), TextField(id="a", name="A")]]),
        ("Two", [[CheckBox(id="b", name="B")], [Spinner(id="c", name="C", text="3")]]),
    ]
    window = make_wizard(rig.session, "wizard", "Wizard", 260, pages)
    rig.show(window)
    assert not window.widget("back").enabled and window.focus == "a"
    rig.type("hello").keys("enter")
    assert window.page == 1 and window.heading.name.endswith("Two") and window.widget("a").value == "hello"
    rig.click(window.widget("b")).click(window.buttons["next"])
    assert [line.name for line in window.lines] == ["A: hello", "B: Yes", "C: 3"]
    rig.click(window.buttons["back"]).click(window.widget("b")).click(window.buttons["back"])
    assert window.page == 0
    rig.click(window.buttons["next"]).click(window.buttons["next"]).click(window.buttons["finish"])
    assert rig.submitted() == {"a": "hello", "b": False, "c": 3}


def test_a_wizard_can_be_cancelled_on_any_page() -> None:
    rig = Rig()
    window = make_wizard(rig.session, "wizard", "Wizard", 260, [("One", [[TextField(id="a", name="A")]])])
    rig.show(window).click(window.buttons["next"]).click(window.buttons["cancel"])
    assert rig.session.state.events("submitted")[0].widget == "cancel"


def test_an_agreement_is_accepted_after_its_end_was_seen() -> None:
    rig = Rig()
    terms = Terms(id="text", name="Terms", text="\n".join(f"line {i}" for i in range(40)), readonly=True, h=120)
    accept, ok = CheckBox(id="accept", name="Accept", enabled=False), Button(id="ok", name="OK", enabled=False)
    rig.hold(terms, accept, ok, window=Agreement(id="window", title="Agreement", closing=["ok"]))
    accept.y, ok.y = terms.y + 130, terms.y + 160
    rig.click(accept).click(ok)
    assert not accept.checked and not rig.session.state.events("submitted")
    rig.do(Action.scroll_by(*rig.at(terms), dy=3)).click(accept)
    assert not accept.checked
    rig.click(terms).type("x").keys("end", modifiers=(CTRL,)).click(ok)
    assert accept.enabled and not rig.session.state.events("submitted")
    rig.click(accept).click(accept).click(ok)
    assert not accept.checked and not rig.session.state.events("submitted")
    rig.click(accept).click(ok)
    assert rig.submitted()["accept"] is True and terms.text.startswith("line 0\n")


def test_a_player_takes_exactly_its_shortcuts() -> None:
    rig = Rig()
    commands = {"Play": ("P", ("CTRL",)), "Stop": ("P", ("CTRL", "SHIFT")), "Skip": ("F7", ())}
    window = make_player(rig.session, "player", "Player", commands, ["Skip", "Play", "Stop"], 20)
    rig.show(window).keys("p", "f7", "f8").keys("p", modifiers=(CTRL,)).keys("p", modifiers=(CTRL, SHIFT)).keys("f7", modifiers=(CTRL,))
    assert [event.value for event in rig.session.state.events("commanded")] == ["Skip", "Play", "Stop"]
    assert window.widget("last").name == "Last command: Stop"
    assert [window.widget(f"shortcut{i}").name for i in range(3)] == ["F7", "Ctrl+P", "Ctrl+Shift+P"]


def test_forms_and_wizards_outlive_a_change_of_the_size_of_letters() -> None:
    rig, window = form()
    wizard = make_wizard(rig.session, "wizard", "Wizard", 260, [("One", [[TextField(id="a", name="A")]]), ("Two", [[TextField(id="b", name="B")]])])
    wizard.page = 1
    rig.show(wizard)
    for size in ("large", "small", "normal"):
        rig.session.change_setting("text_size", size)
        rig.do(Action.scroll_by(*rig.at(window.widget("f1")), dy=1), Action.press("tab"))
        assert wizard.page == 1 and window.find("f9") is not None and len(window.widgets) == len({w.id for w in window.widgets})


def test_a_spinner_tells_of_its_arrows() -> None:
    rig, widget = spinner()
    x, y, w, h = rig.window.rect_of(widget)
    nodes = widget.children((x, y, w, h), rig.session.look)
    assert [node["name"] for node in nodes] == ["▲", "▼"]
    for node, number in zip(nodes, (6, 5), strict=True):
        left, top, wide, high = node["bounds"]
        rig.do(Action.click(left + wide // 2, top + high // 2))
        assert widget.value == number
