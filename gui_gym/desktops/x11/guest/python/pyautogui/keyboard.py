# mypy: ignore-errors
"""Keys by PyAutoGUI's names, and characters beyond the keyboard, on an X server."""

import time

UNICODE, VENDOR = 0x01000000, 0x10080000  #: keysyms of characters, and of media keys and the like, start here
SHIFT = 0xFFE1
HANDLED_SECONDS = 0.5  #: after which programs have read the keys sent to them

# Keysym numbers are those of X11/keysymdef.h and X11/XF86keysym.h.
KEYS = {
    **dict.fromkeys(("\n", "\r", "enter", "return"), 0xFF0D),
    **dict.fromkeys(("\t", "tab"), 0xFF09),
    **dict.fromkeys(("\b", "backspace"), 0xFF08),
    **dict.fromkeys(("esc", "escape", "\x1b"), 0xFF1B),
    **dict.fromkeys(("del", "delete"), 0xFFFF),
    **dict.fromkeys(("pageup", "pgup"), 0xFF55),
    **dict.fromkeys(("pagedown", "pgdn"), 0xFF56),
    **dict.fromkeys(("shift", "shiftleft"), SHIFT),
    **dict.fromkeys(("ctrl", "ctrlleft"), 0xFFE3),
    **dict.fromkeys(("alt", "altleft", "option", "optionleft"), 0xFFE9),
    **dict.fromkeys(("altright", "optionright"), 0xFFEA),
    **dict.fromkeys(("win", "winleft", "command"), 0xFFEB),
    **dict.fromkeys(("print", "printscreen", "prntscrn", "prtsc", "prtscr"), 0xFF61),
    **dict.fromkeys(("hangul", "hanguel"), 0xFF31),
    "shiftright": 0xFFE2, "ctrlright": 0xFFE4, "winright": 0xFFEC, "apps": 0xFF67, "capslock": 0xFFE5, "numlock": 0xFF7F, "scrolllock": 0xFF14,
    "home": 0xFF50, "left": 0xFF51, "up": 0xFF52, "right": 0xFF53, "down": 0xFF54, "end": 0xFF57, "insert": 0xFF63, "pause": 0xFF13,
    "select": 0xFF60, "execute": 0xFF62, "help": 0xFF6A, "modechange": 0xFF7E, "clear": 0xFF0B, "space": 0x20, "kanji": 0xFF21, "kana": 0xFF2D,
    "hanja": 0xFF34, "yen": 0xA5, "multiply": 0xFFAA, "add": 0xFFAB, "separator": 0xFFAC, "subtract": 0xFFAD, "decimal": 0xFFAE, "divide": 0xFFAF,
    **{f"num{i}": 0xFFB0 + i for i in range(10)},
    **{f"f{i}": 0xFFBD + i for i in range(1, 25)},
    "volumedown": 0x1008FF11, "volumemute": 0x1008FF12, "volumeup": 0x1008FF13, "playpause": 0x1008FF14, "stop": 0x1008FF15,
    "prevtrack": 0x1008FF16, "nexttrack": 0x1008FF17, "browserhome": 0x1008FF18, "launchmail": 0x1008FF19, "browsersearch": 0x1008FF1B,
    "browserback": 0x1008FF26, "browserforward": 0x1008FF27, "browserstop": 0x1008FF28, "browserrefresh": 0x1008FF29, "sleep": 0x1008FF2F,
    "browserfavorites": 0x1008FF30, "launchmediaselect": 0x1008FF32, "launchapp1": 0x1008FF40, "launchapp2": 0x1008FF41,
}  # fmt: skip


def symbol_of(key):
    """The keysym of a key's name, or of a character."""
    if not isinstance(key, str) or not key:
        raise ValueError(f"expected the name of a key, got {key!r}")
    name = key if len(key) == 1 else key.lower()
    if name in KEYS:
        return KEYS[name]
    code = ord(key) if len(key) == 1 else 0
    if code < 0x20 or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000:
        raise ValueError(f"there is no key {key!r}: expected one of pyautogui.KEYBOARD_KEYS or a character")
    return code if code < 0x100 else UNICODE + code


class Keyboard:
    """Keysyms to keycodes of the server; those that have none get a spare keycode, and keep it."""

    def __init__(self, display):
        self._display = display
        self.unread = True  # whether keys may be on their way
        low, high = display.display.info.min_keycode, display.display.info.max_keycode
        modifiers = {code for row in display.get_modifier_mapping() for code in row if code}
        self._where, self._spare, self._lent = {}, [], []
        for code, row in enumerate(display.get_keyboard_mapping(low, high - low + 1), low):
            symbols = set(row) - {0}
            if code not in modifiers and all(symbol >= VENDOR for symbol in symbols):
                self._spare.append(code)
            elif code not in modifiers and len(symbols) == 1 and self._is_lent(min(symbols)):
                self._lent.append(code)
            for shift in (0, 1):
                self._where.setdefault(row[shift], (code, shift))
        self._where.pop(0, None)

    @staticmethod
    def _is_lent(symbol):
        return symbol > UNICODE or 0xA0 <= symbol <= 0xFF

    def provide(self, symbols):
        """Make ``symbols`` typeable, as many as the spare keycodes allow; returns how many of them, from the first."""
        wanted = set()
        for done, symbol in enumerate(symbols):
            if symbol not in self._where:
                code = self._free(wanted)
                if code is None:
                    return done
                self._where = {other: at for other, at in self._where.items() if at[0] != code}
                self._where[symbol] = (code, 0)
                self._display.change_keyboard_mapping(code, [[symbol, symbol]])  # the same whatever shift does
            wanted.add(self._where[symbol][0])
        return len(symbols)

    def _free(self, taken):
        if self._spare:
            self._lent.append(self._spare.pop())
            return self._lent[-1]
        if self.unread:  # programs must have read what was typed with the old meaning
            self._display.sync()
            time.sleep(HANDLED_SECONDS)
            self.unread = False
        for code in self._lent:
            if code not in taken:
                self._lent.remove(code)
                self._lent.append(code)
                return code
        return None

    def code(self, symbol):
        if self.provide([symbol]) == 0:
            raise RuntimeError("the keyboard has no spare keycode")
        return self._where[symbol]
