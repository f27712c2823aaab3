"""The commands of ``gui-agents``. Each is a dataclass: its fields are the command's options."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from tyro.conf import Positional, arg

from agents.config import EngineConfig, EnvConfig, ModelConfig, PolicyConfig, load_agent
from agents.evaluation import EvalResult, evaluate
from agents.grpo.config import TrainConfig
from agents.grpo.presets import Algorithm
from agents.logs import progress, read_log
from agents.warmup.run import WarmupRun
from gui_gym.cli.output import print_json, print_table
from gui_gym.recording.episode import save_episode


def show(figures: Mapping[str, Any], as_json: bool) -> None:
    """Print ``figures``, as a table or as one JSON object."""
    if as_json:
        print_json(dict(figures))
    else:
        print_table([{"figure": name, "value": value} for name, value in figures.items()], ("figure", "value"), right=("value",))


def act(command: Rollout | Eval, temperature: float | None, seeds: list[int], title: str, keep_frames: int | None = None) -> EvalResult:
    """Episodes of the policy of a command, with live progress; ``keep_frames`` of them keep their screens (None: all)."""
    agent = load_agent(command.model, command.policy, command.env, engine=command.engine)
    with closing(agent.engine), progress(title, len(seeds)) as bar:
        done = []

        def note(episode: Any) -> None:
            done.append(episode)
            rate = EvalResult(done).success.rate
            bar.update(len(done), "nothing scored yet" if rate is None else f"success {rate:.0%}")

        turns = command.policy.max_turns
        kwargs = command.env.group_kwargs(command.split)
        return evaluate(
            agent.policy(temperature), kwargs, seeds=seeds, num_envs=command.num_envs, max_turns=turns, keep_frames=keep_frames, progress=note
        )


def draw_seeds(seed: int, episodes: int) -> list[int]:
    """The seeds of ``episodes`` instances."""
    if episodes < 1:
        raise ValueError(f"episodes is {episodes}: expected at least 1")
    if seed < 0:
        raise ValueError(f"seed is {seed}: expected 0 or more")
    return [int(s) for s in np.random.default_rng([seed, 3]).integers(2**31, size=episodes)]


@dataclass
class Rollout:
    """Let a policy act, and keep its episodes: a folder each, with every screen, action and text.

    Args:
        model: the model.
        out: folder of the episodes; a report of them is out/report.html.
        env: where episodes run.
        policy: prompt and sampling.
        episodes: how many.
        split: which instances: "train", "validation" or "test".
        num_envs: desktops side by side.
        seed: of instances and sampling.
        trained: folder of a training run (or one of its checkpoints) whose model, weights, env and policy are the defaults here.
        checkpoint: which checkpoint of that run: "latest", "best" (by validation), or a step.
        engine: what samples: the model as it is loaded here, or a vLLM server.
        json: print JSON instead of a table.
    """

    model: ModelConfig
    out: Path = Path("runs/rollout")
    env: EnvConfig = field(default_factory=EnvConfig)
    policy: PolicyConfig = field(default_factory=PolicyConfig)
    episodes: int = 8
    split: str = "train"
    num_envs: int = 8
    seed: int = 0
    trained: Path | None = None
    checkpoint: str = "latest"
    engine: EngineConfig = field(default_factory=EngineConfig)
    json: bool = False

    def run(self) -> int:
        from agents.report import recorded
        from gui_gym.recording.report import write_report

        if (self.out / "episodes").exists():
            raise ValueError(f"{self.out} holds episodes already: choose another folder")
        result = act(self, None, draw_seeds(self.seed, self.episodes), "rollout")
        episodes = [recorded(episode) for episode in result.episodes]
        for i, episode in enumerate(episodes):
            save_episode(self.out / "episodes" / f"{i:04d}", episode)
        report = write_report(self.out / "report.html", title=f"Episodes of {self.model.name}", intro=str(result.success), episodes=episodes[:50])
        show(result.figures() | {"report": str(report)}, self.json)
        return 0


@dataclass
class Eval:
    """Measure a policy on held-out instances, with a 95 % Wilson interval. Feasible and infeasible tasks are reported apart.

    Args:
        model: the model.
        env: where episodes run.
        policy: prompt and sampling.
        episodes: instances, each tried once.
        split: which instances: "test", "validation" or "train".
        greedy: take the likeliest token each time instead of sampling.
        num_envs: desktops side by side.
        seed: of instances and sampling; the same seed gives the same instances to every model.
        trained: folder of a training run (or one of its checkpoints) whose model, weights, env and policy are the defaults here.
        checkpoint: which checkpoint of that run: "latest", "best" (by validation), or a step.
        engine: what samples: the model as it is loaded here, or a vLLM server.
        json: print JSON instead of a table.
    """

    model: ModelConfig
    env: EnvConfig = field(default_factory=EnvConfig)
    policy: PolicyConfig = field(default_factory=PolicyConfig)
    episodes: int = 256
    split: str = "test"
    greedy: bool = False
    num_envs: int = 32
    seed: int = 0
    trained: Path | None = None
    checkpoint: str = "latest"
    engine: EngineConfig = field(default_factory=EngineConfig)
    json: bool = False

    def run(self) -> int:
        result = act(self, 0.0 if self.greedy else None, draw_seeds(self.seed, self.episodes), "eval", keep_frames=0)
        figures: dict[str, Any] = dict(result.figures())
        if result.unscored:
            figures["unscored_reasons"] = result.unscored if self.json else "; ".join(f"{n} x {reason}" for reason, n in result.unscored.items())
        show(figures, self.json)
        return 0


@dataclass
class Warmup:
    """Teach a model the action format and where to aim, from the env's scripted solutions.

    Args:
        config: of the run.
        resume: folder of a run to continue from its last checkpoint, with its own settings; only logs, save_every, supervised.minutes,
            supervised.stop_greedy and supervised.stop_gap may be given anew.
        json: print JSON instead of a table.
    """

    config: Annotated[WarmupRun, arg(name="")]
    resume: Path | None = None
    json: bool = False

    def run(self) -> int:
        from agents.warmup.run import resumable, run_warmup

        success = run_warmup(self.config, None if self.resume is None else resumable(self.resume)[0])
        weights = str(self.config.out / "weights")
        show({"success": success.sampled, "greedy_success": success.greedy, "weights": weights}, self.json)
        return 0


@dataclass
class Train:
    """Improve a policy by GRPO: groups of episodes of one task each, compared with one another.

    Needed is --model.name alone, or a --recipe. Most likely to be changed: --env.task, --out, --model.device, --steps, --groups, --group-size.

    Args:
        config: of the run.
        resume: folder of a run to continue from its last checkpoint, with its own settings; only steps, minutes, stop_at, save_every, keep,
            keep_best, logs, record, max_unscored, group_minutes, peer_minutes, and how the servers of engine and judge.endpoint are reached
            may be given anew.
        recipe: ready settings for a published model, which are the defaults here: a name such as qwen2.5-vl-3b, or the path of a .toml file.
        dry_run: of a recipe: check on the CPU, with the model shrunk, that the run could start and go on, print its plan, and train nothing.
        algorithm: a published algorithm, whose objective and settings are the defaults here; what is given besides is taken instead.
        json: print JSON instead of a table.
    """

    config: Annotated[TrainConfig, arg(name="")]
    resume: Path | None = None
    algorithm: Algorithm | None = None
    recipe: str | None = None
    dry_run: bool = False
    json: bool = False

    def run(self) -> int:
        if self.dry_run:
            return self._try_out()
        from agents.grpo.parallel import follow, join
        from agents.grpo.trainer import GrpoTrainer, done, resumable

        checkpoint = None if self.resume is None else resumable(self.resume)[0]
        if checkpoint is not None and done(self.config, checkpoint):
            why = f"done its {self.config.steps} steps" if self.config.stop_at is None else f"done its {self.config.steps} steps, or reached stop_at"
            raise ValueError(f"{self.config.out} has {why}: give a larger --steps{'' if self.config.stop_at is None else ' or --stop-at'} to go on")
        processes = join(self.config)
        if not processes.main:
            follow(self.config, checkpoint, processes)
            return 0
        trainer = GrpoTrainer(self.config, checkpoint, processes=processes)
        figures: dict[str, Any] = trainer.train() | {"step": trainer.step, "weights": str(self.config.out / "weights")}
        if trainer.cursor.best is not None:
            figures |= {"best_step": trainer.cursor.best, "best_success": trainer.cursor.best_success}
        show(figures, self.json)
        return 0

    def _try_out(self) -> int:
        from agents.cli.plan import show_plan
        from agents.recipes.dry_run import dry_run
        from agents.recipes.recipe import load_recipe

        recipe = load_recipe(self.recipe or "")
        plan = dry_run(self.config, recipe, lambda text: print(f"ok  {text}", file=sys.stderr, flush=True))
        show_plan(plan, self.config, recipe, self.json)
        return 0


@dataclass
class Report:
    """Write the HTML page of a warm-up or training run: its curves, what was measured, its recorded episodes.

    Args:
        folder: of the run.
        out: file to write; None is report.html in the run's folder.
        title: heading of the page.
        json: print JSON instead of a table.
    """

    folder: Positional[Path]
    out: Path | None = None
    title: str = ""
    json: bool = False

    def run(self) -> int:
        from agents.report import report_run

        report = report_run(self.folder, self.out, self.title)
        last = {k: v for r in read_log(self.folder, "eval")[-1:] for k, v in r.items() if k not in ("kind", "time")}
        show({"report": str(report), **last}, self.json)
        return 0
