import math
import pickle
import warnings

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_gym import Action, ActionError, ActionType, Button, Key, Modifier
from gui_gym.actions import FIELDS, MAX_SCROLL, MAX_TEXT, MAX_WAIT
from gui_gym.spaces import Unicode, action_space, to_action, to_element

WIDTH, HEIGHT = 64, 48

points = st.tuples(st.integers(0, WIDTH - 1), st.integers(0, HEIGHT - 1))
FIELD_VALUES = {
    "point": points,
    "to": points,
    "button": st.sampled_from(Button),
    "clicks": st.integers(1, 3),
    "scroll": st.tuples(*[st.integers(-MAX_SCROLL, MAX_SCROLL)] * 2),
    "key": st.sampled_from(Key),
    "modifiers": st.sets(st.sampled_from(Modifier)).map(lambda chosen: tuple(sorted(chosen))),
    "wait": st.integers(0, MAX_WAIT),
    "text": st.text(max_size=50),
}
actions = st.sampled_from(ActionType).flatmap(lambda kind: st.builds(Action, st.just(kind), **{name: FIELD_VALUES[name] for name in FIELDS[kind]}))


@pytest.fixture(scope="module")
def space():
    return action_space(WIDTH, HEIGHT)


@given(actions)
def test_an_action_survives_its_element(action):
    element = to_element(action)
    assert action_space(WIDTH, HEIGHT).contains(element)
    assert to_action(element, WIDTH, HEIGHT) == action


def test_every_sample_is_an_action(space):
    space.seed(0)
    for _ in range(1000):
        element = space.sample()
        assert space.contains(element)
        to_action(element, WIDTH, HEIGHT)


def test_samples_repeat_with_the_seed(space):
    def draw():
        space.seed(5)
        return [str(space.sample()) for _ in range(20)]

    assert draw() == draw()


@given(actions, st.integers())
def test_fields_a_type_does_not_use_are_never_read(action, noise):
    element = to_element(action)
    for name in set(element) - {"type", *FIELDS[action.type]}:
        element[name] = [float("nan"), None, "x" * 5, noise][noise % 4]
    assert to_action(element, WIDTH, HEIGHT) == action
    for name in set(element) - {"type", *FIELDS[action.type]}:
        del element[name]
    assert to_action(element, WIDTH, HEIGHT) == action


NOT_INTEGERS = [math.nan, math.inf, -math.inf, 1.5, "1", b"1", None, [1], {}, object, 1j]
NOT_INTEGERS += [np.float32("nan"), np.array([1, 2]), np.str_("1"), np.datetime64(1, "D")]
TOO_FAR = [-(10**30), -1000, 1000, 2**63, 10**30, float(10**30)]


@pytest.mark.parametrize("value", NOT_INTEGERS + TOO_FAR, ids=repr)
@pytest.mark.parametrize("name", ["type", "point", "to", "button", "clicks", "scroll", "key", "wait", "modifiers"])
def test_bad_values_are_refused(name, value):
    kind = next(kind for kind in ActionType if name in FIELDS[kind] or name == "type")
    element = to_element(Action(kind))
    for bad in [(value, 0), (0, value)] if name in ("point", "to", "scroll") else [(value, 0, 0, 0)] if name == "modifiers" else [value]:
        with pytest.raises(ActionError, match=f"{name}|Expected|outside|too far|expected"):
            to_action({**element, name: bad}, WIDTH, HEIGHT)


@pytest.mark.parametrize(
    "value", [None, 3, "12", b"12", (1,), (1, 2, 3), np.zeros((2, 2)), {1: 1}, {1: 1, 2: 2}, {1, 2}, np.nan, np.array(3), "x"], ids=repr
)
def test_bad_pairs_are_refused(value):
    with pytest.raises(ActionError):
        to_action({**to_element(Action.move(1, 1)), "point": value}, WIDTH, HEIGHT)


@pytest.mark.parametrize("value", [None, 3, (1,), [0, 0, 0, 2], [0] * 5, "ctrl", np.full(4, np.nan), [0.5] * 4, [["a"], 0, 0, 0]], ids=repr)
def test_bad_modifiers_are_refused(value):
    with pytest.raises(ActionError):
        to_action({**to_element(Action.press("a")), "modifiers": value}, WIDTH, HEIGHT)


@pytest.mark.parametrize("value", [None, 3, b"bytes", ["a"], math.nan, np.array("a")], ids=repr)
@pytest.mark.parametrize("kind", [ActionType.TYPE, ActionType.ANSWER])
def test_bad_texts_are_refused(kind, value):
    with pytest.raises(ActionError, match="text: expected a str"):
        to_action({"type": kind, "text": value}, WIDTH, HEIGHT)


@pytest.mark.parametrize("value", [None, 3, "CLICK", [], {}, (), np.zeros(4), {"point": (1, 1)}, Action.done()], ids=repr)
def test_what_is_no_element_is_refused(value):
    with pytest.raises(ActionError, match="keys of the action space"):
        to_action(value, WIDTH, HEIGHT)


@pytest.mark.parametrize("kind", [kind for kind in ActionType if FIELDS[kind]])
def test_a_missing_field_is_named(kind):
    for name in FIELDS[kind]:
        element = to_element(Action(kind))
        del element[name]
        with pytest.raises(ActionError, match=f"{kind.name} needs the field '{name}'"):
            to_action(element, WIDTH, HEIGHT)


def test_an_unknown_type_lists_the_known_ones():
    with pytest.raises(ActionError, match="type is 999: expected one of .*1 CLICK.*13 ANSWER"):
        to_action({"type": 999}, WIDTH, HEIGHT)


@pytest.mark.parametrize("value", [True, 1.0, np.int8(1), np.array(1), np.float32(1), np.array([1])[0], ActionType.CLICK], ids=repr)
def test_whole_numbers_of_any_type_are_integers(value):
    assert to_action({**to_element(Action.click(1, 1)), "type": value}, WIDTH, HEIGHT) == Action.click(1, 1)


def test_errors_never_print_a_novel():
    with pytest.raises(ActionError) as caught:
        to_action(["x" * 10**6], WIDTH, HEIGHT)
    assert len(str(caught.value)) <= 300


def test_no_numpy_string_leaks():
    assert type(to_action({"type": ActionType.TYPE, "text": np.str_("é")}, WIDTH, HEIGHT).text) is str


class TestUnicode:
    @pytest.mark.parametrize("text", ["", "it's", "naïve – 日本語 😀", "\x00\n\t", "x" * MAX_TEXT])
    def test_contains_any_text(self, text):
        assert Unicode(MAX_TEXT).contains(text)

    @pytest.mark.parametrize("text", ["x" * 9, None, 3, b"x", ["x"]])
    def test_contains_nothing_else(self, text):
        assert not Unicode(8).contains(text)

    def test_samples_are_in_it(self):
        space = Unicode(5, seed=1)
        samples = [space.sample() for _ in range(1000)]
        assert all(map(space.contains, samples)) and "" in samples and {5} == {max(map(len, samples))}

    def test_equality_and_repr(self):
        assert Unicode(5) == Unicode(5) != Unicode(6)
        assert repr(Unicode(5)) == "Unicode(5)"

    def test_copies(self):
        assert pickle.loads(pickle.dumps(Unicode(7))) == Unicode(7)


def test_batches_and_pickles(space):
    batch = gym.vector.utils.batch_space(space, 3)
    batch.seed(0)
    element = batch.sample()
    assert batch.contains(element) and len(element["text"]) == 3 and element["point"].shape == (3, 2)
    assert pickle.loads(pickle.dumps(space)) == space


def test_check_env_has_nothing_to_say_about_the_space(space):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        from gymnasium.utils.passive_env_checker import check_action_space

        check_action_space(space)
