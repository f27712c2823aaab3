"""The file manager."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim import filesystem
from gui_gym.desktops.sim.apps import open_path
from gui_gym.desktops.sim.apps.dialog import ask, prompt, tell
from gui_gym.desktops.sim.apps.folder import rows_of, size_text
from gui_gym.desktops.sim.filesystem import HOME, TRASH
from gui_gym.desktops.sim.layout import cascade, fit, line, natural_width
from gui_gym.desktops.sim.state import Event, Window
from gui_gym.desktops.sim.widgets.base import Stroke, Widget
from gui_gym.desktops.sim.widgets.basic import Button, Label
from gui_gym.desktops.sim.widgets.choice import shortcuts_of
from gui_gym.desktops.sim.widgets.listview import ListView

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

BUTTONS = {"up": "Up", "open": "Open", "rename": "Rename", "delete": "Delete"}  #: always there, by id
MORE = {"back": "Back", "new_folder": "New folder"}  #: where there is room
MENU = ["Open", "-", "Cut", "Copy", "-", "Rename", "Delete", "-", "Properties"]
BLANK_MENU = ["New folder", "New text file", "-", "Paste", "-", "Select all", "Properties"]
TRASH_MENU = ["Restore", "Delete", "-", "Properties"]
TRASH_BLANK_MENU = ["Empty trash"]
_COLUMNS = ("name", "size")

_KEYS = {Key.F2: "Rename", Key.DELETE: "Delete", Key.BACKSPACE: "Up", Key.F5: "Refresh"}
_CTRL = {Key.C: "Copy", Key.X: "Cut", Key.V: "Paste"}
_ALT = {Key.UP: "Up", Key.LEFT: "Back", Key.ENTER: "Properties"}


@dataclass(kw_only=True)
class Files(Window):
    """Shows the folder ``folder``. Its widgets: the buttons of :data:`BUTTONS` and :data:`MORE`, the list "files" and the line "status".

    Args:
        folder: the folder that is shown.
        history: the folders before it.
        order: the column that the user sorts by, "name" or "size", or "" for what the setting says.
        asked: the paths of which it was asked last whether they are to be deleted.
    """

    icon = "files"

    folder: str = HOME
    history: list[str] = field(default_factory=list)
    order: str = ""
    descending: bool = False
    asked: list[str] = field(default_factory=list)

    @property
    def view(self) -> ListView:
        """Where the files are."""
        return self.part("files", ListView)

    def layout(self, session: Session) -> None:
        size, look = session.look.size, session.look
        width = self.w - 2 * size.pad
        buttons = [self.widget(name) for name in BUTTONS]
        more = [self.widget(name) for name in MORE]
        self.least = (max(24 * size.font, natural_width(session, *buttons) + 2 * size.pad), 12 * size.font)
        room = natural_width(session, *buttons, *more) <= width
        top = size.title + size.pad
        below = line(session, size.pad, top, width, *((more[0], *buttons, more[1]) if room else buttons))
        for widget in more:
            widget.enabled = room
            if not room:
                widget.x, widget.y, widget.w, widget.h = size.pad, top, 0, 0
        view, status = self.view, self.widget("status")
        foot = look.sans.height + size.gap if self.h >= 20 * size.font else 0
        view.x, view.y, view.w, view.h = size.pad, below, width, self.h - below - max(size.pad, foot)
        status.x, status.y, status.w, status.h = size.pad, self.h - foot, width if foot else 0, look.sans.height + 2
        view.scroll_to(look, view.top)

    def refresh(self, session: Session, select: list[str] | None = None) -> None:
        """Show the folder as it is now, with these rows selected; by default the ones that are."""
        view, files = self.view, session.state.files
        names = view.names if select is None else select
        while not filesystem.is_folder(files, self.folder):
            self.folder = filesystem.parent(self.folder)
        order = self.order or str(session.state.settings["sort_files"])
        view.rows = rows_of(session, self.folder, order=order, descending=self.descending)
        view.order, view.descending = _COLUMNS.index(order), self.descending
        in_trash = self.folder.startswith(TRASH)
        view.menu, view.blank_menu = (TRASH_MENU, TRASH_BLANK_MENU) if in_trash else (MENU, BLANK_MENU)
        view.select_names(session.look, names)
        self._count(session)
        session.retitle(self, title_of(session, self.folder))
        session.touch(self)

    def show(self, session: Session, folder: str, select: list[str] | None = None) -> None:
        """Show another folder."""
        if folder != self.folder:
            self.history = [*self.history[-19:], self.folder]
        self.folder = folder
        self.view.top = 0
        self.refresh(session, select or [])

    def _count(self, session: Session) -> None:
        """Say in the status line how many rows there are, or are selected."""
        chosen, status = len(self.view.selection), self.widget("status")
        if chosen:
            text = session.label("{} selected", str(chosen))
        else:
            text = session.label("1 item") if len(self.view.rows) == 1 else session.label("{} items", str(len(self.view.rows)))
        if text != status.name:
            status.name = text
            session.touch(self, status)

    def on_files(self, session: Session) -> None:
        self.refresh(session)

    def on_setting(self, session: Session, name: str) -> None:
        if name in ("hidden_files", "sort_files"):
            self.order, self.descending = "", False
            self.refresh(session)

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if signal == "activated":
            self.do(session, "Open")
        elif signal == "chosen":
            self.do(session, value)
        elif signal == "clicked":
            self.do(session, (BUTTONS | MORE)[widget.id])
        elif signal == "selected":
            self._count(session)
        elif signal == "sorted":
            column = _COLUMNS[int(value)]
            self.descending = column == _COLUMNS[self.view.order] and not self.descending
            self.order = column
            self.refresh(session)
        elif signal == "dropped":
            self._move(session, [self._path(name) for name in self.view.names], self._path(value), "moved")

    def on_stroke(self, session: Session, stroke: Stroke) -> bool:
        if stroke.is_(Key.N, Modifier.CTRL, Modifier.SHIFT):
            self.do(session, "New folder")
            return True
        if stroke.is_(Key.DELETE, Modifier.SHIFT):
            self._ask_delete(session, "remove")
            return True
        keys = {Modifier.CTRL: _CTRL, Modifier.ALT: _ALT}
        action = keys.get(next(iter(stroke.modifiers)), {}).get(stroke.key) if len(stroke.modifiers) == 1 else None
        action = _KEYS.get(stroke.key) if not stroke.modifiers else action
        if action is None:
            return False
        self.do(session, action)
        return True

    def _path(self, name: str) -> str:
        return filesystem.join(self.folder, name.rstrip("/"))

    def do(self, session: Session, action: str) -> None:
        """What a button, a menu's item or a key says, in English."""
        names, files = self.view.names, session.state.files
        if action == "Up":
            if self.folder != "/":
                self.show(session, filesystem.parent(self.folder), [f"{filesystem.name_of(self.folder)}/"])
        elif action == "Back":
            if self.history:
                folder = self.history.pop()
                self.folder = folder
                self.refresh(session, [])
        elif action == "Refresh":
            self.refresh(session)
        elif action == "Open" and names:
            self._open(session, names)
        elif action == "Rename" and len(names) == 1:
            name = names[0].rstrip("/")
            prompt(session, self, f"rename {self._path(name)}", session.label("Rename"), session.label("New name of {}:", name), name)
        elif action == "Delete" and names:
            self._ask_delete(session, "delete")
        elif action in ("Cut", "Copy") and names:
            session.copy_files([self._path(name) for name in names], cut=action == "Cut")
        elif action == "Paste":
            self._paste(session)
        elif action == "Select all" and self.view.rows:
            self.view.stroke(session, self, Stroke(Key.A, frozenset({Modifier.CTRL})))
            self._count(session)
            session.touch(self, self.view)
        elif action == "New folder":
            name = filesystem.free_name(files, self.folder, session.label("New folder"))
            prompt(session, self, "new folder", session.label("New folder"), session.label("Name of the folder:"), name)
        elif action == "New text file":
            name = filesystem.free_name(files, self.folder, f"{session.label('New text file')}.txt")
            prompt(session, self, "new file", session.label("New text file"), session.label("File name"), name, len(name) - 4)
        elif action == "Properties":
            self._tell_properties(session, names)
        elif action == "Restore" and names:
            for name in names:
                filesystem.restore(files, self._path(name))
            session.files_changed()
        elif action == "Empty trash":
            ask(session, self, "empty", session.label("Empty trash"), session.label("Remove everything in the trash?"), ("delete", "cancel"))

    def _open(self, session: Session, names: list[str]) -> None:
        folders = [name for name in names if name.endswith("/")]
        if folders:
            self.show(session, self._path(folders[0]))
            return
        for name in names:
            open_path(session, self._path(name))

    # Changes

    def _ask_delete(self, session: Session, purpose: str) -> None:
        """Delete what is selected, at once or after asking, as the setting wants; for good always after asking."""
        names = self.view.names
        if not names:
            return
        for_good = purpose == "remove" or self.folder.startswith(TRASH)
        self.asked = [self._path(name) for name in names]
        if not for_good and not session.state.settings["confirm_delete"]:
            self._delete(session, for_good)
            return
        what = names[0].rstrip("/") if len(names) == 1 else session.label("{} items", str(len(names)))
        text = session.label("Remove “{}” for good?", what) if for_good else session.label("Move “{}” to the trash?", what)
        ask(session, self, purpose, session.label("Delete"), text, ("delete", "cancel"))

    def _delete(self, session: Session, for_good: bool) -> None:
        """Delete what was asked about, as far as it is still there, and select the row below it."""
        files, after = session.state.files, max(self.view.selection, default=-1) + 1
        kept = self.view.rows[after][0] if 0 < after < len(self.view.rows) else ""
        for path in self.asked:
            if not filesystem.exists(files, path):
                continue
            if for_good and not path.startswith(TRASH):
                filesystem.remove(files, path)
            else:
                filesystem.trash(files, path)
            session.state.log.append(Event(self.id, "files", "deleted", path))
        session.files_changed()
        self.refresh(session, [kept] if kept else [])

    def on_answer(self, session: Session, purpose: str, button: str) -> None:
        if button == "delete" and purpose == "empty":
            filesystem.empty_trash(session.state.files)
            session.files_changed()
        elif button == "delete":
            self._delete(session, for_good=purpose == "remove")
        elif purpose.startswith("paste") and button == "replace":
            self._paste(session, replace=True)

    def on_prompt(self, session: Session, purpose: str, text: str) -> None:
        old = purpose.removeprefix("rename ") if purpose.startswith("rename ") else ""
        files, target = session.state.files, filesystem.join(filesystem.parent(old) if old else self.folder, text)
        if target == old or old and not filesystem.exists(files, old):
            return
        if not filesystem.good_name(text) or filesystem.exists(files, target):
            reason = "There is a file “{}” already." if filesystem.good_name(text) else "A file cannot be called “{}”."
            tell(session, self, session.label("Rename" if old else "New"), session.label(reason, text))
            return
        if old:
            filesystem.move(files, old, target)
            session.state.log.append(Event(self.id, "files", "renamed", target))
        elif purpose == "new folder":
            filesystem.make_folder(files, target)
        else:
            files[target] = ""
        session.files_changed()
        self.refresh(session, [text, f"{text}/"])

    def _paste(self, session: Session, replace: bool = False) -> None:
        """Copy or move here what is on the clipboard. A copy in its own folder gets a name of its own; else the user is asked."""
        state = session.state
        paths = [path for path in state.clipboard_files if filesystem.exists(state.files, path)]
        if state.clipboard_cut:
            if self._move(session, paths, self.folder, "paste", replace):
                state.clipboard_files = []
            return
        taken = [path for path in paths if self._taken(session, path, self.folder)]
        if taken and not replace:
            self._ask_replace(session, taken[0], "paste")
            return
        made = []
        for path in paths:
            name = filesystem.name_of(path)
            if filesystem.parent(path) == self.folder:
                name = filesystem.free_name(state.files, self.folder, name)
            if not f"{self.folder}/".startswith(path + "/"):  # a folder is not copied into itself
                filesystem.copy(state.files, path, filesystem.join(self.folder, name))
                made.append(name)
        session.files_changed()
        self.refresh(session, [*made, *(f"{name}/" for name in made)])

    def _taken(self, session: Session, path: str, folder: str) -> bool:
        """Whether something else in a folder has the name of ``path``."""
        return filesystem.parent(path) != folder and filesystem.exists(session.state.files, filesystem.join(folder, filesystem.name_of(path)))

    def _move(self, session: Session, paths: list[str], folder: str, purpose: str, replace: bool = False) -> bool:
        """Move files and folders into a folder; whether it was done. Nothing is overwritten without asking."""
        files = session.state.files
        paths = [path for path in paths if filesystem.parent(path) != folder and not f"{folder}/".startswith(path + "/")]
        taken = [path for path in paths if self._taken(session, path, folder)]
        if taken and not replace:
            if purpose == "paste":
                self._ask_replace(session, taken[0], purpose)
            else:
                name = filesystem.name_of(taken[0])
                tell(session, self, session.label("Move"), session.label("There is a file “{}” already.", name))
            return False
        for path in paths:
            target = filesystem.join(folder, filesystem.name_of(path))
            filesystem.move(files, path, target)
            session.state.log.append(Event(self.id, "files", "moved", target))
        if paths:
            session.files_changed()
            self.refresh(session, [])
        return True

    def _ask_replace(self, session: Session, path: str, purpose: str) -> None:
        question = session.label("A file “{}” already exists. Replace it?", filesystem.name_of(path))
        ask(session, self, purpose, session.label("Paste"), question, ("replace", "cancel"))

    def _tell_properties(self, session: Session, names: list[str]) -> None:
        files = session.state.files
        path = self._path(names[0]) if len(names) == 1 else self.folder
        entries = filesystem.tree(files, path)
        size = size_text(session, sum(filesystem.size_of(files[each]) for each in entries))
        kind = session.label("Folder") if filesystem.is_folder(files, path) else session.label("File")
        rows = {"Name": filesystem.name_of(path), "Type": kind, "Size": size, "Folder": filesystem.parent(path)}
        tell(session, self, session.label("Properties"), "\n".join(f"{session.label(key)}: {value}" for key, value in rows.items()))


def title_of(session: Session, folder: str) -> str:
    """A file manager's title."""
    name = session.label("Trash") if folder == f"{TRASH}/files" else filesystem.name_of(folder)
    return f"{name} - {session.label('Files')}"


def make_files(session: Session, folder: str, width: int, height: int) -> Files:
    """A file manager on a folder, ``width`` x ``height`` pixels, at the screen's corner and not opened yet."""
    window = Files(id="files", title=title_of(session, folder), folder=folder, w=width, h=height, resizable=True)
    words = {*MENU, *BLANK_MENU, *TRASH_MENU, *TRASH_BLANK_MENU} - {"-"}
    view = ListView(
        id="files",
        name=session.label("Files"),
        columns=[session.label("Name"), session.label("Size")],
        shares=[66, 34],
        labels={word: session.label(word) for word in sorted(words)},
        shortcuts=shortcuts_of(_CTRL) | {"Rename": "F2", "Select all": "Ctrl+A", "New folder": "Ctrl+Shift+N"},
        icons=True,
        multiple=True,
        sortable=True,
        droppable=True,
        eager=True,
    )
    window.widgets = [
        *(Button(id=name, name=session.label(english)) for name, english in BUTTONS.items()),
        *(Button(id=name, name=session.label(english)) for name, english in MORE.items()),
        view,
        Label(id="status", muted=True),
    ]
    window.layout(session)
    window.refresh(session)
    return window


def open_files(session: Session, path: str = "") -> Window:
    """Show a folder, the home by default, in the file manager, opening it if it is not open."""
    window = session.state.window("files")
    if isinstance(window, Files):
        if path:
            window.show(session, path)
        session.activate(window)
        return window
    window = make_files(session, path or HOME, *fit(session, 40, 26))
    window.focus = "files"
    cascade(session, window)
    return window
