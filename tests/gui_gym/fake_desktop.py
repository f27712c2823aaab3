"""A desktop and a suite whose faults are chosen by the task: what the tests of the env's own logic run on.

``FakeDesktop-v0`` is the env with an entry point in this module, so that a spawned worker registers the suite as well.
"""

from __future__ import annotations

import hashlib

import gymnasium as gym
import numpy as np

from gui_gym import Action, ActionType, Desktop, DesktopError, Score, Suite, Task, register_desktop, register_suite, register_verifier
from gui_gym.desktops import DesktopFileNotFoundError
from gui_gym.desktops.base import check_size
from gui_gym.env import GuiDesktopEnv
from gui_gym.registry import unknown
from gui_gym.tasks import split_range

TARGET = (7, 9)
FAULTS = ("perform", "screenshot", "cursor", "reset", "reset-once", "verify")
FAMILIES = ("reach", "say", "hidden", "missing-file", "buggy", "unverified", "unregistered", *FAULTS)
ALIVE: set[int] = set()  #: ids of the desktops that are not closed


class FakeDesktop(Desktop):
    """Its picture is a function of the task, the seed and the actions done."""

    kind, real = "fake", False
    reset_faults = 0

    def __init__(self, width: int = 1280, height: int = 720):
        self.width, self.height = check_size(width, height)
        self.fault, self.dead = "", False
        ALIVE.add(id(self))

    def reset(self, task: Task, seed: int) -> None:
        self.fault, self.done, self.at, self.seed = task.params.get("fault", ""), [], (0, 0), (task.id, seed)
        self.dead = False
        if self.fault == "reset":
            raise DesktopError("no reset")
        if self.fault == "reset-once" and not FakeDesktop.reset_faults:
            FakeDesktop.reset_faults += 1
            raise DesktopError("no reset, once")

    def screenshot(self, out: np.ndarray | None = None) -> np.ndarray:
        if self.dead or (self.fault == "screenshot" and self.done):
            raise DesktopError("no screenshot")
        digest = hashlib.blake2b(repr((self.seed, self.done)).encode(), digest_size=8).digest()
        frame = np.empty((self.height, self.width, 3), np.uint8) if out is None else out
        frame[:] = np.random.default_rng(list(digest)).integers(0, 256, frame.shape, np.uint8)
        return frame

    def perform(self, action: Action) -> None:
        if self.fault == "perform":
            self.dead = True
            raise DesktopError("no action")
        self.done.append(action)
        if action.type is ActionType.MOVE:
            self.at = action.point

    @property
    def cursor(self) -> tuple[int, int]:
        if self.fault == "cursor" and self.done:
            raise DesktopError("no pointer")
        return self.at

    def accessibility_tree(self) -> dict[str, object]:
        return {"role": "screen", "name": "", "bounds": [0, 0, self.width, self.height], "value": None, "children": []}

    def healthy(self) -> bool:
        return not self.dead

    def close(self) -> None:
        ALIVE.discard(id(self))


class FakeSuite(Suite):
    """One family per behaviour. ``reach`` is solved when the pointer is at TARGET, ``say`` by the answer of its instance."""

    name, desktop, pure_verifier = "fake", "fake", True

    def ids(self) -> list[str]:
        return list(FAMILIES)

    def get(self, task_id: str) -> Task:
        family, _, instance = str(task_id).partition("#")
        if family not in FAMILIES:
            raise unknown("task", task_id, FAMILIES)
        verifier = {"unverified": {}, "unregistered": {"type": "nobody-knows"}}.get(family, {"type": "fake"})
        params = {"fault": family} if family in FAULTS else {"family": family}
        return Task(
            id=f"{family}#{instance or 0}",
            suite="fake",
            instruction=f"Do {family} number {instance or 0}",
            verifier=verifier,
            feasible=family != "hidden",
            max_steps=6,
            params=params,
        )

    def draw(
        self, rng: np.random.Generator, task_id: str | None = None, split: str = "train", infeasible_rate: float = 0.0, difficulty: str | None = None
    ) -> Task:
        if task_id is not None and "#" in task_id:
            return self.get(task_id)
        if rng.random() < infeasible_rate:
            task_id = "hidden"
        return self.get(f"{task_id or 'reach'}#{rng.integers(*split_range(split))}")

    def solution(self, task: Task, desktop: Desktop) -> list[Action]:
        return [Action.move(*TARGET), Action.done()]


def verify_fake(task: Task, desktop: FakeDesktop, outcome: object) -> Score:
    if desktop.fault == "verify":
        raise DesktopError("no answer")
    if task.params.get("family") == "missing-file":
        raise DesktopFileNotFoundError("/home/user/report.txt")
    if task.params.get("family") == "buggy":
        raise KeyError("a bug")
    if task.params.get("family") == "say":
        return Score.of(outcome.answer == task.id)
    return Score.of(desktop.at == TARGET)


register_desktop("fake", FakeDesktop)
register_suite("fake", FakeSuite)
register_verifier("fake", verify_fake)
gym.register("FakeDesktop-v0", entry_point=f"{__name__}:{GuiDesktopEnv.__name__}")
