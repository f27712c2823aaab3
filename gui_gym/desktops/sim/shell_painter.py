"""Draws what is not in a window: the task bar, open menus, the tooltip, and the switcher of ALT+TAB."""

from __future__ import annotations

from gui_gym.desktops.sim import menus
from gui_gym.desktops.sim.art import paint_art
from gui_gym.desktops.sim.canvas import Canvas, Color, Rect
from gui_gym.desktops.sim.look import Look
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.shell import CLOCK, START, VOLUME, WIFI, bar_parts, bar_rects, clock, switcher_rect, switcher_rows
from gui_gym.desktops.sim.state import Popup


def paint_bar(session: Session, canvas: Canvas) -> None:
    """Draw the task bar."""
    state, look = session.state, session.look
    size, theme = look.size, look.theme
    bar = (0, state.height - size.bar, state.width, size.bar)
    if not size.bar or not canvas.sees(bar):
        return
    canvas.fill(bar, theme.bar)
    if state.popup and (state.popup.window, state.popup.widget) == ("", START):
        canvas.fill((0, bar[1], size.bar, size.bar), theme.bar_button)
    tile = size.bar // 4
    for i in (0, 1):
        for j in (0, 1):
            place = (size.bar // 4 + i * (tile + 1), bar[1] + size.bar // 4 + j * (tile + 1), tile, tile)
            canvas.rounded(place, theme.accent, 2)
    for window, rect in bar_rects(session):
        active = session.active is not None and session.active in session.group(window)
        canvas.rounded(rect, theme.bar_button if active else theme.bar, size.radius - 2)
        if active:
            canvas.rounded((rect[0] + rect[2] // 4, rect[1] + rect[3] - 2, rect[2] // 2, 2), theme.accent, 1)
        elif not window.minimised:
            canvas.fill((rect[0] + rect[2] * 3 // 8, rect[1] + rect[3] - 2, rect[2] // 4, 2), theme.bar_button)
        x = rect[0] + size.gap
        if size.font >= 10 and rect[2] > size.font + size.gap:
            paint_art(canvas, window.icon, (x, rect[1] + (rect[3] - size.font) // 2, size.font, size.font))
            x += size.font + size.gap
        text = look.sans.shorten(window.title, rect[0] + rect[2] - size.gap - x)
        canvas.text(x, rect[1] + (rect[3] - look.sans.height) // 2, text, look.sans, theme.on_bar if not window.minimised else _faint(look))
    parts = bar_parts(session)
    settings, faint = state.settings, _faint(look)
    loudness = 0 if settings["mute"] or not settings["volume"] else 1 + (int(settings["volume"]) > 33) + (int(settings["volume"]) > 66)
    canvas.stamp(parts[VOLUME], _volume, size.font, loudness, theme.on_bar if loudness else faint)
    canvas.stamp(parts[WIFI], _wifi, size.font, bool(settings["wifi"]), theme.on_bar if settings["wifi"] else faint)
    text = clock(session)
    x, y, w, h = parts[CLOCK]
    canvas.text(x + w - size.pad - look.sans.width(text), y + (h - look.sans.height) // 2, text, look.sans, theme.on_bar)


def _faint(look: Look) -> Color:
    """The colour of what is off or minimised in the task bar."""
    (a, b, c), (d, e, f) = look.theme.bar, look.theme.on_bar
    return (a + d) // 2, (b + e) // 2, (c + f) // 2


def _volume(canvas: Canvas, rect: Rect, side: int, loudness: int, color: Color) -> None:
    """A loudspeaker with up to three waves, or a cross when it is muted."""
    x, y = rect[0] + (rect[2] - side) // 2, rect[1] + (rect[3] - side) // 2
    box, middle = max(2, side // 4), y + side // 2
    canvas.fill((x, middle - box // 2, box, box), color)
    for i in range(box + 1):
        canvas.fill((x + box // 2 + i, middle - box // 2 - i, 1, box + 2 * i), color)
    start = x + 2 * box
    if not loudness:
        for i in range(box + 1):
            canvas.fill((start + i, middle - box // 2 + i, 2, 1), (232, 92, 92))
            canvas.fill((start + box - i, middle - box // 2 + i, 2, 1), (232, 92, 92))
    for wave in range(loudness):
        high = box + 2 * wave
        canvas.fill((start + 2 * wave, middle - high // 2, 1, high), color)


def _wifi(canvas: Canvas, rect: Rect, side: int, on: bool, color: Color) -> None:
    """Four bars, pale and struck out when it is off."""
    x, bottom = rect[0] + (rect[2] - side) // 2, rect[1] + (rect[3] + side) // 2
    step = max(2, side // 4)
    for i in range(4):
        high = side * (i + 1) // 4
        canvas.fill((x + i * step, bottom - high, step - 1, high), color)
    if not on:
        for i in range(side):
            canvas.fill((x + i * 4 * step // side, bottom - side + i, 2, 1), (232, 92, 92))


def paint_popups(session: Session, canvas: Canvas) -> None:
    """Draw the open menu and its submenus."""
    for popup in menus.chain(session.state.popup) if session.state.popup else ():
        _paint_popup(session, canvas, popup)


def _paint_popup(session: Session, canvas: Canvas, popup: Popup) -> None:
    look = session.look
    x, y, w, h = popup.rect
    size, theme = look.size, look.theme
    canvas.shadow((x, y, w, h), size.shadow // 2, 60)
    canvas.fill((x, y, w, h), theme.window)
    canvas.outline((x, y, w, h), theme.border)
    inner, indent = canvas.within((x + 1, y + 1, w - 2, h - 2)), menus.indent(session, popup)
    if inner is None:
        return
    for i, (item, rect) in enumerate(zip(popup.items, menus.item_rects(session, popup), strict=True)):
        if not inner.sees(rect):
            continue
        if item == menus.SEPARATOR:
            inner.fill((rect[0] + size.gap, rect[1] + rect[3] // 2, rect[2] - 2 * size.gap, 1), theme.border)
            continue
        if i == popup.selected:
            inner.fill(rect, theme.select)
        icon = popup.icons.get(item) if isinstance(item, str) else None
        if icon:
            paint_art(inner, icon, (rect[0] + size.pad, rect[1] + (rect[3] - size.font) // 2, size.font, size.font))
        top = rect[1] + (rect[3] - look.sans.height) // 2
        inner.text(rect[0] + size.pad + indent, top, popup.label(item), look.sans, theme.text)
        if keys := popup.shortcut(item):
            inner.text(rect[0] + rect[2] - size.pad - look.sans.width(keys), top, keys, look.sans, theme.muted)
        if not isinstance(item, str):
            arrow = max(2, size.font // 4)
            for j in range(arrow):
                inner.fill((rect[0] + rect[2] - size.pad - arrow + j, rect[1] + rect[3] // 2 - arrow + j, 1, 2 * (arrow - j) - 1), theme.muted)


def paint_tip(session: Session, canvas: Canvas) -> None:
    """Draw the tooltip."""
    tip, look = session.state.tip, session.look
    if tip and canvas.sees(tip.rect):
        x, y, _, h = tip.rect
        canvas.panel(tip.rect, look.theme.bar, look.theme.bar_button, max(2, look.size.radius // 2))
        canvas.text(x + look.size.gap + 1, y + (h - look.sans.height) // 2, tip.text, look.sans, look.theme.on_bar)


def paint_switcher(session: Session, canvas: Canvas) -> None:
    """Draw the list of windows while ALT is held after ALT+TAB."""
    look, at = session.look, session.state.switching
    if at < 0 or not session.recent:
        return
    size, theme = look.size, look.theme
    rect = switcher_rect(session)
    canvas.shadow(rect, size.shadow, 90)
    canvas.panel(rect, theme.bar, theme.bar_button, size.radius)
    inner = canvas.within(rect)
    for i, (window, (x, y, w, h)) in enumerate(zip(session.recent, switcher_rows(session), strict=True)):
        if inner is None:
            continue
        if i == at:
            inner.rounded((x, y, w, h), theme.accent, size.radius - 2)
        paint_art(inner, window.icon, (x + size.gap, y + (h - size.font) // 2, size.font, size.font))
        text = look.sans.shorten(window.title, w - size.font - 3 * size.gap)
        inner.text(x + 2 * size.gap + size.font, y + (h - look.sans.height) // 2, text, look.sans, theme.on_accent if i == at else theme.on_bar)
