"""The verifier of the suite ``sim``: reads the simulated desktop's state and changes nothing."""

from __future__ import annotations

from gui_gym.desktops.base import Desktop
from gui_gym.desktops.sim.desktop import SimDesktop
from gui_gym.tasks.sim.changes import DAMAGING
from gui_gym.tasks.sim.suite import family_of, side_effects
from gui_gym.tasks.task import Task, TaskError
from gui_gym.verifiers.score import Outcome, Score


def verify_sim(task: Task, desktop: Desktop, outcome: Outcome) -> Score:
    """1 if the state is what the task asked for and nothing that lasts changed besides, else 0.

    :class:`~gui_gym.tasks.TaskError` on any other kind of desktop.
    """
    desktop = _sim(task, desktop)
    solved = family_of(task).check(desktop.state, desktop.start, task.params["goal"], outcome)
    return Score.of(solved and not any(change.startswith(DAMAGING) for change in side_effects(task, desktop)))


def sim_side_effects(task: Task, desktop: Desktop) -> tuple[str, ...]:
    """What changed that the task did not ask for; on an infeasible task, everything that did."""
    return side_effects(task, _sim(task, desktop))


def _sim(task: Task, desktop: Desktop) -> SimDesktop:
    if not isinstance(desktop, SimDesktop):
        raise TaskError(f"task {task.id!r} is verified by the state of the sim desktop; this one is {desktop.kind!r}")
    return desktop
