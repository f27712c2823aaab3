"""Names of keys on guests: X11's, and those of pyautogui."""

from __future__ import annotations

from gui_gym.actions import KEY_CHARACTER, Key

#: Key -> (name of its X11 keysym, name in pyautogui or "" where it has none).
NAMED: dict[Key, tuple[str, str]] = {
    Key.ENTER: ("Return", "enter"),
    Key.TAB: ("Tab", "tab"),
    Key.ESCAPE: ("Escape", "esc"),
    Key.BACKSPACE: ("BackSpace", "backspace"),
    Key.DELETE: ("Delete", "delete"),
    Key.INSERT: ("Insert", "insert"),
    Key.HOME: ("Home", "home"),
    Key.END: ("End", "end"),
    Key.PAGE_UP: ("Page_Up", "pageup"),
    Key.PAGE_DOWN: ("Page_Down", "pagedown"),
    Key.LEFT: ("Left", "left"),
    Key.RIGHT: ("Right", "right"),
    Key.UP: ("Up", "up"),
    Key.DOWN: ("Down", "down"),
    **{Key(Key.F1 + i): (f"F{i + 1}", f"f{i + 1}") for i in range(12)},
    Key.CTRL: ("Control_L", "ctrl"),
    Key.SHIFT: ("Shift_L", "shift"),
    Key.ALT: ("Alt_L", "alt"),
    Key.META: ("Super_L", "win"),
    Key.CAPS_LOCK: ("Caps_Lock", "capslock"),
    Key.NUM_LOCK: ("Num_Lock", "numlock"),
    Key.SCROLL_LOCK: ("Scroll_Lock", "scrolllock"),
    Key.PRINT_SCREEN: ("Print", "printscreen"),
    Key.PAUSE: ("Pause", "pause"),
    Key.MENU: ("Menu", "apps"),
}


def x11_name(key: Key) -> str:
    """What the X11 input program calls ``key``: its character, or the name of its keysym."""
    return KEY_CHARACTER[key] if key in KEY_CHARACTER else NAMED[key][0]


def pyautogui_name(key: Key, platform: str) -> str:
    """pyautogui's name of ``key``."""
    if key is Key.META and platform == "darwin":
        return "command"
    return KEY_CHARACTER[key] if key in KEY_CHARACTER else NAMED[key][1]
