"""The spreadsheet: enter and change values, delete rows and sort."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from gui_gym.desktops.sim.sheets.references import Cell, cell_name
from gui_gym.desktops.sim.state import State
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import joined, quoted, wording
from gui_gym.tasks.sim.families.tables import (
    Row,
    TableFamily,
    draw_table,
    enter,
    in_file,
    is_table,
    path_of,
    pick_cell,
    pick_menu,
    save,
    sheet_window,
    start_rows,
)
from gui_gym.tasks.sim.family import Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import CITIES, STEMS
from gui_gym.verifiers.score import Outcome

KEYS, GROUPS, NUMBERS = 0, 1, 2  #: columns of a table: what rows are called, words that repeat, and the first with numbers


class ChangedTable(TableFamily):
    """A family whose tasks turn a table into another one, and save it."""

    def expected(self, params: Params) -> list[Row]:
        """The table that is wanted, header included."""
        raise NotImplementedError

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return is_table(state.files.get(path_of(params)), self.expected(params))

    def is_done(self, solver: Solver, params: Params) -> bool:
        """Whether the file is as it is wanted already."""
        return is_table(solver.state.files.get(path_of(params)), self.expected(params))

    def spoil(self, solver: Solver, params: Params) -> bool:
        window = sheet_window(solver, params)
        enter(solver, window, (2, NUMBERS), "1234.5")
        save(solver)
        return True


def with_cells(rows: list[Row], texts: Mapping[Cell, str]) -> list[Row]:
    """Rows with other texts in some cells."""
    height = max([len(rows), *(row + 1 for row, _ in texts)])
    width = max([*map(len, rows), *(column + 1 for _, column in texts)])
    table = [[*row, *[""] * (width - len(row))] for row in rows] + [[""] * width for _ in range(height - len(rows))]
    for (row, column), text in texts.items():
        table[row][column] = text
    return table


class FilledTable(ChangedTable):
    """A family whose tasks want other texts in some cells."""

    def cells(self, params: Params) -> dict[Cell, str]:
        """The texts by cell."""
        raise NotImplementedError

    def expected(self, params: Params) -> list[Row]:
        return with_cells(start_rows(params), self.cells(params))

    def solve(self, solver: Solver, params: Params) -> None:
        if not self.is_done(solver, params):
            window = sheet_window(solver, params)
            for cell, text in self.cells(params).items():
                enter(solver, window, cell, text)
            save(solver)


class EnterCells(FilledTable):
    """Type values into empty cells that are named."""

    id = "enter-cells"
    skills = ("spreadsheet", "type", "keyboard")

    def draw(self, brief: Brief) -> dict[str, Any]:
        table = draw_table(brief)
        rows, columns = len(table["rows"]) + 1, len(table["header"])
        most = brief.by_level(3, 8, 20)
        empty = [(rows + 1 + r, c) for r in range(most) for c in range(columns + 2)] + [(r, columns + 1) for r in range(rows)]
        cells: dict[str, str] = {}
        for cell in brief.sample(empty, brief.by_level(1, brief.integer(2, 3), brief.integer(3, 4))):
            cells[cell_name(cell)] = brief.pick([str(brief.integer(11, 9999)), f"{brief.integer(1, 99)}.5", brief.pick(CITIES), brief.pick(STEMS)])
        parts = [f"{quoted(text)} in cell {name}" for name, text in sorted(cells.items())]
        choices = ["In {sheet}, enter {what}, then save.", "Type {what} of {sheet} and save the file.", "Put {what} of {sheet}. Save it afterwards."]
        return {"instruction": wording(brief, choices, what=joined(parts), sheet=in_file(table)), "cells": cells, **table}

    def cells(self, params: Params) -> dict[Cell, str]:
        return {(int(name[1:]) - 1, ord(name[0]) - 65): text for name, text in params["cells"].items()}


class EditCell(FilledTable):
    """Find a row by its name and change a number in it."""

    id = "edit-cell"
    skills = ("spreadsheet", "read", "type", "edit")
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        table = draw_table(brief)
        changes: list[tuple[int, int, str]] = []
        for row in brief.sample(range(len(table["rows"])), brief.by_level(1, 1, 2)):
            column = brief.integer(NUMBERS, len(table["header"]) - 1)
            changes.append((row, column, f"{brief.integer(1000, 9999)}" if brief.chance(0.5) else f"{brief.integer(100, 999)}.75"))
        names = [table["rows"][row][KEYS] for row, _, _ in changes]
        if not brief.feasible:
            names[0] = table["missing"]
        parts = [
            brief.pick(["the {column} of {name} to {new}", "{column} in the row of {name} to {new}"]).format(
                column=quoted(table["header"][column]), name=quoted(name), new=quoted(new)
            )
            for name, (_, column, new) in zip(names, changes, strict=True)
        ]
        choices = ["In {sheet}, change {what}, and save.", "Set {what} in {sheet}, then save it.", "Correct {sheet}: change {what}. Save the file."]
        return {
            "instruction": wording(brief, choices, what=" and ".join(parts), sheet=in_file(table)),
            "changes": [list(each) for each in changes],
            **table,
        }

    def cells(self, params: Params) -> dict[Cell, str]:
        return {(row + 1, column): new for row, column, new in params["changes"]}


class DeleteRow(ChangedTable):
    """Delete rows of a table, by name or by what they hold, without leaving a gap."""

    id = "delete-row"
    skills = ("spreadsheet", "read", "menu", "edit")
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        table = draw_table(brief)
        names = [row[KEYS] for row in table["rows"]]
        groups = sorted({row[GROUPS] for row in table["rows"]})
        by_group = len(groups) > 1 and brief.by_level(False, brief.chance(0.3), brief.chance(0.5))
        if by_group:
            group, *others = brief.sample(groups, len(groups))
            if not brief.feasible:
                table["rows"] = [
                    [brief.pick(others) if i == GROUPS and cell == group else cell for i, cell in enumerate(row)] for row in table["rows"]
                ]
            gone = [i for i, row in enumerate(table["rows"]) if row[GROUPS] == group][:3]
            for i, row in enumerate(table["rows"]):
                if row[GROUPS] == group and i not in gone:
                    row[GROUPS] = next(each for each in ("Bergen", "Porto") if each != group)
            what = f"every row whose {quoted(table['header'][GROUPS])} is {quoted(group)}"
        else:
            gone = sorted(brief.sample(range(len(names)), brief.by_level(1, 1, 2)))
            called = [names[i] for i in gone]
            if not brief.feasible:
                called[0] = table["missing"]
            what = "the row of " + " and that of ".join(quoted(name) for name in called)
        choices = [
            "In {sheet}, delete {what} and save.",
            "Delete {what} from {sheet}, without leaving an empty row, and save it.",
            "Remove {what} from {sheet}; save the file.",
        ]
        return {"instruction": wording(brief, choices, what=what, sheet=in_file(table)), "gone": gone, **table}

    def expected(self, params: Params) -> list[Row]:
        return [list(params["header"]), *(list(row) for i, row in enumerate(params["rows"]) if i not in params["gone"])]

    def solve(self, solver: Solver, params: Params) -> None:
        if not self.is_done(solver, params):
            window = sheet_window(solver, params)
            for row in sorted(params["gone"], reverse=True):
                pick_cell(solver, window, (row + 1, KEYS))
                pick_menu(solver, window, "Edit", "Delete rows")
            save(solver)


class SortSheet(ChangedTable):
    """Sort the rows of a table by one column, or by one within another."""

    id = "sort-sheet"
    skills = ("spreadsheet", "menu", "read")

    def draw(self, brief: Brief) -> dict[str, Any]:
        table = draw_table(brief)
        column, down = brief.integer(NUMBERS, len(table["header"]) - 1), brief.chance(0.5)
        within = brief.by_level(False, False, brief.chance(0.5))
        order = "from the largest number to the smallest" if down else "from the smallest number to the largest"
        what = f"by {quoted(table['header'][column])}, {order}"
        if within:
            first = f"by {quoted(table['header'][GROUPS])} from A to Z"
            what = f"{first} and, where that is the same, {what}"
        choices = [
            "Sort the rows of {sheet} {what}. The header stays at the top. Save the file.",
            "Put the rows of {sheet} in order: {what}. Keep the header where it is and save.",
            "Below its header, sort {sheet} {what}, then save it.",
        ]
        goal = {"column": column, "down": down, "within": within}
        while self._sorted(table["rows"], goal) == table["rows"]:
            table["rows"] = brief.sample(table["rows"], len(table["rows"]))
        return {"instruction": wording(brief, choices, what=what, sheet=in_file(table)), **goal, **table}

    @staticmethod
    def _sorted(rows: list[Row], goal: Params) -> list[Row]:
        ordered = sorted(rows, key=lambda row: Decimal(row[goal["column"]]), reverse=goal["down"])
        return sorted(ordered, key=lambda row: row[GROUPS].casefold()) if goal["within"] else ordered

    def expected(self, params: Params) -> list[Row]:
        return [list(params["header"]), *self._sorted(params["rows"], params)]

    def solve(self, solver: Solver, params: Params) -> None:
        if not self.is_done(solver, params):
            window = sheet_window(solver, params)
            pick_cell(solver, window, (1, params["column"]))
            pick_menu(solver, window, "Data", "Sort descending" if params["down"] else "Sort ascending")
            if params["within"]:
                pick_cell(solver, window, (1, GROUPS))
                pick_menu(solver, window, "Data", "Sort ascending")
            save(solver)
