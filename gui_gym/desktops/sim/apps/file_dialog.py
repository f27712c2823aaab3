"""The dialog in which a file is chosen to be opened, or a name to save one under."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui_gym.desktops.sim import filesystem
from gui_gym.desktops.sim.apps.dialog import Question, ask, prompt, tell
from gui_gym.desktops.sim.apps.folder import rows_of
from gui_gym.desktops.sim.filesystem import HOME
from gui_gym.desktops.sim.layout import Column, fit, put_over
from gui_gym.desktops.sim.state import Window
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.desktops.sim.widgets.basic import Button, Label
from gui_gym.desktops.sim.widgets.listview import ListView
from gui_gym.desktops.sim.widgets.text import TextField

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

OPEN, SAVE = "open", "save"


@dataclass(kw_only=True)
class FileDialog(Question):
    """Shows a folder. Its widgets: "up", "new_folder", the label "folder", the list "files", the field "name", "ok" and "cancel"."""

    folder: str = HOME
    mode: str = OPEN
    endings: tuple[str, ...] = ()

    @property
    def view(self) -> ListView:
        """Where the files are."""
        return self.part("files", ListView)

    @property
    def name(self) -> TextField:
        """Where the file's name is entered."""
        return self.part("name", TextField)

    def tell(self, session: Session, button: str) -> None:
        session.close(self)

    def show(self, session: Session, folder: str, select: str = "") -> None:
        """Show a folder."""
        self.folder = folder
        self.widget("folder").name = folder
        self.view.rows = rows_of(session, folder, self.endings)
        self.view.selected = next((i for i, row in enumerate(self.view.rows) if row[0] == select), -1)
        self.view.scroll_to(session.look, 0)
        if self.view.selected >= 0:
            self.view.reveal(session.look, self.view.selected)
        session.touch(self)

    def on_files(self, session: Session) -> None:
        self.show(session, self.folder, str(self.view.value))

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if signal == "selected" and not value.endswith("/"):
            self.name.set(session, self, value)
        elif signal == "changed" and widget is self.name and self.view.selected >= 0:  # what was done last is what counts
            self.view.select_names(session.look, [])
            session.touch(self, self.view)
        elif signal == "activated":
            self._enter(session, value)
        elif signal == "clicked" and widget.id == "ok":
            selected = str(self.view.value)
            self._enter(session, selected if selected.endswith("/") else str(self.name.value))
        elif signal == "clicked" and widget.id == "up":
            self.show(session, filesystem.parent(self.folder), f"{filesystem.name_of(self.folder)}/")
        elif signal == "clicked" and widget.id == "new_folder":
            prompt(session, self, "new folder", session.label("New folder"), session.label("Name of the folder:"))
        elif signal == "clicked":
            self.tell(session, widget.id)

    def _enter(self, session: Session, text: str) -> None:
        """Take what is in the field: a folder is shown, a file is chosen."""
        files, text = session.state.files, text.strip()
        if not text:
            return
        path = text.rstrip("/") or "/" if text.startswith("/") else filesystem.join(self.folder, text.rstrip("/"))
        if filesystem.is_folder(files, path):
            self.name.set(session, self, "")
            self.show(session, path)
        elif self.mode == OPEN:
            if path in files:
                self._choose(session, path)
            else:
                tell(session, self, session.label("Open"), session.label("There is no file “{}”.", text))
        elif not filesystem.good_name(filesystem.name_of(path)) or not filesystem.is_folder(files, filesystem.parent(path)):
            tell(session, self, session.label("Save"), session.label("A file cannot be called “{}”.", text))
        else:
            if self.endings and not path.lower().endswith(self.endings):
                path += self.endings[0]
            if path in files:
                name = filesystem.name_of(path)
                question = session.label("A file “{}” already exists. Replace it?", name)
                ask(session, self, f"replace {path}", session.label("Save"), question, ("replace", "cancel"))
            else:
                self._choose(session, path)

    def on_answer(self, session: Session, purpose: str, button: str) -> None:
        if button == "replace":
            self._choose(session, purpose.removeprefix("replace "))

    def on_prompt(self, session: Session, purpose: str, text: str) -> None:
        path = filesystem.join(self.folder, text)
        if filesystem.good_name(text) and not filesystem.exists(session.state.files, path):
            filesystem.make_folder(session.state.files, path)
            session.files_changed()
            self.show(session, path)
        else:
            tell(session, self, session.label("New folder"), session.label("A folder cannot be called “{}”.", text))

    def _choose(self, session: Session, path: str) -> None:
        owner = session.state.window(self.modal_for)
        session.close(self)
        if owner is not None:
            owner.on_file(session, self.purpose, path)


def choose_file(
    session: Session, owner: Window, purpose: str, mode: str = OPEN, folder: str = filesystem.DOCUMENTS, name: str = "", endings: Sequence[str] = ()
) -> FileDialog:
    """Let the user choose a file of one of ``endings`` (any by default) to open, or a name to save one under, at first ``name`` in ``folder``.

    ``owner.on_file(session, purpose, path)`` gets the path, unless it is cancelled. To save over a file, the user is asked first.
    """
    files = session.state.files
    while not filesystem.is_folder(files, folder):
        folder = filesystem.parent(folder)
    title, verb = (session.label("Save as"), session.label("Save")) if mode == SAVE else (session.label("Open"), session.label("Open"))
    dialog = FileDialog(
        id=f"file:{owner.id}", title=title, modal_for=owner.id, purpose=purpose, mode=mode, folder=folder, endings=tuple(endings), focus="name",
        default="ok",
    )  # fmt: skip
    look, size = session.look, session.look.size
    width, height = fit(session, 36, 26)
    column = Column(session, dialog, width - 2 * size.pad)
    column.row(Button(id="up", name=session.label("Up")), Button(id="new_folder", name=session.label("New folder")), align="left")
    column.row(Label(id="folder", name=folder, muted=True), height=look.sans.height + 2)
    room = height - column.y - 2 * (size.control + size.gap) - size.pad
    columns = [session.label("Name"), session.label("Size")]
    view = ListView(id="files", name=session.label("Files"), columns=columns, shares=[68, 32], icons=True)
    view.rows = rows_of(session, folder, dialog.endings)
    column.row(view, height=max(room, 3 * size.control))
    caption = session.label("File name")
    label = Label(id="name_label", name=caption, w=look.sans.width(caption) + size.gap)
    column.row(label, TextField(id="name", name=caption, text=name, caret=len(name)))
    column.row(Button(id="ok", name=verb, primary=True), Button(id="cancel", name=session.label("Cancel")), align="right")
    column.finish()
    earlier = session.state.window(dialog.id)
    if earlier is not None:
        session.close(earlier)
    put_over(session, dialog, owner)
    return dialog
