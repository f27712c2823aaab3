"""Windows: close the one that is named, or move it to a corner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gui_gym.actions import Action
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State, Window
from gui_gym.desktops.sim.widgets.basic import CheckBox, Label
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import closed, quoted, width_for
from gui_gym.tasks.sim.family import Family, Params, pick, sample
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import OPTIONS, SENTENCES, TITLES
from gui_gym.verifiers.score import Outcome


def _open_all(session: Session, params: Params, rng: np.random.Generator) -> None:
    """A window for each title, with something in it; its id is its title."""
    for title in params["titles"]:
        window = Window(id=title, title=title)
        column = Column(session, window, width_for(session, int(rng.integers(12, 19))))
        column.row(Label(id="text", name=pick(rng, SENTENCES)))
        column.row(CheckBox(id="option", name=pick(rng, OPTIONS), checked=bool(rng.integers(2))))
        column.space(int(rng.integers(1, 5)) * session.look.size.gap)
        column.finish()
        place(session, window, rng)


class CloseWindow(Family):
    """Several windows, which may overlap; one is to be closed and the others kept."""

    id = "close-window"
    skills = ("click", "window", "read")
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        rng, feasible = brief.rng, brief.feasible
        titles = sample(rng, TITLES, int(rng.integers(2, 5)) + 1)
        target = titles[int(rng.integers(len(titles) - 1))] if feasible else titles[-1]
        wording = pick(rng, ["Close the window {}.", "Close {} and leave all other windows open.", "The {} window is no longer needed: close it."])
        return {"instruction": wording.format(quoted(target)), "target": target, "titles": titles[:-1]}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        _open_all(session, params, rng)

    def may_change(self, params: Params, start: State) -> Sequence[str]:
        return [f"closed:{params['target']}"]

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return closed(state, start) == {params["target"]}

    def solve(self, solver: Solver, params: Params) -> None:
        if solver.state.window(params["target"]):
            window = solver.window(params["target"])
            solver.act(Action.click(*solver.reach(window, solver.session.close_rect(window))))


class MoveWindow(Family):
    """Several windows, one of which, and no other, is to be moved into a corner of the screen."""

    id = "move-window"
    skills = ("drag", "window", "read")

    def draw(self, brief: Brief) -> dict[str, Any]:
        rng = brief.rng
        titles = sample(rng, TITLES, int(rng.integers(1, 4)))
        corner = pick(rng, ["top left", "top right", "bottom left", "bottom right"])
        wording = pick(
            rng, ["Move the window {} to the {} corner of the screen.", "Drag {} into the {} corner.", "Put the {} window in the {} corner."]
        )
        target = pick(rng, titles)
        return {"instruction": wording.format(quoted(target), corner), "target": target, "titles": titles, "corner": corner}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        _open_all(session, params, rng)
        window = session.state.window(params["target"])
        assert window is not None
        if self._is_there(session, window, params["corner"]):
            _, _, width, height = session.work_area
            session.move(window, (width - window.w) // 2, (height - window.h) // 2)

    @staticmethod
    def _spot(session: Session, window: Window, corner: str) -> tuple[int, int]:
        _, _, width, height = session.work_area
        return 0 if "left" in corner else width - window.w, 0 if "top" in corner else height - window.h

    def _is_there(self, session: Session, window: Window, corner: str) -> bool:
        """Whether it lies at the corner, with a sixteenth of the screen to spare, or reaches beyond it."""
        x, y = self._spot(session, window, corner)
        right, down = (window.x - x) * (1 if "left" in corner else -1), (window.y - y) * (1 if "top" in corner else -1)
        return right <= session.state.width // 16 and down <= session.state.height // 16

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        session, before = Session(state), {window.id: window.bounds for window in start.windows}
        there = {w.id for w in state.windows if w.bounds != before.get(w.id, w.bounds) and self._is_there(session, w, params["corner"])}
        return there == {params["target"]} and not closed(state, start)

    def solve(self, solver: Solver, params: Params) -> None:
        window = solver.window(params["target"])
        if self._is_there(solver.session, window, params["corner"]):
            return
        x, y, w, h = solver.session.title_rect(window)
        close = solver.session.close_rect(window)
        grip = solver.reach(window, (x, y, w - (x + w - close[0]) - 1, h))
        to_x, to_y = self._spot(solver.session, window, params["corner"])
        solver.act(Action.drag(*grip, grip[0] + to_x - window.x, grip[1] + to_y - window.y))
