"""What a run leaves to be read: ``metrics.jsonl`` (and what mirrors it), and progress with a live success rate."""

from __future__ import annotations

import json
import math
import os
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from agents.sinks import check_installed, check_logs, make_sinks

FILE = "metrics.jsonl"


class RunLog:
    """Appends one JSON line per record to ``folder/metrics.jsonl`` and sends its numbers to the log targets of a run.

    Args:
        folder: made if missing.
        resume_at: step of the checkpoint a run resumes from: records of later steps, which the run will write again, are
            dropped, so that none appears twice. None starts a new log; ValueError if there is one already.
        logs: where the numbers go besides, see :mod:`agents.sinks`.
        about: configuration of the run, for log targets that show it.
        size: bytes that the file had when that checkpoint was written: what follows them is dropped, whatever its step. None goes by steps.
    """

    def __init__(
        self,
        folder: Path,
        resume_at: int | None = None,
        logs: Sequence[str] = (),
        about: Mapping[str, Any] | None = None,
        size: int | None = None,
    ):
        self.path = folder / FILE
        if resume_at is None:
            check_new(folder, logs)
        folder.mkdir(parents=True, exist_ok=True)
        if resume_at is not None:
            _drop_after(self.path, resume_at, size)
        self._sinks = make_sinks(logs, folder, resume_at, about or {})
        self._file = self.path.open("a", encoding="utf-8")

    def write(self, kind: str, step: int, values: Mapping[str, Any]) -> None:
        """Append a record of ``kind`` ("train", "eval", "warmup", "warning"): in the file before this returns. What is no number becomes null."""
        plain = {name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in values.items()}
        self._file.write(json.dumps({"kind": kind, "step": step, "time": round(time.time(), 3), **plain}, allow_nan=False) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())  # no checkpoint may know of a line that a power cut takes away
        numbers = {name: float(value) for name, value in plain.items() if isinstance(value, (int, float))}
        for sink in self._sinks:
            sink.write(kind, step, numbers)

    @property
    def size(self) -> int:
        """Bytes of the file so far."""
        return os.fstat(self._file.fileno()).st_size

    def close(self) -> None:
        self._file.close()
        for sink in self._sinks:
            try:
                sink.close()
            except OSError as error:  # the file above has all of it
                warnings.warn(f"what was logged last did not reach every log target: {error}", stacklevel=2)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def check_new(folder: Path, logs: Sequence[str] = ()) -> None:
    """ValueError if ``folder`` holds a run already, or cannot hold one; ModuleNotFoundError for a log target that is not installed."""
    check_logs(logs)
    check_installed(logs)
    path = folder / FILE
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file: expected a folder for the run")
    if path.exists() and path.stat().st_size:
        raise ValueError(f"{path} exists: resume that run, or choose another folder")


def read_log(folder: Path, kind: str | None = None) -> list[dict[str, Any]]:
    """The records of a run, all or those of one kind. A last line that a crash cut short is left out."""
    path = folder / FILE
    if not path.is_file():
        raise FileNotFoundError(f"{path} does not exist: expected the folder of a run")
    records = []
    lines = path.read_text(encoding="utf-8").split("\n")
    for i, line in enumerate(lines):
        if not line:
            continue
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            if i < len(lines) - 1:
                raise ValueError(f"{path}, line {i + 1}: not JSON") from None
    return [r for r in records if kind is None or r["kind"] == kind]


def _drop_after(path: Path, step: int, size: int | None) -> None:
    if not path.exists():
        return
    if size is not None and size <= path.stat().st_size:
        os.truncate(path, size)
        return
    if size is not None:
        warnings.warn(f"{path} is shorter than when the run was saved: lines of it are lost, and it goes on with what is there", stacklevel=3)
    kept = [record for record in read_log(path.parent) if record["step"] <= step]
    new = path.with_suffix(".new")
    new.write_text("".join(json.dumps(record) + "\n" for record in kept), encoding="utf-8")
    os.replace(new, path)


@contextmanager
def plain_warnings(prefix: str = "") -> Iterator[None]:
    """Show warnings on standard error as people want to read them, without the line of code they come from."""

    def show(message: Warning | str, *_: Any) -> None:
        print(f"{prefix}warning: {message}", file=sys.stderr, flush=True)

    with warnings.catch_warnings():
        warnings.showwarning = show  # type: ignore[assignment]
        yield


class Progress:
    """A bar with a live status on a terminal; elsewhere a plain line now and then. Use :func:`progress`."""

    def __init__(self, title: str, total: int, bar: Any, every: float):
        self.title, self.total, self._bar, self._every = title, total, bar, every
        self._task = bar.add_task(title, total=total, status="") if bar is not None else None
        self._last = time.monotonic()

    def update(self, done: int, status: str = "") -> None:
        """``done`` of ``total`` are done; ``status`` is shown beside the bar."""
        if self._bar is not None:
            self._bar.update(self._task, completed=done, status=status)
        elif done >= self.total or time.monotonic() - self._last >= self._every:
            self._last = time.monotonic()
            print(f"{self.title}: {done}/{self.total}  {status}", file=sys.stderr, flush=True)

    def note(self, text: str) -> None:
        """A line that stays."""
        if self._bar is not None:
            self._bar.console.print(text, highlight=False, markup=False)
        else:
            print(text, file=sys.stderr, flush=True)


@contextmanager
def progress(title: str, total: int, every: float = 5.0) -> Iterator[Progress]:
    """Show the progress of ``total`` steps on standard error; ``every`` is the time between plain lines, in seconds."""
    if not sys.stderr.isatty():
        yield Progress(title, total, None, every)
        return
    try:
        from rich import progress as rich
        from rich.console import Console
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError('progress bars need rich: pip install "gui-gym[cli]"') from error
    count, status = rich.MofNCompleteColumn(), rich.TextColumn("{task.fields[status]}")
    columns = (rich.TextColumn("{task.description}"), rich.BarColumn(), count, rich.TimeElapsedColumn(), status)
    with rich.Progress(*columns, console=Console(stderr=True)) as bar:
        yield Progress(title, total, bar, every)
