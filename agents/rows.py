"""Episodes to rows: what one forward pass trains on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from agents.episodes import Episode, Frame, Sampling, Turn


@dataclass(eq=False)
class Row:
    """One training sequence.

    ``ids``, ``mask``, ``logprobs`` and ``advantages`` have equal lengths; ``mask[i]`` is True where ``ids[i]`` was sampled
    (and is trained), ``logprobs[i]`` is the engine's there and ``advantages[i]`` that of its turn; both are 0.0 elsewhere.
    ``images`` are the frames of all placeholders in ``ids``, in order. ``weight`` is the row's share of its episode,
    ``turns`` how many turns it holds, ``policy_version`` the oldest of theirs.
    """

    ids: list[int]
    mask: list[bool]
    logprobs: list[float]
    advantages: list[float]
    images: list[Frame]
    sampling: Sampling
    weight: float = 1.0
    episode: int = 0
    policy_version: int = 0
    turns: int = 0


class RowError(ValueError):
    """A row that would train on something else than what was sampled."""


class ImageTokens(Protocol):
    """How images stand in ids; :class:`agents.vision.VisionInputs` is one."""

    @property
    def image_token_id(self) -> int: ...

    def image_tokens(self, frame: Frame) -> int: ...


def rows_from_episode(episode: Episode, vision: ImageTokens, index: int = 0, advantages: float | Sequence[float] = 0.0) -> list[Row]:
    """The rows of one episode: every trained token in exactly one of them, with the log-prob it was sampled with.

    A turn goes on in the current row only if the row's ids and its images' hashes are an exact prefix of the turn's
    prompt that adds something (so that the trained tokens of two turns never touch), and sampling settings are the same;
    otherwise it begins a new row. The rows share the episode's weight of 1 by their numbers of trained tokens, so that where
    an episode forks does not change its mean.

    Args:
        episode: unscored and dropped (reward None) ones give no rows.
        vision: checks that ids and images belong together.
        index: number of the episode, for ``Row.episode``.
        advantages: one for each turn, or one for all.

    Raises :class:`RowError` where ids, images and log-probs do not fit together.
    """
    if not episode.score.scored or episode.reward is None:
        return []
    each = [advantages] * len(episode.turns) if isinstance(advantages, (int, float)) else list(advantages)
    if len(each) != len(episode.turns):
        raise RowError(f"an episode of {len(episode.turns)} turns has {len(each)} advantages: expected one for each turn")
    rows: list[Row] = []
    for number, (turn, advantage) in enumerate(zip(episode.turns, each, strict=True)):
        row = rows[-1] if rows else None
        if row is None or not _extends(row, turn):
            row = Row([], [], [], [], [], turn.sampling, episode=index, policy_version=turn.policy_version)
            rows.append(row)
        _append(row, turn, advantage)
        _check(row, vision, f"turn {number + 1} of an episode of {episode.task_id!r}")
    rows = [row for row in rows if any(row.mask)]
    total = sum(sum(row.mask) for row in rows)
    for row in rows:
        row.weight = sum(row.mask) / total
    return rows


def turn_numbers(rows: Sequence[Row]) -> list[int]:
    """The turn that each trained token of ``rows`` is of, row by row, numbered from 0: a run of trained tokens is one turn's answer."""
    numbers: list[int] = []
    turn = -1
    for row in rows:
        for before, trained in zip([False, *row.mask], row.mask, strict=False):
            turn += trained and not before
            if trained:
                numbers.append(turn)
    return numbers


def _extends(row: Row, turn: Turn) -> bool:
    return (
        row.sampling == turn.sampling
        and len(turn.prompt_ids) > len(row.ids)
        and tuple(row.ids) == turn.prompt_ids[: len(row.ids)]
        and [frame.hash for frame in row.images] == [frame.hash for frame in turn.images[: len(row.images)]]
    )


def _append(row: Row, turn: Turn, advantage: float) -> None:
    context, sampled = turn.prompt_ids[len(row.ids) :], turn.completion_ids
    row.images.extend(turn.images[len(row.images) :])
    row.ids += [*context, *sampled]
    row.mask += [False] * len(context) + [turn.trained] * len(sampled)
    row.logprobs += [0.0] * len(context) + (list(turn.logprobs) if turn.trained else [0.0] * len(sampled))
    row.advantages += [0.0] * len(context) + [advantage if turn.trained else 0.0] * len(sampled)
    row.policy_version = min(row.policy_version, turn.policy_version)
    row.turns += 1


def _check(row: Row, vision: ImageTokens, where: str) -> None:
    if not len(row.ids) == len(row.mask) == len(row.logprobs) == len(row.advantages):
        raise RowError(f"{where}: {len(row.ids)} ids, {len(row.mask)} mask entries and {len(row.logprobs)} log-probs; expected as many of each")
    if not all(map(math.isfinite, row.logprobs)):
        raise RowError(f"{where}: a log-prob is not finite")
    found, expected = row.ids.count(vision.image_token_id), sum(map(vision.image_tokens, row.images))
    if found != expected:
        raise RowError(f"{where}: {found} image ids, but its {len(row.images)} images take {expected}")
    if any(sampled and i == vision.image_token_id for i, sampled in zip(row.ids, row.mask, strict=True)):
        raise RowError(f"{where}: an image token was sampled; it must be suppressed")
