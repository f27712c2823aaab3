"""What an agent can do to a screen: :class:`Action` and the enums it is made of.

An action is plain data in integer pixels. Which fields an :class:`ActionType` uses is written once, in
:data:`FIELDS`; every other field keeps its default, so that equal actions compare equal.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from enum import IntEnum

MAX_TEXT = 8192  #: longest text of one TYPE or ANSWER, in code points
MAX_SCROLL = 20  #: largest scroll of one action on each axis, in wheel notches
MAX_WAIT = 60  #: longest WAIT, in seconds


class ActionError(ValueError):
    """An action that cannot be done: a point outside the screen, a wrong type, an unknown key."""


class ActionType(IntEnum):
    """The kinds of action. The numbers are part of the action space: append, never renumber."""

    MOVE = 0
    CLICK = 1
    MOUSE_DOWN = 2
    MOUSE_UP = 3
    DRAG = 4
    SCROLL = 5
    TYPE = 6
    KEY = 7
    KEY_DOWN = 8
    KEY_UP = 9
    WAIT = 10
    DONE = 11
    FAIL = 12
    ANSWER = 13


#: The actions with which an agent ends its episode.
TERMINAL = frozenset({ActionType.DONE, ActionType.FAIL, ActionType.ANSWER})

#: The fields each type uses; all others are ignored.
FIELDS: dict[ActionType, tuple[str, ...]] = {
    ActionType.MOVE: ("point",),
    ActionType.CLICK: ("point", "button", "clicks", "modifiers"),
    ActionType.MOUSE_DOWN: ("point", "button"),
    ActionType.MOUSE_UP: ("point", "button"),
    ActionType.DRAG: ("point", "to", "button"),
    ActionType.SCROLL: ("point", "scroll"),
    ActionType.TYPE: ("text",),
    ActionType.KEY: ("key", "modifiers"),
    ActionType.KEY_DOWN: ("key",),
    ActionType.KEY_UP: ("key",),
    ActionType.WAIT: ("wait",),
    ActionType.DONE: (),
    ActionType.FAIL: (),
    ActionType.ANSWER: ("text",),
}

_USED = tuple(FIELDS[kind] for kind in ActionType)  # by number, since hashing an enum's member costs more than all else in a check


class Button(IntEnum):
    """Mouse buttons."""

    LEFT = 0
    MIDDLE = 1
    RIGHT = 2


class Modifier(IntEnum):
    """Modifier keys, in the order of the action space's ``modifiers`` bits."""

    CTRL = 0
    SHIFT = 1
    ALT = 2
    META = 3


class Key(IntEnum):
    """Keys of a keyboard. Letters and symbols are named by the character they stand for.

    Letters go by their lower-case form (hold SHIFT for capitals); every other printable ASCII character has a key of
    its own, so that "ctrl++" has a name for its plus. Append, never renumber.
    """

    ENTER = 0
    TAB = 1
    ESCAPE = 2
    BACKSPACE = 3
    DELETE = 4
    INSERT = 5
    HOME = 6
    END = 7
    PAGE_UP = 8
    PAGE_DOWN = 9
    LEFT = 10
    RIGHT = 11
    UP = 12
    DOWN = 13
    F1 = 14
    F2 = 15
    F3 = 16
    F4 = 17
    F5 = 18
    F6 = 19
    F7 = 20
    F8 = 21
    F9 = 22
    F10 = 23
    F11 = 24
    F12 = 25
    CTRL = 26
    SHIFT = 27
    ALT = 28
    META = 29
    CAPS_LOCK = 30
    NUM_LOCK = 31
    SCROLL_LOCK = 32
    PRINT_SCREEN = 33
    PAUSE = 34
    MENU = 35
    A = 36
    B = 37
    C = 38
    D = 39
    E = 40
    F = 41
    G = 42
    H = 43
    I = 44
    J = 45
    K = 46
    L = 47
    M = 48
    N = 49
    O = 50
    P = 51
    Q = 52
    R = 53
    S = 54
    T = 55
    U = 56
    V = 57
    W = 58
    X = 59
    Y = 60
    Z = 61
    DIGIT_0 = 62
    DIGIT_1 = 63
    DIGIT_2 = 64
    DIGIT_3 = 65
    DIGIT_4 = 66
    DIGIT_5 = 67
    DIGIT_6 = 68
    DIGIT_7 = 69
    DIGIT_8 = 70
    DIGIT_9 = 71
    SPACE = 72
    EXCLAMATION = 73
    DOUBLE_QUOTE = 74
    HASH = 75
    DOLLAR = 76
    PERCENT = 77
    AMPERSAND = 78
    APOSTROPHE = 79
    LEFT_PARENTHESIS = 80
    RIGHT_PARENTHESIS = 81
    ASTERISK = 82
    PLUS = 83
    COMMA = 84
    MINUS = 85
    PERIOD = 86
    SLASH = 87
    COLON = 88
    SEMICOLON = 89
    LESS = 90
    EQUAL = 91
    GREATER = 92
    QUESTION = 93
    AT = 94
    LEFT_BRACKET = 95
    BACKSLASH = 96
    RIGHT_BRACKET = 97
    CARET = 98
    UNDERSCORE = 99
    GRAVE = 100
    LEFT_BRACE = 101
    BAR = 102
    RIGHT_BRACE = 103
    TILDE = 104


#: The character each character key stands for.
KEY_CHARACTER: dict[Key, str] = {
    Key.A: "a",
    Key.B: "b",
    Key.C: "c",
    Key.D: "d",
    Key.E: "e",
    Key.F: "f",
    Key.G: "g",
    Key.H: "h",
    Key.I: "i",
    Key.J: "j",
    Key.K: "k",
    Key.L: "l",
    Key.M: "m",
    Key.N: "n",
    Key.O: "o",
    Key.P: "p",
    Key.Q: "q",
    Key.R: "r",
    Key.S: "s",
    Key.T: "t",
    Key.U: "u",
    Key.V: "v",
    Key.W: "w",
    Key.X: "x",
    Key.Y: "y",
    Key.Z: "z",
    Key.DIGIT_0: "0",
    Key.DIGIT_1: "1",
    Key.DIGIT_2: "2",
    Key.DIGIT_3: "3",
    Key.DIGIT_4: "4",
    Key.DIGIT_5: "5",
    Key.DIGIT_6: "6",
    Key.DIGIT_7: "7",
    Key.DIGIT_8: "8",
    Key.DIGIT_9: "9",
    Key.SPACE: " ",
    Key.EXCLAMATION: "!",
    Key.DOUBLE_QUOTE: '"',
    Key.HASH: "#",
    Key.DOLLAR: "$",
    Key.PERCENT: "%",
    Key.AMPERSAND: "&",
    Key.APOSTROPHE: "'",
    Key.LEFT_PARENTHESIS: "(",
    Key.RIGHT_PARENTHESIS: ")",
    Key.ASTERISK: "*",
    Key.PLUS: "+",
    Key.COMMA: ",",
    Key.MINUS: "-",
    Key.PERIOD: ".",
    Key.SLASH: "/",
    Key.COLON: ":",
    Key.SEMICOLON: ";",
    Key.LESS: "<",
    Key.EQUAL: "=",
    Key.GREATER: ">",
    Key.QUESTION: "?",
    Key.AT: "@",
    Key.LEFT_BRACKET: "[",
    Key.BACKSLASH: "\\",
    Key.RIGHT_BRACKET: "]",
    Key.CARET: "^",
    Key.UNDERSCORE: "_",
    Key.GRAVE: "`",
    Key.LEFT_BRACE: "{",
    Key.BAR: "|",
    Key.RIGHT_BRACE: "}",
    Key.TILDE: "~",
}
_CHARACTER_KEY: dict[str, Key] = {char: key for key, char in KEY_CHARACTER.items()}

_ALIASES = {
    "return": "ENTER", "kpenter": "ENTER", "esc": "ESCAPE", "del": "DELETE", "ins": "INSERT",
    "pgup": "PAGE_UP", "pageup": "PAGE_UP", "prior": "PAGE_UP", "pgdn": "PAGE_DOWN", "pgdown": "PAGE_DOWN",
    "pagedown": "PAGE_DOWN", "next": "PAGE_DOWN", "arrowleft": "LEFT", "arrowright": "RIGHT", "arrowup": "UP",
    "arrowdown": "DOWN", "control": "CTRL", "ctrlleft": "CTRL", "ctrlright": "CTRL", "controll": "CTRL",
    "controlr": "CTRL", "shiftleft": "SHIFT", "shiftright": "SHIFT", "shiftl": "SHIFT", "shiftr": "SHIFT",
    "altleft": "ALT", "altright": "ALT", "altl": "ALT", "altr": "ALT", "option": "ALT", "cmd": "META",
    "command": "META", "win": "META", "windows": "META", "super": "META", "superl": "META", "superr": "META",
    "winleft": "META", "winright": "META", "optionleft": "ALT", "optionright": "ALT", "metal": "META", "metar": "META",
    "capslock": "CAPS_LOCK", "numlock": "NUM_LOCK", "scrolllock": "SCROLL_LOCK",
    "printscreen": "PRINT_SCREEN", "prtsc": "PRINT_SCREEN", "prtscr": "PRINT_SCREEN", "prntscrn": "PRINT_SCREEN",
    "print": "PRINT_SCREEN", "apps": "MENU", "contextmenu": "MENU", "spacebar": "SPACE", "back": "BACKSPACE",
}  # fmt: skip
_BY_NAME = {key.name.lower().replace("_", ""): key for key in Key}
_BY_NAME.update({alias: Key[name] for alias, name in _ALIASES.items()})
_BY_NAME.update({char: key for char, key in _CHARACTER_KEY.items() if char not in _BY_NAME})


def key_from_name(name: str) -> Key:
    """The :class:`Key` a model or a user means by ``name``: ``"Return"``, ``"page-down"``, ``"cmd"``, ``"+"``.

    Raises :class:`ActionError` with near matches when there is none.

    >>> key_from_name("page-down"), key_from_name("+")
    (<Key.PAGE_DOWN: 9>, <Key.PLUS: 83>)
    """
    if len(name) == 1:
        found = _CHARACTER_KEY.get(name.lower())
    else:
        found = _BY_NAME.get("".join(c for c in name.lower() if c not in "_- "))
    if found is None:
        near = difflib.get_close_matches(name.lower(), [key.name.lower() for key in Key], n=3, cutoff=0.4)
        raise ActionError(f"unknown key {name!r}; did you mean {', '.join(near) or 'one of gui_gym.Key'}?")
    return found


@dataclass(frozen=True, slots=True)
class Action:
    """One action, in integer pixels of the screen.

    Args:
        type: what is done.
        point: ``(x, y)``, where it is done.
        to: ``(x, y)``, where a DRAG ends.
        button: mouse button.
        clicks: 1, 2 or 3.
        scroll: ``(dx, dy)`` in wheel notches; positive is right and down (the content moves left and up).
        key: the key of KEY, KEY_DOWN and KEY_UP.
        modifiers: the keys held meanwhile, sorted.
        wait: seconds.
        text: what TYPE types, or what ANSWER answers.

    Use the named constructors, which leave unused fields at their defaults.
    """

    type: ActionType
    point: tuple[int, int] = (0, 0)
    to: tuple[int, int] = (0, 0)
    button: Button = Button.LEFT
    clicks: int = 1
    scroll: tuple[int, int] = (0, 0)
    key: Key = Key.ENTER
    modifiers: tuple[Modifier, ...] = ()
    wait: int = 0
    text: str = ""

    def __init__(
        self,
        type: ActionType,
        point: tuple[int, int] = (0, 0),
        to: tuple[int, int] = (0, 0),
        button: Button = Button.LEFT,
        clicks: int = 1,
        scroll: tuple[int, int] = (0, 0),
        key: Key = Key.ENTER,
        modifiers: tuple[Modifier, ...] = (),
        wait: int = 0,
        text: str = "",
    ):  # by hand, since one is made at every step: what a frozen dataclass makes takes twice as long
        _set_type(self, type)
        _set_point(self, point)
        _set_to(self, to)
        _set_button(self, button)
        _set_clicks(self, clicks)
        _set_scroll(self, scroll)
        _set_key(self, key)
        _set_modifiers(self, modifiers)
        _set_wait(self, wait)
        _set_text(self, text)

    @classmethod
    def move(cls, x: int, y: int) -> Action:
        return cls(ActionType.MOVE, point=(x, y))

    @classmethod
    def click(cls, x: int, y: int, button: Button = Button.LEFT, clicks: int = 1, modifiers: tuple[Modifier, ...] = ()) -> Action:
        return cls(ActionType.CLICK, point=(x, y), button=button, clicks=clicks, modifiers=tuple(sorted(modifiers)))

    @classmethod
    def mouse_down(cls, x: int, y: int, button: Button = Button.LEFT) -> Action:
        return cls(ActionType.MOUSE_DOWN, point=(x, y), button=button)

    @classmethod
    def mouse_up(cls, x: int, y: int, button: Button = Button.LEFT) -> Action:
        return cls(ActionType.MOUSE_UP, point=(x, y), button=button)

    @classmethod
    def drag(cls, x: int, y: int, to_x: int, to_y: int, button: Button = Button.LEFT) -> Action:
        return cls(ActionType.DRAG, point=(x, y), to=(to_x, to_y), button=button)

    @classmethod
    def scroll_by(cls, x: int, y: int, dx: int = 0, dy: int = 0) -> Action:
        return cls(ActionType.SCROLL, point=(x, y), scroll=(dx, dy))

    @classmethod
    def type_text(cls, text: str) -> Action:
        return cls(ActionType.TYPE, text=text)

    @classmethod
    def press(cls, key: Key | str, *modifiers: Modifier) -> Action:
        """Press and release ``key`` (a :class:`Key` or its name) with ``modifiers`` held."""
        key = key_from_name(key) if isinstance(key, str) else key
        return cls(ActionType.KEY, key=key, modifiers=tuple(sorted(modifiers)))

    @classmethod
    def key_down(cls, key: Key) -> Action:
        return cls(ActionType.KEY_DOWN, key=key)

    @classmethod
    def key_up(cls, key: Key) -> Action:
        return cls(ActionType.KEY_UP, key=key)

    @classmethod
    def wait_for(cls, seconds: int = 1) -> Action:
        return cls(ActionType.WAIT, wait=seconds)

    @classmethod
    def done(cls) -> Action:
        return cls(ActionType.DONE)

    @classmethod
    def fail(cls) -> Action:
        return cls(ActionType.FAIL)

    @classmethod
    def answer(cls, text: str) -> Action:
        return cls(ActionType.ANSWER, text=text)

    def check(self, width: int, height: int) -> Action:
        """Return self if it can be done on a screen of ``width`` x ``height`` pixels, else raise :class:`ActionError`."""
        for name in _USED[self.type]:
            if name == "point" or name == "to":
                x, y = self.point if name == "point" else self.to
                if not (0 <= x < width and 0 <= y < height):
                    raise ActionError(f"{name} {(x, y)} is outside the screen: expected 0 <= x < {width} and 0 <= y < {height}")
            elif name == "clicks" and not 1 <= self.clicks <= 3:
                raise ActionError(f"clicks is {self.clicks}: expected 1, 2 or 3")
            elif name == "scroll" and max(map(abs, self.scroll)) > MAX_SCROLL:
                raise ActionError(f"scroll {self.scroll} is too far: expected -{MAX_SCROLL}..{MAX_SCROLL} notches on each axis")
            elif name == "wait" and not 0 <= self.wait <= MAX_WAIT:
                raise ActionError(f"wait is {self.wait}: expected 0..{MAX_WAIT} seconds")
            elif name == "text" and len(self.text) > MAX_TEXT:
                raise ActionError(f"text has {len(self.text)} characters: expected at most {MAX_TEXT}; send it in parts")
        return self

    def used(self) -> dict[str, object]:
        """The fields this action's type uses, by name, in the order of :data:`FIELDS`."""
        return {name: getattr(self, name) for name in FIELDS[self.type]}

    def __str__(self) -> str:
        parts = []
        for name, value in self.used().items():
            if isinstance(value, IntEnum):
                value = value.name
            elif name == "modifiers":
                value = "+".join(m.name for m in self.modifiers) or None
            if value is not None:
                parts.append(f"{name}={value!r}" if isinstance(value, str) and name == "text" else f"{name}={value}")
        return f"{self.type.name}({', '.join(parts)})"


(_set_type, _set_point, _set_to, _set_button, _set_clicks, _set_scroll, _set_key, _set_modifiers, _set_wait, _set_text) = (
    Action.__dict__[name].__set__ for name in Action.__slots__
)
