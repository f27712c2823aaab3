"""How good a policy is: success over held-out instances, with an interval, and what got in its way."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.episodes import Episode
from agents.rollout import Policy, collect
from gui_gym.verifiers import EndReason
from wrappers.groups import GroupVectorEnv


def wilson(successes: int, trials: int, z: float = 1.959964) -> tuple[float, float]:
    """The Wilson score interval (J. Am. Stat. Assoc. 22, 1927) of a rate; z = 1.96 is 95 %. ``(0.0, 1.0)`` without trials."""
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes of {trials} trials: expected 0 <= successes <= trials")
    if trials == 0:
        return 0.0, 1.0
    rate, square = successes / trials, z * z / trials
    middle, half = rate + square / 2, z * math.sqrt(rate * (1 - rate) / trials + square / (4 * trials))
    return max(0.0, (middle - half) / (1 + square)), min(1.0, (middle + half) / (1 + square))


@dataclass(frozen=True)
class Rate:
    """Successes of scored episodes. ``rate`` is None where nothing was scored."""

    successes: int
    scored: int

    @property
    def rate(self) -> float | None:
        return self.successes / self.scored if self.scored else None

    @property
    def interval(self) -> tuple[float, float]:
        """95 % Wilson interval."""
        return wilson(self.successes, self.scored)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.successes}/{self.scored} = {self.rate:.1%} (95 % {low:.1%} to {high:.1%})" if self.scored else "nothing scored"


@dataclass(frozen=True, eq=False)
class EvalResult:
    """Episodes of an evaluation and what they amount to. A success is a score of 1; unscored episodes count in no rate.

    Feasible and infeasible tasks are reported apart: a policy that always gives up solves every infeasible one.
    """

    episodes: list[Episode] = field(repr=False)

    def _rate(self, episodes: Sequence[Episode]) -> Rate:
        scored = [episode for episode in episodes if episode.score.scored]
        return Rate(sum(episode.score.value == 1.0 for episode in scored), len(scored))

    @property
    def success(self) -> Rate:
        """Over feasible and infeasible tasks together."""
        return self._rate(self.episodes)

    @property
    def feasible(self) -> Rate:
        return self._rate([episode for episode in self.episodes if episode.feasible])

    @property
    def infeasible(self) -> Rate:
        return self._rate([episode for episode in self.episodes if not episode.feasible])

    @property
    def mean_score(self) -> float | None:
        """Mean of the scores, partial ones included; None where nothing was scored."""
        scores = [episode.score.value for episode in self.episodes if episode.score.value is not None]
        return sum(scores) / len(scores) if scores else None

    @property
    def unscored(self) -> dict[str, int]:
        """How many episodes were unscored, by reason."""
        reasons = [episode.score.reason for episode in self.episodes if not episode.score.scored]
        return {reason: reasons.count(reason) for reason in dict.fromkeys(reasons)}

    @property
    def parse_error_rate(self) -> float:
        """Share of turns whose text could not be read."""
        return _mean([bool(turn.parse_error) for episode in self.episodes for turn in episode.turns])

    @property
    def cut_rate(self) -> float:
        """Share of completions cut off by ``max_new_tokens``."""
        return _mean([turn.finish_reason == "length" for episode in self.episodes for turn in episode.turns])

    @property
    def truncated_rate(self) -> float:
        """Share of episodes ended by a step or time limit."""
        return _mean([episode.end is EndReason.TRUNCATED for episode in self.episodes])

    @property
    def false_completion_rate(self) -> float:
        """Share of scored episodes that the policy called done, and that were not."""
        done = [e.end is EndReason.DONE and e.score.value is not None and e.score.value < 1.0 for e in self.episodes if e.score.scored]
        return _mean(done)

    @property
    def side_effect_rate(self) -> float | None:
        """Share of episodes in which something changed that the task did not ask for, of those where that can be told."""
        known = [episode.side_effects > 0 for episode in self.episodes if episode.side_effects >= 0]
        return _mean(known) if known else None

    @property
    def overflow_rate(self) -> float:
        """Share of episodes that outgrew what the model can hold."""
        return _mean([bool(episode.overflow) for episode in self.episodes])

    @property
    def steps(self) -> float:
        """Mean number of steps of an episode."""
        return _mean([len(episode.actions) for episode in self.episodes])

    def figures(self) -> dict[str, float]:
        """All of it as numbers for a log; rates that have no value are left out."""
        low, high = self.success.interval
        figures: dict[str, float | None] = {
            "success": self.success.rate, "success_low": low, "success_high": high, "success_feasible": self.feasible.rate,
            "success_infeasible": self.infeasible.rate, "mean_score": self.mean_score, "episodes": float(len(self.episodes)),
            "scored": float(self.success.scored), "unscored": float(sum(self.unscored.values())), "parse_error_rate": self.parse_error_rate,
            "cut_rate": self.cut_rate, "truncated_rate": self.truncated_rate, "overflow_rate": self.overflow_rate,
            "false_completion_rate": self.false_completion_rate, "side_effect_rate": self.side_effect_rate,
            "steps": self.steps,
        }  # fmt: skip
        return {name: value for name, value in figures.items() if value is not None}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _forget_frames(episode: Episode) -> None:
    episode.frames = []
    episode.turns = [dataclasses.replace(turn, images=()) for turn in episode.turns]


def evaluate(
    policy: Policy,
    env: Mapping[str, Any] | None = None,
    *,
    seeds: Sequence[int],
    num_envs: int = 32,
    max_turns: int | None = None,
    keep_frames: int | None = None,
    progress: Callable[[Episode], None] | None = None,
) -> EvalResult:
    """One episode for each seed, each instance drawn by its seed, sampled as the policy samples (temperature 0: greedy).

    Args:
        env: arguments of :class:`~wrappers.groups.GroupVectorEnv` and its env; ``split`` is "test" unless they say otherwise.
        seeds: which instances; equal seeds give equal instances, so that two policies can be compared on the same ones.
        num_envs: how many run side by side.
        max_turns: see :func:`agents.rollout.collect`.
        keep_frames: how many episodes keep their frames, the first ones; None is all. A large screen takes megabytes a step.
        progress: called with each episode once it has ended.
    """
    if not seeds:
        raise ValueError("expected at least one seed to evaluate on")
    width = min(num_envs, len(seeds))
    episodes: list[Episode] = []
    envs = GroupVectorEnv(width, 1, **{"split": "test", **(env or {})})
    try:
        for at in range(0, len(seeds), width):
            part = [int(seed) for seed in seeds[at : at + width]]
            fill = part + part[:1] * (width - len(part))  # the last round may have fewer seeds than envs: what fills it is not counted
            counted = progress if len(part) == width else None
            groups = collect(policy, envs, seed=fill, max_turns=max_turns, progress=counted)
            new = [group.episodes[0] for group in groups[: len(part)]]
            if progress and counted is None:
                for episode in new:
                    progress(episode)
            for number, episode in enumerate(new, start=len(episodes)):
                if keep_frames is not None and number >= keep_frames:
                    _forget_frames(episode)
            episodes += new
    finally:
        envs.close()
    return EvalResult(episodes)
