"""Where windows, dialogs, keys and a held mouse button meet: what is blocked, hidden or gone gets nothing, and nothing takes for ever."""

from typing import Any

import numpy as np
import pytest
from sim_rig import DOCUMENTS, Rig

from gui_gym.actions import Action, Key, Modifier
from gui_gym.desktops.sim import keyboard, shell
from gui_gym.desktops.sim.apps import APPS
from gui_gym.desktops.sim.apps.file_dialog import FileDialog
from gui_gym.desktops.sim.canvas import Canvas
from gui_gym.desktops.sim.fonts import font
from gui_gym.desktops.sim.icons import icon_rects
from gui_gym.desktops.sim.labels import LANGUAGES

CTRL, SHIFT, ALT, META = Modifier.CTRL, Modifier.SHIFT, Modifier.ALT, Modifier.META
FILES = {f"{DOCUMENTS}/{name}": name for name in ("a.txt", "b.txt", "sub/c.txt")}


def middle(rig: Rig, widget: str) -> tuple[int, int]:
    return rig.at(rig.active.rect_of(rig.active.widget(widget)))


# Typing


@pytest.mark.parametrize("app", APPS)
def test_one_text_presses_a_bounded_number_of_keys(app: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rig, pressed, press_key = Rig(dict(FILES)), [0], keyboard.press_key

    def count(*parts: Any) -> None:
        pressed[0] += 1
        press_key(*parts)

    monkeypatch.setattr(keyboard, "press_key", count)
    window = rig.launch(app)
    start = rig.desktop.snapshot()
    for name in [w.id for w in window.widgets if w.focusable and w.enabled][:6]:
        for text in (" a\n\t" * 700, "\n" * 3000):
            rig.desktop.restore(start)
            rig.session.focus(rig.active, rig.active.widget(name))
            pressed[0] = 0
            rig.type(text)
            assert pressed[0] <= keyboard.BUFFER, f"{app}/{name}: {pressed[0]} keys"


def test_shortcuts_typed_with_ctrl_held_are_bounded_too() -> None:
    rig = Rig()
    rig.launch("editor")
    rig.do(Action.key_down(Key.CTRL)).type("n" * 3000)
    assert len(rig.state.windows) == 1 + keyboard.BUFFER and len({w.id for w in rig.state.windows}) == 1 + keyboard.BUFFER


def test_text_goes_on_in_the_dialog_that_its_first_key_opened() -> None:
    rig = Rig(dict(FILES))
    window = rig.launch("files", DOCUMENTS)
    rig.session.focus(window, window.widget("new_folder"))
    rig.type(" plans for may\n")
    assert f"{DOCUMENTS}/plans for may/" in rig.state.files and rig.active is window


def test_lines_typed_into_a_text_are_one_step_to_undo_with_their_ends() -> None:
    rig = Rig(dict(FILES))
    area = rig.launch("editor").widget("text")
    rig.type("one\n\ttwo\r\nthree")
    assert area.value == "one\n\ttwo\nthree"
    rig.press("z", CTRL)
    assert area.value == ""


def test_insert_and_delete_keys_use_the_clipboard() -> None:
    rig = Rig()
    area = rig.launch("editor").widget("text")
    rig.type("word").press("a", CTRL).press(Key.INSERT, CTRL).press(Key.END).press(Key.INSERT, SHIFT)
    assert area.value == "wordword"
    rig.press(Key.HOME, SHIFT).press(Key.DELETE, SHIFT)
    assert area.value == "" and rig.state.clipboard == "wordword"


# Held buttons


def test_a_button_held_when_a_dialog_opens_uses_nothing_behind_it() -> None:
    rig = Rig(dict(FILES), confirm_delete=True)
    window = rig.launch("files", DOCUMENTS)
    rig.row("a.txt", window)
    rig.do(Action.mouse_down(*middle(rig, "new_folder"))).press(Key.DELETE)
    assert rig.active.modal_for == "files" and rig.state.grab is None and not window.widget("new_folder").down  # type: ignore[attr-defined]
    rig.do(Action.mouse_up(*rig.at(window.rect_of(window.widget("new_folder")))))
    assert len(rig.state.windows) == 2 and not rig.state.events("clicked")


def test_a_drag_held_when_a_dialog_opens_selects_no_more() -> None:
    rig = Rig()
    window = rig.launch("editor")
    area: Any = window.widget("text")
    rig.type("some words to select")
    x, y, _, _ = window.rect_of(area)
    rig.do(Action.mouse_down(x + 10, y + 10)).press(Key.F4, ALT)
    before = area.selection
    rig.do(Action.move(x + 60, y + 10))
    assert rig.active is not window and area.selection == before


def test_what_is_hidden_while_it_is_held_is_let_go() -> None:
    rig = Rig({f"{DOCUMENTS}/long.txt": "line\n" * 200})
    window = rig.launch("editor", f"{DOCUMENTS}/long.txt")
    area: Any = window.widget("text")
    x, y, w, _ = window.rect_of(area)
    rig.do(Action.mouse_down(x + w - 3, y + 5))
    assert area.grip >= 0
    rig.press("d", META).do(Action.move(x + w - 3, y + 90), Action.mouse_up(x + w - 3, y + 90))
    assert area.grip < 0 and area.top == 0 and window.minimised


# Dialogs


def test_a_program_that_asks_something_shows_nothing_else_meanwhile() -> None:
    rig = Rig(dict(FILES), size=(1280, 720), confirm_delete=True)
    window = rig.launch("files", DOCUMENTS)
    rig.row("a.txt").press(Key.DELETE)
    question = rig.active
    rig.do(Action.click(*rig.at(dict(icon_rects(rig.session))["Pictures"]), clicks=2))
    assert window.folder == DOCUMENTS and rig.active is question
    rig.click("delete")
    assert f"{DOCUMENTS}/a.txt" not in rig.state.files


@pytest.mark.parametrize("key", [Key.DELETE, Key.F2])
def test_files_that_vanish_while_it_is_asked_about_them(key: Key) -> None:
    rig = Rig(dict(FILES), confirm_delete=True)
    rig.launch("files", DOCUMENTS)
    rig.row("b.txt").press(key)
    del rig.state.files[f"{DOCUMENTS}/b.txt"]
    rig.session.files_changed()
    before = dict(rig.state.files)
    rig.press(Key.ENTER)
    assert rig.state.files == before and rig.active.id == "files"


def test_a_folder_that_was_clicked_in_a_file_dialog_is_entered_by_its_button() -> None:
    rig = Rig(dict(FILES))
    rig.launch("editor")
    rig.press("s", CTRL)
    dialog = rig.active
    assert isinstance(dialog, FileDialog)
    rig.row("sub/").click("ok")
    assert rig.active is dialog and dialog.folder == f"{DOCUMENTS}/sub"
    rig.row("c.txt").click("name")
    rig.type("d")
    assert dialog.view.selected < 0, "a name that is typed counts, not the row"
    rig.click("ok")
    assert f"{DOCUMENTS}/sub/c.txtd" in rig.state.files


# The switcher


@pytest.mark.parametrize("size", [(320, 200), (640, 400)])
def test_the_switcher_keeps_the_marked_window_in_view_and_takes_clicks(size: tuple[int, int]) -> None:
    rig = Rig(size=size)
    for _ in range(18):
        rig.launch("editor")
    rig.do(Action.key_down(Key.ALT))
    for step in range(1, 18):
        rig.press(Key.TAB)
        x, y, w, h = shell.switcher_rows(rig.session)[step]
        assert rig.state.switching == step and 0 <= y and y + h <= size[1]
        assert [node["name"] for node in rig.nodes("list item") if node["value"] is True], "the marked one is told"
    wanted = rig.session.recent[16]
    rig.click(shell.switcher_rows(rig.session)[16])
    assert rig.active is wanted and rig.state.switching < 0
    rig.press(Key.TAB).do(Action.click(2, 2), Action.key_up(Key.ALT))
    assert rig.active is wanted, "a click beside the list ends it"


# What is told and what fits


def _check_bounds(node: dict[str, Any], size: tuple[int, int], clip: tuple[int, int, int, int]) -> None:
    x, y, w, h = node["bounds"]
    assert w > 0 and h > 0 and clip[0] <= x and clip[1] <= y and x + w <= clip[2] and y + h <= clip[3], node["name"]
    for child in node["children"]:
        _check_bounds(child, size, (x, y, x + w, y + h))


@pytest.mark.parametrize("app", APPS)
def test_the_bounds_that_are_told_can_be_seen(app: str) -> None:
    for size, more in (((640, 400), {"text_size": "large", "language": "de"}), ((320, 200), {})):
        rig = Rig({**FILES, f"{DOCUMENTS}/t.csv": "1,2\n" * 40}, size=size, **more)
        window = rig.launch(app, f"{DOCUMENTS}/t.csv" if app == "spreadsheet" else "")
        rig.session.move(window, size[0] // 2, size[1] // 3)
        for node in rig.desktop.accessibility_tree()["children"]:
            if node["role"] in ("frame", "dialog"):
                for child in node["children"]:
                    _check_bounds(child, size, (max(0, window.x), window.y, min(size[0], window.x + window.w), min(size[1], window.y + window.h)))


def test_the_accessibility_tree_speaks_the_language_of_the_desktop() -> None:
    rig = Rig(language="de")
    rig.session.maximise(rig.launch("editor"))
    names = {node["name"] for role in ("push button", "panel", "label", "desktop frame") for node in rig.nodes(role)}
    assert {"Schließen", "Wiederherstellen", "Minimieren", "Taskleiste", "Uhr"} <= names
    assert not names & {"Close", "Restore", "Minimize", "Minimise", "Task bar", "Clock"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("app", APPS)
def test_menu_bars_fit_and_windows_follow_larger_letters(app: str, language: str) -> None:
    rig = Rig(language=language, text_size="small")
    window = rig.launch(app)
    if not window.resizable:
        return
    rig.session.resize(window, window.x, window.y, 1, 1)
    for each in ("small", "large"):
        rig.session.change_setting("text_size", each)
        rig.check()
        least_w, least_h = rig.session.least_size(window)
        _, _, width, height = rig.session.work_area
        assert least_w <= window.w <= width and least_h <= window.h <= height
        assert window.x >= 0 and window.x + window.w <= width and window.y + window.h <= height
        for bar in (w for w in window.widgets if w.role == "menu bar"):
            x, _, w, _ = bar.titles(rig.session.look)[-1][1]  # type: ignore[attr-defined]
            assert bar.x + x + w <= window.w


def test_words_longer_than_a_line_are_broken() -> None:
    sans = Rig().session.look.sans
    lines = sans.wrap("see " + "x" * 100 + " end", 120)
    assert "".join(lines).replace(" ", "") == "see" + "x" * 100 + "end" and all(sans.width(each) <= 120 for each in lines)
    assert sans.wrap("日" * 40, 100) and all(sans.width(each) <= 100 for each in sans.wrap("日" * 40, 100))
    assert sans.wrap("ab", 0) == ["a", "b"], "one character a line at least"


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("size", [(128, 96), (320, 200)])
def test_what_is_drawn_is_the_same_in_strips(app: str, size: tuple[int, int]) -> None:
    """Whatever part of the screen is drawn again, it looks as when all of it is drawn."""
    rig = Rig({**FILES, f"{DOCUMENTS}/t.csv": "1,two\n" * 30}, size=size, text_size="large", theme="graphite")
    window = rig.launch(app, {"spreadsheet": f"{DOCUMENTS}/t.csv", "files": DOCUMENTS}.get(app, ""))
    for least in (False, True):
        if least and window.resizable:
            rig.session.resize(window, window.x, window.y, 1, 1)
        whole = rig.desktop.screenshot()
        strips = [(0, y, size[0], 1) for y in range(size[1])] + [(x, 0, 2, size[1]) for x in range(0, size[0], 2)]
        for strip in strips:
            rig.session.redraw(strip)
            x, y, w, h = strip
            assert np.array_equal(rig.desktop.screenshot()[y : y + h, x : x + w], whole[y : y + h, x : x + w]), strip


@pytest.mark.parametrize("face", ["sans", "bold", "mono"])
def test_letters_with_marks_are_whole_in_every_row(face: str) -> None:
    """Marks reach out of the line's box, also into a row of which nothing else is drawn again."""
    for size in (9, 11, 14, 17):
        letters, ink = font(face, size), (20, 30, 40)
        whole, rows = (np.full((40, 220, 3), 200, np.uint8) for _ in range(2))
        Canvas(whole, (0, 0, 220, 40)).text(4, 8, "ÂÉŻẤǍ gjpqy ẰỘ Ç", letters, ink)
        for y in range(40):
            Canvas(rows, (0, y, 220, 1)).text(4, 8, "ÂÉŻẤǍ gjpqy ẰỘ Ç", letters, ink)
        assert np.array_equal(rows, whole), (face, size)
