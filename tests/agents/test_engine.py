import copy

import numpy as np
import pytest
import torch
from peft import LoraConfig, get_peft_model

from agents.engines.conformance import EngineConformance
from agents.engines.transformers_engine import TransformersEngine, _draw, sampling_logprobs
from agents.models import linear_layers, load_model
from agents.prompts import PromptBuilder
from agents.vision import VisionInputs
from gui_gym.codecs import make_codec

SCREEN = (56, 56)


def recomputed(model, vision, prompts, completions, sampling):
    """Log-probs of the completions by one forward pass over all conversations whole, padded on the other side than in generation."""
    sequences = [(*p.ids, *c.ids) for p, c in zip(prompts, completions, strict=True)]
    with torch.no_grad():
        logits = model(**vision.batch(sequences, [p.images for p in prompts], side="right")).logits
    out = []
    for row, prompt, completion in zip(logits, prompts, completions, strict=True):
        at = len(prompt.ids) - 1
        logprobs = sampling_logprobs(row[at : at + len(completion.ids)].clone(), sampling)
        out.append(logprobs[torch.arange(len(completion.ids)), list(completion.ids)])
    return out


def gap(ours, theirs):
    return max(float((torch.tensor(c.logprobs) - t).abs().max()) for c, t in zip(ours, theirs, strict=True))


class TestTransformersEngine(EngineConformance):
    @pytest.fixture
    def engine(self, family):
        return TransformersEngine(*family)

    @pytest.fixture
    def builder(self, family):
        return PromptBuilder(family[1], make_codec("dsl", "grid:10"), system="")

    @pytest.fixture
    def prompts(self, engine, builder, frames):
        """1, 2 and 3 turns and images, of many lengths, their middles sampled by the engine itself."""
        shown, sampling = frames(16), builder.vision.sampling(1.0, 9)
        prompts = [builder.start("Click it." * (k % 3 + 1), shown[k], SCREEN) for k in range(8)]
        for turn in (1, 2):
            for k, said in enumerate(engine.generate(prompts, sampling, range(turn * 10, turn * 10 + 8))):
                if k % 3 >= turn:
                    prompts[k] = builder.extend(prompts[k], said.ids, said.finish_reason, shown[8 + (k + turn) % 8], "no" * k)
        assert {len(p.images) for p in prompts} == {1, 2, 3} and len({len(p.ids) for p in prompts}) > 4
        return prompts

    def reference(self, engine, prompt, completion, sampling):
        return recomputed(engine.model, engine.vision, [prompt], [completion], sampling)[0].tolist()


def test_equal_prompts_are_read_once(family, frames):
    """And what is sampled after them stays what one forward pass over each whole conversation gives."""
    model, vision = family
    builder, shown = PromptBuilder(vision, make_codec("dsl", "grid:10"), system=""), frames(3)
    starts = [builder.start("Click it." * (k + 1), shown[k], SCREEN) for k in range(3)]
    starts[2] = builder.extend(starts[2], builder.completion_ids("wait()"), "stop", shown[0])
    prompts = [starts[k % 3] for k in range(9)]
    sampling, engine = vision.sampling(0.9, 10), TransformersEngine(model, vision)
    alone = [engine.generate([p], sampling, [k])[0] for k, p in enumerate(prompts)]
    read = []
    hook = model.get_decoder().register_forward_pre_hook(lambda _, args, given: read.append(given["inputs_embeds"].shape[:2]), with_kwargs=True)
    together = engine.generate(prompts, sampling, range(9))
    hook.remove()
    assert read[0] == (3, max(len(p.ids) for p in prompts) - 1) and set(read[1:]) == {(9, 1)}
    assert [c.ids for c in together] == [c.ids for c in alone] and len({c.ids for c in together}) == 9
    assert gap(together, recomputed(model, vision, prompts, together, sampling)) < 1e-4


def conversation(engine, builder, frames, turns=3):
    """The completions of each turn of five episodes, and how many rows and ids the text tower was given in each call."""
    shown, sampling, read, said = frames(8), builder.vision.sampling(1.0, 7), [], []
    prompts = [builder.start("Click it." * (k % 3 + 1), shown[k // 2], SCREEN) for k in range(5)]

    def note(_, args, given):
        read.append(tuple(given["inputs_embeds"].shape[:2]))

    hook = engine.model.get_decoder().register_forward_pre_hook(note, with_kwargs=True)
    for turn in range(turns):
        calls = len(read)
        said.append(engine.generate(prompts, sampling, [10 * turn + k for k in range(5)]))
        said[-1] = (said[-1], read[calls])
        prompts = [
            builder.extend(p, c.ids, c.finish_reason, shown[(3 + turn + k) % 8]) for k, (p, c) in enumerate(zip(prompts, said[-1][0], strict=True))
        ]
    hook.remove()
    return said


@pytest.mark.parametrize("history", ["append", "block"])
def test_the_next_turn_reads_its_new_ids_alone(family, frames, history):
    """And samples what it does where all is read again, to rounding."""
    model, vision = family
    builder = PromptBuilder(vision, make_codec("dsl", "grid:10"), history=history, n=2, system="")
    again = conversation(TransformersEngine(model, vision, held_bytes=0), builder, frames)
    held = conversation(TransformersEngine(model, vision), builder, frames)
    for turn, ((ours, read), (theirs, all_read)) in enumerate(zip(held, again, strict=True)):
        assert [c.ids for c in ours] == [c.ids for c in theirs]
        assert gap(ours, [torch.tensor(c.logprobs) for c in theirs]) < 1e-5
        forked = history == "block" and turn == 2  # the oldest screen was dropped
        assert read == all_read if turn == 0 or forked else read[1] < all_read[1] - 15


def test_what_is_held_is_of_these_weights_and_these_images(vlm_folder, frames):
    model, processor = load_model(vlm_folder("qwen2_5_vl"))
    vision = VisionInputs(processor, model)
    builder, sampling, shown = PromptBuilder(vision, make_codec("dsl"), system=""), vision.sampling(1.0, 5), frames(3)
    engine = TransformersEngine(model, vision)

    def second_turn(first, change):
        prompt = builder.start("Go.", first, SCREEN)
        (said,) = engine.generate([prompt], sampling, [0])
        change()
        return builder.extend(prompt, said.ids, said.finish_reason, shown[2])

    def follows(prompt):
        completions = engine.generate([prompt], sampling, [1])
        return gap(completions, recomputed(model, vision, [prompt], completions, sampling)) < 1e-4

    def train():
        with torch.no_grad():
            for name, p in model.named_parameters():
                if "mlp" in name and "language" in name:
                    p.mul_(1.5)

    assert follows(second_turn(shown[0], lambda: None)) and follows(second_turn(shown[0], train))
    prompt = second_turn(shown[0], lambda: None)
    other = copy.copy(prompt)
    object.__setattr__(other, "images", (shown[1], *prompt.images[1:]))  # the same ids, another picture
    assert follows(other)


@pytest.fixture
def setup(vlm, frames):
    model, vision = vlm()
    builder = PromptBuilder(vision, make_codec("dsl", "grid:10"), system="")
    shown = frames(4)
    return model, vision, [builder.start("Click it.", shown[k % 4], SCREEN) for k in range(16)]


@pytest.mark.parametrize("temperature", [1.0, 0.6])
def test_the_learners_first_ratio_is_one(setup, temperature):
    """TRL #4159, prime-rl #697: raw log-probs at T = 0.6 made the ratio of unchanged weights 2.0."""
    from agents.logprobs import collate, trained_logprobs
    from agents.rows import Row

    model, vision, prompts = setup
    sampling = vision.sampling(temperature, 12)
    completions = TransformersEngine(model, vision).generate(prompts, sampling, range(16))
    rows = [
        Row(
            [*p.ids, *c.ids],
            [False] * len(p.ids) + [True] * len(c.ids),
            [0.0] * len(p.ids) + list(c.logprobs),
            [0.0] * len(p.ids + c.ids),
            list(p.images),
            sampling,
        )
        for p, c in zip(prompts, completions, strict=True)
    ]
    batch = collate(rows, vision, vision.tokens.pad)
    with torch.no_grad():
        logprobs, _ = trained_logprobs(model, batch)
    assert (logprobs - batch.behaviour).abs().max() < 1e-4


def test_another_batch_size_gives_the_same(setup):
    model, vision, prompts = setup
    sampling, seeds = vision.sampling(1.0, 12), list(range(100, 116))
    whole = TransformersEngine(model, vision).generate(prompts, sampling, seeds)
    torch.rand(3)
    parts = TransformersEngine(model, vision, batch_size=3).generate(prompts[::-1], sampling, seeds[::-1])[::-1]
    assert [c.ids for c in whole] == [c.ids for c in parts]
    assert len({c.ids for c in whole}) > 8


def test_special_ids_are_never_sampled(setup):
    model, vision, prompts = setup
    hot = TransformersEngine(model, vision).generate(prompts, vision.sampling(2.0, 40), range(16))
    sampled = {i for c in hot for i in c.ids}
    assert len(sampled) > 200 and not sampled & set(vision.tokens.suppress)


def test_the_models_own_generation_settings_change_nothing(setup):
    """Qwen2.5-VL ships a repetition penalty and a top-k: they would make it another distribution than the learner's."""
    model, vision, prompts = setup
    sampling, own = vision.sampling(1.0, 12), model.generation_config
    engine = TransformersEngine(model, vision)
    expected = engine.generate(prompts, sampling, range(16))
    try:
        model.generation_config = copy.deepcopy(own)
        model.generation_config.update(
            repetition_penalty=1.5, top_k=1, temperature=0.1, do_sample=True, no_repeat_ngram_size=2, suppress_tokens=[65, 66]
        )
        theirs = model.generation_config
        assert engine.generate(prompts, sampling, range(16)) == expected
        assert model.generation_config is theirs
    finally:
        model.generation_config = own


def test_the_mode_of_the_model_is_kept(setup):
    model, vision, prompts = setup
    engine = TransformersEngine(model, vision)
    try:
        model.train()
        engine.generate(prompts[:1], vision.sampling(1.0, 2), [0])
        assert model.training and model.lm_head.training
    finally:
        model.eval()
    engine.generate(prompts[:1], vision.sampling(1.0, 2), [0])
    assert not model.training
    assert all(p.grad is None for p in model.parameters())


def test_new_weights_are_sampled_from_at_once(vlm_folder, frames):
    model, processor = load_model(vlm_folder())
    model = get_peft_model(model, LoraConfig(r=4, target_modules=linear_layers(model)))
    vision = VisionInputs(processor, model)
    prompt = PromptBuilder(vision, make_codec("dsl"), system="").start("Go.", frames(1)[0], SCREEN)
    engine, sampling = TransformersEngine(model, vision), vision.sampling(1.0, 8)
    before = engine.generate([prompt], sampling, [0])[0]
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "lora_B" in name:
                weight.normal_(0, 0.5, generator=torch.Generator().manual_seed(0))
    engine.update_weights(3)
    after = engine.generate([prompt], sampling, [0])[0]
    assert engine.policy_version == 3 and after != before
    assert gap([after], recomputed(model, vision, [prompt], [after], sampling)) < 1e-4


def test_half_precision(vlm_folder, frames):
    model, processor = load_model(vlm_folder("qwen3_vl"), dtype="bfloat16")
    vision = VisionInputs(processor, model)
    builder = PromptBuilder(vision, make_codec("dsl"), system="")
    prompts = [builder.start("Go." * (k + 1), frame, SCREEN) for k, frame in enumerate(frames(3))] * 2
    sampling = vision.sampling(1.0, 8)
    completions = TransformersEngine(model, vision).generate(prompts, sampling, range(6))
    assert gap(completions, recomputed(model, vision, prompts, completions, sampling)) < 0.2


def test_one_number_draws_one_id():
    logprobs = torch.tensor([[0.1, 0.0, 0.6, 0.3, 0.0]]).log()
    numbers = np.random.default_rng(0).random(20_000)
    drawn = _draw(logprobs.expand(len(numbers), -1), torch.from_numpy(numbers))
    counts = torch.bincount(drawn, minlength=5) / len(numbers)
    assert counts[1] == counts[4] == 0
    assert torch.allclose(counts, logprobs[0].exp(), atol=0.015)
    edges = _draw(logprobs.expand(2, -1), torch.tensor([0.0, np.nextafter(1.0, 0.0)], dtype=torch.float64))
    assert edges.tolist() == [0, 3]


def test_limits(setup):
    model, vision, prompts = setup
    engine = TransformersEngine(model, vision)
    with pytest.raises(ValueError, match="exceed the 8192 that the model can hold.*last_n"):
        engine.generate(prompts[:1], vision.sampling(1.0, 9000), [0])
    with pytest.raises(ValueError, match="temperature -1"):
        engine.generate(prompts[:1], vision.sampling(-1.0, 9), [0])
