"""Files: rename or delete one in the file manager, edit one and save it, and say how large one is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim.apps.editor import make_editor
from gui_gym.desktops.sim.apps.files import make_files
from gui_gym.desktops.sim.filesystem import size_of
from gui_gym.desktops.sim.layout import place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import quoted, said_number
from gui_gym.tasks.sim.family import Family, Params, pick, sample
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import LINES, SENTENCES, STEMS, filename, note
from gui_gym.verifiers.score import Outcome

FOLDER = "/home/user/Documents"


def _draw_files(rng: np.random.Generator, feasible: bool) -> tuple[dict[str, str], str]:
    """Files with texts by name, and the name of the one the task is about: one that is not there if not feasible."""
    *names, missing = [filename(stem, rng) for stem in sample(rng, STEMS, int(rng.integers(6, 14)))]
    target = pick(rng, names) if feasible else missing
    return {name: note(rng, int(rng.integers(2, 8))) for name in names}, target


def _open_files(session: Session, params: Params, rng: np.random.Generator) -> None:
    """Write the files and show them in the file manager."""
    session.state.files.update({f"{FOLDER}/{name}": text for name, text in params["files"].items()})
    size = session.look.size
    _, _, width, height = session.work_area
    w = min(int(rng.integers(32, 42)) * size.font, width - 2 * size.shadow)
    h = min(int(rng.integers(19, 26)) * size.font, height - 2 * size.shadow)
    place(session, make_files(session, FOLDER, w, h), rng)


class RenameFile(Family):
    """Give one file another name."""

    id = "rename-file"
    skills = ("click", "type", "files")
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        rng, feasible = brief.rng, brief.feasible
        files, target = _draw_files(rng, feasible)
        new = f"{pick(rng, ['old', 'new', 'final', 'été', 'copy of'])} {target}"
        wording = pick(rng, ["Rename the file {} to {}.", "The file {} should be called {}: rename it.", "Change the name of {} to {}."])
        return {"instruction": wording.format(quoted(target), quoted(new)), "files": files, "target": target, "new": new}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        _open_files(session, params, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        old, new = self.may_change(params, start)
        return state.files.get(new.removeprefix("file:")) == start.files[old.removeprefix("file:")] and old.removeprefix("file:") not in state.files

    def may_change(self, params: Params, start: State) -> Sequence[str]:
        return [f"file:{FOLDER}/{params[name]}" for name in ("target", "new")]

    def solve(self, solver: Solver, params: Params) -> None:
        if f"{FOLDER}/{params['new']}" in solver.state.files:
            return
        if solver.state.window("prompt:files"):
            solver.click("prompt:files", "cancel")
        solver.select_row("files", "files", params["target"])
        solver.click("files", "rename")
        solver.press(Key.A, Modifier.CTRL)
        solver.type(params["new"])
        solver.press(Key.ENTER)


class DeleteFile(Family):
    """Delete one file and no other."""

    id = "delete-file"
    skills = ("click", "files", "read")
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        rng, feasible = brief.rng, brief.feasible
        files, target = _draw_files(rng, feasible)
        wording = pick(rng, ["Delete the file {}.", "Remove {} from the folder and keep the rest.", "Get rid of the file {}."])
        return {"instruction": wording.format(quoted(target)), "files": files, "target": target}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        _open_files(session, params, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return f"{FOLDER}/{params['target']}" not in state.files

    def may_change(self, params: Params, start: State) -> Sequence[str]:
        return [f"file:{FOLDER}/{params['target']}"]

    def solve(self, solver: Solver, params: Params) -> None:
        if f"{FOLDER}/{params['target']}" in solver.state.files:
            solver.select_row("files", "files", params["target"])
            solver.click("files", "delete")


class EditAndSave(Family):
    """Append a line to a text file, or replace one of its lines, and save it."""

    id = "edit-and-save"
    skills = ("type", "keyboard", "files", "edit")
    max_steps = 30

    def draw(self, brief: Brief) -> dict[str, Any]:
        rng = brief.rng
        files, target = _draw_files(rng, True)
        lines = files[target].splitlines()
        new = pick(rng, [s for s in (*LINES, *SENTENCES) if s not in lines])
        if rng.random() < 0.5:
            old = None
            wording = pick(rng, ["Add the line {new} at the end of {file} and save it.", "Append the line {new} to the file {file}, then save."])
        else:
            old = pick(rng, lines)
            wording = pick(rng, ["In {file}, replace the line {old} by {new} and save the file.", "Change {old} to {new} in {file}, then save it."])
        instruction = wording.format(new=quoted(new), old=quoted(old or ""), file=quoted(target))
        return {"instruction": instruction, "files": files, "target": target, "new": new, "old": old, "open": bool(rng.random() < 0.6)}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        if not params["open"]:
            _open_files(session, params, rng)
            return
        session.state.files.update({f"{FOLDER}/{name}": text for name, text in params["files"].items()})
        size = session.look.size
        _, _, width, height = session.work_area
        w = min(int(rng.integers(34, 46)) * size.font, width - 2 * size.shadow)
        h = min(int(rng.integers(20, 28)) * size.font, height - 2 * size.shadow)
        place(session, make_editor(session, f"{FOLDER}/{params['target']}", w, h), rng)

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
        return self._same(state.files.get(f"{FOLDER}/{params['target']}"), self._expected(params))

    def may_change(self, params: Params, start: State) -> Sequence[str]:
        return [f"file:{FOLDER}/{params['target']}"]

    def solve(self, solver: Solver, params: Params) -> None:
        path = f"{FOLDER}/{params['target']}"
        editor, expected, text = f"editor:{path}", self._expected(params), params["files"][params["target"]]
        if self._same(solver.state.files.get(path), expected):
            return
        if solver.state.window(editor) is None:
            solver.select_row("files", "files", params["target"], clicks=2)
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


class ReadSize(Family):
    """Say how large a file is."""

    id = "read-size"
    skills = ("read", "files", "answer")
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        rng, feasible = brief.rng, brief.feasible
        files, target = _draw_files(rng, feasible)
        wording = pick(rng, ["How many bytes has the file {}?", "What is the size of {} in bytes?", "Find out how many bytes the file {} has."])
        return {"instruction": f"{wording.format(quoted(target))} Answer with the number alone.", "files": files, "target": target}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        _open_files(session, params, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return said_number(outcome.answer, str(size_of(params["files"][params["target"]])))

    def solve(self, solver: Solver, params: Params) -> None:
        solver.select_row("files", "files", params["target"])
        solver.answer(str(size_of(params["files"][params["target"]])))
