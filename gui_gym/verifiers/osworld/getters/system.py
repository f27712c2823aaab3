"""Getters of what programs print, and of the screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gui_gym.tasks.fields import COMMAND, FLAG
from gui_gym.tasks.setup import Stage
from gui_gym.tasks.setup.commands import COMMAND_SECONDS, argv_of
from gui_gym.verifiers.osworld.getters import Getter


def _command(stage: Stage, spec: Mapping[str, Any]) -> tuple[str, str]:
    done = stage.desktop.run(argv_of(stage.desktop, spec["command"], spec.get("shell")), timeout=COMMAND_SECONDS)
    return done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


vm_command_line = Getter(lambda stage, spec: _command(stage, spec)[0], {"command": COMMAND}, {"shell": FLAG})
vm_command_error = Getter(lambda stage, spec: _command(stage, spec)[1], {"command": COMMAND}, {"shell": FLAG})
vm_screen_size = Getter(lambda stage, spec: {"width": stage.desktop.width, "height": stage.desktop.height}, from_author=True)
