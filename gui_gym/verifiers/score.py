"""The verdict on an episode, and what it is based on."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum


class EndReason(StrEnum):
    """Why an episode ended."""

    RUNNING = ""
    DONE = "done"
    FAIL = "fail"
    TRUNCATED = "truncated"
    INFRASTRUCTURE = "infrastructure"


@dataclass(frozen=True)
class Outcome:
    """How an episode ended: what a verifier may know besides the desktop."""

    end: EndReason
    answer: str | None = None


@dataclass(frozen=True)
class Score:
    """A number in [0, 1], or *unscored* with a reason. An unscored episode counts nowhere; it is never a 0.

    Make one with :meth:`of` or :meth:`missing`. ``side_effects`` names what changed that the task did not ask for; None where
    nobody can tell.
    """

    value: float | None
    reason: str = ""
    side_effects: tuple[str, ...] | None = field(default=None, compare=False)

    @classmethod
    def of(cls, value: float | bool) -> Score:
        """A score; ValueError unless it is a number in [0, 1]."""
        number = float(value)
        if not (math.isfinite(number) and 0.0 <= number <= 1.0):
            raise ValueError(f"a score is a number in [0, 1], got {value!r}")
        return cls(number)

    @classmethod
    def missing(cls, reason: str) -> Score:
        """No score, because of ``reason``."""
        if not reason:
            raise ValueError("an unscored episode needs a reason")
        return cls(None, reason)

    @property
    def scored(self) -> bool:
        return self.value is not None
