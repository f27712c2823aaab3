"""What trees and collapsible sections share: nested entries, of which those under a closed one are hidden."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from gui_gym.actions import Key
from gui_gym.desktops.sim.canvas import Canvas, Color, Rect
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.widgets.base import Pointer, Stroke
from gui_gym.desktops.sim.widgets.scroll import Scrolling

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window

BETWEEN = " > "  #: between the names of a path


@dataclass
class Node:
    """An entry with entries below it, which are hidden while it is not ``open``. Names of siblings differ."""

    name: str
    nodes: list[Node] = field(default_factory=list)
    open: bool = False


@dataclass(frozen=True)
class Row:
    """An entry that is not hidden: its node, how deep it is, and its path of names."""

    node: Node
    depth: int
    path: str


@dataclass(kw_only=True)
class Outline(Scrolling):
    """Rows of nested entries. Arrow keys go through them: Right opens one or goes into it, Left closes it or goes out of it.

    Args:
        nodes: the outermost entries.
        selected: path of the selected entry, names joined by :data:`BETWEEN`, or "".
    """

    focusable: ClassVar[bool] = True

    nodes: list[Node] = field(default_factory=list)
    selected: str = ""

    def rows(self) -> list[Row]:
        """The entries that are not hidden, from the top."""
        found: list[Row] = []
        stack = [Row(node, 0, node.name) for node in reversed(self.nodes)]
        while stack:
            row = stack.pop()
            found.append(row)
            if row.node.open:
                stack += [Row(node, row.depth + 1, row.path + BETWEEN + node.name) for node in reversed(row.node.nodes)]
        return found

    def role_of(self, row: Row) -> str:
        """What an entry is, for accessibility."""
        return "tree item"

    def row_height(self, look: Look) -> int:
        """The height of a row in pixels."""
        return look.size.control - (4 if look.size.font >= 11 else 2)

    def rows_in_all(self, look: Look) -> int:
        return len(self.rows())

    def rows_in_view(self, look: Look) -> int:
        return max(1, (self.h - 2) // self.row_height(look))

    def row_rect(self, look: Look, row: int) -> Rect | None:
        """A row's bounds relative to the widget, or None if it is out of view."""
        if not self.top <= row < self.top + self.rows_in_view(look):
            return None
        height = self.row_height(look)
        return 1, 1 + (row - self.top) * height, self.w - 2 - (self.track(look)[2] if self.thumb(look) else 0), height

    def arrow_rect(self, look: Look, row: int, depth: int) -> Rect | None:
        """The bounds of the arrow before an entry with entries below it, relative to the widget."""
        place = self.row_rect(look, row)
        step = look.size.font + look.size.gap
        return (place[0] + depth * step, place[1], step, place[3]) if place else None

    def row_at(self, look: Look, y: int) -> int:
        """The row at a pixel from the widget's upper edge, or -1."""
        row = self.top + (y - 1) // self.row_height(look)
        return row if y >= 1 and row < min(self.rows_in_all(look), self.top + self.rows_in_view(look)) else -1

    def at(self, path: str) -> int:
        """The row of a path, or -1 if it is hidden."""
        return next((i for i, row in enumerate(self.rows()) if row.path == path), -1)

    def children(self, rect: Rect, look: Look) -> list[dict[str, Any]]:
        nodes = []
        for i, row in enumerate(self.rows()):
            place = self.row_rect(look, i)
            if place:
                bounds = [rect[0] + place[0], rect[1] + place[1], place[2], place[3]]
                state = {"selected": row.path == self.selected, "level": row.depth}
                if row.node.nodes:
                    state["open"] = row.node.open
                nodes.append({"role": self.role_of(row), "name": row.node.name, "bounds": bounds, "value": state, "children": []})
        return nodes

    # Changes

    def select(self, session: Session, window: Window, row: Row) -> None:
        """Select an entry and bring it into view."""
        self.selected = row.path
        self.reveal(session.look, self.at(row.path))
        session.signal(window, self, "selected", row.path)

    def toggle(self, session: Session, window: Window, row: Row) -> None:
        """Open or close an entry; if that hides the selected one, it is selected itself."""
        row.node.open = not row.node.open
        if self.selected.startswith(row.path + BETWEEN):
            self.selected = row.path
        self.scroll_to(session.look, self.top)
        session.signal(window, self, "opened" if row.node.open else "folded", row.path)

    # Input

    def motion(self, session: Session, window: Window, pointer: Pointer) -> None:
        self.move_bar(session.look, pointer)

    def use(self, session: Session, window: Window, row: Row) -> None:
        """Enter or Space on the selected entry."""
        raise NotImplementedError

    def stroke(self, session: Session, window: Window, stroke: Stroke) -> bool:
        rows = self.rows()
        if stroke.modifiers or not rows:
            return False
        at, last, page = self.at(self.selected), len(rows) - 1, max(1, self.rows_in_view(session.look) - 1)
        keys = {Key.UP: at - 1 if at >= 0 else last, Key.DOWN: at + 1, Key.HOME: 0, Key.END: last, Key.PAGE_UP: at - page, Key.PAGE_DOWN: at + page}
        if stroke.key in keys:
            self.select(session, window, rows[max(0, min(keys[stroke.key], last))])
        elif at < 0 or stroke.key not in (Key.LEFT, Key.RIGHT, Key.ENTER, Key.SPACE):
            return False
        elif stroke.key in (Key.ENTER, Key.SPACE):
            self.use(session, window, rows[at])
        elif rows[at].node.nodes and rows[at].node.open == (stroke.key is Key.LEFT):
            self.toggle(session, window, rows[at])
        elif stroke.key is Key.RIGHT and rows[at].node.nodes:
            self.select(session, window, rows[at + 1])
        elif stroke.key is Key.LEFT and rows[at].depth:
            self.select(session, window, next(row for row in reversed(rows[:at]) if row.depth < rows[at].depth))
        return True

    # Drawing

    def draw(self, canvas: Canvas, rect: Rect, look: Look, focused: bool) -> None:
        x, y, _, _ = rect
        canvas.fill(rect, look.theme.field)
        for i, row in enumerate(self.rows()):
            place = self.row_rect(look, i)
            if place:
                self.draw_row(canvas, (x + place[0], y + place[1], place[2], place[3]), row, look)
        canvas.outline(rect, look.theme.accent if focused else look.theme.border)
        self.draw_bar(canvas, rect, look)

    def draw_row(self, canvas: Canvas, rect: Rect, row: Row, look: Look) -> None:
        """Draw one entry at ``rect`` on the screen."""
        raise NotImplementedError


def draw_arrow(canvas: Canvas, rect: Rect, down: bool, look: Look, color: Color) -> None:
    """A small filled triangle in the middle of ``rect``, that points down or to the right."""
    half = max(2, look.size.font // 4)
    x, y = rect[0] + rect[2] // 2, rect[1] + rect[3] // 2
    for i in range(half + 1):
        if down:
            canvas.fill((x - half + i, y - half // 2 + i, 2 * (half - i) + 1, 1), color)
        else:
            canvas.fill((x - half // 2 + i, y - half + i, 1, 2 * (half - i) + 1), color)
