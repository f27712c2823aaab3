"""Scripted solutions of tasks whose state no program of ours knows: actions written down in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui_gym.codecs import ActionParseError, make_codec
from gui_gym.tasks.osworld_file import read_json
from gui_gym.tasks.task import TaskError

if TYPE_CHECKING:
    from gui_gym.actions import Action
    from gui_gym.desktops.base import Desktop


def read_solution(path: Path, desktop: Desktop) -> list[Action]:
    """The actions in a file: a JSON list of strings in the ``dsl`` format, or ``{"screen": [width, height], "actions": [...]}`` with such a list
    where points matter; then they hold for a screen of that many pixels alone.

    Raises :class:`TaskError` if it is not that, or ``desktop`` has another size.
    """
    data, size = read_json(path), (desktop.width, desktop.height)
    lines = data
    if isinstance(data, dict):
        lines, screen = data.get("actions"), _screen(data.get("screen"), path)
        if screen != size:
            raise TaskError(f"{path}: its points hold for a screen of {screen[0]}x{screen[1]} pixels, the desktop has {size[0]}x{size[1]}")
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise TaskError(f"{path}: expected a list of actions as text, got {lines!r:.120}")
    codec, actions = make_codec("dsl"), []
    for index, line in enumerate(lines):
        try:
            actions += codec.parse(line, size, desktop.cursor)
        except ActionParseError as error:
            raise TaskError(f"{path}: [{index}]: {error}") from error
    return actions


def _screen(value: Any, path: Path) -> tuple[int, int]:
    if not (isinstance(value, list) and len(value) == 2 and all(type(side) is int and side > 0 for side in value)):
        raise TaskError(f"{path}: screen: expected [width, height] in pixels, got {value!r:.120}")
    return value[0], value[1]
