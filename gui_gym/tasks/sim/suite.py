"""The suite ``sim``: tasks drawn from families, ids ``family#seed`` and ``family#seed/infeasible``."""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from gui_gym.actions import Action, ActionType
from gui_gym.desktops.base import Desktop
from gui_gym.desktops.sim.desktop import SimDesktop
from gui_gym.desktops.sim.look import THEMES
from gui_gym.desktops.sim.session import Session
from gui_gym.registry import Registry, unknown
from gui_gym.tasks.sim.family import Family, pick
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.task import SPLITS, Suite, Task, TaskError, split_range
from gui_gym.verifiers.score import EndReason, Outcome

#: Families by id.
FAMILIES: Registry[type[Family]] = Registry(
    "task family",
    {
        "check-boxes": "gui_gym.tasks.sim.families.forms:CheckBoxes",
        "choose-menu": "gui_gym.tasks.sim.families.choices:ChooseMenu",
        "choose-one": "gui_gym.tasks.sim.families.forms:ChooseOne",
        "click-button": "gui_gym.tasks.sim.families.buttons:ClickButton",
        "click-colour": "gui_gym.tasks.sim.families.buttons:ClickColour",
        "close-window": "gui_gym.tasks.sim.families.windows:CloseWindow",
        "copy-text": "gui_gym.tasks.sim.families.forms:CopyText",
        "delete-file": "gui_gym.tasks.sim.families.files:DeleteFile",
        "edit-and-save": "gui_gym.tasks.sim.families.files:EditAndSave",
        "enter-text": "gui_gym.tasks.sim.families.forms:EnterText",
        "fill-form": "gui_gym.tasks.sim.families.forms:FillForm",
        "move-window": "gui_gym.tasks.sim.families.windows:MoveWindow",
        "pick-from-list": "gui_gym.tasks.sim.families.choices:PickFromList",
        "press-the-button": "gui_gym.tasks.sim.families.buttons:PressTheButton",
        "read-code": "gui_gym.tasks.sim.families.choices:ReadCode",
        "read-size": "gui_gym.tasks.sim.families.files:ReadSize",
        "rename-file": "gui_gym.tasks.sim.families.files:RenameFile",
        "set-slider": "gui_gym.tasks.sim.families.forms:SetSlider",
    },
)
_SEEDS = (min(low for low, _ in SPLITS.values()), max(high for _, high in SPLITS.values()))
_INFEASIBLE = "/infeasible"


def family_of(task: Task) -> Family:
    """The family of a task of this suite."""
    return FAMILIES.get(task.params["family"])()


def _generator(family: str, seed: int, stream: int) -> np.random.Generator:
    """Random numbers of an instance: stream 0 draws what is asked for, stream 1 lays it out."""
    return np.random.default_rng([zlib.crc32(family.encode()), seed, stream])


def set_up_family(session: Session, parameters: Mapping[str, Any]) -> None:
    """Setup step ``family``: lay out the instance ``{"family", "seed", "goal"}`` on a fresh session."""
    missing = {"family", "seed", "goal"} - set(parameters)
    if missing:
        raise TaskError(f"setup step 'family': the parameters {', '.join(sorted(missing))} are missing")
    family = FAMILIES.get(parameters["family"])()
    width, height = session.state.width, session.state.height
    least = family.min_size
    if width < least[0] or height < least[1]:
        raise TaskError(f"the task family {family.id!r} needs a screen of at least {least[0]}x{least[1]} pixels, got {width}x{height}")
    rng = _generator(family.id, parameters["seed"], 1)
    session.state.theme = pick(rng, sorted(THEMES))
    family.build(session, parameters["goal"], rng)


def _task(family_id: str, seed: int, feasible: bool = True) -> Task:
    family = FAMILIES.get(family_id)()
    goal = family.draw(_generator(family_id, seed, 0), feasible)
    parameters = {"family": family_id, "seed": seed, "goal": goal}
    return Task(
        id=f"{family_id}#{seed}{'' if feasible else _INFEASIBLE}",
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

    def __init__(self, tasks: str | None = None):
        if tasks is not None:
            raise TaskError(f"tasks is {tasks!r}: the suite {self.name!r} generates its tasks and reads no folder of them")

    def ids(self) -> list[str]:
        return FAMILIES.names()

    def get(self, task_id: str) -> Task:
        name, sharp, instance = task_id.partition("#")
        if name not in FAMILIES:
            raise unknown("task of suite 'sim'", name, self.ids())
        feasible = not instance.endswith(_INFEASIBLE)
        digits = instance.removesuffix(_INFEASIBLE) if sharp else str(SPLITS["train"][0])
        if not (digits.isascii() and digits.isdigit()) or not _SEEDS[0] <= int(digits) < _SEEDS[1]:
            raise TaskError(f"task id {task_id!r}: expected {name}#SEED or {name}#SEED{_INFEASIBLE} with {_SEEDS[0]} <= SEED < {_SEEDS[1]}")
        if not feasible:
            self._check_infeasible(name)
        return _task(name, int(digits), feasible)

    def draw(self, rng: np.random.Generator, task_id: str | None = None, split: str = "train", infeasible_rate: float = 0.0) -> Task:
        """As :meth:`Suite.draw`, of the families that fit the screen; TaskError if infeasible instances are asked of a family that has none."""
        low, high = split_range(split)
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
        return _task(drawn, seed, feasible)

    @staticmethod
    def _check_infeasible(name: str) -> None:
        if not FAMILIES.get(name).has_infeasible:
            those = ", ".join(other for other in FAMILIES.names() if FAMILIES.get(other).has_infeasible)
            raise TaskError(f"the task family {name!r} has no infeasible instances; those that have: {those}")

    def describe(self, task_id: str) -> dict[str, Any]:
        """``skills`` of the family, whether it ``has_infeasible`` instances, and its ``doc``."""
        family = FAMILIES.get(task_id.partition("#")[0])
        return {"skills": list(family.skills), "has_infeasible": family.has_infeasible, "doc": inspect.getdoc(family)}

    def solution(self, task: Task, desktop: Desktop) -> list[Action]:
        """Actions from the present state; on an infeasible task FAIL alone. TaskError if the task is past solving."""
        if not isinstance(desktop, SimDesktop):
            raise TaskError(f"task {task.id!r} is made for the sim desktop, not for {desktop.kind!r}")
        if not task.feasible:
            return [Action.fail()]
        solver, family, goal = Solver(desktop.copy_state()), family_of(task), task.params["goal"]
        family.solve(solver, goal)
        outcome = Outcome(EndReason.DONE, solver.closing.text if solver.closing.type is ActionType.ANSWER else None)
        if not family.check(solver.state, desktop.start, goal, outcome):
            raise TaskError(f"task {task.id!r}: there is no scripted solution from here: what was done before cannot be mended")
        return [*solver.actions, solver.closing]
