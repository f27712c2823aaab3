"""From the learner to its engine: weights saved to a folder of their own for each version."""

from __future__ import annotations

import shutil
from pathlib import Path

from agents.adapters import Trainable
from agents.engines.base import Engine


def publish(engine: Engine, trainable: Trainable, version: int, root: Path) -> None:
    """Let ``engine`` sample from the weights of ``trainable`` as they are now, which have seen ``version`` updates.

    For an engine apart they are saved to a new folder in ``root``, where server and learner both see it; folders of versions before
    the last are removed.
    """
    if not engine.apart:
        engine.update_weights(version)
        return
    root.mkdir(parents=True, exist_ok=True)
    before = {path for path in root.iterdir() if path.is_dir()}
    number = max((int(path.name.rsplit("-", 1)[-1]) for path in before if path.name.rsplit("-", 1)[-1].isdigit()), default=-1) + 1
    folder = root / f"version-{version:06d}-{number:06d}"
    partial = root / f".partial-{folder.name}"
    trainable.save(partial, reference=False)
    partial.rename(folder)
    engine.update_weights(version, folder)
    for path in before:
        shutil.rmtree(path, ignore_errors=True)
