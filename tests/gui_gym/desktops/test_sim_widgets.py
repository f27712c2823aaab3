"""Widgets answer to mouse and keyboard as people expect."""

import pytest

from gui_gym.actions import Action, Button, Key, Modifier
from gui_gym.desktops.sim.apps.dialog import Dialog
from gui_gym.desktops.sim.apps.editor import Editor, make_editor
from gui_gym.desktops.sim.apps.files import Files, make_files
from gui_gym.desktops.sim.layout import Column
from gui_gym.desktops.sim.perform import perform
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State, Window
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.desktops.sim.widgets.basic import Button as PushButton
from gui_gym.desktops.sim.widgets.basic import CheckBox, Radio
from gui_gym.desktops.sim.widgets.choice import DropDown, MenuBar, Slider
from gui_gym.desktops.sim.widgets.listview import ListView
from gui_gym.desktops.sim.widgets.text import TextField

CTRL, SHIFT, ALT = Modifier.CTRL, Modifier.SHIFT, Modifier.ALT


class Rig:
    """A session with one window of widgets, and short ways to act on it."""

    def __init__(self, *widgets: Widget, height: int | None = None, window: Window | None = None):
        self.session = Session(State(640, 400, cursor=(639, 0)))
        self.window = window or Dialog(id="window", title="Window", closing=[])
        column = Column(self.session, self.window, 300)
        for widget in widgets:
            column.row(widget, height=height)
        column.finish()
        self.window.x, self.window.y = 100, 40
        self.session.open(self.window)

    def do(self, *actions: Action) -> "Rig":
        for action in actions:
            perform(self.session, action.check(640, 400))
        return self

    def at(self, widget: Widget, dx: int | None = None, dy: int | None = None) -> tuple[int, int]:
        x, y, w, h = self.window.rect_of(widget)
        return x + (w // 2 if dx is None else dx), y + (h // 2 if dy is None else dy)

    def click(self, widget: Widget, dx: int | None = None, dy: int | None = None, **more) -> "Rig":
        return self.do(Action.click(*self.at(widget, dx, dy), **more))

    def keys(self, *keys: str, modifiers: tuple[Modifier, ...] = ()) -> "Rig":
        return self.do(*(Action.press(key, *modifiers) for key in keys))

    def signals(self) -> list[tuple[str, str]]:
        return [(event.widget, event.signal) for event in self.session.state.log]


def field_with(text: str) -> tuple[Rig, TextField]:
    field = TextField(id="field")
    rig = Rig(field)
    rig.click(field).do(Action.type_text(text))
    return rig, field


@pytest.mark.parametrize("text", ["it's", 'say "hi"', "<>&\\#@/~^", "naïve – é ł 日本語 😀", " spaced  out ", "ALL caps 123"])
def test_any_text_is_typed_as_it_is(text: str) -> None:
    assert field_with(text)[1].value == text


def test_typing_goes_nowhere_without_a_focus() -> None:
    field = TextField(id="field")
    assert Rig(field).do(Action.type_text("lost")) and field.value == ""


def test_every_key_types_its_character() -> None:
    from gui_gym.actions import KEY_CHARACTER

    rig, field = field_with("")
    rig.do(*(Action.press(key) for key in KEY_CHARACTER))
    assert field.value == "".join(KEY_CHARACTER.values())


def test_shift_and_caps_lock() -> None:
    rig, field = field_with("")
    rig.keys("a", "1", ";", modifiers=(SHIFT,)).keys("capslock", "b", "2").keys("c", modifiers=(SHIFT,)).keys("capslock", "d")
    assert field.value == "A!:B2cd"
    rig.do(Action.key_down(Key.SHIFT), Action.press("e"), Action.key_up(Key.SHIFT), Action.press("f"))
    assert field.value == "A!:B2cdEf"


def test_a_key_that_is_held_down_types_once_and_held_modifiers_count() -> None:
    rig, field = field_with("word")
    rig.do(Action.key_down(Key.X), Action.key_up(Key.X))
    assert field.value == "wordx"
    rig.do(Action.key_down(Key.CTRL), Action.press("a"), Action.type_text("c"), Action.key_up(Key.CTRL), Action.press("end"), Action.press("v", CTRL))
    assert field.value == "wordxwordx"


def test_editing_keys() -> None:
    rig, field = field_with("hello world")
    assert rig.keys("backspace") and field.value == "hello worl"
    assert rig.keys("home", "delete") and field.value == "ello worl"
    assert rig.keys("right", "left", "right").do(Action.type_text("-")) and field.value == "e-llo worl"
    assert rig.keys("end", "backspace", modifiers=(CTRL,)) and field.value == "e-llo "
    assert rig.keys("home", modifiers=(SHIFT,)).do(Action.type_text("x")) and field.value == "x"
    assert rig.keys("backspace", "backspace", "delete") and field.value == ""


def test_selection_clipboard_and_undo() -> None:
    rig, field = field_with("one two")
    rig.keys("a", "c", modifiers=(CTRL,))
    assert field.selection == (0, 7) and rig.session.state.clipboard == "one two"
    assert rig.keys("end").keys("v", modifiers=(CTRL,)) and field.value == "one twoone two"
    assert rig.keys("a", "x", modifiers=(CTRL,)) and field.value == ""
    assert rig.keys("z", modifiers=(CTRL,)) and field.value == "one twoone two"
    assert rig.keys("z", modifiers=(CTRL,)) and field.value == "one two"
    assert rig.keys("z", "z", modifiers=(CTRL,)) and field.value == ""  # what was typed in one go is undone in one


def test_selecting_with_the_mouse() -> None:
    rig, field = field_with("alpha beta gamma")
    font = rig.session.look.sans
    middle = rig.session.look.size.gap + 1 + font.width("alpha be")
    rig.click(field, dx=middle, clicks=2)
    assert field.selection == (6, 10)
    rig.click(field, dx=middle, clicks=3)
    assert field.selection == (0, 16)
    rig.do(Action.drag(*rig.at(field, dx=2), *rig.at(field, dx=middle)))
    assert field.selection == (0, 8)
    rig.click(field, dx=2).click(field, dx=middle, modifiers=(SHIFT,))
    assert field.selection == (0, 8)


def test_a_long_line_scrolls_with_the_caret() -> None:
    rig, field = field_with("word " * 80)
    assert field.left > 0
    rig.keys("home")
    assert field.left == 0 and field.caret == 0


def test_a_click_is_down_and_up_on_the_same_button() -> None:
    button, other = PushButton(id="button", name="Go"), PushButton(id="other", name="No")
    rig = Rig(button, other)
    rig.click(button)
    assert rig.signals() == [("button", "clicked")]
    rig.do(Action.mouse_down(*rig.at(button)))
    assert button.down
    rig.do(Action.mouse_up(*rig.at(other)))
    assert not button.down and rig.signals() == [("button", "clicked")]
    rig.click(button, button=Button.RIGHT).click(button, button=Button.MIDDLE)
    assert rig.signals() == [("button", "clicked")]
    rig.click(other, clicks=3)
    assert rig.signals()[1:] == [("other", "clicked")] * 3


def test_tab_goes_round_and_enter_and_space_press() -> None:
    box, first, second = CheckBox(id="box", name="Box"), PushButton(id="first", name="First"), PushButton(id="second", name="Second")
    rig = Rig(box, first, second)
    rig.keys("tab")
    assert rig.window.focus == "box"
    rig.keys("space")
    assert box.checked
    rig.keys("tab", "enter").keys("tab", "space")
    assert rig.signals() == [("box", "toggled"), ("first", "clicked"), ("second", "clicked")]
    assert rig.keys("tab") and rig.window.focus == "box"
    assert rig.keys("tab", modifiers=(SHIFT,)) and rig.window.focus == "second"


def test_enter_in_a_field_presses_the_default_button() -> None:
    field, ok = TextField(id="field"), PushButton(id="ok", name="OK")
    rig = Rig(field, ok, window=Dialog(id="window", title="Window", closing=["ok"], default="ok"))
    rig.click(field).do(Action.type_text("done\n"))
    assert rig.session.state.windows == []
    assert [(e.widget, e.value) for e in rig.session.state.events("submitted")] == [("ok", '{"field": "done"}')]


def test_tabs_and_line_ends_in_typed_text_are_keys() -> None:
    one, two = TextField(id="one"), TextField(id="two")
    rig = Rig(one, two)
    rig.click(one).do(Action.type_text("Ada\tLovelace\r\n"))
    assert (one.value, two.value) == ("Ada", "Lovelace")


def test_check_boxes_and_radio_buttons() -> None:
    box, a, b = CheckBox(id="box", name="Box"), Radio(id="a", name="A", group="g"), Radio(id="b", name="B", group="g")
    rig = Rig(box, a, b)
    rig.click(box)
    assert box.value is True
    rig.click(box).click(a).click(b)
    assert (box.value, a.value, b.value) == (False, False, True)


def test_a_slider_by_drag_click_keys_and_wheel() -> None:
    slider = Slider(id="slider", low=0, high=100, step=5, number=0)
    rig = Rig(slider)
    look = rig.session.look
    rig.do(Action.drag(*rig.at(slider, dx=slider.position(look, 0)), *rig.at(slider, dx=slider.position(look, 60))))
    assert slider.value == 60
    for number in range(0, 101, 5):
        rig.click(slider, dx=slider.position(look, number))
        assert slider.value == number
    rig.keys("left", "down", "right")
    assert slider.value == 95
    rig.keys("home", "page_up")
    assert slider.value == 50
    rig.do(Action.scroll_by(*rig.at(slider), dy=-2))
    assert slider.value == 60
    rig.keys("end", "right")
    assert slider.value == 100


def test_a_drop_down() -> None:
    drop = DropDown(id="drop", choices=["red", "green", "blue"])
    rig = Rig(drop)
    rig.click(drop)
    popup = rig.session.state.popup
    assert popup is not None and popup.items == ["red", "green", "blue"]
    x, y, w, h = rig.session.item_rects(popup)[1]
    rig.do(Action.click(x + w // 2, y + h // 2))
    assert drop.value == "green" and rig.session.state.popup is None
    rig.keys("down")
    assert drop.value == "blue"
    rig.keys("space", "down", "enter")
    assert drop.value == "red"


def test_a_menu_bar_by_mouse_and_keys() -> None:
    bar = MenuBar(id="bar", menus={"File": ["Open", "-", "Save"], "Edit": ["Undo"]})
    rig = Rig(bar)
    state = rig.session.state
    titles = dict(bar.titles(rig.session.look))
    rig.click(bar, dx=titles["File"][0] + 3)
    assert bar.opened == "File" and state.popup is not None
    rects = rig.session.item_rects(state.popup)
    rig.do(Action.click(rects[1][0] + 5, rects[1][1] + 1))
    assert state.popup is not None, "the line between items is no item"
    rig.do(Action.click(rects[2][0] + 5, rects[2][1] + 5))
    assert [e.value for e in state.log] == ["File > Save"] and bar.opened == "" and state.popup is None
    rig.click(bar, dx=titles["File"][0] + 3).click(bar, dx=titles["Edit"][0] + 3)
    assert bar.opened == "Edit"
    rig.keys("left", "down", "down", "enter")
    assert [e.value for e in state.log] == ["File > Save", "File > Save"]
    rig.keys("f10", "down", "enter")
    assert [e.value for e in state.log][2:] == ["File > Open"]
    rig.click(bar, dx=titles["File"][0] + 3).keys("escape")
    assert state.popup is None and bar.opened == ""


def test_a_click_beside_an_open_menu_only_closes_it() -> None:
    bar, button = MenuBar(id="bar", menus={"File": ["Open"]}), PushButton(id="button", name="Go")
    rig = Rig(bar, button)
    rig.click(bar, dx=5).do(Action.click(*rig.at(button, dx=250)))
    assert rig.session.state.popup is None and rig.signals() == []


def test_the_item_under_the_pointer_is_marked() -> None:
    drop = DropDown(id="drop", choices=["red", "green", "blue"])
    rig = Rig(drop)
    popup = rig.click(drop).session.state.popup
    assert popup is not None and popup.selected == -1
    x, y, w, h = rig.session.item_rects(popup)[2]
    rig.do(Action.move(x + 3, y + 3))
    assert popup.selected == 2 and drop.value == ""
    rig.do(Action.move(0, 0))
    assert popup.selected == -1
    rig.do(Action.move(x + 3, y + 3)).keys("enter")
    assert drop.value == "blue"


def test_a_menu_that_opens_under_the_pointer_chooses_nothing_by_itself() -> None:
    drop = DropDown(id="drop", choices=["red", "green", "blue"])
    rig = Rig(drop)
    rig.window.y = rig.session.work_area[3] - rig.window.h
    popup = rig.click(drop).session.state.popup
    assert popup is not None and popup.rect[1] < rig.at(drop)[1] < popup.rect[1] + popup.rect[3]
    assert drop.value == "" and rig.session.state.grab is None


def test_radio_buttons_by_arrow_keys() -> None:
    one, two, other = Radio(id="one", group="g"), Radio(id="two", group="g"), Radio(id="other", group="h", checked=True)
    rig = Rig(one, two, other)
    rig.click(one).keys("down")
    assert (one.checked, two.checked, rig.window.focus) == (False, True, "two")
    rig.keys("right")
    assert (one.checked, two.checked, other.checked) == (True, False, True)


def a_list(rows: int = 30) -> tuple[Rig, ListView]:
    view = ListView(id="list", columns=["Name"], rows=[[f"row {i}"] for i in range(rows)], menu=["Open", "Delete"])
    return Rig(view, height=160), view


def test_a_list_by_mouse() -> None:
    rig, view = a_list()
    look = rig.session.look
    place = view.row_rect(look, 2)
    assert place is not None
    rig.click(view, dx=20, dy=place[1] + 3)
    assert view.value == "row 2"
    rig.click(view, dx=20, dy=place[1] + 3, clicks=2)
    assert rig.signals()[-1] == ("list", "activated")
    rig.do(Action.scroll_by(*rig.at(view), dy=3))
    assert view.top == 9 and view.value == "row 2"
    rig.click(view, dx=20, dy=place[1] + 3)
    assert view.value == "row 11"
    rig.click(view, dx=20, dy=5)
    assert view.value == "", "a click on the header selects nothing"


def test_a_context_menu() -> None:
    rig, view = a_list()
    place = view.row_rect(rig.session.look, 1)
    assert place is not None
    rig.click(view, dx=20, dy=place[1] + 3, button=Button.RIGHT)
    popup = rig.session.state.popup
    assert popup is not None and view.value == "row 1"
    x, y, w, h = rig.session.item_rects(popup)[1]
    rig.do(Action.click(x + 3, y + 3))
    assert [(e.signal, e.value) for e in rig.session.state.log][-1] == ("chosen", "Delete")


def test_a_list_by_keys() -> None:
    rig, view = a_list()
    rig.click(view, dx=20, dy=30).keys("home", "down", "down", "up")
    assert view.value == "row 1"
    rig.keys("end")
    assert view.value == "row 29" and view.row_rect(rig.session.look, 29) is not None
    rig.keys("page_up", "enter")
    assert rig.signals()[-1] == ("list", "activated")


def test_a_scroll_bar() -> None:
    rig, view = a_list()
    look = rig.session.look
    thumb = view.thumb(look)
    assert thumb is not None
    rig.do(Action.drag(*rig.at(view, thumb[0] + 2, thumb[1] + 2), *rig.at(view, thumb[0] + 2, view.h - 2)))
    assert view.top == 30 - view.rows_in_view(look) and view.value == ""
    rig.click(view, thumb[0] + 2, view.track(look)[1] + 1)
    assert view.top == 30 - view.rows_in_view(look) - (view.rows_in_view(look) - 1)
    assert Rig(short := ListView(id="s", rows=[["one"]]), height=100) and short.thumb(look) is None


def an_editor(text: str = "one\ntwo\nthree\n") -> tuple[Rig, Editor]:
    rig = Rig()
    rig.session.close(rig.window)
    rig.session.state.files["/home/user/a.txt"] = text
    editor = make_editor(rig.session, "/home/user/a.txt", 300, 200)
    rig.window = editor
    rig.session.open(editor)
    return rig, editor


def test_the_editor_types_saves_and_marks_what_is_not_saved() -> None:
    rig, editor = an_editor()
    rig.click(editor.area).keys("end", modifiers=(CTRL,)).do(Action.type_text("four\n\tfive"))
    assert editor.title.endswith("*") and rig.session.state.files["/home/user/a.txt"] == "one\ntwo\nthree\n"
    rig.keys("s", modifiers=(CTRL,))
    assert rig.session.state.files["/home/user/a.txt"] == "one\ntwo\nthree\nfour\n\tfive" and not editor.title.endswith("*")
    rig.keys("z", modifiers=(CTRL,))
    assert editor.area.value == "one\ntwo\nthree\n" and editor.title.endswith("*")


def test_the_editor_moves_by_lines() -> None:
    rig, editor = an_editor()
    rig.click(editor.area).keys("home", modifiers=(CTRL,)).keys("down", "end", "up").do(Action.type_text("!"))
    assert editor.area.value == "one!\ntwo\nthree\n"
    rig.keys("home", "down", "down", modifiers=(SHIFT,)).keys("delete")
    assert editor.area.value == "three\n" or editor.area.value.endswith("three\n")
    rig.keys("down", "down", "down", "down")
    assert editor.area.caret == len(editor.area.value)


def test_the_editor_scrolls_both_ways() -> None:
    rig, editor = an_editor("\n".join(f"{i} " + "long line " * 20 for i in range(80)))
    rig.do(Action.scroll_by(*rig.at(editor.area), dx=4, dy=5))
    assert editor.area.top == 15 and editor.area.left > 0
    rig.do(Action.scroll_by(*rig.at(editor.area), dx=-20, dy=-20))
    assert (editor.area.top, editor.area.left) == (0, 0)
    rig.click(editor.area).keys("end", modifiers=(CTRL,))
    assert editor.area.top == 80 - editor.area.rows_in_view(rig.session.look) and editor.area.left > 0


def test_the_editors_menu() -> None:
    rig, editor = an_editor()
    rig.click(editor.area).do(Action.type_text("x"))
    rig.click(editor.widget("menu"), dx=8).keys("down", "down", "down", "enter")
    assert "x" in rig.session.state.files["/home/user/a.txt"]
    rig.click(editor.area).do(Action.type_text("y"))
    rig.click(editor.widget("menu"), dx=8).keys("r", "enter")
    assert "y" not in editor.area.value
    rig.click(editor.widget("menu"), dx=8).keys("up", "enter")
    assert rig.session.state.windows == []


def file_manager() -> tuple[Rig, Files]:
    rig = Rig()
    rig.session.close(rig.window)
    rig.session.state.files.update({"/home/user/b.txt": "bb", "/home/user/a.txt": "é", "/home/user/docs/c.txt": "c", "/etc/x": ""})
    files = make_files(rig.session, "/home/user", 320, 240)
    rig.window = files
    rig.session.open(files)
    return rig, files


def test_the_file_manager_shows_folders_and_sizes_in_bytes() -> None:
    rig, files = file_manager()
    assert files.view.rows == [["docs/", ""], ["a.txt", "2 bytes"], ["b.txt", "2 bytes"]]
    rig.click(files.view, dx=20, dy=30, clicks=2)
    assert files.folder == "/home/user/docs" and [row[0] for row in files.view.rows] == ["c.txt"]
    rig.click(files.widget("up"))
    assert files.folder == "/home/user"


def test_the_file_manager_renames_deletes_and_opens() -> None:
    rig, files = file_manager()
    state = rig.session.state
    rig.click(files.view, dx=20, dy=30).keys("down", "f2").keys("a", modifiers=(CTRL,)).do(Action.type_text("z.txt\n"))
    assert "/home/user/z.txt" in state.files and "/home/user/a.txt" not in state.files and files.view.value == "z.txt"
    rig.keys("f2").keys("a", modifiers=(CTRL,)).do(Action.type_text("b.txt\n"))
    assert state.files["/home/user/b.txt"] == "bb", "a name that is taken changes nothing"
    rig.keys("f2", "escape")
    assert state.window("prompt:files") is None
    rig.click(files.view, dx=20, dy=60).keys("home", "down", "enter")
    assert [w.id for w in state.windows] == ["files", "editor:/home/user/b.txt"]
    rig.session.activate(files)
    rig.click(files.widget("delete"))
    assert state.windows[-1] is files and "/home/user/b.txt" not in state.files
