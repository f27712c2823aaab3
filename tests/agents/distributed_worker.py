"""One process of several that learn as one: run by test_distributed.py, with the environment that launchers give."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

here = Path(__file__).parent
sys.path[:0] = [str(here / "grpo"), str(here.parent.parent)]

import torch  # noqa: E402
from grpo_fakes import PAD, make_rows, no_images, tiny_llama  # noqa: E402

from agents.adapters import AdapterConfig, Trainable  # noqa: E402
from agents.distributed import ProcessError, Processes  # noqa: E402
from agents.engines.transformers_engine import TransformersEngine  # noqa: E402
from agents.grpo.learner import GrpoLearner, LearnerConfig  # noqa: E402
from agents.grpo.loss import LossConfig  # noqa: E402
from agents.models import load_model  # noqa: E402
from agents.prompts import PromptBuilder  # noqa: E402
from agents.rollout import Policy, collect  # noqa: E402
from agents.rows import rows_from_episode  # noqa: E402
from agents.vision import VisionInputs  # noqa: E402
from gui_gym.codecs import make_codec  # noqa: E402
from wrappers.groups import GroupVectorEnv  # noqa: E402

CASES = ("lora-kl", "full", "fsdp-full-kl", "fsdp-vlm-kl")  # the last with LoRA too


def vlm(folder: Path) -> tuple[Any, Any, list]:
    """A model with eyes, its vision, and rows it sampled of one picture each or of two."""
    model, processor = load_model(folder)
    vision = VisionInputs(processor, model)
    policy = Policy(PromptBuilder(vision, make_codec("dsl"), system=""), TransformersEngine(model, vision), vision.sampling(1.0, 5))
    envs = GroupVectorEnv(3, 2, task="press-the-button", width=112, height=112, max_steps=2)
    groups = collect(policy, envs, seed=3, max_turns=2)
    envs.close()
    episodes = [episode for group in groups for episode in group.episodes]
    for episode in episodes[::2]:
        del episode.turns[1:]
    return model, vision, [row for i, episode in enumerate(episodes) for row in rows_from_episode(episode, vision, i, (-1.0) ** i)]


def make(case: str, processes: Processes, folder: Path) -> tuple[GrpoLearner, list]:
    if "vlm" in case:
        model, vision, rows = vlm(folder)
        pad = vision.tokens.pad
    else:
        model, vision, pad = tiny_llama(), no_images, PAD
        rows = make_rows(model, n=7)
    torch.manual_seed(1 + processes.rank)  # so that their adapters begin as different as can be
    trainable = Trainable(model, AdapterConfig(train="full") if "full" in case else AdapterConfig(rank=4, alpha=8))
    loss = LossConfig(kl=0.1, tis_cap=2.0) if "kl" in case else LossConfig()
    config = LearnerConfig(passes=1, minibatches=2, micro_tokens=200 if "vlm" in case else 16, loss=loss)
    processes.same_start(trainable.base, trainable.parameters())
    trainable.processes = processes
    if config.loss.kl:
        trainable.freeze_reference()
    if "fsdp" in case and processes.size > 1:
        for each in trainable.models():
            processes.shard(each)
    return GrpoLearner(trainable, vision, pad, config, total_steps=10, processes=processes), rows


def learn(case: str, processes: Processes, model: Path, folder: Path) -> None:
    """Two updates, as ``case`` says: ``folder/case.pt`` gets the figures of the last one, ``folder/case`` the weights."""
    learner, rows = make(case, processes, model)
    if not processes.main:
        return learner.follow()
    figures = [learner.update(rows) for _ in range(2)][-1]
    torch.save(figures, folder / f"{case}.pt")
    learner.trainable.save(folder / case)
    torch.save(learner.state_dict(), folder / f"{case}.state.pt")
    processes.stop()
    return None


def fail(kind: type[Exception], processes: Processes) -> None:
    """One process fails; the others hear of it."""

    def work() -> None:
        if processes.rank == 1:
            raise kind("no luck")

    try:
        processes.agree(work)
    except kind as error:
        if processes.rank == 1 or kind is torch.OutOfMemoryError:
            return
        raise AssertionError("another process's error came as its own") from error
    except ProcessError as error:
        assert "process 1 of 2 failed: ValueError: no luck" in str(error)
        return
    raise AssertionError("nobody heard of the error")


def die(processes: Processes, model: Path) -> None:
    """A follower is gone in the middle of an update: the other must not wait for it."""
    learner, rows = make("full", processes, model)
    if processes.main:
        learner.update(rows)
    for _ in processes.orders():
        os._exit(9)


if __name__ == "__main__":
    torch.set_num_threads(1)
    model, out = map(Path, sys.argv[1:])
    processes = Processes.join(timeout=1)
    for case in CASES:
        learn(case, processes, model, out)
        processes.sharded = False
    fail(ValueError, processes)
    fail(torch.OutOfMemoryError, processes)
    die(processes, model)
