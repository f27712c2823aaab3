"""Files: rename or delete one in the file manager, edit one and save it, and say how large one is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gui_gym.actions import Button, Key, Modifier
from gui_gym.desktops.sim.apps.editor import make_editor
from gui_gym.desktops.sim.apps.files import make_files
from gui_gym.desktops.sim.filesystem import TRASH, size_of
from gui_gym.desktops.sim.layout import place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.tasks.sim.brief import Brief, Difficulty
from gui_gym.tasks.sim.families.common import closed, quoted, said_number, wording
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import FOLDERS, LINES, SENTENCES, STEMS, filename, note
from gui_gym.verifiers.score import Outcome

DOCUMENTS = "/home/user/Documents"


def draw_files(brief: Brief) -> dict[str, Any]:
    """What is in the documents: texts by path within them, and the ``"target"``, one that is not there if not feasible.

    A hard target is in a folder, and a file of the same name beside that folder; names are alike.
    """
    hard = brief.difficulty is Difficulty.HARD
    count = brief.by_level(brief.integer(3, 4), brief.integer(6, 13), brief.integer(7, 10)) + 1
    names = [filename(stem, brief.rng) for stem in brief.sample(STEMS, count)]
    if hard:
        names = [filename(stem, brief.rng) for stem in brief.sample(STEMS, 3) for _ in range(5)]
        names = brief.sample(sorted(set(names)), count)
    *names, missing = names
    target = brief.pick(names) if brief.feasible else missing
    texts = {name: note(brief.rng, brief.integer(2, 7)) for name in names}
    if not hard:
        return {"files": texts, "target": target, "folder": ""}
    folder, *more = brief.sample(FOLDERS, 3)
    files = {f"{folder}/{name}": text for name, text in texts.items()}
    files |= {f"{other}/{filename(brief.pick(STEMS), brief.rng)}": note(brief.rng, 3) for other in more}
    files |= {name: note(brief.rng, brief.integer(8, 11)) for name in brief.sample(names, 3) + ([target] if brief.feasible else [])}
    return {"files": files, "target": f"{folder}/{target}", "folder": folder}


def in_folder(params: Params) -> str:
    """Where the file is, as an instruction says it after the name."""
    return f" in the folder {quoted(params['folder'])}" if params["folder"] else ""


def named(params: Params) -> str:
    """The file, as an instruction calls it."""
    return quoted(params["target"].rpartition("/")[2]) + in_folder(params)


def write_files(session: Session, params: Params) -> None:
    """Write the files."""
    session.state.files.update({f"{DOCUMENTS}/{name}": text for name, text in params["files"].items()})


def open_files(session: Session, params: Params, rng: np.random.Generator) -> None:
    """Write the files and show the documents in the file manager."""
    write_files(session, params)
    size = session.look.size
    _, _, width, height = session.work_area
    w = min(int(rng.integers(34, 44)) * size.font, width - 2 * size.shadow)
    h = min(int(rng.integers(20, 27)) * size.font, height - 2 * size.shadow)
    place(session, make_files(session, DOCUMENTS, w, h), rng)


def path_of(params: Params) -> str:
    """The target's path."""
    return f"{DOCUMENTS}/{params['target']}"


def select_file(solver: Solver, params: Params, path: str, clicks: int = 1, button: Button = Button.LEFT) -> None:
    """Click a file in the file manager, once its folder is shown."""
    folder, _, name = path.rpartition("/")
    window = solver.window("files")
    while (shown := str(getattr(window, "folder", ""))) != folder:
        if folder.startswith(f"{shown}/"):
            solver.select_row("files", "files", folder[len(shown) + 1 :].partition("/")[0] + "/", clicks=2)
        else:
            solver.click("files", "up")
    solver.select_row("files", "files", name, clicks, button)


class RenameFile(Family):
    """Give one file another name."""

    id = "rename-file"
    skills = ("click", "type", "files")
    max_steps = 24
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        goal = draw_files(brief)
        old = goal["target"].rpartition("/")[2]
        new = f"{brief.pick(['old', 'new', 'final', 'été', 'copy of'])} {old}"
        choices = ["Rename the file {file} to {new}.", "The file {file} should be called {new}: rename it.", "Change the name of {file} to {new}."]
        return {"instruction": wording(brief, choices, file=named(goal), new=quoted(new)), "new": new, **goal}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        open_files(session, params, rng)

    @staticmethod
    def _paths(params: Params) -> tuple[str, str]:
        old = path_of(params)
        return old, f"{old.rpartition('/')[0]}/{params['new']}"

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        old, new = self._paths(params)
        return state.files.get(new) == start.files[old] and old not in state.files

    def may_change(self, params: Params, start: State) -> Sequence[str]:
        return [f"file:{path}" for path in self._paths(params)]

    def _rename(self, solver: Solver, params: Params, path: str, name: str) -> None:
        select_file(solver, params, path, button=Button.RIGHT)
        solver.choose("Rename")
        solver.press(Key.A, Modifier.CTRL)
        solver.type(name)
        solver.press(Key.ENTER)

    def solve(self, solver: Solver, params: Params) -> None:
        old, new = self._paths(params)
        if new in solver.state.files:
            return
        if solver.state.window("prompt:files"):
            solver.click("prompt:files", "cancel")
        self._rename(solver, params, old, params["new"])

    def spoil(self, solver: Solver, params: Params) -> bool:
        old, new = self._paths(params)
        self._rename(solver, params, new, old.rpartition("/")[2])
        return True


class DeleteFile(Family):
    """Delete one file and no other."""

    id = "delete-file"
    skills = ("click", "files", "read")
    max_steps = 24
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        goal = draw_files(brief)
        choices = ["Delete the file {file}.", "Remove {file} and keep all other files.", "Get rid of the file {file}."]
        return {"instruction": wording(brief, choices, file=named(goal)), **goal}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        open_files(session, params, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return path_of(params) not in state.files

    def may_change(self, params: Params, start: State) -> Sequence[str]:
        return [f"file:{path_of(params)}", f"file:{TRASH}/*"]

    @staticmethod
    def _delete(solver: Solver, params: Params, path: str) -> None:
        select_file(solver, params, path, button=Button.RIGHT)
        solver.choose("Delete")

    def solve(self, solver: Solver, params: Params) -> None:
        if path_of(params) in solver.state.files:
            self._delete(solver, params, path_of(params))

    def spoil(self, solver: Solver, params: Params) -> bool:
        folder = path_of(params).rpartition("/")[0]
        others = [path for path in sorted(solver.state.files) if path.rpartition("/")[0] == folder and not path.endswith("/")]
        self._delete(solver, params, others[0])
        return True


class EditAndSave(Family):
    """Append a line to a text file, or replace one of its lines, and save it."""

    id = "edit-and-save"
    skills = ("type", "keyboard", "files", "edit")
    max_steps = 40

    def draw(self, brief: Brief) -> dict[str, Any]:
        goal = draw_files(brief)
        lines = goal["files"][goal["target"]].splitlines()
        new = brief.pick([s for s in (*LINES, *SENTENCES) if s not in lines])
        old = None
        if brief.chance(0.5):
            choices = [
                "Add the line {new} at the end of {file} and save it.",
                "Append the line {new} to the file {file}, then save.",
                "{file} needs one more line at its end: {new}. Save it afterwards.",
            ]
        else:
            old = brief.pick(lines)
            choices = [
                "In {file}, replace the line {old} by {new} and save the file.",
                "Change {old} to {new} in {file}, then save it.",
                "{old} is out of date: {file} should say {new} there. Save the file.",
            ]
        instruction = wording(brief, choices, new=quoted(new), old=quoted(old or ""), file=named(goal))
        is_open = brief.chance(brief.by_level(1.0, 0.6, 0.0))
        return {"instruction": instruction, "new": new, "old": old, "open": is_open, **goal}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        if not params["open"]:
            open_files(session, params, rng)
            return
        write_files(session, params)
        size = session.look.size
        _, _, width, height = session.work_area
        w = min(int(rng.integers(34, 46)) * size.font, width - 2 * size.shadow)
        h = min(int(rng.integers(20, 28)) * size.font, height - 2 * size.shadow)
        place(session, make_editor(session, path_of(params), w, h), rng)

    @staticmethod
    def _expected(params: Params) -> str:
        text = params["files"][params["target"]]
        if params["old"] is None:
            return text + params["new"] + "\n"
        return "".join(f"{params['new'] if line == params['old'] else line}\n" for line in text.splitlines())

    @staticmethod
    def _same(text: str | None, expected: str) -> bool:
        """Whether a text is the expected one, empty lines at its end apart: nobody sees those."""
        return text is not None and text.rstrip("\n") == expected.rstrip("\n")

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return self._same(state.files.get(path_of(params)), self._expected(params))

    def may_change(self, params: Params, start: State) -> Sequence[str]:
        return [f"file:{path_of(params)}"]

    def solve(self, solver: Solver, params: Params) -> None:
        path = path_of(params)
        editor, expected, text = f"editor:{path}", self._expected(params), params["files"][params["target"]]
        if self._same(solver.state.files.get(path), expected):
            return
        if solver.state.window(editor) is None:
            select_file(solver, params, path, clicks=2)
        if solver.widget(editor, "text").value != text:
            solver.fill(editor, "text", expected)
        elif params["old"] is None:
            solver.click(editor, "text")
            solver.press(Key.END, Modifier.CTRL)
            solver.type(params["new"])
        else:
            solver.click_line(editor, "text", text.splitlines().index(params["old"]))
            solver.type(params["new"])
        solver.press(Key.S, Modifier.CTRL)

    def spoil(self, solver: Solver, params: Params) -> bool:
        editor = f"editor:{path_of(params)}"
        solver.click(editor, "text")
        solver.press(Key.HOME, Modifier.CTRL)
        solver.type("x")
        solver.press(Key.S, Modifier.CTRL)
        return True


class ReadSize(Family):
    """Say how large a file is, and leave the file manager open."""

    id = "read-size"
    skills = ("read", "files", "answer")
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        goal = draw_files(brief)
        choices = ["How many bytes has the file {file}?", "What is the size of {file} in bytes?", "Find out how many bytes the file {file} has."]
        return {"instruction": f"{wording(brief, choices, file=named(goal))} Answer with the number alone, and keep the folder open.", **goal}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        open_files(session, params, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return said_number(outcome.answer, str(size_of(params["files"][params["target"]]))) and not closed(state, start)

    def solve(self, solver: Solver, params: Params) -> None:
        select_file(solver, params, path_of(params))
        solver.answer(str(size_of(params["files"][params["target"]])))

    def spoil(self, solver: Solver, params: Params) -> bool:
        solver.close("files")
        return True
