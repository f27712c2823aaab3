"""The terminal: questions about what is in files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gui_gym.desktops.sim.state import State
from gui_gym.tasks.sim.brief import Brief, Difficulty
from gui_gym.tasks.sim.families.common import quoted, said_number, wording
from gui_gym.tasks.sim.families.terminal import TerminalFamily, draw_folder, draw_names, run, said_folder, shell_path
from gui_gym.tasks.sim.family import Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import LINES, SENTENCES
from gui_gym.verifiers.score import Outcome

LEVELS = ("INFO", "WARNING", "ERROR", "DEBUG")


def draw_log(brief: Brief, lines: int) -> str:
    """Lines as programs log them."""
    return "".join(f"{i:03d} {brief.pick(LEVELS)} {brief.pick(LINES).lower()}\n" for i in range(1, lines + 1))


class QuestionFamily(TerminalFamily):
    """A family whose tasks ask something and change no file."""

    def changed(self, params: Params) -> list[str]:
        return []


class CountLines(QuestionFamily):
    """Say how many lines a file has, or how many of them hold a word."""

    id = "count-lines"
    skills = ("terminal", "pipes", "answer")
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        goal = draw_folder(brief)
        *names, missing = draw_names(brief, brief.by_level(3, 5, 8) + 1, ("log", "txt"))
        low, high = brief.by_level((12, 60), (40, 160), (60, 220))
        files = {name: draw_log(brief, brief.integer(low, high)) for name in names}
        name, level = brief.pick(names), brief.pick(LEVELS)
        word = brief.by_level("", brief.pick(["", level]), level)
        called = quoted(name if brief.feasible else missing)
        what = (
            f"lines of the file {called} in {said_folder(goal)} hold the word {quoted(word)}"
            if word
            else f"lines has the file {called} in {said_folder(goal)}"
        )
        choices = [
            "How many {what}? Answer with the number.",
            "Find out how many {what}, and answer with the number alone.",
            "Say how many {what}. Answer with a number.",
        ]
        if not word:
            choices[1:] = ["Count: how many {what}? The answer is a number.", "Use the terminal: how many {what}? Answer with the number alone."]
        lines = [line for line in files[name].splitlines() if word in line.split()] if word else files[name].splitlines()
        return {"instruction": wording(brief, choices, what=what), "files": files, "name": name, "word": word, "answer": str(len(lines)), **goal}

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return said_number(outcome.answer, params["answer"])

    def solve(self, solver: Solver, params: Params) -> None:
        path = shell_path(self.folder_of(params, params["name"]))
        run(solver, f"grep -c {params['word']} {path}" if params["word"] else f"wc -l {path}")
        solver.answer(params["answer"])


class FindInFiles(QuestionFamily):
    """Say which file holds a word."""

    id = "find-in-files"
    skills = ("terminal", "search", "answer")
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        goal = draw_folder(brief)
        names = draw_names(brief, brief.by_level(5, 9, 14), ("txt", "md", "log"))
        if brief.difficulty is Difficulty.HARD:
            names = [name if i % 3 else f"{brief.pick(['mail', 'notes', 'lists'])}/{name}" for i, name in enumerate(names)]
        codes = [f"{brief.pick('ABCDEFGHKLMNPRSTVWXZ')}{brief.integer(1000, 9999)}" for _ in range(len(names) + 1)]
        while len(set(codes)) < len(codes):
            codes = [f"{brief.pick('ABCDEFGHKLMNPRSTVWXZ')}{brief.integer(1000, 9999)}" for _ in codes]
        *present, missing = codes
        files = {}
        for name, code in zip(names, present, strict=True):
            lines = brief.sample([*LINES, *SENTENCES], brief.integer(2, brief.by_level(5, 14, 20)))
            at = brief.integer(0, len(lines) - 1)
            lines[at] += f" {code}"
            files[name] = "\n".join(lines) + "\n"
        chosen = brief.integer(0, len(names) - 1)
        word = present[chosen] if brief.feasible else missing
        deep = " or the folders in it" if brief.difficulty is Difficulty.HARD else ""
        choices = [
            "Which file in {folder}{deep} holds the word {word}? Answer with its name.",
            "Find the file that mentions {word} in {folder}{deep}, and answer with the file's name.",
            "The word {word} is in one of the files of {folder}{deep}. Answer with the name of that file.",
        ]
        text = wording(brief, choices, folder=said_folder(goal), deep=deep, word=quoted(word))
        return {"instruction": text, "files": files, "word": word, "answer": names[chosen], **goal}

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        said = (outcome.answer or "").strip().strip("\"'“”").removesuffix(".").strip()
        return said.rpartition("/")[2] == params["answer"].rpartition("/")[2] and self._fits(said, params)

    def _fits(self, said: str, params: Params) -> bool:
        """Whether a path that was said leads to the file, or might from somewhere."""
        whole = f"/home/user/{self.folder_of(params, params['answer'])}"
        parts: Sequence[str] = [part for part in said.replace("~", "/home/user", 1).split("/") if part not in ("", ".")]
        return whole.split("/")[-len(parts) :] == parts

    def solve(self, solver: Solver, params: Params) -> None:
        run(solver, f"grep -rl {params['word']} {shell_path(params['folder'])}")
        solver.answer(params["answer"].rpartition("/")[2])
