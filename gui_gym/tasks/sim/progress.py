"""How much of a task is done: which of the things that its scripted solution changes are already as that leaves them."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from types import NoneType
from typing import Any

from gui_gym.actions import Action
from gui_gym.desktops.sim.state import State
from gui_gym.tasks.sim.families.common import submissions
from gui_gym.tasks.sim.family import Family
from gui_gym.tasks.sim.solver import Solver

Facts = dict[tuple[Hashable, ...], Any]


def facts(state: State) -> Facts:
    """What can be told of a state by name: windows, values of widgets (those handed in with a closed dialog too), settings, files."""
    found: Facts = {("submitted", window, button): True for window, button, _ in submissions(state)}
    found |= {("value", window, name): value for window, _, values in submissions(state) for name, value in values.items()}
    for window in state.windows:
        found["window", window.id] = (window.minimised, window.maximised)
        found |= {("value", window.id, widget.id): _plain(widget.value) for widget in window.widgets}
    found |= {("setting", name): value for name, value in state.settings.items()}
    return found | {("file", path): text for path, text in state.files.items()}


def _plain(value: Any) -> Any:
    """A value as a submission holds it, which does not change with the widget."""
    return value if isinstance(value, (str, int, float, NoneType)) else json.loads(json.dumps(value, default=str))


class _Recorder(Solver):
    """A solver that notes the last value of everything it changes on its way, though the window it is in may be closed later."""

    def __init__(self, state: State):
        self.before, self.seen = facts(state), dict[tuple[Hashable, ...], Any]()
        super().__init__(state)

    def act(self, action: Action) -> None:
        super().act(action)
        self.seen |= facts(self.state)

    def changed(self) -> Facts:
        """What is not as it was at the start: None for what is gone and was never changed before it went."""
        now = facts(self.state)
        wanted = {fact: value for fact, value in self.seen.items() if self.before.get(fact) != value}
        gone = {fact: None for fact in self.before if fact not in now and fact not in wanted and fact[0] != "value"}
        return {fact: value for fact, value in wanted.items() if fact in now or fact[0] == "value"} | gone


def progress(family: Family, goal: Mapping[str, Any], start: State, state: State) -> float:
    """The share, below 1, of what the scripted solution changes from ``start`` that is so in ``state``; the verdict counts as one thing more.

    ``start`` is a copy, which the solution is tried on.
    """
    solver = _Recorder(start)
    family.solve(solver, goal)
    wanted, found = solver.changed(), facts(state)
    return sum(found.get(fact) == value for fact, value in wanted.items()) / (len(wanted) + 1)
