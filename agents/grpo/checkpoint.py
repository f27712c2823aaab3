"""Checkpoints: written whole into a folder of their own, so that a crash leaves the last one intact, and checked before they are used."""

from __future__ import annotations

import json
import random
import re
import shutil
import warnings
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from agents.adapters import Trainable
from agents.durable import PARTIAL, SUMS, damage, whole_folder, write_sums

_NAME = re.compile(r"step-(\d{6,})")
FORMAT = 2
_whole: dict[Path, list[Any]] = {}  #: checkpoints that this process found whole, with what their files looked like: hashing tens of GB takes minutes


class CheckpointError(RuntimeError):
    """A checkpoint that cannot be used. Says which, what was expected, and what to do."""


@dataclass
class Checkpoint:
    """What a run needs to continue as if it had never stopped.

    Args:
        step: steps completed.
        config: the run's configuration, as JSON data.
        learner: ``GrpoLearner.state_dict()``.
        cursor: where the run stands besides, as JSON data.
        best: step of the best weights by validation so far; None before the first measurement.
        folder: where it was read from; its weights are in ``folder / "weights"``.
    """

    step: int
    config: dict[str, Any]
    learner: dict[str, Any]
    cursor: dict[str, Any]
    best: int | None = None
    folder: Path | None = None


def random_state() -> dict[str, Any]:
    """The random states of Python and torch, as they are now."""
    state: dict[str, Any] = {"python": random.getstate(), "torch": torch.get_rng_state()}
    if torch.cuda.is_available():
        state["cuda"] = torch.cuda.get_rng_state_all()
    return state


def save(root: Path, checkpoint: Checkpoint, trainable: Trainable, keep: int = 3, randomness: dict[str, Any] | None = None) -> Path:
    """Write ``root/step-000010`` with weights, optimizer, random states and ``checkpoint``; then delete all but the last ``keep`` and the best.

    ``randomness`` is what :func:`random_state` gave; None takes it now. Weights that are no numbers are not saved (FloatingPointError).
    """
    if keep < 1:
        raise ValueError(f"keep is {keep}: expected to keep at least 1 checkpoint")
    randomness = randomness or random_state()
    final = root / f"step-{checkpoint.step:06d}"
    try:
        with whole_folder(final) as partial:
            trainable.save(partial / "weights")
            state = {"learner": checkpoint.learner} | {f"{name}_rng": value for name, value in randomness.items() if name != "python"}
            torch.save(state, partial / "state.pt")
            version, internal, gauss = randomness["python"]
            about = {
                "format": FORMAT, "step": checkpoint.step, "best": checkpoint.best, "config": checkpoint.config, "cursor": checkpoint.cursor,
                "python_rng": [version, list(internal), gauss],
            }  # fmt: skip
            (partial / "run.json").write_text(json.dumps(about))
            write_sums(partial)
    except (OSError, RuntimeError) as error:  # a full disk, in the words of Python and torch
        kept = steps(root)
        last = f"the last one, step {kept[-1]}, is as it was" if kept else "there is none before it"
        raise CheckpointError(f"the checkpoint {final} could not be written ({error}): {last}. Free some space and resume") from error
    prune(root, keep, checkpoint.best)
    return final


def prune(root: Path, keep: int, best: int | None) -> None:
    """Delete all checkpoints but the last ``keep`` and the ``best``, and what was being written when a process died."""
    for old in set(steps(root)[:-keep]) - {best}:
        shutil.rmtree(root / f"step-{old:06d}")
    for left in root.glob(f"{PARTIAL}*"):
        shutil.rmtree(left, ignore_errors=True)


def steps(root: Path) -> list[int]:
    """Steps of the complete checkpoints in ``root``, ascending."""
    names = (_NAME.fullmatch(path.name) for path in root.iterdir() if path.is_dir()) if root.is_dir() else ()
    return sorted(int(match[1]) for match in names if match)


def drop_after(root: Path, step: int) -> None:
    """Delete the checkpoints of later steps than ``step``, which a run that goes on from there will write anew; the last first."""
    for later in reversed([s for s in steps(root) if s > step]):
        shutil.rmtree(root / f"step-{later:06d}")


def find(root: Path, name: str = "latest") -> Path:
    """The folder of the checkpoint ``name`` in ``root``, checked; ``root`` may be one itself.

    Args:
        name: "latest", "best" (by validation), or a step such as "10" or "step-000010". Where the latest is damaged, the newest that is whole
            is taken instead, with a warning.

    Raises :class:`CheckpointError` if there is none, or it is damaged or of another format.
    """
    if (root / "run.json").is_file() or (root / SUMS).is_file():
        check(root)
        return root
    known = steps(root)
    if not known:
        raise CheckpointError(f"{root} holds no checkpoint: expected folders named step-000010 or the like")
    if name == "latest":
        return _newest_whole(root, known)
    if name == "best":
        newest = _newest_whole(root, known)
        best = read(newest).best
        if best is None:
            raise CheckpointError(f"{root} has no best checkpoint: nothing was measured before step {known[-1]}; expected 'latest' or a step")
        name = str(best)
    digits = name.removeprefix("step-")
    if not digits.isdigit() or int(digits) not in known:
        raise CheckpointError(f"{root} has no checkpoint {name!r}: expected 'latest', 'best' or one of the steps {', '.join(map(str, known))}")
    folder = root / f"step-{int(digits):06d}"
    check(folder)
    return folder


def find_of_run(out: Path, name: str = "latest") -> Path:
    """:func:`find` in the folder of a run, or in its folder of checkpoints."""
    return find(out / "checkpoints" if (out / "checkpoints").is_dir() else out, name)


def _newest_whole(root: Path, known: list[int]) -> Path:
    first: CheckpointError | None = None
    for step in reversed(known):
        folder = root / f"step-{step:06d}"
        try:
            check(folder)
        except CheckpointError as error:
            first = first or error
            continue
        if first is not None:
            warnings.warn(f"{str(first).split(': delete it')[0]}: going on from {folder.name}, the newest that is whole", stacklevel=2)
        return folder
    assert first is not None
    raise first


def check(folder: Path) -> None:
    """Compare every file of a checkpoint with what was written. :class:`CheckpointError` names one that is not the same.

    One that was compared before, by this process, is not again unless a file of it was written since.
    """
    _about(folder)
    key, files = folder.resolve(), _looks(folder)
    if _whole.get(key) == files:
        return
    if problem := damage(folder):
        older = [step for step in steps(folder.parent) if f"step-{step:06d}" < folder.name and not damage(folder.parent / f"step-{step:06d}")]
        advice = f"resume from step {older[-1]}, which is whole" if older else "no older one is whole: start the run anew"
        raise CheckpointError(f"{folder} is damaged, {problem}: delete it and {advice}")
    _whole[key] = files


def _looks(folder: Path) -> list[Any]:
    """What tells without reading the files of ``folder`` whether one was written, made or deleted."""
    stats = [(path, path.stat()) for path in sorted(folder.rglob("*"))]
    return [(path.name, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns) for path, stat in stats]


def read(folder: Path) -> Checkpoint:
    """Read a checkpoint, but neither weights nor optimizer. :class:`CheckpointError` where it is missing, damaged or of another format."""
    about = _about(folder)
    return Checkpoint(about["step"], about["config"], {}, about["cursor"], about["best"], folder)


def differences(config: dict[str, Any], saved: dict[str, Any], free: Collection[str]) -> list[str]:
    """Names of the settings, such as ``adapter.rank``, in which two configurations differ, except those in ``free``."""

    def compare(a: Any, b: Any, name: str) -> list[str]:
        if isinstance(a, dict) and isinstance(b, dict):
            return [found for key in sorted({*a, *b}) for found in compare(a.get(key), b.get(key), f"{name}.{key}" if name else key)]
        return [] if a == b else [name]

    return [name for name in compare(config, saved, "") if name not in free]


def restore(folder: Path) -> Checkpoint:
    """Read a checkpoint and set the random states of Python and torch to what they were. Give its weights to :class:`Trainable`."""
    about = _about(folder)
    try:
        state = torch.load(folder / "state.pt", map_location="cpu", weights_only=True)
        learner, torch_rng = state["learner"], state["torch_rng"]
    except Exception as error:  # a damaged file fails in many ways inside torch; all mean the same to the user
        raise CheckpointError(f"{folder} is damaged, state.pt ({type(error).__name__}: {error}): delete it and resume from an older one") from error
    version, internal, gauss = about["python_rng"]
    random.setstate((version, tuple(internal), gauss))
    torch.set_rng_state(torch_rng)
    saved, here = state.get("cuda_rng", []), torch.cuda.device_count()
    if len(saved) != here:
        warnings.warn(
            f"{folder} was saved with {len(saved)} GPUs in sight, and here are {here}: random numbers drawn on a GPU will not be those of a run that "
            "was never stopped. CUDA_VISIBLE_DEVICES says how many there are",
            stacklevel=2,
        )
    for device, randomness in enumerate(saved[:here]):
        torch.cuda.set_rng_state(randomness, device)
    return Checkpoint(about["step"], about["config"], learner, about["cursor"], about["best"], folder)


def _about(folder: Path) -> dict[str, Any]:
    try:
        about = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        found = about.get("format")
    except FileNotFoundError as error:
        raise CheckpointError(f"{folder} is no checkpoint: {error.filename} is missing") from error
    except (OSError, ValueError, AttributeError) as error:
        raise CheckpointError(f"{folder} is damaged, run.json ({error}): delete it and resume from an older one") from error
    if found != FORMAT:
        raise CheckpointError(f"{folder} has format {found!r}, expected {FORMAT}: it was written by another version of gui-gym")
    expected: dict[str, Any] = {"step": int, "config": dict, "cursor": dict, "python_rng": list, "best": (int, type(None))}
    for name, kind in expected.items():
        if name not in about or not isinstance(about[name], kind):
            raise CheckpointError(f"{folder} is damaged, {name!r} is missing or of another type: delete it and resume from an older one")
    return about
