"""How much of a task is done, as the env tells it at the end."""

import gymnasium as gym
import numpy as np
import pytest

from gui_gym.actions import Action
from gui_gym.spaces import to_element


def make(task: str, **kwargs: object) -> gym.Env:
    return gym.make("GuiDesktop-v0", disable_env_checker=True, task=task, width=640, height=400, progress=True, max_steps=60, **kwargs)


def end_after(env: gym.Env, steps: int, last: Action, seed: int = 0) -> dict:
    env.reset(seed=seed)
    plan = env.unwrapped.solution()
    for action in plan[: min(steps, len(plan) - 1)]:
        info = env.step(action)[-1]
        assert info["progress"] == -1.0
    return env.step(to_element(last))[-1]


@pytest.mark.parametrize("task", ["fill-form", "check-boxes", "login-user"])
def test_it_grows_with_what_is_done_and_is_1_only_where_all_is(task: str) -> None:
    env = make(task)
    env.reset(seed=0)
    length = len(env.unwrapped.solution())
    values = [end_after(env, steps, Action.fail())["progress"] for steps in range(length)]
    assert values[0] == 0.0 and values == sorted(values) and 0.5 < values[-1] < 1.0
    solved = end_after(env, length, Action.done())
    assert solved["score"] == solved["progress"] == 1.0


def test_a_form_handed_in_with_a_wrong_value_is_partly_done() -> None:
    env = make("fill-form")
    env.reset(seed=0)
    for action in env.unwrapped.solution():
        if int(action["type"]) == int(to_element(Action.type_text("x"))["type"]):
            action = to_element(Action.type_text("wrong"))
        info = env.step(action)[-1]
    assert info["score"] == 0.0 and 0.2 < info["progress"] < 0.9


def test_infeasible_and_unasked() -> None:
    env = make("check-boxes", infeasible_rate=1.0)
    assert end_after(env, 0, Action.done())["progress"] == 0.0
    assert end_after(env, 0, Action.fail())["progress"] == 1.0
    plain = gym.make("GuiDesktop-v0", disable_env_checker=True, task="check-boxes")
    assert "progress" not in plain.reset(seed=0)[1]


def test_a_vector_env_tells_it_of_each() -> None:
    envs = gym.make_vec("GuiDesktop-v0", num_envs=2, vectorization_mode="sync", task="fill-form", width=640, height=400, progress=True, max_steps=1)
    envs.reset(seed=0)
    infos = envs.step(envs.action_space.sample())[-1]
    assert infos["progress"].dtype.kind == "f" and np.all(infos["progress"] >= 0.0)
    envs.close()
