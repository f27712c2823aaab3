"""The contract of a verifier, on tasks in OSWorld's format on a real desktop."""

from __future__ import annotations

from collections.abc import Iterator

import gymnasium as gym
import pytest

import gui_gym  # noqa: F401  registers the environments
from gui_gym.verifiers.conformance import VerifierConformance


class TestOSWorldTasks(VerifierConformance):
    @pytest.fixture(params=["append-line", "json-setting"])
    def env(self, request: pytest.FixtureRequest, require_x11: None) -> Iterator[gym.Env]:
        env = gym.make("GuiOSWorld-v0", task=request.param, width=1280, height=720)
        yield env
        env.close()


class TestOSWorldInfeasible(VerifierConformance):
    feasible = False

    @pytest.fixture
    def env(self, require_x11: None) -> Iterator[gym.Env]:
        env = gym.make("GuiOSWorld-v0", task="bold-word", width=1280, height=720)
        yield env
        env.close()
