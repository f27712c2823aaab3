"""The accessibility tree: every window, widget and menu item with role, name, bounds and value."""

from __future__ import annotations

from typing import Any

from gui_gym.desktops.sim.canvas import Rect
from gui_gym.desktops.sim.icons import icon_rects
from gui_gym.desktops.sim.session import Session


def node(role: str, name: str, rect: Rect, value: Any = None, children: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """One node of the tree; ``bounds`` are pixels of the screen."""
    return {"role": role, "name": name, "bounds": list(rect), "value": value, "children": children or []}


def accessibility_tree(session: Session) -> dict[str, Any]:
    """The tree of a session, windows from the topmost down."""
    state, look = session.state, session.look
    windows = []
    for window in reversed(state.windows):
        parts = [node("push button", "Close", session.close_rect(window))]
        for widget in window.widgets:
            rect = window.rect_of(widget)
            parts.append(node(widget.role, widget.name, rect, widget.value, widget.children(rect, look)))
        windows.append(node(window.role, window.title, window.bounds, None, parts))
    menus = []
    if state.popup:
        x, y, w, h = state.popup.rect
        items = [node("menu item", item, rect) for item, rect in zip(state.popup.items, session.item_rects(state.popup), strict=True) if item != "-"]
        menus.append(node("menu", "", (x, y, w, h), None, items))
    icons = [node("icon", name, rect, name == state.icon) for name, rect in icon_rects(session)]
    buttons = [node("push button", window.title, rect, window is session.active) for window, rect in session.bar_rects()]
    bar = [node("panel", "Task bar", (0, session.work_area[3], state.width, look.size.bar), None, buttons)] if look.size.bar else []
    return node("desktop frame", "Desktop", (0, 0, state.width, state.height), None, menus + windows + bar + icons)
