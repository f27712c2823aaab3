"""The spreadsheet, on comma separated files."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim import filesystem
from gui_gym.desktops.sim.apps import open_path
from gui_gym.desktops.sim.apps.dialog import ask
from gui_gym.desktops.sim.apps.file_dialog import SAVE, choose_file
from gui_gym.desktops.sim.apps.sheet_commands import CommandHolder
from gui_gym.desktops.sim.layout import cascade, fit
from gui_gym.desktops.sim.sheets.evaluate import as_text, rounded
from gui_gym.desktops.sim.sheets.numbers import CONTEXT
from gui_gym.desktops.sim.sheets.references import cell_name, range_name, read_range
from gui_gym.desktops.sim.sheets.sheet import Rows, Sheet
from gui_gym.desktops.sim.state import Event, Window
from gui_gym.desktops.sim.widgets.base import Stroke, Widget
from gui_gym.desktops.sim.widgets.basic import Label
from gui_gym.desktops.sim.widgets.choice import MenuBar
from gui_gym.desktops.sim.widgets.grid import CARET, Grid
from gui_gym.desktops.sim.widgets.text import TextField

if TYPE_CHECKING:
    from gui_gym.desktops.sim.session import Session

MENUS = {
    "File": ["New", "Open", "-", "Save", "Save as", "Revert", "-", "Close"],
    "Edit": ["Undo", "Redo", "-", "Cut", "Copy", "Paste", "Clear", "-", "Fill down", "Delete rows", "Delete columns", "-", "Select all"],
    "Insert": ["Row above", "Row below", "Column left", "Column right", "-", "Sum"],
    "Data": ["Sort ascending", "Sort descending"],
}
CONTEXT_MENU = ["Cut", "Copy", "Paste", "Clear", "-", "Row above", "Row below", "Delete rows", "-", "Column left", "Column right", "Delete columns"]
_KEYS = {
    Key.S: "Save", Key.O: "Open", Key.N: "New", Key.W: "Close", Key.Z: "Undo", Key.Y: "Redo", Key.X: "Cut", Key.C: "Copy", Key.V: "Paste",
    Key.D: "Fill down",
}  # fmt: skip
ENDING = ".csv"


@dataclass(kw_only=True)
class Spreadsheet(CommandHolder):
    """Edits the comma separated file ``path``; a star in the title says that it differs from what is saved. Its widgets: "menu", "name" (the
    name box), "formula" (the formula bar), "grid", "status".

    Args:
        path: the file, or "" for a sheet that has none yet.
        saved: the rows as they were last read or written; None if the file has gone since.
    """

    icon = "spreadsheet"

    path: str = ""
    saved: Rows | None = field(default_factory=list)

    def layout(self, session: Session) -> None:
        look, size = session.look, session.look.size
        menu, name, formula, grid, status = (self.widget(each) for each in ("menu", "name", "formula", "grid", "status"))
        line = look.sans.height + 2
        self.least = (18 * size.font, 13 * size.font)
        menu.x, menu.y, menu.w, menu.h = 1, size.title, self.w - 2, size.control - 2
        top = menu.y + menu.h + 1
        name.x, name.y, name.w, name.h = 2, top, 6 * size.font, size.control - 2
        formula.x, formula.y, formula.w, formula.h = name.x + name.w + 2, top, self.w - name.w - 6, size.control - 2
        top += name.h + 1
        grid.x, grid.y, grid.w, grid.h = 1, top, self.w - 2, self.h - top - line - 1
        status.x, status.y, status.w, status.h = size.gap, self.h - line - 1, self.w - 2 * size.gap, line
        self.grid.show_cell(look, *self.grid.cell)

    # Input

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if widget.id in ("grid", "cell") and signal == "changed":
            self.refresh(session)
        elif widget.id == "formula" and signal == "changed":
            self._edit_in_bar(session)
        elif signal == "chosen":
            self.do(session, value.rpartition(" > ")[2])

    def _edit_in_bar(self, session: Session) -> None:
        """The formula bar edits the active cell."""
        grid, formula = self.grid, self._field("formula")
        if not grid.editing:
            grid.edit(session, self, way=CARET)
        grid.editor.set(session, self, formula.text)
        grid.editor.move_caret(session.look, formula.caret, False)
        session.touch_used(self, grid)

    def on_stroke(self, session: Session, stroke: Stroke) -> bool:
        if self.focus in ("name", "formula") and stroke.key in (Key.ENTER, Key.TAB, Key.ESCAPE):
            self._leave_field(session, stroke)
        elif stroke.is_(Key.S, Modifier.CTRL, Modifier.SHIFT):
            self.do(session, "Save as")
        elif stroke.is_(Key.Z, Modifier.CTRL, Modifier.SHIFT):
            self.do(session, "Redo")
        elif stroke.modifiers == {Modifier.CTRL} and stroke.key in _KEYS:
            self.do(session, _KEYS[stroke.key])
        else:
            return False
        return True

    def _leave_field(self, session: Session, stroke: Stroke) -> None:
        """Enter, Tab or Escape in the name box or the formula bar."""
        field_id, grid = self.focus, self.grid
        session.focus(self, grid)
        if field_id == "formula":
            if stroke.key is Key.ESCAPE:
                grid.cancel(session, self)
            else:
                grid.stroke(session, self, stroke)
        elif stroke.key is Key.ENTER:
            area = read_range(self._field("name").text)
            if area is not None:
                grid.select(session, self, area[:2], area[2:])
        self.refresh(session)

    def do(self, session: Session, command: str) -> None:
        """Carry out an item of the menus."""
        if self.grid.editing and command not in ("Undo", "Redo"):
            self.grid.commit(session, self)
        match command:
            case "New":
                open_spreadsheet(session)
            case "Open":
                folder = filesystem.parent(self.path) if self.path else filesystem.DOCUMENTS
                choose_file(session, self, "open", folder=folder, endings=(ENDING,))
            case "Save":
                self.save(session)
            case "Save as":
                self._save_as(session, "save")
            case "Revert":
                self._show(session, session.state.files.get(self.path, ""))
            case "Close":
                session.ask_to_close(self)
            case _:
                self.change(session, command)

    # What is shown

    def refresh(self, session: Session) -> None:
        """Show what is selected, and whether the sheet is saved."""
        grid = self.grid
        name, formula, status = self._field("name"), self._field("formula"), self.widget("status")
        shown = cell_name(grid.cell) if grid.drag == "" or grid.selection == (*grid.cell, *grid.cell) else range_name(grid.selection)
        if name.text != shown and self.focus != "name":
            name.set(session, self, shown)
        if formula.text != grid.text and not (self.focus == "formula" and grid.editing):
            formula.set(session, self, grid.text)
        summary = self._summary(session)
        if status.name != summary:
            status.name = summary
            session.touch(self, status)
        if session.state.settings["autosave"] and self.path and not grid.editing and grid.sheet.rows != self.saved:
            self.save(session)
        self.mark(session)
        session.touch_used(self, grid)

    def _summary(self, session: Session) -> str:
        """What the status line says about a selection of several cells."""
        grid = self.grid
        if grid.selection == (*grid.cell, *grid.cell):
            return ""
        count, total = grid.sheet.summary(grid.selection)
        comma = grid.sheet.comma
        parts = [session.label("Count: {}", str(count))]
        if total is not None:
            average = rounded(CONTEXT.divide(total, Decimal(count)), Decimal(4))
            parts = [session.label("Sum: {}", as_text(total, comma)), session.label("Average: {}", as_text(average, comma)), *parts]
        return "   ".join(parts)

    def mark(self, session: Session) -> None:
        """Say in the title whether the sheet is saved."""
        session.retitle(self, title_of(session, self.path) + ("" if self.grid.sheet.rows == self.saved else " *"))

    def on_setting(self, session: Session, name: str) -> None:
        if name == "decimal_comma":
            self.grid.cancel(session, self)
            self.grid.sheet.comma = bool(session.state.settings[name])
        if name in ("decimal_comma", "autosave"):
            self.refresh(session)

    # Files

    def save(self, session: Session) -> None:
        """Write the file; a sheet that has none is asked for its name."""
        if not self.path:
            self._save_as(session, "save")
            return
        self.saved = self.grid.sheet.rows
        session.state.files[self.path] = self.grid.sheet.to_csv()
        session.state.log.append(Event(self.id, "grid", "saved", self.path))
        session.files_changed()
        self.mark(session)

    def _save_as(self, session: Session, purpose: str) -> None:
        path = self.path or filesystem.join(filesystem.DOCUMENTS, session.label("Untitled") + ENDING)
        choose_file(session, self, purpose, SAVE, filesystem.parent(path), filesystem.name_of(path), (ENDING,))

    def on_file(self, session: Session, purpose: str, path: str) -> None:
        if purpose == "open":
            open_path(session, path)
            return
        self.path = path
        if session.state.window(f"spreadsheet:{path}") is None:
            self.id = f"spreadsheet:{path}"
        self.save(session)
        if purpose == "close":
            session.close(self)

    def on_files(self, session: Session) -> None:
        """The file was changed elsewhere: show what it is now, unless there are changes that are not saved."""
        text = session.state.files.get(self.path)
        if text is None:
            self.saved = None if self.path else self.saved
            self.mark(session)
            return
        rows = Sheet.from_csv(text).rows
        if rows == self.saved:
            return
        if self.grid.sheet.rows == self.saved and not self.grid.editing:
            self._show(session, text)
        self.saved = rows
        self.mark(session)

    def _show(self, session: Session, text: str) -> None:
        """Show the sheet of a file's text; that can be undone."""
        self.grid.sheet.replace(Sheet.from_csv(text).rows)
        self.refresh(session)

    def on_close(self, session: Session) -> bool:
        self.grid.commit(session, self)
        if self.grid.sheet.rows == self.saved:
            return True
        name = filesystem.name_of(self.path) if self.path else session.label("Untitled")
        ask(session, self, "close", session.label("Close"), session.label("Save the changes to “{}”?", name), ("save", "discard", "cancel"))
        return False

    def on_answer(self, session: Session, purpose: str, button: str) -> None:
        if purpose != "close" or button == "cancel":
            return
        if button == "save" and not self.path:
            self._save_as(session, "close")
            return
        if button == "save":
            self.save(session)
        session.close(self)


def title_of(session: Session, path: str) -> str:
    """A spreadsheet's title while its file is saved."""
    return f"{filesystem.name_of(path) if path else session.label('Untitled')} - {session.label('Spreadsheet')}"


def make_spreadsheet(session: Session, path: str, width: int, height: int) -> Spreadsheet:
    """A spreadsheet on a file, ``width`` x ``height`` pixels, at the screen's corner and not opened yet. Without a ``path`` it has no file yet."""
    name, number = f"spreadsheet:{path}", 1
    while not path and session.state.window(name):
        number += 1
        name = f"spreadsheet:{number}"
    sheet = Sheet.from_csv(session.state.files.get(path, ""), bool(session.state.settings["decimal_comma"]))
    window = Spreadsheet(
        id=name, title=title_of(session, path), path=path, saved=sheet.rows, w=width, h=height, focus="grid", resizable=True
    )  # fmt: skip
    labels = {key: session.label(key) for menu, items in MENUS.items() for key in (menu, *items) if key != "-"}
    grid = Grid(id="grid", name=session.label("Sheet"), sheet=sheet, menu=list(CONTEXT_MENU), labels=labels)
    for column in range(sheet.used[1]):
        grid.widen(session.look, column)
    window.widgets = [
        MenuBar(id="menu", name=session.label("Menu"), menus={k: list(v) for k, v in MENUS.items()}, labels=labels),
        TextField(id="name", name=session.label("Cell"), text="A1", caret=2, anchor=2),
        TextField(id="formula", name=session.label("Formula"), text=grid.text),
        grid,
        Label(id="status", muted=True),
    ]
    window.layout(session)
    return window


def open_spreadsheet(session: Session, path: str = "") -> Window:
    """Open a spreadsheet on a file, or raise the one that is open; without a ``path``, an empty one that has no file yet."""
    known = session.state.window(f"spreadsheet:{path}") if path else None
    if known:
        session.activate(known)
        return known
    window = make_spreadsheet(session, path, *fit(session, 48, 30))
    cascade(session, window)
    return window
