"""Loss and gradient against an implementation that is as slow and plain as can be."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from grpo_fakes import make_learner, sample_row, tiny_llama

from agents.episodes import Sampling
from agents.grpo.loss import LossConfig


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


def naive(model, rows, config):
    """The loss, with its graph: episode by episode, row by row, token by token, each in a forward pass of its own."""
    episodes = {}
    for row in rows:
        for at, trained in enumerate(row.mask):
            if trained:
                episodes.setdefault(row.episode, []).append((row, at))

    def logprob(row, at):
        logits = model(input_ids=torch.tensor([row.ids[:at]])).logits[0, -1] / row.sampling.temperature
        allowed = [i for i in range(len(logits)) if i not in row.sampling.suppress]
        return logits[row.ids[at]] - torch.logsumexp(logits[allowed], 0)

    sums = []
    for tokens in episodes.values():
        losses = []
        for row, at in tokens:
            now = logprob(row, at)
            ratio = torch.exp(now - row.logprobs[at])
            if row.advantages[at] > 0 and ratio.item() > 1 + config.clip_high:
                ratio = torch.tensor(1 + config.clip_high)
            elif row.advantages[at] < 0 and ratio.item() < 1 - config.clip_low:
                ratio = torch.tensor(1 - config.clip_low)
            loss = -ratio * row.advantages[at]
            if config.kl:
                with torch.no_grad(), model.disable_adapter():
                    reference = logprob(row, at)
                loss = loss + config.kl * (torch.exp(reference - now) - (reference - now) - 1)
            losses.append(loss)
        sums.append((sum(losses), len(losses)))
    if config.aggregation == "episode-mean":
        return sum(total / n for total, n in sums) / len(sums)
    if config.aggregation == "token-mean":
        return sum(total for total, _ in sums) / sum(n for _, n in sums)
    return sum(total for total, _ in sums) / (len(sums) * config.constant_length)


def learner_of(config, **more):
    learner = make_learner(tiny_llama(), loss=config, **more)
    torch.manual_seed(5)
    with torch.no_grad():  # an adapter that already does something, so that the reference is another policy
        for p in learner.trainable.parameters():
            p.normal_(0, 0.15)
    return learner


@pytest.mark.parametrize("kl", [0.0, 0.3])
@pytest.mark.parametrize("aggregation", ["episode-mean", "token-mean", "constant"])
@pytest.mark.parametrize("micro_tokens", [1, 30, 10_000])
def test_loss_and_gradient_are_those_of_the_naive_implementation(aggregation, kl, micro_tokens):
    config = LossConfig(aggregation=aggregation, kl=kl, constant_length=7)
    learner = learner_of(config, passes=1, micro_tokens=micro_tokens)
    model = learner.trainable.model
    rows = forked_rows(tiny_llama())
    expected = naive(model, rows, config)
    gradients = torch.autograd.grad(expected, learner.trainable.parameters())
    norm = math.sqrt(sum(float(g.square().sum()) for g in gradients))
    figures = learner.update(rows)
    assert 0 < figures["clipped_low"] + figures["clipped_high"] < 1
    assert figures["loss"] == pytest.approx(expected.item(), abs=1e-5, rel=1e-5)
    assert figures["grad_norm"] == pytest.approx(norm, rel=1e-4)


@pytest.mark.parametrize("aggregation", ["episode-mean", "token-mean", "constant"])
def test_micro_batches_change_nothing_with_minibatches_and_forked_rows(aggregation):
    results = []
    for micro_tokens in (1, 25, 10_000):
        learner = learner_of(LossConfig(aggregation=aggregation), passes=2, minibatches=3, micro_tokens=micro_tokens)
        figures = learner.update(forked_rows(tiny_llama()))
        results.append((torch.cat([p.detach().flatten() for p in learner.trainable.parameters()]), figures["loss"], figures["grad_norm"]))
    for weights, loss, norm in results[1:]:
        assert torch.allclose(weights, results[0][0], atol=1e-5)
        assert (loss, norm) == pytest.approx(results[0][1:], abs=1e-5, rel=1e-5)


def test_an_update_that_failed_leaves_no_gradient_to_the_next():
    rows = forked_rows(tiny_llama())
    sound, hurt = (learner_of(LossConfig(), passes=1, micro_tokens=1) for _ in range(2))
    token = rows[-1].ids[rows[-1].mask.index(True)]
    shortest = replace(rows[-1], sampling=Sampling(suppress=(token,)))  # forwarded last, after the others have left their gradients
    with pytest.raises(FloatingPointError):
        hurt.update([*rows[:-1], shortest])
    assert hurt.update(rows)["grad_norm"] == pytest.approx(sound.update(rows)["grad_norm"], rel=1e-6)
