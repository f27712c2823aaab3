"""An environment with OSWorld's own client, PyPI ``desktop-env``."""

from __future__ import annotations

import subprocess
import venv
from collections.abc import Sequence
from pathlib import Path


def make_venv(folder: Path, libraries: Sequence[str]) -> Path:
    """The interpreter of an environment with their client and ``libraries``, made in ``folder`` unless it is there."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *libraries], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", "desktop-env==1.0.2"], check=True)
    return python
