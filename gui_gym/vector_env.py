"""Many desktops in one process behind one frame buffer: what ``gym.make_vec("GuiDesktop-v0")`` gives by default."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from gui_gym.env import GuiDesktopEnv
from gui_gym.frame_buffers import FrameBuffers
from gui_gym.spaces import observation_space, split_actions


class GuiDesktopVectorEnv(VectorEnv[np.ndarray, dict[str, Any], np.ndarray]):
    """``num_envs`` :class:`~gui_gym.env.GuiDesktopEnv` that draw straight into one ``(n, height, width, 3)`` uint8 buffer.

    Behaves as ``gymnasium.vector.SyncVectorEnv`` over the same envs does, in all three autoreset modes, except that
    it leaves the caller's ``options`` as they were and that its frames are read-only. Real desktops are stepped side by side, one thread each.

    What was handed out never changes while anybody refers to it. After that its memory is used again, and only what changed on the
    screens is copied into it, so nobody else may write there: copy frames before changing them, or ask for ``writable`` ones.
    PyTorch knows no read-only tensors: ``torch.as_tensor(frames)`` shares the memory and warns once. Read, move or convert such a tensor,
    but change it in place nowhere, or later frames are wrong; ``torch.tensor(frames)`` copies.

    Args:
        num_envs: number of desktops.
        autoreset_mode: as in Gymnasium: "NextStep", "SameStep" or "Disabled".
        writable: hand out frames that may be written into, which costs copying them whole. Otherwise they are read-only.
        max_episode_steps: step limit, as ``gym.make_vec`` passes it; the smallest of it, ``max_steps`` or the task's own counts.
        kwargs: arguments of :class:`~gui_gym.env.GuiDesktopEnv`.
    """

    env_class: type[GuiDesktopEnv] = GuiDesktopEnv  #: what its members are

    def __init__(
        self,
        num_envs: int = 1,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        writable: bool = False,
        **kwargs: Any,
    ):
        super().__init__()
        self.envs = [self.env_class(**kwargs) for _ in range(num_envs)]
        for env in self.envs:
            env.max_episode_steps = max_episode_steps
        self.num_envs = num_envs
        self.autoreset_mode = autoreset_mode if isinstance(autoreset_mode, AutoresetMode) else AutoresetMode(autoreset_mode)
        self.metadata = {**GuiDesktopEnv.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = self.envs[0].render_mode
        self.single_observation_space = self.envs[0].observation_space
        self.single_action_space = self.envs[0].action_space
        self.observation_space = observation_space(self.envs[0].width, self.envs[0].height, (num_envs,))
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._buffers = FrameBuffers((num_envs, *self.single_observation_space.shape), writable)  # type: ignore[misc]
        self._done = np.zeros(num_envs, np.bool_)
        real = self.envs[0].desktop.real and num_envs > 1
        self._pool = ThreadPoolExecutor(num_envs, "gui-gym-desktop") if real else None

    def _map(self, function: Callable[[int], Any], indices: list[int]) -> list[Any]:
        return list(self._pool.map(function, indices) if self._pool else map(function, indices))

    def reset(self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Reset all members, or those of the bool array ``options["reset_mask"]``.

        Args:
            seed: None, one int (member i gets ``seed + i``) or a list of ``num_envs``; equal seeds give equal starts.
            options: ``reset_mask``, and what :meth:`GuiDesktopEnv.reset` takes.
        """
        seeds = list(seed) if isinstance(seed, (list, tuple)) else [None if seed is None else int(seed) + i for i in range(self.num_envs)]
        if len(seeds) != self.num_envs:
            raise ValueError(f"expected {self.num_envs} seeds, one for each member, got {len(seeds)}")
        options = dict(options or {})
        mask = options.pop("reset_mask", None)
        if mask is None:
            mask = np.ones(self.num_envs, np.bool_)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(f"options['reset_mask']: expected a bool array of shape ({self.num_envs},) with a True in it, got {mask!r}")

        def one(i: int) -> dict[str, Any]:
            super(GuiDesktopEnv, self.envs[i]).reset(seed=seeds[i])
            return self.envs[i].reset_into(self._buffers.rows[i], options)[1]

        chosen = np.flatnonzero(mask).tolist()
        each: list[dict[str, Any]] = [{}] * self.num_envs
        for i, info in zip(chosen, self._map(one, chosen), strict=True):
            each[i] = info
        self._done[mask] = False
        return self._hand_out(), self._batch(each)

    def _hand_out(self) -> np.ndarray:
        return self._buffers.hand_out([env.take_changed() for env in self.envs])

    def _batch(self, each: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """The members' infos in Gymnasium's form: what ``_add_info`` makes of one after the other, but key by key where all have the same."""
        first, names = each[0], list(each[0])
        if any(list(info) != names for info in each) or any(isinstance(value, dict) for value in first.values()):
            infos: dict[str, Any] = {}
            for i, info in enumerate(each):
                infos = self._add_info(infos, info, i)
            return infos
        infos = {}
        for (name, value), values in zip(first.items(), zip(*(info.values() for info in each), strict=True), strict=True):
            if type(value) in (bool, int, float) or isinstance(value, np.number):
                infos[name] = np.array(values, type(value))
            elif isinstance(value, np.ndarray):
                infos[name] = np.array(values, value.dtype)
            else:
                infos[name] = np.fromiter(values, object, self.num_envs)
            infos[f"_{name}"] = np.ones(self.num_envs, np.bool_)
        return infos

    def step(self, actions: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Step every member. Frames are an ``(n, height, width, 3)`` uint8 array that stays as it is, rewards float64 ``(n,)``."""
        if self.autoreset_mode is AutoresetMode.DISABLED and self._done.any():
            raise AssertionError(f"members {np.flatnonzero(self._done).tolist()} are at their end: reset them with options['reset_mask']")
        each, envs, frames = split_actions(actions, self.num_envs), self.envs, self._buffers.rows
        same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        over = self._done.tolist() if self.autoreset_mode is AutoresetMode.NEXT_STEP else [False] * self.num_envs

        def one(i: int) -> tuple[float, bool, bool, dict[str, Any]]:
            env, frame = envs[i], frames[i]
            if over[i]:
                return 0.0, False, False, env.reset_into(frame)[1]
            _, reward, terminated, truncated, info = env.step_into(each[i], frame)
            if same_step and (terminated or truncated):
                info = {"final_obs": frame.copy(), "final_info": info, **env.reset_into(frame)[1]}
            return reward, terminated, truncated, info

        rewards, terminations, truncations, infos = zip(*self._map(one, list(range(self.num_envs))), strict=True)
        self._done = np.array(terminations, np.bool_) | np.array(truncations, np.bool_)
        return (
            self._hand_out(),
            np.array(rewards, np.float64),
            np.array(terminations, np.bool_),
            np.array(truncations, np.bool_),
            self._batch(infos),
        )

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call the method ``name`` of every member, or read the attribute."""
        values = (env.get_wrapper_attr(name) for env in self.envs)
        return tuple(value(*args, **kwargs) if callable(value) else value for value in values)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """The attribute ``name`` of every member."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set the attribute ``name`` of every member: a list or tuple gives each its own."""
        values = values if isinstance(values, (list, tuple)) else [values] * self.num_envs
        if len(values) != self.num_envs:
            raise ValueError(f"expected {self.num_envs} values, one for each member, got {len(values)}")
        for env, value in zip(self.envs, values, strict=True):
            setattr(env, name, value)

    def render(self) -> tuple[Any, ...]:
        """Every member's last frame."""
        return tuple(env.render() for env in self.envs)

    def close_extras(self, **kwargs: Any) -> None:
        """Close every desktop."""
        if self._pool:
            self._pool.shutdown()
        for env in self.envs:
            env.close()
