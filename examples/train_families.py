"""Train the small model of assets/tiny-vlm on families of tasks, each measured on held-out instances before and after.

python examples/train_families.py click-colour click-icon --out runs/families
python examples/results_table.py runs/families
"""

from __future__ import annotations

import dataclasses
import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # threads that spin while they wait slow a busy machine down several times

import numpy as np
import tyro
from transformers.utils import logging

import gui_gym  # noqa: F401  registers the environments
from agents.adapters import AdapterConfig
from agents.config import EnvConfig, ModelConfig, PolicyConfig, load_agent
from agents.evaluation import evaluate
from agents.grpo.config import TrainConfig
from agents.grpo.learner import LearnerConfig
from agents.grpo.loss import LossConfig
from agents.grpo.trainer import GrpoTrainer
from agents.logs import plain_warnings, read_log
from agents.optimiser import OptimiserConfig
from agents.warmup.demonstrations import DemonstrationConfig
from agents.warmup.run import WarmupRun, run_warmup
from agents.warmup.supervised import WarmupConfig

TINY = Path(__file__).parent.parent / "assets" / "tiny-vlm"
#: The screen the model was pretrained on, in pixels.
WIDTH, HEIGHT = 320, 192


@dataclass(frozen=True)
class Recipe:
    """How one family is trained.

    Args:
        max_steps: steps of an episode; 1 where one action does it.
        max_new_tokens: of one answer.
        demonstrations: most steps of warm-up on scripted solutions; 0 begins with GRPO, as the model comes.
        batch: demonstrations of one such step.
        noise: standard deviation in pixels by which demonstrations miss.
        warmup_lr: learning rate of the warm-up.
        stop_greedy: greedy success at which the warm-up ends, 0 to 1.
        stop_gap: by which it must lie above sampled success, 0 to 1.
        milestones: weight of the reward for the part of a task that was done, beside its score.
        groups: tasks of one GRPO step.
        lr: learning rate of GRPO.
        steps: most steps of GRPO.
        stop_at: sampled success on validation instances at which it ends, 0 to 1; None does all steps.
        eval_every: steps from one measurement to the next, in warm-up and GRPO.
    """

    max_steps: int = 1
    max_new_tokens: int = 24
    demonstrations: int = 0
    batch: int = 16
    noise: float = 10.0
    warmup_lr: float = 3e-4
    stop_greedy: float = 0.6
    stop_gap: float = 0.3
    milestones: float = 0.0
    groups: int = 16
    lr: float = 1.5e-4
    steps: int = 120
    stop_at: float | None = 0.98
    eval_every: int = 15


#: Of a task of several steps.
LONG = Recipe(
    max_new_tokens=40,
    demonstrations=300,
    batch=8,
    noise=1.5,
    warmup_lr=6e-4,
    stop_greedy=0.5,
    stop_gap=0.0,
    groups=4,
    lr=2e-4,
    steps=60,
    stop_at=None,
    eval_every=20,
)
RECIPES = {
    # seen in pretraining, then warmed up on demonstrations that miss
    "press-the-button": Recipe(demonstrations=80),
    "click-colour": Recipe(demonstrations=80),
    "draw-circle": Recipe(demonstrations=80),
    # never seen
    "draw-line": Recipe(),
    # seen, and hard to tell apart
    "click-shade": Recipe(),
    "click-icon": Recipe(),
    "drag-shape-to-area": Recipe(),
    "enter-text": dataclasses.replace(LONG, max_steps=5),
    "enter-password": dataclasses.replace(LONG, max_steps=7),
    "edit-and-save": dataclasses.replace(LONG, max_steps=6, stop_greedy=0.4, steps=80),
    "fill-form": dataclasses.replace(LONG, max_steps=6, noise=0.0, stop_greedy=0.4, milestones=1.0),
}


@dataclass(frozen=True)
class Train:
    """Train families one after the other.

    Args:
        families: which; none is all that have a recipe.
        out: folder of the runs, one each; a family that is there already is left out.
        model: folder of the model to start from.
        episodes: test instances of each measurement before and after.
        validation: instances of each measurement during training.
        group_size: episodes of each task of a GRPO step.
        kl: weight of the KL divergence from the policy as it was when GRPO began.
        steps: most steps of GRPO, if not the recipe's.
        stop: end at the recipe's success; otherwise do all steps.
        tests: measure on test instances before and after.
        threads: CPU threads.
        seed: of tasks and sampling.
    """

    families: Annotated[tuple[str, ...], tyro.conf.Positional] = ()
    out: Path = Path("runs/families")
    model: Path = TINY
    episodes: int = 256
    validation: int = 192
    group_size: int = 8
    kl: float = 0.0
    steps: int | None = None
    stop: bool = True
    tests: bool = True
    threads: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        unknown = set(self.families) - set(RECIPES)
        if unknown:
            raise ValueError(f"no recipe for {', '.join(sorted(unknown))}: expected some of {', '.join(RECIPES)}")


@dataclass
class Clock:
    """Minutes of each part of a run: on the wall, and of CPU time."""

    parts: dict[str, dict[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._at = time.monotonic(), time.process_time()

    def note(self, part: str) -> None:
        now = time.monotonic(), time.process_time()
        self.parts[part] = {"minutes": (now[0] - self._at[0]) / 60, "cpu_minutes": (now[1] - self._at[1]) / 60}
        self._at = now


def env_of(family: str, recipe: Recipe) -> EnvConfig:
    """Easy instances; an episode ends once its task is solved."""
    return EnvConfig(
        task=family, width=WIDTH, height=HEIGHT, difficulty="easy", max_steps=recipe.max_steps, auto_verify=True, progress=recipe.milestones > 0
    )


def policy_of(recipe: Recipe) -> PolicyConfig:
    return PolicyConfig(codec="dsl", frame="grid:32", system="", max_new_tokens=recipe.max_new_tokens)


def measure(model: ModelConfig, policy: PolicyConfig, env: EnvConfig, seed: int, episodes: int) -> dict[str, dict[str, float]]:
    """Figures of sampled and of greedy episodes on instances of the split "test"; the same ones for the same seed."""
    agent = load_agent(model, policy, env)
    seeds = np.random.default_rng([seed, 3]).integers(2**31, size=episodes).tolist()
    return {
        name: evaluate(agent.policy(temperature), env.group_kwargs("test"), seeds=seeds, num_envs=64, keep_frames=0).figures()
        for name, temperature in (("sampled", None), ("greedy", 0.0))
    }


def train_family(family: str, recipe: Recipe, config: Train) -> dict[str, Any]:
    """Warm up if the recipe says so, train, measure; what came out is in ``figures.json`` too."""
    out, clock = config.out / family, Clock()
    env, policy = env_of(family, recipe), policy_of(recipe)
    start = ModelConfig(str(config.model), cache_mb=256, threads=config.threads)
    figures: dict[str, Any] = {"family": family, "config": dataclasses.asdict(config), "recipe": dataclasses.asdict(recipe)}
    if recipe.demonstrations:
        run_warmup(
            WarmupRun(
                start,
                out / "warmup",
                env,
                policy,
                AdapterConfig(train="full"),
                DemonstrationConfig(noise=recipe.noise),
                supervised=WarmupConfig(
                    OptimiserConfig(lr=recipe.warmup_lr, warmup_steps=20),
                    batch=recipe.batch,
                    stop_greedy=recipe.stop_greedy,
                    stop_gap=recipe.stop_gap,
                    max_steps=recipe.demonstrations,
                    eval_every=recipe.eval_every,
                ),
                eval_episodes=64,
                logs=(),
                seed=config.seed,
            )
        )
        clock.note("warm-up")
        start = dataclasses.replace(start, name=str(out / "warmup" / "weights"))
    if config.tests:
        figures["before"] = measure(start, policy, env, config.seed, config.episodes)
        clock.note("test before")
    train = TrainConfig(
        start,
        out / "train",
        env,
        policy,
        AdapterConfig(train="full"),
        LearnerConfig(LossConfig(kl=config.kl), OptimiserConfig(lr=recipe.lr)),
        rewards=("score", f"milestones={recipe.milestones}") if recipe.milestones else ("score",),
        scale="none",
        steps=recipe.steps if config.steps is None else config.steps,
        groups=recipe.groups,
        group_size=config.group_size,
        stop_at=recipe.stop_at if config.stop else None,
        eval_every=recipe.eval_every,
        eval_episodes=config.validation,
        eval_greedy=False,
        record=2,
        save_every=1000,
        logs=(),
        seed=config.seed,
    )
    GrpoTrainer(train).train()
    clock.note("GRPO")
    figures["steps"] = read_log(train.out, "train")[-1]["step"]
    if config.tests:
        figures["after"] = measure(dataclasses.replace(start, name=str(out / "train" / "weights")), policy, env, config.seed, config.episodes)
        clock.note("test after")
    figures["time"] = clock.parts
    (out / "figures.json").write_text(json.dumps(figures, default=str, indent=1) + "\n")
    return figures


def main(config: Train) -> None:
    logging.disable_progress_bar()
    for family in config.families or RECIPES:
        if (config.out / family / "figures.json").exists():
            print(f"{family}: there already")
            continue
        figures = train_family(family, RECIPES[family], config)
        if config.tests:
            rates = " -> ".join(f"{figures[stage]['sampled']['success']:.1%}" for stage in ("before", "after"))
            print(f"{family}: sampled success {rates} in {figures['steps']} steps", flush=True)


if __name__ == "__main__":
    with plain_warnings():
        main(tyro.cli(Train, prog="train_families.py"))
