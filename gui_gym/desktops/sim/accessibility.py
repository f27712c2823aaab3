"""The accessibility tree: every window, widget and menu item with role, name, bounds and value."""

from __future__ import annotations

from typing import Any

from gui_gym.desktops.sim import menus, shell
from gui_gym.desktops.sim.canvas import Rect, inset, intersect
from gui_gym.desktops.sim.icons import caption, icon_rects
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.widgets.scroll import Scrolling


def node(role: str, name: str, rect: Rect, value: Any = None, children: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """One node of the tree; ``bounds`` are pixels of the screen."""
    return {"role": role, "name": name, "bounds": list(rect), "value": value, "children": children or []}


def accessibility_tree(session: Session) -> dict[str, Any]:
    """The tree of a session: what is above all, then windows from the topmost down, the task bar and the icons.

    The bounds of what is not a window are the part of it that is not cut off by its window or by the screen's border; what is cut off is left out.
    """
    screen = (0, 0, session.state.width, session.state.height)
    parts = _overlays(session) + _windows(session) + _bar(session) + _icons(session)
    return node("desktop frame", session.label("Desktop"), screen, None, parts)


def _within(clip: Rect, nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The nodes of which something is inside ``clip``, with the bounds of that."""
    result = []
    for each in nodes:
        x, y, w, h = each["bounds"]
        part = intersect((x, y, w, h), clip)
        if part:
            result.append({**each, "bounds": list(part), "children": _within(part, each["children"])})
    return result


def _overlays(session: Session) -> list[dict[str, Any]]:
    state = session.state
    nodes = []
    if state.tip:
        nodes.append(node("tool tip", state.tip.text, state.tip.rect))
    if state.switching >= 0:
        rows = zip(session.recent, shell.switcher_rows(session), strict=True)
        items = [node("list item", window.title, rect, i == state.switching) for i, (window, rect) in enumerate(rows)]
        nodes.append(node("list", session.label("Windows"), shell.switcher_rect(session), None, _within(shell.switcher_rect(session), items)))
    for popup in reversed(menus.chain(state.popup)) if state.popup else ():
        x, y, w, h = popup.rect
        items = []
        for i, (item, rect) in enumerate(zip(popup.items, menus.item_rects(session, popup), strict=True)):
            if item != menus.SEPARATOR and intersect(rect, inset((x, y, w, h), 1)):
                items.append(node("menu" if menus.submenu(item) else "menu item", popup.label(item), rect, i == popup.selected))
        nodes.append(node("menu", popup.path, (x, y, w, h), None, items))
    return nodes


def _windows(session: Session) -> list[dict[str, Any]]:
    screen = (0, 0, session.state.width, session.state.height)
    windows = []
    for window in reversed(session.shown):
        parts = []
        for name, rect in session.title_buttons(window):
            parts.append(node("push button", session.label(shell.button_name(window, name)), rect))
        for widget in window.widgets:
            rect = window.rect_of(widget)
            part = node(widget.role, widget.name, rect, widget.spoken, widget.children(rect, session.look))
            if isinstance(widget, Scrolling):
                name = session.label("Scroll bar")
                bars = widget.bars(session.look)
                part["children"] += [node("scroll bar", name, (rect[0] + x, rect[1] + y, w, h), share) for (x, y, w, h), share in bars]
            if not widget.enabled:
                part["enabled"] = False
            parts.append(part)
        seen = intersect(window.bounds, screen)
        windows.append(node(window.role, window.title, window.bounds, None, _within(seen, parts) if seen else []))
    return windows


def _bar(session: Session) -> list[dict[str, Any]]:
    if not session.has_shell:
        return []
    settings = session.state.settings
    values: dict[str, Any] = {
        shell.CLOCK: shell.clock(session),
        shell.WIFI: settings["wifi"],
        shell.VOLUME: "muted" if settings["mute"] else settings["volume"],
    }
    parts = [
        node("label" if name == shell.CLOCK else "push button", session.label(shell.NAMES[name]), rect, values.get(name))
        for name, rect in shell.bar_parts(session).items()
    ]
    buttons = [node("push button", window.title, rect, session.active in session.group(window)) for window, rect in shell.bar_rects(session)]
    _, _, width, height = session.work_area
    return [node("panel", session.label("Task bar"), (0, height, width, session.look.size.bar), None, parts + buttons)]


def _icons(session: Session) -> list[dict[str, Any]]:
    return [node("icon", caption(session, name), rect, name == session.state.icon) for name, rect in icon_rects(session)]
