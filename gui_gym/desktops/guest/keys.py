"""Names of keys on guests: X11's, and those of pyautogui."""

from __future__ import annotations

from gui_gym.actions import KEY_CHARACTER, Key
from gui_gym.codecs.script import key_text

#: X11's names of the keysyms of keys that are no characters.
_KEYSYMS: dict[Key, str] = {
    Key.ENTER: "Return",
    Key.TAB: "Tab",
    Key.ESCAPE: "Escape",
    Key.BACKSPACE: "BackSpace",
    Key.DELETE: "Delete",
    Key.INSERT: "Insert",
    Key.HOME: "Home",
    Key.END: "End",
    Key.PAGE_UP: "Page_Up",
    Key.PAGE_DOWN: "Page_Down",
    Key.LEFT: "Left",
    Key.RIGHT: "Right",
    Key.UP: "Up",
    Key.DOWN: "Down",
    **{Key(Key.F1 + i): f"F{i + 1}" for i in range(12)},
    Key.CTRL: "Control_L",
    Key.SHIFT: "Shift_L",
    Key.ALT: "Alt_L",
    Key.META: "Super_L",
    Key.CAPS_LOCK: "Caps_Lock",
    Key.NUM_LOCK: "Num_Lock",
    Key.SCROLL_LOCK: "Scroll_Lock",
    Key.PRINT_SCREEN: "Print",
    Key.PAUSE: "Pause",
    Key.MENU: "Menu",
}


def x11_name(key: Key) -> str:
    """What the X11 input program calls ``key``: its character, or the name of its keysym."""
    return KEY_CHARACTER[key] if key in KEY_CHARACTER else _KEYSYMS[key]


def pyautogui_name(key: Key, platform: str) -> str:
    """pyautogui's name of ``key`` on a platform (Python's name of it)."""
    return "command" if key is Key.META and platform == "darwin" else key_text(key)
