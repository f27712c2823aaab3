"""The learner's forward: logits a chunk at a time, layers that are computed again, half precision, micro-batches."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM

import agents.logprobs
from agents.adapters import AdapterConfig, Trainable
from agents.bench.memory import TensorPeak
from agents.episodes import Sampling
from agents.logprobs import PADDING, checkpoint_layers, collate, micro_batches, trained_logprobs
from agents.rows import Row

SUPPRESS = (3, 5, 7)


def text_model(vocabulary=40, hidden=16, layers=2, cls=LlamaForCausalLM, **more):
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=vocabulary, hidden_size=hidden, intermediate_size=2 * hidden, num_hidden_layers=layers, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=512, pad_token_id=0, bos_token_id=None, eos_token_id=1, **more,
    )  # fmt: skip
    return cls(config).eval()


def rows_of(lengths, sampling=None, vocabulary=40, seed=0):
    """Rows whose second halves are trained, none of them on a suppressed id."""
    rng = np.random.default_rng(seed)
    allowed = [i for i in range(8, vocabulary)]
    rows = []
    for i, n in enumerate(lengths):
        own = sampling or (Sampling(), Sampling(0.6, suppress=SUPPRESS), Sampling(1.4, suppress=(4,)))[i % 3]
        ids = [int(k) for k in rng.choice(allowed, n)]
        rows.append(Row(ids, [k >= n // 2 for k in range(n)], [0.0] * n, [0.0] * n, [], own))
    return rows


def batch_of(rows):
    return collate(rows, lambda images, ids: {}, 0)


def plain(model, rows):
    """Log-probs and entropies row by row, from all logits in float32."""
    logprobs, entropies = [], []
    for row in rows:
        logits = model(input_ids=torch.tensor([row.ids])).logits[0, :-1].float() / row.sampling.temperature
        logits[:, list(row.sampling.suppress)] = -torch.inf
        of_all = logits.log_softmax(-1)[torch.tensor(row.mask[1:])]
        logprobs.append(of_all.gather(1, torch.tensor(row.ids)[torch.tensor(row.mask)][:, None])[:, 0])
        entropies.append(torch.distributions.Categorical(logits=of_all).entropy())
    return torch.cat(logprobs), torch.cat(entropies)


def gradients(model, logprobs):
    parameters = [p for p in model.parameters() if p.requires_grad]
    return torch.autograd.grad((logprobs * torch.arange(len(logprobs))).sum(), parameters)


def same(ours, theirs):
    """Gradients equal to 1e-6 of the largest."""
    scale = max(float(gradient.abs().max()) for gradient in theirs)
    assert scale > 0
    for one, other in zip(ours, theirs, strict=True):
        assert torch.allclose(one, other, atol=1e-6 * scale)


@pytest.mark.parametrize("chunk", [1, 7 * 40, 10**9])
@pytest.mark.parametrize("train", ["full", "head adapter"])
def test_chunks_change_nothing(monkeypatch, chunk, train):
    """Neither values nor gradients, through an adapter on the head too, with rows of several sampling settings."""
    monkeypatch.setattr(agents.logprobs, "CHUNK", chunk)
    trainable = Trainable(text_model(), AdapterConfig(train="full") if train == "full" else AdapterConfig(rank=2, targets="all"))
    with torch.no_grad():
        for p in trainable.parameters():
            p.add_(0.1 * torch.randn_like(p))
    rows, model = rows_of([9, 14, 5, 12]), trainable.model
    expected, entropies = plain(model, rows)
    logprobs, entropy = trained_logprobs(model, batch_of(rows))
    assert torch.allclose(logprobs, expected, atol=1e-6) and torch.allclose(entropy, entropies, atol=1e-6)
    assert logprobs.dtype == torch.float32 and not entropy.requires_grad
    same(gradients(model, logprobs), gradients(model, expected))


def test_memory_never_holds_tokens_times_vocabulary(monkeypatch):
    """Counted in what operations make, forward and backward: a chunk of logits is the largest of all tensors."""
    vocabulary, tokens = 5000, 4 * 50
    model = text_model(vocabulary).requires_grad_(False)
    rows = rows_of([100] * 4, vocabulary=vocabulary)
    model.model.layers.requires_grad_(True)
    peaks = {}
    for chunk in (10 * vocabulary, 10**9):
        monkeypatch.setattr(agents.logprobs, "CHUNK", chunk)
        batch = batch_of(rows)
        with TensorPeak() as peak:
            trained_logprobs(model, batch)[0].sum().backward()
        assert (peak.largest <= chunk) and (peak.largest >= tokens * vocabulary) is (chunk == 10**9)
        peaks[chunk] = peak.peak
    assert peaks[10 * vocabulary] < peaks[10**9] / 4
    assert peaks[10 * vocabulary] < tokens * vocabulary * 4


class Capped(LlamaForCausalLM):
    """Does more to its logits than its head does, as Gemma's soft cap and Cohere's scale do."""

    def forward(self, *args, **kwargs):
        out = super().forward(*args, **kwargs)
        out.logits = torch.tanh(3 * out.logits)
        return out


def test_a_model_that_caps_its_logits_is_noticed():
    model = text_model(cls=Capped)
    rows = rows_of([9, 14, 5])
    expected, _ = plain(model, rows)
    for _ in range(2):
        logprobs, _ = trained_logprobs(model, batch_of(rows))
        assert torch.allclose(logprobs, expected, atol=1e-6)
    same(gradients(model, logprobs), gradients(model, expected))


def test_the_model_is_called_once_from_the_outside_and_its_hooks_run():
    trainable = Trainable(text_model(), AdapterConfig(rank=2, targets="all"))
    model, calls = trainable.model, []
    head = model.get_base_model().lm_head
    hooks = [module.register_forward_hook(lambda module, *_: calls.append(module)) for module in (model, head)]
    trained_logprobs(model, batch_of(rows_of([9, 14, 5])))
    for hook in hooks:
        hook.remove()
    assert calls == [head, model] and "forward" not in head.__dict__
    with pytest.raises(FloatingPointError, match="suppress"):
        trained_logprobs(model, batch_of(rows_of([9], Sampling(suppress=tuple(range(8, 40))))))
    assert "forward" not in head.__dict__
    assert model(input_ids=torch.tensor([[9, 10]])).logits.shape == (1, 2, 40)


def test_checkpointed_layers_give_the_same_gradients_from_less_memory():
    rows = rows_of([200, 190])
    results = []
    for checkpointed in (False, True):
        model = text_model(hidden=32, layers=6, attention_dropout=0.5)  # dropout stays off all the same
        if checkpointed:
            checkpoint_layers(model)
        batch = batch_of(rows)
        with TensorPeak() as peak:
            logprobs = trained_logprobs(model, batch)[0]
            gradient = gradients(model, logprobs)
        assert not any(module.training for module in model.modules())
        results.append((logprobs.detach(), gradient, peak.peak))
    assert torch.allclose(results[0][0], results[1][0], atol=1e-6)
    same(results[0][1], results[1][1])
    assert results[1][2] < results[0][2] / 2


def test_a_model_without_layers_to_checkpoint_is_refused():
    class Other(LlamaForCausalLM):
        supports_gradient_checkpointing = False

    with pytest.raises(ValueError, match="gradient_checkpointing=False"):
        checkpoint_layers(text_model(cls=Other))


def test_half_precision_has_logprobs_and_adapter_in_float32():
    """The head computes in the model's own dtype, as an engine's does; its logits become log-probs in float32."""
    trainable = Trainable(text_model().bfloat16(), AdapterConfig(rank=2))
    model = trainable.model
    assert {p.dtype for p in trainable.parameters()} == {torch.float32} and model.dtype == torch.bfloat16
    with torch.no_grad():
        for p in trainable.parameters():
            p.add_(0.1 * torch.randn_like(p))
    rows = rows_of([9, 14, 5], Sampling(0.7))
    seen = []
    hook = model.get_base_model().lm_head.register_forward_pre_hook(lambda _, args: seen.append(args[0].dtype))
    logprobs, entropy = trained_logprobs(model, batch_of(rows))
    hook.remove()
    assert seen == [torch.bfloat16] and logprobs.dtype == entropy.dtype == torch.float32
    assert torch.allclose(logprobs, plain(model, rows)[0], atol=0.05)
    assert not torch.equal(logprobs, logprobs.bfloat16().float())  # not rounded on the way
    logprobs.sum().backward()
    assert all(p.grad.dtype == torch.float32 and torch.isfinite(p.grad).all() for p in trainable.parameters())


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(2, 400), min_size=1, max_size=60), st.integers(1, 2000))
def test_micro_batches_hold_every_row_within_the_budget_and_little_padding(lengths, tokens):
    rows = rows_of(lengths, Sampling())
    parts = list(micro_batches(rows, tokens))
    assert sorted(id(row) for part in parts for row in part) == sorted(map(id, rows))
    for part in parts:
        longest, total = max(len(row.ids) for row in part), sum(len(row.ids) for row in part)
        assert len(part) == 1 or longest * len(part) <= tokens
        assert longest * len(part) - total <= PADDING * longest * len(part)
    assert [len(row.ids) for part in parts for row in part] == sorted(lengths, reverse=True)
    # not cut where both limits would have been kept
    for part, following in zip(parts, parts[1:], strict=False):
        more = [*part, following[0]]
        area = len(more[0].ids) * len(more)
        assert area > tokens or sum(len(row.ids) for row in more) < (1 - PADDING) * area


def test_a_head_patched_by_another_library_stays_patched():
    """As accelerate does it on the module itself."""
    model = text_model()
    own = model.lm_head.forward
    model.lm_head.forward = lambda x: own(x) * 2
    rows = rows_of([9, 14])
    patched = model.lm_head.forward
    assert torch.allclose(trained_logprobs(model, batch_of(rows))[0], plain(model, rows)[0], atol=1e-6)
    assert model.lm_head.forward is patched and isinstance(model.lm_head, nn.Linear)
