"""What programs have in common whose windows are each on a file: opening and saving it, and asking about what is not saved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from gui_gym.desktops.sim import filesystem
from gui_gym.desktops.sim.apps import open_path
from gui_gym.desktops.sim.apps.dialog import ask
from gui_gym.desktops.sim.apps.file_dialog import SAVE, choose_file
from gui_gym.desktops.sim.layout import cascade, fit
from gui_gym.desktops.sim.state import Event, Window

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session


@dataclass(kw_only=True)
class Document(Window):
    """A window on the file ``path``; a star in its title says that it differs from what is saved.

    Attributes:
        kind: what the ids of its windows start with: ``"editor:/home/user/a.txt"``.
        program: the English label of the program.
        content: id of the widget that shows what is in the file.
        ending: the end of the name of a file that has none yet.
        endings: ends of the names that the file dialogs show; none of them: all.
        home: the folder in which the file dialogs start.

    Args:
        path: the file, or "" for a document that has none yet.
    """

    kind: ClassVar[str]
    program: ClassVar[str]
    content: ClassVar[str]
    ending: ClassVar[str]
    endings: ClassVar[tuple[str, ...]] = ()
    home: ClassVar[str] = filesystem.DOCUMENTS

    path: str = ""

    @property
    def unsaved(self) -> bool:
        """Whether it differs from what is saved."""
        raise NotImplementedError

    def written(self) -> str:
        """The text of its file, which from now on counts as saved."""
        raise NotImplementedError

    def take_path(self, session: Session, path: str) -> None:
        """Be the window of another file; the window's id follows unless the file has another window."""
        self.path = path
        if session.state.window(f"{self.kind}:{path}") is None:
            self.id = f"{self.kind}:{path}"

    def mark(self, session: Session) -> None:
        """Say in the title whether it is saved."""
        session.retitle(self, title_of(session, type(self), self.path) + (" *" if self.unsaved else ""))

    def ask_for_file(self, session: Session) -> None:
        """Let the user choose a file to open."""
        choose_file(session, self, "open", folder=filesystem.parent(self.path) if self.path else self.home, endings=self.endings)

    def save(self, session: Session) -> None:
        """Write the file; a document that has none is asked for its name."""
        if not self.path:
            self.save_as(session)
            return
        session.state.files[self.path] = self.written()
        session.state.log.append(Event(self.id, self.content, "saved", self.path))
        session.files_changed()
        self.mark(session)

    def save_as(self, session: Session, purpose: str = "save") -> None:
        """Ask for a name, save under it, and go on with what it was asked for."""
        path = self.path or filesystem.join(self.home, session.label("Untitled") + self.ending)
        choose_file(session, self, purpose, SAVE, filesystem.parent(path), filesystem.name_of(path), self.endings)

    def on_file(self, session: Session, purpose: str, path: str) -> None:
        if purpose == "open":
            open_path(session, path)
            return
        self.take_path(session, path)
        self.save(session)
        self.go_on(session, purpose)

    def go_on(self, session: Session, purpose: str) -> None:
        """Do what it was saved for, or what its changes were given up for."""
        if purpose == "close":
            session.close(self)

    def on_close(self, session: Session) -> bool:
        if self.unsaved:
            self.ask_to_save(session, "close", session.label("Close"))
        return not self.unsaved

    def ask_to_save(self, session: Session, purpose: str, title: str) -> None:
        """Ask what to do with the changes before it goes on."""
        name = filesystem.name_of(self.path) if self.path else session.label("Untitled")
        ask(session, self, purpose, title, session.label("Save the changes to “{}”?", name), ("save", "discard", "cancel"))

    def on_answer(self, session: Session, purpose: str, button: str) -> None:
        if button == "save" and not self.path:
            self.save_as(session, purpose)
        elif button == "save":
            self.save(session)
            self.go_on(session, purpose)
        elif button == "discard":
            self.go_on(session, purpose)


def title_of(session: Session, document: type[Document], path: str) -> str:
    """A document's title while it is saved."""
    return f"{filesystem.name_of(path) if path else session.label('Untitled')} - {session.label(document.program)}"


def id_for(session: Session, document: type[Document], path: str) -> str:
    """The id of a new window on a file, or the first free one for a document without a file."""
    name, number, taken = f"{document.kind}:{path}", 1, {window.id for window in session.state.windows}
    while not path and name in taken:
        number += 1
        name = f"{document.kind}:{number}"
    return name


def open_document(
    session: Session, document: type[Document], path: str, make: Callable[[Session, str, int, int], Window], width: int, height: int
) -> Window:
    """Raise the window that is open on a file, else open the one that ``make`` makes, ``width`` x ``height`` font sizes large if there is room."""
    known = session.state.window(f"{document.kind}:{path}") if path else None
    if known:
        session.activate(known)
        return known
    window = make(session, path, *fit(session, width, height))
    cascade(session, window)
    return window
