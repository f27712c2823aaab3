"""What every :class:`~gui_gym.desktops.Desktop` must do, as a test class for pytest. Run it on a desktop of your own::

class TestMyDesktop(DesktopConformance):
    @pytest.fixture
    def desktop(self):
        ...  # a new desktop, reset to ``task`` with seed 0; close it afterwards

    @pytest.fixture
    def task(self):
        ...  # a task that leaves room to move the pointer
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from gui_gym.actions import KEY_CHARACTER, TERMINAL, Action, ActionType, Button, Key, Modifier
from gui_gym.desktops.base import Desktop, DesktopError, DesktopFileNotFoundError
from gui_gym.tasks.task import Task


class DesktopConformance:
    """Subclass it, with a name that pytest collects, and give the fixtures ``desktop`` and ``task``."""

    file = "/home/user/Documents/conformance.txt"  #: path of a file that is not there and may be written

    def test_a_screenshot_is_a_new_array(self, desktop: Desktop) -> None:
        first, second = desktop.screenshot(), desktop.screenshot()
        assert first.shape == (desktop.height, desktop.width, 3) and first.dtype == np.uint8
        assert not np.shares_memory(first, second), "two screenshots share their memory"
        assert first.min() != first.max(), "the screen is blank"
        kept = first.copy()
        desktop.perform(Action.move(desktop.width // 2, desktop.height // 2))
        desktop.screenshot()
        assert np.array_equal(first, kept), "a screenshot that was handed out has changed"

    def test_a_screenshot_goes_where_it_is_told(self, desktop: Desktop) -> None:
        buffer = np.zeros((3, desktop.height, desktop.width, 3), np.uint8)
        assert np.shares_memory(desktop.screenshot(buffer[1]), buffer[1])
        assert buffer[1].any() and not buffer[0].any() and not buffer[2].any()

    def test_the_pointer_is_seen_where_it_is(self, desktop: Desktop) -> None:
        """It changes the screen where it was and where it is, and nowhere far from both."""
        places = [(desktop.width // 4, desktop.height // 2), (desktop.width // 2, desktop.height // 4)]
        frames = []
        for place in places:
            desktop.perform(Action.move(*place))
            assert desktop.cursor == place
            frames.append(desktop.screenshot())
        changed = np.argwhere((frames[0] != frames[1]).any(axis=2))[:, ::-1]
        assert len(changed), "moving the pointer changes nothing on the screen"
        distance = np.min([np.abs(changed - place).max(axis=1) for place in places], axis=0)
        assert np.mean(distance > 64) < 0.05, "moving the pointer changes the screen far from it"

    @pytest.mark.parametrize("kind", [kind for kind in ActionType if kind not in TERMINAL])
    def test_every_action_can_be_done(self, desktop: Desktop, kind: ActionType) -> None:
        corners = [(x, y) for x in (0, desktop.width - 1) for y in (0, desktop.height - 1)]
        for corner in corners:
            action = Action(kind, point=corner, to=corners[-1], button=Button.MIDDLE, scroll=(-1, 2), key=Key.F1, wait=0, text="é漢<\"'\n")
            desktop.perform(action.check(desktop.width, desktop.height))
            if kind in (ActionType.MOVE, ActionType.CLICK, ActionType.SCROLL):
                assert desktop.cursor == corner
        assert desktop.healthy() and desktop.screenshot().shape == (desktop.height, desktop.width, 3)

    def test_every_key_can_be_pressed(self, desktop: Desktop) -> None:
        for key in Key:
            if key not in KEY_CHARACTER and not key.name.startswith("F"):  # what characters and F keys do is the program's affair
                desktop.perform(Action.press(key))
        desktop.perform(Action.press(Key.A, *Modifier))
        assert desktop.healthy()

    def test_nothing_survives_a_reset(self, desktop: Desktop, task: Task) -> None:
        """Neither files, nor keys and buttons that are held."""
        start = desktop.screenshot()
        files = self._write(desktop)
        desktop.perform(Action.key_down(Key.SHIFT))
        desktop.perform(Action.mouse_down(desktop.width // 3, desktop.height // 3))
        desktop.reset(task, 0)
        assert desktop.real or np.array_equal(desktop.screenshot(), start)
        if files:
            with pytest.raises(DesktopFileNotFoundError):
                desktop.read_file(self.file)
        assert desktop.healthy()

    def _write(self, desktop: Desktop) -> bool:
        try:
            desktop.write_file(self.file, "it's é漢\n".encode())
        except DesktopError as error:
            assert not isinstance(error, DesktopFileNotFoundError)
            return False
        return True

    def test_files(self, desktop: Desktop) -> None:
        """It has files or says that it has none; one that is missing is told from a desktop that failed."""
        if self._write(desktop):
            assert desktop.read_file(self.file) == "it's é漢\n".encode()
            with pytest.raises(DesktopFileNotFoundError):
                desktop.read_file(self.file + ".missing")
        else:
            with pytest.raises(DesktopError, match="file"):
                desktop.read_file(self.file)

    def test_programs(self, desktop: Desktop) -> None:
        """It runs programs without a shell or says that it runs none."""
        try:
            done = desktop.run(["printf", "%s", "$HOME; it's *"], timeout=30)
        except DesktopError as error:
            assert str(error), "an error says what to do"
            return
        assert (done.returncode, done.stdout) == (0, b"$HOME; it's *")
        assert desktop.run(["false"], timeout=30).returncode != 0
        with pytest.raises(DesktopError):
            desktop.run(["sleep", "60"], timeout=0.2)

    def test_a_snapshot_is_gone_back_to(self, desktop: Desktop) -> None:
        try:
            snapshot = desktop.snapshot()
        except NotImplementedError:
            return
        before = desktop.screenshot()
        for action in (Action.click(desktop.width // 2, desktop.height // 2), Action.type_text("abc"), Action.move(3, 3)):
            desktop.perform(action)
        after = desktop.screenshot()
        for _ in range(2):
            desktop.restore(snapshot)
            assert np.array_equal(desktop.screenshot(), before)
            for action in (Action.click(desktop.width // 2, desktop.height // 2), Action.type_text("abc"), Action.move(3, 3)):
                desktop.perform(action)
            assert np.array_equal(desktop.screenshot(), after)

    def test_accessibility_tree(self, desktop: Desktop) -> None:
        tree = desktop.accessibility_tree()
        if tree is None:
            return
        json.dumps(tree)
        nodes = [tree]
        while nodes:
            node = nodes.pop()
            assert {"role", "name", "bounds", "value", "children"} <= node.keys() and len(node["bounds"]) == 4
            nodes += node["children"]

    def test_wall_clock_figures(self, desktop: Desktop) -> None:
        desktop.perform(Action.wait_for(0))
        figures = desktop.timing()
        assert bool(figures) == desktop.real, "wall-clock figures are for real desktops, and only for them"
        assert all(math.isfinite(seconds) and seconds >= 0 for seconds in figures.values())

    def test_a_closed_desktop_has_failed(self, desktop: Desktop) -> None:
        desktop.close()
        desktop.close()
        assert not desktop.healthy()
        for attempt in (desktop.screenshot, lambda: desktop.perform(Action.move(1, 1))):
            with pytest.raises(DesktopError):
                attempt()


class WindowedConformance:
    """What every :class:`~gui_gym.desktops.windows.Windowed` desktop must do besides. Subclass it, and give the fixture ``desktop``."""

    program = ("mousepad", "--disable-server")  #: a program that shows one window
    wm_class = "mousepad.Mousepad"  #: the class of that window

    def test_a_window_is_found_raised_and_closed(self, desktop: Any) -> None:
        before = [window.id for window in desktop.windows()]
        assert desktop.find_window(self.wm_class, strict=True, by_class=True) is None
        desktop.launch(self.program)
        found = desktop.wait_for_window(self.wm_class[1:].upper(), by_class=True)
        assert found.wm_class == self.wm_class and found.title and min(found.bounds[2:]) > 1
        assert [window.id for window in desktop.windows()] == [*before, found.id]
        assert desktop.find_window(self.wm_class, strict=True, by_class=True).id == found.id
        assert desktop.find_window(self.wm_class[1:], strict=True, by_class=True) is None
        desktop.activate_window(self.wm_class, by_class=True)
        desktop.close_window(self.wm_class, by_class=True, timeout=20.0)
        assert [window.id for window in desktop.windows()] == before

    def test_a_window_that_is_not_there_is_an_error_that_says_what_is(self, desktop: Any) -> None:
        for find in (desktop.activate_window, desktop.close_window, lambda title: desktop.wait_for_window(title, timeout=0.1)):
            with pytest.raises(DesktopError, match="'no such'.*open:"):
                find("no such")
        assert desktop.healthy()
