"""Where memory runs out the same work is done in smaller parts, with the same result."""

import numpy as np
import pytest
import torch
from grpo_fakes import PAD, make_learner, make_rows, no_images, tiny_llama

from agents.adapters import AdapterConfig, Trainable
from agents.grpo.loss import LossConfig
from agents.memory import memory_errors
from agents.optimiser import OptimiserConfig
from agents.prompts import PromptBuilder
from agents.warmup.supervised import SupervisedLearner, WarmupConfig
from gui_gym.codecs import make_codec


def gpu():
    return torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.\nmore lines")


def cpu():
    return RuntimeError("[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes.")


@pytest.fixture
def full(monkeypatch):
    """``full(model, tokens, where, error)``: forward or backward passes of ``model`` of more than so many padded tokens do not fit any more."""

    def install(model, tokens, where="forward", error=gpu):
        original = model.forward

        def forward(*args, input_ids=None, **kwargs):
            too_many = tokens is not None and input_ids.numel() > tokens
            if too_many and where == "forward":
                raise error()
            out = original(*args, input_ids=input_ids, **kwargs)
            if too_many and out.logits.requires_grad:

                def fail(grad):
                    raise error()

                out.logits.register_hook(fail)
            return out

        monkeypatch.setattr(model, "forward", forward)

    return install


def weights(learner):
    return torch.cat([p.detach().flatten() for p in learner.trainable.parameters()])


@pytest.mark.parametrize(
    ("where", "error", "loss"), [("forward", gpu, LossConfig(kl=0.1, tis_cap=2.0)), ("backward", cpu, LossConfig())], ids=["forward", "backward"]
)
def test_an_update_that_does_not_fit_is_done_in_smaller_parts(full, where, error, loss):
    rows = make_rows(tiny_llama(), n=12)
    learner, short = make_learner(tiny_llama(), loss=loss), make_learner(tiny_llama(), loss=loss)
    wanted = learner.update(rows)
    full(short.trainable.model.get_base_model(), 25, where, error)
    with pytest.warns(UserWarning, match="memory ran out .*going on with micro_tokens .*, which changes no result"):
        figures = short.update(rows)
    assert figures == pytest.approx(wanted, abs=1e-5) and torch.allclose(weights(learner), weights(short), atol=1e-6)
    assert 12 <= short.micro_tokens <= 50 and short.config.micro_tokens == 8192
    resumed = make_learner(tiny_llama(), loss=loss)  # as small at once: the numbers are those of a run that was not cut off
    resumed.load_state_dict(short.state_dict())
    assert resumed.micro_tokens == short.micro_tokens


def test_a_single_row_that_does_not_fit_is_an_error_that_says_what_to_lower(full):
    learner = make_learner(tiny_llama())
    before = weights(learner).clone()
    full(learner.trainable.model.get_base_model(), 3)
    with (
        pytest.warns(UserWarning, match="memory ran out"),
        pytest.raises(torch.OutOfMemoryError, match="not suffice for a single row of up to .* tokens .*lower model.max_pixels"),
    ):
        learner.update(make_rows(tiny_llama()))
    assert torch.equal(weights(learner), before)


def test_another_error_is_not_taken_for_it():
    with pytest.raises(RuntimeError, match="shape") as caught, memory_errors():
        raise RuntimeError("shape mismatch")
    assert not isinstance(caught.value, torch.OutOfMemoryError)
    with pytest.raises(torch.OutOfMemoryError), memory_errors():
        raise MemoryError


def test_a_step_of_warm_up_too(full):
    rows = make_rows(tiny_llama(), n=12)

    def learner():
        torch.manual_seed(1)
        trainable = Trainable(tiny_llama(), AdapterConfig(rank=4, alpha=8))
        return SupervisedLearner(trainable, no_images, PAD, WarmupConfig(optimiser=OptimiserConfig(lr=1e-2)))

    whole, short = learner(), learner()
    wanted = whole.update(rows)
    full(short.trainable.model.get_base_model(), 25)
    with pytest.warns(UserWarning, match="memory ran out"):
        figures = short.update(rows)
    assert figures == pytest.approx(wanted, abs=1e-5) and torch.allclose(weights(whole), weights(short), atol=1e-6)


def test_prompts_that_do_not_fit_are_answered_in_smaller_batches(vlm, frames, monkeypatch):
    from agents.engines.transformers_engine import TransformersEngine

    model, vision = vlm()
    prompts = PromptBuilder(vision, make_codec("dsl", "grid:10"), system="")
    asked = [prompts.start(f"Task {i}.", frame, (56, 56)) for i, frame in enumerate(frames(5))]
    sampling, seeds = vision.sampling(1.0, 4), list(range(5))
    wanted = TransformersEngine(model, vision).generate(asked, sampling, seeds)
    engine, original, room = TransformersEngine(model, vision), model.generate, 2

    def generate(*args, input_ids, **kwargs):
        if len(input_ids) > room:
            raise gpu()
        return original(*args, input_ids=input_ids, **kwargs)

    monkeypatch.setattr(model, "generate", generate)
    with pytest.warns(UserWarning, match="going on with batch_size 2"):
        got = engine.generate(asked, sampling, seeds)
    assert [c.ids for c in got] == [c.ids for c in wanted] and engine.batch_size == 2
    assert np.allclose([c.logprobs for c in got if len(c.ids) == 4], [c.logprobs for c in wanted if len(c.ids) == 4], atol=1e-5)
    room = 0
    with pytest.warns(UserWarning), pytest.raises(torch.OutOfMemoryError, match="to answer a single prompt .*lower model.max_pixels"):
        engine.generate(asked, sampling, seeds)
