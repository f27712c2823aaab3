"""The GRPO objective against values worked out by hand."""

import math

import pytest
import torch
from torch import tensor

from agents.grpo.loss import LossConfig, grpo_loss, token_weights


def loss(logprobs, behaviour, advantages, weights=None, reference=None, old=None, turn=None, **config):
    weights = weights or [1 / len(logprobs)] * len(logprobs)
    lp = tensor(logprobs, dtype=torch.float64, requires_grad=True)
    to = lambda x: None if x is None else tensor(x, dtype=torch.float64)  # noqa: E731
    turn = tensor(turn or range(len(logprobs)))
    value, metrics = grpo_loss(lp, to(behaviour), to(advantages), to(weights), LossConfig(**config), turn, to(reference), to(old))
    value.backward()
    return value.item(), lp.grad, metrics


def test_at_ratio_one_it_is_minus_the_advantage_and_its_gradient_too():
    value, grad, metrics = loss([-1.0, -2.0], [-1.0, -2.0], [1.0, -0.5])
    assert value == pytest.approx(-0.25)
    assert grad.tolist() == pytest.approx([-0.5, 0.25])
    assert metrics["ratio"].tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("ratio", "advantage", "expected", "trains"),
    [
        (1.5, 1.0, -1.28, False),  # good and already likelier than 1.28: no further
        (1.5, -1.0, 1.5, True),  # bad and likelier: must come down
        (0.5, 1.0, -0.5, True),  # good and rarer: must come up
        (0.5, -1.0, 0.8, False),  # bad and already rarer than 0.8
        (1.1, 1.0, -1.1, True),
    ],
)
def test_clip_is_asymmetric_and_pessimistic(ratio, advantage, expected, trains):
    value, grad, metrics = loss([math.log(ratio) - 1], [-1.0], [advantage], clip_low=0.2, clip_high=0.28)
    assert value == pytest.approx(expected)
    assert bool(grad.abs().sum() > 0) is trains
    assert bool(metrics["clipped_low"] + metrics["clipped_high"]) is not trains


def test_kl_is_k3_of_policy_and_reference():
    value, grad, metrics = loss([math.log(0.5)], [math.log(0.5)], [0.0], reference=[math.log(0.25)], kl=0.1)
    k3 = 0.5 - math.log(0.5) - 1  # r - log r - 1 with r = reference / policy
    assert metrics["kl"].item() == pytest.approx(k3)
    assert value == pytest.approx(0.1 * k3)
    assert grad.item() == pytest.approx(0.1 * (1 - 0.5))


def test_kl_without_reference_is_refused_and_without_kl_none_is_needed():
    with pytest.raises(ValueError, match="reference"):
        loss([-1.0], [-1.0], [1.0], kl=0.1)
    assert "kl" not in loss([-1.0], [-1.0], [1.0])[2]


def test_kl_never_moves_a_group_without_advantage_unless_asked_for():
    assert loss([-1.0], [-1.0], [0.0], reference=[-2.0])[1].item() == 0.0


def test_weights_of_tokens():
    # two episodes: one of a single row of 4 tokens, one forked into rows of 1 and 2 tokens
    lengths, shares = [4, 1, 2], [1.0, 0.5, 0.5]
    assert token_weights(lengths, shares, LossConfig()) == [1 / 8, 1 / 4, 1 / 8]
    assert token_weights(lengths, shares, LossConfig(aggregation="token-mean")) == [1 / 7] * 3
    assert token_weights(lengths, shares, LossConfig(aggregation="constant", constant_length=10)) == [1 / 20] * 3


def test_episode_mean_gives_each_episode_the_same_total():
    weights = token_weights([4, 1, 2], [1.0, 0.5, 0.5], LossConfig())
    assert 4 * weights[0] == pytest.approx(1 * weights[1] + 2 * weights[2]) == 0.5


@pytest.mark.parametrize("lengths", [[], [3, 0]])
def test_a_row_without_trained_tokens_is_refused(lengths):
    with pytest.raises(ValueError, match="at least one token"):
        token_weights(lengths, [1.0] * len(lengths), LossConfig())


@pytest.mark.parametrize("bad", [{"clip_low": 0.0}, {"clip_high": 0.0}, {"kl": -1.0}, {"aggregation": "mean"}, {"constant_length": 0}])
def test_bad_config(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        LossConfig(**bad)
