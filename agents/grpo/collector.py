"""Where the episodes of a training step come from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from agents.config import Agent
from agents.episodes import Episode, Group
from agents.grpo.config import TrainConfig
from agents.rollout import collect
from wrappers.groups import GroupVectorEnv


class Collector:
    """Groups of episodes of the training split, collected while the weights stand still.

    Args:
        agent: acts.
        config: of the run.
    """

    def __init__(self, agent: Agent, config: TrainConfig):
        self.agent, self.config = agent, config
        self.envs = GroupVectorEnv(config.groups, config.group_size, **config.env.group_kwargs("train"))

    def collect(self, step: int, note: Callable[[Episode], None]) -> list[Group]:
        """The groups of training step ``step`` (from 1), with their rewards; ``note`` is called with each episode as it ends."""
        config = self.config
        # a function of run and step alone, so that a resumed run draws what an uninterrupted one would
        seeds = np.random.default_rng([config.seed, 0, step]).integers(2**31, size=config.groups).tolist()
        return collect(self.agent.policy(), self.envs, seed=seeds, max_turns=config.policy.max_turns, rewards=config.reward_weights, progress=note)

    def close(self) -> None:
        """Close the desktops."""
        self.envs.close()
