# mypy: ignore-errors
"""Runs on a guest with an X server and python-xlib: one input, then a wait until the screen has settled. Arguments: one JSON object. Prints one.

All goes through the XTEST extension. Characters that have no key are given one that has no meaning, and keep it: a program that is slow
to read its keys would otherwise see another character. Nothing is sent before every key is known.
"""

import json
import select
import sys
import time

from Xlib import XK, X, display
from Xlib.error import XError
from Xlib.ext import xtest
from Xlib.protocol import event

try:
    from Xlib.ext import damage
except ImportError:  # before python-xlib 0.24, such as the python3-xlib that pyautogui installs
    damage = None
try:
    from PIL import ImageGrab
except ImportError:
    ImageGrab = None

asked = json.loads(sys.argv[1])
server = display.Display()
root = server.screen().root
BUTTONS = {"LEFT": 1, "MIDDLE": 2, "RIGHT": 3}
SHIFT, CAPS_LOCK, RETURN = XK.XK_Shift_L, XK.XK_Caps_Lock, XK.XK_Return
CONTROL = {"\n": RETURN, "\t": XK.XK_Tab, "\b": XK.XK_BackSpace, "\x1b": XK.XK_Escape, "\x7f": XK.XK_Delete}
PACE = 0.006  # seconds between characters: input methods put them out of order when they come at once
first = server.display.info.min_keycode
rows = [list(row) for row in server.get_keyboard_mapping(first, server.display.info.max_keycode - first + 1)]
modifiers = {code for row in server.get_modifier_mapping() for code in row if code}
where, spare, lent = {}, [], []
VENDOR = 0x10080000  # keysyms from here on are media keys and the like: their keycodes can be given to characters
for number, row in enumerate(rows):
    code = first + number
    if code not in modifiers and not any(0 < symbol < VENDOR for symbol in row):
        spare.append(code)
        continue
    if code not in modifiers and row[0] == row[1] and (row[0] >= 0x01000000 or 0xA0 <= row[0] < 0x100):
        lent.append(code)  # by an earlier input
    for level in (0, 1):
        if row[level]:
            where.setdefault(row[level], (code, bool(level)))


watch, drawn = None, 0.0
if damage is not None and server.has_extension("DAMAGE"):
    server.damage_query_version()
    watch = root.damage_create(damage.DamageReportNonEmpty)


class Unable(Exception):
    pass


def fake(kind, detail, x=0, y=0):
    xtest.fake_input(server, kind, detail, x=x, y=y)


def pressed(code):
    return bool(server.query_keymap()[code // 8] & 1 << code % 8)


def pointer():
    found = root.query_pointer()
    return found.root_x, found.root_y, found.mask


def held():
    return bool(pointer()[2] & (X.Button1Mask | X.Button2Mask | X.Button3Mask))


def move(x, y):
    if held():
        from_x, from_y, _ = pointer()
        steps = min(24, max(4, max(abs(x - from_x), abs(y - from_y)) // 16))
        for i in range(1, steps + 1):
            fake(X.MotionNotify, 0, from_x + (x - from_x) * i // steps, from_y + (y - from_y) * i // steps)
            server.sync()
            time.sleep(0.008)
    else:
        fake(X.MotionNotify, 0, x, y)
    server.sync()


def button(kind, number):
    fake(kind, number)
    server.sync()


def release(x, y, number):
    dragged = held()
    move(x, y)
    if dragged:  # what follows a drag answers motion only, and after a moment
        time.sleep(0.1)
        fake(X.MotionNotify, 0, x - 1 if x else x + 1, y)
        fake(X.MotionNotify, 0, x, y)
        server.sync()
        time.sleep(0.1)
    button(X.ButtonRelease, number)


def keysym(key):
    """Of a key as the client names it: a character, or a name of X11."""
    found = ord(key) if len(key) == 1 else XK.string_to_keysym(key)
    if not found:
        raise Unable(f"the guest knows no key {key}")
    if found not in where:
        lend([found])
    return found


def codes(key):
    """Keycodes to press for a key, with shift before it where its character needs that."""
    code, shifted = where[keysym(key)]
    shift = where[SHIFT][0]
    return [shift, code] if shifted and not pressed(shift) else [code]


def tap(code):
    fake(X.KeyPress, code)
    fake(X.KeyRelease, code)


def chord(keys, between):
    """Hold ``keys`` that are not held yet, do ``between``, let go of them."""
    down = [code for key in keys for code in codes(key) if not pressed(code)]
    for code in down:
        fake(X.KeyPress, code)
    between()
    for code in reversed(down):
        fake(X.KeyRelease, code)


def lend(symbols):
    """Give a key to each of ``symbols``, which have none: neighbouring keys at once, since programs read the whole keyboard after each change."""
    codes = sorted(spare[: len(symbols)])
    del spare[: len(symbols)]
    lent.extend(codes)
    where.update((symbol, (code, False)) for symbol, code in zip(symbols, codes))  # noqa: B905  older Pythons know no strict
    start = 0
    for end in range(1, len(codes) + 1):
        if end == len(codes) or codes[end] != codes[end - 1] + 1:
            server.change_keyboard_mapping(codes[start], [(symbol, symbol) for symbol in symbols[start:end]])
            start = end
    server.sync()


def handled(seconds):
    """Wait until the window in use has answered a ping (_NET_WM_PING), so has handled all that was sent; False if it does not."""
    protocols, ping = server.intern_atom("WM_PROTOCOLS"), server.intern_atom("_NET_WM_PING")
    try:
        active = root.get_full_property(server.intern_atom("_NET_ACTIVE_WINDOW"), X.AnyPropertyType)
        window = server.create_resource_object("window", active.value[0]) if active and active.value[0] else None
        if window is None or ping not in window.get_wm_protocols():
            return False
        root.change_attributes(event_mask=X.SubstructureNotifyMask)
        question = event.ClientMessage(window=window, client_type=protocols, data=(32, [ping, X.CurrentTime, window.id, 0, 0]))
        window.send_event(question, event_mask=0)
        server.flush()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for answer in read_events():
                if answer.type == X.ClientMessage and answer.client_type == protocols and list(answer.data[1][:3])[::2] == [ping, window.id]:
                    return True
            select.select([server], [], [], 0.02)
    except (XError, IndexError):  # the window went away meanwhile
        pass
    return False


def read_events():
    """The events that have come, but for those that tell of drawing, which are noted."""
    global drawn
    found = []
    while server.pending_events():
        came = server.next_event()
        if watch is not None and came.type == server.extension_event.DamageNotify:
            drawn = time.monotonic()
            server.damage_subtract(watch, X.NONE, X.NONE)
        else:
            found.append(came)
    return found


def settle():
    """Wait until nothing was drawn for ``quiet`` seconds, at most ``limit``; the seconds that took."""
    global drawn
    start = drawn = time.monotonic()
    last = None
    if watch is None and ImageGrab is None:  # nobody can tell
        time.sleep(asked["limit"])
    while (now := time.monotonic()) - drawn < asked["quiet"] and now - start < asked["limit"]:
        select.select([server], [], [], 0.02)
        read_events()
        if watch is None and ImageGrab is not None and (seen := hash(ImageGrab.grab(xdisplay="").tobytes())) != last:
            last, drawn = seen, time.monotonic()
    return time.monotonic() - start


def type_text(text):
    symbols = []
    for char in text.replace("\r\n", "\n").replace("\r", "\n"):
        number = ord(char)
        if char not in CONTROL and (number < 0x20 or 0x7F <= number < 0xA0 or 0xD800 <= number < 0xE000):
            raise Unable(f"the character U+{number:04X} cannot be typed: expected printable characters, newline or tab")
        symbols.append(CONTROL.get(char) or (number if number < 0x100 else 0x01000000 | number))
    if any(symbol not in where for symbol in symbols) and not spare and not lent:
        raise Unable("the guest's keyboard has no key to spare for characters that are not on it")
    locked = bool(pointer()[2] & X.LockMask)
    if locked:
        tap(where[CAPS_LOCK][0])
    start = 0
    while start < len(symbols):
        wanted, end = [], start
        while end < len(symbols) and (symbols[end] in where or symbols[end] in wanted or len(wanted) < len(spare)):
            if symbols[end] not in where and symbols[end] not in wanted:
                wanted.append(symbols[end])
            end += 1
        lend(wanted)
        send(symbols[start:end])
        start = end
        if start < len(symbols):  # programs must have read what was typed with the old meaning
            if not handled(10.0):
                time.sleep(0.5)
            for code in lent:
                for symbol in [symbol for symbol, place in where.items() if place[0] == code]:
                    del where[symbol]
            spare.extend(lent)
            del lent[:]
    if locked:
        tap(where[CAPS_LOCK][0])


def send(symbols):
    shift, down = where[SHIFT][0], False
    may = not pressed(shift)
    for symbol in symbols:
        code, shifted = where[symbol]
        if may and shifted != down:
            fake(X.KeyPress if shifted else X.KeyRelease, shift)
            down = shifted
        tap(code)
        server.sync()
        time.sleep(PACE)
    if down:
        fake(X.KeyRelease, shift)


def clicks():
    for _ in range(asked["clicks"]):
        button(X.ButtonPress, number)
        button(X.ButtonRelease, number)


kind, number = asked["type"], BUTTONS.get(asked.get("button"), 0)
try:
    if kind == "MOVE":
        move(*asked["point"])
    elif kind == "CLICK":
        move(*asked["point"])
        chord(asked["modifiers"], clicks)
    elif kind == "MOUSE_DOWN":
        move(*asked["point"])
        button(X.ButtonPress, number)
    elif kind == "MOUSE_UP":
        release(*asked["point"], number)
    elif kind == "DRAG":
        move(*asked["point"])
        button(X.ButtonPress, number)
        release(*asked["to"], number)
    elif kind == "SCROLL":
        move(*asked["point"])
        for amount, forward, back in ((asked["scroll"][1], 5, 4), (asked["scroll"][0], 7, 6)):
            for _ in range(abs(amount)):
                button(X.ButtonPress, forward if amount > 0 else back)
                button(X.ButtonRelease, forward if amount > 0 else back)
                time.sleep(0.005)
    elif kind == "TYPE":
        type_text(asked["text"])
    elif kind == "KEY":
        keys = codes(asked["key"])
        if pressed(keys[-1]):  # it cannot be pressed while it is held
            fake(X.KeyRelease, keys[-1])
        chord([*asked["modifiers"], asked["key"]], server.sync)
    elif kind == "KEY_DOWN":
        for code in codes(asked["key"]):
            fake(X.KeyPress, code)
    elif kind == "KEY_UP":
        code, shifted = where[keysym(asked["key"])]
        fake(X.KeyRelease, code)
        if shifted:
            fake(X.KeyRelease, where[SHIFT][0])
    elif kind == "RELEASE_ALL":
        for code in range(first, 256):
            if pressed(code):
                fake(X.KeyRelease, code)
        for held_button in (1, 2, 3):
            fake(X.ButtonRelease, held_button)
    server.sync()
    handled(1.0)
    waited = settle()
    print(json.dumps({"cursor": pointer()[:2], "settle": waited}))
except Unable as problem:
    print(json.dumps({"unable": str(problem)}))
