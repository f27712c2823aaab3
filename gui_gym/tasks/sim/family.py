"""A family of generated tasks: one small class that draws, builds, checks and solves them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np

from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.tasks.sim.solver import Solver
from gui_gym.verifiers.score import Outcome

T = TypeVar("T")
Params = Mapping[str, Any]


class Family(ABC):
    """One kind of task. An instance is what :meth:`draw` makes of a generator: the same on every screen; :meth:`build` lays it out.

    Attributes:
        id: what tasks are called before the ``#``.
        skills: what it takes.
        max_steps: step limit of its tasks.
        min_size: least screen ``(width, height)`` in pixels.
        has_infeasible: whether :meth:`draw` can make instances that cannot be done.
    """

    id: ClassVar[str]
    skills: ClassVar[tuple[str, ...]]
    max_steps: ClassVar[int] = 20
    min_size: ClassVar[tuple[int, int]] = (300, 190)
    has_infeasible: ClassVar[bool] = False

    @abstractmethod
    def draw(self, rng: np.random.Generator, feasible: bool) -> dict[str, Any]:
        """The parameters of an instance, as JSON data, with its ``"instruction"``."""

    @abstractmethod
    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        """Open the instance's windows on a fresh session; ``rng`` draws the layout."""

    @abstractmethod
    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        """Whether ``state`` is what a feasible instance asked for, given the state it started from. Changes neither."""

    @abstractmethod
    def solve(self, solver: Solver, params: Params) -> None:
        """Do it, through ``solver``, from the state it is in."""


def pick(rng: np.random.Generator, items: Sequence[T]) -> T:
    """One of ``items``."""
    return items[int(rng.integers(len(items)))]


def sample(rng: np.random.Generator, items: Sequence[T], n: int) -> list[T]:
    """``n`` different ones of ``items``, in random order."""
    return [items[int(i)] for i in rng.permutation(len(items))[:n]]
