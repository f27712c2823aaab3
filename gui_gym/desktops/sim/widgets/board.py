"""A board on which named items lie: to be looked at, picked by a click, or marked at a point."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button, Key, Modifier
from gui_gym.desktops.sim import art
from gui_gym.desktops.sim.canvas import Canvas, Color, Rect, inside
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke, Widget
from gui_gym.desktops.sim.widgets.shapes import SHAPES, Point, draw_line, draw_ring, round_mask, shape

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window

_PICTURES = {"page": art.page, "folder": art.folder}
ARROWS: dict[Key, Point] = {Key.LEFT: (-1, 0), Key.RIGHT: (1, 0), Key.UP: (0, -1), Key.DOWN: (0, 1)}


@dataclass(kw_only=True)
class Item:
    """Something on a board. Coordinates are pixels from the board's upper left corner.

    Args:
        id: unique on its board.
        shape: one of :data:`~gui_gym.desktops.sim.widgets.shapes.SHAPES`, which fills the middle of its box; "box", "frame", "card" (a box, its
            outline, a box with round corners), "dot", "ring", "line" (from its upper left to its lower right corner; width and height may be
            negative), "page", "folder" (with their label below them), or "text" (its label alone).
        x, y, w, h: its box.
        name: what accessibility calls it; one with neither name nor label is decoration, which accessibility leaves out.
        label: text in its middle.
        color: of the shape; None for one of the theme's.
        turn: degrees clockwise that the shape is turned by.
        thick: how wide lines are, in pixels.
        active: whether it can be picked, moved or joined, as its board does.
    """

    id: str
    shape: str
    x: int
    y: int
    w: int
    h: int
    name: str = ""
    label: str = ""
    color: Color | None = None
    turn: int = 0
    thick: int = 1
    active: bool = False

    @property
    def box(self) -> Rect:
        return self.x, self.y, self.w, self.h

    @property
    def middle(self) -> Point:
        """The pixel in its middle."""
        return self.x + self.w // 2, self.y + self.h // 2

    def draw(self, canvas: Canvas, left: int, top: int, look: Look) -> None:
        """Draw it on a board whose corner is at ``(left, top)`` of the screen."""
        theme = look.theme
        x, y, w, h = left + self.x, top + self.y, self.w, self.h
        color = self.color or theme.text
        if self.shape == "line":
            draw_line(canvas, (x, y), (x + w, y + h), color, self.thick)
        elif self.shape == "ring":
            draw_ring(canvas, x + w // 2, y + h // 2, (min(w, h) - 1) // 2, color, self.thick)
        elif self.shape == "dot":
            side = min(w, h)
            canvas.mask(x + (w - side) // 2, y + (h - side) // 2, round_mask(side), color)
        elif self.shape == "box":
            canvas.fill((x, y, w, h), self.color or theme.face)
        elif self.shape == "frame":
            for i in range(self.thick):
                canvas.outline((x + i, y + i, w - 2 * i, h - 2 * i), color)
        elif self.shape == "card":
            canvas.panel((x, y, w, h), self.color or theme.face, theme.border, look.size.radius - 1)
        elif self.shape in _PICTURES:
            side = min(w, h - look.sans.height - 1)
            _PICTURES[self.shape](canvas, (x + (w - side) // 2, y, side, side))
        elif self.shape in SHAPES:
            side = min(w, h)
            alpha, dx, dy = shape(self.shape, side, self.turn)
            canvas.mask(x + (w - side) // 2 + dx, y + (h - side) // 2 + dy, alpha, color)
        if self.label:
            self._draw_label(canvas, x, y, look)

    def _draw_label(self, canvas: Canvas, x: int, y: int, look: Look) -> None:
        font = look.sans
        if self.shape in _PICTURES:
            text = font.shorten(self.label, self.w)
            canvas.text(x + (self.w - font.width(text)) // 2, y + self.h - font.height, text, font, look.theme.text)
            return
        if self.shape == "text":
            text, ink = self.label, self.color or look.theme.text
        else:
            text = font.shorten(self.label, self.w - 2)
            filled = self.color is not None and self.shape not in ("frame", "ring", "line")
            r, g, b = self.color or (0, 0, 0)
            ink = ((20, 22, 28) if 3 * r + 6 * g + b > 1300 else (255, 255, 255)) if filled else look.theme.text
        canvas.text(x + (self.w - font.width(text)) // 2, y + (self.h - font.height) // 2, text, font, ink)


@dataclass(kw_only=True)
class Board(Widget):
    """Items to be looked at, the later ones above the earlier ones; its subclasses let them be used."""

    role: ClassVar[str] = "canvas"

    items: list[Item] = field(default_factory=list)
    chosen_item: str = ""  #: id of the item that the keyboard works on, or ""

    def item(self, item_id: str) -> Item:
        """The item of that id; KeyError if there is none."""
        found = next((item for item in self.items if item.id == item_id), None)
        if found is None:
            raise KeyError(f"board {self.id!r} has no item {item_id!r}")
        return found

    def item_at(self, x: int, y: int) -> Item | None:
        """The topmost active item whose box holds a pixel of the board."""
        return next((item for item in reversed(self.items) if item.active and inside(item.box, x, y)), None)

    def shown(self) -> list[Item]:
        """The items that can be seen."""
        return self.items

    def active_items(self) -> list[Item]:
        """The items that can be used."""
        return [item for item in self.items if item.active]

    def choose_next(self, step: int) -> None:
        """Let the keyboard work on another item: in the order of their ids, which no use of them changes."""
        ids = sorted((item.id for item in self.active_items()), key=lambda name: (len(name), name))
        if ids:
            at = ids.index(self.chosen_item) + step if self.chosen_item in ids else (0 if step > 0 else -1)
            self.chosen_item = ids[at % len(ids)]

    def children(self, rect: Rect, look: Look) -> list[dict[str, Any]]:
        nodes = []
        for item in self.shown():
            if item.name or item.label:
                x, y, w, h = item.box
                bounds = [rect[0] + min(x, x + w), rect[1] + min(y, y + h), abs(w), abs(h)]
                role = "push button" if item.active else "label" if item.shape == "text" else "image"
                nodes.append({"role": role, "name": item.name or item.label, "bounds": bounds, "value": self.item_value(item), "children": []})
        return nodes

    def item_value(self, item: Item) -> Any:
        """The state of an item for accessibility."""
        return None

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        canvas.fill(rect, look.theme.field)
        inner = canvas.within((rect[0] + 1, rect[1] + 1, rect[2] - 2, rect[3] - 2))
        if inner is not None:
            self.draw_below(inner, rect, look)
            for item in self.shown():
                item.draw(inner, rect[0], rect[1], look)
                if item.active:
                    self.draw_state(inner, rect, look, item, focused and item.id == self.chosen_item)
            self.draw_made(inner, rect, look)
        canvas.outline(rect, look.theme.accent if focused else look.theme.border)

    def draw_below(self, canvas: Canvas, rect: Rect, look: Look) -> None:
        """Draw what the items lie on."""

    def draw_state(self, canvas: Canvas, rect: Rect, look: Look, item: Item, chosen: bool) -> None:
        """Draw over an active item how it stands."""
        if chosen:
            canvas.outline((rect[0] + item.x - 2, rect[1] + item.y - 2, item.w + 4, item.h + 4), look.theme.muted)

    def draw_made(self, canvas: Canvas, rect: Rect, look: Look) -> None:
        """Draw over the items what the user has put there."""


@dataclass(kw_only=True)
class PickBoard(Board):
    """Items are clicked ("clicked" with the item's id), by the mouse or by arrow keys and Space.

    Args:
        several: how many can be picked at the same time; a click on one that is picked lets it go. With 0 a click only counts as one.
        picked: ids of those that are picked, in the order of picking.
        ordered: whether each shows its place in that order.
    """

    focusable: ClassVar[bool] = True

    several: int = 0
    picked: list[str] = field(default_factory=list)
    ordered: bool = False
    down: str = ""  #: the item that the button was pressed on

    @property
    def value(self) -> Any:
        return list(self.picked)

    def item_value(self, item: Item) -> Any:
        return item.id in self.picked if item.active else None

    def use(self, session: Session, window: Window, item: Item) -> None:
        """An item was clicked."""
        if item.id in self.picked:
            self.picked.remove(item.id)
        elif self.several:
            self.picked = [*self.picked, item.id][-self.several :]
        session.signal(window, self, "clicked", item.id)

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        hit = self.item_at(pointer.x, pointer.y)
        self.down = hit.id if hit and pointer.button is Button.LEFT else ""
        if self.down:
            self.chosen_item = self.down

    def release(self, session: Session, window: Window, pointer: Pointer) -> None:
        hit = self.item_at(pointer.x, pointer.y)
        if hit and hit.id == self.down:
            self.use(session, window, hit)
        self.down = ""

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        if stroke.modifiers:
            return False
        if stroke.key in ARROWS:
            self.choose_next(sum(ARROWS[stroke.key]))
            return True
        if stroke.key is Key.SPACE and any(item.id == self.chosen_item for item in self.active_items()):
            self.use(session, window, self.item(self.chosen_item))
            return True
        return False

    def draw_state(self, canvas: Canvas, rect: Rect, look: Look, item: Item, chosen: bool) -> None:
        super().draw_state(canvas, rect, look, item, chosen)
        if item.id in self.picked:
            thick = max(2, look.size.font // 5)
            for i in range(1, thick + 1):
                canvas.outline((rect[0] + item.x - i, rect[1] + item.y - i, item.w + 2 * i, item.h + 2 * i), look.theme.accent)
            if self.ordered:
                text = f"{self.picked.index(item.id) + 1}."
                x, y = rect[0] + item.x + item.w + thick, rect[1] + item.y - thick
                canvas.fill((x, y, look.sans.width(text) + 3, look.sans.height), look.theme.accent)
                canvas.text(x + 1, y, text, look.sans, look.theme.on_accent)


@dataclass(kw_only=True)
class MarkBoard(Board):
    """A click puts the mark at a point, or moves it there; arrow keys move it by a pixel, with CTRL by ten.

    Args:
        radius: of the mark's ring in pixels: how far it may be from what is meant.
        mark: its middle, or None before the first click.
        anchor: where a line to the mark starts, or None for no line.
    """

    focusable: ClassVar[bool] = True

    radius: int = 6
    mark: Point | None = None
    anchor: Point | None = None

    @property
    def value(self) -> Any:
        return list(self.mark) if self.mark else []

    def put(self, session: Session, window: Window, x: int, y: int) -> None:
        """Put the mark at a pixel of the board, or at the nearest one inside it."""
        self.mark = max(1, min(x, self.w - 2)), max(1, min(y, self.h - 2))
        session.changed(window, self)

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        if pointer.button is Button.LEFT:
            self.put(session, window, pointer.x, pointer.y)

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        self.put(session, window, pointer.x, pointer.y)

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        if stroke.key not in ARROWS or stroke.modifiers - {Modifier.CTRL}:
            return False
        x, y = self.mark or (self.w // 2, self.h // 2)
        dx, dy = ARROWS[stroke.key]
        by = 10 if stroke.modifiers else 1
        self.put(session, window, x + by * dx, y + by * dy)
        return True

    def draw_made(self, canvas: Canvas, rect: Rect, look: Look) -> None:
        if self.mark:
            x, y = rect[0] + self.mark[0], rect[1] + self.mark[1]
            color, thick = look.theme.accent, max(1, look.size.font // 9)
            if self.anchor:
                draw_line(canvas, (rect[0] + self.anchor[0], rect[1] + self.anchor[1]), (x, y), color, thick + 1)
            draw_ring(canvas, x, y, self.radius, color, thick)
            canvas.fill((x - self.radius, y, 2 * self.radius + 1, 1), color)
            canvas.fill((x, y - self.radius, 1, 2 * self.radius + 1), color)
