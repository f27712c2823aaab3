"""The GRPO loop: tasks, groups of episodes, rewards, advantages, rows, updates, measurement, checkpoints."""

from __future__ import annotations

import filecmp
import math
import random
import time
import warnings
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch

from agents import interrupts
from agents.adapters import REFERENCE_FILE
from agents.config import Agent, from_json, load_agent, to_json
from agents.distributed import Processes
from agents.engines.base import EngineError
from agents.engines.publish import publish
from agents.episodes import Episode
from agents.evaluation import EvalResult, evaluate
from agents.grpo import checkpoint as checkpoints
from agents.grpo.async_collector import AsyncCollector
from agents.grpo.checkpoint import Checkpoint, CheckpointError
from agents.grpo.collector import Collector
from agents.grpo.config import MAY_CHANGE, TrainConfig
from agents.grpo.explain import Watch
from agents.grpo.figures import episode_figures, memory_figures, row_figures, speed_figures
from agents.grpo.lesson import rows_of_groups
from agents.grpo.parallel import build_learner, placed
from agents.logs import Progress, RunLog, check_new, progress
from agents.report import recorded
from agents.timing import Timings
from gui_gym.desktops import DesktopError
from gui_gym.recording.episode import save_episode

#: Steps over which the success rate shown beside the bar is averaged.
RECENT = 10
T = TypeVar("T")


class NothingScoredError(RuntimeError):
    """No episode could be scored for so many steps in a row that the desktops must be broken."""


@dataclass
class Cursor:
    """Where a run stands, besides weights, optimizer and random states.

    Args:
        measured: step of the last measurement; -1 before the first.
        last_eval: its figures.
        best: step of the measurement with the best sampled success, of equal ones the later; None before the first.
        best_success: its sampled success.
        unscored: steps in a row in which no episode was scored.
        watch: what the warnings need to remember.
        log: bytes of metrics.jsonl.
        groups: of the collector, which groups are still to come.
    """

    measured: int = -1
    last_eval: dict[str, float] = field(default_factory=dict)
    best: int | None = None
    best_success: float = 0.0
    unscored: int = 0
    watch: Watch = field(default_factory=Watch)
    log: int = 0
    groups: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Cursor:
        """The cursor that ``asdict`` made into data."""
        return cls(**data | {"watch": Watch(**data["watch"])})


class GrpoTrainer:
    """One GRPO run.

    Args:
        config: of the run.
        resume: continue from this checkpoint folder, as if the run had never stopped. Otherwise the run is new and ``config.out`` must hold none.
        on_step: called after each step with its number and figures.
        processes: those that share the learning (:mod:`agents.grpo.parallel`); this is the first of them.
    """

    def __init__(
        self,
        config: TrainConfig,
        resume: Path | None = None,
        on_step: Callable[[int, dict[str, float]], None] | None = None,
        processes: Processes | None = None,
    ):
        self.config, self.on_step, self.processes = config, on_step, processes or Processes()
        if resume is None:
            check_new(config.out, config.logs)  # before a large model is loaded
            random.seed(config.seed)
            torch.manual_seed(config.seed)
        else:
            checkpoints.check(resume)
            saved = from_json(TrainConfig, checkpoints.read(resume).config, f"{resume}/run.json")
            if changed := changes(config, to_json(saved)):
                raise CheckpointError(f"{resume} was trained with other settings of {', '.join(changed)}: resume with the same, or start a new run")
        weights = resume / "weights" if resume else None
        model = placed(config, self.processes)
        self.agent: Agent = load_agent(model, config.policy, config.env, config.adapter, weights, config.engine)
        self.learner = build_learner(config, self.agent.trainable, self.agent.vision, self.processes)
        self.timings = Timings(self.agent.trainable.model.device)  #: of collecting, learning, measuring, saving, and weights to the engine
        self.step, self.cursor = 0, Cursor()
        self._saved: tuple[int, int] | None = None  # step and measurement of the newest checkpoint
        if resume is not None:
            back = checkpoints.restore(resume)
            self.step, self.cursor = back.step, Cursor.from_json(back.cursor)
            self.learner.load_state_dict(back.learner)
            self._saved = self.step, self.cursor.measured
            checkpoints.drop_after(self.folder, self.step)  # before the log forgets the same steps
            if self.cursor.best not in checkpoints.steps(self.folder):  # deleted for a better one, of a step that is to be done again
                self.cursor.best, self.cursor.best_success = None, 0.0
            checkpoints.prune(self.folder, config.keep, self.cursor.best)
        self._randomness = checkpoints.random_state()
        self._complete = True  # whether the state is that between two steps
        self._publish()
        self.log = RunLog(config.out, self.step if resume is not None else None, config.logs, to_json(config), self.cursor.log)
        self._seen: list[Episode] = []
        self._recent: deque[list[Episode]] = deque(maxlen=RECENT)

    @property
    def folder(self) -> Path:
        """Where the checkpoints are."""
        return self.config.out / "checkpoints"

    @property
    def last_eval(self) -> dict[str, float]:
        """Figures of the last measurement (:meth:`measure`)."""
        return self.cursor.last_eval

    def train(self) -> dict[str, float]:
        """Train to the last step and return the last measurement (:meth:`measure`); the final weights are in ``out/weights``.

        A first SIGINT or SIGTERM ends what can be begun again (collecting, measuring) or finishes what cannot (an update), saves, and raises
        :class:`~agents.interrupts.Interrupted`. So do an engine or desktops that are gone, with their own errors.
        """
        with interrupts.deferred(), ExitStack() as stack:  # what is opened first is closed last, whatever fails
            stack.callback(self.processes.stop)
            stack.callback(self.log.close)
            stack.callback(self.agent.engine.close)
            self._collector = collector = self._collect()
            stack.callback(collector.close)
            try:
                with progress("GRPO", self.config.steps) as bar:
                    self._run(collector, bar)
            except (KeyboardInterrupt, Exception) as error:  # whatever ended it: what is whole is saved
                self._leave(error)
                raise
            self.agent.trainable.export(self.config.out / "weights", self.agent.processor)
        self.processes.leave()
        return self.last_eval

    def _collect(self) -> Collector | AsyncCollector:
        if self.config.mode == "async":
            return AsyncCollector(self.agent, self.config, self.cursor.groups)
        return Collector(self.agent, self.config)

    def _run(self, collector: Collector | AsyncCollector, bar: Progress) -> None:
        """From where the run stands to its last step."""
        config, cursor, began, first = self.config, self.cursor, time.monotonic(), self.step
        if self._saved is None:
            self.save()  # so that it can be resumed from its first moment on
        figures: dict[str, float] = {}
        while True:
            late = config.minutes is not None and self.step > first and time.monotonic() - began > 60 * config.minutes
            last = late or self.step >= config.steps
            due = last or self.step == 0 or (config.eval_every > 0 and self.step % config.eval_every == 0)
            if due and cursor.measured != self.step:
                self._measure(bar)
            last = last or good_enough(config, self.step, cursor)
            if last:
                self._record()
            if (last or self.step % config.save_every == 0 or cursor.best == self.step) and self._saved != (self.step, cursor.measured):
                self.save()
            if self.on_step and self.step > first:
                self.on_step(self.step, figures)
            if last:
                return
            interrupts.check()
            figures = self._one(collector, bar)

    def _leave(self, error: BaseException) -> None:
        """Save before a run ends early, where its state is that between two steps; raise Interrupted where a signal asked for it."""
        if isinstance(error, OSError) and self._saved is not None:  # no room for the log, most likely
            again = f"gui-agents train --resume {self.config.out}"
            warnings.warn(f"the last checkpoint, step {self._saved[0]}, is whole: once the cause is gone {again} goes on from it", stacklevel=2)
        failed = isinstance(error, (EngineError, DesktopError, NothingScoredError))
        if not self._complete or not (failed or interrupts.polite(error)):
            return
        if self._saved != (self.step, self.cursor.measured):
            self.save()
        saved = f"the run is saved as of step {self.step}: gui-agents train --resume {self.config.out} goes on"
        interrupts.leave(error, saved)
        warnings.warn(saved, stacklevel=2)

    def _one(self, collector: Collector | AsyncCollector, bar: Progress) -> dict[str, float]:
        """Collect, learn, log."""
        config, cursor, step = self.config, self.cursor, self.step + 1
        done: list[Episode] = []
        self._recent.append(done)

        def note(episode: Episode) -> None:
            done.append(episode)
            bar.update(self.step, self._status())

        def attempt() -> Any:
            done.clear()
            return collector.collect(step, note)

        prepared = self.agent.vision.prepared
        with self.timings("collect"):
            groups = self._patiently(attempt)
        lesson = rows_of_groups(groups, self.agent.vision, config)
        result = EvalResult(done)
        figures = result.figures() | episode_figures(done) | collector.figures | lesson.figures
        figures = row_figures(lesson.rows, self.learner.version, self.learner.micro_tokens) | figures
        self._complete = False
        if lesson.rows:
            with self.timings("learn"):
                figures |= self.learner.update(lesson.rows, share=lesson.share)
        figures |= self.timings.take() | collector.timings.take() | self.learner.timings.take()
        figures |= speed_figures(done, figures, config.learner.passes) | memory_figures(self.agent.trainable.model.device)
        figures["memory_images_prepared"] = float(self.agent.vision.prepared - prepared)
        cursor.unscored = 0 if result.success.scored else cursor.unscored + 1
        self.log.write("train", step, figures)
        self.step = step
        self._tell(cursor.watch.step(step, {name: value for name, value in figures.items() if math.isfinite(value)}, config))
        self._note_complete()
        if lesson.rows:
            self._publish()
        if cursor.unscored >= config.max_unscored:
            reason = next(iter(result.unscored), "there was none")
            raise NothingScoredError(f"no episode was scored in {cursor.unscored} steps in a row ({reason}): see what fails with gui-gym doctor")
        bar.update(step, self._status())
        return figures

    def _tell(self, problems: dict[str, str]) -> None:
        """Warn of what is wrong, on the screen and in the log."""
        for name, text in problems.items():
            warnings.warn(f"step {self.step}: {text}", stacklevel=3)
            self.log.write("warning", self.step, {"name": name, "text": text})

    def _patiently(self, what: Callable[[], T]) -> T:
        """``what()``, tried ``max_unscored`` times where no desktop comes up at all; the same seeds give the same result."""
        for attempt in range(1, self.config.max_unscored):
            try:
                return what()
            except DesktopError as error:
                if interrupts.asked():
                    raise
                pause = min(2.0**attempt, 60.0)
                warnings.warn(f"step {self.step}: {error}; trying again in {pause:.0f} s", stacklevel=2)
                interrupts.wait(pause)
        return what()

    def _note_complete(self) -> None:
        self._complete, self._randomness = True, checkpoints.random_state()
        self.cursor.log, self.cursor.groups = self.log.size, self._collector.state_dict()

    def _publish(self) -> None:
        """Let the engine sample from the weights as they are now."""
        with self.timings("publish"):
            publish(self.agent.engine, self.agent.trainable, self.learner.version, self.config.out / "engine")

    def _status(self) -> str:
        rate = EvalResult([episode for step in self._recent for episode in step]).success.rate
        now = "nothing scored yet" if rate is None else f"success {rate:4.0%} in training"
        held_out = f", {self.last_eval['success']:.0%} held out" if "success" in self.last_eval else ""
        return now + held_out

    def measure(self) -> dict[str, float]:
        """Success on ``eval_episodes`` held-out instances, always the same: :meth:`EvalResult.figures`, greedy ones as ``greedy_...``."""
        config = self.config
        seeds = np.random.default_rng([config.seed, 1]).integers(2**31, size=config.eval_episodes).tolist()
        env = config.env.group_kwargs(config.eval_split)
        figures: dict[str, float] = {}
        for prefix, temperature in (("", None), ("greedy_", 0.0)) if config.eval_greedy else (("", None),):
            policy, turns = self.agent.policy(temperature), config.policy.max_turns
            kept = 0 if prefix else config.record  # large screens of all episodes would fill the memory
            result = evaluate(policy, env, seeds=seeds, num_envs=config.eval_envs, max_turns=turns, keep_frames=kept)
            figures |= {prefix + name: value for name, value in result.figures().items()}
            if not prefix:
                self._seen = result.episodes[: config.record]
        return figures

    def _record(self) -> None:
        """Keep the first episodes of the last measurement for the report."""
        for i, episode in enumerate(self._seen):
            folder = self.config.out / "episodes" / f"step-{self.step:06d}-{i:02d}"
            if not folder.exists():  # there already where the last steps of a run were cut off and done again
                save_episode(folder, recorded(episode, step=self.step))

    def _measure(self, bar: Progress) -> None:
        cursor = self.cursor
        with self.timings("eval"):
            figures = self._patiently(self.measure)
        self._complete = False
        self.log.write("eval", self.step, figures | self.timings.take())
        self._tell(cursor.watch.measured(self.step, figures, self.config))
        cursor.last_eval, cursor.measured = figures, self.step
        sampled, greedy = figures.get("success"), figures.get("greedy_success")
        if self.config.keep_best and sampled is not None and (cursor.best is None or sampled >= cursor.best_success):
            cursor.best, cursor.best_success = self.step, sampled
        self._note_complete()
        parts = [f"{name} {rate:.1%}" for name, rate in (("sampled", sampled), ("greedy", greedy)) if rate is not None]
        bar.note(f"step {self.step}: held-out success {', '.join(parts) or 'unknown: nothing scored'} ({self.config.eval_episodes} episodes)")

    def save(self) -> Path:
        """Write a checkpoint of the run as it was when its last step or measurement was done."""
        cursor = self.cursor
        state = Checkpoint(self.step, to_json(self.config), self.learner.state_dict(), asdict(cursor), cursor.best)
        with self.timings("save"):  # logged with the next record
            folder = checkpoints.save(self.folder, state, self.agent.trainable, self.config.keep, self._randomness)
        self._saved = self.step, cursor.measured
        return folder


def good_enough(config: TrainConfig, step: int, cursor: Cursor) -> bool:
    """Whether a run ends because the policy, as it is at ``step``, was measured to succeed at ``stop_at``."""
    return config.stop_at is not None and 0 < step == cursor.measured and cursor.last_eval.get("success", 0.0) >= config.stop_at


def resumable(out: Path, name: str = "latest") -> tuple[Path, TrainConfig]:
    """The checkpoint ``name`` of the run in ``out`` (or in its folder of checkpoints), checked, and the run's configuration."""
    folder = checkpoints.find_of_run(out, name)
    return folder, from_json(TrainConfig, checkpoints.read(folder).config, f"{folder}/run.json")


def done(config: TrainConfig, checkpoint: Path) -> bool:
    """Whether a run that stands at ``checkpoint`` has nothing left to do: its last step is done, and its weights are in ``out/weights``."""
    back = checkpoints.read(checkpoint)
    cursor = Cursor.from_json(back.cursor)
    if cursor.measured != back.step or not (back.step >= config.steps or good_enough(config, back.step, cursor)):
        return False
    files = [path for path in (checkpoint / "weights").iterdir() if path.suffix == ".safetensors" and path.name != REFERENCE_FILE]
    finals = [config.out / "weights" / path.name for path in files]
    return all(final.is_file() and filecmp.cmp(path, final, shallow=False) for path, final in zip(files, finals, strict=True))


def changes(config: TrainConfig, saved: dict[str, Any]) -> list[str]:
    """Names of the settings in which ``config`` differs from a saved one, except those that may."""
    fixed = config.learner.optimiser.schedule == "constant"  # the others end at the last step
    free = MAY_CHANGE if fixed else MAY_CHANGE - {"steps"}
    return checkpoints.differences(to_json(config), saved, free)
