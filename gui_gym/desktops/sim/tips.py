"""Tooltips: shown when the pointer comes to rest on something that has one, gone with the next action."""

from __future__ import annotations

from gui_gym.desktops.sim.canvas import inside
from gui_gym.desktops.sim.clock import date_text, now
from gui_gym.desktops.sim.icons import caption, icon_rects
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.shell import CLOCK, NAMES, VOLUME, WIFI, bar_parts, bar_rects, button_name
from gui_gym.desktops.sim.state import Tip


def hide(session: Session) -> None:
    """Take the tooltip away."""
    tip = session.state.tip
    if tip:
        session.state.tip = None
        session.redraw(tip.rect)


def show(session: Session) -> None:
    """Show the tooltip of what is under the pointer, if it has one and nothing is going on."""
    state = session.state
    if not session.has_shell or state.popup or state.grab or state.switching >= 0:
        return
    text = _text(session)
    if text:
        size, font, (x, y) = session.look.size, session.look.sans, state.cursor
        text = font.shorten(text, state.width - 4 * size.gap)
        w, h = font.width(text) + 2 * size.gap + 2, font.height + size.gap
        below = y + 2 * size.font
        top = below if below + h <= state.height else y - h - size.gap
        rect = (max(0, min(x + size.gap, state.width - w)), max(0, top), w, h)
        state.tip = Tip(text, rect)
        session.redraw(rect)


def _text(session: Session) -> str:
    """What the tooltip at the pointer says, or ""."""
    x, y = session.state.cursor
    if y >= session.work_area[3]:
        return _bar_text(session, x, y)
    window = session.window_at(x, y)
    if window is None:
        return _icon_text(session, x, y)
    if session.blocker(window):
        return ""
    for name, rect in session.title_buttons(window) if window.resizable else ():
        if inside(rect, x, y):
            return session.label(button_name(window, name))
    widget = session.widget_at(window, x, y)
    return widget.tip if widget is not None else ""


def _icon_text(session: Session, x: int, y: int) -> str:
    """All of an icon's caption, if it is cut short."""
    for name, rect in icon_rects(session):
        if inside(rect, x, y):
            text = caption(session, name)
            return text if session.look.sans.width(text) > rect[2] else ""
    return ""


def _bar_text(session: Session, x: int, y: int) -> str:
    settings = session.state.settings
    for window, rect in bar_rects(session):
        if inside(rect, x, y):
            return window.title
    part = next((name for name, rect in bar_parts(session).items() if inside(rect, x, y)), "")
    if part == VOLUME:
        return f"{session.label(NAMES[part])}: {settings['volume']} %" if not settings["mute"] else session.label("Muted")
    if part == WIFI:
        return f"{session.label(NAMES[part])}: {session.label('On' if settings['wifi'] else 'Off')}"
    if part == CLOCK:
        return date_text(session.state.settings, now(session.state))
    return session.label(NAMES[part]) if part else ""
