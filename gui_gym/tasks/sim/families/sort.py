"""Lists whose rows are dragged into order."""

from __future__ import annotations

from typing import Any

import numpy as np

from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.desktops.sim.widgets.reorder import Reorder
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.boards import SUBMITTED, board_size, drag_on, open_board, the_board
from gui_gym.tasks.sim.families.common import clutter, handed_values, quoted, wording
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import CITIES, LAST, STEMS
from gui_gym.verifiers.score import Outcome


def in_order(goal: list[str], solver: Solver) -> None:
    """Drag the rows of the list into an order, from the top."""
    for i, text in enumerate(goal):
        rows = the_board(solver.state, Reorder)
        while rows.rows[i] != text:
            late = rows.rows[i + 1] == text  # then it is the row before that is out of place
            at, to = (i, goal.index(rows.rows[i])) if late else (rows.rows.index(text), i)
            x, y, w, h = rows.row_rect(at)
            _, to_y, _, to_h = rows.row_rect(to)
            drag_on(solver, (x + w // 2, y + h // 2), (x + w // 2, to_y + to_h // 2))


class _ListFamily(Family):
    """A list whose rows have to be in the order ``params["goal"]`` when OK is pressed."""

    skills = ("drag", "list", "read")
    touches = SUBMITTED
    max_steps = 16

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        look, n = session.look, len(params["rows"])
        wide = max(int(rng.integers(16, 24)), 4 + max(look.sans.width(text) for text in params["rows"]) // look.size.font)
        w, h = board_size(session, wide, 40)
        rows = Reorder(id="board", name=session.label("List"), rows=list(params["rows"]), w=w, h=min(h, n * (look.size.control + 2) + 2))
        open_board(session, rng, rows, "List")

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        values = handed_values(state, "board")
        return values is not None and values["board"] == params["goal"]

    def solve(self, solver: Solver, params: Params) -> None:
        if handed_values(solver.state, "board") is None:
            in_order(params["goal"], solver)
            solver.click("board", "ok")


#: What is at either end of each kind of list.
_ENDS = {
    "numbers": ("the smallest number", "the largest number"),
    "words": ("the first word of the alphabet", "the last word of the alphabet"),
    "times": ("the earliest time", "the latest time"),
}


class SortByDrag(_ListFamily):
    """Drag the rows of a list into order: numbers by size, words by the alphabet, times of day, or dates."""

    id = "sort-by-drag"

    def draw(self, brief: Brief) -> dict[str, Any]:
        n, hard = brief.by_level(3, 5, 7), brief.by_level(False, False, True)
        kind, down = brief.pick(["numbers", "words", "times"]), brief.chance(0.4)
        if kind == "numbers":
            low, high = brief.by_level((1, 30), (1, 200), (-99, 2000))
            values = brief.sample(range(low, high), n)
            keys = {(f"{v / 10:.1f}" if hard else str(v)).replace("-", "−"): v for v in values}
        elif kind == "words":
            keys = {word: i for i, word in enumerate(sorted(brief.sample(STEMS, n)))}
        else:
            keys = {f"{m // 60}:{m % 60:02d}": m for m in brief.sample(range(7 * 60, 23 * 60, brief.by_level(60, 15, 5)), n)}
        goal = sorted(keys, key=lambda text: keys[text], reverse=down)
        first, last = reversed(_ENDS[kind]) if down else _ENDS[kind]
        rows = brief.sample(goal, n)
        while sum(a != b for a, b in zip(rows, goal, strict=True)) < brief.by_level(2, 3, 4):
            rows = brief.sample(goal, n)
        instruction = wording(
            brief,
            [
                "Drag the rows into order: {} at the top, {} at the bottom. Then press {ok}.",
                "Sort the list by dragging, so that it begins with {} and ends with {}, and confirm with {ok}.",
                "Put the rows in order, from {} at the top to {} at the bottom, and click {ok}.",
            ],
            first,
            last,
        )
        return {"instruction": instruction, "rows": rows, "goal": goal}


class MoveInList(_ListFamily):
    """Drag a row to a place in a list and keep the others in their order."""

    id = "move-in-list"
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        n = brief.by_level(4, 6, 7)
        *rows, missing = brief.sample([*CITIES, *LAST], n + 1)
        goal, parts = list(rows), []
        for _ in range(brief.by_level(1, 1, 2)):
            row, other = brief.sample(goal, 2)
            rest = [text for text in goal if text != row]
            way = brief.pick(["top", "bottom", "above", "below"])
            to = {"top": 0, "bottom": n - 1, "above": rest.index(other), "below": rest.index(other) + 1}[way]
            if to == goal.index(row):
                way, to = ("top", 0) if to else ("bottom", n - 1)
            goal = [*rest[:to], row, *rest[to:]]
            where = f"to the {way} of the list" if way in ("top", "bottom") else f"directly {way} {quoted(other)}"
            parts.append(f"{quoted(row)} {where}")
        if goal == rows:  # the second move took the first back
            goal = [*rows[1:], rows[0]]
            parts = [f"{quoted(rows[0])} to the bottom of the list"]
        if not brief.feasible:
            _, _, where = parts[-1].partition("” ")
            parts[-1] = f"{quoted(missing)} {where}"
        instruction = wording(
            brief,
            [
                "Move {}, then press {ok}.",
                "Drag {}. Leave the order of the others as it is. Confirm with {ok}.",
                "In the list, drag {} and click {ok}.",
            ],
            ", then ".join(parts),
        )
        return {"instruction": instruction, "rows": rows, "goal": goal}
