"""``computer_13``: OSWorld's other format, JSON such as ``{"action_type": "CLICK", "parameters": {"x": 3, "y": 6}}``, or a list of those.

The thirteen actions and WAIT, DONE, FAIL, which may stand as words; parameters may also stand beside ``action_type``. SCROLL's ``dx`` is to
the right, its ``dy`` *up*, in notches, as OSWorld hands them to pyautogui.
"""

from __future__ import annotations

import json
import re
from typing import Any

from gui_gym.actions import Action, ActionType, Button, Key
from gui_gym.codecs.base import Codec
from gui_gym.codecs.errors import ActionFormatError, ActionParseError, clip
from gui_gym.codecs.frames import Size
from gui_gym.codecs.grammar import check_writable
from gui_gym.codecs.json_codec import read_json
from gui_gym.codecs.script import HERE, WAIT_SECONDS, WORDS, Point, Script, button_named, key_text, number, spread_words, text_of, whole

_PARAMETERS: dict[str, tuple[str, ...]] = {
    "MOVE_TO": ("x", "y"),
    "CLICK": ("button", "x", "y", "num_clicks"),
    "MOUSE_DOWN": ("button",),
    "MOUSE_UP": ("button",),
    "RIGHT_CLICK": ("x", "y"),
    "DOUBLE_CLICK": ("x", "y"),
    "DRAG_TO": ("x", "y"),
    "SCROLL": ("dx", "dy"),
    "TYPING": ("text",),
    "PRESS": ("key",),
    "KEY_DOWN": ("key",),
    "KEY_UP": ("key",),
    "HOTKEY": ("keys",),
    "WAIT": (),
    "DONE": (),
    "FAIL": (),
}


class Computer13Codec(Codec):
    """One JSON object per action; see the module."""

    name = "computer_13"

    def format(self, action: Action, screen: Size) -> str:
        check_writable(action, screen)
        items = [json.dumps({"action_type": kind, **({"parameters": values} if values else {})}, ensure_ascii=False, default=str)
                 for kind, values in self._items(action, screen)]  # fmt: skip
        return _bare_numbers(items[0] if len(items) == 1 else f"[{', '.join(items)}]")

    def _items(self, action: Action, screen: Size) -> list[tuple[str, dict[str, Any]]]:
        button = {} if action.button is Button.LEFT else {"button": action.button.name.lower()}
        match action.type:
            case ActionType.MOVE:
                return [("MOVE_TO", self._point(action.point, screen))]
            case ActionType.CLICK:
                held = [key_text(Key[m.name]) for m in action.modifiers]
                clicks = {"num_clicks": action.clicks} if action.clicks != 1 else {}
                click = ("CLICK", {**button, **self._point(action.point, screen), **clicks})
                return [*(("KEY_DOWN", {"key": k}) for k in held), click, *(("KEY_UP", {"key": k}) for k in reversed(held))]
            case ActionType.MOUSE_DOWN | ActionType.MOUSE_UP:
                return [("MOVE_TO", self._point(action.point, screen)), (action.type.name, button)]
            case ActionType.DRAG:
                if button:
                    raise ActionFormatError("DRAG_TO drags with the left button only")
                return [("MOVE_TO", self._point(action.point, screen)), ("DRAG_TO", self._point(action.to, screen))]
            case ActionType.SCROLL:
                return [("MOVE_TO", self._point(action.point, screen)), ("SCROLL", {"dx": action.scroll[0], "dy": -action.scroll[1]})]
            case ActionType.TYPE:
                return [("TYPING", {"text": action.text})]
            case ActionType.KEY:
                if not action.modifiers:
                    return [("PRESS", {"key": key_text(action.key)})]
                return [("HOTKEY", {"keys": [*(key_text(Key[m.name]) for m in action.modifiers), key_text(action.key)]})]
            case ActionType.KEY_DOWN | ActionType.KEY_UP:
                return [(action.type.name, {"key": key_text(action.key)})]
            case ActionType.WAIT:
                if action.wait != WAIT_SECONDS:
                    raise ActionFormatError(f"WAIT waits {WAIT_SECONDS} seconds, not {action.wait}")
                return [("WAIT", {})]
            case ActionType.DONE | ActionType.FAIL:
                return [(action.type.name, {})]
            case _:
                raise ActionFormatError(f"OSWorld's format has no word for {action.type.name}")

    def _point(self, point: tuple[int, int], screen: Size) -> dict[str, Any]:
        return {name: f"\0{self.frame.encode(value, screen, axis)}\0" for axis, (name, value) in enumerate(zip("xy", point, strict=True))}

    def describe(self, screen: Size) -> str:
        def one(kind: str, *parameters: str) -> str:
            return f'{{"action_type": "{kind}", "parameters": {{{", ".join(parameters)}}}}}'

        return "\n".join(
            [
                f"Write one action as a JSON object, such as {self.example(screen)}, or a list of them. If you think first, begin it with 'Action:'.",
                f"X is {self.frame.range(screen, 0)} from the left, Y is {self.frame.range(screen, 1)} from the top.",
                one("MOVE_TO", '"x": X', '"y": Y') + ": move the pointer",
                one("CLICK", '"x": X', '"y": Y', '"button": "left"', '"num_clicks": 1') + ": click; without x and y where the pointer is",
                "RIGHT_CLICK, DOUBLE_CLICK: the same with x and y alone",
                one("MOUSE_DOWN", '"button": "left"') + ", MOUSE_UP: press, or release, a mouse button where the pointer is",
                one("DRAG_TO", '"x": X', '"y": Y') + ": drag from where the pointer is",
                one("SCROLL", '"dx": N', '"dy": N') + ": turn the wheel, dx notches to the right, dy up; negative is left or down",
                one("TYPING", '"text": "..."') + ": type a text",
                one("PRESS", '"key": "enter"') + ", KEY_DOWN, KEY_UP: press a key, hold it, release it",
                one("HOTKEY", '"keys": ["ctrl", "s"]') + ": press keys at once",
                '{"action_type": "WAIT"}, DONE when the task is done, FAIL when it cannot be done',
            ]
        )

    def starts(self, line: str) -> bool:
        return line.startswith(("{", "[")) or line in WORDS

    def mentions(self, text: str) -> bool:
        return bool(re.search(r'"action_type"\s*:', text)) or any(line.strip() in WORDS for line in text.splitlines())

    def parse(self, text: str, screen: Size, cursor: Size, truncated: bool = False) -> list[Action]:
        return super().parse(spread_words(text), screen, cursor, truncated)

    def parse_strict(self, text: str, screen: Size, cursor: Size) -> list[Action]:
        script = Script(self.frame, screen, cursor)
        if text.strip() in WORDS:
            script.word(text.strip())
            return script.actions()
        value = read_json(text, self.example(screen))
        for item in value if isinstance(value, list) else [value]:
            self._item(script, item)
        return script.actions()

    def _item(self, script: Script, item: Any) -> None:
        if isinstance(item, str) and item in WORDS:
            item = {"action_type": item}
        if not isinstance(item, dict) or not isinstance(item.get("action_type"), str):
            raise ActionParseError(f'expected a JSON object with an "action_type", got {clip(json.dumps(item))}')
        values = {name: value for name, value in item.items() if name != "action_type"}
        nested = values.pop("parameters", None)
        if nested is not None and (values or not isinstance(nested, dict)):
            raise ActionParseError(f'expected "parameters" to be an object and alone, got {clip(json.dumps(item))}')
        kind, given = item["action_type"].upper(), dict(nested if nested is not None else values)
        if kind not in _PARAMETERS:
            raise ActionParseError(f"unknown action_type {clip(kind)}: expected one of {', '.join(_PARAMETERS)}")
        if unknown := set(given) - set(_PARAMETERS[kind]):
            raise ActionParseError(f"{kind} has no parameter {clip(min(unknown))}: expected {', '.join(_PARAMETERS[kind]) or 'none'}")
        _do(script, kind, {name: value for name, value in given.items() if value is not None})


def _do(script: Script, kind: str, given: dict[str, Any]) -> None:
    button = button_named(given["button"]) if "button" in given else Button.LEFT
    match kind:
        case "MOVE_TO":
            script.add(Action.move(*script.at(_point(kind, given, needed=True))))
        case "CLICK":
            script.add(Action.click(*script.at(_point(kind, given)), button, whole(given.get("num_clicks", 1), "num_clicks")))
        case "RIGHT_CLICK":
            script.add(Action.click(*script.at(_point(kind, given)), Button.RIGHT))
        case "DOUBLE_CLICK":
            script.add(Action.click(*script.at(_point(kind, given)), Button.LEFT, 2))
        case "MOUSE_DOWN":
            script.add(Action.mouse_down(*script.at(HERE), button))
        case "MOUSE_UP":
            script.add(Action.mouse_up(*script.at(HERE), button))
        case "DRAG_TO":
            script.drag_to(script.at(_point(kind, given, needed=True)), button)
        case "SCROLL":
            if not given:
                raise ActionParseError("SCROLL needs dx or dy: notches of the wheel")
            script.scroll(whole(given.get("dx", 0), "dx"), -whole(given.get("dy", 0), "dy"))
        case "TYPING":
            script.type(text_of(given.get("text"), "text"))
        case "PRESS":
            script.press(text_of(given.get("key"), "key"))
        case "KEY_DOWN":
            script.key(text_of(given.get("key"), "key"), Action.key_down)
        case "KEY_UP":
            script.key(text_of(given.get("key"), "key"), Action.key_up)
        case "HOTKEY":
            keys = given.get("keys")
            if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
                raise ActionParseError(f"keys: expected a list of names of keys, got {clip(json.dumps(keys))}")
            script.hotkey(keys)
        case word:
            script.word(word)


def _point(kind: str, given: dict[str, Any], needed: bool = False) -> Point:
    x, y = given.get("x"), given.get("y")
    if (x is None) != (y is None) or (needed and x is None):
        raise ActionParseError(f"{kind} needs both x and y{'' if needed else ', or neither (then it acts where the pointer is)'}")
    return HERE if x is None else (number(x, "x"), number(y, "y"))


def _bare_numbers(text: str) -> str:
    """Numerals that stand between marks, as numbers: a frame's digits must not pass through a float."""
    return re.sub(r'"\\u0000([-0-9.]+)\\u0000"', r"\1", text)
