"""Simpler action spaces for learners that take no ``Dict``: one ``MultiDiscrete`` or one ``Discrete``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

from gui_gym.actions import FIELDS, Action, ActionType, Button, Key, Modifier
from gui_gym.codecs import make_frame
from gui_gym.codecs.grammar import parse_chord
from gui_gym.registry import unknown
from gui_gym.spaces import to_element

DEFAULT_TYPES = ("click", "drag", "scroll", "key", "done")
DEFAULT_KEYS = ("enter", "tab", "escape", "backspace", "ctrl+a", "ctrl+c", "ctrl+v", "ctrl+s")
SCROLLS = ((0, -3), (0, 3), (-3, 0), (3, 0))  #: notches up, down, left, right


MAX_GRID = 99_999  #: cells a side


def _listed(name: str, values: Sequence[str]) -> list[str]:
    """``values`` as a list; a lone text is refused, not taken for a list of its letters."""
    if isinstance(values, str):
        raise ValueError(f"{name} is {values!r}: expected a list, such as [{values!r}]")
    return list(values)


def _cells(env: gym.Env[Any, Any], grid: int | None) -> tuple[list[int], list[int]]:
    """The pixel of each column and of each row: cell centres, or every pixel if ``grid`` is None."""
    space = env.action_space
    if not isinstance(space, spaces.Dict) or "point" not in space.spaces:
        raise ValueError(f"expected an env with the Dict action space of GuiDesktop-v0, got {space}: put this wrapper inside any other of actions")
    width, height = space["point"].nvec.tolist()  # type: ignore[attr-defined]
    if grid is None:
        return list(range(width)), list(range(height))
    if not 1 <= grid <= MAX_GRID:
        raise ValueError(f"grid is {grid}: expected 1 to {MAX_GRID} cells a side, or None for every pixel where the wrapper takes it")
    frame = make_frame(f"grid:{grid}")
    return tuple([frame.decode(str(i), (width, height), axis) for i in range(grid)] for axis in (0, 1))  # type: ignore[return-value]


class FlattenAction(gym.ActionWrapper[np.ndarray, np.ndarray, dict[str, Any]], RecordConstructorArgs):
    """The action as one ``MultiDiscrete``, which PPO and A2C of Stable-Baselines3 take.

    The numbers of an action are, in this order, those of :attr:`factors` (name to count); a number that the chosen type
    does not use is ignored:

    ========== ==================================================================================
    ``type``   index into ``types``
    ``x, y``   cell of the point, from the left and from the top
    ``to_x, to_y`` cell where a drag ends; only with "drag"
    ``button`` 0 left, 1 middle, 2 right; only with types that use one
    ``clicks`` 0, 1, 2 for one, two, three; only with "click"
    ``scroll`` 0 up, 1 down, 2 left, 3 right, by three notches; only with "scroll"
    ``key``    index into ``keys``; only with "key"
    ``text``   index into ``texts``; only with "type" or "answer"
    ========== ==================================================================================

    A wait is one second. What is typed or answered comes from ``texts`` alone, and by default nothing is: of the simulated
    desktop's tasks, those that ask for a text or an answer (such as "enter-text" and "read-size") are out of reach then.

    Args:
        env: an env with the action space of GuiDesktop-v0.
        types: names of the types to keep, in lower case.
        grid: the screen is cut into ``grid`` x ``grid`` cells, and the point is a cell's centre; None keeps every pixel.
        keys: keys to press, each with modifiers if need be, such as "enter" or "ctrl+s".
        texts: texts that "type" and "answer" choose from.
    """

    def __init__(
        self,
        env: gym.Env[np.ndarray, dict[str, Any]],
        types: Sequence[str] = DEFAULT_TYPES,
        grid: int | None = 16,
        keys: Sequence[str] = DEFAULT_KEYS,
        texts: Sequence[str] = (),
    ):
        types, keys, texts = _listed("types", types), _listed("keys", keys), _listed("texts", texts)
        RecordConstructorArgs.__init__(self, types=types, grid=grid, keys=keys, texts=texts)
        gym.ActionWrapper.__init__(self, env)
        known = {t.name.lower(): t for t in ActionType if t not in (ActionType.KEY_DOWN, ActionType.KEY_UP)}
        for name in types:
            if name not in known:
                raise unknown("action type", name, known)
        self.types = [known[name] for name in types]
        self.keys, self.texts = [parse_chord(key) for key in keys], list(texts)
        used = {field for t in self.types for field in FIELDS[t]}
        if not self.types or ("text" in used and not self.texts) or ("key" in used and not self.keys):
            raise ValueError("expected at least one type, texts for 'type' and 'answer', and keys for 'key'")
        self._xs, self._ys = _cells(env, grid)
        sizes = {
            "type": (True, len(self.types)),
            "x": ("point" in used, len(self._xs)),
            "y": ("point" in used, len(self._ys)),
            "to_x": ("to" in used, len(self._xs)),
            "to_y": ("to" in used, len(self._ys)),
            "button": ("button" in used, len(Button)),
            "clicks": ("clicks" in used, 3),
            "scroll": ("scroll" in used, len(SCROLLS)),
            "key": ("key" in used, len(self.keys)),
            "text": ("text" in used, len(self.texts)),
        }
        self.factors: dict[str, int] = {name: size for name, (kept, size) in sizes.items() if kept}
        self.action_space = spaces.MultiDiscrete(list(self.factors.values()))

    def action(self, action: np.ndarray) -> dict[str, Any]:
        """The element of the env's own action space."""
        if action not in self.action_space:
            raise ValueError(f"expected an element of {self.action_space} ({', '.join(self.factors)}), got {action!r}")
        chosen = dict(zip(self.factors, (int(n) for n in action), strict=True))
        kind = self.types[chosen["type"]]
        fields: dict[str, Any] = {}
        take: dict[str, Callable[[], Any]] = {
            "point": lambda: (self._xs[chosen["x"]], self._ys[chosen["y"]]),
            "to": lambda: (self._xs[chosen["to_x"]], self._ys[chosen["to_y"]]),
            "button": lambda: Button(chosen["button"]),
            "clicks": lambda: chosen["clicks"] + 1,
            "scroll": lambda: SCROLLS[chosen["scroll"]],
            "key": lambda: self.keys[chosen["key"]][1],
            "modifiers": lambda: self.keys[chosen["key"]][0] if kind is ActionType.KEY else (),
            "wait": lambda: 1,
            "text": lambda: self.texts[chosen["text"]],
        }
        for name in FIELDS[kind]:
            fields[name] = take[name]()
        return to_element(Action(kind, **fields))


class DiscreteActions(gym.ActionWrapper[np.ndarray, np.int64, dict[str, Any]], RecordConstructorArgs):
    """The action as one ``Discrete``, which DQN takes too: a left click in a cell, a key, or DONE.

    Action ``row * grid + column`` clicks the centre of that cell; after those come ``keys`` in their order, and last
    DONE if ``done``. Without ``done`` an episode ends at its limit, or when solved with ``auto_verify``.

    Args:
        env: an env with the action space of GuiDesktop-v0.
        grid: the screen is cut into ``grid`` x ``grid`` cells.
        keys: keys to press, such as "enter" or "ctrl+s".
        done: whether there is an action that says the task is done.
    """

    def __init__(self, env: gym.Env[np.ndarray, dict[str, Any]], grid: int = 10, keys: Sequence[str] = (), done: bool = False):
        keys = _listed("keys", keys)
        RecordConstructorArgs.__init__(self, grid=grid, keys=keys, done=done)
        gym.ActionWrapper.__init__(self, env)
        xs, ys = _cells(env, grid)
        chords: list[tuple[tuple[Modifier, ...], Key]] = [parse_chord(key) for key in keys]
        self.actions = [Action.click(x, y) for y in ys for x in xs]  #: the action of each number
        self.actions += [Action.press(key, *held) for held, key in chords] + ([Action.done()] if done else [])
        self.action_space = spaces.Discrete(len(self.actions))

    def action(self, action: np.int64) -> dict[str, Any]:
        """The element of the env's own action space."""
        if action not in self.action_space:
            raise ValueError(f"expected 0..{len(self.actions) - 1}, got {action!r}")
        return to_element(self.actions[int(action)])
