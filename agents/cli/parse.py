"""From arguments to a command."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import tyro
from tyro.conf import subcommand

from agents.cli.commands import Eval, Report, Rollout, Train, Warmup


def parse(argv: Sequence[str]) -> Any:
    """The command that ``argv`` asks for. Prints help or what is wrong, and exits, as command lines do."""
    train: Any = subcommand("train")
    folder = _resumed(argv)
    if folder is not None:  # the run's own settings are the defaults, and its out is where it is now
        from agents.grpo.trainer import resumable

        checkpoint, saved = resumable(folder)
        saved = dataclasses.replace(saved, out=checkpoint.parent.parent)
        train = subcommand("train", default=Train(saved, folder))
    commands: Any = (
        Annotated[Rollout, subcommand("rollout")]
        | Annotated[Warmup, subcommand("warmup")]
        | Annotated[Train, train]
        | Annotated[Eval, subcommand("eval")]
        | Annotated[Report, subcommand("report")]
    )
    return tyro.cli(
        commands,
        prog="gui-agents",
        description="Vision-language agents for GUI Gym: act, warm up, train, measure, report.",
        args=list(argv),
        config=(tyro.conf.AvoidSubcommands,),
    )


def _resumed(argv: Sequence[str]) -> Path | None:
    if not argv or argv[0] != "train":
        return None
    for i, argument in enumerate(argv):
        name, _, value = argument.partition("=")
        if name == "--resume" and (value or i + 1 < len(argv)):
            return Path(value or argv[i + 1])
    return None
