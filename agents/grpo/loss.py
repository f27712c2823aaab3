"""The objectives, as pure functions of the trained tokens: GRPO, Dr. GRPO, DAPO, GSPO and CISPO are settings of one loss.

Everything here is one-dimensional: one entry for each *trained* token of the batch, so padding and prompt cannot play
any part in it. The loss is a plain weighted sum over tokens, so it can be added up micro-batch by micro-batch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

Aggregation = Literal["episode-mean", "token-mean", "constant"]
Ratio = Literal["token", "sequence"]
Surrogate = Literal["clip", "cispo"]


@dataclass(frozen=True)
class LossConfig:
    """The objective; :mod:`agents.grpo.presets` has the settings of published algorithms.

    Args:
        ratio: what the importance ratio is taken of. "token": each token (GRPO). "sequence": each answer, as the geometric mean of the ratios of its
            tokens (GSPO, arXiv:2507.18071, eq. 7); it stays far closer to 1, so clip ranges must be smaller.
        surrogate: what the clip cuts. "clip": the gradient of tokens that have moved far enough (PPO, GRPO). "cispo": the importance weight only, so
            that every token keeps its gradient (CISPO, arXiv:2506.13585, eq. 4).
        clip_low: the importance ratio is clipped below at 1 - clip_low (no unit); 1 is no bound, as CISPO has it.
        clip_high: the importance ratio is clipped above at 1 + clip_high; larger than clip_low keeps rare tokens alive (DAPO's "clip-higher").
        kl: weight of the KL divergence from the policy as it was when RL began; 0 computes no reference.
        kl_unbiased: multiply each token's KL by its importance ratio, gradient and all, so that its gradient is that of the KL divergence in the
            mean also off policy (DeepSeek-V3.2, arXiv:2512.02556, section 3.1); False is GRPO's own.
        aggregation: how tokens are averaged. "episode-mean": each episode counts once, whatever its length (GRPO). "token-mean": each token counts
            once (DAPO). "constant": tokens are summed and divided by episodes x constant_length (Dr. GRPO).
        constant_length: tokens of an episode that "constant" divides by.
        tis_cap: truncated importance sampling for an engine that does not compute quite the learner's policy: ratios are taken to the learner's own
            log-probs before the update, and each token is weighted by learner / engine probability, at most this (2 is usual). None is off: ratios
            are taken to the engine's log-probs.
    """

    ratio: Ratio = "token"
    surrogate: Surrogate = "clip"
    clip_low: float = 0.2
    clip_high: float = 0.28
    kl: float = 0.0
    kl_unbiased: bool = False
    aggregation: Aggregation = "episode-mean"
    constant_length: int = 64
    tis_cap: float | None = None

    def __post_init__(self) -> None:
        if self.ratio not in ("token", "sequence"):
            raise ValueError(f"ratio is {self.ratio!r}: expected token or sequence")
        if self.surrogate not in ("clip", "cispo"):
            raise ValueError(f"surrogate is {self.surrogate!r}: expected clip or cispo")
        if not (0 < self.clip_low <= 1 and 0 < self.clip_high < math.inf):
            raise ValueError(f"clip_low {self.clip_low}, clip_high {self.clip_high}: expected 0 < clip_low <= 1 and clip_high > 0")
        if not 0 <= self.kl < math.inf:
            raise ValueError(f"kl is {self.kl}: expected 0 or more")
        if self.aggregation not in ("episode-mean", "token-mean", "constant"):
            raise ValueError(f"aggregation is {self.aggregation!r}: expected episode-mean, token-mean or constant")
        if self.constant_length < 1:
            raise ValueError(f"constant_length is {self.constant_length}: expected at least 1 token")
        if self.tis_cap is not None and not 1 <= self.tis_cap < math.inf:
            raise ValueError(f"tis_cap is {self.tis_cap}: expected at least 1, or None for off")


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


def turn_sums(values: Tensor, turn: Tensor) -> Tensor:
    """``(turns,)``: sums of ``values`` ``(tokens,)`` over each turn, numbered by ``turn`` ``(tokens,)`` int64 from 0 without a gap."""
    turns = int(turn.max()) + 1 if len(turn) else 0
    return torch.zeros(turns, dtype=values.dtype, device=values.device).index_add(0, turn, values)


def turn_means(values: Tensor, turn: Tensor) -> Tensor:
    """``(tokens,)``: each token's value replaced by the mean of its turn; of log-ratios it is the log of GSPO's ratio (eq. 7)."""
    return (turn_sums(values, turn) / turn_sums(torch.ones_like(values), turn))[turn]


def clip_surrogate(ratio: Tensor, advantages: Tensor, config: LossConfig) -> Tensor:
    """Minus the clipped surrogate (PPO, arXiv:1707.06347, eq. 7; with two ranges DAPO's, arXiv:2503.14476, eq. 8), ``(tokens,)``."""
    clipped = ratio.clamp(1 - config.clip_low, 1 + config.clip_high)
    return -torch.minimum(ratio * advantages, clipped * advantages)


def cispo_surrogate(ratio: Tensor, logprobs: Tensor, advantages: Tensor, config: LossConfig) -> Tensor:
    """Minus REINFORCE weighted by the clipped ratio, through which no gradient flows (CISPO, arXiv:2506.13585, eq. 4 and 5), ``(tokens,)``."""
    return -ratio.detach().clamp(1 - config.clip_low, 1 + config.clip_high) * advantages * logprobs


def kl_k3(logprobs: Tensor, reference: Tensor) -> Tensor:
    """KL(policy || reference), ``(tokens,)``: r - log r - 1 with r = reference / policy, >= 0 and unbiased for tokens of the policy.

    The estimator "k3" of http://joschu.net/blog/kl-approx.html, which GRPO takes (arXiv:2402.03300, eq. 4).
    """
    difference = reference - logprobs
    return difference.exp() - difference - 1


def tis_weights(old: Tensor, behaviour: Tensor, cap: float) -> Tensor:
    """min(learner / engine, cap) of each token, ``(tokens,)``: truncated importance sampling.

    Ionides 2008, doi:10.1198/106186008X320456; between engine and learner: https://fengyao.notion.site/off-policy-rl.
    """
    return (old - behaviour).exp().clamp(max=cap)


def grpo_loss(
    logprobs: Tensor,
    behaviour: Tensor,
    advantages: Tensor,
    weights: Tensor,
    config: LossConfig,
    turn: Tensor,
    reference: Tensor | None = None,
    old: Tensor | None = None,
) -> tuple[Tensor, dict[str, Tensor]]:
    """The loss that ``config`` describes, summed over the tokens given.

    Args:
        logprobs: ``(tokens,)`` of the policy being trained, with gradient.
        behaviour: ``(tokens,)`` of the policy that sampled them, as the engine gave them.
        advantages: ``(tokens,)``, that of each token's turn.
        weights: ``(tokens,)`` from :func:`token_weights`.
        config: the objective.
        turn: ``(tokens,)`` int64, the number of the turn each token is of, from 0 without a gap. A turn is the "sequence" of
            ``config.ratio``, and is never split over two calls.
        reference: ``(tokens,)`` of the reference policy, needed where ``config.kl`` > 0.
        old: ``(tokens,)`` of the learner before the update's first step, needed with ``config.tis_cap``.

    Returns:
        The loss (a scalar), and tensors without gradient, ``(tokens,)`` where not said otherwise: ``ratio`` (as clipped: of the
        token or of its turn), ``clipped_low`` and ``clipped_high`` (where the clip cut the gradient, or with "cispo" the weight;
        1.0 or 0.0), ``sequence_ratio`` ``(turns,)`` (the ratio of a whole turn, the product over its tokens), with a reference
        ``kl``, and with ``tis_cap`` ``tis_weight``, ``tis_truncated`` (1.0 where the cap cut it) and ``tis_sequence`` ``(turns,)``
        (learner / engine probability of a whole turn).
    """
    if config.tis_cap is not None and old is None:
        raise ValueError("tis_cap needs the learner's log-probs from before the update")
    log_ratio = logprobs - (behaviour if config.tis_cap is None else old)  # type: ignore[operator]
    ratio = (log_ratio if config.ratio == "token" else turn_means(log_ratio, turn)).exp()
    below, above = ratio < 1 - config.clip_low, ratio > 1 + config.clip_high
    if config.surrogate == "clip":
        per_token = clip_surrogate(ratio, advantages, config)
        below, above = below & (advantages < 0), above & (advantages > 0)
    else:
        per_token = cispo_surrogate(ratio, logprobs, advantages, config)
    metrics = {"ratio": ratio, "clipped_low": below, "clipped_high": above, "sequence_ratio": turn_sums(log_ratio, turn).exp()}
    if config.tis_cap is not None:
        assert old is not None
        weight = tis_weights(old, behaviour, config.tis_cap)
        per_token = per_token * weight
        metrics["tis_weight"] = weight
        metrics["tis_truncated"] = (old - behaviour).exp() > config.tis_cap
        metrics["tis_sequence"] = turn_sums(old - behaviour, turn).exp()
    if config.kl > 0:
        if reference is None:
            raise ValueError("kl > 0 needs the reference policy's log-probs")
        metrics["kl"] = kl_k3(logprobs, reference)
        per_token = per_token + config.kl * metrics["kl"] * (log_ratio.exp() if config.kl_unbiased else 1.0)
    return (per_token * weights).sum(), {name: value.detach().to(logprobs.dtype) for name, value in metrics.items()}
