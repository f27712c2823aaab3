"""Getters of what the programs on the screen tell through the accessibility bus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gui_gym.desktops.accessibility import terminal_text, to_xml
from gui_gym.desktops.base import DesktopError
from gui_gym.tasks.setup import Stage, wait_until
from gui_gym.verifiers.osworld.getters import Getter

TERMINAL_SECONDS = 3.0  #: longest wait for a terminal's text to rest: its last command may still print


def _tree(stage: Stage) -> dict[str, Any]:
    tree = stage.desktop.accessibility_tree()
    if tree is None:
        raise DesktopError(f"the {stage.desktop.kind!r} desktop has no accessibility tree")
    return tree


def _terminal(stage: Stage, spec: Mapping[str, Any]) -> str | None:
    """What the terminal in use shows, once two looks at it are alike; None if none is open."""
    text = terminal_text(_tree(stage))

    def rests() -> bool:
        nonlocal text
        before, text = text, terminal_text(_tree(stage))
        return text == before

    wait_until(rests, TERMINAL_SECONDS)
    return text


accessibility_tree = Getter(lambda stage, spec: to_xml(_tree(stage)))
vm_terminal_output = Getter(_terminal)
