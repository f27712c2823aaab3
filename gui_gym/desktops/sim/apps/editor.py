"""The text editor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui_gym.actions import Key, Modifier
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

    path: str

    @property
    def area(self) -> TextArea:
        """Where the text is."""
        area = self.widget("text")
        assert isinstance(area, TextArea)
        return area

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
                session.close(self)
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
    look, size = session.look, session.look.size
    text = session.state.files.get(path, "")
    window = Editor(id=f"editor:{path}", title=title_of(path), path=path, w=width, h=height, focus="text")
    line = look.sans.height + 2
    menu = MenuBar(id="menu", name="Menu", x=1, y=size.title, w=width - 2, h=size.control - 2, menus={k: list(v) for k, v in MENUS.items()})
    top = menu.y + menu.h
    area = TextArea(id="text", name="Text", x=1, y=top, w=width - 2, h=height - top - line - 1, text=text)
    status = Label(id="status", x=size.gap, y=height - line - 1, w=width - 2 * size.gap, h=line, muted=True)
    status.name = f"{text.count(chr(10)) + 1} lines, {len(text)} characters"
    window.widgets = [menu, area, status]
    return window
