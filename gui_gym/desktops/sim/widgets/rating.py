"""A row of stars."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gui_gym.actions import Button, Key
from gui_gym.desktops.sim.canvas import Canvas, Color, Rect
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke, Widget

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window

GOLD: Color = (240, 172, 32)

#: A star's corners in thousandths of its radius, from the top clockwise.
_STAR = ((0, -1000), (265, -364), (951, -309), (428, 139), (588, 809), (0, 450), (-588, 809), (-428, 139), (-951, -309), (-265, -364))


@lru_cache(maxsize=32)
def star(side: int) -> np.ndarray:
    """Coverage ``(side, side)`` uint8 of a star, from 4 x 4 samples a pixel, by the even-odd rule in whole numbers."""
    n = 4
    at = (2 * np.arange(side * n, dtype=np.int64) + 1 - side * n) * 1000  # thousandths of half a sample from the middle
    scale = side * n
    x, y = at[None, :], at[:, None]
    within = np.zeros((side * n, side * n), bool)
    for (ax, ay), (bx, by) in zip(_STAR, (*_STAR[1:], _STAR[0]), strict=True):
        ax, ay, bx, by = ax * scale, ay * scale, bx * scale, by * scale
        side_of = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
        within ^= ((ay > y) != (by > y)) & ((side_of > 0) == (by > ay))
    counts = within.reshape(side, n, side, n).sum(axis=(1, 3))
    return ((counts * 255 + n * n // 2) // (n * n)).astype(np.uint8)


@dataclass(kw_only=True)
class Rating(Widget):
    """So many of ``most`` stars, chosen by a press on the last one, or by the arrow keys; 0 for none yet."""

    role: ClassVar[str] = "slider"
    focusable: ClassVar[bool] = True

    stars: int = 0
    most: int = 5

    @property
    def value(self) -> Any:
        return self.stars

    def star_rects(self, look: Look) -> list[Rect]:
        """The stars' bounds, relative to the widget."""
        side = self.h
        return [(i * (side + look.size.gap), 0, side, side) for i in range(self.most)]

    def children(self, rect: Rect, look: Look) -> list[dict[str, Any]]:
        return [
            {"role": "push button", "name": str(i + 1), "bounds": [rect[0] + x, rect[1] + y, w, h], "value": i < self.stars, "children": []}
            for i, (x, y, w, h) in enumerate(self.star_rects(look))
        ]

    def set(self, session: Session, window: Window, stars: int) -> None:
        """Show so many, within its ends."""
        stars = max(0, min(stars, self.most))
        if stars != self.stars:
            self.stars = stars
            session.changed(window, self)

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        if pointer.button is Button.LEFT:
            for i, (x, _, w, _) in enumerate(self.star_rects(session.look)):
                if x <= pointer.x < x + w:
                    self.set(session, window, i + 1)

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        to = {Key.LEFT: self.stars - 1, Key.DOWN: self.stars - 1, Key.RIGHT: self.stars + 1, Key.UP: self.stars + 1, Key.HOME: 0, Key.END: self.most}
        if stroke.modifiers or stroke.key not in to:
            return False
        self.set(session, window, to[stroke.key])
        return True

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        for i, (x, y, w, _) in enumerate(self.star_rects(look)):
            canvas.mask(rect[0] + x, rect[1] + y, star(w), GOLD if i < self.stars and self.enabled else look.theme.border)
        if focused:
            last = self.star_rects(look)[-1]
            canvas.outline((rect[0] - 1, rect[1], last[0] + last[2] + 2, rect[3]), look.theme.accent)
