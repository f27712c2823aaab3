"""A family of generated tasks: one small class that draws, builds, checks and solves them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.tasks.sim.brief import Brief, pick, sample
from gui_gym.tasks.sim.solver import Solver
from gui_gym.verifiers.score import Outcome

__all__ = ["Family", "Params", "pick", "sample"]

Params = Mapping[str, Any]


class Family(ABC):
    """One kind of task. An instance is what :meth:`draw` makes of a brief: the same on every screen; :meth:`build` lays it out.

    Attributes:
        id: what tasks are called before the ``#``.
        skills: what it takes.
        max_steps: step limit of its tasks.
        min_size: least screen ``(width, height)`` in pixels.
        has_infeasible: whether :meth:`draw` can make instances that cannot be done.
        touches: patterns of the changes that doing any of its tasks makes, as of :func:`~gui_gym.tasks.sim.changes.changes`.
        localised: whether its labels are in the brief's language; else everything on its screen is English.
    """

    id: ClassVar[str]
    skills: ClassVar[tuple[str, ...]]
    max_steps: ClassVar[int] = 20
    min_size: ClassVar[tuple[int, int]] = (300, 190)
    has_infeasible: ClassVar[bool] = False
    touches: ClassVar[tuple[str, ...]] = ()
    localised: ClassVar[bool] = True

    @abstractmethod
    def draw(self, brief: Brief) -> dict[str, Any]:
        """The parameters of an instance, as JSON data, with its ``"instruction"`` in English, which quotes labels as the screen shows them."""

    @abstractmethod
    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        """Open the instance's windows on a fresh session, whose settings (language, theme, text size) are set; ``rng`` draws the layout."""

    @abstractmethod
    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        """Whether ``state`` is what a feasible instance asked for, given the state it started from. Changes neither.

        That nothing else changed is checked apart, for all families alike: see :meth:`may_change`.
        """

    def may_change(self, params: Params, start: State) -> Sequence[str]:
        """Patterns of the changes that doing this task makes: :attr:`touches`, unless it depends on the task. Any other is a side effect."""
        return self.touches

    @abstractmethod
    def solve(self, solver: Solver, params: Params) -> None:
        """Do it, through ``solver``, from the state it is in."""

    def spoil(self, solver: Solver, params: Params) -> bool:
        """Ruin an instance that is solved, by mouse and keyboard, without touching files or settings; False where nothing is left to ruin."""
        return False
