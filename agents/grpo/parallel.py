"""A training run in several processes: process 0 trains as ever, the others are learners that follow it."""

from __future__ import annotations

import random
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agents.adapters import Trainable
from agents.config import ModelConfig, load_trainable
from agents.distributed import Processes
from agents.grpo import checkpoint as checkpoints
from agents.grpo.config import TrainConfig
from agents.grpo.learner import GrpoLearner


def join(config: TrainConfig) -> Processes:
    """The processes of the run, as ``accelerate launch`` or ``torchrun`` started them; this one alone if neither did.

    ValueError where ``config`` cannot be run in several processes.
    """
    processes = Processes.join(config.model.device, config.peer_minutes)
    if processes.size > 1 and config.parallel == "fsdp" and config.engine.kind == "transformers":
        raise ValueError(
            "parallel is 'fsdp' and the engine the learner's own model, of which each process has only a part: expected an engine apart "
            "(engine.kind 'vllm'), or parallel 'data'"
        )
    if processes.size > 1 and config.parallel == "fsdp" and config.model.quantize != "none":
        raise ValueError(f"parallel is 'fsdp' and model.quantize {config.model.quantize!r}: expected one of them, for quantised layers are not split")
    return processes


def placed(config: TrainConfig, processes: Processes) -> ModelConfig:
    """``config.model``, loaded where there is room for all of it: a model that is to be split is loaded on the CPU."""
    split = config.parallel == "fsdp" and processes.size > 1
    return replace(config.model, device="cpu") if split else config.model


def build_learner(config: TrainConfig, trainable: Trainable, vision: Any, processes: Processes) -> GrpoLearner:
    """The learner of a run, in each of its processes: the same weights, and the same random numbers."""
    processes.same_start(trainable.base, trainable.parameters())
    trainable.processes = processes
    if config.learner.loss.kl > 0:
        trainable.freeze_reference()  # a copy that has to be split too
    if config.parallel == "fsdp" and processes.size > 1:
        for model in trainable.models():
            processes.shard(model, config.model.device)
    total = config.steps * config.learner.passes * config.learner.minibatches
    return GrpoLearner(trainable, vision, vision.tokens.pad, config.learner, total, np.random.default_rng([config.seed, 2]), processes)


def follow(config: TrainConfig, resume: Path | None, processes: Processes) -> None:
    """Of every process but the first, the whole of training; ``resume`` as in :class:`~agents.grpo.trainer.GrpoTrainer`.

    Signals are for process 0, which then says what to do. :class:`~agents.distributed.ProcessError` where it ends without a word.
    """
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        random.seed(config.seed)
        torch.manual_seed(config.seed)
        weights = resume / "weights" if resume is not None else None
        loaded = load_trainable(placed(config, processes), config.adapter, weights)
        learner = build_learner(config, loaded.trainable, loaded.vision, processes)
        if resume is not None:
            learner.load_state_dict(checkpoints.restore(resume).learner)
        learner.follow()
        processes.leave()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
