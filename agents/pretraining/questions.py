"""Questions about a simulated screen, with exact answers: where a thing is, what is at a place, and the same task asked for something else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.pretraining.things import Thing, at
from gui_gym.actions import Action
from gui_gym.desktops.sim.canvas import Rect
from gui_gym.desktops.sim.desktop import SimDesktop
from gui_gym.tasks.sim import words
from gui_gym.tasks.sim.families.common import quoted
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.suite import family_of
from gui_gym.tasks.task import Task

Goal = Mapping[str, Any]
#: A goal, and the words in its instruction that tell each point.
Other = tuple[dict[str, Any], tuple[str, ...]]

#: What holds other things, or has no name that is seen.
CONTAINERS = {"canvas", "list", "menu bar", "page tab list", "document web", "terminal", "table", "tree", "panel", "dial"}
#: Longest name that is asked for, in characters.
LONGEST = 28

_FIND = ("Click {it}.", "Press {it}.", "Click on {it}.", "Find {it} and click it.")
_READ = ("What is at {place}?", "Read what is at {place}.")
_VALUE = ("What does {it} hold?", "Read {it}.")
_TYPE = ("Type the {it}: {told}.", "{told}. Type the {it}.", "{told}: enter the {it}.")
QUESTIONS = (*_FIND, *_READ, *_VALUE, *_TYPE, "the red tile", "the close button", "the pink dot")  #: as they are worded


@dataclass(frozen=True)
class Question:
    """What is asked of a screen.

    Args:
        text: the question, as an instruction.
        action: the answer: an action on the screen, or an ANSWER.
        target: where its point must lie, in pixels; None where it has none.
        about: the words in ``text`` that tell each point of the answer, in order, or for a question what is at a place, that place.
        place: the pixel that is asked about; None where none is.
    """

    text: str
    action: Action
    target: Rect | None = None
    about: tuple[str, ...] = ()
    place: tuple[int, int] | None = None


def named(thing: Thing) -> str:
    """How a question speaks of a thing."""
    if not thing.written:
        return f"the field {quoted(thing.name)}" if thing.role == "text" else f"the {thing.name}"
    return quoted(thing.name)


def about_things(
    found: list[Thing], cell: Callable[[int, int], tuple[str, tuple[int, int]]], rng: np.random.Generator, written: float = 1.0
) -> Iterator[Question]:
    """Questions about the things of a screen, in random order: each thing is asked for once, or read once.

    Args:
        found: what is on the screen.
        cell: how the policy writes a pixel, and the pixel that this means.
        rng: draws wording, order and places.
        written: share of the things whose names are to be read on the screen that are asked about, 0 to 1.
    """
    counts = Counter(named(thing) for thing in found)
    for i in rng.permutation(len(found)):
        thing = found[int(i)]
        if thing.role in CONTAINERS or len(thing.name) > LONGEST or not thing.name.isprintable():
            continue
        if thing.written and rng.random() >= written:
            continue
        kind, unique = rng.random(), counts[named(thing)] == 1
        if kind < 0.6 and unique:
            yield Question(_pick(rng, _FIND).format(it=named(thing)), Action.click(*thing.middle), thing.rect, (thing.name,))
        elif kind < 0.7 and isinstance(thing.value, str) and 0 < len(thing.value) <= LONGEST and unique:
            yield Question(_pick(rng, _VALUE).format(it=named(thing)), Action.answer(thing.value))
        else:
            x, y, w, h = thing.rect
            where, meant = cell(int(rng.integers(x, x + w)), int(rng.integers(y, y + h)))
            if [each for each in at(found, *meant) if each.role not in CONTAINERS] == [thing]:
                yield Question(_pick(rng, _READ).format(place=where), Action.answer(thing.name), about=(where,), place=meant)


def about_words(rng: np.random.Generator) -> Question:
    """One of a few things that the question tells is to be typed: what it says, not what is on the screen."""
    labels = rng.permutation(np.array([*words.OPTIONS, *words.MEASURES, "Name", "City", "Text"]))[: rng.integers(1, 4)].tolist()
    told = {label: _something(rng) for label in labels}
    it = _pick(rng, tuple(told))
    pairs = ", ".join(f"{label} “{text}”" for label, text in told.items())
    return Question(_pick(rng, _TYPE).format(it=it, told=pairs), Action.type_text(told[it]))


def _something(rng: np.random.Generator) -> str:
    """A name, a place, a line, words put together, or a password."""
    some = [word for line in (*words.LINES, *words.SENTENCES) for word in line.split()]
    made = " ".join(_pick(rng, tuple(some)) for _ in range(rng.integers(1, 5)))
    secret = f"{_pick(rng, words.STEMS)}{_pick(rng, ('', *'!?#%&+*='))}{rng.integers(100, 10000)}"
    return _pick(rng, (f"{_pick(rng, words.FIRST)} {_pick(rng, words.LAST)}", _pick(rng, words.CITIES), _pick(rng, words.LINES), made, secret))


def _pick(rng: np.random.Generator, items: tuple[str, ...]) -> str:
    return items[int(rng.integers(len(items)))]


def alternatives(task: Task, desktop: SimDesktop) -> list[Question]:
    """What else the family of ``task`` could ask of this very screen, each with its scripted solution; nothing for families that have none here.

    Only what one action answers. The desktop must be as the task has set it up.
    """
    family = family_of(task)
    if family.id not in _OTHERS:
        return []
    questions = []
    for goal, about in _OTHERS[family.id](task.params["goal"]):
        solver = Solver(desktop.copy_state())
        family.solve(solver, goal)
        if len(solver.actions) == 1:
            questions.append(Question(goal["instruction"], solver.actions[0], about=about))
    return questions


def _instead(goal: Goal, changes: Goal, words: Mapping[str, str]) -> dict[str, Any]:
    """``goal`` with ``changes``, and its instruction with words replaced, all at once."""
    pattern = "|".join(rf"(?<!\w){re.escape(word)}(?!\w)" for word in words)
    return {**goal, **changes, "instruction": re.sub(pattern, lambda m: words[m[0]], goal["instruction"])}


def _only(goal: Goal) -> Iterator[Other]:
    yield dict(goal), ("button",)


def _targets(key: str) -> Callable[[Goal], Iterator[Other]]:
    def others(goal: Goal) -> Iterator[Other]:
        for other in goal[key]:
            yield _instead(goal, {"target": other}, {goal["target"]: other}), (other,)

    return others


def _buttons(goal: Goal) -> Iterator[Other]:
    for other in goal["labels"] if goal["other"] is None else ():
        yield {**goal, "target": other, "instruction": goal["instruction"].replace(quoted(goal["target"]), quoted(other))}, (other,)


def _shades(goal: Goal) -> Iterator[Other]:
    if "second" in goal["instruction"]:
        return
    said = next(word for word in _SHADE_WORDS if word in goal["instruction"])
    color = goal["tiles"][goal["target"]][0]
    shades = sorted((percent, i) for i, (name, percent) in enumerate(goal["tiles"]) if name == color)  # dark to pale
    for word, (_, i) in zip(_SHADE_WORDS, (shades[0], shades[-1]), strict=True):
        yield _instead(goal, {"target": i}, {said: word}), (word,)


_SHADE_WORDS = ("darkest", "lightest")


def _pairs(goal: Goal) -> Iterator[Other]:
    if len(goal["goal"]) == 1:
        one, other = goal["goal"][0]
        for a in goal["colors"]:
            for b in goal["colors"]:
                if a != b:
                    yield _instead(goal, {"goal": [[a, b]]}, {one: a, other: b}), (a, b)


def _areas(goal: Goal) -> Iterator[Other]:
    if len(goal["goal"]) == 1:
        i, area = goal["goal"][0]
        said = " ".join(goal["shapes"][i])
        for j, shape in enumerate(goal["shapes"]):
            for other in goal["areas"]:
                words = {said: " ".join(shape), quoted(area): quoted(other)}
                yield _instead(goal, {"goal": [[j, other]]}, words), (" ".join(shape), quoted(other))


#: Families whose screens allow other goals, and those goals.
_OTHERS: dict[str, Callable[[Goal], Iterator[Other]]] = {
    "click-button": _buttons,
    "click-colour": _targets("colors"),
    "click-icon": _targets("pictures"),
    "click-shade": _shades,
    "drag-shape-to-area": _areas,
    "press-the-button": _only,
    "draw-circle": _pairs,
}


def distinct(questions: list[Question]) -> list[Question]:
    """``questions`` without those asked before."""
    return list({question.text: question for question in questions}.values())
