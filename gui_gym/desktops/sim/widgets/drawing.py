"""A picture that is looked at, enlarged and reduced, and drawn on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gui_gym.actions import Button, Key, Modifier
from gui_gym.desktops.sim.canvas import Canvas, Color, Rect, intersect
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.painting import edit
from gui_gym.desktops.sim.painting.picture import Picture
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke
from gui_gym.desktops.sim.widgets.scroll import Scrolling
from gui_gym.desktops.sim.widgets.shapes import Point

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window

SELECT, PENCIL, LINE, RECTANGLE, ELLIPSE, FILL, ERASER, PICKER, TEXT = (
    "select", "pencil", "line", "rectangle", "ellipse", "fill", "eraser", "picker", "text",
)  # fmt: skip
TOOLS = (SELECT, PENCIL, LINE, RECTANGLE, ELLIPSE, FILL, ERASER, PICKER, TEXT)
ZOOMS = (25, 50, 75, 100, 150, 200, 300, 400, 600, 800)  #: hundredths
MAX_UNDO = 20
ERASED: Color = (255, 255, 255)
_LINES = 3  #: how many letters' heights a notch of the wheel scrolls


def dashed(canvas: Canvas, rect: Rect, one: Color, other: Color) -> None:
    """An outline of dashes in two colours."""
    x, y, w, h = rect
    canvas.outline(rect, one)
    for i in range(0, w, 6):
        canvas.fill((x + i, y, min(3, w - i), 1), other)
        canvas.fill((x + i, y + h - 1, min(3, w - i), 1), other)
    for i in range(0, h, 6):
        canvas.fill((x, y + i, 1, min(3, h - i)), other)
        canvas.fill((x + w - 1, y + i, 1, min(3, h - i)), other)


@dataclass(kw_only=True)
class Drawing(Scrolling):
    """Shows ``picture`` and lets it be drawn on. Signals: "changed" after each change, "pointed" when the pointer or the selection moved over it,
    "picked" with a colour, "text" where a text shall stand, "zoomed" with 1 or -1 for CTRL and the wheel, "menu" for a right click.

    Args:
        zoom: hundredths; 0 to fit the picture into the widget.
        tool: one of :data:`TOOLS`.
        color, thick, filled: of what is drawn.
        selection: a rectangle of the picture, or None.
        point: the pixel of the picture that the pointer was on last.
        done, undone: the pictures before, to go back and forth.
        start: where the drag that is going on began, or None.
        base: the picture before that drag.
        problem: what is said instead of a picture.
    """

    role: ClassVar[str] = "canvas"
    focusable: ClassVar[bool] = True

    picture: Picture | None = None
    zoom: int = 0
    tool: str = SELECT
    color: Color = (0, 0, 0)
    thick: int = 3
    filled: bool = False
    selection: Rect | None = None
    point: Point | None = None
    done: list[Picture] = field(default_factory=list)
    undone: list[Picture] = field(default_factory=list)
    start: Point | None = None
    base: Picture | None = None
    problem: str = ""

    @property
    def spoken(self) -> Any:
        return f"{self.picture.width} x {self.picture.height}" if self.picture else self.problem

    # Where what is

    def scale(self, look: Look) -> int:
        """The zoom in hundredths, also when the picture is fitted in."""
        if self.zoom or self.picture is None:
            return self.zoom or 100
        fitting = min((self.w - 6) * 100 // self.picture.width, (self.h - 6) * 100 // self.picture.height)
        return max(10, min(fitting if fitting < 100 else fitting // 50 * 50, ZOOMS[-1]))

    def extent(self, look: Look) -> tuple[int, int]:
        """The width and height of the picture on the screen."""
        if self.picture is None:
            return 0, 0
        scale = self.scale(look)
        return max(1, self.picture.width * scale // 100), max(1, self.picture.height * scale // 100)

    def rows_in_all(self, look: Look) -> int:
        return self.extent(look)[1]

    def rows_in_view(self, look: Look) -> int:
        return self.h - 2 - self.level_height(look)

    def pixels_in_all(self, look: Look) -> int:
        return self.extent(look)[0] if self.zoom else 0

    def pixels_in_view(self, look: Look) -> int:
        return self.w - 2 - self.bar_width(look)

    def origin(self, look: Look) -> Point:
        """Where the picture's corner is, from the widget's."""
        wide, high = self.extent(look)
        return max(1, (self.w - wide) // 2) - self.left, max(1, (self.h - high) // 2) - self.top

    def pixel_at(self, look: Look, x: int, y: int) -> Point:
        """The pixel of the picture at a point of the widget; it may lie outside of the picture."""
        left, top = self.origin(look)
        scale = self.scale(look)
        return (x - left) * 100 // scale, (y - top) * 100 // scale

    def place_of(self, look: Look, x: int, y: int) -> Point:
        """A point of the widget inside a pixel of the picture."""
        left, top = self.origin(look)
        scale = self.scale(look)
        return left + (2 * x + 1) * scale // 200, top + (2 * y + 1) * scale // 200

    def settle(self, look: Look) -> None:
        """Scroll no further than there is something to see."""
        self.scroll_to(look, self.top)
        self.scroll_sideways(look, self.left)

    def holds(self, at: Point) -> bool:
        """Whether a pixel is in the picture."""
        return self.picture is not None and 0 <= at[0] < self.picture.width and 0 <= at[1] < self.picture.height

    # Changes

    def show(self, session: Session, window: Window, picture: Picture | None, problem: str = "") -> None:
        """Show another picture, as a program does."""
        self.picture, self.problem = picture, problem
        self.selection = self.point = self.start = self.base = None
        self.done, self.undone = [], []
        self.top = self.left = 0
        self.settle(session.look)
        session.touch(window, self)

    def change(self, session: Session, window: Window, picture: Picture) -> None:
        """Put another picture in the place of this one; it can be undone."""
        self._record(session, window, self.picture, picture)

    def _record(self, session: Session, window: Window, before: Picture | None, after: Picture) -> None:
        self.start = self.base = None
        self.picture = after
        if before is not None and before != after:
            self.done = [*self.done[1 - MAX_UNDO :], before]
            self.undone = []
        self.selection = self._within(self.selection)
        self.settle(session.look)
        session.changed(window, self)

    def _within(self, rect: Rect | None) -> Rect | None:
        return intersect(rect, (0, 0, self.picture.width, self.picture.height)) if rect and self.picture else None

    def step(self, session: Session, window: Window, source: list[Picture], target: list[Picture]) -> None:
        """Undo or redo."""
        self.cancel(session, window)
        if source and self.picture is not None:
            target.append(self.picture)
            self.picture = source.pop()
            self.selection = self._within(self.selection)
            self.settle(session.look)
            session.changed(window, self)

    def cancel(self, session: Session, window: Window) -> bool:
        """Give up a drag that is going on, else the selection; whether there was one."""
        if self.base is not None:
            self.picture, self.base, self.start = self.base, None, None
        elif self.start is not None or self.selection is not None:
            self.start = self.selection = None
        else:
            return False
        session.touch(window, self)
        return True

    def drawn(self, base: Picture, start: Point, end: Point, even: bool) -> Picture:
        """What a drag of the tool makes of a picture; ``even`` for squares, circles, and lines along the sides."""
        if even and self.tool in (RECTANGLE, ELLIPSE):
            side = max(abs(end[0] - start[0]), abs(end[1] - start[1]))
            end = start[0] + (side if end[0] >= start[0] else -side), start[1] + (side if end[1] >= start[1] else -side)
        elif even and self.tool == LINE:
            end = (end[0], start[1]) if abs(end[0] - start[0]) >= abs(end[1] - start[1]) else (start[0], end[1])
        if self.tool == RECTANGLE:
            return edit.rectangle(base, edit.box(start, end), self.color, self.thick, self.filled)
        if self.tool == ELLIPSE:
            return edit.ellipse(base, edit.box(start, end), self.color, self.thick, self.filled)
        return edit.line(base, start, end, ERASED if self.tool == ERASER else self.color, self.thick)

    # Input

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        if self.press_bar(session.look, pointer) or self.picture is None:
            return
        at = self.pixel_at(session.look, pointer.x, pointer.y)
        self._point(session, window, at)
        if pointer.button is Button.RIGHT:
            session.signal(window, self, "menu", f"{pointer.x} {pointer.y}")
        if pointer.button is not Button.LEFT:
            return
        if self.tool == SELECT:
            self.start, self.selection = at, None
        elif self.tool == FILL:
            self._record(session, window, self.picture, edit.fill(self.picture, at, self.color))
        elif self.tool == PICKER and self.holds(at):
            self.color = self.picture.color_at(*at)
            session.signal(window, self, "picked")
        elif self.tool == TEXT and self.holds(at):
            session.signal(window, self, "text")
        elif self.tool not in (PICKER, TEXT):
            self.start, self.base = at, self.picture
            self.picture = self.drawn(self.base, at, at, False)

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        if self.move_bar(session.look, pointer) or self.picture is None or self.start is None:
            return
        at = self.pixel_at(session.look, pointer.x, pointer.y)
        self._point(session, window, at)
        if self.tool == SELECT:
            self.selection = self._within(edit.box(self.start, at)) if at != self.start else None
        elif self.base is not None:
            even = Modifier.SHIFT in pointer.modifiers
            if self.tool in (PENCIL, ERASER):
                self.picture, self.start = self.drawn(self.picture, self.start, at, False), at
            else:
                self.picture = self.drawn(self.base, self.start, at, even)

    def release(self, session: Session, window: Window, pointer: Pointer) -> None:
        super().release(session, window, pointer)
        self.start = None
        if self.base is not None and self.picture is not None:
            self._record(session, window, self.base, self.picture)
        window.on_signal(session, self, "pointed", "")

    def _point(self, session: Session, window: Window, at: Point) -> None:
        self.point = at if self.holds(at) else None
        window.on_signal(session, self, "pointed", "")

    def wheel(self, session: Session, window: Window, dx: int, dy: int) -> None:
        if Modifier.CTRL in session.state.modifiers and dy:
            session.signal(window, self, "zoomed", str(-1 if dy > 0 else 1))
            return
        step = _LINES * session.look.sans.height
        self.scroll_to(session.look, self.top + step * dy)
        if dx:
            self.scroll_sideways(session.look, self.left + step * dx)

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        if stroke.is_(Key.ESCAPE):
            return self.cancel(session, window)
        ways = {Key.UP: (0, -1), Key.DOWN: (0, 1), Key.LEFT: (-1, 0), Key.RIGHT: (1, 0)}
        look = session.look
        if stroke.key in ways and not stroke.modifiers and self.zoom and (self.thumb(look) or self.level_thumb(look)):
            self.wheel(session, window, *ways[stroke.key])
            return True
        return False

    # Drawing

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        theme = look.theme
        canvas.fill(rect, theme.face)
        canvas.outline(rect, theme.accent if focused else theme.border)
        inner = canvas.within((rect[0] + 1, rect[1] + 1, rect[2] - 2, rect[3] - 2))
        if inner is None:
            return
        if self.picture is None:
            for i, line in enumerate(look.sans.wrap(self.problem, rect[2] - 4 * look.size.gap)):
                inner.text(rect[0] + 2 * look.size.gap, rect[1] + 2 * look.size.gap + i * look.sans.height, line, look.sans, theme.text)
            return
        left, top = self.origin(look)
        left, top = rect[0] + left, rect[1] + top
        wide, high = self.extent(look)
        inner.outline((left - 1, top - 1, wide + 2, high + 2), theme.border)
        part = intersect(inner.clip, (left, top, wide, high))
        if part:
            paste_scaled(inner, self.picture, part, left, top, self.scale(look))
        if self.selection:
            x, y, w, h = self.selection
            scale = self.scale(look)
            x0, y0 = left + x * scale // 100, top + y * scale // 100
            dashed(inner, (x0, y0, max(2, left + (x + w) * scale // 100 - x0), max(2, top + (y + h) * scale // 100 - y0)), (0, 0, 0), (255, 255, 255))
        self.draw_bar(canvas, rect, look)


def paste_scaled(canvas: Canvas, picture: Picture, part: Rect, left: int, top: int, scale: int) -> None:
    """Draw the ``part`` of the screen of a picture whose corner is at ``(left, top)``, at ``scale`` hundredths."""
    x, y, w, h = part
    columns = np.minimum((np.arange(x - left, x - left + w, dtype=np.int64) * 100) // scale, picture.width - 1)
    rows = np.minimum((np.arange(y - top, y - top + h, dtype=np.int64) * 100) // scale, picture.height - 1)
    canvas.paste(np.asarray(picture.palette, np.uint8)[picture.array[rows[:, None], columns[None]]], x, y)
