"""The icons on the desktop: folders, programs, and what lies in the folder Desktop."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gui_gym.actions import Button, Key, Modifier
from gui_gym.desktops.sim import filesystem
from gui_gym.desktops.sim.apps import APPS, launch, open_path, picture_of
from gui_gym.desktops.sim.apps.dialog import ask, prompt, tell
from gui_gym.desktops.sim.art import paint_art
from gui_gym.desktops.sim.canvas import Canvas, Rect, inside
from gui_gym.desktops.sim.filesystem import DESKTOP, HOME
from gui_gym.desktops.sim.labels import label
from gui_gym.desktops.sim.look import Look, wallpaper
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.widgets.base import Stroke

PLACES = {"Home": HOME, "Documents": f"{HOME}/Documents", "Pictures": f"{HOME}/Pictures", "Trash": f"{filesystem.TRASH}/files"}  #: always there
PROGRAMS = ("mail", "browser")  #: programs that have an icon, after the places
LEAST_FONT = 10  #: screens with smaller letters have no icons
WALLPAPER = "wallpaper"


def icon_names(session: Session) -> list[str]:
    """The icons: names of places, ids of programs, and the paths of the folders (with a slash) and files of the desktop folder."""
    folders, files = filesystem.listing(session.state.files, DESKTOP)
    names = [*(f"{name}/" for name in folders), *files]
    return [*PLACES, *PROGRAMS, *(filesystem.join(DESKTOP, name) for name in names if name[0] != ".")]


def icon_rects(session: Session) -> list[tuple[str, Rect]]:
    """The desktop's icons and their bounds on the screen, captions included: from the top, in columns."""
    look = session.look
    if look.size.font < LEAST_FONT or not session.has_shell:
        return []
    gap = look.size.gap
    w, h = _caption_width(look, str(session.state.settings["language"])) + 2 * gap, 3 * look.size.font + look.sans.height
    rows = max(1, (session.work_area[3] - look.size.pad) // (h + 2 * gap))
    return [
        (name, (gap + i // rows * (w + gap), look.size.pad + i % rows * (h + 2 * gap), w, h))
        for i, name in enumerate(icon_names(session))
        if i // rows * (w + gap) + gap + w <= session.state.width
    ]


@lru_cache(maxsize=64)
def _caption_width(look: Look, language: str) -> int:
    """The room for captions, in pixels: as much as those that are always there need, within limits."""
    names = [*PLACES, *(APPS[name].label for name in PROGRAMS)]
    return min(max(look.sans.width(label(name, language)) for name in names), 8 * look.size.font)


def caption(session: Session, name: str) -> str:
    """What is written under an icon."""
    if name in PROGRAMS:
        return session.label(APPS[name].label)
    return session.label(name) if name in PLACES else filesystem.name_of(name)


def picture(name: str) -> str:
    """The picture of an icon, a name of :data:`gui_gym.desktops.sim.art.ART`."""
    if name in PLACES:
        return {"Home": "home", "Trash": "trash"}.get(name, "folder")
    if name in PROGRAMS:
        return APPS[name].icon
    return "folder" if name.endswith("/") else picture_of(name)


def _is_file(name: str) -> bool:
    """Whether an icon stands for something in the desktop folder, which can be renamed and deleted."""
    return name.startswith(DESKTOP)


def open_icon(session: Session, name: str) -> None:
    """Open what an icon stands for."""
    if name in PLACES:
        launch(session, "files", PLACES[name])
    elif name in PROGRAMS:
        launch(session, name)
    else:
        open_path(session, name.rstrip("/"))


def press(session: Session, button: Button, count: int, modifiers: frozenset[Modifier]) -> None:
    """A press on the wallpaper: select the icon under the pointer, open it at the second press, or open a menu."""
    state, rects = session.state, dict(icon_rects(session))
    name = next((name for name, rect in rects.items() if inside(rect, *state.cursor)), "")
    if button is Button.MIDDLE:
        return
    _select(session, name)
    if button is Button.RIGHT:
        _menu(session, name, *state.cursor)
    elif name and count == (1 if state.settings["single_click"] else 2):
        open_icon(session, name)


def _select(session: Session, name: str) -> None:
    state, rects = session.state, dict(icon_rects(session))
    before, state.icon = state.icon, name
    for each in (before, name):
        if each in rects and before != name:
            session.redraw(rects[each])


def open_menu(session: Session) -> None:
    """Open the menu of the selected icon, or of the wallpaper, by a key."""
    place = dict(icon_rects(session)).get(session.state.icon)
    if place:
        _menu(session, session.state.icon, place[0] + place[2] // 2, place[1] + place[3] // 2)
    else:
        _menu(session, "", session.state.width // 3, session.state.height // 3)


def _menu(session: Session, name: str, x: int, y: int) -> None:
    """Open the menu of an icon, or of the wallpaper, at a pixel."""
    if not session.has_shell:
        return
    own = ["Open", "-", "Rename", "Delete"]
    items = own if _is_file(name) else ["Open"] if name else ["New folder", "New text file", "-", "Settings"]
    if name == "Trash":
        items.append("Empty trash")
    items = [item for item in items if item != "Settings" or "settings" in APPS]
    session.pop_up_shell(WALLPAPER, x, y, items, {item: session.label(item) for item in items if item != "-"})


def chosen(session: Session, part: str, item: str) -> None:
    """An item of the wallpaper's or an icon's menu was chosen."""
    files, name = session.state.files, session.state.icon
    name = name if name in icon_names(session) else ""
    if item == "Settings":
        launch(session, "settings")
    elif item == "Open":
        if name:
            open_icon(session, name)
    elif item == "Empty trash":
        ask(session, None, "empty", session.label("Empty trash"), session.label("Remove everything in the trash?"), ("delete", "cancel"))
    elif item == "New folder":
        new = filesystem.join(DESKTOP, filesystem.free_name(files, DESKTOP, session.label("New folder")))
        filesystem.make_folder(files, new)
        _selected(session, f"{new}/")
    elif item == "New text file":
        new = filesystem.join(DESKTOP, filesystem.free_name(files, DESKTOP, f"{session.label('New text file')}.txt"))
        files[new] = ""
        _selected(session, new)
    elif item == "Rename" and _is_file(name):
        old = filesystem.name_of(name)
        prompt(session, None, f"rename {old}", session.label("Rename"), session.label("New name of {}:", old), old)
    elif item == "Delete" and _is_file(name):
        if session.state.settings["confirm_delete"]:
            ask(
                session,
                None,
                "delete",
                session.label("Delete"),
                session.label("Move “{}” to the trash?", filesystem.name_of(name)),
                ("delete", "cancel"),
            )
        else:
            _delete(session, name)


def _delete(session: Session, name: str) -> None:
    filesystem.trash(session.state.files, name.rstrip("/"))
    session.files_changed()


def on_answer(session: Session, purpose: str, button: str) -> None:
    """A question of the desktop was answered."""
    name = session.state.icon
    if button == "delete" and purpose == "empty":
        filesystem.empty_trash(session.state.files)
        session.files_changed()
    elif button == "delete" and purpose == "delete" and name in icon_names(session) and _is_file(name):
        _delete(session, name)


def on_prompt(session: Session, purpose: str, text: str) -> None:
    """The new name of an icon was entered. One that cannot be is told so."""
    files, old = session.state.files, filesystem.join(DESKTOP, purpose.removeprefix("rename "))
    new = filesystem.join(DESKTOP, text)
    if not filesystem.good_name(text):
        tell(session, None, session.label("Rename"), session.label("A file cannot be called “{}”.", text))
    elif new != old and filesystem.exists(files, new):
        tell(session, None, session.label("Rename"), session.label("There is a file “{}” already.", text))
    elif new != old and filesystem.exists(files, old):
        filesystem.move(files, old, new)
        _selected(session, f"{new}/" if filesystem.is_folder(files, new) else new)


def _selected(session: Session, name: str) -> None:
    """The desktop folder changed, and this icon is selected now."""
    session.state.icon = name
    session.files_changed()


def stroke(session: Session, stroke: Stroke) -> None:
    """A key while no window is active: Enter opens the selected icon, Delete removes it, Tab and arrows select another."""
    name, names = session.state.icon, [name for name, _ in icon_rects(session)]
    if not names or stroke.modifiers:
        return
    if stroke.key is Key.ENTER and name in names:
        open_icon(session, name)
    elif stroke.key in (Key.DELETE, Key.F2) and name in names:
        chosen(session, WALLPAPER, "Delete" if stroke.key is Key.DELETE else "Rename")
    elif stroke.key in (Key.DOWN, Key.TAB, Key.UP):
        step = -1 if stroke.key is Key.UP else 1
        _select(session, names[(names.index(name) + step) % len(names)] if name in names else names[0])
    elif stroke.key in (Key.LEFT, Key.RIGHT):
        lefts = [rect[0] for _, rect in icon_rects(session)]
        at = names.index(name) + lefts.count(lefts[0]) * (-1 if stroke.key is Key.LEFT else 1) if name in names else 0
        if 0 <= at < len(names):
            _select(session, names[at])


def paint_icons(session: Session, canvas: Canvas) -> None:
    """Draw the desktop's icons on the wallpaper."""
    state, look = session.state, session.look
    for name, rect in icon_rects(session):
        if canvas.sees(rect):
            ground = (state.width, state.height, str(state.settings["theme"]))
            text = look.sans.shorten(caption(session, name), rect[2])
            canvas.paste(_icon(ground, rect, picture(name), text, state.icon == name, look), rect[0], rect[1])


@lru_cache(maxsize=256)
def _icon(ground: tuple[int, int, str], rect: Rect, art: str, text: str, chosen: bool, look: Look) -> np.ndarray:
    """An icon with the wallpaper behind it, ``(h, w, 3)`` uint8: most of the screen is drawn again and again with the same icons."""
    x, y, w, h = rect
    pixels = wallpaper(*ground)[y : y + h, x : x + w].copy()
    canvas = Canvas(pixels, (0, 0, pixels.shape[1], pixels.shape[0]))
    if chosen:
        canvas.tint((0, 0, w, h), look.theme.accent, 120)
    side = 3 * look.size.font
    paint_art(canvas, art, ((w - side) // 2, look.size.gap // 2, side, side - look.size.gap))
    left, top = (w - look.sans.width(text)) // 2, h - look.sans.height
    canvas.text(left + 1, top + 1, text, look.sans, (16, 18, 24))
    canvas.text(left, top, text, look.sans, (255, 255, 255))
    return pixels
