"""The Gymnasium action space of a screen, and the way between its elements and :class:`~gui_gym.actions.Action`."""

from __future__ import annotations

import operator
import reprlib
import string
from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Any

import numpy as np
from gymnasium import spaces

from gui_gym.actions import FIELDS, MAX_SCROLL, MAX_TEXT, MAX_WAIT, Action, ActionError, ActionType, Button, Key, Modifier

#: The keys of the action space.
NAMES = ("type", "point", "to", "button", "clicks", "scroll", "key", "modifiers", "wait", "text")


class Unicode(spaces.Text):
    """Any text of up to ``max_length`` code points, the empty one included.

    A :class:`gymnasium.spaces.Text` whose membership test is the length alone: a charset of all of Unicode would
    take seconds to build and fill every error message. Samples are short runs of printable ASCII.
    """

    SAMPLE_LENGTH = 16

    def __init__(self, max_length: int, seed: int | np.random.Generator | None = None):
        super().__init__(max_length, min_length=0, charset=string.printable[:95], seed=seed)

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and len(x) <= self.max_length

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        if mask is not None or probability is not None:
            return super().sample(mask=mask, probability=probability)
        length = int(self.np_random.integers(0, min(self.max_length, self.SAMPLE_LENGTH) + 1))
        return "".join(self.np_random.choice(self.character_list, size=length)) if length else ""

    def __repr__(self) -> str:
        return f"Unicode({self.max_length})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unicode) and other.max_length == self.max_length


def observation_space(width: int, height: int, batch: tuple[int, ...] = ()) -> spaces.Box:
    """The observation space of a ``width`` x ``height`` screen: ``Box(0, 255, (*batch, height, width, 3), uint8)``.

    Its bounds, one number everywhere, take no memory: four arrays as large as a frame, for each env, would be most of what it needs.
    """
    box = spaces.Box(0, 255, (1,), np.uint8)
    shape = (*batch, height, width, 3)
    box._shape = shape
    box.low, box.high, box.bounded_below, box.bounded_above = (
        np.broadcast_to(each[0], shape) for each in (box.low, box.high, box.bounded_below, box.bounded_above)
    )
    return box


def action_space(width: int, height: int) -> spaces.Dict:
    """The action space of a ``width`` x ``height`` screen (DESIGN section 4): integers and one text, nothing rounded."""
    return spaces.Dict(
        {
            "type": spaces.Discrete(len(ActionType)),
            "point": spaces.MultiDiscrete([width, height]),
            "to": spaces.MultiDiscrete([width, height]),
            "button": spaces.Discrete(len(Button)),
            "clicks": spaces.Discrete(3, start=1),
            "scroll": spaces.MultiDiscrete([2 * MAX_SCROLL + 1] * 2, start=[-MAX_SCROLL] * 2),
            "key": spaces.Discrete(len(Key)),
            "modifiers": spaces.MultiBinary(len(Modifier)),
            "wait": spaces.Discrete(MAX_WAIT + 1),
            "text": Unicode(MAX_TEXT),
        }
    )


def _integer(name: str, value: Any) -> int:
    if type(value) is int:
        return value
    try:
        return operator.index(value)
    except TypeError:
        number = value.item() if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0) else value
        if isinstance(number, float) and number.is_integer():
            return int(number)
    raise ActionError(f"{name}: expected an integer, got {reprlib.repr(value)}")


def _integers(name: str, value: Any, count: int) -> list[int]:
    listed = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(listed, (list, tuple)) or len(listed) != count:
        raise ActionError(f"{name}: expected {count} integers, got {reprlib.repr(listed)}")
    return [_integer(name, item) for item in listed]


def _pair(name: str, value: Any) -> tuple[int, int]:
    if type(value) is list and len(value) == 2 and type(value[0]) is type(value[1]) is int:
        return value[0], value[1]  # as in a batch that was split
    x, y = _integers(name, value, 2)
    return x, y


def _modifiers(name: str, value: Any) -> tuple[Modifier, ...]:
    if type(value) is list and value == _NO_MODIFIERS:
        return ()
    bits = _integers(name, value, len(_MODIFIERS))
    if not {0, 1}.issuperset(bits):
        raise ActionError(f"{name}: expected zeros and ones, got {bits}")
    return tuple(m for m, bit in zip(_MODIFIERS, bits, strict=True) if bit) if any(bits) else ()


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ActionError(f"{name}: expected a str, got {type(value).__name__}")
    return value if type(value) is str else str(value)


class _Member:
    """Reads a member of an enum that counts from 0; looking it up in a tuple is several times faster than asking the enum."""

    def __init__(self, enum: type[IntEnum]):
        self._members = tuple(enum)
        assert [int(member) for member in self._members] == list(range(len(self._members)))

    def __call__(self, name: str, value: Any) -> Any:
        number = value if type(value) is int else _integer(name, value)
        if 0 <= number < len(self._members):
            return self._members[number]
        few = len(self._members) < 20
        known = ", ".join(f"{int(m)} {m.name}" for m in self._members) if few else f"0..{len(self._members) - 1}"
        raise ActionError(f"{name} is {number}: expected one of {known}")


_MODIFIERS = tuple(Modifier)
_NO_MODIFIERS = [0] * len(_MODIFIERS)
_type = _Member(ActionType)

#: How the value of each field is read.
_READ: dict[str, Callable[[str, Any], Any]] = {
    "point": _pair, "to": _pair, "scroll": _pair, "button": _Member(Button), "key": _Member(Key), "modifiers": _modifiers, "text": _text,
    "clicks": _integer, "wait": _integer,
}  # fmt: skip

#: The fields of each type and their readers, by the type's number.
_FIELDS = tuple(tuple((name, _READ[name]) for name in FIELDS[kind]) for kind in ActionType)


def to_action(element: Mapping[str, Any], width: int, height: int) -> Action:
    """The :class:`Action` an element of :func:`action_space` stands for. Only the fields its type uses are read.

    Raises :class:`ActionError` for what cannot be done on a ``width`` x ``height`` screen; nothing is clipped or rounded.

    >>> str(to_action({"type": ActionType.WAIT, "wait": 2}, 640, 480))
    'WAIT(wait=2)'
    >>> to_action({"type": ActionType.MOVE, "point": (640, 0)}, 640, 480)
    Traceback (most recent call last):
    gui_gym.actions.ActionError: point (640, 0) is outside the screen: expected 0 <= x < 640 and 0 <= y < 480
    """
    if type(element) is not dict and not isinstance(element, Mapping) or "type" not in element:
        raise ActionError(f"expected a dict with the keys of the action space, got {reprlib.repr(element)}")
    kind: ActionType = _type("type", element["type"])
    fields: dict[str, Any] = {}
    for name, read in _FIELDS[kind]:
        if name not in element:
            raise ActionError(f"{kind.name} needs the field {name!r}, which is missing")
        fields[name] = read(name, element[name])
    return Action(kind, **fields).check(width, height)


def split_actions(actions: Mapping[str, Any], count: int) -> list[dict[str, Any]]:
    """The ``count`` elements of :func:`action_space` in one element of the space batched for a vector env, their numbers plain ints.

    Raises ValueError if a field is missing or has another length; whether an action can be done is for :func:`to_action` to say.
    """
    columns = []
    for name in NAMES:
        if name not in actions:
            raise ValueError(f"expected a batch of actions with the keys {', '.join(NAMES)}; {name!r} is missing")
        column = actions[name]
        columns.append(column.tolist() if isinstance(column, np.ndarray) else list(column))
        if len(columns[-1]) != count:
            raise ValueError(f"expected {count} actions, one for each member, got {len(columns[-1])} of {name!r}")
    return [dict(zip(NAMES, row)) for row in zip(*columns)]  # noqa: B905 - their lengths were compared


def to_element(action: Action) -> dict[str, Any]:
    """The element of :func:`action_space` that stands for ``action``; unused fields hold their defaults.

    >>> element = to_element(Action.click(320, 240))
    >>> element["type"], element["point"]
    (np.int64(1), array([320, 240]))
    >>> to_action(element, 640, 480) == Action.click(320, 240)
    True
    """
    return {
        "type": np.int64(action.type),
        "point": np.array(action.point, np.int64),
        "to": np.array(action.to, np.int64),
        "button": np.int64(action.button),
        "clicks": np.int64(action.clicks),
        "scroll": np.array(action.scroll, np.int64),
        "key": np.int64(action.key),
        "modifiers": np.array([m in action.modifiers for m in Modifier], np.int8),
        "wait": np.int64(action.wait),
        "text": action.text,
    }
