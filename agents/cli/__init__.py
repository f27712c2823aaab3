"""``gui-agents``: let a policy act, warm it up, train it, measure it, report on it. Needs the ``train`` extra."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command in ``argv`` (default: the process's arguments) and return its exit status.

    1: it failed on the way. 2: it was asked for what does not exist or cannot be. 130 or 143: it was interrupted, by SIGINT or SIGTERM.
    """
    # before torch is imported: threads that spin while they wait slow a busy machine down several times
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    argv = list(sys.argv[1:] if argv is None else argv)
    try:
        from agents.cli.parse import parse
    except ModuleNotFoundError as error:
        print(f'gui-agents: {error.name} is missing: pip install "gui-gym[train]"', file=sys.stderr)
        return 2
    from torch import OutOfMemoryError
    from transformers.utils import logging

    from agents.distributed import ProcessError
    from agents.engines.base import EngineError
    from agents.grpo.checkpoint import CheckpointError
    from agents.grpo.learner import EngineMismatchError
    from agents.grpo.trainer import NothingScoredError
    from agents.interrupts import Interrupted
    from agents.logs import plain_warnings
    from agents.optimiser import DivergedError
    from agents.warmup.demonstrations import DemonstrationError
    from gui_gym.desktops import DesktopError
    from gui_gym.registry import UnknownNameError

    of_run = (DemonstrationError, DivergedError, EngineError, EngineMismatchError, FloatingPointError, NothingScoredError, ProcessError)
    failures = (DesktopError, OSError, OutOfMemoryError, *of_run)
    logging.disable_progress_bar()  # of loading weights: the commands show their own
    sys.path.insert(0, os.getcwd())  # a reward may be in a module of the user's, as module:name
    try:
        with plain_warnings("gui-agents: "):
            return parse(argv).run()
    except (UnknownNameError, CheckpointError, FileNotFoundError, FileExistsError, ModuleNotFoundError, ValueError) as error:
        print(f"gui-agents: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError as error:
        if not _unread():
            print(f"gui-agents: {error}", file=sys.stderr)
            return 1
        sys.stderr.close()
        return 0
    except failures as error:
        print(f"gui-agents: {error}", file=sys.stderr)
        return 1
    except Interrupted as stop:
        print(f"gui-agents: {stop}", file=sys.stderr)
        return stop.status
    except KeyboardInterrupt:
        print("gui-agents: interrupted" + (": train --resume goes on from the last checkpoint" if "train" in argv else ""), file=sys.stderr)
        return 130


def _unread() -> bool:
    """Whether whatever read standard output, such as head, had enough."""
    poll = select.poll()
    poll.register(1, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))
