"""Buttons with a small drawing of what they do: of tools, of turning and zooming, of going back and forth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from gui_gym.desktops.sim.canvas import Canvas, Color, Rect
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.basic import Button
from gui_gym.desktops.sim.widgets.shapes import FINE, draw_line, draw_ring, polygon


class _Pen:
    """Draws figures whose coordinates are 24ths of a square of the screen."""

    def __init__(self, canvas: Canvas, x: int, y: int, side: int, ink: Color):
        self.canvas, self.x, self.y, self.side, self.ink = canvas, x, y, side, ink
        self.thick = max(1, side // 9)

    def at(self, x: int, y: int) -> tuple[int, int]:
        return self.x + x * (self.side - 1) // 24, self.y + y * (self.side - 1) // 24

    def lines(self, *points: tuple[int, int], color: Color | None = None) -> None:
        for start, end in zip(points, points[1:], strict=False):
            draw_line(self.canvas, self.at(*start), self.at(*end), color or self.ink, self.thick)

    def area(self, *points: tuple[int, int], color: Color | None = None) -> None:
        mask, dx, dy = polygon(tuple((x * self.side * FINE // 24, y * self.side * FINE // 24) for x, y in points))
        self.canvas.mask(self.x + dx, self.y + dy, mask, color or self.ink)

    def box(self, x: int, y: int, w: int, h: int, color: Color | None = None) -> None:
        left, top = self.at(x, y)
        right, bottom = self.at(x + w, y + h)
        self.canvas.fill((left, top, right - left + 1, bottom - top + 1), color or self.ink)

    def ring(self, x: int, y: int, radius: int) -> None:
        draw_ring(self.canvas, *self.at(x, y), radius * self.side // 24, self.ink, self.thick)


def _arrow(pen: _Pen, left: bool) -> None:
    flip = (lambda x: x) if left else (lambda x: 24 - x)
    pen.lines((flip(3), 12), (flip(21), 12))
    pen.lines((flip(10), 5), (flip(3), 12), (flip(10), 19))


def _turn(pen: _Pen, left: bool) -> None:
    flip = (lambda x: x) if left else (lambda x: 24 - x)
    pen.lines((flip(6), 9), (flip(9), 5), (flip(15), 5), (flip(20), 9), (flip(20), 15), (flip(16), 20), (flip(9), 20))
    pen.area((flip(2), 4), (flip(2), 13), (flip(11), 13))


def _lens(pen: _Pen, sign: str) -> None:
    pen.ring(10, 10, 8)
    pen.lines((16, 16), (22, 22))
    if sign:
        pen.lines((6, 10), (14, 10))
    if sign == "+":
        pen.lines((10, 6), (10, 14))


def _pencil(pen: _Pen) -> None:
    pen.area((3, 21), (5, 14), (16, 3), (21, 8), (10, 19))
    pen.lines((6, 18), (18, 6), color=(246, 190, 60))


def _select(pen: _Pen) -> None:
    for i in range(0, 24, 8):
        for x, y, w, h in ((i, 2, 4, 0), (i, 22, 4, 0), (1, i, 0, 4), (22, i, 0, 4)):
            pen.box(x, y, w, h)


def _frame(pen: _Pen) -> None:
    pen.lines((3, 5), (21, 5), (21, 19), (3, 19), (3, 5))


def _bucket(pen: _Pen) -> None:
    pen.lines((10, 3), (3, 11), (11, 19), (19, 11), (10, 3))
    pen.area((4, 11), (18, 11), (11, 18))
    pen.area((20, 14), (23, 20), (20, 23), (17, 20), color=(40, 120, 220))


def _eraser(pen: _Pen) -> None:
    pen.area((2, 16), (13, 4), (22, 11), (11, 22), (6, 22), color=(240, 140, 160))
    pen.lines((2, 16), (13, 4), (22, 11), (11, 22), (6, 22), (2, 16))


def _letter(pen: _Pen) -> None:
    pen.lines((3, 4), (21, 4))
    pen.lines((12, 4), (12, 21))


def _picker(pen: _Pen) -> None:
    pen.lines((3, 21), (14, 10))
    pen.area((12, 6), (18, 12), (22, 8), (20, 2), (16, 2))


def _star(pen: _Pen) -> None:
    pen.area((12, 1), (15, 9), (23, 9), (17, 14), (19, 23), (12, 17), (5, 23), (7, 14), (1, 9), (9, 9))


def _house(pen: _Pen) -> None:
    pen.area((12, 2), (23, 12), (1, 12))
    pen.box(5, 12, 14, 9)


def _reload(pen: _Pen) -> None:
    pen.lines((19, 16), (16, 20), (9, 20), (4, 16), (4, 9), (8, 5), (15, 5))
    pen.area((13, 0), (22, 5), (13, 10))


def _plus(pen: _Pen) -> None:
    pen.lines((12, 3), (12, 21))
    pen.lines((3, 12), (21, 12))


def _fit(pen: _Pen) -> None:
    pen.lines((2, 8), (2, 3), (8, 3))
    pen.lines((16, 3), (22, 3), (22, 8))
    pen.lines((22, 16), (22, 21), (16, 21))
    pen.lines((8, 21), (2, 21), (2, 16))


def _flip_over(pen: _Pen) -> None:
    pen.area((2, 20), (10, 4), (10, 20))
    pen.lines((14, 20), (14, 4), (22, 20), (14, 20))


#: Drawings by name.
DRAWINGS: dict[str, Callable[[_Pen], None]] = {
    "back": lambda pen: _arrow(pen, True),
    "bucket": _bucket,
    "ellipse": lambda pen: pen.ring(12, 12, 10),
    "eraser": _eraser,
    "fit": _fit,
    "flip": _flip_over,
    "forward": lambda pen: _arrow(pen, False),
    "home": _house,
    "line": lambda pen: pen.lines((3, 21), (21, 3)),
    "pencil": _pencil,
    "picker": _picker,
    "plus": _plus,
    "rectangle": _frame,
    "reload": _reload,
    "select": _select,
    "star": _star,
    "text": _letter,
    "turn left": lambda pen: _turn(pen, True),
    "turn right": lambda pen: _turn(pen, False),
    "zoom in": lambda pen: _lens(pen, "+"),
    "zoom out": lambda pen: _lens(pen, "-"),
}


def _face(canvas: Canvas, rect: Rect, picture: str, face: Color, edge: Color, ink: Color, radius: int) -> None:
    x, y, w, h = rect
    canvas.panel(rect, face, edge, radius)
    side = max(7, min(w, h) - 2 * max(2, h // 5))
    DRAWINGS[picture](_Pen(canvas, x + (w - side) // 2, y + (h - side) // 2, side, ink))


@dataclass(kw_only=True)
class ToolButton(Button):
    """A flat button with a drawing of :data:`DRAWINGS`; its name is its tooltip. ``on`` marks the tool in use; None for what is no choice."""

    role: ClassVar[str] = "push button"

    picture: str
    on: bool | None = None

    @property
    def value(self) -> Any:
        return self.on

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme = look.theme
        face = theme.select if self.down or self.on else theme.face
        edge = theme.accent if focused or self.on else theme.border
        canvas.stamp(rect, _face, self.picture, face, edge, theme.text if self.enabled else theme.muted, look.size.radius // 2)
