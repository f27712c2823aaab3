"""Menus and lists: choose an item, find a row, and read what one of several windows says."""

from __future__ import annotations

from typing import Any

import numpy as np

from gui_gym.desktops.sim.apps.dialog import Dialog
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State, Window
from gui_gym.desktops.sim.widgets.basic import Button, Label
from gui_gym.desktops.sim.widgets.choice import MenuBar
from gui_gym.desktops.sim.widgets.listview import ListView
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import closed, clutter, quoted, said_number, submissions, used, width_for
from gui_gym.tasks.sim.family import Family, Params, pick, sample
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import CITIES, FIRST, LAST, MENUS, SENTENCES, TITLES
from gui_gym.verifiers.score import Outcome


class ChooseMenu(Family):
    """Choose one item from a window's menus. Any other that is chosen, before or after, spoils it."""

    id = "choose-menu"
    skills = ("click", "menu", "read")
    max_steps = 12
    min_size = (200, 150)
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        rng, feasible = brief.rng, brief.feasible
        names = sample(rng, sorted(MENUS), int(rng.integers(2, 5)))
        menus = {name: sample(rng, MENUS[name], len(MENUS[name]) - 1) for name in names}
        menu = pick(rng, names)
        item = pick(rng, menus[menu]) if feasible else next(item for item in MENUS[menu] if item not in menus[menu])
        wording = pick(
            rng, ["Choose {item} from the {menu} menu.", "In the menu bar, select {menu}, then {item}.", "Use the menus to choose {item}."]
        )
        instruction = wording.format(item=quoted(item), menu=quoted(menu))
        return {"instruction": instruction, "menus": menus, "target": f"{menu} > {item}", "title": pick(rng, TITLES), "text": pick(rng, SENTENCES)}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        size = session.look.size  # no other window: an editor's menus would hold some of the same items
        window = Window(id="window", title=params["title"])
        column = Column(session, window, width_for(session, int(rng.integers(22, 34))))
        bar = MenuBar(id="menu", name="Menu", menus={name: list(items) for name, items in params["menus"].items()})
        bar.x, bar.y, bar.w, bar.h = 1, size.title, column.width + 2 * size.pad - 2, size.control - 2
        window.widgets.append(bar)
        column.space(size.control)
        column.row(Label(id="text", name=params["text"]))
        column.space(int(rng.integers(2, 8)) * size.gap)
        column.finish()
        place(session, window, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return used(state, "window", "chosen") == {params["target"]}

    def solve(self, solver: Solver, params: Params) -> None:
        if not used(solver.state, "window", "chosen"):
            menu, _, item = params["target"].partition(" > ")
            solver.open_menu("window", "menu", menu)
            solver.choose(item)


class PickFromList(Family):
    """Find a row in a list that is longer than its view, select it and press OK."""

    id = "pick-from-list"
    skills = ("scroll", "list", "read")
    touches = ("submitted:dialog",)
    min_size = (200, 150)
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        rng, feasible = brief.rng, brief.feasible
        people = [
            f"{FIRST[i % len(FIRST)]} {LAST[i // len(FIRST)]}" for i in map(int, rng.permutation(len(FIRST) * len(LAST))[: int(rng.integers(17, 42))])
        ]
        *people, missing = people
        rows = sorted(people) if rng.random() < 0.5 else people
        target = pick(rng, rows) if feasible else missing
        wording = pick(rng, ["Select {} in the list and press OK.", "Find {} in the list, then confirm with OK.", "Choose {} and click OK."])
        return {"instruction": wording.format(quoted(target)), "rows": [[row] for row in rows], "target": target, "title": pick(rng, TITLES)}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        size = session.look.size
        dialog = Dialog(id="dialog", title=params["title"], closing=["ok", "cancel"], default="ok")
        column = Column(session, dialog, width_for(session, int(rng.integers(18, 26))))
        room = session.work_area[3] - size.title - 2 * size.pad - size.control - size.gap - 2 * size.shadow
        column.row(
            ListView(id="list", name="People", rows=[list(row) for row in params["rows"]]), height=min(room, int(rng.integers(12, 20)) * size.font)
        )
        column.row(Button(id="ok", name="OK", primary=True), Button(id="cancel", name="Cancel"), align="right")
        column.finish()
        place(session, dialog, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return submissions(state) == [("dialog", "ok", {"list": params["target"]})]

    def solve(self, solver: Solver, params: Params) -> None:
        if not submissions(solver.state):
            solver.select_row("dialog", "list", params["target"])
            solver.click("dialog", "ok")


class ReadCode(Family):
    """Say which code the named window shows; the windows may cover each other."""

    id = "read-code"
    skills = ("read", "window", "answer")
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        rng, feasible = brief.rng, brief.feasible
        cities = sample(rng, CITIES, int(rng.integers(2, 5)) + 1)
        codes = [str(int(rng.integers(1000, 10000))) for _ in cities]
        target = int(rng.integers(len(cities) - 1)) if feasible else len(cities) - 1
        wording = pick(rng, ["Which code does the window {} show?", "Find the code in the window called {}.", "What is the code for {}?"])
        windows = dict(zip(cities[:-1], codes[:-1], strict=True))
        instruction = f"{wording.format(quoted(cities[target]))} Answer with the number alone, and leave all windows open."
        return {"instruction": instruction, "windows": windows, "target": cities[target], "code": codes[target]}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        for city, code in params["windows"].items():
            window = Window(id=city, title=city)
            column = Column(session, window, width_for(session, int(rng.integers(13, 19))))
            column.row(Label(id="code", name=f"Code: {code}"))
            column.row(Label(id="text", name=pick(rng, [s for s in SENTENCES if "code" not in s]), muted=True))
            column.space(int(rng.integers(1, 5)) * session.look.size.gap)
            column.finish()
            place(session, window, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return said_number(outcome.answer, params["code"]) and not closed(state, start)

    def solve(self, solver: Solver, params: Params) -> None:
        solver.raise_window(solver.window(params["target"]))
        solver.answer(params["code"])
