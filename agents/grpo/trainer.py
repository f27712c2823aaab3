"""The GRPO loop: tasks, groups of episodes, rewards, advantages, rows, updates, measurement, checkpoints."""

from __future__ import annotations

import random
import time
import warnings
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agents.config import Agent, from_json, load_agent, to_json
from agents.episodes import Episode
from agents.evaluation import EvalResult, evaluate
from agents.grpo import checkpoint as checkpoints
from agents.grpo.checkpoint import Checkpoint, CheckpointError
from agents.grpo.collector import Collector
from agents.grpo.config import MAY_CHANGE, TrainConfig
from agents.grpo.explain import explain
from agents.grpo.figures import reward_figures
from agents.grpo.learner import GrpoLearner
from agents.grpo.lesson import rows_of_groups
from agents.logs import Progress, RunLog, check_new, progress
from agents.report import recorded
from gui_gym.recording.episode import save_episode

#: Steps over which the success rate shown beside the bar is averaged.
RECENT = 10


class GrpoTrainer:
    """One GRPO run.

    Args:
        config: of the run.
        resume: continue from this checkpoint folder, as if the run had never stopped. Otherwise the run is new and ``config.out`` must hold none.
        on_step: called after each step with its number and figures.
    """

    def __init__(self, config: TrainConfig, resume: Path | None = None, on_step: Callable[[int, dict[str, float]], None] | None = None):
        self.config, self.on_step = config, on_step
        if resume is None:
            check_new(config.out, config.logs)  # before a large model is loaded
            random.seed(config.seed)
            torch.manual_seed(config.seed)
        elif (changed := changes(config, checkpoints.read(resume).config)) != []:
            raise CheckpointError(f"{resume} was trained with other settings of {', '.join(changed)}: resume with the same, or start a new run")
        self.agent: Agent = load_agent(config.model, config.policy, config.env, config.adapter, resume / "weights" if resume else None)
        total = config.steps * config.learner.passes * config.learner.minibatches
        rng = np.random.default_rng([config.seed, 2])
        self.learner = GrpoLearner(self.agent.trainable, self.agent.vision, self.agent.vision.tokens.pad, config.learner, total, rng)
        self.step = self.idle = 0
        if resume is not None:
            back = checkpoints.restore(resume)
            self.step, self.idle = back.step, back.cursor["idle"]
            self.learner.load_state_dict(back.learner)
            self.agent.engine.update_weights(self.learner.version)
        self.log = RunLog(config.out, self.step if resume is not None else None, config.logs, to_json(config))
        self.last_eval: dict[str, float] = {}
        self._seen: list[Episode] = []
        self._problems: set[str] = set()
        self._recent: deque[list[Episode]] = deque(maxlen=RECENT)

    @property
    def folder(self) -> Path:
        """Where the checkpoints are."""
        return self.config.out / "checkpoints"

    def train(self) -> dict[str, float]:
        """Train to the last step and return the last measurement (:meth:`measure`); the final weights are in ``out/weights``."""
        config, began = self.config, time.monotonic()
        collector = Collector(self.agent, config)
        try:
            with progress("GRPO", config.steps) as bar:
                if self.step == 0:
                    self._measure(bar)
                while self.step < config.steps:
                    figures = self._one(collector, bar)
                    late = config.minutes is not None and time.monotonic() - began > 60 * config.minutes
                    last = self.step == config.steps or late
                    if last or (config.eval_every and self.step % config.eval_every == 0):
                        self._measure(bar)
                        last = last or (config.stop_at is not None and self.last_eval.get("success", 0.0) >= config.stop_at)
                    if last or self.step % config.save_every == 0:
                        self.save()
                    if self.on_step:
                        self.on_step(self.step, figures)
                    if last:
                        break
        finally:
            collector.close()
            self.log.close()
        self._record()
        self.agent.trainable.export(config.out / "weights", self.agent.processor)
        return self.last_eval

    def _one(self, collector: Collector, bar: Progress) -> dict[str, float]:
        """Collect, learn, log."""
        config, step = self.config, self.step + 1
        done: list[Episode] = []
        self._recent.append(done)

        def note(episode: Episode) -> None:
            done.append(episode)
            bar.update(self.step, self._status())

        began = time.perf_counter()
        groups = collector.collect(step, note)
        collected = time.perf_counter()
        lesson = rows_of_groups(groups, self.agent.vision, config)
        figures = EvalResult(done).figures() | reward_figures(done) | collector.figures | lesson.figures
        if lesson.rows:
            figures |= self.learner.update(lesson.rows, lesson.share)
            self.agent.engine.update_weights(self.learner.version)
        figures |= {"time_collect": collected - began, "time_learn": time.perf_counter() - collected}
        self.step = step
        self.idle = 0 if lesson.rows else self.idle + 1
        problems = explain(figures, self.idle)
        for name in [name for name in problems if name not in self._problems]:  # one that lasts is told once
            warnings.warn(f"step {step}: {problems[name]}", stacklevel=2)
        self._problems = set(problems)
        self.log.write("train", step, figures)
        bar.update(step, self._status())
        return figures

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
        self.last_eval = self.measure()
        self.log.write("eval", self.step, self.last_eval)
        sampled, greedy = self.last_eval.get("success"), self.last_eval.get("greedy_success")
        parts = [f"{name} {rate:.1%}" for name, rate in (("sampled", sampled), ("greedy", greedy)) if rate is not None]
        bar.note(f"step {self.step}: held-out success {', '.join(parts) or 'unknown: nothing scored'} ({self.config.eval_episodes} episodes)")

    def save(self) -> Path:
        """Write a checkpoint of the run as it is now."""
        state = Checkpoint(self.step, to_json(self.config), self.learner.state_dict(), {"idle": self.idle})
        return checkpoints.save(self.folder, state, self.agent.trainable, self.config.keep)


def resumable(out: Path, name: str = "latest") -> tuple[Path, TrainConfig]:
    """The checkpoint ``name`` of the run in ``out`` (or in its folder of checkpoints), and the run's configuration."""
    folder = checkpoints.find(out / "checkpoints" if (out / "checkpoints").is_dir() else out, name)
    return folder, from_json(TrainConfig, checkpoints.read(folder).config, f"{folder}/run.json")


def changes(config: TrainConfig, saved: dict[str, Any]) -> list[str]:
    """Names of the settings in which ``config`` differs from a saved one, except those that may."""

    def compare(a: Any, b: Any, name: str) -> list[str]:
        if isinstance(a, dict) and isinstance(b, dict):
            return [found for key in sorted({*a, *b}) for found in compare(a.get(key), b.get(key), f"{name}.{key}" if name else key)]
        return [] if a == b else [name]

    fixed = config.learner.optimiser.schedule == "constant"  # the others end at the last step
    free = MAY_CHANGE if fixed else MAY_CHANGE - {"steps"}
    return [name for name in compare(to_json(config), saved, "") if name not in free]
