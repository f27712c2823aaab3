"""Ways of not doing a task, of undoing it, and of doing it without looking: what each of them scores."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest
from sim_hand import ALT, CTRL, PLAIN_FAMILIES, SHIFT, SUITE, each

from gui_gym.actions import Action, Key
from gui_gym.tasks import Task
from gui_gym.tasks.sim import FAMILIES
from gui_gym.tasks.sim.words import MENUS

# -------------------------------------------------------------------------------------------- done, and then undone


def test_what_is_done_and_then_undone_scores_0() -> None:
    for hand in each(["rename-file"]):
        hand.solve()
        assert hand.score() == 1
        hand.row(hand.goal["new"]).press(Key.F2)(Action.type_text(hand.goal["target"] + "\n"))
        assert hand.score() == 0
    for hand in each(["move-window"]):
        x, y = hand.window(hand.goal["target"]).x, hand.window(hand.goal["target"]).y
        hand.solve()
        assert hand.score() == 1
        now, title = hand.active, hand.desktop.session.title_rect(hand.active)
        grip = title[0] + 20, title[1] + title[3] // 2
        hand(Action.drag(*grip, grip[0] + x - now.x, grip[1] + y - now.y))
        assert hand.score() == 0
    for hand in each(["edit-and-save"]):
        hand.solve()
        assert hand.score() == 1
        hand.press(Key.A, CTRL)(Action.type_text(hand.goal["files"][hand.goal["target"]])).press(Key.S, CTRL)
        assert hand.score() == 0


# --------------------------------------------------------------------------------------------- done, and then harmed


def test_another_button_after_the_right_one_scores_0() -> None:
    for hand in each(["click-button", "click-colour"]):
        hand.solve()
        window = hand.active
        other = next(w for w in window.widgets if w.focusable and hand.goal["target"] not in (w.id, w.name))
        hand.scripted(lambda solver, ids=(window.id, other.id): solver.click(*ids))  # type: ignore[misc]
        assert hand.score() == 0


def test_another_item_of_the_menu_scores_0() -> None:
    for hand in each(["choose-menu"]):
        menu, _, item = hand.goal["target"].partition(" > ")
        hand.solve()
        other = next(name for name in hand.goal["menus"][menu] if name != item)
        hand.scripted(lambda solver, menu=menu: solver.open_menu("window", "menu", menu)).choose(other)  # type: ignore[misc]
        assert hand.score() == 0


def test_another_window_closed_scores_0() -> None:
    for hand in each(["close-window", "read-code", "move-window"]):
        answer = hand.solve()
        assert hand.score(answer) == 1
        other = next((w for w in hand.desktop.state.windows if w.id not in hand.goal.get("targets", [hand.goal.get("target")])), None)
        if other:
            hand.scripted(lambda solver, other=other: solver.raise_window(solver.window(other.id))).press(Key.F4, ALT)  # type: ignore[misc]
            assert hand.score(answer) == 0


def test_another_file_deleted_or_renamed_scores_0() -> None:
    for hand in each(["rename-file", "delete-file", "read-size"]):
        answer = hand.solve()
        assert hand.score(answer) == 1
        hand.row(next(name for name in sorted(hand.goal["files"]) if name != hand.goal["target"]))
        if hand.task.params["family"] == "rename-file":
            hand.press(Key.F2)(Action.type_text("other.txt\n"))
        else:
            hand.press(Key.DELETE)
        assert hand.score(answer) == 0


def test_all_windows_moved_into_the_corner_is_not_the_one() -> None:
    several = [hand for hand in each(["move-window"], 12) if len(hand.goal["titles"]) > 1]
    assert several
    for hand in several:
        hand.solve()
        there = hand.window(hand.goal["target"])
        for other in [w for w in hand.desktop.state.windows if w is not there]:
            hand.scripted(lambda solver, other=other: solver.raise_window(solver.window(other.id)))  # type: ignore[misc]
            x, y, w, h = hand.desktop.session.title_rect(hand.active)
            to = (
                there.x + (12 if "left" in hand.goal["corner"] else there.w - w + 12),
                there.y + h // 2 + (0 if "top" in hand.goal["corner"] else there.h - other.h),
            )
            hand(Action.drag(x + 12, y + h // 2, *to))
        assert hand.score() == 0


# --------------------------------------------------------------------------------------------------- without looking

BLIND = {
    "tab, enter": [Action.press(Key.TAB), Action.press(Key.ENTER)],
    "shift+tab, space": [Action.press(Key.TAB, SHIFT), Action.press(Key.SPACE)],
    "enter": [Action.press(Key.ENTER)],
    "typed tab and enter": [Action.type_text("\t\n")],
    "close": [Action.press(Key.F4, ALT)],
    "close the lowest": [Action.press(Key.TAB, ALT, SHIFT), Action.press(Key.F4, ALT)],
    "first menu item": [Action.press(Key.F10), Action.press(Key.DOWN), Action.press(Key.ENTER)],
    "delete the first": [Action.press(Key.TAB)] * 5 + [Action.press(Key.HOME), Action.press(Key.DELETE)],
    "middle": [Action.click(640, 360)],
    "all": [Action.press(Key.A, CTRL), Action.type_text("x"), Action.press(Key.S, CTRL), Action.press(Key.ENTER)],
}


@pytest.mark.parametrize("policy", BLIND)
@pytest.mark.parametrize("family", [name for name in PLAIN_FAMILIES if name != "press-the-button"])
def test_a_policy_that_does_not_look_is_right_by_chance_only(family: str, policy: str) -> None:
    """The one button of press-the-button can be reached blindly, by Tab: it trains aiming, in steps that only click."""
    right = sum(hand(*BLIND[policy]).score() == 1 for hand in each([family], 24))
    assert right <= 14, f"{right} of 24"


@pytest.mark.parametrize(
    "family, shown",
    [
        ("click-button", "labels"),
        ("click-colour", "colors"),
        ("move-window", "titles"),
        ("read-code", "windows"),
        ("choose-one", "options"),
    ],
)
def test_the_order_of_things_does_not_tell_which_one_is_meant(family: str, shown: str) -> None:
    places: dict[int, list[int]] = {}
    for seed in range(300):
        goal = SUITE.get(f"{family}#{seed}").params["goal"]
        things = list(goal[shown])
        places.setdefault(len(things), []).append(things.index(goal["target"]))
    for count, found in places.items():
        expected = len(found) / count
        assert np.all(np.abs(np.bincount(found, minlength=count) - expected) <= 4 * np.sqrt(expected)), (count, np.bincount(found))


SHOWN = ["labels", "colors", "options", "titles", "windows", "files", "rows"]  # what a goal lists, for the screen to show
WITH_INFEASIBLE = [name for name in PLAIN_FAMILIES if FAMILIES.get(name).has_infeasible]


@pytest.mark.parametrize("family", WITH_INFEASIBLE)
def test_an_infeasible_instance_is_told_by_looking_for_what_it_names_alone(family: str) -> None:
    """Neither a word of its instruction nor the number of things on the screen sets it apart."""
    words: dict[bool, set[str]] = {True: set(), False: set()}
    counts: dict[bool, Counter[int]] = {True: Counter(), False: Counter()}
    english = [seed for seed in range(1400) if SUITE.get(f"{family}#{seed}").params["language"] == "en"][:600]
    assert len(english) == 600
    for seed in english:
        for feasible in (True, False):
            task = SUITE.get(f"{family}#{seed}{'' if feasible else '/infeasible'}")
            goal = task.params["goal"]
            words[feasible] |= set(re.findall(r"[^\W\d]+", task.instruction))
            counts[feasible][sum(map(len, goal["menus"].values())) if "menus" in goal else len(goal[next(k for k in SHOWN if k in goal)])] += 1
    assert words[False] == words[True]
    assert set(counts[False]) == set(counts[True])
    means = [sum(n * k for n, k in counts[feasible].items()) / 600 for feasible in (True, False)]
    assert abs(means[0] - means[1]) < 0.1 * means[0]


def test_no_item_is_in_two_menus() -> None:
    items = [item for menu in MENUS.values() for item in menu]
    assert len(items) == len(set(items))


@pytest.mark.parametrize("family", ["read-code", "read-size"])
@pytest.mark.parametrize(
    "said, right",
    [
        ("{}", 1),
        (" {}\n", 1),
        ("{}.", 1),
        ("Code: {}", 1),
        ("{} bytes", 1),
        ("", 0),
        ("0{}", 0),
        ("{0} {0}", 0),
        ("{}1", 0),
        ("-{}", 0),
        ("{} kB", 0),
        ("٣", 0),
    ],
)
def test_what_may_be_answered(family: str, said: str, right: int) -> None:
    for hand in each([family], 3):
        answer = hand.solve()
        assert hand.score(said.format(answer)) == right
        assert hand.score(None) == 0


def test_every_number_at_once_is_no_answer() -> None:
    for hand in each(["read-code", "read-size"], 3):
        assert hand.score(" ".join(map(str, range(10_000)))) == 0


def instructions(family: str, seeds: int = 40) -> Iterable[Task]:
    return (SUITE.get(f"{family}#{seed}") for seed in range(seeds))


@pytest.mark.parametrize("family", ["read-code", "read-size"])
def test_the_instruction_says_what_an_answer_looks_like(family: str) -> None:
    assert all("Answer with the number alone" in task.instruction for task in instructions(family))
