"""A button with a pictogram instead of a name."""

from __future__ import annotations

from dataclasses import dataclass

from gui_gym.desktops.sim.canvas import Canvas, Rect
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.pictograms import pictogram
from gui_gym.desktops.sim.widgets.basic import Button


@dataclass(kw_only=True)
class IconButton(Button):
    """A flat button with the pictogram ``picture``, one of :data:`~gui_gym.desktops.sim.pictograms.PICTOGRAMS`; its name is not drawn."""

    picture: str

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        x, y, w, h = rect
        theme = look.theme
        canvas.panel(rect, theme.select if self.down else theme.face, theme.accent if focused else theme.border, look.size.radius - 1)
        side = max(8, min(w, h) - 2 * max(2, h // 6))
        ink = theme.text if self.enabled else theme.muted
        canvas.mask(x + (w - side) // 2, y + (h - side) // 2, pictogram(self.picture, side), ink)
