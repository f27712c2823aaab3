"""The suite ``sim``: tasks drawn from families, with ids such as ``click-button#17``, ``click-button#17/hard`` and ``click-button#17/infeasible``."""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from gui_gym.actions import Action, ActionType
from gui_gym.desktops.base import Desktop
from gui_gym.desktops.sim.desktop import SimDesktop
from gui_gym.desktops.sim.look import TEXT_SIZES, THEMES
from gui_gym.desktops.sim.session import Session
from gui_gym.registry import unknown
from gui_gym.tasks.sim.areas import area_of
from gui_gym.tasks.sim.brief import Brief, Difficulty, pick
from gui_gym.tasks.sim.changes import DAMAGING, LOOKED_AT, changes, outside
from gui_gym.tasks.sim.families import FAMILIES
from gui_gym.tasks.sim.family import Family
from gui_gym.tasks.sim.progress import progress
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.task import SPLITS, Suite, Task, TaskError, split_range
from gui_gym.verifiers.score import EndReason, Outcome, Score

_SEEDS = (min(low for low, _ in SPLITS.values()), max(high for _, high in SPLITS.values()))
_INFEASIBLE = "infeasible"
MIXED = "mixed"  #: as a difficulty: any of them
#: How often an instance's labels are in each language.
_LANGUAGES = {"en": 0.5, "de": 0.1, "fr": 0.1, "es": 0.1, "ja": 0.1, "zh": 0.1}


def family_of(task: Task) -> Family:
    """The family of a task of this suite."""
    return FAMILIES.get(task.params["family"])()


def _generator(family: str, seed: int, stream: int) -> np.random.Generator:
    """Random numbers of an instance: stream 0 draws what is asked for, 1 lays it out, 2 chooses the language, 3 the text size."""
    return np.random.default_rng([zlib.crc32(family.encode()), seed, stream])


def set_up_family(session: Session, parameters: Mapping[str, Any]) -> None:
    """Setup step ``family``: lay out the instance ``{"family", "seed", "language", "goal"}`` on a fresh session."""
    missing = {"family", "seed", "language", "goal"} - set(parameters)
    if missing:
        raise TaskError(f"setup step 'family': the parameters {', '.join(sorted(missing))} are missing")
    family = FAMILIES.get(parameters["family"])()
    width, height = session.state.width, session.state.height
    least = family.min_size
    if width < least[0] or height < least[1]:
        raise TaskError(f"the task family {family.id!r} needs a screen of at least {least[0]}x{least[1]} pixels, got {width}x{height}")
    rng, settings = _generator(family.id, parameters["seed"], 1), session.state.settings
    settings["theme"] = pick(rng, sorted(THEMES))
    settings["text_size"] = pick(_generator(family.id, parameters["seed"], 3), TEXT_SIZES)
    settings["language"] = parameters["language"]
    family.build(session, parameters["goal"], rng)


def side_effects(task: Task, desktop: SimDesktop) -> tuple[str, ...]:
    """What changed since the start that the task did not ask for (:func:`~gui_gym.tasks.sim.changes.changes`)."""
    found = changes(desktop.start, desktop.state)
    return outside(found, family_of(task).may_change(task.params["goal"], desktop.start) if task.feasible else ())


def _task(family_id: str, seed: int, difficulty: Difficulty = Difficulty.MEDIUM, feasible: bool = True) -> Task:
    family = FAMILIES.get(family_id)()
    chance = _generator(family_id, seed, 2)
    language = str(chance.choice(list(_LANGUAGES), p=list(_LANGUAGES.values()))) if family.localised else "en"
    goal = family.draw(Brief(_generator(family_id, seed, 0), difficulty, feasible, language))
    parameters = {"family": family_id, "seed": seed, "difficulty": str(difficulty), "language": language, "goal": goal}
    marks = ([] if difficulty is Difficulty.MEDIUM else [str(difficulty)]) + ([] if feasible else [_INFEASIBLE])
    return Task(
        id="/".join([f"{family_id}#{seed}", *marks]),
        suite=SimSuite.name,
        instruction=goal["instruction"],
        setup=({"type": "family", "parameters": parameters},),
        verifier={"type": "sim"},
        feasible=feasible,
        max_steps=family.max_steps,
        params=parameters,
    )


class SimSuite(Suite):
    """Tasks of the simulated desktop. Their verifier reads its state and changes nothing."""

    name = "sim"
    desktop = "sim"
    pure_verifier = True
    damages = ("spoil", "file", "setting")

    def __init__(self, tasks: str | None = None):
        if tasks is not None:
            raise TaskError(f"tasks is {tasks!r}: the suite {self.name!r} generates its tasks and reads no folder of them")

    def ids(self) -> list[str]:
        return FAMILIES.names()

    def get(self, task_id: str) -> Task:
        name, sharp, instance = task_id.partition("#")
        if name not in FAMILIES:
            raise unknown("task of suite 'sim'", name, self.ids())
        digits, *marks = instance.split("/") if sharp else [str(SPLITS["train"][0])]
        feasible = marks[-1:] != [_INFEASIBLE]
        if not feasible:
            marks.pop()
        plain = digits.isascii() and digits.isdigit() and _SEEDS[0] <= int(digits) < _SEEDS[1]
        if not plain or len(marks) > 1 or any(mark not in set(Difficulty) for mark in marks):
            levels = "|".join(Difficulty)
            raise TaskError(f"task id {task_id!r}: expected {name}#SEED[/{levels}][/{_INFEASIBLE}] with {_SEEDS[0]} <= SEED < {_SEEDS[1]}")
        if not feasible:
            self._check_infeasible(name)
        return _task(name, int(digits), Difficulty(marks[0]) if marks else Difficulty.MEDIUM, feasible)

    def draw(
        self,
        rng: np.random.Generator,
        task_id: str | None = None,
        split: str = "train",
        infeasible_rate: float = 0.0,
        difficulty: str | None = None,
    ) -> Task:
        """As :meth:`Suite.draw`, of the families that fit the screen; TaskError if infeasible instances are asked of a family that has none.

        ``difficulty``: "easy", "medium" (also None), "hard", or "mixed", which draws one of them.
        """
        low, high = split_range(split)
        levels = [*Difficulty] if difficulty == MIXED else [level for level in Difficulty if level == (difficulty or Difficulty.MEDIUM)]
        if not levels:
            raise TaskError(f"difficulty is {difficulty!r}: expected one of {', '.join([*Difficulty, MIXED])}")
        if task_id is not None and "#" in task_id:
            return self.get(task_id)
        if task_id is not None:
            self.get(task_id)
            if infeasible_rate > 0:
                self._check_infeasible(task_id)
        feasible = bool(rng.random() >= infeasible_rate)
        among = self.ids() if task_id is None else [task_id]
        among = [name for name in among if feasible or FAMILIES.get(name).has_infeasible]
        if task_id is None and self.screen is not None:
            (width, height), least = self.screen, {name: FAMILIES.get(name).min_size for name in among}
            among = [name for name in among if width >= least[name][0] and height >= least[name][1]]
            if not among:
                smallest = min(least.values())
                raise TaskError(f"no task fits a screen of {width}x{height} pixels: the smallest needs {smallest[0]}x{smallest[1]}")
        drawn, seed = pick(rng, among), int(rng.integers(low, high))
        return _task(drawn, seed, pick(rng, levels), feasible)

    @staticmethod
    def _check_infeasible(name: str) -> None:
        if not FAMILIES.get(name).has_infeasible:
            those = ", ".join(other for other in FAMILIES.names() if FAMILIES.get(other).has_infeasible)
            raise TaskError(f"the task family {name!r} has no infeasible instances; those that have: {those}")

    def describe(self, task_id: str) -> dict[str, Any]:
        """The family's ``area`` and ``skills``, its ``difficulties``, whether it ``has_infeasible`` instances, and its ``doc``."""
        family = FAMILIES.get(task_id.partition("#")[0])
        return {
            "area": area_of(family),
            "skills": list(family.skills),
            "difficulties": [str(level) for level in Difficulty],
            "has_infeasible": family.has_infeasible,
            "doc": inspect.getdoc(family),
        }

    def progress(self, task: Task, desktop: Desktop, score: Score) -> float:
        """Of an unsolved task, the share of what its scripted solution changes that is as it should be (:mod:`gui_gym.tasks.sim.progress`)."""
        if score.value == 1.0 or not task.feasible or not isinstance(desktop, SimDesktop):
            return super().progress(task, desktop, score)
        return progress(family_of(task), task.params["goal"], desktop.copy_start(), desktop.state)

    def solution(self, task: Task, desktop: Desktop) -> list[Action]:
        """Actions from the present state; on an infeasible task FAIL alone. TaskError if the task is past solving."""
        if not isinstance(desktop, SimDesktop):
            raise TaskError(f"task {task.id!r} is made for the sim desktop, not for {desktop.kind!r}")
        if not task.feasible:
            return [Action.fail()]
        solver, family, goal = Solver(desktop.copy_state()), family_of(task), task.params["goal"]
        family.solve(solver, goal)
        outcome = Outcome(EndReason.DONE, solver.closing.text if solver.closing.type is ActionType.ANSWER else None)
        mended = family.check(solver.state, desktop.start, goal, outcome)
        besides = outside(changes(desktop.start, solver.state), family.may_change(goal, desktop.start))
        if not mended or any(change.startswith(DAMAGING) for change in besides):
            raise TaskError(f"task {task.id!r}: there is no scripted solution from here: what was done before cannot be mended")
        return [*solver.actions, solver.closing]

    def damage(self, kind: str, task: Task, desktop: Desktop) -> bool:
        """ "spoil" ruins it in its own windows (:meth:`Family.spoil`); "file" and "setting" change one that it does not ask for."""
        if not isinstance(desktop, SimDesktop) or kind not in self.damages:
            return super().damage(kind, task, desktop)
        family, goal, state = family_of(task), task.params["goal"], desktop.state
        if kind == "spoil":
            solver = Solver(desktop.copy_state())
            if not family.spoil(solver, goal):
                return False
            for action in solver.actions:
                desktop.perform(action)
            return True
        allowed = family.may_change(goal, desktop.start)
        if kind == "setting":
            name = next((name for name in ("mute", "bluetooth", "night_light") if outside([f"setting:{name}"], allowed)), "")
            if name:
                state.settings[name] = not state.settings[name]
            return bool(name)
        files = [path for path in sorted(state.files) if not path.endswith("/") and path not in LOOKED_AT]
        path = next((path for path in [*files, "/home/user/unwanted.txt"] if outside([f"file:{path}"], allowed)), "")
        if path:
            state.files[path] = state.files.get(path, "") + "damage"
        return bool(path)
