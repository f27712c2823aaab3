import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.episodes import Episode, Frame, Sampling, Turn
from agents.rows import RowError, rows_from_episode, turn_numbers
from gui_gym.verifiers import Score

IMAGE = 9
SAMPLING = Sampling(1.0, 8, (IMAGE,))
FRAMES = [Frame(np.full((16, 16, 3), k, np.uint8)) for k in range(4)]


class TwoTokens:
    """Every image takes two ids."""

    image_token_id = IMAGE

    def image_tokens(self, frame):
        return 2


VISION = TwoTokens()


def turn(prompt, images, ids, logprobs=None, **kwargs):
    logprobs = tuple(-0.1 * (k + 1) for k in range(len(ids))) if logprobs is None else logprobs
    return Turn(tuple(prompt), tuple(images), tuple(ids), tuple(logprobs), kwargs.pop("sampling", SAMPLING), **kwargs)


def episode(turns, **kwargs):
    kwargs = {"score": Score.of(1.0), "reward": 1.0} | kwargs
    return Episode(task_id="t", instruction="i", turns=list(turns), **kwargs)


def rows(*turns, **kwargs):
    return rows_from_episode(episode(turns, **kwargs), VISION)


def shape(found):
    return [("".join(map(str, r.ids)), "".join("01"[m] for m in r.mask)) for r in found]


A, B = FRAMES[:2]
P = (1, IMAGE, IMAGE, 2)
GROWN = (*P, 3, 4, 5, IMAGE, IMAGE, 6)


def test_a_growing_prompt_is_one_row():
    (row,) = rows(turn(P, [A], (3, 4)), turn(GROWN, [A, B], (7,)))
    assert shape([row]) == [("19923459967", "00001100001")]
    assert row.logprobs == [0, 0, 0, 0, -0.1, -0.2, 0, 0, 0, 0, -0.1]
    assert [f.hash for f in row.images] == [A.hash, B.hash] and row.weight == 1.0


def test_other_ids_fork():
    found = rows(turn(P, [A], (3, 4)), turn((1, IMAGE, IMAGE, 2, 34, 5, IMAGE, IMAGE), [A, B], (7,)))
    assert shape(found) == [("199234", "000011"), ("199234599" + "7", "000000001"[:8] + "1")]
    assert [r.weight for r in found] == [2 / 3, 1 / 3]


def test_another_earlier_image_forks():
    found = rows(turn(P, [A], (3, 4)), turn(GROWN, [FRAMES[2], B], (7,)))
    assert len(found) == 2 and [f.hash for f in found[1].images] == [FRAMES[2].hash, B.hash]


def test_an_equal_frame_in_another_array_does_not_fork():
    assert len(rows(turn(P, [A], (3, 4)), turn(GROWN, [Frame(A.pixels.copy()), B], (7,)))) == 1


def test_a_retry_keeps_both_answers():
    assert shape(rows(turn(P, [A], (3, 4)), turn(P, [A], (8,)))) == [("199234", "000011"), ("19928", "00001")]


def test_another_distribution_forks():
    found = rows(turn(P, [A], (3, 4)), turn(GROWN, [A, B], (7,), sampling=Sampling(0.5, 8, (IMAGE,))))
    assert [row.sampling for row in found] == [SAMPLING, Sampling(0.5, 8, (IMAGE,))]


def test_newer_weights_do_not_fork_and_the_oldest_version_counts():
    (row,) = rows(turn(P, [A], (3, 4), policy_version=4), turn(GROWN, [A, B], (7,), policy_version=5))
    assert (row.policy_version, row.turns) == (4, 2)


def test_a_prompt_that_adds_nothing_forks_so_that_answers_never_touch():
    held = (*P, 3, 4)
    found = rows(turn(P, [A], (3, 4)), turn(held, [A], (7, 8)), turn((*held, 7, 8, 5), [A], (6,)))
    assert shape(found) == [("199234", "000011"), ("199234785" + "6", "000000110" + "1")]
    assert turn_numbers(found) == [0, 0, 1, 1, 2]


def test_turns_are_numbered_over_rows():
    chained = rows(turn(P, [A], (3, 4)), turn(GROWN, [A, B], (7,)))
    apart = rows(turn(P, [A], (3, 4)), turn(P, [A], (8, 6, 5)))
    assert turn_numbers(chained) == [0, 0, 1] and turn_numbers(apart) == [0, 0, 1, 1, 1]
    assert turn_numbers([*chained, *apart]) == [0, 0, 1, 2, 2, 3, 3, 3] and turn_numbers([]) == []


def test_each_turn_has_its_own_advantage():
    turns = [turn(P, [A], (3, 4)), turn(GROWN, [A, B], (7,))]
    (row,) = rows_from_episode(episode(turns), VISION, advantages=[0.5, -2.0])
    assert [a for a, m in zip(row.advantages, row.mask, strict=True) if m] == [0.5, 0.5, -2.0]
    assert all(a == 0.0 for a, m in zip(row.advantages, row.mask, strict=True) if not m)
    with pytest.raises(RowError, match="2 turns has 1 advantages"):
        rows_from_episode(episode(turns), VISION, advantages=[1.0])


def test_a_turn_without_logprobs_is_context():
    """OpenEnv #1036: rejected log-probs became [] with the ids kept, and everything after was shifted."""
    (row,) = rows(turn(P, [A], (3, 4), (), trained=False), turn(GROWN, [A, B], (7,)))
    assert shape([row]) == [("19923459967", "00000000001")] and row.logprobs[-1] == -0.1
    assert rows(turn(P, [A], (3, 4), (), trained=False)) == []
    with pytest.raises(ValueError, match="carries no log-probs"):
        turn(P, [A], (3, 4), trained=False)


def test_logprobs_and_ids_come_in_pairs():
    """TRL #5144: never zip to the shorter."""
    with pytest.raises(ValueError, match="2 sampled ids but 1 log-probs"):
        turn(P, [A], (3, 4), (-0.1,))
    for bad in (math.nan, -math.inf, 0.5):
        with pytest.raises(ValueError, match="finite and <= 0"):
            turn(P, [A], (3,), (bad,))


@pytest.mark.parametrize("kwargs", [{"reward": None}, {"score": Score.missing("infrastructure: it died")}])
def test_a_dropped_episode_gives_no_rows(kwargs):
    """awslabs rl-toolkit #122: a failed rollout was trained on as one token."""
    assert rows(turn(P, [A], (3, 4)), **kwargs) == []
    assert rows() == []


def test_images_and_ids_must_fit():
    with pytest.raises(RowError, match="turn 1 .* 2 image ids, but its 2 images take 4"):
        rows(turn(P, [A, B], (3,)))
    with pytest.raises(RowError, match="2 image ids, but its 0 images take 0"):
        rows(turn(P, [], (3,)))
    with pytest.raises(RowError, match="image token was sampled|image ids, but"):
        rows(turn((1, IMAGE, 2), [A], (IMAGE,)))


def test_the_episode_number_is_kept():
    assert rows_from_episode(episode([turn(P, [A], (3,))]), VISION, index=7)[0].episode == 7


@st.composite
def episodes(draw):
    """Turns whose prompts go on from what is held, or from an earlier turn, or begin anew, or hold another frame."""
    turns, token = [], st.integers(10, 30)
    for k in range(draw(st.integers(1, 7))):
        how = draw(st.sampled_from(["grow", "grow", "grow", "earlier", "new", "swap"])) if turns else "new"
        base = {"new": None, "earlier": turns[draw(st.integers(0, len(turns) - 1))] if turns else None}.get(how, turns[-1] if turns else None)
        prompt = list(base.prompt_ids + base.completion_ids) if base else []
        images = list(base.images) if base else []
        if how == "swap":
            images[0] = FRAMES[(FRAMES.index(images[0]) + 1) % len(FRAMES)]
        prompt += draw(st.lists(token, max_size=2)) + [IMAGE, IMAGE] + draw(st.lists(token, min_size=1, max_size=2))
        images.append(draw(st.sampled_from(FRAMES)))
        ids = draw(st.lists(token, min_size=1, max_size=4))
        logprobs = [-(k * 10 + j + 1) / 64 for j in range(len(ids))]  # each sampled token of the episode has one of its own
        trained = draw(st.integers(0, 4)) > 0
        made = turn(prompt, images, ids, logprobs, policy_version=draw(st.integers(0, 1)))
        turns.append(made if trained else dataclasses.replace(made, logprobs=(), trained=False))
    return turns


@given(episodes())
def test_every_sampled_token_is_in_exactly_one_row(turns):
    found = rows(*turns)
    expected = sorted((p, i) for t in turns if t.trained for i, p in zip(t.completion_ids, t.logprobs, strict=True))
    got = sorted((p, i) for r in found for i, m, p in zip(r.ids, r.mask, r.logprobs, strict=True) if m)
    assert got == expected
    assert all(p == 0.0 for r in found for m, p in zip(r.mask, r.logprobs, strict=True) if not m)
    assert all(r.ids.count(IMAGE) == 2 * len(r.images) for r in found)
    if expected:
        assert sum(r.weight for r in found) == pytest.approx(1.0)


@given(episodes())
def test_every_token_is_conditioned_on_what_it_was_sampled_after(turns):
    """Ids and images before a trained token are those its turn's prompt held."""
    context = {p: (t.prompt_ids + t.completion_ids[:j], t) for t in turns if t.trained for j, p in enumerate(t.logprobs)}
    for row in rows(*turns):
        for at, (sampled, logprob) in enumerate(zip(row.mask, row.logprobs, strict=True)):
            if sampled:
                before, its_turn = context[logprob]
                assert tuple(row.ids[:at]) == before
                assert [f.hash for f in row.images[: len(its_turn.images)]] == [f.hash for f in its_turn.images]
                assert row.sampling == its_turn.sampling and row.policy_version <= its_turn.policy_version
