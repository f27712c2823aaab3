"""``gui-gym verify``: is every task solved by its solution, and by nothing else?"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar

import tyro

from gui_gym.cli.output import print_json, print_table
from gui_gym.cli.tasks import open_suite
from gui_gym.tasks import Suite, load_suite
from gui_gym.tasks.audit import Tally, audit
from gui_gym.tasks.trial import Trial, try_task

_WORST = {  #: how the difficulties of a family make one figure
    "scripted": min, "random": max, "no_op": max, "always_fail": max, "damage": max, "scripted_side_effects": max,
}  # fmt: skip
T = TypeVar("T")
R = TypeVar("R")


@dataclass
class Verify:
    """Measure what solves the tasks of a suite. Exit status 1 if anything is not as it ought to be.

    Generated tasks (sim): the scripted solution (ought to be 1), and doing nothing, failing, a random policy and solutions that are
    ruined afterwards (ought to be 0; a random policy less than --limit). Tasks of real desktops (osworld): each that can run here and
    has a scripted solution is played through the env by it (1) and by doing nothing (0).
    """

    task: Annotated[tuple[str, ...], tyro.conf.Positional] = ()
    """Tasks or families; by default all of the suite."""
    suite: str = "sim"
    """Name of the suite of tasks."""
    tasks: str | None = None
    """Folder of task files, for suites that read them (osworld)."""
    assets: str | None = None
    """Folder of the files that such tasks download."""
    seeds: int | None = None
    """Instances of each family at each difficulty, by default 200; runs of a task of a real desktop, by default 1."""
    random_instances: int | None = None
    """Instances the random policy tries, 50 actions on each; by default as many as --seeds."""
    limit: float = 0.02
    """Share of instances that the random policy may not reach."""
    difficulty: str | None = None
    """Only this difficulty; by default each that the suite has."""
    width: int | None = None
    """Width of the screen, in pixels; by default 1280, and 1920 on real desktops."""
    height: int | None = None
    """Height of the screen, in pixels; by default 720, and 1080 on real desktops."""
    split: str = "test"
    """Split the instances are drawn from."""
    desktop: str | None = None
    """Kind of desktop or address of a guest, for tasks of real desktops; by default the suite's own kind."""
    record: Path | None = None
    """Folder to record the scripted solutions in, for tasks of real desktops."""
    jobs: int | None = None
    """Processes; by default as many as processors, and one on real desktops."""
    json: bool = False
    """Print a JSON list, a record for each family with its worst figures and those of each difficulty, or for each task, instead of a table."""

    def run(self) -> int:
        if any(number is not None and number < 1 for number in (self.seeds, self.jobs)):
            raise ValueError(f"expected at least one seed and one job, got {self.seeds} and {self.jobs}")
        suite = open_suite(self.suite, self.tasks, self.assets)
        ids = list(self.task) or suite.ids()
        for task_id in ids:
            suite.get(task_id)
        return self._families(suite, ids) if suite.pure_verifier else self._trials(ids)

    # -- generated tasks ---------------------------------------------------------------------------------------------

    def _families(self, suite: Suite, ids: list[str]) -> int:
        levels = {task_id: self._levels(suite.describe(task_id)) for task_id in ids}
        work = [(task_id, level) for task_id in ids for level in levels[task_id]]
        seeds = self.seeds or 200
        settings = {
            "suite": self.suite, "seeds": seeds, "size": (self.width or 1280, self.height or 720), "split": self.split,
            "random_instances": seeds if self.random_instances is None else self.random_instances,
        }  # fmt: skip
        tallies: dict[str, list[Tally]] = {task_id: [] for task_id in ids}
        for (task_id, _), tally in zip(work, _each(partial(_measure, settings), work, self.jobs or os.cpu_count() or 1), strict=True):
            tallies[task_id].append(tally)
            for problem in [*tally.faults(self.limit), *tally.problems]:
                print(f"gui-gym verify: {task_id} ({tally.difficulty or 'ungraded'}): {problem}", file=sys.stderr)
        records = [self._record(task_id, each, seeds) for task_id, each in tallies.items()]
        return self._print(records, ("id", "ok", *_WORST, "infeasible"))

    def _levels(self, about: dict[str, Any]) -> list[str | None]:
        levels: list[str | None] = list(about.get("difficulties", [None]))
        if self.difficulty is None:
            return levels
        if self.difficulty not in levels:
            raise ValueError(f"difficulty is {self.difficulty!r}: expected one of {', '.join(map(str, levels))}")
        return [self.difficulty]

    def _record(self, task_id: str, tallies: list[Tally], seeds: int) -> dict[str, Any]:
        known = [tally.infeasible for tally in tallies if tally.infeasible is not None]
        return {
            "id": task_id,
            "ok": not any(tally.faults(self.limit) for tally in tallies),
            **{name: worst(getattr(tally, name) for tally in tallies) for name, worst in _WORST.items()},
            "infeasible": min(known) if known else None,
            "seeds": seeds,
            "difficulties": [tally.as_dict() for tally in tallies],
        }

    # -- tasks of real desktops --------------------------------------------------------------------------------------

    def _trials(self, ids: list[str]) -> int:
        folders = {"tasks": self.tasks, "assets": self.assets, "desktop": self.desktop}
        env: dict[str, Any] = {"suite": self.suite, **{name: value for name, value in folders.items() if value is not None}}
        guest = self.desktop is not None and "://" in self.desktop
        env |= {"width": self.width or (None if guest else 1920), "height": self.height or (None if guest else 1080)}
        if self.desktop in (None, "x11"):
            env["spares"] = 0  # each start is used
        records = []
        for trial in _each(partial(_try, env, self.seeds or 1, self.record), ids, self.jobs or 1):
            records.append(trial.as_dict())
            for problem in trial.problems:
                print(f"gui-gym verify: {trial.id}: {problem}", file=sys.stderr)
        skipped = [record for record in records if record["skipped"]]
        if not self.json:
            for record in skipped if self.task else []:
                print(f"gui-gym verify: {record['id']} was not run: {'; '.join(record['skipped'])}", file=sys.stderr)
            if skipped:
                print(f"{len(skipped)} of {len(records)} tasks cannot run here or have no scripted solution; --json says why.")
        ran = [record for record in records if not record["skipped"]]
        return self._print(records if self.json else ran, ("id", "ok", "scripted", "no_op", "runs", "steps", "seconds"))

    def _print(self, records: list[dict[str, Any]], columns: Sequence[str]) -> int:
        if self.json:
            print_json(records)
        else:
            print_table(records, columns, right=[column for column in columns if column not in ("id", "ok")])
            print(f"{sum(record['ok'] for record in records)} of {len(records)} are as they ought to be.")
        return 0 if all(record["ok"] for record in records) else 1


def _each(function: Callable[[T], R], items: Sequence[T], jobs: int) -> Iterator[R]:
    """``function`` of each item, in as many processes as ``jobs``."""
    if jobs == 1:
        yield from map(function, items)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(function, items)


def _measure(settings: dict[str, Any], item: tuple[str, str | None]) -> Tally:
    task_id, difficulty = item
    rest = {name: value for name, value in settings.items() if name != "suite"}
    try:
        return audit(load_suite(settings["suite"]), task_id, difficulty, **rest)
    except Exception as error:  # a family with a bug must not hide what the others do; it counts as unsolved
        return Tally(difficulty, problems=[_said(error)])


def _try(env: dict[str, Any], runs: int, record: Path | None, task_id: str) -> Trial:
    try:
        return try_task(env, task_id, runs, record)
    except Exception as error:  # likewise
        return Trial(task_id, problems=[_said(error)])


def _said(error: Exception) -> str:
    where = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
