"""Boxes and switches: those that follow a rule, and settings that take effect at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from gui_gym.desktops.sim.apps.dialog import Dialog
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State, Window
from gui_gym.desktops.sim.widgets.basic import CheckBox
from gui_gym.desktops.sim.widgets.switch import Switch
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import (
    DialogFamily,
    box_width,
    clutter,
    dialog_width,
    draw_labels,
    in_columns,
    listed,
    ok_cancel,
    tick,
    width_for,
    wording,
)
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import OPTIONS, TITLES
from gui_gym.verifiers.score import Outcome


class CheckNumbers(DialogFamily):
    """Check the boxes whose numbers follow a rule, and no other, and press OK."""

    id = "check-numbers"
    skills = ("click", "checkbox", "reason")
    max_steps = 30

    def draw(self, brief: Brief) -> dict[str, Any]:
        numbers = brief.sample(range(2, 100), brief.by_level(4, 8, 12))
        limit, low = brief.integer(30, 70), brief.integer(20, 40)
        high = low + brief.integer(20, 40)
        rules = {
            f"greater than {limit}": [n for n in numbers if n > limit],
            f"less than {limit}": [n for n in numbers if n < limit],
        }
        if brief.by_level(False, True, True):
            rules |= {"even": [n for n in numbers if n % 2 == 0], "odd": [n for n in numbers if n % 2]}
        if brief.by_level(False, False, True):
            rules |= {f"between {low} and {high}, both included,": [n for n in numbers if low <= n <= high]}
            rules |= {f"even and greater than {low}": [n for n in numbers if n % 2 == 0 and n > low]}
        rule = brief.pick([rule for rule, wanted in rules.items() if wanted] or ["less than 100"])
        wanted = rules.get(rule, numbers)
        choices = [
            "Check every box whose number is {rule} and no other, then press {ok}.",
            "Tick exactly the numbers that are {rule} and confirm with {ok}.",
            "All boxes with a number that is {rule} must be checked, the others not. Click {ok} at the end.",
        ]
        instruction = wording(brief, choices, rule=rule)
        checked = [number for number in numbers if brief.chance(brief.by_level(0.0, 0.15, 0.3))]
        if sorted(checked) == sorted(wanted):
            checked = []
        goal = {"numbers": numbers, "wanted": wanted, "checked": checked, "title": brief.label(brief.pick(TITLES))}
        return {"instruction": instruction.replace(", ,", ","), **goal}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        dialog = Dialog(id="dialog", title=params["title"])
        columns = int(rng.integers(3, 5))
        column = Column(session, dialog, dialog_width(session, 5 * columns))
        boxes = [CheckBox(id=str(number), name=str(number), checked=number in params["checked"]) for number in params["numbers"]]
        in_columns(column, boxes, columns)
        column.space()
        ok_cancel(session, column)
        place(session, dialog, rng)

    def values(self, params: Params) -> dict[str, Any]:
        return {str(number): number in params["wanted"] for number in params["numbers"]}

    def fill(self, solver: Solver, params: Params) -> None:
        tick(solver, {str(number): number in params["wanted"] for number in params["numbers"]})


class ToggleSwitches(Family):
    """Switch some settings on and others off, and leave the rest as they are. There is nothing to confirm."""

    id = "toggle-switches"
    skills = ("click", "switch", "read")
    max_steps = 16
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        *options, missing = draw_labels(brief, OPTIONS, brief.by_level(3, brief.integer(4, 5), brief.integer(6, 7)) + 1)
        start = {option: brief.chance(0.5) for option in options}
        changed = brief.sample(options, brief.by_level(2, brief.integer(2, 3), brief.integer(3, 4)))
        goal = {option: on != (option in changed) for option, on in start.items()}
        named = {option: goal[option] for option in changed}
        if not brief.feasible:
            named = {**dict(list(named.items())[:-1]), missing: brief.chance(0.5)}
        parts = []
        for on, word in ((True, "on"), (False, "off")):
            among = [option for option in named if named[option] is on]
            if among:
                parts.append(f"{listed(among)} {word}")
        choices = ["Turn {all}.", "Switch {all}, and leave the other switches as they are.", "Set the switches: {all}."]
        instruction = wording(brief, choices, all=", and ".join(parts))
        return {"instruction": instruction, "start": start, "goal": goal, "title": brief.label(brief.pick(TITLES))}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        size = session.look.size
        window = Window(id="window", title=params["title"])
        widest = max(box_width(session, option) for option in params["start"]) + 2 * size.font
        column = Column(session, window, max(width_for(session, int(rng.integers(17, 26))), min(widest, width_for(session, 60))))
        for option, on in params["start"].items():
            column.row(Switch(id=option, name=option, checked=on))
        column.finish()
        place(session, window, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        window = state.window("window")
        return window is not None and {widget.id: widget.value for widget in window.widgets} == params["goal"]

    def solve(self, solver: Solver, params: Params) -> None:
        for option, on in params["goal"].items():
            if solver.widget("window", option).value != on:
                solver.click("window", option)

    def spoil(self, solver: Solver, params: Params) -> bool:
        solver.click("window", next(iter(params["goal"])))
        return True
