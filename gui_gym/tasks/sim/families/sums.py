"""Sums, equations, series, and sums that belong to results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.desktops.sim.widgets.basic import Label
from gui_gym.desktops.sim.widgets.text import TextField
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.boards import SUBMITTED, BoardDialog
from gui_gym.tasks.sim.families.common import clutter, handed_values, ok_cancel, plain_number, width_for, wording
from gui_gym.tasks.sim.families.draw import LinkFamily, set_links
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.verifiers.score import Outcome


class _ResultFamily(Family):
    """A task ``params["text"]`` is written in a dialog; its result, a whole number, is typed below it and handed in with OK."""

    skills = ("read", "arithmetic", "type")
    touches = SUBMITTED
    max_steps = 10

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        font, buttons = session.look.bold, [session.label("OK"), session.label("Cancel")]
        dialog = BoardDialog(id="board", title=session.label("Question"))
        least = max(font.width(params["text"]), sum(session.look.sans.width(text) + 3 * session.look.size.pad for text in buttons))
        column = Column(session, dialog, max(width_for(session, int(rng.integers(14, 24))), least + session.look.size.pad))
        column.row(Label(id="text", name=params["text"]))
        column.row(Label(id="label", name=session.label("Result:")))
        column.row(TextField(id="result", name=session.label("Result:")))
        ok_cancel(session, column)
        place(session, dialog, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        values = handed_values(state, "board")
        return values is not None and plain_number(values["result"]) == params["answer"]

    def solve(self, solver: Solver, params: Params) -> None:
        if handed_values(solver.state, "board") is None:
            solver.fill("board", "result", params["answer"])
            solver.click("board", "ok")


def shown(text: str) -> str:
    """A formula as it is written on the screen."""
    return text.replace("-", "−").replace("*", "×")


class SimpleArithmetic(_ResultFamily):
    """Type the result of a sum: the harder, the larger the numbers and the more steps it takes."""

    id = "simple-arithmetic"

    def draw(self, brief: Brief) -> dict[str, Any]:
        low, high = brief.by_level((2, 20), (5, 60), (8, 99))
        a, b, c = (brief.integer(low, high) for _ in range(3))
        kinds: list[tuple[str, int]] = [(f"{a} + {b}", a + b), (f"{a + b} - {a}", b)]
        if brief.by_level(False, True, True):
            a, b = brief.integer(3, 12), brief.integer(3, 19)
            kinds += [(f"{a} * {b}", a * b), (f"{c} - {c + a}", -a)]
        if brief.by_level(False, False, True):
            kinds = [(f"{a} * {b} + {c}", a * b + c), (f"{a} * ({b} + {c})", a * (b + c)), (f"{c} - {a} * {b}", c - a * b)]
        text, answer = brief.pick(kinds)
        instruction = wording(
            brief,
            [
                "Type the result and press {ok}.",
                "Solve the sum in the window, enter the result and confirm.",
                "Work it out, write the answer into the field, then click {ok}.",
            ],
        )
        return {"instruction": instruction, "text": f"{shown(text)} =", "answer": str(answer)}


class SimpleAlgebra(_ResultFamily):
    """Solve an equation for the unknown and type it."""

    id = "simple-algebra"

    def draw(self, brief: Brief) -> dict[str, Any]:
        name = brief.pick("abknxyz")
        value, a, b, c = brief.integer(*brief.by_level((1, 20), (2, 30), (-20, 40))), brief.integer(2, 25), brief.integer(2, 9), brief.integer(2, 9)
        easy = [f"{name} + {a} = {value + a}", f"{a} + {name} = {value + a}", f"{name} - {a} = {value - a}"]
        medium = [*easy, f"{b} * {name} = {b * value}", f"{a} - {name} = {a - value}"]
        hard = [
            f"{b} * {name} + {a} = {b * value + a}",
            f"{b} * {name} - {a} = {b * value - a}",
            f"{b + c} * {name} + {a} = {c} * {name} + {b * value + a}",
            f"{b} * ({name} + {a}) = {b * (value + a)}",
        ]
        instruction = wording(
            brief,
            [
                "Find {0}: type its value and press {ok}.",
                "Solve the equation for {0}, enter the result and confirm.",
                "What is {0}? Type the number, then click {ok}.",
            ],
            name,
        )
        return {"instruction": instruction, "text": shown(brief.pick(brief.by_level(easy, medium, hard))), "answer": str(value)}


class NumberSeries(_ResultFamily):
    """Type the number that comes next in a series."""

    id = "number-series"
    skills = ("read", "reason", "type")

    def draw(self, brief: Brief) -> dict[str, Any]:
        a, d, e = brief.integer(1, 20), brief.integer(2, 9), brief.integer(1, 6)
        makers: dict[str, Callable[[int], int]] = {
            "up": lambda i: a + d * i,
            "down": lambda i: a + 8 * d - d * i,
            "double": lambda i: e * 2**i,
            "triple": lambda i: e * 3**i,
            "square": lambda i: (i + e) ** 2,
            "grow": lambda i: a + d * i + i * (i - 1) // 2 * e,
            "mixed": lambda i: a + (i + 1) // 2 * d + i // 2 * e,
            "double more": lambda i: (a + 1) * 2**i - 1,
        }
        kind = brief.pick(
            brief.by_level(["up", "down"], ["up", "down", "double", "triple", "square"], ["grow", "mixed", "square", "double more", "triple"])
        )
        n = 5 if kind != "mixed" else 6
        text = ", ".join(str(makers[kind](i)) for i in range(n))
        instruction = wording(
            brief,
            [
                "Which number comes next? Type it and press {ok}.",
                "Continue the series: enter the next number and confirm.",
                "Type the number that follows, then click {ok}.",
            ],
        )
        return {"instruction": instruction, "text": f"{shown(text)}, ?", "answer": str(makers[kind](n))}


class MatchPairs(LinkFamily):
    """Join every sum with its result by a line."""

    id = "match-pairs"
    skills = ("drag", "arithmetic", "read")
    max_steps = 16

    def draw(self, brief: Brief) -> dict[str, Any]:
        n = brief.by_level(2, 4, 5)
        results = brief.sample(range(*brief.by_level((4, 20), (8, 60), (12, 99))), n)
        sums = []
        for result in results:
            a = brief.integer(2, result - 1)
            kinds = [f"{a} + {result - a}", f"{result + a} - {a}"]
            factors = [d for d in range(2, 13) if result % d == 0 and result // d > 1]
            if brief.by_level(False, True, True) and factors:
                factor = brief.pick(factors)
                kinds.append(f"{factor} * {result // factor}")
            sums.append(shown(brief.pick(kinds)))
        order = brief.sample(range(n), n)
        instruction = wording(
            brief,
            ["Connect every sum with its result.", "Draw a line from each sum to its result.", "Which result belongs to which sum? Link them all."],
        )
        pairs = [[f"left{i}", f"right{order.index(i)}"] for i in range(n)]
        return {"instruction": instruction, "left": sums, "right": [str(results[i]) for i in order], "goal": pairs}

    def spoil(self, solver: Solver, params: Params) -> bool:
        set_links(solver, params["goal"][1:])
        return True
