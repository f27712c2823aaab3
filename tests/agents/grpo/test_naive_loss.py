"""Loss and gradient against an implementation that is as slow and plain as can be."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from grpo_fakes import make_learner, sample_row, tiny_llama

from agents.episodes import Sampling
from agents.grpo.loss import LossConfig
from agents.optimiser import OptimiserConfig


def forked_rows(model):
    """Three episodes: one row; three rows of unequal lengths; two rows, sampled at 0.7 with an id suppressed. Their behaviour is not
    the policy's, so that some ratios are clipped.
    """
    rng, noise = np.random.default_rng(3), np.random.default_rng(4)
    cold = Sampling(temperature=0.7, suppress=(3,))
    shapes = [(0, [(4, 6, 1)], Sampling(), 1.0), (1, [(3, 1, 1), (9, 5, 2), (2, 3, 1)], Sampling(), -0.7), (2, [(5, 2, 1), (1, 4, 1)], cold, 0.4)]
    rows = []
    for episode, parts, sampling, advantage in shapes:
        mine = [sample_row(model, rng, p, new, sampling, turns, advantage=advantage, episode=episode) for p, new, turns in parts]
        total = sum(sum(row.mask) for row in mine)
        for row in mine:
            shifted = [p + float(noise.normal(0, 0.4)) if m else 0.0 for p, m in zip(row.logprobs, row.mask, strict=True)]
            rows.append(replace(row, weight=sum(row.mask) / total, logprobs=shifted, policy_version=-1))
    return rows


def logprob(model, row, at):
    logits = model(input_ids=torch.tensor([row.ids[:at]])).logits[0, -1] / row.sampling.temperature
    allowed = [i for i in range(len(logits)) if i not in row.sampling.suppress]
    return logits[row.ids[at]] - torch.logsumexp(logits[allowed], 0)


@torch.no_grad()
def all_logprobs(model, rows):
    """By row and position, each in a forward pass of its own."""
    return {(id(row), at): logprob(model, row, at) for row in rows for at, trained in enumerate(row.mask) if trained}


def naive(model, rows, config, old, reference):
    """The loss, with its graph: episode by episode, row by row, turn by turn, token by token."""
    episodes = {}
    for row in rows:
        for at, trained in enumerate(row.mask):
            if trained:
                turns = episodes.setdefault(row.episode, [])
                if not row.mask[at - 1]:
                    turns.append([])
                turns[-1].append((row, at, logprob(model, row, at)))

    sums = []
    for turns in episodes.values():
        losses = []
        for turn in turns:
            before = [old[id(row), at].item() if config.tis_cap else row.logprobs[at] for row, at, _ in turn]
            ratios = [torch.exp(now - b) for (_, _, now), b in zip(turn, before, strict=True)]
            token_ratios = ratios
            if config.ratio == "sequence":
                ratios = [torch.prod(torch.stack(ratios)) ** (1 / len(turn))] * len(turn)
            for (row, at, now), b, ratio, token_ratio in zip(turn, before, ratios, token_ratios, strict=True):
                advantage = row.advantages[at]
                if config.surrogate == "cispo":
                    weight = min(max(ratio.item(), 1 - config.clip_low), 1 + config.clip_high)
                    loss = -weight * advantage * now
                else:
                    if advantage > 0 and ratio.item() > 1 + config.clip_high:
                        ratio = torch.tensor(1 + config.clip_high)
                    elif advantage < 0 and ratio.item() < 1 - config.clip_low:
                        ratio = torch.tensor(1 - config.clip_low)
                    loss = -ratio * advantage
                if config.tis_cap:
                    loss = loss * min(math.exp(b - row.logprobs[at]), config.tis_cap)
                if config.kl:
                    gap = reference[id(row), at] - now
                    loss = loss + config.kl * (torch.exp(gap) - gap - 1) * (token_ratio if config.kl_unbiased else 1)
                losses.append(loss)
        sums.append((sum(losses), len(losses)))
    if config.aggregation == "episode-mean":
        return sum(total / n for total, n in sums) / len(sums)
    if config.aggregation == "token-mean":
        return sum(total for total, _ in sums) / sum(n for _, n in sums)
    return sum(total for total, _ in sums) / (len(sums) * config.constant_length)


@pytest.fixture(scope="module")
def given():
    """Rows, and their log-probs under the policy before an update and under the reference: the same for all settings."""
    rows, learner = forked_rows(tiny_llama()), learner_of(LossConfig(kl=0.3))
    with learner.trainable.reference() as other:
        reference = all_logprobs(other, rows)
    return rows, all_logprobs(learner.trainable.model, rows), reference


def learner_of(config, **more):
    learner = make_learner(tiny_llama(), loss=config, **more)
    torch.manual_seed(5)
    with torch.no_grad():  # an adapter that already does something, so that the reference is another policy
        for p in learner.trainable.parameters():
            p.normal_(0, 0.15)
    return learner


CONFIGS = {
    "grpo": LossConfig(),
    "grpo-kl": LossConfig(kl=0.3),
    "grpo-kl-unbiased-tis": LossConfig(kl=0.3, kl_unbiased=True, tis_cap=1.3),
    "dapo": LossConfig(aggregation="token-mean", tis_cap=1.1),
    "dr-grpo-kl": LossConfig(aggregation="constant", constant_length=7, kl=0.3),
    "gspo": LossConfig(ratio="sequence", clip_low=0.1, clip_high=0.1),
    "gspo-kl-tis": LossConfig(ratio="sequence", clip_low=0.1, clip_high=0.1, aggregation="token-mean", kl=0.3, kl_unbiased=True, tis_cap=1.3),
    "cispo": LossConfig(surrogate="cispo", clip_low=1.0, clip_high=0.2, aggregation="token-mean"),
    "cispo-tis": LossConfig(surrogate="cispo", clip_low=0.1, clip_high=0.1, tis_cap=1.3),
}
EVERY = pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
EACH_PART = pytest.mark.parametrize("name", ["grpo-kl-unbiased-tis", "dr-grpo-kl", "gspo-kl-tis", "cispo-tis"])


@EVERY
def test_loss_and_gradient_are_those_of_the_naive_implementation(config, given):
    rows, old, reference = given
    whole, single = learner_of(config, passes=1, micro_tokens=30), learner_of(config, passes=1, micro_tokens=1)
    expected = naive(whole.trainable.model, rows, config, old, reference)
    gradients = torch.autograd.grad(expected, whole.trainable.parameters())
    norm = math.sqrt(sum(float(g.square().sum()) for g in gradients))
    for learner in (whole, single):
        figures = learner.update(rows)
        assert figures["loss"] == pytest.approx(expected.item(), abs=1e-5, rel=1e-5)
        assert figures["grad_norm"] == pytest.approx(norm, rel=1e-4)
        cut = figures["clipped_low"] + figures["clipped_high"]
        assert 0 < cut < 1 if config.tis_cap is None else "tis_weight" in figures and (config.surrogate == "cispo" or cut == 0)


@EVERY
def test_every_step_of_an_update_is_that_of_the_naive_implementation(config, given, monkeypatch):
    """Also those after the first, whose weights have moved from what the ratios and the KL are taken to."""
    rows, old, reference = given
    learner = learner_of(config, passes=2, minibatches=2, micro_tokens=30, optimiser=OptimiserConfig(lr=0.02))
    model, seen = learner.trainable.model, []
    original = learner._step

    def step(part, *rest):
        with torch.no_grad():
            expected = naive(model, part, config, old, reference).item()
        figures = original(part, *rest)
        seen.append(figures)
        assert figures["loss"] == pytest.approx(expected, abs=1e-5, rel=1e-5)
        return figures

    monkeypatch.setattr(learner, "_step", step)
    learner.update(rows)
    assert len(seen) == 4
    if config.tis_cap is not None:  # the first step's ratios are taken to the weights it has
        assert seen[0]["ratio_max"] == pytest.approx(1, abs=1e-5) and abs(seen[-1]["ratio_max"] - 1) > 1e-3


@EACH_PART
def test_micro_batches_change_nothing_with_minibatches_and_forked_rows(name, given):
    results = []
    for micro_tokens in (25, 10_000):
        learner = learner_of(CONFIGS[name], passes=2, minibatches=3, micro_tokens=micro_tokens)
        figures = learner.update(given[0])
        results.append((torch.cat([p.detach().flatten() for p in learner.trainable.parameters()]), figures))
    for weights, figures in results[1:]:
        assert torch.allclose(weights, results[0][0], atol=1e-5)
        assert figures == pytest.approx(results[0][1], abs=1e-5, rel=1e-4)


@EACH_PART
def test_where_rows_fork_changes_nothing(name):
    """Turns chained in one row, and each in a row of its own: the same tokens after the same context."""
    model = tiny_llama()
    rng = np.random.default_rng(6)
    chained, forked = [], []
    for episode in range(4):
        row = sample_row(model, rng, 3, 2 + episode, turns=3, episode=episode)
        ends = [i + 1 for i, m in enumerate(row.mask) if m and (i + 1 == len(row.mask) or not row.mask[i + 1])]
        turn = np.searchsorted(ends, np.arange(len(row.ids)), side="right")
        row.advantages = [float((-1) ** episode * (1 + t)) * m for t, m in zip(turn, row.mask, strict=True)]
        row.logprobs = [(p + 0.3 * float(rng.normal())) * m for p, m in zip(row.logprobs, row.mask, strict=True)]
        row.policy_version = -1
        chained.append(row)
        for number, end in enumerate(ends):
            mask = [m and t == number for m, t in zip(row.mask[:end], turn, strict=False)]
            keep = lambda values, mask=mask: [v * m for v, m in zip(values, mask, strict=False)]  # noqa: E731
            part = replace(row, ids=row.ids[:end], mask=mask, logprobs=keep(row.logprobs), advantages=keep(row.advantages), turns=1, weight=1 / 3)
            forked.append(part)
    results = []
    for rows in (chained, forked):
        learner = learner_of(CONFIGS[name], passes=2, minibatches=2, micro_tokens=40, optimiser=OptimiserConfig(lr=0.005))
        figures = learner.update(rows)
        results.append((torch.cat([p.detach().flatten() for p in learner.trainable.parameters()]), figures))
    assert (results[0][1].pop("rows"), results[1][1].pop("rows")) == (4, 12)
    assert torch.allclose(results[0][0], results[1][0], atol=1e-5)
    assert results[0][1] == pytest.approx(results[1][1], abs=1e-5, rel=1e-4)


def test_minibatches_are_of_whole_episodes_and_each_episode_is_in_one():
    learner = learner_of(LossConfig(), minibatches=2)
    rows = forked_rows(tiny_llama())
    for _ in range(5):
        parts = learner._minibatches(rows)
        episodes = [{row.episode for row in part} for part in parts]
        assert sorted(map(len, episodes)) == [1, 2] and not episodes[0] & episodes[1]
        assert sorted(id(row) for part in parts for row in part) == sorted(map(id, rows))


def test_an_update_that_failed_leaves_no_gradient_to_the_next():
    rows = forked_rows(tiny_llama())
    sound, hurt = (learner_of(LossConfig(), passes=1, micro_tokens=1) for _ in range(2))
    token = rows[-1].ids[rows[-1].mask.index(True)]
    shortest = replace(rows[-1], sampling=Sampling(suppress=(token,)))  # forwarded last, after the others have left their gradients
    with pytest.raises(FloatingPointError):
        hurt.update([*rows[:-1], shortest])
    assert hurt.update(rows)["grad_norm"] == pytest.approx(sound.update(rows)["grad_norm"], rel=1e-6)
