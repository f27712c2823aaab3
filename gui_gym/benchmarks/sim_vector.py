"""How fast many simulated desktops are behind ``make_vec``, beside a copy of ready images and beside Gymnasium's own vector env."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import SyncVectorEnv

from gui_gym.actions import Action
from gui_gym.benchmarks import Record
from gui_gym.benchmarks.measure import rate, record
from gui_gym.spaces import to_element
from gui_gym.tasks.sim import FAMILIES
from gui_gym.vector_env import GuiDesktopVectorEnv

#: Families of the mix, those of them that fit the screen.
MIX = ("fill-form", "check-boxes", "copy-text", "enter-text", "choose-one", "pick-from-list", "set-slider", "choose-menu", "edit-and-save")
ROLES = ("text", "check box", "radio button", "list item", "slider", "menu bar", "combo box", "spin button")  #: what the mix clicks
TURNS = 24  #: of three actions each, after which a mix begins again
STAY = 4  #: turns in one window


class Ready(gym.Env[np.ndarray, np.int64]):
    """The least that an env with images can do: hand out a copy of a ready one."""

    def __init__(self, width: int, height: int):
        self.observation_space = gym.spaces.Box(0, 255, (height, width, 3), np.uint8)
        self.action_space = gym.spaces.Discrete(2)
        self._image = np.random.default_rng(0).integers(0, 256, (height, width, 3), np.uint8)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        return self._image.copy(), {}

    def step(self, action: np.int64) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        return self._image.copy(), 0.0, False, False, {}


def copying(num_envs: int, width: int, height: int) -> float:
    """Images a second that can be copied into memory that is mapped already, ``num_envs`` different ones in turn."""
    ready = np.random.default_rng(0).integers(0, 256, (num_envs, height, width, 3), np.uint8)
    out = np.ones_like(ready)

    def one_by_one() -> None:
        for source, target in zip(ready, out, strict=True):
            np.copyto(target, source)

    return num_envs * max(rate(one_by_one), rate(lambda: np.copyto(out, ready)))


def trivial(num_envs: int, width: int, height: int) -> float:
    """Env-steps a second of Gymnasium's ``SyncVectorEnv`` over :class:`Ready`."""
    vec = SyncVectorEnv([lambda: Ready(width, height)] * num_envs)
    vec.reset(seed=0)
    actions = np.zeros(num_envs, np.int64)
    value = num_envs * rate(lambda: vec.step(actions))
    vec.close()
    return value


def _nodes(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield tree
    for child in tree.get("children", []):
        yield from _nodes(child)


def member_mix(tree: dict[str, Any], width: int, height: int, rng: np.random.Generator) -> list[Action]:
    """:data:`TURNS` times a move somewhere, a click on something in a window, and typing; after :data:`STAY` turns in another window."""
    windows = []
    for window in tree["children"]:
        places = []
        for node in _nodes(window):
            x, y, w, h = node["bounds"]
            if node["role"] in ROLES and 0 <= x + w // 2 < width and 0 <= y + h // 2 < height:
                places.append((x + w // 2, y + h // 2, 2 if node["role"] == "text" else 1))
        windows += [places] if places else []
    actions = []
    for turn in range(TURNS):
        places = windows[turn // STAY % len(windows)]
        x, y, clicks = places[int(rng.integers(len(places)))]
        actions += [
            Action.move(int(rng.integers(width)), int(rng.integers(height))),
            Action.click(x, y, clicks=clicks),  # a double click selects the word typed before
            Action.type_text(("gymnasium", "desktop", "observation")[turn % 3]),
        ]
    return actions


def batches(vec: GuiDesktopVectorEnv, seed: int = 0) -> Iterator[dict[str, Any]]:
    """Elements of the batched action space without end. Members are at different places of their mixes."""
    rng = np.random.default_rng(seed)
    width, height = vec.envs[0].width, vec.envs[0].height
    columns = []
    for i, env in enumerate(vec.envs):
        mix = member_mix(env.desktop.accessibility_tree() or {}, width, height, rng)
        columns.append([to_element(action) for action in mix[i % 3 :] + mix[: i % 3]])
    steps = []
    for row in zip(*columns, strict=True):
        steps.append({name: tuple(e[name] for e in row) if name == "text" else np.stack([e[name] for e in row]) for name in row[0]})
    return itertools.cycle(steps)


def mixed(num_envs: int, width: int, height: int) -> GuiDesktopVectorEnv:
    """A batched env whose members have begun tasks of different families that do not end."""
    vec = GuiDesktopVectorEnv(num_envs, width=width, height=height, max_steps=10**9)
    families = [name for name in MIX if all(np.less_equal(FAMILIES.get(name).min_size, (width, height)))]
    vec.set_attr("next_task", [families[i % len(families)] for i in range(num_envs)])
    vec.reset(seed=0)
    return vec


def batched(num_envs: int, width: int, height: int) -> float:
    """Env-steps a second of the batched env: real actions, other families side by side."""
    vec = mixed(num_envs, width, height)
    steps = batches(vec)
    value = num_envs * rate(lambda: vec.step(next(steps)))
    vec.close()
    return value


def run() -> list[Record]:
    """``sim.batched.*``: the reference is :func:`copying`, the peer :func:`trivial`."""
    records = []
    for name, num_envs, width, height in (("sim.batched.1280x720", 8, 1280, 720), ("sim.batched.320x180x64", 64, 320, 180)):
        records.append(record(name, batched(num_envs, width, height), "steps/s", copying(num_envs, width, height), trivial(num_envs, width, height)))
    return records
