"""What a model can hold is worked out before an episode begins."""

import warnings

import numpy as np
import pytest

from agents.config import EnvConfig, ModelConfig, PolicyConfig, load_agent
from agents.context import check_context
from agents.engines.transformers_engine import TransformersEngine
from agents.episodes import Frame
from agents.prompts import PromptBuilder
from gui_gym.codecs import make_codec

SCREEN = (112, 112)


def grown(builder, turns, new):
    """Ids of the prompt of each turn, every answer being as long as it may."""
    frame = Frame(np.zeros((112, 112, 3), np.uint8))
    prompt = builder.start("", frame, SCREEN)
    letter = builder.completion_ids("x")[:1]
    lengths = []
    for _ in range(turns):
        lengths.append(len(prompt.ids))
        prompt = builder.extend(prompt, letter * new, "length", frame)
    return lengths


@pytest.mark.parametrize(("history", "n"), [("append", 4), ("last_n", 3), ("block", 3), ("last_n", 1)])
def test_the_arithmetic_is_that_of_the_prompts(family, history, n):
    vision = family[1]
    builder = PromptBuilder(vision, make_codec("dsl"), history=history, n=n, system="")
    sampling = vision.sampling(1.0, 20)
    longest = max(grown(builder, 6, 20)) + 20
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_context(builder, sampling, longest, SCREEN, 6)
        check_context(builder, sampling, 8192, SCREEN, None)
    if n > 1:
        with pytest.warns(UserWarning, match=r"so that \d of [36] turns are sure to fit into the \d+ ids.*policy.history"):
            check_context(builder, sampling, longest - 1, SCREEN, 6)
    first = grown(builder, 1, 20)[0]
    with pytest.raises(ValueError, match=f"the first prompt takes {first} ids .* for a screen of 112x112\\) and an answer up to 20, more than the"):
        check_context(builder, sampling, first + 19, SCREEN, 1)


def test_told_when_an_agent_is_loaded(vlm_folder):
    model, env = ModelConfig(str(vlm_folder("qwen3_vl"))), EnvConfig(width=112, height=112, max_steps=4)
    with pytest.raises(ValueError, match="an answer up to 9000, more than the 8192 that the model can hold"):
        load_agent(model, PolicyConfig(max_new_tokens=9000), env)
    with pytest.warns(UserWarning, match="of 4 turns are sure to fit"):
        load_agent(model, PolicyConfig(max_new_tokens=2500), env)


def test_damaged_weights_are_told_by_the_engine(vlm_folder, frames):
    import torch

    from agents.models import load_model
    from agents.vision import VisionInputs

    model, processor = load_model(vlm_folder("qwen3_vl"))
    vision = VisionInputs(processor, model)
    with torch.no_grad():
        model.get_output_embeddings().weight[3] = float("nan")
    builder = PromptBuilder(vision, make_codec("dsl"), system="")
    with pytest.raises(FloatingPointError, match="NaN.*damaged"):
        TransformersEngine(model, vision).generate([builder.start("Do.", frames(1)[0], (56, 56))], vision.sampling(), [0])
