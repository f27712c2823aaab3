"""A run tried out on a CPU before its GPUs are paid for: its plan, then every part of it with the model shrunk."""

from __future__ import annotations

import dataclasses
import math
import shutil
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import gymnasium as gym
import numpy as np

from agents.config import EngineConfig, load_agent
from agents.episodes import Episode, Frame
from agents.grpo.config import TrainConfig
from agents.grpo.trainer import GrpoTrainer, resumable
from agents.logs import read_log
from agents.planning import Plan, make_plan, total
from agents.recipes.model import build_shrunk, skeleton
from agents.recipes.recipe import Recipe
from agents.rewards import REWARDS
from agents.rows import rows_from_episode
from agents.warmup.demonstrations import DemonstrationConfig, demonstrations

SPREAD = "dry-run"  #: name of the reward that makes the episodes of a policy that knows nothing differ


class DryRunError(ValueError):
    """The run could not start as it is configured, or would stop; says why."""


class _Cut(Exception):
    """The run is cut off here, to be resumed."""


def spread(episode: Episode) -> float:
    """A number that differs from episode to episode, so that there is something to learn."""
    return sum(sum(turn.completion_ids) for turn in episode.turns) % 97 / 97


def dry_run(config: TrainConfig, recipe: Recipe, note: Callable[[str], None] = lambda text: None) -> Plan:
    """Check that ``config``, made from ``recipe``, can run. ``note`` is told of each thing checked. Returns the plan.

    The plan is of the real model, its real screens and prompts. The parts are then run with a model of the same classes and two narrow
    layers in each tower, with random weights, on the CPU, in a temporary folder: two steps of two episodes of two turns, cut off after the
    first and resumed, measured, saved, loaded and asked again.

    Raises :class:`DryRunError` for a run that could not start, and whatever its parts raise.
    """
    model = skeleton(recipe.architecture)
    plan = make_plan(config, model, recipe.processor, recipe.hardware)
    problems = [*plan.problems, *_disk(config, plan)]
    if problems:
        raise DryRunError("; ".join(problems))
    note(f"plan: {plan.sizes.total / 1e9:.2f} G parameters, {total(plan.memory):.1f} of {recipe.hardware.gpu_gib:g} GiB on the learner's GPU")
    with tempfile.TemporaryDirectory(prefix="gui-gym-dry-run-") as folder:
        _try_parts(config, recipe, plan, Path(folder), note)
    return plan


def _disk(config: TrainConfig, plan: Plan) -> list[str]:
    place = next(path for path in (config.out.absolute(), *config.out.absolute().parents) if path.exists())
    free, need = shutil.disk_usage(place).free / 2**30, total(plan.disk)
    return [] if need <= free else [f"{place} has {free:.1f} GiB free, the run needs {need:.1f}: free some, lower keep, or choose another out"]


def small_config(config: TrainConfig, model: Path, out: Path) -> TrainConfig:
    """``config`` for the shrunk model and few, short episodes; everything else as it is."""
    rewards = tuple(name for name in config.rewards if name.partition("=")[0] != "judge")
    return dataclasses.replace(
        config,
        model=dataclasses.replace(config.model, name=str(model), adapter=None, dtype="float32", device="cpu", quantize="none", threads=None),
        out=out, engine=EngineConfig(), mode="sync", parallel="data", rewards=(*rewards, f"{SPREAD}=1"),
        adapter=dataclasses.replace(config.adapter, rank=min(config.adapter.rank, 16)),
        policy=dataclasses.replace(config.policy, max_turns=2, max_new_tokens=min(config.policy.max_new_tokens, 12)),
        env=dataclasses.replace(config.env, max_steps=2, workers="batched"),
        steps=2, groups=1, group_size=2, resample=0, minutes=None, stop_at=None,
        eval_every=0, eval_episodes=1, eval_envs=1, eval_greedy=False, record=1, save_every=1, keep=2, logs=(),
    )  # fmt: skip


def _try_parts(config: TrainConfig, recipe: Recipe, plan: Plan, folder: Path, note: Callable[[str], None]) -> None:
    parameters = build_shrunk(folder / "model", recipe.architecture, recipe.processor)
    if SPREAD not in REWARDS:
        REWARDS.register(SPREAD, spread)
    small = small_config(config, folder / "model", folder / "run")
    note(f"model: {recipe.architecture['model_type']}, shrunk to {parameters / 1e6:.2f} M parameters, its processor with the real pixel limits")

    def cut(step: int, figures: dict[str, float]) -> None:
        raise _Cut

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a policy that knows nothing is warned of much
        trainer = GrpoTrainer(small, on_step=cut)
        _check_screens(trainer, config, plan, note)
        try:
            trainer.train()
        except _Cut:
            pass
        note("step 1: desktops, prompts, sampling, rewards, rows, update, checkpoint")
        checkpoint, saved = resumable(small.out)
        GrpoTrainer(saved, checkpoint).train()
    steps = read_log(small.out, "train")
    if [record["step"] for record in steps] != [1, 2]:
        raise DryRunError(f"steps {[record['step'] for record in steps]} are in the log after a resume: expected [1, 2]")
    for record in steps:
        if not (math.isfinite(record.get("loss", math.nan)) and record["grad_norm"] > 0):
            raise DryRunError(f"step {record['step']} learned nothing: loss {record.get('loss')}, gradient norm {record.get('grad_norm')}")
        if record["mismatch"] > 1e-3:
            raise DryRunError(f"engine and learner differ by {record['mismatch']:.3g} nats at the same weights: expected less than 1e-3")
    note(f"resume: step 2 from the checkpoint of step 1; log-probs of engine and learner differ by {steps[0]['mismatch']:.1e} nats")
    agent = load_agent(dataclasses.replace(small.model, adapter=small.out), small.policy, small.env)
    prompt = agent.prompts.start("Do it.", _black(small), small.env.screen)
    agent.engine.generate([prompt], agent.policy().sampling, [0])
    note(f"eval: {len(read_log(small.out, 'eval'))} measurements; the trained weights load and answer")


def _black(config: TrainConfig) -> Frame:
    width, height = config.env.screen
    return Frame(np.zeros((height, width, 3), np.uint8))


def _check_screens(trainer: GrpoTrainer, config: TrainConfig, plan: Plan, note: Callable[[str], None]) -> None:
    """The plan's tokens against the real processor, and the task's own solutions against the codec."""
    agent = trainer.agent
    found = agent.vision.image_tokens(_black(config))
    if found != plan.tokens.image:
        raise DryRunError(
            f"the processor makes {found} tokens of a screen, the plan has {plan.tokens.image}: the recipe's processor limits are wrong"
        )
    env = gym.make(config.env.id, disable_env_checker=True, **config.env.kwargs("train"))
    try:
        stream = demonstrations(env, agent.prompts, agent.vision.sampling(1.0, 4096), config.seed, DemonstrationConfig(), 2**20)
        demonstration = next(stream)
    finally:
        env.close()
    rows = rows_from_episode(demonstration, agent.vision)
    unread = [turn.text for turn in demonstration.turns if turn.parse_error]
    if not rows or unread:
        raise DryRunError(f"the codec {config.policy.codec} cannot read what it writes itself: {unread[:1]}")
    note(
        f"screen: {config.env.screen[0]}x{config.env.screen[1]} is {found} tokens; codec {config.policy.codec} writes and reads a solution of "
        f"{demonstration.task_id} ({len(demonstration.turns)} turns)"
    )
