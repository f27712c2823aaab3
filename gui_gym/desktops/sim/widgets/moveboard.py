"""A board whose items are dragged about, put into others, resized, or led around obstacles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Button, Key
from gui_gym.desktops.sim.canvas import Canvas, Rect, inside, intersect
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke
from gui_gym.desktops.sim.widgets.board import ARROWS, Board, Item
from gui_gym.desktops.sim.widgets.shapes import Point

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window

GRIP, BODY = "grip", "body"  #: what of an item is held


@dataclass(kw_only=True)
class MovePiece(Item):
    """An item of a :class:`MoveBoard`.

    Args:
        sizable: whether it is resized by the grip in its lower right corner.
        holds: whether what is let go over it goes into it and is not seen any more.
        wall: whether nothing can be dragged through it.
        inside: id of the item it was put into, or "".
    """

    sizable: bool = False
    holds: bool = False
    wall: bool = False
    inside: str = ""


@dataclass(kw_only=True)
class MoveBoard(Board):
    """Active items are dragged ("moved" with the item's id when let go; "dropped" with "item > holder" when put into another).

    With the keyboard, Page Up and Page Down choose an item and the arrow keys move it.

    Args:
        cells: columns and rows of a grid whose cells the items keep to, one in each; or None.
        unit: the pixels that sizes of resized items keep to and are shown in, 0 if they are not shown.
    """

    focusable: ClassVar[bool] = True

    cells: tuple[int, int] | None = None
    unit: int = 0
    held: str = ""  #: GRIP or BODY while an item is dragged
    offset: Point = (0, 0)  #: from the held item's corner, or its lower right corner, to the pointer
    origin: Point = (0, 0)  #: where the held item was

    @property
    def value(self) -> Any:
        return {item.id: self.item_value(item) for item in sorted(self.pieces(), key=lambda item: item.id)}

    def item_value(self, item: Item) -> Any:
        if not isinstance(item, MovePiece) or not item.active:
            return None
        return item.inside or list(item.box)

    def pieces(self) -> list[MovePiece]:
        """The items that can be moved."""
        return [item for item in self.items if isinstance(item, MovePiece) and item.active]

    def active_items(self) -> list[Item]:
        return [piece for piece in self.pieces() if not piece.inside]

    def item_at(self, x: int, y: int) -> MovePiece | None:
        return next((piece for piece in reversed(self.pieces()) if not piece.inside and inside(piece.box, x, y)), None)

    def grip(self, look: Look, piece: MovePiece) -> Rect:
        """The grip of a resizable item, relative to the board."""
        side = max(6, look.size.font)
        return piece.x + piece.w - side, piece.y + piece.h - side, side, side

    def cell_rect(self, column: int, row: int) -> Rect:
        """A cell of the grid, relative to the board."""
        assert self.cells is not None
        w, h = self.w // self.cells[0], self.h // self.cells[1]
        return (self.w - w * self.cells[0]) // 2 + column * w, (self.h - h * self.cells[1]) // 2 + row * h, w, h

    def cell_of(self, item: Item) -> tuple[int, int]:
        """The column and row of the cell that an item's middle is in, or the nearest one."""
        assert self.cells is not None
        left, top, w, h = self.cell_rect(0, 0)
        x, y = item.middle
        return max(0, min((x - left) // w, self.cells[0] - 1)), max(0, min((y - top) // h, self.cells[1] - 1))

    # Moving

    def _free(self, piece: MovePiece, x: int, y: int) -> bool:
        """Whether an item could be at ``(x, y)`` without touching a wall."""
        walls = [item for item in self.items if isinstance(item, MovePiece) and item.wall]
        return not any(intersect((x, y, piece.w, piece.h), wall.box) for wall in walls)

    def _go(self, piece: MovePiece, x: int, y: int) -> bool:
        """Move an item as far as the board's edges allow; False, with nothing moved, if a wall is in the way."""
        x, y = max(1, min(x, self.w - 1 - piece.w)), max(1, min(y, self.h - 1 - piece.h))
        steps = max(abs(x - piece.x), abs(y - piece.y))
        if any(isinstance(item, MovePiece) and item.wall for item in self.items):
            for i in range(1, steps + 1):
                if not self._free(piece, piece.x + (x - piece.x) * i // steps, piece.y + (y - piece.y) * i // steps):
                    return False
        piece.x, piece.y = x, y
        return True

    def _settle(self, piece: MovePiece) -> None:
        """Put an item into the middle of the cell it is over, or back if another one is there."""
        if not self.cells:
            return
        if any(other is not piece and not other.inside and self.cell_of(other) == self.cell_of(piece) for other in self.pieces()):
            piece.x, piece.y = self.origin
        x, y, w, h = self.cell_rect(*self.cell_of(piece))
        piece.x, piece.y = x + (w - piece.w) // 2, y + (h - piece.h) // 2

    def _resize(self, piece: MovePiece, right: int, bottom: int) -> None:
        """Move an item's lower right corner, by whole units."""
        unit = max(1, self.unit)
        piece.w = unit * max(1, min((right - piece.x + unit // 2) // unit, (self.w - 1 - piece.x) // unit))
        piece.h = unit * max(1, min((bottom - piece.y + unit // 2) // unit, (self.h - 1 - piece.y) // unit))

    # Input

    def press(self, session: Session, window: Window, pointer: Pointer) -> None:
        self.held = ""
        piece = self.item_at(pointer.x, pointer.y)
        if piece is None or pointer.button is not Button.LEFT:
            return
        self.chosen_item, self.origin = piece.id, (piece.x, piece.y)
        if piece.sizable and inside(self.grip(session.look, piece), pointer.x, pointer.y):
            self.held, self.offset = GRIP, (pointer.x - piece.x - piece.w, pointer.y - piece.y - piece.h)
        else:
            self.held, self.offset = BODY, (pointer.x - piece.x, pointer.y - piece.y)
        self.items.remove(piece)
        self.items.append(piece)

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        if not self.held:
            return
        piece = self.item(self.chosen_item)
        assert isinstance(piece, MovePiece)
        x, y = pointer.x - self.offset[0], pointer.y - self.offset[1]
        if self.held == GRIP:
            self._resize(piece, x, y)
        elif not self._go(piece, x, y):  # it touched a wall: back to where it was taken
            piece.x, piece.y = self.origin
            self.held = ""
            session.signal(window, self, "crashed", piece.id)

    def release(self, session: Session, window: Window, pointer: Pointer) -> None:
        if not self.held:
            return
        piece = self.item(self.chosen_item)
        assert isinstance(piece, MovePiece)
        body, self.held = self.held == BODY, ""
        holders = [item for item in self.items if isinstance(item, MovePiece) and item.holds and item is not piece]
        holder = next((item for item in reversed(holders) if inside(item.box, pointer.x, pointer.y)), None)
        if body and holder:
            piece.inside = holder.id
            session.signal(window, self, "dropped", f"{piece.id} > {holder.id}")
            return
        if body:
            self._settle(piece)
        session.signal(window, self, "moved", piece.id)

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        if stroke.modifiers or self.held:
            return False
        if stroke.key in (Key.PAGE_UP, Key.PAGE_DOWN):
            self.choose_next(1 if stroke.key is Key.PAGE_DOWN else -1)
            return True
        piece = next((item for item in self.pieces() if item.id == self.chosen_item and not item.inside), None)
        if stroke.key not in ARROWS or piece is None:
            return False
        dx, dy = ARROWS[stroke.key]
        _, _, w, h = self.cell_rect(0, 0) if self.cells else (0, 0, 2, 2)
        self.origin = piece.x, piece.y
        if self._go(piece, piece.x + dx * w, piece.y + dy * h):
            self._settle(piece)
            session.signal(window, self, "moved", piece.id)
        return True

    # Drawing

    def shown(self) -> list[Item]:
        return [item for item in self.items if not (isinstance(item, MovePiece) and item.inside)]

    def draw_state(self, canvas: Canvas, rect: Rect, look: Look, item: Item, chosen: bool) -> None:
        super().draw_state(canvas, rect, look, item, chosen)
        if not isinstance(item, MovePiece) or not item.sizable:
            return
        x, y, w, h = self.grip(look, item)
        left, top = rect[0] + x, rect[1] + y
        canvas.fill((left, top, w, h), look.theme.field)
        canvas.outline((left, top, w, h), look.theme.text)
        if self.unit:
            text = f"{item.w // self.unit} × {item.h // self.unit}"
            wide = look.sans.width(text)
            canvas.fill((rect[0] + item.x + 2, rect[1] + item.y + 2, wide + 4, look.sans.height), look.theme.field)
            canvas.text(rect[0] + item.x + 4, rect[1] + item.y + 2, text, look.sans, look.theme.text)
