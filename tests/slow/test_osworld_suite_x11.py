"""Every shipped task of the osworld suite on a real desktop: its scripted solution scores 1, doing nothing scores 0."""

from __future__ import annotations

import pytest

from gui_gym.tasks import load_suite
from gui_gym.tasks.trial import try_task

pytest.importorskip("xcffib")
pytestmark = pytest.mark.usefixtures("require_x11")


@pytest.mark.parametrize("task", load_suite("osworld").ids())
def test_its_solution_solves_it_and_nothing_does_not(task: str) -> None:
    trial = try_task({"suite": "osworld", "width": 1920, "height": 1080}, task)
    if trial.skipped and all("is not on the desktop" in why for why in trial.skipped):
        pytest.skip(f"needs {'; '.join(trial.skipped)}")
    assert (trial.scripted, trial.no_op, trial.problems, trial.skipped) == (1.0, 0.0, [], [])
