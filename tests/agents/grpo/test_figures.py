"""The figures of a step, from plain data."""

import pytest

from agents.episodes import Episode, Frame, Sampling, Turn
from agents.grpo.figures import episode_figures, lasting, memory_figures, row_figures, speed_figures
from agents.rows import Row
from agents.timing import Timings
from gui_gym.verifiers import Score


def frame(shade):
    import numpy as np

    return Frame(np.full((16, 16, 3), shade, np.uint8))


def turn(shade, length=3):
    return Turn((1, 2), (frame(shade),), (5,) * length, (-0.5,) * length, Sampling())


def row(episode, ids, trained, images, turns, version=4):
    mask = [False] * (ids - trained) + [True] * trained
    return Row([1] * ids, mask, [0.0] * ids, [0.0] * ids, images, Sampling(), episode=episode, policy_version=version, turns=turns)


def test_episodes():
    good = Episode("t", "Do.", turns=[turn(1), turn(2)], score=Score.of(1.0), reward=1.5, reward_parts={"score": 1.0, "format": 0.5})
    bad = Episode("t", "Do.", turns=[turn(1)], score=Score.of(0.0), reward=0.0, reward_parts={"score": 0.0, "format": 0.0})
    gone = Episode("t", "Do.", turns=[], score=Score.missing("dead"))
    dropped = Episode("t", "Do.", turns=[turn(3)], score=Score.of(0.5))
    assert episode_figures([good, bad, gone, dropped]) == {
        "turns": 1.0, "reward": 0.75, "reward_score": 0.5, "reward_format": 0.25, "dropped": 1.0, "images_seen": 3.0
    }  # fmt: skip


def test_rows():
    rows = [row(0, 10, 4, [frame(1), frame(2)], 2), row(1, 6, 2, [frame(1)], 1), row(1, 8, 2, [frame(3)], 1, version=1)]
    found = row_figures(rows, version=5, micro_tokens=1000)
    assert found.pop("padded") == pytest.approx(1 - 24 / sum([10 * 2, 6]), abs=0.2)
    assert found == {
        "rows_per_episode": 1.5, "turns_per_row": 4 / 3, "tokens": 24.0, "tokens_trained": 8.0, "row_tokens_max": 10.0,
        "images": 4.0, "images_distinct": 3.0, "staleness": 2.0, "staleness_max": 4.0,
    }  # fmt: skip
    assert row_figures(rows, version=5, micro_tokens=1)["padded"] == 0.0  # each row alone
    assert row_figures([], version=5, micro_tokens=1) == {}


def test_speed_and_what_depends_on_the_machine():
    episodes = [Episode("t", "Do.", turns=[turn(1, 6), turn(2, 4)])]
    figures = {"time_engine": 2.0, "time_learn": 4.0, "tokens": 100.0}
    assert speed_figures(episodes, figures, passes=2) == {"speed_sampled": 5.0, "speed_learned": 50.0}
    assert speed_figures(episodes, {}, passes=2) == {}  # nothing was learned, or the engine was not asked
    memory = memory_figures("cpu")
    assert list(memory) == ["memory_process"] and 10 < memory["memory_process"] < 1e6
    assert lasting({"step": 1, "time": 1.0, "loss": 0.5} | figures | memory | {"speed_learned": 1.0}) == {"step": 1, "loss": 0.5, "tokens": 100.0}


def test_timings_add_up_and_begin_again(monkeypatch):
    clock = iter([0.0, 1.0, 1.0, 4.0, 10.0, 10.5])
    monkeypatch.setattr("agents.timing.time.perf_counter", lambda: next(clock))
    timings = Timings()
    for phase in ("env", "engine"):
        with timings(phase):
            pass
    with pytest.raises(RuntimeError), timings("env"):
        raise RuntimeError
    assert timings.take() == {"time_env": 1.5, "time_engine": 3.0}
    assert timings.take() == {}
