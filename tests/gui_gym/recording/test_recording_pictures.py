"""Actions are drawn where they were done; the GIF and the strip hold every step."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from gui_gym.actions import Action, ActionType, Button, Key, Modifier
from gui_gym.recording import RecordedEpisode, RecordedStep, draw_action, write_gif, write_strip
from gui_gym.recording.draw import COLOURS, label
from gui_gym.recording.gif import episode_images
from gui_gym.verifiers import EndReason, Score

EVERY = [
    Action.move(5, 5),
    Action.click(300, 200),
    Action.click(0, 0, Button.RIGHT, 3, tuple(Modifier)),
    Action.mouse_down(639, 359),
    Action.mouse_up(639, 0, Button.MIDDLE),
    Action.drag(10, 10, 600, 300),
    Action.drag(10, 10, 10, 10),
    Action.scroll_by(300, 100, 0, 0),
    Action.scroll_by(300, 100, -20, 20),
    Action.type_text("漢 " * 4000),
    Action.press(Key.PLUS, Modifier.CTRL),
    Action.key_down(Key.A),
    Action.key_up(Key.A),
    Action.wait_for(5),
    Action.done(),
    Action.fail(),
    Action.answer(""),
    None,
]


@pytest.mark.parametrize("action", EVERY, ids=str)
@pytest.mark.parametrize("size", [(640, 360), (24, 16), (1920, 1080)])
def test_every_action_is_drawn_on_a_copy(action: Action | None, size: tuple[int, int]) -> None:
    screen = np.full((size[1], size[0], 3), 90, np.uint8)
    if action is not None and action.type is not ActionType.WAIT:
        action = Action(action.type, **{**action.used(), **({"point": (size[0] - 1, 3)} if "point" in action.used() else {})})
    picture = draw_action(screen, action)
    assert picture.dtype == np.uint8 and picture.shape[1] >= 480
    assert picture.shape[0] * size[0] == picture.shape[1] * size[1]
    assert (screen == 90).all() and (picture != 90).any()


def test_a_click_is_drawn_where_it_was_done() -> None:
    screen = np.full((360, 640, 3), 90, np.uint8)
    picture = draw_action(screen, Action.click(100, 300, Button.RIGHT))
    ys, xs = np.nonzero((picture == COLOURS[Button.RIGHT]).all(-1))
    near = (abs(xs - 100) < 40) & (abs(ys - 300) < 20)
    assert near.any() and (xs[near].min() < 100 < xs[near].max()) and (ys[near].min() < 300 < ys[near].max())


def test_a_drag_reaches_its_end() -> None:
    picture = draw_action(np.full((360, 640, 3), 90, np.uint8), Action.drag(20, 20, 600, 340))
    assert (picture[330:345, 590:605] == COLOURS[Button.LEFT]).all(-1).any()


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (Action.click(1, 1, clicks=2), "double click"),
        (Action.click(1, 1, Button.RIGHT, modifiers=(Modifier.CTRL,)), "ctrl right click"),
        (Action.type_text("a\nb"), 'type "a⏎b"'),
        (Action.press("s", Modifier.CTRL), "ctrl+s"),
        (Action.scroll_by(0, 0, -2, 3), "scroll 3 down, 2 left"),
        (Action.mouse_down(0, 0), "mouse down"),
        (None, "no action"),
    ],
)
def test_labels(action: Action | None, words: str) -> None:
    assert label(action) == words


def test_what_was_not_done_says_so() -> None:
    assert label(Action.click(1, 1), "outside") == "click (not done)"


def episode(width: int = 64) -> RecordedEpisode:
    frames = [np.full((48, width, 3), 20 * i, np.uint8) for i in range(4)]
    steps = [RecordedStep(Action.click(5, 5)), RecordedStep(None, "?", "bad"), RecordedStep(Action.done())]
    return RecordedEpisode("t", "Click it. " * 500, frames, steps, Score.missing("gone"), EndReason.DONE)


def test_gif_holds_each_step_and_the_last_screen(tmp_path: Path) -> None:
    with Image.open(write_gif(tmp_path / "e.gif", episode())) as gif:
        assert gif.n_frames == 4 and gif.info["loop"] == 0
        gif.seek(3)
        assert gif.info["duration"] == 2400


def test_strip_has_a_place_for_each_picture(tmp_path: Path) -> None:
    width, height = episode_images(episode(), 640)[0].size
    with Image.open(write_strip(tmp_path / "e.png", episode(), columns=3)) as sheet:
        assert sheet.size == (3 * (width + 8) + 8, 2 * (height + 8) + 8)


def test_large_screens_are_scaled_down() -> None:
    assert episode_images(episode(2000))[0].width == 960
