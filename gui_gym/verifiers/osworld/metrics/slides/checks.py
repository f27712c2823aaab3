"""Metrics on one presentation, or on one of its parts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from pptx.util import Inches

from gui_gym.verifiers.osworld.metrics.slides.reading import read_deck
from gui_gym.verifiers.osworld.safe_files import zero_if_unreadable

_FARTHEST = math.dist((0, 0, 0), (255, 255, 255))
_MARGIN = 50  #: how much stronger a colour's main part is than the others


def _main(index: int) -> Callable[[list[int]], bool]:
    return lambda rgb: all(rgb[index] > value + _MARGIN for other, value in enumerate(rgb) if other != index)


_COLORS: dict[str, Callable[[list[int]], bool]] = {
    "red": _main(0),
    "green": _main(1),
    "blue": _main(2),
    "black": lambda rgb: max(rgb) < _MARGIN,
}


@zero_if_unreadable
def check_slide_orientation_Portrait(result: str) -> float:
    """1 if the slides are higher than wide."""
    deck = read_deck(result)
    return float(deck.width < deck.height)


@zero_if_unreadable
def check_page_number_colors(result: str, rules: Mapping[str, str]) -> float:
    """1 if the slide numbers are ``rules["color"]``: "red", "green", "blue" or "black".

    Looked at are the numbers placed on the slides, or, where slides have none of their own, those of their masters.
    """
    if rules["color"] not in _COLORS:
        raise ValueError(f"check_page_number_colors: color: expected one of {', '.join(_COLORS)}, got {rules['color']!r}")
    deck = read_deck(result)
    colors: list[str | None] = [color for slide in deck.slides for color in slide.number_colors if color] or list(deck.number_colors)
    return float(bool(colors) and all(color is not None and _COLORS[rules["color"]](_rgb(color)) for color in colors))


@zero_if_unreadable
def check_image_stretch_and_center(result: str, expected: str) -> float:
    """1 if the first picture of slide 1 of ``expected``, the original, fills slide 1 of ``result`` and is centred, each within half an inch."""
    original, changed = read_deck(expected), read_deck(result)
    image = next((shape.image for shape in original.slides[0].shapes if shape.image), None) if original.slides else None
    if image is None:
        raise ValueError("check_image_stretch_and_center: expected a picture on slide 1 of the original, got none")
    size = original.width, original.height

    def fills(box: tuple[int | None, ...]) -> bool:
        offsets: list[float] = [(box[2 + axis] or 0) - size[axis] for axis in (0, 1)]
        offsets += [(box[axis] or 0) - (size[axis] - (box[2 + axis] or 0)) / 2 for axis in (0, 1)]
        return all(abs(offset) <= Inches(0.5) for offset in offsets)

    shapes = changed.slides[0].shapes if changed.slides else ()
    return float(any(shape.image == image and fills(shape.box) for shape in shapes))


@zero_if_unreadable
def check_transition(result: str, rules: Mapping[str, Any]) -> float:
    """1 if slide ``rules["slide_idx"]``, from 0, is entered with the transition ``rules["transition_type"]``, by its XML name, such as "dissolve"."""
    slides = read_deck(result).slides
    index = rules["slide_idx"]
    return float(0 <= index < len(slides) and rules["transition_type"] in slides[index].transitions)


@zero_if_unreadable
def evaluate_presentation_fill_to_rgb_distance(result: str, rules: Mapping[str, list[int]]) -> float:
    """1 - the mean, over the slides, of the distance of their background's colour from ``rules["rgb"]``, in parts of that of black and white.

    A background that is no plain colour, or still is ``rules["original_rgb"]``, is at distance 1.
    """
    target, original = rules["rgb"], rules.get("original_rgb")
    slides = read_deck(result).slides

    def distance(color: str | None) -> float:
        rgb = None if color is None else _rgb(color)
        return 1.0 if rgb is None or rgb == original else math.dist(rgb, target) / _FARTHEST

    return 1.0 - sum(distance(slide.background) for slide in slides) / len(slides) if slides else 0.0


def _rgb(color: str) -> list[int]:
    return [int(color[start : start + 2], 16) for start in (0, 2, 4)]
