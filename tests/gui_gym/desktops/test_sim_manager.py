"""The window manager: resizing, hiding, filling the screen, the task bar, switching, and windows that block others."""

import numpy as np
import pytest
from sim_rig import Rig

from gui_gym.actions import Action, Button, Key, Modifier
from gui_gym.desktops.sim import Window
from gui_gym.desktops.sim.apps.dialog import ask
from gui_gym.desktops.sim.shell import bar_rects, switcher_rows
from gui_gym.desktops.sim.widgets.basic import Button as PushButton

ALT, CTRL, META, SHIFT = Modifier.ALT, Modifier.CTRL, Modifier.META, Modifier.SHIFT


class Stretchy(Window):
    """A window with a button that always fills it, and which counts how often it was laid out."""

    def layout(self, session) -> None:  # type: ignore[no-untyped-def]
        button, size = self.widgets[0], session.look.size
        button.x, button.y, button.w, button.h = size.pad, size.title + size.pad, self.w - 2 * size.pad, self.h - size.title - 2 * size.pad


def stretchy(rig: Rig, name: str = "w", x: int = 150, y: int = 60, least: tuple[int, int] = (150, 90)) -> Stretchy:
    window = Stretchy(id=name, title=f"Window {name}", x=x, y=y, w=240, h=160, resizable=True, least=least)
    window.widgets = [PushButton(id="button", name="Press")]
    window.layout(rig.session)
    rig.session.open(window)
    rig.check()
    return window


def button_of(rig: Rig, window: Window, name: str) -> tuple[int, int, int, int]:
    return dict(rig.session.title_buttons(window))[name]


@pytest.mark.parametrize(
    ("start", "by", "expected"),
    [
        ((150, 140), (-30, 50), (120, 60, 270, 160)),  # left border
        ((389, 140), (40, 50), (150, 60, 280, 160)),  # right border
        ((270, 59), (40, -30), (150, 30, 240, 190)),  # top border, from just outside
        ((270, 221), (40, 30), (150, 60, 240, 190)),  # bottom border, from just outside
        ((150, 60), (20, 10), (170, 70, 220, 150)),  # corners
        ((389, 60), (20, 10), (150, 70, 260, 150)),
        ((150, 219), (20, 10), (170, 60, 220, 170)),
        ((391, 221), (20, 10), (150, 60, 260, 170)),
        ((389, 140), (-300, 0), (150, 60, 150, 160)),  # no smaller than its least size
        ((150, 60), (300, 300), (240, 130, 150, 90)),
    ],
)
def test_a_window_is_resized_by_every_border_and_corner(start: tuple[int, int], by: tuple[int, int], expected: tuple[int, int, int, int]) -> None:
    rig = Rig()
    window = stretchy(rig)
    rig.do(Action.drag(*start, start[0] + by[0], start[1] + by[1]))
    assert window.bounds == expected and window.widgets[0].w == window.w - 2 * rig.session.look.size.pad


def test_a_window_that_is_not_resizable_has_no_borders_to_drag_and_only_a_close_button() -> None:
    rig = Rig()
    window = Window(id="fixed", title="Fixed", x=150, y=60, w=240, h=160)
    rig.session.open(window)
    rig.do(Action.drag(389, 140, 450, 150), Action.drag(389, 219, 450, 300))
    assert window.bounds == (150, 60, 240, 160) and [name for name, _ in rig.session.title_buttons(window)] == ["close"]
    rig.do(Action.click(200, 65, clicks=2))
    assert not window.maximised


def test_maximise_and_restore_by_button_double_click_and_keys() -> None:
    rig = Rig()
    window = stretchy(rig)
    _, _, width, height = rig.session.work_area
    rig.click(button_of(rig, window, "maximise"))
    assert window.maximised and window.bounds == (0, 0, width, height)
    rig.do(Action.drag(639, 200, 500, 200))
    assert window.bounds == (0, 0, width, height), "a maximised window has no borders to drag"
    rig.click(button_of(rig, window, "maximise"))
    assert not window.maximised and window.bounds == (150, 60, 240, 160)
    rig.do(Action.click(230, 66, clicks=2))
    assert window.maximised
    rig.do(Action.click(230, 6, clicks=2))
    assert window.bounds == (150, 60, 240, 160)
    rig.press(Key.UP, META)
    assert window.maximised
    rig.press(Key.DOWN, META).press(Key.LEFT, META)
    assert window.bounds == (0, 0, width // 2, height)
    rig.press(Key.RIGHT, META)
    assert window.bounds == (width // 2, 0, width // 2, height)
    rig.press(Key.DOWN, META)
    assert window.minimised


def test_a_maximised_window_that_is_drawn_by_its_title_bar_comes_loose() -> None:
    rig = Rig()
    window = stretchy(rig)
    rig.press(Key.UP, META).do(Action.drag(320, 8, 330, 120))
    assert not window.maximised and (window.w, window.h) == (240, 160)
    assert window.x <= 330 < window.x + window.w and window.y <= 120 < window.y + rig.session.look.size.title


def test_a_minimised_window_gets_no_input_and_comes_back_from_the_task_bar() -> None:
    rig = Rig()
    first, second = stretchy(rig, "a"), stretchy(rig, "b")
    rig.click(button_of(rig, second, "minimise"))
    assert second.minimised and rig.session.active is first and rig.order == ["a"]
    rig.click("button").press(Key.ENTER)
    assert {event.window for event in rig.state.events("clicked")} == {"a"}
    rects = dict((window.id, rect) for window, rect in bar_rects(rig.session))
    rig.click(rects["b"])
    assert not second.minimised and rig.session.active is second
    rig.do(Action.wait_for(1)).click(rects["b"])
    assert second.minimised, "a click on the active window's button hides it"
    rig.click(rects["a"])
    assert rig.session.active is None and rig.order == []
    rig.press(Key.A).type("x").press(Key.F4, ALT)
    assert len(rig.state.windows) == 2
    rig.press(Key.TAB, ALT)
    assert len(rig.order) == 1


def test_buttons_of_the_task_bar_stay_in_the_order_of_opening() -> None:
    rig = Rig()
    windows = [stretchy(rig, name, x) for name, x in (("z", 30), ("a", 120), ("m", 210))]
    for window in windows:
        rig.session.activate(window)
        assert [w.id for w, _ in bar_rects(rig.session)] == ["z", "a", "m"]
    rig.session.close(windows[1])
    assert [w.id for w, _ in bar_rects(rig.session)] == ["z", "m"]


def test_alt_tab_with_alt_held_goes_through_the_windows_in_the_order_of_use() -> None:
    rig = Rig()
    for name in "abc":
        stretchy(rig, name)
    plain = rig.desktop.screenshot()
    rig.do(Action.key_down(Key.ALT)).press(Key.TAB)
    assert rig.session.active is rig.state.window("c"), "nothing is raised while ALT is held"
    assert not np.array_equal(rig.desktop.screenshot(), plain)
    names = [node["name"] for node in rig.nodes("list item")]
    assert names == ["Window c", "Window b", "Window a"] and [node["value"] for node in rig.nodes("list item")] == [False, True, False]
    assert [list(rect) for rect in switcher_rows(rig.session)] == [node["bounds"] for node in rig.nodes("list item")]
    rig.press(Key.TAB).do(Action.key_up(Key.ALT))
    assert rig.order == ["b", "c", "a"] and rig.state.switching == -1
    rig.do(Action.key_down(Key.ALT)).press(Key.TAB).do(Action.key_up(Key.ALT))
    assert rig.order == ["b", "a", "c"]
    rig.do(Action.key_down(Key.ALT)).press(Key.TAB).press(Key.TAB, SHIFT).press(Key.TAB, SHIFT).do(Action.key_up(Key.ALT))
    assert rig.order == ["a", "c", "b"]
    rig.do(Action.key_down(Key.ALT)).press(Key.TAB).press(Key.ESCAPE).do(Action.key_up(Key.ALT))
    assert rig.order == ["a", "c", "b"], "Escape leaves things as they are"
    rig.press(Key.TAB, ALT)
    assert rig.order == ["a", "b", "c"]


def test_two_clicks_at_one_place_are_a_double_click_unless_something_comes_between() -> None:
    rig = Rig()
    window = stretchy(rig)
    bar = (210, 66)
    for between in (Action.wait_for(1), Action.move(300, 300), Action.press(Key.A)):
        rig.do(Action.click(*bar), between, Action.click(*bar))
        assert not window.maximised
        rig.do(Action.wait_for(1))
    rig.do(Action.click(*bar), Action.click(bar[0] + 6, bar[1]), Action.wait_for(1))
    assert not window.maximised, "too far apart"
    rig.do(Action.click(*bar), Action.click(*bar, button=Button.RIGHT), Action.press(Key.ESCAPE))
    rig.do(Action.click(*bar), Action.click(bar[0] + 2, bar[1] - 1))
    assert window.maximised
    rig.do(Action.wait_for(1), *[Action.mouse_down(*bar), Action.mouse_up(*bar)])
    rig.do(Action.mouse_down(210, 8), Action.mouse_up(210, 8), Action.mouse_down(210, 8), Action.mouse_up(210, 8))
    assert not window.maximised


def test_the_second_click_of_two_windows_is_no_double_click() -> None:
    rig = Rig()
    top, below = stretchy(rig, "top"), stretchy(rig, "below")
    rig.session.activate(top)
    close = button_of(rig, top, "close")
    rig.click(close).click(close)
    assert rig.state.windows == [] and below.id not in [w.id for w in rig.state.windows]


def test_the_window_menu() -> None:
    rig = Rig()
    window = stretchy(rig)
    rig.right((200, 62, 20, 10))
    assert [node["name"] for node in rig.nodes("menu item")] == ["Maximise", "Minimise", "Close"]
    rig.choose("maximise")
    assert window.maximised
    rig.right((200, 2, 20, 10)).choose("restore")
    assert not window.maximised
    rig.right((200, 62, 20, 10)).choose("minimise")
    assert window.minimised
    rig.right(bar_rects(rig.session)[0][1])
    assert [node["name"] for node in rig.nodes("menu item")] == ["Restore", "Close"]
    rig.choose("restore")
    assert rig.session.active is window
    rig.right(bar_rects(rig.session)[0][1]).choose("close")
    assert rig.state.windows == []


def test_a_modal_window_blocks_its_owner_until_it_is_closed() -> None:
    rig = Rig()
    other, owner = stretchy(rig, "other", 20), stretchy(rig, "owner")
    box = ask(rig.session, owner, "why", "Title", "Sure?", ("yes", "no"))
    rig.check()
    box.x, box.y = 400, 250
    rig.session.redraw_all()
    rig.click("button", owner).do(Action.scroll_by(200, 150, dy=1)).click(button_of(rig, owner, "close"))
    assert rig.state.events("clicked") == [] and rig.session.active is box and rig.state.window("owner") is owner
    assert [w.id for w, _ in bar_rects(rig.session)] == ["other", "owner"]
    rig.session.activate(other)
    rig.check()
    rig.click(bar_rects(rig.session)[1][1])
    assert rig.order == ["other", "owner", "ask:owner"]
    rig.press(Key.TAB, ALT)
    assert rig.active.id == "other"
    rig.press(Key.TAB, ALT).press(Key.ESCAPE)
    assert rig.state.window("ask:owner") is None and rig.active.id == "owner"
    rig.click("button")
    assert [event.window for event in rig.state.events("clicked")] == ["owner"]


def test_closing_or_hiding_an_owner_takes_its_modal_windows_along() -> None:
    rig = Rig()
    owner = stretchy(rig)
    box = ask(rig.session, owner, "why", "Title", "Sure?")
    rig.click(bar_rects(rig.session)[0][1])
    assert owner.minimised and box.minimised and rig.session.active is None
    rig.click(bar_rects(rig.session)[0][1])
    assert rig.session.active is box and not owner.minimised
    rig.session.close(owner)
    rig.check()
    assert rig.state.windows == []


def test_a_window_that_disappears_while_it_is_held() -> None:
    rig = Rig()
    window = stretchy(rig)
    rig.do(Action.mouse_down(389, 140)).press(Key.F4, ALT).do(Action.move(500, 200), Action.mouse_up(500, 200))
    assert rig.state.grab is None and window not in rig.state.windows
    window = stretchy(rig)
    rig.do(Action.mouse_down(200, 66)).press(Key.DOWN, META).do(Action.move(300, 300), Action.mouse_up(300, 300))
    assert window.minimised and (window.x, window.y) == (150, 60)


def test_larger_letters_lay_windows_out_again() -> None:
    rig = Rig()
    window = stretchy(rig)
    before = window.widgets[0].y
    rig.session.change_setting("text_size", "large")
    rig.check()
    assert window.widgets[0].y > before


@pytest.mark.parametrize("size", [(112, 112), (160, 120), (320, 200)])
def test_small_screens_have_the_buttons_there_is_room_for(size: tuple[int, int]) -> None:
    rig = Rig(size=size)
    title = rig.session.look.size.title
    for width in (4 * title, 7 * title, 8 * title):
        window = Window(id="w", title="W", x=2, y=2, w=width, h=60, resizable=True)
        rig.session.open(window)
        assert len(rig.session.title_buttons(window)) == (3 if width >= 8 * title else 1)
        rig.session.close(window)
    rig.press(Key.META)
    assert (rig.state.popup is not None) == (rig.session.look.size.bar > 0)
