"""The embedded engine: samples from the learner's own model through ``transformers``' generation loop and KV cache."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers import GenerationConfig, LogitsProcessor, LogitsProcessorList

from agents.engines.base import Completion, check_request
from agents.engines.held import HELD_BYTES, Held, HeldPrefixes, joined
from agents.episodes import Frame, Sampling
from agents.memory import memory_errors, smaller_batch
from agents.models import base_model, max_length
from agents.prompts import Prompt
from agents.vision import VisionInputs


def sampling_logprobs(logits: Tensor, sampling: Sampling) -> Tensor:
    """Float32 log-probs tokens are drawn with: ``(..., vocabulary)`` logits / temperature, suppressed ids at -inf, log-softmax."""
    logits = logits.float() / (sampling.temperature or 1.0)
    if sampling.suppress:
        logits[..., list(sampling.suppress)] = -torch.inf
    return logits.log_softmax(-1)


class TransformersEngine:
    """Samples from ``model``, which the learner trains in place; it is left in the mode (train or eval) it was in.

    Args:
        model: a transformers model, wrapped by peft or not.
        vision: its adapter, shared with prompt builder and learner.
        batch_size: prompts of one generation batch; bounds memory and changes no result.
        held_bytes: how much memory what was read of all episodes may take until their next turn, which then reads no id again; a generation
            batch that does not fit is read again whole.
    """

    apart = False

    def __init__(self, model: Any, vision: VisionInputs, *, batch_size: int = 64, held_bytes: int = HELD_BYTES):
        self.model, self.vision, self.batch_size = model, vision, batch_size
        self.policy_version = 0
        self._prefixes = HeldPrefixes(held_bytes)
        self._cache_name = "cache" if "cache" in inspect.signature(base_model(model).forward).parameters else "past_key_values"
        self.max_length = max_length(model)

    def update_weights(self, policy_version: int, weights: Path | None = None) -> None:
        """The weights are the learner's own: their version is noted, and what a trained vision tower made of frames is forgotten."""
        self.policy_version = policy_version
        self.vision.features.forget(self.model)
        self._prefixes.clear()

    def close(self) -> None:
        """Free what is held of unfinished episodes."""
        self._prefixes.clear()

    def generate(self, prompts: Sequence[Prompt], sampling: Sampling, seeds: Sequence[int]) -> list[Completion]:
        """See :meth:`agents.engines.base.Engine.generate`."""
        check_request(prompts, sampling, seeds, self.vision.image_token_id, self.max_length)
        weights = tuple(parameter._version for parameter in self.model.parameters() if parameter.requires_grad)  # torch counts changes in place
        held = self._prefixes.take(prompts, weights)
        unread = [len(prompt.ids) - (own.length if own else 0) for prompt, own in zip(prompts, held, strict=True)]
        order = sorted(range(len(prompts)), key=lambda i: unread[i])
        out: dict[int, Completion] = {}
        training = self.model.training
        self.model.eval()
        try:
            while len(out) < len(order):
                part, problem = order[len(out) : len(out) + self.batch_size], ""
                try:
                    with memory_errors():
                        completions = self._batch([prompts[i] for i in part], [held[i] for i in part], sampling, [seeds[i] for i in part])
                        out.update(zip(part, completions, strict=True))
                except torch.OutOfMemoryError as error:
                    problem = str(error).splitlines()[0]
                if problem:  # outside of the except block, whose error refers to much
                    held = [None] * len(prompts)
                    self._prefixes.clear()
                    self.batch_size = smaller_batch(len(part), problem)
        finally:
            self.model.train(training)
        return [out[i] for i in range(len(prompts))]

    @torch.no_grad()
    def _batch(self, prompts: list[Prompt], held: list[Held | None], sampling: Sampling, seeds: list[int]) -> list[Completion]:
        device = self.model.device
        distinct = {_content(prompt): (prompt, own) for prompt, own in zip(prompts, held, strict=True)}
        where = {content: i for i, content in enumerate(distinct)}
        inputs = self._read([*distinct.values()], torch.tensor([where[_content(prompt)] for prompt in prompts], device=device))
        uniform = np.stack([np.random.default_rng(seed).random(sampling.max_new_tokens) for seed in seeds])
        sampler = _Sampler(sampling, torch.from_numpy(uniform).to(device))
        base = base_model(self.model)
        settings = GenerationConfig(
            max_new_tokens=sampling.max_new_tokens,
            do_sample=False,
            eos_token_id=list(self.vision.tokens.stop),
            pad_token_id=self.vision.tokens.pad,
        )
        # a model's own generation config may hold penalties or top-k, which would make it another distribution
        own, base.generation_config = base.generation_config, settings
        try:
            self.model.generate(**inputs, logits_processor=LogitsProcessorList([sampler]))
        finally:
            base.generation_config = own
        ids, logprobs = torch.stack(sampler.ids, 1).tolist(), torch.stack(sampler.logprobs, 1).tolist()
        completions = [self._completion(*pair, limit=sampling.max_new_tokens) for pair in zip(ids, logprobs, strict=True)]
        self._hold(prompts, completions, inputs)
        return completions

    def _hold(self, prompts: list[Prompt], completions: list[Completion], inputs: dict[str, Any]) -> None:
        """Keep what was read of each prompt and its completion (whose last id nothing has read) for the next turn."""
        cache, mask = inputs[self._cache_name], inputs["attention_mask"]
        width = mask.shape[1]
        read = cache.get_seq_length() - width
        rows = []
        for prompt, said, own in zip(prompts, completions, mask, strict=True):
            after = said.ids[:read]
            columns = torch.cat([own.nonzero()[:, 0], torch.arange(width, width + len(after), device=own.device)])
            rows.append((prompt, after, columns))
        self._prefixes.put(cache, rows)

    def _read(self, distinct: list[tuple[Prompt, Held | None]], index: Tensor) -> dict[str, Any]:
        """Inputs of the prompts ``index`` points to, with a cache of all but their last ids that read each distinct prompt once.

        The members of a group begin with the same prompt, and reading its image is most of the work. What is held of a prompt is not read at all:
        a row is its held ids, padded on the left, then its new ones, padded on the left as well.
        """
        base, device = base_model(self.model), self.model.device
        known = [held.length if held else 0 for _, held in distinct]
        start, new = max(known), max(len(prompt.ids) - n for (prompt, _), n in zip(distinct, known, strict=True))
        ids = torch.full((len(distinct), start + new), self.vision.tokens.pad)
        mask = torch.zeros_like(ids)
        fresh: list[Frame] = []
        for row, ((prompt, _), n) in enumerate(zip(distinct, known, strict=True)):
            for where, part in ((slice(start - n, start), prompt.ids[:n]), (slice(start + new - len(prompt.ids) + n, None), prompt.ids[n:])):
                ids[row, where], mask[row, where] = torch.tensor(part, dtype=torch.int64), 1
            fresh += prompt.images[self._images(prompt, n) :]
        layout = self.vision.layout([prompt.images for prompt, _ in distinct], ids)
        inputs = {name: value.to(device) for name, value in {"input_ids": ids, "attention_mask": mask, **layout}.items()}
        of_ids = {"input_ids", "mm_token_type_ids", "token_type_ids"} & inputs.keys()
        cache = joined([held for _, held in distinct], base.config.get_text_config())
        rotary: list[Any] = [module for module in base.modules() if hasattr(module, "rope_deltas")]
        positions, deltas = (inputs["attention_mask"].cumsum(-1) - 1).clamp(min=0), torch.zeros(())
        for module in rotary:  # these count images in their positions
            positions, deltas = module.get_rope_index(**inputs)
        if new > 1:
            reading: dict[str, Any] = {name: inputs[name][:, start:-1] for name in of_ids} | {"attention_mask": inputs["attention_mask"][:, :-1]}
            reading |= {"position_ids": positions[..., start:-1], self._cache_name: cache}
            with self.vision.features.given(self.model, fresh) as pixels:
                self.model(**reading, **pixels, use_cache=True, logits_to_keep=1)
        cache.batch_select_indices(index)
        for module in rotary:
            module.rope_deltas = deltas[index]
        return {name: inputs[name][index] for name in (*of_ids, "attention_mask")} | {self._cache_name: cache}

    def _images(self, prompt: Prompt, length: int) -> int:
        """How many images the first ``length`` ids of ``prompt`` show: none is cut in two."""
        tokens, count = prompt.ids[:length].count(self.vision.image_token_id), 0
        while tokens > 0:
            tokens -= self.vision.image_tokens(prompt.images[count])
            count += 1
        return count

    def _completion(self, ids: list[int], logprobs: list[float], limit: int) -> Completion:
        stops = [i for i, token in enumerate(ids) if token in self.vision.tokens.stop]
        length = stops[0] + 1 if stops else limit
        return Completion(tuple(ids[:length]), tuple(logprobs[:length]), "stop" if stops else "length", self.policy_version)


class _Sampler(LogitsProcessor):
    """Draws the next ids itself, notes their log-probs, and leaves the generation loop no other choice."""

    def __init__(self, sampling: Sampling, uniform: Tensor):
        self.sampling, self.uniform = sampling, uniform
        self.ids: list[Tensor] = []
        self.logprobs: list[Tensor] = []

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        logprobs = sampling_logprobs(scores, self.sampling)
        if logprobs.isnan().any():
            raise FloatingPointError("the model gives no probabilities but NaN: its weights, or the adapter's, are damaged")
        # a loop that finds out late that all are finished asks once more than there are numbers: that draw is dropped
        step = min(len(self.ids), self.uniform.shape[1] - 1)
        ids = logprobs.argmax(-1) if self.sampling.temperature == 0 else _draw(logprobs, self.uniform[:, step])
        self.ids.append(ids)
        self.logprobs.append(logprobs.gather(1, ids[:, None])[:, 0])
        return torch.full_like(scores, -torch.inf).scatter_(1, ids[:, None], 0.0)


def _content(prompt: Prompt) -> tuple[Any, ...]:
    return prompt.ids, tuple(frame.hash for frame in prompt.images)


def _draw(logprobs: Tensor, uniform: Tensor) -> Tensor:
    """The ids at which the cumulative probability first exceeds ``uniform``: one number in [0, 1) draws one id of a row."""
    cumulative = logprobs.double().exp().cumsum(-1)
    total = cumulative[:, -1:]
    wanted = torch.minimum(uniform[:, None] * total, torch.nextafter(total, torch.zeros_like(total)))
    return torch.searchsorted(cumulative, wanted, right=True)[:, 0]
