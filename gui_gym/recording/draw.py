"""Draw an action on a screen, large and with a light rim, so that it shows on any background."""

from __future__ import annotations

import importlib.util
import math
from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from gui_gym.actions import Action, ActionType, Button
from gui_gym.codecs.grammar import key_name

MIN_WIDTH = 480  #: smaller screens are enlarged to at least this, by a whole factor
COLOURS = {Button.LEFT: (214, 28, 88), Button.MIDDLE: (0, 120, 90), Button.RIGHT: (25, 80, 215)}
RIM = (255, 255, 255)
_POINTER = (ActionType.MOVE, ActionType.CLICK, ActionType.MOUSE_DOWN, ActionType.MOUSE_UP, ActionType.DRAG, ActionType.SCROLL)


def label(action: Action | None, error: str = "") -> str:
    """A few words that say what was done, such as ``double click`` or ``type "hello"``."""
    if action is None:
        return "no action"
    kind = action.type
    if kind is ActionType.CLICK:
        words = [m.name.lower() for m in action.modifiers]
        times = {1: "", 2: "double", 3: "triple"}.get(action.clicks, f"{action.clicks}-fold")
        words += [times, "" if action.button is Button.LEFT else action.button.name.lower(), "click"]
        text = " ".join(w for w in words if w)
    elif kind in (ActionType.TYPE, ActionType.ANSWER):
        shown = action.text if len(action.text) <= 40 else action.text[:39] + "…"
        text = f'{kind.name.lower()} "{shown}"'.replace("\n", "⏎")
    elif kind is ActionType.KEY:
        text = "+".join([*(m.name.lower() for m in action.modifiers), key_name(action.key)])
    elif kind in (ActionType.KEY_DOWN, ActionType.KEY_UP):
        text = f"{'hold' if kind is ActionType.KEY_DOWN else 'release'} {key_name(action.key)}"
    elif kind is ActionType.SCROLL:
        dx, dy = action.scroll
        parts = [f"{abs(n)} {word[n > 0]}" for n, word in ((dy, ("up", "down")), (dx, ("left", "right"))) if n]
        text = "scroll " + (", ".join(parts) or "0")
    elif kind is ActionType.WAIT:
        text = f"wait {action.wait} s"
    else:
        text = kind.name.lower().replace("_", " ")
    return f"{text} (not done)" if error else text


@lru_cache(maxsize=32)
def font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """DejaVu Sans where matplotlib or the system has it, for more than Latin letters; else the one in Pillow."""
    matplotlib = importlib.util.find_spec("matplotlib")
    shipped = [Path(matplotlib.origin).parent / "mpl-data/fonts/ttf/DejaVuSans.ttf"] if matplotlib and matplotlib.origin else []
    for path in [*shipped, "DejaVuSans.ttf"]:
        try:
            return ImageFont.truetype(str(path), size)
        except OSError:
            continue
    return ImageFont.load_default(size)


def _needs_label(action: Action | None, error: str) -> bool:
    """Whether the mark alone does not say it all: a ring is a plain click."""
    return bool(error) or action != Action.click(*(action.point if action else (0, 0)))


def enlarge(frame: np.ndarray, min_width: int = MIN_WIDTH) -> tuple[Image.Image, int]:
    """The frame as a picture at least ``min_width`` pixels wide, and the whole factor it was enlarged by."""
    factor = max(1, math.ceil(min_width / frame.shape[1]))
    image = Image.fromarray(frame)
    return (image if factor == 1 else image.resize((image.width * factor, image.height * factor), Image.Resampling.NEAREST)), factor


def draw_action(frame: np.ndarray, action: Action | None, error: str = "", min_width: int = MIN_WIDTH) -> np.ndarray:
    """A new picture of ``frame`` with ``action`` drawn on it.

    Args:
        frame: ``(height, width, 3)`` uint8 RGB; the screen the action was chosen on.
        action: None draws "no action".
        error: why it was not done, or "".
        min_width: smaller frames are enlarged, pixel by pixel, by a whole factor.

    Returns:
        ``(height * k, width * k, 3)`` uint8 RGB.
    """
    image, factor = enlarge(frame, min_width)
    image = image.copy()
    unit = max(3.0, min(image.size) / 80)  # width of a line
    pen = ImageDraw.Draw(image)
    anchor: tuple[float, float] | None = None
    if action is not None and action.type in _POINTER:
        anchor = ((action.point[0] + 0.5) * factor, (action.point[1] + 0.5) * factor)
        _mark(pen, action, anchor, factor, unit)
    if _needs_label(action, error):
        colour = (150, 60, 0) if error or action is None else COLOURS[action.button]
        _pill(pen, image.size, anchor, label(action, error), colour, unit)
    return np.asarray(image).copy()


def _mark(pen: ImageDraw.ImageDraw, action: Action, at: tuple[float, float], factor: int, unit: float) -> None:
    colour = COLOURS[action.button]
    if action.type is ActionType.DRAG:
        end = ((action.to[0] + 0.5) * factor, (action.to[1] + 0.5) * factor)
        _arrow(pen, at, end, colour, unit)
        _ring(pen, at, 1.8 * unit, colour, unit, filled=True)
    elif action.type is ActionType.SCROLL:
        dx, dy = action.scroll
        length = 9 * unit / (math.hypot(dx, dy) or 1.0)
        _arrow(pen, at, (at[0] + dx * length, at[1] + dy * length), colour, unit)
        _ring(pen, at, 1.8 * unit, colour, unit, filled=True)
    elif action.type is ActionType.MOVE:
        _cross(pen, at, 4 * unit, colour, unit)
    else:
        for ring in range(action.clicks):
            _ring(pen, at, (3.2 + 2.2 * ring) * unit, colour, unit, filled=action.type is ActionType.MOUSE_DOWN)
        _cross(pen, at, 1.2 * unit, colour, unit * 0.6)


def _ring(pen: ImageDraw.ImageDraw, at: tuple[float, float], radius: float, colour: tuple[int, int, int], unit: float, filled: bool = False) -> None:
    for grow, width, ink in ((unit * 0.5, unit * 1.9, RIM), (0.0, unit, colour)):
        r = radius + grow
        pen.ellipse((at[0] - r, at[1] - r, at[0] + r, at[1] + r), outline=ink, width=round(width), fill=ink if filled else None)


def _cross(pen: ImageDraw.ImageDraw, at: tuple[float, float], size: float, colour: tuple[int, int, int], unit: float) -> None:
    for width, ink in ((unit * 2, RIM), (unit, colour)):
        pen.line((at[0] - size, at[1], at[0] + size, at[1]), ink, max(1, round(width)))
        pen.line((at[0], at[1] - size, at[0], at[1] + size), ink, max(1, round(width)))


def _arrow(pen: ImageDraw.ImageDraw, start: tuple[float, float], end: tuple[float, float], colour: tuple[int, int, int], unit: float) -> None:
    angle = math.atan2(end[1] - start[1], end[0] - start[0])
    head = 4.5 * unit
    for grow, width, ink in ((unit * 0.8, unit * 2, RIM), (0.0, unit, colour)):
        pen.line((*start, *end), ink, round(width))
        tip = (end[0] + math.cos(angle) * grow, end[1] + math.sin(angle) * grow)
        sides = [(tip[0] - math.cos(angle + s) * (head + 2 * grow), tip[1] - math.sin(angle + s) * (head + 2 * grow)) for s in (-0.5, 0.5)]
        pen.polygon([tip, *sides], fill=ink)


def _pill(
    pen: ImageDraw.ImageDraw, size: tuple[int, int], anchor: tuple[float, float] | None, text: str, colour: tuple[int, int, int], unit: float
) -> None:
    """The label: beside the point, or at the bottom of the picture; never beyond its edges."""
    height = max(15.0, min(size[0] / 30, size[1] / 14))  # readable in a picture scaled down to a third
    letters = font(height)
    while len(text) > 4 and pen.textlength(text, letters) > size[0] - 2 * height:
        text = text[:-2].rstrip("…") + "…"
    width, pad = pen.textlength(text, letters), height * 0.45
    box_width, box_height = width + 2 * pad, height * 1.55
    if anchor is None:
        left, top = (size[0] - box_width) / 2, size[1] - box_height - 2 * unit
    else:
        left, top = anchor[0] + 5 * unit, anchor[1] + 5 * unit
        if left + box_width > size[0]:
            left = anchor[0] - 5 * unit - box_width
        if top + box_height > size[1]:
            top = anchor[1] - 5 * unit - box_height
    left, top = max(0.0, min(left, size[0] - box_width)), max(0.0, min(top, size[1] - box_height))
    box = (left, top, left + box_width, top + box_height)
    pen.rounded_rectangle(box, radius=box_height * 0.3, fill=colour, outline=RIM, width=max(1, round(unit * 0.4)))
    pen.text((left + box_width / 2, top + box_height / 2), text, fill=RIM, font=letters, anchor="mm")
