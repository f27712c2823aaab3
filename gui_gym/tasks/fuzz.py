"""Random actions on a suite's desktop, with everything that must hold checked after each."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gui_gym.actions import MAX_TEXT, Action, ActionType
from gui_gym.env import GuiDesktopEnv
from gui_gym.tasks.audit import uniform_action

EPISODE = 200  #: actions of an episode
_LOOK = 10  #: actions after which the accessibility tree says anew where there is something to hit
_TEXTS = (
    "it's",
    "x" * 300,
    "naïve 日本語 😀",
    "\n",
    "\t \n\t",
    "\ud800",
    "\x00\x7f\x1b[2J",
    "",
    "a\r\nb",
    " ",
    "<>&\\",
    "=1/0",
    "ls *\n",
    "y" * 100_000,
)


@dataclass
class Fuzzed:
    """What random actions came upon: how many of each type were done, in how many episodes, and what failed, with how to repeat it."""

    actions: int = 0
    episodes: int = 0
    types: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return {"actions": self.actions, "episodes": self.episodes, "types": dict(sorted(self.types.items())), "failures": self.failures}


def fuzz(suite: str, tasks: list[str], episodes: int, seed: int, size: tuple[int, int], difficulty: str | None = None) -> Fuzzed:
    """Play ``episodes`` of :data:`EPISODE` random actions that end no episode, on each of ``tasks`` in turn, at a ``size`` in pixels.

    Half of the points lie on something that the accessibility tree names. After each action: the frame's shape and type, the pointer on the
    screen, an episode that goes on. Now and then: the desktop's state and tree can be written down. After the last: an action after the end
    changes nothing. An episode stops at its first failure, which names the seed, the family and the step.
    """
    result = Fuzzed()
    env = GuiDesktopEnv(suite, width=size[0], height=size[1], max_steps=EPISODE + 1, difficulty=difficulty)
    try:
        for episode in range(episodes):
            task = tasks[episode % len(tasks)]
            rng, done, last = np.random.default_rng([seed, episode]), 0, "reset"
            result.episodes += 1
            try:
                _, info = env.reset(seed=int(rng.integers(2**31)), options={"task": task})
                for action in _actions(rng, env):
                    last = f"step {done}, {str(action)[:200]}"
                    _check(env, action, *env.step_into(action, None))
                    done += 1
                    result.types[action.type.name.lower()] += 1
                    if done % (2 * _LOOK) == 0:
                        json.dumps(env.desktop.accessibility_tree())
                        env.desktop.snapshot()
                _check_end(env)
            except Exception as error:  # whatever it is, it is what this function looks for
                result.failures.append(f"{info['task_id']} in episode {episode} of seed {seed}, {last}: {type(error).__name__}: {error}")
            result.actions += done
    finally:
        env.close()
    return result


def _actions(rng: np.random.Generator, env: GuiDesktopEnv) -> Any:
    """:data:`EPISODE` actions, each made when the one before it has been done."""
    targets: list[list[int]] = []
    for number in range(EPISODE):
        if number % _LOOK == 0:
            targets = _bounds(env.desktop.accessibility_tree() or {})
        action = uniform_action(rng, env.width, env.height)
        if targets and rng.random() < 0.5:
            action = replace(action, point=_within(rng, env, targets), to=_within(rng, env, targets))
        if action.type is ActionType.TYPE and rng.random() < 0.3:
            action = replace(action, text=_TEXTS[int(rng.integers(len(_TEXTS)))])
        yield action


def _bounds(node: dict[str, Any]) -> list[list[int]]:
    own = [node["bounds"]] if node.get("bounds") else []
    return own + [bounds for child in node.get("children", []) for bounds in _bounds(child)]


def _within(rng: np.random.Generator, env: GuiDesktopEnv, targets: list[list[int]]) -> tuple[int, int]:
    """A pixel in or at the border of one of ``targets``, on the screen."""
    x, y, w, h = targets[int(rng.integers(len(targets)))]
    px, py = x + int(rng.integers(-1, max(1, w) + 1)), y + int(rng.integers(-1, max(1, h) + 1))
    return min(max(px, 0), env.width - 1), min(max(py, 0), env.height - 1)


def _check(env: GuiDesktopEnv, action: Action, frame: np.ndarray, reward: float, terminated: bool, truncated: bool, info: dict[str, Any]) -> None:
    if frame.shape != (env.height, env.width, 3) or frame.dtype != np.uint8:
        raise AssertionError(f"the frame is {frame.dtype} {frame.shape}")
    x, y = info["cursor"]
    if not (0 <= x < env.width and 0 <= y < env.height):
        raise AssertionError(f"the pointer is at ({x}, {y})")
    if terminated or truncated or info["end"] or reward:
        raise AssertionError(f"the episode ended ({info['end']!r} {info['unscored']!r})")
    if bool(info["action_error"]) != (len(action.text) > MAX_TEXT):
        raise AssertionError(f"a text of {len(action.text)} characters, action_error {info['action_error']!r}")


def _check_end(env: GuiDesktopEnv) -> None:
    before, _, terminated, _, info = env.step_into(Action.done(), None)
    after, reward, again, _, later = env.step_into(Action.click(0, 0), None)
    if not terminated or not info["scored"]:
        raise AssertionError(f"DONE did not end the episode with a score: {info['unscored']!r}")
    if not np.array_equal(before, after) or not again or reward != info["score"] or "over" not in later["action_error"]:
        raise AssertionError("an action after the end changed something")
