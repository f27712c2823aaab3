import math

import pytest

from agents.episodes import Episode, Sampling, Turn
from agents.rewards import REWARDS, assign_rewards, check_rewards, register_reward, wait_for_all
from gui_gym.actions import Action
from gui_gym.registry import UnknownNameError
from gui_gym.verifiers import Score


def episode(score=1.0, steps=4, errors=(False, True)):
    turns = [Turn((1,), (), (2,), (-0.1,), Sampling(), parse_error="bad" if e else "") for e in errors]
    made = Episode("t", "i", turns=turns, actions=[Action.done()] * steps)
    made.score = Score.missing("infrastructure: gone") if score is None else Score.of(score)
    return made


def test_the_named_rewards():
    names = ("score", "success", "format", "efficiency", "steps", "turns")
    assert {name: REWARDS.get(name)(episode(1.0)) for name in names} == dict(zip(names, (1.0, 1.0, -0.5, 0.25, -4.0, -2.0), strict=True))
    assert {name: REWARDS.get(name)(episode(0.5)) for name in names} == dict(zip(names, (0.5, 0.0, -0.5, 0.0, -4.0, -2.0), strict=True))
    assert REWARDS.get("format")(episode(errors=())) == 0.0


def test_milestones_are_what_the_env_tells():
    made = episode(0.0)
    made.progress = 0.25
    assert REWARDS.get("milestones")(made) == 0.25
    with pytest.raises(ValueError, match="set env.progress"):
        REWARDS.get("milestones")(episode())


def test_a_reward_that_wants_many_gets_all_that_are_scored_at_once():
    class Ranked:
        def __call__(self, episode):
            raise AssertionError("expected to be asked for all")

        def batch(self, episodes):
            return [None if len(e.actions) == 4 else float(i) for i, e in enumerate(episodes)]

    register_reward("test-ranked", Ranked())
    several = [episode(steps=3), episode(None), episode(steps=4), episode(steps=5)]
    assign_rewards(several, {"test-ranked": 2.0})
    assert [e.reward for e in several] == [0.0, None, None, 4.0]
    assert wait_for_all({"score": 1.0, "test-ranked": 1.0}) and not wait_for_all({"score": 1.0})


def test_weights_and_parts():
    made = episode()
    assign_rewards([made], {"score": 1.0, "format": 0.2, "efficiency": 0.4})
    assert made.reward == pytest.approx(1.0 - 0.1 + 0.1)
    assert made.reward_parts == {"score": 1.0, "format": -0.5, "efficiency": 0.25}


def test_an_unscored_episode_is_dropped_whatever_its_rewards_say():
    made = episode(None)
    assign_rewards([made], {"format": 1.0})
    assert made.reward is None and made.reward_parts == {}


def test_a_reward_of_ones_own():
    register_reward("test-long-is-dropped", lambda e: None if len(e.actions) > 4 else 1.0)
    short, long = episode(steps=4), episode(steps=5)
    assign_rewards([short, long], {"score": 1.0, "test-long-is-dropped": 1.0})
    assert (short.reward, long.reward) == (2.0, None)
    assert long.reward_parts == {"score": 1.0}


def test_a_module_of_ones_own_is_imported_by_name(tmp_path, monkeypatch):
    (tmp_path / "my_test_rewards.py").write_text(
        "from agents.rewards import register_reward\n\n@register_reward('test-short')\ndef short(episode):\n    return 1 / len(episode.actions)\n"
    )
    with pytest.raises(ValueError, match="No module named 'my_test_rewards'; expected a module that Python finds"):
        check_rewards({"my_test_rewards:test-short": 1.0})
    monkeypatch.syspath_prepend(tmp_path)
    made = episode(steps=4)
    assign_rewards([made], {"score": 1.0, "my_test_rewards:test-short": 2.0})
    assert made.reward == 1.5 and made.reward_parts == {"score": 1.0, "my_test_rewards:test-short": 0.25}
    with pytest.raises(UnknownNameError, match="did you mean 'test-short'"):
        check_rewards({"my_test_rewards:test-shor": 1.0})


def test_what_is_refused():
    with pytest.raises(UnknownNameError, match="did you mean 'score'"):
        check_rewards({"scor": 1.0})
    with pytest.raises(ValueError, match="at least one"):
        check_rewards({})
    with pytest.raises(ValueError, match="finite number"):
        check_rewards({"score": math.nan})
    register_reward("test-nan", lambda e: math.nan)
    with pytest.raises(ValueError, match="'test-nan' of an episode of 't' is nan"):
        assign_rewards([episode()], {"test-nan": 1.0})


def test_overlong_by_hand():
    """Of 10 tokens the last 2 are punished: nothing up to 8, half at 9, all at 10."""

    def of(*lengths):
        turns = [Turn((1,), (), (5,) * n, (-0.5,) * n, Sampling(max_new_tokens=10)) for n in lengths]
        return REWARDS.get("overlong")(Episode("t#1", "Do.", turns=turns))

    assert [of(n) for n in (1, 8, 9, 10)] == [0.0, 0.0, -0.5, -1.0]
    assert of(8, 9, 10) == -0.5 and of() == 0.0
