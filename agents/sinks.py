"""Where the numbers of a run go besides ``metrics.jsonl``: TensorBoard, Weights & Biases, Trackio. A resumed run sends none of them twice."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
import uuid
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

LogTarget = Literal["tensorboard", "wandb", "trackio"]
LOG_TARGETS: tuple[str, ...] = get_args(LogTarget)
PROJECT = "gui-gym"  #: where a tracker files runs, unless its own environment variable (WANDB_PROJECT, TRACKIO_PROJECT) names another
_EXTRA = {"tensorboard": "train", "wandb": "wandb", "trackio": "trackio"}


class Sink(Protocol):
    """Takes the numbers of one record at a time, in the order of their steps."""

    def write(self, kind: str, step: int, values: Mapping[str, float]) -> None:
        """Numbers of a record of ``kind``; finite ones only."""
        ...

    def close(self) -> None:
        """Send what is not sent yet."""
        ...


def check_logs(names: Sequence[str]) -> None:
    """ValueError for a name that is no log target, or stands twice."""
    unknown = [name for name in names if name not in LOG_TARGETS]
    if unknown or len(set(names)) < len(names):
        raise ValueError(f"logs is {tuple(names)}: expected some of {', '.join(LOG_TARGETS)}, each once")


def check_installed(names: Sequence[str]) -> None:
    """ModuleNotFoundError, with what to install, for a log target whose library is missing: before a run begins."""
    for name in names:
        if name not in sys.modules and find_spec(name) is None:
            hint = f'pip install "gui-gym[{_EXTRA[name]}]", or leave {name} out of --logs'
            raise ModuleNotFoundError(f"logging to {name} needs a package that is missing: {hint}", name=name)


def make_sinks(names: Sequence[str], folder: Path, resume_at: int | None, about: Mapping[str, Any]) -> list[Sink]:
    """The sinks called ``names``.

    Args:
        folder: of the run; what a sink keeps on this machine goes there, where its library allows it.
        resume_at: step of the checkpoint the run goes on from; None for a new run.
        about: configuration of the run, shown beside its curves.
    """
    return [TensorBoard(folder, resume_at) if name == "tensorboard" else Tracker(name, folder, resume_at is not None, about) for name in names]


class TensorBoard:
    """Event files in ``folder/tensorboard``. Readers forget the points after ``resume_at`` of the process that was cut off."""

    def __init__(self, folder: Path, resume_at: int | None):
        from torch.utils.tensorboard import SummaryWriter

        self._writer = SummaryWriter(str(folder / "tensorboard"), purge_step=None if resume_at is None else resume_at + 1)  # type: ignore[no-untyped-call]

    def write(self, kind: str, step: int, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            self._writer.add_scalar(f"{kind}/{name}", value, step)  # type: ignore[no-untyped-call]

    def close(self) -> None:
        self._writer.close()  # type: ignore[no-untyped-call]


class Tracker:
    """Weights & Biases (``wandb``) or Trackio (``trackio``), through the calls they share. Their environment variables hold, such as WANDB_MODE.

    ``folder/<name>.json`` keeps the run's id and the last step sent of each kind: neither of them can take back a point, so
    the steps a resumed run does again are not sent again. It is written before a point is sent: a crash may lose one, never double it.
    """

    def __init__(self, name: str, folder: Path, resume: bool, about: Mapping[str, Any]):
        self._library = importlib.import_module(name)
        self._path = folder / f"{name}.json"
        known = resume and self._path.is_file()
        state: dict[str, Any] = json.loads(self._path.read_text(encoding="utf-8")) if known else {"id": uuid.uuid4().hex[:8], "sent": {}}
        self._id, self._sent = state["id"], state["sent"]
        project = os.environ.get(f"{name.upper()}_PROJECT", PROJECT)
        given: dict[str, Any] = {"project": project, "name": f"{folder.resolve().name}-{self._id}", "config": dict(about), "resume": "allow"}
        if name == "wandb":
            given |= {"id": self._id, "dir": str(folder), "settings": self._library.Settings(console="off")}
        with contextlib.redirect_stdout(sys.stderr):  # standard output is for results
            self._run = self._library.init(**given)

    def write(self, kind: str, step: int, values: Mapping[str, float]) -> None:
        if step <= self._sent.get(kind, -1) or not values:
            return
        self._sent[kind] = step
        new = self._path.with_suffix(".new")
        new.write_text(json.dumps({"id": self._id, "sent": self._sent}), encoding="utf-8")
        os.replace(new, self._path)
        self._run.log({f"{kind}/{name}": value for name, value in values.items()}, step=step)

    def close(self) -> None:
        with contextlib.redirect_stdout(sys.stderr):
            self._library.finish()
