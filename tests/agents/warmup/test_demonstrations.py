"""Demonstrations: what is shown is what the text says, and it solves the task, or misses as much as asked."""

from itertools import islice

import gymnasium as gym
import numpy as np
import pytest

import gui_gym  # noqa: F401
from agents.prompts import PromptBuilder
from agents.rows import rows_from_episode
from agents.warmup.demonstrations import DemonstrationConfig, DemonstrationError, demonstrate, demonstrations, miss
from gui_gym.actions import Action, ActionType
from gui_gym.codecs import make_codec


def make_env(task="press-the-button", **kwargs):
    return gym.make("GuiDesktop-v0", disable_env_checker=True, task=task, **{"width": 112, "height": 112, "auto_verify": True, **kwargs})


@pytest.fixture
def builder(vlm):
    return PromptBuilder(vlm()[1], make_codec("dsl", "pixels"), system="")


@pytest.fixture
def sampling(vlm):
    return vlm()[1].sampling(1.0, 64)


def test_the_scripted_solution_is_played_and_written_down(builder, sampling):
    env = make_env(auto_verify=False)
    episode = demonstrate(env, builder, sampling, 3, DemonstrationConfig())
    assert episode.score.value == 1.0 and episode.reward == 1.0 and str(episode.end) == "done"
    assert [a.type for a in episode.actions] == [ActionType.CLICK, ActionType.DONE]
    assert len(episode.frames) == 3 and len(episode.turns) == 2
    for turn, action in zip(episode.turns, episode.actions, strict=True):
        assert builder.completion_text(turn.completion_ids) == turn.text
        assert builder.codec.parse(turn.text, (112, 112), (0, 0)) == [action] == list(turn.actions)


def test_it_becomes_one_row_whose_answers_alone_are_trained(builder, sampling):
    env = make_env(auto_verify=False)
    episode = demonstrate(env, builder, sampling, 3, DemonstrationConfig())
    (row,) = rows_from_episode(episode, builder.vision)
    trained = [i for i, m in zip(row.ids, row.mask, strict=True) if m]
    assert trained == [i for turn in episode.turns for i in turn.completion_ids]
    assert builder.vision.image_token_id not in trained and len(row.images) == 2


@pytest.mark.parametrize("task", ["press-the-button", None])
def test_the_same_seed_gives_the_same_demonstrations(builder, sampling, task):
    env = make_env(task=task, width=320, height=240, max_steps=4)

    def texts(seed):
        return [[t.text for t in e.turns] for e in islice(demonstrations(env, builder, sampling, seed, DemonstrationConfig(noise=4.0)), 5)]

    assert texts(1) == texts(1) != texts(2)


def test_noise_makes_some_miss_and_the_solution_goes_on_from_there(builder, sampling):
    config = DemonstrationConfig(noise=20.0)
    env = make_env(max_steps=1)
    once = [e.score.value for e in islice(demonstrations(env, builder, sampling, 0, config), 60)]
    assert 0.1 < np.mean(once) < 0.9
    more = list(islice(demonstrations(make_env(max_steps=6), builder, sampling, 0, config), 60))
    assert np.mean([e.score.value for e in more]) > np.mean(once) + 0.1
    assert max(len(e.turns) for e in more) > 1
    solved = islice(demonstrations(env, builder, sampling, 0, DemonstrationConfig(noise=20.0, only_solved=True)), 20)
    assert all(e.score.value == 1.0 for e in solved)


def test_points_never_leave_the_screen():
    rng = np.random.default_rng(0)
    for _ in range(200):
        moved = miss(Action.drag(1, 110, 111, 0), 50.0, (112, 112), rng)
        moved.check(112, 112)
    assert miss(Action.type_text("hi"), 50.0, (112, 112), rng) == Action.type_text("hi")


def test_demonstrations_that_are_all_of_no_use_are_an_error(builder, sampling):
    stream = demonstrations(make_env(auto_verify=False, max_steps=1), builder, sampling, 0, DemonstrationConfig(noise=500.0, only_solved=True))
    with pytest.raises(DemonstrationError, match="lower noise"):
        list(islice(stream, 40))


def test_demonstrations_longer_than_the_model_can_hold_are_left_out(builder, sampling):
    env = make_env(task=None, width=320, height=240, max_steps=6)

    def size(episode):
        return len(episode.turns[-1].prompt_ids) + len(episode.turns[-1].completion_ids)

    longest = [size(e) for e in islice(demonstrations(env, builder, sampling, 0, DemonstrationConfig()), 12)]
    limit = sorted(longest)[6]
    kept = list(islice(demonstrations(env, builder, sampling, 0, DemonstrationConfig(), limit), 7))
    assert [size(e) for e in kept] == [n for n in longest if n <= limit][:7]
    with pytest.raises(DemonstrationError, match="ids exceed the 10 that the model can hold"):
        next(demonstrations(env, builder, sampling, 0, DemonstrationConfig(), 10))


def test_an_answer_that_sampling_would_cut_is_told_once(builder, vlm):
    """Trained on it, a policy would be cut in every episode."""
    stream = demonstrations(make_env(), builder, vlm()[1].sampling(1.0, 3), 0, DemonstrationConfig())
    with pytest.warns(UserWarning, match=r"'click.*' takes \d+ tokens, and sampling cuts answers at 3: .*raise policy.max_new_tokens") as told:
        list(islice(stream, 5))
    assert len(told) == 1


def test_an_action_that_cannot_be_done_is_told_as_in_a_rollout(builder, sampling, monkeypatch):
    env = make_env(auto_verify=False)
    step, first = type(env.unwrapped).step_into, []

    def once(self, action, out):
        frame, reward, terminated, truncated, info = step(self, Action.wait_for(0) if not first else action, out)
        told = "it is stuck" if not first else info["action_error"]
        first.append(action)
        return frame, reward, terminated, truncated, {**info, "action_error": told}

    monkeypatch.setattr(type(env.unwrapped), "step_into", once)
    episode = demonstrate(env, builder, sampling, 3, DemonstrationConfig())
    said = builder.vision.tokenizer.decode([i for i in episode.turns[1].prompt_ids if i != builder.vision.image_token_id])
    assert "Your action could not be done: it is stuck" in said


def test_bad_config():
    with pytest.raises(ValueError, match="noise"):
        DemonstrationConfig(noise=float("nan"))


@pytest.mark.parametrize("task", ["enter-text", "select-several", "edit-cell", "fill-form"])
def test_a_task_of_several_steps_is_shown_as_its_solution_goes(builder, sampling, task):
    """A solution asked for in its middle begins again: without a miss it is followed to its end."""
    env = make_env(task=task, width=640, height=400, max_steps=60, auto_verify=False)
    env.reset(seed=7)
    steps = len(env.unwrapped.solution())
    episode = demonstrate(env, builder, sampling, 7, DemonstrationConfig())
    assert len(episode.turns) == steps and str(episode.end) == "done" and episode.score.value == 1.0


def test_a_miss_that_cannot_be_mended_leaves_the_episode_unscored(builder, sampling):
    env = make_env(task="click-button", width=640, height=400, auto_verify=False)
    episodes = [demonstrate(env, builder, sampling, seed, DemonstrationConfig(noise=60.0)) for seed in range(40)]
    lost = [e for e in episodes if not e.score.scored]
    assert lost and all("cannot be mended" in e.score.reason and e.turns for e in lost)
