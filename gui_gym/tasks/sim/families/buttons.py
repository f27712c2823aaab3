"""Buttons: press the only one, or the one with a name or a colour."""

from __future__ import annotations

from typing import Any

import numpy as np

from gui_gym.desktops.sim.apps.dialog import Dialog
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State, Window
from gui_gym.desktops.sim.widgets.basic import Button, Label
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import clutter, quoted, used, width_for
from gui_gym.tasks.sim.family import Family, Params, pick, sample
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import BUTTONS, COLORS, SENTENCES, TITLES
from gui_gym.verifiers.score import Outcome


class PressTheButton(Family):
    """A window with exactly one large button at a random place in it. A click beside it changes nothing."""

    id = "press-the-button"
    skills = ("click",)
    localised = False
    max_steps = 10
    min_size = (96, 80)

    def draw(self, brief: Brief) -> dict[str, Any]:
        rng = brief.rng
        wording = pick(rng, ["Press the button.", "Click the button.", "Click on the only button in the window."])
        return {"instruction": wording, "label": pick(rng, [b for b in BUTTONS if len(b) <= 5]), "color": pick(rng, sorted(COLORS))}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        size, look = session.look.size, session.look
        _, _, width, height = session.work_area
        window = Window(id="panel", title="Panel")
        window.w, window.h = min(width - 2 * size.shadow, 46 * size.font), min(height - 2 * size.shadow, 30 * size.font)
        button = Button(id="button", name=params["label"], color=COLORS[params["color"]])
        button.w, button.h = max(4 * size.font, look.sans.width(button.name) + 2 * size.pad), 3 * size.font
        button.x = int(rng.integers(size.pad, window.w - size.pad - button.w + 1))
        button.y = int(rng.integers(size.title + size.pad, window.h - size.pad - button.h + 1))
        window.widgets = [button]
        place(session, window, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return used(state, "panel", "clicked") == {params["label"]}

    def solve(self, solver: Solver, params: Params) -> None:
        if not used(solver.state, "panel", "clicked"):
            solver.click("panel", "button")


class ClickButton(Family):
    """A dialog with several named buttons. Any other that is clicked, before or after, spoils it."""

    id = "click-button"
    skills = ("click", "read")
    max_steps = 10
    min_size = (160, 110)
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        rng, feasible = brief.rng, brief.feasible
        *labels, missing = sample(rng, BUTTONS, int(rng.integers(3, 8)))
        target = pick(rng, labels) if feasible else missing
        wording = pick(rng, ["Click the {} button.", "Press {} in the dialog.", "Click on the button that says {}.", "In the dialog, choose {}."])
        return {
            "instruction": wording.format(quoted(target)),
            "target": target,
            "labels": labels,
            "title": pick(rng, TITLES),
            "message": pick(rng, SENTENCES),
        }

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        dialog = Dialog(id="dialog", title=params["title"])
        column = Column(session, dialog, width_for(session, 27))
        column.row(Label(id="message", name=params["message"]))
        buttons = [Button(id=f"button{i}", name=label) for i, label in enumerate(params["labels"])]
        per_row = 3 if rng.random() < 0.5 else 2
        for i in range(0, len(buttons), per_row):
            column.row(*buttons[i : i + per_row], align=pick(rng, ["fill", "left", "centre"]))
        column.finish()
        place(session, dialog, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return used(state, "dialog", "clicked") == {params["target"]}

    def solve(self, solver: Solver, params: Params) -> None:
        if not used(solver.state, "dialog", "clicked"):
            solver.click("dialog", f"button{params['labels'].index(params['target'])}")


class ClickColour(Family):
    """A window of coloured tiles, strewn about. Any other that is clicked, before or after, spoils it."""

    id = "click-colour"
    skills = ("click", "perceive")
    max_steps = 10
    min_size = (96, 80)
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        rng, feasible = brief.rng, brief.feasible
        *colors, missing = sample(rng, sorted(COLORS), int(rng.integers(4, 7)))
        target = pick(rng, colors) if feasible else missing
        wording = pick(rng, ["Click the {} square.", "Click on the tile that is {}.", "Press the {} tile."])
        return {"instruction": wording.format(target), "target": target, "colors": sorted(colors)}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        size = session.look.size
        _, _, width, height = session.work_area
        side, columns, rows = 2 * size.font + 2, 3, 2
        window = Window(id="tiles", title="Tiles")
        window.w, window.h = min(width - 2 * size.shadow, 34 * size.font), min(height - 2 * size.shadow, 22 * size.font)
        cell_w, cell_h = (window.w - 2 * size.pad) // columns, (window.h - size.title - 2 * size.pad) // rows
        spots = rng.permutation(columns * rows)
        for i, color in enumerate(params["colors"]):
            x = size.pad + cell_w * (int(spots[i]) % columns) + int(rng.integers(0, max(1, cell_w - side)))
            y = size.title + size.pad + cell_h * (int(spots[i]) // columns) + int(rng.integers(0, max(1, cell_h - side)))
            window.widgets.append(Button(id=color, color=COLORS[color], x=x, y=y, w=side, h=side))
        place(session, window, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return used(state, "tiles", "clicked") == {params["target"]}

    def solve(self, solver: Solver, params: Params) -> None:
        if not used(solver.state, "tiles", "clicked"):
            solver.click("tiles", params["target"])
