"""Models in 4 bits, where bitsandbytes is installed (extra ``qlora``; its CPU build is enough)."""

import importlib.util

import numpy as np
import pytest
import torch

from agents import models
from agents.adapters import AdapterConfig, Trainable, fingerprint
from agents.config import ModelConfig
from agents.engines.transformers_engine import TransformersEngine
from agents.grpo.learner import GrpoLearner, LearnerConfig
from agents.logprobs import collate, trained_logprobs
from agents.models import is_quantized, load_model
from agents.optimiser import OptimiserConfig
from agents.prompts import PromptBuilder
from agents.rollout import Policy, collect
from agents.rows import rows_from_episode
from agents.tiny_vlm import build_tiny_vlm
from agents.vision import VisionInputs
from gui_gym.codecs import make_codec
from wrappers.groups import GroupVectorEnv

needs_bitsandbytes = pytest.mark.skipif(importlib.util.find_spec("bitsandbytes") is None, reason='bitsandbytes: pip install "gui-gym[qlora]"')


def rows_of(model, vision, version):
    """Rows of four episodes of two turns, sampled by the embedded engine."""
    engine = TransformersEngine(model, vision)
    engine.update_weights(version)
    policy = Policy(PromptBuilder(vision, make_codec("dsl"), system=""), engine, vision.sampling(1.0, 5))
    envs = GroupVectorEnv(2, 2, task="press-the-button", width=112, height=112, max_steps=2)
    groups = collect(policy, envs, seed=3)
    envs.close()
    episodes = [episode for group in groups for episode in group.episodes]
    return [row for i, episode in enumerate(episodes) for row in rows_from_episode(episode, vision, i, (-1.0) ** i)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model of layers that are not narrower than a block of 64 numbers with one scale."""
    folder = tmp_path_factory.mktemp("wide")
    build_tiny_vlm(folder, image_size=56, hidden=64, layers=2)
    return folder


@needs_bitsandbytes
def test_an_adapter_of_a_quantised_model_learns_what_the_engine_sampled(folder, tmp_path):
    plain, _ = load_model(folder)
    model, processor = load_model(folder, quantize="nf4")
    text = set(models.linear_layers(plain))
    held = {name for name, module in model.named_modules() if isinstance(module, torch.nn.Linear) and not module.weight.is_floating_point()}
    assert held == text and is_quantized(model) and not is_quantized(plain)
    assert fingerprint(model)["hash"] != fingerprint(plain)["hash"] and fingerprint(model)["dtype"] != fingerprint(plain)["dtype"]
    torch.manual_seed(0)
    trainable, vision = Trainable(model, AdapterConfig(rank=4)), VisionInputs(processor, model)
    before = {name: p.clone() for name, p in trainable.model.named_parameters() if p.is_floating_point()}
    config = LearnerConfig(passes=1, micro_tokens=300, optimiser=OptimiserConfig(lr=1e-2))
    learner = GrpoLearner(trainable, vision, vision.tokens.pad, config, 10, np.random.default_rng(0))
    for _ in range(2):
        rows = rows_of(trainable.model, vision, learner.version)
        figures = learner.update(rows)
        assert figures["mismatch_max"] < 1e-4 and abs(figures["ratio"] - 1) < 1e-5
        assert figures["grad_norm"] > 0
    after = dict(trainable.model.named_parameters())
    moved = {name for name, p in before.items() if not torch.equal(p, after[name])}
    assert moved and all("lora_" in name for name in moved)
    # and it survives a checkpoint
    trainable.save(tmp_path / "weights")
    again, _ = load_model(folder, quantize="nf4")
    other = Trainable(again, AdapterConfig(rank=4), resume=tmp_path / "weights")
    batch = collate(rows, vision, vision.tokens.pad)
    with torch.no_grad():
        expected, found = (trained_logprobs(m, batch)[0] for m in (trainable.model, other.model))
    assert torch.allclose(expected, found, atol=1e-5)
    for (name, p), (other_name, q) in zip(trainable.whole()[0].items(), other.whole()[0].items(), strict=True):
        assert name == other_name and torch.equal(p, q)


@needs_bitsandbytes
def test_gradients_are_those_of_the_same_weights_in_float32(folder):
    """The layers below get theirs through the 4-bit weights above, also after the model has sampled without gradients."""
    from bitsandbytes.functional import dequantize_4bit

    quantised, processor = load_model(folder, quantize="nf4")
    plain, _ = load_model(folder)
    for name, module in quantised.named_modules():
        if hasattr(module.__dict__.get("_parameters", {}).get("weight"), "quant_state"):
            plain.get_submodule(name).weight.data = dequantize_4bit(module.weight.data, module.weight.quant_state).float()
    found = {}
    for kind, model in (("quantised", quantised), ("plain", plain)):
        torch.manual_seed(0)
        trainable, vision = Trainable(model, AdapterConfig(rank=4)), VisionInputs(processor, model)
        if kind == "quantised":
            rows = rows_of(trainable.model, vision, 0)
        logprobs, _ = trained_logprobs(trainable.model, collate(rows, vision, vision.tokens.pad))
        logprobs.sum().backward()
        found[kind] = logprobs.detach(), {name: p.grad for name, p in trainable.model.named_parameters() if p.requires_grad}
    assert torch.allclose(found["quantised"][0], found["plain"][0], atol=1e-4)
    for name, gradient in found["plain"][1].items():
        assert torch.allclose(found["quantised"][1][name], gradient, rtol=1e-3, atol=1e-5), name


@needs_bitsandbytes
def test_a_quantised_model_is_not_trained_in_full(folder):
    model, _ = load_model(folder, quantize="nf4")
    with pytest.raises(ValueError, match="expected 'lora'"):
        Trainable(model, AdapterConfig(train="full"))


def test_without_bitsandbytes_it_is_named(vlm_folder, monkeypatch):
    monkeypatch.setattr(models, "find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "gui-gym\[qlora\]"'):
        load_model(vlm_folder(), quantize="nf4")


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="expected 'none' or 'nf4'"):
        ModelConfig("any", quantize="int8")  # type: ignore[arg-type]
