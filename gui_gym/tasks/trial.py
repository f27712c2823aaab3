"""Is a task of a real desktop honest? Played through the env: its scripted solution, and doing nothing."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from gui_gym.actions import Action
from gui_gym.desktops import DesktopError
from gui_gym.env import GuiDesktopEnv
from gui_gym.recording import RecordedEpisode, RecordedStep, save_episode
from gui_gym.spaces import to_action, to_element
from gui_gym.tasks.task import TaskError
from gui_gym.verifiers import EndReason, Score


@dataclass
class Trial:
    """What came out of ``runs`` runs of one task.

    Args:
        scripted: mean score of the scripted solution. Ought to be 1.
        no_op: mean score of DONE at once. Ought to be 0.
        steps: number of actions of the solution, the closing one included.
        seconds: mean time of a run of the solution, reset and verification included.
        problems: what went wrong, a run each.
        skipped: why it was not run, one line each; then there are no figures.
    """

    id: str
    runs: int = 0
    scripted: float | None = None
    no_op: float | None = None
    steps: int | None = None
    seconds: float | None = None
    problems: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether all is as it ought to be; a task that was not run has nothing wrong."""
        return bool(self.skipped) or (self.scripted == 1.0 and self.no_op == 0.0)

    def as_dict(self) -> dict[str, Any]:
        """As JSON data, with ``ok``."""
        return {**asdict(self), "ok": self.ok}


def try_task(env_kwargs: Mapping[str, Any], task_id: str, runs: int = 1, record: Path | None = None) -> Trial:
    """Play ``task_id`` ``runs`` times by its scripted solution and as often by DONE at once.

    Args:
        env_kwargs: arguments of :class:`~gui_gym.env.GuiDesktopEnv`: suite, folders, size.
        task_id: the task.
        runs: how often.
        record: folder to record the solution's episodes in, ``<task>-<run>`` each.
    """
    trial = Trial(task_id)
    env = GuiDesktopEnv(**{**env_kwargs, "task": task_id, "max_steps": 1000})
    try:
        missing = env.suite.missing(env.suite.get(task_id))
        if missing:
            trial.skipped = missing
            return trial
        scripted, no_op, seconds = [], [], []
        for run in range(runs):
            start = time.monotonic()
            episode = _play(env, None)
            seconds.append(time.monotonic() - start)
            scripted.append(_value(trial, "the scripted solution", episode))
            trial.steps = len(episode.steps)
            if record:
                save_episode(record / f"{task_id}-{run}", episode)
            no_op.append(_value(trial, "doing nothing", _play(env, [Action.done()])))
        trial.runs = runs
        trial.scripted, trial.no_op, trial.seconds = (round(float(np.mean(values)), 3) for values in (scripted, no_op, seconds))
    except TaskError as error:  # no solution, or one that cannot be read
        trial.skipped = [str(error)]
    except DesktopError as error:
        trial.problems.append(str(error))
        trial.scripted = trial.no_op = None
    finally:
        env.close()
    return trial


def _play(env: GuiDesktopEnv, actions: list[Action] | None) -> RecordedEpisode:
    """One episode of ``actions``, or of the scripted solution."""
    frame, info = env.reset(seed=0)
    frames, steps = [frame], []
    elements = env.solution() if actions is None and not info["end"] else [to_element(action) for action in actions or [Action.done()]]
    for element in elements:
        if info["end"]:
            break
        frame, _, _, _, info = env.step(element)
        frames.append(frame)
        steps.append(RecordedStep(to_action(element, env.width, env.height), error=info["action_error"]))
    score = Score.of(info["score"]) if info["scored"] else Score.missing(info["unscored"] or "the solution did not end the episode")
    return RecordedEpisode(
        info["task_id"], info["instruction"], frames, steps, score, EndReason(info["end"]), info["answer"], 0, info["suite"], info["feasible"]
    )


def _value(trial: Trial, what: str, episode: RecordedEpisode) -> float:
    """The score as a number; an unscored run is a problem and counts as what it must not be: neither 0 nor 1."""
    trial.problems += [f"{what}: action {i + 1}: {step.error}" for i, step in enumerate(episode.steps) if step.error]
    if not episode.score.scored:
        trial.problems.append(f"{what} is unscored: {episode.score.reason}")
        return 0.5
    return float(episode.score.value or 0.0)
