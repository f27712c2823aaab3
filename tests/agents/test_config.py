"""What every command shares."""

import pytest

from agents.adapters import AdapterConfig
from agents.config import EnvConfig, ModelConfig, PolicyConfig, load_agent
from agents.grpo.checkpoint import CheckpointError


def test_options_left_out_are_the_ids_own():
    assert EnvConfig(id="GuiOSWorld-v0").kwargs("test") == {"auto_verify": False, "progress": False, "infeasible_rate": 0.0, "split": "test"}
    env = EnvConfig(task="press-the-button", width=112, height=96, workers="async")
    assert env.group_kwargs("train") == {
        "id": "GuiDesktop-v0",
        "vectorization_mode": "async",
        "task": "press-the-button",
        "width": 112,
        "height": 96,
        "auto_verify": False,
        "progress": False,
        "infeasible_rate": 0.0,
        "split": "train",
    }


def test_points_in_pixels_of_what_the_model_sees(vlm_folder):
    def spec(kind, **size):
        model = ModelConfig(str(vlm_folder(kind)))
        return load_agent(model, PolicyConfig(frame="seen"), EnvConfig(**size)).prompts.codec.frame.spec

    assert spec("idefics3", width=112, height=112) == "resized:56x56"  # this one squeezes every picture to its own square
    assert spec("qwen3_vl", width=112, height=56) == spec("qwen3_vl", width=1120, height=560) != spec("qwen3_vl", width=56, height=112)


def test_all_policies_of_an_agent_share_one_engine(vlm_folder):
    agent = load_agent(ModelConfig(str(vlm_folder())), PolicyConfig(temperature=0.7), EnvConfig(), AdapterConfig(rank=2))
    sampled, greedy = agent.policy(), agent.policy(0.0)
    assert sampled.engine is greedy.engine and agent.engine.model is agent.trainable.model
    assert (sampled.sampling.temperature, greedy.sampling.temperature) == (0.7, 0.0)
    assert agent.vision.image_token_id in sampled.sampling.suppress


def test_weights_that_are_not_there(vlm_folder, tmp_path):
    with pytest.raises(CheckpointError, match="holds no checkpoint"):
        load_agent(ModelConfig(str(vlm_folder()), adapter=tmp_path), PolicyConfig(), EnvConfig())
