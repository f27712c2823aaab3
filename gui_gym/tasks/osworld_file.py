"""One task file in OSWorld's JSON format -> :class:`~gui_gym.tasks.Task`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from gui_gym.tasks.fields import OBJECT, TEXT, Field
from gui_gym.tasks.setup import check_steps
from gui_gym.tasks.task import Task, TaskError
from gui_gym.verifiers.osworld.getters import check_getter

MAX_STEPS = 15  #: the limit of OSWorld's own runners
MAX_FILE = 4 * 2**20  #: bytes of a task file

_ID = Field(
    "letters, digits, '.', '_' and '-', at most 128, beginning with a letter or digit",
    lambda v: isinstance(v, str) and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}", v) is not None,
)
MAX_FUNCS = 32  #: metrics of an evaluator
_FUNC = Field(
    f"a string or a list of at most {MAX_FUNCS} strings that is not empty",
    lambda v: bool(v) and (isinstance(v, str) or (isinstance(v, list) and len(v) <= MAX_FUNCS and all(isinstance(f, str) and f for f in v))),
)
_CONJ = Field('"and" or "or"', lambda v: v in ("and", "or"))


def read_json(path: Path) -> Any:
    """The JSON value of a file. Raises :class:`~gui_gym.tasks.TaskError`."""
    try:
        size = path.stat().st_size
        value = json.loads(path.read_bytes()) if size <= MAX_FILE else None
    except (OSError, ValueError, RecursionError) as error:  # ValueError: bad JSON or bad UTF-8
        raise TaskError(f"{path}: expected a JSON file: {error}") from error
    if size > MAX_FILE:
        raise TaskError(f"{path}: expected at most {MAX_FILE} bytes, got {size}")
    return value


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object of a file. Raises :class:`~gui_gym.tasks.TaskError`."""
    value = read_json(path)
    if not isinstance(value, dict):
        raise TaskError(f"{path}: expected a JSON object, got {type(value).__name__}")
    return value


def load_task(path: Path, root: Path, cache: Path) -> Task:
    """The task in the file at ``path``.

    Args:
        path: the file.
        root: the folder of its suite, for ``upload_file``.
        cache: content cache; the task's files are in its subfolder named by the task's id.

    Raises :class:`~gui_gym.tasks.TaskError` that names file, field and expectation.
    """
    data = read_object(path)
    try:
        task_id = _ID.check(data.get("id"), "id")
        instruction = TEXT.check(data.get("instruction"), "instruction")
        setup = check_steps(data.get("config") or [], "config")
        evaluator = _evaluator(data.get("evaluator"))
    except TaskError as error:
        raise TaskError(f"{path}: {error}") from error
    return Task(
        id=task_id,
        suite="osworld",
        instruction=instruction,
        setup=setup,
        verifier={**evaluator, "type": "osworld"},
        feasible=evaluator["func"] not in ("infeasible", ["infeasible"]),
        max_steps=MAX_STEPS,
        params={"file": str(path), "root": str(root), "cache": str(cache / task_id), "apps": data.get("related_apps") or []},
    )


def _evaluator(value: Any) -> dict[str, Any]:
    evaluator: dict[str, Any] = OBJECT.check(value, "evaluator")
    func = _FUNC.check(evaluator.get("func"), "evaluator.func")
    if evaluator.get("conj") is not None:
        _CONJ.check(evaluator["conj"], "evaluator.conj")
    check_steps(evaluator.get("postconfig") or [], "evaluator.postconfig")
    for name in ("result", "expected", "options"):
        spec, where = evaluator.get(name), f"evaluator.{name}"
        many = isinstance(func, list)
        if spec is None or (spec == [] and not many):
            continue
        if many and not (isinstance(spec, list) and len(spec) == len(func)):
            raise TaskError(f"{where}: expected a list of {len(func)}, one for each func, got {spec!r:.120}")
        for index, one in enumerate(spec if many else [spec]):
            here = f"{where}[{index}]" if many else where
            if one is None and many:
                continue
            OBJECT.check(one, here)
            if name != "options" and one:
                check_getter(one, here)
    return evaluator
