"""How much of a folder of OSWorld's tasks this installation supports, and what of it can run on a desktop here."""

from __future__ import annotations

from collections import Counter
from typing import Any

from gui_gym.tasks.osworld import OSWorldSuite
from gui_gym.tasks.setup import unsupported_steps
from gui_gym.verifiers.osworld import uses

FILES = "the content cache has no"


def coverage(suite: OSWorldSuite) -> dict[str, Any]:
    """As JSON data.

    ``loaded``: tasks that load. ``total_uses`` and ``supported_uses``: each metric with its getters in an evaluator counts once, ``infeasible``
    too. ``unsupported``: what stands in the way of the others, ``{"reason", "uses", "tasks"}``. ``runnable_here``: tasks that can run on the
    suite's desktop as it is, ``runnable_with_assets``: with their files in the content cache; ``not_runnable``: why the others cannot,
    ``{"reason", "tasks"}``. ``tasks``: the reasons of each.
    """
    supported = total = infeasible = 0
    reasons: Counter[str] = Counter()
    where: dict[str, set[str]] = {}
    tasks, obstacles = {}, Counter[str]()
    for task_id in suite.ids():
        task = suite.get(task_id)
        infeasible += not task.feasible
        found = uses(task)
        total += len(found) if task.feasible else 1
        supported += sum(not use.problems for use in found) if task.feasible else 1
        for problem in (problem for use in found for problem in use.problems):
            reasons[problem] += 1
            where.setdefault(problem, set()).add(task_id)
        for problem in unsupported_steps(task.setup, "config"):
            where.setdefault(problem, set()).add(task_id)
            reasons[problem] += 0
        tasks[task_id] = suite.missing(task)
        obstacles.update({_kind(problem) for problem in tasks[task_id]})
    return {
        "loaded": len(tasks),
        "infeasible": infeasible,
        "total_uses": total,
        "supported_uses": supported,
        "supported_share": round(supported / max(1, total), 4),
        "unsupported": [{"reason": reason, "uses": n, "tasks": sorted(where[reason])} for reason, n in reasons.most_common()],
        "runnable_here": sum(not problems for problems in tasks.values()),
        "runnable_with_assets": sum(all(FILES in problem for problem in problems) for problems in tasks.values()),
        "not_runnable": [{"reason": reason, "tasks": n} for reason, n in obstacles.most_common()],
        "tasks": tasks,
    }


def _kind(problem: str) -> str:
    """What problems of one kind have in common."""
    for mark, kind in ((FILES, "files that are not in the content cache"), ("Internet", "the Internet, which the desktop does not reach")):
        if mark in problem:
            return kind
    return problem
