"""What several families do when they lay out or check an instance."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from gui_gym.desktops.sim.apps.editor import make_editor
from gui_gym.desktops.sim.layout import place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.tasks.sim.family import pick
from gui_gym.tasks.sim.words import note

ROOMY = (560, 360)  #: least screen on which there are windows that have nothing to do with the task


def clutter(session: Session, rng: np.random.Generator) -> None:
    """Now and then a window that has nothing to do with the task, on a screen with room for it."""
    if session.state.width < ROOMY[0] or session.state.height < ROOMY[1] or rng.random() < 0.35:
        return
    size = session.look.size
    path = f"/home/user/Documents/{pick(rng, ['scratch', 'inbox', 'later'])}.txt"
    session.state.files[path] = note(rng, int(rng.integers(3, 9)))
    place(session, make_editor(session, path, int(rng.integers(24, 34)) * size.font, int(rng.integers(14, 20)) * size.font), rng)


def submissions(state: State) -> list[tuple[str, str, dict[str, Any]]]:
    """What dialogs handed in: window, button, and the widgets' values by id."""
    return [(event.window, event.widget, json.loads(event.value)) for event in state.events("submitted")]


def width_for(session: Session, ems: int) -> int:
    """A content width of so many font sizes, or what the screen has room for."""
    size = session.look.size
    return min(ems * size.font, session.state.width - 2 * size.pad - 2 * size.shadow)


def open_windows(state: State) -> list[str]:
    """The ids of the open windows, sorted."""
    return sorted(window.id for window in state.windows)


def quoted(text: str) -> str:
    """A text as instructions quote it: in curly marks, which no text of a task holds, so that its own quotes stay plain."""
    return f"“{text}”"
