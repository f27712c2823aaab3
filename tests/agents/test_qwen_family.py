"""Qwen-VL's own dialect on its own model classes: the picture's size, the marks of tool calls, a rollout."""

import numpy as np
import pytest
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import smart_resize as theirs

from agents.vision import VisionInputs
from gui_gym.codecs.smart_resize import smart_resize

KINDS = ("qwen2_5_vl", "qwen3_vl")


@pytest.mark.parametrize("factor", [28, 32])
def test_thousands_of_sizes_are_resized_as_the_processor_does(factor):
    rng = np.random.default_rng(factor)
    sizes = [*rng.integers(1, 4000, (4000, 2)).tolist(), *((w, h) for w in range(factor // 2, 120) for h in range(factor // 2, 120, 3))]
    for width, height in sizes:
        low = int(rng.integers(factor**2, 400 * factor**2))
        high = int(rng.integers(low, 20000 * factor**2))
        if max(width, height) > 200 * min(width, height):
            for resize, size in ((smart_resize, (width, height)), (theirs, (height, width))):
                with pytest.raises(ValueError):
                    resize(*size, factor=factor, min_pixels=low, max_pixels=high)
            continue
        ours = smart_resize(width, height, factor=factor, min_pixels=low, max_pixels=high)
        assert ours == tuple(reversed(theirs(height, width, factor=factor, min_pixels=low, max_pixels=high))), (width, height, low, high)


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_model_sees_is_what_the_function_says(vlm, kind):
    vision: VisionInputs = vlm(kind)[1]
    images = vision.processor.image_processor
    limits = {"min_pixels": images.size["shortest_edge"], "max_pixels": images.size["longest_edge"]}
    for width, height in ((1280, 720), (112, 112), (56, 56), (333, 77), (30, 900)):
        expected = smart_resize(width, height, factor=images.patch_size * images.merge_size, **limits)
        assert vision.seen_size(width, height) == expected
