"""Both formats: what is written is read back; what is not whole and valid is an ActionParseError and nothing else."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gui_gym.actions import FIELDS, MAX_SCROLL, MAX_TEXT, MAX_WAIT, Action, ActionType, Button, Key, Modifier
from gui_gym.codecs import CODECS, ActionFormatError, ActionParseError, Codec, make_codec
from gui_gym.codecs.grammar import ALIASES, CALL_OF, CALLS, GRAMMAR
from gui_gym.registry import UnknownNameError

SCREEN, CURSOR = (1280, 720), (640, 360)
SPECS = ["pixels", "resized:1024x576", "resized:2000x2000", "unit", "thousand", "grid:10"]
NAMES = CODECS.names()
COMPLETE = ["dsl", "json"]  #: formats of our own table of calls, which can express every action

points = st.tuples(st.integers(0, SCREEN[0] - 1), st.integers(0, SCREEN[1] - 1))
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60) | st.sampled_from(
    [
        "it's",
        '"',
        "\\",
        "\\\"'",
        "a\nb\r\n\t",
        "```\nclick(x=1,y=1)\n```",
        "Action: done()",
        "</think>done()",
        "\u2028\x85\x00\x7f",
        "漢é😀",
        '{"action": "done"}',
        ")",
    ]
)
notches = st.integers(-MAX_SCROLL, MAX_SCROLL)
modifiers = st.sets(st.sampled_from(Modifier)).map(lambda held: tuple(sorted(held)))
VALUES = {
    "point": points,
    "to": points,
    "button": st.sampled_from(Button),
    "clicks": st.integers(1, 3),
    "modifiers": modifiers,
    "scroll": st.tuples(notches, notches),
    "key": st.sampled_from(Key),
    "wait": st.integers(0, MAX_WAIT),
    "text": texts,
}
actions = st.sampled_from(ActionType).flatmap(lambda kind: st.builds(Action, st.just(kind), **{name: VALUES[name] for name in FIELDS[kind]}))


def written(codec: Codec, action: Action) -> str:
    """Its text; another example is drawn if the format has no word for it."""
    try:
        return codec.format(action, SCREEN)
    except ActionFormatError:
        assume(codec.name in COMPLETE)
        raise


def near(a: Action, b: Action, error: tuple[int, int]) -> bool:
    """Whether the actions are equal but for points that are off by at most ``error``."""
    for name, value in a.used().items():
        other = getattr(b, name)
        if name in ("point", "to"):
            if any(abs(p - q) > e for p, q, e in zip(value, other, error, strict=True)):
                return False
        elif value != other:
            return False
    return a.type is b.type


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("spec", SPECS)
@settings(max_examples=250, deadline=None)
@given(action=actions)
def test_what_is_written_is_read_back(name: str, spec: str, action: Action) -> None:
    codec = make_codec(name, spec)
    text = written(codec, action)
    for wrapped in (text, f" {text}\r\n", f"```\r\n{text}\r\n```", f"Thought: a (b) c\nAction: {text}", f"<think>so</think>\n{text}"):
        (found,) = codec.parse(wrapped, SCREEN, CURSOR)
        error = codec.frame.max_error(SCREEN)
        assert near(action, found, error)
        assert found == action or error != (0, 0)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("key", Key)
def test_every_key_with_every_modifier(name: str, key: Key) -> None:
    codec = make_codec(name)
    held = [] if name == "qwen" else [Action.key_down(key), Action.key_up(key)]  # its tool has no words for these
    for action in (
        *held,
        Action.press(key),
        *(Action.press(key, m) for m in Modifier),
        Action.press(key, *Modifier),
    ):
        assert codec.parse(codec.format(action, SCREEN), SCREEN, CURSOR) == [action]


@pytest.mark.parametrize("name", COMPLETE)
@settings(max_examples=100, deadline=None)
@given(several=st.lists(actions.filter(lambda a: a.type not in (ActionType.DONE, ActionType.FAIL, ActionType.ANSWER)), min_size=2, max_size=5))
def test_several_actions_of_one_turn_keep_their_order(name: str, several: list[Action]) -> None:
    codec = make_codec(name)
    parts = [codec.format(action, SCREEN) for action in several]
    text = "\n".join(parts) if name == "dsl" else "[" + ",".join(parts) + "]"
    assert codec.parse(text, SCREEN, CURSOR) == several


fragments = st.sampled_from(
    [
        "click",
        "CLICK",
        "(",
        ")",
        ",",
        "=",
        "x",
        "y",
        "3",
        "-1",
        "1e9",
        "nan",
        '"',
        "'",
        "\\",
        "\n",
        "\r\n",
        "```",
        "Action:",
        "Thought:",
        "<think>",
        "</think>",
    ]
    + [
        "{",
        "}",
        "[",
        "]",
        '"action"',
        ":",
        '"click"',
        "text",
        "type",
        "key=",
        "ctrl+",
        "+",
        "hotkey",
        "\ud800",
        "\\ud800",
        "\x00",
        "9" * 5000,
        "true",
        "null",
    ]
)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=600, deadline=None)
@given(text=st.text() | st.lists(fragments, max_size=12).map("".join) | st.lists(fragments, max_size=12).map(" ".join), truncated=st.booleans())
def test_any_text_is_actions_that_fit_the_screen_or_a_parse_error(name: str, text: str, truncated: bool) -> None:
    try:
        found = make_codec(name).parse(text, SCREEN, CURSOR, truncated=truncated)
    except ActionParseError as error:
        assert "expected" in str(error) or "outside" in str(error) or "text" in str(error)
        assert error.truncated == truncated
    else:
        assert found and not truncated
        for action in found:
            action.check(*SCREEN)
            action.text.encode()


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=300, deadline=None)
@given(action=actions, data=st.data())
def test_one_changed_character_never_raises_anything_else(name: str, action: Action, data: st.DataObject) -> None:
    codec = make_codec(name)
    text = written(codec, action)
    at = data.draw(st.integers(0, len(text) - 1))
    changed = text[:at] + data.draw(st.sampled_from(["", '"', "\\", "(", "9", "=", ",", "\n", "é"])) + text[at + 1 :]
    try:
        codec.parse(changed, SCREEN, CURSOR)
    except ActionParseError:
        pass


@pytest.mark.parametrize("name", COMPLETE)
@settings(max_examples=150, deadline=None)
@given(action=actions, data=st.data())
def test_a_beginning_is_never_the_whole(name: str, action: Action, data: st.DataObject) -> None:
    codec = make_codec(name)
    text = codec.format(action, SCREEN)
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    for wrapped in (cut, f"Thought: x\nAction: {cut}"):
        with pytest.raises(ActionParseError):
            codec.parse(wrapped, SCREEN, CURSOR)
    with pytest.raises(ActionParseError) as caught:
        codec.parse(text, SCREEN, CURSOR, truncated=True)
    assert caught.value.truncated


def test_the_table_covers_every_type_and_every_field() -> None:
    assert set(CALL_OF) == set(ActionType) and len(GRAMMAR) == len(ActionType)
    for call in GRAMMAR:
        fields = {p.field for p in call.parameters} | ({"modifiers"} if call.name == "key" else set())
        assert fields == set(FIELDS[call.type])
    assert all(target in CALLS for target, _ in ALIASES.values()) and not set(ALIASES) & set(CALLS)


@pytest.mark.parametrize("name", COMPLETE)
def test_the_prompt_names_every_call_and_the_frame(name: str) -> None:
    text = make_codec(name, "grid:10").describe(SCREEN)
    assert "0..9" in text
    for call in GRAMMAR:
        assert call.name in text and all(p.name in text for p in call.parameters)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "action",
    [
        Action.click(1280, 0),
        Action.click(-1, 0),
        Action.click(1, 1, clicks=4),
        Action.scroll_by(1, 1, dy=21),
        Action.wait_for(61),
        Action.type_text("\ud800"),
        Action.type_text("a" * (MAX_TEXT + 1)),
        Action(ActionType.KEY, modifiers=(Modifier.ALT, Modifier.CTRL)),
        Action(ActionType.KEY, modifiers=(Modifier.ALT, Modifier.ALT)),
    ],
)
def test_what_cannot_be_done_cannot_be_written(name: str, action: Action) -> None:
    with pytest.raises(ActionFormatError):
        make_codec(name).format(action, SCREEN)


def test_unknown_codecs_have_near_matches() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'json'"):
        make_codec("jsn")


@pytest.mark.parametrize("name", NAMES)
def test_hostile_lengths_are_read_in_linear_time(name: str) -> None:
    codec = make_codec(name)
    for text in (
        "a" * 200_000,
        "[" * 200_000,
        "{" * 200_000,
        'type(text="' + "\\" * 200_000,
        " " * 200_000 + "(",
        "click(" * 50_000,
        "key(key=" + "a" * 200_000 + ")",
    ):
        with pytest.raises(ActionParseError) as caught:
            codec.parse(text, SCREEN, CURSOR)
        assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ('{"action": "double_click", "x": 1, "y": 2}', Action.click(1, 2, clicks=2)),
        ('```json\r\n{"action": "Click", "x": 1, "y": 2}\r\n```', Action.click(1, 2)),
        ('{"action": "key", "key": ["ctrl", "+"]}', Action.press("+", Modifier.CTRL)),
        ('{"action": "click", "modifiers": ["shift", "ctrl"]}', Action.click(*CURSOR, modifiers=(Modifier.CTRL, Modifier.SHIFT))),
        ('I see it.\n{"action": "wait"}', Action.wait_for(1)),
        ('{"action": "type", "text": "\\ud83d\\ude00"}', Action.type_text("😀")),
    ],
)
def test_json_is_read(text: str, action: Action) -> None:
    assert make_codec("json").parse(text, SCREEN, CURSOR) == [action]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"action": "click", "x": 1, "x": 2, "y": 3}', "'x' twice"),
        ('{"action": "click", "x": 1, "y": 3, "why": "so"}', "no argument 'why'"),
        ('{"action": "click", "x": NaN, "y": 3}', "got NaN"),
        ('{"action": "click", "x": Infinity, "y": 3}', "got Infinity"),
        ('{"action": "click", "x": "1", "y": 3}', "whole number 0..1279"),
        ('{"action": "click", "x": true, "y": 3}', "expected a number"),
        ('{"action": "click", "x": null, "y": 3}', "expected a number"),
        ('{"action": "click", "x": [1], "y": 3}', "expected a number"),
        ('{"action": "click", "x": 1e3, "y": 3}', "whole number 0..1279"),
        ('{"action": "click", "x": 1, "y": 3} {"action": "done"}', "JSON object"),
        ('{"action": "clik", "x": 1, "y": 3}', "did you mean click"),
        ('{"x": 1, "y": 3}', '"action"'),
        ('{"action": 3}', '"action"'),
        ("[]", "empty list"),
        ("[[]]", "JSON object"),
        ('{"action": "type", "text": 5}', "text in quotes"),
        ('{"action": "type", "text": "\\ud800"}', "surrogate"),
        ('{"action": "done"}\nThat is all.', "JSON object"),
        ('Maybe {"action": "done"}.\n{"action": "wait"}', "Action:"),
        (json.dumps([{"action": "done"}, {"action": "wait"}]), "last action"),
        (json.dumps([{"action": "wait"}] * 17), "at most 16"),
    ],
)
def test_json_is_refused(text: str, message: str) -> None:
    with pytest.raises(ActionParseError, match=message):
        make_codec("json").parse(text, SCREEN, CURSOR)
