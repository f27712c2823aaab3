"""Advantages of a group, against values worked out by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.grpo.advantages import group_advantages


def test_by_hand():
    assert group_advantages([1, 0, 1, 0]) == [1.0, -1.0, 1.0, -1.0]
    # mean 1/4, population deviation sqrt(3)/4
    assert group_advantages([1, 0, 0, 0]) == pytest.approx([math.sqrt(3), *[-1 / math.sqrt(3)] * 3])
    assert group_advantages([1, 0, 0, 0], "none") == [0.75, -0.25, -0.25, -0.25]


def test_unscored_episodes_leave_the_group():
    assert group_advantages([1, 0, None, None]) == [1.0, -1.0, 0.0, 0.0]
    assert group_advantages([None, 3.0, 1.0], "none") == [0.0, 1.0, -1.0]


@pytest.mark.parametrize("rewards", [[], [1.0], [None, 1.0], [None, None], [0.0] * 4, [1.0] * 4, [0.1 + 0.2, 0.3, 0.3]])
@pytest.mark.parametrize("scale", ["std", "none"])
def test_a_group_that_teaches_nothing_is_exactly_zero(rewards, scale):
    assert group_advantages(rewards, scale) == [0.0] * len(rewards)


@given(st.lists(st.none() | st.floats(-100, 100), max_size=12))
def test_never_nan_and_sums_to_zero(rewards):
    advantages = group_advantages(rewards)
    assert len(advantages) == len(rewards) and all(map(math.isfinite, advantages))
    assert math.fsum(advantages) == pytest.approx(0, abs=1e-3)
    assert all(a == 0 for a, r in zip(advantages, rewards, strict=True) if r is None)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_reward_that_is_no_number_is_refused(bad):
    with pytest.raises(ValueError, match="finite"):
        group_advantages([1.0, bad])


def test_unknown_scale():
    with pytest.raises(ValueError, match="'std' or 'none'"):
        group_advantages([1.0, 0.0], "mad")
