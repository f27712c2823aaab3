"""What group size, KL and warm-up do: short GRPO runs on one family that differ in one thing, over several seeds.

python examples/ablate.py --out runs/ablation --early runs/tiny-vlm/early
python examples/results_table.py runs/ablation --chart docs/ablation.png
"""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # threads that spin while they wait slow a busy machine down several times

import tyro
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
        early: folder of the same model from an early step of its pretraining; None leaves that run out.
        noisy: steps of warm-up on demonstrations that miss, for the run that has one; 0 leaves it out.
        episodes: of one step, the same for all group sizes.
        steps: of each run.
        validation: instances of each measurement.
        seeds: how many seeds.
    """

    out: Path = Path("runs/ablation")
    family: str = "click-colour"
    model: Path = TINY
    early: Path | None = None
    noisy: int = 60
    episodes: int = 32
    steps: int = 24
    validation: int = 128
    seeds: int = 2


def runs(ablation: Ablation) -> dict[tuple[str, str], dict[str, object]]:
    """What differs, by factor and value; the common run is group size 8, KL 0, from the model as it is."""
    found: dict[tuple[str, str], dict[str, object]] = {
        ("group size", str(size)): {"group_size": size, "groups": ablation.episodes // size} for size in (2, 4, 8, 16)
    }
    found |= {("KL", str(weight)): {"kl": weight} for weight in (0.01, 0.1)}
    if ablation.early is not None:
        found["warm-up", "stopped early"] = {"model": ablation.early}
    if ablation.noisy:
        found["warm-up", "enough, then imperfect demonstrations"] = {"demonstrations": ablation.noisy}
    return found


def main(ablation: Ablation) -> None:
    logging.disable_progress_bar()
    common = RECIPES[ablation.family]
    for seed in range(ablation.seeds):
        base = Train(
            model=ablation.model, groups=ablation.episodes // 8, group_size=8, steps=ablation.steps, validation=ablation.validation,
            stop=False, tests=False, seed=seed,
        )  # fmt: skip
        for (factor, value), changes in runs(ablation).items():
            out = ablation.out / factor / value / f"seed-{seed}"
            if (out / ablation.family / "figures.json").exists():
                continue
            changes = dict(changes)
            RECIPES[ablation.family] = dataclasses.replace(
                common, eval_every=ablation.steps // 4, demonstrations=changes.pop("demonstrations", 0), stop_greedy=2.0
            )
            train_family(ablation.family, dataclasses.replace(base, out=out, **changes))
            print(f"{factor} {value}, seed {seed}: done", flush=True)


if __name__ == "__main__":
    with plain_warnings():
        main(tyro.cli(Ablation, prog="ablate.py"))
