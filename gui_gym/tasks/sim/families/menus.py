"""Menus: of a menu bar, with submenus, and context menus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gui_gym.actions import Button
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import Event, State, Window
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.desktops.sim.widgets.choice import MenuBar
from gui_gym.desktops.sim.widgets.listview import ListView
from gui_gym.tasks.sim.brief import Brief, Difficulty
from gui_gym.tasks.sim.families.common import clutter, draw_labels, paragraph, quoted, used, width_for, wording
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import ACTIONS, FIRST, LAST, MENUS, SENTENCES, SUBMENUS, TITLES
from gui_gym.verifiers.score import Outcome


class _MenuFamily(Family):
    """The item ``params["target"]``, a path such as "File > Save", is chosen from a window's menus; any other that is chosen spoils it."""

    has_infeasible = True

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        size = session.look.size  # no other window: an editor's menus would hold some of the same items
        window = Window(id="window", title=params["title"])
        bar = MenuBar(
            id="menu", name="Menu", menus={name: [list(i) if isinstance(i, list) else i for i in items] for name, items in params["menus"].items()}
        )
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
    def choose(solver: Solver, path: str) -> None:
        """Choose an item by its path."""
        menu, _, rest = path.partition(" > ")
        solver.open_menu("window", "menu", menu)
        solver.choose(rest)

    def solve(self, solver: Solver, params: Params) -> None:
        if not used(solver.state, "window", "chosen"):
            self.choose(solver, params["target"])


class ChooseMenu(_MenuFamily):
    """Choose one item from a window's menus, whose names a hard instance does not tell. Any other that is chosen spoils it."""

    id = "choose-menu"
    skills = ("click", "menu", "read")
    max_steps = 12

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

    def spoil(self, solver: Solver, params: Params) -> bool:
        paths = [f"{menu} > {item}" for menu, items in params["menus"].items() for item in items]
        self.choose(solver, next(path for path in paths if path != params["target"]))
        return True


class ChooseSubmenu(_MenuFamily):
    """Choose an item from a submenu, whose place a hard instance does not tell. Any other that is chosen spoils it."""

    id = "choose-submenu"
    skills = ("click", "menu", "read")
    max_steps = 14

    def draw(self, brief: Brief) -> dict[str, Any]:
        english = brief.sample(sorted(SUBMENUS), brief.by_level(1, brief.integer(2, 3), brief.integer(4, 5)))
        menus = {brief.label(name): self._items(brief, name) for name in english}
        paths = [f"{menu} > {item[0]} > {each}" for menu, items in menus.items() for item in items if not isinstance(item, str) for each in item[1]]
        target = brief.pick(paths)
        menu, item, last = target.split(" > ")
        names = [path.rpartition(" > ")[2] for path in paths]
        if not brief.feasible:  # the item is taken out of its submenu
            next(each for each in menus[menu] if each[0] == item)[1].remove(last)
        told = [
            "Choose {last} from the submenu {item} of the menu {menu}.",
            "In the menu bar, select {menu}, then {item}, then {last}.",
            "Use the menus: {menu}, {item}, {last}.",
        ]
        found = [
            "Find {last} in one of the submenus and choose it.",
            "Choose {last}, which is in one of the submenus.",
            "Use the menus to choose {last}.",
        ]
        hard = brief.by_level(False, False, names.count(last) == 1)
        instruction = wording(brief, found if hard else told, menu=quoted(menu), item=quoted(item), last=quoted(last))
        title = brief.label(brief.pick(TITLES))
        return {"instruction": instruction, "menus": menus, "target": target, "title": title, "text": brief.pick(SENTENCES)}

    @staticmethod
    def _items(brief: Brief, menu: str) -> list[Any]:
        """The items of a menu: texts, and lists of a text and a submenu's items."""
        items: list[Any] = []
        for name in brief.sample(sorted(SUBMENUS[menu]), len(SUBMENUS[menu])):
            inner = draw_labels(brief, SUBMENUS[menu][name], len(SUBMENUS[menu][name]))
            items.append([brief.label(name), inner] if inner else brief.label(name))
        return items

    def spoil(self, solver: Solver, params: Params) -> bool:
        menu, item, last = params["target"].split(" > ")
        inner = next(each[1] for each in params["menus"][menu] if each[0] == item)
        self.choose(solver, f"{menu} > {item} > {next(name for name in inner if name != last)}")
        return True


@dataclass(kw_only=True)
class Shelf(Window):
    """A list whose rows have a context menu; what is chosen for a row is logged as ``"done"`` with the value "row > item"."""

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if signal == "chosen":
            session.state.log.append(Event(self.id, widget.id, "done", f"{widget.value} > {value}"))


class ContextMenu(Family):
    """Choose something from the context menu of a row. Anything else that is done with a row spoils it."""

    id = "context-menu"
    skills = ("click", "menu", "list", "read")
    max_steps = 14
    min_size = (240, 150)
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        names = [f"{first} {last}" for first in FIRST for last in LAST]
        *rows, missing = brief.sample(names, brief.by_level(3, brief.integer(5, 8), brief.integer(20, 30)) + 1)
        items = draw_labels(brief, ACTIONS, brief.by_level(3, 5, 8))
        row, item = brief.pick(rows), brief.pick(items)
        choices = [
            "Right-click {row} and choose {item}.",
            "Choose {item} from the context menu of {row}.",
            "Use the right mouse button on {row} to choose {item}.",
        ]
        instruction = wording(brief, choices, row=quoted(row if brief.feasible else missing), item=quoted(item))
        target = f"{row} > {item}"
        return {"instruction": instruction, "rows": rows, "items": items, "target": target, "title": brief.label(brief.pick(TITLES))}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        size = session.look.size
        window = Shelf(id="shelf", title=params["title"])
        column = Column(session, window, width_for(session, int(rng.integers(15, 24))))
        view = ListView(id="list", name=session.label("Name"), rows=[[name] for name in params["rows"]], menu=list(params["items"]))
        room = session.work_area[3] - column.y - size.pad - 2 * size.shadow
        column.row(view, height=min(room, int(rng.integers(11, 20)) * size.font))
        column.finish()
        place(session, window, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return [event.value for event in state.events("done")] == [params["target"]]

    @staticmethod
    def _choose(solver: Solver, path: str) -> None:
        row, _, item = path.partition(" > ")
        solver.select_row("shelf", "list", row, button=Button.RIGHT)
        solver.choose(item)

    def solve(self, solver: Solver, params: Params) -> None:
        if not solver.state.events("done"):
            self._choose(solver, params["target"])

    def spoil(self, solver: Solver, params: Params) -> bool:
        row, _, item = params["target"].partition(" > ")
        self._choose(solver, f"{row} > {next(name for name in params['items'] if name != item)}")
        return True
