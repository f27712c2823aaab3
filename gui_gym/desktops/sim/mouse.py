"""What the pointer does: raise, move, resize and close windows, open menus, and reach the widgets."""

from __future__ import annotations

from gui_gym.actions import Button, Modifier
from gui_gym.desktops.sim import icons, keyboard, menus, shell
from gui_gym.desktops.sim.canvas import inside
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import CLOSE, MAXIMISE, MINIMISE, MOVE, RESIZE, WIDGET, Grab, Press, Window
from gui_gym.desktops.sim.widgets.base import Pointer, Widget

_NONE: frozenset[Modifier] = frozenset()
NEAR = 4  #: pixels that the presses of a double click may lie apart


def move_to(session: Session, x: int, y: int) -> None:
    """The pointer goes to a pixel; what it holds comes along."""
    state = session.state
    if (x, y) == state.cursor:
        return
    state.cursor = (x, y)
    if state.popup:
        menus.point(session)
    grab = state.grab
    window = state.window(grab.window) if grab else None
    if grab is None or window is None:
        return
    if grab.part == MOVE:
        _move_window(session, window, grab)
    elif grab.part == RESIZE:
        _resize_window(session, window, grab)
    elif grab.part == WIDGET and (widget := window.find(grab.widget)) is not None:
        left, top, _, _ = window.rect_of(widget)
        widget.motion(session, window, Pointer(x - left, y - top, Button.LEFT, 1, state.modifiers))
        session.touch_used(window, widget)


def button_down(session: Session, button: Button, count: int = 0, modifiers: frozenset[Modifier] = _NONE) -> None:
    """A mouse button goes down where the pointer is. One that is down already stays so.

    ``count`` 0 continues the clicks before it: a second press near the first one is a double click, a third one a triple click.
    """
    state = session.state
    if button in state.buttons:
        return
    state.buttons.append(button)
    x, y = state.cursor
    if state.switching >= 0:
        _press_switcher(session, button)
        return
    if state.popup and menus.press(session, state.popup, button):
        state.press = None
        return
    on_bar = y >= session.work_area[3]
    under = None if on_bar else session.window_at(x, y)
    widget = session.widget_at(under, x, y) if under is not None else None
    count = _count(session, button, f"{under.id if under else ''}/{widget.id if widget else ''}", count)
    if on_bar:
        shell.press_bar(session, button is Button.LEFT, button is Button.RIGHT)
    elif under is None:
        icons.press(session, button, count, modifiers)
    elif session.blocker(under):
        session.activate(under)
    else:
        session.activate(under)
        if not _press_frame(session, under, button, count) and widget is not None:
            _press_widget(session, under, widget, button, count, modifiers)


def _press_switcher(session: Session, button: Button) -> None:
    """A press while ALT+TAB shows its list raises the window whose name is pressed; beside the list it only takes the list away."""
    state, rect = session.state, shell.switcher_rect(session)
    hit = next((i for i, row in enumerate(shell.switcher_rows(session)) if inside(row, *state.cursor)), -1) if inside(rect, *state.cursor) else -1
    if hit >= 0 and button is Button.LEFT:
        state.switching = hit
        keyboard.end_switch(session)
    elif hit < 0:
        state.switching = -1
        session.redraw_all()


def _count(session: Session, button: Button, target: str, count: int) -> int:
    """Which press of a double or triple click this is, kept for the next one."""
    state, last = session.state, session.state.press
    x, y = state.cursor
    if not count:
        near = last is not None and abs(x - last.x) <= NEAR and abs(y - last.y) <= NEAR
        count = last.count % 3 + 1 if last is not None and near and (last.button, last.target) == (button, target) else 1
    state.press = Press(x, y, button, target, count)
    return count


def _press_frame(session: Session, window: Window, button: Button, count: int) -> bool:
    """A press on a window's borders or title bar; whether it was one."""
    state, (x, y) = session.state, session.state.cursor
    titled = inside(session.title_rect(window), x, y)
    part = next((name for name, rect in session.title_buttons(window) if inside(rect, x, y)), "") if titled else ""
    edges = "" if part else session.edges_at(window, x, y)
    if edges:
        if button is Button.LEFT:
            right, bottom = "right" in edges, "bottom" in edges
            dx, dy = x - window.x - (window.w if right else 0), y - window.y - (window.h if bottom else 0)
            state.grab = Grab(window.id, RESIZE, dx=dx, dy=dy, edges=edges)
        return True
    if not titled:
        return False
    if button is Button.RIGHT:
        shell.window_menu(session, window, x, y)
    elif button is Button.LEFT and not part and count == 2 and window.resizable:
        (session.restore if window.maximised else session.maximise)(window)
    elif button is Button.LEFT:
        state.grab = Grab(window.id, part or MOVE, "", x - window.x, y - window.y)
        if part:
            session.redraw(session.title_rect(window))
    return True


def _press_widget(session: Session, window: Window, widget: Widget, button: Button, count: int, modifiers: frozenset[Modifier]) -> None:
    if not widget.enabled:
        return
    if widget.focusable:
        session.focus(window, widget)
    if button is Button.LEFT:
        session.state.grab = Grab(window.id, WIDGET, widget.id)
    left, top, _, _ = window.rect_of(widget)
    x, y = session.state.cursor
    widget.press(session, window, Pointer(x - left, y - top, button, count, modifiers))
    session.touch_used(window, widget)


def button_up(session: Session, button: Button, count: int = 1, modifiers: frozenset[Modifier] = _NONE) -> None:
    """A mouse button goes up where the pointer is."""
    state = session.state
    if button not in state.buttons:
        return
    state.buttons.remove(button)
    x, y = state.cursor
    if state.press and max(abs(x - state.press.x), abs(y - state.press.y)) > NEAR:
        state.press = None  # it was drawn elsewhere, which is no click
    grab = state.grab
    if button is not Button.LEFT or grab is None:
        return
    state.grab = None
    window = state.window(grab.window)
    if window is None:
        return
    if grab.part in (CLOSE, MAXIMISE, MINIMISE):
        session.redraw(session.title_rect(window))
        if inside(dict(session.title_buttons(window)).get(grab.part, (0, 0, 0, 0)), x, y):
            _use_title_button(session, window, grab.part)
    elif grab.part == WIDGET and (widget := window.find(grab.widget)) is not None:
        left, top, _, _ = window.rect_of(widget)
        widget.release(session, window, Pointer(x - left, y - top, button, count, modifiers))
        session.touch_used(window, widget)
        popup = state.popup
        if popup and (popup.window, popup.widget) == (grab.window, grab.widget):
            menus.release(session)


def _use_title_button(session: Session, window: Window, part: str) -> None:
    if part == CLOSE:
        session.ask_to_close(window)
    elif part == MINIMISE:
        session.minimise(window)
    else:
        (session.restore if window.maximised else session.maximise)(window)


def _move_window(session: Session, window: Window, grab: Grab) -> None:
    """The title bar is drawn along. A maximised window gets its former size back, with the pointer at the same share of its width."""
    x, y = session.state.cursor
    if window.maximised:
        if abs(x - grab.dx - window.x) <= NEAR and abs(y - grab.dy - window.y) <= NEAR:
            return
        share = grab.dx * window.restored[2] // window.w
        session.restore(window)
        grab.dx = share
    session.move(window, x - grab.dx, y - grab.dy)


def _resize_window(session: Session, window: Window, grab: Grab) -> None:
    """A border or a corner is drawn along; the other borders stay."""
    x, y = session.state.cursor[0] - grab.dx, session.state.cursor[1] - grab.dy
    left, top, right, bottom = window.x, window.y, window.x + window.w, window.y + window.h
    least_w, least_h = session.least_size(window)
    if "left" in grab.edges:
        left = min(x, right - least_w)
    elif "right" in grab.edges:
        right = max(x, left + least_w)
    if "top" in grab.edges:
        top = max(0, min(y, bottom - least_h))
    elif "bottom" in grab.edges:
        bottom = max(y, top + least_h)
    session.resize(window, left, top, right - left, bottom - top)


def wheel(session: Session, dx: int, dy: int) -> None:
    """The wheel turns over what is under the pointer, without raising it."""
    x, y = session.state.cursor
    if session.state.popup:
        menus.wheel(session, dy)
        return
    window = session.window_at(x, y) if y < session.work_area[3] else None
    widget = session.widget_at(window, x, y) if window is not None else None
    if window is None or session.blocker(window):
        return
    if widget is None or not widget.enabled:
        window.on_wheel(session, dx, dy)
        return
    widget.wheel(session, window, dx, dy)
    session.touch_used(window, widget)
