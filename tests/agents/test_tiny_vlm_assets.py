"""The small model that ships in assets/tiny-vlm."""

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModelForImageTextToText

from agents.config import EnvConfig, ModelConfig, PolicyConfig, load_agent
from agents.evaluation import evaluate
from agents.models import load_processor

FOLDER = Path(__file__).parents[2] / "assets" / "tiny-vlm"
POLICY = PolicyConfig(codec="dsl", frame="grid:32", system="", max_new_tokens=16)


def env(family):
    return EnvConfig(task=family, width=320, height=192, difficulty="easy", max_steps=1, auto_verify=True)


@pytest.fixture(scope="module")
def agent():
    return load_agent(ModelConfig(str(FOLDER), cache_mb=64), POLICY, env("click-colour"))


def test_it_is_small_and_told_of():
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 8e6
    card = (FOLDER / "README.md").read_text()
    for word in ("make tiny-vlm", "seed", "minutes", "Apache-2.0", "cannot"):
        assert word in card, word
    assert (FOLDER / "making.json").is_file()


def test_it_loads_by_the_auto_classes_and_has_one_to_three_million_parameters():
    model = AutoModelForImageTextToText.from_pretrained(FOLDER, dtype="auto")
    assert 1e6 < sum(parameter.numel() for parameter in model.parameters()) < 3e6
    assert model.dtype == torch.float16 and all(parameter.isfinite().all() for parameter in model.parameters())
    assert load_processor(FOLDER).chat_template


def test_a_coordinate_is_one_token(agent):
    tokenizer = agent.vision.tokenizer
    for i in range(32):
        assert len(tokenizer(f"x={i}")["input_ids"]) == len(tokenizer(f"y={i}")["input_ids"]) == 1


@pytest.mark.parametrize("family, floor", [("click-colour", 0.9), ("press-the-button", 0.9), ("draw-circle", 0.9)])
def test_it_sees_where_the_named_thing_is(agent, family, floor):
    """A black screen, or other weights, give less than a tenth of this."""
    seeds = np.random.default_rng(7).integers(2**31, size=32).tolist()
    result = evaluate(agent.policy(0.0), env(family).group_kwargs("test"), seeds=seeds, num_envs=32, keep_frames=0)
    assert result.success.rate >= floor, result.success
