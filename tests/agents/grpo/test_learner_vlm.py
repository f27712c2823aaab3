"""The learner on real VLM classes: it computes what the engine sampled from, and its loss is conditioned on the picture."""

from dataclasses import replace

import pytest
import torch

from agents.adapters import AdapterConfig, Trainable
from agents.engines.transformers_engine import TransformersEngine
from agents.grpo.learner import GrpoLearner, LearnerConfig
from agents.grpo.loss import LossConfig
from agents.logprobs import collate, trained_logprobs
from agents.models import load_model
from agents.optimiser import OptimiserConfig
from agents.prompts import PromptBuilder
from agents.rows import Row
from agents.tiny_vlm import KINDS
from agents.vision import VisionInputs
from gui_gym.codecs import make_codec


def rows_of(family, frames, temperature=1.0):
    """Rows of one, two and one turns, with one, two and one images, sampled by the engine."""
    model, vision = family
    engine = TransformersEngine(model, vision)
    builder = PromptBuilder(vision, make_codec("dsl", "grid:10"), system="")
    sampling = vision.sampling(temperature, 5)
    rows = []
    for i, turns in enumerate((1, 2, 1)):
        shown = frames(turns, seed=i)
        prompt = builder.start(f"Task {'x' * i}.", shown[0], (56, 56))
        ids, mask, logprobs = list(prompt.ids), [False] * len(prompt.ids), [0.0] * len(prompt.ids)
        for turn in range(turns):
            (said,) = engine.generate([prompt], sampling, [10 * i + turn])
            ids, mask, logprobs = [*ids, *said.ids], [*mask, *[True] * len(said.ids)], [*logprobs, *said.logprobs]
            if turn + 1 < turns:
                prompt = builder.extend(prompt, said.ids, said.finish_reason, shown[turn + 1])
                more = len(prompt.ids) - len(ids)
                ids, mask, logprobs = list(prompt.ids), [*mask, *[False] * more], [*logprobs, *[0.0] * more]
        rows.append(Row(ids, mask, logprobs, [0.0] * len(ids), list(prompt.images), sampling))
    return rows


@pytest.mark.parametrize("temperature", [1.0, 0.6])
def test_logprobs_are_the_engines_in_a_padded_batch_of_several_images(family, frames, temperature):
    model, vision = family
    rows = rows_of(family, frames, temperature)
    for order in ([0, 1, 2], [2, 0, 1]):  # images stay with their rows after a shuffle
        batch = collate([rows[i] for i in order], vision, vision.tokens.pad)
        with torch.no_grad():
            logprobs, _ = trained_logprobs(model, batch)
        assert torch.allclose(logprobs, batch.behaviour, atol=2e-5)


@pytest.mark.parametrize(("kind", "train"), [*((kind, "lora") for kind in KINDS), ("idefics3", "full"), ("qwen3_vl", "full")])
def test_an_update_depends_on_no_micro_batch_and_its_first_ratio_is_one(vlm_folder, frames, kind, train):
    """Nor on checkpointed layers: gradients of rows with one, two and one images, together, in parts and one by one."""
    results = []
    for micro_tokens, checkpointed in ((1, False), (90, False), (10_000, False), (10_000, True)):
        model, processor = load_model(vlm_folder(kind))
        vision = VisionInputs(processor, model)
        rows = [
            replace(row, advantages=[(-1.0) ** i * (1 + i) * trained for trained in row.mask], episode=i)
            for i, row in enumerate(rows_of((model, vision), frames))
        ]
        torch.manual_seed(0)
        trainable = Trainable(model, AdapterConfig(train=train, rank=4))
        config = LearnerConfig(passes=1, micro_tokens=micro_tokens, gradient_checkpointing=checkpointed)
        learner, kept = GrpoLearner(trainable, vision, vision.tokens.pad, config, 1), []

        def step(loss, kept=kept, trainable=trainable):
            kept.append(torch.cat([p.grad.flatten() for p in trainable.parameters() if p.grad is not None]))
            return 0.0

        learner.optimiser.step = step
        figures = learner.update(rows)
        assert abs(figures["ratio"] - 1) < 1e-4 and abs(figures["ratio_max"] - 1) < 1e-4
        results.append((kept[0], figures["loss"]))
    scale = float(results[0][0].abs().max())
    assert scale > 1e-3
    for gradient, loss in results[1:]:
        assert torch.allclose(gradient, results[0][0], atol=1e-5 * scale) and loss == pytest.approx(results[0][1], abs=1e-5)
    assert torch.allclose(results[3][0], results[2][0], atol=1e-6 * scale)


@pytest.mark.parametrize("kind", KINDS)
def test_an_update_in_half_precision(vlm_folder, frames, kind):
    """Engine and learner agree as far as bfloat16 can, and the gradient is about that of the same rows in float32, with checkpointed layers too."""
    results, rows = [], []
    for dtype, checkpointed in (("bfloat16", False), ("bfloat16", True), ("float32", False)):
        model, processor = load_model(vlm_folder(kind), dtype=dtype)
        vision = VisionInputs(processor, model)
        rows = rows or [
            replace(row, advantages=[(-1.0) ** i * (1 + i) * trained for trained in row.mask], episode=i)
            for i, row in enumerate(rows_of((model, vision), frames))
        ]
        torch.manual_seed(0)
        trainable = Trainable(model, AdapterConfig(rank=4))
        before = [p.detach().clone() for p in trainable.parameters()]
        loss = LossConfig(kl=0.1, tis_cap=2.0)
        config = LearnerConfig(passes=1, micro_tokens=90, gradient_checkpointing=checkpointed, loss=loss, optimiser=OptimiserConfig(beta1=0.0))
        learner = GrpoLearner(trainable, vision, vision.tokens.pad, config, 1)
        figures = learner.update(rows)
        assert figures["mismatch_max"] < 0.1 and figures["ratio"] == 1 and figures["kl_max"] < 1e-3
        assert any(not torch.equal(p, old) for p, old in zip(trainable.parameters(), before, strict=True))
        state = learner.optimiser.adamw.state
        results.append(torch.cat([state[p]["exp_avg"].flatten() for p in trainable.parameters()]))
    assert all(gradient.dtype == torch.float32 and torch.cosine_similarity(gradient, results[2], 0) > 0.98 for gradient in results[:2])


def test_swapping_the_image_changes_the_logprobs(family, frames):
    model, vision = family
    rows = rows_of(family, frames)
    other = [replace(row, images=frames(len(row.images), seed=99)) for row in rows]
    with torch.no_grad():
        seen, _ = trained_logprobs(model, collate(rows, vision, vision.tokens.pad))
        swapped, _ = trained_logprobs(model, collate(other, vision, vision.tokens.pad))
    assert (seen - swapped).abs().max() > 1e-3


def test_an_image_too_few_is_an_error(family, frames):
    _, vision = family
    rows = rows_of(family, frames)
    with pytest.raises(ValueError, match="image ids but its 1 images"):
        collate([replace(rows[1], images=rows[1].images[:1])], vision, vision.tokens.pad)
