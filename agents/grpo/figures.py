"""The figures of a step of training; docs/training.md lists them all."""

from __future__ import annotations

import resource
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from agents.episodes import Episode
from agents.logprobs import micro_batches
from agents.rows import Row

#: How the names of figures begin that depend on the machine: they alone differ between two runs of one configuration on one CPU.
OF_THE_MACHINE = ("time", "speed_", "memory_")


def lasting(record: Mapping[str, Any]) -> dict[str, Any]:
    """``record`` of a log without what depends on the machine."""
    return {name: value for name, value in record.items() if not name.startswith(OF_THE_MACHINE)}


def episode_figures(episodes: Sequence[Episode]) -> dict[str, float]:
    """Means over episodes: ``turns``, the reward of those that have one, and its components (``reward_<name>``); ``dropped``: scored ones without;
    ``images_seen``: distinct screens that the policy was shown.
    """
    values: dict[str, list[float]] = defaultdict(list)
    for episode in episodes:
        values["turns"].append(len(episode.turns))
        if episode.reward is not None:
            values["reward"].append(episode.reward)
            for name, value in episode.reward_parts.items():
                values[f"reward_{name}"].append(value)
    seen = {frame.hash for episode in episodes for turn in episode.turns for frame in turn.images}
    dropped = sum(episode.reward is None and episode.score.scored for episode in episodes)
    return {name: sum(each) / len(each) for name, each in values.items()} | {"dropped": float(dropped), "images_seen": float(len(seen))}


def row_figures(rows: Sequence[Row], version: int, micro_tokens: int) -> dict[str, float]:
    """What is trained on: rows, tokens, images, and how old the policy was that sampled them; nothing for no rows.

    Args:
        rows: of one step.
        version: of the weights that they will change.
        micro_tokens: padded tokens of one forward pass.
    """
    if not rows:
        return {}
    episodes = len({row.episode for row in rows})
    trained, ids = sum(sum(row.mask) for row in rows), sum(len(row.ids) for row in rows)
    frames = [frame.hash for row in rows for frame in row.images]
    padded = sum(len(part) * max(len(row.ids) for row in part) for part in micro_batches(rows, micro_tokens))
    ages = [version - row.policy_version for row in rows]
    return {
        "rows_per_episode": len(rows) / episodes, "turns_per_row": sum(row.turns for row in rows) / len(rows),
        "tokens": float(ids), "tokens_trained": float(trained), "row_tokens_max": float(max(len(row.ids) for row in rows)),
        "padded": 1 - ids / padded,
        "images": float(len(frames)), "images_distinct": float(len(set(frames))),
        "staleness": sum(ages) / len(ages), "staleness_max": float(max(ages)),
    }  # fmt: skip


def speed_figures(episodes: Sequence[Episode], figures: Mapping[str, float], passes: int) -> dict[str, float]:
    """Tokens a second: sampled by the engine, and learned from (each pass over them counts)."""
    sampled = sum(len(turn.completion_ids) for episode in episodes for turn in episode.turns)
    found = {}
    if figures.get("time_engine"):
        found["speed_sampled"] = sampled / figures["time_engine"]
    if figures.get("time_learn") and "tokens" in figures:
        found["speed_learned"] = passes * figures["tokens"] / figures["time_learn"]
    return found


def memory_figures(device: Any) -> dict[str, float]:
    """MiB: largest resident size of this process so far, and on a GPU the most that was allocated and reserved since the last call."""
    found = {"memory_process": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}
    if str(device).startswith("cuda"):
        import torch

        found["memory_gpu_allocated"] = torch.cuda.max_memory_allocated(device) / 2**20
        found["memory_gpu_reserved"] = torch.cuda.max_memory_reserved(device) / 2**20
        torch.cuda.reset_peak_memory_stats(device)
    return found
