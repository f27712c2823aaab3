"""Where the episodes of a training step come from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from agents.config import Agent
from agents.episodes import Episode, Group
from agents.grpo.config import TrainConfig
from agents.grpo.lesson import advantages_of, teaches
from agents.judge import JUDGE
from agents.rollout import collect
from agents.timing import Timings
from wrappers.groups import GroupVectorEnv


class Collector:
    """Groups of episodes of the training split, collected while the weights stand still.

    With ``config.resample`` groups that teach nothing are replaced by new ones (dynamic sampling: DAPO, arXiv:2503.14476,
    section 3.2), up to that many rounds; what is left then is returned as it is.

    Args:
        agent: acts.
        config: of the run.

    Attributes:
        figures: of the last step, for the log: ``resampled_groups``, those thrown away, where ``config.resample`` is on.
        timings: where the time went: env, prompts, engine.
    """

    def __init__(self, agent: Agent, config: TrainConfig):
        self.agent, self.config = agent, config
        self.envs = GroupVectorEnv(config.groups, config.group_size, **config.env.group_kwargs("train"))
        self.figures: dict[str, float] = {}
        self.timings = Timings()
        if "judge" in config.reward_weights:
            JUDGE.set_up(config.judge, config.out / "judge.jsonl")

    def collect(self, step: int, note: Callable[[Episode], None]) -> list[Group]:
        """The groups of training step ``step`` (from 1), with their rewards.

        ``note`` is called with each episode as it ends, also with those of groups that are then thrown away: what they say about
        the policy counts.
        """
        groups = self._round(step, 0, range(self.config.groups), note)
        thrown = 0
        for again in range(1, self.config.resample + 1):
            idle = [i for i, advantages in enumerate(advantages_of(groups, self.config)) if not teaches(advantages)]
            if not idle:
                break
            thrown += len(idle)
            for i, group in zip(idle, self._round(step, again, idle, note), strict=True):
                groups[i] = group
        self.figures = {"resampled_groups": float(thrown)} if self.config.resample else {}
        return groups

    def _round(self, step: int, again: int, only: Sequence[int], note: Callable[[Episode], None]) -> list[Group]:
        config = self.config
        # a function of run, step and round alone, so that a resumed run draws what an uninterrupted one would
        entropy = [config.seed, 0, step, again] if again else [config.seed, 0, step]
        seeds = np.random.default_rng(entropy).integers(2**31, size=config.groups).tolist()
        policy, turns = replace(self.agent.policy(), timings=self.timings), config.policy.max_turns
        return collect(policy, self.envs, seed=seeds, max_turns=turns, rewards=config.reward_weights, only=only, progress=note)

    def state_dict(self) -> dict[str, Any]:
        """Nothing: which groups come next is a function of the step alone."""
        return {}

    def close(self) -> None:
        """Close the desktops, and the connections to the judge."""
        JUDGE.close()
        self.envs.close()
