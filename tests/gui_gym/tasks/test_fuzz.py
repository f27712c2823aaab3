"""The fuzzer does what it says, and reports what breaks."""

import numpy as np
import pytest

from gui_gym.desktops.sim import SimDesktop
from gui_gym.tasks.fuzz import EPISODE, fuzz
from gui_gym.tasks.sim import FAMILIES


def test_every_family_bears_random_actions():
    names = FAMILIES.names()
    result = fuzz("sim", names, len(names), seed=3, size=(640, 400), difficulty="mixed")
    assert result.failures == []
    assert result.actions == EPISODE * len(names) == sum(result.types.values()) and result.episodes == len(names)


def test_the_same_seed_does_the_same():
    one, two = (fuzz("sim", ["fill-form"], 2, seed=5, size=(320, 200)) for _ in range(2))
    assert one == two and one != fuzz("sim", ["fill-form"], 2, seed=6, size=(320, 200))


@pytest.mark.parametrize(
    ("attribute", "broken", "words"),
    [
        ("perform", lambda self, action: 1 / 0, "ZeroDivisionError"),
        ("screenshot", lambda self, out=None: np.zeros((3, 4, 3), np.uint8), "the frame is"),
        ("cursor", property(lambda self: (-1, 5)), "the pointer is at"),
        ("snapshot", lambda self: (_ for _ in ()).throw(TypeError("cannot pickle")), "cannot pickle"),
    ],
)
def test_what_breaks_is_named_with_its_family_and_step(monkeypatch, attribute, broken, words):
    monkeypatch.setattr(SimDesktop, attribute, broken)
    (failure,) = fuzz("sim", ["click-button"], 1, seed=0, size=(320, 200)).failures
    assert words in failure and failure.startswith("click-button#") and "in episode 0 of seed 0" in failure
