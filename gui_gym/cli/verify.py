"""``gui-gym verify``: is every task solved by its solution, and by nothing else?"""

from __future__ import annotations

import os
import sys
import traceback
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import tyro

from gui_gym.cli.output import print_json, print_table
from gui_gym.tasks import load_suite
from gui_gym.tasks.audit import Tally, audit

_WORST = {  #: how the difficulties of a family make one figure
    "scripted": min, "random": max, "no_op": max, "always_fail": max, "damage": max, "scripted_side_effects": max,
}  # fmt: skip


@dataclass
class Verify:
    """Measure what solves the tasks of a suite: the scripted solution (ought to be 1), and doing nothing, failing, a random policy and
    solutions that are ruined afterwards (ought to be 0; a random policy less than --limit). Exit status 1 if anything is not so."""

    task: Annotated[tuple[str, ...], tyro.conf.Positional] = ()
    """Tasks or families; by default all of the suite."""
    suite: str = "sim"
    """Name of the suite of tasks."""
    seeds: int = 200
    """Instances of each family at each difficulty."""
    random_instances: int | None = None
    """Instances the random policy tries, 50 actions on each; by default as many as --seeds."""
    limit: float = 0.02
    """Share of instances that the random policy may not reach."""
    difficulty: str | None = None
    """Only this difficulty; by default each that the suite has."""
    width: int = 1280
    """Width of the screen, in pixels."""
    height: int = 720
    """Height of the screen, in pixels."""
    split: str = "test"
    """Split the instances are drawn from."""
    jobs: int = os.cpu_count() or 1
    """Processes."""
    json: bool = False
    """Print a JSON list, a record for each family with its worst figures and those of each difficulty, instead of a table."""

    def run(self) -> int:
        if min(self.seeds, self.jobs) < 1:
            raise ValueError(f"expected at least one seed and one job, got {self.seeds} and {self.jobs}")
        suite = load_suite(self.suite)
        ids = list(self.task) or suite.ids()
        for task_id in ids:
            suite.get(task_id)
        levels = {task_id: self._levels(suite.describe(task_id)) for task_id in ids}
        work = [(task_id, level) for task_id in ids for level in levels[task_id]]
        settings = {
            "suite": self.suite, "seeds": self.seeds, "size": (self.width, self.height), "split": self.split,
            "random_instances": self.seeds if self.random_instances is None else self.random_instances,
        }  # fmt: skip
        tallies: dict[str, list[Tally]] = {task_id: [] for task_id in ids}
        with ProcessPoolExecutor(self.jobs) as pool:
            for (task_id, _), tally in zip(work, pool.map(partial(_measure, settings), work), strict=True):
                tallies[task_id].append(tally)
                for problem in [*tally.faults(self.limit), *tally.problems]:
                    print(f"gui-gym verify: {task_id} ({tally.difficulty or 'ungraded'}): {problem}", file=sys.stderr)
        records = [self._record(task_id, each) for task_id, each in tallies.items()]
        if self.json:
            print_json(records)
        else:
            print_table(records, ("id", "ok", *_WORST, "infeasible"), right=(*_WORST, "infeasible"))
            print(f"{sum(record['ok'] for record in records)} of {len(records)} are as they ought to be.")
        return 0 if all(record["ok"] for record in records) else 1

    def _levels(self, about: dict[str, Any]) -> list[str | None]:
        levels: list[str | None] = list(about.get("difficulties", [None]))
        if self.difficulty is None:
            return levels
        if self.difficulty not in levels:
            raise ValueError(f"difficulty is {self.difficulty!r}: expected one of {', '.join(map(str, levels))}")
        return [self.difficulty]

    def _record(self, task_id: str, tallies: list[Tally]) -> dict[str, Any]:
        known = [tally.infeasible for tally in tallies if tally.infeasible is not None]
        return {
            "id": task_id,
            "ok": not any(tally.faults(self.limit) for tally in tallies),
            **{name: worst(getattr(tally, name) for tally in tallies) for name, worst in _WORST.items()},
            "infeasible": min(known) if known else None,
            "seeds": self.seeds,
            "difficulties": [tally.as_dict() for tally in tallies],
        }


def _measure(settings: dict[str, Any], item: tuple[str, str | None]) -> Tally:
    task_id, difficulty = item
    rest = {name: value for name, value in settings.items() if name != "suite"}
    try:
        return audit(load_suite(settings["suite"]), task_id, difficulty, **rest)
    except Exception as error:  # a family with a bug must not hide what the others do; it counts as unsolved
        where = traceback.extract_tb(error.__traceback__)[-1]
        return Tally(difficulty, problems=[f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"])
