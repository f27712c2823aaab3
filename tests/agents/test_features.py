"""Image features: each distinct frame once, as fresh as the weights, and the same as in the model's ordinary forward."""

import copy
from dataclasses import replace

import pytest
import torch

from agents.adapters import AdapterConfig, Trainable
from agents.byte_cache import ByteCache
from agents.engines.transformers_engine import TransformersEngine
from agents.episodes import Frame
from agents.features import ImageFeatures
from agents.logprobs import collate, trained_logprobs
from agents.models import load_model
from agents.prompts import PromptBuilder
from agents.rows import Row
from agents.tiny_vlm import KINDS
from agents.vision import VisionInputs
from gui_gym.codecs import make_codec


@pytest.fixture(params=KINDS)
def fresh(request, vlm_folder):
    """A model of its own: its weights may change."""
    model, processor = load_model(vlm_folder(request.param))
    return model, VisionInputs(processor, model)


def row_of(vision, shown):
    """A conversation that has shown all of ``shown``, one a turn, with the same answer each time."""
    builder = PromptBuilder(vision, make_codec("dsl"), system="")
    said = builder.completion_ids("click(1, 2)")
    prompt = builder.start("Do it.", shown[0], (56, 56))
    mask = [False] * len(prompt.ids)
    for frame in shown[1:]:
        before = len(mask)
        prompt = builder.extend(prompt, said, "stop", frame)
        mask += [True] * len(said) + [False] * (len(prompt.ids) - before - len(said))
    ids, mask = [*prompt.ids, *said], [*mask, *[True] * len(said)]
    return Row(ids, mask, [0.0] * len(ids), [0.0] * len(ids), list(shown), vision.sampling())


def rows_of(vision, frames):
    """Two rows that begin with the same frame; the first shows one frame twice."""
    a, b, c = frames(3)
    return [row_of(vision, [a, b, b]), row_of(vision, [a, c])]


def plain(model, vision, row):
    """The log-probs of an ordinary forward with pixels, alone."""
    sampling = row.sampling
    logits = model(**vision.batch([row.ids], [row.images], side="right")).logits[0, :-1].float()
    logits[:, list(sampling.suppress)] = -torch.inf
    logprobs = logits.log_softmax(-1).gather(1, torch.tensor(row.ids[1:])[:, None])[:, 0]
    return logprobs[torch.tensor(row.mask[1:])]


def watch(model, vision, frames):
    """A list that fills with what enters the vision tower: which of ``frames``, told by their pixels."""
    known = {key(vision.process(frame)["pixel_values"]): frame.hash for frame in frames}
    assert len(known) == len({frame.hash for frame in frames})
    seen = []

    def note(_, args, kwargs):
        pixels = (kwargs.get("pixel_values") if "pixel_values" in kwargs else args[0]).detach()
        count = 1 if "image_grid_thw" not in vision._axes else len(kwargs["grid_thw"])
        # Idefics3 gives (images, 3, h, w), Qwen the patches of all images in one dimension
        parts = pixels if pixels.dim() == 4 else pixels.split([int(n) for n in kwargs["grid_thw"].prod(-1)])
        assert len(parts) >= count
        seen.extend(known[key(part)] for part in parts)

    tower = getattr(model.model, "visual", None) or model.model.vision_model
    return seen, tower.register_forward_pre_hook(note, with_kwargs=True)


def key(pixels):
    return tuple(pixels.flatten()[:: max(1, pixels.numel() // 64)].tolist())


def test_each_frame_enters_a_frozen_tower_once(fresh, frames):
    """Whatever batches, passes and engine calls it is in: and what comes out is what an ordinary forward gives."""
    model, vision = fresh
    model.requires_grad_(False)
    rows = rows_of(vision, frames)
    expected = torch.cat([plain(model, vision, row) for row in rows])
    distinct = {frame.hash: frame for row in rows for frame in row.images}
    trained_logprobs(model, collate([row_of(vision, frames(2, seed=5))], vision, vision.tokens.pad))  # the first use of all tries whether it works
    seen, hook = watch(model, vision, distinct.values())
    for order in ([0, 1], [1, 0], [1]):
        batch = collate([rows[i] for i in order], vision, vision.tokens.pad)
        assert not [name for name in batch.inputs if name.startswith("pixel")]
        found = trained_logprobs(model, batch)[0]
        if order == [0, 1]:
            assert torch.allclose(found, expected, atol=1e-5)
    engine = TransformersEngine(model, vision)
    prompt = PromptBuilder(vision, make_codec("dsl"), system="").start("Do it.", rows[0].images[1], (56, 56))
    engine.generate([prompt, prompt], vision.sampling(1.0, 2), [0, 1])
    hook.remove()
    assert sorted(seen) == sorted(distinct)


def test_a_trained_tower_gets_its_gradient_and_each_frame_once_a_call(fresh, frames):
    model, vision = fresh
    model.requires_grad_(True)
    rows = rows_of(vision, frames)
    distinct = {frame.hash: frame for row in rows for frame in row.images}
    trained_logprobs(model, collate(rows, vision, vision.tokens.pad))
    seen, hook = watch(model, vision, distinct.values())
    batch = collate(rows, vision, vision.tokens.pad)
    logprobs = trained_logprobs(model, batch)[0]
    hook.remove()
    assert sorted(seen) == sorted(distinct)
    ours = torch.autograd.grad(logprobs.sum(), list(model.parameters()), allow_unused=True)
    theirs = torch.autograd.grad(sum(plain(model, vision, row).sum() for row in rows), list(model.parameters()), allow_unused=True)
    moved = 0
    for (name, _), a, b in zip(model.named_parameters(), ours, theirs, strict=True):
        assert (a is None) == (b is None), name
        if a is not None:
            assert torch.allclose(a, b, atol=2e-4 * max(1.0, float(b.abs().max()))), name
            moved += "vis" in name and bool(a.abs().max() > 0)
    assert moved > 5


def test_the_engine_sees_through_the_tower_as_it_is_now(fresh, frames):
    """Also where nobody told it that the weights have changed, as during warm-up."""
    model, vision = fresh
    model.requires_grad_(True)
    engine, sampling = TransformersEngine(model, vision), vision.sampling(1.0, 4)
    prompt = PromptBuilder(vision, make_codec("dsl"), system="").start("Do it.", frames(1)[0], (56, 56))
    optimiser = torch.optim.AdamW([p for name, p in model.named_parameters() if "vis" in name], lr=0.05)
    for _ in range(2):
        (said,) = engine.generate([prompt], sampling, [0])
        row = Row([*prompt.ids, *said.ids], [False] * len(prompt.ids) + [True] * len(said.ids), [0.0], [0.0], list(prompt.images), sampling)
        now = plain(model, vision, row)
        assert torch.allclose(torch.tensor(said.logprobs), now, atol=1e-4)
        (-now.sum()).backward()
        optimiser.step()
        optimiser.zero_grad()
        assert not torch.allclose(plain(model, vision, row), now, atol=1e-2)


def test_an_adapter_on_the_tower_and_its_reference_are_not_mixed_up(vlm_folder, frames):
    model, processor = load_model(vlm_folder("qwen3_vl"))
    vision = VisionInputs(processor, model)
    trainable = Trainable(model, AdapterConfig(rank=2, targets="all"))
    rows = rows_of(vision, frames)
    batch = collate(rows, vision, vision.tokens.pad)
    with torch.no_grad():
        bare = trained_logprobs(trainable.model, batch)[0]
        for name, p in trainable.model.named_parameters():
            if "lora_B" in name and "visual" in name:
                p.normal_(0, 0.5)
        for _ in range(2):
            adapted = trained_logprobs(trainable.model, batch)[0]
            with trainable.reference() as reference:
                assert torch.allclose(trained_logprobs(reference, batch)[0], bare, atol=1e-5)
            assert not torch.allclose(adapted, bare, atol=1e-2)
            assert torch.allclose(adapted, torch.cat([plain(trainable.model, vision, row) for row in rows]), atol=1e-5)


def test_a_copy_of_the_model_has_features_of_its_own(vlm_folder, frames):
    """As the KL reference of full training is one."""
    model, processor = load_model(vlm_folder())
    vision = VisionInputs(processor, model)
    batch = collate(rows_of(vision, frames), vision, vision.tokens.pad)
    other = copy.deepcopy(model)
    with torch.no_grad():
        before = trained_logprobs(model, batch)[0]
        for p in other.model.connector.parameters():
            p.mul_(2)
        assert not torch.allclose(trained_logprobs(other, batch)[0], before, atol=1e-2)
        assert torch.equal(trained_logprobs(model, batch)[0], before)


def test_features_of_a_frame_depend_on_nothing_else(vlm, frames):
    """Bit by bit, so that a resumed run, whose cache is empty, computes what an uninterrupted one does."""
    model, vision = vlm("qwen2_5_vl")
    rows = rows_of(vision, frames)
    results = []
    for first in ([], [0], [1]):
        again = copy.copy(vision)
        again.features = ImageFeatures(again, ByteCache(2**24))
        with torch.no_grad():
            for i in first:
                trained_logprobs(model, collate([rows[i]], again, again.tokens.pad))
            results.append(trained_logprobs(model, collate(rows, again, again.tokens.pad))[0])
    assert torch.equal(results[0], results[1]) and torch.equal(results[0], results[2])


def test_a_small_cache_changes_nothing(vlm_folder, frames):
    model, processor = load_model(vlm_folder())
    large, small = VisionInputs(processor, model), VisionInputs(processor, model, cache_bytes=1)
    rows = rows_of(large, frames)
    with torch.no_grad():
        a, b = (trained_logprobs(model, collate(rows, vision, vision.tokens.pad))[0] for vision in (large, small))
    assert torch.equal(a, b)


def test_a_model_that_takes_no_features_from_outside_gets_its_pixels(vlm_folder, frames, monkeypatch):
    model, processor = load_model(vlm_folder())
    vision, inner = VisionInputs(processor, model), type(model.model)
    rows = rows_of(vision, frames)
    own = inner.get_image_features

    def together(self, pixel_values, *args, **kwargs):  # features that depend on how many images there are
        out = own(self, pixel_values, *args, **kwargs)
        out.pooler_output = [part * pixel_values.shape[1] for part in out.pooler_output]
        return out

    monkeypatch.setattr(inner, "get_image_features", together)
    with torch.no_grad(), pytest.warns(UserWarning, match="does not take image features from outside"):
        found = trained_logprobs(model, collate(rows[:1], vision, vision.tokens.pad))[0]
        assert torch.allclose(found, plain(model, vision, rows[0]), atol=1e-5)


def test_another_frame_of_the_same_size_is_another_frame(vlm, frames):
    model, vision = vlm()
    (row,) = rows_of(vision, frames)[:1]
    darker = [Frame(frame.pixels // 2) for frame in row.images]
    with torch.no_grad():
        one, other = (trained_logprobs(model, collate([r], vision, vision.tokens.pad))[0] for r in (row, replace(row, images=darker)))
    assert not torch.allclose(one, other, atol=1e-3)


def test_what_was_used_longest_ago_goes_first():
    cache = ByteCache(10)
    for name in "abc":
        cache.put(name, name.upper(), 3)
    assert cache.get("a") == "A"
    cache.put("d", "D", 3)
    assert [cache.get(name) for name in "abcd"] == ["A", None, "C", "D"] and (cache.held, len(cache)) == (9, 3)
    cache.put("e", "E", 11)
    assert cache.get("e") is None and (cache.held, len(cache)) == (9, 3)
    cache.put("f", "F", 4)
    cache.put("f", "G", 2)
    cache.drop(lambda name: name != "f")
    assert cache.get("f") == "G" and (cache.held, len(cache)) == (2, 1)
