"""A policy acts in a group vector env: episodes with exactly what was shown, sampled and done."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agents.context import overflow
from agents.engines.base import Completion, Engine
from agents.episodes import Episode, Frame, Group, Sampling, Turn
from agents.interrupts import check
from agents.prompts import Prompt, PromptBuilder
from agents.rewards import assign_rewards, check_rewards, wait_for_all
from agents.timing import Timings
from gui_gym.actions import Action
from gui_gym.codecs import ActionParseError
from gui_gym.verifiers import EndReason, Score
from wrappers.groups import GroupVectorEnv

UNREADABLE = "Your answer could not be read: "
UNDOABLE = "Your action could not be done: "


@dataclass(frozen=True, eq=False)
class Policy:
    """What chooses actions: prompt builder (with its codec), engine, and how tokens are drawn; ``timings`` are its and the env's."""

    prompts: PromptBuilder
    engine: Engine
    sampling: Sampling
    timings: Timings = field(default_factory=Timings)


@dataclass(eq=False)
class _Member:
    """One episode while it runs."""

    episode: Episode
    cursor: tuple[int, int]
    prompt: Prompt | None = None
    completion: Completion | None = None
    queue: list[Action] = field(default_factory=list)
    error: str = ""
    waiting_for_end: bool = False


def collect(
    policy: Policy,
    envs: GroupVectorEnv,
    *,
    seed: int | Sequence[int],
    tasks: Sequence[str] | None = None,
    max_turns: int | None = None,
    rewards: Mapping[str, float] | None = None,
    only: Collection[int] | None = None,
    progress: Callable[[Episode], None] | None = None,
) -> list[Group]:
    """One episode for each member of ``envs``, by group.

    A text that cannot be read costs the agent a step in which nothing happens; the next prompt says what was expected.
    Several actions of one turn are done in order, until one cannot be done or ends the episode; only the last frame is shown.

    Args:
        seed: draws tasks (as in :meth:`~wrappers.groups.GroupVectorEnv.reset`, which also takes one for each group) and tokens.
        tasks: id of a task or family for each group; None draws them.
        max_turns: most model calls of an episode. One that runs on then waits until the env's own step limit ends it, and so
            does one whose next prompt the engine cannot hold (:attr:`~agents.episodes.Episode.overflow`).
        rewards: weights of named rewards (:mod:`agents.rewards`); None is the score alone.
        only: numbers of the groups to run; the others wait and are not in the result. None is all.
        progress: called with each episode once it has ended and has its reward, or before where a reward waits for all of them.

    Equal seeds, weights and settings give equal episodes on the embedded desktop. Unscored episodes are among the result,
    with reward None; so is one to whose prompt the engine gave no answer. An engine that is gone raises
    :class:`~agents.engines.base.EngineError`.
    """
    rewards = {"score": 1.0} if rewards is None else rewards
    check_rewards(rewards)
    together = wait_for_all(rewards)
    height, width = envs.single_observation_space.shape[:2]  # type: ignore[index]
    with policy.timings("env"):
        frames, infos = envs.reset(seed=seed, tasks=tasks)
    known: dict[str, Frame] = {}
    members = [_begin(info, int(group), known, pixels) for info, group, pixels in zip(envs.members(infos), envs.group_of, frames, strict=True)]
    running = set(range(envs.num_groups) if only is None else only)
    ended = {i for i, group in enumerate(envs.group_of) if int(group) not in running}
    envs.active[list(ended)] = False

    def note_ends() -> None:
        for i, info in enumerate(envs.final_infos):
            if info is not None and i not in ended:
                ended.add(i)
                _end(members[i].episode, info)
                if not together:
                    assign_rewards([members[i].episode], rewards)
                if progress:
                    progress(members[i].episode)

    note_ends()
    with policy.timings("prompts"):
        for member in members:
            member.prompt = policy.prompts.start(member.episode.instruction, member.episode.frames[0], (width, height))
    turn = 0
    while envs.active.any():
        check()
        live = np.flatnonzero(envs.active).tolist()
        for i in live:
            member = members[i]
            assert member.prompt is not None
            late = max_turns is not None and turn >= max_turns
            member.episode.overflow = "" if late else overflow(member.prompt, policy.sampling, policy.engine.max_length)
            member.waiting_for_end = late or bool(member.episode.overflow)
        asked = [i for i in live if not members[i].waiting_for_end]
        if asked:
            seeds = [_token_seed(seed, envs, i, turn) for i in asked]
            _answer(policy, [members[i] for i in asked], seeds, (width, height))
            for i in asked:
                said = members[i].completion
                if said is not None and said.error:
                    envs.abandon(i, f"the engine gave no answer: {said.error}")
            note_ends()
        turn += 1
        while any(members[i].queue or members[i].waiting_for_end for i in np.flatnonzero(envs.active)):
            acting = np.flatnonzero(envs.active).tolist()
            actions = [_next_action(members[i]) if i in acting else None for i in range(envs.num_envs)]
            with policy.timings("env"):
                frames, _, _, _, infos = envs.step(actions)
            for i, info in enumerate(envs.members(infos)):
                if actions[i] is not None and not members[i].waiting_for_end:
                    _record(members[i], actions[i], info, known, frames[i])
            note_ends()
        for i in np.flatnonzero(envs.active).tolist():
            member = members[i]
            assert member.prompt is not None and member.completion is not None
            said, shown = member.completion, member.episode.frames[-1]
            with policy.timings("prompts"):
                member.prompt = policy.prompts.extend(member.prompt, said.ids, said.finish_reason, shown, member.error)
    if together:
        assign_rewards([member.episode for member in members], rewards)
    groups = [[m.episode for m, g in zip(members, envs.group_of, strict=True) if g == group] for group in sorted(running)]
    return [Group(episodes[0].task_id, episodes) for episodes in groups]


def _token_seed(seed: int | Sequence[int], envs: GroupVectorEnv, member: int, turn: int) -> int:
    """Depends on the group's own seed if it has one, so that an instance is answered alike whatever runs beside it."""
    group, within = int(envs.group_of[member]), member % envs.group_size
    own = [int(seed), group] if isinstance(seed, (int, np.integer)) else [int(seed[group])]
    return int(np.random.default_rng([*own, within, turn]).integers(2**63))


def _frame(known: dict[str, Frame], pixels: np.ndarray) -> Frame:
    """A frame of its own memory, the same object for equal content: the members of a group often see the same."""
    frame = Frame(pixels)
    if frame.hash not in known:
        known[frame.hash] = Frame(pixels.copy(), frame.hash)
    return known[frame.hash]


def _begin(info: Mapping[str, Any], group: int, known: dict[str, Frame], pixels: np.ndarray) -> _Member:
    episode = Episode(info["task_id"], info["instruction"], info["suite"], info["feasible"], group, frames=[_frame(known, pixels)])
    return _Member(episode, _cursor(info))


def _cursor(info: Mapping[str, Any]) -> tuple[int, int]:
    x, y = info["cursor"]
    return int(x), int(y)


def _answer(policy: Policy, members: list[_Member], seeds: list[int], screen: tuple[int, int]) -> None:
    """Let the policy answer for ``members`` and queue what it asks for."""
    prompts = [member.prompt for member in members]
    with policy.timings("engine"):
        completions = policy.engine.generate(prompts, policy.sampling, seeds)  # type: ignore[arg-type]
    for member, prompt, completion in zip(members, prompts, completions, strict=True):
        assert prompt is not None
        member.completion = completion
        if completion.error:
            continue
        text, actions, error = policy.prompts.completion_text(completion.ids), [], ""
        try:
            actions = policy.prompts.codec.parse(text, screen, member.cursor, truncated=completion.finish_reason == "length")
        except ActionParseError as problem:
            error = str(problem)
        member.queue, member.error = list(actions) or [Action.wait_for(0)], error and UNREADABLE + error
        turn = Turn(
            prompt.ids, prompt.images, completion.ids, completion.logprobs, policy.sampling, completion.policy_version,
            finish_reason=completion.finish_reason, text=text, actions=tuple(actions), parse_error=error,
        )  # fmt: skip
        member.episode.turns.append(turn)


def _next_action(member: _Member) -> Action | None:
    if member.waiting_for_end:
        return Action.wait_for(0)
    return member.queue.pop(0) if member.queue else None


def _record(member: _Member, action: Action | None, info: Mapping[str, Any], known: dict[str, Frame], pixels: np.ndarray) -> None:
    episode, unreadable = member.episode, member.episode.turns[-1].parse_error
    episode.actions.append(None if unreadable else action)
    episode.errors.append(unreadable or info["action_error"])
    episode.frames.append(_frame(known, pixels))
    member.cursor = _cursor(info)
    if info["action_error"]:
        member.error = UNDOABLE + info["action_error"]
        member.queue.clear()  # what was to follow was meant for another screen


def _end(episode: Episode, info: Mapping[str, Any]) -> None:
    episode.end, episode.answer = EndReason(info["end"]), info["answer"]
    episode.score = Score.of(info["score"]) if info["scored"] else Score.missing(info["unscored"])
    episode.side_effects = int(info["side_effects"])
    episode.progress = float(info.get("progress", -1.0))
