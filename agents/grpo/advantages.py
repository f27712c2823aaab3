"""What each episode of a group did better than its siblings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

Scale = Literal["std", "none"]

#: Rewards of a group that lie closer together than this are equal: dividing by their spread would only amplify rounding.
EQUAL = 1e-6


def group_advantages(rewards: Sequence[float | None], scale: Scale = "std") -> list[float]:
    """Advantage of each episode of one group: its reward less the group's mean, in standard deviations or as it is.

    Args:
        rewards: one for each episode of the group; None where it is unscored or dropped.
        scale: "std" divides by the population standard deviation (GRPO, arXiv:2402.03300, section 4.1.2); "none" does
            not, so that a group weighs no more for being nearly unanimous (Dr. GRPO, arXiv:2503.20783).

    Returns:
        As many floats. A None has advantage 0 and plays no part in the mean. All are exactly 0 where fewer than two
        episodes have a reward, or all rewards are equal: such a group teaches nothing.
    """
    if scale not in ("std", "none"):
        raise ValueError(f"scale is {scale!r}: expected 'std' or 'none'")
    known = [r for r in rewards if r is not None]
    bad = [r for r in known if not math.isfinite(r)]
    if bad:
        raise ValueError(f"a reward is a finite number, or None where the episode is dropped; got {bad[0]}")
    if len(known) < 2 or max(known) - min(known) <= EQUAL:
        return [0.0] * len(rewards)
    mean = math.fsum(known) / len(known)
    divisor = math.sqrt(math.fsum((r - mean) ** 2 for r in known) / len(known)) if scale == "std" else 1.0
    return [0.0 if r is None else (r - mean) / divisor for r in rewards]
