"""Make the files that the shipped OSWorld tasks start from and are compared with: ``python assets/make_osworld_tasks.py [TASK ...]``.

Every file is made from the data in :mod:`osworld_files`, those that only a real application can write (PDF, slides as Impress saves them) by
LibreOffice without a screen. A file goes to the content cache of its task under the name that OSWorld's client would give it, so the files of
a task are those that its JSON names: one too many, or one missing, is an error. Made again, files have the same bytes, but for ids that
LibreOffice draws. Needs the extra ``osworld``, LibreOffice and ffmpeg.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
import uuid
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from osworld_files import media, office, pages, texts  # noqa: F401  they register what they make
from osworld_files.registry import MAKERS

ROOT = Path(__file__).parent / "tasks" / "osworld"


def named_files(task: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """``(file name, name in the content cache)`` of all that a task downloads or compares with."""
    evaluator = task["evaluator"]
    for step in [*task["config"], *evaluator.get("postconfig", [])]:
        for file in step["parameters"].get("files", []) if step["type"] == "download" else []:
            yield base(file["url"]), f"{uuid.uuid5(uuid.NAMESPACE_URL, file['url'])}_{base(file['path'])}"
    for side in ("result", "expected"):
        getters = evaluator.get(side) or []
        for getter in getters if isinstance(getters, list) else [getters]:
            if getter and getter["type"] == "cloud_file":
                paths, dests = (getter["path"], getter["dest"]) if getter.get("multi") else ([getter["path"]], [getter["dest"]])
                yield from ((base(path), dest) for path, dest in zip(paths, dests, strict=True))


def undated(path: Path) -> None:
    """Take the time of its making out of an office file, so that it is made the same again."""
    with zipfile.ZipFile(path) as archive:
        parts = {item: archive.read(item) for item in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            if name == "docProps/core.xml":
                data = re.sub(rb"\d{4}-\d\d-\d\dT[\d:.]+Z", b"2026-01-01T00:00:00Z", data)
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)


def base(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def make(task_id: str) -> None:
    """Make the files of one task anew."""
    (source,) = ROOT.glob(f"examples/*/{task_id}.json")
    names = dict(named_files(json.loads(source.read_text())))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        MAKERS[task_id](folder)
        made = {path.name for path in folder.iterdir()}
        if made != set(names):
            raise RuntimeError(f"{task_id}: its JSON names {sorted(names)}, made were {sorted(made)}")
        cache = ROOT / "cache" / task_id
        shutil.rmtree(cache, ignore_errors=True)
        cache.mkdir(parents=True)
        for name, cached in names.items():
            if name.endswith((".docx", ".pptx", ".xlsx")):
                undated(folder / name)
            shutil.copyfile(folder / name, cache / cached)
    print(f"{task_id}: {', '.join(sorted(names.values()))}")


if __name__ == "__main__":
    for task in sys.argv[1:] or MAKERS:
        make(task)
