"""``gui-gym bench``: how fast desktops are here, each figure beside a peer or a limit measured in the same run."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gui_gym.benchmarks import PARTS, Record
from gui_gym.cli.output import print_json, print_table
from gui_gym.desktops import DesktopError


@dataclass
class Bench:
    """Measure this machine: each part takes under a minute on two cores."""

    only: Literal["sim", "x11"] | None = None
    """Measure this part alone; by default all that can run here."""
    json: bool = False
    """Print a JSON list of {name, value, unit, reference, ratio, peer, peer_ratio} instead of a table."""
    peers: Path | None = None
    """A Python that has MiniWoB++ (pip install miniwob; Chromium and chromedriver installed), what OSWorld's guests run (pip install flask
    pyautogui pillow), or both: measure them in the same run. Make one with: python -m venv peers && peers/bin/pip install miniwob flask
    pyautogui pillow, then --peers peers/bin/python."""

    def run(self) -> int:
        records: list[Record] = []
        failed = False
        parts: dict[str, Callable[[], list[Record]]] = {
            part: lambda part=part: importlib.import_module(PARTS[part]).run()  # type: ignore[misc]
            for part in ([self.only] if self.only else PARTS)
        }
        if self.peers:
            parts["peers"] = lambda: importlib.import_module("gui_gym.benchmarks.peers").run(self.peers)
        for part, run in parts.items():
            try:
                records += run()
            except (DesktopError, ImportError) as error:
                print(f"gui-gym bench: {part} cannot run here: {error}", file=sys.stderr)
                failed = True
        if self.json:
            print_json(records)
        elif records:
            columns = ("name", "value", "unit", "reference", "ratio", "peer", "peer_ratio")
            print_table(records, columns, right=("value", "reference", "ratio", "peer", "peer_ratio"))
        return 1 if failed and (self.only or self.peers or not records) else 0
