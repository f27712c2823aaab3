"""``gui-gym play``: a person plays a task in the browser."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from gui_gym.cli.play_server import serve
from gui_gym.cli.play_session import Session


@dataclass
class Play:
    """Play tasks by hand in a web page that only this machine and only the printed address can open."""

    task: Annotated[str | None, tyro.conf.Positional] = None
    """Id of a task or family (see gui-gym tasks); by default any of the suite."""
    suite: str = "sim"
    """Name of the suite of tasks."""
    tasks: str | None = None
    """Folder of task files, for suites that read them (osworld)."""
    difficulty: str | None = None
    """Difficulty of the instances, such as easy, hard or mixed; by default the suite's usual one."""
    desktop: str | None = None
    """Kind of desktop, such as sim or x11; by default the suite's own."""
    width: int = 1280
    """Width of the screen, in pixels."""
    height: int = 720
    """Height of the screen, in pixels."""
    seed: int = 0
    """Seed of the first episode."""
    max_steps: int = 200
    """Steps after which an episode is cut off."""
    port: int = 0
    """TCP port on 127.0.0.1; 0 takes a free one."""
    record: Path | None = None
    """Folder to record the episodes in, each in a folder of its own; by default nothing is kept."""

    def run(self) -> int:
        env_kwargs = {name: getattr(self, name) for name in ("suite", "task", "difficulty", "desktop", "width", "height", "max_steps", "tasks")}
        serve(Session(env_kwargs, self.seed, self.record), self.port)
        return 0
