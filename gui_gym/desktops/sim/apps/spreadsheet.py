"""The spreadsheet, on comma separated files."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim.apps.document import id_for, open_document, title_of
from gui_gym.desktops.sim.apps.sheet_commands import CommandHolder
from gui_gym.desktops.sim.sheets.evaluate import as_text, rounded
from gui_gym.desktops.sim.sheets.numbers import CONTEXT
from gui_gym.desktops.sim.sheets.references import cell_name, range_name, read_range
from gui_gym.desktops.sim.sheets.sheet import Rows, Sheet
from gui_gym.desktops.sim.state import Window
from gui_gym.desktops.sim.widgets.base import Stroke, Widget
from gui_gym.desktops.sim.widgets.basic import Label
from gui_gym.desktops.sim.widgets.choice import MenuBar, shortcuts_of
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
SHORTCUTS = shortcuts_of(_KEYS) | {"Save as": "Ctrl+Shift+S"}
ENDING = ".csv"


@dataclass(kw_only=True)
class Spreadsheet(CommandHolder):
    """Edits a comma separated file. Its widgets: "menu", "name" (the name box), "formula" (the formula bar), "grid", "status".

    Args:
        saved: the rows as they were last read or written; None if the file has gone since.
    """

    kind: ClassVar[str] = "spreadsheet"
    program: ClassVar[str] = "Spreadsheet"
    content: ClassVar[str] = "grid"
    ending: ClassVar[str] = ENDING
    endings: ClassVar[tuple[str, ...]] = (ENDING,)
    icon = "spreadsheet"

    saved: Rows | None = field(default_factory=list)

    @property
    def unsaved(self) -> bool:
        return self.grid.sheet.rows != self.saved

    def written(self) -> str:
        self.saved = self.grid.sheet.rows
        return self.grid.sheet.to_csv()

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
                self.ask_for_file(session)
            case "Save":
                self.save(session)
            case "Save as":
                self.save_as(session)
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
        if session.state.settings["autosave"] and self.path and not grid.editing and self.unsaved:
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

    def on_setting(self, session: Session, name: str) -> None:
        if name == "decimal_comma":
            self.grid.cancel(session, self)
            self.grid.sheet.comma = bool(session.state.settings[name])
        if name in ("decimal_comma", "autosave"):
            self.refresh(session)

    # Files

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
        if not self.unsaved and not self.grid.editing:
            self._show(session, text)
        self.saved = rows
        self.mark(session)

    def _show(self, session: Session, text: str) -> None:
        """Show the sheet of a file's text; that can be undone."""
        self.grid.sheet.replace(Sheet.from_csv(text).rows)
        self.refresh(session)

    def on_close(self, session: Session) -> bool:
        self.grid.commit(session, self)
        return super().on_close(session)


def make_spreadsheet(session: Session, path: str, width: int, height: int) -> Spreadsheet:
    """A spreadsheet on a file, ``width`` x ``height`` pixels, at the screen's corner and not opened yet. Without a ``path`` it has no file yet."""
    name, title = id_for(session, Spreadsheet, path), title_of(session, Spreadsheet, path)
    sheet = Sheet.from_csv(session.state.files.get(path, ""), bool(session.state.settings["decimal_comma"]))
    window = Spreadsheet(id=name, title=title, path=path, saved=sheet.rows, w=width, h=height, focus="grid", resizable=True)
    labels = {key: session.label(key) for menu, items in MENUS.items() for key in (menu, *items) if key != "-"}
    grid = Grid(id="grid", name=session.label("Sheet"), sheet=sheet, menu=list(CONTEXT_MENU), labels=labels)
    for column in range(sheet.used[1]):
        grid.widen(session.look, column)
    window.widgets = [
        MenuBar(id="menu", name=session.label("Menu"), menus={k: list(v) for k, v in MENUS.items()}, labels=labels, shortcuts=SHORTCUTS),
        TextField(id="name", name=session.label("Cell"), text="A1", caret=2, anchor=2),
        TextField(id="formula", name=session.label("Formula"), text=grid.text),
        grid,
        Label(id="status", muted=True),
    ]
    window.layout(session)
    return window


def open_spreadsheet(session: Session, path: str = "") -> Window:
    """Open a spreadsheet on a file, or raise the one that is open; without a ``path``, an empty one that has no file yet."""
    return open_document(session, Spreadsheet, path, make_spreadsheet, 48, 30)
