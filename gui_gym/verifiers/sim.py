"""The verifier of the suite ``sim``: reads the simulated desktop's state and changes nothing."""

from __future__ import annotations

from gui_gym.desktops.base import Desktop
from gui_gym.desktops.sim.desktop import SimDesktop
from gui_gym.tasks.sim.suite import family_of
from gui_gym.tasks.task import Task, TaskError
from gui_gym.verifiers.score import Outcome, Score


def verify_sim(task: Task, desktop: Desktop, outcome: Outcome) -> Score:
    """1 if the state is what the task asked for, else 0. :class:`~gui_gym.tasks.TaskError` on any other kind of desktop."""
    if not isinstance(desktop, SimDesktop):
        raise TaskError(f"task {task.id!r} is verified by the state of the sim desktop; this one is {desktop.kind!r}")
    return Score.of(family_of(task).check(desktop.state, desktop.start, task.params["goal"], outcome))
