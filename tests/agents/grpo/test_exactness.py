"""What is trained is what was shown and sampled, through the whole path: env, prompts, engine, rows, learner."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from agents.engines.transformers_engine import TransformersEngine
from agents.episodes import Frame, Sampling
from agents.logprobs import collate, trained_logprobs
from agents.prompts import PromptBuilder
from agents.rollout import Policy, collect
from agents.rows import rows_from_episode
from gui_gym.actions import Action
from gui_gym.codecs import ActionParseError, make_codec
from wrappers.groups import GroupVectorEnv

SIDE = 112


class AnyText(type(make_codec("dsl"))):
    """Reads an untrained model's text: as nothing, or as up to three moves."""

    def parse(self, text, screen, cursor, truncated=False):
        number = sum(text.encode())
        if truncated or number % 4 == 0:
            raise ActionParseError("expected something else")
        return [Action.move((number * 7 + 31 * k) % SIDE, (number * 3 + 17 * k) % SIDE) for k in range(number % 4)]


def roll(family, history, n=2):
    """Episodes of two groups, sampled at 0.7 from an end token and few others, so that lengths differ."""
    model, vision = family
    letters = {vision.tokenizer(c, add_special_tokens=False)["input_ids"][0] for c in "wait()"}
    wide = model.get_output_embeddings().weight.shape[0]
    sampling = Sampling(0.7, 6, tuple(i for i in range(wide) if i not in {*vision.tokens.stop, *letters}))
    policy = Policy(PromptBuilder(vision, AnyText("pixels"), history=history, n=n, system=""), TransformersEngine(model, vision), sampling)
    envs = GroupVectorEnv(2, 2, task="press-the-button", width=SIDE, height=SIDE, max_steps=7)
    groups = collect(policy, envs, seed=5)
    envs.close()
    return [episode for group in groups for episode in group.episodes]


@pytest.fixture(params=["idefics3", "qwen3_vl"])
def pair(request, vlm):
    return vlm(request.param)


@pytest.mark.parametrize("history", ["append", "last_n", "block"])
def test_the_learner_trains_what_the_engine_sampled(pair, history):
    model, vision = pair
    episodes = roll(pair, history)
    turns = [turn for episode in episodes for turn in episode.turns]
    # the case is as hard as it should be
    assert {turn.finish_reason for turn in turns} == {"stop", "length"} and len({len(turn.completion_ids) for turn in turns}) > 2
    assert any(turn.parse_error for turn in turns) and any(len(turn.actions) > 1 for turn in turns)
    assert min(len(episode.turns) for episode in episodes) > 2
    # sampled ids are often not those of their text, and never replaced by them
    builder = PromptBuilder(vision, make_codec("dsl"), system="")
    assert any(builder.completion_ids(turn.text)[: len(turn.completion_ids)] != turn.completion_ids for turn in turns if turn.text)

    rows = []
    for index, episode in enumerate(episodes):
        mine = rows_from_episode(replace(episode, reward=1.0), vision, index)
        assert (len(mine) == 1) is (history == "append") and sum(row.weight for row in mine) == pytest.approx(1)
        sampled = [i for row in mine for i, trained in zip(row.ids, row.mask, strict=True) if trained]
        assert sampled == [i for turn in episode.turns for i in turn.completion_ids]
        rows += mine
    for row in rows:
        assert all(Frame(image.pixels).hash == image.hash for image in row.images)
    for order in (range(len(rows)), np.random.default_rng(1).permutation(len(rows))):
        batch = collate([rows[i] for i in order], vision, vision.tokens.pad)
        with torch.no_grad():
            ratio = (trained_logprobs(model, batch)[0] - batch.behaviour).exp()
        assert float((ratio - 1).abs().max()) < 1e-4


@pytest.mark.parametrize("history", ["append", "last_n", "block"])
def test_each_turn_was_given_the_screens_the_policy_saw_then(pair, history):
    for episode in roll(pair, history):
        seen = [episode.frames[0].hash]  # by turn: the screen after all actions of the turn before
        step = 0
        for turn in episode.turns:
            limit = {"append": len(seen), "last_n": 2, "block": 2}[history]
            shown = [frame.hash for frame in turn.images]
            assert shown == seen[-len(shown) :] and 1 <= len(shown) <= limit
            step += max(1, len(turn.actions))
            seen.append(episode.frames[min(step, len(episode.frames) - 1)].hash)


def test_another_image_changes_the_turns_that_saw_it_and_no_other(pair, frames):
    model, vision = pair
    episode = max(roll(pair, "append"), key=lambda e: len(e.turns))
    (row,) = rows_from_episode(replace(episode, reward=1.0), vision)
    turn_of = torch.tensor([k for k, turn in enumerate(episode.turns) for _ in turn.completion_ids])
    with torch.no_grad():
        before = trained_logprobs(model, collate([row], vision, vision.tokens.pad))[0]
        for j in range(len(row.images)):
            swapped = [*row.images]
            (swapped[j],) = frames(1, seed=90 + j, size=(SIDE, SIDE))
            after = trained_logprobs(model, collate([replace(row, images=swapped)], vision, vision.tokens.pad))[0]
            change = (after - before).abs()
            assert float(change[turn_of < j].max() if j else 0.0) < 1e-5
            assert all(float(change[turn_of == k].max()) > 1e-4 for k in range(j, len(episode.turns)))
