"""What the host sees of x11 desktops, and how tests wait."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gui_gym.desktops.x11.pid1 import descendants, left_by_server
from gui_gym.desktops.x11.sandbox import has_program
from gui_gym.tasks import Task

EMPTY = Task("empty", "test", "do nothing")


def needs(*programs: str) -> pytest.MarkDecorator:
    """Skips a test where a desktop lacks one of ``programs``."""
    missing = [program for program in programs if not has_program(program)]
    return pytest.mark.skipif(bool(missing), reason=f"needs {', '.join(missing)}")


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


def own_processes(marker: str) -> list[int]:
    """Those of them that this process, or one it started, has started."""
    return sorted(set(host_processes(marker)) & set(descendants(os.getpid())))


def host_leftovers(temporary: Path, display: str) -> list[str]:
    """What a desktop could leave on this machine: files in its folder for temporary ones, and those of its X server."""
    return [path for path in (*map(str, temporary.iterdir()), *left_by_server(display.lstrip(":"))) if os.path.lexists(path)]


def eventually(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Whether ``condition`` comes true; the bound only keeps a failing test from hanging."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()
