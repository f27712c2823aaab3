"""The text editor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim import filesystem
from gui_gym.desktops.sim.apps import open_path
from gui_gym.desktops.sim.apps.dialog import ask
from gui_gym.desktops.sim.apps.file_dialog import SAVE, choose_file
from gui_gym.desktops.sim.apps.find_bar import FindBar
from gui_gym.desktops.sim.layout import cascade, fit
from gui_gym.desktops.sim.state import Event, Window
from gui_gym.desktops.sim.widgets.area import TextArea
from gui_gym.desktops.sim.widgets.base import Stroke, Widget
from gui_gym.desktops.sim.widgets.basic import Label
from gui_gym.desktops.sim.widgets.choice import MenuBar

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

MENUS = {
    "File": ["New", "Open", "-", "Save", "Save as", "Revert", "-", "Close"],
    "Edit": ["Undo", "Redo", "-", "Cut", "Copy", "Paste", "-", "Select all", "-", "Find", "Replace"],
    "View": ["Word wrap"],
}
_EDIT = {"Undo": Key.Z, "Redo": Key.Y, "Cut": Key.X, "Copy": Key.C, "Paste": Key.V, "Select all": Key.A}
_KEYS = {Key.S: "Save", Key.O: "Open", Key.N: "New", Key.F: "Find", Key.H: "Replace", Key.W: "Close"}


@dataclass(kw_only=True)
class Editor(FindBar, Window):
    """Edits the file ``path``; a star in the title says that it differs from what is saved. Its widgets: "menu", "text", "status".

    Args:
        path: the file, or "" for a text that has none yet.
        saved: the text as it was last read or written; None if the file has gone since.
    """

    icon = "editor"

    path: str
    saved: str | None = ""

    @property
    def area(self) -> TextArea:
        """Where the text is."""
        area = self.widget("text")
        assert isinstance(area, TextArea)
        return area

    def layout(self, session: Session) -> None:
        look, size = session.look, session.look.size
        menu, area, status = self.widget("menu"), self.area, self.widget("status")
        line = look.sans.height + 2
        self.least = (max(18 * size.font, self.find_width(session)), 14 * size.font)
        menu.x, menu.y, menu.w, menu.h = 1, size.title, self.w - 2, size.control - 2
        top = self.layout_find(session, menu.y + menu.h)
        area.x, area.y, area.w, area.h = 1, top, self.w - 2, self.h - top - line - 1
        status.x, status.y, status.w, status.h = size.gap, self.h - line - 1, self.w - 2 * size.gap, line
        area.reveal_caret(look)

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if widget.id == "text" and signal == "changed":
            if session.state.settings["autosave"] and self.path:
                self.save(session)
            self.mark(session)
        elif widget.id == "menu":
            self._do(session, value.partition(" > ")[2])
        else:
            self.on_find_signal(session, widget, signal)

    def on_stroke(self, session: Session, stroke: Stroke) -> bool:
        if stroke.is_(Key.S, Modifier.CTRL, Modifier.SHIFT):
            self._do(session, "Save as")
        elif stroke.modifiers == {Modifier.CTRL} and stroke.key in _KEYS:
            self._do(session, _KEYS[stroke.key])
        else:
            return self.on_find_stroke(session, stroke)
        return True

    def _do(self, session: Session, item: str) -> None:
        if item == "New":
            open_editor(session)
        elif item == "Open":
            choose_file(session, self, "open", folder=filesystem.parent(self.path) if self.path else filesystem.DOCUMENTS)
        elif item == "Save":
            self.save(session)
        elif item == "Save as":
            self._save_as(session, "save")
        elif item == "Revert":
            self.area.anchor, self.area.caret = 0, len(self.area.text)
            self.area.replace(session, self, session.state.files.get(self.path, ""))
        elif item == "Close":
            session.ask_to_close(self)
        elif item in ("Find", "Replace"):
            self.open_find(session, replace=item == "Replace")
        elif item == "Word wrap":
            session.change_setting("word_wrap", not session.state.settings["word_wrap"])
        else:
            self.area.command(session, self, _EDIT[item])
            session.touch(self, self.area)

    # Files

    def save(self, session: Session) -> None:
        """Write the file; a text that has none is asked for its name."""
        if not self.path:
            self._save_as(session, "save")
            return
        self.saved = self.area.text
        session.state.files[self.path] = self.area.text
        session.state.log.append(Event(self.id, "text", "saved", self.path))
        session.files_changed()
        self.mark(session)

    def _save_as(self, session: Session, purpose: str) -> None:
        path = self.path or filesystem.join(filesystem.DOCUMENTS, f"{session.label('Untitled')}.txt")
        choose_file(session, self, purpose, SAVE, filesystem.parent(path), filesystem.name_of(path))

    def on_file(self, session: Session, purpose: str, path: str) -> None:
        if purpose == "open":
            open_path(session, path)
            return
        self.path = path
        if session.state.window(f"editor:{path}") is None:
            self.id = f"editor:{path}"
        self.save(session)
        if purpose == "close":
            session.close(self)

    def on_files(self, session: Session) -> None:
        """The file was changed elsewhere: show what it is now, unless there are changes that are not saved."""
        text = session.state.files.get(self.path)
        if text == self.saved or text is None and not self.saved:
            return
        if text is not None and self.area.text == self.saved:
            caret = self.area.caret
            self.area.set(session, self, text)
            self.area.move_caret(session.look, caret, False)
        self.saved = text
        self.mark(session)

    def on_setting(self, session: Session, name: str) -> None:
        if name == "word_wrap":
            self.area.wrap, self.area.left = bool(session.state.settings["word_wrap"]), 0
            menu = self.widget("menu")
            assert isinstance(menu, MenuBar)
            menu.labels["Word wrap"] = _wrap_label(session)
            self.area.reveal_caret(session.look)
        elif name == "autosave" and session.state.settings["autosave"] and self.path and self.area.text != self.saved:
            self.save(session)

    def on_close(self, session: Session) -> bool:
        if self.area.text == self.saved:
            return True
        name = filesystem.name_of(self.path) if self.path else session.label("Untitled")
        ask(session, self, "close", session.label("Close"), session.label("Save the changes to “{}”?", name), ("save", "discard", "cancel"))
        return False

    def on_answer(self, session: Session, purpose: str, button: str) -> None:
        if purpose != "close" or button == "cancel":
            return
        if button == "save" and not self.path:
            self._save_as(session, "close")
            return
        if button == "save":
            self.save(session)
        session.close(self)

    def mark(self, session: Session) -> None:
        """Say in the title and the status line whether the text is saved."""
        saved = self.area.text == self.saved
        session.retitle(self, title_of(session, self.path) + ("" if saved else " *"))
        status = self.widget("status")
        status.name = status_of(session, self.area.text) + ("" if saved else f", {session.label('not saved')}")
        session.touch(self, status)


def title_of(session: Session, path: str) -> str:
    """An editor's title while its file is saved."""
    return f"{filesystem.name_of(path) if path else session.label('Untitled')} - {session.label('Editor')}"


def status_of(session: Session, text: str) -> str:
    """How many lines and characters a text has."""
    lines, characters = text.count("\n") + 1, len(text)
    first = session.label("1 line") if lines == 1 else session.label("{} lines", str(lines))
    return f"{first}, " + (session.label("1 character") if characters == 1 else session.label("{} characters", str(characters)))


def _wrap_label(session: Session) -> str:
    return ("✓ " if session.state.settings["word_wrap"] else "") + session.label("Word wrap")


def make_editor(session: Session, path: str, width: int, height: int) -> Editor:
    """An editor on a file, ``width`` x ``height`` pixels, at the screen's corner and not opened yet. Without a ``path`` the text has no file yet."""
    text, number = session.state.files.get(path, ""), 1
    name = f"editor:{path}"
    while not path and session.state.window(name):
        number += 1
        name = f"editor:{number}"
    window = Editor(id=name, title=title_of(session, path), path=path, saved=text, w=width, h=height, focus="text", resizable=True)
    labels = {key: session.label(key) for menu, items in MENUS.items() for key in (menu, *items) if key not in ("-", "Word wrap")}
    labels["Word wrap"] = _wrap_label(session)
    window.widgets = [
        MenuBar(id="menu", name="Menu", menus={k: list(v) for k, v in MENUS.items()}, labels=labels),
        TextArea(id="text", name="Text", text=text, wrap=bool(session.state.settings["word_wrap"])),
        Label(id="status", muted=True, name=status_of(session, text)),
    ]
    window.layout(session)
    return window


def open_editor(session: Session, path: str = "") -> Window:
    """Open an editor on a file, or raise the one that is open; without a ``path``, a new one on a text that has no file yet."""
    known = session.state.window(f"editor:{path}") if path else None
    if known:
        session.activate(known)
        return known
    window = make_editor(session, path, *fit(session, 44, 28))
    cascade(session, window)
    return window
