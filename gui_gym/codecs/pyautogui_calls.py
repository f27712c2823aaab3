"""What each call of pyautogui does, from its arguments by name; what is not given, or None, is left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gui_gym.actions import Action, Button, Key
from gui_gym.codecs.errors import ActionParseError
from gui_gym.codecs.script import HERE, MAX_CALLS, Point, Script, button_named, number, text_of, whole

Arguments = Mapping[str, Any]


def _place(given: Arguments) -> Point:
    x, y = given.get("x"), given.get("y")
    if isinstance(x, list) and len(x) == 2 and y is None:  # pyautogui takes a point as one argument
        x, y = x
    return (None if x is None else number(x, "x"), None if y is None else number(y, "y"))


def _which(given: Arguments, default: Button = Button.LEFT) -> Button:
    return button_named(given["button"]) if "button" in given else default


def _sleep(script: Script, given: Arguments) -> None:
    script.wait(number(given["seconds"], "sleep"))


def _move(script: Script, given: Arguments) -> None:
    script.add(Action.move(*script.at(_place(given))))


def _move_by(script: Script, given: Arguments) -> None:
    script.add(Action.move(*script.by(given.get("xOffset", 0), given.get("yOffset", 0))))


def _click(clicks: int, button: Button) -> Callable[[Script, Arguments], None]:
    def do(script: Script, given: Arguments) -> None:
        count = whole(given.get("clicks", clicks), "clicks")
        script.add(Action.click(*script.at(_place(given)), _which(given, button), count))

    return do


def _press_button(make: Callable[..., Action]) -> Callable[[Script, Arguments], None]:
    def do(script: Script, given: Arguments) -> None:
        script.add(make(*script.at(_place(given)), _which(given)))

    return do


def _drag(script: Script, given: Arguments) -> None:
    place = _place(given)
    if place == HERE:
        raise ActionParseError("dragTo: expected where to drag to")
    script.drag_to(script.at(place), _which(given))


def _drag_by(script: Script, given: Arguments) -> None:
    script.drag_to(script.by(given.get("xOffset", 0), given.get("yOffset", 0)), _which(given))


def _scroll(sideways: bool) -> Callable[[Script, Arguments], None]:
    def do(script: Script, given: Arguments) -> None:
        notches = whole(given["clicks"], "clicks")
        script.scroll(notches if sideways else 0, 0 if sideways else -notches, _place(given))

    return do


def _write(script: Script, given: Arguments) -> None:
    message = given["message"]
    if isinstance(message, list):  # names of keys
        for name in message:
            script.press(text_of(name, "message"))
    else:
        script.type(text_of(message, "message"))


def _press(script: Script, given: Arguments) -> None:
    keys = given["keys"] if isinstance(given["keys"], list) else [given["keys"]]
    times = whole(given.get("presses", 1), "presses")
    if not 0 < times <= MAX_CALLS:
        raise ActionParseError(f"presses: expected 1..{MAX_CALLS}, got {times}")
    for name in keys * times:
        script.press(text_of(name, "keys"))


def _hotkey(script: Script, given: Arguments) -> None:
    keys = given["args"]
    script.hotkey(text_of(name, "hotkey") for name in (keys[0] if len(keys) == 1 and isinstance(keys[0], list) else keys))


def _hold(make: Callable[[Key], Action]) -> Callable[[Script, Arguments], None]:
    return lambda script, given: script.key(text_of(given["key"], "key"), make)


#: Arguments that only say how a movement looks.
MANNER = ("duration", "tween", "logScreenshot", "_pause", "interval", "mouseDownUp")

_XY = ("x", "y")
_MOVED = ("duration", "tween", "logScreenshot", "_pause")
_CLICKED = ("interval", "button", "duration", "tween", "logScreenshot", "_pause")
_OFFSET = ("xOffset", "yOffset")
_DRAGGED = ("duration", "tween", "button", "logScreenshot", "_pause", "mouseDownUp")

#: Each call's parameters in pyautogui's order, and what it does.
CALLS: dict[str, tuple[tuple[str, ...], Callable[[Script, Arguments], None]]] = {
    "moveTo": ((*_XY, *_MOVED), _move),
    "move": ((*_OFFSET, *_MOVED), _move_by),
    "moveRel": ((*_OFFSET, *_MOVED), _move_by),
    "click": ((*_XY, "clicks", *_CLICKED), _click(1, Button.LEFT)),
    "leftClick": ((*_XY, "interval", "duration", "tween"), _click(1, Button.LEFT)),
    "rightClick": ((*_XY, "interval", "duration", "tween"), _click(1, Button.RIGHT)),
    "middleClick": ((*_XY, "interval", "duration", "tween"), _click(1, Button.MIDDLE)),
    "doubleClick": ((*_XY, *_CLICKED), _click(2, Button.LEFT)),
    "tripleClick": ((*_XY, *_CLICKED), _click(3, Button.LEFT)),
    "mouseDown": ((*_XY, "button", "duration", "tween", "logScreenshot", "_pause"), _press_button(Action.mouse_down)),
    "mouseUp": ((*_XY, "button", "duration", "tween", "logScreenshot", "_pause"), _press_button(Action.mouse_up)),
    "dragTo": ((*_XY, *_DRAGGED), _drag),
    "drag": ((*_OFFSET, *_DRAGGED), _drag_by),
    "dragRel": ((*_OFFSET, *_DRAGGED), _drag_by),
    "scroll": (("clicks", *_XY), _scroll(False)),
    "vscroll": (("clicks", *_XY), _scroll(False)),
    "hscroll": (("clicks", *_XY), _scroll(True)),
    "write": (("message", "interval"), _write),
    "typewrite": (("message", "interval"), _write),
    "press": (("keys", "presses", "interval"), _press),
    "hotkey": (("args", "interval"), _hotkey),
    "keyDown": (("key",), _hold(Action.key_down)),
    "keyUp": (("key",), _hold(Action.key_up)),
    "sleep": (("seconds",), _sleep),
}
