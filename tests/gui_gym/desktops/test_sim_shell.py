"""The desktop around the windows: start menu, task bar signs, icons, their menus, tooltips, and submenus."""

from typing import Any

import pytest
from sim_rig import DOCUMENTS, Rig

from gui_gym.actions import Action, Button, Key, Modifier
from gui_gym.desktops.sim import Window, filesystem
from gui_gym.desktops.sim.apps import APPS, app_for, launch, open_path, picture_of
from gui_gym.desktops.sim.art import ART
from gui_gym.desktops.sim.icons import PLACES, PROGRAMS, icon_rects
from gui_gym.desktops.sim.labels import LANGUAGES
from gui_gym.desktops.sim.shell import CLOCK, START, VOLUME, WIFI, bar_parts
from gui_gym.desktops.sim.widgets.basic import Button as PushButton
from gui_gym.desktops.sim.widgets.choice import DropDown, MenuBar

CTRL, META, SHIFT = Modifier.CTRL, Modifier.META, Modifier.SHIFT
DESKTOP = filesystem.DESKTOP


def icon(rig: Rig, name: str) -> tuple[int, int, int, int]:
    return dict(icon_rects(rig.session))[name if name in (*PLACES, *PROGRAMS) else f"{DESKTOP}/{name}"]


def test_the_start_menu_opens_by_click_and_keys_and_starts_programs() -> None:
    rig = Rig()
    opened = []
    for ways in (
        [Action.click(*rig.at(bar_parts(rig.session)[START]))],
        [Action.press(Key.META)],
        [Action.press(Key.ESCAPE, CTRL)],
        [Action.key_down(Key.META), Action.key_up(Key.META)],
    ):
        rig.do(*ways)
        assert rig.state.popup is not None and rig.state.popup.items == list(APPS)
        opened.append([node["name"] for node in rig.nodes("menu item")])
        rig.do(*ways)
        assert rig.state.popup is None, "the same again closes it"
    assert opened == [[rig.session.label(app.label) for app in APPS.values()]] * 4
    rig.do(Action.key_down(Key.META)).press(Key.LEFT).do(Action.key_up(Key.META))
    assert rig.state.popup is None
    rig.press(Key.META).choose("files")
    assert rig.active.id == "files"


@pytest.mark.parametrize("app", APPS)
def test_every_program_starts_on_small_and_large_screens_in_every_theme(app: str) -> None:
    cases: list[tuple[tuple[int, int], dict[str, Any]]] = [
        ((640, 400), {"theme": "graphite"}), ((320, 200), {}), ((1280, 720), {"text_size": "large", "language": "ja"}),
    ]  # fmt: skip
    for size, settings in cases:
        rig = Rig(size=size, **settings)
        window = rig.launch(app)
        _, _, width, height = rig.session.work_area
        assert window.x >= 0 and window.y >= 0 and window.x + window.w <= width and window.y + window.h <= height, (app, size)
        assert window.icon in ART and APPS[app].icon in ART
    if window.resizable:
        rig.press(Key.UP, META).press(Key.DOWN, META)
        rig.do(Action.drag(window.x + window.w - 1, window.y + window.h - 1, window.x + 5, window.y + 5))
    rig.press(Key.F4, Modifier.ALT)


def test_files_open_with_their_program() -> None:
    rig = Rig({f"{DOCUMENTS}/a.txt": "a", f"{DOCUMENTS}/noending": "b", f"{DOCUMENTS}/sub/x": ""})
    assert open_path(rig.session, f"{DOCUMENTS}/a.txt").id == f"editor:{DOCUMENTS}/a.txt"
    assert open_path(rig.session, f"{DOCUMENTS}/noending").id == f"editor:{DOCUMENTS}/noending"
    assert open_path(rig.session, f"{DOCUMENTS}/sub").folder == f"{DOCUMENTS}/sub"  # type: ignore[attr-defined]
    assert len(rig.state.windows) == 3 and open_path(rig.session, f"{DOCUMENTS}/a.txt") is rig.active
    with pytest.raises(KeyError, match="no program 'tetris'.*files, "):
        launch(rig.session, "tetris")
    for name, program in APPS.items():
        for ending in program.endings:
            assert app_for(f"/x/A{ending.upper()}") == name and picture_of(f"a{ending}") in ART


def test_the_clock_obeys_its_setting() -> None:
    rig = Rig()
    assert rig.node("label", "Clock")["value"] == "09:00"
    rig.do(*[Action.wait_for(60)] * 5)
    assert rig.node("label", "Clock")["value"] == "09:05"
    rig.session.change_setting("clock_24_hours", False)
    assert rig.node("label", "Clock")["value"] == "9:05 AM"
    rig.state.seconds = 4 * 3600
    assert rig.node("label", "Clock")["value"] == "1:00 PM"


def test_the_signs_of_the_task_bar_follow_the_settings_and_change_them() -> None:
    rig = Rig()
    before = rig.desktop.screenshot()
    for sign, setting in ((VOLUME, "mute"), (WIFI, "wifi")):
        x, y, w, h = bar_parts(rig.session)[sign]
        old = rig.state.settings[setting]
        rig.click((x, y, w, h)).choose("toggle")
        assert rig.state.settings[setting] is not old
        rig.do(Action.move(3, 300))
        assert (rig.desktop.screenshot()[y : y + h, x : x + w] != before[y : y + h, x : x + w]).any()
    assert rig.node("push button", "Volume")["value"] == "muted" and rig.node("push button", "Wi-Fi")["value"] is False


def test_tooltips_appear_when_the_pointer_rests_and_go_with_the_next_action() -> None:
    rig = Rig()
    window = Window(id="w", title="W", x=200, y=80, w=200, h=120, widgets=[PushButton(id="b", name="?", x=20, y=50, w=40, h=20, tip="What it does")])
    rig.session.open(window)
    rig.do(Action.move(225, 135))
    assert [node["name"] for node in rig.nodes("tool tip")] == ["What it does"]
    rig.do(Action.wait_for(1))
    assert rig.state.tip is not None
    rig.do(Action.click(225, 135))
    assert rig.state.tip is None and len(rig.state.events("clicked")) == 1
    rig.do(Action.move(226, 135), Action.move(350, 150))
    assert rig.state.tip is None
    rig.do(Action.mouse_down(350, 85), Action.move(226, 135))
    assert rig.state.tip is None, "nothing is explained while something is held"
    rig.do(Action.mouse_up(226, 135), Action.move(*rig.at(bar_parts(rig.session)[CLOCK])))
    assert "2026-03-11" in rig.state.tip.text


def test_a_disabled_widget_gets_no_input_and_is_drawn_pale() -> None:
    rig = Rig()
    off = PushButton(id="off", name="Off", x=20, y=40, w=60, h=24, enabled=False)
    on = PushButton(id="on", name="On", x=100, y=40, w=60, h=24)
    rig.session.open(Window(id="w", title="W", x=200, y=80, w=200, h=120, widgets=[off, on], default="off"))
    rig.click("off").press(Key.ENTER).press(Key.TAB).press(Key.TAB)
    assert rig.active.focus == "on" and rig.state.log == []
    frame = rig.do(Action.move(600, 300)).desktop.screenshot()
    ink = [frame[120:144, x : x + 60].reshape(-1, 3).min() for x in (220, 300)]
    assert ink[0] > ink[1] and rig.node("push button", "Off")["enabled"] is False


def with_submenus() -> Rig:
    rig = Rig()
    bar = MenuBar(id="bar", x=1, y=22, w=198, h=20, labels={"Insert": "Einfügen", "File": "Datei", "From file": "Aus Datei"})
    bar.menus = {"Insert": ["Text", ["Image", ["From file", ["More", ["Deep"]]]], "-", "Table"], "Help": ["About"]}
    rig.session.open(Window(id="w", title="W", x=100, y=60, w=200, h=120, widgets=[bar]))
    rig.check()
    return rig


def test_submenus_by_mouse() -> None:
    rig = with_submenus()
    rig.menu("bar", "Insert", "Image", "From file")
    assert [event.value for event in rig.state.log] == ["Insert > Image > From file"] and rig.state.popup is None
    rig.menu("bar", "Insert", "Image", "More", "Deep")
    assert rig.state.log[-1].value == "Insert > Image > More > Deep"
    rig.menu("bar", "Insert", "Image")
    assert rig.node("menu item", "Aus Datei") and rig.node("menu", "Einfügen")["value"] is True
    rects = rig.session.item_rects(rig.state.popup)  # type: ignore[arg-type]
    rig.do(Action.move(*rig.at(rects[0])))
    assert rig.state.popup is not None and rig.state.popup.child is None, "another item closes the submenu"
    rig.do(Action.move(*rig.at(rects[1])))
    assert rig.state.popup.child is not None, "the pointer alone opens it"
    rig.do(Action.click(600, 350))
    assert rig.state.popup is None and len(rig.state.log) == 2


def test_submenus_by_keys() -> None:
    rig = with_submenus()
    rig.press(Key.F10).press(Key.DOWN).press(Key.DOWN).press(Key.RIGHT).press(Key.DOWN).press(Key.ENTER).press(Key.DOWN)
    assert [node["name"] for node in rig.nodes("menu item")] == ["Deep", "Aus Datei", "Text", "Table"]
    rig.press(Key.ESCAPE).press(Key.LEFT)
    assert rig.state.popup is not None and rig.state.popup.child is None
    rig.press(Key.RIGHT).press(Key.ENTER)
    assert rig.state.log[-1].value == "Insert > Image > From file"
    rig.press(Key.F10).press("t").press("t").press(Key.ENTER)
    assert rig.state.log[-1].value == "Insert > Table"


def test_a_menu_follows_the_pointer_along_its_bar_and_closes_by_a_second_click() -> None:
    rig = with_submenus()
    rig.menu("bar", "Insert").menu("bar", "Help")
    assert rig.state.popup is not None and rig.state.popup.items == ["About"]
    rig.menu("bar", "Help")
    assert rig.state.popup is None
    rig.menu("bar", "Insert")
    x, y, w, h = rig.node("menu", "Help")["bounds"]
    rig.do(Action.move(x + w // 2, y + h // 2))
    assert rig.state.popup is not None and rig.state.popup.path == "Help"


def test_a_menu_higher_than_the_screen_scrolls() -> None:
    rig = Rig(size=(320, 200))
    drop = DropDown(id="drop", x=10, y=30, w=100, h=15, choices=[f"choice {i}" for i in range(40)])
    rig.session.open(Window(id="w", title="W", x=10, y=10, w=150, h=80, widgets=[drop]))
    rig.click("drop")
    popup = rig.state.popup
    assert popup is not None and popup.rect[1] >= 0 and popup.rect[3] <= 200
    rig.press(Key.END).press(Key.ENTER)
    assert drop.value == "choice 39"
    rig.press(Key.SPACE).do(Action.scroll_by(60, 100, dy=20), Action.scroll_by(60, 100, dy=20))
    rig.click(rig.session.item_rects(rig.state.popup)[-2])  # type: ignore[arg-type]
    assert drop.value == "choice 38"
    rig.press(Key.SPACE).do(Action.scroll_by(60, 100, dy=5))
    assert [node["name"] for node in rig.nodes("menu item")][0] == "choice 5"


def test_icons_of_the_desktop_folder_come_and_go() -> None:
    rig = Rig({f"{DESKTOP}/todo.txt": "milk", f"{DESKTOP}/Work/": "", f"{DESKTOP}/.hidden": ""})
    assert [name for name, _ in icon_rects(rig.session)][-2:] == [f"{DESKTOP}/Work/", f"{DESKTOP}/todo.txt"]
    rig.click(icon(rig, "todo.txt"), clicks=2)
    assert rig.active.id == f"editor:{DESKTOP}/todo.txt"
    rig.session.close(rig.active)
    rig.check()
    rig.click(icon(rig, "todo.txt")).press(Key.DELETE)
    assert f"{DESKTOP}/todo.txt" not in dict(icon_rects(rig.session)) and f"{filesystem.TRASH}/files/todo.txt" in rig.state.files
    rig.click(icon(rig, "Work/")).press(Key.F2).press(Key.A, CTRL).type("Play\n")
    assert rig.state.icon == f"{DESKTOP}/Play/" and filesystem.is_folder(rig.state.files, f"{DESKTOP}/Play")
    rig.press(Key.ENTER)
    assert rig.active.folder == f"{DESKTOP}/Play"  # type: ignore[attr-defined]


def test_menus_of_wallpaper_and_icons() -> None:
    rig = Rig({f"{DESKTOP}/a.txt": "a"})
    rig.do(Action.click(500, 200, button=Button.RIGHT)).choose("New folder")
    rig.do(Action.click(500, 200, button=Button.RIGHT)).choose("New folder")
    rig.do(Action.click(500, 200, button=Button.RIGHT)).choose("New text file")
    assert filesystem.listing(rig.state.files, DESKTOP) == (["New folder", "New folder 2"], ["New text file.txt", "a.txt"])
    rig.right(icon(rig, "a.txt")).choose("Rename").press(Key.A, CTRL).type("New text file.txt\n")
    assert rig.active.title == "Rename" and f"{DESKTOP}/a.txt" in rig.state.files, "nothing is overwritten"
    rig.press(Key.ENTER).right(icon(rig, "a.txt")).choose("Open")
    assert rig.active.id == f"editor:{DESKTOP}/a.txt"
    rig.session.close(rig.active)
    rig.session.change_setting("confirm_delete", True)
    rig.check()
    rig.right(icon(rig, "a.txt")).choose("Delete").click("cancel")
    assert f"{DESKTOP}/a.txt" in rig.state.files
    rig.right(icon(rig, "a.txt")).choose("Delete").click("delete")
    assert f"{DESKTOP}/a.txt" not in rig.state.files
    rig.right(icon(rig, "Trash")).choose("Empty trash").click("delete")
    assert filesystem.listing(rig.state.files, f"{filesystem.TRASH}/files") == ([], [])


def test_a_file_that_is_called_like_a_place_is_not_it() -> None:
    rig = Rig({f"{DESKTOP}/Home": "mine", f"{DESKTOP}/mail": "too"})
    rig.click(icon(rig, "Home"), clicks=2)
    assert rig.active.folder == "/home/user"  # type: ignore[attr-defined]
    rig.session.close(rig.active)
    rig.check()
    rig.click(dict(icon_rects(rig.session))[f"{DESKTOP}/Home"], clicks=2)
    assert rig.active.id == f"editor:{DESKTOP}/Home"


def test_a_program_s_icon_starts_it_and_can_be_neither_renamed_nor_deleted() -> None:
    rig = Rig()
    rig.right(icon(rig, "mail"))
    assert [node["name"] for node in rig.nodes("menu item")] == ["Open"]
    rig.press(Key.ESCAPE).press(Key.DELETE).press(Key.F2).press(Key.ENTER)
    assert rig.active.id == "mail"


def test_the_menu_key_opens_context_menus() -> None:
    rig = Rig({f"{DOCUMENTS}/a.txt": "a"})
    rig.click(icon(rig, "Documents")).press(Key.MENU).choose("Open").press(Key.HOME).press(Key.F10, SHIFT)
    assert [node["name"] for node in rig.nodes("menu item")][:2] == ["Open", "Cut"]
    rig.choose("Open").press(Key.MENU).choose("Select all")
    assert rig.active.widget("text").selection == (0, 1)  # type: ignore[attr-defined]


def test_everything_is_hidden_to_see_the_desktop() -> None:
    rig = Rig()
    for app in ("files", "editor"):
        rig.launch(app)
    rig.press("d", META)
    assert rig.session.active is None and len(rig.state.windows) == 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_the_desktop_itself_says_is_known_in_every_language(language: str) -> None:
    rig = Rig({f"{DOCUMENTS}/a.txt": "a"}, language=language)
    for part in (VOLUME, WIFI):
        for _ in range(2):
            rig.click(bar_parts(rig.session)[part]).choose("toggle")
        rig.do(Action.move(*rig.at(bar_parts(rig.session)[part])))
    window = rig.launch("files", DOCUMENTS)
    for action in ("Rename", "Properties", "New folder", "New text file", "Empty trash"):
        rig.row("a.txt")
        window.do(rig.session, action)
        rig.check()
        rig.press(Key.ESCAPE)
    rig.row("a.txt").press(Key.DELETE, SHIFT).press(Key.ESCAPE).press(Key.F2).type("a/b\n").press(Key.ENTER)
    rig.launch("editor", f"{DOCUMENTS}/a.txt")
    rig.press("h", CTRL).type("a\n").press(Key.A, CTRL).type("zz\n").press(Key.ESCAPE)
    rig.press("o", CTRL).type("nothing\n").press(Key.ENTER).press(Key.ESCAPE)
    rig.press("s", CTRL, SHIFT).press(Key.ENTER).press(Key.ESCAPE).press(Key.A, CTRL).type("..\n").press(Key.ENTER).press(Key.ESCAPE)
    rig.press(Key.A, CTRL).type("x").press(Key.F4, Modifier.ALT)
    assert rig.active.id.startswith("ask:") and rig.active.title == rig.session.label("Close")


def test_a_single_click_opens_an_icon_if_the_setting_says_so() -> None:
    rig = Rig(single_click=True)
    rig.click(icon(rig, "Documents"))
    assert rig.active.folder == DOCUMENTS  # type: ignore[attr-defined]


def test_every_part_of_the_screen_is_in_the_accessibility_tree() -> None:
    rig = Rig({f"{DOCUMENTS}/a.txt": "a"})
    window = rig.launch("files", DOCUMENTS)
    names = {(node["role"], node["name"]) for node in rig.nodes("push button")}
    assert {("push button", name) for name in ("Start", "Wi-Fi", "Volume", "Minimise", "Maximise", "Close", "Documents - Files")} <= names
    assert {node["name"] for node in rig.nodes("icon")} == {"Home", "Documents", "Pictures", "Trash", "Mail", "Browser"}
    assert [node["name"] for node in rig.nodes("column header")] == ["Name", "Size"]
    rig.session.maximise(window)
    assert rig.node("push button", "Restore")["bounds"] == list(dict(rig.session.title_buttons(window))["maximise"])
