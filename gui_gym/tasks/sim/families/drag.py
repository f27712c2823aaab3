"""Dragging: shapes into areas, files into folders, things into cells, and boxes to a size."""

from __future__ import annotations

from typing import Any

import numpy as np

from gui_gym.desktops.sim.canvas import inside
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.desktops.sim.widgets.moveboard import MoveBoard, MovePiece
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.boards import COLOR_NAMES, SHAPE_NAMES, board_in, board_size, drag_on, open_board, scatter, side_for, the_board
from gui_gym.tasks.sim.families.common import clutter, joined, quoted, wording
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import COLORS, STEMS
from gui_gym.verifiers.score import Outcome


def things(brief: Brief, n: int) -> list[list[str]]:
    """``n`` pairs of a colour and a shape, all different; the harder, the more of them share one of the two."""
    shapes = brief.sample(SHAPE_NAMES, brief.by_level(len(SHAPE_NAMES), 4, 3))
    colors = brief.sample(COLOR_NAMES, brief.by_level(len(COLOR_NAMES), 4, 3))
    return brief.sample([[color, shape] for color in colors for shape in shapes], n)


class DragShapeToArea(Family):
    """Drag named shapes into named areas and leave the others where they are, outside."""

    id = "drag-shape-to-area"
    skills = ("drag", "perceive")
    max_steps = 16
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        n, goals = brief.by_level(2, 4, 6), brief.by_level(1, 1, 2)
        *shapes, missing = things(brief, n + 1)
        areas = brief.sample("ABCDEFGH", brief.by_level(2, 3, 3))
        picked = brief.sample(range(n), goals)
        goal = {i: brief.pick(areas) for i in picked}
        named = [shapes[i] for i in picked]
        if not brief.feasible:
            named[-1] = missing
        parts = [f"the {color} {shape} into the area {quoted(goal[i])}" for (color, shape), i in zip(named, picked, strict=True)]
        instruction = wording(
            brief, ["Drag {}.", "Move {}, and leave everything else outside.", "Using the mouse, put {}.", "Drag and drop {}."], joined(parts)
        )
        return {"instruction": instruction, "shapes": shapes, "areas": areas, "goal": [[i, goal[i]] for i in picked]}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        w, h = board_size(session, 40, 25, rows=0)
        board = MoveBoard(id="board", name=session.label("Shapes"), w=w, h=h)
        areas, strip, gap = params["areas"], w * 2 // 5, session.look.size.gap
        left = rng.random() < 0.5
        for i, area in enumerate(areas):
            x, y = gap if left else w - strip + gap, gap + (h - gap) * i // len(areas)
            high = (h - gap) // len(areas) - gap
            board.items.append(MovePiece(id=area, shape="frame", label=area, x=x, y=y, w=strip - 2 * gap, h=high, thick=2, color=(128, 136, 152)))
        room = (strip if left else gap, gap, w - strip - gap, h - 2 * gap)
        side = side_for(room, len(params["shapes"]), gap, 3 * session.look.size.font)
        for i, (x, y) in enumerate(scatter(rng, room, len(params["shapes"]), side, side, gap)):
            color, shape = params["shapes"][i]
            piece = MovePiece(id=f"shape{i}", shape=shape, name=f"{color} {shape}", x=x, y=y, w=side, h=side, color=COLORS[color], active=True)
            board.items.append(piece)
        open_board(session, rng, board, "Shapes", ok=False)

    @staticmethod
    def _where(board: MoveBoard, params: Params, i: int) -> str:
        """The area that a shape's middle is in, or ""."""
        return next((area for area in params["areas"] if inside(board.item(area).box, *board.item(f"shape{i}").middle)), "")

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        board, goal = board_in(state, MoveBoard), dict(params["goal"])
        return board is not None and all(self._where(board, params, i) == goal.get(i, "") for i in range(len(params["shapes"])))

    def solve(self, solver: Solver, params: Params) -> None:
        goal = dict(params["goal"])
        for i in range(len(params["shapes"])):
            board = the_board(solver.state, MoveBoard)
            piece = board.item(f"shape{i}")
            if self._where(board, params, i) == goal.get(i, ""):
                continue
            if i in goal:
                drag_on(solver, piece.middle, board.item(goal[i]).middle)
            else:
                areas = [board.item(area) for area in params["areas"]]
                out = max(area.x + area.w for area in areas) + piece.w if areas[0].x < board.w // 2 else piece.w
                drag_on(solver, piece.middle, (out, piece.middle[1]))

    def spoil(self, solver: Solver, params: Params) -> bool:
        board = the_board(solver.state, MoveBoard)
        piece, area = board.item(f"shape{params['goal'][0][0]}"), board.item(params["goal"][0][1])
        drag_on(solver, piece.middle, (area.x + area.w + piece.w if area.x < board.w // 2 else area.x - piece.w, piece.middle[1]))
        return True


class DragIntoFolder(Family):
    """Drag files into folders: one by its name, or all of a kind."""

    id = "drag-into-folder"
    skills = ("drag", "read", "files")
    max_steps = 16
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        n = brief.by_level(3, 5, 7)
        *endings, no_ending = brief.sample(["txt", "csv", "md", "log", "png"], 4)
        stems = brief.sample([stem for stem in STEMS if len(stem) <= 6], n + 1)
        kinds = [*endings, *(brief.pick(endings) for _ in range(n - 3))]
        folders = brief.labels(brief.sample(["Documents", "Pictures", "Downloads", "Inbox"], brief.by_level(2, 2, 3)))
        files = brief.sample([f"{stem}.{ending}" for stem, ending in zip(stems, kinds, strict=False)], n)
        if brief.by_level(True, False, False):
            target = brief.pick(files)
            goal, said = {target: folders[0]}, quoted(target if brief.feasible else f"{stems[-1]}.{endings[0]}")
            parts = [f"the file {said} into the folder {quoted(folders[0])}"]
        else:
            rules = dict(zip(endings[: brief.by_level(1, 1, 2)], folders, strict=False))
            goal = {name: rules[name.partition(".")[2]] for name in files if name.partition(".")[2] in rules}
            parts = [f"every file that ends in {quoted('.' + ending)} into {quoted(folder)}" for ending, folder in rules.items()]
            if not brief.feasible:
                parts[-1] = f"every file that ends in {quoted('.' + no_ending)} into {quoted(folders[len(rules) - 1])}"
        instruction = wording(brief, ["Drag {}.", "Move {} with the mouse. Leave all other files.", "Tidy up: drag {}."], joined(parts))
        return {"instruction": instruction, "files": files, "folders": folders, "goal": goal}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        w, h = board_size(session, 40, 22, rows=0)
        look = session.look
        names = [*params["folders"], *params["files"]]
        wide = max(look.sans.width(name) for name in names) + look.size.gap
        room, gap = (1, 1, w - 2, h - 2), look.size.gap
        columns = room[2] // (wide + gap)
        high = look.sans.height + min(3 * look.size.font, room[3] // (-(-len(names) // columns) + 1) - gap - look.sans.height)
        spots = scatter(rng, room, len(names), wide, high, gap)
        board = MoveBoard(id="board", name=session.label("Files"), w=w, h=h)
        for (x, y), name in zip(spots, names, strict=True):
            folder = name in params["folders"]
            piece = MovePiece(id=name, shape="folder" if folder else "page", name=name, label=name, x=x, y=y, w=wide, h=high)
            piece.active, piece.holds = not folder, folder
            board.items.append(piece)
        open_board(session, rng, board, "Files", ok=False)

    @staticmethod
    def _inside(board: MoveBoard) -> dict[str, str]:
        return {piece.id: piece.inside for piece in board.pieces() if piece.inside}

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        board = board_in(state, MoveBoard)
        return board is not None and self._inside(board) == params["goal"]

    def solve(self, solver: Solver, params: Params) -> None:
        for name, folder in params["goal"].items():
            board = the_board(solver.state, MoveBoard)
            if name not in self._inside(board):
                top = next((other for other in reversed(board.pieces()) if other.id != name and not other.inside), None)
                clear = [y for y in (board.item(name).middle[1], board.item(name).y + 2)]
                y = next((y for y in clear if top is None or board.item_at(board.item(name).middle[0], y) is board.item(name)), clear[0])
                drag_on(solver, (board.item(name).middle[0], y), board.item(folder).middle)

    def spoil(self, solver: Solver, params: Params) -> bool:
        board = the_board(solver.state, MoveBoard)
        others = [piece for piece in board.pieces() if not piece.inside]
        if others:
            drag_on(solver, others[-1].middle, board.item(params["folders"][0]).middle)
        return bool(others)


_ROWS = "123456"
_COLUMNS = "ABCDEFGHI"


class DragToCell(Family):
    """Move things on a grid to named cells, or beside each other, and leave the rest in their cells."""

    id = "drag-to-cell"
    skills = ("drag", "read", "perceive")
    max_steps = 16
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        columns, rows = brief.by_level((4, 3), (6, 4), (8, 5))
        n = brief.by_level(2, 4, 6)
        *shapes, missing = things(brief, n + 1)
        cells = brief.sample([[c, r] for c in range(1, columns + 1) for r in range(1, rows + 1)], len(shapes) + 2)
        start, free = cells[:n], cells[n:]
        goal, parts = [list(cell) for cell in start], []
        for i, to in zip(brief.sample(range(n), brief.by_level(1, 1, 2)), free, strict=False):
            others = [j for j in range(n) if j != i]
            beside = [(j, way, cell) for j in others for way, cell in self._around(goal[j], columns, rows) if cell not in goal and cell not in free]
            where = f"to the cell {quoted(_COLUMNS[to[0] - 1] + _ROWS[to[1] - 1])}"
            if beside and brief.chance(brief.by_level(0.0, 0.5, 0.6)):
                j, way, to = brief.pick(beside)
                where = f"to the cell directly {way} the {' '.join(shapes[j])}"
            name = " ".join(shapes[i] if brief.feasible else missing)
            goal[i] = list(to)
            parts.append(f"the {name} {where}")
        instruction = wording(brief, ["Move {}.", "Drag {}.", "On the grid, move {}, and leave the others where they are."], ", then ".join(parts))
        return {"instruction": instruction, "size": [columns, rows], "shapes": shapes, "start": start, "goal": goal}

    @staticmethod
    def _around(cell: list[int], columns: int, rows: int) -> list[tuple[str, list[int]]]:
        steps = {"left of": (-1, 0), "right of": (1, 0), "above": (0, -1), "below": (0, 1)}
        cells = [(way, [cell[0] + dx, cell[1] + dy]) for way, (dx, dy) in steps.items()]
        return [(way, to) for way, to in cells if 1 <= to[0] <= columns and 1 <= to[1] <= rows]

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        columns, rows = params["size"]
        look = session.look
        w, h = board_size(session, int(rng.integers(4, 6)) * (columns + 1), 4 * (rows + 1), rows=0)
        board = MoveBoard(id="board", name=session.label("Grid"), w=w, h=h, cells=(columns + 1, rows + 1))
        for column in range(columns + 1):
            for row in range(rows + 1):
                x, y, cell_w, cell_h = board.cell_rect(column, row)
                if column and row:
                    board.items.append(
                        MovePiece(id=f"cell{column}-{row}", shape="frame", x=x, y=y, w=cell_w + 1, h=cell_h + 1, color=(150, 156, 170))
                    )
                elif column or row:
                    text = _COLUMNS[column - 1] if column else _ROWS[row - 1]
                    board.items.append(MovePiece(id=f"head{text}", shape="text", label=text, x=x, y=y, w=cell_w, h=cell_h))
        for i, (cell, (color, shape)) in enumerate(zip(params["start"], params["shapes"], strict=True)):
            x, y, cell_w, cell_h = board.cell_rect(*cell)
            side = min(3 * look.size.font, cell_w - 4, cell_h - 4)
            piece = MovePiece(
                id=f"shape{i}", shape=shape, name=f"{color} {shape}", x=x + (cell_w - side) // 2, y=y + (cell_h - side) // 2, w=side, h=side
            )
            piece.color, piece.active = COLORS[color], True
            board.items.append(piece)
        open_board(session, rng, board, "Grid", ok=False)

    @staticmethod
    def _cells(board: MoveBoard, params: Params) -> list[list[int]]:
        return [list(board.cell_of(board.item(f"shape{i}"))) for i in range(len(params["shapes"]))]

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        board = board_in(state, MoveBoard)
        return board is not None and not board.held and self._cells(board, params) == params["goal"]

    def solve(self, solver: Solver, params: Params) -> None:
        for _ in range(2):  # what lies in another's cell is moved first
            for i, to in enumerate(params["goal"]):
                board = the_board(solver.state, MoveBoard)
                cells = self._cells(board, params)
                if cells[i] != to and to not in cells:
                    x, y, w, h = board.cell_rect(*to)
                    drag_on(solver, board.item(f"shape{i}").middle, (x + w // 2, y + h // 2))

    def spoil(self, solver: Solver, params: Params) -> bool:
        board = the_board(solver.state, MoveBoard)
        cells = self._cells(board, params)
        columns, rows = params["size"]
        free = next([c, r] for c in range(1, columns + 1) for r in range(1, rows + 1) if [c, r] not in cells)
        x, y, w, h = board.cell_rect(*free)
        drag_on(solver, board.item("shape0").middle, (x + w // 2, y + h // 2))
        return True


_GRID = (33, 14)  #: width and height of the board for resizing, in units


class ResizeShape(Family):
    """Resize one of several boxes, whose sizes are written on them, to a size by the grip in its corner."""

    id = "resize-shape"
    skills = ("drag", "read", "perceive")
    max_steps = 14
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        n = brief.by_level(1, 2, 3)
        *colors, missing = brief.sample(COLOR_NAMES, n + 1)
        sizes = [[brief.integer(4, 8), brief.integer(4, 8)] for _ in colors]
        goal = [list(size) for size in sizes]
        targets = brief.sample(range(n), brief.by_level(1, 1, 2))
        for i in targets:
            while goal[i] == sizes[i]:
                goal[i] = [brief.integer(4, 9), brief.integer(4, 9)]
        named = {i: colors[i] for i in targets}
        if not brief.feasible:
            named[targets[-1]] = missing
        parts = [f"the {named[i]} box to {quoted(f'{goal[i][0]} × {goal[i][1]}')}" for i in targets]
        instruction = wording(
            brief, ["Resize {} (width × height).", "By its grip, bring {}, width first.", "Change the size of {}: width × height."], joined(parts)
        )
        return {"instruction": instruction, "colors": colors, "sizes": sizes, "goal": goal}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        w, h = board_size(session, 42, 18, rows=0)
        unit = min(w // _GRID[0], h // _GRID[1])
        board = MoveBoard(id="board", name=session.label("Boxes"), w=unit * _GRID[0] + 2, h=unit * _GRID[1] + 2, unit=unit)
        n = len(params["colors"])
        slots = [int(i) for i in rng.permutation(3)[:n]]
        for i, (color, (wide, high)) in enumerate(zip(params["colors"], params["sizes"], strict=True)):
            x = unit * (11 * slots[i] + int(rng.integers(0, 2))) + 1
            y = unit * int(rng.integers(0, 5)) + 1
            piece = MovePiece(
                id=color, shape="box", name=color, x=x, y=y, w=wide * unit, h=high * unit, color=COLORS[color], active=True, sizable=True
            )
            board.items.append(piece)
        open_board(session, rng, board, "Boxes", ok=False)

    @staticmethod
    def _sizes(board: MoveBoard, params: Params) -> list[list[int]]:
        pieces = [board.item(color) for color in params["colors"]]
        return [[piece.w // board.unit, piece.h // board.unit] for piece in pieces]

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        board = board_in(state, MoveBoard)
        return board is not None and self._sizes(board, params) == params["goal"]

    def solve(self, solver: Solver, params: Params) -> None:
        for i, color in enumerate(params["colors"]):
            board = the_board(solver.state, MoveBoard)
            if self._sizes(board, params)[i] != params["goal"][i]:
                self._resize(solver, board, color, params["goal"][i])

    @staticmethod
    def _resize(solver: Solver, board: MoveBoard, color: str, size: list[int]) -> None:
        piece, unit = board.item(color), board.unit
        assert isinstance(piece, MovePiece)
        room = [(board.w - 2) // unit - size[0], (board.h - 2) // unit - size[1]]
        if (piece.x - 1) // unit > room[0] or (piece.y - 1) // unit > room[1]:  # too near to the edge: move it first
            x, y = piece.x + unit, piece.y + unit
            drag_on(solver, (x, y), (x + min(0, room[0] * unit + 1 - piece.x), y + min(0, room[1] * unit + 1 - piece.y)))
        x, y, w, h = board.grip(solver.session.look, piece)
        at = x + w // 2, y + h // 2
        drag_on(solver, at, (at[0] + size[0] * unit - piece.w, at[1] + size[1] * unit - piece.h))

    def spoil(self, solver: Solver, params: Params) -> bool:
        board = the_board(solver.state, MoveBoard)
        self._resize(solver, board, params["colors"][-1], [3, 3])
        return True
