"""A policy with a VLM's tokenizer and frames acts on real desktops; its episodes are kept whole."""

import pytest

from agents.engines.base import Completion
from agents.engines.transformers_engine import TransformersEngine
from agents.evaluation import evaluate
from agents.prompts import PromptBuilder
from agents.report import recorded
from agents.rollout import Policy, collect
from gui_gym.codecs import make_codec
from gui_gym.recording import load_episode, save_episode
from wrappers.groups import GroupVectorEnv

pytest.importorskip("xcffib")
pytestmark = pytest.mark.usefixtures("require_x11")

ENV = {"id": "GuiOSWorld-v0", "width": 640, "height": 400, "task": "append-line"}
LINES = ["key(ctrl+end)", 'type("oat milk\\n")', "key(ctrl+s)", "done()"]


class Scripted:
    """Says the lines of the solution, one a turn."""

    policy_version, max_length = 0, 8192

    def __init__(self, builder):
        self.builder = builder

    def generate(self, prompts, sampling, seeds):
        ids = [self.builder.completion_ids(LINES[len(prompt.exchanges) - 1]) for prompt in prompts]
        return [Completion(i, (-0.5,) * len(i), "stop") for i in ids]


def test_scripted_tokens_solve_a_task(vlm):
    vision = vlm()[1]
    builder = PromptBuilder(vision, make_codec("dsl"), system="")
    result = evaluate(Policy(builder, Scripted(builder), vision.sampling(1.0, 40)), ENV, seeds=[0, 1], num_envs=2)
    assert (result.success.successes, result.success.scored, result.unscored) == (2, 2, {})
    for episode in result.episodes:
        assert [turn.text for turn in episode.turns] == LINES and episode.errors == [""] * 4
        frames = episode.frames
        assert len(frames) == 5 and all(frame.pixels.shape == (400, 640, 3) for frame in frames)
        assert len({frame.hash for frame in frames[:3]}) == 3, "each key and text is seen at once"


def test_a_vlm_acts_and_its_episode_is_saved(vlm, tmp_path):
    model, vision = vlm()
    builder = PromptBuilder(vision, make_codec("dsl"), system="")
    policy = Policy(builder, TransformersEngine(model, vision), vision.sampling(1.0, 12))
    envs = GroupVectorEnv(1, 2, **ENV, max_steps=2)
    try:
        episodes = collect(policy, envs, seed=0)[0].episodes
    finally:
        envs.close()
    for number, episode in enumerate(episodes):
        assert episode.score.scored and episode.score.value == 0.0 and episode.end == "truncated" and len(episode.turns) == 2
        save_episode(tmp_path / str(number), recorded(episode))
        kept = load_episode(tmp_path / str(number))
        assert len(kept.steps) == 2 and kept.score.value == 0.0 and [frame.shape for frame in kept.frames] == [(400, 640, 3)] * 3
