"""The learner on real VLM classes: it computes what the engine sampled from, and its loss is conditioned on the picture."""

from dataclasses import replace

import pytest
import torch

from agents.engines.transformers_engine import TransformersEngine
from agents.logprobs import collate, trained_logprobs
from agents.prompts import PromptBuilder
from agents.rows import Row
from gui_gym.codecs import make_codec


def rows_of(family, frames, temperature=1.0):
    """Rows of one, two and one turns, with one, two and one images, sampled by the engine."""
    model, vision = family
    engine = TransformersEngine(model, vision)
    builder = PromptBuilder(vision, make_codec("dsl", "grid:10"), system="")
    sampling = vision.sampling(temperature, 5)
    rows = []
    for i, turns in enumerate((1, 2, 1)):
        shown = frames(turns, seed=i)
        prompt = builder.start(f"Task {'x' * i}.", shown[0], (56, 56))
        ids, mask, logprobs = list(prompt.ids), [False] * len(prompt.ids), [0.0] * len(prompt.ids)
        for turn in range(turns):
            (said,) = engine.generate([prompt], sampling, [10 * i + turn])
            ids, mask, logprobs = [*ids, *said.ids], [*mask, *[True] * len(said.ids)], [*logprobs, *said.logprobs]
            if turn + 1 < turns:
                prompt = builder.extend(prompt, said.ids, said.finish_reason, shown[turn + 1])
                more = len(prompt.ids) - len(ids)
                ids, mask, logprobs = list(prompt.ids), [*mask, *[False] * more], [*logprobs, *[0.0] * more]
        rows.append(Row(ids, mask, logprobs, [0.0] * len(ids), list(prompt.images), sampling))
    return rows


@pytest.mark.parametrize("temperature", [1.0, 0.6])
def test_logprobs_are_the_engines_in_a_padded_batch_of_several_images(family, frames, temperature):
    model, vision = family
    rows = rows_of(family, frames, temperature)
    for order in ([0, 1, 2], [2, 0, 1]):  # images stay with their rows after a shuffle
        batch = collate([rows[i] for i in order], vision, vision.tokens.pad)
        with torch.no_grad():
            logprobs, _ = trained_logprobs(model, batch)
        assert torch.allclose(logprobs, batch.behaviour, atol=2e-5)


def test_swapping_the_image_changes_the_logprobs(family, frames):
    model, vision = family
    rows = rows_of(family, frames)
    other = [replace(row, images=frames(len(row.images), seed=99)) for row in rows]
    with torch.no_grad():
        seen, _ = trained_logprobs(model, collate(rows, vision, vision.tokens.pad))
        swapped, _ = trained_logprobs(model, collate(other, vision, vision.tokens.pad))
    assert (seen - swapped).abs().max() > 1e-3


def test_an_image_too_few_is_an_error(family, frames):
    _, vision = family
    rows = rows_of(family, frames)
    with pytest.raises(ValueError, match="image ids but its 1 images"):
        collate([replace(rows[1], images=rows[1].images[:1])], vision, vision.tokens.pad)
