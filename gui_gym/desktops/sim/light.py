"""How bright the screen is, and how warm at night: what the settings ``brightness`` and ``night_light`` make of the picture."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from gui_gym.desktops.sim.canvas import Rect
from gui_gym.desktops.sim.settings import Value

FULL = 80  #: the brightness at which colours are as they are drawn; 0 dims them to five eighths
NIGHT = (256, 240, 196)  #: 256ths of red, green and blue that the night light lets through


@lru_cache(maxsize=64)
def _tables(brightness: int, night: bool) -> np.ndarray:
    """What becomes of each value of red, green and blue: ``(3, 256)`` uint8."""
    share = 160 + 96 * brightness // FULL
    values = np.arange(256, dtype=np.int64)
    channels = [values * share * part // 65536 for part in (NIGHT if night else (256, 256, 256))]
    tables = np.minimum(np.stack(channels), 255).astype(np.uint8)
    tables.setflags(write=False)
    return tables


def shine(frame: np.ndarray, rect: Rect, settings: Mapping[str, Value]) -> None:
    """Give a part of a frame ``(height, width, 3)`` uint8, just drawn, the light that the settings want."""
    brightness, night = int(settings["brightness"]), bool(settings["night_light"])
    if brightness == FULL and not night:
        return
    x, y, w, h = rect
    part = frame[y : y + h, x : x + w]
    for channel, table in enumerate(_tables(brightness, night)):
        part[..., channel] = table[part[..., channel]]
