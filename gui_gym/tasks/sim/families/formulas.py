"""The spreadsheet: work something out in it, and questions about what it holds."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim.sheets.evaluate import Value
from gui_gym.desktops.sim.sheets.numbers import to_number
from gui_gym.desktops.sim.sheets.references import Cell, cell_name, column_name
from gui_gym.desktops.sim.sheets.sheet import Sheet
from gui_gym.desktops.sim.state import State
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import quoted, wording
from gui_gym.tasks.sim.families.spreadsheet import GROUPS, KEYS, NUMBERS
from gui_gym.tasks.sim.families.tables import (
    AnswerFamily,
    TableFamily,
    draw_table,
    enter,
    in_file,
    is_table,
    path_of,
    pick_cell,
    save,
    sheet_window,
    start_rows,
)
from gui_gym.tasks.sim.family import Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.verifiers.score import Outcome


def numbers_of(params: Params, column: int) -> list[Decimal]:
    """The numbers of a column of the table."""
    return [Decimal(row[column]) for row in params["rows"]]


#: What is asked for a column: how it is worded, and what it is.
AGGREGATES: dict[str, tuple[str, Callable[[list[Decimal]], Decimal]]] = {
    "SUM": ("the sum", lambda numbers: sum(numbers, Decimal(0))),
    "AVERAGE": ("the average", lambda numbers: sum(numbers, Decimal(0)) / len(numbers)),
    "MAX": ("the largest number", max),
    "MIN": ("the smallest number", min),
}


def is_near(value: Value, number: Decimal) -> bool:
    """Whether a value is a number, to two places behind the point."""
    return isinstance(value, Decimal) and abs(value - number) <= Decimal("0.005")


class ComputedTable(TableFamily):
    """A family whose tasks want numbers in some cells of a table, worked out or typed in, and the table saved."""

    def wanted(self, params: Params) -> dict[Cell, Decimal]:
        """The numbers by cell."""
        raise NotImplementedError

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return self.is_done(state, params)

    def is_done(self, state: State, params: Params) -> bool:
        """Whether the file is as it is wanted."""
        text, wanted = state.files.get(path_of(params)), self.wanted(params)
        if text is None or not is_table(text, start_rows(params), list(wanted)):
            return False
        sheet = Sheet.from_csv(text)
        return all(is_near(sheet.value(cell), number) for cell, number in wanted.items())

    def spoil(self, solver: Solver, params: Params) -> bool:
        window = sheet_window(solver, params)
        enter(solver, window, next(iter(self.wanted(params))), "-77")
        save(solver)
        return True


class SumColumn(ComputedTable):
    """Put the sum, the average, the largest or the smallest number of a column into a cell."""

    id = "sum-column"
    skills = ("spreadsheet", "formula", "type")

    def draw(self, brief: Brief) -> dict[str, Any]:
        table = draw_table(brief)
        columns = brief.sample(range(NUMBERS, len(table["header"])), brief.by_level(1, 1, 2))
        below = len(table["rows"]) + 1 + brief.integer(1, 3)
        names = brief.by_level(["SUM"], list(AGGREGATES), list(AGGREGATES))
        asked = [(brief.pick(names), column, below) for column in columns]
        parts = [
            f"{AGGREGATES[name][0]} of the column {quoted(table['header'][column])} in cell {cell_name((row, column))}" for name, column, row in asked
        ]
        choices = [
            "Put {what} of {sheet}, and save.",
            "In {sheet}, work out {what}, then save the file.",
            "Enter {what} of {sheet} (a formula or the number) and save it.",
        ]
        return {
            "instruction": wording(brief, choices, what=" and ".join(parts), sheet=in_file(table)),
            "asked": [list(each) for each in asked],
            **table,
        }

    def wanted(self, params: Params) -> dict[Cell, Decimal]:
        return {(row, column): AGGREGATES[name][1](numbers_of(params, column)) for name, column, row in params["asked"]}

    def solve(self, solver: Solver, params: Params) -> None:
        if not self.is_done(solver.state, params):
            window, last = sheet_window(solver, params), len(params["rows"])
            for name, column, row in params["asked"]:
                enter(solver, window, (row, column), f"={name}({cell_name((1, column))}:{cell_name((last, column))})")
            save(solver)


#: How two columns are combined: the words for it, the operator, and what it does.
COMBINATIONS: dict[str, tuple[str, Callable[[Decimal, Decimal], Decimal]]] = {
    "*": ("{a} times {b}", lambda a, b: a * b),
    "+": ("{a} plus {b}", lambda a, b: a + b),
    "-": ("{a} minus {b}", lambda a, b: a - b),
}


class FillFormula(ComputedTable):
    """Fill a column with what a formula gives for each row."""

    id = "fill-formula"
    skills = ("spreadsheet", "formula", "keyboard")

    def draw(self, brief: Brief) -> dict[str, Any]:
        table = draw_table(brief, (4, 9, 18))
        a, b = brief.sample(range(NUMBERS, len(table["header"])), 2)
        sign = brief.pick(brief.by_level(["+", "*"], list(COMBINATIONS), list(COMBINATIONS)))
        table["header"] = [*table["header"], brief.pick(["Result", "Value", "Rating", "Check", "Score"])]
        what = COMBINATIONS[sign][0].format(a=quoted(table["header"][a]), b=quoted(table["header"][b]))
        choices = [
            "In {sheet}, fill the column {column} with {what} for each row, and save.",
            "The column {column} of {sheet} shall hold {what} in each row. Fill it and save the file.",
            "Work out {what} for each row of {sheet}, in the column {column}, then save it.",
        ]
        instruction = wording(brief, choices, what=what, column=quoted(table["header"][-1]), sheet=in_file(table))
        return {"instruction": instruction, "sign": sign, "columns": [a, b], **table}

    def wanted(self, params: Params) -> dict[Cell, Decimal]:
        first, second = (numbers_of(params, column) for column in params["columns"])
        last = len(params["header"]) - 1
        return {(i + 1, last): COMBINATIONS[params["sign"]][1](a, b) for i, (a, b) in enumerate(zip(first, second, strict=True))}

    def solve(self, solver: Solver, params: Params) -> None:
        if self.is_done(solver.state, params):
            return
        window, target = sheet_window(solver, params), len(params["header"]) - 1
        a, b = (column_name(column) for column in params["columns"])
        enter(solver, window, (1, target), f"={a}2{params['sign']}{b}2")
        pick_cell(solver, window, (1, target))
        for _ in range(len(params["rows"]) - 1):
            solver.press(Key.DOWN, Modifier.SHIFT)
        solver.press(Key.D, Modifier.CTRL)
        save(solver)


def said_text(answer: str | None, text: str) -> bool:
    """Whether an answer is this text, whatever the capitals, spaces and quotes around it; numbers in whatever way they are written."""
    said = (answer or "").strip().strip("\"'“”.").strip()
    number = to_number(text)
    return to_number(said.replace(",", "")) == number if number is not None else said.casefold() == text.casefold()


class LookUpValue(AnswerFamily):
    """Say what a table holds for one of its rows."""

    id = "look-up-value"
    skills = ("spreadsheet", "read", "answer")
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        table = draw_table(brief, (6, 14, 40))
        row, column = brief.integer(0, len(table["rows"]) - 1), brief.integer(GROUPS, len(table["header"]) - 1)
        name = table["rows"][row][KEYS] if brief.feasible else table["missing"]
        choices = [
            "What is the {column} of {name} in {sheet}? Answer with what the cell shows.",
            "Look up {name} in {sheet} and answer with its {column}, as the cell shows it.",
            "Find the row of {name} in {sheet}. Which {column} does it have? Answer with that alone.",
        ]
        instruction = wording(brief, choices, column=quoted(table["header"][column]), name=quoted(name), sheet=in_file(table))
        return {"instruction": instruction, "answer": table["rows"][row][column], "cell": [row + 1, column], **table}

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return said_text(outcome.answer, params["answer"])

    def solve(self, solver: Solver, params: Params) -> None:
        window = sheet_window(solver, params)
        row, column = params["cell"]
        pick_cell(solver, window, (row, column))
        solver.answer(params["answer"])


class LargestInSheet(AnswerFamily):
    """Say which row of a table has the largest or the smallest number, or the one next to it."""

    id = "largest-in-sheet"
    skills = ("spreadsheet", "read", "compare", "answer")

    def draw(self, brief: Brief) -> dict[str, Any]:
        table = draw_table(brief, (5, 14, 36))
        column, largest = brief.integer(NUMBERS, len(table["header"]) - 1), brief.chance(0.5)
        rank = brief.by_level(0, 0, brief.integer(0, 1))
        ordered = sorted(table["rows"], key=lambda row: Decimal(row[column]), reverse=largest)
        which = ("second " if rank else "") + ("largest" if largest else "smallest")
        choices = [
            "Which {key} in {sheet} has the {which} {column}? Answer with its name.",
            "Find the {key} with the {which} {column} in {sheet} and answer with its name alone.",
            "In {sheet}, look for the {which} number under {column}. Answer with the {key} of that row.",
        ]
        parts = {"key": quoted(table["header"][KEYS]), "column": quoted(table["header"][column]), "which": which}
        return {"instruction": wording(brief, choices, sheet=in_file(table), **parts), "answer": ordered[rank][KEYS], "column": column, **table}

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return said_text(outcome.answer, params["answer"])

    def solve(self, solver: Solver, params: Params) -> None:
        window = sheet_window(solver, params)
        pick_cell(solver, window, (1 + [row[KEYS] for row in params["rows"]].index(params["answer"]), params["column"]))
        solver.answer(params["answer"])
