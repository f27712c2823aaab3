"""The page of a run."""

import numpy as np
import pytest

from agents.episodes import Episode, Frame, Sampling, Turn
from agents.logs import RunLog
from agents.report import recorded, report_run, smooth
from gui_gym.actions import Action
from gui_gym.verifiers import EndReason, Score


def turn(text, *actions, parse_error=""):
    return Turn((1,), (), (2,), (-0.1,), Sampling(), text=text, actions=actions, parse_error=parse_error)


def test_texts_stand_with_the_first_action_they_led_to():
    click, done = Action.click(1, 2), Action.done()
    episode = Episode(
        "t#1",
        "Do it.",
        turns=[
            turn("both", click, click, click),  # the second could not be done, so the third never was
            turn("???", parse_error="expected an action"),
            turn("end", click, done, click),  # the episode ended before the last
        ],
        frames=[Frame(np.full((16, 16, 3), i, np.uint8)) for i in range(6)],
        actions=[click, click, None, click, done],
        errors=["", "no such point", "expected an action", "", ""],
        end=EndReason.DONE,
        score=Score.of(1.0),
        reward=0.5,
    )
    kept = recorded(episode, policy="mine")
    assert [(s.action, s.text, s.error) for s in kept.steps] == [
        (click, "both", ""),
        (click, "", "no such point"),
        (None, "???", "expected an action"),
        (click, "end", ""),
        (done, "", ""),
    ]
    assert [f[0, 0, 0] for f in kept.frames] == [0, 1, 2, 3, 4, 5]
    assert (kept.reward, kept.score.value, kept.extra) == (0.5, 1.0, {"policy": "mine"})


def test_smooth():
    assert smooth([0.0, 1.0, 1.0, 4.0], 2) == [0.0, 0.5, 1.0, 2.5]


def figures(success, prefix=""):
    return {
        f"{prefix}success": success,
        f"{prefix}success_low": success - 0.1,
        f"{prefix}success_high": success + 0.1,
        f"{prefix}scored": 100.0,
        f"{prefix}unscored": 2.0,
    }


def test_the_page_shows_what_was_logged(tmp_path):
    with RunLog(tmp_path) as log:
        log.write("eval", 0, figures(0.25) | figures(0.5, "greedy_"))
        for step in (1, 2):
            log.write("train", step, {"success": 0.3})
        log.write("train", 3, {"unscored": 4.0})  # a step in which nothing was scored
        log.write("eval", 3, figures(0.75) | figures(0.8, "greedy_"))
    page = report_run(tmp_path).read_text()
    for text in ("25.0 %", "75.0 %", "65.0 %", "85.0 %", "step 3, greedy", "GRPO: success over training"):
        assert text in page
    assert "Warm-up" not in page


def test_a_run_without_steps(tmp_path):
    with RunLog(tmp_path) as log:
        log.write("eval", 0, figures(0.25))
    with pytest.raises(ValueError, match="holds no steps"):
        report_run(tmp_path)
