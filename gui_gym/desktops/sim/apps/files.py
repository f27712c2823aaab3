"""The file manager."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui_gym.actions import Key
from gui_gym.desktops.sim import filesystem
from gui_gym.desktops.sim.apps import open_path
from gui_gym.desktops.sim.apps.dialog import prompt
from gui_gym.desktops.sim.apps.folder import rows_of
from gui_gym.desktops.sim.filesystem import HOME
from gui_gym.desktops.sim.layout import Column, cascade, fit
from gui_gym.desktops.sim.state import Event, Window
from gui_gym.desktops.sim.widgets.base import Stroke, Widget
from gui_gym.desktops.sim.widgets.basic import Button
from gui_gym.desktops.sim.widgets.listview import ListView

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

ACTIONS = ("Open", "Rename", "Delete")


@dataclass(kw_only=True)
class Files(Window):
    """Shows the folder ``folder``. Its widgets: the buttons "up", "open", "rename", "delete", and the list "files"."""

    icon = "files"

    folder: str = HOME

    @property
    def list(self) -> ListView:
        """Where the files are."""
        view = self.widget("files")
        assert isinstance(view, ListView)
        return view

    def refresh(self, session: Session, select: str = "") -> None:
        """Show the folder as it is now."""
        view = self.list
        view.rows = rows_of(session, self.folder)
        view.selected = next((i for i, row in enumerate(view.rows) if row[0] == select), -1)
        view.scroll_to(session.look, view.top)
        if view.selected >= 0:
            view.reveal(session.look, view.selected)
        session.retitle(self, title_of(self.folder))
        session.touch(self, view)

    def on_files(self, session: Session) -> None:
        self.refresh(session, str(self.list.value))

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if signal == "activated":
            self._do(session, "Open")
        elif signal == "chosen":
            self._do(session, value)
        elif signal == "clicked":
            self._do(session, value)

    def on_stroke(self, session: Session, stroke: Stroke) -> bool:
        action = {Key.F2: "Rename", Key.DELETE: "Delete", Key.BACKSPACE: "Up"}.get(stroke.key)
        if action is None or stroke.modifiers:
            return False
        self._do(session, action)
        return True

    def _do(self, session: Session, action: str) -> None:
        name = str(self.list.value)
        if action == "Up":
            self.folder = self.folder.rpartition("/")[0] or self.folder
            self.refresh(session)
        elif name.endswith("/"):
            if action == "Open":
                self.folder = f"{self.folder}/{name[:-1]}"
                self.refresh(session)
        elif name:
            path = f"{self.folder}/{name}"
            if action == "Open":
                open_path(session, path)
            elif action == "Rename":
                prompt(session, self, f"rename {name}", session.label("Rename"), session.label("New name of {}:", name), name)
            elif action == "Delete":
                filesystem.trash(session.state.files, path)
                session.state.log.append(Event(self.id, "files", "deleted", path))
                session.files_changed()

    def on_prompt(self, session: Session, purpose: str, text: str) -> None:
        """Rename; a name that is empty, taken or holds a slash leaves the file as it is."""
        old, new, files = f"{self.folder}/{purpose.removeprefix('rename ')}", f"{self.folder}/{text}", session.state.files
        if text and "/" not in text and new not in files and old in files:
            files[new] = files.pop(old)
            session.state.log.append(Event(self.id, "files", "renamed", new))
            session.files_changed()
            self.refresh(session, text)


def title_of(folder: str) -> str:
    """A file manager's title."""
    return f"{folder.rpartition('/')[2] or '/'} - Files"


def make_files(session: Session, folder: str, width: int, height: int) -> Files:
    """A file manager on a folder, ``width`` x ``height`` pixels, at the screen's corner and not opened yet."""
    window = Files(id="files", title=title_of(folder), folder=folder)
    column = Column(session, window, width - 2 * session.look.size.pad)
    column.row(*(Button(id=name.lower(), name=name) for name in ("Up", *ACTIONS)), align="left")
    room = height - column.y - session.look.size.pad
    view = ListView(id="files", name="Files", columns=["Name", "Size"], shares=[66, 34], menu=list(ACTIONS), icons=True)
    view.rows = rows_of(session, folder)
    column.row(view, height=room)
    column.finish()
    return window


def open_files(session: Session, path: str = "") -> Window:
    """Show a folder, the home by default, in the file manager, opening it if it is not open."""
    window = session.state.window("files")
    folder = path or (window.folder if isinstance(window, Files) else HOME)
    if not isinstance(window, Files):
        window = make_files(session, folder, *fit(session, 36, 24))
        cascade(session, window)
    else:
        window.folder = folder
        window.refresh(session)
        session.activate(window)
    return window
