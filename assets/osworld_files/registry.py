"""Which function makes the files of which task."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

Maker = Callable[[Path], None]
MAKERS: dict[str, Maker] = {}


def makes(*tasks: str) -> Callable[[Maker], Maker]:
    """Register what makes the files of these tasks in the folder that it is given."""

    def register(maker: Maker) -> Maker:
        MAKERS.update(dict.fromkeys(tasks, maker))
        return maker

    return register
