"""``gui-gym gallery``: see every task family on one page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from gui_gym.recording.gallery import write_gallery


@dataclass
class Gallery:
    """Write one HTML page with every task family: picture, instruction, and the scripted solution as an animation."""

    task: Annotated[tuple[str, ...], tyro.conf.Positional] = ()
    """Families; by default all of the suite."""
    out: Path = Path("gallery.html")
    """The page to write."""
    suite: str = "sim"
    """Name of the suite of tasks."""
    seed: int = 0
    """Which instances are shown."""
    width: int = 640
    """Width of the screen, in pixels."""
    height: int = 400
    """Height of the screen, in pixels."""

    def run(self) -> int:
        path = write_gallery(self.out, self.suite, self.task, self.seed, (self.width, self.height))
        print(f"{path} ({path.stat().st_size / 1e6:.1f} MB)")
        return 0
