"""What a training step learns from: the rows of its groups, with the advantage of each turn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agents.episodes import Episode, Group
from agents.grpo.config import TrainConfig
from agents.grpo.credit import PerTurn, same_screen, turn_advantages
from agents.rows import ImageTokens, Row, rows_from_episode


@dataclass(frozen=True, eq=False)
class Lesson:
    """What :meth:`GrpoLearner.update` takes, and what is worth knowing about it.

    Args:
        rows: of the groups that have something to teach.
        share: what part of the collection they are, 0 to 1, counted as ``loss.aggregation`` counts: in episodes that have a reward, or
            under "token-mean" in trained tokens.
        figures: ``groups``, ``skipped_groups`` (that teach nothing), mean, standard deviation and largest absolute value of the turns'
            ``advantage`` where there is something to learn, share of all turns whose advantage is 0 (``advantage_zero``), with
            ``overlong`` "mask" ``masked_turns``, and with step credit ``anchored`` (share of turns whose screen another turn of the group
            saw too).
    """

    rows: list[Row]
    share: float
    figures: dict[str, float]


def advantages_of(groups: Sequence[Group], config: TrainConfig) -> PerTurn:
    """:func:`~agents.grpo.credit.turn_advantages` as ``config`` has it."""
    return turn_advantages(groups, config.scale, config.credit, config.gamma, config.omega)


def teaches(advantages: Sequence[Sequence[float]]) -> bool:
    """Whether a group with these advantages has something to teach."""
    return any(any(episode) for episode in advantages)


def without_cut_turns(episode: Episode) -> Episode:
    """``episode`` with the answers that ``max_new_tokens`` cut as context only: they count in rewards and advantages, and are not trained.

    DAPO's overlong filtering (arXiv:2503.14476, section 3.4).
    """
    turns = [replace(turn, trained=False, logprobs=()) if turn.finish_reason == "length" else turn for turn in episode.turns]
    return replace(episode, turns=turns)


def rows_of_groups(groups: Sequence[Group], vision: ImageTokens, config: TrainConfig) -> Lesson:
    """Rows of all groups that have something to teach; no rows where none has."""
    by_tokens = config.learner.loss.aggregation == "token-mean"
    rows: list[Row] = []
    taught: list[float] = []
    every: list[float] = []
    skipped = index = masked = 0
    used = total = 0.0
    for group, advantages in zip(groups, advantages_of(groups, config), strict=True):
        learns = teaches(advantages)
        skipped += not learns
        for episode, own in zip(group.episodes, advantages, strict=True):
            if episode.reward is None:
                continue
            if config.overlong == "mask":
                masked += sum(turn.finish_reason == "length" for turn in episode.turns)
                episode = without_cut_turns(episode)
            every += own
            weight = sum(len(turn.completion_ids) for turn in episode.turns if turn.trained) if by_tokens else 1.0
            total += weight
            if learns:
                new = rows_from_episode(episode, vision, index, own)
                rows += new
                used += weight if new else 0.0
                index += 1
                taught += own
    figures = {"groups": float(len(groups)), "skipped_groups": float(skipped)}
    if every:
        figures["advantage_zero"] = sum(a == 0 for a in every) / len(every)
    if taught:
        mean = math.fsum(taught) / len(taught)
        deviation = math.sqrt(math.fsum((a - mean) ** 2 for a in taught) / len(taught))
        figures |= {"advantage": mean, "advantage_std": deviation, "advantage_max": max(map(abs, taught))}
    if config.overlong == "mask":
        figures["masked_turns"] = float(masked)
    if config.credit == "step":
        figures["anchored"] = anchored(groups)
    return Lesson(rows, used / total if total else 0.0, figures)


def anchored(groups: Sequence[Group]) -> float:
    """Share of the turns whose screen another turn of their group saw too: the others learn nothing from step credit."""
    sizes = [len(turns) for group in groups for turns in same_screen(group.episodes)]
    return sum(size for size in sizes if size > 1) / sum(sizes) if sizes else 0.0
