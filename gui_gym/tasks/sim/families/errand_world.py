"""Errands: tasks that go through several programs. How their worlds are laid out, what is compared in the end, and the steps they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim.apps import app_for
from gui_gym.desktops.sim.apps.browser import make_browser
from gui_gym.desktops.sim.apps.calculator import make_calculator
from gui_gym.desktops.sim.apps.editor import Editor, make_editor
from gui_gym.desktops.sim.apps.file_dialog import FileDialog
from gui_gym.desktops.sim.apps.files import make_files
from gui_gym.desktops.sim.apps.mailbox import INBOX, SENT, add_folder, add_message, messages_in, own_words
from gui_gym.desktops.sim.apps.pictures import make_pictures
from gui_gym.desktops.sim.apps.spreadsheet import make_spreadsheet
from gui_gym.desktops.sim.apps.terminal import make_terminal
from gui_gym.desktops.sim.filesystem import HOME, TRASH, Files, name_of, parent
from gui_gym.desktops.sim.layout import place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.sheets.csv_text import write_csv
from gui_gym.desktops.sim.sheets.numbers import to_number
from gui_gym.desktops.sim.sheets.references import Cell
from gui_gym.desktops.sim.sheets.sheet import Sheet
from gui_gym.desktops.sim.state import State, Window
from gui_gym.tasks.sim.brief import Brief, pick
from gui_gym.tasks.sim.families.agenda_world import (
    CALENDAR_FILES,
    as_appointment,
    enter_event,
    is_agenda,
    open_calendar_somewhere,
    write_agenda,
)
from gui_gym.tasks.sim.families.common import ROOMY, clutter, said_number
from gui_gym.tasks.sim.families.files import select_file
from gui_gym.tasks.sim.families.mail_world import (
    MAIL_FILES,
    OWN_FOLDERS,
    as_message,
    attach,
    is_letter,
    is_plain,
    mail_window,
    open_app,
    open_mail_somewhere,
    select_message,
    write,
)
from gui_gym.tasks.sim.families.mail_world import world_of as mail_of
from gui_gym.tasks.sim.families.settings import set_setting
from gui_gym.tasks.sim.families.tables import Row, draw_table, enter, is_table, save, sheet_window, window_size
from gui_gym.tasks.sim.families.terminal import home, run, shell_path
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import FOLDERS, STEMS
from gui_gym.tasks.task import TaskError
from gui_gym.verifiers.score import Outcome

SIGNATURES = ("", "", "Sam Rivera, Oslo", "Kind regards, Sam")
_KINDS = {"editor": "editor", "spreadsheet": "spreadsheet", "pictures": "picture"}  #: how the ids of the windows of programs begin


# Drawing


def draw_place(brief: Brief) -> str:
    """A folder from home: Documents, on harder tasks one in it."""
    return brief.by_level("Documents", f"Documents/{brief.pick(FOLDERS)}", f"Documents/{brief.pick(FOLDERS)}")


def draw_file_names(brief: Brief, n: int, ending: str) -> list[str]:
    """``n`` different file names; on hard tasks they share a few stems."""
    stems = brief.sample(STEMS, brief.by_level(n, n, max(2, n // 3)))
    numbers = brief.sample(range(10, 100), n)
    return [f"{stems[i % len(stems)]}{number}.{ending}" for i, number in enumerate(numbers)]


def draw_sheets(brief: Brief, closed: bool = False) -> dict[str, Any]:
    """A table as :func:`~gui_gym.tasks.sim.families.tables.draw_table` has it, the ``"sheet"`` it is in, from home, and how it is ``"called"``.

    On easy tasks that is its name; on others it is told from the sheets beside it, which are in ``"files"`` too, by one of its columns.
    """
    folder, count = draw_place(brief), brief.by_level(1, 2, 3)
    tables = [draw_table(brief, (5, 8, 12))]
    while len(tables) < count:
        another = draw_table(brief, (5, 8, 12))
        if all(another["header"][0] != table["header"][0] for table in tables):
            tables.append(another)
    names = draw_file_names(brief, count, "csv")
    files = {f"{folder}/{name}": write_csv([table["header"], *table["rows"]]) for name, table in zip(names, tables, strict=True)}
    target = tables[0]
    column = brief.pick(target["header"][2:])
    called = f"the sheet “{names[0]}”" if count == 1 and not closed else f"the sheet with the column “{column}” in the folder “{folder}”"
    shuffled = {path: files[path] for path in brief.sample(sorted(files), len(files))}
    return {
        "sheet": f"{folder}/{names[0]}",
        "called": called,
        "files": shuffled,
        **{key: target[key] for key in ("header", "rows", "missing")},
    }


def shown(brief: Brief, *windows: str) -> list[str]:
    """Which of these are open at the start: all on easy tasks, one on medium ones, none on hard ones."""
    return brief.sample(windows, brief.by_level(len(windows), 1, 0))


# Laying out


def open_somewhere(session: Session, what: str, rng: np.random.Generator) -> None:
    """Open a program, "files:FOLDER", "browser:ADDRESS", or a file, all from home, at a random place and size."""
    kind, _, argument = what.partition(":")
    if kind == "mail":
        open_mail_somewhere(session, rng)
    elif kind == "calendar":
        open_calendar_somewhere(session, rng)
    elif kind == "calculator":
        place(session, make_calculator(session), rng)
    elif kind == "terminal":
        place(session, make_terminal(session, HOME, *window_size(session, rng, (36, 50), (18, 28))), rng)
    elif kind == "files":
        place(session, make_files(session, home(argument), *window_size(session, rng, (34, 44), (20, 28))), rng)
    elif kind == "browser":
        place(session, make_browser(session, [argument], *window_size(session, rng, (44, 62), (30, 42))), rng)
    else:
        make = {"editor": make_editor, "spreadsheet": make_spreadsheet, "pictures": make_pictures}[app_for(what)]
        place(session, make(session, home(what), *window_size(session, rng, (36, 50), (24, 34))), rng)


# Comparing


def lines_of(text: str | None) -> list[str] | None:
    """The lines of a text without what cannot be seen: spaces at their ends, and empty lines at its end."""
    return None if text is None else [line.rstrip() for line in text.rstrip().split("\n")]


def is_sent(files: Files, letter: Mapping[str, Any]) -> bool:
    """Whether a letter, and no other, was sent: to "to" with "subject", the text "words" (any if None) and the files "attached" as they are now."""
    sent = list(messages_in(files, SENT).values())
    if len(sent) != 1:
        return False
    message, words = sent[0], letter["words"]
    said = own_words(message.text).strip()
    if words is None or says(said, words):
        words = said
    attached = tuple((name_of(path), files.get(home(path), "")) for path in letter["attached"])
    return is_letter(message, [letter["to"]], letter["subject"], words) and message.attachments == attached


def says(said: str, words: str) -> bool:
    """Whether a text is these words, or if they are a number this number, however it is written."""
    number = to_number(words)
    return said == words or said_number(said, words) or number is not None and to_number(said) == number


class Errand(Family):
    """A task that goes through several programs. Its parameters, in which paths begin at home and those that end in a slash are empty folders:

    "files": texts by path; "mail", newest first, and its "folders"; "agenda"; "open": see :func:`open_somewhere`;
    "goal": what is wanted in the end, each part if there: "texts", lines by path; "tables", rows by path; "files", texts by path as they are to
    the letter; "gone", paths; "settings", values by name; "agenda", all appointments; "letter", see :func:`is_sent`; "answer", a number.
    """

    min_size = ROOMY
    max_steps: ClassVar[int] = 36

    def drawn(self, brief: Brief, instruction: str, goal: Mapping[str, Any], open_: Sequence[str], **more: Any) -> dict[str, Any]:
        """The parameters of an instance."""
        folders = brief.sample(OWN_FOLDERS, brief.by_level(1, 2, 4)) if "mail" in more else []
        world = {"files": {}, "mail": [], "folders": folders, "agenda": []}
        return {"instruction": instruction, **world, "goal": dict(goal), "open": list(open_), **more}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        files = session.state.files
        files.update({home(path): text for path, text in params["files"].items()})
        for name in params["folders"]:
            add_folder(files, name)
        for data in reversed(params["mail"]):
            add_message(files, INBOX, as_message(data))
        write_agenda(files, params["agenda"])
        session.state.settings["mail_signature"] = pick(rng, SIGNATURES)
        session.state.settings["clock_24_hours"] = bool(rng.random() < 0.7)
        clutter(session, rng)
        for what in params["open"]:
            open_somewhere(session, what, rng)

    def may_change(self, params: Params, start: State) -> Sequence[str]:
        goal = params["goal"]
        paths = [home(path) for part in ("texts", "tables", "files", "gone") for path in goal.get(part, ())]
        allowed = ["closed:*", *MAIL_FILES, *(f"file:{path}" for path in paths)]
        allowed += [f"file:{folder}/" for folder in sorted({parent(path) for path in paths})]
        allowed += [f"setting:{name}" for name in goal.get("settings", ())]
        if "gone" in goal:
            allowed.append(f"file:{TRASH}/*")
        return [*allowed, CALENDAR_FILES] if "agenda" in goal else allowed

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        goal, before, now = params["goal"], mail_of(start), mail_of(state)
        if "letter" in goal:
            if not all(is_plain(message, state, start) for message in now[SENT] if message not in before[SENT]):
                return False
            before[SENT] = now[SENT]
        if "answer" in goal and not said_number(outcome.answer, goal["answer"]):
            return False
        return before == now and all(reached(state, goal, part) for part in goal)

    def spoil(self, solver: Solver, params: Params) -> bool:
        """Undo or overdo one part of the goal."""
        goal = params["goal"]
        if "letter" in goal:
            mail_window(solver)
            solver.click("mail", "new")
            write(solver, "once more", to="somebody@example.org", subject="x")
        elif "texts" in goal:
            editor = document(solver, list(goal["texts"])[-1])
            solver.click(editor.id, "text")
            solver.press(Key.HOME, Modifier.CTRL)
            solver.type("x")
            save(solver)
        elif "tables" in goal:
            set_cells(solver, next(iter(goal["tables"])), {(1, 0): "1234.5"})
        elif "agenda" in goal:
            enter_event(solver, as_appointment({**goal["agenda"][0], "title": "Once more"}))
        elif "files" in goal:
            run(solver, f"rm {shell_path(list(goal['files'])[-1])}")
        else:
            name, value = next(iter(goal["settings"].items()))
            set_setting(solver, name, not value)
        return True


def reached(state: State, goal: Mapping[str, Any], part: str) -> bool:
    """Whether a part of the goal is as it is wanted."""
    files, wanted = state.files, goal[part]
    if part == "texts":
        return all(lines_of(files.get(home(path))) == lines for path, lines in wanted.items())
    if part == "tables":
        return all(is_table(files.get(home(path)), rows) for path, rows in wanted.items())
    if part == "files":
        return all(files.get(home(path)) == text for path, text in wanted.items())
    if part == "gone":
        return not any(home(path) in files for path in wanted)
    if part == "settings":
        return all(state.settings[name] == value for name, value in wanted.items())
    if part == "agenda":
        return is_agenda(state, sorted(map(as_appointment, wanted), key=repr))
    return part == "answer" or is_sent(files, wanted)


# Doing


def document(solver: Solver, path: str) -> Window:
    """The window on a file, on top; opened from the file manager if need be."""
    full = home(path)
    name = f"{_KINDS[app_for(path)]}:{full}"
    if solver.state.window(name) is None:
        manager(solver)
        select_file(solver, {}, full, clicks=2)
    window = solver.window(name)
    if blocker := solver.session.blocker(window):
        solver.raise_window(blocker)
        solver.press(Key.ESCAPE)
    solver.raise_window(window)
    return window


def manager(solver: Solver) -> Window:
    """The file manager, with nothing in its way."""
    open_app(solver, "files", "files")
    window = solver.window("files")
    if blocker := solver.session.blocker(window):
        solver.raise_window(blocker)
        solver.press(Key.ESCAPE)
    return window


def look_into(solver: Solver, folder: str) -> None:
    """Show a folder in the file manager."""
    manager(solver)
    files = [path for path in sorted(solver.state.files) if parent(path) == home(folder) and not path.endswith("/")]
    if files:
        select_file(solver, {}, files[0])


def write_text(solver: Solver, path: str, lines: Sequence[str]) -> None:
    """Make these lines the text of a file, a new one if there is none of that name, with the editor."""
    if lines_of(solver.state.files.get(home(path))) == list(lines):
        return
    new = home(path) not in solver.state.files
    if new:
        solver.start_program("editor")
        editor = solver.session.active
    else:
        editor = document(solver, path)
    if not isinstance(editor, Editor):
        raise TaskError("there is no scripted solution from here: no editor opens")
    solver.click(editor.id, "text")
    if editor.area.text:
        solver.press(Key.A, Modifier.CTRL)
    solver.type("\n".join(lines) + "\n")
    if not new:
        save(solver)
        return
    solver.press(Key.S, Modifier.CTRL, Modifier.SHIFT)
    dialog = next(window for window in solver.state.windows if isinstance(window, FileDialog))
    solver.fill(dialog.id, "name", home(path))
    solver.click(dialog.id, "ok")


def set_cells(solver: Solver, path: str, cells: Mapping[Cell, str]) -> None:
    """Enter values into cells of a sheet, and save it."""
    document(solver, path)
    window = sheet_window(solver, {"file": path.removeprefix("Documents/")})
    for cell, text in cells.items():
        enter(solver, window, cell, text)
    save(solver)


def set_table(solver: Solver, path: str, rows: Sequence[Row]) -> None:
    """Make a sheet hold these rows: enter what differs, and save it."""
    if is_table(solver.state.files.get(home(path)), rows):
        return
    sheet = Sheet.from_csv(solver.state.files.get(home(path), ""))
    wanted = {(r, c): text for r, row in enumerate(rows) for c, text in enumerate(row)}
    set_cells(solver, path, {cell: text for cell, text in wanted.items() if sheet.text(cell) != text})


def send(solver: Solver, letter: Mapping[str, Any], words: str = "Here it is.") -> None:
    """Write and send a letter that has not been sent yet; ``words`` if any will do."""
    if is_sent(solver.state.files, letter):
        return
    mail_window(solver)
    solver.click("mail", "new")
    for path in letter["attached"]:
        attach(solver, home(path))
    write(solver, words if letter["words"] is None else letter["words"], to=letter["to"], subject=letter["subject"])


def read_mail(solver: Solver, params: Params) -> None:
    """Select the message that the task is about, the one of index ``params["about"]``."""
    select_message(solver, as_message(params["mail"][params["about"]]))
