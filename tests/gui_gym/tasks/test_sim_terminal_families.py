"""Cheats and other ways with the families of the terminal."""

import pytest

from gui_gym.actions import Action
from gui_gym.desktops.sim import SimDesktop, filesystem
from gui_gym.desktops.sim.apps.terminal import Terminal, open_terminal
from gui_gym.tasks import Task
from gui_gym.tasks.sim import SimSuite
from gui_gym.verifiers import EndReason, Outcome, Score, verify

SUITE = SimSuite()
HOME = "/home/user"
DONE = Outcome(EndReason.DONE)


def begin(task_id: str) -> tuple[Task, SimDesktop, str]:
    """A task, begun, and the path of its folder."""
    task, desktop = SUITE.get(task_id), SimDesktop(1280, 720)
    desktop.reset(task, 0)
    return task, desktop, f"{HOME}/{task.params['goal']['folder']}"


def run(desktop: SimDesktop, *lines: str) -> None:
    window = open_terminal(desktop.session)
    assert isinstance(window, Terminal)
    for line in lines:
        window.run(desktop.session, line)


def score(task: Task, desktop: SimDesktop) -> Score:
    return verify(task, desktop, DONE)


@pytest.mark.parametrize("level", ["easy", "hard"])
def test_clean_up_by_a_pattern_that_is_too_wide_scores_0(level: str) -> None:
    task, desktop, folder = begin(f"clean-up#5/{level}")
    ending = task.params["goal"]["gone"][0].rpartition(".")[2]
    before = desktop.snapshot()
    run(desktop, f"cd '{folder}'", f"rm -f *.{ending} */*.{ending}")
    assert score(task, desktop) == Score.of(1)
    desktop.restore(before)
    run(desktop, f"cd '{folder}'", f"rm -f *{ending}* */*{ending}*")
    assert score(task, desktop) == Score.of(0)
    desktop.restore(before)
    run(desktop, f"rm -r '{folder}'")
    assert score(task, desktop) == Score.of(0)


def test_files_may_be_cleaned_up_into_the_trash() -> None:
    task, desktop, folder = begin("clean-up#5")
    for name in task.params["goal"]["gone"]:
        filesystem.trash(desktop.state.files, f"{folder}/{name}")
    assert score(task, desktop) == Score.of(1)


def test_moving_too_much_or_copying_scores_0() -> None:
    task, desktop, folder = begin("terminal-move-files#5")
    goal, before = task.params["goal"], desktop.snapshot()
    ending = goal["moved"][0].rpartition(".")[2]
    run(desktop, f"cd '{folder}'", f"mv *.{ending} {goal['target']}")
    assert score(task, desktop) == Score.of(1)
    for line in (f"cp *.{ending} {goal['target']}", f"mv *.* {goal['target']}", f"mv *.{ending} ..", f"rm *.{ending}"):
        desktop.restore(before)
        run(desktop, f"cd '{folder}'", line)
        assert score(task, desktop) == Score.of(0), line


def test_folders_beside_those_asked_for_score_0() -> None:
    task, desktop, folder = begin("run-command#5")
    run(desktop, f"cd '{folder}'", *(f"mkdir -p {path}" for path in task.params["goal"]["paths"]))
    assert score(task, desktop) == Score.of(1)
    solved = desktop.snapshot()
    run(desktop, f"mkdir {task.params['goal']['paths'][0]}/more")
    assert score(task, desktop) == Score.of(0)
    desktop.restore(solved)
    run(desktop, f"touch {task.params['goal']['paths'][0]}/x")
    assert score(task, desktop) == Score.of(0)


def test_the_text_of_a_file_is_what_was_asked_for_and_no_more() -> None:
    task, desktop, folder = begin("make-file-with-text#5/hard")
    goal = task.params["goal"]
    path, lines = f"{folder}/{goal['name']}", goal["lines"]
    right = "\n".join(lines)
    for text, expected in [
        (right, 1),
        (right + "\n", 1),
        ("\n".join(reversed(lines)), 0),
        (right + "\nx\n", 0),
        (right.lower(), 0),
        (" ".join(lines), 0),
    ]:
        desktop.write_file(path, text.encode())
        assert score(task, desktop) == Score.of(expected), text


def test_files_are_combined_in_the_order_asked_for() -> None:
    task, desktop, folder = begin("combine-files#5")
    goal, before = task.params["goal"], desktop.snapshot()
    parts = [f"'{part}'" for part in goal["parts"]]
    for names, expected in [(parts, 1), (parts[::-1], 0), (parts[:-1], 0), ([*parts, parts[0]], 0)]:
        desktop.restore(before)
        run(desktop, f"cd '{folder}'", f"cat {' '.join(names)} > '{goal['new']}'")
        assert score(task, desktop) == Score.of(expected), names
    desktop.restore(before)
    run(desktop, f"cd '{folder}'", f"cat {' '.join(parts)} > '{goal['new']}'; rm {parts[0]}")
    assert score(task, desktop) == Score.of(0)


def test_answers_about_files() -> None:
    task, desktop, folder = begin("find-in-files#5/hard")
    right = task.params["goal"]["answer"]
    name = right.rpartition("/")[2]
    other = next(each for each in task.params["goal"]["files"] if each != right)
    said = {
        right: 1,
        name: 1,
        f"{folder}/{right}": 1,
        f"./{right}": 1,
        f"“{name}”": 1,
        f"wrong/{name}": 0,
        other: 0,
        "": 0,
        f"{name} {other}": 0,
        "/": 0,
    }
    for text, expected in said.items():
        assert verify(task, desktop, Outcome(EndReason.DONE, text)) == Score.of(expected), text
    task, desktop, _ = begin("count-lines#5")
    right = task.params["goal"]["answer"]
    for text, expected in {right: 1, f" {right}.": 1, f"{right}0": 0, f"-{right}": 0, "": 0}.items():
        assert verify(task, desktop, Outcome(EndReason.DONE, text)) == Score.of(expected), text


def test_typing_the_instruction_into_the_terminal_solves_nothing() -> None:
    for family in ("run-command", "terminal-move-files", "make-file-with-text", "clean-up", "combine-files"):
        task, desktop, _ = begin(f"{family}#7")
        desktop.perform(Action.type_text(task.instruction + "\n"))
        assert score(task, desktop) == Score.of(0), family
