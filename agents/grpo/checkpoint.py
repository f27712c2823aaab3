"""Checkpoints: written whole into a folder of their own and renamed into place, so that a crash leaves the last one intact."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError

from agents.adapters import Trainable

_NAME = re.compile(r"step-(\d{6,})")
_PARTIAL = ".partial-"
FORMAT = 1


class CheckpointError(RuntimeError):
    """A checkpoint that cannot be used. Says which, what was expected, and what to do."""


@dataclass
class Checkpoint:
    """What a run needs to continue as if it had never stopped.

    Args:
        step: steps completed.
        config: the run's configuration, as JSON data.
        learner: ``GrpoLearner.state_dict()``.
        cursor: where the stream of tasks and seeds stands, as JSON data.
        folder: where it was read from; its weights are in ``folder / "weights"``.
    """

    step: int
    config: dict[str, Any]
    learner: dict[str, Any]
    cursor: dict[str, Any]
    folder: Path | None = None


def save(root: Path, checkpoint: Checkpoint, trainable: Trainable, keep: int = 3) -> Path:
    """Write ``root/step-000010`` with weights, optimizer, random states and ``checkpoint``; then delete all but the last ``keep``.

    The random states of Python and torch are taken as they are now. Everything is on the disk before the folder gets its name.
    """
    if keep < 1:
        raise ValueError(f"keep is {keep}: expected to keep at least 1 checkpoint")
    root.mkdir(parents=True, exist_ok=True)
    final = root / f"step-{checkpoint.step:06d}"
    partial = root / f"{_PARTIAL}{final.name}-{uuid.uuid4().hex[:8]}"
    partial.mkdir()
    try:
        trainable.save(partial / "weights")
        state: dict[str, Any] = {"learner": checkpoint.learner, "torch_rng": torch.get_rng_state()}
        if torch.cuda.is_available():
            state["cuda_rng"] = torch.cuda.get_rng_state_all()
        torch.save(state, partial / "state.pt")
        version, internal, gauss = random.getstate()
        about = {"format": FORMAT, "step": checkpoint.step, "config": checkpoint.config, "cursor": checkpoint.cursor}
        (partial / "run.json").write_text(json.dumps(about | {"python_rng": [version, list(internal), gauss]}))
        for path in [*partial.rglob("*"), partial]:
            _to_disk(path)
        if final.exists():  # the same step again, after a resume from an older one
            final.rename(root / f"{_PARTIAL}old-{uuid.uuid4().hex[:8]}")
        partial.rename(final)
        _to_disk(root)
    except (OSError, RuntimeError, SafetensorError) as error:  # a full disk, in the words of Python, torch and safetensors
        kept = steps(root)
        last = f"the last one, step {kept[-1]}, is as it was" if kept else "there is none before it"
        raise CheckpointError(f"the checkpoint {final} could not be written ({error}): {last}. Free some space and resume") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    for old in steps(root)[:-keep]:
        shutil.rmtree(root / f"step-{old:06d}")
    for left in root.glob(f"{_PARTIAL}*"):
        shutil.rmtree(left, ignore_errors=True)
    return final


def steps(root: Path) -> list[int]:
    """Steps of the complete checkpoints in ``root``, ascending."""
    names = (_NAME.fullmatch(path.name) for path in root.iterdir() if path.is_dir()) if root.is_dir() else ()
    return sorted(int(match[1]) for match in names if match)


def find(root: Path, name: str = "latest") -> Path:
    """The folder of the checkpoint ``name`` ("latest", "10" or "step-000010") in ``root``; ``root`` may be one itself."""
    if (root / "run.json").is_file():
        return root
    known = steps(root)
    if not known:
        raise CheckpointError(f"{root} holds no checkpoint: expected folders named step-000010 or the like")
    digits = name.removeprefix("step-")
    if name != "latest" and (not digits.isdigit() or int(digits) not in known):
        raise CheckpointError(f"{root} has no checkpoint {name!r}: expected 'latest' or one of the steps {', '.join(map(str, known))}")
    return root / f"step-{known[-1] if name == 'latest' else int(digits):06d}"


def read(folder: Path) -> Checkpoint:
    """Read a checkpoint, but not its weights. :class:`CheckpointError` where it is missing, damaged or of another format."""
    about, _ = _read(folder)
    return Checkpoint(about["step"], about["config"], {}, about["cursor"], folder)


def restore(folder: Path) -> Checkpoint:
    """Read a checkpoint and set the random states of Python and torch to what they were. Give its weights to :class:`Trainable`."""
    about, state = _read(folder)
    version, internal, gauss = about["python_rng"]
    random.setstate((version, tuple(internal), gauss))
    torch.set_rng_state(state["torch_rng"])
    if "cuda_rng" in state and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(state["cuda_rng"])
    return Checkpoint(about["step"], about["config"], state["learner"], about["cursor"], folder)


def _read(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    try:
        about = json.loads((folder / "run.json").read_text())
        state = torch.load(folder / "state.pt", map_location="cpu", weights_only=True)
        found = about.get("format")
    except FileNotFoundError as error:
        raise CheckpointError(f"{folder} is no checkpoint: {error.filename} is missing") from error
    except Exception as error:  # a damaged file fails in many ways inside json and torch; all mean the same to the user
        raise CheckpointError(f"{folder} is damaged ({type(error).__name__}: {error}): delete it and resume from the one before") from error
    if found != FORMAT:
        raise CheckpointError(f"{folder} has format {found!r}, expected {FORMAT}: it was written by another version of gui-gym")
    expected = {"step": int, "config": dict, "cursor": dict, "python_rng": list}
    wrong = [name for name, kind in expected.items() if not isinstance(about.get(name), kind)]
    wrong += [name for name in ("learner", "torch_rng") if name not in state]
    if wrong:
        raise CheckpointError(f"{folder} is damaged: {wrong[0]!r} is missing or of another type: delete it and resume from the one before")
    return about, state


def _to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
