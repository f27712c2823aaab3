"""What ``gui-gym play`` plays: one env and, if wanted, a recording of each episode."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import gymnasium as gym
import numpy as np
from PIL import Image

import gui_gym  # noqa: F401  (registers the env)
from gui_gym.actions import Action, ActionError
from gui_gym.recording import RecordedEpisode, RecordedStep, save_episode
from gui_gym.spaces import to_action
from gui_gym.verifiers import EndReason, Score

SHOWN = ("instruction", "task_id", "step", "action_error", "end", "answer", "scored", "score", "unscored", "side_effects")

T = TypeVar("T")


def _check_folder(folder: Path) -> None:
    """Make a folder that can be written to; ValueError if that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder):
            pass
    except OSError as error:
        raise ValueError(f"no episode can be recorded in {folder}: {error.strerror or error}; expected a folder that can be written to") from error


class Session:
    """One env, played by hand. Safe to call from any thread.

    Calls are done one after the other in a thread of its own: a real desktop ends with the thread that started it.

    Args:
        env_kwargs: arguments of :class:`~gui_gym.env.GuiDesktopEnv`.
        seed: of the first episode; the following ones count up from it.
        record: folder to record episodes in, or None.
    """

    def __init__(self, env_kwargs: Mapping[str, Any], seed: int = 0, record: Path | None = None):
        self._thread = ThreadPoolExecutor(1, "gui-gym-play")
        self._seed, self._record = seed, record
        self._frames: list[np.ndarray] = []
        self._steps: list[RecordedStep] = []
        self._saved = False
        self._number, self._png = 0, (0, b"")
        try:
            if record:
                _check_folder(record)
            self._env: gym.Env[np.ndarray, Any] = self._do(lambda: gym.make("GuiDesktop-v0", disable_env_checker=True, **env_kwargs))
            self.reset()
        except BaseException:  # whatever stopped it, its thread must not keep the process alive
            self._thread.shutdown()
            raise

    def _do(self, function: Callable[[], T]) -> T:
        return self._thread.submit(function).result()

    def reset(self, following: bool = False) -> dict[str, Any]:
        """Start the same episode again, or the following one; the state of the page."""

        def do() -> dict[str, Any]:
            self._save()
            self._seed += following
            self._frame, self._info = self._env.reset(seed=self._seed)
            self._number += 1
            self._frames, self._steps, self._saved = [self._frame], [], False
            return self._state()

        return self._do(do)

    def step(self, element: Any) -> dict[str, Any]:
        """Do one action, an element of the action space as JSON (fields its type does not use may be left out); the state of the page."""

        def do() -> dict[str, Any]:
            over = bool(self._info["end"])
            self._frame, _, _, _, self._info = self._env.step(element)
            self._number += 1
            if not over and self._record:
                self._frames.append(self._frame)
                self._steps.append(RecordedStep(self._action(element), error=self._info["action_error"]))
                if self._info["end"]:
                    self._save()
            return self._state()

        return self._do(do)

    def state(self) -> dict[str, Any]:
        """What the page shows, as JSON; ``frame`` is another number whenever the screen may be another."""
        return self._do(self._state)

    def png(self) -> bytes:
        """The screen as PNG."""

        def do() -> bytes:
            if self._png[0] != self._number:
                out = io.BytesIO()
                Image.fromarray(self._frame).save(out, "PNG", compress_level=1)
                self._png = (self._number, out.getvalue())
            return self._png[1]

        return self._do(do)

    def close(self) -> None:
        """Record an episode that is not over, and close the env."""
        self._do(self._save)
        self._do(self._env.close)
        self._thread.shutdown()

    def _state(self) -> dict[str, Any]:
        height, width = self._frame.shape[:2]
        return {**{name: self._info[name] for name in SHOWN}, "seed": self._seed, "frame": self._number, "width": width, "height": height}

    def _action(self, element: Any) -> Action | None:
        height, width = self._frame.shape[:2]
        try:
            return to_action(element, width, height)
        except ActionError:
            return None

    def _save(self) -> None:
        if self._record is None or not self._steps or self._saved:
            return
        info = self._info
        unscored = info["unscored"] or "the episode is not over"
        episode = RecordedEpisode(
            task_id=info["task_id"],
            instruction=info["instruction"],
            frames=self._frames,
            steps=self._steps,
            score=Score.of(info["score"]) if info["scored"] else Score.missing(unscored),
            end=EndReason(info["end"]),
            answer=info["answer"],
            seed=self._seed,
            suite=info["suite"],
            feasible=info["feasible"],
        )
        number = 0
        while (folder := self._record / f"episode-{number:04d}").exists():
            number += 1
        save_episode(folder, episode)
        self._saved = True
