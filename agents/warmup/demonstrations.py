"""Demonstrations: scripted solutions played in the env, as the episodes that supervised warm-up learns from."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from agents.context import HINT
from agents.episodes import Episode, Sampling, Turn
from agents.prompts import PromptBuilder
from agents.warmup.play import DemonstrationConfig, miss, play
from agents.warmup.thoughts import Thinker, with_thought
from gui_gym.verifiers import Score

__all__ = ["DemonstrationConfig", "DemonstrationError", "demonstrate", "demonstrations", "miss"]


class DemonstrationError(RuntimeError):
    """Solutions that teach nothing."""


def demonstrate(
    env: Any, builder: PromptBuilder, sampling: Sampling, seed: int, config: DemonstrationConfig, think: Thinker | None = None
) -> Episode:
    """One episode of ``env``, :func:`~agents.warmup.play.play`\\ ed with the builder's codec.

    Args:
        think: gives the thought that each answer begins with; None lets answers be actions alone.

    Returns an episode of reward 1 whose turns hold prompts and answers as in a rollout; their log-probs are 0. It is unscored if it
    cannot be shown: a miss cannot be mended, the codec lacks a word, or a thought is missing or will not do.
    """
    prompt, ids, whole = None, tuple[int, ...](), None
    for episode, moment in play(env, builder.codec, seed, config):
        screen = (env.unwrapped.width, env.unwrapped.height)
        if prompt is None:
            prompt = builder.start(moment.instruction, moment.frame, screen)
        else:
            prompt = builder.extend(prompt, ids, "stop", moment.frame, moment.error)
        whole, text = episode, moment.text
        if think is not None:
            try:
                text = with_thought(builder.codec, moment, think(moment), screen)
            except ValueError as error:
                episode.score = Score.missing(str(error))
                return episode
        ids = builder.completion_ids(text)
        episode.turns.append(Turn(prompt.ids, prompt.images, ids, (0.0,) * len(ids), sampling, text=text, actions=(moment.action,)))
    if whole is None:
        raise DemonstrationError(f"the codec {builder.codec.name!r} cannot write the first action of the demonstration with the seed {seed}")
    return whole


def demonstrations(
    env: Any,
    builder: PromptBuilder,
    sampling: Sampling,
    seed: int,
    config: DemonstrationConfig,
    max_length: int = 2**31,
    think: Thinker | None = None,
    seeds: Iterator[int] | None = None,
) -> Iterator[Episode]:
    """Demonstrations without end, each of its own instance, the same for the same ``seed``. Left out are unscored ones, and those
    of more than ``max_length`` ids, which is what the model can hold.

    Args:
        think: see :func:`demonstrate`.
        seeds: of the instances, without end; None draws them.

    Warns once of an answer that sampling would cut. Raises :class:`DemonstrationError` where 100 in a row are of no use.
    """
    useless, warned = 0, False
    for instance in draw_seeds(seed) if seeds is None else seeds:
        episode = demonstrate(env, builder, sampling, instance, config, think)
        longest = max(episode.turns, key=lambda turn: len(turn.completion_ids), default=None)
        if not warned and longest is not None and len(longest.completion_ids) > sampling.max_new_tokens:
            warned = True
            warnings.warn(
                f"{longest.text!r} takes {len(longest.completion_ids)} tokens, and sampling cuts answers at {sampling.max_new_tokens}: "
                "what is shown could never be said; raise policy.max_new_tokens",
                stacklevel=2,
            )
        ids = max((len(turn.prompt_ids) + len(turn.completion_ids) for turn in episode.turns), default=0)
        if ids > max_length:
            problem = f"its {ids} ids exceed the {max_length} that the model can hold: {HINT}"
        elif not episode.score.scored:
            problem = episode.score.reason
        elif config.only_solved and episode.score.value != 1.0:
            problem = "it did not solve the task: lower noise, or raise the env's max_steps"
        else:
            useless = 0
            yield episode
            continue
        useless += 1
        if useless == 100:
            raise DemonstrationError(f"100 demonstrations in a row were of no use, the last because {problem}")


def draw_seeds(seed: int) -> Iterator[int]:
    """Seeds of instances without end, the same for the same ``seed``."""
    rng = np.random.default_rng(seed)
    while True:
        yield int(rng.integers(2**31))
