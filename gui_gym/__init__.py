"""The Gymnasium for agents that use a computer by looking at it.

``import gui_gym`` registers the environments: ``gymnasium.make("GuiDesktop-v0")``. Needs gymnasium, numpy and pillow.
"""

from __future__ import annotations

import gymnasium as _gymnasium

from gui_gym.actions import Action, ActionError, ActionType, Button, Key, Modifier, key_from_name
from gui_gym.desktops import Desktop, DesktopError, register_desktop
from gui_gym.tasks import Suite, Task, TaskError, register_suite
from gui_gym.verifiers import Score, register_verifier

__version__ = "0.1.0"

__all__ = [
    "Action",
    "ActionError",
    "ActionType",
    "Button",
    "Desktop",
    "DesktopError",
    "Key",
    "Modifier",
    "Score",
    "Suite",
    "Task",
    "TaskError",
    "key_from_name",
    "register_desktop",
    "register_suite",
    "register_verifier",
]

#: Every id: its default arguments, and whether its desktop is real (so that runs do not repeat exactly).
ENVIRONMENTS: dict[str, tuple[dict[str, object], bool]] = {
    "GuiDesktop-v0": ({}, False),
    "GuiOSWorld-v0": ({"suite": "osworld", "desktop": "x11", "width": 1920, "height": 1080}, True),
}

for _id, (_kwargs, _real) in ENVIRONMENTS.items():
    _gymnasium.register(
        id=_id,
        entry_point="gui_gym.env:GuiDesktopEnv",
        vector_entry_point="gui_gym.vector_env:GuiDesktopVectorEnv",
        kwargs=_kwargs,
        nondeterministic=_real,
    )
