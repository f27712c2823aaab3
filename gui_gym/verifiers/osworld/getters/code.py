"""Getters of a code editor's state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gui_gym.actions import Action, Key, Modifier
from gui_gym.tasks.fields import NAME, PATH, TEXT
from gui_gym.tasks.setup import Stage
from gui_gym.verifiers.osworld.getters import GETTERS, Getter

WRITE_SECONDS = 1  #: how long the editor's extension has to write its file, as long as OSWorld gives it


def _vscode_config(stage: Stage, spec: Mapping[str, Any]) -> Any:
    """The file that a command of an extension of Visual Studio Code's writes; the command is run from the command palette."""
    palette = Action.press(Key.P, Modifier.CTRL, Modifier.SHIFT)
    for action in (palette, Action.type_text(spec["vscode_extension_command"]), Action.press(Key.ENTER), Action.wait_for(WRITE_SECONDS)):
        stage.desktop.perform(action)
    return GETTERS.get("vm_file").get(stage, {"path": spec["path"], "dest": spec["dest"]})


vscode_config = Getter(_vscode_config, {"vscode_extension_command": TEXT, "path": PATH, "dest": NAME})
