"""``pyautogui``: OSWorld's format, a block of Python calls such as ``pyautogui.click(3, 6)``, or WAIT, DONE or FAIL.

The text is parsed with :mod:`ast` and never run. Understood are calls of pyautogui and of ``time.sleep`` with constant arguments
(numbers, texts, lists of them, names that were given such a value, sums and products of numbers), ``for _ in range(n)``, imports
and comments; anything else is an error that says so. The calls and their parameters are those of pyautogui 0.9 on X11:
https://pyautogui.readthedocs.io
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable
from typing import Any

from gui_gym.actions import Action, ActionType, Button, Key
from gui_gym.codecs.base import Codec
from gui_gym.codecs.errors import ActionFormatError, ActionParseError, clip
from gui_gym.codecs.frames import Size
from gui_gym.codecs.grammar import check_writable
from gui_gym.codecs.pyautogui_calls import CALLS, MANNER
from gui_gym.codecs.script import MAX_CALLS, Script, key_text, spread_words, whole

MAX_CODE = 40_000  #: characters of a block: more than a text of the longest TYPE needs
_WORD = re.compile(r"[ \t]*(WAIT|DONE|FAIL)[ \t]*")
#: How a line of code begins, understood or not: what is not must be refused, never passed over.
_START = re.compile(
    r"(import|from)\s+\w|(for|while|if|with|def|class|try|async)\b.*:\s*(#.*)?$|[A-Za-z_][\w.]*(\s*,\s*[A-Za-z_]\w*)*\s*=[^=]|[A-Za-z_]\w*(\.\w+)*\("
)
_MENTION = re.compile(r"\bpyautogui\s*\.\s*\w+\s*\(|^[ \t]*(?:WAIT|DONE|FAIL)[ \t]*$", re.MULTILINE)


class PyautoguiCodec(Codec):
    """Blocks of pyautogui calls; see the module."""

    name = "pyautogui"

    def format(self, action: Action, screen: Size) -> str:
        check_writable(action, screen)
        return "\n".join(self._lines(action, screen))

    def _lines(self, action: Action, screen: Size) -> list[str]:
        match action.type:
            case ActionType.MOVE:
                return [f"pyautogui.moveTo({self._point(action.point, screen)})"]
            case ActionType.CLICK:
                held = [key_text(Key[m.name]) for m in action.modifiers]
                clicks = f", clicks={action.clicks}" if action.clicks != 1 else ""
                click = f"pyautogui.click({self._point(action.point, screen)}{clicks}{_button(action)})"
                return [*(f"pyautogui.keyDown({k!r})" for k in held), click, *(f"pyautogui.keyUp({k!r})" for k in reversed(held))]
            case ActionType.MOUSE_DOWN | ActionType.MOUSE_UP:
                name = "mouseDown" if action.type is ActionType.MOUSE_DOWN else "mouseUp"
                return [f"pyautogui.{name}({self._point(action.point, screen)}{_button(action)})"]
            case ActionType.DRAG:
                ends = self._point(action.point, screen), self._point(action.to, screen)
                return [f"pyautogui.moveTo({ends[0]})", f"pyautogui.dragTo({ends[1]}{_button(action)})"]
            case ActionType.SCROLL:
                dx, dy = action.scroll
                if dx and dy:
                    raise ActionFormatError("pyautogui scrolls along one axis at a time: expected dx or dy to be 0")
                return [f"pyautogui.{'hscroll' if dx else 'scroll'}({dx or -dy}, {self._point(action.point, screen)})"]
            case ActionType.TYPE:
                return [f"pyautogui.write({action.text!r})"]
            case ActionType.KEY:
                keys = [*(key_text(Key[m.name]) for m in action.modifiers), key_text(action.key)]
                return [f"pyautogui.{'hotkey' if len(keys) > 1 else 'press'}({', '.join(map(repr, keys))})"]
            case ActionType.KEY_DOWN | ActionType.KEY_UP:
                return [f"pyautogui.{'keyDown' if action.type is ActionType.KEY_DOWN else 'keyUp'}({key_text(action.key)!r})"]
            case ActionType.WAIT:
                return [f"time.sleep({action.wait})"]
            case ActionType.DONE | ActionType.FAIL:
                return [action.type.name]
            case _:
                raise ActionFormatError(f"OSWorld's format has no word for {action.type.name}")

    def _point(self, point: tuple[int, int], screen: Size) -> str:
        return ", ".join(self.frame.encode(value, screen, axis) for axis, value in enumerate(point))

    def describe(self, screen: Size) -> str:
        return "\n".join(
            [
                f"Write Python code that uses pyautogui, in one code block, such as {self.example(screen)}. It is read, not run: use constants.",
                f"X is {self.frame.range(screen, 0)} from the left, Y is {self.frame.range(screen, 1)} from the top.",
                "pyautogui.moveTo(X, Y): move the pointer",
                "pyautogui.click(X, Y, clicks=1..3, button='left'|'middle'|'right'), doubleClick, rightClick, middleClick: click",
                "pyautogui.mouseDown(X, Y, button='left'), pyautogui.mouseUp(X, Y): press, or release, a mouse button",
                "pyautogui.dragTo(X, Y, button='left'): drag from where the pointer is",
                "pyautogui.scroll(N, X, Y): turn the wheel N notches up, down if negative; pyautogui.hscroll(N, X, Y): right, left if negative",
                "pyautogui.write('...'): type a text of any script",
                "pyautogui.press('enter'), pyautogui.hotkey('ctrl', 's'), pyautogui.keyDown('shift'), pyautogui.keyUp('shift'): keys",
                "time.sleep(N): wait N seconds",
                "Instead of code, one word: WAIT to wait, DONE when the task is done, FAIL when it cannot be done.",
            ]
        )

    def starts(self, line: str) -> bool:
        return bool(_START.match(line) or _WORD.fullmatch(line))

    def mentions(self, text: str) -> bool:
        return bool(_MENTION.search(text))

    def parse(self, text: str, screen: Size, cursor: Size, truncated: bool = False) -> list[Action]:
        return super().parse(spread_words(text), screen, cursor, truncated)

    def parse_strict(self, text: str, screen: Size, cursor: Size) -> list[Action]:
        if len(text) > MAX_CODE:
            raise ActionParseError(f"expected code of at most {MAX_CODE} characters, got {len(text)}")
        script = Script(self.frame, screen, cursor)
        reader = _Reader(script)
        *lines, last = text.rstrip().split("\n")
        word = _WORD.fullmatch(last)
        reader.read("\n".join(lines) if word else text)
        if word:
            script.word(word[1])
        actions = script.actions()
        if not actions:
            raise ActionParseError(f"expected a call such as {self.example(screen)}, got code that does nothing")
        return actions


def _button(action: Action) -> str:
    return "" if action.button is Button.LEFT else f", button={action.button.name.lower()!r}"


class _Reader:
    """Goes through a block's syntax tree."""

    def __init__(self, script: Script):
        self._script = script
        self._values: dict[str, Any] = {"True": True, "False": False, "None": None}
        self._modules = {"pyautogui": "pyautogui", "time": "time"}
        self._functions: dict[str, str] = {}
        self._steps = 0

    def read(self, code: str) -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # an unknown escape, as in "C:\\path", stays as it is written
                tree = ast.parse(code)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:  # ValueError: a null character
            said = getattr(error, "msg", None) or str(error) or "it is too deeply nested"
            raise ActionParseError(f"expected Python code, got {clip(code)}: {said}") from error
        try:
            for statement in tree.body:
                self._statement(statement)
        except RecursionError as error:
            raise ActionParseError("expected simple code, got an expression that is too deeply nested") from error

    def _statement(self, node: ast.stmt) -> None:
        self._steps += 1
        if self._steps > 10 * MAX_CALLS:
            raise ActionParseError(f"expected at most {10 * MAX_CALLS} statements, loops counted as often as they go round")
        match node:
            case ast.Expr(value=ast.Call() as call):
                self._call(call)
            case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
                pass  # a text by itself is a comment
            case ast.Import(names=names):
                for alias in names:
                    self._import(alias.name, alias.asname or alias.name, alias.name)
            case ast.ImportFrom(module=module, names=names):
                for alias in names:
                    self._import(module or "", alias.asname or alias.name, f"{module}.{alias.name}")
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._values[name] = self._value(value)
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
                for target, value in zip(names, [self._value(value) for value in values], strict=True):
                    if not isinstance(target, ast.Name):
                        raise self._not_understood(node)
                    self._values[target.id] = value
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=module), attr=("PAUSE" | "FAILSAFE"))]) if self._module(module) == "pyautogui":
                pass  # settles by itself, and there is no corner that stops it
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=bounds, keywords=[]), body=body, orelse=[]):
                limits = [whole(self._value(bound), "range") for bound in bounds]
                if not 1 <= len(limits) <= 3 or (len(limits) == 3 and limits[2] == 0):
                    raise self._not_understood(node)
                self._loop(name, range(*limits), body)
            case ast.For(target=ast.Name(id=name), iter=(ast.List() | ast.Tuple()) as items, body=body, orelse=[]):
                self._loop(name, self._value(items), body)
            case _:
                raise self._not_understood(node)

    def _loop(self, name: str, items: range | list[Any], body: list[ast.stmt]) -> None:
        for item in items:
            self._values[name] = item
            for statement in body:
                self._statement(statement)

    def _import(self, module: str, name: str, what: str) -> None:
        if module not in ("pyautogui", "time"):
            raise ActionParseError(f"import of {clip(module)}: expected pyautogui or time only; the code is read, not run")
        if what == module:
            self._modules[name] = module
        elif what.endswith(".*"):
            self._functions |= {call: f"pyautogui.{call}" for call in CALLS} if module == "pyautogui" else {"sleep": "time.sleep"}
        else:
            self._functions[name] = what

    def _module(self, name: str) -> str | None:
        return self._modules.get(name)

    @staticmethod
    def _not_understood(node: ast.AST) -> ActionParseError:
        return ActionParseError(f"expected calls of pyautogui with constants, got {clip(ast.unparse(node))}; the code is read, not run")

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=(bool() | int() | float() | str() | None) as value):
                return value
            case ast.Name(id=name) if name in self._values:
                return self._values[name]
            case ast.Attribute(value=ast.Name(id=module), attr=("LEFT" | "MIDDLE" | "RIGHT" | "PRIMARY" | "SECONDARY") as name):
                if self._module(module) == "pyautogui":
                    return name.lower()
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return [self._value(item) for item in items]
            case ast.UnaryOp(op=(ast.USub() | ast.UAdd()) as sign, operand=operand):
                value = self._value(operand)
                if isinstance(value, (int, float)):
                    return -value if isinstance(sign, ast.USub) else value
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                one, other = self._value(left), self._value(right)
                if all(isinstance(value, (int, float)) and abs(value) < 1e9 for value in (one, other)):
                    try:
                        return _OPERATORS[type(op)](one, other)
                    except ZeroDivisionError as error:
                        raise self._not_understood(node) from error
                if isinstance(op, ast.Add) and isinstance(one, str) and isinstance(other, str):
                    return one + other
        raise self._not_understood(node)

    def _call(self, node: ast.Call) -> None:
        match node.func:
            case ast.Attribute(value=ast.Name(id=module), attr=name) if self._module(module):
                full = f"{self._module(module)}.{name}"
            case ast.Name(id=name) if name in self._functions:
                full = self._functions[name]
            case _:
                raise self._not_understood(node)
        if full == "time.sleep":
            full = "pyautogui.sleep"
        name = full.removeprefix("pyautogui.")
        if name in CALLS and full.startswith("pyautogui."):
            parameters, do = CALLS[name]
        else:
            raise ActionParseError(f"unknown call {clip(full)}: expected one of {', '.join(CALLS)} of pyautogui, or time.sleep")
        if any(isinstance(argument, ast.Starred) for argument in node.args) or any(keyword.arg is None for keyword in node.keywords):
            raise self._not_understood(node)
        values = [self._value(argument) for argument in node.args]
        given = {str(keyword.arg): self._value(keyword.value) for keyword in node.keywords}
        if name == "hotkey":
            given = {"args": values, **given}
        else:
            if len(values) > len(parameters):
                raise ActionParseError(f"{name}: expected at most {len(parameters)} arguments, got {len(values)}")
            taken = dict(zip(parameters, values, strict=False))
            if twice := set(taken) & set(given):
                raise ActionParseError(f"{name}: the argument {min(twice)!r} is given twice")
            given = {**taken, **given}
        if unknown := set(given) - {*parameters, *MANNER}:
            raise ActionParseError(f"{name} has no argument {clip(min(unknown))}: expected {', '.join(parameters)}")
        try:
            do(self._script, {key: value for key, value in given.items() if key not in MANNER and value is not None})
        except (TypeError, AttributeError, KeyError) as error:  # a text where a number belongs, or the other way round
            raise ActionParseError(f"{name}: expected other arguments than {clip(ast.unparse(node))}: {error}") from error


_OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv,
}  # fmt: skip
