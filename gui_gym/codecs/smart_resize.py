"""The size Qwen-VL's image processors give a picture: what the frame ``resized:WxH`` needs where no processor is at hand."""

from __future__ import annotations

import math


def smart_resize(width: int, height: int, *, factor: int = 28, min_pixels: int = 56 * 56, max_pixels: int = 28 * 28 * 1280) -> tuple[int, int]:
    """``(width, height)`` in pixels, multiples of ``factor`` whose area lies within the limits where the picture's shape allows it.

    Equal to ``smart_resize`` of transformers' Qwen2-VL image processor, with its arguments and result in our order.

    Args:
        width: of the picture, in pixels.
        height: of the picture, in pixels.
        factor: pixels of a side of one image token, ``patch_size * merge_size``: 28 for Qwen2.5-VL, 32 for Qwen3-VL.
        min_pixels: least area, the processor's ``size["shortest_edge"]``; a smaller picture is enlarged.
        max_pixels: largest area, its ``size["longest_edge"]``; a larger picture is made smaller.

    Raises ValueError for a picture more than 200 times as long as wide, which the processors refuse.
    """
    if min(width, height) < 1 or max(width, height) > 200 * min(width, height):
        raise ValueError(f"a picture of {width}x{height} pixels: expected at least 1 each way, and one side at most 200 times the other")
    wide, high = (round(side / factor) * factor for side in (width, height))
    if wide * high > max_pixels:
        scale = math.sqrt(width * height / max_pixels)
        wide, high = (max(factor, math.floor(side / scale / factor) * factor) for side in (width, height))
    elif wide * high < min_pixels:
        scale = math.sqrt(min_pixels / (width * height))
        wide, high = (math.ceil(side * scale / factor) * factor for side in (width, height))
    return wide, high
