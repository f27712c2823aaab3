"""OSWorld's evaluators: postconfig steps, getters, metrics, joined by ``conj``; the Score is tri-state."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gui_gym.desktops.base import Desktop, DesktopError
from gui_gym.tasks.content_cache import missing_files, step_urls
from gui_gym.tasks.setup import Stage, run_steps, unsupported_steps
from gui_gym.tasks.task import Task, TaskError
from gui_gym.verifiers.osworld.getters import GETTERS, GoldMissingError, getter_problems, gold_urls, missing_gold, named_files
from gui_gym.verifiers.osworld.metrics import ON_DESKTOP, as_score, is_ours, load_metric, metric_problems
from gui_gym.verifiers.osworld.safe_files import UnreadableFile
from gui_gym.verifiers.osworld.worker import MetricError, judge
from gui_gym.verifiers.score import Outcome, Score

__all__ = ["Use", "evaluator_urls", "missing_parts", "uses", "verify_osworld"]

logger = logging.getLogger(__name__)


def verify_osworld(task: Task, desktop: Desktop, outcome: Outcome) -> Score:
    """The score of an OSWorld task: once programs rest, its ``postconfig`` is done, then each ``func`` compares its ``result`` and ``expected``.

    With several funcs "and" (the default) gives 0 if one is 0 and else their mean, "or" gives 1 if one is 1 and else
    the largest. A part that could not be judged makes the whole unscored, unless the other parts decide: a 0 under
    "and", a 1 under "or". A file or folder that the agent should have made and did not is 0 for its part; one that the
    task's author should have supplied makes the part unscored, unless the setup had put it on the desktop: the agent removed it.
    """
    funcs = _funcs(task.verifier)
    if not funcs:
        return Score.missing("verifier: the task has no metric")
    desktop.wait_until_idle()
    with tempfile.TemporaryDirectory(prefix="gui-gym-verify-") as folder:
        stage = Stage(task, desktop, Path(folder))
        try:
            kinds = _kinds(task)
            for prepare in dict.fromkeys(GETTERS.get(kind).prepare for kind in kinds if kind in GETTERS):
                prepare(stage, kinds)
            if postconfig := task.verifier.get("postconfig"):
                run_steps(stage, postconfig, "evaluator.postconfig")
                desktop.wait_until_idle()
        except TaskError as error:
            return Score.missing(f"verifier: {error}")
        decisive = 1.0 if task.verifier.get("conj") == "or" else 0.0
        parts: list[Score] = []
        for index in range(len(funcs)):
            parts.append(_part(stage, funcs[index], *(_pick(task.verifier, name, index) for name in ("result", "expected", "options"))))
            if parts[-1].value == decisive:
                return Score.of(decisive)
    unscored = [part.reason for part in parts if not part.scored]
    if unscored:
        return Score.missing("; ".join(unscored))
    values = [part.value or 0.0 for part in parts]
    return Score.of(max(values) if decisive == 1.0 else sum(values) / len(values))


@dataclass(frozen=True)
class Use:
    """One metric of a task with the getters of its two sides, and what stands in the way of it, one line each."""

    metric: str
    result: str | None
    expected: str | None
    problems: tuple[str, ...]


def uses(task: Task) -> list[Use]:
    """What the evaluator of a feasible ``task`` is made of; empty for an infeasible one, which needs none."""
    if not task.feasible:
        return []
    found = []
    for index, func in enumerate(_funcs(task.verifier)):
        kinds = [spec["type"] if (spec := _pick(task.verifier, side, index)) else None for side in ("result", "expected")]
        problems = [*metric_problems(func), *(problem for kind in kinds if kind for problem in getter_problems(kind))]
        if kinds[0] is None:
            problems.append(f"metric {func!r}: the task names no result")
        found.append(Use(func, kinds[0], kinds[1], tuple(dict.fromkeys(problems))))
    return found


def evaluator_urls(task: Task) -> Iterator[tuple[str, str]]:
    """``(url, name in the content cache)`` of each file that the evaluator of ``task`` needs."""
    yield from step_urls(task.verifier.get("postconfig") or [])
    for side in ("result", "expected"):
        for index in range(len(_funcs(task.verifier))):
            if getter := _pick(task.verifier, side, index):
                yield from gold_urls(getter)


def missing_parts(task: Task, network: bool) -> list[str]:
    """What the evaluator of ``task`` needs and this installation, the content cache or a desktop without ``network`` lacks, one line each."""
    if not task.feasible:
        return []
    spec = task.verifier
    problems = [] if _funcs(spec) else ["evaluator.func: the task has no metric"]
    problems += [f"evaluator: {problem}" for problem in dict.fromkeys(problem for use in uses(task) for problem in use.problems)]
    for side in ("result", "expected"):
        for index in range(len(_funcs(spec))):
            getter = _pick(spec, side, index)
            problems += missing_gold(task, getter) if getter else []
            if getter and not network and getter["type"] in GETTERS and GETTERS.get(getter["type"]).addresses(getter):
                problems.append(f"evaluator: getter {getter['type']!r} asks the Internet, which the desktop does not reach")
    postconfig = spec.get("postconfig") or []
    return [*problems, *unsupported_steps(postconfig, "evaluator.postconfig"), *missing_files(task, postconfig)]


def _funcs(spec: Mapping[str, Any]) -> list[str]:
    func = spec.get("func") or []
    return [func] if isinstance(func, str) else list(func)


def _kinds(task: Task) -> list[str]:
    """The types of all getters of ``task``."""
    specs = [_pick(task.verifier, side, index) for side in ("result", "expected") for index in range(len(_funcs(task.verifier)))]
    return [spec["type"] for spec in specs if spec]


def _pick(spec: Mapping[str, Any], name: str, index: int) -> Any:
    """Field ``name`` of the part ``index``, or None."""
    value = spec.get(name)
    return (value[index] if isinstance(spec.get("func"), list) else value) or None if value else None


def _put_by_setup(task: Task, spec: Mapping[str, Any] | None) -> bool:
    """Whether the setup of ``task`` put all files on the desktop that a getter with ``spec`` fetches there."""
    if spec is None or spec["type"] != "vm_file":
        return False
    files = [file["path"] for step in task.setup if step["type"] in ("download", "upload_file") for file in step["parameters"]["files"]]
    return {path for _, path, _ in named_files(spec)} <= set(files)


def _part(stage: Stage, func: str, result: Mapping[str, Any] | None, expected: Mapping[str, Any] | None, options: Mapping[str, Any] | None) -> Score:
    """The score of one metric. Whatever goes wrong is this part's alone: another may decide the whole."""
    agents: Any = None
    try:
        metric = load_metric(func)  # raises before anything is fetched if it cannot work
        if result is None:
            return Score.missing(f"verifier: {func}: the task names no result")
        # One side is the agent's work: the result, or the expected side where the result comes from the task's author.
        turned = GETTERS.get(result["type"]).from_author and expected is not None
        values = [GETTERS.get(spec["type"]).get(stage, spec) for spec in (result, expected) if spec is not None]
        agents = values[1 if turned else 0]
        if agents is None or (isinstance(agents, list) and agents and all(item is None for item in agents)):
            return Score.of(0.0)
        golds = [value for index, value in enumerate(values) if index != int(turned)]
        if any(gold is None or (isinstance(gold, list) and None in gold) for gold in golds):
            if _put_by_setup(stage.task, result if turned else expected):
                return Score.of(0.0)
            return Score.missing(f"verifier: {func}: a file to compare with is not on the desktop")
        if metric in ON_DESKTOP:
            return Score.of(as_score(metric(*values, **(options or {}), stage=stage)))
        if not is_ours(func):
            return Score.of(as_score(metric(*values, **(options or {}))))
        return Score.of(judge(func, values, dict(options or {})))
    except DesktopError as error:
        return Score.missing(f"infrastructure: {func}: {error}")
    except UnreadableFile as error:  # metrics see to an unreadable result; here the agent's work may be the expected side
        return Score.of(0.0) if error.path in (agents if isinstance(agents, list) else [agents]) else Score.missing(f"verifier: {func}: {error}")
    except (TaskError, GoldMissingError, MetricError) as error:
        return Score.missing(f"verifier: {func}: {error}")
    except Exception as error:  # a bug in one metric must neither end a training run nor count as a failure of the agent
        logger.exception("metric %s of task %s failed", func, stage.task.id)
        return Score.missing(f"verifier: {func}: {type(error).__name__}: {error}")
