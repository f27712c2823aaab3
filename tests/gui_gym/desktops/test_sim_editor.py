"""The text editor: files, unsaved changes, finding and replacing, and the settings it obeys."""

from typing import Any

import pytest
from sim_rig import DOCUMENTS, Rig

from gui_gym.actions import Action, Key, Modifier
from gui_gym.desktops.sim.apps.editor import Editor
from gui_gym.desktops.sim.canvas import inside
from gui_gym.desktops.sim.labels import LANGUAGES

CTRL, SHIFT, ALT, META = Modifier.CTRL, Modifier.SHIFT, Modifier.ALT, Modifier.META
PATH = f"{DOCUMENTS}/a.txt"


def editor(text: str = "one\ntwo\nthree\n", **settings: Any) -> tuple[Rig, Editor]:
    rig = Rig({PATH: text}, **settings)
    window = rig.launch("editor", PATH)
    assert isinstance(window, Editor)
    return rig, window


def test_a_new_text_is_asked_for_its_name() -> None:
    rig = Rig()
    window = rig.launch("editor")
    rig.type("hello").press(Key.S, CTRL)
    assert rig.active.id == "file:editor:" and window.title.endswith("*")
    rig.press(Key.A, CTRL).type("new.txt\n")
    assert rig.state.files[f"{DOCUMENTS}/new.txt"] == "hello" and (window.id, window.path) == (f"editor:{DOCUMENTS}/new.txt", f"{DOCUMENTS}/new.txt")
    rig.type("!").press(Key.S, CTRL)
    assert rig.state.files[f"{DOCUMENTS}/new.txt"] == "hello!"
    rig.press(Key.N, CTRL).press(Key.N, CTRL)
    assert len({window.id for window in rig.state.windows}) == 3


def test_save_as_and_open() -> None:
    rig, window = editor()
    rig.menu("menu", "File", "Save as").press(Key.A, CTRL).type("b.txt\n")
    assert rig.state.files[f"{DOCUMENTS}/b.txt"] == rig.state.files[PATH] and window.path == f"{DOCUMENTS}/b.txt"
    rig.press(Key.O, CTRL).row("a.txt", clicks=2)
    assert rig.active.id == f"editor:{PATH}" and len(rig.state.windows) == 2
    rig.press(Key.S, CTRL, SHIFT).press(Key.A, CTRL).type("b.txt\n").click("replace")
    assert len({w.id for w in rig.state.windows}) == 2


def test_closing_asks_about_changes() -> None:
    rig, window = editor()
    rig.press(Key.F4, ALT)
    assert rig.state.windows == []
    for answer, saved, closed in (("cancel", False, False), ("discard", False, True), ("save", True, True)):
        rig.state.files[PATH] = "text"
        window = rig.launch("editor", PATH)
        rig.press(Key.END, CTRL).type("!").click(rig.session.close_rect(window)).click(answer)
        assert (rig.state.files[PATH] == "text!", window not in rig.state.windows) == (saved, closed)
        if not closed:
            assert window.area.text == "text!"
            rig.press(Key.Z, CTRL).press(Key.W, CTRL)
            assert rig.state.windows == [], "what was undone needs no saving"


def test_closing_a_new_text_asks_for_its_name() -> None:
    rig = Rig()
    rig.launch("editor")
    rig.type("x").press(Key.F4, ALT).click("save").press(Key.A, CTRL).type("x.txt\n")
    assert rig.state.windows == [] and rig.state.files[f"{DOCUMENTS}/x.txt"] == "x"


def test_autosave() -> None:
    rig, window = editor(autosave=True)
    rig.type("x")
    assert rig.state.files[PATH].startswith("x") and not window.title.endswith("*")
    rig.session.change_setting("autosave", False)
    rig.type("y")
    assert window.title.endswith("*")
    rig.session.change_setting("autosave", True)
    assert rig.state.files[PATH].startswith("xy") and not window.title.endswith("*")
    rig.check()


def test_word_wrap_by_setting_and_menu() -> None:
    rig, window = editor("word " * 100)
    assert window.area.rows_in_all(rig.session.look) == 1
    rig.menu("menu", "View", "Word wrap")
    assert rig.state.settings["word_wrap"] is True and window.area.rows_in_all(rig.session.look) > 3
    rig.menu("menu", "View")
    assert rig.nodes("menu item")[0]["name"].startswith("✓")
    rig.choose("Word wrap")
    assert not window.area.wrap


def test_a_file_that_changes_elsewhere_is_shown_unless_there_are_changes() -> None:
    rig, window = editor()
    rig.state.files[PATH] = "new"
    rig.session.files_changed()
    rig.check()
    assert window.area.text == "new" and not window.title.endswith("*")
    rig.type("mine ")
    rig.state.files[PATH] = "theirs"
    rig.session.files_changed()
    assert window.area.text == "mine new" and window.title.endswith("*")
    rig.press(Key.Z, CTRL)
    del rig.state.files[PATH]
    rig.session.files_changed()
    rig.check()
    assert window.title.endswith("*")
    rig.press(Key.S, CTRL)
    assert rig.state.files[PATH] == "new" and not window.title.endswith("*")


def test_finding() -> None:
    rig, window = editor("Cat, dog, CAT\ncatalogue\n")
    rig.press(Key.F, CTRL).type("cat").press(Key.ENTER)
    places = [window.area.selection]
    for key in ((Key.ENTER,), (Key.F3,), (Key.ENTER,), (Key.ENTER, SHIFT)):
        rig.press(*key)
        places.append(window.area.selection)
    assert places == [(0, 3), (10, 13), (14, 17), (0, 3), (14, 17)]
    assert "3" in window.widget("status").name
    rig.click("previous").click("next").press(Key.ESCAPE)
    assert window.find("find") is None and window.focus == "text" and window.area.selection == (14, 17)
    rig.press(Key.F, CTRL)
    assert window.widget("find").value == "cat", "what is selected is searched"
    rig.type("bird").press(Key.ENTER)
    assert window.widget("status").name == "Not found"
    rig.click("close_find")
    assert window.find("find") is None


def test_replacing_one_and_all() -> None:
    rig, window = editor("a b a b a")
    rig.press(Key.H, CTRL).type("a").press(Key.TAB)
    while window.focus != "replacement":
        rig.press(Key.TAB)
    rig.type("xyz").press(Key.ENTER).press(Key.ENTER)
    assert window.area.text == "xyz b a b a" and window.area.selection == (6, 7)
    rig.click("replace_all")
    assert window.area.text == "xyz b xyz b xyz" and "2" in window.widget("status").name
    rig.click("text").press(Key.Z, CTRL)
    assert window.area.text == "xyz b a b a", "all of them are one step"


def test_capitals_that_would_change_the_length_are_left_alone() -> None:
    rig, window = editor("İstanbul İ i")
    rig.press(Key.H, CTRL).type("istanbul").press(Key.ENTER).click("replace_all").press(Key.A, CTRL).type("İ").click("replace_all")
    assert window.area.text.endswith(" i")


def test_the_status_line_counts() -> None:
    rig, window = editor("")
    assert window.widget("status").name == "1 line, 0 characters"
    rig.type("x\n")
    assert window.widget("status").name == "2 lines, 2 characters, not saved"


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_can_be_resized_with_the_bar_open(language: str) -> None:
    rig, window = editor(language=language)
    rig.press(Key.H, CTRL)
    rig.do(Action.drag(window.x + window.w - 1, window.y + window.h - 1, window.x, window.y))
    assert (window.w, window.h) == window.least
    for widget in window.widgets:
        assert widget.x >= 0 and widget.x + widget.w <= window.w and widget.w > 20, widget.id
    rig.press(Key.UP, META)
    assert window.area.w == window.w - 2


def test_labels_are_in_the_language_but_keys_are_not() -> None:
    rig, window = editor(language="de")
    assert [node["name"] for node in rig.nodes("menu")] == ["Datei", "Bearbeiten", "Ansicht"]
    rig.type("x").menu("menu", "File", "Save")
    assert rig.state.log[-2].value == "File > Save" or "File > Save" in [event.value for event in rig.state.log]
    assert rig.state.files[PATH].startswith("x")


def test_only_the_lines_that_change_are_drawn_again() -> None:
    rig, window = editor("\n".join(f"line {i}" for i in range(12)))
    rig.click(window.area)
    x, y, w, h = window.rect_of(window.area)
    actions = [
        Action.type_text("new"),
        Action.press(Key.DOWN),
        Action.press(Key.UP, Modifier.SHIFT),
        Action.press(Key.BACKSPACE),
        Action.press(Key.HOME),
    ]
    for action in actions:
        rig.desktop.perform(action)
        drawn = [rect for rect in rig.session.damage if inside((x, y, w, h), rect[0], rect[1])]
        assert 0 < sum(rect[2] * rect[3] for rect in drawn) < w * h // 2
        rig.check(action)
