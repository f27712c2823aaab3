"""Tasks and suites of tasks."""

from __future__ import annotations

from typing import Any

from gui_gym.registry import Registry
from gui_gym.tasks.task import SPLITS, Suite, Task, TaskError, split_range

__all__ = ["SPLITS", "SUITES", "Suite", "Task", "TaskError", "load_suite", "register_suite", "split_range"]

#: Suites by name.
SUITES: Registry[type[Suite]] = Registry(
    "suite",
    {
        "sim": "gui_gym.tasks.sim:SimSuite",
        "osworld": "gui_gym.tasks.osworld:OSWorldSuite",
    },
)
register_suite = SUITES.register


def load_suite(name: str, **options: Any) -> Suite:
    """The suite called ``name``, made with ``options`` (``tasks`` = folder of task files, for suites that read them)."""
    return SUITES.get(name)(**options)
