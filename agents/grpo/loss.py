"""The GRPO objective, as a pure function of the trained tokens.

Everything here is one-dimensional: one entry for each *trained* token of the batch, so padding and prompt cannot play
any part in it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

Aggregation = Literal["episode-mean", "token-mean", "constant"]


@dataclass(frozen=True)
class LossConfig:
    """The GRPO objective.

    Args:
        clip_low: the importance ratio is clipped below at 1 - clip_low (no unit).
        clip_high: the importance ratio is clipped above at 1 + clip_high; larger than clip_low keeps rare tokens alive (DAPO's "clip-higher").
        kl: weight of the KL divergence from the policy as it was when RL began; 0 computes no reference.
        aggregation: how tokens are averaged. "episode-mean": each episode counts once, whatever its length (GRPO). "token-mean": each token counts
            once (DAPO). "constant": tokens are summed and divided by episodes x constant_length (Dr. GRPO).
        constant_length: tokens of an episode that "constant" divides by.
    """

    clip_low: float = 0.2
    clip_high: float = 0.28
    kl: float = 0.0
    aggregation: Aggregation = "episode-mean"
    constant_length: int = 64

    def __post_init__(self) -> None:
        if not (0 < self.clip_low < 1 and 0 < self.clip_high):
            raise ValueError(f"clip_low {self.clip_low}, clip_high {self.clip_high}: expected 0 < clip_low < 1 and clip_high > 0")
        if not 0 <= self.kl < math.inf:
            raise ValueError(f"kl is {self.kl}: expected 0 or more")
        if self.aggregation not in ("episode-mean", "token-mean", "constant"):
            raise ValueError(f"aggregation is {self.aggregation!r}: expected episode-mean, token-mean or constant")
        if self.constant_length < 1:
            raise ValueError(f"constant_length is {self.constant_length}: expected at least 1 token")


def token_weights(lengths: list[int], weights: list[float], config: LossConfig) -> list[float]:
    """Weight in the loss of one token of each row, so that the loss is a plain weighted sum over all tokens of an update.

    Args:
        lengths: number of trained tokens of each row of the *whole* update, not of one micro-batch.
        weights: each row's share of its episode; the rows of an episode sum to 1, so their total is the number of episodes.
        config: ``aggregation`` says how. "episode-mean" is GRPO's (arXiv:2402.03300, eq. 3), "token-mean" DAPO's
            (arXiv:2503.14476, eq. 8), "constant" Dr. GRPO's (arXiv:2503.20783, section 3.1).
    """
    if not lengths or min(lengths) < 1:
        raise ValueError(f"every row trains at least one token, got rows with {lengths} trained tokens")
    episodes = sum(weights)
    if config.aggregation == "episode-mean":
        return [weight / length / episodes for length, weight in zip(lengths, weights, strict=True)]
    if config.aggregation == "token-mean":
        return [1.0 / sum(lengths)] * len(lengths)
    return [1.0 / (episodes * config.constant_length)] * len(lengths)


def grpo_loss(
    logprobs: Tensor,
    behaviour: Tensor,
    advantages: Tensor,
    weights: Tensor,
    config: LossConfig,
    reference: Tensor | None = None,
) -> tuple[Tensor, dict[str, Tensor]]:
    """The clipped surrogate (PPO, arXiv:1707.06347, eq. 7, with DAPO's asymmetric clip) and the KL penalty.

    Args:
        logprobs: ``(tokens,)`` of the policy being trained, with gradient.
        behaviour: ``(tokens,)`` of the policy that sampled them, as the engine gave them.
        advantages: ``(tokens,)``, that of each token's episode.
        weights: ``(tokens,)`` from :func:`token_weights`.
        config: clip range and weight of the KL.
        reference: ``(tokens,)`` of the reference policy, needed where ``config.kl`` > 0.

    Returns:
        The loss (a scalar), and per-token tensors without gradient: ``ratio``, ``clipped_low``, ``clipped_high`` (bool: where the clip cut the
        gradient) and ``kl``, the estimate of KL(policy || reference) of http://joschu.net/blog/kl-approx.html, "k3", which is >= 0 and unbiased.
    """
    log_ratio = logprobs - behaviour
    ratio = log_ratio.exp()
    clipped = ratio.clamp(1 - config.clip_low, 1 + config.clip_high)
    per_token = -torch.minimum(ratio * advantages, clipped * advantages)
    metrics = {
        "ratio": ratio.detach(),
        "clipped_low": ((ratio < 1 - config.clip_low) & (advantages < 0)).detach(),
        "clipped_high": ((ratio > 1 + config.clip_high) & (advantages > 0)).detach(),
    }
    if config.kl > 0:
        if reference is None:
            raise ValueError("kl > 0 needs the reference policy's log-probs")
        difference = reference - logprobs
        kl = difference.exp() - difference - 1
        per_token = per_token + config.kl * kl
        metrics["kl"] = kl.detach()
    return (per_token * weights).sum(), metrics
