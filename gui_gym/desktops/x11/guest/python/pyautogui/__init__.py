# mypy: ignore-errors
"""PyAutoGUI's mouse and keyboard for the programs on a desktop, through its X server's XTEST extension and python3-xlib.

Names, arguments and defaults are those of PyAutoGUI (https://pyautogui.readthedocs.io). Other than it, :func:`write` types any
text exactly, a key that does not exist is an error, and movements jump where they may; what looks at the screen or opens a
dialog is not here.
"""

import contextlib
import time

from Xlib import X, display
from Xlib.ext import xtest

from pyautogui.keyboard import KEYS, SHIFT, Keyboard, symbol_of

__version__ = "0.9.54"
FAILSAFE = True  #: whether a pointer in a corner of the screen stops the program
PAUSE = 0.1  #: seconds after each call
LEFT, MIDDLE, RIGHT, PRIMARY, SECONDARY = "left", "middle", "right", "primary", "secondary"

_STEP_SECONDS = 0.01
_CLICK_SECONDS = 0.005  # between clicks: two presses of one millisecond are no double click to GTK
_BATCH = 64  # keys between two waits for the server
_BUTTONS = {"left": 1, "primary": 1, "middle": 2, "right": 3, "secondary": 3, 1: 1, 2: 2, 3: 3}
_WHEEL_UP, _WHEEL_DOWN, _WHEEL_LEFT, _WHEEL_RIGHT = 4, 5, 6, 7

KEYBOARD_KEYS = KEY_NAMES = [*(chr(code) for code in range(32, 127)), *KEYS]


class PyAutoGUIException(Exception):
    """What can go wrong here."""


class FailSafeException(PyAutoGUIException):
    """The pointer is in a corner of the screen."""


def __getattr__(name):
    raise AttributeError(f"pyautogui.{name} is not on this desktop: its pyautogui has only {', '.join(__all__)}")


_display = display.Display()
_keyboard = Keyboard(_display)


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


def isValidKey(key):
    try:
        symbol_of(key)
    except ValueError:
        return False
    return True


# -- keyboard --------------------------------------------------------------------------------------------------------


def _down(key):
    code, shift = _keyboard.code(symbol_of(key))
    if shift:
        _fake(X.KeyPress, _keyboard.code(SHIFT)[0])
    _fake(X.KeyPress, code)
    if shift:
        _fake(X.KeyRelease, _keyboard.code(SHIFT)[0])


def _up(key):
    _fake(X.KeyRelease, _keyboard.code(symbol_of(key))[0])


def _tap(symbol):
    code, shift = _keyboard.code(symbol)
    _keyboard.unread = True
    if shift:
        _fake(X.KeyPress, _keyboard.code(SHIFT)[0])
    _fake(X.KeyPress, code)
    _fake(X.KeyRelease, code)
    if shift:
        _fake(X.KeyRelease, _keyboard.code(SHIFT)[0])


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
    symbols = [symbol_of(key) for key in ([keys] if isinstance(keys, str) else keys)]
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
        symbol_of(key)
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
    symbols = [symbol_of(char) for char in message.replace("\r\n", "\n")]
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


def _click_of(button):
    def click_once(x=None, y=None, interval=0.0, duration=0.0, tween=None, logScreenshot=None, _pause=True):
        click(x, y, 1, interval, button, duration, _pause=_pause)

    return click_once


def _clicks_of(count):
    def click_often(x=None, y=None, interval=0.0, button="left", duration=0.0, tween=None, logScreenshot=None, _pause=True):
        click(x, y, count, interval, button, duration, _pause=_pause)

    return click_often


leftClick, middleClick, rightClick = _click_of("left"), _click_of("middle"), _click_of("right")
doubleClick, tripleClick = _clicks_of(2), _clicks_of(3)


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

_INSIDE = "KEYS Keyboard SHIFT X contextlib display keyboard symbol_of time xtest".split()
__all__ = [name for name in dir() if not name.startswith("_") and name not in _INSIDE]
