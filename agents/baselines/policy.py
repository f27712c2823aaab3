"""Policies without a model: one that acts at random, and one that plays the scripted solution."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import gymnasium as gym
import numpy as np

from gui_gym.actions import FIELDS, MAX_SCROLL, TERMINAL, Action, ActionType, Button, Key, Modifier
from gui_gym.recording import RecordedEpisode, RecordedStep
from gui_gym.spaces import to_action, to_element
from gui_gym.verifiers import EndReason, Score


class BaselinePolicy(Protocol):
    """What chooses an action from a screen without a model."""

    def reset(self) -> None:
        """An episode begins."""

    def act(self, observation: np.ndarray, info: Mapping[str, Any]) -> Action:
        """The next action.

        Args:
            observation: ``(height, width, 3)`` uint8 RGB.
            info: as :class:`~gui_gym.env.GuiDesktopEnv` gives it.
        """


class RandomPolicy:
    """Acts at random: a type, and then each of its fields, evenly.

    Args:
        seed: of its own generator; it goes on over episodes.
        types: the types to choose from; by default all that do not end the episode.
        end_rate: how often it says DONE instead, 0 to 1.
    """

    def __init__(self, seed: int | None = None, types: Sequence[ActionType] | None = None, end_rate: float = 0.05):
        if not 0.0 <= end_rate <= 1.0:
            raise ValueError(f"end_rate is {end_rate}: expected 0 to 1")
        self.types = tuple(types) if types is not None else tuple(t for t in ActionType if t not in TERMINAL)
        if not self.types:
            raise ValueError("expected at least one type")
        self.end_rate = end_rate
        self._rng = np.random.default_rng(seed)

    def reset(self) -> None:
        """Nothing is kept from one episode to the next but the generator."""

    def act(self, observation: np.ndarray, info: Mapping[str, Any]) -> Action:
        if self._rng.random() < self.end_rate:
            return Action.done()
        height, width = observation.shape[:2]
        integer = self._rng.integers
        kind = self.types[integer(len(self.types))]
        values = {
            "point": (int(integer(width)), int(integer(height))),
            "to": (int(integer(width)), int(integer(height))),
            "button": Button(int(integer(len(Button)))),
            "clicks": int(integer(1, 4)),
            "scroll": (0, int(integer(-MAX_SCROLL, MAX_SCROLL + 1))),
            "key": Key(int(integer(len(Key)))),
            "modifiers": tuple(m for m in Modifier if self._rng.random() < 0.1),
            "wait": int(integer(3)),
            "text": "".join(string.printable[i] for i in integer(0, 95, size=integer(1, 9))),
        }
        return Action(kind, **{name: values[name] for name in FIELDS[kind]})  # type: ignore[arg-type]


class ScriptedPolicy:
    """Plays the suite's own solution, closing DONE or ANSWER included.

    Args:
        env: the env it acts in. Its :meth:`act` raises :class:`~gui_gym.tasks.TaskError` where there is no solution.
    """

    def __init__(self, env: gym.Env[Any, Any]):
        self._env = env
        self._plan: list[Action] = []

    def reset(self) -> None:
        """Forget the plan."""
        self._plan = []

    def act(self, observation: np.ndarray, info: Mapping[str, Any]) -> Action:
        if not self._plan:
            height, width = observation.shape[:2]
            solve = self._env.get_wrapper_attr("solution")
            self._plan = [to_action(element, width, height) for element in solve()]
        return self._plan.pop(0)


def play(env: gym.Env[np.ndarray, dict[str, Any]], policy: BaselinePolicy, seed: int | None = None, task: str | None = None) -> RecordedEpisode:
    """Play one episode to its end.

    Args:
        env: an env with the action space of GuiDesktop-v0.
        policy: what acts.
        seed: of the reset.
        task: id of the task or family; None lets the env draw.
    """
    frame, info = env.reset(seed=seed, options={"task": task} if task else None)
    policy.reset()
    frames, steps, total, over = [frame], [], 0.0, bool(info["end"])
    while not over:
        action = policy.act(frame, info)
        frame, reward, terminated, truncated, info = env.step(to_element(action))
        frames.append(frame)
        steps.append(RecordedStep(action, error=info["action_error"]))
        total += float(reward)
        over = terminated or truncated
    return RecordedEpisode(
        task_id=info["task_id"],
        instruction=info["instruction"],
        frames=frames,
        steps=steps,
        score=Score.of(info["score"]) if info["scored"] else Score.missing(info["unscored"] or "cut off by a limit outside the env"),
        end=EndReason(info["end"]),
        answer=info["answer"],
        seed=seed,
        suite=info["suite"],
        feasible=info["feasible"],
        reward=total,
    )
