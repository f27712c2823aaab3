"""The terminal: make, move, combine and remove files and folders. Any other way to the same files is as good."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim import filesystem
from gui_gym.desktops.sim.apps.terminal import Terminal, make_terminal
from gui_gym.desktops.sim.filesystem import HOME, TRASH
from gui_gym.desktops.sim.layout import place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.tasks.sim.brief import Brief, Difficulty, sample
from gui_gym.tasks.sim.families.common import clutter, listed, quoted, wording
from gui_gym.tasks.sim.families.tables import window_size
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import FOLDERS, LINES, SENTENCES, STEMS, note
from gui_gym.tasks.task import TaskError
from gui_gym.verifiers.score import EndReason, Outcome

DONE = Outcome(EndReason.DONE)
ENDINGS = ("txt", "md", "csv", "log")


def draw_folder(brief: Brief) -> dict[str, Any]:
    """The ``"folder"`` a task is about, from home, and whether the terminal is in it at the start (``"there"``), or not open yet (``"closed"``)."""
    folder = f"Documents/{brief.pick(FOLDERS)}" if brief.by_level(False, True, True) else "Documents"
    if brief.difficulty is Difficulty.HARD:
        folder += f"/{brief.pick(FOLDERS).lower()}-{brief.integer(2019, 2026)}"
    there, closed = brief.by_level(True, brief.chance(0.4), False), brief.by_level(False, False, brief.chance(0.5))
    return {"folder": folder, "there": there, "closed": closed}


def draw_names(brief: Brief, count: int, endings: Sequence[str] = ENDINGS) -> list[str]:
    """Different file names."""
    return [f"{stem}{brief.integer(1, 99)}.{brief.pick(endings)}" for stem in brief.sample(STEMS, count)]


def home(path: str) -> str:
    """The whole path of one from home."""
    return f"{HOME}/{path}"


def said_folder(params: Params) -> str:
    """The folder, as an instruction names it."""
    return f"the folder {quoted(params['folder'])}"


def open_terminal(session: Session, params: Params, rng: np.random.Generator) -> None:
    """Write the files of a task, and open a terminal unless that is part of the task."""
    files = session.state.files
    filesystem.make_folder(files, home(params["folder"]))
    files.update({home(f"{params['folder']}/{name}"): text for name, text in params.get("files", {}).items()})
    clutter(session, rng)
    if params["closed"]:
        return
    w, h = window_size(session, rng, (36, 56), (18, 30))
    window = make_terminal(session, home(params["folder"]) if params["there"] else HOME, w, h)
    place(session, window, rng)
    for line in sample(rng, ["ls", "pwd", "date", "whoami", "ls -l", "echo hello"], int(rng.integers(0, 3))):  # what was done before
        window.run(session, line)


def run(solver: Solver, line: str) -> None:
    """Type a line into the terminal, started if need be, and run it."""
    if solver.state.window("terminal") is None:
        solver.start_program("terminal")
    window = solver.window("terminal")
    if not isinstance(window, Terminal):
        raise TaskError("there is no scripted solution from here: this is no terminal")
    solver.click("terminal", "console")
    if window.console.input:
        solver.press(Key.C, Modifier.CTRL)
    solver.type(f"{line}\n")


def shell_path(path: str) -> str:
    """A path from home as it is typed into a terminal."""
    return "~/" + "".join(f"\\{c}" if c in " '\"&;()[]*?$#" else c for c in path)


class TerminalFamily(Family):
    """A family whose tasks are about the files of one folder."""

    max_steps = 20

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        open_terminal(session, params, rng)

    def changed(self, params: Params) -> list[str]:
        """Paths from home that the task makes, changes or removes, those of folders with a slash."""
        raise NotImplementedError

    def may_change(self, params: Params, start: State) -> Sequence[str]:
        return ["closed:terminal", *(f"file:{home(path)}" for path in self.changed(params))]

    def folder_of(self, params: Params, name: str) -> str:
        """The path of a file in the task's folder."""
        return f"{params['folder']}/{name}"


class RunCommand(TerminalFamily):
    """Make folders within folders."""

    id = "run-command"
    skills = ("terminal", "type", "files")

    def draw(self, brief: Brief) -> dict[str, Any]:
        goal = draw_folder(brief)
        top = [f"{name.lower()}{brief.integer(1, 999)}" for name in brief.sample(FOLDERS, brief.by_level(1, 2, 2))]
        paths = [
            f"{name}/{'/'.join(brief.sample(['draft', 'final', 'old', 'new', 'spring', 'autumn', 'north', 'south'], brief.by_level(1, 1, 2)))}"
            for name in top
        ]
        if brief.difficulty is Difficulty.HARD:
            paths.append(f"{top[0]}/{brief.pick(['sources', 'results', 'scans'])}")
        choices = [
            "In {folder}, make the folders {paths}.",
            "Create {paths} in {folder}: folders within folders, with nothing in the innermost ones.",
            "Use the terminal to make these folders in {folder}: {paths}.",
        ]
        return {"instruction": wording(brief, choices, folder=said_folder(goal), paths=listed(paths)), "paths": paths, **goal}

    def _folders(self, params: Params) -> list[str]:
        """All folders to be made, from home, outer ones first."""
        parts = [path.split("/") for path in params["paths"]]
        found = {self.folder_of(params, "/".join(each[:i])) for each in parts for i in range(1, len(each) + 1)}
        return sorted(found)

    def changed(self, params: Params) -> list[str]:
        return [f"{path}/" for path in [*self._folders(params), params["folder"]]]

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return all(filesystem.is_folder(state.files, home(path)) for path in self._folders(params))

    def solve(self, solver: Solver, params: Params) -> None:
        missing = [path for path in self._folders(params) if not filesystem.is_folder(solver.state.files, home(path))]
        if missing:
            run(solver, "mkdir -p " + " ".join(shell_path(path) for path in missing))

    def spoil(self, solver: Solver, params: Params) -> bool:
        run(solver, f"rmdir {shell_path(self._folders(params)[-1])}")
        return True


class TerminalMoveFiles(TerminalFamily):
    """Move one file, or all files with an ending, into another folder."""

    id = "terminal-move-files"
    skills = ("terminal", "files", "patterns")

    def draw(self, brief: Brief) -> dict[str, Any]:
        goal = draw_folder(brief)
        names = draw_names(brief, brief.by_level(5, 10, 16))
        target = f"{brief.pick(['archive', 'done', 'backup', 'sorted', 'later'])}{brief.integer(1, 99)}"
        if brief.difficulty is Difficulty.EASY:
            moved, ending = [brief.pick(names)], ""
            what = f"the file {quoted(moved[0])}"
        else:
            ending = brief.pick([each for each in ENDINGS if any(name.endswith(each) for name in names)])
            moved = [name for name in names if name.endswith(ending)]
            what = f"all files that end in {quoted('.' + ending)}"
        new = brief.by_level(False, False, True)
        made = "the new folder" if new else "the folder"
        choices = [
            "In {folder}, move {what} to {made} {target}.",
            "Move {what} from {folder} to {made} {target} in it.",
            "Put {what} of {folder} into {made} {target} there and leave the rest where it is.",
        ]
        text = wording(brief, choices, folder=said_folder(goal), what=what, made=made, target=quoted(target))
        files = {name: note(brief.rng, brief.integer(1, 4)) for name in names} | ({} if new else {f"{target}/readme.txt": note(brief.rng, 1)})
        return {"instruction": text, "files": files, "moved": moved, "ending": ending, "target": target, **goal}

    def _pairs(self, params: Params) -> list[tuple[str, str]]:
        """Where each file is and where it goes, from home."""
        return [(self.folder_of(params, name), self.folder_of(params, f"{params['target']}/{name}")) for name in params["moved"]]

    def changed(self, params: Params) -> list[str]:
        return [*(path for pair in self._pairs(params) for path in pair), self.folder_of(params, params["target"]) + "/", params["folder"] + "/"]

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        files = state.files
        return all(home(old) not in files and files.get(home(new)) == start.files[home(old)] for old, new in self._pairs(params))

    def solve(self, solver: Solver, params: Params) -> None:
        left = [old for old, _ in self._pairs(params) if home(old) in solver.state.files]
        folder, target = shell_path(params["folder"]), shell_path(self.folder_of(params, params["target"]))
        if left:
            what = f"{folder}/*.{params['ending']}" if params["ending"] else shell_path(left[0])
            run(solver, f"mkdir -p {target}; mv {what} {target}")

    def spoil(self, solver: Solver, params: Params) -> bool:
        old, new = self._pairs(params)[-1]
        run(solver, f"mv {shell_path(new)} {shell_path(old)}")
        return True


class NewFileFamily(TerminalFamily):
    """A task to make the file ``params[made]``."""

    made: ClassVar[str]

    @staticmethod
    def wanted(params: Params) -> str:
        """What it shall hold; line ends at its end do not matter."""
        raise NotImplementedError

    def made_path(self, params: Params) -> str:
        """Its path from home."""
        return self.folder_of(params, params[self.made])

    def changed(self, params: Params) -> list[str]:
        return [self.made_path(params), params["folder"] + "/"]

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        text = state.files.get(home(self.made_path(params)))
        return text is not None and text.rstrip("\n") == self.wanted(params).rstrip("\n")


class MakeFileWithText(NewFileFamily):
    """Make a file that holds the lines that are given."""

    id = "make-file-with-text"
    skills = ("terminal", "type", "quoting")
    made = "name"

    def draw(self, brief: Brief) -> dict[str, Any]:
        goal = draw_folder(brief)
        name, *others = draw_names(brief, 4, ("txt", "md"))
        lines = brief.sample([*LINES, *SENTENCES], brief.by_level(1, brief.integer(1, 2), 3))
        what = "the line " + quoted(lines[0]) if len(lines) == 1 else f"the lines {listed(lines)}, in this order"
        choices = [
            "Make a file {name} in {folder} with {what}.",
            "In {folder}, create the file {name}. It shall hold {what}, and nothing else.",
            "Write {what} into a new file {name} in {folder}.",
        ]
        text = wording(brief, choices, name=quoted(name), folder=said_folder(goal), what=what)
        return {"instruction": text, "name": name, "lines": lines, "files": {other: note(brief.rng, 2) for other in others}, **goal}

    @staticmethod
    def wanted(params: Params) -> str:
        return "\n".join(params["lines"])

    def solve(self, solver: Solver, params: Params) -> None:
        if not self.check(solver.state, solver.state, params, DONE):
            path = shell_path(self.made_path(params))
            for i, line in enumerate(params["lines"]):
                plain = line.replace("'", "'\\''")
                run(solver, f"echo '{plain}' {'>>' if i else '>'} {path}")

    def spoil(self, solver: Solver, params: Params) -> bool:
        run(solver, f"echo more >> {shell_path(self.made_path(params))}")
        return True


class CleanUp(TerminalFamily):
    """Delete all files with an ending, and nothing else."""

    id = "clean-up"
    skills = ("terminal", "files", "patterns", "care")

    def draw(self, brief: Brief) -> dict[str, Any]:
        goal = draw_folder(brief)
        ending = brief.pick(["tmp", "bak", "old", "swp"])
        count = brief.by_level(2, 4, 6)
        stems = brief.sample(STEMS, count + 6)
        gone = [f"{stem}{brief.integer(1, 99)}.{ending}" for stem in stems[:count]]
        kept = [f"{stem}{brief.integer(1, 99)}.{brief.pick(ENDINGS)}" for stem in stems[count : count + brief.by_level(2, 4, 4)]]
        kept += [f"{stems[-1]}.{ending}.txt", f"{ending}-{stems[-2]}.md"]
        if brief.difficulty is Difficulty.HARD:
            deep = brief.pick(FOLDERS).lower()
            gone = [name if i % 2 else f"{deep}/{name}" for i, name in enumerate(gone)]
            kept.append(f"{deep}/{stems[-2]}.txt")
        where = f"in {said_folder(goal)}" + (" and in the folders in it" if brief.difficulty is Difficulty.HARD else "")
        choices = [
            "Delete all files {where} whose names end in {ending}, and nothing else.",
            "Clean up: remove every file that ends in {ending} {where}. Keep all others.",
            "Get rid of the files ending in {ending} {where}; leave everything else alone.",
        ]
        files = {name: note(brief.rng, brief.integer(1, 3)) for name in brief.sample([*gone, *kept], len(gone) + len(kept))}
        return {"instruction": wording(brief, choices, where=where, ending=quoted("." + ending)), "files": files, "gone": gone, **goal}

    def changed(self, params: Params) -> list[str]:
        return [self.folder_of(params, name) for name in params["gone"]] + [params["folder"] + "/"]

    def may_change(self, params: Params, start: State) -> Sequence[str]:
        return [*super().may_change(params, start), f"file:{TRASH}/*"]

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return not any(home(self.folder_of(params, name)) in state.files for name in params["gone"])

    def solve(self, solver: Solver, params: Params) -> None:
        left = [name for name in params["gone"] if home(self.folder_of(params, name)) in solver.state.files]
        folder, ending = shell_path(params["folder"]), params["gone"][0].rpartition(".")[2]
        patterns = {f"{folder}/*/*.{ending}" if "/" in name else f"{folder}/*.{ending}" for name in left}
        if left:
            run(solver, "rm " + " ".join(sorted(patterns)))

    def spoil(self, solver: Solver, params: Params) -> bool:
        run(solver, f"touch {shell_path(self.folder_of(params, params['gone'][0]))}")
        return True


class CombineFiles(NewFileFamily):
    """Put files one after the other into a new one."""

    id = "combine-files"
    skills = ("terminal", "files", "pipes")
    made = "new"

    def draw(self, brief: Brief) -> dict[str, Any]:
        goal = draw_folder(brief)
        new, *names = draw_names(brief, brief.by_level(4, 7, 10), ("txt", "md"))
        parts = brief.sample(names, brief.by_level(2, 3, 4))
        choices = [
            "In {folder}, write what is in {parts}, in this order, into the new file {new}.",
            "Put {parts} of {folder} one after the other into a new file {new} there.",
            "Make a file {new} in {folder} that holds the text of {parts}, in this order. Keep the others as they are.",
        ]
        text = wording(brief, choices, folder=said_folder(goal), parts=listed(parts), new=quoted(new))
        files = {name: note(brief.rng, brief.integer(1, 6)) for name in names}
        return {"instruction": text, "files": files, "parts": parts, "new": new, **goal}

    @staticmethod
    def wanted(params: Params) -> str:
        return "".join(params["files"][name] for name in params["parts"])

    def solve(self, solver: Solver, params: Params) -> None:
        if not self.check(solver.state, solver.state, params, DONE):
            parts = " ".join(shell_path(self.folder_of(params, name)) for name in params["parts"])
            run(solver, f"cat {parts} > {shell_path(self.made_path(params))}")

    def spoil(self, solver: Solver, params: Params) -> bool:
        run(solver, f"echo >> {shell_path(self.made_path(params))}; echo x >> {shell_path(self.made_path(params))}")
        return True
