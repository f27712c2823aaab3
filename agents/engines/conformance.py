"""What every :class:`~agents.engines.base.Engine` does, as tests anyone can run on their own."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pytest

from agents.engines.base import Completion, Engine
from agents.episodes import Sampling
from agents.prompts import Prompt, PromptBuilder


class EngineConformance:
    """Subclass it in a test module with fixtures ``engine``, ``builder`` (of the engine's model) and ``prompts``: 8 or more of at
    least two different lengths and numbers of images. Override :meth:`reference`, and :attr:`tolerance` for a lower precision.
    """

    tolerance = 1e-4  #: largest difference of a log-prob, in nats

    def reference(self, engine: Engine, prompt: Prompt, completion: Completion, sampling: Sampling) -> Sequence[float]:
        """The log-probs of ``completion`` after ``prompt``, from one forward pass of the learner's model over both."""
        raise NotImplementedError("return the log-probs the learner computes")

    def _same(self, engine: Engine, prompts: list[Prompt], sampling: Sampling, completions: list[Completion]) -> None:
        for prompt, completion in zip(prompts, completions, strict=True):
            assert completion.logprobs == pytest.approx(self.reference(engine, prompt, completion, sampling), abs=self.tolerance)

    @pytest.mark.parametrize("temperature", [1.0, 0.6])
    def test_logprobs_are_the_learners(self, engine: Engine, builder: PromptBuilder, prompts: list[Prompt], temperature: float) -> None:
        """They belong to the distribution that was sampled from: temperature applied, suppressed ids left out."""
        sampling = builder.vision.sampling(temperature, 12)
        completions = engine.generate(prompts, sampling, range(len(prompts)))
        assert all(len(c.ids) == len(c.logprobs) > 0 and max(c.logprobs) <= 0 for c in completions)
        assert {c.policy_version for c in completions} == {engine.policy_version} and not any(c.error for c in completions)
        self._same(engine, prompts, sampling, completions)

    def test_a_completion_ends_with_its_end_token(self, engine: Engine, builder: PromptBuilder, prompts: list[Prompt]) -> None:
        stop, letter = builder.vision.tokens.stop, builder.vision.tokenizer("a", add_special_tokens=False)["input_ids"][0]
        sampling = self._only(builder, {*stop, letter}, 30)
        completions = engine.generate(prompts, sampling, range(len(prompts)))
        ended = [c for c in completions if c.finish_reason == "stop"]
        assert ended and all(c.ids[-1] in stop and not set(c.ids[:-1]) & set(stop) for c in ended)
        assert all(len(c.ids) == 30 and not set(c.ids) & set(stop) for c in completions if c.finish_reason == "length")
        self._same(engine, prompts, sampling, completions)

    def test_a_cut_completion_says_so(self, engine: Engine, builder: PromptBuilder, prompts: list[Prompt]) -> None:
        letters = {builder.vision.tokenizer(c, add_special_tokens=False)["input_ids"][0] for c in "ab"}
        sampling = self._only(builder, letters, 5)
        completions = engine.generate(prompts, sampling, range(len(prompts)))
        assert {(c.finish_reason, len(c.ids)) for c in completions} == {("length", 5)}
        assert {i for c in completions for i in c.ids} == letters, "a suppressed id was sampled, or sampling is not random"
        self._same(engine, prompts, sampling, completions)

    def test_greedy(self, engine: Engine, builder: PromptBuilder, prompts: list[Prompt]) -> None:
        sampling = builder.vision.sampling(0.0, 6)
        completions = engine.generate(prompts, sampling, range(len(prompts)))
        assert [c.ids for c in completions] == [c.ids for c in engine.generate(prompts, sampling, range(100, 100 + len(prompts)))]
        self._same(engine, prompts, sampling, completions)

    def test_a_sequence_depends_on_its_seed_alone(self, engine: Engine, builder: PromptBuilder, prompts: list[Prompt]) -> None:
        sampling, seeds = builder.vision.sampling(1.0, 12), [7 + k for k in range(len(prompts))]
        whole = [c.ids for c in engine.generate(prompts, sampling, seeds)]
        alone = [engine.generate([p], sampling, [s])[0].ids for p, s in zip(prompts, seeds, strict=True)]
        assert whole == alone
        assert whole != [c.ids for c in engine.generate(prompts, sampling, [s + 1000 for s in seeds])]

    def test_the_image_matters(self, engine: Engine, builder: PromptBuilder, prompts: list[Prompt]) -> None:
        """Pixels that never reach the model are noticed by nothing else: the ids are the same."""
        sampling = builder.vision.sampling(0.0, 1)
        frames = [prompt.images[-1] for prompt in prompts]
        for prompt in prompts[:4]:
            other = next(f for f in frames if f.hash != prompt.images[-1].hash and f.pixels.shape == prompt.images[-1].pixels.shape)
            swapped = dataclasses.replace(prompt, images=(*prompt.images[:-1], other))
            one, two = engine.generate([prompt, swapped], sampling, [0, 0])
            assert one.ids != two.ids or abs(one.logprobs[0] - two.logprobs[0]) > 10 * self.tolerance

    def test_what_is_refused(self, engine: Engine, builder: PromptBuilder, prompts: list[Prompt]) -> None:
        with pytest.raises(ValueError, match="image token"):
            engine.generate(prompts[:1], Sampling(1.0, 4), [0])
        with pytest.raises(ValueError, match="seed"):
            engine.generate(prompts[:1], builder.vision.sampling(), [0, 1])
        assert engine.generate([], builder.vision.sampling(), []) == []

    def test_closing_twice_is_fine(self, engine: Engine) -> None:
        engine.close()
        engine.close()

    def _only(self, builder: PromptBuilder, ids: set[int], max_new_tokens: int) -> Sampling:
        vision = builder.vision
        width = max(len(vision.tokenizer), max(vision.tokens.suppress) + 1)
        return Sampling(1.0, max_new_tokens, tuple(i for i in range(width) if i not in ids))
