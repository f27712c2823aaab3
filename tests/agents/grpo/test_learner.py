"""The learner against an engine that samples as plainly as can be."""

import copy
import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
import torch
from grpo_fakes import PAD, make_learner, make_rows, no_images, sample_row, tiny_llama

from agents.adapters import AdapterConfig, Trainable
from agents.episodes import Sampling
from agents.grpo.learner import EngineMismatchError
from agents.grpo.loss import LossConfig
from agents.logprobs import collate, micro_batches, trained_logprobs
from agents.optimiser import DivergedError, OptimiserConfig


@pytest.fixture
def model():
    return tiny_llama()


@pytest.fixture
def rows(model):
    return make_rows(model)


def weights(learner):
    return torch.cat([p.detach().flatten() for p in learner.trainable.parameters()])


@pytest.mark.parametrize(
    "sampling", [Sampling(), Sampling(temperature=0.6), Sampling(temperature=1.7, suppress=(3, 5, 7))], ids=["T1", "T.6", "T1.7-suppressed"]
)
def test_logprobs_equal_the_engines(model, sampling):
    rng = np.random.default_rng(0)
    rows = [sample_row(model, rng, prompt, new, sampling, turns) for prompt, new, turns in [(3, 5, 1), (7, 1, 1), (2, 3, 3)]]
    batch = collate(rows, no_images, PAD)
    logprobs, entropy = trained_logprobs(model, batch)
    assert torch.allclose(logprobs, batch.behaviour, atol=1e-5)
    assert len(entropy) == len(logprobs) == 5 + 1 + 9
    assert bool((entropy >= 0).all()) and float(entropy.max()) <= math.log(20 - len(sampling.suppress)) + 1e-5


def test_rows_of_different_sampling_in_one_batch(model):
    rng = np.random.default_rng(0)
    rows = [sample_row(model, rng, 3, 3, s) for s in (Sampling(), Sampling(temperature=0.5, suppress=(4,)), Sampling(suppress=(2, 3)))]
    batch = collate(rows, no_images, PAD)
    assert torch.allclose(trained_logprobs(model, batch)[0], batch.behaviour, atol=1e-5)


def test_logits_are_computed_at_trained_positions_only(model, rows):
    batch = collate(rows[:1], no_images, PAD)
    assert len(batch.keep) == sum(rows[0].mask) and batch.keep[0] == rows[0].mask.index(True) - 1


def test_first_importance_ratio_is_one(model, rows):
    figures = make_learner(model, passes=1).update(rows)
    assert abs(figures["ratio"] - 1) < 1e-4 and abs(figures["ratio_max"] - 1) < 1e-4
    assert figures["sequence_ratio_max"] == pytest.approx(1, abs=1e-4)
    assert figures["mismatch_max"] < 1e-4


def test_padding_that_is_suppressed_is_no_nan(model):
    rng = np.random.default_rng(0)
    rows = [sample_row(model, rng, 2, new, Sampling(suppress=(PAD,)), advantage=a) for new, a in ((1, 1.0), (9, -1.0))]
    learner = make_learner(model)
    figures = learner.update(rows)
    assert all(map(math.isfinite, figures.values())) and torch.isfinite(weights(learner)).all()


def test_micro_batches_fit_the_budget(rows):
    parts = list(micro_batches(rows, 30))
    assert sorted(id(r) for p in parts for r in p) == sorted(map(id, rows))
    assert all(len(p) == 1 or len(p) * max(len(r.ids) for r in p) <= 30 for p in parts)
    assert len(parts) > 1


def test_good_completions_become_likelier_and_bad_ones_rarer(model, rows):
    learner = make_learner(model, optimiser=OptimiserConfig(lr=1e-2))
    before = [trained_logprobs(model, collate([r], no_images, PAD))[0].sum().item() for r in rows]
    learner.update(rows)
    after = [trained_logprobs(model, collate([r], no_images, PAD))[0].sum().item() for r in rows]
    gain = sum((a - b) * r.advantages[-1] / sum(r.mask) for a, b, r in zip(after, before, rows, strict=True))
    assert gain > 0.05


def test_only_the_adapter_moves_and_the_engine_shares_it(model, rows):
    frozen = {n: p.clone() for n, p in model.named_parameters()}
    learner = make_learner(model, optimiser=OptimiserConfig(lr=1e-2))
    probe = torch.tensor([[2, 3, 4]])
    before = model(input_ids=probe).logits
    learner.update(rows)
    after = model(input_ids=probe).logits
    assert not torch.equal(before, after)  # the same object the engine holds
    now = {n.replace(".base_layer", ""): p for n, p in model.named_parameters() if "lora_" not in n}
    assert frozen.keys() == now.keys() and all(torch.equal(frozen[n], now[n]) for n in frozen)


def test_full_fine_tuning_moves_every_weight(model, rows):
    before = {n: p.clone() for n, p in model.named_parameters()}
    make_learner(model, AdapterConfig(train="full")).update(rows)
    assert all(not torch.equal(before[n], p) for n, p in model.named_parameters())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_weights_in_half_precision_are_not_trained_where_steps_would_be_lost(model, dtype):
    """At a learning rate of 1e-6 three of a thousand weights of this model moved in bfloat16, in float32 all that had a gradient."""
    with pytest.raises(ValueError, match="most steps would be rounded away: expected adapter.train"):
        make_learner(model.to(dtype), AdapterConfig(train="full"))
    make_learner(tiny_llama().to(dtype), AdapterConfig(rank=4))


@pytest.mark.parametrize("start", ["bare", "trained", "full"])
def test_the_reference_is_the_policy_as_rl_began(model, rows, start, tmp_path):
    adapter = AdapterConfig(train="full") if start == "full" else AdapterConfig(rank=4)
    trainable = Trainable(model, adapter)
    if start == "trained":  # an adapter that already does something, as after a warm-up
        with torch.no_grad():
            for p in trainable.parameters():
                p.normal_(0, 0.2)
        trainable.save(tmp_path / "warm")
        model = tiny_llama()
        trainable = Trainable(model, adapter, tmp_path / "warm")
    batch = collate(rows, no_images, PAD)
    with torch.no_grad():
        began = trained_logprobs(trainable.model, batch)[0]
        trainable.freeze_reference()
        count = len(trainable.parameters())
        for p in trainable.parameters():
            p.add_(0.05 * torch.randn_like(p))
        moved = trained_logprobs(trainable.model, batch)[0]
        with trainable.reference() as reference:
            seen = trained_logprobs(reference, batch)[0]
        again = trained_logprobs(trainable.model, batch)[0]
    assert torch.allclose(seen, began, atol=1e-6) and torch.equal(moved, again) and not torch.allclose(moved, began, atol=1e-3)
    assert len(trainable.parameters()) == count
    # and it survives a checkpoint
    trainable.save(tmp_path / "later")
    later = Trainable(tiny_llama(), adapter, start=tmp_path / "warm" if start == "trained" else None, resume=tmp_path / "later")
    later.freeze_reference()
    with torch.no_grad(), later.reference() as reference:
        assert torch.allclose(trained_logprobs(reference, batch)[0], began, atol=1e-6)
    with torch.no_grad():
        assert torch.allclose(trained_logprobs(later.model, batch)[0], moved, atol=1e-6)
    # while a new run that starts from those weights has them as its reference
    new = Trainable(tiny_llama(), adapter, start=tmp_path / "later")
    new.freeze_reference()
    with torch.no_grad(), new.reference() as reference:
        assert torch.allclose(trained_logprobs(reference, batch)[0], moved, atol=1e-6)


def test_kl_pulls_back_to_the_reference(model, rows):
    far = []
    for kl in (0.0, 5.0):
        learner = make_learner(copy.deepcopy(model), loss=LossConfig(kl=kl), passes=8, optimiser=OptimiserConfig(lr=5e-3))
        learner.update(rows)
        batch = collate(rows, no_images, PAD)
        with torch.no_grad():
            far.append(float((trained_logprobs(learner.trainable.model, batch)[0] - batch.behaviour).abs().mean()))
    assert far[1] < far[0]


@pytest.mark.parametrize("wrong", [Sampling(temperature=0.6), Sampling(suppress=(2, 3, 4, 5, 6, 7, 8, 9))], ids=["temperature", "suppressed"])
def test_sampling_settings_other_than_the_learners_are_noticed(model, wrong):
    rng = np.random.default_rng(0)
    rows = [replace(sample_row(model, rng, 3, 6, wrong, advantage=1.0), sampling=Sampling()) for _ in range(4)]
    with pytest.raises(EngineMismatchError, match="engine and learner differ"):
        make_learner(model, mismatch_stop=0.05).update(rows)
    assert make_learner(tiny_llama(), mismatch_stop=1e9).update(rows)["mismatch"] > 0.05


@pytest.mark.parametrize("micro_tokens", [1, 10_000])
def test_engine_and_learner_are_compared_on_all_tokens_together(rows, micro_tokens):
    """So that it depends on no micro-batch whether training stops, and no gradient is left to the next update where it does."""
    worst = min(range(len(rows)), key=lambda i: sum(rows[i].mask))
    off = [p - 0.4 * m for p, m in zip(rows[worst].logprobs, rows[worst].mask, strict=True)]
    rows = [*rows[:worst], replace(rows[worst], logprobs=off), *rows[worst + 1 :]]
    mean = 0.4 * sum(rows[worst].mask) / sum(sum(row.mask) for row in rows)
    figures = make_learner(tiny_llama(), mismatch_stop=1.1 * mean, micro_tokens=micro_tokens).update(rows)
    assert figures["mismatch"] == pytest.approx(mean, rel=1e-3)
    learner = make_learner(tiny_llama(), mismatch_stop=0.9 * mean, micro_tokens=micro_tokens)
    before = weights(learner).clone()
    with pytest.raises(EngineMismatchError, match="up to 0.4"):
        learner.update(rows)
    assert torch.equal(weights(learner), before)


def test_stale_rows_are_off_policy_not_mismatched(model, rows):
    learner = make_learner(model, mismatch_stop=1e-3)
    stale = [replace(r, logprobs=[p - 0.3 if m else 0.0 for p, m in zip(r.logprobs, r.mask, strict=True)], policy_version=-1) for r in rows]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert learner.update(stale)["ratio"] > 1.1


def test_a_trained_token_that_is_suppressed_is_an_error(model, rows):
    token = rows[0].ids[rows[0].mask.index(True)]
    with pytest.raises(FloatingPointError, match="its own sampling settings suppress"):
        make_learner(model).update([replace(rows[0], sampling=Sampling(suppress=(token,)))])


def test_damaged_weights_are_an_error(model, rows):
    learner = make_learner(model, mismatch_stop=1e9)
    with torch.no_grad():
        learner.trainable.parameters()[0].fill_(float("nan"))
    assert learner.update(rows)["skipped_updates"] == 2
    with pytest.raises(DivergedError, match="3 updates in a row had loss nan"):
        learner.update(rows)


def test_a_loss_that_is_no_number_never_reaches_the_weights(model, rows):
    bad = [replace(rows[0], advantages=[math.inf if m else 0.0 for m in rows[0].mask]), *rows[1:]]
    learner = make_learner(model, passes=1, optimiser=OptimiserConfig(max_bad_steps=2))
    before = weights(learner).clone()
    assert learner.update(bad)["skipped_updates"] == 1
    assert torch.equal(weights(learner), before)
    with pytest.raises(DivergedError, match="none was applied"):
        learner.update(bad)
    assert torch.equal(weights(learner), before)
    learner.update(rows)
    assert torch.isfinite(weights(learner)).all() and not torch.equal(weights(learner), before)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"mask": [True]}, "as many of each"),
        ({"logprobs": []}, "as many of each"),
        ({"mask": [False] * 8}, "at least one token"),
        ({"mask": [True] * 8}, "never its first"),
        ({"sampling": Sampling(temperature=0)}, "temperature 0"),
    ],
)
def test_rows_that_cannot_be_trained_are_refused(rows, change, says):
    with pytest.raises(ValueError, match=says):
        collate([replace(rows[0], **change)], no_images, PAD)


def test_no_rows(model):
    with pytest.raises(ValueError, match="every group was skipped"):
        make_learner(model).update([])


def test_skipped_episodes_count_in_the_mean(model, rows):
    whole, half = make_learner(model, passes=1), make_learner(tiny_llama(), passes=1)
    assert half.update(rows, share=0.5)["grad_norm"] == pytest.approx(whole.update(rows)["grad_norm"] / 2, rel=1e-4)


def test_minibatches_take_several_steps(model, rows):
    learner = make_learner(model, passes=2, minibatches=3)
    learner.update(rows)
    assert learner.optimiser.schedule.last_epoch == 6


def test_the_learning_rate_that_is_told_is_the_one_that_was_used(model, rows):
    learner = make_learner(model, total_steps=2, passes=1, optimiser=OptimiserConfig(lr=1e-3, schedule="linear"))
    before = weights(learner).clone()
    assert learner.update(rows)["lr"] == pytest.approx(1e-3)
    middle = weights(learner).clone()
    assert learner.update(rows)["lr"] == pytest.approx(5e-4)  # the last step of the schedule is no idle one
    assert not torch.equal(before, middle) and not torch.equal(middle, weights(learner))


def test_which_layers_get_an_adapter(model):
    def adapted(targets):
        trainable = Trainable(tiny_llama(), AdapterConfig(rank=2, targets=targets))
        return {n.split(".lora_")[0].rsplit(".", 1)[-1] for n, p in trainable.model.named_parameters() if p.requires_grad}

    text = {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}
    assert adapted("text") == text
    assert adapted("all") == text | {"lm_head"}
    assert adapted(r".*\.(q|v)_proj") == {"q_proj", "v_proj"}
    with pytest.raises(ValueError, match="no LoRA adapter fits the targets"):
        adapted("nothing")


@pytest.mark.parametrize("bad", [{"rank": 0}, {"alpha": 0}, {"train": "half"}])
def test_bad_adapter_config(bad):
    with pytest.raises(ValueError, match="expected"):
        AdapterConfig(**bad)
