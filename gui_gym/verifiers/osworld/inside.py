"""Programs that work on an agent's files inside the desktop's sandbox: in a folder of their own, bounded in time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from gui_gym.desktops.base import Completed, Desktop, DesktopError
from gui_gym.tasks.setup.commands import check_program

_NOT_STARTED = (125, 126, 127)  # exit statuses of ``timeout`` for a program that it could not start, or the program's own
_KILLED = (124, 137)  # exit statuses of ``timeout`` for a program that did not end


@contextmanager
def new_folder_inside(desktop: Desktop) -> Iterator[str]:
    """The path of a new folder on the desktop, which is removed afterwards."""
    made = desktop.run(["mktemp", "-d"])
    folder = made.stdout.decode().strip()
    if made.returncode or not folder.startswith("/"):
        raise DesktopError(f"the desktop made no folder: {made.stderr.decode(errors='replace').strip()!r:.200}")
    try:
        yield folder
    finally:
        desktop.run(["rm", "-rf", folder])


def run_inside(desktop: Desktop, argv: Sequence[str], seconds: int) -> Completed | None:
    """Run a program on the desktop; None if it did not end within ``seconds``. :class:`DesktopError` if the desktop has no such program."""
    done = desktop.run(["timeout", "-k", "1", str(seconds), *argv], timeout=seconds + 30.0)
    if done.returncode in _NOT_STARTED:
        check_program(desktop, argv[0])
    return None if done.returncode in _KILLED else done
