"""An environment with PyPI ``trl``, on the torch and transformers of this one."""

from __future__ import annotations

import site
import subprocess
import venv
from pathlib import Path

TRL = "trl==1.16.0"


def make_venv(folder: Path) -> Path:
    """The interpreter of an environment with trl, made in ``folder`` unless it is there; what is installed here is found there too."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        (packages,) = (folder / "lib").glob("python*/site-packages")
        (packages / "zz-host.pth").write_text("\n".join(site.getsitepackages()))
        subprocess.run([python, "-m", "pip", "install", "-q", TRL], check=True)
    return python
