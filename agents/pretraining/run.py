"""A pretraining run, in one process or several that share each step's samples."""

from __future__ import annotations

import json
import tempfile
import time

import torch

from agents.config import to_json
from agents.logs import RunLog, progress
from agents.pretraining.config import PretrainConfig
from agents.pretraining.learner import Pretrainer


def run_pretraining(config: PretrainConfig) -> dict[str, float]:
    """Run ``config``, from its saved state if there is one; the weights are in ``out/weights``. Returns the last figures."""
    if config.processes == 1:
        return _run(config, 0)
    context = torch.multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        others = [context.Process(target=_join, args=(config, rank, folder)) for rank in range(1, config.processes)]
        for process in others:
            process.start()
        try:
            return _join(config, 0, folder)
        finally:
            for process in others:
                process.join(60)
                process.kill()


def _join(config: PretrainConfig, rank: int, folder: str) -> dict[str, float]:
    store = torch.distributed.FileStore(f"{folder}/store", config.processes)
    torch.distributed.init_process_group("gloo", store=store, rank=rank, world_size=config.processes)
    try:
        return _run(config, rank)
    finally:
        torch.distributed.destroy_process_group()


def _run(config: PretrainConfig, rank: int) -> dict[str, float]:
    trainer = Pretrainer(config, rank)
    if trainer.state_file.is_file():
        trainer.restore()
    if rank:
        while trainer.step < config.steps:
            trainer.update()
        return {}
    figures: dict[str, float] = {}
    with RunLog(config.out, trainer.step or None, ()) as log, progress("pretraining", config.steps) as bar:
        (config.out / "config.json").write_text(json.dumps(to_json(config), indent=1) + "\n")
        while trainer.step < config.steps:
            began = time.process_time()
            figures = trainer.update()
            trainer.cpu += (time.process_time() - began) * config.processes
            log.write("pretrain", trainer.step, figures)
            bar.update(trainer.step, f"loss {figures['loss']:.3f} right {figures['accuracy']:.0%}")
            if trainer.step % config.save_every == 0 or trainer.step == config.steps:
                trainer.save()
    trainer.export(config.out / "weights")
    return figures | {"step": float(trainer.step), "minutes": trainer.seconds / 60, "cpu_minutes": trainer.cpu / 60}
