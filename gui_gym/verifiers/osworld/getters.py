"""Getters: what an OSWorld evaluator compares, fetched from the desktop or from the content cache.

A getter returns a value, or the path of a file (str) in the verification's private folder. None stands for something
that the agent should have made and that a well desktop does not have.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gui_gym.desktops.base import DesktopFileNotFoundError
from gui_gym.registry import Registry
from gui_gym.tasks.content_cache import base_name, cache_folder, cached_file
from gui_gym.tasks.fields import COMMAND, FLAG, INDICES, NAME, NAMES, PATH, PATHS, RULES, TEXT, Field, check_fields, flag
from gui_gym.tasks.setup import COMMAND_SECONDS, Stage, argv_of, expand_home
from gui_gym.tasks.task import Task, TaskError

MAX_ENTRIES = 100_000  #: most entries of a directory tree


class GoldMissingError(RuntimeError):
    """A file that the task's author should have supplied is not there: the episode is unscored."""


@dataclass(frozen=True)
class Getter:
    """One type of getter: the function, the fields it needs, and whether what it gives comes from the task's author."""

    get: Callable[[Stage, Mapping[str, Any]], Any]
    required: Mapping[str, Field] = field(default_factory=dict)
    optional: Mapping[str, Field] = field(default_factory=dict)
    from_author: bool = False


#: Getters by the ``type`` of an evaluator's ``result`` or ``expected``.
GETTERS: Registry[Getter] = Registry("getter")


def check_getter(spec: Mapping[str, Any], where: str) -> None:
    """Check a getter's spec in a task file; types that are not known pass. Raises :class:`~gui_gym.tasks.TaskError`."""
    TEXT.check(spec.get("type"), f"{where}.type")
    if spec["type"] not in GETTERS:
        return
    known = GETTERS.get(spec["type"])
    fields = {name: value for name, value in spec.items() if name != "type"}
    check_fields(fields, where, known.required, known.optional, only=False)
    if "dest" in known.required:
        for _ in _files(spec, where):
            pass


def missing_gold(task: Task, spec: Mapping[str, Any]) -> list[str]:
    """The cloud files of ``spec`` that the content cache does not hold, one line each."""
    if spec.get("type") != "cloud_file":
        return []
    return [f"the content cache has no {url} (expected as {name!r})" for _, url, name in _files(spec) if _gold(task, url, name) is None]


def _files(spec: Mapping[str, Any], where: str = "getter") -> Iterator[tuple[int, str, str]]:
    """``(index, path, dest)`` of a spec of one or, with ``multi``, several files."""
    many = flag(spec.get("multi") or False)
    paths, dests = (spec["path"], spec["dest"]) if many else ([spec["path"]], [spec["dest"]])
    if not (isinstance(paths, list) and isinstance(dests, list) and len(paths) == len(dests) and all(isinstance(p, str) for p in [*paths, *dests])):
        expected = "path and dest to be lists of one length" if many else "path and dest to be strings; for lists set multi"
        raise TaskError(f"{where}: expected {expected}, got {spec['path']!r:.80} and {spec['dest']!r:.80}")
    yield from ((i, path, dest) for i, (path, dest) in enumerate(zip(paths, dests, strict=True)))


def _give(spec: Mapping[str, Any], fetched: list[str | None]) -> Any:
    """What the metric gets: the files chosen by ``gives`` (the first by default); a list unless it is one."""
    gives = set(spec.get("gives") or [0])
    chosen = [path for index, path in enumerate(fetched) if index in gives]
    return chosen[0] if len(chosen) == 1 else chosen


def _folder(stage: Stage) -> Path:
    """A new folder for one fetch, so that equal names of result and expected file do not meet."""
    return Path(tempfile.mkdtemp(dir=stage.folder))


def _vm_file(stage: Stage, spec: Mapping[str, Any]) -> Any:
    folder = _folder(stage)
    fetched: list[str | None] = []
    for _, path, name in _files(spec):
        try:
            (folder / name).write_bytes(stage.desktop.read_file(path))
            fetched.append(str(folder / name))
        except DesktopFileNotFoundError:
            fetched.append(None)
    return _give(spec, fetched)


def _gold(task: Task, url: str, name: str) -> Path | None:
    return cached_file(task, url, base_name(url), dest=name)


def _cloud_file(stage: Stage, spec: Mapping[str, Any]) -> Any:
    folder = _folder(stage)
    fetched: list[str | None] = []
    for _, url, name in _files(spec):
        source = _gold(stage.task, url, name)
        if source is None:
            raise GoldMissingError(f"the content cache has no {url}")
        shutil.copyfile(source, folder / name)
        fetched.append(str(folder / name))
    return _give(spec, fetched)


def _cache_file(stage: Stage, spec: Mapping[str, Any]) -> str:
    """The output that a postconfig command kept, or else a file of the content cache."""
    assert stage.folder is not None, "getters run with a folder"
    cache = cache_folder(stage.task)
    for folder in (stage.folder, cache):
        if (folder / spec["path"]).is_file():
            return str(folder / spec["path"])
    raise GoldMissingError(f"no postconfig command kept {spec['path']!r}, and it is not in {cache}")


def _command(stage: Stage, spec: Mapping[str, Any]) -> tuple[str, str]:
    done = stage.desktop.run(argv_of(stage.desktop, spec["command"], spec.get("shell")), timeout=COMMAND_SECONDS)
    return done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def _list_directory(stage: Stage, spec: Mapping[str, Any]) -> dict[str, Any] | None:
    """``{"type": "directory", "name", "children": [...]}``, files as ``{"type": "file", "name"}``; None if it is no folder."""
    path = expand_home(stage.desktop, [spec["path"]])[0]
    if stage.desktop.run(["test", "-d", path]).returncode:
        return None
    listing = stage.desktop.run(["find", "-P", f"{path.rstrip('/')}/", "-mindepth", "1", "-printf", r"%y/%P\0"]).stdout.split(b"\0")
    if len(listing) > MAX_ENTRIES:
        raise TaskError(f"{path}: expected at most {MAX_ENTRIES} entries")
    root: dict[str, Any] = {"type": "directory", "name": path.rstrip("/").rsplit("/", 1)[-1], "children": []}
    folders = {"": root}
    for entry in sorted(item.decode(errors="replace") for item in listing if item):
        kind, _, relative = entry.partition("/")
        node: dict[str, Any] = {"type": "directory" if kind == "d" else "file", "name": relative.rsplit("/", 1)[-1]}
        if kind == "d":
            node["children"] = []
            folders[relative] = node
        parent = folders.get(relative.rpartition("/")[0])
        if parent is not None:
            parent["children"].append(node)
    return root


_FILE = {"path": PATHS, "dest": NAMES}
for _name, _getter in {
    "vm_file": Getter(_vm_file, _FILE, {"multi": FLAG, "gives": INDICES}),
    "cloud_file": Getter(_cloud_file, _FILE, {"multi": FLAG, "gives": INDICES}, from_author=True),
    "cache_file": Getter(_cache_file, {"path": NAME}),
    "vm_command_line": Getter(lambda stage, spec: _command(stage, spec)[0], {"command": COMMAND}, {"shell": FLAG}),
    "vm_command_error": Getter(lambda stage, spec: _command(stage, spec)[1], {"command": COMMAND}, {"shell": FLAG}),
    "list_directory": Getter(_list_directory, {"path": PATH}),
    "vm_screen_size": Getter(lambda stage, spec: {"width": stage.desktop.width, "height": stage.desktop.height}),
    "rule": Getter(lambda stage, spec: spec["rules"], {"rules": RULES}, from_author=True),
}.items():
    GETTERS.register(_name, _getter)
