"""The text editor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim.layout import cascade, fit
from gui_gym.desktops.sim.state import Event, Window
from gui_gym.desktops.sim.widgets.area import TextArea
from gui_gym.desktops.sim.widgets.base import Stroke, Widget
from gui_gym.desktops.sim.widgets.basic import Label
from gui_gym.desktops.sim.widgets.choice import MenuBar

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

MENUS = {"File": ["Save", "Revert", "-", "Close"], "Edit": ["Undo", "-", "Cut", "Copy", "Paste", "-", "Select all"]}
_EDIT = {"Undo": Key.Z, "Cut": Key.X, "Copy": Key.C, "Paste": Key.V, "Select all": Key.A}


@dataclass(kw_only=True)
class Editor(Window):
    """Edits the file ``path``; a star in the title says that it differs from what is saved. Its widgets: "menu", "text", "status"."""

    icon = "editor"

    path: str

    @property
    def area(self) -> TextArea:
        """Where the text is."""
        area = self.widget("text")
        assert isinstance(area, TextArea)
        return area

    def layout(self, session: Session) -> None:
        look, size = session.look, session.look.size
        menu, area, status = self.widgets
        line = look.sans.height + 2
        self.least = (16 * size.font, 10 * size.font)
        menu.x, menu.y, menu.w, menu.h = 1, size.title, self.w - 2, size.control - 2
        top = menu.y + menu.h
        area.x, area.y, area.w, area.h = 1, top, self.w - 2, self.h - top - line - 1
        status.x, status.y, status.w, status.h = size.gap, self.h - line - 1, self.w - 2 * size.gap, line

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if signal == "changed":
            self._mark(session)
        elif signal == "chosen":
            item = value.partition(" > ")[2]
            if item == "Save":
                self.save(session)
            elif item == "Revert":
                self.area.anchor, self.area.caret = 0, len(self.area.text)
                self.area.replace(session, self, session.state.files.get(self.path, ""))
            elif item == "Close":
                session.ask_to_close(self)
            else:
                self.area.command(session, self, _EDIT[item])
                session.touch(self, self.area)

    def on_stroke(self, session: Session, stroke: Stroke) -> bool:
        if stroke.is_(Key.S, Modifier.CTRL):
            self.save(session)
            return True
        return False

    def save(self, session: Session) -> None:
        """Write the file."""
        session.state.files[self.path] = self.area.text
        session.state.log.append(Event(self.id, "text", "saved", self.path))
        session.files_changed()
        self._mark(session)

    def _mark(self, session: Session) -> None:
        text = self.area.text
        saved = session.state.files.get(self.path) == text
        session.retitle(self, title_of(self.path) + ("" if saved else " *"))
        status = self.widget("status")
        status.name = f"{text.count(chr(10)) + 1} lines, {len(text)} characters" + ("" if saved else ", not saved")
        session.touch(self, status)


def title_of(path: str) -> str:
    """An editor's title while its file is saved."""
    return f"{path.rpartition('/')[2]} - Editor"


def make_editor(session: Session, path: str, width: int, height: int) -> Editor:
    """An editor on a file, ``width`` x ``height`` pixels, at the screen's corner and not opened yet."""
    text = session.state.files.get(path, "")
    window = Editor(id=f"editor:{path}", title=title_of(path), path=path, w=width, h=height, focus="text", resizable=True)
    menu = MenuBar(id="menu", name="Menu", menus={k: list(v) for k, v in MENUS.items()})
    area = TextArea(id="text", name="Text", text=text)
    status = Label(id="status", muted=True, name=f"{text.count(chr(10)) + 1} lines, {len(text)} characters")
    window.widgets = [menu, area, status]
    window.layout(session)
    return window


def open_editor(session: Session, path: str = "") -> Window:
    """Open an editor on a file, or raise the one that is open."""
    known = session.state.window(f"editor:{path}")
    if known:
        session.activate(known)
        return known
    window = make_editor(session, path, *fit(session, 44, 28))
    cascade(session, window)
    return window
