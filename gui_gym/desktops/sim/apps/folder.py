"""What a folder looks like in a list: its rows, as the settings want them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui_gym.desktops.sim import filesystem

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session


def rows_of(session: Session, folder: str, endings: tuple[str, ...] = (), order: str = "", descending: bool = False) -> list[list[str]]:
    """Name and size of what is in a folder: folders (with a slash) first, then files, those of ``endings`` only.

    ``order`` is "name" or "size", by default what the setting says; hidden files are there only if the setting says so.
    """
    files, settings = session.state.files, session.state.settings
    folders, plain = filesystem.listing(files, folder)
    if not settings["hidden_files"]:
        folders, plain = [name for name in folders if name[0] != "."], [name for name in plain if name[0] != "."]
    if endings:
        plain = [name for name in plain if name.lower().endswith(endings)]
    sizes = {name: filesystem.size_of(files[filesystem.join(folder, name)]) for name in plain}
    if (order or settings["sort_files"]) == "size":
        plain.sort(key=lambda name: (sizes[name], name))
    if descending:
        folders.reverse()
        plain.reverse()
    return [[f"{name}/", ""] for name in folders] + [[name, size_text(session, sizes[name])] for name in plain]


def size_text(session: Session, size: int) -> str:
    """A size as it is written: "1 byte", "12 bytes"."""
    return session.label("1 byte") if size == 1 else session.label("{} bytes", str(size))
