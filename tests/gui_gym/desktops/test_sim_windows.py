"""Windows, the task bar, the pointer and virtual time."""

import numpy as np
import pytest

from gui_gym.actions import Action, Button, Key, Modifier
from gui_gym.desktops.sim import SimDesktop, Window
from gui_gym.desktops.sim.apps.files import Files
from gui_gym.desktops.sim.icons import icon_rects
from gui_gym.desktops.sim.shell import bar_rects
from gui_gym.tasks import Task


def blank(width: int = 640, height: int = 400) -> SimDesktop:
    """A desktop without windows."""
    desktop = SimDesktop(width, height)
    desktop.reset(Task(id="none", suite="sim", instruction="-"), 0)
    return desktop


def with_windows(desktop: SimDesktop, *places: tuple[int, int]) -> list[Window]:
    """Windows of 200 x 120 pixels at these places, in this order."""
    windows = [Window(id=f"w{i}", title=f"Window {i}", x=x, y=y, w=200, h=120) for i, (x, y) in enumerate(places)]
    for window in windows:
        desktop.session.open(window)
    return windows


def order(desktop: SimDesktop) -> list[str]:
    return [window.id for window in desktop.state.windows]


def test_a_click_raises_a_window_and_so_does_the_task_bar() -> None:
    desktop = blank()
    first, _ = with_windows(desktop, (50, 50), (150, 100))
    desktop.perform(Action.click(60, 100))
    assert order(desktop) == ["w1", "w0"]
    rect = next(r for w, r in bar_rects(desktop.session) if w is not first)
    desktop.perform(Action.click(rect[0] + 4, rect[1] + 4))
    assert order(desktop) == ["w0", "w1"]
    desktop.perform(Action.press(Key.TAB, Modifier.ALT))
    assert order(desktop) == ["w1", "w0"]


def test_a_window_moves_by_its_title_bar_as_far_as_it_stays_in_reach() -> None:
    desktop = blank()
    (window,) = with_windows(desktop, (50, 50))
    desktop.perform(Action.drag(100, 55, 160, 95))
    assert (window.x, window.y) == (110, 90)
    desktop.perform(Action.drag(120, 150, 300, 300))
    assert (window.x, window.y) == (110, 90), "its body is no handle"
    desktop.perform(Action.drag(150, 95, 639, 399))
    assert desktop.session.title_rect(window)[0] < 640 and desktop.session.title_rect(window)[1] < 400 - desktop.session.look.size.bar
    desktop.perform(Action.drag(window.x + 5, window.y + 5, 0, 0))
    assert window.y == 0


def test_pressing_moving_and_letting_go_is_a_drag() -> None:
    desktop = blank()
    (window,) = with_windows(desktop, (50, 50))
    desktop.perform(Action.mouse_down(100, 55))
    desktop.perform(Action.move(130, 75))
    assert (window.x, window.y) == (80, 70)
    desktop.perform(Action.mouse_up(140, 85))
    desktop.perform(Action.move(300, 300))
    assert (window.x, window.y) == (90, 80)


def test_the_cross_closes_if_it_is_let_go_on_it() -> None:
    desktop = blank()
    window, _ = with_windows(desktop, (50, 50), (300, 200))
    x, y, w, h = desktop.session.close_rect(window)
    desktop.perform(Action.mouse_down(x + w // 2, y + h // 2))
    desktop.perform(Action.mouse_up(x - 50, y + 60))
    assert len(desktop.state.windows) == 2
    desktop.perform(Action.click(x + w // 2, y + h // 2, button=Button.RIGHT))
    assert len(desktop.state.windows) == 2
    desktop.perform(Action.press(Key.ESCAPE))
    desktop.perform(Action.click(x + w // 2, y + h // 2))
    assert order(desktop) == ["w1"]
    desktop.perform(Action.press(Key.F4, Modifier.ALT))
    assert order(desktop) == []
    desktop.perform(Action.press(Key.F4, Modifier.ALT))


@pytest.mark.parametrize("size", [(1280, 720), (320, 200), (112, 112), (16, 16)])
def test_the_pointer_is_drawn_with_its_tip_on_the_pixel_and_nowhere_else(size: tuple[int, int]) -> None:
    desktop = blank(*size)
    desktop.perform(Action.move(size[0] // 3, size[1] // 3))
    before = desktop.screenshot()
    for point in [(0, 0), (size[0] - 1, size[1] - 1), (size[0] // 2, size[1] // 2)]:
        desktop.perform(Action.move(*point))
        after = desktop.screenshot()
        if desktop.state.tip:  # the clock has one, and it is another test's business
            x, y, w, h = desktop.state.tip.rect
            before[y : y + h, x : x + w] = after[y : y + h, x : x + w]
        changed = np.argwhere((before != after).any(axis=2))
        new = [(x, y) for y, x in changed if point[0] <= x < point[0] + 13 and point[1] <= y < point[1] + 20]
        assert desktop.cursor == point
        assert tuple(after[point[1], point[0]]) == (16, 16, 16), "the tip of the arrow"
        assert len(changed) <= 2 * 13 * 20 and new
        desktop.perform(Action.press(Key.ESCAPE))
        before = desktop.screenshot()


def test_only_waiting_passes_time() -> None:
    desktop = blank()
    clock = desktop.screenshot()
    desktop.perform(Action.wait_for(59))
    assert np.array_equal(desktop.screenshot(), clock) and desktop.state.seconds == 59
    desktop.perform(Action.click(3, 3))
    assert desktop.state.seconds == 59
    desktop.perform(Action.wait_for(1))
    changed = np.argwhere((desktop.screenshot() != clock).any(axis=2))
    assert changed[:, 0].min() >= 400 - desktop.session.look.size.bar or len(changed) < 2 * 13 * 20 + 400


def test_a_press_of_a_button_that_is_held_and_a_release_of_one_that_is_not_change_nothing() -> None:
    desktop = blank()
    (window,) = with_windows(desktop, (50, 50))
    desktop.perform(Action.mouse_up(100, 55))
    desktop.perform(Action.mouse_down(100, 55))
    desktop.perform(Action.mouse_down(100, 55))
    desktop.perform(Action.drag(100, 55, 120, 65))
    assert (window.x, window.y) == (70, 60) and desktop.state.grab is None and desktop.state.buttons == []


def test_an_icon_is_selected_by_a_click_and_opened_by_a_double_click() -> None:
    desktop = blank()
    desktop.write_file("/home/user/Documents/a.txt", b"1")
    name, (x, y, w, h) = icon_rects(desktop.session)[1]
    desktop.perform(Action.click(x + w // 2, y + h // 2))
    assert desktop.state.icon == name and desktop.state.windows == []
    desktop.perform(Action.click(x + w // 2, y + h // 2, clicks=2))
    (files,) = desktop.state.windows
    assert isinstance(files, Files) and files.folder == "/home/user/Documents" and files.view.rows == [["a.txt", "1 byte"]]
    desktop.perform(Action.click(x + w // 2 + 300, 5))
    assert desktop.state.icon == ""
    assert icon_rects(blank(320, 200).session) == []


@pytest.mark.parametrize("first", range(3))
@pytest.mark.parametrize("second", range(3))
def test_an_icon_that_is_selected_no_longer_is_drawn_so(first: int, second: int) -> None:
    desktop, other = blank(), blank()
    rects = [rect for _, rect in icon_rects(desktop.session)]
    for i in (first, second):
        desktop.perform(Action.wait_for(1))  # two clicks are no double click then
        desktop.perform(Action.click(rects[i][0] + 9, rects[i][1] + 9))
        desktop.screenshot()
    other.perform(Action.click(rects[second][0] + 9, rects[second][1] + 9))
    assert np.array_equal(desktop.screenshot(), other.screenshot())
