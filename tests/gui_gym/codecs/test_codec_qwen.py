"""Qwen's computer_use tool calls: what the models write, what is refused and why, what the format cannot say."""

import json

import pytest

from gui_gym.actions import Action, Button, Key, Modifier
from gui_gym.codecs import ActionFormatError, ActionParseError, make_codec
from gui_gym.codecs.smart_resize import smart_resize

SCREEN, CURSOR = (1280, 720), (640, 360)


def call(**arguments: object) -> str:
    return "<tool_call>\n" + json.dumps({"name": "computer_use", "arguments": arguments}) + "\n</tool_call>"


def test_a_click_is_written_as_the_models_write_it() -> None:
    expected = '<tool_call>\n{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [3, 6]}}\n</tool_call>'
    assert make_codec("qwen").format(Action.click(3, 6), SCREEN) == expected


UNDERSTOOD = {
    call(action="key", keys=["ctrl", "s"]): [Action.press(Key.S, Modifier.CTRL)],
    call(action="key", keys=["ctrl+shift+t"]): [Action.press(Key.T, Modifier.CTRL, Modifier.SHIFT)],
    call(action="key", keys=["Return"]): [Action.press(Key.ENTER)],
    call(action="type", text="it's é 漢\n"): [Action.type_text("it's é 漢\n")],
    call(action="type", text="</tool_call> <tool_call>"): [Action.type_text("</tool_call> <tool_call>")],
    call(action="mouse_move", coordinate=[1, 2]): [Action.move(1, 2)],
    call(action="left_click"): [Action.click(*CURSOR)],
    call(action="left_click", coordinate=[1.0, 2]): [Action.click(1, 2)],
    call(action="left_click", coordinate=[1, 2], text="shift+ctrl"): [Action.click(1, 2, modifiers=(Modifier.CTRL, Modifier.SHIFT))],
    call(action="right_click", coordinate=[1, 2]): [Action.click(1, 2, Button.RIGHT)],
    call(action="middle_click", coordinate=[1, 2]): [Action.click(1, 2, Button.MIDDLE)],
    call(action="double_click", coordinate=[1, 2]): [Action.click(1, 2, clicks=2)],
    call(action="triple_click", coordinate=[1, 2]): [Action.click(1, 2, clicks=3)],
    call(action="left_click_drag", coordinate=[1, 2]): [Action.drag(*CURSOR, 1, 2)],
    call(action="mouse_move", coordinate=[5, 6]) + "\n" + call(action="left_click_drag", coordinate=[1, 2]): [Action.drag(5, 6, 1, 2)],
    call(action="scroll", pixels=-5): [Action.scroll_by(*CURSOR, dy=5)],
    call(action="scroll", coordinate=[7, 8], pixels=5): [Action.scroll_by(7, 8, dy=-5)],
    call(action="hscroll", pixels=5): [Action.scroll_by(*CURSOR, dx=5)],
    call(action="scroll", pixels=-30): [Action.scroll_by(*CURSOR, dy=15)] * 2,
    call(action="wait", time=1.5): [Action.wait_for(2)],
    call(action="terminate", status="success"): [Action.done()],
    call(action="terminate", status="failure"): [Action.fail()],
    call(action="answer", text="42"): [Action.answer("42")],
    call(action="answer", text="42") + "\n" + call(action="terminate", status="success"): [Action.answer("42")],
    "Action: Click on Save.\n" + call(action="left_click", coordinate=[1, 2]): [Action.click(1, 2)],
    "<think>\nIt is there.\n</think>\n\n" + call(action="left_click", coordinate=[1, 2]): [Action.click(1, 2)],
    'It says {"action": "done"}.\n```json\n' + call(action="wait", time=1) + "\n```": [Action.wait_for(1)],
    call(action="left_click", coordinate=[1, 2]) + call(action="type", text="a"): [Action.click(1, 2), Action.type_text("a")],
    call(action="Wait", time=1, text=None).replace("\n", " "): [Action.wait_for(1)],
}


@pytest.mark.parametrize("text", UNDERSTOOD)
def test_calls_are_read(text: str) -> None:
    assert make_codec("qwen").parse(text, SCREEN, CURSOR) == UNDERSTOOD[text]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("I am done.", "expected a call such as <tool_call>"),
        ("<tool_call>", "JSON object"),
        (call(action="wait", time=1).removesuffix("</tool_call>"), "expected </tool_call> after the call, got the end"),
        (call(action="wait", time=1) + "\nThat is all.", "nothing after the last call, got 'That is all"),
        ("I use <tool_call>.\n" + call(action="wait", time=1), "JSON object"),
        ("<think>\nIt is\n" + call(action="wait", time=1), "</think>"),
        (call(action="wait"), "wait needs 'time'"),
        (call(action="key", keys="ctrl"), "list of names"),
        (call(action="key", keys=[]), "at least one key"),
        (call(action="key", keys=["a", "b"]), "ctrl, shift, alt or meta"),
        (call(action="left_click", coordinate=[1, 2, 3]), r"expected \[x, y\]"),
        (call(action="left_click", coordinate="1,2"), r"expected \[x, y\]"),
        (call(action="left_click", coordinate=[1280, 2]), "0..1279"),
        (call(action="left_click", coordinate=[1.5, 2]), "0..1279"),
        (call(action="left_click", coordinate=[True, 2]), "expected a number"),
        (call(action="left_click", coordinate=[1, 2], text="a"), "ctrl, shift, alt or meta"),
        (call(action="left_click", start=[1, 2]), "no parameter 'start'"),
        (call(action="scroll", pixels=0.5), "whole number"),
        (call(action="scroll", pixels=-500), "expected -320..320 notches of the wheel, got '-500'"),
        (call(action="terminate", status="maybe"), "success or failure"),
        (call(action="answer", text="42") + call(action="terminate", status="failure"), "last action"),
        (call(action="click", coordinate=[1, 2]), "expected one of key, type"),
        (call(coordinate=[1, 2]), '"action"'),
        (call(action="wait", time=1).replace("computer_use", "browser_use"), "computer_use"),
        (call(action="wait", time=1).replace('"time"', '"action"'), "twice"),
        ("<tool_call>[]</tool_call>", "computer_use"),
    ],
)
def test_what_is_no_whole_call_is_refused(text: str, message: str) -> None:
    with pytest.raises(ActionParseError, match=message):
        make_codec("qwen").parse(text, SCREEN, CURSOR)


@pytest.mark.parametrize(
    "action",
    [
        Action.key_down(Key.A),
        Action.key_up(Key.A),
        Action.mouse_down(1, 2),
        Action.mouse_up(1, 2),
        Action.scroll_by(1, 2, 3, 4),
        Action.click(1, 2, Button.RIGHT, 2),
        Action.drag(1, 2, 3, 4, Button.RIGHT),
    ],
)
def test_what_the_tool_has_no_word_for_cannot_be_written(action: Action) -> None:
    with pytest.raises(ActionFormatError, match="computer_use has no word"):
        make_codec("qwen").format(action, SCREEN)


def test_the_prompt_holds_the_tool_as_chat_templates_write_tools() -> None:
    codec = make_codec("qwen", "thousand")
    text = codec.describe(SCREEN)
    tool = json.loads(text.split("<tools>\n")[1].split("\n</tools>")[0])
    properties = tool["function"]["parameters"]["properties"]
    assert tool["function"]["name"] == "computer_use" and "0..1000" in properties["coordinate"]["description"]
    used = {name for arguments in UNDERSTOOD for name in ("keys", "text", "coordinate", "pixels", "time", "status") if f'"{name}"' in arguments}
    assert set(properties) == {"action", *used}
    assert codec.example(SCREEN) in text


@pytest.mark.parametrize(
    ("frame", "screen", "error"),
    [("thousand", (1920, 1080), (1, 1)), ("thousand", (1000, 1000), (0, 0)), ("resized:1316x728", (1920, 1080), (1, 1))],
)
def test_a_click_moves_by_at_most_half_a_cell(frame: str, screen: tuple[int, int], error: tuple[int, int]) -> None:
    codec = make_codec("qwen", frame)
    assert codec.frame.max_error(screen) == error
    for x in range(0, screen[0], 7):
        (found,) = codec.parse(codec.format(Action.click(x, 5), screen), screen, CURSOR)
        assert abs(found.point[0] - x) <= error[0]


def test_a_picture_that_no_processor_takes_is_refused() -> None:
    assert smart_resize(1920, 1080) == (1316, 728)
    with pytest.raises(ValueError, match="at most 200 times"):
        smart_resize(2010, 10)
