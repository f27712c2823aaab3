"""What is in a folder of a desktop, as OSWorld's clients expect it."""

from __future__ import annotations

from typing import Any

from gui_gym.desktops.base import Desktop, DesktopFileNotFoundError
from gui_gym.desktops.guest.server.programs import runs_programs
from gui_gym.desktops.guest.server.replies import RequestError

MAX_ENTRIES = 100_000
MAX_DEPTH = 100


def directory_tree(desktop: Desktop, path: str) -> dict[str, Any]:
    """``{"type": "directory", "name", "children"}``; a file is ``{"type": "file", "name"}``. Links are not followed.

    Raises :class:`DesktopFileNotFoundError`, and :class:`RequestError` if it is no folder or holds more than is listed.
    """
    root: dict[str, Any] = {"type": "directory", "name": path.rstrip("/").rpartition("/")[2] or path, "children": []}
    folders: dict[tuple[str, ...], dict[str, Any]] = {(): root}
    for kind, parts in _entries(desktop, path):
        if len(parts) > MAX_DEPTH:
            continue
        node: dict[str, Any] = {"type": "directory" if kind == "d" else "file", "name": parts[-1]}
        if kind == "d":
            node["children"] = []
            folders[parts] = node
        folders[parts[:-1]]["children"].append(node)
    return root


def _entries(desktop: Desktop, path: str) -> list[tuple[str, tuple[str, ...]]]:
    """Everything below a folder, folders before what is in them: its type ("d" for folders) and the parts of its path."""
    if not runs_programs(desktop):
        return _virtual_entries(desktop, path)
    if desktop.run(["test", "-e", path]).returncode:
        raise DesktopFileNotFoundError(path)
    if desktop.run(["test", "-d", path]).returncode:
        raise RequestError(f"expected a folder, got {path!r:.300}")
    start = path.rstrip("/") + "/"
    argv = ["find", start if start.startswith("/") else f"./{start}", "-mindepth", "1", "-maxdepth", str(MAX_DEPTH), "-printf", r"%y%P\0"]
    listed = [entry for entry in desktop.run(argv).stdout.decode(errors="replace").split("\0") if entry]
    if len(listed) > MAX_ENTRIES:
        raise RequestError(f"{path!r:.300} holds {len(listed)} files and folders: expected at most {MAX_ENTRIES}")
    return [(entry[0], tuple(entry[1:].split("/"))) for entry in listed]


def _virtual_entries(desktop: Desktop, path: str) -> list[tuple[str, tuple[str, ...]]]:
    files = getattr(getattr(desktop, "state", None), "files", None)
    if files is None:
        raise RequestError(f"the {desktop.kind!r} desktop lists no files", 501)
    start = path.rstrip("/") + "/"
    if not any(each.startswith(start) for each in files):
        raise DesktopFileNotFoundError(path)
    found: dict[tuple[str, ...], str] = {}
    for each in sorted(files):
        if each.startswith(start) and each != start:
            parts = tuple(each[len(start) :].rstrip("/").split("/"))
            for depth in range(1, len(parts)):
                found.setdefault(parts[:depth], "d")
            found.setdefault(parts, "d" if each.endswith("/") else "f")
    return [(kind, parts) for parts, kind in found.items()]
