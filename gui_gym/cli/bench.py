"""``gui-gym bench``: how fast desktops are here, each figure beside a peer or a limit measured in the same run."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from typing import Literal

from gui_gym.benchmarks import PARTS, Record
from gui_gym.cli.output import print_json, print_table
from gui_gym.desktops import DesktopError


@dataclass
class Bench:
    """Measure this machine: each part takes under 45 seconds on two cores."""

    only: Literal["sim", "x11"] | None = None
    """Measure this part alone; by default all that can run here."""
    json: bool = False
    """Print a JSON list of {name, value, unit, reference, ratio} instead of a table."""

    def run(self) -> int:
        records: list[Record] = []
        failed = False
        for part in [self.only] if self.only else PARTS:
            try:
                records += importlib.import_module(PARTS[part]).run()
            except (DesktopError, ImportError) as error:
                print(f"gui-gym bench: {part} cannot run here: {error}", file=sys.stderr)
                failed = True
        if self.json:
            print_json(records)
        elif records:
            print_table(records, ("name", "value", "unit", "reference", "ratio"), right=("value", "ratio"))
        return 1 if failed and (self.only or not records) else 0
