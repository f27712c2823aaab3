"""How the desktop looks: colours by theme, and sizes in pixels that follow the size of the screen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from gui_gym.desktops.sim.canvas import Color
from gui_gym.desktops.sim.fonts import Font, font


@dataclass(frozen=True)
class Theme:
    """Colours of everything but the content of windows."""

    sky: Color
    ground: Color
    accent: Color
    on_accent: Color = (255, 255, 255)
    window: Color = (250, 250, 252)
    face: Color = (236, 238, 243)
    field: Color = (255, 255, 255)
    text: Color = (34, 38, 48)
    muted: Color = (112, 118, 132)
    border: Color = (186, 192, 204)
    title: Color = (255, 255, 255)
    title_idle: Color = (232, 234, 240)
    bar: Color = (28, 32, 44)
    bar_button: Color = (72, 78, 94)
    on_bar: Color = (236, 240, 248)
    select: Color = (204, 222, 252)


THEMES: dict[str, Theme] = {
    "harbour": Theme(sky=(38, 92, 168), ground=(110, 186, 220), accent=(32, 104, 214)),
    "meadow": Theme(sky=(24, 110, 106), ground=(158, 206, 138), accent=(20, 128, 96), select=(200, 234, 216)),
    "dusk": Theme(sky=(72, 44, 122), ground=(232, 136, 122), accent=(136, 64, 184), select=(230, 212, 248)),
    "graphite": Theme(
        sky=(30, 34, 44), ground=(84, 94, 112), accent=(88, 152, 248), on_accent=(12, 20, 36), window=(44, 48, 58), face=(62, 67, 80),
        field=(32, 35, 43), text=(232, 236, 244), muted=(156, 164, 180), border=(92, 99, 115), title=(54, 59, 71), title_idle=(40, 44, 53),
        bar=(18, 20, 27), select=(48, 82, 138),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Metrics:
    """Sizes in pixels: ``control`` is the height of a button or field, ``pad`` the margin inside a window, ``gap`` between widgets,
    ``bar`` the task bar's height, ``shadow`` how far a window's shadow reaches."""

    font: int
    title: int
    control: int
    pad: int
    gap: int
    bar: int
    radius: int
    shadow: int
    large_cursor: bool


TEXT_SIZES = ("small", "normal", "large")
_FONTS = {11: (10, 12), 14: (13, 16), 17: (16, 20)}  #: small and large letters beside the normal ones; tiny screens have one size

#: The least screen (width, height) each set of sizes is for, from large to small.
METRICS: tuple[tuple[tuple[int, int], Metrics], ...] = (
    ((1800, 1000), Metrics(font=17, title=36, control=34, pad=16, gap=10, bar=46, radius=10, shadow=42, large_cursor=True)),
    ((960, 540), Metrics(font=14, title=30, control=28, pad=14, gap=8, bar=38, radius=8, shadow=26, large_cursor=True)),
    ((560, 360), Metrics(font=11, title=22, control=21, pad=9, gap=5, bar=26, radius=6, shadow=16, large_cursor=True)),
    ((280, 170), Metrics(font=9, title=15, control=15, pad=5, gap=3, bar=17, radius=3, shadow=7, large_cursor=False)),
    ((0, 0), Metrics(font=8, title=12, control=13, pad=3, gap=2, bar=0, radius=2, shadow=4, large_cursor=False)),
)


def metrics_for(width: int, height: int, text_size: str = "normal") -> Metrics:
    """The sizes for a screen of ``width`` x ``height`` pixels; larger letters have larger controls around them."""
    normal = next(metrics for (w, h), metrics in METRICS if width >= w and height >= h)
    if text_size == "normal" or normal.font not in _FONTS:
        return normal
    font = _FONTS[normal.font][text_size == "large"]
    grow = 2 * (font - normal.font)
    return replace(normal, font=font, title=normal.title + grow, control=normal.control + grow)


class Look:
    """Theme, sizes and fonts of one screen."""

    def __init__(self, width: int, height: int, theme: str, text_size: str):
        self.theme = THEMES[theme]
        self.size = metrics_for(width, height, text_size)
        self.sans: Font = font("sans", self.size.font)
        self.bold: Font = font("bold", self.size.font)
        self.mono: Font = font("mono", self.size.font)


@lru_cache(maxsize=64)
def look_for(width: int, height: int, theme: str, text_size: str = "normal") -> Look:
    """The look of a screen, made once."""
    return Look(width, height, theme, text_size)


@lru_cache(maxsize=8)
def wallpaper(width: int, height: int, theme: str) -> np.ndarray:
    """The background ``(height, width, 3)`` uint8, read-only: a gradient under three pale hills."""
    colors = THEMES[theme]
    y, x = np.arange(height, dtype=np.int64)[:, None], np.arange(width, dtype=np.int64)[None]
    span = 3 * height + width
    t = 3 * y + x
    sky, ground = (np.asarray(c, np.int64) for c in (colors.sky, colors.ground))
    image = sky + (ground - sky) * t[..., None] // span
    for cx, cy, r, alpha in ((22, 132, 70, 20), (74, 150, 88, 16), (104, 60, 46, 12)):  # hundredths of the screen
        cx, cy, r = cx * width // 100, cy * height // 100, r * height // 100
        cover = np.clip(r * r - (x - cx) ** 2 - (y - cy) ** 2, 0, 2 * r) * alpha // (2 * r)  # one soft pixel at the rim
        image += (255 - image) * cover[..., None] // 255
    result = image.astype(np.uint8)
    result.setflags(write=False)
    return result


_ARROW = {
    True: """
X
XX
X.X
X..X
X...X
X....X
X.....X
X......X
X.......X
X........X
X.........X
X......XXXXX
X...X..X
X..XX..X
X.X  X..X
XX   X..X
X     X..X
      X..X
       XX
""",
    False: """
X
XX
X.X
X..X
X...X
X....X
X.XXXX
XX X
""",
}


@lru_cache(maxsize=4)
def pointer(large: bool, doubled: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """The arrow, flat ``(h, 3 w)``: where it is, bool, and its colours, uint8. Its tip, the hotspot, is (0, 0)."""
    rows = _ARROW[large].strip("\n").split("\n")
    width = max(map(len, rows))
    grid = np.array([list(row.ljust(width)) for row in rows])
    if doubled:
        grid = grid.repeat(2, axis=0).repeat(2, axis=1)
    colors = np.where(grid == "X", 16, 255).astype(np.uint8)
    return (grid != " ").repeat(3, axis=1), colors.repeat(3, axis=1)
