"""Cheats and other ways with the families of the spreadsheet and the calculator."""

import pytest

from gui_gym.actions import Action, Key, Modifier
from gui_gym.desktops.sim import SimDesktop
from gui_gym.desktops.sim.apps.calculator import Calculator
from gui_gym.desktops.sim.apps.spreadsheet import Spreadsheet
from gui_gym.desktops.sim.sheets.csv_text import read_csv, write_csv
from gui_gym.tasks import Task
from gui_gym.tasks.sim import SimSuite
from gui_gym.verifiers import EndReason, Outcome, Score, verify

SUITE = SimSuite()
FOLDER = "/home/user/Documents"
DONE = Outcome(EndReason.DONE)
CHANGING = ["enter-cells", "edit-cell", "delete-row", "sort-sheet", "sum-column", "fill-formula"]


def begin(task_id: str) -> tuple[Task, SimDesktop]:
    task, desktop = SUITE.get(task_id), SimDesktop(1280, 720)
    desktop.reset(task, 0)
    return task, desktop


def solve(task: Task, desktop: SimDesktop) -> None:
    for action in SUITE.solution(task, desktop)[:-1]:
        desktop.perform(action)


def path_of(task: Task) -> str:
    return f"{FOLDER}/{task.params['goal']['file']}"


@pytest.mark.parametrize("family", CHANGING)
def test_what_is_not_saved_counts_for_nothing(family: str) -> None:
    task, desktop = begin(f"{family}#3")
    actions = SUITE.solution(task, desktop)
    assert actions[-2] == Action.press(Key.S, Modifier.CTRL)
    for action in actions[:-2]:
        desktop.perform(action)
    assert verify(task, desktop, DONE) == Score.of(0)
    desktop.perform(actions[-2])
    assert verify(task, desktop, DONE) == Score.of(1)


@pytest.mark.parametrize("family", CHANGING)
def test_any_other_cell_that_changed_scores_0(family: str) -> None:
    task, desktop = begin(f"{family}#4")
    solve(task, desktop)
    good = read_csv(desktop.state.files[path_of(task)])
    for row, column in [(0, 0), (1, 1), (len(good) - 1, 0), (len(good), 0), (1, len(good[1]))]:
        table = [list(each) + [""] * 9 for each in good] + [[""] * 9]
        table[row][column] += "1"
        desktop.write_file(path_of(task), write_csv(table).encode())
        assert verify(task, desktop, DONE) == Score.of(0), (row, column)
    desktop.write_file(path_of(task), write_csv(good).replace("\n", ",,\n").encode())
    assert verify(task, desktop, DONE) == Score.of(1), "empty cells at the ends of rows say nothing"


@pytest.mark.parametrize("family", ["sum-column", "fill-formula"])
def test_results_may_be_typed_in_or_worked_out(family: str) -> None:
    task, desktop = begin(f"{family}#5")
    solve(task, desktop)
    window = desktop.state.window(f"spreadsheet:{path_of(task)}")
    assert isinstance(window, Spreadsheet)
    sheet = window.grid.sheet
    rows, columns = sheet.used
    values = [[sheet.shown((r, c)) for c in range(columns)] for r in range(rows)]
    desktop.write_file(path_of(task), write_csv(values).encode())
    assert verify(task, desktop, DONE) == Score.of(1)
    formula = next((r, c) for r in range(rows) for c in range(columns) if sheet.text((r, c)).startswith("="))
    values[formula[0]][formula[1]] += "9"
    desktop.write_file(path_of(task), write_csv(values).encode())
    assert verify(task, desktop, DONE) == Score.of(0)


def test_sorting_without_the_header_or_the_wrong_way_scores_0() -> None:
    task, desktop = begin("sort-sheet#6")
    solve(task, desktop)
    header, *rows = read_csv(desktop.state.files[path_of(task)])
    for wrong in ([*rows, header], [header, *reversed(rows)], [header, *rows[1:], rows[0]], [header, *rows[:-1]]):
        desktop.write_file(path_of(task), write_csv(wrong).encode())
        assert verify(task, desktop, DONE) == Score.of(0)


def test_a_deleted_row_leaves_no_gap() -> None:
    task, desktop = begin("delete-row#6")
    rows = read_csv(desktop.state.files[path_of(task)])
    kept = [() if i - 1 in task.params["goal"]["gone"] else row for i, row in enumerate(rows)]
    desktop.write_file(path_of(task), write_csv(kept).encode())
    gap_at_the_end = len(rows) - 2 in task.params["goal"]["gone"]
    assert verify(task, desktop, DONE) == Score.of(int(gap_at_the_end))
    desktop.write_file(path_of(task), write_csv([row for row in kept if row]).encode())
    assert verify(task, desktop, DONE) == Score.of(1)


@pytest.mark.parametrize("family", ["look-up-value", "largest-in-sheet"])
def test_answers_about_sheets(family: str) -> None:
    task, desktop = begin(f"{family}#3")
    right = task.params["goal"]["answer"]
    wrong = next(cell for row in task.params["goal"]["rows"] for cell in row if cell != right)
    for said, score in [(right, 1), (f" {right.upper()}. ", 1), (f"“{right}”", 1), (wrong, 0), (f"{right} {wrong}", 0), ("", 0), (f"{right}1", 0)]:
        assert verify(task, desktop, Outcome(EndReason.DONE, said)) == Score.of(score), said
    assert verify(task, desktop, DONE) == Score.of(0)


def test_numbers_are_answered_in_whatever_way_they_are_written() -> None:
    task, desktop = begin("compute#3")
    right = SUITE.solution(task, desktop)[-1].text
    for said, score in [
        (right, 1),
        (f" = {right} ", 1),
        (f"{right}0" if "." in right else f"{right}.0", 1),
        (f"{right}1", 0),
        ("", 0),
        ("about " + right, 0),
    ]:
        assert verify(task, desktop, Outcome(EndReason.DONE, said)) == Score.of(score), said


def test_the_display_shows_a_result_that_was_worked_out() -> None:
    task, desktop = begin("calculator-display#3")
    solve(task, desktop)
    window = desktop.state.window("calculator")
    assert isinstance(window, Calculator) and verify(task, desktop, DONE) == Score.of(1)
    result = window.display.text
    for typed in (result, f"{result}=", f"{result}+0="):
        task, desktop = begin("calculator-display#3")
        desktop.perform(Action.type_text(typed))
        assert desktop.state.windows[-1].widget("display").value == result
        assert verify(task, desktop, DONE) == Score.of(0), "typing the result is no calculation"


def test_steps_in_between_are_as_good_as_one_expression() -> None:
    seeds = (seed for seed in range(1, 99) if "×" not in SUITE.get(f"calculator-display#{seed}").params["goal"]["expression"])
    task, desktop = begin(f"calculator-display#{next(seeds)}")
    expression = task.params["goal"]["expression"]
    for c in expression:
        desktop.perform(Action.type_text(f"={c}" if c in "+−" else c))
    desktop.perform(Action.press(Key.ENTER))
    assert verify(task, desktop, DONE) == Score.of(1)
