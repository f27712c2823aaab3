"""A thousand resets of a real desktop leave nothing behind: what is there after a hundred is all that is there after a thousand."""

from __future__ import annotations

import gc
import os
import tempfile
import threading
from pathlib import Path

import numpy as np
import pytest

from gui_gym import Action
from gui_gym.tasks import Task

pytest.importorskip("xcffib")
pytestmark = pytest.mark.usefixtures("require_x11")

EMPTY = Task("empty", "test", "do nothing")
WITH_FILE = Task("file", "test", "do nothing", ({"type": "execute", "parameters": {"command": ["touch", "file.txt"]}},))
FIRST, LAST = 100, 1000
MEMORY_MB = 12  #: what the allocator may keep besides: 900 leaks of a frame would be 700 MB, 900 of 20 kB are found


def in_use(desktop) -> dict[str, int]:
    """Counts of what a reset could leak, while nothing is being started or ended."""
    from gui_gym.desktops.x11.pid1 import descendants
    from gui_gym.desktops.x11.pool import pool

    assert pool().wait(60)
    for ending in pool()._endings:
        ending.join(60)
    gc.collect()
    server = next(pid for pid in descendants(desktop._live.session._process.pid) if Path(f"/proc/{pid}/comm").read_text() == "Xvfb\n")
    return {
        "file descriptors": len(os.listdir("/proc/self/fd")),
        "processes": len(descendants(os.getpid())),
        "threads": threading.active_count(),
        "threads of the kernel": len(os.listdir("/proc/self/task")),
        "mappings": len(Path("/proc/self/maps").read_text().splitlines()),
        "X clients": len(os.listdir(f"/proc/{server}/fd")),
        "temporary files": len(os.listdir(tempfile.gettempdir())),
        "memory": int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20,
    }


@pytest.mark.timeout(1800)
def test_a_thousand_resets_leak_nothing(tmp_path, monkeypatch):
    from gui_gym.desktops.x11 import X11Desktop

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    desktop = X11Desktop(640, 400)
    frame = np.empty((400, 640, 3), np.uint8)
    counts: dict[int, dict[str, int]] = {}
    try:
        for i in range(1, LAST + 1):
            desktop.reset(WITH_FILE if i % 10 < 3 else EMPTY, i)  # blank spares, spares with a setup, and none
            for place in range(3):
                desktop.perform(Action.move(10 * place, i % 400))
                desktop.screenshot(frame)
            assert frame.any() and desktop.cursor == (20, i % 400)
            if i in (FIRST, LAST):
                counts[i] = in_use(desktop)
        print(counts)
        memory = {i: count.pop("memory") for i, count in counts.items()}
        mappings = {i: count.pop("mappings") for i, count in counts.items()}
        assert counts[LAST] == counts[FIRST]
        assert mappings[LAST] <= mappings[FIRST] + 20 and memory[LAST] <= memory[FIRST] + MEMORY_MB, (mappings, memory)
    finally:
        desktop.close()
    from gui_gym.desktops.x11.pid1 import descendants

    assert descendants(os.getpid()) == [] and os.listdir(tmp_path) == []
