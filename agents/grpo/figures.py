"""The figures of a step of training."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from agents.episodes import Episode


def reward_figures(episodes: Sequence[Episode]) -> dict[str, float]:
    """Mean reward of the episodes that have one, and of each of its components: ``reward_<name>``; ``dropped`` counts the scored ones without."""
    values: dict[str, list[float]] = defaultdict(list)
    for episode in episodes:
        if episode.reward is not None:
            values["reward"].append(episode.reward)
            for name, value in episode.reward_parts.items():
                values[f"reward_{name}"].append(value)
    dropped = sum(episode.reward is None and episode.score.scored for episode in episodes)
    return {name: sum(each) / len(each) for name, each in values.items()} | {"dropped": float(dropped)}
