"""A warm-up run: load, demonstrate, imitate, measure, save."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

import gymnasium as gym
import numpy as np
import torch

from agents.adapters import AdapterConfig
from agents.config import EnvConfig, ModelConfig, PolicyConfig, load_agent, to_json
from agents.evaluation import evaluate
from agents.logs import RunLog, check_new, progress
from agents.rows import rows_from_episode
from agents.sinks import LogTarget, check_logs
from agents.warmup.demonstrations import DemonstrationConfig, demonstrations
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

    def __post_init__(self) -> None:
        if self.eval_episodes < 1 or self.eval_envs < 1:
            raise ValueError(f"eval_episodes {self.eval_episodes}, eval_envs {self.eval_envs}: expected at least 1 each")
        check_logs(self.logs)


def run_warmup(config: WarmupRun) -> Success:
    """Run ``config``; the weights are in ``out/weights``: a model folder (train="full") or an adapter folder ("lora")."""
    check_new(config.out, config.logs)
    think = make_thinker(config.thoughts)
    random.seed(config.seed)
    torch.manual_seed(config.seed)
    agent = load_agent(config.model, config.policy, config.env, config.adapter)
    learner = SupervisedLearner(agent.trainable, agent.vision, agent.vision.tokens.pad, config.supervised)
    held_out = np.random.default_rng([config.seed, 1]).integers(2**31, size=config.eval_episodes).tolist()
    env = gym.make(config.env.id, disable_env_checker=True, **config.env.kwargs("train"))

    def rate(temperature: float | None) -> float:
        kwargs = config.env.group_kwargs("validation")
        turns = config.policy.max_turns
        result = evaluate(agent.policy(temperature), kwargs, seeds=held_out, num_envs=config.eval_envs, max_turns=turns, keep_frames=0)
        return result.success.rate or 0.0

    try:
        with RunLog(config.out, logs=config.logs, about=to_json(config)) as log, progress("warm-up", config.supervised.max_steps) as bar:
            status = ""

            def report(step: int, figures: dict[str, float]) -> None:
                nonlocal status
                log.write("warmup", step, figures)
                if "greedy" in figures:
                    status = f", success sampled {figures['sampled']:.0%} greedy {figures['greedy']:.0%}"
                bar.update(step, f"loss {figures['loss']:.2f}{status}")

            sampling = agent.vision.sampling(config.policy.temperature or 1.0, config.policy.max_new_tokens)
            seeds = think.endless_seeds(config.seed) if isinstance(think, Annotated) else None
            stream = demonstrations(
                env, agent.prompts, sampling, config.seed, config.demonstrations, agent.engine.max_length, think=think, seeds=seeds
            )
            success = warm_up(
                learner,
                stream,
                lambda episode: rows_from_episode(episode, agent.vision),
                lambda: Success(rate(None), rate(0.0)),
                report,
            )
    finally:
        env.close()
    agent.trainable.export(config.out / "weights", agent.processor)
    return success
