"""The ``dsl`` format, text by text; many are outputs that models really gave."""

from __future__ import annotations

import pytest

from gui_gym.actions import Action, Button, Key, Modifier
from gui_gym.codecs import ActionParseError, make_codec

SCREEN, CURSOR = (1920, 1080), (30, 40)
CTRL, SHIFT = Modifier.CTRL, Modifier.SHIFT


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("click(x=3, y=6)", Action.click(3, 6)),
        ("click(3, 6)", Action.click(3, 6)),
        ("click(3, y=6)", Action.click(3, 6)),
        ("CLICK( X = 3 ,\n Y=6 )", Action.click(3, 6)),
        ("click()", Action.click(*CURSOR)),
        ("click(button=right)", Action.click(*CURSOR, button=Button.RIGHT)),
        ("click(x=10, y=20, button=right, clicks=2, modifiers=ctrl+shift)", Action.click(10, 20, Button.RIGHT, 2, (CTRL, SHIFT))),
        ('click(x=10,y=20,modifiers="shift+Control")', Action.click(10, 20, modifiers=(CTRL, SHIFT))),
        ("double_click(1, 2)", Action.click(1, 2, clicks=2)),
        ("doubleClick(1, 2)", Action.click(1, 2, clicks=2)),
        ("right_click(x=1,y=2,clicks=2)", Action.click(1, 2, Button.RIGHT, 2)),
        ("drag(to_x=5,to_y=6)", Action.drag(*CURSOR, 5, 6)),
        ("drag(1,2,5,6)", Action.drag(1, 2, 5, 6)),
        ("scroll(x=1,y=2,dy=-3)", Action.scroll_by(1, 2, dy=-3)),
        ("scroll(direction=left, amount=5)", Action.scroll_by(*CURSOR, dx=-5)),
        ("scroll_down()", Action.scroll_by(*CURSOR, dy=3)),
        ('type("hi")', Action.type_text("hi")),
        ('TYPE(text="it\'s")', Action.type_text("it's")),
        (r"type(text='it\'s \"so\" \\ é')", Action.type_text('it\'s "so" \\ é')),
        ("type(text='say \"hi\"')", Action.type_text('say "hi"')),
        ('type(text="two\nlines")', Action.type_text("two\nlines")),
        (r'type(text="\u00e9\n")', Action.type_text("é\n")),
        ("key(key=ctrl+s)", Action.press("s", CTRL)),
        ('hotkey("ctrl", "shift", "s")', Action.press("s", CTRL, SHIFT)),
        ("hotkey(ctrl+s)", Action.press("s", CTRL)),
        ("hotkey('ctrl','+')", Action.press("+", CTRL)),
        ('press("page-down")', Action.press(Key.PAGE_DOWN)),
        ('press("Page_Down")', Action.press(Key.PAGE_DOWN)),
        ('key("ctrl++")', Action.press(Key.PLUS, CTRL)),
        ('key("+")', Action.press(Key.PLUS)),
        ('key("<")', Action.press(Key.LESS)),
        ('key(key="\'")', Action.press(Key.APOSTROPHE)),
        ('key("alt+F4")', Action.press(Key.F4, Modifier.ALT)),
        ("WAIT()", Action.wait_for(1)),
        ("wait(5)", Action.wait_for(5)),
        ("DONE()", Action.done()),
        ("finished()", Action.done()),
        ("fail()", Action.fail()),
        ('answer(text="42")', Action.answer("42")),
        ("I will click it (the button).\nclick(1,2)", Action.click(1, 2)),
        ("Thought: maybe done() or click(9,9)?\nAction: click(1,2)", Action.click(1, 2)),
        ("**Action**: click(1,2)", Action.click(1, 2)),
        ("Thought: x\nAction:\n```\nclick(1,2)\n```\n", Action.click(1, 2)),
        ("```python\r\nclick(1,2)\r\n```", Action.click(1, 2)),
        ("```py\nclick(1,2)\n```", Action.click(1, 2)),
        ("<think>done()?</think>\nCLICK(1, 2)", Action.click(1, 2)),
        ("it is blue\n</think>\n\nclick(1,2)", Action.click(1, 2)),
    ],
)
def test_is_read(text: str, action: Action) -> None:
    assert make_codec("dsl").parse(text, SCREEN, CURSOR) == [action]


def test_unit_points_of_a_thought_and_action_text() -> None:
    codec = make_codec("dsl", "unit")
    assert codec.parse("Thought: x\nAction: CLICK(x=0.5, y=0.5)", SCREEN, CURSOR) == [Action.click(960, 540)]
    assert codec.parse("CLICK(x=1.0, y=1.0)", SCREEN, CURSOR) == [Action.click(1919, 1079)]


def test_what_a_tiny_model_writes_is_minimal() -> None:
    assert make_codec("dsl", "grid:10").format(Action.click(700, 700), SCREEN) == "click(x=3,y=6)"
    codec = make_codec("dsl")
    assert codec.format(Action.press("s", CTRL), SCREEN) == "key(key=ctrl+s)"
    assert codec.format(Action.press("+", CTRL), SCREEN) == 'key(key="ctrl++")'
    assert codec.format(Action.wait_for(1), SCREEN) == "wait()"
    assert codec.format(Action.type_text("it's"), SCREEN) == 'type(text="it\'s")'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty text"),
        ("Thought: I need", "expected an action"),
        ("done", "expected an action"),
        ("Action: done", "expected a call"),
        ("clik(1,2)", "did you mean click"),
        ("frobnicate()", "expected one of move"),
        ("click(x=3)", "both x and y"),
        ("click(1,2,3)", "at most 2 unnamed"),
        ("click(x=1,y=2,x=3)", "given twice"),
        ("click(1,2,x=3)", "given twice"),
        ("click(x=1,2)", "name=value"),
        ("click(x=1,y=2,)", "after the comma"),
        ("click(x=1 y=2)", "expected , or"),
        ("click(x=1,y=2", "end of the text"),
        ("click(x=1,y=2))", "new line"),
        ("click(x=1,y=2) and more", "new line"),
        ("click(x=1,y=2); done()", "new line"),
        ("click(x=1,y=2)\nThen it is done.", "expected a call"),
        ("click(x=0.5.5,y=0)", "whole number 0..1919"),
        ("click(x=0.5,y=0.5)", "whole number 0..1919"),
        ("click(x=1920,y=0)", "whole number 0..1919"),
        ("click(x=-5,y=0)", "whole number 0..1919"),
        ("click(x=nan,y=0)", "whole number 0..1919"),
        ("click(x=1e3,y=0)", "whole number 0..1919"),
        ('click(x="1",y=0)', "whole number 0..1919"),
        ("click(x=1+1,y=0)", "whole number 0..1919"),
        ("click(1,2,colour=red)", "unnamed|no argument"),
        ("click(x=1,y=2,colour=red)", "no argument 'colour'"),
        ("click(x=1,y=2,clicks=4)", "1..3"),
        ("click(x=1,y=2,button=leftt)", "left, middle or right"),
        ("click(x=1,y=2,modifiers=ctrl+ctrl)", "at most once"),
        ("click(x=1,y=2,modifiers=hyper)", "ctrl, shift, alt or meta"),
        ("right_click(x=1,y=2,button=left)", "says it already"),
        ("scroll(1,2)", "dx or dy"),
        ("scroll(-3)", "both x and y|whole number"),
        ("scroll(dy=3,direction=up)", "direction with an amount"),
        ("scroll(direction=up,amount=0)", "1..20"),
        ("scroll(direction=sideways)", "up, down, left, right"),
        ("type(hello)", "text in quotes"),
        ("type()", "needs the argument 'text'"),
        ('type("a" "b")', "expected , or"),
        (r'type("C:\Users")', "escapes of JSON"),
        (r'type("\ud800")', "surrogate"),
        ("key(ctrl+)", "joined by"),
        ("key(ctrl-s)", "joined by"),
        ("key(control-l)", "joined by"),
        ('key("shift left")', "joined by"),
        ("key(entr)", "did you mean enter"),
        ("key(s+ctrl)", "ctrl, shift, alt or meta"),
        ('key("")', "unknown key"),
        ("key_down(ctrl+s)", "unknown key"),
        ("wait(61)", "0..60"),
        ("wait(1.5)", "0..60"),
        ("done(1)", "unnamed"),
        ('terminate(status="failure")', "no argument 'status'"),
        ("done()\nclick(1,2)", "last action"),
        ("click(1,2)\n" * 17, "at most 16"),
        ("Action: click(1,2)\nAction: click(3,4)", "one 'Action:'"),
        ("maybe click(9,9)\nclick(1,2)", "Action:"),
        ("```\nclick(1,2)\n```\n```\nclick(3,4)\n```", "code block"),
        ("```\nclick(1,2)", "code block"),
        ("```\nclick(1,2)\n```\ndone()", "code block"),
        ("first click(9,9)\n```\nclick(1,2)\n```", "code block"),
        ("<think>click(1,2)", "unfinished thought"),
        ("__import__('os').system('true')", "unknown action"),
    ],
)
def test_is_refused(text: str, message: str) -> None:
    with pytest.raises(ActionParseError, match=message):
        make_codec("dsl").parse(text, SCREEN, CURSOR)


def test_a_pointer_off_the_screen_is_an_error_too() -> None:
    with pytest.raises(ActionParseError, match="outside the screen"):
        make_codec("dsl").parse("click()", SCREEN, (5000, 0))
