"""Getters of files: the agent's, the author's, and a folder's listing."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gui_gym.desktops.base import Desktop, DesktopError, DesktopFileNotFoundError
from gui_gym.tasks.content_cache import cache_folder
from gui_gym.tasks.fields import FLAG, INDICES, NAME, NAMES, PATH, PATHS, RULES
from gui_gym.tasks.setup import Stage, expand_home
from gui_gym.verifiers.osworld.getters import Getter, GoldMissingError, gold_file, named_files

MAX_ENTRIES = 100_000  #: most entries of a directory tree
MAX_FETCHED = 512 << 20  #: most bytes of the files of one getter
MAX_READ = 64 << 20  #: bytes of a file that every desktop can give


def _give(spec: Mapping[str, Any], fetched: list[str | None]) -> Any:
    """What the metric gets: the files chosen by ``gives`` (the first by default); a list unless it is one."""
    gives = set(spec.get("gives") or [0])
    chosen = [path for index, path in enumerate(fetched) if index in gives]
    return chosen[0] if len(chosen) == 1 else chosen


def new_folder(stage: Stage) -> Path:
    """A new folder for one fetch, so that equal names of result and expected file do not meet."""
    return Path(tempfile.mkdtemp(dir=stage.folder))


def read_output(desktop: Desktop, path: str) -> bytes | None:
    """A file that the agent should have made; None if a well desktop has none there to be read: a folder, a pipe, one that is locked or huge."""
    try:
        return desktop.read_file(path)
    except DesktopFileNotFoundError:
        return None
    except DesktopError:
        limits = ["-maxdepth", "0", "-type", "f", "-readable", "-size", f"-{MAX_READ + 1}c"]
        if desktop.run(["find", "-L", *expand_home(desktop, [path]), *limits]).stdout:
            raise
        return None


def _vm_file(stage: Stage, spec: Mapping[str, Any]) -> Any:
    folder = new_folder(stage)
    fetched: list[str | None] = []
    left = MAX_FETCHED
    for _, path, name in named_files(spec):
        data = read_output(stage.desktop, path)
        left -= len(data or b"")
        if data is None or left < 0:
            fetched.append(None)
            continue
        (folder / name).write_bytes(data)
        fetched.append(str(folder / name))
    return _give(spec, fetched)


def _cloud_file(stage: Stage, spec: Mapping[str, Any]) -> Any:
    folder = new_folder(stage)
    fetched: list[str | None] = []
    for _, url, name in named_files(spec):
        source = gold_file(stage.task, url, name)
        if source is None:
            raise GoldMissingError(f"the content cache has no {url}")
        shutil.copyfile(source, folder / name)
        fetched.append(str(folder / name))
    return _give(spec, fetched)


def _cache_file(stage: Stage, spec: Mapping[str, Any]) -> str | None:
    """The output that a postconfig command kept, or else a file of the content cache; None if the command failed and said nothing there."""
    assert stage.folder is not None, "getters run with a folder"
    cache = cache_folder(stage.task)
    for folder in (stage.folder, cache):
        if (folder / spec["path"]).is_file():
            return str(folder / spec["path"])
    if any(step["parameters"].get("stdout") == spec["path"] for step in stage.task.verifier.get("postconfig") or []):
        return None
    raise GoldMissingError(f"no postconfig command kept {spec['path']!r}, and it is not in {cache}")


def _list_directory(stage: Stage, spec: Mapping[str, Any]) -> dict[str, Any] | None:
    """``{"type": "directory", "name", "children": [...]}``, files as ``{"type": "file", "name"}``; None if it is no folder, or a huge one."""
    path = expand_home(stage.desktop, [spec["path"]])[0]
    if stage.desktop.run(["test", "-d", path]).returncode:
        return None
    listing = stage.desktop.run(["find", "-P", f"{path.rstrip('/')}/", "-mindepth", "1", "-printf", r"%y/%P\0"]).stdout.split(b"\0")
    if len(listing) > MAX_ENTRIES:
        return None
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
vm_file = Getter(_vm_file, _FILE, {"multi": FLAG, "gives": INDICES})
cloud_file = Getter(_cloud_file, _FILE, {"multi": FLAG, "gives": INDICES}, from_author=True)
cache_file = Getter(_cache_file, {"path": NAME})
list_directory = Getter(_list_directory, {"path": PATH})
rule = Getter(lambda stage, spec: spec["rules"], {"rules": RULES}, from_author=True)
