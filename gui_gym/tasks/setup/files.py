"""Steps that put files on the desktop."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gui_gym.tasks.content_cache import download_source, upload_source
from gui_gym.tasks.fields import DOWNLOADS, UPLOADS
from gui_gym.tasks.setup import Stage, Step
from gui_gym.tasks.task import TaskError

MAX_PUT = 512 << 20  #: bytes of a file that is put on the desktop, whose home holds twice that


def _download(stage: Stage, parameters: Mapping[str, Any]) -> None:
    for file in parameters["files"]:
        _put(stage, file["path"], download_source(stage.task, file))


def _upload(stage: Stage, parameters: Mapping[str, Any]) -> None:
    for file in parameters["files"]:
        _put(stage, file["path"], upload_source(stage.task, file))


def _put(stage: Stage, path: str, source: Path | None) -> None:
    if source is None:
        raise TaskError(f"the file for {path} is not there: see gui_gym.tasks.content_cache.missing_files")
    if (size := source.stat().st_size) > MAX_PUT:
        raise TaskError(f"the file for {path} has {size} bytes: expected at most {MAX_PUT}")
    stage.desktop.write_file(path, source.read_bytes())


download = Step(_download, {"files": DOWNLOADS})
upload_file = Step(_upload, {"files": UPLOADS})
