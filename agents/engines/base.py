"""The :class:`Engine` contract: token ids and images in, sampled ids and their log-probs out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from agents.episodes import Sampling
from agents.prompts import Prompt


@dataclass(frozen=True)
class Completion:
    """What was sampled after one prompt.

    Args:
        ids: the sampled ids, end token included if it was sampled.
        logprobs: the log-prob of each of them in the distribution it was drawn from.
        finish_reason: "stop" if it ends with an end token, "length" if it was cut.
    """

    ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    finish_reason: str


class Engine(Protocol):
    """Samples completions. ``policy_version`` is the number of learner updates its weights have seen, ``max_length`` how many ids
    a prompt and its completion may have together.
    """

    policy_version: int
    max_length: int

    def generate(self, prompts: Sequence[Prompt], sampling: Sampling, seeds: Sequence[int]) -> list[Completion]:
        """One completion for each prompt, drawn as ``sampling`` says.

        Args:
            prompts: of any lengths and numbers of images.
            sampling: logits / temperature, suppressed ids at -inf, softmax; nothing else is applied.
            seeds: one for each prompt. Equal prompt, weights and seed give an equal completion, whatever else is in the batch.

        Raises ValueError for settings under which an image token could be sampled, or a prompt that is too long.
        """
        ...

    def update_weights(self, policy_version: int, weights: Path | None = None) -> None:
        """Sample from the learner's weights as they are now; ``weights`` is the folder of a saved adapter, for engines apart from the learner."""
        ...
