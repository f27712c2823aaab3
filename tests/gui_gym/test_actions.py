import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_gym import Action, ActionError, ActionType, Button, Key, Modifier, key_from_name
from gui_gym.actions import FIELDS, KEY_CHARACTER, MAX_SCROLL, MAX_TEXT, MAX_WAIT, TERMINAL


def test_every_type_says_which_fields_it_uses():
    assert set(FIELDS) == set(ActionType)
    fields = set(Action.__dataclass_fields__) - {"type"}
    assert all(set(names) <= fields for names in FIELDS.values())
    assert set().union(*FIELDS.values()) == fields


def test_terminal_types():
    assert TERMINAL == {ActionType.DONE, ActionType.FAIL, ActionType.ANSWER}


@pytest.mark.parametrize("enum", [ActionType, Button, Key, Modifier])
def test_enums_count_from_zero(enum):
    assert [int(member) for member in enum] == list(range(len(enum)))


def test_every_printable_ascii_character_has_its_key():
    for code in range(32, 127):
        key = key_from_name(chr(code))
        assert KEY_CHARACTER[key] == chr(code).lower()


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Return", Key.ENTER), ("enter", Key.ENTER), ("KP_Enter", Key.ENTER), ("page-down", Key.PAGE_DOWN), ("Page_Down", Key.PAGE_DOWN),
        ("pgdn", Key.PAGE_DOWN), ("PageDown", Key.PAGE_DOWN), ("Prior", Key.PAGE_UP), ("esc", Key.ESCAPE), ("ctrlleft", Key.CTRL),
        ("Control_L", Key.CTRL), ("cmd", Key.META), ("win", Key.META), ("super_l", Key.META), ("option", Key.ALT), ("F12", Key.F12),
        ("+", Key.PLUS), ("plus", Key.PLUS), ("less", Key.LESS), ("<", Key.LESS), (" ", Key.SPACE), ("space", Key.SPACE), ("A", Key.A),
        ("-", Key.MINUS), ("_", Key.UNDERSCORE), ("ArrowLeft", Key.LEFT), ("del", Key.DELETE), ("caps lock", Key.CAPS_LOCK),
    ],
)  # fmt: skip
def test_key_names(name, key):
    assert key_from_name(name) is key


@pytest.mark.parametrize("key", Key)
def test_a_keys_own_name_finds_it(key):
    assert key_from_name(key.name) is key


@pytest.mark.parametrize("name", ["", "entre", "ctrl+c", "漢", "é", "f13", "\n"])
def test_unknown_keys_are_refused(name):
    with pytest.raises(ActionError, match="unknown key"):
        key_from_name(name)


def test_unknown_key_suggests():
    with pytest.raises(ActionError, match="did you mean.*escape"):
        key_from_name("escap")


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (Action.click(100, 5), "outside the screen"),
        (Action.click(5, 50), "outside the screen"),
        (Action.move(-1, 0), "outside the screen"),
        (Action.drag(0, 0, 100, 0), "to .* is outside"),
        (Action.mouse_down(0, -5), "outside the screen"),
        (Action.mouse_up(10**9, 0), "outside the screen"),
        (Action.click(1, 1, clicks=0), "clicks is 0"),
        (Action.click(1, 1, clicks=4), "clicks is 4"),
        (Action.scroll_by(1, 1, dy=MAX_SCROLL + 1), "too far"),
        (Action.scroll_by(1, 1, dx=-MAX_SCROLL - 1), "too far"),
        (Action.wait_for(MAX_WAIT + 1), "wait is 61"),
        (Action.wait_for(-1), "wait is -1"),
        (Action.type_text("x" * (MAX_TEXT + 1)), "at most 8192"),
        (Action.answer("x" * (MAX_TEXT + 1)), "at most 8192"),
    ],
)
def test_what_does_not_fit_is_refused(action, message):
    with pytest.raises(ActionError, match=message):
        action.check(100, 50)


@pytest.mark.parametrize(
    "action",
    [
        Action.click(99, 49, Button.RIGHT, 3, (Modifier.META, Modifier.CTRL)),
        Action.scroll_by(0, 0, -MAX_SCROLL, MAX_SCROLL),
        Action.wait_for(MAX_WAIT),
        Action.wait_for(0),
        Action.type_text("x" * MAX_TEXT),
        Action.type_text(""),
        Action(ActionType.DONE, point=(-5, 10**9), wait=-3, clicks=77),  # fields DONE does not use
    ],
)
def test_what_fits_is_itself(action):
    assert action.check(100, 50) is action


def test_constructors_sort_modifiers_and_leave_the_rest_at_defaults():
    assert Action.press("a", Modifier.META, Modifier.CTRL) == Action(ActionType.KEY, key=Key.A, modifiers=(Modifier.CTRL, Modifier.META))
    assert Action.click(3, 4) == Action(ActionType.CLICK, point=(3, 4))
    assert Action.done() != Action.fail()


@given(st.text(max_size=40))
def test_actions_are_plain_values(text):
    action = Action.type_text(text)
    assert pickle.loads(pickle.dumps(action)) == action
    assert hash(action) == hash(Action.type_text(text))
    with pytest.raises(AttributeError):
        action.text = "other"


def test_str_shows_what_is_used():
    shown = str(Action.click(3, 4, clicks=2, modifiers=(Modifier.CTRL, Modifier.SHIFT)))
    assert shown == "CLICK(point=(3, 4), button=LEFT, clicks=2, modifiers=CTRL+SHIFT)"
    assert str(Action.type_text("it's")) == """TYPE(text="it's")"""
    assert str(Action.done()) == "DONE()"
