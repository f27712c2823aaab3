"""The setup steps a task may ask the simulated desktop for, by their ``"type"``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gui_gym.desktops.sim.session import Session
from gui_gym.registry import Registry
from gui_gym.tasks.task import TaskError

#: A step changes a fresh session as its parameters say.
SetupStep = Callable[[Session, Mapping[str, Any]], None]


def write_files(session: Session, parameters: Mapping[str, Any]) -> None:
    """Step ``files``: ``{"files": {path: text}}``."""
    files = parameters.get("files")
    if not isinstance(files, Mapping) or not all(isinstance(part, str) for item in files.items() for part in item):
        raise TaskError(f"setup step 'files': the parameter 'files' maps paths to texts, got {files!r}")
    session.state.files.update(files)


SETUP_STEPS: Registry[SetupStep] = Registry(
    "setup step of the sim desktop", {"files": write_files, "family": "gui_gym.tasks.sim.suite:set_up_family"}
)
