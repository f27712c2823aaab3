"""The verifier of the simulated desktop reads the state, and says so when it cannot."""

import numpy as np

from gui_gym.actions import Action
from gui_gym.desktops.base import Desktop
from gui_gym.desktops.sim import SimDesktop
from gui_gym.tasks.sim import FAMILIES, SimSuite
from gui_gym.verifiers import EndReason, Outcome, Score, verify


class OtherDesktop(Desktop):
    """A desktop of another kind."""

    kind, real, width, height, cursor = "other", False, 64, 64, (0, 0)

    def reset(self, task, seed): ...
    def screenshot(self, out=None):
        return np.zeros((64, 64, 3), np.uint8)

    def perform(self, action): ...
    def healthy(self):
        return True

    def close(self): ...


def test_verifying_changes_nothing() -> None:
    suite, desktop = SimSuite(), SimDesktop(640, 400)
    for family in FAMILIES.names():
        task = suite.get(f"{family}#9")
        desktop.reset(task, 0)
        for action in suite.solution(task, desktop)[:-1]:
            before = desktop.snapshot()
            first = verify(task, desktop, Outcome(EndReason.DONE))
            assert desktop.snapshot() == before and verify(task, desktop, Outcome(EndReason.DONE)) == first
            desktop.perform(action)


def test_another_kind_of_desktop_is_unscored_and_never_0() -> None:
    score = verify(SimSuite().get("click-button#1"), OtherDesktop(), Outcome(EndReason.DONE))
    assert not score.scored and "sim desktop" in score.reason


def test_fail_is_wrong_on_what_can_be_done_and_truncation_is_judged_by_the_state() -> None:
    suite, desktop = SimSuite(), SimDesktop(640, 400)
    task = suite.get("click-button#1")
    desktop.reset(task, 0)
    assert verify(task, desktop, Outcome(EndReason.FAIL)) == Score.of(0)
    assert verify(task, desktop, Outcome(EndReason.TRUNCATED)) == Score.of(0)
    for action in suite.solution(task, desktop)[:-1]:
        desktop.perform(action)
    assert verify(task, desktop, Outcome(EndReason.TRUNCATED)) == Score.of(1)


def test_the_cursor_alone_solves_nothing() -> None:
    suite, desktop = SimSuite(), SimDesktop(640, 400)
    task = suite.get("press-the-button#1")
    desktop.reset(task, 0)
    (click, _) = suite.solution(task, desktop)
    for action in (
        Action.move(*click.point),
        Action.click(*click.point, button=2),
        Action.scroll_by(*click.point, dy=3),
        Action.mouse_down(*click.point),
    ):
        desktop.perform(action)
        assert verify(task, desktop, Outcome(EndReason.DONE)) == Score.of(0)
    desktop.perform(Action.mouse_up(*click.point))
    assert verify(task, desktop, Outcome(EndReason.DONE)) == Score.of(1)
