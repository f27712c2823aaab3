"""The page of a run."""

import numpy as np
import pytest

from agents.episodes import Episode, Frame, Sampling, Turn
from agents.logs import RunLog
from agents.report import recorded, report_run, smooth, time_table, training_charts, warning_table
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


def test_the_page_shows_what_went_wrong_and_where_the_time_went(tmp_path):
    with RunLog(tmp_path) as log:
        for step in (1, 2, 3):
            log.write("train", step, {
                "success": 0.3, "reward": 0.2, "reward_format": -0.1, "parse_error_rate": 0.5, "entropy": 1.5, "kl": 0.01, "clipped_low": 0.1,
                "clipped_high": 0.2, "grad_norm": 0.7, "staleness": 0.0, "speed_learned": 1000.0, "time_collect": 6.0, "time_engine": 4.0,
                "time_env": 1.0, "time_learn": 3.0, "time_backward": 2.0,
            })  # fmt: skip
            if step == 2:
                log.write("warning", step, {"name": "format", "text": "50% of the answers could not be read: <warm up>"})
        log.write("eval", 3, figures(0.75) | {"time_eval": 3.0})
    tables = {table.title: table.rows for table in (warning_table(tmp_path), time_table(tmp_path))}
    assert tables["Warnings"] == [[2, "50% of the answers could not be read: <warm up>"]]
    assert tables["Where the time went"] == [
        ["collect", "env", "3.0", "10 %"], ["collect", "engine", "12.0", "40 %"], ["collect", "other", "3.0", "10 %"],
        ["learn", "backward", "6.0", "20 %"], ["learn", "other", "3.0", "10 %"], ["between", "eval", "3.0", "10 %"],
    ]  # fmt: skip
    titles = [chart.title for chart in training_charts(tmp_path)]
    assert titles[0] == "GRPO: success over training" and titles[1].startswith("Reward of training episodes")
    assert not any("Age of the policy" in title for title in titles)  # rollouts and updates took turns
    page = report_run(tmp_path).read_text()
    assert "&lt;warm up&gt;" in page and "What goes wrong" in page and "Importance ratio" not in page


def test_a_run_without_warnings_or_times(tmp_path):
    with RunLog(tmp_path) as log:
        log.write("train", 1, {"success": 0.3, "staleness_max": 2.0})
    assert warning_table(tmp_path) is None and time_table(tmp_path) is None
    assert any("Age of the policy" in chart.title for chart in training_charts(tmp_path))
