"""The contract of a verifier, on every family of the embedded desktop."""

from __future__ import annotations

from collections.abc import Iterator

import gymnasium as gym
import pytest

import gui_gym  # noqa: F401  registers the environments
from gui_gym.tasks import load_suite
from gui_gym.verifiers.conformance import VerifierConformance

SUITE = load_suite("sim")


class TestSimFamilies(VerifierConformance):
    @pytest.fixture(params=SUITE.ids())
    def env(self, request: pytest.FixtureRequest) -> Iterator[gym.Env]:
        env = gym.make("GuiDesktop-v0", task=request.param, width=640, height=400)
        yield env
        env.close()


class TestSimInfeasible(VerifierConformance):
    feasible = False

    @pytest.fixture(params=[name for name in SUITE.ids() if SUITE.describe(name)["has_infeasible"]])
    def env(self, request: pytest.FixtureRequest) -> Iterator[gym.Env]:
        env = gym.make("GuiDesktop-v0", task=request.param, width=640, height=400, infeasible_rate=1.0)
        yield env
        env.close()
