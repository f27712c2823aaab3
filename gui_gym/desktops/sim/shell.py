"""The desktop around the windows: task bar, start menu, clock, and the menus of windows and of the wallpaper."""

from __future__ import annotations

from gui_gym.desktops.sim import icons
from gui_gym.desktops.sim.apps import APPS, launch
from gui_gym.desktops.sim.canvas import Rect, inside
from gui_gym.desktops.sim.clock import now, time_text
from gui_gym.desktops.sim.menus import item_height
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import CLOSE, MAXIMISE, MINIMISE, Item, Window

RESTORE = "restore"
START, VOLUME, WIFI, CLOCK = "start", "volume", "wifi", "clock"  #: parts of the task bar beside the windows' buttons
NAMES = {START: "Start", VOLUME: "Volume", WIFI: "Wi-Fi", CLOCK: "Clock"}  #: what they are called
_WINDOW = "window "  #: before the id of the window whose menu is open
_VERBS = {MINIMISE: "Minimise", MAXIMISE: "Maximise", RESTORE: "Restore", CLOSE: "Close"}


def button_name(window: Window, part: str) -> str:
    """What a button of a title bar is called, in English."""
    return _VERBS[RESTORE if part == MAXIMISE and window.maximised else part]


def clock(session: Session) -> str:
    """The time, as the setting wants it."""
    return time_text(session.state.settings, now(session.state))


def bar_parts(session: Session) -> dict[str, Rect]:
    """The bounds of the start button, the signs and the clock; empty without a task bar."""
    size, state = session.look.size, session.state
    if not size.bar:
        return {}
    top, sign = state.height - size.bar, size.font + size.gap + 1
    wide = session.look.sans.width("00:00" if state.settings["clock_24_hours"] else "00:00 PM") + 2 * size.pad
    x = state.width - wide
    return {
        START: (0, top, size.bar, size.bar),
        WIFI: (x - 2 * sign, top, sign, size.bar),
        VOLUME: (x - sign, top, sign, size.bar),
        CLOCK: (x, top, wide, size.bar),
    }


def bar_rects(session: Session) -> list[tuple[Window, Rect]]:
    """The task bar's buttons, one for each window in the order of their opening."""
    size, windows = session.look.size, session.listed
    if not size.bar or not windows:
        return []
    left, right = size.bar + size.gap, bar_parts(session)[WIFI][0] - size.gap
    each = min(size.font * 13, (right - left) // len(windows))
    inset = size.bar // 8
    top = session.state.height - size.bar + inset
    return [(w, (left + i * each, top, each - size.gap, size.bar - 2 * inset)) for i, w in enumerate(windows)]


def press_bar(session: Session, left: bool, right: bool) -> None:
    """A press on the task bar."""
    x, y = session.state.cursor
    for window, rect in bar_rects(session):
        if inside(rect, x, y):
            if left and session.group(window)[-1] is session.active:
                session.minimise(window)
            elif left:
                session.activate(window)
            elif right:
                window_menu(session, window, rect[0], rect[1])
            return
    if left:
        part = next((name for name, rect in bar_parts(session).items() if inside(rect, x, y)), "")
        if part == START:
            start_menu(session)
        elif part == VOLUME:
            mute = session.label("Unmute" if session.state.settings["mute"] else "Mute")
            _sign_menu(session, part, mute)
        elif part == WIFI:
            _sign_menu(session, part, session.label("Turn Wi-Fi off" if session.state.settings["wifi"] else "Turn Wi-Fi on"))


def _sign_menu(session: Session, part: str, text: str) -> None:
    x, y, _, _ = bar_parts(session)[part]
    items: list[Item] = ["toggle", *(["-", "settings"] if "settings" in APPS else [])]
    session.pop_up_shell(part, x, _above(session, y, items), items, {"toggle": text, "settings": session.label("Settings")})


def start_menu(session: Session) -> None:
    """Open the menu of all apps, or close it."""
    if not session.has_shell:
        return
    popup = session.state.popup
    if popup and (popup.window, popup.widget) == ("", START):
        session.dismiss()
        return
    labels = {name: session.label(app.label) for name, app in APPS.items()}
    items: list[Item] = list(APPS)
    session.pop_up_shell(START, 0, _above(session, session.work_area[3], items), items, labels, {name: app.icon for name, app in APPS.items()})


def window_menu(session: Session, window: Window, x: int, y: int) -> None:
    """Open a window's own menu, above or below a pixel."""
    if not session.has_shell:
        return
    items: list[Item] = [CLOSE]
    if window.resizable:
        items = [RESTORE if window.minimised or window.maximised else MAXIMISE, *([] if window.minimised else [MINIMISE]), "-", CLOSE]
    labels = {key: session.label(english) for key, english in _VERBS.items()}
    session.pop_up_shell(_WINDOW + window.id, x, _above(session, y, items) if y >= session.work_area[3] else y, items, labels)


def _above(session: Session, y: int, items: list[Item]) -> int:
    """Where a menu with these items begins if it ends above ``y``."""
    return y - 2 - sum(item_height(session, item) for item in items)


def chosen(session: Session, part: str, key: str) -> None:
    """Something was chosen from a menu of the desktop itself."""
    if part.startswith(_WINDOW):
        window = session.state.window(part.removeprefix(_WINDOW))
        if window is not None:
            {MINIMISE: session.minimise, MAXIMISE: session.maximise, RESTORE: session.restore, CLOSE: session.ask_to_close}[key](window)
    elif part == START or key == "settings":
        launch(session, key)
    elif part == VOLUME:
        session.change_setting("mute", not session.state.settings["mute"])
    elif part == WIFI:
        session.change_setting("wifi", not session.state.settings["wifi"])
    else:
        icons.chosen(session, part, key)


def switcher_rect(session: Session) -> Rect:
    """The bounds of the list of windows that ALT+TAB shows."""
    look, state = session.look, session.state
    row = look.size.control
    widest = max((look.sans.width(window.title) for window in session.recent), default=0)
    w = min(state.width - 2 * look.size.pad, max(20 * look.size.font, widest + look.size.font + 3 * look.size.pad))
    h = min(state.height, len(session.recent) * row + 2 * look.size.gap)
    return (state.width - w) // 2, (state.height - h) // 2, w, h


def switcher_rows(session: Session) -> list[Rect]:
    """The bounds of the windows' names in the switcher."""
    x, y, w, h = switcher_rect(session)
    gap, row = session.look.size.gap, session.look.size.control
    hidden = max(0, (session.state.switching + 1) * row + 2 * gap - h)  # the marked one is in view
    return [(x + gap, y + gap + i * row - hidden, w - 2 * gap, row) for i in range(len(session.recent))]
