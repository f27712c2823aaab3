"""Why a scripted solution does what it does, in a sentence made from the screen as it is before the action, and from nothing that comes after."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from agents.warmup.play import Moment
from gui_gym.actions import Action, ActionType, Button, Key, Modifier
from gui_gym.codecs.grammar import key_name

_LONG = 60  #: characters of a text that are repeated in a thought
_TIMES = {1: "click", 2: "double-click", 3: "triple-click"}
_WAYS = {(0, 1): "down", (0, -1): "up", (1, 0): "right", (-1, 0): "left"}


class Rationale:
    """Says what each action of a demonstration is for: the labelled thing it is done to, and what the task or the action after it says of that.

    Where the desktop has no accessibility tree, it says what is done without a label.
    """

    def __init__(self) -> None:
        self._field = ""  # what was clicked last, which typed text goes to

    def __call__(self, moment: Moment) -> str:
        """The thought before ``moment.wanted``, one or two sentences in English; labels are in the screen's language."""
        if moment.number == 0:
            self._field = ""
        action, tree = moment.wanted, moment.tree()
        thing = thing_at(tree, action.point, 2 if action.type is ActionType.SCROLL else 99) if tree else ""
        said = self._say(action, thing, moment)
        if action.type in (ActionType.CLICK, ActionType.MOUSE_DOWN):
            self._field = thing
        return said

    def _say(self, action: Action, thing: str, moment: Moment) -> str:
        match action.type:
            case ActionType.CLICK:
                times = ("right-" if action.button is Button.RIGHT else "middle-" if action.button is Button.MIDDLE else "") + _TIMES[action.clicks]
                held = f" with {_keys(action.modifiers)} held" if action.modifiers else ""
                return f"I {times} {thing or 'here'}{held}{_purpose(moment.following)}{_named(thing, moment.instruction)}."
            case ActionType.TYPE:
                into = f" into {self._field}" if self._field else ""
                if _stands_in(action.text, moment.instruction):
                    return f"The task asks for {_quoted(action.text)}, so I type it{into}."
                return f"I type {_quoted(action.text)}{into}."
            case ActionType.KEY:
                select = action.key is Key.A and Modifier.CTRL in action.modifiers
                return f"I press {_keys((*action.modifiers, action.key))}{' to select what is there' if select else ''}."
            case ActionType.DRAG:
                return f"I drag {thing or 'from here'} to where it belongs."
            case ActionType.SCROLL:
                way = _WAYS.get((_sign(action.scroll[0]), _sign(action.scroll[1])), "")
                return f"What I need is not in view, so I scroll {way}{f' in {thing}' if thing else ''}."
            case ActionType.MOVE:
                return f"I move the pointer to {thing or 'this place'}."
            case ActionType.WAIT:
                return "I wait for the screen to change."
            case ActionType.DONE:
                return "Everything the task asks for is done."
            case ActionType.FAIL:
                return "What the task asks for is not there, so it cannot be done."
            case ActionType.ANSWER:
                return f"The answer to the task is {_quoted(action.text)}."
            case ActionType.MOUSE_DOWN:
                return f"I press the mouse button on {thing or 'this place'} and hold it."
            case ActionType.MOUSE_UP:
                return f"I let go of the mouse button at {thing or 'this place'}."
            case ActionType.KEY_DOWN:
                return f"I hold {_keys((action.key,))}."
            case _:
                return f"I let go of {_keys((action.key,))}."


def thing_at(tree: dict[str, Any], point: tuple[int, int], depth: int = 99) -> str:
    """What is at a pixel, as "the push button “Save”": the smallest named thing of the topmost part, ``depth`` levels down at most; or ""."""
    found, nodes = tree, sorted(_shown(tree["children"]), key=lambda each: "active" not in each.get("states", ("active",)))
    while depth and (nodes := [node for node in _shown(nodes) if _inside(node["bounds"], point) and (node["name"] or node["children"])]):
        # the tree lists what is on the screen from the top down, and what is in a window as it is drawn
        node = nodes[0] if found is tree else min(reversed(nodes), key=lambda each: each["bounds"][2] * each["bounds"][3])
        found, nodes, depth = node if node["name"] else found, node["children"], depth - 1
    return "" if found is tree else f"the {found['role']} {_quoted(found['name'])}"


def _shown(nodes: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The nodes that are on the screen; real desktops list hidden ones too, and programs without a place of their own around their windows."""
    for node in nodes:
        if not any(node["bounds"]):
            yield from _shown(node["children"])
        elif "showing" in node.get("states", ("showing",)):
            yield node


def _inside(bounds: list[int], point: tuple[int, int]) -> bool:
    x, y, width, height = bounds
    return x <= point[0] < x + width and y <= point[1] < y + height


def _purpose(following: Action | None) -> str:
    """What the plan does next with what is clicked, where that says what the click is for."""
    if following is not None and following.type is ActionType.TYPE:
        return f" to type {_quoted(following.text)}"
    if following is not None and following.type is ActionType.KEY and following.key is Key.A and Modifier.CTRL in following.modifiers:
        return " to replace what is in it"
    return ""


def _named(thing: str, instruction: str) -> str:
    label = thing.partition("“")[2].rstrip("”")
    return ", which the task names" if _stands_in(label, instruction) else ""


def _stands_in(text: str, instruction: str) -> bool:
    """Whether the instruction holds a text as words of its own."""
    return bool(text.strip()) and re.search(rf"(?<!\w){re.escape(text)}(?!\w)", instruction) is not None


def _quoted(text: str) -> str:
    text = " ".join(text.split())
    return f"“{text}”" if len(text) <= _LONG else f"“{text[:_LONG]}…”"


def _keys(keys: tuple[Key | Modifier, ...]) -> str:
    return "+".join(key_name(Key[key.name]) for key in keys)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
