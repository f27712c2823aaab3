"""Groups: several episodes of one task from the same initial state, for learners that compare them (GRPO)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.envs.registration import load_env_creator
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate

import gui_gym  # noqa: F401  registers the ids
from gui_gym.actions import Action
from gui_gym.desktops import DesktopError
from gui_gym.env import EpisodeSnapshot, GuiDesktopEnv
from gui_gym.spaces import to_element
from gui_gym.vector_env import GuiDesktopVectorEnv
from gui_gym.verifiers import EndReason

#: Action of one member: None waits.
MemberAction = Action | Mapping[str, Any] | None


class GroupError(RuntimeError):
    """Members of a group that do not start from the same state."""


@contextmanager
def _told() -> Iterator[None]:
    """Say what a broken pipe to the process of a desktop means."""
    try:
        yield
    except (EOFError, ConnectionError) as error:
        raise DesktopError("the process of a desktop has died: it was killed, or memory ran out") from error


class MemberEnv(GuiDesktopEnv):
    """An env that takes its action from :attr:`next_action` and tells of its end in ``info`` only.

    So a vector env without autoreset goes on while some of its members have ended, and an action that fits no space
    still gets its ``action_error``.
    """

    def __init__(self, **kwargs: Any):
        limit = kwargs.pop("max_episode_steps", None)
        super().__init__(**kwargs)
        self.max_episode_steps = limit
        self.next_action: MemberAction | EpisodeSnapshot = None
        self.is_source = False
        self._came_up = True  # a desktop that never came up ends this member only; the group says so if it is all of them

    @property
    def real(self) -> bool:
        """Whether its desktop is real."""
        return self.desktop.real

    def solution(self) -> list[dict[str, Any]]:
        """As for any env, and empty once the episode is over, so that all members can be asked at once."""
        return [] if self._end else super().solution()

    def snapshot_source(self) -> EpisodeSnapshot | None:
        """A snapshot if it is the source of a branch, so that all members can be asked at once."""
        return self.snapshot() if self.is_source else None

    def step_into(self, action: Any, out: np.ndarray | None) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        if isinstance(self.next_action, EpisodeSnapshot):
            frame, info = self.restore_into(self.next_action, out)
            return frame, 0.0, False, False, {**info, "terminated": False, "truncated": False}
        self.hold = self.next_action is None
        frame, reward, terminated, truncated, info = super().step_into(self.next_action, out)  # type: ignore[arg-type]
        return frame, reward, False, False, {**info, "terminated": terminated, "truncated": truncated}


class _BatchedMembers(GuiDesktopVectorEnv):
    env_class = MemberEnv


class GroupVectorEnv(VectorEnv[np.ndarray, Any, np.ndarray]):
    """``num_groups`` groups of ``group_size`` episodes side by side, without autoreset.

    The members of a group get the same task and seed at :meth:`reset`, and it is checked that they then see the same
    screen. Each acts by itself; one that has ended, or that is given None, waits unchanged. Members are numbered group
    by group; ``n = num_groups * group_size``.

    Attributes:
        active: bool ``(n,)``, which members' episodes are running.
        group_of: int64 ``(n,)``, the group of each member.
        final_infos: for each member the info of its last step with its ``reward``, ``terminated`` and ``truncated``
            added, or None while it runs.

    Args:
        num_groups: number of groups.
        group_size: episodes of a group.
        id: an id of :class:`~gui_gym.env.GuiDesktopEnv`.
        vectorization_mode: None (all in this process, one frame buffer; real desktops in threads), "sync" or "async".
        context: how "async" starts its processes: None, "fork", "forkserver" or "spawn".
        env_kwargs: arguments of the env.
    """

    def __init__(
        self,
        num_groups: int,
        group_size: int,
        id: str = "GuiDesktop-v0",
        vectorization_mode: str | None = None,
        context: str | None = None,
        **env_kwargs: Any,
    ):
        if num_groups < 1 or group_size < 1:
            raise ValueError(f"expected at least one group of at least one member, got {num_groups} of {group_size}")
        spec = gym.spec(id)
        creator: Any = load_env_creator(spec.entry_point) if isinstance(spec.entry_point, str) else spec.entry_point
        if creator is not GuiDesktopEnv:
            raise ValueError(f"{id} is no id of GuiDesktopEnv: expected one such as GuiDesktop-v0")
        kwargs = {**spec.kwargs, **env_kwargs}
        n = num_groups * group_size
        member = partial(MemberEnv, **kwargs, max_episode_steps=spec.max_episode_steps)
        self.vector: Any  # VectorEnv declares neither set_attr nor reset with a list of seeds
        if vectorization_mode in (None, "vector_entry_point"):
            self.vector = _BatchedMembers(n, AutoresetMode.DISABLED, spec.max_episode_steps, **kwargs)
        elif vectorization_mode == "sync":
            self.vector = SyncVectorEnv([member] * n, autoreset_mode=AutoresetMode.DISABLED)
        elif vectorization_mode == "async":
            self.vector = AsyncVectorEnv([member] * n, context=context, autoreset_mode=AutoresetMode.DISABLED)
        else:
            raise ValueError(f"vectorization_mode is {vectorization_mode!r}: expected None, 'sync' or 'async'")
        self.num_groups, self.group_size, self.num_envs = num_groups, group_size, n
        self.metadata = {**GuiDesktopEnv.metadata, "autoreset_mode": AutoresetMode.DISABLED}
        self.single_observation_space = self.vector.single_observation_space
        self.single_action_space = self.vector.single_action_space
        self.observation_space = self.vector.observation_space
        self.action_space = batch_space(self.single_action_space, n)
        self.group_of = np.repeat(np.arange(num_groups), group_size)
        self.active = np.zeros(n, np.bool_)
        self.final_infos: list[dict[str, Any] | None] = [None] * n
        self._real = bool(self.vector.get_attr("real")[0])
        self._came_up = False
        wait = to_element(Action.wait_for(0))
        empty: Any = create_empty_array(self.single_action_space, n=n)
        self._placeholder = concatenate(self.single_action_space, [wait] * n, empty)

    def reset(  # type: ignore[override]
        self, *, seed: int | Sequence[int] | None = None, tasks: Sequence[str] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start new episodes in all groups.

        Args:
            seed: seeds the draw of the groups' seeds; a sequence gives each group its own.
            tasks: id of a task or family for each group; None draws them.
            options: none are known; there for Gymnasium's signature.

        Returns:
            ``(n, height, width, 3)`` uint8 and the infos. A member whose desktop did not come up has ended, unscored.

        Raises:
            DesktopError: if no member's desktop has ever come up.
            GroupError: if members of a group differ in task or first screen.
        """
        if options:
            raise ValueError(f"unknown reset options {sorted(options)}: give the groups' tasks as tasks=[...]")
        if tasks is not None and (isinstance(tasks, str) or len(tasks) != self.num_groups):
            raise ValueError(f"expected {self.num_groups} tasks, one for each group, got {tasks!r}")
        if seed is None or isinstance(seed, (int, np.integer)):
            super().reset(seed=None if seed is None else int(seed))
            seeds = self.np_random.integers(2**31, size=self.num_groups).tolist()
        else:
            seeds = [int(s) for s in seed]
            if len(seeds) != self.num_groups:
                raise ValueError(f"expected {self.num_groups} seeds, one for each group, got {len(seeds)}")
        with _told():
            self.vector.set_attr("next_task", [tasks[int(g)] if tasks is not None else None for g in self.group_of])
            frames, infos = self.vector.reset(seed=[seeds[g] for g in self.group_of])
        each = members(infos, self.num_envs)
        ended = [bool(info["end"]) for info in each]
        if all(ended) and not self._came_up:
            raise DesktopError(f"no desktop could be brought up: {each[0]['unscored']}")
        self._came_up = True
        self.active = ~np.array(ended)
        self.final_infos = [
            {**info, "reward": 0.0, "terminated": False, "truncated": True} if end else None for info, end in zip(each, ended, strict=True)
        ]
        self._check_same_start(frames, each)
        return frames, infos

    def _check_same_start(self, frames: np.ndarray, each: list[dict[str, Any]]) -> None:
        for group in range(self.num_groups):
            ids = {each[i]["task_id"] for i in np.flatnonzero(self.group_of == group)}
            if len(ids) != 1:
                raise GroupError(f"group {group} should have one task, got {', '.join(sorted(ids))}: the suite's draw depends on more than the seed")
            started = np.flatnonzero((self.group_of == group) & self.active)
            different = [int(i) for i in started[1:] if not np.array_equal(frames[i], frames[started[0]])]
            if different and not self._real:
                raise GroupError(
                    f"group {group}, task {ids.pop()}: members {different} do not see the first screen of member {started[0]}: "
                    "the desktop's reset depends on more than task and seed"
                )

    def step(  # type: ignore[override]
        self, actions: Sequence[MemberAction] | Mapping[str, Any]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Let each member act.

        Args:
            actions: for each member an :class:`Action`, an element of the action space, or None to wait; or an element
                of the batched action space. Those of members that have ended are not read.

        Returns:
            Frames ``(n, height, width, 3)`` uint8, float64 rewards ``(n,)``, and bool terminations and truncations
            ``(n,)``, True in the step a member ended; and infos.
        """
        each_action = list(iterate(self.action_space, actions)) if isinstance(actions, Mapping) else list(actions)
        if len(each_action) != self.num_envs:
            raise ValueError(f"expected {self.num_envs} actions, one for each member, got {len(each_action)}")
        if not self.active.any():
            raise gym.error.ResetNeeded("every episode has ended: call reset()")
        with _told():
            self.vector.set_attr("next_action", [action if on else None for action, on in zip(each_action, self.active, strict=True)])
            frames, rewards, _, _, infos = self.vector.step(self._placeholder)
        each = members(infos, self.num_envs)
        terminations = np.array([info["terminated"] for info in each], np.bool_)
        truncations = np.array([info["truncated"] for info in each], np.bool_)
        for i in np.flatnonzero(terminations | truncations):
            self.final_infos[i] = {**each[i], "reward": float(rewards[i])}
            self.active[i] = False
        return frames, rewards, terminations, truncations, infos

    def branch(self, source: int, to: Sequence[int] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Let members go on from where another one is: their episodes become copies of its, step count included.

        Args:
            source: number of a member whose episode is running.
            to: numbers of members of its group, ended ones too; None is all the others of the group.

        Returns:
            Frames and infos as of :meth:`reset`; members that are not in ``to`` are as they were.

        Raises:
            NotImplementedError: if the desktop cannot be copied.
        """
        if not 0 <= source < self.num_envs or not self.active[source]:
            raise ValueError(f"source is {source}: expected a member whose episode is running, one of {np.flatnonzero(self.active).tolist()}")
        others = [int(i) for i in np.flatnonzero(self.group_of == self.group_of[source]) if i != source]
        targets = others if to is None else [int(i) for i in to]
        if not targets or not set(targets) <= set(others):
            raise ValueError(f"to is {to}: expected other members of the group of {source}, of {others}")
        self.vector.set_attr("is_source", [i == source for i in range(self.num_envs)])
        snapshot = self.vector.call("snapshot_source")[source]
        self.vector.set_attr("next_action", [snapshot if i in targets else None for i in range(self.num_envs)])
        frames, _, _, _, infos = self.vector.step(self._placeholder)
        for i in targets:
            self.active[i], self.final_infos[i] = True, None
        return frames, infos

    def abandon(self, member: int, reason: str) -> None:
        """End the episode of a member, unscored for ``reason``: whoever acts for it cannot go on."""
        if not self.active[member]:
            raise ValueError(f"member {member} is not running: expected one of {np.flatnonzero(self.active).tolist()}")
        self.active[member] = False
        ended = {"end": EndReason.INFRASTRUCTURE.value, "scored": False, "score": 0.0, "unscored": reason, "answer": "", "side_effects": -1}
        self.final_infos[member] = {**ended, "reward": 0.0, "terminated": False, "truncated": True}

    def members(self, infos: dict[str, Any]) -> list[dict[str, Any]]:
        """The infos of :meth:`reset` or :meth:`step` as one dict for each member."""
        return members(infos, self.num_envs)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call the method ``name`` of every member, or read the attribute."""
        return self.vector.call(name, *args, **kwargs)  # type: ignore[no-any-return]

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """The attribute ``name`` of every member."""
        return self.vector.get_attr(name)  # type: ignore[no-any-return]

    def render(self) -> tuple[Any, ...]:
        """Every member's last frame, if the env was made with ``render_mode="rgb_array"``."""
        return self.vector.call("render")  # type: ignore[no-any-return]

    def close_extras(self, **kwargs: Any) -> None:
        """Close every desktop; where the process of one has died, end the others' processes."""
        try:
            self.vector.close(**kwargs)
        except (EOFError, ConnectionError):
            self.vector.close(terminate=True)


def members(infos: dict[str, Any], n: int) -> list[dict[str, Any]]:
    """A vector env's ``infos`` as one dict for each of its ``n`` members, with plain Python numbers."""
    each: list[dict[str, Any]] = [{} for _ in range(n)]
    for name, values in infos.items():
        if name.startswith("_") and name[1:] in infos:
            continue
        parts = members(values, n) if isinstance(values, dict) else values
        for i in np.flatnonzero(infos.get(f"_{name}", np.ones(n, np.bool_))):
            value = parts[i]
            each[i][name] = value.item() if isinstance(value, np.generic) else value.copy() if isinstance(value, np.ndarray) else value
    return each
