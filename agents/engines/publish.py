"""From the learner to its engine: weights saved to a folder of their own for each version."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from agents.adapters import Trainable
from agents.durable import whole_folder
from agents.engines.base import Engine


def publish(engine: Engine, trainable: Trainable, version: int, root: Path) -> None:
    """Let ``engine`` sample from the weights of ``trainable`` as they are now, which have seen ``version`` updates.

    For an engine apart they are saved to a new folder in ``root``, where server and learner both see it. Folders of earlier versions
    are removed once the engine has changed over.
    """
    if not engine.apart:
        engine.update_weights(version)
        return
    root.mkdir(parents=True, exist_ok=True)
    before = [path for path in root.iterdir() if path.is_dir()]
    numbers = [int(match[1]) for path in before if (match := re.fullmatch(r"version-\d+-(\d+)", path.name))]
    folder = root / f"version-{version:06d}-{max(numbers, default=-1) + 1:06d}"  # a version may come again, after a resume
    with whole_folder(folder) as partial:
        trainable.save(partial, reference=False)
    engine.update_weights(version, folder)
    for path in before:
        shutil.rmtree(path, ignore_errors=True)
