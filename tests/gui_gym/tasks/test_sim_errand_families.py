"""Errands through several programs: other ways to the same end count, near misses do not."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from gui_gym.desktops.sim import SimDesktop
from gui_gym.desktops.sim.apps.agenda import add_appointment, appointments, write_appointment
from gui_gym.desktops.sim.apps.mailbox import DRAFTS, INBOX, SENT, Message, add_message, messages_in, write_message
from gui_gym.desktops.sim.filesystem import name_of
from gui_gym.desktops.sim.sheets.csv_text import write_csv
from gui_gym.tasks import Task
from gui_gym.tasks.sim import FAMILIES, SimSuite
from gui_gym.tasks.sim.families.agenda_world import as_appointment
from gui_gym.tasks.sim.families.errand_world import Errand
from gui_gym.tasks.sim.families.terminal import home
from gui_gym.verifiers import EndReason, Outcome, Score, verify

SUITE = SimSuite()
ERRANDS = [name for name in FAMILIES.names() if issubclass(FAMILIES.get(name), Errand)]


def begun(task_id: str) -> tuple[Task, SimDesktop, dict[str, Any]]:
    """A task, begun, and what it wants in the end."""
    task, desktop = SUITE.get(task_id), SimDesktop(1280, 720)
    desktop.reset(task, 0)
    return task, desktop, task.params["goal"]["goal"]


def done(task_id: str) -> tuple[Task, SimDesktop, dict[str, Any]]:
    """A task that its script has done."""
    task, desktop, goal = begun(task_id)
    for action in SUITE.solution(task, desktop)[:-1]:
        desktop.perform(action)
    assert score(task, desktop, goal) == Score.of(1)
    return task, desktop, goal


def score(task: Task, desktop: SimDesktop, goal: dict[str, Any], answer: str | None = None) -> Score:
    """The score of ending now, with the right answer unless told otherwise."""
    return verify(task, desktop, Outcome(EndReason.DONE, answer if answer is not None else goal.get("answer")))


def sent(desktop: SimDesktop) -> tuple[str, Message]:
    """The path and the message that was sent."""
    ((path, message),) = messages_in(desktop.state.files, SENT).items()
    return path, message


def each_level(name: str, seed: int = 4) -> Iterator[str]:
    """Ids of an instance of each difficulty."""
    yield from (f"{name}#{seed}/easy", f"{name}#{seed}", f"{name}#{seed}/hard")


def test_there_are_errands_over_all_programs() -> None:
    skills = {skill for name in ERRANDS for skill in FAMILIES.get(name).skills}
    programs = {"files", "editor", "mail", "calendar", "spreadsheet", "settings", "calculator", "pictures", "terminal", "browse"}
    assert len(ERRANDS) >= 16 and programs <= skills


@pytest.mark.parametrize("name", ERRANDS)
def test_what_is_wanted_counts_however_it_comes_about(name: str) -> None:
    """Files, settings and mail alone are looked at: written all at once, without any window, they pass as well."""
    for task_id in each_level(name):
        task, desktop, goal = begun(task_id)
        files = desktop.state.files
        files |= {home(path): "\n".join(lines) for path, lines in goal.get("texts", {}).items()}
        files |= {home(path): write_csv(rows) for path, rows in goal.get("tables", {}).items()}
        files |= {home(path): text for path, text in goal.get("files", {}).items()}
        for path in goal.get("gone", ()):
            del files[home(path)]
        desktop.state.settings |= goal.get("settings", {})
        if "agenda" in goal:
            for path in appointments(files):
                del files[path]
            for event in goal["agenda"]:
                add_appointment(files, as_appointment(event))
        if letter := goal.get("letter"):
            attached = tuple((name_of(path), files[home(path)]) for path in letter["attached"])
            message = Message("Sam", letter["to"], "", letter["subject"], "2026-03-11 09:01", True, False, attached, letter["words"] or "")
            add_message(files, SENT, message)
        assert score(task, desktop, goal) == Score.of(1), task_id


@pytest.mark.parametrize("name", [name for name in ERRANDS if "mail" in FAMILIES.get(name).skills])
def test_mail_is_otherwise_left_alone(name: str) -> None:
    for task_id in each_level(name):
        task, desktop, goal = done(task_id)
        files, start = desktop.state.files, desktop.snapshot()
        path, message = next(iter(messages_in(files, INBOX).items()))
        files[path] = write_message(replace(message, read=not message.read))
        assert score(task, desktop, goal) == Score.of(1), "mail may be read"
        files[path] = write_message(replace(message, starred=not message.starred))
        assert score(task, desktop, goal) == Score.of(0)
        desktop.restore(start)
        add_message(desktop.state.files, DRAFTS, Message(text="left behind"))
        assert score(task, desktop, goal) == Score.of(0)


@pytest.mark.parametrize("name", ["edit-and-mail", "mail-total", "reply-with-number", "mail-page-fact", "send-picture", "cancel-and-tell"])
def test_another_letter_is_not_the_one_asked_for(name: str) -> None:
    for task_id in each_level(name, 5):
        task, desktop, goal = done(task_id)
        path, message = sent(desktop)
        words = goal["letter"]["words"]
        wrong = [
            replace(message, to="somebody.else@example.org"),
            replace(message, cc="somebody.else@example.org"),
            replace(message, subject=f"{message.subject}0"),
            replace(message, attachments=(*message.attachments, ("more.txt", "more"))),
            replace(message, text=f"{words}1") if words else replace(message, attachments=()),
            replace(message, text=f"{words} or {words}1") if words else replace(message, attachments=message.attachments * 2),
        ]
        for other in wrong:
            desktop.state.files[path] = write_message(other)
            assert score(task, desktop, goal) == Score.of(0), other
        desktop.state.files[path] = write_message(replace(message, text=f"{words or 'Hello'}\n\n-- \nI do not mean it"))
        assert score(task, desktop, goal) == Score.of(0), "that is not how mail is signed"
        signature = desktop.state.settings["mail_signature"]
        desktop.state.files[path] = write_message(replace(message, text=f"{words or 'Hello'}" + (f"\n\n-- \n{signature}" if signature else "")))
        assert score(task, desktop, goal) == Score.of(1), "a signature says nothing"


def test_the_sheet_that_is_mailed_is_the_corrected_one() -> None:
    for task_id in each_level("edit-and-mail"):
        task, desktop, goal = done(task_id)
        path, message = sent(desktop)
        old = task.params["goal"]["files"][goal["letter"]["attached"][0]]
        desktop.state.files[path] = write_message(replace(message, attachments=((message.attachments[0][0], old),)))
        assert score(task, desktop, goal) == Score.of(0)


@pytest.mark.parametrize("name", ["mail-to-sheet", "price-with-tax", "page-to-sheet"])
def test_no_other_cell_and_no_other_amount(name: str) -> None:
    for task_id in each_level(name):
        task, desktop, goal = done(task_id)
        ((path, rows),) = goal["tables"].items()
        for row, column in ((1, 0), (len(rows) - 1, 2), (len(rows), 5)):
            table = [[*each, *[""] * 4] for each in rows] + [[""] * 8]
            table[row][column] = "77777"
            desktop.state.files[home(path)] = write_csv(table)
            assert score(task, desktop, goal) == Score.of(0), (row, column)
        desktop.state.files[home(path)] = write_csv(rows)
        assert score(task, desktop, goal) == Score.of(1)


@pytest.mark.parametrize("name", ["file-attachment", "day-plan", "count-and-note", "write-invoice"])
def test_texts_have_these_lines_in_this_order(name: str) -> None:
    for task_id in each_level(name, 6):
        task, desktop, goal = done(task_id)
        ((path, lines),) = goal["texts"].items()
        for wrong in ([*lines, "more"], lines[:-1], ["", *lines], *([lines[::-1]] if len(lines) > 1 else [])):
            desktop.state.files[home(path)] = "\n".join(wrong)
            assert score(task, desktop, goal) == Score.of(0), wrong
        desktop.state.files[home(path)] = "\n".join(f"{line} " for line in lines) + "\n\n"
        assert score(task, desktop, goal) == Score.of(1), "what cannot be seen makes no difference"


def test_the_template_of_an_invoice_stays() -> None:
    task, desktop, goal = done("write-invoice#3/hard")
    desktop.state.files[home(task.params["goal"]["template"])] += "x"
    assert score(task, desktop, goal) == Score.of(0)


def test_no_more_is_copied_moved_or_deleted_than_was_asked_for() -> None:
    for task_id in each_level("back-up-listed"):
        task, desktop, goal = done(task_id)
        folder = task.params["goal"]["target"]
        desktop.state.files[home(f"{folder}/more.txt")] = "more"
        assert score(task, desktop, goal) == Score.of(0)
    for task_id in each_level("sort-downloads"):
        task, desktop, goal = done(task_id)
        files, start = desktop.state.files, desktop.snapshot()
        kept = next(path for path in files if path.startswith(home("Downloads/")) and not path.endswith("/"))
        files[home(f"Documents/{name_of(kept)}")] = files.pop(kept)
        assert score(task, desktop, goal) == Score.of(0)
        desktop.restore(start)
        new, text = next(iter(goal["files"].items()))
        desktop.state.files[home(f"Downloads/{name_of(new)}")] = text
        assert score(task, desktop, goal) == Score.of(0), "a copy is not moved"


def test_a_hidden_file_is_said_with_hidden_files_shown() -> None:
    for task_id in each_level("find-hidden-file"):
        task, desktop, goal = begun(task_id)
        assert score(task, desktop, goal) == Score.of(0)
        desktop.state.settings["hidden_files"] = True
        assert score(task, desktop, goal) == Score.of(1)
        assert score(task, desktop, goal, f"{goal['answer']} bytes") == Score.of(1)
        for wrong in ("", str(int(goal["answer"]) + 1), f"{goal['answer']} {int(goal['answer']) + 1}"):
            assert score(task, desktop, goal, wrong) == Score.of(0)


@pytest.mark.parametrize("name", ["page-to-calendar", "note-to-calendar", "move-by-mail"])
def test_an_appointment_has_its_day_and_times_and_no_other_is_touched(name: str) -> None:
    for task_id in each_level(name):
        task, desktop, goal = done(task_id)
        files, world = desktop.state.files, task.params["goal"]
        new = as_appointment(world["new"][-1] if name == "note-to-calendar" else world.get("new") or world["event"])
        path = next(path for path, event in appointments(files).items() if event == new)
        for wrong in (replace(new, end=new.start), replace(new, place=f"{new.place}x"), replace(new, start=None, end=None), replace(new, title="")):
            files[path] = write_appointment(wrong)
            assert score(task, desktop, goal) == Score.of(0), wrong
        files[path] = write_appointment(new)
        assert score(task, desktop, goal) == Score.of(1)
        del files[next(other for other in appointments(files) if other != path)]
        assert score(task, desktop, goal) == Score.of(0)


def test_the_appointment_of_that_day_is_cancelled_and_no_other_of_its_name() -> None:
    task, desktop, goal = done("cancel-and-tell#3/hard")
    files, target = desktop.state.files, as_appointment(task.params["goal"]["target"])
    path, other = next((path, event) for path, event in appointments(files).items() if event.title == target.title)
    files[path] = write_appointment(target)
    assert other != target and score(task, desktop, goal) == Score.of(0)
