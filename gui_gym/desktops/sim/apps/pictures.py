"""The picture viewer, which can also draw, on ``.pic`` files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim import filesystem
from gui_gym.desktops.sim.apps.dialog import prompt
from gui_gym.desktops.sim.apps.document import id_for, open_document, title_of
from gui_gym.desktops.sim.apps.picture_commands import PictureHolder
from gui_gym.desktops.sim.apps.toolbar import hide, show
from gui_gym.desktops.sim.canvas import Color
from gui_gym.desktops.sim.painting.picture import ENDING, Picture, PictureError, blank, read_picture, write_picture
from gui_gym.desktops.sim.state import Window
from gui_gym.desktops.sim.widgets.base import Stroke, Widget
from gui_gym.desktops.sim.widgets.basic import CheckBox, Label
from gui_gym.desktops.sim.widgets.choice import DropDown, MenuBar, shortcuts_of
from gui_gym.desktops.sim.widgets.drawing import Drawing
from gui_gym.desktops.sim.widgets.swatches import Swatches
from gui_gym.desktops.sim.widgets.tool_button import ToolButton

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

#: The menus: their items' English labels are their keys.
MENUS = {
    "File": ["New", "Open", "-", "Save", "Save as", "Revert", "-", "Close"],
    "Edit": ["Undo", "Redo", "-", "Cut", "Copy", "Paste", "-", "Select all", "Crop to selection"],
    "View": ["Zoom in", "Zoom out", "Fit to window", "Actual size", "-", "Previous picture", "Next picture"],
    "Picture": ["Turn left", "Turn right", "Flip left to right", "Flip upside down", "-", "Change size"],
}
CONTEXT_MENU = ["Cut", "Copy", "Paste", "-", "Crop to selection", "Turn left", "Turn right"]
#: The tools' English labels by their names.
TOOLS = {
    "select": "Select", "pencil": "Pencil", "line": "Straight line", "rectangle": "Rectangle", "ellipse": "Ellipse", "fill": "Fill",
    "eraser": "Eraser", "picker": "Pick a colour", "text": "Text",
}  # fmt: skip
_PICTURES = {"fill": "bucket"}
#: The buttons of the tool bar: drawing and the menu item each is for.
BUTTONS = {
    "back": "Previous picture", "forward": "Next picture", "zoom out": "Zoom out", "zoom in": "Zoom in", "fit": "Fit to window",
    "turn left": "Turn left", "turn right": "Turn right", "flip": "Flip left to right",
}  # fmt: skip
COLORS: dict[str, Color] = {
    "black": (24, 26, 32), "grey": (128, 132, 140), "white": (255, 255, 255), "brown": (122, 78, 44), "red": (214, 48, 49),
    "orange": (240, 128, 24), "yellow": (246, 206, 44), "green": (38, 158, 72), "turquoise": (36, 180, 178), "blue": (36, 92, 214),
    "purple": (132, 58, 178), "pink": (244, 128, 178),
}  # fmt: skip
THICKNESS = ("1", "3", "5", "9")  #: of lines, in pixels of the picture
_KEYS = {
    Key.S: "Save", Key.O: "Open", Key.N: "New", Key.W: "Close", Key.Z: "Undo", Key.Y: "Redo", Key.X: "Cut", Key.C: "Copy", Key.V: "Paste",
    Key.A: "Select all", Key.EQUAL: "Zoom in", Key.MINUS: "Zoom out", Key.DIGIT_0: "Fit to window", Key.DIGIT_1: "Actual size",
    Key.L: "Turn left", Key.R: "Turn right",
}  # fmt: skip
SHORTCUTS = shortcuts_of(_KEYS) | {"Save as": "Ctrl+Shift+S"}
_PLAIN_KEYS = {
    Key.PAGE_UP: "Previous picture",
    Key.PAGE_DOWN: "Next picture",
    Key.LEFT: "Previous picture",
    Key.RIGHT: "Next picture",
    Key.DELETE: "Cut",
}
NEW_SIZE = (160, 120)


@dataclass(kw_only=True)
class Pictures(PictureHolder):
    """Shows the picture ``path``; a star in the title says that it differs from what is saved. Its widgets: "menu", a button for each of
    :data:`BUTTONS` ("button turn left") and :data:`TOOLS` ("tool pencil"), "picture", "colors", "thick", "filled" and "status".

    Args:
        saved: the file's text as it was last read or written; None if the file has gone since.
    """

    icon = "picture"
    kind = "picture"
    program = "Pictures"
    content = "picture"
    ending = ENDING
    endings = (ENDING,)
    home = filesystem.join(filesystem.HOME, "Pictures")

    saved: str | None = ""

    @property
    def unsaved(self) -> bool:
        """Whether there is something to save."""
        picture = self.view.picture
        return picture is not None and (self.saved is None or not _same(picture, self.saved))

    def layout(self, session: Session) -> None:
        look, size, view = session.look, session.look.size, self.view
        side, gap, line = size.control, max(1, size.gap // 2), look.sans.height + 2
        self.least = (20 * size.font, 16 * size.font)
        show(self.widget("menu"), 1, size.title, self.w - 2, side - 2)
        y = size.title + side - 2 + gap
        x = gap
        for name in BUTTONS:
            button = self.widget(f"button {name}")
            if x + side <= self.w - gap:
                show(button, x, y, side, side)
            else:
                hide(button)
            x += side + max(1, gap // 2)
        y += side + gap
        bottom = self.h - line - 1
        show(self.widget("status"), size.gap, bottom, self.w - 2 * size.gap, line)
        bottom -= side + gap
        self._layout_colors(session, gap, bottom, side)
        bottom -= gap
        columns = 1 if (bottom - y) // (side + 1) >= len(TOOLS) else 2
        for i, name in enumerate(TOOLS):
            left, top = gap + i % columns * (side + 1), y + i // columns * (side + 1)
            show(self.widget(f"tool {name}"), left, top, side if top + side <= bottom else 0, side)
        left = 2 * gap + columns * (side + 1)
        show(view, left, y, self.w - left - gap, bottom - y)
        view.settle(look)

    def _layout_colors(self, session: Session, x: int, y: int, side: int) -> None:
        """The row of colours, the thickness and the check box for filled figures, as far as there is room."""
        look, gap = session.look, session.look.size.gap
        colors, thick, filled = self.widget("colors"), self.widget("thick"), self.widget("filled")
        wide = look.sans.width("9 px") + look.sans.width("▼") + 4 * gap
        box = look.sans.width(filled.name) + look.size.font + 2 * gap
        room = self.w - 2 * x
        whole = len(COLORS) * side
        columns = len(COLORS) if whole + wide + box + 2 * gap <= room else len(COLORS) // 2
        show(colors, x, y, columns * side if columns == len(COLORS) else columns * (side // 2), side)
        x += colors.w + gap
        show(thick, x, y, wide, side)
        x += wide + gap
        show(filled, x, y, box if x + box <= self.w else 0, side)

    # Input

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        view = self.view
        if widget.id == "menu":
            self.do(session, value.rpartition(" > ")[2])
        elif widget is view:
            self._on_view(session, signal, value)
        elif widget.id.startswith("button "):
            self.do(session, BUTTONS[widget.id.removeprefix("button ")])
        elif widget.id.startswith("tool "):
            self.choose_tool(session, widget.id.removeprefix("tool "))
        elif widget.id == "colors":
            view.color = COLORS[value]
        elif widget.id == "thick":
            view.thick = int(str(widget.value))
        elif widget.id == "filled":
            view.filled = bool(widget.value)

    def _on_view(self, session: Session, signal: str, value: str) -> None:
        view = self.view
        if signal == "changed":
            self.mark(session)
            if session.state.settings["autosave"] and self.path and self.unsaved:
                self.save(session)
        elif signal == "picked":
            swatches = self.part("colors", Swatches)
            swatches.selected = swatches.colors.index(view.color) if view.color in swatches.colors else -1
            session.touch(self, swatches)
        elif signal == "text":
            prompt(session, self, "text", session.label("Text"), session.label("Text to write:"))
        elif signal == "zoomed":
            self.do(session, "Zoom in" if value == "1" else "Zoom out")
        elif signal == "menu":
            x, y = map(int, value.split())
            left, top, _, _ = self.rect_of(view)
            session.pop_up(self, view, left + x, top + y, CONTEXT_MENU, labels={key: session.label(key) for key in CONTEXT_MENU if key != "-"})
        elif signal == "chosen":
            self.do(session, value)
        self._say(session)

    def choose_tool(self, session: Session, name: str) -> None:
        """Take up a tool."""
        self.view.cancel(session, self)
        self.view.tool = name
        for other in TOOLS:
            button = self.part(f"tool {other}", ToolButton)
            button.on = other == name
            session.touch(self, button)

    def on_stroke(self, session: Session, stroke: Stroke) -> bool:
        if stroke.is_(Key.S, Modifier.CTRL, Modifier.SHIFT):
            self.do(session, "Save as")
        elif stroke.is_(Key.Z, Modifier.CTRL, Modifier.SHIFT):
            self.do(session, "Redo")
        elif stroke.is_(Key.EQUAL, Modifier.CTRL, Modifier.SHIFT):
            self.do(session, "Zoom in")
        elif stroke.modifiers == {Modifier.CTRL} and stroke.key in _KEYS:
            self.do(session, _KEYS[stroke.key])
        elif not stroke.modifiers and stroke.key in _PLAIN_KEYS:
            self.do(session, _PLAIN_KEYS[stroke.key])
        elif stroke.is_(Key.ESCAPE):
            return self.view.cancel(session, self)
        else:
            return False
        return True

    def do(self, session: Session, command: str) -> None:
        """Carry out an item of the menus."""
        view = self.view
        match command:
            case "New":
                open_pictures(session)
            case "Open":
                self.ask_for_file(session)
            case "Save" if view.picture is not None:
                self.save(session)
            case "Save as" if view.picture is not None:
                self.save_as(session)
            case "Revert" if self.path in session.state.files:
                self._revert(session)
            case "Close":
                session.ask_to_close(self)
            case "Undo":
                view.step(session, self, view.done, view.undone)
            case "Redo":
                view.step(session, self, view.undone, view.done)
            case "Zoom in" | "Zoom out" | "Fit to window" | "Actual size":
                self.zoom(session, command)
            case "Previous picture" | "Next picture":
                self._leave(session, -1 if command == "Previous picture" else 1)
            case _ if view.picture is not None:
                self.change(session, command, view.picture)
        self._say(session)

    # What is shown

    def _say(self, session: Session) -> None:
        """Size, zoom, and where the pointer was last, or how large the selection is."""
        view, status = self.view, self.widget("status")
        text = ""
        if view.picture is not None:
            parts = [f"{view.picture.width} x {view.picture.height}", f"{view.scale(session.look)} %"]
            if view.selection:
                parts.append(session.label("Selected: {}", "{} x {}".format(*view.selection[2:])))
            elif view.point:
                parts.append(f"{view.point[0]}, {view.point[1]}")
            text = "   ".join(parts)
        if text != status.name:
            status.name = text
            session.touch(self, status)

    def load(self, session: Session, path: str) -> None:
        """Show a file in this window."""
        self.take_path(session, path)
        self._read(session)
        self.mark(session)
        self._say(session)

    def _read(self, session: Session) -> None:
        text = session.state.files.get(self.path)
        self.saved = text
        picture, problem = read_or_say(session, text)
        self.view.show(session, self, picture, problem)

    def _revert(self, session: Session) -> None:
        picture, _ = read_or_say(session, session.state.files[self.path])
        if picture is not None and self.view.picture is not None:
            self.view.change(session, self, picture)

    # Files

    def _leave(self, session: Session, step: int) -> None:
        """Go on to another picture of the folder; changes that are not saved are asked about first."""
        folder = filesystem.parent(self.path) if self.path else self.home
        names = [name for name in filesystem.listing(session.state.files, folder)[1] if name.lower().endswith(ENDING)]
        if not names:
            return
        here = filesystem.name_of(self.path)
        at = names.index(here) + step if here in names else 0
        path = filesystem.join(folder, names[at % len(names)])
        if path == self.path:
            return
        if self.unsaved:
            self.ask_to_save(session, f"go {path}", session.label("Save"))
        else:
            self._go(session, path)

    def _go(self, session: Session, path: str) -> None:
        other = session.state.window(f"picture:{path}")
        if other is not None and other is not self:
            session.activate(other)
        else:
            self.load(session, path)

    def save(self, session: Session) -> None:
        if self.view.picture is not None:
            super().save(session)

    def written(self) -> str:
        picture = self.view.base or self.view.picture  # without a stroke that has not ended
        assert picture is not None, "what is no picture is not saved"
        self.saved = write_picture(picture)
        return self.saved

    def go_on(self, session: Session, purpose: str) -> None:
        super().go_on(session, purpose)
        if purpose.startswith("go "):
            self._go(session, purpose.removeprefix("go "))

    def on_files(self, session: Session) -> None:
        """The file was changed elsewhere: show what it is now, unless there are changes that are not saved."""
        text = session.state.files.get(self.path)
        if not self.path or text == self.saved:
            return
        if text is None or self.unsaved:
            self.saved = text
        else:
            self._read(session)
            self._say(session)
        self.mark(session)


def _same(picture: Picture, text: str) -> bool:
    """Whether a file's text is of this picture."""
    if not text:
        return False
    try:
        return picture.same_as(read_picture(text))
    except PictureError:
        return False


def read_or_say(session: Session, text: str | None) -> tuple[Picture | None, str]:
    """The picture of a file's text, or what to say instead."""
    if text is None:
        return None, session.label("There is no such file.")
    try:
        return read_picture(text), ""
    except PictureError:
        return None, session.label("This file is not a picture.")


def make_pictures(session: Session, path: str, width: int, height: int) -> Pictures:
    """A viewer of a file, ``width`` x ``height`` pixels, at the screen's corner and not opened yet; without a ``path`` of an empty picture."""
    label = session.label
    picture, problem = read_or_say(session, session.state.files.get(path)) if path else (blank(*NEW_SIZE), "")
    saved = session.state.files.get(path) if path else write_picture(blank(*NEW_SIZE))
    labels = {key: label(key) for menu, items in MENUS.items() for key in (menu, *items) if key != "-"}
    name, title = id_for(session, Pictures, path), title_of(session, Pictures, path)
    window = Pictures(id=name, title=title, path=path, saved=saved, w=width, h=height, focus="picture", resizable=True)
    window.widgets = [
        MenuBar(id="menu", name=label("Menu"), menus={k: list(v) for k, v in MENUS.items()}, labels=labels, shortcuts=SHORTCUTS),
        *(ToolButton(id=f"button {name}", name=label(item), tip=label(item), picture=name) for name, item in BUTTONS.items()),
        *(
            ToolButton(id=f"tool {name}", name=label(text), tip=label(text), picture=_PICTURES.get(name, name), on=name == "select")
            for name, text in TOOLS.items()
        ),
        Drawing(id="picture", name=label("Picture"), picture=picture, problem=problem, color=COLORS["black"]),
        Swatches(id="colors", name=label("Colours"), names=list(COLORS), colors=list(COLORS.values())),
        DropDown(id="thick", name=label("Thickness"), tip=label("Thickness"), choices=list(THICKNESS), selected=1),
        CheckBox(id="filled", name=label("Filled")),
        Label(id="status", muted=True),
    ]
    thick = window.part("thick", DropDown)
    thick.labels = {number: f"{number} px" for number in THICKNESS}
    window.layout(session)
    window._say(session)
    return window


def open_pictures(session: Session, path: str = "") -> Window:
    """Open a viewer on a file, or raise the one that is open; without a ``path``, one on an empty picture."""
    return open_document(session, Pictures, path, make_pictures, 46, 34)
