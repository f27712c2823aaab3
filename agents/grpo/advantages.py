"""What an episode, or a turn of it, did better than those it is compared with."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal

Scale = Literal["group", "batch", "none"]

#: Rewards of a group that lie closer together than this are equal: dividing by their spread would only amplify rounding.
EQUAL = 1e-6


def relative(groups: Sequence[Sequence[float | None]], scale: Scale = "group") -> list[list[float]]:
    """Advantage of each member of each group: its reward less its group's mean, in standard deviations or as it is.

    Args:
        groups: for each group the rewards of its members; None where one is unscored or dropped.
        scale: what a difference is divided by. "group": the population standard deviation of the group's rewards (GRPO,
            arXiv:2402.03300, section 4.1.2). "batch": that of all rewards of all groups, so that a nearly unanimous group
            weighs no more than others (arXiv:2508.08221). "none": nothing (Dr. GRPO, arXiv:2503.20783, section 3.1).

    Returns:
        Floats in the shape of ``groups``. A None has advantage 0 and plays no part in any mean. All of a group are exactly 0
        where fewer than two have a reward, or all rewards are equal: such a group teaches nothing.
    """
    if scale not in ("group", "batch", "none"):
        raise ValueError(f"scale is {scale!r}: expected 'group', 'batch' or 'none'")
    whole = _known(reward for group in groups for reward in group)
    divisor = {"batch": _deviation(whole), "none": 1.0}.get(scale)
    advantages = []
    for group in groups:
        known = _known(group)
        if len(known) < 2 or max(known) - min(known) <= EQUAL:
            advantages.append([0.0] * len(group))
            continue
        mean, by = math.fsum(known) / len(known), divisor or _deviation(known)
        advantages.append([0.0 if reward is None else (reward - mean) / by for reward in group])
    return advantages


def _known(rewards: Iterable[float | None]) -> list[float]:
    known = [reward for reward in rewards if reward is not None]
    bad = [reward for reward in known if not math.isfinite(reward)]
    if bad:
        raise ValueError(f"a reward is a finite number, or None where the episode is dropped; got {bad[0]}")
    return known


def _deviation(values: Sequence[float]) -> float:
    """Population standard deviation; 0.0 of nothing."""
    if not values:
        return 0.0
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
