"""The audit finds what is wrong with a family, and nothing wrong with one that is right."""

from collections import Counter

import numpy as np
import pytest

from gui_gym.actions import TERMINAL, ActionType
from gui_gym.tasks.audit import Tally, audit, uniform_action
from gui_gym.tasks.sim import FAMILIES, SimSuite
from gui_gym.tasks.sim.families.buttons import ClickButton
from gui_gym.tasks.sim.families.files import DeleteFile

SUITE = SimSuite()
LIMIT = 0.02


class Untouched(ClickButton):
    """Solved before anything is done, and always."""

    id = "untouched"
    has_infeasible = False

    def check(self, state, start, params, outcome):
        return True

    def spoil(self, solver, params):
        solver.click("dialog", "button0")
        return True


class AnyClick(ClickButton):
    """Solved by any button at all, and its script does nothing."""

    id = "any-click"
    has_infeasible = False

    def check(self, state, start, params, outcome):
        return bool(state.windows) and state.cursor != start.cursor

    def solve(self, solver, params):
        pass


class Careless(DeleteFile):
    """Allows any file to change, and is not to be ruined in its own window."""

    id = "careless"
    has_infeasible = False
    max_steps = 1

    def spoil(self, solver, params):
        return False

    def may_change(self, params, start):
        return ["file:*"]


@pytest.fixture(autouse=True)
def families():
    for family in (Untouched, AnyClick, Careless):
        FAMILIES.register(family.id, family)
    yield
    for family in (Untouched, AnyClick, Careless):
        del FAMILIES._entries[family.id]


def test_an_honest_family_has_no_faults():
    tally = audit(SUITE, "delete-file", "hard", seeds=6, random_instances=3, size=(640, 400))
    assert tally.faults(LIMIT) == [] and tally.problems == []
    assert (tally.instances, tally.scripted, tally.no_op, tally.always_fail, tally.infeasible, tally.random_instances) == (6, 1, 0, 0, 1, 3)
    assert tally.damages["file"] == tally.damages["setting"] == 6 and tally.damage == 0
    assert 1 < tally.steps <= tally.most_steps <= tally.max_steps and tally.difficulty == "hard"


def test_what_is_solved_by_doing_nothing_or_stays_solved_when_ruined():
    tally = audit(SUITE, "untouched", seeds=4, random_instances=4, size=(640, 400))
    assert (tally.scripted, tally.no_op, tally.random, tally.damage) == (1, 1, 1, 1 / 3)  # of three kinds the changed file and setting count
    assert tally.damages == {"file": 4, "setting": 4, "spoil": 4}
    assert {fault.split()[0] for fault in tally.faults(LIMIT)} == {"no_op", "damage", "a"}
    assert tally.problems[0].endswith("still counts as solved after damage of the kind 'spoil'")


def test_what_chance_solves_and_the_script_does_not():
    tally = audit(SUITE, "any-click", seeds=4, random_instances=4, size=(640, 400))
    assert tally.scripted == 0 and tally.random == 1
    assert "no scripted solution" in tally.problems[0] and "scripted solution solves 0.0%" in tally.faults(LIMIT)[0]


def test_damage_is_done_outside_of_what_a_family_allows():
    tally = audit(SUITE, "careless", seeds=3, random_instances=0, size=(640, 400))
    assert tally.damages == {"setting": 3} and tally.damage == 0
    assert tally.faults(LIMIT) == [f"the scripted solution takes {tally.most_steps} steps, 1 are allowed"]


def test_a_tally_is_faulty_from_the_limit_on():
    good = Tally("easy", scripted=1.0, random=0.019, random_instances=1000, infeasible=1.0)
    assert good.faults(0.02) == []
    good.random, good.infeasible = 0.02, 0.99
    assert len(good.faults(0.02)) == 2


def test_the_random_policy_draws_every_type_and_ends_nothing():
    rng = np.random.default_rng(0)
    actions = [uniform_action(rng, 320, 200).check(320, 200) for _ in range(4000)]
    counts = Counter(action.type for action in actions)
    assert set(counts) == set(ActionType) - set(TERMINAL)
    assert min(counts.values()) > 0.7 * max(counts.values())
    assert {action.clicks for action in actions} == {1, 2, 3} and len({action.point for action in actions}) > 3000
    assert {len(action.modifiers) for action in actions} == {0, 1, 2, 3, 4}
