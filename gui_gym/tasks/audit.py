"""Is a suite honest? What solves its tasks, and what must not: measured family by family."""

from __future__ import annotations

import string
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from gui_gym.actions import MAX_SCROLL, MAX_WAIT, TERMINAL, Action, ActionType, Button, Key, Modifier
from gui_gym.desktops import Desktop, make_desktop
from gui_gym.tasks.task import Suite, Task, TaskError
from gui_gym.verifiers import EndReason, Outcome, Score, verify

RANDOM_STEPS = 50  #: actions of a random policy, the score being read after each
_KINDS = tuple(kind for kind in ActionType if kind not in TERMINAL)
_LETTERS = string.printable[:95]
_LONGEST = 16  #: characters a random policy types at once


@dataclass
class Tally:
    """What came out of ``instances`` feasible instances of one family at one difficulty; shares are of those, 0 to 1.

    Args:
        scripted: solved by the scripted solution. Ought to be 1.
        steps: mean number of its actions, the closing one included; ``most_steps`` the largest, ``max_steps`` the limit.
        scripted_side_effects: mean number of its side effects. Ought to be 0.
        no_op: solved by DONE at once; ``always_fail`` by FAIL. Both ought to be 0.
        random: share of ``random_instances`` solved at any time within :data:`RANDOM_STEPS` actions of a random policy.
        damage: share of solutions, ruined in one of the ways of ``damages`` (how often each was done), that still count as solved. Ought to be 0.
        infeasible: share of as many infeasible instances on which FAIL scores 1 and DONE 0; None if the family has none.
        problems: what went wrong, an instance each; the first few.
    """

    difficulty: str | None
    instances: int = 0
    scripted: float = 0.0
    steps: float = 0.0
    most_steps: int = 0
    max_steps: int = 0
    scripted_side_effects: float = 0.0
    no_op: float = 0.0
    always_fail: float = 0.0
    random: float = 0.0
    random_instances: int = 0
    damage: float = 0.0
    damages: dict[str, int] = field(default_factory=dict)
    infeasible: float | None = None
    problems: list[str] = field(default_factory=list)

    def faults(self, limit: float) -> list[str]:
        """Which figures are not what they ought to be; a random policy may solve less than ``limit``."""
        found = []
        if self.scripted < 1:
            found.append(f"the scripted solution solves {self.scripted:.1%}")
        if self.most_steps > self.max_steps:
            found.append(f"the scripted solution takes {self.most_steps} steps, {self.max_steps} are allowed")
        for name in ("scripted_side_effects", "no_op", "always_fail", "damage"):
            if getattr(self, name):
                found.append(f"{name} is {getattr(self, name):.3g}")
        if self.random_instances and self.random >= limit:
            found.append(f"a random policy solves {self.random:.1%}")
        if self.infeasible is not None and self.infeasible < 1:
            found.append(f"only {self.infeasible:.1%} of the infeasible instances are judged right")
        return found

    def as_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return asdict(self)


def uniform_action(rng: np.random.Generator, width: int, height: int) -> Action:
    """Any action that does not end an episode: its type and all its fields are drawn uniformly; texts are up to 16 printable ASCII characters."""
    low = [0] * 10
    high = [len(_KINDS), width, height, width, height, len(Button), 3, len(Key), MAX_WAIT + 1, _LONGEST + 1]
    kind, x, y, to_x, to_y, button, clicks, key, wait, length = rng.integers(low, high).tolist()
    dx, dy = rng.integers(-MAX_SCROLL, MAX_SCROLL + 1, 2).tolist()
    held = rng.integers(0, 2, len(Modifier)).tolist()
    return Action(
        _KINDS[kind],
        point=(x, y),
        to=(to_x, to_y),
        button=Button(button),
        clicks=clicks + 1,
        scroll=(dx, dy),
        key=Key(key),
        modifiers=tuple(modifier for modifier, on in zip(Modifier, held, strict=True) if on),
        wait=wait,
        text="".join(_LETTERS[i] for i in rng.integers(0, len(_LETTERS), length)) if _KINDS[kind] is ActionType.TYPE else "",
    )


def audit(
    suite: Suite,
    task_id: str,
    difficulty: str | None = None,
    seeds: int = 200,
    random_instances: int = 200,
    size: tuple[int, int] = (1280, 720),
    split: str = "test",
) -> Tally:
    """Measure one family or task of ``suite`` on ``seeds`` instances of ``split``, drawn with the seeds 0, 1, ..., without drawing a frame.

    A suite that has no scripted solution for it, or whose desktop fails, is a problem of the instance and counts as unsolved.
    """
    tally, desktop = Tally(difficulty), make_desktop(suite.desktop, *size)
    try:
        for seed in range(seeds):
            _scripted(tally, suite, desktop, _draw(suite, task_id, split, seed, 0.0, difficulty))
        for seed in range(random_instances):
            task, rng = _draw(suite, task_id, split, seed, 0.0, difficulty), np.random.default_rng([seed, 1])
            tally.random += _random_solves(task, desktop, rng)
        _means(tally, random_instances)
        if suite.describe(task_id).get("has_infeasible"):
            right = [_judged(_draw(suite, task_id, split, seed, 1.0, difficulty), desktop) for seed in range(seeds)]
            tally.infeasible = sum(right) / max(1, len(right))
    finally:
        desktop.close()
    return tally


def _draw(suite: Suite, task_id: str, split: str, seed: int, infeasible_rate: float, difficulty: str | None) -> Task:
    return suite.draw(np.random.default_rng(seed), task_id, split, infeasible_rate, difficulty)


def _means(tally: Tally, random_instances: int) -> None:
    for name in ("scripted", "steps", "scripted_side_effects", "no_op", "always_fail"):
        setattr(tally, name, getattr(tally, name) / max(1, tally.instances))
    tally.damage /= max(1, sum(tally.damages.values()))
    tally.random, tally.random_instances = tally.random / max(1, random_instances), random_instances


def _score(task: Task, desktop: Desktop, closing: Action) -> Score:
    if closing.type is ActionType.FAIL:
        return verify(task, desktop, Outcome(EndReason.FAIL))
    return verify(task, desktop, Outcome(EndReason.DONE, closing.text if closing.type is ActionType.ANSWER else None))


def _solved(score: Score) -> bool:
    return score.scored and score.value == 1.0


def _scripted(tally: Tally, suite: Suite, desktop: Desktop, task: Task) -> None:
    tally.instances += 1
    tally.max_steps = max(tally.max_steps, task.max_steps)
    try:
        desktop.reset(task, 0)
        tally.no_op += any(_solved(_score(task, desktop, closing)) for closing in (Action.done(), Action.answer("")))
        tally.always_fail += _solved(_score(task, desktop, Action.fail()))
        *actions, closing = suite.solution(task, desktop)
        for action in actions:
            desktop.perform(action.check(desktop.width, desktop.height))
        score = _score(task, desktop, closing)
    except TaskError as error:
        _note(tally, f"{task.id}: {error}")
        return
    tally.steps += len(actions) + 1
    tally.most_steps = max(tally.most_steps, len(actions) + 1)
    tally.scripted_side_effects += len(score.side_effects or ())
    if not _solved(score):
        _note(tally, f"{task.id}: the scripted solution scores {score.value} ({score.reason or ', '.join(score.side_effects or ())})")
        return
    tally.scripted += 1
    if not suite.damages:
        return
    counts, solved = Counter(tally.damages), desktop.snapshot()
    for kind in suite.damages:
        if suite.damage(kind, task, desktop):
            counts[kind] += 1
            if _solved(_score(task, desktop, closing)):
                tally.damage += 1
                _note(tally, f"{task.id}: still counts as solved after damage of the kind {kind!r}")
        desktop.restore(solved)
    tally.damages = dict(sorted(counts.items()))


def _random_solves(task: Task, desktop: Desktop, rng: np.random.Generator) -> bool:
    desktop.reset(task, 0)
    for _ in range(RANDOM_STEPS):
        desktop.perform(uniform_action(rng, desktop.width, desktop.height))
        if _solved(_score(task, desktop, Action.done())):
            return True
    return False


def _judged(task: Task, desktop: Desktop) -> bool:
    """Whether an infeasible task is judged right: FAIL scores, DONE does not."""
    desktop.reset(task, 0)
    return _solved(_score(task, desktop, Action.fail())) and not _solved(_score(task, desktop, Action.done()))


def _note(tally: Tally, problem: str) -> None:
    if len(tally.problems) < 5:
        tally.problems.append(problem)
