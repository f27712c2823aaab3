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
from agents.vision import VisionInputs
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
        return [Action.move((number * 7 + 31 * k) % screen[0], (number * 3 + 17 * k) % screen[1]) for k in range(number % 4)]


def roll(family, history, n=2, size=(SIDE, SIDE)):
    """Episodes of two groups, sampled at 0.7 from an end token and few others, so that lengths differ."""
    model, vision = family
    letters = {vision.tokenizer(c, add_special_tokens=False)["input_ids"][0] for c in "wait()"}
    wide = model.get_output_embeddings().weight.shape[0]
    sampling = Sampling(0.7, 6, tuple(i for i in range(wide) if i not in {*vision.tokens.stop, *letters}))
    policy = Policy(PromptBuilder(vision, AnyText("pixels"), history=history, n=n, system=""), TransformersEngine(model, vision), sampling)
    envs = GroupVectorEnv(2, 2, task="press-the-button", width=size[0], height=size[1], max_steps=7)
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


def with_rewards(episodes):
    return [replace(episode, reward=1.0) for episode in episodes]


def test_screens_of_several_sizes_in_one_padded_batch(family):
    """Multi-turn, multi-image, of unequal length; the Qwen families give a larger screen more tokens."""
    model, vision = family
    episodes = roll(family, "append") + roll(family, "append", size=(168, 84))
    rows = [row for i, episode in enumerate(with_rewards(episodes)) for row in rows_from_episode(episode, vision, i)]
    assert len(rows) == len(episodes) and len({len(row.ids) for row in rows}) >= 4
    if "image_grid_thw" in vision.pixels(rows[0].images):
        assert len({vision.image_tokens(row.images[0]) for row in rows}) == 2
    with torch.no_grad():
        batch = collate(rows, vision, vision.tokens.pad)
        assert float((trained_logprobs(model, batch)[0] - batch.behaviour).abs().max()) < 1e-4


def test_what_enters_the_vision_tower_is_what_the_env_showed(family):
    """Told by the pixels that reach the tower itself, in rollout and learner, not by what a row says of itself."""
    model, vision = family
    fresh = VisionInputs(vision.processor, model)  # that has seen nothing yet
    with fresh.features.given(model, []):  # and has tried whether it works
        pass
    seen, hook = entering(model)
    episodes = with_rewards(roll((model, fresh), "append"))
    in_rollout, shown = [*seen], {frame.hash: frame for episode in episodes for turn in episode.turns for frame in turn.images}
    # by turn: the screen after all actions of the turn before
    allowed = {frame.hash for episode in episodes for frame in episode.frames}
    assert shown.keys() <= allowed
    of_pixels = {fingerprint(vision.process(frame)["pixel_values"]): key for key, frame in shown.items()}
    assert sorted(of_pixels[mark] for mark in in_rollout) == sorted(shown)  # each once
    seen.clear()
    again = VisionInputs(vision.processor, model)
    rows = [row for i, episode in enumerate(episodes) for row in rows_from_episode(episode, again, i)]
    with again.features.given(model, []):
        pass
    seen.clear()
    with torch.no_grad():
        trained_logprobs(model, collate(rows, again, again.tokens.pad))
    hook.remove()
    assert sorted(of_pixels[mark] for mark in seen) == sorted({frame.hash for row in rows for frame in row.images})


def fingerprint(pixels):
    return tuple(pixels.flatten()[:: max(1, pixels.numel() // 256)].tolist())


def entering(model):
    """Fingerprints of the images that enter the vision tower, as they come."""
    seen = []

    def note(_, args, kwargs):
        pixels = kwargs["pixel_values"] if "pixel_values" in kwargs else args[0]
        seen.extend(fingerprint(part) for part in (pixels if pixels.dim() == 4 else pixels.split(kwargs["grid_thw"].prod(-1).tolist())))

    return seen, (getattr(model.model, "visual", None) or model.model.vision_model).register_forward_pre_hook(note, with_kwargs=True)


def test_nothing_sampled_is_ever_tokenised_again(vlm, monkeypatch):
    """The tokenizer decodes to what no id stands for, and once the rollout is over cannot be called at all."""
    model, vision = vlm("qwen3_vl")
    kind, asked = type(vision.tokenizer), []
    own = kind.__call__
    monkeypatch.setattr(kind, "decode", lambda self, ids, **kwargs: "\N{WHITE SQUARE}" * len(ids))
    monkeypatch.setattr(kind, "__call__", lambda self, text, *args, **kwargs: asked.append(str(text)) or own(self, text, *args, **kwargs))
    episodes = with_rewards(roll((model, vision), "append"))
    assert any(turn.text for episode in episodes for turn in episode.turns) and asked
    assert not any("\N{WHITE SQUARE}" in text for text in asked)

    def refuse(*args, **kwargs):
        raise AssertionError("tokenised again")

    for name in ("__call__", "encode", "decode", "_encode_plus", "convert_tokens_to_ids"):
        monkeypatch.setattr(kind, name, refuse)
    rows = [row for i, episode in enumerate(episodes) for row in rows_from_episode(episode, vision, i)]
    for row, episode in zip(rows, episodes, strict=True):
        said = [i for turn in episode.turns for i in turn.completion_ids]
        assert [i for i, trained in zip(row.ids, row.mask, strict=True) if trained] == said
        assert tuple(row.ids) == (*episode.turns[-1].prompt_ids, *episode.turns[-1].completion_ids)
    with torch.no_grad():
        batch = collate(rows, vision, vision.tokens.pad)
        assert float((trained_logprobs(model, batch)[0] - batch.behaviour).abs().max()) < 1e-4


def test_another_image_changes_the_turns_that_saw_it_and_no_other(family, frames):
    """Turns before it stay as they are, bit by bit."""
    model, vision = family
    episode = max(roll(family, "append"), key=lambda e: len(e.turns))
    (row,) = rows_from_episode(replace(episode, reward=1.0), vision)
    turn_of = torch.tensor([k for k, turn in enumerate(episode.turns) for _ in turn.completion_ids])
    with torch.no_grad():
        before = trained_logprobs(model, collate([row], vision, vision.tokens.pad))[0]
        for j in range(len(row.images)):
            swapped = [*row.images]
            (swapped[j],) = frames(1, seed=90 + j, size=(SIDE, SIDE))
            after = trained_logprobs(model, collate([replace(row, images=swapped)], vision, vision.tokens.pad))[0]
            change = (after - before).abs()
            assert torch.equal(after[turn_of < j], before[turn_of < j])
            assert all(float(change[turn_of == k].max()) > 1e-4 for k in range(j, len(episode.turns)))
