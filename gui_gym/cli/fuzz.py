"""``gui-gym fuzz``: does anything a hand could do break the desktop?"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import tyro

from gui_gym.cli.output import print_json
from gui_gym.tasks import load_suite
from gui_gym.tasks.fuzz import EPISODE, Fuzzed, fuzz


@dataclass
class Fuzz:
    """Do random actions on every family in turn and check all that must hold. Exit status 1 if something did not."""

    task: Annotated[tuple[str, ...], tyro.conf.Positional] = ()
    """Tasks or families; by default all of the suite."""
    actions: int = 100_000
    """Actions in all, in episodes of 200."""
    suite: str = "sim"
    """Name of the suite of tasks."""
    difficulty: str | None = None
    """Difficulty of the instances, such as hard or mixed; by default the suite's usual one."""
    width: int = 640
    """Width of the screen, in pixels."""
    height: int = 400
    """Height of the screen, in pixels."""
    seed: int = 0
    """Seed of the actions and instances."""
    jobs: int = os.cpu_count() or 1
    """Processes."""
    json: bool = False
    """Print a JSON object {actions, episodes, types, failures, seconds} instead of text."""

    def run(self) -> int:
        if min(self.actions, self.jobs) < 1:
            raise ValueError(f"expected at least one action and one job, got {self.actions} and {self.jobs}")
        suite = load_suite(self.suite)
        suite.screen = (self.width, self.height)
        ids = list(self.task) or suite.ids()
        for task_id in ids:
            suite.get(task_id)
        start, episodes = time.monotonic(), -(-self.actions // EPISODE)
        parts = [(ids[i :: self.jobs] or ids, episodes // self.jobs + (i < episodes % self.jobs), self.seed + i) for i in range(self.jobs)]
        work = partial(_part, self.suite, (self.width, self.height), self.difficulty)
        with ProcessPoolExecutor(self.jobs) as pool:
            results = list(pool.map(work, *zip(*parts, strict=True)))
        total = Fuzzed(sum(r.actions for r in results), sum(r.episodes for r in results), sum((r.types for r in results), Counter()))
        total.failures = [failure for r in results for failure in r.failures]
        seconds = time.monotonic() - start
        if self.json:
            print_json({**total.as_dict(), "seconds": round(seconds, 1)})
        else:
            print(f"{total.actions:,} actions in {total.episodes:,} episodes on {len(ids)} families, {len(total.failures)} failures, {seconds:.0f} s")
        for failure in total.failures[:20]:
            print(f"gui-gym fuzz: {failure}", file=sys.stderr)
        return 1 if total.failures else 0


def _part(suite: str, size: tuple[int, int], difficulty: str | None, tasks: list[str], episodes: int, seed: int) -> Fuzzed:
    return fuzz(suite, tasks, episodes, seed, size, difficulty)
