import numpy as np
import pytest
from sim_rig import Rig, fuzz

from gui_gym.actions import Action, Button, Key, Modifier
from gui_gym.desktops.sim.apps.spreadsheet import Spreadsheet, open_spreadsheet
from gui_gym.desktops.sim.widgets.grid import Grid

PATH = "/home/user/Documents/stock.csv"
TEXT = "Item,Units,Price,Total\npens,3,1.50,=B2*C2\nmugs,20,4,=B3*C3\nlamps,1,30.25,=B4*C4\n"


class Sheets(Rig):
    """A spreadsheet, used by mouse and keyboard."""

    def __init__(self, width: int = 640, height: int = 400, text: str = TEXT):
        super().__init__({PATH: text}, (width, height))
        window = open_spreadsheet(self.session, PATH)
        assert isinstance(window, Spreadsheet)
        self.window = window

    @property
    def grid(self) -> Grid:
        return self.window.grid

    def cell_at(self, row: int, column: int) -> tuple[int, int]:
        x, y, w, h = self.grid.cell_rect(self.session.look, row, column)
        left, top, _, _ = self.window.rect_of(self.grid)
        return left + x + w // 2, top + y + h // 2

    def pick(self, row: int, column: int, clicks: int = 1, *modifiers: Modifier) -> None:
        self.do(Action.click(*self.cell_at(row, column), clicks=clicks, modifiers=modifiers))

    def shown(self, *cells: tuple[int, int]) -> list[str]:
        return [self.grid.sheet.shown(cell) for cell in cells]

    @property
    def saved(self) -> str:
        return self.files[PATH]


def test_typing_replaces_and_enter_moves_on() -> None:
    s = Sheets()
    s.pick(1, 1)
    s.type("12\n7\t5\n")
    assert s.shown((1, 1), (2, 1), (2, 2)) == ["12", "7", "5"] and s.grid.cell == (3, 1)
    assert s.shown((1, 3), (2, 3)) == ["18", "35"]
    assert s.window.title == "stock.csv - Spreadsheet *" and s.saved == TEXT
    s.press(Key.S, Modifier.CTRL)
    assert s.saved == "Item,Units,Price,Total\npens,12,1.50,=B2*C2\nmugs,7,5,=B3*C3\nlamps,1,30.25,=B4*C4\n"
    assert s.window.title == "stock.csv - Spreadsheet"


def test_a_cell_is_edited_by_a_double_click_or_f2_and_left_by_escape() -> None:
    s = Sheets()
    s.pick(3, 0, 2)
    s.press(Key.HOME)
    s.type("big ")
    s.press(Key.LEFT)
    s.press(Key.BACKSPACE)
    assert s.window.widget("formula").value == "bi lamps"
    s.press(Key.ENTER)
    assert s.shown((3, 0)) == ["bi lamps"] and s.grid.cell == (4, 0)
    s.press(Key.UP)
    s.press(Key.F2)
    s.type("!!")
    s.press(Key.ESCAPE)
    assert s.shown((3, 0)) == ["bi lamps"] and s.grid.editing == ""
    s.type("x")
    s.press(Key.RIGHT)
    assert s.shown((3, 0)) == ["x"] and s.grid.cell == (3, 1)


def test_the_formula_bar_and_the_name_box() -> None:
    s = Sheets()
    s.click("name", s.window)
    s.press(Key.A, Modifier.CTRL)
    s.type("d5\n")
    assert s.grid.cell == (4, 3) and s.window.focus == "grid"
    s.click("formula", s.window)
    s.type("=SUM(D2:D4)\n")
    assert s.shown((4, 3)) == ["114.75"] and s.grid.cell == (5, 3)
    s.pick(4, 3)
    assert s.window.widget("formula").value == "=SUM(D2:D4)"
    s.click("formula", s.window)
    s.type("0")
    s.press(Key.ESCAPE)
    assert s.shown((4, 3)) == ["114.75"] and s.window.widget("formula").value == "=SUM(D2:D4)"


def test_cells_are_pointed_at_while_a_formula_is_typed() -> None:
    s = Sheets()
    s.pick(4, 1)
    s.type("=SUM(")
    s.do(Action.drag(*s.cell_at(1, 1), *s.cell_at(3, 1)))
    s.type(")*")
    s.pick(3, 2)
    s.pick(1, 2)
    s.type("\n")
    assert s.grid.sheet.text((4, 1)) == "=SUM(B2:B4)*C2" and s.shown((4, 1)) == ["36"]


def test_ranges_are_selected_copied_and_pasted() -> None:
    s = Sheets()
    s.do(Action.drag(*s.cell_at(1, 3), *s.cell_at(3, 3)))
    assert s.grid.value == "D2:D4" and s.window.widget("status").name == "Sum: 114.75   Average: 38.25   Count: 3"
    s.press(Key.C, Modifier.CTRL)
    assert s.state.clipboard == "4.5\n80\n30.25"
    s.pick(1, 4)
    s.press(Key.V, Modifier.CTRL)
    assert s.grid.sheet.text((1, 4)) == "=C2*D2" and s.grid.value == "E2:E4"
    s.pick(5, 0)
    s.state.clipboard = "a\tb\nc"
    s.press(Key.V, Modifier.CTRL)
    assert s.shown((5, 0), (5, 1), (6, 0)) == ["a", "b", "c"]
    s.pick(1, 0)
    s.pick(1, 3, 1, Modifier.SHIFT)
    s.press(Key.X, Modifier.CTRL)
    s.pick(8, 0)
    s.press(Key.V, Modifier.CTRL)
    assert s.grid.sheet.text((8, 3)) == "=B2*C2" and s.shown((1, 0)) == [""]
    for _ in range(4):
        s.press(Key.Z, Modifier.CTRL)
    assert s.grid.sheet.to_csv() == TEXT
    s.press(Key.Y, Modifier.CTRL)
    assert s.grid.sheet.text((1, 4)) == "=C2*D2"


def test_selecting_by_keys_and_heads() -> None:
    s = Sheets()
    s.press(Key.DOWN, Modifier.CTRL)
    assert s.grid.cell == (3, 0)
    s.press(Key.RIGHT, Modifier.SHIFT)
    s.press(Key.UP, Modifier.SHIFT)
    assert s.grid.value == "A3:B4"
    s.press(Key.DELETE)
    assert s.shown((2, 0), (2, 1), (3, 0), (3, 1), (3, 2)) == ["", "", "", "", "30.25"]
    x, y, _, _ = s.window.rect_of(s.grid)
    s.do(Action.click(s.cell_at(0, 1)[0], y + 5))
    assert s.grid.selection[:2] == (0, 1) and s.grid.selection[3] == 1
    s.do(Action.click(x + 5, s.cell_at(2, 0)[1]))
    assert s.grid.selection[0] == s.grid.selection[2] == 2 and s.grid.selection[1] == 0
    s.press(Key.HOME, Modifier.CTRL)
    assert s.grid.value == "A1"
    s.press(Key.END, Modifier.CTRL)
    assert s.grid.cell == (3, 3)


def test_filling_by_handle_and_by_key() -> None:
    s = Sheets(text="1,=A1*2\n2\n\n\n")
    s.do(Action.drag(*s.cell_at(0, 0), *s.cell_at(1, 0)))
    x, y, w, h = s.grid.handle_rect(s.session.look, s.grid.selection)
    left, top, _, _ = s.window.rect_of(s.grid)
    s.do(Action.drag(left + x + w // 2, top + y + h // 2, *s.cell_at(4, 0)))
    assert s.shown(*((r, 0) for r in range(5))) == ["1", "2", "3", "4", "5"]
    s.do(Action.drag(*s.cell_at(0, 1), *s.cell_at(4, 1)))
    s.press(Key.D, Modifier.CTRL)
    assert s.shown(*((r, 1) for r in range(5))) == ["2", "4", "6", "8", "10"]


def test_rows_columns_and_sorting_from_menus() -> None:
    s = Sheets()
    s.pick(2, 1)
    s.menu("menu", "Data", "Sort descending")
    assert s.shown(*((r, 0) for r in range(4))) == ["Item", "mugs", "pens", "lamps"] and s.shown((1, 3)) == ["80"]
    s.do(Action.click(*s.cell_at(1, 0), button=Button.RIGHT))
    s.choose("Delete rows")
    assert s.shown((1, 0), (1, 3), (2, 3)) == ["pens", "4.5", "30.25"]
    s.menu("menu", "Insert", "Column left")
    s.menu("menu", "Insert", "Row above")
    assert s.shown((0, 1), (2, 1), (2, 4)) == ["Item", "pens", "4.5"] and s.grid.sheet.text((2, 4)) == "=C3*D3"
    s.pick(4, 4)
    s.menu("menu", "Insert", "Sum")
    s.press(Key.ENTER)
    assert s.shown((4, 4)) == ["34.75"]


def test_closing_asks_and_saves() -> None:
    s = Sheets()
    s.pick(1, 0)
    s.type("ink")
    s.press(Key.F4, Modifier.ALT)
    assert s.state.windows[-1].role == "dialog"
    s.click("cancel", s.state.windows[-1])
    assert s.session.active is s.window and s.shown((1, 0)) == ["ink"]
    s.press(Key.F4, Modifier.ALT)
    s.click("save", s.state.windows[-1])
    assert s.state.windows == [] and s.saved.startswith("Item,Units,Price,Total\nink,")


def test_a_new_sheet_is_saved_under_a_name() -> None:
    s = Sheets()
    s.press(Key.N, Modifier.CTRL)
    s.type("a\tb\n")
    s.press(Key.S, Modifier.CTRL)
    s.press(Key.A, Modifier.CTRL)
    s.type("list\n")
    assert s.files["/home/user/Documents/list.csv"] == "a,b\n"
    assert s.state.windows[-1].id == "spreadsheet:/home/user/Documents/list.csv"


def test_changes_of_the_file_from_elsewhere_are_shown_unless_there_are_own_ones() -> None:
    s = Sheets()
    s.files[PATH] = "new\n"
    s.session.files_changed()
    assert s.shown((0, 0), (1, 0)) == ["new", ""] and "*" not in s.window.title
    s.pick(0, 0)
    s.type("mine\n")
    s.files[PATH] = "other\n"
    s.session.files_changed()
    assert s.shown((0, 0)) == ["mine"] and "*" in s.window.title
    del s.files[PATH]
    s.session.files_changed()
    s.press(Key.S, Modifier.CTRL)
    assert s.saved == "mine\n"


def test_settings_are_obeyed() -> None:
    s = Sheets()
    s.session.change_setting("decimal_comma", True)
    assert s.shown((1, 2), (1, 3)) == ["1,50", "4,5"]
    s.pick(1, 2)
    s.type("2,25\n")
    s.pick(4, 2)
    s.type("=SUM(C2;0,5)\n")
    s.session.change_setting("autosave", True)
    assert s.saved.splitlines()[1] == "pens,3,2.25,=B2*C2" and '"=SUM(C2,0.5)"' in s.saved
    s.session.change_setting("text_size", "large")
    s.check()


def test_only_what_changed_is_drawn_again() -> None:
    s = Sheets()
    s.pick(5, 1)
    grid = s.grid.w * s.grid.h
    for action in (Action.click(*s.cell_at(7, 2)), Action.type_text("a"), Action.press(Key.ESCAPE), Action.press(Key.UP)):
        s.desktop.perform(action)
        assert 0 < sum(w * h for _, _, w, h in s.session.damage) < grid // 2
        s.check(action)
        assert s.session.damage == []


def test_cells_and_heads_are_in_the_accessibility_tree() -> None:
    s = Sheets()
    window = next(node for node in s.desktop.accessibility_tree()["children"] if node["name"] == "stock.csv - Spreadsheet")
    table = next(node for node in window["children"] if node["role"] == "table")
    nodes = {(node["role"], node["name"]): node for node in table["children"]}
    assert nodes["table cell", "D3"]["value"] == "80" and nodes["table cell", "A2"]["value"] == "pens"
    x, y, w, h = nodes["column header", "B"]["bounds"]
    s.do(Action.click(x + w // 2, y + h // 2))
    assert s.grid.selection[1] == s.grid.selection[3] == 1
    x, y, w, h = nodes["table cell", "C4"]["bounds"]
    s.do(Action.click(x + w // 2, y + h // 2))
    assert s.grid.cell == (3, 2)


def test_columns_are_widened_and_the_sheet_scrolls() -> None:
    s = Sheets(640, 400)
    x, y, w, _ = s.grid.cell_rect(s.session.look, 0, 1)
    left, top, _, _ = s.window.rect_of(s.grid)
    s.do(Action.drag(left + x + w - 1, top + 5, left + x + w + 49, top + 5))
    assert abs(s.grid.column_width(s.session.look, 1) - w - 50) <= 2
    s.do(Action.scroll_by(*s.cell_at(2, 2), dx=3, dy=10))
    assert s.grid.top == 30 and s.grid.left > 0
    s.press(Key.HOME, Modifier.CTRL)
    assert (s.grid.top, s.grid.left) == (0, 0)
    for _ in range(30):
        s.press(Key.RIGHT)
    assert s.grid.left > 0 and s.grid.column == 30


@pytest.mark.parametrize("size", [(1280, 720), (640, 400), (320, 200), (128, 96)])
def test_random_input(size: tuple[int, int]) -> None:
    for seed in range(2):
        s = Sheets(*size)
        fuzz(
            s,
            np.random.default_rng(seed),
            120,
            ["=A1+", "=SUM(A1:B9)", "12", "x\ty\n1\t2\n", "=B2\n=B3\n=B2\n", "🦊", "\ud800", "=" + "(" * 99, "y" * 5000],
        )
