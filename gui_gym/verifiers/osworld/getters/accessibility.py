"""Getters of what the programs on the screen tell through the accessibility bus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gui_gym.desktops.accessibility import terminal_text, to_xml
from gui_gym.desktops.base import Desktop, DesktopError
from gui_gym.tasks.setup import Stage, wait_until
from gui_gym.verifiers.osworld.getters import Getter

TERMINAL_SECONDS = 3.0  #: longest wait for a terminal's text to rest: its last command may still print


def tree_of(desktop: Desktop) -> dict[str, Any]:
    """Its accessibility tree; :class:`~gui_gym.desktops.DesktopError` if it has none."""
    tree = desktop.accessibility_tree()
    if tree is None:
        raise DesktopError(f"the {desktop.kind!r} desktop has no accessibility tree: use desktop='x11' or a guest")
    return tree


def _terminal(stage: Stage, spec: Mapping[str, Any]) -> str | None:
    """What the terminal in use shows, once two looks at it are alike; None if none is open."""
    text = terminal_text(tree_of(stage.desktop))

    def rests() -> bool:
        nonlocal text
        before, text = text, terminal_text(tree_of(stage.desktop))
        return text == before

    wait_until(rests, TERMINAL_SECONDS)
    return text


accessibility_tree = Getter(lambda stage, spec: to_xml(tree_of(stage.desktop)))
vm_terminal_output = Getter(_terminal)
