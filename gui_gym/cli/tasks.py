"""``gui-gym tasks``: what there is to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gui_gym.cli.output import print_json, print_table
from gui_gym.tasks import Suite, load_suite


@dataclass
class Tasks:
    """List the tasks of a suite: a record for each task, or each family of generated tasks."""

    suite: str = "sim"
    """Name of the suite, such as sim or osworld."""
    tasks: str | None = None
    """Folder of task files, for suites that read them (osworld)."""
    json: bool = False
    """Print JSON instead of a table."""

    def run(self) -> int:
        suite = load_suite(self.suite, **({} if self.tasks is None else {"tasks": self.tasks}))
        records = [describe(suite, task_id) for task_id in suite.ids()]
        if self.json:
            print_json(records)
        else:
            print_table(records, ("id", "instruction", "feasible", "max_steps"), right=("max_steps",))
        return 0


def describe(suite: Suite, task_id: str) -> dict[str, Any]:
    """``id``, ``suite``, ``instance`` (the id of the task shown), ``instruction``, ``feasible``, ``max_steps`` in steps, and
    what :meth:`Suite.describe` adds: for ``sim`` ``skills``, ``has_infeasible`` and ``doc``."""
    task = suite.get(task_id)
    return {
        "id": task_id,
        "suite": suite.name,
        "instance": task.id,
        "instruction": task.instruction,
        "feasible": task.feasible,
        "max_steps": task.max_steps,
        **suite.describe(task_id),
    }
