"""The embedded engine: samples from the learner's own model through ``transformers``' generation loop and KV cache."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers import DynamicCache, GenerationConfig, LogitsProcessor, LogitsProcessorList

from agents.engines.base import Completion, check_request
from agents.episodes import Sampling
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
    """

    apart = False

    def __init__(self, model: Any, vision: VisionInputs, *, batch_size: int = 64):
        self.model, self.vision, self.batch_size = model, vision, batch_size
        self.policy_version = 0
        self._cache_name = "cache" if "cache" in inspect.signature(base_model(model).forward).parameters else "past_key_values"
        self.max_length = max_length(model)

    def update_weights(self, policy_version: int, weights: Path | None = None) -> None:
        """The weights are the learner's own: their version is noted, and what a trained vision tower made of frames is forgotten."""
        self.policy_version = policy_version
        self.vision.features.forget(self.model)

    def close(self) -> None:
        """Nothing is held."""

    def generate(self, prompts: Sequence[Prompt], sampling: Sampling, seeds: Sequence[int]) -> list[Completion]:
        """See :meth:`agents.engines.base.Engine.generate`."""
        check_request(prompts, sampling, seeds, self.vision.image_token_id, self.max_length)
        order = sorted(range(len(prompts)), key=lambda i: len(prompts[i].ids))
        out: dict[int, Completion] = {}
        training = self.model.training
        self.model.eval()
        try:
            while len(out) < len(order):
                part, problem = order[len(out) : len(out) + self.batch_size], ""
                try:
                    with memory_errors():
                        out.update(zip(part, self._batch([prompts[i] for i in part], sampling, [seeds[i] for i in part]), strict=True))
                except torch.OutOfMemoryError as error:
                    problem = str(error).splitlines()[0]
                if problem:  # outside of the except block, whose error refers to much
                    self.batch_size = smaller_batch(len(part), problem)
        finally:
            self.model.train(training)
        return [out[i] for i in range(len(prompts))]

    @torch.no_grad()
    def _batch(self, prompts: list[Prompt], sampling: Sampling, seeds: list[int]) -> list[Completion]:
        device = self.model.device
        distinct: dict[tuple[Any, ...], Prompt] = {_content(prompt): prompt for prompt in prompts}
        shown = [prompt.images for prompt in distinct.values()]
        inputs = self.vision.batch([prompt.ids for prompt in distinct.values()], shown, side="left", device=device, pixels=False)
        where = {content: i for i, content in enumerate(distinct)}
        with self.vision.features.given(self.model, [frame for frames in shown for frame in frames]) as pixels:
            inputs = self._read(inputs | pixels, torch.tensor([where[_content(prompt)] for prompt in prompts], device=device))
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
        return [self._completion(*pair, limit=sampling.max_new_tokens) for pair in zip(ids, logprobs, strict=True)]

    def _read(self, inputs: dict[str, Tensor], index: Tensor) -> dict[str, Any]:
        """Inputs of the prompts ``index`` points to, with a cache of all but their last ids that read each distinct prompt once.

        The members of a group begin with the same prompt, and reading its image is most of the work.
        """
        base = base_model(self.model)
        cache = DynamicCache(config=base.config.get_text_config())
        of_ids = {"input_ids", "attention_mask", "mm_token_type_ids", "token_type_ids"} & inputs.keys()
        prefix = {name: value[:, :-1] if name in of_ids else value for name, value in inputs.items()}
        rotary: list[Any] = [module for module in base.modules() if hasattr(module, "rope_deltas")]
        if not rotary:  # those that have it count images in their positions themselves
            prefix["position_ids"] = (prefix["attention_mask"].cumsum(-1) - 1).clamp(min=0)
        self.model(**prefix, **{self._cache_name: cache}, use_cache=True, logits_to_keep=1)
        cache.batch_select_indices(index)
        for module in rotary:
            module.rope_deltas = module.rope_deltas[index]
        return {**{name: inputs[name][index] for name in of_ids}, self._cache_name: cache}

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
