"""How bright the screen is, and how warm at night: what the settings ``brightness`` and ``night_light`` make of the picture."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from gui_gym.desktops.sim.canvas import Rect
from gui_gym.desktops.sim.settings import Value

FULL = 80  #: the brightness at which colours are as they are drawn; 0 dims them to five eighths
NIGHT = (256, 240, 196)  #: 256ths of red, green and blue that the night light lets through
_BAND = 16  #: rows worked on at once, which stay in the processor's cache


@lru_cache(maxsize=64)
def _weights(brightness: int, night: bool, width: int) -> np.ndarray:
    """128ths of its value that each byte of a row of ``width`` pixels keeps: ``(3 width,)`` uint16."""
    share = 80 + 48 * brightness // FULL
    weights = np.array([share * part // 256 for part in (NIGHT if night else (256, 256, 256))], np.uint16)
    row = np.tile(weights, width)
    row.setflags(write=False)
    return row


def shine(frame: np.ndarray, rect: Rect, settings: Mapping[str, Value]) -> None:
    """Give a part of a frame ``(height, width, 3)`` uint8, just drawn, the light that the settings want."""
    if settings["brightness"] == FULL and not settings["night_light"]:
        return
    brightness, night = int(settings["brightness"]), bool(settings["night_light"])
    height, width, _ = frame.shape
    x, y, w, h = rect
    weights = _weights(brightness, night, width)[: 3 * w]
    flat = frame.reshape(height, 3 * width)[y : y + h, 3 * x : 3 * (x + w)]
    for top in range(0, h, _BAND):
        part = flat[top : top + _BAND]
        value = part * weights
        value >>= 7
        np.minimum(value, 255, out=part, casting="unsafe")
