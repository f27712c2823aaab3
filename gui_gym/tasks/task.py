"""What is to be done: :class:`Task`, and :class:`Suite`, a named set of tasks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gui_gym.actions import Action
    from gui_gym.desktops.base import Desktop
    from gui_gym.verifiers.score import Score

#: Splits and the half-open range of instance seeds each draws from: they never overlap.
SPLITS: dict[str, tuple[int, int]] = {
    "train": (0, 1_000_000_000),
    "validation": (1_000_000_000, 1_100_000_000),
    "test": (1_100_000_000, 1_200_000_000),
}


class TaskError(ValueError):
    """A task that cannot be used: a malformed file, an unknown step, a missing file. Says where and what was expected."""


@dataclass(frozen=True)
class Task:
    """One task, as plain picklable data.

    Args:
        id: unique in its suite. Suites that generate instances write ``family#instance``, such as ``click-button#17``.
        suite: name of the suite.
        instruction: what the agent is told, in natural language.
        setup: steps that prepare the desktop, each ``{"type": ..., "parameters": {...}}``.
        verifier: spec of the verifier; its ``"type"`` names one of :data:`gui_gym.verifiers.VERIFIERS`.
        feasible: whether it can be done. On an infeasible task FAIL is right.
        max_steps: step limit unless the env is given one.
        params: whatever else the suite's desktop and verifier need (JSON).
    """

    id: str
    suite: str
    instruction: str
    setup: tuple[Mapping[str, Any], ...] = ()
    verifier: Mapping[str, Any] = field(default_factory=dict)
    feasible: bool = True
    max_steps: int = 30
    params: Mapping[str, Any] = field(default_factory=dict)


class Suite(ABC):
    """A named set of tasks. Register an implementation with :func:`gui_gym.tasks.register_suite`."""

    name: str
    #: Desktop kind its tasks run on unless the user chooses another.
    desktop: str
    #: Whether verifying leaves the desktop as it was, so that it may be done after every step (``auto_verify``).
    pure_verifier: bool = False
    #: Ways in which :meth:`damage` can ruin a task that is done.
    damages: tuple[str, ...] = ()
    #: Width and height in pixels of the screen its tasks will be seen on: a suite may leave out what does not fit. None is any.
    screen: tuple[int, int] | None = None

    #: Whether programs on the desktop its tasks will be done on reach the Internet: a suite may leave out what needs it.
    network: bool = False
    #: Whether a program is on the desktop its tasks will be done on; None takes any to be there.
    has_program: Callable[[str], bool] | None = None

    @abstractmethod
    def ids(self) -> list[str]:
        """Ids of its tasks; for suites that generate instances, of its families."""

    @abstractmethod
    def get(self, task_id: str) -> Task:
        """The task of that id; :class:`~gui_gym.registry.UnknownNameError` with near matches if there is none.

        A family's id without an instance stands for its first training instance.
        """

    @abstractmethod
    def draw(
        self,
        rng: np.random.Generator,
        task_id: str | None = None,
        split: str = "train",
        infeasible_rate: float = 0.0,
        difficulty: str | None = None,
    ) -> Task:
        """A task of ``split``: of the family or id ``task_id``, or of any.

        Infeasible ones are drawn with probability ``infeasible_rate``; an id that names one instance is that instance.
        ``difficulty`` is for suites whose tasks are graded, None their usual one; :class:`TaskError` in one whose are not.
        """

    def missing(self, task: Task) -> list[str]:
        """What this machine lacks for ``task``, one line each; empty if it can run."""
        return []

    def describe(self, task_id: str) -> dict[str, Any]:
        """What else there is to say of a task or family, as JSON data, for ``gui-gym tasks``."""
        return {}

    def solution(self, task: Task, desktop: Desktop) -> list[Action]:
        """Actions that solve ``task`` from the state ``desktop`` is in now, closing DONE or ANSWER included.

        ``desktop`` is left as it was. Raises :class:`TaskError` if the suite has no scripted solution for it.
        """
        raise TaskError(f"suite {self.name!r} has no scripted solution for task {task.id!r}")

    def progress(self, task: Task, desktop: Desktop, score: Score) -> float:
        """How much of ``task`` is done at its end, 0 to 1, and 1 only if all of it is: ``score``, where no more can be told."""
        return score.value or 0.0

    def damage(self, kind: str, task: Task, desktop: Desktop) -> bool:
        """Ruin ``task``, which is done on ``desktop``, in one of the ways of :attr:`damages`; False if there is nothing to ruin that way."""
        raise TaskError(f"suite {self.name!r} knows no damage of the kind {kind!r}: expected one of {', '.join(self.damages) or 'none'}")


def split_range(split: str) -> tuple[int, int]:
    """The half-open range of instance seeds of ``split``."""
    if split not in SPLITS:
        raise ValueError(f"unknown split {split!r}: expected one of {', '.join(SPLITS)}")
    return SPLITS[split]
