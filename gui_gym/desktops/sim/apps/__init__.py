"""Windows that do something, and the registry of those a user can start."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from gui_gym.desktops.sim import filesystem

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session
    from gui_gym.desktops.sim.state import Window


@dataclass(frozen=True)
class App:
    """A program that can be started.

    Args:
        label: what it is called in English; the start menu shows it in the language of the desktop.
        icon: its picture, a name of :data:`gui_gym.desktops.sim.art.ART`.
        open: ``"module:function"``, where ``function(session, path="") -> Window`` opens it, or raises it if it is open.
        endings: the ends of the names of the files it opens.
    """

    label: str
    icon: str
    open: str
    endings: tuple[str, ...] = ()


_HERE = "gui_gym.desktops.sim.apps"

#: All programs by id, in the order of the start menu.
APPS: dict[str, App] = {
    "files": App("Files", "files", f"{_HERE}.files:open_files"),
    "editor": App("Text editor", "editor", f"{_HERE}.editor:open_editor", (".txt", ".md", ".log")),
    "mail": App("Mail", "mail", f"{_HERE}.mail:open_mail", (".eml",)),
    "calendar": App("Calendar", "calendar", f"{_HERE}.calendar:open_calendar", (".ics",)),
    "browser": App("Browser", "browser", f"{_HERE}.browser:open_browser"),
    "spreadsheet": App("Spreadsheet", "spreadsheet", f"{_HERE}.spreadsheet:open_spreadsheet", (".csv",)),
    "pictures": App("Pictures", "picture", f"{_HERE}.pictures:open_pictures", (".pic",)),
    "calculator": App("Calculator", "calculator", f"{_HERE}.calculator:open_calculator"),
    "terminal": App("Terminal", "terminal", f"{_HERE}.terminal:open_terminal"),
    "settings": App("Settings", "settings", f"{_HERE}.preferences:open_preferences"),
}


def launch(session: Session, app_id: str, path: str = "") -> Window:
    """Start a program, on a file if it takes one. KeyError if there is none of that id."""
    if app_id not in APPS:
        raise KeyError(f"there is no program {app_id!r}: expected one of {', '.join(APPS)}")
    open_one = session.state.window(app_id)
    if open_one is not None and session.blocker(open_one):  # it shows nothing else before its question is answered
        session.activate(open_one)
        return open_one
    module, _, function = APPS[app_id].open.partition(":")
    window: Window = getattr(import_module(module), function)(session, path)
    return window


def app_for(path: str) -> str:
    """The id of the program that opens a file, by the end of its name."""
    return next((name for name, app in APPS.items() if path.lower().endswith(app.endings)), "editor")


def picture_of(path: str) -> str:
    """The picture of a file: that of the program that opens it, a page for texts."""
    app = app_for(path)
    return "page" if app == "editor" else APPS[app].icon


def open_path(session: Session, path: str) -> Window:
    """Open a file with its program, or a folder in the file manager."""
    folder = filesystem.is_folder(session.state.files, path)
    return launch(session, "files" if folder else app_for(path), path)
