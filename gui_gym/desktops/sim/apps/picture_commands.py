"""What the commands of the picture viewer do to its picture."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from gui_gym.desktops.sim.apps.dialog import prompt, tell
from gui_gym.desktops.sim.apps.document import Document
from gui_gym.desktops.sim.fonts import font
from gui_gym.desktops.sim.painting import edit
from gui_gym.desktops.sim.painting.picture import MAX_SIDE, Picture, PictureError, read_picture, write_picture
from gui_gym.desktops.sim.widgets.drawing import ZOOMS, Drawing

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

TEXT_FONT = ("bold", 16)  #: of the text tool, whatever the size of the screen's letters


@dataclass(kw_only=True)
class PictureHolder(Document):
    """A window with a picture, its widget "picture"."""

    @property
    def view(self) -> Drawing:
        """Where the picture is."""
        return self.part("picture", Drawing)

    def change(self, session: Session, command: str, picture: Picture) -> None:
        """Carry out a command that changes the picture or what is selected of it; nothing for another one."""
        view = self.view
        changes: dict[str, Callable[[Picture], Picture]] = {
            "Turn left": partial(edit.turn, quarters=3),
            "Turn right": partial(edit.turn, quarters=1),
            "Flip left to right": edit.flip,
            "Flip upside down": partial(edit.flip, upside_down=True),
        }
        view.cancel(session, self) if view.base is not None else None
        picture = view.picture or picture
        rect = view.selection
        if command in changes:
            view.selection = None
            view.change(session, self, changes[command](picture))
        elif command == "Crop to selection" and rect:
            view.selection = None
            view.change(session, self, edit.crop(picture, rect))
        elif command in ("Copy", "Cut"):
            whole = rect or (0, 0, picture.width, picture.height)
            if rect or command == "Copy":
                session.copy_text(write_picture(edit.crop(picture, whole)))
            if rect and command == "Cut":
                view.change(session, self, edit.rectangle(picture, rect, (255, 255, 255), filled=True))
        elif command == "Paste":
            self._paste(session, picture)
        elif command == "Select all":
            view.selection = (0, 0, picture.width, picture.height)
            session.touch(self, view)
        elif command == "Change size":
            size = f"{picture.width} x {picture.height}"
            prompt(session, self, "size", session.label("Change size"), session.label("Width x height:"), size)

    def _paste(self, session: Session, picture: Picture) -> None:
        """Lay a picture from the clipboard over this one."""
        try:
            pasted = read_picture(session.state.clipboard)
        except PictureError:
            return
        view = self.view
        x, y = view.selection[:2] if view.selection else (0, 0)
        view.selection = (x, y, pasted.width, pasted.height)
        view.change(session, self, edit.paste(picture, pasted, (x, y)))

    def on_prompt(self, session: Session, purpose: str, text: str) -> None:
        view = self.view
        picture = view.picture
        if picture is None:
            return
        if purpose == "text" and text and view.point:
            view.change(session, self, edit.write(picture, view.point, text[:100], font(*TEXT_FONT), view.color))
        elif purpose == "size":
            match = re.fullmatch(r"\s*(\d{1,4})\s*[x×,]\s*(\d{1,4})\s*", text, re.ASCII)
            sides = [int(match[1]), int(match[2])] if match else [0]
            if all(1 <= side <= MAX_SIDE for side in sides):
                view.change(session, self, edit.resize(picture, *sides))
            else:
                tell(session, self, session.label("Change size"), session.label("Each side has 1 to {} pixels.", str(MAX_SIDE)))

    def zoom(self, session: Session, command: str) -> None:
        """Zoom, with the middle of what is seen staying where it is."""
        view, look = self.view, session.look
        now = view.scale(look)
        middle = view.pixel_at(look, view.w // 2, view.h // 2)
        if command == "Zoom in":
            view.zoom = next((zoom for zoom in ZOOMS if zoom > now), ZOOMS[-1])
        elif command == "Zoom out":
            view.zoom = next((zoom for zoom in reversed(ZOOMS) if zoom < now), ZOOMS[0])
        else:
            view.zoom = 0 if command == "Fit to window" else 100
        view.top = view.left = 0
        x, y = view.place_of(look, *middle)
        view.top, view.left = y - view.h // 2, x - view.w // 2
        view.settle(look)
        session.touch(self, view)
