"""Seeing: name, compare and find shapes, numbers, colours and letters."""

from __future__ import annotations

from typing import Any

import numpy as np

from gui_gym.desktops.sim.canvas import Color
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.desktops.sim.widgets.basic import Radio
from gui_gym.desktops.sim.widgets.board import Board, Item, PickBoard
from gui_gym.desktops.sim.widgets.letters import LetterGrid
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.boards import (
    COLOR_NAMES,
    SHAPE_NAMES,
    SUBMITTED,
    BoardDialog,
    PickFamily,
    board_size,
    click_at,
    drag_on,
    open_board,
    scatter,
    side_for,
    the_board,
)
from gui_gym.tasks.sim.families.common import clutter, handed_values, in_columns, ok_cancel, quoted, used, wording
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import COLORS, STEMS
from gui_gym.verifiers.score import Outcome


class _ClickFamily(Family):
    """The right one of a board's items is clicked: any other that is clicked, before or after, spoils it. ``params["target"]`` is its id."""

    max_steps = 10

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return used(state, "board", "clicked") == {params["target"]}

    def solve(self, solver: Solver, params: Params) -> None:
        if not used(solver.state, "board", "clicked"):
            click_at(solver, the_board(solver.state, PickBoard).item(params["target"]).middle)

    def spoil(self, solver: Solver, params: Params) -> bool:
        board = the_board(solver.state, PickBoard)
        click_at(solver, next(item for item in board.active_items() if item.id != params["target"]).middle)
        return True


NAMED = ("circle", "square", "triangle", "pentagon", "hexagon", "octagon", "star", "diamond", "cross", "arrow")  #: shapes with a label


class IdentifyShape(Family):
    """Choose what a shape is called and press OK."""

    id = "identify-shape"
    skills = ("perceive", "radio", "read")
    touches = SUBMITTED
    max_steps = 10

    def draw(self, brief: Brief) -> dict[str, Any]:
        names = brief.sample(NAMED, brief.by_level(4, 6, 8))
        colors = brief.sample(COLOR_NAMES, brief.by_level(1, 2, 4))
        shapes = brief.sample(names, len(colors))
        instruction = wording(
            brief,
            [
                "What is the {} shape? Choose its name and press {ok}.",
                "Which shape is {}? Select the answer, then {ok}.",
                "Name the {} shape and confirm with {ok}.",
            ],
            colors[0],
        )
        return {"instruction": instruction, "names": names, "colors": colors, "shapes": shapes}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        look, n = session.look, len(params["names"])
        labels = [session.label(name) for name in params["names"]]
        across = 3 if look.size.font <= 9 or n > 6 else 2
        wide = across * (max(look.sans.width(text) for text in labels) + 3 * look.size.font)
        w, h = board_size(session, max(20, -(-wide // look.size.font)), 14, rows=-(-n // across) + 1)
        board = Board(id="board", name=session.label("Shapes"), w=w, h=h)
        slots = len(params["colors"])
        side = min(w // slots, h) - 2 * look.size.gap
        for i, (slot, color, shape) in enumerate(zip(rng.permutation(slots), params["colors"], params["shapes"], strict=True)):
            x, y = w * int(slot) // slots + (w // slots - side) // 2, int(rng.integers(2, max(3, h - side - 1)))
            board.items.append(Item(id=f"shape{i}", shape=shape, name=f"{color} shape", x=x, y=y, w=side, h=side, color=COLORS[color]))
        dialog = BoardDialog(id="board", title=session.label("Shapes"))
        column = Column(session, dialog, w)
        column.row(board, height=h)
        radios = [Radio(id=name, name=text, group="names") for name, text in zip(params["names"], labels, strict=True)]
        in_columns(column, radios, across)
        ok_cancel(session, column)
        place(session, dialog, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        values = handed_values(state, "board")
        return values is not None and [name for name in params["names"] if values[name]] == [params["shapes"][0]]

    def solve(self, solver: Solver, params: Params) -> None:
        if handed_values(solver.state, "board") is None:
            solver.click("board", params["shapes"][0])
            solver.click("board", "ok")


class FindGreatest(_ClickFamily):
    """Click the largest or smallest of several numbers, or the second of them, or the one nearest to another."""

    id = "find-greatest"
    skills = ("read", "compare", "click")

    def draw(self, brief: Brief) -> dict[str, Any]:
        n = brief.by_level(4, 8, 14)
        low, high = brief.by_level((1, 99), (10, 999), (-999, 9999))
        values = brief.sample(range(low, high + 1), n)
        order = sorted(range(n), key=lambda i: values[i])
        kind = brief.pick(
            brief.by_level(["largest", "smallest"], ["largest", "smallest", "second largest"], ["largest", "second smallest", "nearest"])
        )
        at = {"largest": order[-1], "smallest": order[0], "second largest": order[-2], "second smallest": order[1]}.get(kind, 0)
        what = f"the {kind} number"
        if kind == "nearest":
            to = brief.integer(low, high)
            far = sorted((abs(value - to), i) for i, value in enumerate(values))
            if far[0][0] == far[1][0]:
                to, far = values[far[0][1]], [(0, far[0][1])]
            at, what = far[0][1], f"the number that is nearest to {to}".replace("-", "−")
        labels = [str(value).replace("-", "−") for value in values]
        if brief.by_level(False, False, True):
            labels = [f"{label[:-2] or '0'}.{label[-2:]}" if len(label.strip("−")) > 2 and "nearest" not in what else label for label in labels]
            hundredths = [int(label.replace("−", "-").replace(".", "")) * (1 if "." in label else 100) for label in labels]
            order = sorted(range(n), key=lambda i: hundredths[i])  # some have decimals now
            at = at if kind == "nearest" else {"largest": order[-1], "second smallest": order[1]}[kind]
            if len(set(hundredths)) < n:
                return self.draw(brief)
        instruction = wording(brief, ["Click {}.", "Find {} and click it.", "Which is {}? Click it."], what)
        return {"instruction": instruction, "labels": labels, "target": f"number{at}"}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        w, h = board_size(session, 34, 22, rows=0)
        look, gap = session.look, session.look.size.gap
        board = PickBoard(id="board", name=session.label("Numbers"), w=w, h=h)
        wide, high = max(look.sans.width(label) for label in params["labels"]) + 2 * gap, look.size.control
        for i, (x, y) in enumerate(scatter(rng, (1, 1, w - 2, h - 2), len(params["labels"]), wide, high, gap)):
            board.items.append(Item(id=f"number{i}", shape="card", label=params["labels"][i], x=x, y=y, w=wide, h=high, active=True))
        open_board(session, rng, board, "Numbers", ok=False)


class OddOneOut(PickFamily):
    """Select the one shape that differs from all others, in colour, kind, direction or size, and press OK."""

    id = "odd-one-out"
    skills = ("perceive", "compare", "click")

    def draw(self, brief: Brief) -> dict[str, Any]:
        columns, rows = brief.by_level((3, 2), (4, 3), (6, 4))
        way = brief.pick(brief.by_level(["colour", "shape"], ["colour", "shape", "turn"], ["shape", "turn", "size"]))
        colors, shapes = brief.sample(COLOR_NAMES, 2), brief.sample(["arrow", "triangle"] if way == "turn" else SHAPE_NAMES, 2)
        common: dict[str, Any] = {"color": colors[0], "shape": shapes[0], "turn": 90 * brief.integer(0, 3) if way == "turn" else 0, "size": 80}
        odd = dict(common)
        if way == "colour":
            odd["color"] = colors[1]
        elif way == "shape":
            odd["shape"] = shapes[1]
        elif way == "turn":
            odd["turn"] = common["turn"] + 90 * brief.integer(1, 3)
        else:
            odd["size"] = brief.pick([50, 100])
        instruction = wording(
            brief,
            [
                "Select the shape that is different and press {ok}.",
                "One of the shapes differs from all others: click it, then {ok}.",
                "Find the odd one out, select it and confirm with {ok}.",
            ],
        )
        at = brief.integer(0, columns * rows - 1)
        return {"instruction": instruction, "size": [columns, rows], "common": common, "odd": odd, "target": f"shape{at}"}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        columns, rows = params["size"]
        step = int(rng.integers(4, 6))
        w, h = board_size(session, step * columns, step * rows)
        board = PickBoard(id="board", name=session.label("Shapes"), w=w, h=h, several=1)
        cell_w, cell_h = w // columns, h // rows
        for i in range(columns * rows):
            item = f"shape{i}"
            look = params["odd"] if item == params["target"] else params["common"]
            side = (min(cell_w, cell_h) - 8) * look["size"] // 100
            x, y = cell_w * (i % columns) + (cell_w - side) // 2, cell_h * (i // columns) + (cell_h - side) // 2
            board.items.append(
                Item(id=item, shape=look["shape"], name=f"{look['color']} {look['shape']}", x=x, y=y, w=side, h=side, turn=look["turn"], active=True)
            )
            board.items[-1].color = COLORS[look["color"]]
        open_board(session, rng, board, "Shapes")


_HUES = ("red", "green", "blue", "yellow")


def shade(color: Color, by: int) -> Color:
    """A colour that is ``by`` hundredths lighter, or darker if negative."""
    r, g, b = (part + (255 - part) * by // 100 if by > 0 else part * (100 + by) // 100 for part in color)
    return r, g, b


class FindShades(Family):
    """Select all tiles in shades of a colour and press OK."""

    id = "find-shades"
    skills = ("perceive", "click")
    touches = SUBMITTED
    max_steps = 30

    def draw(self, brief: Brief) -> dict[str, Any]:
        n = brief.by_level(6, 12, 18)
        target, *rest = brief.sample(_HUES, brief.by_level(3, 4, 4))
        count = brief.integer(*brief.by_level((2, 3), (3, 5), (4, 8)))
        hues = brief.sample([target] * count + [brief.pick(rest) for _ in range(n - count)], n)
        instruction = wording(
            brief,
            [
                "Select all tiles that are a shade of {}, then press {ok}.",
                "Click every {} tile, light or dark, and confirm with {ok}.",
                "Pick all {} tiles, whatever their shade, and press {ok}.",
            ],
            target,
        )
        return {"instruction": instruction, "hues": hues, "shades": [brief.integer(-45, 40) for _ in hues], "target": target}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        n = len(params["hues"])
        columns = 3 if n == 6 else 6
        w, h = board_size(session, 5 * columns, 4 * (n // columns))
        board = PickBoard(id="board", name=session.label("Colours"), w=w, h=h, several=n)
        gap = session.look.size.gap + 2
        cell_w, cell_h = (w - gap) // columns, (h - gap) // (n // columns)
        for i, (hue, by) in enumerate(zip(params["hues"], params["shades"], strict=True)):
            x, y = gap + cell_w * (i % columns), gap + cell_h * (i // columns)
            item = Item(id=f"tile{i}", shape="box", name=hue, x=x, y=y, w=cell_w - gap, h=cell_h - gap, color=shade(COLORS[hue], by), active=True)
            board.items.append(item)
        open_board(session, rng, board, "Colours")

    @staticmethod
    def _wanted(params: Params) -> list[str]:
        return [f"tile{i}" for i, hue in enumerate(params["hues"]) if hue == params["target"]]

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        values = handed_values(state, "board")
        return values is not None and sorted(values["board"]) == sorted(self._wanted(params))

    def solve(self, solver: Solver, params: Params) -> None:
        if handed_values(solver.state, "board") is not None:
            return
        board = the_board(solver.state, PickBoard)
        for item in sorted(set(self._wanted(params)) ^ set(board.picked)):
            click_at(solver, board.item(item).middle)
        solver.click("board", "ok")


class SpotDifference(_ClickFamily):
    """Two pictures differ in one shape: click it in the right one."""

    id = "spot-difference"
    skills = ("perceive", "compare", "click")

    def draw(self, brief: Brief) -> dict[str, Any]:
        n = brief.by_level(4, 7, 12)
        left = [[brief.pick(COLOR_NAMES), brief.pick(SHAPE_NAMES), 0, 100] for _ in range(n)]
        right = [list(item) for item in left]
        odd = right[0]
        way = brief.pick(brief.by_level(["colour", "shape"], ["colour", "shape", "size"], ["colour", "shape", "size", "turn"]))
        if way == "colour":
            odd[0] = brief.pick([color for color in COLOR_NAMES if color != odd[0]])
        elif way == "shape":
            odd[1] = brief.pick([shape for shape in SHAPE_NAMES if shape != odd[1]])
        elif way == "size":
            odd[3] = 60
        else:
            left[0][1] = odd[1] = brief.pick(["arrow", "triangle"])
            odd[2] = 90 * brief.integer(1, 3)
        instruction = wording(
            brief,
            [
                "The two pictures differ in one shape. Click it in the right picture.",
                "Compare the pictures and click the shape in the right one that is not the same as in the left one.",
                "One shape of the picture on the right has been changed: click it.",
            ],
        )
        return {"instruction": instruction, "left": left, "right": right, "target": "shape0"}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        n, gap = len(params["left"]), session.look.size.gap
        wide, h = board_size(session, 40, 16, rows=0)
        w = (wide - 2 * gap) // 2
        side = side_for((1, 1, w - 2, h - 2), n, gap, 2 * session.look.size.font + 2)
        spots = scatter(rng, (1, 1, w - 2, h - 2), n, side, side, gap)
        boards = Board(id="model", name=session.label("Left"), w=w, h=h), PickBoard(id="board", name=session.label("Right"), w=w, h=h)
        order = [int(i) for i in rng.permutation(n)]
        for board, items in zip(boards, (params["left"], params["right"]), strict=True):
            for i in order:
                color, shape, turn, share = items[i]
                own = side * share // 100
                x, y = spots[i][0] + (side - own) // 2, spots[i][1] + (side - own) // 2
                item = Item(id=f"shape{i}", shape=shape, name=f"{color} {shape}", x=x, y=y, w=own, h=own, color=COLORS[color], turn=turn)
                item.active = board.id == "board"
                board.items.append(item)
        dialog = BoardDialog(id="board", title=session.label("Two pictures"))
        column = Column(session, dialog, 2 * w + gap)
        column.row(*boards, height=h)
        column.finish()
        place(session, dialog, rng)


class FindWord(Family):
    """Find a word in a square of letters, mark it by a drag, and press OK. The harder, the more ways it may run."""

    id = "find-word"
    skills = ("read", "drag", "perceive")
    touches = SUBMITTED
    max_steps = 10
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        columns, rows = brief.by_level((6, 5), (9, 6), (12, 7))
        words = [stem.upper() for stem in brief.sample([stem for stem in STEMS if len(stem) <= rows], 2)]
        word = words[0]
        ways = brief.by_level([(1, 0)], [(1, 0), (0, 1)], [(1, 0), (0, 1), (1, 1), (-1, 0), (0, -1), (-1, -1)])
        dx, dy = brief.pick(ways)
        span = len(word) - 1
        x = brief.integer(span if dx < 0 else 0, columns - 1 - (span if dx > 0 else 0))
        y = brief.integer(span if dy < 0 else 0, rows - 1 - (span if dy > 0 else 0))
        letters = [[brief.pick("ABCDEFGHIKLMNOPRSTUVW") for _ in range(columns)] for _ in range(rows)]
        if brief.feasible:
            for i, letter in enumerate(word):
                letters[y + i * dy][x + i * dx] = letter
        instruction = wording(
            brief,
            [
                "Find the word {} and mark it by dragging, then press {ok}.",
                "Mark {} among the letters and confirm with {ok}.",
                "Where is the word {}? Drag over it and press {ok}.",
            ],
            quoted(word),
        )
        grid = ["".join(row) for row in letters]
        if not brief.feasible and self._holds(grid, word):
            return self.draw(brief)
        return {"instruction": instruction, "rows": grid, "word": word, "start": [x, y], "end": [x + span * dx, y + span * dy]}

    @staticmethod
    def _holds(grid: list[str], word: str) -> bool:
        """Whether a word stands in a grid, in any direction."""
        ways = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]

        def at(x: int, y: int) -> str:
            return grid[y][x] if 0 <= y < len(grid) and 0 <= x < len(grid[0]) else ""

        cells = [(x, y) for y in range(len(grid)) for x in range(len(grid[0]))]
        return any("".join(at(x + i * dx, y + i * dy) for i in range(len(word))) == word for x, y in cells for dx, dy in ways)

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        columns, rows = len(params["rows"][0]), len(params["rows"])
        step = int(rng.integers(2, 4))
        w, h = board_size(session, max(12, step * columns), step * rows)
        open_board(session, rng, LetterGrid(id="board", name=session.label("Letters"), rows=list(params["rows"]), w=w, h=h), "Letters")

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        values = handed_values(state, "board")
        return values is not None and values["board"] in (params["word"], params["word"][::-1])

    def solve(self, solver: Solver, params: Params) -> None:
        if handed_values(solver.state, "board") is not None:
            return
        grid = the_board(solver.state, LetterGrid)
        ends = [grid.cell_rect(*params[end]) for end in ("start", "end")]
        drag_on(solver, *((x + w // 2, y + h // 2) for x, y, w, h in ends))
        solver.click("board", "ok")
