"""Supervised warm-up: it learns, on answers only, and stops on what is measured."""

import copy
import math
from itertools import repeat

import gymnasium as gym
import pytest
import torch

import gui_gym  # noqa: F401
from agents.adapters import AdapterConfig, Trainable
from agents.optimiser import OptimiserConfig
from agents.prompts import PromptBuilder
from agents.rows import rows_from_episode
from agents.warmup.demonstrations import DemonstrationConfig, demonstrate
from agents.warmup.supervised import Success, SupervisedLearner, WarmupConfig, warm_up
from gui_gym.codecs import make_codec


@pytest.fixture
def vision(vlm):
    return vlm()[1]


@pytest.fixture
def rows(vision):
    env = gym.make("GuiDesktop-v0", disable_env_checker=True, task="press-the-button", width=112, height=112, auto_verify=True)
    builder = PromptBuilder(vision, make_codec("dsl", "grid:10"), system="")
    episodes = [demonstrate(env, builder, vision.sampling(), seed, DemonstrationConfig()) for seed in range(6)]
    return [row for episode in episodes for row in rows_from_episode(episode, vision)]


def learner(vlm, vision, **config):
    torch.manual_seed(0)
    trainable = Trainable(copy.deepcopy(vlm()[0]), AdapterConfig(train="full"))
    return SupervisedLearner(trainable, vision, vision.tokens.pad, WarmupConfig(optimiser=OptimiserConfig(lr=3e-3), **config))


def test_the_loss_falls(vlm, vision, rows):
    one = learner(vlm, vision)
    losses = [one.update(rows)["loss"] for _ in range(80)]
    assert losses[0] > 4 and losses[-1] < 1.0


def test_micro_batches_change_nothing(vlm, vision, rows):
    results = []
    for tokens in (1, 10_000):
        one = learner(vlm, vision, micro_tokens=tokens)
        figures = one.update(rows)
        results.append((figures["loss"], figures["grad_norm"]))
    assert results[0] == pytest.approx(results[1], rel=1e-4)


def test_checkpointed_layers_are_computed_again_and_change_nothing(vlm, vision, rows):
    results = []
    for checkpointed in (False, True):
        one, calls = learner(vlm, vision, gradient_checkpointing=checkpointed), []
        one.trainable.model.get_decoder().layers[0].mlp.register_forward_pre_hook(lambda *_, calls=calls: calls.append(1))
        figures = one.update(rows)
        results.append((figures["loss"], figures["grad_norm"], len(calls)))
    assert results[0][:2] == pytest.approx(results[1][:2], rel=1e-4)
    assert results[1][2] == results[0][2] + 1  # of one micro-batch


class Counting:
    """A stand-in for a learner."""

    def __init__(self, config):
        self.config, self.steps, self.figures = config, 0, {"loss": 1.0}

    def update(self, rows):
        self.steps += 1


@pytest.mark.parametrize(
    ("config", "steps"),
    [
        ({"stop_greedy": 0.6}, 6),  # measured at 2, 4, 6: .2, .4, .6
        ({"stop_greedy": 0.6, "stop_gap": 0.4}, 8),  # greedy lies above sampled by half of it
        ({"stop_greedy": 0.0, "min_steps": 5}, 6),
        ({"stop_greedy": 2.0}, 9),
        ({"stop_greedy": 2.0, "minutes": 0.0}, 1),
    ],
)
def test_it_stops_on_what_is_measured(config, steps):
    counting = Counting(WarmupConfig(batch=2, eval_every=2, max_steps=9, **config))
    reports = []
    success = warm_up(
        counting,
        repeat("episode"),
        lambda episode: [],
        lambda: Success(counting.steps / 20, counting.steps / 10),
        lambda step, figures: reports.append((step, "greedy" in figures)),
    )
    assert counting.steps == steps == reports[-1][0] and reports[-1][1]
    assert success.greedy == pytest.approx(steps / 10)


def test_what_nobody_could_score_is_not_enough():
    counting = Counting(WarmupConfig(batch=2, eval_every=1, max_steps=3, stop_greedy=0.0))
    reports = []
    success = warm_up(counting, repeat("episode"), lambda episode: [], Success, lambda step, figures: reports.append(figures))
    assert counting.steps == 3 and success == Success(None, None)
    assert all(figures["sampled"] is None and figures["greedy"] is None for figures in reports)


@pytest.mark.parametrize("bad", [{"batch": 0}, {"micro_tokens": 0}, {"max_steps": 0}, {"stop_greedy": math.nan}, {"minutes": -1.0}])
def test_bad_config(bad):
    with pytest.raises(ValueError, match=f"{next(iter(bad))}.*expected"):
        WarmupConfig(**bad)
