"""What an instance of a family is drawn from: random numbers, how hard it shall be, whether it can be done, and its language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

import numpy as np

from gui_gym.desktops.sim.labels import label

T = TypeVar("T")


class Difficulty(StrEnum):
    """How hard an instance is: more distractors, a fuller layout, more sub-goals."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


@dataclass(frozen=True)
class Brief:
    """What an instance is drawn from.

    Args:
        rng: the instance's random numbers.
        difficulty: how hard it shall be.
        feasible: whether it can be done.
        language: code of the language its labels are in (:data:`gui_gym.desktops.sim.labels.LANGUAGES`).
    """

    rng: np.random.Generator
    difficulty: Difficulty = Difficulty.MEDIUM
    feasible: bool = True
    language: str = "en"

    def by_level(self, easy: T, medium: T, hard: T) -> T:
        """The one of three that goes with the difficulty."""
        return {Difficulty.EASY: easy, Difficulty.MEDIUM: medium, Difficulty.HARD: hard}[self.difficulty]

    def integer(self, low: int, high: int) -> int:
        """A number from ``low`` to ``high``, both included."""
        return int(self.rng.integers(low, high + 1))

    def pick(self, items: Sequence[T]) -> T:
        """One of ``items``."""
        return pick(self.rng, items)

    def sample(self, items: Sequence[T], n: int) -> list[T]:
        """``n`` different ones of ``items``, in random order."""
        return sample(self.rng, items, n)

    def chance(self, probability: float) -> bool:
        """True with that probability."""
        return bool(self.rng.random() < probability)

    def label(self, english: str) -> str:
        """A label in the instance's language."""
        return label(english, self.language)

    def labels(self, english: Sequence[str]) -> list[str]:
        """Labels in the instance's language."""
        return [label(text, self.language) for text in english]


def pick(rng: np.random.Generator, items: Sequence[T]) -> T:
    """One of ``items``."""
    return items[int(rng.integers(len(items)))]


def sample(rng: np.random.Generator, items: Sequence[T], n: int) -> list[T]:
    """``n`` different ones of ``items``, in random order."""
    return [items[int(i)] for i in rng.permutation(len(items))[:n]]
