"""Rollouts go on while the learner learns: groups of episodes from threads of their own, with a bound on the age of their policy."""

from __future__ import annotations

import heapq
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from agents import interrupts
from agents.config import Agent
from agents.engines.base import Completion, Engine
from agents.episodes import Episode, Group, Sampling
from agents.grpo.config import TrainConfig
from agents.grpo.lesson import advantages_of, teaches
from agents.judge import JUDGE
from agents.prompts import Prompt
from agents.rollout import collect
from agents.timing import Timings
from gui_gym.desktops import DesktopError
from wrappers.groups import GroupVectorEnv

#: How long :meth:`AsyncCollector.close` waits for rollouts that are amid a request, in seconds; they are not waited for at the end of the program.
_GRACE = 10.0


class _GivenUp(Exception):
    """Nobody waits for this rollout any more."""


@dataclass(eq=False)
class _Slot:
    """One thread with desktops of its own, and the group it is at."""

    given_up: threading.Event = field(default_factory=threading.Event)
    number: int | None = None
    began: float = 0.0
    thread: threading.Thread | None = None


class _Leashed:
    """``engine`` for one rollout: the rollout ends at its next question once it is given up."""

    def __init__(self, engine: Engine, given_up: threading.Event):
        self._engine, self._given_up = engine, given_up
        self.apart, self.max_length = engine.apart, engine.max_length

    @property
    def policy_version(self) -> int:
        return self._engine.policy_version

    def generate(self, prompts: Sequence[Prompt], sampling: Sampling, seeds: Sequence[int]) -> list[Completion]:
        if self._given_up.is_set():
            raise _GivenUp
        return self._engine.generate(prompts, sampling, seeds)


class AsyncCollector:
    """Groups of episodes of the training split, collected by ``config.groups`` threads while the learner learns; as
    :class:`~agents.grpo.collector.Collector` otherwise.

    Groups are numbered, and the number draws the task. One is begun only where it would be learned from at most ``max_staleness`` versions
    later if it ended in its turn (AReaL, arXiv:2505.24298, eq. 3): so many are under way or ready at most, and rollouts wait. One whose
    oldest turn is older all the same, or that takes more than ``group_minutes``, is dropped and another begun in its place: it is never
    trained on, and counted. With ``config.resample`` those that teach nothing are dropped too.

    Args:
        agent: acts, by an engine apart.
        config: of the run.
        state: :meth:`state_dict` of the run that this one resumes.
        clock: seconds, for ``group_minutes``.

    Attributes:
        figures: of the last step: ``staleness`` (versions that a turn's policy was behind, mean) and ``staleness_max``; ``dropped_stale``,
            ``dropped_late`` and ``resampled_groups``; ``queue`` (groups that were ready when the learner came for them); and in seconds
            ``time_wait_groups`` (the learner waited) and ``time_wait_learner`` (a rollout thread waited, mean).
        timings: where the time of all threads together went: env, prompts, engine.
    """

    def __init__(self, agent: Agent, config: TrainConfig, state: dict[str, Any] | None = None, clock: Callable[[], float] = time.monotonic):
        if not agent.engine.apart:
            raise ValueError("mode is 'async' with an engine that shares the learner's weights: expected engine.kind 'vllm', a server of its own")
        if config.learner.loss.tis_cap is None:
            warnings.warn(
                "mode is 'async' without learner.loss.tis_cap: episodes span versions of the policy, and truncated importance sampling "
                "(such as tis_cap 2) keeps that from distorting the update",
                stacklevel=2,
            )
        self.agent, self.config, self._clock = agent, config, clock
        self.figures: dict[str, float] = {}
        self.timings = Timings()
        state = state or {}
        self._next: int = state.get("next", 0)
        self._again: list[int] = sorted(state.get("again", ()))  # a heap of numbers that come before the next one
        self._changed = threading.Condition()
        self._pending: set[int] = set()  # under way, ready or taken, and not handed over
        self._ready: deque[tuple[int, Group]] = deque()
        self._taken: list[tuple[int, Group]] = []
        self._limit = 0
        self._slots: list[_Slot] = []
        self._lost: list[_Slot] = []
        self._errors: list[Exception] = []
        self._stopping = False
        self._dropped = {"dropped_stale": 0, "dropped_late": 0, "resampled_groups": 0}
        self._thrown: list[Episode] = []
        self._idle = 0.0
        if "judge" in config.reward_weights:
            JUDGE.set_up(config.judge, config.out / "judge.jsonl")

    def state_dict(self) -> dict[str, Any]:
        """Which groups are still to come, as JSON data: those under way now are thrown away by a resumed run and begun anew, no other is repeated."""
        with self._changed:
            return {"next": self._next, "again": sorted([*self._again, *self._pending])}

    def collect(self, step: int, note: Callable[[Episode], None]) -> list[Group]:
        """``config.groups`` groups for training step ``step``, in the order of their numbers; ``note`` is called with each of their episodes.

        Raises what a rollout raised; called again it goes on with new threads.
        """
        config, began = self.config, self._clock()
        with self._changed:
            queue = len(self._ready)
            self._limit = (config.max_staleness + 1) * config.groups
            self._changed.notify_all()
            while len(self._taken) < config.groups:
                interrupts.check()
                if self._errors:
                    first, self._errors = self._errors[0], []  # what all threads meet at once is one error
                    raise first
                self._give_up_late()
                self._man()
                if self._ready:
                    self._take(*self._ready.popleft())
                else:
                    self._changed.wait(0.2)
            taken, self._taken = sorted(self._taken, key=lambda each: each[0]), []
            self._pending -= {number for number, _ in taken}
            self._limit = config.max_staleness * config.groups  # the learner is at a version more from now on
            groups, thrown, self._thrown = [group for _, group in taken], self._thrown, []
            self.figures = {name: float(count) for name, count in self._dropped.items()} | {
                "queue": float(queue), "time_wait_groups": self._clock() - began, "time_wait_learner": self._idle / config.groups
            }  # fmt: skip
            self._dropped, self._idle = dict.fromkeys(self._dropped, 0), 0.0
        behind = [age for group in groups for age in self._ages(group)]
        self.figures |= {"staleness": sum(behind) / max(1, len(behind)), "staleness_max": float(max(behind, default=0))}
        for episode in [*thrown, *(episode for group in groups for episode in group.episodes)]:
            note(episode)
        return groups

    def close(self) -> None:
        """End the rollouts, and close their desktops and the engine, so that those amid a request need not be waited for."""
        with self._changed:
            self._stopping = True
            slots = [*self._slots, *self._lost]
            for slot in slots:
                slot.given_up.set()
            self._changed.notify_all()
        self.agent.engine.close()
        end = time.monotonic() + _GRACE
        for slot in slots:
            if slot.thread is not None:
                slot.thread.join(max(0.0, end - time.monotonic()))
        JUDGE.close()

    # the learner's side; all of it holds the lock

    def _ages(self, group: Group) -> list[int]:
        now = self.agent.engine.policy_version
        return [now - turn.policy_version for episode in group.episodes for turn in episode.turns]

    def _take(self, number: int, group: Group) -> None:
        """Keep a group that is ready, or drop it."""
        config = self.config
        if max(self._ages(group), default=0) > config.max_staleness:
            self._drop(number, "dropped_stale")
        elif self._dropped["resampled_groups"] < config.resample * config.groups and not teaches(advantages_of([group], config)[0]):
            self._drop(number, "resampled_groups")
            self._thrown += group.episodes  # what they say about the policy counts
        else:
            self._taken.append((number, group))

    def _drop(self, number: int, why: str) -> None:
        self._pending.discard(number)
        self._dropped[why] += 1
        self._changed.notify_all()

    def _give_up_late(self) -> None:
        """Drop the groups that take too long. Their threads may hang: others take their place."""
        self._lost = [slot for slot in self._lost if slot.thread is not None and slot.thread.is_alive()]
        limit = 60 * self.config.group_minutes
        for slot in [slot for slot in self._slots if slot.number is not None and self._clock() - slot.began > limit]:
            assert slot.number is not None
            slot.given_up.set()
            self._slots.remove(slot)
            self._lost.append(slot)
            self._drop(slot.number, "dropped_late")
        if len(self._lost) > self.config.groups:
            raise DesktopError(
                f"{len(self._lost)} rollouts hang, each for more than group_minutes ({self.config.group_minutes:g}): see what fails with "
                "gui-gym doctor, or raise group_minutes if episodes take that long"
            )

    def _man(self) -> None:
        """As many threads as there are groups in a step."""
        while len(self._slots) < self.config.groups and not self._stopping:
            slot = _Slot()
            slot.thread = threading.Thread(target=self._roll, args=(slot,), name=f"rollouts-{len(self._slots)}", daemon=True)
            self._slots.append(slot)
            slot.thread.start()

    # a thread's side

    def _roll(self, slot: _Slot) -> None:
        config, policy = self.config, replace(self.agent.policy(), timings=self.timings)
        engine: Any = _Leashed(policy.engine, slot.given_up)
        policy = replace(policy, engine=engine)
        envs: GroupVectorEnv | None = None
        error: Exception | None = None
        try:
            while (number := self._begin(slot)) is not None:
                if envs is None:
                    envs = GroupVectorEnv(1, config.group_size, **config.env.group_kwargs("train"))
                seed = int(np.random.default_rng([config.seed, 4, number]).integers(2**31))
                (group,) = collect(policy, envs, seed=[seed], max_turns=config.policy.max_turns, rewards=config.reward_weights)
                self._finish(slot, group)
        except (_GivenUp, interrupts.Interrupted):
            pass  # the learner's side knows
        except Exception as caught:  # whatever it is: the run must hear of it
            error = caught
        finally:
            if envs is not None:
                envs.close()
            self._leave(slot, error)

    def _begin(self, slot: _Slot) -> int | None:
        """Wait until there is room for a group, and return its number; None where the thread is to end."""
        with self._changed:
            waited = self._clock()
            self._changed.wait_for(lambda: slot.given_up.is_set() or len(self._pending) < self._limit)
            self._idle += self._clock() - waited
            if slot.given_up.is_set():
                return None
            if self._again:
                slot.number = heapq.heappop(self._again)
            else:
                slot.number, self._next = self._next, self._next + 1
            self._pending.add(slot.number)
            slot.began = self._clock()
            return slot.number

    def _finish(self, slot: _Slot, group: Group) -> None:
        with self._changed:
            if not slot.given_up.is_set():
                assert slot.number is not None
                self._ready.append((slot.number, group))
                slot.number = None
                self._changed.notify_all()

    def _leave(self, slot: _Slot, error: Exception | None) -> None:
        """The thread ends. A group it was at, and that is not given up, will be begun again by another."""
        with self._changed:
            if not slot.given_up.is_set() and slot.number is not None:
                self._pending.discard(slot.number)
                heapq.heappush(self._again, slot.number)
            if error is not None and not slot.given_up.is_set():
                self._errors.append(error)
            if slot in self._slots:
                self._slots.remove(slot)
            self._changed.notify_all()
