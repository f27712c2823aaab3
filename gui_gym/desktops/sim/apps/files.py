"""The file manager."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui_gym.actions import Key
from gui_gym.desktops.sim.apps.dialog import Prompt, PromptOwner
from gui_gym.desktops.sim.apps.editor import make_editor
from gui_gym.desktops.sim.layout import Column
from gui_gym.desktops.sim.state import Event, Window
from gui_gym.desktops.sim.widgets.base import Stroke, Widget
from gui_gym.desktops.sim.widgets.basic import Button, Label
from gui_gym.desktops.sim.widgets.listview import ListView
from gui_gym.desktops.sim.widgets.text import TextField

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

HOME = "/home/user"
ACTIONS = ("Open", "Rename", "Delete")


@dataclass(kw_only=True)
class Files(Window, PromptOwner):
    """Shows the folder ``folder``. Its widgets: the buttons "up", "open", "rename", "delete", and the list "files"."""

    folder: str = HOME
    renaming: str = ""  #: the file that the open prompt is about

    @property
    def list(self) -> ListView:
        """Where the files are."""
        view = self.widget("files")
        assert isinstance(view, ListView)
        return view

    def refresh(self, session: Session, select: str = "") -> None:
        """Show the folder as it is now."""
        view = self.list
        view.rows = rows_of(session.state.files, self.folder)
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
                open_editor(session, path, self)
            elif action == "Rename":
                self.renaming = name
                _ask(session, self, "Rename", f"New name of {name}:", name)
            elif action == "Delete":
                del session.state.files[path]
                session.state.log.append(Event(self.id, "files", "deleted", path))
                session.files_changed()

    def on_prompt(self, session: Session, text: str) -> None:
        """Rename; a name that is empty, taken or holds a slash leaves the file as it is."""
        old, new, files = f"{self.folder}/{self.renaming}", f"{self.folder}/{text}", session.state.files
        if text and "/" not in text and new not in files and old in files:
            files[new] = files.pop(old)
            session.state.log.append(Event(self.id, "files", "renamed", new))
            session.files_changed()
            self.refresh(session, text)


def title_of(folder: str) -> str:
    """A file manager's title."""
    return f"{folder.rpartition('/')[2] or '/'} - Files"


def rows_of(files: dict[str, str], folder: str) -> list[list[str]]:
    """Name and size of what is in a folder, folders (with a slash) first, by name."""
    inside = [path[len(folder) + 1 :] for path in files if path.startswith(folder + "/")]
    folders = sorted({name.partition("/")[0] + "/" for name in inside if "/" in name})
    plain = sorted(name for name in inside if "/" not in name)
    sizes = {name: size_of(files[f"{folder}/{name}"]) for name in plain}
    return [[name, ""] for name in folders] + [[name, "1 byte" if size == 1 else f"{size} bytes"] for name, size in sizes.items()]


def size_of(text: str) -> int:
    """The size of a file in bytes."""
    return len(text.encode("utf-8", "surrogateescape"))


def make_files(session: Session, folder: str, width: int, height: int) -> Files:
    """A file manager on a folder, ``width`` x ``height`` pixels, at the screen's corner and not opened yet."""
    window = Files(id="files", title=title_of(folder), folder=folder)
    column = Column(session, window, width - 2 * session.look.size.pad)
    column.row(*(Button(id=name.lower(), name=name) for name in ("Up", *ACTIONS)), align="left")
    room = height - column.y - session.look.size.pad
    view = ListView(id="files", name="Files", columns=["Name", "Size"], shares=[66, 34], menu=list(ACTIONS), icons=True)
    view.rows = rows_of(session.state.files, folder)
    column.row(view, height=room)
    column.finish()
    return window


def show_folder(session: Session, folder: str) -> None:
    """Show a folder in the file manager, opening it in the middle of the screen if it is not open."""
    window = session.state.window("files")
    if isinstance(window, Files):
        window.folder = folder
        window.refresh(session)
        session.activate(window)
        return
    size = session.look.size
    _, _, width, height = session.work_area
    window = make_files(session, folder, min(36 * size.font, width - 2 * size.shadow), min(22 * size.font, height - 2 * size.shadow))
    _put(session, window, (width - window.w) // 2, (height - window.h) // 2)


def open_editor(session: Session, path: str, beside: Window) -> None:
    """Open an editor on a file, near the window that asked for it."""
    size = session.look.size
    left, top, width, height = session.work_area
    w, h = min(44 * size.font, width - 2 * size.shadow), min(28 * size.font, height - 2 * size.shadow)
    editor = make_editor(session, path, w, h)
    _put(session, editor, beside.x + 3 * size.title, beside.y + 2 * size.title)


def _ask(session: Session, owner: Window, title: str, question: str, text: str) -> None:
    size = session.look.size
    earlier = session.state.window("prompt")
    if earlier:
        session.close(earlier)
    prompt = Prompt(id="prompt", title=title, owner=owner.id, focus="text", default="ok")
    column = Column(session, prompt, min(24 * size.font, session.state.width - 4 * size.pad))
    column.row(Label(id="question", name=question))
    column.row(TextField(id="text", name="Name", text=text, caret=len(text), anchor=0))
    column.row(Button(id="ok", name="OK", primary=True), Button(id="cancel", name="Cancel"), align="right")
    column.finish()
    _put(session, prompt, owner.x + (owner.w - prompt.w) // 2, owner.y + (owner.h - prompt.h) // 2)


def _put(session: Session, window: Window, x: int, y: int) -> None:
    """Open a window at a place, moved so that it is on the screen."""
    left, top, width, height = session.work_area
    window.x = max(left, min(x, left + width - window.w))
    window.y = max(top, min(y, top + height - window.h))
    session.open(window)
