"""The calculator: what an expression comes to, said or left on its display."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np

from gui_gym.desktops.sim.apps.arithmetic import calculate, result_text
from gui_gym.desktops.sim.apps.calculator import KEYS, Calculator, make_calculator
from gui_gym.desktops.sim.layout import place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.sheets.numbers import to_number
from gui_gym.desktops.sim.state import State
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import clutter, wording
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.task import TaskError
from gui_gym.verifiers.score import EndReason, Outcome

DONE = Outcome(EndReason.DONE)
_MOST_CLICKS = 14  #: longer expressions are typed by the scripted solution
_KEY = {text: name for row in KEYS for name, text in row}


def draw_number(brief: Brief) -> str:
    """A number of two to four digits, some of them behind a point."""
    return str(brief.integer(12, 999)) if brief.chance(0.6) else f"{brief.integer(1, 99)}.{brief.integer(1, 9)}"


def draw_expression(brief: Brief) -> str:
    """An expression as the calculator shows it: two, three or four numbers, the last with parentheses."""
    a, b, c, d = (draw_number(brief) for _ in range(4))
    plus, minus = brief.sample(["+", "−"], 2)
    if brief.by_level(True, False, False):
        return f"{a}{brief.pick(['×', plus])}{b}"
    if brief.by_level(True, True, False):
        return brief.pick([f"{a}×{b}{plus}{c}", f"{a}{plus}{b}×{c}", f"{a}{plus}{b}{minus}{c}"])
    return brief.pick([f"({a}{plus}{b})×{c}{minus}{d}", f"{a}×({b}{plus}{c}){minus}{d}", f"({a}{plus}{b})×({c}{minus}{d})", f"{a}×{b}{plus}{c}×{d}"])


def spaced(expression: str) -> str:
    """An expression with spaces around its operators, as instructions have it."""
    return re.sub(r"([×÷+−])", r" \1 ", expression)


class CalculatorFamily(Family):
    """A family whose tasks are about one expression; the text of ``wordings`` asks for ``{sum}``."""

    max_steps = 36
    wordings: ClassVar[tuple[str, ...]]

    def draw(self, brief: Brief) -> dict[str, Any]:
        expression = draw_expression(brief)
        instruction = wording(brief, self.wordings, sum=spaced(expression))
        return {"instruction": instruction, "expression": expression, "closed": brief.by_level(False, False, brief.chance(0.5))}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        if not params["closed"]:
            place(session, make_calculator(session), rng)

    @staticmethod
    def work_out(solver: Solver, expression: str) -> None:
        """Enter an expression, by its keys if it is short, and press the equals key; start the calculator first if need be."""
        if solver.state.window("calculator") is None:
            solver.start_program("calculator")
        window = solver.window("calculator")
        if not isinstance(window, Calculator):
            raise TaskError("there is no scripted solution from here: this is no calculator")
        if window.display.text:
            solver.click("calculator", "clear")
        if len(expression) <= _MOST_CLICKS:
            for key in expression:
                solver.click("calculator", _KEY[key])
        else:
            solver.click("calculator", "display")
            solver.type(expression.translate(str.maketrans("×÷−", "*/-")))
        solver.click("calculator", "equals")


class Compute(CalculatorFamily):
    """Say what an expression comes to."""

    id = "compute"
    skills = ("calculator", "click", "answer")

    wordings = (
        "What is {sum}? Work it out with the calculator and answer with the number.",
        "Calculate {sum} and answer with the exact result.",
        "Use the calculator for {sum}. Answer with what it comes to.",
    )

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        said = (outcome.answer or "").strip().lstrip("=").strip().removesuffix(".").replace(",", "").replace("−", "-")
        return to_number(said) == to_number(result_text(calculate(params["expression"])).replace("−", "-"))

    def may_change(self, params: Params, start: State) -> Sequence[str]:
        return ["closed:calculator"]

    def solve(self, solver: Solver, params: Params) -> None:
        self.work_out(solver, params["expression"])
        solver.answer(result_text(calculate(params["expression"])).replace("−", "-"))


def numbers_in(expression: str) -> list[Decimal]:
    """The numbers of an expression, without their signs, in order of size."""
    return sorted(Decimal(digits) for digits in re.findall(r"\d+(?:\.\d+)?", expression.replace(",", ".")))


class CalculatorDisplay(CalculatorFamily):
    """Work an expression out and leave the result on the calculator's display."""

    id = "calculator-display"
    skills = ("calculator", "click", "keyboard")

    wordings = (
        "Work out {sum} with the calculator and leave the result on its display.",
        "Let the calculator work out {sum}. Its display shall show the result in the end.",
        "Enter {sum} into the calculator and make it show what that comes to.",
    )

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        """The display shows the result, it is the last one in the history, and the numbers are in the lines that led to it."""
        window = state.window("calculator")
        if not isinstance(window, Calculator):
            return False
        result = result_text(calculate(params["expression"]))
        shown, lines = window.display.text.replace(",", "."), window.calculations
        if not lines or shown != result or lines[0][1].replace(",", ".") != result:
            return False
        entered = [number for expression, _ in lines for number in numbers_in(expression)]
        return all(entered.count(number) >= numbers_in(params["expression"]).count(number) for number in numbers_in(params["expression"]))

    def solve(self, solver: Solver, params: Params) -> None:
        if not self.check(solver.state, solver.state, params, DONE):
            self.work_out(solver, params["expression"])

    def spoil(self, solver: Solver, params: Params) -> bool:
        solver.click("calculator", "clear")
        return True
