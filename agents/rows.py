"""Episodes to rows: what one forward pass trains on."""

from __future__ import annotations

from dataclasses import dataclass

from agents.episodes import Frame, Sampling


@dataclass(eq=False)
class Row:
    """One training sequence.

    ``ids``, ``mask`` and ``logprobs`` have equal lengths; ``mask[i]`` is True where ``ids[i]`` was sampled (and is
    trained), ``logprobs[i]`` is the engine's there and 0.0 elsewhere. ``images`` are the frames of all placeholders in
    ``ids``, in order. ``weight`` is the row's share of its episode; ``advantage`` applies to every trained token.
    """

    ids: list[int]
    mask: list[bool]
    logprobs: list[float]
    images: list[Frame]
    sampling: Sampling
    advantage: float = 0.0
    weight: float = 1.0
    episode: int = 0
    policy_version: int = 0
