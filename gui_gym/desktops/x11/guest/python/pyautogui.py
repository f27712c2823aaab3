"""PyAutoGUI's mouse and keyboard for the programs on a desktop, through its X server's XTEST extension and python3-xlib.

Names, arguments and defaults are those of PyAutoGUI (https://pyautogui.readthedocs.io). Other than it, :func:`write` types any
text exactly, a key that does not exist is an error, and movements jump where they may; what looks at the screen or opens a
dialog is not here.
"""

import contextlib
import time

from Xlib import X, display
from Xlib.ext import xtest

__version__ = "0.9.54"
FAILSAFE = True  #: whether a pointer in a corner of the screen stops the program
PAUSE = 0.1  #: seconds after each call
LEFT, MIDDLE, RIGHT, PRIMARY, SECONDARY = "left", "middle", "right", "primary", "secondary"

_STEP_SECONDS = 0.01
_CLICK_SECONDS = 0.005  # between clicks: two presses of one millisecond are no double click to GTK
_BATCH = 64  # keys between two waits for the server
_HANDLED_SECONDS = 0.5  # after which programs have read the keys sent to them
_BUTTONS = {"left": 1, "primary": 1, "middle": 2, "right": 3, "secondary": 3, 1: 1, 2: 2, 3: 3}
_WHEEL_UP, _WHEEL_DOWN, _WHEEL_LEFT, _WHEEL_RIGHT = 4, 5, 6, 7
_UNICODE, _VENDOR = 0x01000000, 0x10080000
_SHIFT = 0xFFE1

# Keysym numbers are those of X11/keysymdef.h and X11/XF86keysym.h.
_KEYS = {
    **dict.fromkeys(("\n", "\r", "enter", "return"), 0xFF0D),
    **dict.fromkeys(("\t", "tab"), 0xFF09),
    **dict.fromkeys(("\b", "backspace"), 0xFF08),
    **dict.fromkeys(("esc", "escape", "\x1b"), 0xFF1B),
    **dict.fromkeys(("del", "delete"), 0xFFFF),
    **dict.fromkeys(("pageup", "pgup"), 0xFF55),
    **dict.fromkeys(("pagedown", "pgdn"), 0xFF56),
    **dict.fromkeys(("shift", "shiftleft"), _SHIFT),
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
KEYBOARD_KEYS = KEY_NAMES = [*(chr(code) for code in range(32, 127)), *_KEYS]


class PyAutoGUIException(Exception):
    """What can go wrong here."""


class FailSafeException(PyAutoGUIException):
    """The pointer is in a corner of the screen."""


def __getattr__(name):
    raise AttributeError(f"pyautogui.{name} is not on this desktop: its pyautogui has only {', '.join(__all__)}")


class _Keyboard:
    """Keysyms to keycodes of the server; those that have none get a spare keycode, and keep it."""

    def __init__(self):
        self._display = _display
        self.unread = True  # whether keys may be on their way
        low, high = _display.display.info.min_keycode, _display.display.info.max_keycode
        modifiers = {code for row in _display.get_modifier_mapping() for code in row if code}
        self._where, self._spare, self._lent = {}, [], []
        for code, row in enumerate(_display.get_keyboard_mapping(low, high - low + 1), low):
            symbols = set(row) - {0}
            if code not in modifiers and all(symbol >= _VENDOR for symbol in symbols):
                self._spare.append(code)
            elif code not in modifiers and len(symbols) == 1 and self._is_lent(min(symbols)):
                self._lent.append(code)
            for shift in (0, 1):
                self._where.setdefault(row[shift], (code, shift))
        self._where.pop(0, None)

    @staticmethod
    def _is_lent(symbol):
        return symbol > _UNICODE or 0xA0 <= symbol <= 0xFF

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
            _sync()
            time.sleep(_HANDLED_SECONDS)
            self.unread = False
        for code in self._lent:
            if code not in taken:
                self._lent.remove(code)
                self._lent.append(code)
                return code
        return None

    def code(self, symbol):
        if self.provide([symbol]) == 0:
            raise PyAutoGUIException("the keyboard has no spare keycode")
        return self._where[symbol]


_display = display.Display()
_keyboard = _Keyboard()


def _sync():
    _display.sync()


def _fake(kind, detail=0, x=0, y=0):
    xtest.fake_input(_display, kind, detail, x=x, y=y)


def _begin():
    if FAILSAFE and position() in {(x, y) for x in (0, size()[0] - 1) for y in (0, size()[1] - 1)}:
        raise FailSafeException("the pointer is in a corner of the screen; set pyautogui.FAILSAFE = False to go on all the same")


def _end(pause):
    _sync()
    if pause and PAUSE:
        time.sleep(PAUSE)


def _symbol(key):
    """The keysym of a key's name, or of a character."""
    if not isinstance(key, str) or not key:
        raise ValueError(f"expected the name of a key, got {key!r}")
    name = key if len(key) == 1 else key.lower()
    if name in _KEYS:
        return _KEYS[name]
    code = ord(key) if len(key) == 1 else 0
    if code < 0x20 or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000:
        raise ValueError(f"there is no key {key!r}: expected one of pyautogui.KEYBOARD_KEYS or a character")
    return code if code < 0x100 else _UNICODE + code


def isValidKey(key):
    try:
        _symbol(key)
    except ValueError:
        return False
    return True


# -- keyboard --------------------------------------------------------------------------------------------------------


def _down(key):
    code, shift = _keyboard.code(_symbol(key))
    if shift:
        _fake(X.KeyPress, _keyboard.code(_SHIFT)[0])
    _fake(X.KeyPress, code)
    if shift:
        _fake(X.KeyRelease, _keyboard.code(_SHIFT)[0])


def _up(key):
    _fake(X.KeyRelease, _keyboard.code(_symbol(key))[0])


def _tap(symbol):
    code, shift = _keyboard.code(symbol)
    _keyboard.unread = True
    if shift:
        _fake(X.KeyPress, _keyboard.code(_SHIFT)[0])
    _fake(X.KeyPress, code)
    _fake(X.KeyRelease, code)
    if shift:
        _fake(X.KeyRelease, _keyboard.code(_SHIFT)[0])


def keyDown(key, logScreenshot=None, _pause=True):
    _begin()
    _down(key)
    _end(_pause)


def keyUp(key, logScreenshot=None, _pause=True):
    _begin()
    _up(key)
    _end(_pause)


def press(keys, presses=1, interval=0.0, logScreenshot=None, _pause=True):
    """Press and release a key, or each key of a list, ``presses`` times."""
    symbols = [_symbol(key) for key in ([keys] if isinstance(keys, str) else keys)]
    for _ in range(int(presses)):
        for symbol in symbols:
            _begin()
            _tap(symbol)
            _sync()
            time.sleep(interval)
    _end(_pause)


def hotkey(*args, logScreenshot=None, interval=0.0, _pause=True):
    """Hold the keys down in turn, let them go in reverse."""
    keys = list(args[0]) if len(args) == 1 and isinstance(args[0], (list, tuple)) else list(args)
    for key in keys:
        _symbol(key)
    _begin()
    for key in keys:
        _down(key)
        time.sleep(interval)
    for key in reversed(keys):
        _up(key)
        time.sleep(interval)
    _end(_pause)


@contextlib.contextmanager
def hold(keys, logScreenshot=None, _pause=True):
    names = [keys] if isinstance(keys, str) else list(keys)
    for key in names:
        keyDown(key, _pause=False)
    try:
        yield
    finally:
        for key in reversed(names):
            keyUp(key, _pause=False)
        _end(_pause)


def write(message, interval=0.0, logScreenshot=None, _pause=True):
    """Type a text exactly, or press the keys of a list."""
    if not isinstance(message, str):
        press(list(message), interval=interval, _pause=_pause)
        return
    _begin()
    symbols = [_symbol(char) for char in message.replace("\r\n", "\n")]
    start = 0
    while start < len(symbols):
        end = start + (1 if interval else _keyboard.provide(symbols[start : start + _BATCH]))
        for symbol in symbols[start:end]:
            _tap(symbol)
        _sync()
        time.sleep(interval)
        start = end
    _end(_pause)


typewrite = write

# -- mouse -----------------------------------------------------------------------------------------------------------


def size():
    screen = _display.screen()
    return (screen.width_in_pixels, screen.height_in_pixels)


resolution = size


def position(x=None, y=None):
    """The pointer's place; ``x`` and ``y`` stand for its coordinates where given."""
    pointer = _display.screen().root.query_pointer()
    return (pointer.root_x if x is None else int(x), pointer.root_y if y is None else int(y))


def onScreen(x, y=None):
    x, y = position(*_pair(x, y))
    return 0 <= x < size()[0] and 0 <= y < size()[1]


def _pair(x, y):
    return (x[0], x[1]) if isinstance(x, (list, tuple)) else (x, y)


def _move(x, y, duration=0.0):
    from_x, from_y = position()
    (x, y), (width, height) = position(*_pair(x, y)), size()
    x, y = min(max(x, 0), width - 1), min(max(y, 0), height - 1)
    steps = max(1, int(duration / _STEP_SECONDS))
    for step in range(1, steps + 1):
        _fake(X.MotionNotify, 0, from_x + (x - from_x) * step // steps, from_y + (y - from_y) * step // steps)
        _sync()
        if duration:
            time.sleep(duration / steps)


def _button(button):
    if button not in _BUTTONS:
        raise ValueError(f"there is no button {button!r}: expected 'left', 'middle' or 'right'")
    return _BUTTONS[button]


def moveTo(x=None, y=None, duration=0.0, tween=None, logScreenshot=None, _pause=True):
    _begin()
    _move(x, y, duration)
    _end(_pause)


def _relative(x, y):
    (dx, dy), (at_x, at_y) = _pair(x, y), position()
    return at_x + int(dx or 0), at_y + int(dy or 0)


def moveRel(xOffset=None, yOffset=None, duration=0.0, tween=None, logScreenshot=None, _pause=True):
    moveTo(*_relative(xOffset, yOffset), duration, _pause=_pause)


move = moveRel


def mouseDown(x=None, y=None, button="primary", duration=0.0, tween=None, logScreenshot=None, _pause=True):
    _begin()
    _move(x, y, duration)
    _fake(X.ButtonPress, _button(button))
    _end(_pause)


def mouseUp(x=None, y=None, button="primary", duration=0.0, tween=None, logScreenshot=None, _pause=True):
    _begin()
    _move(x, y, duration)
    _fake(X.ButtonRelease, _button(button))
    _end(_pause)


def click(x=None, y=None, clicks=1, interval=0.0, button="primary", duration=0.0, tween=None, logScreenshot=None, _pause=True):
    _begin()
    _move(x, y, duration)
    for _ in range(int(clicks)):
        _fake(X.ButtonPress, _button(button))
        _fake(X.ButtonRelease, _button(button))
        _sync()
        time.sleep(max(interval, _CLICK_SECONDS))
    _end(_pause)


def leftClick(x=None, y=None, interval=0.0, duration=0.0, tween=None, logScreenshot=None, _pause=True):
    click(x, y, 1, interval, "left", duration, _pause=_pause)


def rightClick(x=None, y=None, interval=0.0, duration=0.0, tween=None, logScreenshot=None, _pause=True):
    click(x, y, 1, interval, "right", duration, _pause=_pause)


def middleClick(x=None, y=None, interval=0.0, duration=0.0, tween=None, logScreenshot=None, _pause=True):
    click(x, y, 1, interval, "middle", duration, _pause=_pause)


def doubleClick(x=None, y=None, interval=0.0, button="left", duration=0.0, tween=None, logScreenshot=None, _pause=True):
    click(x, y, 2, interval, button, duration, _pause=_pause)


def tripleClick(x=None, y=None, interval=0.0, button="left", duration=0.0, tween=None, logScreenshot=None, _pause=True):
    click(x, y, 3, interval, button, duration, _pause=_pause)


def dragTo(x=None, y=None, duration=0.0, tween=None, button="primary", logScreenshot=None, _pause=True, mouseDownUp=True):
    _begin()
    if mouseDownUp:
        _fake(X.ButtonPress, _button(button))
    _move(x, y, max(duration, 10 * _STEP_SECONDS))  # programs that follow a drag want to see it move
    if mouseDownUp:
        _fake(X.ButtonRelease, _button(button))
    _end(_pause)


def dragRel(xOffset=0, yOffset=0, duration=0.0, tween=None, button="primary", logScreenshot=None, _pause=True, mouseDownUp=True):
    dragTo(*_relative(xOffset, yOffset), duration, None, button, None, _pause, mouseDownUp)


drag = dragRel


def _wheel(clicks, forward, back, x, y, pause):
    _begin()
    _move(x, y)
    for _ in range(abs(int(clicks))):
        _fake(X.ButtonPress, forward if clicks > 0 else back)
        _fake(X.ButtonRelease, forward if clicks > 0 else back)
    _end(pause)


def scroll(clicks, x=None, y=None, logScreenshot=None, _pause=True):
    """Turn the wheel: positive is up."""
    _wheel(clicks, _WHEEL_UP, _WHEEL_DOWN, x, y, _pause)


vscroll = scroll


def hscroll(clicks, x=None, y=None, logScreenshot=None, _pause=True):
    """Turn the wheel sideways: positive is right."""
    _wheel(clicks, _WHEEL_RIGHT, _WHEEL_LEFT, x, y, _pause)


sleep = time.sleep

__all__ = [name for name in dir() if not name.startswith("_") and name not in ("X", "contextlib", "display", "time", "xtest")]
