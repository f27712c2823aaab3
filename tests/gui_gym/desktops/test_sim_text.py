"""Text fields and areas: undo and redo, selecting, the clipboard, word wrap and scroll bars."""

import pytest
from sim_rig import Rig

from gui_gym.actions import Action, Button, Key, Modifier
from gui_gym.desktops.sim import Window
from gui_gym.desktops.sim.widgets.area import TextArea, row_starts
from gui_gym.desktops.sim.widgets.text import TextField, TextWidget

CTRL, SHIFT = Modifier.CTRL, Modifier.SHIFT


def with_area(text: str, wrap: bool = False) -> tuple[Rig, TextArea]:
    rig = Rig()
    area = TextArea(id="area", x=10, y=30, w=200, h=150, text=text, wrap=wrap)
    rig.session.open(Window(id="w", title="W", x=100, y=50, w=220, h=190, widgets=[area], focus="area"))
    return rig, area


def with_fields(*texts: str) -> tuple[Rig, list[TextField]]:
    rig = Rig()
    fields = [TextField(id=f"f{i}", x=10, y=30 + 30 * i, w=200, h=21, text=text) for i, text in enumerate(texts)]
    rig.session.open(Window(id="w", title="W", x=100, y=50, w=220, h=190, widgets=list(fields), focus="f0"))
    return rig, fields


def place(rig: Rig, widget: TextWidget, index: int) -> tuple[int, int]:
    """The pixel of the screen where a character of the first line begins."""
    x, y, _, _ = rig.active.rect_of(widget)
    gap, font = rig.session.look.size.gap, widget.font(rig.session.look)
    return x + gap + 1 + font.width(widget.text[:index]), y + gap + font.height // 2


def test_undo_goes_back_by_what_was_done_in_one_go_and_redo_forth() -> None:
    rig, (field,) = with_fields("")
    rig.type("one").type(" two").press(Key.BACKSPACE).press(Key.BACKSPACE).press(Key.HOME).type("x").press(Key.DELETE).press(Key.DELETE)
    seen = [field.text]
    for _ in range(6):
        rig.press(Key.Z, CTRL)
        seen.append(field.text)
    assert seen == ["xe t", "xone t", "one t", "one two", "", "", ""]
    for keys in ((Key.Y, CTRL), (Key.Z, CTRL, SHIFT), (Key.Y, CTRL), (Key.Y, CTRL), (Key.Y, CTRL)):
        rig.press(*keys)
    assert field.text == "xe t"
    rig.press(Key.Z, CTRL).type("!").press(Key.Y, CTRL)
    assert field.text.count("!") == 1 and field.undone == [], "what is new cannot be redone"


def test_undo_brings_back_what_was_selected() -> None:
    rig, (field,) = with_fields("alpha beta")
    rig.press(Key.A, CTRL).type("x").press(Key.Z, CTRL)
    assert field.text == "alpha beta" and field.selection == (0, 10)


@pytest.mark.parametrize("seed", range(4))
def test_undoing_everything_gives_the_first_text_and_redoing_it_the_last(seed: int) -> None:
    import numpy as np

    rng = np.random.default_rng(seed)
    rig, area = with_area("start\nhere")
    keys = [Key.LEFT, Key.RIGHT, Key.UP, Key.HOME, Key.END, Key.BACKSPACE, Key.DELETE, Key.ENTER, Key.A, Key.TAB]
    for _ in range(40):
        modifiers = [m for m in (CTRL, SHIFT) if rng.random() < 0.25]
        rig.desktop.perform(Action.press(keys[int(rng.integers(len(keys)))], *modifiers))
    rig.check()
    last, steps = area.text, len(area.done)
    for _ in range(steps):
        rig.desktop.perform(Action.press(Key.Z, CTRL))
    assert area.text == "start\nhere" or steps == 50
    for _ in range(steps):
        rig.desktop.perform(Action.press(Key.Y, CTRL))
    assert area.text == last


def test_selecting_by_mouse_and_keys() -> None:
    rig, (field,) = with_fields("some_word and more")
    rig.do(Action.click(*place(rig, field, 3), clicks=2))
    assert field.selection == (0, 9)
    rig.do(Action.wait_for(1), Action.click(*place(rig, field, 3)), Action.click(*place(rig, field, 3)), Action.click(*place(rig, field, 3)))
    assert field.selection == (0, 18), "three clicks one after the other"
    rig.do(Action.mouse_down(*place(rig, field, 4)), Action.move(*place(rig, field, 12)), Action.mouse_up(*place(rig, field, 12)))
    assert field.selection == (4, 12)
    rig.press(Key.HOME).press(Key.RIGHT, SHIFT).press(Key.RIGHT, CTRL, SHIFT)
    assert field.selection == (0, 9)
    rig.press(Key.END, SHIFT)
    assert field.selection == (0, 18)


def test_dragging_past_the_edge_scrolls() -> None:
    rig, area = with_area("\n".join(f"line {i} " + "word " * 30 for i in range(60)))
    x, y = place(rig, area, 2)
    rig.do(Action.mouse_down(x, y), *(Action.move(x, 300 + i) for i in range(12)), Action.mouse_up(x, 320))
    assert area.top > 5 and area.selection[0] == 2 and area.selection[1] > 100
    rig.do(Action.mouse_down(x, y), *(Action.move(400 + i, y) for i in range(12)), Action.mouse_up(450, y))
    assert area.left > 20


def test_the_context_menu_and_a_clipboard_for_all() -> None:
    rig, (one, two) = with_fields("alpha beta", "")
    rig.do(Action.click(*place(rig, one, 8), clicks=2), Action.click(*place(rig, one, 8), button=Button.RIGHT)).choose("Cut")
    assert (one.text, rig.state.clipboard) == ("alpha ", "beta") and rig.state.log == []
    rig.right("f1").choose("Paste").right("f1").choose("Paste")
    assert two.text == "betabeta"
    rig.right("f1").choose("Select all").right("f1").choose("Copy")
    assert rig.state.clipboard == "betabeta" and two.selection == (0, 8)
    rig.right("f1").press(Key.LEFT).press(Key.HOME).press(Key.ESCAPE)
    assert two.selection == (0, 8), "keys are the menu's while it is open"
    editor = rig.launch("editor")
    rig.press(Key.V, CTRL)
    assert editor.area.text == "betabeta"


def test_text_that_is_only_to_be_read_can_be_copied_but_not_changed() -> None:
    rig, (field,) = with_fields("fixed")
    field.readonly = True
    rig.press(Key.A, CTRL).press(Key.X, CTRL).type("y").press(Key.BACKSPACE).press(Key.DELETE)
    assert field.text == "fixed" and rig.state.clipboard == "fixed"


def test_the_caret_keeps_its_column_over_short_lines() -> None:
    rig, area = with_area("a long line\nx\nanother long line")
    rig.press(Key.HOME, CTRL).press(Key.END).press(Key.DOWN).press(Key.DOWN)
    assert area.caret == len("a long line\nx\n") + 11
    rig.press(Key.LEFT).press(Key.UP).press(Key.UP)
    assert area.caret == 10


def test_word_wrap_shows_all_of_a_long_line() -> None:
    text = "The quick brown fox jumps over the lazy dog. " * 4 + "\nshort\n" + "x" * 90
    rig, area = with_area(text, wrap=True)
    look = rig.session.look
    starts = area.rows(look)
    assert len(starts) > 8 and area.pixels_in_all(look) == 0
    font = area.font(look)
    for row, start in enumerate(starts):
        assert font.width(text[start : area.row_end(look, row)].rstrip()) <= area.w
        assert start == 0 or text[start - 1] in " \n" or "x" in text[start - 1 : start + 1]
    rig.press(Key.HOME, CTRL).press(Key.DOWN)
    assert area.caret == starts[1], "down goes to the next row, not to the next line"
    rig.press(Key.END).press(Key.HOME)
    assert area.caret == starts[1]
    rig.press(Key.END, CTRL)
    assert area.caret == len(text) and area.top > 0
    for index in range(0, len(text), 7):
        area.move_caret(look, index, False)
        row = area.row_of(look, index)
        x = font.width(text[starts[row] : index]) + look.size.gap
        assert area.index_at(look, x, look.size.gap + (row - area.top) * font.height + 2) == index


def test_rows_of_unbroken_text_are_its_lines() -> None:
    rig, area = with_area("a\n\nbc\n")
    assert row_starts(area.font(rig.session.look), area.text, 0) == [0, 2, 3, 6]


def test_a_level_scroll_bar_where_lines_are_wide() -> None:
    rig, area = with_area("w" * 100 + "\n" + "short\n" * 30)
    look = rig.session.look
    x, y, _, _ = rig.active.rect_of(area)
    thumb, upright = area.level_thumb(look), area.thumb(look)
    assert thumb is not None and upright is not None and area.track(look)[3] < area.h - 2
    rig.do(Action.drag(x + thumb[0] + 3, y + thumb[1] + 2, x + area.w, y + thumb[1] + 2))
    assert area.left == area.pixels_in_all(look) - area.pixels_in_view(look) and area.caret == 0
    rig.do(Action.click(x + 3, y + thumb[1] + 2))
    assert area.left < area.pixels_in_all(look) - area.pixels_in_view(look)
    rig.do(Action.scroll_by(x + 20, y + 20, dx=-20))
    assert area.left == 0
    rig.do(Action.scroll_by(x + 20, y + 20, dx=1, dy=1))
    assert (area.top, area.left) == (3, 3 * look.size.font)
    area.set(rig.session, rig.active, "short")
    assert area.level_thumb(look) is None and area.thumb(look) is None


def test_a_hint_is_shown_while_a_field_is_empty() -> None:
    rig, (field,) = with_fields("")
    plain = rig.desktop.screenshot()
    field.hint = "Search"
    rig.session.touch(rig.active, field)
    assert (rig.desktop.screenshot() != plain).any()
    rig.type("x").press(Key.BACKSPACE)
    assert field.value == ""
