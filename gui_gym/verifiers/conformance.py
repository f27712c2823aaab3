"""What every verifier must do, seen through the env, as a test class for pytest. Run it on a suite of your own::

class TestMySuite(VerifierConformance):
    @pytest.fixture(params=["task-1", "task-2"])
    def env(self, request):
        ...  # a GuiDesktop env made for that task; close it afterwards
"""

from __future__ import annotations

import gymnasium as gym

from gui_gym.actions import Action
from gui_gym.spaces import to_element
from gui_gym.tasks.task import TaskError


class VerifierConformance:
    """Subclass it, with a name that pytest collects, and give the fixture ``env``. Its tasks are feasible and have a scripted solution,
    unless :attr:`feasible` is False."""

    feasible = True
    seed = 5  #: of the episodes

    def _end(self, env: gym.Env, *actions: Action) -> dict:
        """The info of the end of an episode of these actions."""
        env.reset(seed=self.seed)
        for action in actions:
            _, reward, terminated, truncated, info = env.step(to_element(action))
        assert terminated or truncated
        assert reward == (info["score"] if info["scored"] else 0.0)
        return info

    def test_the_solution_scores_one(self, env: gym.Env) -> None:
        if not self.feasible:
            return
        env.reset(seed=self.seed)
        solution = env.unwrapped.solution()  # type: ignore[attr-defined]
        for i, action in enumerate(solution):
            _, reward, terminated, truncated, info = env.step(action)
            assert not info["action_error"]
            assert (terminated or truncated) == (i == len(solution) - 1)
        assert terminated and info["scored"] and info["score"] == reward == 1.0

    def test_doing_nothing_scores_zero(self, env: gym.Env) -> None:
        for action in (Action.done(), Action.answer(""), Action.answer("I have done it.")):
            info = self._end(env, action)
            assert info["scored"] and info["score"] == 0.0 and info["end"] == "done"

    def test_fail_is_right_where_nothing_else_is(self, env: gym.Env) -> None:
        info = self._end(env, Action.fail())
        assert info["scored"] and info["score"] == (0.0 if self.feasible else 1.0) and info["feasible"] is self.feasible

    def test_an_infeasible_task_has_no_solution(self, env: gym.Env) -> None:
        if self.feasible:
            return
        env.reset(seed=self.seed)
        try:
            solution = env.unwrapped.solution()  # type: ignore[attr-defined]
        except TaskError:
            return
        assert [int(action["type"]) for action in solution] == [int(Action.fail().type)]

    def test_a_desktop_that_failed_is_no_zero(self, env: gym.Env) -> None:
        env.reset(seed=self.seed)
        env.unwrapped.desktop.close()  # type: ignore[attr-defined]
        _, reward, terminated, truncated, info = env.step(to_element(Action.move(3, 3)))
        assert (reward, terminated, truncated) == (0.0, False, True)
        assert info["scored"] is False and info["unscored"].startswith("infrastructure") and info["end"] == "infrastructure"

    def test_verifying_a_desktop_that_failed_is_no_zero(self, env: gym.Env) -> None:
        if not self.feasible:
            return  # decided by the end alone
        env.reset(seed=self.seed)
        env.unwrapped.desktop.close()  # type: ignore[attr-defined]
        _, reward, terminated, truncated, info = env.step(to_element(Action.done()))
        assert reward == 0.0 and not info["scored"] and truncated and not terminated, "a dead desktop was given a score"
