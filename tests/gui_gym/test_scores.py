import math
import pickle
import re

import pytest
from fake_desktop import TARGET, FakeDesktop, FakeSuite

from gui_gym import Action, Score
from gui_gym.verifiers import EndReason, Outcome, verify


@pytest.mark.parametrize("value", [0, 0.0, 0.25, 1, 1.0, True, False])
def test_a_score_is_a_number(value):
    score = Score.of(value)
    assert score.scored and score.value == float(value) and isinstance(score.value, float) and score.reason == ""


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, math.inf, -math.inf, "x"])
def test_nothing_else_is(value):
    with pytest.raises(ValueError, match="number in|convert"):
        Score.of(value)


def test_missing_needs_a_reason():
    assert not Score.missing("no disk").scored
    with pytest.raises(ValueError, match="reason"):
        Score.missing("")


def test_plain_values():
    assert pickle.loads(pickle.dumps(Score.missing("no disk"))) == Score.missing("no disk") != Score.of(0)


def judge(family, end=EndReason.DONE, answer=None, at=None):
    task, desktop = FakeSuite().get(family), FakeDesktop(32, 32)
    if family != "reset":
        desktop.reset(task, 0)
    if at:
        desktop.perform(Action.move(*at))
    return verify(task, desktop, Outcome(end, answer))


@pytest.mark.parametrize(
    ("case", "score"),
    [
        (dict(family="reach", at=TARGET), 1.0),
        (dict(family="reach", at=(1, 1)), 0.0),
        (dict(family="reach", at=TARGET, end=EndReason.TRUNCATED), 1.0),
        (dict(family="reach", at=TARGET, end=EndReason.FAIL), 0.0),
        (dict(family="hidden", end=EndReason.FAIL), 1.0),
        (dict(family="hidden", end=EndReason.DONE), 0.0),
        (dict(family="hidden", end=EndReason.TRUNCATED), 0.0),
        (dict(family="say", answer="say#0"), 1.0),
        (dict(family="say", answer="no"), 0.0),
        (dict(family="say"), 0.0),
        (dict(family="missing-file"), 0.0),
    ],
)
def test_verdicts(case, score):
    assert judge(**case) == Score.of(score)


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        (dict(family="verify"), "infrastructure: no answer"),
        (dict(family="buggy"), "verifier: KeyError: 'a bug'"),
        (dict(family="unverified"), "names the verifier None; known: .*sim"),
        (dict(family="unregistered"), "names the verifier 'nobody-knows'; known: .*sim"),
        (dict(family="reach", at=TARGET, end=EndReason.INFRASTRUCTURE), "the desktop failed"),
        (dict(family="hidden", end=EndReason.INFRASTRUCTURE), "the desktop failed"),
    ],
)
def test_what_cannot_be_judged_is_unscored(case, reason):
    score = judge(**case)
    assert not score.scored and score.value is None
    assert re.search(reason, score.reason)
