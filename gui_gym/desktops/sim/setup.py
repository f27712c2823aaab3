"""The setup steps a task may ask the simulated desktop for, by their ``"type"``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gui_gym.desktops.sim.session import Session
from gui_gym.registry import Registry

#: A step changes a fresh session as its parameters say.
SetupStep = Callable[[Session, Mapping[str, Any]], None]


def write_files(session: Session, parameters: Mapping[str, Any]) -> None:
    """Step ``files``: ``{"files": {path: text}}``."""
    session.state.files.update({str(path): str(text) for path, text in parameters["files"].items()})


SETUP_STEPS: Registry[SetupStep] = Registry(
    "setup step of the sim desktop", {"files": write_files, "family": "gui_gym.tasks.sim.suite:set_up_family"}
)
