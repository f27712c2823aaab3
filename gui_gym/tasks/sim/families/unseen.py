"""What is not on the screen at first: on another tab, in a closed section, or on another page of a list."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gui_gym.actions import Action
from gui_gym.desktops.sim.apps.dialog import Dialog
from gui_gym.desktops.sim.apps.tabbed import Tabbed
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State, Window
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.desktops.sim.widgets.basic import Button, CheckBox, Label
from gui_gym.desktops.sim.widgets.listview import ListView
from gui_gym.desktops.sim.widgets.outline import Node
from gui_gym.desktops.sim.widgets.sections import Sections
from gui_gym.desktops.sim.widgets.tabs import Tabs, place_tabs
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import (
    DialogFamily,
    box_width,
    clutter,
    dialog_width,
    draw_labels,
    ok_cancel,
    quoted,
    room_for_list,
    used,
    width_for,
    wording,
)
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import FIRST, LAST, LINES, OPTIONS, TABS, TITLES
from gui_gym.verifiers.score import Outcome


class CheckOnTab(DialogFamily):
    """Check a box on one of several tabs, or boxes on two of them, and press OK."""

    id = "check-on-tab"
    skills = ("click", "tab", "checkbox", "read")
    max_steps = 20
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        tabs = draw_labels(brief, TABS, brief.by_level(2, 3, brief.integer(4, 5)))
        per_tab = brief.by_level(2, 3, 3)
        *options, missing = draw_labels(brief, OPTIONS, len(tabs) * per_tab + 1)
        pages = {tab: options[i * per_tab : (i + 1) * per_tab] for i, tab in enumerate(tabs)}
        first = brief.integer(0, len(tabs) - 1)  # the tab that is shown at first, where nothing is to be done
        chosen = brief.sample([tab for i, tab in enumerate(tabs) if i != first], brief.by_level(1, 1, 2))
        targets = {tab: brief.pick(pages[tab]) for tab in chosen}
        checked = [option for option in options if option not in targets.values() and brief.chance(brief.by_level(0.0, 0.3, 0.3))]
        named = dict(targets) if brief.feasible else {**targets, chosen[-1]: missing}
        parts = " and ".join(f"{quoted(option)} on the tab {quoted(tab)}" for tab, option in named.items())
        choices = ["Check {all}, then press {ok}.", "Turn on {all} and confirm with {ok}.", "Tick {all}, change nothing else, and click {ok}."]
        instruction = wording(brief, choices, all=parts)
        goal = {"pages": pages, "checked": checked, "first": first, "targets": targets, "title": brief.label(brief.pick(TITLES))}
        return {"instruction": instruction, **goal}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        dialog = Tabbed(id="dialog", title=params["title"])
        names = list(params["pages"])
        widest = max(box_width(session, option) for options in params["pages"].values() for option in options)
        column = Column(session, dialog, max(width_for(session, int(rng.integers(22, 30))), min(widest, width_for(session, 60))))
        tabs = Tabs(id="tabs", name=params["title"], names=names, selected=params["first"])
        _, top, _, high = place_tabs(session.look, names, column.width)[-1]
        column.row(tabs, height=top + high)
        top = column.y
        for options in params["pages"].values():
            column.y, dialog.widgets = top, []
            for option in options:
                column.row(CheckBox(id=option, name=option, checked=option in params["checked"]))
            dialog.pages.append(dialog.widgets)
        dialog.widgets = []
        column.space()
        ok_cancel(session, column)
        dialog.below = dialog.widgets
        dialog.widgets = [tabs, *dialog.pages[tabs.selected], *dialog.below]
        place(session, dialog, rng)

    def values(self, params: Params) -> dict[str, Any]:
        on = [*params["checked"], *params["targets"].values()]
        return {option: option in on for options in params["pages"].values() for option in options}

    def fill(self, solver: Solver, params: Params) -> None:
        dialog, values = solver.window("dialog"), self.values(params)
        assert isinstance(dialog, Tabbed)
        for i, page in enumerate(dialog.pages):
            for box in page:
                if box.value != values[box.id]:
                    turn_to(solver, dialog, i)
                    solver.click("dialog", box.id)


def turn_to(solver: Solver, dialog: Tabbed, index: int) -> None:
    """Show a page of a tabbed dialog."""
    if dialog.tabs.selected != index:
        x, y, w, h = dialog.tabs.tab_rects(solver.session.look)[index]
        left, top, _, _ = dialog.rect_of(dialog.tabs)
        solver.act(Action.click(*solver.reach(dialog, (left + x, top + y, w, h))))


TOPICS = (*LINES, "Change the colours", "Choose a printer", "Set up the scanner", "Read the small print", "Learn the shortcuts")


class ExpandSection(Family):
    """Sections that open and close; a link in one of them is to be clicked, and no other."""

    id = "expand-section"
    skills = ("click", "link", "search", "read")
    max_steps = 30
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        heads = draw_labels(brief, TABS, brief.by_level(2, brief.integer(3, 4), brief.integer(5, 6)))
        per = brief.by_level(2, 3, 3)
        *links, missing = brief.sample(TOPICS, len(heads) * per + 1)
        sections = {head: links[i * per : (i + 1) * per] for i, head in enumerate(heads)}
        head = brief.pick(heads)
        link = brief.pick(sections[head])
        told = [
            "In the section {head}, click {link}.",
            "Open the section {head} and follow the link {link}.",
            "Go to {head} and click the link {link}.",
        ]
        found = [
            "Find the link {link} in one of the sections and click it.",
            "Click {link}, which is in one of the sections.",
            "Look through the sections for {link} and click it.",
        ]
        parts = {"head": quoted(head), "link": quoted(link if brief.feasible else missing)}
        title = brief.label(brief.pick(TITLES))
        instruction = wording(brief, brief.by_level(told, told, found), **parts)
        return {"instruction": instruction, "sections": sections, "target": f"{head} > {link}", "title": title}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        size = session.look.size
        window = Window(id="window", title=params["title"])
        links = [link for links in params["sections"].values() for link in links]
        column = Column(session, window, width_for(session, int(rng.integers(20, 28)), *(f"{link}         " for link in links)))
        nodes = [Node(head, [Node(link) for link in links]) for head, links in params["sections"].items()]
        room = session.work_area[3] - column.y - size.pad - 2 * size.shadow
        column.row(Sections(id="sections", name=params["title"], nodes=nodes), height=min(room, int(rng.integers(13, 22)) * size.font))
        column.finish()
        place(session, window, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return used(state, "window", "clicked") == {params["target"]}

    def solve(self, solver: Solver, params: Params) -> None:
        if not used(solver.state, "window", "clicked"):
            solver.open_path("window", "sections", params["target"])

    def spoil(self, solver: Solver, params: Params) -> bool:
        paths = [f"{head} > {link}" for head, links in params["sections"].items() for link in links]
        solver.open_path("window", "sections", next(path for path in paths if path != params["target"]))
        return True


@dataclass(kw_only=True)
class Pager(Dialog):
    """A list of which one page at a time is shown; the buttons "back" and "next" turn it."""

    pages: list[list[list[str]]] = field(default_factory=list)
    page: int = 0

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if signal == "clicked" and widget.id in ("back", "next"):
            self.turn(session, self.page + (1 if widget.id == "next" else -1))
        else:
            super().on_signal(session, widget, signal, value)

    def turn(self, session: Session, page: int) -> None:
        """Show another page."""
        if 0 <= page < len(self.pages):
            self.page = page
            view = self.part("list", ListView)
            view.rows = [list(row) for row in self.pages[page]]
            view.select(session, self, -1)
            self.widget("page").name = session.label("Page {} of {}", str(page + 1), str(len(self.pages)))
            for name, there in (("back", page > 0), ("next", page < len(self.pages) - 1)):
                self.widget(name).enabled = there
            session.touch(self)


class TurnPages(DialogFamily):
    """Find a person in a list that shows some at a time, by turning its pages, select the row and press OK."""

    id = "turn-pages"
    skills = ("click", "list", "search", "read")
    max_steps = 24
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        pages = brief.by_level(2, brief.integer(3, 4), brief.integer(6, 9))
        people = brief.sample([f"{first} {last}" for first in FIRST for last in LAST], 4 * pages + 1)
        rows = sorted(people) if brief.chance(0.5) else people
        at = brief.integer(4, 4 * pages)  # not on the first page
        target = rows[at]
        del rows[at if not brief.feasible else -1 if at < 4 * pages else -2]
        choices = [
            "Find {name} by turning the pages of the list, select the row and press {ok}.",
            "Select {name}, who is on one of the pages of the list, then click {ok}.",
            "{name} is somewhere in the list: select that row and confirm with {ok}.",
        ]
        instruction = wording(brief, choices, name=quoted(target))
        pages_of = [[[name] for name in rows[i : i + 4]] for i in range(0, len(rows), 4)]
        return {"instruction": instruction, "pages": pages_of, "target": target, "title": brief.label(brief.pick(TITLES))}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        size, font = session.look.size, session.look.sans
        pages = [[list(row) for row in page] for page in params["pages"]]
        dialog = Pager(id="dialog", title=params["title"], pages=pages)
        back, ahead = Button(id="back", name=session.label("Back"), enabled=False), Button(id="next", name=session.label("Next"))
        count = Label(id="page", name=session.label("Page {} of {}", "1", str(len(pages))))
        for button in (back, ahead):
            button.w = font.width(button.name) + 2 * size.pad
        least = back.w + ahead.w + font.width(count.name) + 2 * size.gap
        column = Column(session, dialog, max(dialog_width(session, int(rng.integers(14, 20))), least))
        view = ListView(id="list", name=session.label("Name"), rows=[list(row) for row in pages[0]])
        column.row(view, height=min(room_for_list(session, column) - size.control, 4 * view.row_height(session.look) + 3))
        column.row(back, count, ahead)
        ok_cancel(session, column)
        dialog.default = ""
        place(session, dialog, rng)

    def values(self, params: Params) -> dict[str, Any]:
        return {"list": params["target"]}

    def fill(self, solver: Solver, params: Params) -> None:
        dialog = solver.window("dialog")
        assert isinstance(dialog, Pager)
        wanted = next(i for i, page in enumerate(dialog.pages) if [params["target"]] in page)
        while dialog.page != wanted:
            solver.click("dialog", "next" if dialog.page < wanted else "back")
        solver.select_row("dialog", "list", params["target"])
