"""The baselines bound what a policy can score, and the example that trains one runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import gui_gym
from agents.baselines import RandomPolicy, ScriptedPolicy, play
from gui_gym import ActionType
from gui_gym.actions import TERMINAL
from gui_gym.tasks import load_suite
from gui_gym.verifiers import EndReason

ROOT = Path(gui_gym.__file__).parents[1]
SIZE: dict[str, Any] = {"width": 640, "height": 480}


@pytest.mark.parametrize("family", load_suite("sim").ids())
def test_the_scripted_policy_solves_every_family(family: str) -> None:
    env = gym.make("GuiDesktop-v0", task=family, split="validation", **SIZE)
    policy = ScriptedPolicy(env)
    episode = play(env, policy, seed=0)
    assert episode.score.value == 1.0 and episode.reward == 1.0 and episode.end is EndReason.DONE
    assert not any(step.error for step in episode.steps)
    env.close()


def test_the_scripted_policy_goes_on_from_where_the_desktop_is() -> None:
    env = gym.make("GuiDesktop-v0", task="press-the-button", **SIZE)
    frame, info = env.reset(seed=0)
    policy = ScriptedPolicy(env)
    policy.act(frame, info)  # a plan that is dropped
    policy.reset()
    assert play(env, policy, seed=0).score.value == 1.0
    env.close()


def test_the_random_policy_does_only_what_can_be_done_and_is_rarely_right() -> None:
    env = gym.make("GuiDesktop-v0", **SIZE)
    policy = RandomPolicy(seed=0)
    episodes = [play(env, policy, seed=seed) for seed in range(20)]
    steps = [step for episode in episodes for step in episode.steps]
    assert not any(step.error for step in steps)
    assert {s.action.type for s in steps if s.action} - {ActionType.DONE} == set(ActionType) - TERMINAL
    assert sum(episode.score.value or 0.0 for episode in episodes) < 10
    assert all(episode.score.scored for episode in episodes)
    env.close()


def test_the_random_policy_is_decided_by_its_seed() -> None:
    frame = np.zeros((20, 30, 3), np.uint8)
    first, again, other = ([RandomPolicy(seed).act(frame, {}) for _ in range(1)] for seed in (1, 1, 2))
    assert first == again != other
    only = RandomPolicy(0, types=[ActionType.WAIT], end_rate=0.0)
    assert {only.act(frame, {}).type for _ in range(20)} == {ActionType.WAIT}
    assert RandomPolicy(0, end_rate=1.0).act(frame, {}).type is ActionType.DONE


@pytest.mark.parametrize("arguments", [{"end_rate": 1.5}, {"types": []}])
def test_wrong_arguments(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="expected"):
        RandomPolicy(**arguments)


def test_a_task_can_be_chosen() -> None:
    env = gym.make("GuiDesktop-v0", **SIZE)
    assert play(env, ScriptedPolicy(env), seed=1, task="press-the-button#5").task_id == "press-the-button#5"
    env.close()


@pytest.mark.parametrize("vectorization", ["sync", "async"])
def test_the_ppo_example_runs(tmp_path: Path, vectorization: str) -> None:
    pytest.importorskip("stable_baselines3")
    pytest.importorskip("tyro")
    numbers = "--total-timesteps 64 --num-envs 2 --num-steps 16 --batch-size 16 --eval-episodes 4 --max-steps 2"
    command = [
        sys.executable,
        str(ROOT / "examples" / "sb3_ppo.py"),
        *numbers.split(),
        "--vectorization",
        vectorization,
        "--save",
        str(tmp_path / "ppo.zip"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    found = re.findall(r"(before|after) training: (\d)/4 held-out episodes solved", done.stdout)
    assert [when for when, _ in found] == ["before", "after"]
    assert (tmp_path / "ppo.zip").stat().st_size > 0 and "Warning" not in done.stderr
