"""What the host sees of x11 desktops, and how tests wait."""

from __future__ import annotations

import glob
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from gui_gym.tasks import Task

EMPTY = Task("empty", "test", "do nothing")


def host_processes(marker: str) -> list[int]:
    """Processes on this machine whose command line holds ``marker``."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                command = (folder / "cmdline").read_bytes()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if marker.encode() in command:
                found.append(int(folder.name))
    return found


def host_leftovers() -> set[str]:
    """What a desktop could leave on this machine's file systems."""
    places = {tempfile.gettempdir(), "/tmp", "/dev/shm"}
    return (
        {path for place in places for path in glob.glob(f"{place}/*gui-gym*")} | set(glob.glob("/tmp/.X*-lock")) | set(glob.glob("/tmp/.X11-unix/*"))
    )


def eventually(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Whether ``condition`` comes true; the bound only keeps a failing test from hanging."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()
