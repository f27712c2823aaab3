"""What several families do when they lay out or check an instance."""

from __future__ import annotations

import json
import re
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


def used(state: State, window: str, signal: str) -> set[str]:
    """What was clicked or chosen in a window, by name, or by id where it has none: a set, as a double click on the right thing does no harm."""
    return {event.value or event.widget for event in state.events(signal) if event.window == window}


def width_for(session: Session, ems: int) -> int:
    """A content width of so many font sizes, or what the screen has room for."""
    size = session.look.size
    return min(ems * size.font, session.state.width - 2 * size.pad - 2 * size.shadow)


def closed(state: State, start: State) -> set[str]:
    """The ids of the windows that have been closed since the start. Ones opened meanwhile do not matter."""
    return {window.id for window in start.windows} - {window.id for window in state.windows}


def said_number(answer: str | None, number: str) -> bool:
    """Whether an answer is this number and no other: alone, with thousands parted by commas, or in a short form such as "Code: 12." or "12 bytes"."""
    said = re.fullmatch(r"(?:code:?\s*)?(\d+|\d{1,3}(?:,\d{3})+)\s*(?:b|bytes?)?\.?", (answer or "").strip(), re.IGNORECASE | re.ASCII)
    return said is not None and said[1].replace(",", "") == number


def quoted(text: str) -> str:
    """A text as instructions quote it: in curly marks, which no text of a task holds, so that its own quotes stay plain."""
    return f"“{text}”"
