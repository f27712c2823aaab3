"""What a rollout leaves behind: :class:`Turn`, :class:`Episode`, :class:`Group`. Plain picklable data, carried and never recomputed."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field

import numpy as np

from gui_gym.actions import Action
from gui_gym.verifiers import EndReason, Score


@dataclass(frozen=True, eq=False)
class Frame:
    """One screenshot: ``pixels`` is ``(height, width, 3)`` uint8 RGB, as the env gave it; equal content has an equal ``hash``."""

    pixels: np.ndarray
    hash: str = ""

    def __post_init__(self) -> None:
        if self.pixels.dtype != np.uint8 or self.pixels.ndim != 3 or self.pixels.shape[2] != 3:
            raise ValueError(f"a frame is (height, width, 3) uint8, got {self.pixels.shape} {self.pixels.dtype}")
        if not self.hash:
            digest = hashlib.blake2b(repr(self.pixels.shape).encode(), digest_size=16)
            digest.update(np.ascontiguousarray(self.pixels).data)
            object.__setattr__(self, "hash", digest.hexdigest())


@dataclass(frozen=True)
class Sampling:
    """How tokens are drawn. Engine and learner apply the same: logits / temperature, suppressed ids at -inf, softmax.

    Args:
        temperature: 0 is greedy (its log-probs are those at temperature 1).
        max_new_tokens: limit of one completion, end token included.
        suppress: token ids that are never drawn (image placeholders and the like); they renormalise the others.
    """

    temperature: float = 1.0
    max_new_tokens: int = 64
    suppress: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Turn:
    """One model call.

    Args:
        prompt_ids: token ids the model was given, image placeholders expanded.
        images: the frames those placeholders stand for, in order.
        completion_ids: exactly the ids the engine sampled, end token included if it was sampled.
        logprobs: the engine's own log-prob of each of them under ``sampling``; empty where not ``trained``.
        sampling: how they were drawn.
        policy_version: number of learner updates the sampling weights had seen.
        finish_reason: "stop" or "length".
        text: the completion, decoded, without its end token.
        actions: what the codec read in it; empty if it could not.
        parse_error: why it could not, or "".
        trained: False for a turn whose log-probs cannot be had or trusted: its ids stay context, and nothing is trained on them.
    """

    prompt_ids: tuple[int, ...]
    images: tuple[Frame, ...]
    completion_ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    sampling: Sampling
    policy_version: int = 0
    finish_reason: str = "stop"
    text: str = ""
    actions: tuple[Action, ...] = ()
    parse_error: str = ""
    trained: bool = True

    def __post_init__(self) -> None:
        if not self.trained and self.logprobs:
            raise ValueError("a turn that is not trained on carries no log-probs: expected ()")
        if not self.trained:
            return
        if len(self.completion_ids) != len(self.logprobs):
            raise ValueError(f"{len(self.completion_ids)} sampled ids but {len(self.logprobs)} log-probs: they must come in pairs")
        bad = [p for p in self.logprobs if not math.isfinite(p) or p > 1e-5]
        if bad:
            raise ValueError(f"log-probs must be finite and <= 0, got {bad[:3]}: the engine and its sampling settings disagree")


@dataclass(eq=False)
class Episode:
    """One run of one task on one desktop.

    ``score`` is tri-state; ``reward`` is what training optimises, None where the episode is dropped.
    ``frames`` are the screens seen, from reset on; ``actions`` what was done, ``errors`` the action or parse error of each step.
    ``side_effects`` is how many things changed that the task did not ask for, -1 where nobody can tell.
    ``progress`` is how much of the task was done, 0 to 1, -1 where the env was not asked (``EnvConfig.progress``).
    ``overflow`` says why the model was asked no more, where its next prompt would have been longer than it can hold.
    """

    task_id: str
    instruction: str
    suite: str = "sim"
    feasible: bool = True
    group: int = 0
    turns: list[Turn] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    actions: list[Action | None] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    end: EndReason = EndReason.RUNNING
    answer: str = ""
    side_effects: int = -1
    progress: float = -1.0
    overflow: str = ""
    score: Score = field(default_factory=lambda: Score.missing("the episode is not over"))
    reward: float | None = None
    reward_parts: dict[str, float] = field(default_factory=dict)


@dataclass(eq=False)
class Group:
    """Episodes of the same task from the same initial state: what GRPO compares."""

    task_id: str
    episodes: list[Episode]
