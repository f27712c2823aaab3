"""What can be seen on a simulated screen: named things and where they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from gui_gym.desktops.sim.canvas import Rect, inside, intersect
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import Window
from gui_gym.desktops.sim.widgets.area import TextArea
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.desktops.sim.widgets.basic import Button
from gui_gym.desktops.sim.widgets.icon_button import IconButton
from gui_gym.tasks.sim.words import COLORS, MORE_COLORS

_NAMED_COLORS = {rgb: name for name, rgb in (COLORS | MORE_COLORS).items()}


@dataclass(frozen=True)
class Thing:
    """Something on the screen.

    Args:
        name: what it says or is called, such as "Save" or "red tile".
        role: as the accessibility tree has it: "push button", "text", ...
        rect: ``(x, y, w, h)`` of what can be seen of it, in pixels of the screen.
        value: its state: a text, a number, a bool or None.
        written: whether ``name`` can be read on the screen (else it describes what is seen).
    """

    name: str
    role: str
    rect: Rect
    value: object = None
    written: bool = True

    @property
    def middle(self) -> tuple[int, int]:
        x, y, w, h = self.rect
        return x + w // 2, y + h // 2


def things(session: Session) -> list[Thing]:
    """The named things of a session whose middle can be seen, windows' titles among them."""
    screen = (0, 0, session.state.width, session.state.height)
    found = []
    if session.state.popup is not None:  # an open menu lies above all, and only it can be used
        popup = session.state.popup
        for item, rect in zip(popup.items, session.item_rects(popup), strict=True):
            inner = intersect(rect, cast(Rect, tuple(popup.rect)))
            if inner and popup.label(item).strip():
                found.append(Thing(popup.label(item), "menu item", inner))
        return found
    for window in session.shown:
        seen = intersect(window.bounds, screen)
        for thing in _of_window(session, window) if seen else ():
            part = intersect(thing.rect, seen) if seen else None
            if part and thing.name.strip():
                clear = Thing(thing.name, thing.role, part, thing.value, thing.written)
                if session.window_at(*clear.middle) is window:
                    found.append(clear)
    return found


def _of_window(session: Session, window: Window) -> Iterator[Thing]:
    x, y, w, h = session.title_rect(window)
    wide = min(w, session.look.bold.width(window.title) + 2 * session.look.size.pad)
    yield Thing(window.title, "title", (x, y, wide, h))
    for name, rect in session.title_buttons(window):
        yield Thing(f"{name} button", "push button", rect, written=False)
    for widget in window.widgets:
        rect = window.rect_of(widget)
        yield from _of_widget(session, widget, rect)


def _of_widget(session: Session, widget: Widget, rect: Rect) -> Iterator[Thing]:
    look = session.look
    if isinstance(widget, IconButton):
        yield Thing(widget.picture, "picture", rect, written=False)
    elif isinstance(widget, Button) and not widget.name:
        if widget.color in _NAMED_COLORS:
            yield Thing(f"{_NAMED_COLORS[widget.color]} tile", "tile", rect, written=False)
    elif isinstance(widget, TextArea):
        height, (x, y, w, _) = widget.font(look).height, rect
        for row, line in enumerate(str(widget.value).split("\n")[widget.top : widget.top + widget.rows_in_view(look)]):
            wide = min(w - 2 * look.size.gap, widget.font(look).width(line))
            yield Thing(line, "line", (x + look.size.gap, y + look.size.gap + row * height, max(1, wide), height))
    elif widget.name:
        yield Thing(widget.name, widget.role, rect, widget.value, written=widget.role not in ("text", "entry"))
    for node in widget.children(rect, look):
        yield from _of_node(node, rect)


def _of_node(node: dict[str, Any], clip: Rect) -> Iterator[Thing]:
    part = intersect(cast(Rect, tuple(node["bounds"])), clip)
    if part and node["name"]:
        yield Thing(node["name"], node["role"], part, node["value"], written=node["role"] not in ("image", "shape"))
    for child in node["children"]:
        yield from _of_node(child, clip)


def at(found: list[Thing], x: int, y: int) -> list[Thing]:
    """Those of ``found`` at a pixel."""
    return [thing for thing in found if inside(thing.rect, x, y)]
