"""From arguments to a command."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Union

import tyro
from tyro.conf import subcommand

from agents.cli.annotate import Annotate
from agents.cli.bench import Bench
from agents.cli.commands import Eval, Report, Rollout, Train, Warmup
from agents.cli.plan import Plan
from agents.config import ModelConfig
from agents.grpo.config import TrainConfig
from agents.grpo.presets import PRESETS, with_algorithm
from agents.recipes.recipe import load_recipe, recipe_names


def parse(argv: Sequence[str]) -> Any:
    """The command that ``argv`` asks for. Prints help or what is wrong, and exits, as command lines do."""
    defaults = _defaults(argv[0] if argv else "", argv)
    named = {"rollout": Rollout, "annotate": Annotate, "warmup": Warmup, "train": Train, "plan": Plan, "eval": Eval, "report": Report, "bench": Bench}
    kinds = [Annotated[kind, subcommand(name, **defaults.get(name, {}))] for name, kind in named.items()]  # type: ignore[valid-type]
    commands: Any = Union[tuple(kinds)]  # noqa: UP007  of a list
    return tyro.cli(
        commands,
        prog="gui-agents",
        description="Vision-language agents for GUI Gym: act, warm up, train, measure, report.",
        args=list(argv),
        config=(tyro.conf.AvoidSubcommands,),
    )


def _defaults(command: str, argv: Sequence[str]) -> dict[str, Any]:
    """The settings of an earlier run, a recipe or an algorithm, where ``argv`` names one, as the defaults of ``command``."""
    algorithm = _value(argv, "--algorithm") if command == "train" else None
    recipe = _value(argv, "--recipe") if command in ("train", "plan") else None
    if recipe is None and (command == "plan" or (command == "train" and "--dry-run" in argv)) and not {"-h", "--help"} & set(argv):
        what, known = "plan" if command == "plan" else "--dry-run", ", ".join(recipe_names())
        raise ValueError(f"{what} needs a recipe, which says how large the model is: expected --recipe with {known}, or the path of a .toml file")
    if algorithm in PRESETS or recipe is not None:
        if _value(argv, "--resume") is not None:
            raise ValueError("--resume goes on with the settings of its run: expected no --algorithm or --recipe beside it")
        config = TrainConfig(ModelConfig(tyro.MISSING)) if recipe is None else load_recipe(recipe).train
        if algorithm in PRESETS:
            config = with_algorithm(config, algorithm)
        return {command: {"default": Plan(config, recipe or "") if command == "plan" else Train(config, algorithm=algorithm, recipe=recipe)}}  # type: ignore[arg-type]
    given = _value(argv, "--resume" if command in ("train", "warmup") else "--trained")
    if given is None or command not in ("train", "warmup", "eval", "rollout"):
        return {}
    from agents.grpo.trainer import resumable
    from agents.warmup.run import resumable as resumable_warmup

    folder = Path(given)
    if command == "train":  # its out is where the run is now
        checkpoint, saved = resumable(folder)
        return {command: {"default": Train(dataclasses.replace(saved, out=checkpoint.parent.parent), resume=folder)}}
    if command == "warmup":
        checkpoint, warm = resumable_warmup(folder)
        return {command: {"default": Warmup(dataclasses.replace(warm, out=checkpoint.parent.parent), resume=folder)}}
    checkpoint, saved = resumable(folder, _value(argv, "--checkpoint") or "latest")
    kind = Eval if command == "eval" else Rollout
    model = dataclasses.replace(saved.model, adapter=checkpoint)
    return {command: {"default": kind(model, env=saved.env, policy=saved.policy, trained=folder)}}


def _value(argv: Sequence[str], option: str) -> str | None:
    for i, argument in enumerate(argv):
        name, _, value = argument.partition("=")
        if name == option and (value or i + 1 < len(argv)):
            return value or argv[i + 1]
    return None
