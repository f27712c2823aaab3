"""``gui-gym tasks``: what there is to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gui_gym.cli.output import print_json, print_table
from gui_gym.desktops import DESKTOPS
from gui_gym.tasks import Suite, load_suite


@dataclass
class Tasks:
    """List the tasks of a suite: a record for each task, or each family of generated tasks."""

    suite: str = "sim"
    """Name of the suite, such as sim or osworld."""
    tasks: str | None = None
    """Folder of task files, for suites that read them (osworld)."""
    assets: str | None = None
    """Folder of the files that such tasks download; gui-gym assets fills it."""
    coverage: bool = False
    """Say instead how much of the tasks' setup and evaluators is supported, and what can run here (osworld)."""
    json: bool = False
    """Print JSON instead of a table."""

    def run(self) -> int:
        suite = open_suite(self.suite, self.tasks, self.assets)
        if self.coverage:
            return self._coverage(suite)
        records = [describe(suite, task_id) for task_id in suite.ids()]
        if self.json:
            print_json(records)
        else:
            print_table(records, ("id", "instruction", "feasible", "max_steps"), right=("max_steps",))
        return 0

    def _coverage(self, suite: Suite) -> int:
        from gui_gym.tasks.coverage import coverage
        from gui_gym.tasks.osworld import OSWorldSuite

        if not isinstance(suite, OSWorldSuite):
            raise ValueError(f"coverage is of suites in OSWorld's format; the tasks of {suite.name!r} are all supported")
        found = coverage(suite)
        if self.json:
            print_json(found)
            return 0
        print(f"{found['loaded']} tasks load, {found['infeasible']} of them infeasible.")
        print(f"{found['supported_uses']} of {found['total_uses']} uses of a metric with its getters are supported ({found['supported_share']:.1%}).")
        print(f"{found['runnable_here']} tasks can run here; {found['runnable_with_assets']} with their files in the content cache.")
        for title, rows, columns in (
            ("Not supported:", [{**row, "tasks": len(row["tasks"])} for row in found["unsupported"]], ("reason", "uses", "tasks")),
            ("Why tasks cannot run here:", found["not_runnable"], ("reason", "tasks")),
        ):
            if rows:
                print(f"\n{title}")
                print_table(rows, columns, right=("uses", "tasks"))
        return 0


def open_suite(name: str, tasks: str | None, assets: str | None) -> Suite:
    """The suite, as it is seen from its own kind of desktop."""
    suite = load_suite(name, **{key: value for key, value in (("tasks", tasks), ("assets", assets)) if value is not None})
    try:
        desktop = DESKTOPS.get(suite.desktop)
        suite.network, suite.has_program = desktop.network, desktop.has_program
    except ImportError:  # its extra is not installed: no reason not to list tasks
        pass
    return suite


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
