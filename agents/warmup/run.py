"""A warm-up run: load, demonstrate, imitate, measure, save."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path

import gymnasium as gym
import numpy as np
import torch

from agents import interrupts
from agents.adapters import AdapterConfig
from agents.config import EnvConfig, ModelConfig, PolicyConfig, from_json, load_agent, to_json
from agents.distributed import launched
from agents.evaluation import evaluate
from agents.grpo import checkpoint as checkpoints
from agents.grpo.checkpoint import Checkpoint, CheckpointError
from agents.logs import RunLog, check_new, progress
from agents.rows import rows_from_episode
from agents.sinks import LogTarget, check_logs
from agents.warmup.demonstrations import DemonstrationConfig, demonstrations, draw_seeds
from agents.warmup.supervised import Success, SupervisedLearner, WarmupConfig, warm_up
from agents.warmup.thoughts import Annotated, make_thinker


@dataclass(frozen=True)
class WarmupRun:
    """Teach a model the action format and where to aim, from the env's scripted solutions.

    Args:
        model: the model to start from.
        out: folder of the run: metrics.jsonl, logs and the final weights.
        env: where episodes run.
        policy: prompt and sampling, as in the training that follows.
        adapter: what of the model is trained.
        demonstrations: how solutions are shown.
        thoughts: what each answer thinks before its action: "rationale", the solution's own reasons, or a file that gui-agents annotate wrote.
        supervised: how they are imitated, and until when.
        eval_episodes: held-out instances (split "validation") of one measurement.
        eval_envs: desktops side by side in a measurement.
        logs: where figures go besides metrics.jsonl: tensorboard, wandb, trackio (--logs without a name: nowhere).
        seed: of tasks, noise and the adapter's initial weights.
        save_every: steps from one checkpoint to the next; the last one is kept.
    """

    model: ModelConfig
    out: Path = Path("runs/warmup")
    env: EnvConfig = field(default_factory=EnvConfig)
    policy: PolicyConfig = field(default_factory=PolicyConfig)
    adapter: AdapterConfig = field(default_factory=AdapterConfig)
    demonstrations: DemonstrationConfig = field(default_factory=DemonstrationConfig)
    thoughts: str | None = None
    supervised: WarmupConfig = field(default_factory=WarmupConfig)
    eval_episodes: int = 128
    eval_envs: int = 64
    logs: tuple[LogTarget, ...] = ("tensorboard",)
    seed: int = 0
    save_every: int = 25

    def __post_init__(self) -> None:
        for name in ("eval_episodes", "eval_envs", "save_every"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}: expected at least 1")
        check_logs(self.logs)


#: What may differ when a run is resumed: none of it changes the numbers of a step.
MAY_CHANGE = frozenset({"out", "logs", "save_every", "supervised.minutes", "supervised.stop_greedy", "supervised.stop_gap"})


@dataclass
class Cursor:
    """Where a run stands, besides weights, optimizer and random states.

    Args:
        reported: steps in the log.
        drawn: seeds of instances drawn for demonstrations.
        log: bytes of metrics.jsonl.
        success: sampled and greedy at the step ``reported``, each None where nothing was scored; None where nothing was measured.
    """

    reported: int = 0
    drawn: int = 0
    log: int = 0
    success: list[float | None] | None = None


class _Counted:
    """``seeds``, which counts in ``cursor`` how many of them were drawn, and begins after those that were drawn before."""

    def __init__(self, seeds: Iterator[int], cursor: Cursor):
        self._seeds, self._cursor = islice(seeds, cursor.drawn, None), cursor

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        self._cursor.drawn += 1
        return next(self._seeds)


def run_warmup(config: WarmupRun, resume: Path | None = None) -> Success:
    """Run ``config``; the weights are in ``out/weights``: a model folder (train="full") or an adapter folder ("lora").

    ValueError where a launcher started several processes of it.

    ``resume`` is the folder of a checkpoint to go on from as if the run had never stopped. A first SIGINT or SIGTERM saves, and raises
    :class:`~agents.interrupts.Interrupted`.
    """
    if launched() > 1:
        raise ValueError(f"a warm-up runs in one process, and {launched()} were started, which would all write to {config.out}: expected no launcher")
    cursor = Cursor()
    if resume is None:
        check_new(config.out, config.logs)
        random.seed(config.seed)
        torch.manual_seed(config.seed)
    else:
        checkpoints.check(resume)
        saved = from_json(WarmupRun, checkpoints.read(resume).config, f"{resume}/run.json")
        if changed := checkpoints.differences(to_json(config), to_json(saved), MAY_CHANGE):
            raise CheckpointError(f"{resume} was trained with other settings of {', '.join(changed)}: resume with the same, or start a new run")
    think = make_thinker(config.thoughts)
    agent = load_agent(config.model, config.policy, config.env, config.adapter, resume / "weights" if resume else None)
    learner = SupervisedLearner(agent.trainable, agent.vision, agent.vision.tokens.pad, config.supervised)
    if resume is not None:
        back = checkpoints.restore(resume)
        learner.load_state_dict(back.learner)
        cursor = Cursor(**back.cursor)
    root = config.out / "checkpoints"
    held_out = np.random.default_rng([config.seed, 1]).integers(2**31, size=config.eval_episodes).tolist()

    def rate(temperature: float | None) -> float | None:
        kwargs = config.env.group_kwargs("validation")
        turns = config.policy.max_turns
        return evaluate(agent.policy(temperature), kwargs, seeds=held_out, num_envs=config.eval_envs, max_turns=turns, keep_frames=0).success.rate

    def save() -> None:
        checkpoints.save(root, Checkpoint(learner.steps, to_json(config), learner.state_dict(), asdict(cursor)), agent.trainable, keep=1)

    at = None if resume is None else cursor.reported
    with (
        closing(gym.make(config.env.id, disable_env_checker=True, **config.env.kwargs("train"))) as env,
        RunLog(config.out, at, config.logs, to_json(config), cursor.log) as log,
        interrupts.deferred(),
    ):
        status = ""

        def report(step: int, figures: dict[str, float | None]) -> None:
            nonlocal status
            log.write("warmup", step, figures)
            cursor.reported, cursor.log, cursor.success = step, log.size, None
            if "greedy" in figures:
                cursor.success = [figures["sampled"], figures["greedy"]]
                rates = [f"{name} {'unknown' if figures[name] is None else f'{figures[name]:.0%}'}" for name in ("sampled", "greedy")]
                status = f", success {' '.join(rates)}"
            bar.update(step, f"loss {figures['loss']:.2f}{status}")
            if step % config.save_every == 0:
                save()
            interrupts.check()

        sampling = agent.vision.sampling(config.policy.temperature or 1.0, config.policy.max_new_tokens)
        seeds = think.endless_seeds(config.seed) if isinstance(think, Annotated) else draw_seeds(config.seed)
        shown, limit = config.demonstrations, agent.engine.max_length
        stream = demonstrations(env, agent.prompts, sampling, config.seed, shown, limit, think=think, seeds=_Counted(seeds, cursor))
        if resume is None:
            save()  # so that it can be resumed from its first moment on
        success = Success(*cursor.success or ())
        done = cursor.reported >= config.supervised.max_steps or config.supervised.enough(success)
        if cursor.success is None or learner.steps > cursor.reported or not done:
            try:
                with progress("warm-up", config.supervised.max_steps) as bar:
                    success = warm_up(
                        learner,
                        stream,
                        lambda episode: rows_from_episode(episode, agent.vision),
                        lambda: Success(rate(None), rate(0.0)),
                        report,
                        cursor.reported,
                    )
            except (KeyboardInterrupt, Exception) as error:
                if interrupts.polite(error):
                    save()
                    interrupts.leave(error, f"the run is saved as of step {learner.steps}: gui-agents warmup --resume {config.out} goes on")
                raise
            save()
        agent.trainable.export(config.out / "weights", agent.processor)
        return success


def resumable(out: Path) -> tuple[Path, WarmupRun]:
    """The last checkpoint of the warm-up in ``out``, checked, and the run's configuration."""
    folder = checkpoints.find_of_run(out)
    return folder, from_json(WarmupRun, checkpoints.read(folder).config, f"{folder}/run.json")
