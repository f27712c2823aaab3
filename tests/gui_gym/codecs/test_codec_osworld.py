"""What OSWorld's two formats mean."""

from __future__ import annotations

import pytest

from gui_gym.actions import Action, Button, Key, Modifier
from gui_gym.codecs import ActionFormatError, ActionParseError, make_codec

SCREEN, CURSOR = (1920, 1080), (40, 50)
CTRL, SHIFT = Modifier.CTRL, Modifier.SHIFT

CODE = [
    ("pyautogui.click(100, 200)", [Action.click(100, 200)]),
    ("import pyautogui\nimport time\n# the button\npyautogui.click(x=1, y=2, clicks=2, interval=0.2, button='right')",
     [Action.click(1, 2, Button.RIGHT, 2)]),
    ("pyautogui.click()", [Action.click(40, 50)]),
    ("pyautogui.click((7, 8))", [Action.click(7, 8)]),
    ("pyautogui.click(5, 6, button=pyautogui.MIDDLE)", [Action.click(5, 6, Button.MIDDLE)]),
    ("pyautogui.rightClick(3, 4); pyautogui.doubleClick(5, 6)", [Action.click(3, 4, Button.RIGHT), Action.click(5, 6, clicks=2)]),
    ("pyautogui.moveTo(3, 4, duration=0.5)\npyautogui.dragTo(9, 9, 1.0, button='left')", [Action.drag(3, 4, 9, 9)]),
    ("pyautogui.moveTo(3, 4)\npyautogui.click()", [Action.click(3, 4)]),
    ("pyautogui.dragTo(9, 9)", [Action.drag(40, 50, 9, 9)]),
    ("pyautogui.drag(10, -20)", [Action.drag(40, 50, 50, 30)]),
    ("pyautogui.move(10, 0)\npyautogui.move(10, 0)", [Action.move(50, 50), Action.move(60, 50)]),
    (
        "pyautogui.mouseDown(1, 1)\npyautogui.moveTo(5, 5)\npyautogui.moveTo(9, 9)\npyautogui.mouseUp()",
        [Action.mouse_down(1, 1), Action.move(5, 5), Action.mouse_up(9, 9)],
    ),
    ("pyautogui.scroll(-5)", [Action.scroll_by(40, 50, dy=5)]),
    ("pyautogui.scroll(3, x=9, y=8)", [Action.scroll_by(9, 8, dy=-3)]),
    ("pyautogui.hscroll(2)", [Action.scroll_by(40, 50, dx=2)]),
    ("pyautogui.scroll(-50)", [Action.scroll_by(40, 50, dy=16), Action.scroll_by(40, 50, dy=17), Action.scroll_by(40, 50, dy=17)]),
    ('pyautogui.write("it\'s <b> café 漢字")', [Action.type_text("it's <b> café 漢字")]),
    ("pyautogui.typewrite('a\\nb', interval=0.05)", [Action.type_text("a\nb")]),
    ("pyautogui.write(['enter', 'a'])", [Action.press(Key.ENTER), Action.press(Key.A)]),
    ("pyautogui.press('page-down')", [Action.press(Key.PAGE_DOWN)]),
    ("pyautogui.press(['tab', 'tab'])", [Action.press(Key.TAB)] * 2),
    ("pyautogui.press('tab', presses=3)", [Action.press(Key.TAB)] * 3),
    ("pyautogui.press('A')", [Action.press(Key.A, SHIFT)]),
    ("pyautogui.hotkey('ctrl', 'shift', 's')", [Action.press(Key.S, CTRL, SHIFT)]),
    ("pyautogui.hotkey(['ctrl', '+'])", [Action.press(Key.PLUS, CTRL)]),
    ("pyautogui.keyDown('shift')\npyautogui.press('right')\npyautogui.keyUp('shift')",
     [Action.key_down(Key.SHIFT), Action.press(Key.RIGHT), Action.key_up(Key.SHIFT)]),
    ("pyautogui.keyDown('ctrl')\npyautogui.click(5, 6)\npyautogui.keyUp('ctrl')", [Action.click(5, 6, modifiers=(CTRL,))]),
    ("import pyautogui as pg\nfrom time import sleep\npg.press('esc')\nsleep(0.5)", [Action.press(Key.ESCAPE), Action.wait_for(1)]),
    ("from pyautogui import *\nclick(1, 2)", [Action.click(1, 2)]),
    ("x, y = 100, 40\ny = y + 2 * 5\npyautogui.click(x - 1, y)", [Action.click(99, 50)]),
    ("for i in range(3):\n    pyautogui.press('down')\n    pyautogui.click(10 * i, 5)",
     [a for i in range(3) for a in (Action.press(Key.DOWN), Action.click(10 * i, 5))]),
    ("for name in ['a', 'b']:\n    pyautogui.write(name + '!')", [Action.type_text("a!"), Action.type_text("b!")]),
    ("pyautogui.FAILSAFE = False\npyautogui.PAUSE = 0.1\npyautogui.click(1, 1)", [Action.click(1, 1)]),
    ("pyautogui.write('C:\\path')", [Action.type_text("C:\\path")]),
    ("DONE", [Action.done()]),
    ("FAIL", [Action.fail()]),
    ("WAIT", [Action.wait_for(2)]),
    ("```DONE```", [Action.done()]),
    ("```python\r\npyautogui.click(1, 2)\r\n```", [Action.click(1, 2)]),
    ("```py\npyautogui.click(1, 2)\n```", [Action.click(1, 2)]),
    ("I see the button.\n```python\nimport pyautogui\npyautogui.click(1, 2)\n```", [Action.click(1, 2)]),
    ("The file is saved.\n```\nDONE\n```", [Action.done()]),
    ("pyautogui.press('enter')\nDONE", [Action.press(Key.ENTER), Action.done()]),
]  # fmt: skip

REFUSED = [
    ("import os\nos.system('id')", "import of 'os'"),
    ("__import__('os').system('id')\npyautogui.click(1, 1)", "expected"),
    ("pyautogui.click(open('/etc/passwd').read(), 1)", "expected calls of pyautogui with constants"),
    ("pyautogui.write(f'{x}')", "expected calls of pyautogui with constants"),
    ("pyautogui.click(*[1, 2])", "expected calls of pyautogui with constants"),
    ("pyautogui.click(**{'x': 1})", "expected calls of pyautogui with constants"),
    ("pyautogui.click.__globals__['os']", "expected"),
    ("while True:\n    pyautogui.click(1, 1)", "expected calls of pyautogui"),
    ("for i in range(10**8):\n    pyautogui.click(1, 1)", "expected"),
    ("for i in range(200):\n    pass\npyautogui.click(1, 1)\nfor i in range(1000):\n    pass", "statements"),
    ("pyautogui.click(1920, 5)", "expected a whole number 0..1919"),
    ("pyautogui.click(-1, 5)", "expected a whole number 0..1919"),
    ("pyautogui.click(1.5, 5)", "expected a whole number"),
    ("pyautogui.click('1', 5)", "expected a number"),
    ("pyautogui.click(1, 2, clicks=4)", "clicks is 4"),
    ("pyautogui.click(1, 2, colour='red')", "no argument 'colour'"),
    ("pyautogui.press('volumeup')", "unknown key"),
    ("pyautogui.hotkey('a', 'b')", "expected ctrl"),
    ("pyautogui.screenshot('x.png')", "unknown call"),
    ("pyautogui.scroll(2000)", "expected at most"),
    ("pyautogui.scroll()", "expected other arguments"),
    ("time.sleep(1e9)", "0..60"),
    ("time.sleep(float('nan'))", "expected calls of pyautogui"),
    ("pyautogui.click(1, 2", "never closed"),
    ("pyautogui.click(1e400, 2)", "expected a number"),
    ("pyautogui.click(10 / 0, 2)", "expected calls of pyautogui"),
    ("pyautogui.click(1, 1)\n" * 17, "at most 16"),
    ("DONE\npyautogui.click(1, 2)", "expected"),
    ("pyautogui.write('" + "a" * 50_000 + "')", "at most 40000 characters"),
    ("import pyautogui", "does nothing"),
    ("Thought: I need", "expected an action"),
]

JSON = [
    ('{"action_type": "CLICK", "parameters": {"x": 1, "y": 2}}', [Action.click(1, 2)]),
    ('{"action_type": "CLICK", "x": 1, "y": 2, "button": "right", "num_clicks": 2}', [Action.click(1, 2, Button.RIGHT, 2)]),
    ('{"action_type": "CLICK", "parameters": {}}', [Action.click(40, 50)]),
    ('{"action_type": "CLICK"}', [Action.click(40, 50)]),
    ('[{"action_type": "MOVE_TO", "parameters": {"x": 3, "y": 4}}, {"action_type": "DRAG_TO", "parameters": {"x": 9, "y": 9}}]',
     [Action.drag(3, 4, 9, 9)]),
    ('[{"action_type": "MOVE_TO", "x": 3, "y": 4}, {"action_type": "MOUSE_DOWN"}]', [Action.mouse_down(3, 4)]),
    ('{"action_type": "SCROLL", "parameters": {"dx": 0, "dy": -5}}', [Action.scroll_by(40, 50, dy=5)]),
    ('{"action_type": "TYPING", "parameters": {"text": "it\'s <漢>"}}', [Action.type_text("it's <漢>")]),
    ('{"action_type": "PRESS", "parameters": {"key": "pagedown"}}', [Action.press(Key.PAGE_DOWN)]),
    ('{"action_type": "HOTKEY", "parameters": {"keys": ["ctrl", "c"]}}', [Action.press(Key.C, CTRL)]),
    ('{"action_type": "double_click", "x": 1, "y": 2}', [Action.click(1, 2, clicks=2)]),
    ("WAIT", [Action.wait_for(2)]),
    ('{"action_type": "DONE"}', [Action.done()]),
    ("```json\n{\"action_type\": \"FAIL\"}\n```", [Action.fail()]),
]  # fmt: skip

REFUSED_JSON = [
    ('{"action_type": "CLICK", "parameters": {"x": 1}}', "both x and y"),
    ('{"action_type": "CLICK", "parameters": {"x": "1", "y": 2}}', "expected a number"),
    ('{"action_type": "CLICK", "parameters": {"x": 5000, "y": 2}}', "expected a whole number 0..1919"),
    ('{"action_type": "JUMP"}', "unknown action_type"),
    ('{"action_type": "SCROLL"}', "needs dx or dy"),
    ('{"action_type": "HOTKEY", "parameters": {"keys": "ctrl+c"}}', "expected a list"),
    ('{"action_type": "PRESS", "parameters": {"key": "volumeup"}}', "unknown key"),
    ('{"action_type": "CLICK", "parameters": {"x": 1, "y": 2}, "x": 3}', "alone"),
    ('{"action_type": "CLICK", "parameters": {"x": 1, "y": 2, "z": 3}}', "no parameter 'z'"),
    ('{"action_type": "MOVE_TO"}', "needs both"),
    ('{"action": "CLICK"}', "action_type"),
    ('{"action_type": "CLICK", "x": ' + "9" * 5000 + ', "y": 1}', "expected"),
]


@pytest.mark.parametrize(("text", "actions"), CODE)
def test_pyautogui(text: str, actions: list[Action]) -> None:
    assert make_codec("pyautogui").parse(text, SCREEN, CURSOR) == actions


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_what_is_no_plain_pyautogui_is_refused(text: str, message: str) -> None:
    with pytest.raises(ActionParseError, match=message):
        make_codec("pyautogui").parse(text, SCREEN, CURSOR)


@pytest.mark.parametrize(("text", "actions"), JSON)
def test_computer_13(text: str, actions: list[Action]) -> None:
    assert make_codec("computer_13").parse(text, SCREEN, CURSOR) == actions


@pytest.mark.parametrize(("text", "message"), REFUSED_JSON)
def test_what_computer_13_refuses(text: str, message: str) -> None:
    with pytest.raises(ActionParseError, match=message):
        make_codec("computer_13").parse(text, SCREEN, CURSOR)


def test_nothing_of_a_text_can_be_taken_for_code() -> None:
    codec = make_codec("pyautogui")
    for text in ("'); import os; os.system('id'); ('", '"""', "\\", "a\nDONE\n", "{x}", "\x00\x1b"):
        written = codec.format(Action.type_text(text), SCREEN)
        assert "\n" not in written and codec.parse(written, SCREEN, CURSOR) == [Action.type_text(text)]


@pytest.mark.parametrize("name", ["pyautogui", "computer_13"])
def test_what_oswolds_formats_have_no_word_for(name: str) -> None:
    for action in (Action.answer("42"), Action.press(Key.A, SHIFT, CTRL).__class__(Action.press(Key.A).type, modifiers=(SHIFT, CTRL))):
        with pytest.raises(ActionFormatError):
            make_codec(name).format(action, SCREEN)


def test_points_in_other_frames() -> None:
    assert make_codec("pyautogui", "unit").parse("pyautogui.click(0.5, 0.5)", SCREEN, CURSOR) == [Action.click(960, 540)]
    assert make_codec("computer_13", "thousand").parse('{"action_type": "CLICK", "x": 500, "y": 1000}', SCREEN, CURSOR) == [Action.click(960, 1079)]
