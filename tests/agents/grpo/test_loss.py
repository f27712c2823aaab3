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


def test_sequence_ratio_is_the_geometric_mean_of_a_turn_by_hand():
    # turn 0: ratios 2 and 1/2 -> (2 * 1/2)^(1/2) = 1;  turn 1: ratios 4, 1 and 2 -> 8^(1/3) = 2
    ratios, advantages = [2.0, 0.5, 4.0, 1.0, 2.0], [1.0, 1.0, -0.5, -0.5, -0.5]
    value, grad, metrics = loss([math.log(r) for r in ratios], [0.0] * 5, advantages, turn=[0, 0, 1, 1, 1], ratio="sequence", clip_high=0.2)
    assert metrics["ratio"].tolist() == pytest.approx([1.0, 1.0, 2.0, 2.0, 2.0])
    assert metrics["sequence_ratio"].tolist() == pytest.approx([1.0, 8.0])
    # each token weighs 1/5: -(1/5) (1 + 1) + (1/5) (3 * 1/2 * 2); a bad answer that became likelier is not clipped
    assert value == pytest.approx(-2 / 5 + 3 / 5)
    # d ratio / d logprob = ratio / length: turn 0: -(1/5) * 2 tokens * 1 * 1/2; turn 1: (1/5) * 3 tokens * 1/2 * 2 * 1/3
    assert grad.tolist() == pytest.approx([-1 / 5] * 2 + [1 / 5] * 3)


def test_sequence_clip_cuts_whole_turns_by_hand():
    # turn 0, good: ratios 1.21 and 1.21 -> 1.21, above 1.1: cut.  turn 1, good: 1.5 and 1/1.5 -> 1: both tokens train
    ratios = [1.21, 1.21, 1.5, 1 / 1.5]
    value, grad, metrics = loss([math.log(r) for r in ratios], [0.0] * 4, [1.0] * 4, turn=[0, 0, 1, 1], ratio="sequence", clip_low=0.1, clip_high=0.1)
    assert value == pytest.approx(-(1.1 + 1.1 + 1 + 1) / 4)
    assert grad.tolist() == pytest.approx([0, 0, -1 / 4, -1 / 4])
    assert metrics["clipped_high"].tolist() == [1, 1, 0, 0]
    # token by token 1.21 and 1.5 would have been cut, and 1/1.5 not
    assert loss([math.log(r) for r in ratios], [0.0] * 4, [1.0] * 4, clip_low=0.1, clip_high=0.1)[2]["clipped_high"].tolist() == [1, 1, 1, 0]


def test_at_ratio_one_the_gradient_of_a_sequence_ratio_is_that_of_its_tokens():
    for lengths in ([0, 0, 0, 1], [0, 1, 1, 2]):
        found = [loss([-1.0, -2.0, -0.5, -3.0], [-1.0, -2.0, -0.5, -3.0], [1.0] * 4, turn=lengths, ratio=kind)[1] for kind in ("token", "sequence")]
        assert found[0].tolist() == pytest.approx(found[1].tolist())


@pytest.mark.parametrize(
    ("ratio", "advantage", "weight", "clipped"),
    [
        (1.5, 1.0, 1.5, (0, 0)),
        (8.0, 1.0, 5.0, (0, 1)),  # cut to 1 + clip_high, and still trained
        (8.0, -1.0, 5.0, (0, 1)),
        (0.01, -1.0, 0.01, (0, 0)),  # clip_low 1: no bound below
    ],
)
def test_cispo_cuts_the_weight_and_keeps_the_gradient(ratio, advantage, weight, clipped):
    logprob = -0.7
    value, grad, metrics = loss([logprob], [logprob - math.log(ratio)], [advantage], surrogate="cispo", clip_low=1.0, clip_high=4.0)
    assert value == pytest.approx(-weight * advantage * logprob)
    assert grad.item() == pytest.approx(-weight * advantage)  # none flows through the ratio
    assert (metrics["clipped_low"].item(), metrics["clipped_high"].item()) == clipped


def test_cispo_may_be_bounded_below():
    _, grad, metrics = loss([math.log(0.1)], [0.0], [1.0], surrogate="cispo", clip_low=0.2)
    assert grad.item() == pytest.approx(-0.8) and metrics["clipped_low"].item() == 1


def test_truncated_importance_sampling_by_hand():
    # learner before the update / engine: 0.5 / 0.25 = 2 -> 2;  0.6 / 0.1 = 6 -> capped at 3;  0.2 / 0.4 = 1/2
    engine, old, now = [0.25, 0.1, 0.4], [0.5, 0.6, 0.2], [0.55, 0.6, 0.1]
    log = lambda values: [math.log(v) for v in values]  # noqa: E731
    value, grad, metrics = loss(log(now), log(engine), [1.0, 1.0, -2.0], old=log(old), turn=[0, 0, 1], tis_cap=3.0, clip_low=0.2)
    assert metrics["ratio"].tolist() == pytest.approx([1.1, 1.0, 0.5])  # to the learner, not to the engine
    assert metrics["tis_weight"].tolist() == pytest.approx([2.0, 3.0, 0.5])
    assert metrics["tis_truncated"].tolist() == [0, 1, 0]
    assert metrics["tis_sequence"].tolist() == pytest.approx([12.0, 0.5])
    # -(1/3) (2 * 1.1 * 1 + 3 * 1 * 1 + 1/2 * 0.8 * -2): the last is bad, rarer than 0.8 and clipped there
    assert value == pytest.approx(-(2.2 + 3.0 - 0.8) / 3)
    assert grad.tolist() == pytest.approx([-2.2 / 3, -3.0 / 3, 0.0])


def test_the_weight_of_an_engine_that_agrees_is_one_and_the_kl_has_none():
    plain = loss([-1.0, -2.0], [-1.0, -2.0], [1.0, -0.5])
    assert plain[:1] == loss([-1.0, -2.0], [-1.0, -2.0], [1.0, -0.5], old=[-1.0, -2.0], tis_cap=2.0)[:1]
    # only the surrogate is weighted: half of it, and all of the KL
    value = loss([math.log(0.5)], [math.log(1.0)], [1.0], old=[math.log(0.5)], reference=[math.log(0.25)], tis_cap=2.0, kl=0.1)[0]
    assert value == pytest.approx(-0.5 + 0.1 * (0.5 - math.log(0.5) - 1))


def test_tis_without_the_learners_own_logprobs_is_refused():
    with pytest.raises(ValueError, match="before the update"):
        loss([-1.0], [-1.0], [1.0], tis_cap=2.0)


def test_no_gradient_flows_into_figures():
    _, _, metrics = loss([-1.0, -1.5], [-1.0, -1.0], [1.0, 1.0], reference=[-1.0, -1.0], old=[-1.0, -1.2], kl=0.1, tis_cap=2.0)
    assert set(metrics) == {"ratio", "clipped_low", "clipped_high", "sequence_ratio", "tis_weight", "tis_truncated", "tis_sequence", "kl"}
    assert not any(values.requires_grad for values in metrics.values())


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


@pytest.mark.parametrize(
    "bad",
    [
        *({"clip_low": 0.0}, {"clip_high": 0.0}, {"clip_low": 1.1}, {"kl": -1.0}, {"aggregation": "mean"}, {"constant_length": 0}),
        *({"ratio": "episode"}, {"surrogate": "ppo"}, {"tis_cap": 0.5}, {"tis_cap": math.inf}),
    ],
)
def test_bad_config(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        LossConfig(**bad)
