"""``GuiDesktop-v0`` on real desktops."""

from __future__ import annotations

import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import gui_gym  # noqa: F401
from gui_gym import Action, Score, Suite, Task, register_suite, register_verifier
from gui_gym.spaces import to_element
from gui_gym.tasks import SUITES
from gui_gym.verifiers import VERIFIERS

pytestmark = pytest.mark.usefixtures("require_x11")


def verify_file(task, desktop, outcome):
    return Score.of(desktop.read_file("/home/user/answer.txt") == b"42")


class FileSuite(Suite):
    """One task: answer.txt must hold 42."""

    name, desktop = "x11-file", "x11"

    def ids(self):
        return ["answer"]

    def get(self, task_id):
        return Task("answer", self.name, "Write 42 into answer.txt in your home folder.", verifier={"type": "x11-file"}, max_steps=5)

    def draw(self, rng, task_id=None, split="train", infeasible_rate=0.0, difficulty=None):
        return self.get(task_id or "answer")


if FileSuite.name not in SUITES:
    register_suite(FileSuite.name, FileSuite)
    register_verifier(FileSuite.name, verify_file)
assert FileSuite.name in VERIFIERS


@pytest.fixture
def env():
    env = gym.make("GuiDesktop-v0", suite=FileSuite.name, width=320, height=240)
    yield env
    env.close()


def test_an_episode_is_scored_by_what_is_on_the_desktop(env):
    frame, info = env.reset(seed=0)
    assert frame.shape == (240, 320, 3) and info["task_id"] == "answer" and info["time_reset"] > 0
    env.unwrapped.desktop.write_file("answer.txt", b"42")
    _, _, _, _, info = env.step(to_element(Action.move(10, 20)))
    assert info["cursor"].tolist() == [10, 20] and {"time_settle", "time_ping", "time_settle_limit", "time_screenshot"} <= set(info)
    _, reward, terminated, truncated, info = env.step(to_element(Action.done()))
    assert (reward, terminated, truncated, info["scored"]) == (1.0, True, False, True)
    env.reset()
    _, reward, terminated, _, info = env.step(to_element(Action.done()))
    assert (reward, terminated, info["scored"]) == (0.0, True, True), "the file of the last episode is gone"


def test_what_cannot_be_typed_costs_a_step_and_changes_nothing(env):
    env.reset(seed=0)
    _, _, terminated, truncated, info = env.step(to_element(Action.type_text("a\0b")))
    assert "U+0000" in info["action_error"] and not terminated and not truncated and info["step"] == 1


def test_a_desktop_that_dies_ends_the_episode_unscored_and_the_next_reset_mends_it(env):
    env.reset(seed=0)
    env.unwrapped.desktop.run(["pkill", "-9", "Xvfb"])
    for _ in range(3):
        frame, reward, terminated, truncated, info = env.step(to_element(Action.move(1, 1)))
        if truncated:
            break
    assert (reward, terminated, truncated, info["scored"], info["end"]) == (0.0, False, True, False, "infrastructure")
    assert "infrastructure" in info["unscored"] and not frame.any()
    frame, info = env.reset()
    assert frame.any() and info["end"] == ""


def test_it_passes_gymnasiums_checker(monkeypatch):
    from gui_gym.desktops.x11.display import Display

    monkeypatch.setattr(Display, "rest", lambda self, seconds: None)  # a random WAIT can last a minute
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gym.make("GuiDesktop-v0", suite=FileSuite.name, width=320, height=240, disable_env_checker=True)
        try:
            env.unwrapped.spec.nondeterministic = True
            check_env(env.unwrapped, skip_render_check=True)
        finally:
            env.close()


def test_many_desktops_side_by_side():
    envs = gym.make_vec("GuiDesktop-v0", num_envs=3, suite=FileSuite.name, width=200, height=100)
    try:
        frames, infos = envs.reset(seed=0)
        assert frames.shape == (3, 100, 200, 3) and len(np.unique(infos["time_reset"])) == 3
        actions = [to_element(Action.move(10 * i, 5)) for i in range(3)]
        batch = {key: np.stack([a[key] for a in actions]) if key != "text" else tuple(a[key] for a in actions) for key in actions[0]}
        _, _, _, _, infos = envs.step(batch)
        assert infos["cursor"].tolist() == [[0, 5], [10, 5], [20, 5]]
    finally:
        envs.close()
