"""The :class:`Engine` contract: token ids and images in, sampled ids and their log-probs out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from agents.context import HINT, overflow
from agents.episodes import Sampling
from agents.prompts import Prompt


class EngineError(RuntimeError):
    """An engine that cannot be used or trusted: it is gone, or what it answers is not what was asked. Never a score of any episode."""


@dataclass(frozen=True)
class Completion:
    """What was sampled after one prompt.

    Args:
        ids: the sampled ids, end token included if it was sampled.
        logprobs: the log-prob of each of them in the distribution it was drawn from.
        finish_reason: "stop" if it ends with an end token, "length" if it was cut, "failed" if there is none.
        policy_version: number of learner updates the weights that sampled it had seen.
        error: why there is none, or "". It concerns this prompt alone; its episode is unscored.
    """

    ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    finish_reason: str
    policy_version: int = 0
    error: str = ""


class Engine(Protocol):
    """Samples completions.

    ``policy_version`` is the number of learner updates the weights have seen that the next prompt is answered with, ``max_length`` how
    many ids a prompt and its completion may have together. ``apart`` is True for an engine with weights of its own, which
    :meth:`update_weights` must be given (:func:`agents.engines.publish.publish` does); it may be asked from several threads at once, and
    while weights are updated.
    """

    apart: bool
    policy_version: int
    max_length: int

    def generate(self, prompts: Sequence[Prompt], sampling: Sampling, seeds: Sequence[int]) -> list[Completion]:
        """One completion for each prompt, drawn as ``sampling`` says.

        Args:
            prompts: of any lengths and numbers of images.
            sampling: logits / temperature, suppressed ids at -inf, softmax; nothing else is applied.
            seeds: one for each prompt. Equal prompt, weights and seed give an equal completion, whatever else is in the batch.

        Raises ValueError for settings under which an image token could be sampled, or a prompt that is too long, :class:`EngineError`
        if nothing can be sampled or trusted.
        """
        ...

    def update_weights(self, policy_version: int, weights: Path | None = None) -> None:
        """Sample from the learner's weights as they are now.

        Args:
            policy_version: number of updates they have seen.
            weights: for engines apart from the learner, the folder they were saved to: a new one each time, which stays until the
                next update has returned.
        """
        ...

    def close(self) -> None:
        """Give back what the engine holds; what is being generated fails. It may be called again."""
        ...


def check_request(prompts: Sequence[Prompt], sampling: Sampling, seeds: Sequence[int], image_token: int, max_length: int) -> None:
    """ValueError for what no engine samples (see :meth:`Engine.generate`)."""
    if len(seeds) != len(prompts):
        raise ValueError(f"{len(prompts)} prompts but {len(seeds)} seeds: expected one for each")
    if image_token not in sampling.suppress:
        raise ValueError("image tokens could be sampled: expected sampling settings from VisionInputs.sampling(), which suppress them")
    if sampling.temperature < 0 or sampling.max_new_tokens < 1:
        raise ValueError(f"temperature {sampling.temperature}, max_new_tokens {sampling.max_new_tokens}: expected >= 0 and >= 1")
    for prompt in prompts:
        if why := overflow(prompt, sampling, max_length):
            raise ValueError(f"{why}: {HINT}")
