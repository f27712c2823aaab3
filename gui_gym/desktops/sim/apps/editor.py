"""The text editor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim.apps.document import id_for, open_document, title_of
from gui_gym.desktops.sim.apps.find_bar import FindBar
from gui_gym.desktops.sim.state import Window
from gui_gym.desktops.sim.widgets.area import TextArea
from gui_gym.desktops.sim.widgets.base import Stroke, Widget
from gui_gym.desktops.sim.widgets.basic import Label
from gui_gym.desktops.sim.widgets.choice import MenuBar, shortcuts_of

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

MENUS = {
    "File": ["New", "Open", "-", "Save", "Save as", "Revert", "-", "Close"],
    "Edit": ["Undo", "Redo", "-", "Cut", "Copy", "Paste", "-", "Select all", "-", "Find", "Replace"],
    "View": ["Word wrap"],
}
_EDIT = {"Undo": Key.Z, "Redo": Key.Y, "Cut": Key.X, "Copy": Key.C, "Paste": Key.V, "Select all": Key.A}
_KEYS = {Key.S: "Save", Key.O: "Open", Key.N: "New", Key.F: "Find", Key.H: "Replace", Key.W: "Close"}
SHORTCUTS = shortcuts_of(_KEYS | {key: item for item, key in _EDIT.items()}) | {"Save as": "Ctrl+Shift+S"}


@dataclass(kw_only=True)
class Editor(FindBar):
    """Edits a text file. Its widgets: "menu", "text", "status".

    Args:
        saved: the text as it was last read or written; None if the file has gone since.
    """

    kind: ClassVar[str] = "editor"
    program: ClassVar[str] = "Editor"
    content: ClassVar[str] = "text"
    ending: ClassVar[str] = ".txt"
    icon = "editor"

    saved: str | None = ""

    @property
    def area(self) -> TextArea:
        """Where the text is."""
        return self.part("text", TextArea)

    @property
    def unsaved(self) -> bool:
        return self.area.text != self.saved

    def written(self) -> str:
        self.saved = self.area.text
        return self.saved

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
            self.ask_for_file(session)
        elif item == "Save":
            self.save(session)
        elif item == "Save as":
            self.save_as(session)
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
            menu = self.part("menu", MenuBar)
            menu.labels["Word wrap"] = _wrap_label(session)
            self.area.reveal_caret(session.look)
        elif name == "autosave" and session.state.settings["autosave"] and self.path and self.unsaved:
            self.save(session)

    def mark(self, session: Session) -> None:
        """Say in the title and the status line whether the text is saved."""
        super().mark(session)
        status = self.widget("status")
        status.name = status_of(session, self.area.text) + (f", {session.label('not saved')}" if self.unsaved else "")
        session.touch(self, status)


def status_of(session: Session, text: str) -> str:
    """How many lines and characters a text has."""
    lines, characters = text.count("\n") + 1, len(text)
    first = session.label("1 line") if lines == 1 else session.label("{} lines", str(lines))
    return f"{first}, " + (session.label("1 character") if characters == 1 else session.label("{} characters", str(characters)))


def _wrap_label(session: Session) -> str:
    return ("✓ " if session.state.settings["word_wrap"] else "") + session.label("Word wrap")


def make_editor(session: Session, path: str, width: int, height: int) -> Editor:
    """An editor on a file, ``width`` x ``height`` pixels, at the screen's corner and not opened yet. Without a ``path`` the text has no file yet."""
    text = session.state.files.get(path, "")
    name, title = id_for(session, Editor, path), title_of(session, Editor, path)
    window = Editor(id=name, title=title, path=path, saved=text, w=width, h=height, focus="text", resizable=True)
    labels = {key: session.label(key) for menu, items in MENUS.items() for key in (menu, *items) if key not in ("-", "Word wrap")}
    labels["Word wrap"] = _wrap_label(session)
    window.widgets = [
        MenuBar(id="menu", name=session.label("Menu"), menus={k: list(v) for k, v in MENUS.items()}, labels=labels, shortcuts=SHORTCUTS),
        TextArea(id="text", name="Text", text=text, wrap=bool(session.state.settings["word_wrap"])),
        Label(id="status", muted=True, name=status_of(session, text)),
    ]
    window.layout(session)
    return window


def open_editor(session: Session, path: str = "") -> Window:
    """Open an editor on a file, or raise the one that is open; without a ``path``, a new one on a text that has no file yet."""
    return open_document(session, Editor, path, make_editor, 44, 28)
