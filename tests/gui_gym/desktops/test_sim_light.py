"""What the settings of the screen make of its picture."""

import numpy as np
import pytest

from gui_gym.actions import Action
from gui_gym.desktops.sim import SimDesktop
from gui_gym.desktops.sim.settings import Value


def frame_with(**settings: Value) -> np.ndarray:
    desktop = SimDesktop(640, 400)
    desktop.state.settings.update(settings)
    return desktop.screenshot().astype(np.int64)


def test_brightness_and_night_light() -> None:
    plain, dark, bright = frame_with(), frame_with(brightness=0), frame_with(brightness=100)
    below = (slice(0, 200), slice(0, 400))  # where the pointer is not
    assert (dark[below] == plain[below] * 5 // 8).all() and (bright >= plain).all() and bright.sum() > plain.sum()
    night = frame_with(night_light=True)[below]
    assert (night[..., 0] == plain[below][..., 0]).all() and (night[..., 2] == plain[below][..., 2] * 98 // 128).all()


def test_a_large_pointer_covers_four_times_as_much() -> None:
    counts = []
    for large in (False, True):
        desktop = SimDesktop(640, 400)
        desktop.state.settings["large_pointer"] = large
        desktop.perform(Action.move(300, 200))
        moved = desktop.screenshot().copy()
        desktop.perform(Action.move(500, 200))
        counts.append(int((moved != desktop.screenshot()).any(axis=2)[:, :400].sum()))
    assert counts[0] > 50 and counts[1] == pytest.approx(4 * counts[0], rel=0.1)


@pytest.mark.parametrize("settings", [{"brightness": 30, "night_light": True}, {"large_pointer": True}])
def test_what_is_drawn_again_has_the_same_light(settings: dict[str, Value]) -> None:
    desktop = SimDesktop(640, 400)
    desktop.state.settings.update(settings)
    desktop.screenshot()
    desktop.session.redraw((20, 30, 100, 80))
    desktop.session.redraw((60, 50, 100, 80))
    desktop.perform(Action.click(80, 60))
    other = SimDesktop(640, 400)
    other.restore(desktop.snapshot())
    assert np.array_equal(desktop.screenshot(), other.screenshot())
