"""``gui-agents annotate``: thoughts for demonstrations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tyro.conf import arg

from agents.cli.commands import show
from agents.logs import progress
from agents.warmup.annotate import AnnotateRun, run_annotation


@dataclass
class Annotate:
    """Have a model behind an OpenAI-compatible endpoint write the thoughts before the actions of demonstrations, for a warm-up that thinks.

    Args:
        config: of the run.
        json: print JSON instead of a table.
    """

    config: Annotated[AnnotateRun, arg(name="")]
    json: bool = False

    def run(self) -> int:
        with progress("annotate", self.config.episodes) as bar:
            report = run_annotation(self.config, bar.update)
        reasons = report["missing_reasons"]
        figures = report if self.json else report | {"missing_reasons": "; ".join(f"{n} x {reason}" for reason, n in reasons.items())}
        show(figures, self.json)
        return 0 if report["thoughts"] else 1
