"""From a screenshot to a better policy, on two CPU cores in a few minutes.

A small vision-language model is built from its config, warmed up on imperfect demonstrations of the embedded desktop, and improved
by GRPO with LoRA. Its success on instances it was never trained on is measured before and after, and written to a report.

python examples/demo.py --out runs/demo
"""

from __future__ import annotations

import dataclasses
import json
import os
import resource
import shutil
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # everything is made here
os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # threads that spin while they wait slow a busy machine down several times

import gymnasium as gym
import numpy as np
import tyro
from transformers.utils import logging

import gui_gym  # noqa: F401  registers the environments
from agents.adapters import AdapterConfig
from agents.baselines.policy import play
from agents.config import EnvConfig, ModelConfig, PolicyConfig, load_agent
from agents.evaluation import EvalResult, evaluate, wilson
from agents.grpo.config import TrainConfig
from agents.grpo.learner import LearnerConfig
from agents.grpo.trainer import GrpoTrainer
from agents.logs import plain_warnings, progress
from agents.optimiser import OptimiserConfig
from agents.report import SUCCESS_COLUMNS, recorded, success_row, training_chart, warmup_chart
from agents.tiny_vlm import build_tiny_vlm
from agents.warmup.demonstrations import DemonstrationConfig
from agents.warmup.run import WarmupRun, run_warmup
from agents.warmup.supervised import WarmupConfig
from gui_gym.actions import Action
from gui_gym.recording.episode import save_episode
from gui_gym.recording.report import Table, write_report

SCREEN = 112  #: pixels of both sides, which are also those of the picture the model sees


@dataclass(frozen=True)
class Demo:
    """Warm up a small vision-language model on demonstrations, improve it by GRPO, and report both.

    Args:
        out: folder of the run; what an earlier demo left there is replaced.
        seed: of weights, tasks and sampling; the same seed and number of threads give the same numbers.
        minutes_cap: training stops early so that the whole demo takes about this many minutes.
        threads: CPU threads.
        episodes: test instances of each measurement before and after.
        noise: standard deviation in pixels by which demonstrations miss what they aim at.
        warmup_steps: most steps of the warm-up, which ends as soon as greedy success is warmup_until.
        warmup_until: greedy success at which the warm-up ends, 0 to 1.
        steps: most steps of GRPO, which ends as soon as sampled success is train_until.
        train_until: sampled success on validation instances at which GRPO ends, 0 to 1.
        groups: tasks of one GRPO step.
        group_size: episodes of each task.
        hidden: width of the model.
    """

    out: Path = Path("runs/demo")
    seed: int = 0
    minutes_cap: float = 7.5
    threads: int = 2
    episodes: int = 512
    noise: float = 10.0
    warmup_steps: int = 700
    warmup_until: float = 0.85
    steps: int = 150
    train_until: float = 0.93
    groups: int = 8
    group_size: int = 8
    hidden: int = 96


class RandomClicks:
    """A left click anywhere on the screen: what success is worth without looking."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)

    def reset(self) -> None:
        pass

    def act(self, observation: np.ndarray, info: Mapping[str, Any]) -> Action:
        height, width = observation.shape[:2]
        return Action.click(int(self.rng.integers(width)), int(self.rng.integers(height)))


def main(demo: Demo) -> dict[str, Any]:
    """Run it and return the figures, which are in ``out/figures.json`` too."""
    began, out = time.monotonic(), demo.out
    logging.disable_progress_bar()
    _clear(out)
    env = EnvConfig(task="press-the-button", width=SCREEN, height=SCREEN, max_steps=1, auto_verify=True)
    policy = PolicyConfig(codec="dsl", frame="grid:10", system="", max_new_tokens=8)
    test_seeds = np.random.default_rng([demo.seed, 3]).integers(2**31, size=demo.episodes).tolist()
    timing: dict[str, float] = {}

    def clock(name: str) -> None:
        timing[name] = round(time.monotonic() - began - sum(timing.values()), 1)

    parameters = build_tiny_vlm(out / "model", image_size=SCREEN, hidden=demo.hidden, seed=demo.seed)
    print(f"built a vision-language model of {parameters:,} parameters", flush=True)
    clock("build")

    warmup = WarmupRun(
        ModelConfig(str(out / "model"), cache_mb=64, threads=demo.threads),
        out / "warmup",
        env,
        policy,
        AdapterConfig(train="full"),
        DemonstrationConfig(noise=demo.noise),
        supervised=WarmupConfig(stop_greedy=demo.warmup_until, max_steps=demo.warmup_steps, minutes=0.55 * demo.minutes_cap),
        seed=demo.seed,
    )
    run_warmup(warmup)
    clock("warm-up")

    warm = ModelConfig(str(out / "warmup" / "weights"), cache_mb=64, threads=demo.threads)
    before = measure(warm, policy, env, test_seeds)
    clock("test before")
    elapsed = (time.monotonic() - began) / 60
    train = TrainConfig(
        warm,
        out / "train",
        env,
        policy,
        AdapterConfig(rank=32, alpha=64, targets="all"),
        LearnerConfig(optimiser=OptimiserConfig(lr=6e-4)),
        scale="none",
        steps=demo.steps,
        groups=demo.groups,
        group_size=demo.group_size,
        minutes=max(0.2, 0.92 * demo.minutes_cap - elapsed),
        stop_at=demo.train_until,
        eval_every=15,
        save_every=30,
        seed=demo.seed,
    )
    GrpoTrainer(train).train()
    clock("GRPO")

    after = measure(dataclasses.replace(warm, adapter=out / "train" / "weights"), policy, env, test_seeds)
    random = random_clicks(env, test_seeds)
    clock("test after")

    shown = range(min(6, demo.episodes))
    stages = (("before GRPO", before), ("after GRPO", after))
    episodes = [recorded(result["sampled"].episodes[i], policy=name) for i in shown for name, result in stages]
    for i, episode in enumerate(episodes):
        save_episode(out / "episodes" / f"{i // 2:02d}-{episode.extra['policy'].split()[0]}", episode)
    figures = {
        "before": {name: result.figures() for name, result in before.items()},
        "after": {name: result.figures() for name, result in after.items()},
        "random": random,
        "parameters": parameters,
        "seconds": timing,
        "cpu_seconds": round(time.process_time(), 1),
        "peak_memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)),
        "seed": demo.seed,
    }
    report = write(demo, figures, episodes)
    (out / "figures.json").write_text(json.dumps(figures, indent=1) + "\n")
    summary(figures, report, time.monotonic() - began)
    return figures


def _clear(out: Path) -> None:
    """Remove what an earlier demo left, and nothing else."""
    for name in ("model", "warmup", "train", "episodes"):
        shutil.rmtree(out / name, ignore_errors=True)
    for name in ("report.html", "figures.json"):
        (out / name).unlink(missing_ok=True)
    out.mkdir(parents=True, exist_ok=True)


def measure(model: ModelConfig, policy: PolicyConfig, env: EnvConfig, seeds: list[int]) -> dict[str, EvalResult]:
    """Sampled and greedy success on the test instances of ``seeds``."""
    agent = load_agent(model, policy, env)
    results = {}
    for name, temperature in (("sampled", 1.0), ("greedy", 0.0)):
        with progress(f"test, {name}", len(seeds)) as bar:
            done = []

            def note(episode, bar=bar, done=done):
                done.append(episode)
                bar.update(len(done), f"success {EvalResult(done).success.rate or 0:.0%}")

            results[name] = evaluate(agent.policy(temperature), env.group_kwargs("test"), seeds=seeds, num_envs=64, progress=note)
    return results


def random_clicks(env: EnvConfig, seeds: list[int]) -> dict[str, float]:
    """Figures of one random click on each of the same instances."""
    desktop = gym.make(env.id, disable_env_checker=True, **env.kwargs("test"))
    policy = RandomClicks(seeds[0])
    scores = [play(desktop, policy, seed=seed).score.value for seed in seeds]
    desktop.close()
    scored = [s for s in scores if s is not None]
    successes = sum(s == 1.0 for s in scored)
    low, high = wilson(successes, len(scored))
    return {
        "success": successes / len(scored),
        "success_low": low,
        "success_high": high,
        "scored": float(len(scored)),
        "unscored": float(len(scores) - len(scored)),
    }


def write(demo: Demo, figures: dict[str, Any], episodes: list[Any]) -> Path:
    """Write ``out/report.html``."""
    rows = [success_row("one random click", figures["random"])]
    for stage, name in (("before", "after warm-up"), ("after", "after GRPO")):
        rows += [success_row(f"{name}, {mode}", figures[stage][mode]) for mode in ("sampled", "greedy")]
    seconds = figures["seconds"]
    intro = f"""A vision-language model of {figures["parameters"]:,} parameters, built from its config with random weights, learns to press the
only button in a window of a simulated desktop. It sees a screenshot of {SCREEN} x {SCREEN} pixels and answers with text such as
click(x=3,y=6) on a 10 x 10 grid; it has one step.

First it imitates demonstrations whose clicks miss what they aim at by {demo.noise:g} pixels (standard deviation) on each axis: it learns the
format and where to look, and is unsure where to hit. Then GRPO trains a LoRA adapter on the score alone, from groups of
{demo.group_size} episodes of the same task.

Success was measured on {demo.episodes} instances of the split "test", which training never draws; the same ones before and after.
Seed {demo.seed}."""
    note = (
        "95 % Wilson score intervals. Sampled is how the policy acts and what GRPO trains; greedy takes the likeliest token each time and "
        "shows how well the model sees."
    )
    time_table = Table("Time", ("part", "seconds"), [[name, f"{value:.0f}"] for name, value in seconds.items()], "Wall clock on this machine.")
    return write_report(
        demo.out / "report.html",
        title="From a screenshot to a better policy",
        intro=intro,
        tables=[Table("Success on held-out instances", SUCCESS_COLUMNS, rows, note), time_table],
        charts=[training_chart(demo.out / "train"), warmup_chart(demo.out / "warmup")],
        episodes=episodes,
    )


def summary(figures: dict[str, Any], report: Path, seconds: float) -> None:
    """Print what came out."""
    print()
    rows = [("one random click", figures["random"])]
    rows += [(f"{stage} GRPO, {mode}", figures[stage][mode]) for stage in ("before", "after") for mode in ("sampled", "greedy")]
    for name, f in rows:
        print(f"{name:22s} {f['success']:6.1%}   95 % interval {f['success_low']:.1%} to {f['success_high']:.1%}   ({f['scored']:.0f} episodes)")
    low, high = figures["after"]["sampled"]["success_low"], figures["before"]["sampled"]["success_high"]
    print("The rise of sampled success is " + ("clear: the intervals do not overlap." if low > high else "NOT clear: the intervals overlap."))
    print(f"{seconds / 60:.1f} minutes, {figures['cpu_seconds']:.0f} CPU seconds, {figures['peak_memory_mb']} MB")
    print(f"report: {report}")


if __name__ == "__main__":
    with plain_warnings():
        main(tyro.cli(Demo, prog="demo.py"))
