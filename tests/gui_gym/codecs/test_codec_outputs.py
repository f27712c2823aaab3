"""What models of other habits write: understood where it can mean one thing only, else an error that shows the way."""

import pytest

from gui_gym.actions import Action, Button, Key, Modifier
from gui_gym.codecs import ActionParseError, make_codec

SCREEN, CURSOR = (1280, 720), (5, 5)

UNDERSTOOD = {
    "Thought: I need the OK button.\nAction: click(x=100, y=200)": Action.click(100, 200),
    "I will click the button at (640, 360).\n\nclick(x=640, y=360)": Action.click(640, 360),
    "**Action:** `click(x=640, y=360)`": Action.click(640, 360),
    "`click(640, 360)`": Action.click(640, 360),
    "```python\nclick(640, 360)\n```": Action.click(640, 360),
    "<think>It is at the top.</think>\nclick(x=1,y=2)": Action.click(1, 2),
    "Save (top left) is the button.\nclick(x=3,y=4)": Action.click(3, 4),
    "Files (1) is open.\nNext (see below):\nAction: key(ctrl+s)": Action.press(Key.S, Modifier.CTRL),
    "type(text='it\\'s `quoted`')": Action.type_text("it's `quoted`"),
    'hotkey("ctrl", "shift", "t")': Action.press(Key.T, Modifier.CTRL, Modifier.SHIFT),
    "right_click(x=5,y=6)": Action.click(5, 6, Button.RIGHT),
    'scroll(x=640, y=360, direction="down", amount=5)': Action.scroll_by(640, 360, dy=5),
}


@pytest.mark.parametrize("text", UNDERSTOOD)
def test_habits_that_are_understood(text: str) -> None:
    assert make_codec("dsl").parse(text, SCREEN, CURSOR) == [UNDERSTOOD[text]]


FOREIGN = [
    "pyautogui.click(x=640, y=360)",
    "```python\npyautogui.click(640, 360)\n```",
    'pyautogui.hotkey("ctrl", "s")',
    "import pyautogui\npyautogui.write('hello', interval=0.05)",
    '<tool_call>\n{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [640, 360]}}\n</tool_call>',
    '{"action": "click", "x": 640, "y": 360}',
    "DONE",
    "WAIT",
    "ANSWER: 42",
    "Task completed.",
    "click[3,4]",
    "<answer>click(x=1,y=2)</answer>",
    "1. click(x=1,y=2)",
    'Action: click\nAction Input: {"x": 1, "y": 2}',
    "click(640, 360)\nThis will open the menu.",
]


@pytest.mark.parametrize("text", FOREIGN)
@pytest.mark.parametrize("frame, example", [("pixels", "click(x=640,y=360)"), ("grid:10", "click(x=5,y=5)")])
def test_another_formats_text_is_an_error_with_an_example_in_this_ones(text: str, frame: str, example: str) -> None:
    if frame == "grid:10":
        text = text.replace("click(640, 360)\n", "click(5, 5)\n")
    codec = make_codec("dsl", frame)
    with pytest.raises(ActionParseError) as caught:
        codec.parse(text, SCREEN, CURSOR)
    assert f"such as {example}" in str(caught.value)
    assert codec.parse(example, SCREEN, CURSOR)


@pytest.mark.parametrize(
    "text, message",
    [
        ("click(start_box='(640,360)')", "no argument 'start_box': expected x, y, button, clicks, modifiers"),
        ('click(point="<point>640 360</point>")', "no argument 'point': expected x, y"),
        ('terminate(status="success")', "no argument 'status': expected no arguments"),
        ("left_click([3,4])", "expected a number, a name or a text in quotes"),
        ("click(x=640,y=360[,button=left])", "expected , or )"),
        ("click(x=0.5, y=0.5)", "expected a whole number 0..1279"),
        ("click(x=1,y=2) type(text='a')", "expected a new line after"),
        ("type(hello world)", "expected , or )"),
        ("type(text=“hello”)", "a text in quotes"),
        ("answer(42)", "expected a text in quotes"),
        ("screenshot()", "expected one of move, click"),
        ("key(key=ctrl-c)", "joined by +, such as ctrl"),
    ],
)
def test_a_call_that_is_nearly_right_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(ActionParseError) as caught:
        make_codec("dsl").parse(text, SCREEN, CURSOR)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text, message",
    [
        ('{"action": "left_click", "coordinate": [640, 360]}', "no argument 'coordinate': expected x, y"),
        ('{"action": "click", "x": [640, 360]}', 'x of click: expected a number or a text, got \'["640", "360"]\''),
        ('{"action": "type", "content": "hello"}', "no argument 'content': expected text"),
        ('{"action_type": "CLICK", "x": 640, "y": 360}', 'expected a JSON object with an "action"'),
        ('I click. {"action": "click", "x": 640, "y": 360}', 'such as {"action": "click", "x": 640, "y": 360} on a line of its own'),
        ("pyautogui.click(640, 360)", 'such as {"action": "click", "x": 640, "y": 360}'),
        ('<tool_call>\n{"name": "computer_use"}\n</tool_call>', 'such as {"action": "click", "x": 640, "y": 360}'),
    ],
)
def test_json_of_another_kind_says_what_is_expected(text: str, message: str) -> None:
    with pytest.raises(ActionParseError) as caught:
        make_codec("json").parse(text, SCREEN, CURSOR)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["dsl", "json"])
@pytest.mark.parametrize("frame", ["pixels", "unit", "thousand", "grid:10", "resized:640x360"])
def test_the_prompt_shows_an_action_that_the_parser_takes(name: str, frame: str) -> None:
    codec = make_codec(name, frame)
    example = codec.example(SCREEN)
    assert example in codec.describe(SCREEN) and "Action:" in codec.describe(SCREEN)
    assert codec.parse(f"I think (so).\nAction: {example}", SCREEN, CURSOR) == codec.parse(example, SCREEN, CURSOR)
    x, y = codec.parse(example, SCREEN, CURSOR)[0].point
    assert abs(x - 640) <= 64 and abs(y - 360) <= 36
