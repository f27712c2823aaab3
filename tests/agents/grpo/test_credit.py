"""Credit of turns, against values worked out by hand."""

import math
from dataclasses import replace

import pytest
from grpo_fakes import episode

from agents.episodes import Group
from agents.grpo.credit import returns_to_go, same_screen, turn_advantages


def groups(*each):
    return [Group("t#1", list(episodes)) for episodes in each]


def test_episode_credit_is_the_same_for_all_turns():
    assert turn_advantages(groups([episode(1.0, (0, 1, 2)), episode(0.0, (0, 3))])) == [[[1.0, 1.0, 1.0], [-1.0, -1.0]]]


def test_returns_to_go():
    assert returns_to_go(episode(2.0, (0, 1, 2)), 0.5) == [0.5, 1.0, 2.0]
    assert returns_to_go(episode(2.0, (0, 1)), 1.0) == [2.0, 2.0]
    assert returns_to_go(episode(2.0, ()), 0.5) == []


def test_turns_meet_where_they_saw_the_same_screen():
    first, second, dropped = episode(1.0, (0, 1, 0)), episode(0.0, (0, 2)), episode(None, (0, 2))
    assert same_screen([first, second, dropped]) == [[(0, 0), (0, 2), (1, 0)], [(0, 1)], [(1, 1)]]
    blind = replace(first, turns=[replace(turn, images=(), prompt_ids=(1,)) for turn in first.turns])
    assert same_screen([blind, second]) == [[(1, 0)], [(1, 1)]]


def test_only_the_last_screen_of_a_prompt_counts():
    long = episode(1.0, (0, 1))
    long.turns[1] = replace(long.turns[1], prompt_ids=(1, 99, 99), images=(long.turns[0].images[0], long.turns[1].images[0]))
    assert same_screen([long, episode(0.0, (1,))]) == [[(0, 0)], [(0, 1), (1, 0)]]


def test_step_credit_by_hand():
    # A goes 0, 1, 2 and succeeds; B goes 0, 1 and fails; C goes 0, 3 and succeeds. gamma 1/2, no scaling.
    three = [episode(1.0, (0, 1, 2)), episode(0.0, (0, 1)), episode(1.0, (0, 3))]
    # episodes: mean 2/3: A 1/3, B -2/3, C 1/3
    # screen 0: returns 1/4, 0, 1/2, mean 1/4: S = 0, -1/4, 1/4.  screen 1: returns 1/2, 0, mean 1/4: S = 1/4, -1/4.  2 and 3: seen once, 0
    a, b, c = turn_advantages(groups(three), "none", "step", gamma=0.5, omega=2.0)[0]
    assert a == pytest.approx([1 / 3 + 0, 1 / 3 + 2 / 4, 1 / 3])
    assert b == pytest.approx([-2 / 3 - 2 / 4, -2 / 3 - 2 / 4])
    assert c == pytest.approx([1 / 3 + 2 / 4, 1 / 3])


def test_step_credit_in_deviations_by_hand():
    # one screen: returns 1 and 0, mean 1/2, deviation 1/2: S = 1, -1, as the episodes themselves
    assert turn_advantages(groups([episode(1.0), episode(0.0)]), "group", "step", gamma=0.9, omega=0.5) == [[[1.5], [-1.5]]]
    # by the batch: the returns of all turns are 1, 0, 0, 0: mean 1/4, deviation sqrt(3) / 4; the rewards are the same
    both = groups([episode(1.0), episode(0.0)], [episode(0.0), episode(0.0)])
    advantage = 0.5 / (math.sqrt(3) / 4)
    found = turn_advantages(both, "batch", "step", omega=1.0)
    assert found[0] == [pytest.approx([2 * advantage]), pytest.approx([-2 * advantage])] and found[1] == [[0.0], [0.0]]


def test_a_circle_costs_the_turn_that_led_into_it():
    # A comes back to screen 0 before it succeeds: returns 1/4 and 1 on screen 0
    round_trip, failed = episode(1.0, (0, 1, 0)), episode(0.0, (5,))
    (first, _, last), _ = turn_advantages(groups([round_trip, failed]), "none", "step", gamma=0.5)[0]
    # mean 5/8: S = -3/8 and 3/8
    assert (first, last) == pytest.approx((0.5 - 3 / 8, 0.5 + 3 / 8))


def test_screens_of_other_groups_are_other_states():
    both = groups([episode(1.0, (7,)), episode(1.0, (8,))], [episode(0.0, (7,)), episode(0.0, (8,))])
    assert turn_advantages(both, "none", "step") == [[[0.0], [0.0]]] * 2


def test_all_failed_is_exactly_zero_and_all_solved_prefers_the_quicker():
    assert turn_advantages(groups([episode(0.0, (0, 1)), episode(0.0, (0,))]), "group", "step") == [[[0.0, 0.0], [0.0]]]
    slow, quick = turn_advantages(groups([episode(1.0, (0, 1)), episode(1.0, (0,))]), "group", "step")[0]
    # screen 0: returns 0.95 and 1, one deviation either side of their mean; screen 1 was seen once
    assert slow == pytest.approx([-1.0, 0.0]) and quick == pytest.approx([1.0])


def test_an_unscored_episode_has_none():
    found = turn_advantages(groups([episode(1.0), episode(0.0), episode(None)]), "group", "step")[0]
    assert found[2] == [0.0] and found[0] == [2.0]
