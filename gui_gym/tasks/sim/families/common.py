"""What several families do when they draw, lay out or check an instance."""

from __future__ import annotations

import json
import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gui_gym.desktops.sim.apps.dialog import Dialog
from gui_gym.desktops.sim.apps.editor import make_editor
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State, Window
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.desktops.sim.widgets.basic import Button, Label
from gui_gym.tasks.sim.brief import Brief, pick
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import note
from gui_gym.verifiers.score import Outcome

ROOMY = (560, 360)  #: least screen on which there are windows that have nothing to do with the task

# Drawing


def draw_labels(brief: Brief, english: Sequence[str], n: int) -> list[str]:
    """``n`` of these labels in the brief's language, in random order, no two of which look the same in it."""
    found: list[str] = []
    for text in brief.labels(brief.sample(english, len(english))):
        if len(found) < n and all(text.casefold() != other.casefold() for other in found):
            found.append(text)
    assert len(found) == n, f"{n} different labels asked of {len(english)}"
    return found


def quoted(text: str) -> str:
    """A text as instructions quote it: in curly marks, which no text of a task holds, so that its own quotes stay plain."""
    return f"“{text}”"


def joined(parts: Sequence[str], last: str = "and") -> str:
    """Parts of a sentence: "a", "a and b", "a, b and c"."""
    *before, end = parts
    return f"{', '.join(before)} {last} {end}" if before else end


def listed(texts: Sequence[str], last: str = "and") -> str:
    """The texts, quoted, as a list within a sentence: “A”, “B” and “C”."""
    return joined([quoted(text) for text in texts], last)


def wording(brief: Brief, wordings: Sequence[str], *parts: object, **named: object) -> str:
    """One of several wordings of an instruction, with its parts filled in; ``{ok}`` is what the button OK says, unless another is named."""
    return brief.pick(wordings).format(*parts, **{"ok": quoted(brief.label("OK")), **named})


# Laying out


def clutter(session: Session, rng: np.random.Generator) -> None:
    """Now and then a window that has nothing to do with the task, on a screen with room for it."""
    if session.state.width < ROOMY[0] or session.state.height < ROOMY[1] or rng.random() < 0.35:
        return
    size = session.look.size
    path = f"/home/user/Documents/{pick(rng, ['scratch', 'inbox', 'later'])}.txt"
    session.state.files[path] = note(rng, int(rng.integers(3, 9)))
    place(session, make_editor(session, path, int(rng.integers(24, 34)) * size.font, int(rng.integers(14, 20)) * size.font), rng)


def width_for(session: Session, ems: int, *texts: str) -> int:
    """A content width of so many font sizes, more if one of ``texts`` is wider, or what the screen has room for."""
    size = session.look.size
    return min(max(ems * size.font, *map(session.look.sans.width, texts), 0), session.state.width - 2 * size.pad - 2 * size.shadow)


def dialog_width(session: Session, ems: int) -> int:
    """As :func:`width_for`, and wide enough for the buttons of :func:`ok_cancel`."""
    size, font = session.look.size, session.look.sans
    return max(width_for(session, ems), font.width(session.label("OK")) + font.width(session.label("Cancel")) + 4 * size.pad + size.gap)


def box_width(session: Session, text: str) -> int:
    """The width of a check box or radio button with this label, in pixels."""
    size = session.look.size
    return session.look.sans.width(text) + size.font + size.gap + 4


def paragraph(column: Column, text: str, name: str = "text", muted: bool = False) -> None:
    """A text over as many lines as it takes."""
    font = column.look.sans
    lines = len(font.wrap(text, column.width))
    column.row(Label(id=name, name=text, muted=muted), height=max(column.size.control if lines == 1 else 0, lines * font.height))


def flow(column: Column, widgets: Iterable[Widget], align: str = "left", least: int = 0) -> None:
    """Widgets as wide as their labels (at least ``least`` pixels), as many to a row as fit."""
    row: list[Widget] = []
    for widget in widgets:
        widget.w = min(column.width, widget.w or max(least, column.look.sans.width(widget.name) + 2 * column.size.pad))
        if row and sum(w.w + column.size.gap for w in row) + widget.w > column.width:
            column.row(*row, align=align)
            row = []
        row.append(widget)
    column.row(*row, align=align)


def in_columns(column: Column, widgets: Sequence[Widget], n: int) -> None:
    """Widgets in ``n`` columns of the same width."""
    for widget in widgets:
        widget.w = (column.width - (n - 1) * column.size.gap) // n
    for i in range(0, len(widgets), n):
        column.row(*widgets[i : i + n], align="left")


def ok_cancel(session: Session, column: Column, ok: str = "OK") -> None:
    """The buttons that end a dialog, "ok" and "cancel", and its height; Enter presses "ok"."""
    dialog = column.window
    assert isinstance(dialog, Dialog)
    dialog.closing, dialog.default = ["ok", "cancel"], "ok"
    buttons = Button(id="ok", name=session.label(ok), primary=True), Button(id="cancel", name=session.label("Cancel"))
    column.row(*buttons, align="right")
    column.finish()


def room_for_list(session: Session, column: Column) -> int:
    """The height that is left on the screen for a list above the row of buttons that ends a dialog, in pixels."""
    size = session.look.size
    return session.work_area[3] - column.y - size.gap - size.control - size.pad - 2 * size.shadow


# Checking


def submissions(state: State) -> list[tuple[str, str, dict[str, Any]]]:
    """What dialogs handed in: window, button, and the widgets' values by id."""
    return [(event.window, event.widget, json.loads(event.value)) for event in state.events("submitted")]


def handed_values(state: State, window: str = "dialog", button: str = "ok") -> dict[str, Any] | None:
    """The values that were handed in with that button, once and no more than once; else None."""
    done = submissions(state)
    return done[0][2] if len(done) == 1 and done[0][:2] == (window, button) else None


def handed_in(state: State, values: dict[str, Any], window: str = "dialog", button: str = "ok") -> bool:
    """Whether exactly these values were handed in with that button, and nothing else."""
    return handed_values(state, window, button) == values


def used(state: State, window: str, signal: str) -> set[str]:
    """What was clicked or chosen in a window, by name, or by id where it has none: a set, as a double click on the right thing does no harm."""
    return {event.value or event.widget for event in state.events(signal) if event.window == window}


def closed(state: State, start: State) -> set[str]:
    """The ids of the windows that have been closed since the start. Ones opened meanwhile do not matter."""
    return {window.id for window in start.windows} - {window.id for window in state.windows}


def others(state: State, start: State, *names: str) -> list[Window]:
    """The windows that were open at the start and still are, but for those named."""
    before = {window.id for window in start.windows}
    return [window for window in state.windows if window.id in before and window.id not in names]


def plain_number(answer: str | None) -> str:
    """An answer that is one number, in its plain form ("1,250." is "1250", "−3" is "-3"); else the answer itself, without spaces at its ends."""
    text = (answer or "").strip()
    said = re.fullmatch(r"([-−]?)(\d+|\d{1,3}(?:,\d{3})+)\.?", text, re.ASCII)
    return ("-" if said[1] else "") + said[2].replace(",", "") if said else text


def said_number(answer: str | None, number: str) -> bool:
    """Whether an answer is this number and no other: alone, with thousands parted by commas, or in a short form such as "Code: 12." or "12 bytes"."""
    said = re.fullmatch(r"(?:code:?\s*)?(\d+|\d{1,3}(?:,\d{3})+)\s*(?:b|bytes?)?\.?", (answer or "").strip(), re.IGNORECASE | re.ASCII)
    return said is not None and said[1].replace(",", "") == number


# Solving


def tick(solver: Solver, wanted: Mapping[str, bool], window: str = "dialog") -> None:
    """Check or clear the boxes of a window, by id, that are not yet as they are wanted."""
    for name, on in wanted.items():
        if solver.widget(window, name).value != on:
            solver.click(window, name)


class DialogFamily(Family):
    """The dialog "dialog" is filled in and handed in with the button ``button``."""

    touches = ("submitted:dialog",)
    button: ClassVar[str] = "ok"

    @abstractmethod
    def values(self, params: Params) -> dict[str, Any]:
        """The values of its widgets, by id, that are to be handed in."""

    @abstractmethod
    def fill(self, solver: Solver, params: Params) -> None:
        """Give its widgets these values."""

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return handed_in(state, self.values(params), button=self.button)

    def solve(self, solver: Solver, params: Params) -> None:
        if not submissions(solver.state):
            self.fill(solver, params)
            solver.click("dialog", self.button)
