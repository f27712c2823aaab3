"""Steps that open, raise and close windows."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from gui_gym.desktops.base import DesktopError
from gui_gym.desktops.windows import windows_of
from gui_gym.tasks.content_cache import base_name
from gui_gym.tasks.fields import FLAG, PATH, TEXT, flag
from gui_gym.tasks.setup import WINDOW_SECONDS, Stage, Step, expand_home, wait_until
from gui_gym.tasks.task import TaskError

logger = logging.getLogger(__name__)

_OPENERS = {
    "mousepad --disable-server": " .txt .md .json .py .sh .cfg .conf .ini .log .xml .yaml .yml .toml",
    "libreoffice --calc": ".xlsx .xls .ods .csv .tsv",
    "libreoffice --writer": ".docx .doc .odt .rtf",
    "libreoffice --impress": ".pptx .ppt .odp",
    "gimp": ".xcf",
    "vlc": ".mp4 .mkv .avi .mov .webm .mp3 .wav .ogg .flac",
    "google-chrome": ".html .htm",
}
#: Programs that ``open`` starts, by file extension; anything else, a folder too, goes to ``xdg-open``, which obeys the user's settings.
OPENERS: dict[str, tuple[str, ...]] = {
    extension: tuple(command.split()) for command, extensions in _OPENERS.items() for extension in extensions.split(" ")
}


def opener(path: str) -> tuple[str, ...]:
    """The command that opens the file ``path``, without the file."""
    stem, dot, extension = base_name(path).rpartition(".")
    return OPENERS.get(f".{extension.lower()}" if dot and stem else "", ("xdg-open",))


def _open(stage: Stage, parameters: Mapping[str, Any]) -> None:
    path = expand_home(stage.desktop, [parameters["path"]])[0]
    windows = windows_of(stage.desktop)
    if stage.desktop.run(["test", "-e", path]).returncode:
        raise TaskError(f"path: expected a file that is on the desktop, got {path!r}")
    folder = not stage.desktop.run(["test", "-d", path]).returncode
    stage.desktop.launch([*(("xdg-open",) if folder else opener(path)), path])
    windows.wait_for_window(base_name(path), timeout=WINDOW_SECONDS)


def _activate_window(stage: Stage, parameters: Mapping[str, Any]) -> None:
    _on_window(stage, parameters, windows_of(stage.desktop).activate_window)


def _close_window(stage: Stage, parameters: Mapping[str, Any]) -> None:
    _on_window(stage, parameters, windows_of(stage.desktop).close_window)


def _on_window(stage: Stage, parameters: Mapping[str, Any], act: Callable[..., Any]) -> None:
    """``act`` on a window, waiting for one just launched. As in OSWorld one that is missing or does not follow changes nothing:
    after an episode that is the agent's doing."""
    title, how = parameters["window_name"], {name: flag(parameters.get(name) or False) for name in ("strict", "by_class")}
    ways = [(title, how)]
    if not any(how.values()):  # "Google Chrome" is the title of that browser's windows, and the class of those of Chromium in its place
        ways.append((title.replace(" ", "-"), {"strict": False, "by_class": True}))

    def found() -> tuple[str, dict[str, bool]] | None:
        return next((way for way in ways if windows_of(stage.desktop).find_window(way[0], **way[1]) is not None), None)

    wait_until(lambda: found() is not None, stage.patience)
    way = found()
    if way is None:
        logger.warning("task %s: no window %r", stage.task.id, title)
        return
    try:
        act(way[0], **way[1])
    except DesktopError as error:
        if not stage.desktop.healthy():
            raise
        logger.warning("task %s: %s", stage.task.id, error)


def _programs(parameters: Mapping[str, Any]) -> list[str]:
    return [opener(parameters["path"])[0]]


_WINDOW = {"strict": FLAG, "by_class": FLAG}
open_file = Step(_open, {"path": PATH}, programs=_programs)
activate_window = Step(_activate_window, {"window_name": TEXT}, _WINDOW)
close_window = Step(_close_window, {"window_name": TEXT}, _WINDOW)
