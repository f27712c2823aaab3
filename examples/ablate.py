"""What group size, KL and warm-up do: short GRPO runs on one family that differ in one thing, over several seeds.

python examples/ablate.py --out runs/ablation
python examples/results_table.py runs/ablation --chart docs/ablation.png
"""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # threads that spin while they wait slow a busy machine down several times

import tyro
from results_table import COMMON
from train_families import RECIPES, TINY, Train, train_family
from transformers.utils import logging

import gui_gym  # noqa: F401  registers the environments
from agents.logs import plain_warnings


@dataclass(frozen=True)
class Ablation:
    """Short runs that differ from a common one in one thing.

    Args:
        out: folder of the runs, as FACTOR/VALUE/seed-N; those that are there already are left out.
        family: family of tasks.
        model: folder of the model to start from.
        demonstrations: steps of warm-up on demonstrations that miss, of the common run.
        warmups: the same of runs that differ in it; 0 is none.
        episodes: of one step, the same for all group sizes.
        steps: of each run.
        validation: instances of each measurement.
        seeds: how many seeds.
    """

    out: Path = Path("runs/ablation")
    family: str = "draw-line"
    model: Path = TINY
    demonstrations: int = 20
    warmups: tuple[int, ...] = (0, 80)
    episodes: int = 32
    steps: int = 24
    validation: int = 128
    seeds: int = 2


def runs(ablation: Ablation) -> dict[tuple[str, str], dict[str, Any]]:
    """What differs from the common run, by factor and value."""
    found: dict[tuple[str, str], dict[str, Any]] = {COMMON: {}}
    found |= {("group size", str(size)): {"group_size": size} for size in (2, 4, 16)}
    found |= {("KL", str(weight)): {"kl": weight} for weight in (0.01, 0.1)}
    return found | {("warm-up", f"{steps} steps" if steps else "none"): {"demonstrations": steps} for steps in ablation.warmups}


def main(ablation: Ablation) -> None:
    logging.disable_progress_bar()
    common = dataclasses.replace(RECIPES[ablation.family], eval_every=ablation.steps // 4, stop_greedy=1.0, stop_gap=1.0)
    for seed in range(ablation.seeds):
        base = Train(model=ablation.model, group_size=8, steps=ablation.steps, validation=ablation.validation, stop=False, tests=False, seed=seed)
        for (factor, value), changes in runs(ablation).items():
            out = ablation.out / factor / value / f"seed-{seed}"
            if (out / ablation.family / "figures.json").exists():
                continue
            config = dataclasses.replace(base, out=out, **{name: changes[name] for name in changes if name != "demonstrations"})
            groups = ablation.episodes // config.group_size
            demonstrations = changes.get("demonstrations", ablation.demonstrations)
            train_family(ablation.family, dataclasses.replace(common, groups=groups, demonstrations=demonstrations), config)
            print(f"{factor} {value}, seed {seed}: done", flush=True)


if __name__ == "__main__":
    with plain_warnings():
        main(tyro.cli(Ablation, prog="ablate.py"))
