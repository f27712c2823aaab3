"""A scripted solution played in the env, moment by moment: what is seen, and what is about to be done."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from agents.episodes import Episode, Frame
from agents.rollout import UNDOABLE
from gui_gym.actions import FIELDS, Action
from gui_gym.codecs import ActionFormatError, Codec
from gui_gym.env import GuiDesktopEnv
from gui_gym.spaces import to_action
from gui_gym.tasks import TaskError
from gui_gym.verifiers import EndReason, Score


@dataclass(frozen=True)
class DemonstrationConfig:
    """How solutions are shown.

    Args:
        noise: standard deviation in pixels, on each axis, by which the points of actions miss what they aim at. A policy warmed up on imperfect
            demonstrations knows where to aim and is unsure where it hits, which leaves something for RL to sharpen; 0 shows perfect ones.
        only_solved: leave out demonstrations that do not end with a score of 1.
    """

    noise: float = 0.0
    only_solved: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.noise < float("inf"):
            raise ValueError(f"noise is {self.noise}: expected 0 or more pixels")


@dataclass(frozen=True, eq=False)
class Moment:
    """Before an action of a demonstration. Nothing in it comes from after the action.

    Args:
        seed: of the demonstration.
        number: of the action, from 0.
        instruction: of the task.
        frame: the screen.
        cursor: where the pointer is.
        error: why the action before could not be done, told to the policy; mostly "".
        before: what was done so far.
        wanted: what the solution wants.
        following: what it plans to do after that, if anything.
        action: what will be done: ``wanted``, missed by some noise and with points as the codec can write them.
        text: ``action`` as the codec writes it.
        tree: gives the accessibility tree of the screen, or None, as long as the action is not done.
    """

    seed: int
    number: int
    instruction: str
    frame: Frame
    cursor: tuple[int, int]
    error: str
    before: tuple[Action, ...]
    wanted: Action
    following: Action | None
    action: Action
    text: str
    tree: Callable[[], dict[str, Any] | None]

    @property
    def key(self) -> str:
        """What tells it from other moments: task, screen, what was done and what will be."""
        content = [self.instruction, self.frame.hash, *map(str, self.before), str(self.action)]
        return hashlib.blake2b("\0".join(content).encode(), digest_size=16).hexdigest()


def miss(action: Action, noise: float, screen: tuple[int, int], rng: np.random.Generator) -> Action:
    """``action`` with its points moved by a normal draw of ``noise`` pixels on each axis, but never off the screen."""
    moved: dict[str, Any] = {}
    for name in ("point", "to"):
        if name in FIELDS[action.type]:
            at = np.asarray(getattr(action, name)) + rng.normal(0.0, noise, 2)
            x, y = np.clip(np.rint(at), 0, np.asarray(screen) - 1).astype(int)
            moved[name] = (int(x), int(y))
    return replace(action, **moved)


def play(env: Any, codec: Codec, seed: int, config: DemonstrationConfig) -> Iterator[tuple[Episode, Moment]]:
    """One episode of ``env`` (a ``GuiDesktop-v0``, wrapped or not), played from its scripted solution: yields before each action, then does it.

    Each action is written and read again by ``codec`` before it is done, so that what is shown is exactly what the text says. After
    a miss the solution is asked for anew, and goes on from where that led.

    The episode has a reward of 1 and no turns; it is whole once the iterator ends. It is unscored if a miss has made the task unsolvable,
    or the codec has no word for an action.
    """
    desktop: GuiDesktopEnv = env.unwrapped
    screen = (desktop.width, desktop.height)
    rng = np.random.default_rng([seed, 1])
    frame, info = env.reset(seed=seed)
    episode = Episode(info["task_id"], info["instruction"], info["suite"], info["feasible"], frames=[Frame(frame)], reward=1.0)
    plan: list[Any] = []
    while True:
        try:
            plan = plan or desktop.solution()
        except TaskError as error:
            if not episode.actions:
                raise
            episode.score = Score.missing(f"a miss cannot be mended: {error}")
            return
        wanted = to_action(plan.pop(0), *screen)
        following = to_action(plan[0], *screen) if plan else None
        try:
            right = codec.format(wanted, screen)
            text = codec.format(miss(wanted, config.noise, screen, rng), screen) if config.noise else right
        except ActionFormatError as error:
            episode.score = Score.missing(f"the codec {codec.name!r} cannot write it: {error}")
            return
        if text != right:
            plan = []
        cursor = int(info["cursor"][0]), int(info["cursor"][1])
        (action,) = codec.parse(text, screen, cursor)
        told = info["action_error"] and UNDOABLE + info["action_error"]
        moment = Moment(
            seed, len(episode.actions), info["instruction"], episode.frames[-1], cursor, told, tuple(a for a in episode.actions if a is not None),
            wanted, following, action, text, desktop.desktop.accessibility_tree,
        )  # fmt: skip
        yield episode, moment
        frame, _, terminated, truncated, info = desktop.step_into(action, None)
        episode.frames.append(Frame(frame))
        episode.actions.append(action)
        episode.errors.append(info["action_error"])
        if terminated or truncated:
            episode.end, episode.answer = EndReason(info["end"]), info["answer"]
            episode.score = Score.of(info["score"]) if info["scored"] else Score.missing(info["unscored"])
            return
