"""Message boxes, questions for a text, and file dialogs."""

from dataclasses import dataclass, field

import pytest
from sim_rig import DOCUMENTS, Rig

from gui_gym.actions import Action, Key, Modifier
from gui_gym.desktops.sim import Window, filesystem
from gui_gym.desktops.sim.apps.dialog import ask, prompt
from gui_gym.desktops.sim.apps.file_dialog import choose_file
from gui_gym.desktops.sim.session import Session

FILES = {f"{DOCUMENTS}/a.txt": "aa", f"{DOCUMENTS}/b.csv": "1,2", f"{DOCUMENTS}/sub/c.txt": "c", f"{DOCUMENTS}/.secret": ""}


@dataclass(kw_only=True)
class Owner(Window):
    """Keeps what it is told."""

    told: list[tuple[str, str, str]] = field(default_factory=list)

    def on_answer(self, session: Session, purpose: str, button: str) -> None:
        self.told.append(("answer", purpose, button))

    def on_prompt(self, session: Session, purpose: str, text: str) -> None:
        self.told.append(("prompt", purpose, text))

    def on_file(self, session: Session, purpose: str, path: str) -> None:
        self.told.append(("file", purpose, path))


def with_owner(size: tuple[int, int] = (640, 400)) -> tuple[Rig, Owner]:
    rig = Rig(dict(FILES), size=size)
    owner = Owner(id="owner", title="Owner", x=20, y=10, w=250, h=150)
    rig.session.open(owner)
    return rig, owner


@pytest.mark.parametrize(("keys", "answer"), [(Key.ENTER, "save"), (Key.ESCAPE, "cancel"), (Key.SPACE, "save")])
def test_a_message_box_by_keys(keys: Key, answer: str) -> None:
    rig, owner = with_owner()
    ask(rig.session, owner, "close", "Close", "Save the changes?", ("save", "discard", "cancel"))
    rig.check()
    rig.press(keys)
    assert owner.told == [("answer", "close", answer)] and rig.session.active is owner


def test_a_message_box_by_mouse_and_by_its_cross() -> None:
    rig, owner = with_owner()
    for button in ("yes", "no"):
        ask(rig.session, owner, "q", "Question", "A text that is too long for one line of the box, so that it is broken.", ("yes", "no"))
        rig.check()
        rig.click(button)
    ask(rig.session, owner, "q", "Question", "?", ("yes", "no"))
    rig.check()
    rig.click(rig.session.close_rect(rig.active))
    assert [told[2] for told in owner.told] == ["yes", "no", "no"]


def test_a_prompt_gives_the_text_unless_it_is_cancelled() -> None:
    rig, owner = with_owner()
    for end in (lambda: rig.press(Key.ENTER), lambda: rig.click("ok"), lambda: rig.click("cancel"), lambda: rig.press(Key.ESCAPE)):
        prompt(rig.session, owner, "name", "Name", "What is it called?", "old")
        rig.check()
        rig.type("new")
        end()
    assert owner.told == [("prompt", "name", "new")] * 2 and rig.order == ["owner"]


def test_a_second_dialog_of_a_kind_takes_the_place_of_the_first() -> None:
    rig, owner = with_owner()
    ask(rig.session, owner, "one", "One", "?")
    ask(rig.session, owner, "two", "Two", "?")
    rig.check()
    assert rig.order == ["owner", "ask:owner"]
    rig.press(Key.ENTER)
    assert owner.told == [("answer", "two", "ok")]


@pytest.mark.parametrize("size", [(320, 200), (640, 400), (1280, 720)])
def test_the_file_dialog_opens_a_file_by_clicks(size: tuple[int, int]) -> None:
    rig, owner = with_owner(size)
    dialog = choose_file(rig.session, owner, "open")
    rig.check()
    _, _, width, height = rig.session.work_area
    assert 0 <= dialog.x and dialog.x + dialog.w <= width and 0 <= dialog.y and dialog.y + dialog.h <= height
    assert [row[0] for row in dialog.view.rows] == ["sub/", "a.txt", "b.csv"]
    rig.row("sub/", clicks=2)
    assert dialog.folder == f"{DOCUMENTS}/sub" and [row[0] for row in dialog.view.rows] == ["c.txt"]
    rig.click("up").row("a.txt")
    assert dialog.name.value == "a.txt"
    rig.click("ok")
    assert owner.told == [("file", "open", f"{DOCUMENTS}/a.txt")] and rig.session.active is owner


def test_the_file_dialog_takes_names_and_paths_that_are_typed() -> None:
    rig, owner = with_owner()
    for typed in ("a.txt", f"{DOCUMENTS}/sub/c.txt", "sub/c.txt"):
        choose_file(rig.session, owner, "open")
        rig.check()
        rig.type(typed).press(Key.ENTER)
    assert [told[2] for told in owner.told] == [f"{DOCUMENTS}/a.txt", f"{DOCUMENTS}/sub/c.txt", f"{DOCUMENTS}/sub/c.txt"]
    dialog = choose_file(rig.session, owner, "open")
    rig.type("/home").press(Key.ENTER)
    assert dialog.folder == "/home" and len(owner.told) == 3
    rig.type("nothing.txt").press(Key.ENTER)
    assert rig.active.id == "ask:file:owner" and len(owner.told) == 3
    rig.press(Key.ENTER).press(Key.ESCAPE)
    assert rig.session.active is owner


def test_the_file_dialog_shows_only_the_endings_it_is_for() -> None:
    rig, owner = with_owner()
    dialog = choose_file(rig.session, owner, "open", endings=(".csv",))
    assert [row[0] for row in dialog.view.rows] == ["sub/", "b.csv"]
    rig.session.change_setting("hidden_files", True)
    dialog.show(rig.session, DOCUMENTS)
    assert ".secret" not in [row[0] for row in dialog.view.rows]


def test_saving_asks_before_it_overwrites() -> None:
    rig, owner = with_owner()
    choose_file(rig.session, owner, "save", "save", name="a.txt")
    rig.check()
    rig.press(Key.ENTER)
    assert rig.active.id == "ask:file:owner"
    rig.click("cancel")
    assert owner.told == [] and rig.active.id == "file:owner"
    rig.press(Key.ENTER).click("replace")
    assert owner.told == [("file", "save", f"{DOCUMENTS}/a.txt")]
    choose_file(rig.session, owner, "save", "save", endings=(".csv",))
    rig.type("new").press(Key.ENTER)
    assert owner.told[1] == ("file", "save", f"{DOCUMENTS}/new.csv")
    choose_file(rig.session, owner, "save", "save")
    for bad in ("nowhere/x.txt", "..", "."):
        rig.press(Key.A, Modifier.CTRL).type(bad).press(Key.ENTER)
        assert rig.active.id == "ask:file:owner", bad
        rig.press(Key.ENTER)
    assert len(owner.told) == 2


def test_a_new_folder_in_the_file_dialog() -> None:
    rig, owner = with_owner()
    dialog = choose_file(rig.session, owner, "save", "save", name="x.txt")
    rig.click("new_folder").type("deep").press(Key.ENTER)
    assert dialog.folder == f"{DOCUMENTS}/deep" and filesystem.is_folder(rig.state.files, f"{DOCUMENTS}/deep")
    rig.click("ok")
    assert owner.told == [("file", "save", f"{DOCUMENTS}/deep/x.txt")]
    choose_file(rig.session, owner, "save", "save")
    for name in ("sub", "a/b", ""):
        rig.click("new_folder").type(name).press(Key.ENTER)
        rig.press(Key.ENTER)
    assert filesystem.listing(rig.state.files, DOCUMENTS)[0] == ["deep", "sub"]


def test_a_dialog_whose_owner_is_gone_tells_nobody() -> None:
    rig, owner = with_owner()
    choose_file(rig.session, owner, "open")
    rig.click("new_folder")
    rig.session.close(owner)
    rig.check()
    assert rig.state.windows == []
    rig.do(Action.click(100, 100)).press(Key.ENTER)
    assert owner.told == []
