"""The icons on the desktop."""

from __future__ import annotations

from gui_gym.desktops.sim.apps.files import HOME, show_folder
from gui_gym.desktops.sim.art import folder
from gui_gym.desktops.sim.canvas import Canvas, Rect, inside
from gui_gym.desktops.sim.session import Session

ICONS = {"Home": HOME, "Documents": f"{HOME}/Documents", "Pictures": f"{HOME}/Pictures"}  #: the folder behind each
LEAST_FONT = 11  #: screens with smaller letters have no icons


def icon_rects(session: Session) -> list[tuple[str, Rect]]:
    """The desktop's icons and their bounds on the screen, captions included."""
    look = session.look
    if look.size.font < LEAST_FONT:
        return []
    w, h = look.sans.width("Documents") + 2 * look.size.gap, 3 * look.size.font + look.sans.height
    return [(name, (look.size.gap, look.size.pad + i * (h + 2 * look.size.gap), w, h)) for i, name in enumerate(ICONS)]


def press_icon(session: Session, count: int) -> None:
    """A left press on the wallpaper: select the icon under the pointer, or open its folder at the second press."""
    state, rects = session.state, dict(icon_rects(session))
    before, state.icon = state.icon, next((name for name, rect in rects.items() if inside(rect, *state.cursor)), "")
    if state.icon and count == 2:
        show_folder(session, ICONS[state.icon])
    for name in (before, state.icon):
        if name and before != state.icon:
            session.redraw(rects[name])


def paint_icons(session: Session, canvas: Canvas) -> None:
    """Draw the desktop's icons."""
    look = session.look
    for name, rect in icon_rects(session):
        if canvas.sees(rect):
            x, y, w, h = rect
            chosen = session.state.icon == name
            if chosen:
                canvas.tint(rect, look.theme.accent, 120)
            side = 3 * look.size.font
            folder(canvas, (x + (w - side) // 2, y + look.size.gap // 2, side, side - look.size.gap))
            left, top = x + (w - look.sans.width(name)) // 2, y + h - look.sans.height
            canvas.text(left + 1, top + 1, name, look.sans, (16, 18, 24))
            canvas.text(left, top, name, look.sans, (255, 255, 255))
