"""Typing on an X server: keysyms, keys by name, and exact text in any script."""

from __future__ import annotations

from collections.abc import Iterable

from gui_gym.actions import KEY_CHARACTER, ActionError, Key, Modifier
from gui_gym.desktops.base import DesktopError
from gui_gym.desktops.x11.display import Display

# Keysym numbers are those of X11/keysymdef.h.
_RETURN, _TAB, _SHIFT, _CAPS_LOCK = 0xFF0D, 0xFF09, 0xFFE1, 0xFFE5
KEYSYMS: dict[Key, int] = {
    Key.ENTER: _RETURN,
    Key.TAB: _TAB,
    Key.ESCAPE: 0xFF1B,
    Key.BACKSPACE: 0xFF08,
    Key.DELETE: 0xFFFF,
    Key.INSERT: 0xFF63,
    Key.HOME: 0xFF50,
    Key.END: 0xFF57,
    Key.PAGE_UP: 0xFF55,
    Key.PAGE_DOWN: 0xFF56,
    Key.LEFT: 0xFF51,
    Key.UP: 0xFF52,
    Key.RIGHT: 0xFF53,
    Key.DOWN: 0xFF54,
    **{Key(Key.F1 + i): 0xFFBE + i for i in range(12)},
    Key.CTRL: 0xFFE3,
    Key.SHIFT: _SHIFT,
    Key.ALT: 0xFFE9,
    Key.META: 0xFFEB,
    Key.CAPS_LOCK: _CAPS_LOCK,
    Key.NUM_LOCK: 0xFF7F,
    Key.SCROLL_LOCK: 0xFF14,
    Key.PRINT_SCREEN: 0xFF61,
    Key.PAUSE: 0xFF13,
    Key.MENU: 0xFF67,
    **{key: ord(char) for key, char in KEY_CHARACTER.items()},
}
MODIFIER_KEYS = {Modifier.CTRL: Key.CTRL, Modifier.SHIFT: Key.SHIFT, Modifier.ALT: Key.ALT, Modifier.META: Key.META}
_CONTROL = {"\n": _RETURN, "\t": _TAB, "\b": 0xFF08, "\x1b": 0xFF1B, "\x7f": 0xFFFF}
#: Keysyms from here on are media and function keys of vendors: their keycodes can be given to characters.
_VENDOR = 0x10080000
_PRESS, _RELEASE = 2, 3
_LOCK = 2  # the caps lock bit of a modifier mask
_BATCH = 64  # keys sent between two waits for the server, so that no socket buffer can fill and block


def keysym(char: str) -> int:
    """The keysym that stands for ``char``; :class:`ActionError` if it is a control character or half a surrogate pair."""
    code = ord(char)
    if char in _CONTROL:
        return _CONTROL[char]
    if code < 0x20 or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000:
        raise ActionError(f"the character U+{code:04X} cannot be typed: expected printable characters, newline or tab")
    return code if code < 0x100 else 0x01000000 | code


def _may_be_lent(symbol: int) -> bool:
    """Whether the keysym is a character of no English keyboard."""
    return 0xA0 <= symbol <= 0xFF or symbol > 0x01000000


class Keyboard:
    """The keyboard of the X server of ``display``."""

    def __init__(self, display: Display):
        self._display = display
        self._x, self._xtest = display.x, display.xtest
        self._lent: dict[int, int] = {}  # keysym -> keycode of those that were given one, longest unused first
        self._held: dict[Key, list[int]] = {}  # keys held down for the agent -> keycodes pressed for them
        self._read_mapping()

    def _read_mapping(self) -> None:
        self._where: dict[int, tuple[int, bool]] = {}  # keysym -> keycode, with shift
        self._spare: list[int] = []  # keycodes without a meaning
        lent: dict[int, int] = {}
        low, high = self._x.setup.min_keycode, self._x.setup.max_keycode
        reply = self._x.core.GetKeyboardMapping(low, high - low + 1).reply()
        self._columns, keysyms = reply.keysyms_per_keycode, list(reply.keysyms)
        modifiers = {code for code in self._x.core.GetModifierMapping().reply().keycodes if code}
        for i in range(high - low + 1):
            row, code = keysyms[i * self._columns : (i + 1) * self._columns], low + i
            if code not in modifiers and all(k == 0 or k >= _VENDOR for k in row):
                self._spare.append(code)
            elif code not in modifiers and row[0] == row[1] and _may_be_lent(row[0]):
                lent[row[0]] = code
            for shift in (False, True):
                if row[shift]:
                    self._where.setdefault(row[shift], (code, shift))
        ours = {symbol: code for symbol, code in self._lent.items() if lent.get(symbol) == code}
        self._lent = {**{symbol: code for symbol, code in lent.items() if symbol not in ours}, **ours}
        if not self._spare and not self._lent:
            raise DesktopError("the X server's keyboard has no spare keycode for characters beyond ASCII")

    def type(self, text: str) -> None:
        """Type ``text`` exactly: any script, a line end as Enter. Raises :class:`ActionError` before the first key if it cannot.

        An Enter at the end comes once programs have handled the text: a dialog that still checks it would ignore the key.
        """
        symbols = [keysym(char) for char in text.replace("\r\n", "\n").replace("\r", "\n")]
        last = len(symbols)
        while last > 0 and symbols[last - 1] == _RETURN:
            last -= 1
        if any(symbol in self._lent or symbol not in self._where for symbol in symbols):
            self._read_mapping()  # programs on the desktop may have lent keycodes as well
        locked = bool(self._display.pointer()[2] & _LOCK)
        if locked:
            self._tap(self._code(_CAPS_LOCK))
        start = 0
        while start < last:
            end = self._lend(symbols[:last], start)
            self._send(symbols[start:end])
            start = end
        if 0 < last < len(symbols):
            self._display.settle(last)
        self._send(symbols[last:])
        if locked:
            self._tap(self._code(_CAPS_LOCK))
        self._display.sync()

    def _send(self, symbols: list[int]) -> None:
        shift_code, shifted = self._code(_SHIFT), False
        may_shift = Key.SHIFT not in self._held  # a held shift stays held, as on a real keyboard
        for i, symbol in enumerate(symbols):
            code, shift = self._where[symbol]
            if may_shift and shift != shifted:
                self._fake(_PRESS if shift else _RELEASE, shift_code)
                shifted = shift
            self._tap(code)
            if i % _BATCH == _BATCH - 1:
                self._display.sync()
        if shifted:
            self._fake(_RELEASE, shift_code)

    def _lend(self, symbols: list[int], start: int) -> int:
        """Give keycodes to the keysyms from ``start`` on that have none; return how far they suffice."""
        wanted: dict[int, None] = {}
        end = start
        while end < len(symbols):
            symbol = symbols[end]
            if symbol not in wanted and (symbol not in self._where or symbol in self._lent):
                if len(wanted) == len(self._spare) + len(self._lent):
                    break
                wanted[symbol] = None
            end += 1
        missing = [symbol for symbol in wanted if symbol not in self._where]
        if len(missing) > len(self._spare):  # programs must have read what was typed with the old meaning
            self._display.sync()
            self._display.settle(start)
        for symbol in wanted:
            if symbol in self._lent:  # now the latest used
                self._lent[symbol] = self._lent.pop(symbol)
        for symbol in missing:
            if self._spare:
                code = self._spare.pop()
            else:
                oldest = next(iter(self._lent))
                code = self._lent.pop(oldest)
                del self._where[oldest]
            self._lent[symbol] = code
            self._where[symbol] = (code, False)
        self._change_mapping({self._lent[symbol]: symbol for symbol in missing})
        return end

    def _change_mapping(self, meanings: dict[int, int]) -> None:
        """Give keycodes the meaning of keysyms, many at once: programs read the whole keyboard again at each change, which takes GTK 50 ms."""
        codes = sorted(meanings)
        while codes:
            run = [code for i, code in enumerate(codes) if code == codes[0] + i]
            rows = [[meanings[code]] * 2 + [0] * (self._columns - 2) for code in run]  # the same at both levels, whatever shift does
            self._x.core.ChangeKeyboardMapping(len(run), run[0], self._columns, [symbol for row in rows for symbol in row])
            codes = codes[len(run) :]

    def press(self, key: Key, modifiers: Iterable[Modifier] = ()) -> None:
        """Press and release ``key`` with ``modifiers`` held."""
        self.up(key)  # it cannot be pressed while it is held
        with_modifiers = self.hold(modifiers)
        codes = self._codes(key)
        for code in codes:
            self._fake(_PRESS, code)
        for code in reversed(codes):
            self._fake(_RELEASE, code)
        self.release(with_modifiers)
        self._display.sync()

    def down(self, key: Key) -> None:
        """Hold ``key`` down until :meth:`up`."""
        if key not in self._held:
            self._held[key] = self._codes(key)
            for code in self._held[key]:
                self._fake(_PRESS, code)
            self._display.sync()

    def up(self, key: Key) -> None:
        """Let go of ``key``; nothing happens if it is not held."""
        for code in reversed(self._held.pop(key, [])):
            if not any(code in codes for codes in self._held.values()):
                self._fake(_RELEASE, code)
        self._display.sync()

    def hold(self, modifiers: Iterable[Modifier]) -> list[int]:
        """Press the modifier keys that are not held yet; give the result to :meth:`release`."""
        codes = [self._code(KEYSYMS[MODIFIER_KEYS[m]]) for m in modifiers if MODIFIER_KEYS[m] not in self._held]
        for code in codes:
            self._fake(_PRESS, code)
        return codes

    def release(self, codes: list[int]) -> None:
        for code in reversed(codes):
            self._fake(_RELEASE, code)

    def _codes(self, key: Key) -> list[int]:
        """Keycodes to press for ``key``: with shift before it where its character needs that and shift is not held."""
        code, shift = self._where[KEYSYMS[key]]
        return [self._code(_SHIFT), code] if shift and Key.SHIFT not in self._held else [code]

    def _code(self, symbol: int) -> int:
        return self._where[symbol][0]

    def _tap(self, code: int) -> None:
        self._fake(_PRESS, code)
        self._fake(_RELEASE, code)

    def _fake(self, kind: int, code: int) -> None:
        self._xtest.FakeInput(kind, code, 0, 0, 0, 0, 0)
