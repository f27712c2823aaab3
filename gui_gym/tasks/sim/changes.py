"""What differs between two states of the simulated world, by name."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from gui_gym.desktops.sim.filesystem import is_folder
from gui_gym.desktops.sim.state import State
from gui_gym.desktops.sim.web.sites import HISTORY

LOOKED_AT = (HISTORY,)  #: files that note what was looked at, which is no change
DAMAGING = ("file:", "setting:", "submitted:")  #: prefixes of changes that last


def changes(start: State, state: State) -> list[str]:
    """What changed since ``start``, sorted.

    ``file:PATH`` was written, made or deleted; ``setting:NAME`` has another value; the dialog of ``submitted:WINDOW`` was handed in;
    the window of ``closed:WINDOW``, open at the start, was closed otherwise. Scrolling, selecting, moving windows, text that is not
    saved and pages that were looked at (the browser's history) change nothing.
    """
    found = {f"submitted:{event.window}" for event in state.events("submitted")}
    before = {window.id for window in start.windows}
    found |= {f"closed:{name}" for name in before - {window.id for window in state.windows} if f"submitted:{name}" not in found}
    if start.files != state.files:
        paths = {path for path in start.files.keys() | state.files.keys() if start.files.get(path) != state.files.get(path)}
        found |= {f"file:{path}" for path in paths if path not in LOOKED_AT and not _same_folder(start, state, path)}
    if start.settings != state.settings:
        found |= {f"setting:{name}" for name in state.settings if start.settings.get(name) != state.settings[name]}
    return sorted(found)


def _same_folder(start: State, state: State, path: str) -> bool:
    """Whether a path is that of a folder which was there and still is, however it is kept: one that becomes empty gets an entry of its own."""
    return path.endswith("/") and is_folder(start.files, path) == is_folder(state.files, path)


def outside(found: Sequence[str], allowed: Sequence[str]) -> tuple[str, ...]:
    """The changes that match none of the patterns ``allowed`` (as of a shell: ``file:/home/user/Documents/*``)."""
    return tuple(change for change in found if not any(fnmatchcase(change, pattern) for pattern in allowed))
