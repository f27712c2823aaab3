"""Windows: close the one that is named, or move it to a corner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State, Window
from gui_gym.desktops.sim.widgets.basic import CheckBox
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import box_width, closed, draw_labels, listed, paragraph, quoted, width_for, wording
from gui_gym.tasks.sim.family import Family, Params, pick
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import OPTIONS, SENTENCES, TITLES
from gui_gym.verifiers.score import Outcome


def open_all(session: Session, titles: Sequence[str], rng: np.random.Generator, resizable: bool = False) -> None:
    """A window for each title, with something in it; its id is its title."""
    size = session.look.size
    for title in titles:
        window = Window(id=title, title=title, resizable=resizable)
        option = session.label(pick(rng, OPTIONS))
        least = max(session.look.bold.width(title) + (5 if resizable else 3) * size.title, box_width(session, option))
        column = Column(session, window, max(min(least, width_for(session, 40)), width_for(session, int(rng.integers(12, 19)))))
        paragraph(column, pick(rng, SENTENCES))
        column.row(CheckBox(id="option", name=option, checked=bool(rng.integers(2))))
        column.space(int(rng.integers(1, 5)) * size.gap)
        column.finish()
        if resizable:
            window.least = (window.w * 2 // 3, 3 * size.title)
        place(session, window, rng)


class CloseWindow(Family):
    """Several windows, which may overlap; one, or two if it is hard, are to be closed and the others kept."""

    id = "close-window"
    skills = ("click", "window", "read")
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        *titles, missing = draw_labels(brief, TITLES, brief.by_level(2, brief.integer(3, 4), brief.integer(5, 6)) + 1)
        targets = brief.sample(titles, brief.by_level(1, 1, 2))
        named = targets if brief.feasible else [*targets[:-1], missing]
        are = "are" if len(named) > 1 else "is"
        choices = [
            f"Close the window{'s' if len(named) > 1 else ''} {{names}}.",
            "Close {names} and leave all other windows open.",
            f"{{names}} {are} no longer needed: close {'them' if len(named) > 1 else 'it'}.",
        ]
        return {"instruction": wording(brief, choices, names=listed(named)), "targets": targets, "titles": titles}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        open_all(session, params["titles"], rng)

    def may_change(self, params: Params, start: State) -> Sequence[str]:
        return [f"closed:{title}" for title in params["targets"]]

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return closed(state, start) == set(params["targets"])

    def solve(self, solver: Solver, params: Params) -> None:
        for title in params["targets"]:
            if solver.state.window(title):
                solver.close(title)

    def spoil(self, solver: Solver, params: Params) -> bool:
        solver.close(next(title for title in params["titles"] if title not in params["targets"]))
        return True


CORNERS = ("top left", "top right", "bottom left", "bottom right")


class MoveWindow(Family):
    """Several windows, one of which, and no other, is to be moved into a corner of the screen."""

    id = "move-window"
    skills = ("drag", "window", "read")

    def draw(self, brief: Brief) -> dict[str, Any]:
        titles = draw_labels(brief, TITLES, brief.by_level(1, brief.integer(2, 3), brief.integer(4, 5)))
        corner, target = brief.pick(CORNERS), brief.pick(titles)
        choices = [
            "Move the window {title} to the {corner} corner of the screen.",
            "Drag {title} into the {corner} corner.",
            "Put the {title} window in the {corner} corner.",
        ]
        instruction = wording(brief, choices, title=quoted(target), corner=corner)
        return {"instruction": instruction, "target": target, "titles": titles, "corner": corner}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        open_all(session, params["titles"], rng)
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
        if not self._is_there(solver.session, window, params["corner"]):
            solver.move(window.id, *self._spot(solver.session, window, params["corner"]))

    def spoil(self, solver: Solver, params: Params) -> bool:
        window = solver.window(params["target"])
        _, _, width, height = solver.session.work_area
        solver.move(window.id, (width - window.w) // 2, (height - window.h) // 2)
        return True
