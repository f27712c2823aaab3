"""Verifiers decide whether a task is done."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from gui_gym.desktops.base import Desktop, DesktopError, DesktopFileNotFoundError
from gui_gym.registry import Registry
from gui_gym.tasks.task import Task
from gui_gym.verifiers.score import EndReason, Outcome, Score

__all__ = ["VERIFIERS", "EndReason", "Outcome", "Score", "Verifier", "register_verifier", "verify"]

logger = logging.getLogger(__name__)


class Verifier(Protocol):
    """A function from a feasible task, its desktop and the way the episode ended to a :class:`Score`.

    It lets :class:`~gui_gym.desktops.DesktopError` pass: :func:`verify` makes an unscored episode of it, or a score of
    0 where a file that the agent should have made is not there.
    """

    def __call__(self, task: Task, desktop: Desktop, outcome: Outcome) -> Score: ...


#: Verifiers by the ``"type"`` of a task's verifier spec.
VERIFIERS: Registry[Verifier] = Registry(
    "verifier",
    {
        "sim": "gui_gym.verifiers.sim:verify_sim",
        "osworld": "gui_gym.verifiers.osworld:verify_osworld",
    },
)
register_verifier = VERIFIERS.register

#: For verifiers that can tell, by the same name: a function from a task and its desktop to the names of what changed besides what the
#: task asked for.
SIDE_EFFECTS: Registry[Callable[[Task, Desktop], tuple[str, ...]]] = Registry("side effects", {"sim": "gui_gym.verifiers.sim:sim_side_effects"})


def verify(task: Task, desktop: Desktop, outcome: Outcome) -> Score:
    """The score of an episode of ``task`` that ended as ``outcome`` says, with its side effects where they can be told.

    FAIL is right on an infeasible task and wrong on any other. A desktop that failed, a verifier that is missing or
    broken: unscored, never 0.
    """
    score, name = _score(task, desktop, outcome), task.verifier.get("type")
    if score.scored and isinstance(name, str) and name in SIDE_EFFECTS:
        return replace(score, side_effects=SIDE_EFFECTS.get(name)(task, desktop))
    return score


def _score(task: Task, desktop: Desktop, outcome: Outcome) -> Score:
    if outcome.end is EndReason.INFRASTRUCTURE:
        return Score.missing("infrastructure: the desktop failed during the episode")
    if not task.feasible:
        return Score.of(outcome.end is EndReason.FAIL)
    if outcome.end is EndReason.FAIL:
        return Score.of(0.0)
    name = task.verifier.get("type")
    if not isinstance(name, str) or name not in VERIFIERS:
        return Score.missing(f"verifier: task {task.id!r} names the verifier {name!r}; known: {', '.join(VERIFIERS.names())}")
    try:
        return VERIFIERS.get(name)(task, desktop, outcome)
    except DesktopFileNotFoundError:  # the agent should have made it
        return Score.of(0.0)
    except DesktopError as error:
        return Score.missing(f"infrastructure: {error}")
    except Exception as error:  # a bug in one metric must neither end a training run nor count as a failure of the agent
        logger.exception("verifier %s of task %s failed", name, task.id)
        return Score.missing(f"verifier: {type(error).__name__}: {error}")
