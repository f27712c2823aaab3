"""Boards to draw on: lines, circles and freehand strokes, or links between items."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isqrt
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button, Key, Modifier
from gui_gym.desktops.sim.canvas import Canvas, Color, Rect
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke
from gui_gym.desktops.sim.widgets.board import Board
from gui_gym.desktops.sim.widgets.shapes import Point, draw_line, draw_ring

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window

LINE, CIRCLE, PEN = "line", "circle", "pen"  #: the tools of a :class:`DrawBoard`
MAX_STROKES, MAX_POINTS = 50, 2000  #: older strokes, and points beyond these of one stroke, are dropped


def _takes_back(stroke: Stroke) -> bool:
    """Whether a key takes back what was drawn last."""
    return stroke.is_(Key.Z, Modifier.CTRL) or stroke.is_(Key.BACKSPACE) or stroke.is_(Key.DELETE)


@dataclass(kw_only=True)
class DrawBoard(Board):
    """Pressing, dragging and letting go draws with a tool; Ctrl+Z, Backspace or Delete takes the last stroke back. "drawn" is signalled after each.

    Args:
        tool: LINE (from the press to the release), CIRCLE (around the press, through the release) or PEN (wherever the pointer goes).
        strokes: the points of each stroke: two of a line or a circle. A press without a move draws nothing.
        color: of the ink, None for the theme's.
    """

    focusable: ClassVar[bool] = True

    tool: str = PEN
    strokes: list[list[Point]] = field(default_factory=list)
    color: Color | None = None
    drawing: bool = False

    @property
    def value(self) -> Any:
        return [[list(point) for point in stroke] for stroke in self.strokes]

    def clear(self, session: Session, window: Window) -> None:
        """Take all strokes away."""
        self.strokes, self.drawing = [], False
        session.changed(window, self)

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        if pointer.button is Button.LEFT:
            self._finish(session, window)
            self.strokes = [*self.strokes[1 - MAX_STROKES :], [(pointer.x, pointer.y)]]
            self.drawing = True

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        if not self.drawing:
            return
        points = self.strokes[-1]
        if self.tool != PEN:
            del points[1:]
        if (pointer.x, pointer.y) != points[-1] and len(points) < MAX_POINTS:
            points.append((pointer.x, pointer.y))

    def release(self, session: Session, window: Window, pointer: Pointer) -> None:
        self._finish(session, window)

    def _finish(self, session: Session, window: Window) -> None:
        if self.drawing:
            self.drawing = False
            if len(self.strokes[-1]) < 2:
                self.strokes.pop()
            else:
                session.signal(window, self, "drawn", self.tool)

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        if not _takes_back(stroke) or self.drawing:
            return False
        if self.strokes:
            self.strokes.pop()
            session.changed(window, self)
        return True

    def draw_made(self, canvas: Canvas, rect: Rect, look: Look) -> None:
        color, thick = self.color or look.theme.accent, max(2, look.size.font // 4)
        for points in self.strokes:
            spots = [(rect[0] + x, rect[1] + y) for x, y in points]
            if self.tool == CIRCLE and len(points) == 2:
                draw_ring(canvas, *spots[0], radius_of(points) + thick // 2, color, thick)
                continue
            for start, end in zip(spots, spots[1:], strict=False):
                draw_line(canvas, start, end, color, thick)


def radius_of(points: list[Point]) -> int:
    """The radius in pixels of the circle around the first of two points that goes through the second."""
    (x0, y0), (x1, y1) = points
    return isqrt((x1 - x0) ** 2 + (y1 - y0) ** 2)


@dataclass(kw_only=True)
class LinkBoard(Board):
    """A drag from one active item to another joins them, or parts them if they are joined ("linked" with both ids).

    Ctrl+Z, Backspace or Delete takes the last link away. With the keyboard, arrow keys choose an item, and Space marks the first and then
    the second of a pair.

    Args:
        links: pairs of ids, each in alphabetical order.
    """

    focusable: ClassVar[bool] = True

    links: list[tuple[str, str]] = field(default_factory=list)
    start: str = ""  #: id of the item that a link is being drawn from, or ""
    loose_end: Point = (0, 0)  #: where its free end is

    @property
    def value(self) -> Any:
        return [list(pair) for pair in sorted(self.links)]

    def join(self, session: Session, window: Window, one: str, other: str) -> None:
        """Join two items, or part them."""
        pair = (min(one, other), max(one, other))
        if pair in self.links:
            self.links.remove(pair)
        else:
            self.links.append(pair)
        session.signal(window, self, "linked", " ".join(pair))

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        hit = self.item_at(pointer.x, pointer.y)
        self.start = hit.id if hit and pointer.button is Button.LEFT else ""
        if hit:
            self.chosen_item = hit.id
        self.loose_end = pointer.x, pointer.y

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        self.loose_end = pointer.x, pointer.y

    def release(self, session: Session, window: Window, pointer: Pointer) -> None:
        hit, start = self.item_at(pointer.x, pointer.y), self.start
        self.start = ""
        if hit and start and hit.id != start:
            self.join(session, window, start, hit.id)

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        if _takes_back(stroke):
            if self.links:
                self.links.pop()
                session.changed(window, self)
            return True
        if stroke.modifiers:
            return False
        if stroke.key is Key.SPACE and self.chosen_item:
            start, self.start = self.start, ""
            if not start:
                self.start, self.loose_end = self.chosen_item, self.item(self.chosen_item).middle
            elif start != self.chosen_item:
                self.join(session, window, start, self.chosen_item)
            return True
        from_key = {Key.LEFT: -1, Key.UP: -1, Key.RIGHT: 1, Key.DOWN: 1}.get(stroke.key)
        if from_key is None:
            return False
        self.choose_next(from_key)
        if self.start:
            self.loose_end = self.item(self.chosen_item).middle
        return True

    def draw_below(self, canvas: Canvas, rect: Rect, look: Look) -> None:
        thick = max(2, look.size.font // 5)
        ends = [(self.item(one).middle, self.item(other).middle) for one, other in self.links]
        if self.start:
            ends.append((self.item(self.start).middle, self.loose_end))
        for (x0, y0), (x1, y1) in ends:
            draw_line(canvas, (rect[0] + x0, rect[1] + y0), (rect[0] + x1, rect[1] + y1), look.theme.accent, thick)
