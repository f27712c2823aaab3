"""Lists: several rows at once, the largest of a column, from one list to another, and up and down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gui_gym.actions import Modifier
from gui_gym.desktops.sim.apps.dialog import Dialog
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.desktops.sim.widgets.basic import Button, Label
from gui_gym.desktops.sim.widgets.listview import ListView
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import (
    DialogFamily,
    clutter,
    dialog_width,
    draw_labels,
    listed,
    ok_cancel,
    quoted,
    room_for_list,
    submissions,
    width_for,
    wording,
)
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import CITIES, FIRST, LAST, MEASURES, TITLES
from gui_gym.verifiers.score import Outcome


def list_of(window: Any, name: str = "list") -> ListView:
    """A list of a window."""
    return window.part(name, ListView)


@dataclass(kw_only=True)
class ManyRows(ListView):
    """A list in which several rows can be selected; its value are their first cells, from the top."""

    multiple: bool = True

    @property
    def value(self) -> Any:
        return self.names


class SelectSeveral(DialogFamily):
    """Select several rows of a list with CTRL or SHIFT, exactly those that are named, and press OK."""

    id = "select-several"
    skills = ("click", "list", "keyboard", "read")
    max_steps = 24
    min_size = (240, 150)
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        names = [f"{first} {last}" for first in FIRST for last in LAST]
        *rows, missing = brief.sample(names, brief.by_level(brief.integer(4, 5), brief.integer(7, 9), brief.integer(20, 30)) + 1)
        rows = sorted(rows) if brief.chance(0.5) else rows
        wanted = brief.sample(rows, brief.by_level(2, 3, brief.integer(4, 5)))
        named = wanted if brief.feasible else [*wanted[:-1], missing]
        choices = [
            "Select {all} in the list, all of them at once, and press {ok}.",
            "In the list, mark {all} and no one else, then click {ok}.",
            "Select exactly these rows: {all}. Confirm with {ok}.",
        ]
        instruction = wording(brief, choices, all=listed(named))
        return {"instruction": instruction, "rows": rows, "wanted": wanted, "title": brief.label(brief.pick(TITLES))}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        dialog = Dialog(id="dialog", title=params["title"])
        column = Column(session, dialog, dialog_width(session, int(rng.integers(15, 22))))
        height = min(room_for_list(session, column), int(rng.integers(12, 20)) * session.look.size.font)
        column.row(ManyRows(id="list", name=session.label("Name"), rows=[[name] for name in params["rows"]]), height=height)
        ok_cancel(session, column)
        place(session, dialog, rng)

    def values(self, params: Params) -> dict[str, Any]:
        return {"list": [row for row in params["rows"] if row in params["wanted"]]}

    def fill(self, solver: Solver, params: Params) -> None:
        for i, name in enumerate(row for row in params["rows"] if row in params["wanted"]):
            solver.select_row("dialog", "list", name, modifiers=[Modifier.CTRL] if i else [])


@dataclass(kw_only=True)
class SortedDialog(Dialog):
    """A dialog with a list "list" that a click on its header sorts, by numbers where there are numbers."""

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if signal == "sorted":
            view, column = list_of(self), int(value)
            view.descending = view.order == column and not view.descending
            view.order = column
            name = view.value
            view.rows.sort(key=lambda row: (int(row[column]), "") if row[column].isdigit() else (0, row[column]), reverse=view.descending)
            view.selected = view.anchor = next((i for i, row in enumerate(view.rows) if row[0] == name), -1)
            session.touch(self, view)
        else:
            super().on_signal(session, widget, signal, value)


_ORDERS = {"largest": -1, "smallest": 0, "second largest": -2, "third smallest": 2}


class PickByRank(DialogFamily):
    """Select the row with the largest number, or the like, of a table that a click on its header sorts, and press OK."""

    id = "pick-by-rank"
    skills = ("click", "table", "compare", "scroll")
    max_steps = 20

    def draw(self, brief: Brief) -> dict[str, Any]:
        count = brief.by_level(brief.integer(3, 4), brief.integer(6, 9), brief.integer(20, 30))
        names = brief.sample([f"{first} {last}" for first in FIRST for last in LAST], count)
        columns = draw_labels(brief, MEASURES, brief.by_level(1, 1, 2))
        numbers = [brief.sample(range(10, brief.by_level(100, 1000, 10000)), count) for _ in columns]
        rows = [[name, *(str(column[i]) for column in numbers)] for i, name in enumerate(names)]
        order = brief.pick(brief.by_level(["largest", "smallest"], ["largest", "smallest"], sorted(_ORDERS)))
        at = brief.integer(1, len(columns))
        ranked = sorted(rows, key=lambda row: int(row[at]))
        choices = [
            "Select the row with the {order} number under {column} and press {ok}.",
            "In the table, choose the row whose {column} is the {order}, then click {ok}.",
            "Which row has the {order} value in the column {column}? Select it and confirm with {ok}.",
        ]
        instruction = wording(brief, choices, order=order, column=quoted(columns[at - 1]))
        target = ranked[_ORDERS[order]][0]
        return {"instruction": instruction, "rows": rows, "columns": columns, "target": target, "title": brief.label(brief.pick(TITLES))}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        dialog = SortedDialog(id="dialog", title=params["title"])
        columns = [session.label("Name"), *params["columns"]]
        bold, em = session.look.bold, session.look.size.font
        wide = 12 * em + len(params["columns"]) * 3 * em + sum(bold.width(name) for name in params["columns"])
        column = Column(session, dialog, min(width_for(session, 60), wide))
        part = min(40, 100 * (column.width - 11 * em) // column.width // len(params["columns"]))
        shares = [100 - part * len(params["columns"]), *(part for _ in params["columns"])]
        height = min(room_for_list(session, column), int(rng.integers(13, 21)) * em)
        rows = [list(row) for row in params["rows"]]
        column.row(ListView(id="list", name=params["title"], columns=columns, shares=shares, rows=rows, sortable=True), height=height)
        ok_cancel(session, column)
        dialog.default = ""
        place(session, dialog, rng)

    def values(self, params: Params) -> dict[str, Any]:
        return {"list": params["target"]}

    def fill(self, solver: Solver, params: Params) -> None:
        solver.select_row("dialog", "list", params["target"])


@dataclass(kw_only=True)
class Transfer(Dialog):
    """Two lists, "left" and "right": the buttons "add" and "remove" move the selected row from one to the end of the other."""

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        names = {"add": ("left", "right"), "remove": ("right", "left")}
        lists = [list_of(self, name) for name in names.get(widget.id, ())]
        if signal == "activated":
            lists = [list_of(self, "left"), list_of(self, "right")]
            lists = lists if widget.id == "left" else lists[::-1]
        if not lists:
            super().on_signal(session, widget, signal, value)
        elif signal in ("clicked", "activated") and lists[0].selected >= 0:
            source, target = lists
            target.rows.append(source.rows.pop(source.selected))
            source.select(session, self, -1)
            source.scroll_to(session.look, source.top)
            target.select(session, self, len(target.rows) - 1)
            session.touch(self)


@dataclass(kw_only=True)
class WholeList(ListView):
    """A list whose value are the first cells of all its rows."""

    @property
    def value(self) -> Any:
        return [row[0] for row in self.rows]


class TransferItems(Family):
    """Move rows from the list of what is there to the list of what is chosen, until exactly those that are named are in it, and press OK."""

    id = "transfer-items"
    skills = ("click", "list", "read")
    touches = ("submitted:dialog",)
    max_steps = 36
    min_size = (300, 190)
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        *rows, missing = brief.sample(CITIES, brief.by_level(4, brief.integer(6, 7), brief.integer(10, 11)) + 1)
        chosen = brief.sample(rows, brief.by_level(0, 1, 2))
        wanted = brief.sample(rows, brief.by_level(1, 2, brief.integer(3, 4)))
        if set(wanted) == set(chosen):
            chosen = []
        named = wanted if brief.feasible else [*wanted[:-1], missing]
        choices = [
            "Move rows between the lists so that exactly {all} {be} under {chosen}, then press {ok}.",
            "Under {chosen} there must be {all} and nothing else: see to it and click {ok}.",
            "Choose {all} with the buttons between the lists, nothing else may be under {chosen}, and confirm with {ok}.",
        ]
        parts = {
            "all": listed(named),
            "be": "are" if len(named) > 1 else "is",
            "chosen": quoted(brief.label("Chosen")),
        }
        goal = {"rows": rows, "chosen": chosen, "wanted": wanted, "title": brief.label(brief.pick(TITLES))}
        return {"instruction": wording(brief, choices, **parts), **goal}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        size = session.look.size
        dialog = Transfer(id="dialog", title=params["title"])
        column = Column(session, dialog, width_for(session, int(rng.integers(26, 34))))
        add, remove = Button(id="add", name="→"), Button(id="remove", name="←")
        middle = session.look.sans.width("→") + 2 * size.pad
        half = (column.width - middle - 2 * size.gap) // 2
        column.row(
            Label(id="left-label", name=session.label("Available"), w=half + middle + 2 * size.gap),
            Label(id="right-label", name=session.label("Chosen")),
        )
        rows = [[name] for name in params["rows"]]
        lists = [
            WholeList(id="left", name=session.label("Available"), rows=[row for row in rows if row[0] not in params["chosen"]]),
            WholeList(id="right", name=session.label("Chosen"), rows=[row for row in rows if row[0] in params["chosen"]]),
        ]
        height = min(room_for_list(session, column), int(rng.integers(11, 16)) * size.font)
        add.y = column.y + height // 2 - size.control - 1
        remove.y = column.y + height // 2 + 1
        for button in (add, remove):
            button.x, button.w, button.h = size.pad + half + size.gap, middle, size.control
        lists[0].w = half
        lists[1].x = size.pad + half + middle + 2 * size.gap
        column.row(lists[0], height=height)
        lists[1].y, lists[1].w, lists[1].h = lists[0].y, column.width - half - middle - 2 * size.gap, height
        dialog.widgets += [add, remove, lists[1]]
        ok_cancel(session, column)
        dialog.default = ""
        place(session, dialog, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        done = submissions(state)
        return len(done) == 1 and done[0][:2] == ("dialog", "ok") and sorted(done[0][2]["right"]) == sorted(params["wanted"])

    def solve(self, solver: Solver, params: Params) -> None:
        if submissions(solver.state):
            return
        dialog = solver.window("dialog")
        for source, button in (("right", "remove"), ("left", "add")):
            for name in list(list_of(dialog, source).value):
                if (name in params["wanted"]) == (source == "left"):
                    solver.select_row("dialog", source, name)
                    solver.click("dialog", button)
        solver.click("dialog", "ok")


@dataclass(kw_only=True)
class Ordering(Dialog):
    """A list "list" whose selected row the buttons "up" and "down" move."""

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if signal == "clicked" and widget.id in ("up", "down"):
            view, step = list_of(self), -1 if widget.id == "up" else 1
            to = view.selected + step
            if view.selected >= 0 and 0 <= to < len(view.rows):
                view.rows[view.selected], view.rows[to] = view.rows[to], view.rows[view.selected]
                view.select(session, self, to)
        elif signal != "activated":
            super().on_signal(session, widget, signal, value)


class ReorderList(DialogFamily):
    """Bring the rows of a list into the order that is told, with the buttons Up and Down, and press OK."""

    id = "reorder-list"
    skills = ("click", "list", "order")
    max_steps = 40

    def draw(self, brief: Brief) -> dict[str, Any]:
        rows = brief.sample(CITIES, brief.by_level(3, 4, brief.integer(5, 6)))
        up, down, ok = (quoted(brief.label(name)) for name in ("Up", "Down", "OK"))
        if brief.by_level(True, False, False):
            target, below = brief.sample(rows, 2)
            goal = [row for row in rows if row != target]
            goal.insert(goal.index(below), target)
            if goal == rows:
                goal = [target, *goal[: goal.index(target)], *goal[goal.index(target) + 1 :]]
                if goal == rows:
                    goal = [*rows[1:], rows[0]]
            moved = next(row for row in rows if [r for r in rows if r != row] == [r for r in goal if r != row])
            at = goal.index(moved)
            where = f"right before {quoted(goal[at + 1])}" if at + 1 < len(goal) else "to the end"
            choices = [
                "Move {row} {where} with {up} and {down}, then press {ok}.",
                "In the list, bring {row} {where} and click {ok}.",
                "{row} belongs {where}: move it with {up} or {down} and confirm with {ok}.",
            ]
            instruction = wording(brief, choices, row=quoted(moved), where=where, up=up, down=down, ok=ok)
        else:
            goal = brief.sample(rows, len(rows))
            while goal == rows:
                goal = brief.sample(rows, len(rows))
            choices = [
                "Bring the list into this order with {up} and {down}: {all}. Then press {ok}.",
                "The list should be, from the top, {all}. Use {up} and {down}, then click {ok}.",
                "Sort the list so that it reads {all}, and confirm with {ok}.",
            ]
            instruction = wording(brief, choices, all=listed(goal), up=up, down=down, ok=ok)
        return {"instruction": instruction, "rows": rows, "goal": goal, "title": brief.label(brief.pick(TITLES))}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        size, font = session.look.size, session.look.sans
        dialog = Ordering(id="dialog", title=params["title"])
        up, down = Button(id="up", name=session.label("Up")), Button(id="down", name=session.label("Down"))
        side = max(font.width(button.name) for button in (up, down)) + 2 * size.pad
        column = Column(session, dialog, width_for(session, int(rng.integers(12, 18)) + side // size.font + 1))
        view = WholeList(id="list", name=params["title"], rows=[[name] for name in params["rows"]], w=column.width - side - size.gap)
        for i, button in enumerate((up, down)):
            button.x, button.y = size.pad + column.width - side, column.y + i * (size.control + size.gap)
            button.w, button.h = side, size.control
        height = min(room_for_list(session, column), max(2 * size.control + size.gap, len(params["rows"]) * view.row_height(session.look) + 3))
        column.row(view, height=height)
        dialog.widgets += [up, down]
        ok_cancel(session, column)
        dialog.default = ""
        place(session, dialog, rng)

    def values(self, params: Params) -> dict[str, Any]:
        return {"list": params["goal"]}

    def fill(self, solver: Solver, params: Params) -> None:
        view = list_of(solver.window("dialog"))
        for i, name in enumerate(params["goal"]):
            at = view.value.index(name)
            if at > i:
                solver.select_row("dialog", "list", name)
                for _ in range(at - i):
                    solver.click("dialog", "up")
