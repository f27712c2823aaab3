"""Demonstrations: scripted solutions played in the env, as the episodes that supervised warm-up learns from."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from agents.context import HINT
from agents.episodes import Episode, Frame, Sampling, Turn
from agents.prompts import PromptBuilder
from agents.rollout import UNDOABLE
from gui_gym.actions import FIELDS, Action
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


class DemonstrationError(RuntimeError):
    """Solutions that teach nothing."""


def miss(action: Action, noise: float, screen: tuple[int, int], rng: np.random.Generator) -> Action:
    """``action`` with its points moved by a normal draw of ``noise`` pixels on each axis, but never off the screen."""
    moved: dict[str, Any] = {}
    for name in ("point", "to"):
        if name in FIELDS[action.type]:
            at = np.asarray(getattr(action, name)) + rng.normal(0.0, noise, 2)
            x, y = np.clip(np.rint(at), 0, np.asarray(screen) - 1).astype(int)
            moved[name] = (int(x), int(y))
    return replace(action, **moved)


def demonstrate(env: Any, builder: PromptBuilder, sampling: Sampling, seed: int, config: DemonstrationConfig) -> Episode:
    """One episode of ``env`` (a ``GuiDesktop-v0``, wrapped or not), played from its scripted solution.

    Each action is written and read again by the builder's codec before it is done, so that what is shown is exactly what
    the text says. After a miss the solution is asked for anew, and goes on from where that led.

    Returns an episode of reward 1 whose turns hold prompts and answers as in a rollout; their log-probs are 0. It is unscored if a
    miss has made the task unsolvable.
    """
    desktop: GuiDesktopEnv = env.unwrapped
    screen = (desktop.width, desktop.height)
    rng = np.random.default_rng([seed, 1])
    frame, info = env.reset(seed=seed)
    frames = [Frame(frame)]
    episode = Episode(info["task_id"], info["instruction"], info["suite"], info["feasible"], frames=frames, reward=1.0)
    prompt = builder.start(info["instruction"], frames[0], screen)
    plan: list[Any] = []
    while True:
        try:
            plan = plan or desktop.solution()
        except TaskError as error:
            if not episode.turns:
                raise
            episode.score = Score.missing(f"a miss cannot be mended: {error}")
            return episode
        wanted = to_action(plan.pop(0), *screen)
        right = builder.codec.format(wanted, screen)
        text = builder.codec.format(miss(wanted, config.noise, screen, rng), screen) if config.noise else right
        if text != right:
            plan = []
        (action,) = builder.codec.parse(text, screen, (int(info["cursor"][0]), int(info["cursor"][1])))
        ids = builder.completion_ids(text)
        episode.turns.append(Turn(prompt.ids, prompt.images, ids, (0.0,) * len(ids), sampling, text=text, actions=(action,)))
        frame, _, terminated, truncated, info = desktop.step_into(action, None)
        frames.append(Frame(frame))
        episode.actions.append(action)
        episode.errors.append(info["action_error"])
        if terminated or truncated:
            episode.end, episode.answer = EndReason(info["end"]), info["answer"]
            episode.score = Score.of(info["score"]) if info["scored"] else Score.missing(info["unscored"])
            return episode
        prompt = builder.extend(prompt, ids, "stop", frames[-1], info["action_error"] and UNDOABLE + info["action_error"])


def demonstrations(
    env: Any, builder: PromptBuilder, sampling: Sampling, seed: int, config: DemonstrationConfig, max_length: int = 2**31
) -> Iterator[Episode]:
    """Demonstrations without end, each of its own instance, the same for the same ``seed``. Left out are unscored ones, and those
    of more than ``max_length`` ids, which is what the model can hold.

    Warns once of an answer that sampling would cut. Raises :class:`DemonstrationError` where 100 in a row are of no use.
    """
    useless, warned = 0, False
    rng = np.random.default_rng(seed)
    while True:
        episode = demonstrate(env, builder, sampling, int(rng.integers(2**31)), config)
        longest = max(episode.turns, key=lambda turn: len(turn.completion_ids))
        if not warned and len(longest.completion_ids) > sampling.max_new_tokens:
            warned = True
            warnings.warn(
                f"{longest.text!r} takes {len(longest.completion_ids)} tokens, and sampling cuts answers at {sampling.max_new_tokens}: "
                "what is shown could never be said; raise policy.max_new_tokens",
                stacklevel=2,
            )
        ids = max(len(turn.prompt_ids) + len(turn.completion_ids) for turn in episode.turns)
        if ids > max_length:
            problem = f"its {ids} ids exceed the {max_length} that the model can hold: {HINT}"
        elif not episode.score.scored:
            problem = episode.score.reason
        elif config.only_solved and episode.score.value != 1.0:
            problem = "it did not solve the task: lower noise, or raise the env's max_steps"
        else:
            useless = 0
            yield episode
            continue
        useless += 1
        if useless == 100:
            raise DemonstrationError(f"100 demonstrations in a row were of no use, the last because {problem}")
