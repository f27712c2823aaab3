"""Episodes on disk: a folder with ``episode.json`` and each different screen once, as PNG.

The folder is written whole under another name and then renamed, so that a crash leaves no half of one.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from gui_gym.actions import FIELDS, Action, ActionType, Button, Key, Modifier
from gui_gym.verifiers.score import EndReason, Score

FORMAT = 1  #: version of the layout of ``episode.json``


class RecordingError(ValueError):
    """A folder that holds no readable episode. Names the file and what was expected."""


@dataclass(frozen=True)
class RecordedStep:
    """One step of an env.

    Args:
        action: what was done, or None where the policy's text could not be read.
        text: what the model wrote; where one text asked for several actions, it stands with the first.
        error: why the text could not be read, or the action not be done; "" if neither.
    """

    action: Action | None
    text: str = ""
    error: str = ""


@dataclass(eq=False)
class RecordedEpisode:
    """One run of one task, as it is kept and shown.

    Args:
        frames: the screens seen from reset on, ``(height, width, 3)`` uint8 RGB: one more than ``steps``. The policy
            saw ``frames[i]`` when it chose ``steps[i]``.
        reward: what training optimised, or None.
        extra: whatever else is worth keeping, as JSON.
    """

    task_id: str
    instruction: str
    frames: list[np.ndarray]
    steps: list[RecordedStep] = field(default_factory=list)
    score: Score = field(default_factory=lambda: Score.missing("the episode is not over"))
    end: EndReason = EndReason.RUNNING
    answer: str = ""
    seed: int | None = None
    suite: str = "sim"
    feasible: bool = True
    reward: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.frames) != len(self.steps) + 1:
            raise ValueError(f"an episode of {len(self.steps)} steps has {len(self.steps) + 1} frames, got {len(self.frames)}")
        for frame in self.frames:
            if frame.dtype != np.uint8 or frame.ndim != 3 or frame.shape[2] != 3:
                raise ValueError(f"a frame is (height, width, 3) uint8, got {frame.shape} {frame.dtype}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RecordedEpisode):
            return NotImplemented
        return _plain(self) == _plain(other) and all(map(np.array_equal, self.frames, other.frames))


def frame_hash(frame: np.ndarray) -> str:
    """32 hex digits that are equal for equal frames only."""
    digest = hashlib.blake2b(repr(frame.shape).encode(), digest_size=16)
    digest.update(np.ascontiguousarray(frame).data)
    return digest.hexdigest()


def action_to_json(action: Action | None) -> dict[str, Any] | None:
    """The type and the fields it uses; enums by name."""
    if action is None:
        return None
    found: dict[str, Any] = {"type": action.type.name}
    for name, value in action.used().items():
        if name in ("button", "key"):
            found[name] = value.name  # type: ignore[attr-defined]
        elif name == "modifiers":
            found[name] = [m.name for m in action.modifiers]
        else:
            found[name] = list(value) if isinstance(value, tuple) else value
    return found


def action_from_json(data: Mapping[str, Any] | None) -> Action | None:
    """The action of :func:`action_to_json`. Raises KeyError, TypeError or ValueError for anything else."""
    if data is None:
        return None
    kind = ActionType[data["type"]]
    fields: dict[str, Any] = {}
    for name in FIELDS[kind]:
        value = data[name]
        if name in ("point", "to", "scroll"):
            first, second = value
            fields[name] = (int(first), int(second))
        elif name == "modifiers":
            fields[name] = tuple(Modifier[m] for m in value)
        elif name in ("button", "key"):
            fields[name] = Button[value] if name == "button" else Key[value]
        else:
            fields[name] = str(value) if name == "text" else int(value)
    return Action(kind, **fields)


def _plain(episode: RecordedEpisode) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "task_id": episode.task_id,
        "suite": episode.suite,
        "instruction": episode.instruction,
        "seed": episode.seed,
        "feasible": episode.feasible,
        "end": str(episode.end),
        "answer": episode.answer,
        "score": episode.score.value,
        "unscored": episode.score.reason,
        "reward": episode.reward,
        "steps": [{"action": action_to_json(s.action), "text": s.text, "error": s.error} for s in episode.steps],
        "extra": dict(episode.extra),
    }


def save_episode(folder: str | os.PathLike[str], episode: RecordedEpisode) -> Path:
    """Write ``episode`` as the new folder ``folder``; its parents are made. FileExistsError if it is there already."""
    target = Path(folder)
    if target.exists():
        raise FileExistsError(f"{target} exists already: an episode is written to a folder of its own")
    target.parent.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        hashes = [frame_hash(frame) for frame in episode.frames]
        for name, frame in zip(hashes, episode.frames, strict=True):
            path = part / f"{name}.png"
            if not path.exists():
                Image.fromarray(frame).save(path, compress_level=3)
        text = json.dumps({**_plain(episode), "frames": hashes}, indent=1, allow_nan=False)
        (part / "episode.json").write_text(text, encoding="ascii")
        part.chmod(0o755)
        try:
            part.rename(target)
        except OSError as error:
            if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):
                raise
            raise FileExistsError(f"{target} was made meanwhile: an episode is written to a folder of its own") from error
    except BaseException:  # whatever stopped it, the half written folder goes
        shutil.rmtree(part, ignore_errors=True)
        raise
    return target


_PILLOW = (SyntaxError, Image.DecompressionBombError)  # of broken pictures
#: Types of what ``episode.json`` holds, besides what is checked where it is read.
_KINDS: dict[str, tuple[type, ...]] = {
    "task_id": (str,),
    "instruction": (str,),
    "suite": (str,),
    "answer": (str,),
    "feasible": (bool,),
    "seed": (int, type(None)),
    "reward": (int, float, type(None)),
    "extra": (dict,),
}


def _step_from_json(data: Mapping[str, Any], frame: np.ndarray) -> RecordedStep:
    """A step chosen on ``frame``; what was done without an error must fit it."""
    step = RecordedStep(action_from_json(data["action"]), str(data["text"]), str(data["error"]))
    if step.action is not None and not step.error:
        step.action.check(frame.shape[1], frame.shape[0])
    return step


def load_episode(folder: str | os.PathLike[str]) -> RecordedEpisode:
    """The episode that :func:`save_episode` wrote. Raises :class:`RecordingError` for a folder that holds none."""
    path = Path(folder) / "episode.json"
    try:
        data = json.loads(path.read_text(encoding="ascii"))
        if data["format"] != FORMAT:
            raise RecordingError(f"{path}: expected format {FORMAT}, got {data['format']!r}: use the version that wrote it")
        pixels: dict[str, np.ndarray] = {}
        for name in data["frames"]:
            if not re.fullmatch("[0-9a-f]{32}", name):
                raise RecordingError(f"{path}: expected a frame's hash, got {name!r}")
            if name not in pixels:
                with Image.open(path.parent / f"{name}.png", formats=["PNG"]) as image:
                    pixels[name] = np.array(image.convert("RGB"))
                if frame_hash(pixels[name]) != name:
                    raise RecordingError(f"{path.parent / name}.png: expected the frame that was written, got another")
        for field_name, kinds in _KINDS.items():
            if type(data[field_name]) not in kinds:
                raise RecordingError(f"{path}: {field_name!r} is {data[field_name]!r}: expected {' or '.join(kind.__name__ for kind in kinds)}")
        return RecordedEpisode(
            task_id=data["task_id"],
            instruction=data["instruction"],
            frames=[pixels[name] for name in data["frames"]],
            steps=[_step_from_json(step, frame) for step, frame in zip(data["steps"], [pixels[name] for name in data["frames"]], strict=False)],
            score=Score.missing(data["unscored"]) if data["score"] is None else Score.of(data["score"]),
            end=EndReason(data["end"]),
            answer=data["answer"],
            seed=data["seed"],
            suite=data["suite"],
            feasible=data["feasible"],
            reward=data["reward"],
            extra=data["extra"],
        )
    except RecordingError:
        raise
    except (OSError, KeyError, TypeError, ValueError, RecursionError, *_PILLOW) as error:
        raise RecordingError(f"{path}: expected an episode, got {type(error).__name__}: {error}") from error
