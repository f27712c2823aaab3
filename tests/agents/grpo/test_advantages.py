"""Advantages of groups, against values worked out by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.grpo.advantages import relative

SCALES = ["group", "batch", "none"]


def test_by_hand():
    # mean 1/2, population deviation 1/2
    assert relative([[1, 0, 1, 0]]) == [[1.0, -1.0, 1.0, -1.0]]
    # mean 1/4, population deviation sqrt((9 + 1 + 1 + 1) / 16 / 4) = sqrt(3) / 4
    assert relative([[1, 0, 0, 0]])[0] == pytest.approx([math.sqrt(3), *[-1 / math.sqrt(3)] * 3])
    assert relative([[1, 0, 0, 0]], "none") == [[0.75, -0.25, -0.25, -0.25]]


def test_scaled_by_the_batch_by_hand():
    rewards = [[1, 1, 1, 0], [0, 0]]
    # of all six rewards: mean 1/2, deviation sqrt(6 * 1/4 / 6) = 1/2; the means of the groups: 3/4 and 0
    assert relative(rewards, "batch") == [[0.5, 0.5, 0.5, -1.5], [0.0, 0.0]]
    # under "group" the first is divided by its own sqrt(3) / 4
    assert relative(rewards, "group")[0] == pytest.approx([1 / math.sqrt(3)] * 3 + [-math.sqrt(3)])


def test_unscored_members_leave_the_group():
    assert relative([[1, 0, None, None]]) == [[1.0, -1.0, 0.0, 0.0]]
    assert relative([[None, 3.0, 1.0]], "none") == [[0.0, 1.0, -1.0]]
    # known are 1, 0, 2, 2: mean 5/4, deviation sqrt((1 + 25 + 9 + 9) / 16 / 4) = sqrt(11) / 4
    by = math.sqrt(11) / 4
    assert relative([[1, 0, None], [2, None, 2]], "batch") == [pytest.approx([0.5 / by, -0.5 / by, 0.0]), [0.0, 0.0, 0.0]]


@pytest.mark.parametrize("rewards", [[], [1.0], [None, 1.0], [None, None], [0.0] * 4, [1.0] * 4, [0.1 + 0.2, 0.3, 0.3]])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("beside", [[], [[0.0, 5.0]]])
def test_a_group_that_teaches_nothing_is_exactly_zero(rewards, scale, beside):
    assert relative([rewards, *beside], scale)[0] == [0.0] * len(rewards)


@given(st.lists(st.lists(st.none() | st.floats(-100, 100), max_size=8), max_size=4), st.sampled_from(SCALES))
def test_never_nan_and_sums_to_zero(groups, scale):
    advantages = relative(groups, scale)
    assert [len(group) for group in advantages] == [len(group) for group in groups]
    for group, rewards in zip(advantages, groups, strict=True):
        assert all(map(math.isfinite, group)) and math.fsum(group) == pytest.approx(0, abs=1e-3)
        assert all(a == 0 for a, r in zip(group, rewards, strict=True) if r is None)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_reward_that_is_no_number_is_refused(bad):
    with pytest.raises(ValueError, match="finite"):
        relative([[1.0, bad]])


def test_unknown_scale():
    with pytest.raises(ValueError, match="'group', 'batch' or 'none'"):
        relative([[1.0, 0.0]], "std")
