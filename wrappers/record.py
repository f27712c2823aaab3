"""Keep episodes on disk while they are played."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

from gui_gym.actions import ActionError
from gui_gym.recording import RecordedEpisode, RecordedStep, save_episode
from gui_gym.spaces import to_action
from gui_gym.verifiers import EndReason, Score


class RecordEpisodes(gym.Wrapper[np.ndarray, dict[str, Any], np.ndarray, dict[str, Any]], RecordConstructorArgs):
    """Writes each episode to a folder of its own in ``folder``, as :func:`gui_gym.recording.load_episode` reads it.

    An episode that is broken off by reset or close is kept too, unscored, if it has a step.

    Args:
        env: an env with the action space of GuiDesktop-v0; wrappers that change actions go around this one.
        folder: where to; made if need be. Episodes that are there stay.
        every: keep the first episode and then each ``every``-th.
    """

    def __init__(self, env: gym.Env[np.ndarray, dict[str, Any]], folder: str, every: int = 1):
        RecordConstructorArgs.__init__(self, folder=folder, every=every)
        gym.Wrapper.__init__(self, env)
        if not isinstance(env.action_space, spaces.Dict) or "point" not in env.action_space.spaces:
            raise ValueError(f"expected an env with the Dict action space of GuiDesktop-v0, got {env.action_space}: put RecordEpisodes inside")
        if every < 1:
            raise ValueError(f"every is {every}: expected at least 1")
        self.folder, self.every = Path(folder), every
        self._screen: tuple[int, int] = tuple(env.action_space["point"].nvec.tolist())  # type: ignore[attr-defined]
        self._episodes = 0
        self._number = 0
        self._frames: list[np.ndarray] = []
        self._steps: list[RecordedStep] = []
        self._info: dict[str, Any] = {}
        self._seed: int | None = None
        self._reward = 0.0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        self._keep()
        frame, info = self.env.reset(seed=seed, options=options)
        if self._episodes % self.every == 0:
            self._frames, self._steps, self._info, self._seed, self._reward = [frame], [], info, seed, 0.0
        self._episodes += 1
        return frame, info

    def step(self, action: dict[str, Any]) -> tuple[np.ndarray, Any, bool, bool, dict[str, Any]]:
        frame, reward, terminated, truncated, info = self.env.step(action)
        if self._frames:
            try:
                done = to_action(action, *self._screen)
            except ActionError:
                done = None
            self._steps.append(RecordedStep(done, error=info["action_error"]))
            self._frames.append(frame)
            self._info = info
            self._reward += float(reward)
            if terminated or truncated:
                self._keep()
        return frame, reward, terminated, truncated, info

    def close(self) -> None:
        self._keep()
        super().close()

    def _keep(self) -> None:
        """Write the episode that is held, if it has a step, and hold none."""
        frames, self._frames = self._frames, []
        if not self._steps or not frames:
            return
        info = self._info
        episode = RecordedEpisode(
            task_id=info["task_id"],
            instruction=info["instruction"],
            frames=frames,
            steps=self._steps,
            score=Score.of(info["score"]) if info["scored"] else Score.missing(info["unscored"] or "the episode was broken off"),
            end=EndReason(info["end"]),
            answer=info["answer"],
            seed=self._seed,
            suite=info["suite"],
            feasible=info["feasible"],
            reward=self._reward,
        )
        while True:
            try:
                save_episode(self.folder / f"{self._number:06d}", episode)
                return
            except FileExistsError:  # of an earlier run, or of another env
                self._number += 1
