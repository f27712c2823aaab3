"""``qwen``: the ``computer_use`` tool calls that Qwen2.5-VL and Qwen3-VL were trained to write::

    <tool_call>
    {"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [3, 6]}}
    </tool_call>

A thought may stand before the first call, nothing after the last. A drag and a scroll begin where the pointer is, as with pyautogui, which
Qwen's own tool hands them to: ``pixels`` are notches of the wheel, up (right for ``hscroll``) where positive. Qwen2.5-VL writes points in
pixels of the picture as its processor resized it (frame ``resized:WxH``, see :func:`gui_gym.codecs.smart_resize.smart_resize`), Qwen3-VL in
0 to 1000 (frame ``thousand``).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from gui_gym.actions import MAX_SCROLL, Action, ActionType, Button, Key
from gui_gym.codecs.base import MAX_ACTIONS, Codec
from gui_gym.codecs.errors import ActionFormatError, ActionParseError, clip
from gui_gym.codecs.frames import Size
from gui_gym.codecs.grammar import check_writable, parse_modifiers
from gui_gym.codecs.json_codec import read_json_at
from gui_gym.codecs.script import HERE, Point, Script, key_text, number, text_of, whole

TOOL = "computer_use"
_OPEN, _CLOSE = "<tool_call>", "</tool_call>"


@dataclass(frozen=True)
class _Call:
    """One value of ``action``: what it does, the parameters it needs and those it may have."""

    meaning: str
    needs: tuple[str, ...] = ()
    may: tuple[str, ...] = ()


_CLICK = ("coordinate", "text")
#: The grammar that prompt, formatter and parser share.
_CALLS: dict[str, _Call] = {
    "key": _Call("press keys at once, the held ones first", ("keys",)),
    "type": _Call("type a text", ("text",)),
    "mouse_move": _Call("move the pointer", ("coordinate",)),
    "left_click": _Call("click", may=_CLICK),
    "left_click_drag": _Call("drag from where the pointer is", ("coordinate",)),
    "right_click": _Call("click with the right button", may=_CLICK),
    "middle_click": _Call("click with the middle button", may=_CLICK),
    "double_click": _Call("click twice", may=_CLICK),
    "triple_click": _Call("click three times", may=_CLICK),
    "scroll": _Call("turn the wheel", ("pixels",), ("coordinate",)),
    "hscroll": _Call("turn the wheel sideways", ("pixels",), ("coordinate",)),
    "wait": _Call("wait", ("time",)),
    "terminate": _Call("end: the task is done, or it cannot be done", ("status",)),
    "answer": _Call("end: the task is done, and this answers its question", ("text",)),
}
_CLICKS: dict[str, tuple[Button, int]] = {
    "left_click": (Button.LEFT, 1), "double_click": (Button.LEFT, 2), "triple_click": (Button.LEFT, 3),
    "right_click": (Button.RIGHT, 1), "middle_click": (Button.MIDDLE, 1),
}  # fmt: skip
_CLICK_NAMES = {meant: name for name, meant in _CLICKS.items()}
_STATUS = {"success": Action.done, "failure": Action.fail}


class QwenCodec(Codec):
    """Calls of Qwen's ``computer_use`` tool; see the module. It has no words for keys and buttons that stay pressed, nor for a scroll on two axes."""

    name = "qwen"

    def format(self, action: Action, screen: Size) -> str:
        check_writable(action, screen)
        return "\n".join(f'{_OPEN}\n{{"name": "{TOOL}", "arguments": {arguments}}}\n{_CLOSE}' for arguments in self._calls(action, screen))

    def _calls(self, action: Action, screen: Size) -> list[str]:
        def call(name: str, point: tuple[int, int] | None = None, **values: Any) -> str:
            parts = [f'"action": "{name}"']
            if point is not None:
                x, y = (self.frame.encode(value, screen, axis) for axis, value in enumerate(point))
                parts.append(f'"coordinate": [{x}, {y}]')
            parts += [f'"{key}": {json.dumps(value, ensure_ascii=False)}' for key, value in values.items()]
            return "{" + ", ".join(parts) + "}"

        match action.type:
            case ActionType.MOVE:
                return [call("mouse_move", action.point)]
            case ActionType.CLICK:
                name = _CLICK_NAMES.get((action.button, action.clicks))
                if name is None:
                    raise ActionFormatError(f"{TOOL} has no word for {action.clicks} clicks of the {action.button.name.lower()} button")
                held = "+".join(m.name.lower() for m in action.modifiers)
                return [call(name, action.point, **({"text": held} if held else {}))]
            case ActionType.DRAG if action.button is Button.LEFT:
                return [call("mouse_move", action.point), call("left_click_drag", action.to)]
            case ActionType.SCROLL if not (action.scroll[0] and action.scroll[1]):
                dx, dy = action.scroll
                return [call("hscroll", action.point, pixels=dx) if dx else call("scroll", action.point, pixels=-dy)]
            case ActionType.TYPE:
                return [call("type", text=action.text)]
            case ActionType.KEY:
                return [call("key", keys=[*(key_text(Key[m.name]) for m in action.modifiers), key_text(action.key)])]
            case ActionType.WAIT:
                return [call("wait", time=action.wait)]
            case ActionType.DONE | ActionType.FAIL:
                return [call("terminate", status="success" if action.type is ActionType.DONE else "failure")]
            case ActionType.ANSWER:
                return [call("answer", text=action.text)]
            case _:
                raise ActionFormatError(f"{TOOL} has no word for {action}")

    def tool(self, screen: Size) -> dict[str, Any]:
        """The tool as a JSON schema, in the form chat templates and OpenAI-compatible servers take tools in."""
        x, y = self.frame.range(screen, 0), self.frame.range(screen, 1)

        def used_by(parameter: str) -> str:
            return ", ".join(name for name, call in _CALLS.items() if parameter in call.needs)

        clicks = ", ".join(_CLICKS)
        properties: dict[str, dict[str, Any]] = {
            "action": {"type": "string", "enum": list(_CALLS), "description": "; ".join(f"{name}: {call.meaning}" for name, call in _CALLS.items())},
            "keys": {"type": "array", "items": {"type": "string"}, "description": f'such as ["ctrl", "s"]; for {used_by("keys")}'},
            "text": {"type": "string", "description": f"for {used_by('text')}; for {clicks}: keys held meanwhile, such as ctrl+shift"},
            "coordinate": {
                "type": "array",
                "items": {"type": "number"},
                "description": f"[x, y]: x is {x} from the left, y is {y} from the top; without it a click or scroll is where the pointer is",
            },
            "pixels": {"type": "integer", "description": "notches of the wheel: positive is up or right, negative is down or left"},
            "time": {"type": "number", "description": f"seconds; for {used_by('time')}"},
            "status": {"type": "string", "enum": list(_STATUS), "description": f"for {used_by('status')}"},
        }
        return {
            "type": "function",
            "function": {
                "name": TOOL,
                "description": "The mouse and keyboard of the computer whose screen you see.",
                "parameters": {"type": "object", "properties": properties, "required": ["action"]},
            },
        }

    def describe(self, screen: Size) -> str:
        tool = json.dumps(self.tool(screen), ensure_ascii=False)
        return (
            f"# Tools\n\nYou act by calling a function. Its signature:\n<tools>\n{tool}\n</tools>\n\n"
            f"Say what you think first, if you like; then write the call as JSON, such as\n{self.example(screen)}"
        )

    def starts(self, line: str) -> bool:
        return line.startswith(_OPEN)

    def mentions(self, text: str) -> bool:
        return _OPEN in text

    def _joined(self, thought: str, text: str) -> str:
        return f"{thought}\n{text}"

    def _section(self, text: str, screen: Size) -> str:
        thought, opened, rest = text.partition(_OPEN)
        if not opened:
            got = clip(text.strip()) if text.strip() else "an empty text"
            raise ActionParseError(f"expected a call such as {self.example(screen)}, got {got}")
        if "<think>" in thought and "</think>" not in thought:
            raise ActionParseError("expected </think> and a call after the thought, got an unfinished thought")
        fence = re.search(r"^[ \t]*```[^\n]*\s*\Z", thought, re.MULTILINE)
        return opened + (re.sub(r"```\s*\Z", "", rest) if fence else rest)

    def parse_strict(self, text: str, screen: Size, cursor: Size) -> list[Action]:
        script, at = Script(self.frame, screen, cursor), 0
        while at < len(text):
            if not text.startswith(_OPEN, at):
                raise ActionParseError(f"expected {_OPEN}, or nothing after the last call, got {clip(text[at:])}")
            value, end = read_json_at(text, at + len(_OPEN), self.example(screen))
            end += len(text[end:]) - len(text[end:].lstrip())
            if not text.startswith(_CLOSE, end):
                raise ActionParseError(f"expected {_CLOSE} after the call, got {clip(text[end:]) if text[end:] else 'the end of the text'}")
            _do(script, value)
            at = end + len(_CLOSE)
            at += len(text[at:]) - len(text[at:].lstrip())
        actions = script.actions()
        if [a.type for a in actions[-2:]] == [ActionType.ANSWER, ActionType.DONE]:
            actions.pop()  # an answer ends the task, and Qwen likes to say so too
        return actions


def _do(script: Script, value: Any) -> None:
    """Add what one call asks for."""
    if not isinstance(value, dict) or value.get("name") != TOOL or set(value) != {"name", "arguments"}:
        raise ActionParseError(f'expected {{"name": "{TOOL}", "arguments": {{...}}}}, got {clip(json.dumps(value))}')
    given = value["arguments"]
    if not isinstance(given, dict) or not isinstance(given.get("action"), str):
        raise ActionParseError(f'expected "arguments" to be an object with an "action", got {clip(json.dumps(given))}')
    values = {name: value for name, value in given.items() if name != "action" and value is not None}
    name = given["action"].lower()
    call = _CALLS.get(name)
    if call is None:
        raise ActionParseError(f"unknown action {clip(name)}: expected one of {', '.join(_CALLS)}")
    if missing := [parameter for parameter in call.needs if parameter not in values]:
        raise ActionParseError(f"{name} needs {missing[0]!r}")
    if unknown := sorted(set(values) - {*call.needs, *call.may}):
        raise ActionParseError(f"{name} has no parameter {clip(unknown[0])}: expected {', '.join([*call.needs, *call.may]) or 'none'}")
    if name in _CLICKS:
        button, clicks = _CLICKS[name]
        held = text_of(values["text"], "text") if "text" in values else ""
        modifiers = parse_modifiers(f"text of {name}", held)
        script.add(Action.click(*script.at(_point(values)), button, clicks, modifiers))
        return
    match name:
        case "key":
            keys = values["keys"]
            if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
                raise ActionParseError(f"keys: expected a list of names of keys, got {clip(json.dumps(keys))}")
            script.hotkey(keys)
        case "type":
            script.type(text_of(values["text"], "text"))
        case "mouse_move":
            script.add(Action.move(*script.at(_point(values))))
        case "left_click_drag":
            script.drag_to(script.at(_point(values)), Button.LEFT)
        case "scroll":
            script.scroll(0, -_notches(values), _point(values))
        case "hscroll":
            script.scroll(_notches(values), 0, _point(values))
        case "wait":
            script.wait(number(values["time"], "time"))
        case "terminate":
            status = text_of(values["status"], "status").lower()
            if status not in _STATUS:
                raise ActionParseError(f"status: expected {' or '.join(_STATUS)}, got {clip(status)}")
            script.add(_STATUS[status]())
        case _:
            script.answer(text_of(values["text"], "text"))


def _notches(values: dict[str, Any]) -> int:
    notches, most = whole(values["pixels"], "pixels"), MAX_ACTIONS * MAX_SCROLL
    if abs(notches) > most:
        raise ActionParseError(f"pixels: expected {-most}..{most} notches of the wheel, got {clip(str(notches))}")
    return notches


def _point(values: dict[str, Any]) -> Point:
    if "coordinate" not in values:
        return HERE
    point = values["coordinate"]
    if not isinstance(point, list) or len(point) != 2:
        raise ActionParseError(f"coordinate: expected [x, y], got {clip(json.dumps(point))}")
    return number(point[0], "x"), number(point[1], "y")
