"""An episode can be copied and gone on with, as often as wanted, by the env it came from or another one."""

from __future__ import annotations

import pickle
from typing import Any

import fake_desktop  # noqa: F401  registers a desktop that cannot be copied
import gymnasium as gym
import numpy as np
import pytest

from gui_gym import Action
from gui_gym.env import GuiDesktopEnv
from gui_gym.spaces import to_element


@pytest.fixture
def make() -> Any:
    made: list[GuiDesktopEnv] = []

    def build(**kwargs: Any) -> GuiDesktopEnv:
        made.append(GuiDesktopEnv(**{"width": 640, "height": 400, **kwargs}))
        return made[-1]

    yield build
    for env in made:
        env.close()


def play(env: GuiDesktopEnv, actions: list[dict[str, Any]]) -> list[Any]:
    """All that the env says, frames as bytes."""
    said = []
    for action in actions:
        frame, reward, terminated, truncated, info = env.step(action)
        said.append((frame.tobytes(), reward, terminated, truncated, {name: str(value) for name, value in info.items()}))
    return said


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_goes_on_as_it_would_have(make: Any, seed: int, elsewhere: bool) -> None:
    env = make(max_steps=30)
    env.reset(seed=seed)
    solution = env.solution()
    half = len(solution) // 2
    play(env, solution[:half])
    snapshot = pickle.loads(pickle.dumps(env.snapshot()))
    wrong = [to_element(Action.click(100 + 30 * i, 90 + 20 * i)) for i in range(6)]
    rest = [play(env, solution[half:]), [env.reset()[0].tobytes(), env.reset()[1]["task_id"]]]
    other = make(max_steps=30) if elsewhere else env
    for _ in range(2):
        frame, info = other.restore(snapshot)
        assert info["step"] == half and info["end"] == "" and frame.shape == (400, 640, 3)
        play(other, wrong)  # what is done to a copy does not reach the others
        other.restore(snapshot)
        assert play(other, solution[half:]) == rest[0] and rest[0][-1][1] == 1.0
        assert [other.reset()[0].tobytes(), other.reset()[1]["task_id"]] == rest[1]  # the same next tasks are drawn


def test_an_ended_episode_stays_ended(make: Any) -> None:
    env = make()
    env.reset(seed=0)
    for action in env.solution():
        env.step(action)
    snapshot = env.snapshot()
    env.reset(seed=1)
    _, info = env.restore(snapshot)
    assert info["end"] == "done" and info["score"] == 1.0 and info["scored"]
    assert "over" in env.step(to_element(Action.wait_for(0)))[4]["action_error"]


def test_what_cannot_be_done_says_so(make: Any) -> None:
    with pytest.raises(gym.error.ResetNeeded):
        make().snapshot()
    env = make(suite="fake", width=48, height=32)
    env.reset(seed=0)
    with pytest.raises(NotImplementedError, match="'fake' desktop cannot be copied"):
        env.snapshot()
    sim, larger = make(), make(width=800)
    sim.reset(seed=0)
    larger.reset(seed=0)
    with pytest.raises(ValueError, match="of 800x400 pixels"):
        larger.restore(sim.snapshot())
    with pytest.raises(ValueError, match="expected what snapshot"):
        sim.restore(b"")


def test_a_desktop_stays_as_it_was_when_what_it_gets_does_not_fit(make: Any) -> None:
    sim, larger = make(), make(width=800)
    sim.reset(seed=0)
    frame, before = larger.reset(seed=0)
    with pytest.raises(ValueError):
        larger.restore(sim.snapshot())
    again, *_, info = larger.step(to_element(Action.wait_for(0)))
    assert np.array_equal(frame, again) and info["task_id"] == before["task_id"]
