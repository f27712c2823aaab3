"""Tables for tasks with the spreadsheet: drawing them, opening them, and working in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gui_gym.actions import Action, Key, Modifier
from gui_gym.desktops.sim.apps.files import make_files
from gui_gym.desktops.sim.apps.spreadsheet import Spreadsheet, make_spreadsheet
from gui_gym.desktops.sim.canvas import covers
from gui_gym.desktops.sim.layout import place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.sheets.csv_text import write_csv
from gui_gym.desktops.sim.sheets.references import Cell, cell_name
from gui_gym.desktops.sim.sheets.sheet import Sheet, constant
from gui_gym.desktops.sim.state import State
from gui_gym.tasks.sim.brief import Brief, Difficulty
from gui_gym.tasks.sim.families.common import ROOMY, clutter
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import CITIES, FIRST, LAST
from gui_gym.tasks.task import TaskError

DOCUMENTS = "/home/user/Documents"
ITEMS = (
    "aprons", "baskets", "blankets", "bolts", "bowls", "brushes", "buckets", "cables", "candles", "chairs", "clocks", "cups", "doors", "drills",
    "fans", "filters", "forks", "frames", "gloves", "hammers", "helmets", "hooks", "jars", "keys", "kettles", "knives", "ladders", "lamps",
    "locks", "mats", "mirrors", "mugs", "nails", "ovens", "pans", "pens", "pillows", "plates", "pumps", "racks", "ropes", "scales", "screws",
    "shelves", "sofas", "spoons", "stools", "tables", "tents", "tiles", "towels", "trays", "vases", "wheels",
)  # fmt: skip
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun")
Row = list[str]


def whole(low: int, high: int) -> Callable[[Brief, int], list[str]]:
    """Different whole numbers."""
    return lambda brief, n: [str(low + i) for i in brief.sample(range(high - low + 1), n)]


def money(low: int, high: int) -> Callable[[Brief, int], list[str]]:
    """Different amounts with two decimals."""
    return lambda brief, n: [f"{cents // 100}.{cents % 100:02d}" for cents in (100 * low + i for i in brief.sample(range(100 * (high - low)), n))]


def people(brief: Brief, n: int) -> list[str]:
    """Different names."""
    return brief.sample([f"{first} {last}" for first in FIRST for last in LAST], n)


def routes(brief: Brief, n: int) -> list[str]:
    """Different pairs of cities."""
    return brief.sample([f"{a}-{b}" for a in CITIES for b in CITIES if a != b], n)


@dataclass(frozen=True)
class Kind:
    """A kind of table: names of its file, of its columns, and what is in them: keys, words that repeat, and numbers."""

    stems: tuple[str, ...]
    key: str
    keys: Callable[[Brief, int], list[str]]
    group: str
    groups: tuple[str, ...]
    numbers: Mapping[str, Callable[[Brief, int], list[str]]]


KINDS = (
    Kind(
        ("stock", "goods", "orders"), "Item", lambda brief, n: brief.sample(ITEMS, n), "Store", CITIES[:6],
        {"Units": whole(1, 240), "Price": money(1, 90), "Weight": whole(250, 900)},
    ),
    Kind(("members", "club", "guests"), "Name", people, "City", CITIES[4:11], {"Age": whole(18, 89), "Fee": money(5, 60), "Points": whole(100, 999)}),
    Kind(
        ("trips", "travel", "bills"), "Trip", routes,
        "Month", MONTHS, {"Days": whole(1, 60), "Cost": money(40, 900), "Distance": whole(90, 990)},
    ),
)  # fmt: skip


def draw_table(brief: Brief, rows: tuple[int, int, int] = (5, 11, 24)) -> dict[str, Any]:
    """A table: the ``"file"``, its ``"header"``, its ``"rows"`` and files beside it; of about so many rows for each difficulty.

    The first column holds keys, the second words that repeat, the others numbers, no two of which are equal within a column. In hard instances
    the file has to be opened first, in easy ones there are two columns of numbers.
    """
    kind = brief.pick(KINDS)
    count = brief.by_level(*rows) + brief.integer(-1, 2)
    names = brief.sample(list(kind.numbers), brief.by_level(2, 3, 3))
    header = [kind.key, kind.group, *names]
    columns = [kind.keys(brief, count + 1), [brief.pick(kind.groups) for _ in range(count)], *(kind.numbers[name](brief, count) for name in names)]
    missing = columns[0].pop()
    table = [list(row) for row in zip(*columns, strict=True)]
    stem, *more = [f"{name}{number}" for name, number in zip(_stems(brief, kind), brief.sample(range(1, 99), 3), strict=True)]
    others = {f"{name}.csv": write_csv([header, *brief.sample(table, len(table) // 2)]) for name in more}
    closed = brief.difficulty is Difficulty.HARD
    return {"file": f"{stem}.csv", "header": header, "rows": table, "missing": missing, "others": others if closed else {}, "closed": closed}


def _stems(brief: Brief, kind: Kind) -> list[str]:
    return brief.sample(kind.stems, len(kind.stems))


def path_of(params: Params) -> str:
    """The table's path."""
    return f"{DOCUMENTS}/{params['file']}"


def start_rows(params: Params) -> list[Row]:
    """The table as it is at the start, header included."""
    return [list(params["header"]), *(list(row) for row in params["rows"])]


def window_size(session: Session, rng: np.random.Generator, width: tuple[int, int], height: tuple[int, int]) -> tuple[int, int]:
    """A random size in pixels, from bounds in font sizes; smaller on a screen that has not the room for it."""
    size = session.look.size
    _, _, *room = session.work_area
    found = []
    for (low, high), most in zip((width, height), room, strict=True):
        most -= 2 * size.shadow
        low, high = low * size.font, high * size.font
        if high > most:
            low, high = min(low, most * 6 // 7), most
        found.append(int(rng.integers(low, high + 1)))
    return found[0], found[1]


def open_table(session: Session, params: Params, rng: np.random.Generator) -> None:
    """Write the table and show it in the spreadsheet, or show its folder in the file manager."""
    files = session.state.files
    files[path_of(params)] = write_csv(start_rows(params))
    files.update({f"{DOCUMENTS}/{name}": text for name, text in params["others"].items()})
    clutter(session, rng)
    w, h = window_size(session, rng, (40, 56), (24, 34))
    window = make_files(session, DOCUMENTS, w, h) if params["closed"] else make_spreadsheet(session, path_of(params), w, h)
    place(session, window, rng)


def in_file(params: Params) -> str:
    """The table as an instruction names it: which file it is in, where that has to be found."""
    return f"the sheet “{params['file']}”" if params["closed"] else "the sheet"


def is_table(text: str | None, rows: Sequence[Sequence[str]], free: Sequence[Cell] = ()) -> bool:
    """Whether a file holds exactly these rows, each number in whatever way it is written; ``free`` cells may hold anything."""
    if text is None:
        return False
    sheet = Sheet.from_csv(text)
    height = max(sheet.used[0], len(rows))
    width = max(sheet.used[1], max(map(len, rows), default=0))
    expected = {(r, c): cell for r, row in enumerate(rows) for c, cell in enumerate(row)}
    return all(constant(sheet.text((r, c))) == constant(expected.get((r, c), "")) for r in range(height) for c in range(width) if (r, c) not in free)


class TableFamily(Family):
    """A family whose tasks are about one table."""

    min_size = ROOMY
    max_steps = 40

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        open_table(session, params, rng)

    def may_change(self, params: Params, start: State) -> Sequence[str]:
        return [f"file:{path_of(params)}", f"closed:spreadsheet:{path_of(params)}", "closed:files"]


class AnswerFamily(TableFamily):
    """A family whose tasks ask about one table."""

    max_steps = 30

    def may_change(self, params: Params, start: State) -> Sequence[str]:
        return [f"closed:spreadsheet:{path_of(params)}", "closed:files"]


# Working in a table


def sheet_window(solver: Solver, params: Params) -> Spreadsheet:
    """The spreadsheet on the table, opened from the file manager if need be, as it was saved and with nothing being edited."""
    name = f"spreadsheet:{path_of(params)}"
    box = solver.state.window(f"ask:{name}")
    if box is not None:
        solver.click(box.id, "cancel")
    if solver.state.window(name) is None:
        solver.select_row("files", "files", params["file"], clicks=2)
    window = solver.window(name)
    if not isinstance(window, Spreadsheet):
        raise TaskError(f"there is no scripted solution from here: {name!r} is no spreadsheet")
    if window.grid.editing:
        solver.reach(window, window.bounds)
        solver.press(Key.ESCAPE)
    if window.grid.sheet.rows != window.saved:
        pick_menu(solver, window, "File", "Revert")
    return window


def pick_menu(solver: Solver, window: Spreadsheet, title: str, item: str) -> None:
    """Choose an item of the spreadsheet's menus."""
    solver.open_menu(window.id, "menu", title)
    solver.choose(item)


def pick_cell(solver: Solver, window: Spreadsheet, cell: Cell) -> None:
    """Make a cell the active one: by a click, or through the name box if it is out of view."""
    grid, look = window.grid, solver.session.look
    x, y, w, h = grid.cell_rect(look, *cell)
    if covers(grid.body(look), (x, y, w, h)):
        left, top, _, _ = window.rect_of(grid)
        solver.act(Action.click(*solver.reach(window, (left + x, top + y, w, h))))
        return
    solver.click(window.id, "name")
    solver.press(Key.A, Modifier.CTRL)
    solver.type(f"{cell_name(cell)}\n")


def enter(solver: Solver, window: Spreadsheet, cell: Cell, text: str) -> None:
    """Type into a cell."""
    pick_cell(solver, window, cell)
    solver.type(f"{text}\n")


def save(solver: Solver) -> None:
    """Save the sheet that has the keyboard."""
    solver.press(Key.S, Modifier.CTRL)
