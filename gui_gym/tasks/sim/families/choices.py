"""Choose a row of a list, and read what one of several windows says."""

from __future__ import annotations

from typing import Any

import numpy as np

from gui_gym.desktops.sim.apps.dialog import Dialog
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State, Window
from gui_gym.desktops.sim.widgets.basic import Label
from gui_gym.desktops.sim.widgets.listview import ListView
from gui_gym.tasks.sim.brief import Brief, Difficulty
from gui_gym.tasks.sim.families.common import (
    DialogFamily,
    closed,
    clutter,
    dialog_width,
    draw_labels,
    ok_cancel,
    paragraph,
    quoted,
    room_for_list,
    said_number,
    width_for,
    wording,
)
from gui_gym.tasks.sim.family import Family, Params, pick, sample
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import CITIES, FIRST, LAST, SENTENCES, TITLES
from gui_gym.verifiers.score import Outcome


class PickFromList(DialogFamily):
    """Find a row in a list, which is longer than its view unless it is easy, select it and press OK."""

    id = "pick-from-list"
    skills = ("scroll", "list", "read")
    min_size = (240, 150)
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        rng = brief.rng
        count = brief.by_level(brief.integer(4, 6), brief.integer(17, 41), brief.integer(90, 160))
        *people, missing = sample(rng, [f"{first} {last}" for first in FIRST for last in LAST], count + 1)
        rows = sorted(people) if brief.chance(brief.by_level(0.5, 0.5, 0.2)) else people
        target = pick(rng, rows) if brief.feasible else missing
        choices = ["Select {name} in the list and press {ok}.", "Find {name} in the list, then confirm with {ok}.", "Choose {name} and click {ok}."]
        instruction = wording(brief, choices, name=quoted(target))
        return {"instruction": instruction, "rows": [[row] for row in rows], "target": target, "title": brief.label(brief.pick(TITLES))}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        dialog = Dialog(id="dialog", title=params["title"])
        column = Column(session, dialog, dialog_width(session, int(rng.integers(13, 18))))
        height = min(room_for_list(session, column), int(rng.integers(12, 20)) * session.look.size.font)
        column.row(ListView(id="list", name=session.label("Name"), rows=[list(row) for row in params["rows"]]), height=height)
        ok_cancel(session, column)
        dialog.default = ""  # a double click on a row hands nothing in
        place(session, dialog, rng)

    def values(self, params: Params) -> dict[str, Any]:
        return {"list": params["target"]}

    def fill(self, solver: Solver, params: Params) -> None:
        solver.select_row("dialog", "list", params["target"])


#: What a window of :class:`ReadCode` can show a number for.
NUMBERS = ("Code", "Room", "Order number", "Phone", "Seat", "Invoice number")


class ReadCode(Family):
    """Say which number the named window shows; the windows may cover each other, and hard ones show several."""

    id = "read-code"
    skills = ("read", "window", "answer")
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        *cities, missing = brief.sample(CITIES, brief.by_level(2, brief.integer(2, 4), brief.integer(5, 6)) + 1)
        hard = brief.difficulty is Difficulty.HARD
        names = draw_labels(brief, NUMBERS, 3) if hard else [brief.label("Code")]
        asked = brief.pick(names)
        numbers = brief.sample(range(1000, 10000), len(cities) * len(names))  # all different
        windows = {city: dict(zip(names, map(str, numbers[i * len(names) :]), strict=False)) for i, city in enumerate(cities)}
        target = brief.pick(cities) if brief.feasible else missing
        choices = ["Which {asked} does the window {city} show?", "Find the {asked} in the window called {city}.", "What is the {asked} for {city}?"]
        instruction = wording(brief, choices, asked=quoted(asked), city=quoted(target))
        code = windows[target][asked] if brief.feasible else ""
        return {
            "instruction": f"{instruction} Answer with the number alone, and leave all windows open.",
            "windows": windows,
            "target": target,
            "code": code,
        }

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        for city, numbers in params["windows"].items():
            window = Window(id=city, title=city)
            lines = [f"{name}: {number}" for name, number in numbers.items()]
            column = Column(session, window, width_for(session, int(rng.integers(13, 19)), *lines))
            for i in rng.permutation(len(lines)):
                column.row(Label(id=f"number{i}", name=lines[int(i)]))
            paragraph(column, pick(rng, [s for s in SENTENCES if not any(c.isdigit() for c in s)]), muted=True)
            column.space(int(rng.integers(1, 5)) * session.look.size.gap)
            column.finish()
            place(session, window, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return said_number(outcome.answer, params["code"]) and not closed(state, start)

    def solve(self, solver: Solver, params: Params) -> None:
        solver.raise_window(solver.window(params["target"]))
        solver.answer(params["code"])

    def spoil(self, solver: Solver, params: Params) -> bool:
        solver.close(params["target"])
        return True
