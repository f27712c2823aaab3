"""The ``osworld`` suite: task files in OSWorld's JSON format on a real desktop."""

from __future__ import annotations

import logging
import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gui_gym.assets_path import asset
from gui_gym.registry import unknown
from gui_gym.tasks.content_cache import missing_files
from gui_gym.tasks.osworld_file import load_task, read_object
from gui_gym.tasks.setup import asked_addresses, needed_programs, unsupported_steps
from gui_gym.tasks.solutions import read_solution
from gui_gym.tasks.task import Suite, Task, TaskError, split_range
from gui_gym.verifiers.osworld import missing_parts

if TYPE_CHECKING:
    from gui_gym.actions import Action
    from gui_gym.desktops.base import Desktop

logger = logging.getLogger(__name__)

CACHE_VARIABLE = "GUI_GYM_OSWORLD_CACHE"


class OSWorldSuite(Suite):
    """Tasks as OSWorld writes them (``id``, ``instruction``, ``config``, ``evaluator``), read unchanged.

    ``tasks`` is a folder laid out as OSWorld's ``evaluation_examples`` (``examples/<domain>/<id>.json``), a plain
    folder of task files, or a list file such as ``test_small.json`` (``{domain: [id, ...]}``) that chooses among the
    ``examples`` beside it. None: the tasks shipped with this package.

    Nothing is downloaded. What a task's steps and getters name by URL is looked for in the content cache, a folder as
    OSWorld's client fills it (:mod:`gui_gym.tasks.content_cache`): ``$GUI_GYM_OSWORLD_CACHE``, or ``cache`` in the
    folder of tasks.

    A task is fixed, so a ``split`` has nothing to choose: every split holds every task. Keep train and test apart by
    giving two folders or two list files.

    Args:
        tasks: folder of tasks or list file; None for the shipped ones.
        assets: the content cache, where it is elsewhere.

    Raises:
        TaskError: no such folder, or no tasks in it.
    """

    name = "osworld"
    desktop = "x11"
    pure_verifier = False

    def __init__(self, tasks: str | None = None, assets: str | None = None):
        path = asset("tasks", "osworld") if tasks is None else Path(tasks).expanduser()
        self._list = path if path.is_file() else None
        self.root = path.parent if path.is_file() else path
        if not self.root.is_dir():
            raise TaskError(f"{path}: expected a folder of task files or a list file such as test_small.json")
        self.cache = Path(assets or os.environ.get(CACHE_VARIABLE) or self.root / "cache").expanduser()

    @cached_property
    def _files(self) -> list[Path]:
        examples = self.root / "examples"
        if self._list:
            return [examples / domain / f"{i}.json" for domain, i in _listed(self._list)]
        files = sorted(examples.glob("*/*.json")) if examples.is_dir() else sorted(self.root.glob("*.json"))
        if not files:
            raise TaskError(f"{self.root}: expected task files: examples/<domain>/<id>.json or <id>.json, got none")
        return files

    @cached_property
    def _all(self) -> dict[str, Task]:
        found: dict[str, Task] = {}
        for path in self._files:
            task = self._load(path)
            if task.id in found:
                raise TaskError(f"{path}: id: expected one that no other file has, got {task.id!r}, as in {found[task.id].params['file']}")
            found[task.id] = task
        return found

    def _load(self, path: Path) -> Task:
        return load_task(path, self.root, self.cache)

    def ids(self) -> list[str]:
        """Ids of all its tasks, sorted. Reads every file; :class:`TaskError` at the first that is malformed."""
        return sorted(self._all)

    def get(self, task_id: str) -> Task:
        """The task of that id, whether it can run here or not (:meth:`missing`)."""
        for path in self._files:  # files are named by id as a rule: then no other file need be read
            if path.stem == task_id and (task := self._load(path)).id == task_id:
                return task
        if task_id not in self._all:
            raise unknown("osworld task", task_id, self._all)
        return self._all[task_id]

    def missing(self, task: Task) -> list[str]:
        """What this installation, the content cache or a desktop without network lacks for ``task``, one line each; empty if it can run."""
        problems = [*unsupported_steps(task.setup, "config"), *missing_files(task, task.setup), *missing_parts(task, self.network)]
        steps = [*task.setup, *(task.verifier.get("postconfig") or [])]
        if not self.network:
            problems += [f"it needs {address}, and the desktop does not reach the Internet" for address in dict.fromkeys(asked_addresses(steps))]
        if self.has_program is not None:
            programs = [program for program in dict.fromkeys(needed_programs(steps)) if not self.has_program(program)]
            problems += [f"the program {program!r} is not on the desktop" for program in programs]
        return problems

    def draw(
        self,
        rng: np.random.Generator,
        task_id: str | None = None,
        split: str = "train",
        infeasible_rate: float = 0.0,
        difficulty: str | None = None,
    ) -> Task:
        """A task: that of ``task_id``, or any that can run here. ``split`` must be a known one and chooses nothing.

        Raises :class:`TaskError` that lists what is missing if ``task_id``, or every task, cannot run here, and for a ``difficulty``.
        """
        split_range(split)
        if difficulty is not None:
            raise TaskError(f"difficulty is {difficulty!r}: the tasks of suite {self.name!r} are not graded, expected None")
        if task_id is not None:
            task = self.get(task_id)
            if missing := self.missing(task):
                raise TaskError(f"task {task.id!r} cannot run here: {'; '.join(missing)}")
            return task
        infeasible = infeasible_rate > 0 and rng.random() < infeasible_rate
        pool = [task for task in self._runnable if task.feasible is not infeasible]
        if not pool:
            kind = "infeasible" if infeasible else "feasible"
            raise TaskError(f"{self.root}: expected {kind} tasks that can run here, got none of {len(self._all)}; name one to see what it lacks")
        return pool[int(rng.integers(len(pool)))]

    @cached_property
    def _runnable(self) -> list[Task]:
        tasks = [self._all[i] for i in self.ids()]
        runnable = [task for task in tasks if not self.missing(task)]
        if len(runnable) < len(tasks):
            logger.warning("%d of %d osworld tasks cannot run here and are not drawn", len(tasks) - len(runnable), len(tasks))
        return runnable

    def solution(self, task: Task, desktop: Desktop) -> list[Action]:
        """The actions in ``solutions/<id>.json`` (:mod:`gui_gym.tasks.solutions`) of the task folder, else of the tasks shipped with this package.

        Raises :class:`TaskError` if there is no such file, it cannot be read, or it is for another screen than ``desktop``'s.
        """
        for root in (self.root, asset("tasks", "osworld")):
            if (path := root / "solutions" / f"{task.id}.json").is_file():
                return read_solution(path, desktop)
        return super().solution(task, desktop)


def _listed(path: Path) -> list[tuple[str, str]]:
    """``(domain, id)`` of a list file."""
    lists = read_object(path)
    pairs = []
    for domain, ids in lists.items():
        if not isinstance(ids, list) or not all(isinstance(i, str) and i for i in ids):
            raise TaskError(f"{path}: {domain}: expected a list of task ids, got {ids!r:.120}")
        pairs += [(domain, i) for i in ids]
    for domain, i in pairs:
        if any(part in (".", "..") or "/" in part or "\\" in part or "\0" in part for part in (domain, f"{i}")):
            raise TaskError(f"{path}: {domain}: expected plain names, got {i!r}")
    return pairs
