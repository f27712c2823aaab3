"""Files that OSWorld's tasks name by URL or by path, and where they are on this machine.

No task downloads anything while it runs: :mod:`gui_gym.tasks.fetch` fills the cache, where there is a network.

The cache is laid out as OSWorld's client does: ``<cache>/<task id>/<uuid5 of the url>_<file name>``, and for the files that
a verification compares with also ``<cache>/<task id>/<dest>``.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gui_gym.tasks.task import Task


def base_name(path: str) -> str:
    """The last part of a path or URL."""
    return path.rstrip("/").rsplit("/", 1)[-1]


def cache_folder(task: Task) -> Path:
    """The task's folder of the content cache, which may not be there."""
    return Path(task.params.get("cache") or "/nonexistent")


def cached_file(task: Task, url: str, name: str, dest: str | None = None) -> Path | None:
    """The file that stands for ``url``, kept as ``name`` or ``dest``; None if the cache does not hold it."""
    names = [_cached_name(url, name), *([dest] if dest else [])]
    return next((path for path in (cache_folder(task) / n for n in names) if path.is_file()), None)


def download_source(task: Task, file: Mapping[str, Any]) -> Path | None:
    """The cached file for one ``{"url", "path"}`` of a ``download`` step."""
    return cached_file(task, file["url"], base_name(file["path"]))


def upload_source(task: Task, file: Mapping[str, Any]) -> Path | None:
    """The file for one ``{"local_path", "path"}`` of an ``upload_file`` step: only from below the folder of tasks, so that a
    task file cannot read the host."""
    root = Path(task.params.get("root") or "/nonexistent").resolve()
    source = (root / file["local_path"]).resolve()
    return source if source.is_relative_to(root) and source.is_file() else None


def step_urls(steps: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """``(url, name in the cache)`` of each file that ``download`` steps name."""
    for step in steps:
        if step["type"] == "download":
            for file in step["parameters"]["files"]:
                yield file["url"], _cached_name(file["url"], base_name(file["path"]))


def missing_files(task: Task, steps: Iterable[Mapping[str, Any]]) -> list[str]:
    """The files that ``steps`` need and that are not there, one line each."""
    problems = []
    for step in steps:
        if step["type"] == "download":
            for file in step["parameters"]["files"]:
                if download_source(task, file) is None:
                    expected = cache_folder(task) / _cached_name(file["url"], base_name(file["path"]))
                    problems.append(f"the content cache has no {file['url']} (expected as {expected})")
        elif step["type"] == "upload_file":
            for file in step["parameters"]["files"]:
                if upload_source(task, file) is None:
                    problems.append(f"there is no file {file['local_path']!r} in the folder of tasks")
    return problems


def _cached_name(url: str, name: str) -> str:
    return f"{uuid.uuid5(uuid.NAMESPACE_URL, url)}_{name}"
