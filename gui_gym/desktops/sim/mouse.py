"""What the pointer does: raise, move and close windows, open menus, and reach the widgets."""

from __future__ import annotations

from gui_gym.actions import Button, Modifier
from gui_gym.desktops.sim.canvas import inside
from gui_gym.desktops.sim.icons import press_icon
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import CLOSE, MOVE, WIDGET, Grab, Popup
from gui_gym.desktops.sim.widgets.base import Pointer

_NONE: frozenset[Modifier] = frozenset()


def move_to(session: Session, x: int, y: int) -> None:
    """The pointer goes to a pixel; what it holds comes along."""
    state = session.state
    if (x, y) == state.cursor:
        return
    state.cursor = (x, y)
    if state.popup:
        _point_at_item(session, state.popup)
    grab = state.grab
    window = state.window(grab.window) if grab else None
    if grab is None or window is None:
        return
    if grab.part == MOVE:
        session.move(window, x - grab.dx, y - grab.dy)
    elif grab.part == WIDGET and (widget := window.find(grab.widget)) is not None:
        left, top, _, _ = window.rect_of(widget)
        widget.motion(session, window, Pointer(x - left, y - top, Button.LEFT, 1, state.modifiers))
        session.touch(window, widget)


def button_down(session: Session, button: Button, count: int = 1, modifiers: frozenset[Modifier] = _NONE) -> None:
    """A mouse button goes down where the pointer is. One that is down already stays so."""
    state = session.state
    if button in state.buttons:
        return
    state.buttons.append(button)
    x, y = state.cursor
    if state.popup and _press_menu(session, state.popup, button):
        return
    for window, rect in session.bar_rects():
        if inside(rect, x, y):
            if button is Button.LEFT:
                session.activate(window)
            return
    under = session.window_at(x, y) if y < session.work_area[3] else None
    if under is None:
        if button is Button.LEFT:
            press_icon(session, count)
        return
    session.activate(under)
    if inside(session.title_rect(under), x, y):
        if button is Button.LEFT:
            part = CLOSE if inside(session.close_rect(under), x, y) else MOVE
            state.grab = Grab(under.id, part, "", x - under.x, y - under.y)
            if part == CLOSE:
                session.redraw(session.title_rect(under))
        return
    widget = session.widget_at(under, x, y)
    if widget is None:
        return
    if widget.focusable:
        session.focus(under, widget)
    if button is Button.LEFT:
        state.grab = Grab(under.id, WIDGET, widget.id)
    left, top, _, _ = under.rect_of(widget)
    widget.press(session, under, Pointer(x - left, y - top, button, count, modifiers))
    session.touch(under, widget)


def button_up(session: Session, button: Button, count: int = 1, modifiers: frozenset[Modifier] = _NONE) -> None:
    """A mouse button goes up where the pointer is."""
    state = session.state
    if button not in state.buttons:
        return
    state.buttons.remove(button)
    grab = state.grab
    if button is not Button.LEFT or grab is None:
        return
    state.grab = None
    window = state.window(grab.window)
    if window is None:
        return
    x, y = state.cursor
    if grab.part == CLOSE:
        session.redraw(session.title_rect(window))
        if inside(session.close_rect(window), x, y):
            session.close(window)
    elif grab.part == WIDGET and (widget := window.find(grab.widget)) is not None:
        left, top, _, _ = window.rect_of(widget)
        widget.release(session, window, Pointer(x - left, y - top, button, count, modifiers))
        session.touch(window, widget)
        popup = state.popup
        if popup and (popup.window, popup.widget) == (grab.window, grab.widget) and 0 <= popup.selected == _item_at(session, popup):
            _choose(session, popup)  # pressed on the menu's title, drawn to an item and let go there


def wheel(session: Session, dx: int, dy: int) -> None:
    """The wheel turns over what is under the pointer, without raising it."""
    x, y = session.state.cursor
    window = session.window_at(x, y) if y < session.work_area[3] and session.state.popup is None else None
    widget = session.widget_at(window, x, y) if window is not None else None
    if window is not None and widget is not None:
        widget.wheel(session, window, dx, dy)
        session.touch(window, widget)


def _press_menu(session: Session, popup: Popup, button: Button) -> bool:
    """A press while a menu is open; whether the menu took it. A press elsewhere only closes it, but its bar may open the next."""
    x, y = session.state.cursor
    owner = session.state.window(popup.window)
    px, py, w, h = popup.rect
    if not inside((px, py, w, h), x, y):
        session.dismiss()
        hit = session.widget_at(owner, x, y) if owner is not None and session.window_at(x, y) is owner else None
        return hit is None or hit.id != popup.widget or hit.role != "menu bar"
    if button is Button.LEFT:
        _choose(session, popup)
    return True


def _item_at(session: Session, popup: Popup) -> int:
    """The index of the menu's item under the pointer, or -1."""
    rects = enumerate(zip(popup.items, session.item_rects(popup), strict=True))
    return next((i for i, (item, rect) in rects if item != "-" and inside(rect, *session.state.cursor)), -1)


def _point_at_item(session: Session, popup: Popup) -> None:
    """Mark the item under the pointer."""
    at = _item_at(session, popup)
    if at != popup.selected:
        popup.selected = at
        x, y, w, h = popup.rect
        session.redraw((x, y, w, h))


def _choose(session: Session, popup: Popup) -> None:
    """Choose the item under the pointer, if there is one."""
    at, owner = _item_at(session, popup), session.state.window(popup.window)
    if at >= 0 and owner is not None:
        session.dismiss()
        owner.widget(popup.widget).chosen(session, owner, popup.items[at])
