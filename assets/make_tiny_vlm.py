"""Make the small vision-language model in assets/tiny-vlm: build it from its config, and teach it to see simulated screens.

python assets/make_tiny_vlm.py --out runs/tiny-vlm

Run again with the same --out, it goes on from where it was; with --assets assets/tiny-vlm it puts the result there.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # everything is made here
os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # threads that spin while they wait slow a busy machine down several times

import numpy as np
import tyro
from transformers.utils import logging

import gui_gym  # noqa: F401  registers the environments
from agents.pretraining.config import PretrainConfig
from agents.pretraining.questions import QUESTIONS
from agents.pretraining.run import run_pretraining
from agents.tiny_vlm import build_tiny_vlm
from gui_gym.desktops.sim.labels import LANGUAGES, label
from gui_gym.desktops.sim.pictograms import PICTOGRAMS
from gui_gym.desktops.sim.widgets.shapes import SHAPES
from gui_gym.tasks import load_suite
from gui_gym.tasks.sim import words

#: Patches of one side x one side pixels, 2 x 2 of them an image token; the screen is that many pixels at most.
PATCH, AREA = 16, 256


@dataclass(frozen=True)
class Make:
    """Build the model and pretrain it.

    Args:
        out: folder of the run.
        assets: folder that model, processor and tokenizer are copied to at the end; None is nowhere.
        hidden: width of both towers.
        layers: of the text tower.
        vision_layers: of the vision tower.
        steps: of the optimiser.
        seeing: first steps, for the vision tower alone.
        cooldown: last steps, during which the learning rate falls to 0.
        batch: screens of one step.
        lr: learning rate of AdamW.
        muon_lr: learning rate of Muon.
        processes: that share the work, with one thread each.
        seed: of weights and screens.
        json: print the figures as one JSON object.
    """

    out: Path = Path("runs/tiny-vlm")
    assets: Path | None = None
    hidden: int = 128
    layers: int = 4
    vision_layers: int = 3
    steps: int = 3700
    seeing: int = 700
    cooldown: int = 600
    batch: int = 16
    lr: float = 2e-3
    muon_lr: float = 0.015
    processes: int = 2
    seed: int = 0
    json: bool = False


def vocabulary() -> list[str]:
    """Words that screens and instructions are full of, each to be few tokens: those met most often most often."""
    english = [*words.BUTTONS, *words.TITLES, *words.OPTIONS, *words.PLANS, *words.ACTIONS, *words.SLIDERS, "Name", "City", "Editor"]
    labels = [label(text, language) for text in english for language in LANGUAGES]
    plain = [*words.COLORS, *words.MORE_COLORS, *PICTOGRAMS, *SHAPES, *words.FIRST, *words.LAST, *words.CITIES, *words.STEMS]
    suite, rng, shown = load_suite("sim"), np.random.default_rng(0), PretrainConfig(Path())
    told = [suite.draw(rng, family).instruction for family in (*shown.families, *shown.demonstrated) for _ in range(40)]
    said = [word for text in (*told, *QUESTIONS * 40) for word in re.findall(r" ?[A-Za-z]+", text)]
    return [*labels, *(f" {word}" for word in (*plain, *plain)), *plain, *(f" {word}" for line in words.LINES for word in line.split()), *said]


def main(make: Make) -> dict[str, float]:
    """Run it and return the last figures."""
    logging.disable_progress_bar()
    model = make.out / "model"
    if not model.is_dir():
        build_tiny_vlm(
            model, kind="qwen3_vl", image_size=AREA, patch=PATCH, hidden=make.hidden, layers=make.layers, vision_layers=make.vision_layers,
            extra_words=vocabulary(), vocab_size=1600, cells=32, tool_calls=False, image_first=True, seed=make.seed,
        )  # fmt: skip
    config = PretrainConfig(model, make.out / "pretraining", steps=make.steps, cooldown=make.cooldown, batch=make.batch, seed=make.seed)
    config = dataclasses.replace(config, lr=make.lr, muon_lr=make.muon_lr, processes=make.processes, seeing=make.seeing)
    figures = run_pretraining(config)
    if make.assets is not None:
        shutil.copytree(config.out / "weights", make.assets, dirs_exist_ok=True)
        settings = {name: value for name, value in dataclasses.asdict(make).items() if name not in ("out", "assets", "json")}
        (make.assets / "making.json").write_text(json.dumps({**settings, "figures": figures}, indent=1) + "\n")
    return figures


if __name__ == "__main__":
    options = tyro.cli(Make, prog="make_tiny_vlm.py")
    result = main(options)
    print(json.dumps(result) if options.json else "\n".join(f"{name}: {value:.4g}" for name, value in result.items()))
