"""``gui-gym``: list tasks, play and show them, prove that they are honest, measure this machine. Needs the ``cli`` extra."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from gui_gym.desktops import DesktopError
from gui_gym.registry import UnknownNameError
from gui_gym.tasks import TaskError


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command in ``argv`` (default: the process's arguments) and return its exit status.

    1: the command found something wrong. 2: it was asked for what does not exist or cannot be.
    """
    try:
        import rich  # noqa: F401
        import tyro
    except ModuleNotFoundError as error:
        print(f'gui-gym: the command line needs {error.name}: pip install "gui-gym[cli]"', file=sys.stderr)
        return 2
    from gui_gym.cli.assets import Assets
    from gui_gym.cli.bench import Bench
    from gui_gym.cli.doctor import Doctor
    from gui_gym.cli.fuzz import Fuzz
    from gui_gym.cli.gallery import Gallery
    from gui_gym.cli.play import Play
    from gui_gym.cli.serve import Serve
    from gui_gym.cli.tasks import Tasks
    from gui_gym.cli.verify import Verify

    commands: dict[str, Callable[..., Any]] = {
        "tasks": Tasks, "play": Play, "gallery": Gallery, "verify": Verify, "fuzz": Fuzz, "bench": Bench, "doctor": Doctor, "assets": Assets,
        "serve": Serve,
    }  # fmt: skip
    command = tyro.extras.subcommand_cli_from_dict(
        commands,
        prog="gui-gym",
        description="Desktops, tasks and verifiers for agents that look at a screen.",
        args=argv,
        config=(tyro.conf.FlagCreatePairsOff,),
    )
    try:
        return command.run()
    except (UnknownNameError, TaskError, DesktopError, ValueError, ImportError) as error:
        print(f"gui-gym: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, such as head, had enough
        sys.stderr.close()
        return 0
