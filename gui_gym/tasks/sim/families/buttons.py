"""Buttons: press the only one, or the one with a name or a colour."""

from __future__ import annotations

from typing import Any

import numpy as np

from gui_gym.desktops.sim.layout import place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State, Window
from gui_gym.desktops.sim.widgets.basic import Button
from gui_gym.tasks.sim.family import Family, Params, pick
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import BUTTONS, COLORS
from gui_gym.verifiers.score import Outcome


class PressTheButton(Family):
    """A window with exactly one large button at a random place in it. A click beside it changes nothing."""

    id = "press-the-button"
    skills = ("click",)
    max_steps = 10
    min_size = (96, 80)

    def draw(self, rng: np.random.Generator, feasible: bool) -> dict[str, Any]:
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
        return any(event.widget == "button" for event in state.events("clicked"))

    def solve(self, solver: Solver, params: Params) -> None:
        if not solver.state.events("clicked"):
            solver.click("panel", "button")
