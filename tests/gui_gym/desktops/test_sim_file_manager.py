"""The file manager, the virtual file system under it, and the settings it obeys."""

from typing import Any

import pytest
from sim_rig import DOCUMENTS, Rig

from gui_gym.actions import Action, Key, Modifier
from gui_gym.desktops.sim import filesystem
from gui_gym.desktops.sim.apps.files import Files
from gui_gym.desktops.sim.canvas import inside
from gui_gym.desktops.sim.labels import LANGUAGES

CTRL, SHIFT, ALT = Modifier.CTRL, Modifier.SHIFT, Modifier.ALT
TRASH = f"{filesystem.TRASH}/files"


def manager(files: dict[str, str] | None = None, size: tuple[int, int] = (640, 400), **settings: Any) -> tuple[Rig, Files]:
    some = {f"{DOCUMENTS}/{name}": "x" * length for name, length in (("b.txt", 1), ("a.txt", 300), ("c.md", 20), (".hidden", 2), ("plans/p.txt", 5))}
    rig = Rig(some if files is None else files, size=size, **settings)
    window = rig.launch("files", DOCUMENTS)
    assert isinstance(window, Files)
    return rig, window


def names(window: Files) -> list[str]:
    return [row[0] for row in window.view.rows]


def test_rows_follow_the_settings() -> None:
    rig, window = manager()
    assert window.view.rows == [["plans/", ""], ["a.txt", "300 bytes"], ["b.txt", "1 byte"], ["c.md", "20 bytes"]]
    rig.session.change_setting("sort_files", "size")
    assert names(window) == ["plans/", "b.txt", "c.md", "a.txt"]
    rig.session.change_setting("hidden_files", True)
    assert names(window) == ["plans/", "b.txt", ".hidden", "c.md", "a.txt"]


def test_a_click_on_the_header_sorts_and_another_turns_it_round() -> None:
    rig, window = manager()
    by_name, by_size = (tuple(node["bounds"]) for node in rig.nodes("column header"))
    rig.click(by_size)
    assert names(window) == ["plans/", "b.txt", "c.md", "a.txt"]
    rig.click(by_size)
    assert names(window) == ["plans/", "a.txt", "c.md", "b.txt"]
    rig.click(by_name)
    assert names(window) == ["plans/", "a.txt", "b.txt", "c.md"]


def test_going_into_folders_up_and_back() -> None:
    rig, window = manager()
    rig.row("plans/", clicks=2)
    assert window.folder == f"{DOCUMENTS}/plans" and names(window) == ["p.txt"] and window.title.startswith("plans")
    rig.click("up")
    assert window.folder == DOCUMENTS and window.view.value == "plans/"
    rig.press(Key.UP, ALT)
    assert window.folder == "/home/user" and names(window)[0] == "Desktop/"
    rig.click("back").press(Key.LEFT, ALT)
    assert window.folder == f"{DOCUMENTS}/plans"
    for _ in range(8):
        rig.press(Key.BACKSPACE)
    assert window.folder == "/" and names(window) == ["home/"]


def test_selecting_several_rows() -> None:
    rig, window = manager()
    rig.row("a.txt").row("c.md", modifiers=(CTRL,))
    assert window.view.names == ["a.txt", "c.md"]
    rig.row("a.txt", modifiers=(CTRL,)).row("plans/", modifiers=(SHIFT,))
    assert window.view.names == ["plans/", "a.txt"]
    rig.row("b.txt").press(Key.DOWN, SHIFT)
    assert window.view.names == ["b.txt", "c.md"] and rig.session.state.log[-1].signal == "selected"
    rig.press(Key.A, CTRL)
    assert len(window.view.names) == 4 and [node["value"] for node in rig.nodes("list item")] == [True] * 4
    rig.do(Action.wait_for(1)).row("c.md")
    assert window.view.names == ["c.md"], "a click selects one alone"
    rig.press("b").type("a")
    assert window.view.names == ["a.txt"], "a letter selects the row that begins with it"


def test_deleting_moves_to_the_trash_from_where_it_comes_back() -> None:
    rig, window = manager()
    rig.row("a.txt").row("plans/", modifiers=(CTRL,)).press(Key.DELETE)
    assert names(window) == ["b.txt", "c.md"]
    assert {path for path in rig.state.files if path.startswith(TRASH)} == {f"{TRASH}/a.txt", f"{TRASH}/plans/p.txt"}
    window.show(rig.session, TRASH)
    rig.check()
    assert window.title.startswith("Trash")
    rig.right(rig.row_rect("a.txt")).choose("Restore")
    assert names(window) == ["plans/"] and len(rig.state.files[f"{DOCUMENTS}/a.txt"]) == 300
    rig.right(rig.row_rect("plans/")).choose("Restore")
    assert rig.state.files[f"{DOCUMENTS}/plans/p.txt"] == "xxxxx" and names(window) == []


def test_deleting_asks_if_the_setting_says_so_and_for_good_always() -> None:
    rig, window = manager(confirm_delete=True)
    rig.row("a.txt").press(Key.DELETE)
    assert rig.active.id == "ask:files" and "a.txt" in names(window)
    rig.click("cancel").press(Key.DELETE).click("delete")
    assert "a.txt" not in names(window) and f"{TRASH}/a.txt" in rig.state.files
    rig.session.change_setting("confirm_delete", False)
    rig.check()
    rig.row("b.txt").press(Key.DELETE, SHIFT)
    assert "b.txt" in names(window)
    rig.press(Key.ENTER)
    assert not any(path.endswith("b.txt") for path in rig.state.files)
    window.show(rig.session, TRASH)
    rig.check()
    x, y, w, h = window.rect_of(window.view)
    rig.right((x + 10, y + h - 30, 20, 20)).choose("Empty trash").click("delete")
    assert not any(path.endswith((".txt", ".trashinfo")) and path.startswith(filesystem.TRASH) for path in rig.state.files)


def test_copying_and_moving_through_the_clipboard() -> None:
    rig, window = manager()
    rig.row("a.txt").press(Key.C, CTRL).press(Key.V, CTRL)
    assert window.view.names == ["a 2.txt"] and rig.state.files[f"{DOCUMENTS}/a 2.txt"] == "x" * 300
    assert rig.state.clipboard == f"{DOCUMENTS}/a.txt", "as text it is the path"
    rig.row("plans/").press(Key.C, CTRL).row("plans/", clicks=2).press(Key.V, CTRL)
    assert names(window) == ["p.txt"], "no folder is copied into itself"
    rig.click("up").row("b.txt").press(Key.X, CTRL).row("plans/", clicks=2).press(Key.V, CTRL)
    assert names(window) == ["b.txt", "p.txt"] and f"{DOCUMENTS}/b.txt" not in rig.state.files
    rig.press(Key.V, CTRL)
    assert names(window) == ["b.txt", "p.txt"], "what was cut is pasted once"


def test_pasting_over_a_file_asks_first() -> None:
    rig, window = manager({f"{DOCUMENTS}/a.txt": "new", f"{DOCUMENTS}/sub/a.txt": "old"})
    for cut in (False, True):
        window.show(rig.session, DOCUMENTS)
        rig.row("a.txt").press(Key.X if cut else Key.C, CTRL).row("sub/", clicks=2).press(Key.V, CTRL)
        assert rig.active.id == "ask:files" and rig.state.files[f"{DOCUMENTS}/sub/a.txt"] == ("new" if cut else "old")
        rig.click("cancel").press(Key.V, CTRL).click("replace")
        assert rig.state.files[f"{DOCUMENTS}/sub/a.txt"] == "new"
    assert f"{DOCUMENTS}/a.txt" not in rig.state.files


def test_dragging_onto_a_folder_moves() -> None:
    rig, window = manager()
    rig.row("a.txt").row("b.txt", modifiers=(CTRL,))
    rig.do(Action.wait_for(1))
    start, folder = rig.at(rig.row_rect("b.txt")), rig.at(rig.row_rect("plans/"))
    rig.do(Action.mouse_down(*start), Action.move(*folder))
    assert window.view.target == 0
    rig.do(Action.mouse_up(*folder))
    assert names(window) == ["plans/", "c.md"] and f"{DOCUMENTS}/plans/a.txt" in rig.state.files
    rig.do(Action.drag(*rig.at(rig.row_rect("plans/")), *rig.at(rig.row_rect("c.md"))))
    assert names(window) == ["plans/", "c.md"], "only onto folders"
    rig.state.files[f"{DOCUMENTS}/plans/c.md"] = "other"
    rig.do(Action.drag(*rig.at(rig.row_rect("c.md")), *rig.at(rig.row_rect("plans/"))))
    assert rig.active.id == "ask:files" and rig.state.files[f"{DOCUMENTS}/plans/c.md"] == "other", "nothing is overwritten"


def test_new_folders_stay_even_if_they_are_empty() -> None:
    rig, window = manager()
    rig.press(Key.N, CTRL, SHIFT).type("Empty\n")
    assert window.view.names == ["Empty/"] and f"{DOCUMENTS}/Empty/" in rig.state.files
    rig.row("Empty/", clicks=2)
    assert names(window) == [] and rig.node("label", "0 items")
    x, y, w, h = window.rect_of(window.view)
    rig.right((x + 10, y + h - 40, 20, 20)).choose("New text file").press(Key.A, CTRL).type("n.txt\n")
    assert names(window) == ["n.txt"]
    rig.press(Key.DELETE)
    assert window.folder == f"{DOCUMENTS}/Empty", "a folder that has become empty is still there"
    rig.click("up").row("Empty/").press(Key.F2).press(Key.A, CTRL).type("Full\n")
    assert "Full/" in names(window) and "Empty/" not in names(window)


@pytest.mark.parametrize("bad", ["", "  ", "a/b", "..", "b.txt"])
def test_names_that_cannot_be_leave_the_file_as_it_is(bad: str) -> None:
    rig, window = manager()
    rig.row("a.txt").click("rename").press(Key.A, CTRL).press(Key.DELETE).type(bad).press(Key.ENTER)
    assert "a.txt" in names(window) and len(window.view.rows) == 4 and rig.active.id == "ask:files"


def test_a_single_click_opens_if_the_setting_says_so() -> None:
    rig, window = manager(single_click=True)
    rig.row("plans/")
    assert window.folder == f"{DOCUMENTS}/plans"
    rig.row("p.txt")
    assert rig.active.id == f"editor:{DOCUMENTS}/plans/p.txt"


def test_properties_tell_size_and_place() -> None:
    rig, window = manager()
    rig.row("a.txt").press(Key.ENTER, ALT)
    text = rig.active.widget("message").name
    assert "a.txt" in text and "300 bytes" in text and DOCUMENTS in text
    rig.press(Key.ENTER).row("plans/").press(Key.ENTER, ALT)
    assert "5 bytes" in rig.active.widget("message").name


def test_a_folder_that_is_gone_gives_way_to_the_one_it_was_in() -> None:
    rig, window = manager()
    rig.row("plans/", clicks=2)
    filesystem.remove(rig.state.files, f"{DOCUMENTS}/plans")
    rig.session.files_changed()
    rig.check()
    assert window.folder == DOCUMENTS


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_can_be_made_small_and_large(language: str) -> None:
    rig, window = manager(language=language)
    rig.do(Action.drag(window.x + window.w - 1, window.y + window.h - 1, window.x, window.y))
    assert (window.w, window.h) == window.least and window.widget("back").w == 0
    assert all(widget.x + widget.w < window.w for widget in window.widgets)
    rig.press(Key.UP, Modifier.META)
    assert window.widget("back").w > 0 and window.view.w > 560


# The file system itself


def test_listing_existence_and_free_names() -> None:
    files = {"/a/b/c.txt": "", "/a/d.tar.gz": "", "/a/empty/": "", "/a/e": ""}
    assert filesystem.listing(files, "/a") == (["b", "empty"], ["d.tar.gz", "e"]) and filesystem.listing(files, "/") == (["a"], [])
    assert filesystem.is_folder(files, "/a/empty") and filesystem.is_folder(files, "/") and not filesystem.is_folder(files, "/a/e")
    assert filesystem.free_name(files, "/a", "e") == "e 2" and filesystem.free_name(files, "/a", "d.tar.gz") == "d.tar 2.gz"
    assert filesystem.free_name(files, "/a", "new") == "new"
    assert (filesystem.parent("/a"), filesystem.parent("/a/b/"), filesystem.name_of("/a/b/"), filesystem.name_of("/")) == ("/", "/a", "b", "/")


def test_moving_a_folder_takes_all_of_it_but_never_into_itself() -> None:
    files = {"/a/b/c.txt": "1", "/a/b/e/": "", "/a/bc": "2"}
    filesystem.move(files, "/a/b", "/a/b/inside")
    assert files == {"/a/b/c.txt": "1", "/a/b/e/": "", "/a/bc": "2"}
    filesystem.move(files, "/a/b", "/z")
    assert files == {"/z/c.txt": "1", "/z/e/": "", "/a/bc": "2"}
    filesystem.move(files, "/a/bc", "/z/bc")
    assert files == {"/z/c.txt": "1", "/z/e/": "", "/z/bc": "2", "/a/": ""}, "the folder that has become empty stays"


def test_the_trash_remembers_where_things_were() -> None:
    files = {"/home/user/x": "1", "/home/user/y/x": "2"}
    first, second = filesystem.trash(files, "/home/user/x"), filesystem.trash(files, "/home/user/y/x")
    assert first != second and filesystem.restore(files, second) == "/home/user/y/x"
    files["/home/user/x"] = "3"
    assert filesystem.restore(files, first) == "/home/user/x 2" and files["/home/user/x"] == "3"
    assert filesystem.trash(files, filesystem.trash(files, "/home/user/x")) == "", "what is in the trash is removed for good"
    assert sorted(path for path in files if not path.endswith("/")) == ["/home/user/x 2", "/home/user/y/x"]


def test_only_the_rows_that_are_marked_or_no_longer_so_are_drawn_again() -> None:
    rig, window = manager({f"{DOCUMENTS}/{name}.txt": "" for name in "abcdef"})
    rig.row("a.txt")
    view, height = window.view, window.view.row_height(rig.session.look)
    for action, rows in ((Action.press(Key.DOWN), 2), (Action.press(Key.DOWN, Modifier.SHIFT), 1), (Action.press(Key.UP, Modifier.SHIFT), 1)):
        rig.desktop.perform(action)
        drawn = [rect for rect in rig.session.damage if inside(window.rect_of(view), rect[0], rect[1])]
        assert sum(rect[3] for rect in drawn) == rows * height
        rig.check(action)
    rig.session.change_setting("text_size", "large")
    rig.check()
