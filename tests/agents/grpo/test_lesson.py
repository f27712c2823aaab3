"""What a step learns from: which rows, with which advantages, as what part of the collection."""

import dataclasses

import pytest
from grpo_fakes import OneTokenImages, episode

from agents.config import ModelConfig
from agents.episodes import Group
from agents.grpo.config import TrainConfig
from agents.grpo.learner import LearnerConfig
from agents.grpo.lesson import anchored, rows_of_groups
from agents.grpo.loss import LossConfig

CONFIG = TrainConfig(ModelConfig("model"))


def lesson(*groups, aggregation="episode-mean", **changes):
    learner = LearnerConfig(loss=LossConfig(aggregation=aggregation))
    config = dataclasses.replace(CONFIG, learner=learner, **changes)
    return rows_of_groups([Group("t#1", list(group)) for group in groups], OneTokenImages(), config)


def test_groups_that_teach_nothing_are_skipped_and_count():
    found = lesson(
        [episode(1.0), episode(0.0), episode(None)],  # the third is unscored: no row, no part in the mean
        [episode(1.0), episode(1.0)],  # all equal
        [episode(1.0), episode(None)],  # one left: nothing to compare with
    )
    assert [(row.advantages[-1], row.episode) for row in found.rows] == [(1.0, 0), (-1.0, 1)]
    assert found.figures == {
        "groups": 3.0,
        "skipped_groups": 2.0,
        "advantage_zero": 0.6,
        "advantage": 0.0,
        "advantage_std": 1.0,
        "advantage_max": 1.0,
    }
    assert found.share == 2 / 5  # of the five episodes that have a reward


def test_nothing_to_learn():
    found = lesson([episode(1.0), episode(1.0)])
    assert found.rows == [] and found.figures == {"groups": 1.0, "skipped_groups": 1.0, "advantage_zero": 1.0} and found.share == 0.0
    assert lesson([episode(None), episode(None)]).share == 0.0


def test_the_share_is_counted_as_the_loss_counts():
    groups = [episode(1.0, ids=(3,)), episode(0.0, ids=(3,) * 5)], [episode(0.0, ids=(3,) * 6), episode(0.0, ids=(3,) * 4)]
    assert lesson(*groups).share == 1 / 2
    assert lesson(*groups, aggregation="constant").share == 1 / 2
    assert lesson(*groups, aggregation="token-mean").share == 6 / 16


def test_cut_turns_are_context_only():
    cut = episode(0.0, (0, 1), finish_reasons=["length", "stop"])
    groups = [episode(1.0), cut, episode(0.0, finish_reasons=["length"])]
    kept, masked = lesson(groups), lesson(groups, overlong="mask")
    assert len(kept.rows) == 4 and "masked_turns" not in kept.figures
    # the baseline is that of all three, and the episode of nothing but a cut turn counts in the mean without a row
    assert [(row.episode, sum(row.mask), row.advantages[-1]) for row in masked.rows] == [
        (row.episode, 2, row.advantages[-1]) for row in (kept.rows[0], kept.rows[2])
    ]
    assert masked.figures["masked_turns"] == 2.0 and masked.share == pytest.approx(2 / 3) and masked.rows[1].weight == 1.0
    # in tokens: 2 + 2 trained of 2 + 2
    assert lesson(groups, overlong="mask", aggregation="token-mean").share == 1.0
    assert cut.turns[0].trained  # the episode itself is as it was


def test_step_credit_reaches_the_rows_and_says_how_many_screens_were_shared():
    found = lesson([episode(1.0, (0, 1)), episode(0.0, (0,))], credit="step", scale="none", gamma=0.5, omega=1.0)
    # screen 0: returns 1/2 and 0: S = 1/4, -1/4
    assert [row.advantages[-1] for row in found.rows] == [0.75, 0.5, -0.75]
    assert found.figures["anchored"] == 2 / 3 and found.figures["advantage_max"] == 0.75
    assert anchored([]) == 0.0
