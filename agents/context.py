"""What a model can hold: whether the prompts of an episode fit, told before it begins and kept while it runs."""

from __future__ import annotations

import warnings

import numpy as np

from agents.episodes import Frame, Sampling
from agents.prompts import Prompt, PromptBuilder

HINT = "keep fewer screens (policy.history last_n or block, policy.n), show smaller ones (model.max_pixels) or lower policy.max_new_tokens"


def overflow(prompt: Prompt, sampling: Sampling, max_length: int) -> str:
    """Why ``prompt`` and an answer do not fit into ``max_length`` ids; "" if they do."""
    ids, new = len(prompt.ids), sampling.max_new_tokens
    if ids + new <= max_length:
        return ""
    return f"a prompt of {ids} ids ({len(prompt.images)} screens) and {new} new ones exceed the {max_length} that the model can hold"


def check_context(prompts: PromptBuilder, sampling: Sampling, max_length: int, screen: tuple[int, int], turns: int | None) -> None:
    """Work out how many turns fit, from the ids that a screen of ``(width, height)`` pixels takes.

    ValueError where not even the first turn fits; a warning where fewer than ``turns`` may (None: not known).
    """
    frame = Frame(np.zeros((screen[1], screen[0], 3), np.uint8))
    first = prompts.start("", frame, screen)
    new, one = sampling.max_new_tokens, prompts.vision.image_tokens(frame)
    spare = max_length - len(first.ids) - new
    if spare < 0:
        raise ValueError(
            f"the first prompt takes {len(first.ids)} ids ({one} of them for a screen of {screen[0]}x{screen[1]}) and an answer up to {new}, "
            f"more than the {max_length} that the model can hold: {HINT}"
        )
    held = turns if prompts.history == "append" else prompts.n if turns is None else min(prompts.n, turns)
    if held is None or held == 1:
        return
    turn = len(prompts.extend(first, prompts.completion_ids("")[-1:], "stop", frame).ids) - len(first.ids) + new
    if held > 1 + spare // turn:
        warnings.warn(
            f"a turn takes up to {turn} ids and the first prompt {len(first.ids)}, so that {1 + spare // turn} of {held} turns are sure to fit into "
            f"the {max_length} ids that the model can hold; an episode that outgrows them is asked no more and waits for its step limit: {HINT}",
            stacklevel=2,
        )
