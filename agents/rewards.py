"""What training optimises: reward functions by name. Each takes an :class:`~agents.episodes.Episode`.

One that is quicker with many episodes at once has a method ``batch``, which takes a list of them and gives a list of numbers or None;
it is asked once for all episodes of a rollout (:class:`agents.judge.Judge`).

One of your own is registered by a module, say ``my_rewards.py``::

    from agents.rewards import register_reward

    @register_reward("short")
    def short(episode):
        return 1.0 / max(1, len(episode.actions))

and asked for as ``my_rewards:short``, in a configuration or as ``gui-agents train --rewards score my_rewards:short=0.1``.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeGuard

from agents.episodes import Episode, Turn
from gui_gym.registry import Registry

#: From a finished episode to a number, or to None: the episode is dropped, as an unscored one is.
Reward = Callable[[Episode], float | None]


class BatchReward(Protocol):
    """A reward function that would rather be asked about many episodes at once."""

    def __call__(self, episode: Episode) -> float | None: ...

    def batch(self, episodes: list[Episode]) -> list[float | None]: ...


REWARDS: Registry[Reward] = Registry("reward", {"judge": "agents.judge:JUDGE"})
register_reward = REWARDS.register


@REWARDS.register("score")
def score(episode: Episode) -> float | None:
    """The verifier's score, 0 to 1."""
    return episode.score.value


@REWARDS.register("success")
def success(episode: Episode) -> float | None:
    """1 for a score of 1, else 0."""
    return 1.0 if episode.score.value == 1.0 else 0.0


@REWARDS.register("milestones")
def milestones(episode: Episode) -> float | None:
    """How much of the task was done, 0 to 1, as the env tells it (``EnvConfig.progress``): 1 only if all of it was."""
    if episode.progress < 0:
        raise ValueError("the reward 'milestones' needs to be told how much of a task was done: set env.progress")
    return episode.progress


@REWARDS.register("format")
def format_penalty(episode: Episode) -> float | None:
    """Minus the share of turns whose text could not be read: 0 is a perfect format, -1 is nothing but errors."""
    return -sum(bool(turn.parse_error) for turn in episode.turns) / len(episode.turns) if episode.turns else 0.0


@REWARDS.register("efficiency")
def efficiency(episode: Episode) -> float | None:
    """1 / steps of a success, 0 of anything else: quick success is worth more, quick failure nothing."""
    return 1.0 / max(1, len(episode.actions)) if episode.score.value == 1.0 else 0.0


@REWARDS.register("steps")
def steps(episode: Episode) -> float | None:
    """Minus the number of actions: the weight is what each costs."""
    return -float(len(episode.actions))


@REWARDS.register("turns")
def turns(episode: Episode) -> float | None:
    """Minus the number of model calls: the weight is what each costs."""
    return -float(len(episode.turns))


#: Share of ``max_new_tokens`` at the end of which an answer is punished more and more: DAPO's 4096 of 20480 tokens.
OVERLONG_CACHE = 0.2


@REWARDS.register("overlong")
def overlong(episode: Episode) -> float | None:
    """Minus how far answers reach into the last fifth of ``max_new_tokens``, 0 to -1, in the mean over turns; one that was cut costs 1.

    DAPO's soft overlong punishment (arXiv:2503.14476, eq. 13), of each turn.
    """

    def punishment(turn: Turn) -> float:
        limit = turn.sampling.max_new_tokens
        cache = OVERLONG_CACHE * limit
        return min(0.0, max(-1.0, (limit - cache - len(turn.completion_ids)) / cache))

    return sum(map(punishment, episode.turns)) / len(episode.turns) if episode.turns else 0.0


def find_reward(name: str) -> Reward:
    """The reward called ``name``; of ``module:name`` the module is imported first, which registers it.

    LookupError for an unknown name, ValueError for a module that is not there.
    """
    module, colon, own = name.rpartition(":")
    if colon:
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            raise ValueError(f"reward {name!r}: {error}; expected a module that Python finds, such as my_rewards.py in this folder") from error
    return REWARDS.get(own)


def check_rewards(weights: Mapping[str, float]) -> None:
    """LookupError for an unknown reward, ValueError for no rewards or a weight that is no number: before a run begins."""
    if not weights:
        raise ValueError("expected at least one reward, such as {'score': 1.0}")
    for name, weight in weights.items():
        find_reward(name)
        if not math.isfinite(weight):
            raise ValueError(f"the weight of reward {name!r} is {weight}: expected a finite number")


def assign_rewards(episodes: Iterable[Episode], weights: Mapping[str, float]) -> None:
    """Set ``reward`` to the weighted sum of the named rewards and ``reward_parts`` to each of them, unweighted.

    An unscored episode, and one for which any of them is None, is dropped: its reward is None.
    """
    check_rewards(weights)
    episodes = list(episodes)
    scored = [episode for episode in episodes if episode.score.scored]
    for episode in episodes:
        episode.reward, episode.reward_parts = None, {}
    for name in weights:
        reward = find_reward(name)
        values = reward.batch(scored) if is_batch(reward) else [reward(episode) for episode in scored]
        for episode, value in zip(scored, values, strict=True):
            if value is not None and not math.isfinite(value):
                raise ValueError(f"reward {name!r} of an episode of {episode.task_id!r} is {value}: expected a finite number, or None to drop it")
            if value is not None:
                episode.reward_parts[name] = float(value)
    for episode in scored:
        if len(episode.reward_parts) == len(weights):
            episode.reward = sum(weight * episode.reward_parts[name] for name, weight in weights.items())


def is_batch(reward: Any) -> TypeGuard[BatchReward]:
    """Whether a reward function wants many episodes at once."""
    return hasattr(reward, "batch")


def wait_for_all(weights: Mapping[str, float]) -> bool:
    """Whether the rewards of ``weights`` are best asked for once all episodes have ended."""
    return any(is_batch(find_reward(name)) for name in weights)
