"""One process of several that learn as one: run by test_distributed.py, with the environment that launchers give."""

from __future__ import annotations

import os
import sys
from pathlib import Path

here = Path(__file__).parent
sys.path[:0] = [str(here / "grpo"), str(here.parent.parent)]

import torch  # noqa: E402
from grpo_fakes import PAD, make_rows, no_images, tiny_llama  # noqa: E402

from agents.adapters import AdapterConfig, Trainable  # noqa: E402
from agents.distributed import ProcessError, Processes  # noqa: E402
from agents.grpo.learner import GrpoLearner, LearnerConfig  # noqa: E402
from agents.grpo.loss import LossConfig  # noqa: E402

CASES = ("lora-kl", "full", "fsdp-lora-kl", "fsdp-full-kl")


def make(case: str, processes: Processes) -> tuple[GrpoLearner, list]:
    model = tiny_llama()
    rows = make_rows(model, n=7)
    torch.manual_seed(1 + processes.rank)  # so that their adapters begin as different as can be
    trainable = Trainable(model, AdapterConfig(train="full") if "full" in case else AdapterConfig(rank=4, alpha=8))
    loss = LossConfig(kl=0.1, tis_cap=2.0) if "kl" in case else LossConfig()
    config = LearnerConfig(passes=1, minibatches=2, micro_tokens=16, loss=loss)
    return share(trainable, config, processes, sharded="fsdp" in case), rows


def share(trainable: Trainable, config: LearnerConfig, processes: Processes, sharded: bool) -> GrpoLearner:
    processes.same_start(trainable.base, trainable.parameters())
    trainable.processes = processes
    if config.loss.kl:
        trainable.freeze_reference()
    if sharded and processes.size > 1:
        processes.shard(trainable.model)
    return GrpoLearner(trainable, no_images, PAD, config, total_steps=10, processes=processes)


def learn(case: str, processes: Processes, folder: Path) -> None:
    """Three updates, as ``case`` says: ``folder/case.pt`` gets the figures of the last one, ``folder/case`` the weights."""
    learner, rows = make(case, processes)
    if not processes.main:
        return learner.follow()
    figures = [learner.update(rows) for _ in range(3)][-1]
    torch.save(figures, folder / f"{case}.pt")
    learner.trainable.save(folder / case)
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


def die(processes: Processes) -> None:
    """A follower is gone in the middle of an update: the other must not wait for it."""
    learner, rows = make("full", processes)
    if processes.main:
        learner.update(rows)
    for _ in processes.orders():
        os._exit(9)


if __name__ == "__main__":
    torch.set_num_threads(1)
    out, ending = Path(sys.argv[1]), sys.argv[2]
    processes = Processes.join(timeout=1)
    for case in CASES:
        learn(case, processes, out)
        processes.sharded = False
    fail(ValueError, processes)
    fail(torch.OutOfMemoryError, processes)
    if ending == "die":
        die(processes)
    processes.leave()
