"""Menus and lists: choose an item, find a row, and read what one of several windows says."""

from __future__ import annotations

from typing import Any

import numpy as np

from gui_gym.desktops.sim.apps.dialog import Dialog
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State, Window
from gui_gym.desktops.sim.widgets.basic import Label
from gui_gym.desktops.sim.widgets.choice import MenuBar
from gui_gym.desktops.sim.widgets.listview import ListView
from gui_gym.tasks.sim.brief import Brief, Difficulty
from gui_gym.tasks.sim.families.common import (
    closed,
    clutter,
    dialog_width,
    draw_labels,
    handed_in,
    ok_cancel,
    paragraph,
    quoted,
    room_for_list,
    said_number,
    submissions,
    used,
    width_for,
    wording,
)
from gui_gym.tasks.sim.family import Family, Params, pick, sample
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import CITIES, FIRST, LAST, MENUS, SENTENCES, TITLES
from gui_gym.verifiers.score import Outcome


class ChooseMenu(Family):
    """Choose one item from a window's menus, whose names a hard instance does not tell. Any other that is chosen spoils it."""

    id = "choose-menu"
    skills = ("click", "menu", "read")
    max_steps = 12
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        names = draw_labels(brief, sorted(MENUS), brief.by_level(2, brief.integer(2, 4), 5))
        english = {brief.label(name): name for name in sorted(MENUS)}
        menus: dict[str, list[str]] = {}
        taken: set[str] = set()  # no item is in two menus, in whatever language
        for name in names:
            items = [item for item in draw_labels(brief, MENUS[english[name]], len(MENUS[english[name]])) if item.casefold() not in taken]
            taken |= {item.casefold() for item in items}
            menus[name] = items[:4] if brief.difficulty is Difficulty.EASY else items
        menu = brief.pick(names)
        missing = menus[menu].pop()
        item = brief.pick(menus[menu]) if brief.feasible else missing
        for name in names:
            if name != menu and len(menus[name]) > 3:
                menus[name].pop()
        choices = [
            "Choose {item} from the {menu} menu.",
            "In the menu bar, select {menu}, then {item}.",
            "Use the menus to choose {menu}, then {item}.",
        ]
        hidden = ["Choose {item} from one of the menus.", "Find {item} in the menus and choose it.", "Use the menus to choose {item}."]
        instruction = wording(brief, brief.by_level(choices, choices, hidden), item=quoted(item), menu=quoted(menu))
        title = brief.label(brief.pick(TITLES))
        return {"instruction": instruction, "menus": menus, "target": f"{menu} > {item}", "title": title, "text": brief.pick(SENTENCES)}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        size = session.look.size  # no other window: an editor's menus would hold some of the same items
        window = Window(id="window", title=params["title"])
        bar = MenuBar(id="menu", name="Menu", menus={name: list(items) for name, items in params["menus"].items()})
        _, (left, _, last, _) = bar.titles(session.look)[-1]
        column = Column(session, window, max(width_for(session, int(rng.integers(22, 34))), left + last - 2 * size.pad + 2))
        bar.x, bar.y, bar.w, bar.h = 1, size.title, column.width + 2 * size.pad - 2, size.control - 2
        window.widgets.append(bar)
        column.space(size.control)
        paragraph(column, params["text"])
        column.space(int(rng.integers(2, 8)) * size.gap)
        column.finish()
        place(session, window, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return used(state, "window", "chosen") == {params["target"]}

    @staticmethod
    def _choose(solver: Solver, path: str) -> None:
        menu, _, item = path.partition(" > ")
        solver.open_menu("window", "menu", menu)
        solver.choose(item)

    def solve(self, solver: Solver, params: Params) -> None:
        if not used(solver.state, "window", "chosen"):
            self._choose(solver, params["target"])

    def spoil(self, solver: Solver, params: Params) -> bool:
        paths = [f"{menu} > {item}" for menu, items in params["menus"].items() for item in items]
        self._choose(solver, next(path for path in paths if path != params["target"]))
        return True


class PickFromList(Family):
    """Find a row in a list, which is longer than its view unless it is easy, select it and press OK."""

    id = "pick-from-list"
    skills = ("scroll", "list", "read")
    touches = ("submitted:dialog",)
    min_size = (240, 150)
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        rng = brief.rng
        count = brief.by_level(brief.integer(4, 6), brief.integer(17, 41), brief.integer(90, 160))
        *people, missing = sample(rng, [f"{first} {last}" for first in FIRST for last in LAST], count + 1)
        rows = sorted(people) if brief.chance(brief.by_level(0.5, 0.5, 0.2)) else people
        target = pick(rng, rows) if brief.feasible else missing
        choices = ["Select {name} in the list and press {ok}.", "Find {name} in the list, then confirm with {ok}.", "Choose {name} and click {ok}."]
        instruction = wording(brief, choices, name=quoted(target), ok=quoted(brief.label("OK")))
        return {"instruction": instruction, "rows": [[row] for row in rows], "target": target, "title": brief.label(brief.pick(TITLES))}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        dialog = Dialog(id="dialog", title=params["title"], closing=["ok", "cancel"])
        column = Column(session, dialog, dialog_width(session, int(rng.integers(13, 18))))
        height = min(room_for_list(session, column), int(rng.integers(12, 20)) * session.look.size.font)
        column.row(ListView(id="list", name=session.label("Name"), rows=[list(row) for row in params["rows"]]), height=height)
        ok_cancel(session, column)
        dialog.default = ""  # a double click on a row hands nothing in
        place(session, dialog, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return handed_in(state, {"list": params["target"]})

    def solve(self, solver: Solver, params: Params) -> None:
        if not submissions(solver.state):
            solver.select_row("dialog", "list", params["target"])
            solver.click("dialog", "ok")


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
