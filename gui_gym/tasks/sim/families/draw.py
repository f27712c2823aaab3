"""Drawing with the mouse: links, lines, circles, a path within a band, and a ball led through a maze."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gui_gym.actions import Action, Key
from gui_gym.desktops.sim.canvas import inside
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.desktops.sim.widgets.board import Item
from gui_gym.desktops.sim.widgets.drawboard import CIRCLE, LINE, PEN, DrawBoard, LinkBoard, radius_of
from gui_gym.desktops.sim.widgets.moveboard import MoveBoard, MovePiece
from gui_gym.desktops.sim.widgets.shapes import Point
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.boards import COLOR_NAMES, board_in, board_size, drag_on, open_board, scatter, spot, the_board
from gui_gym.tasks.sim.families.common import clutter, joined, quoted, wording
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import CITIES, COLORS, FIRST, STEMS
from gui_gym.verifiers.score import Outcome


def near(a: Sequence[int], b: Sequence[int], radius: int) -> bool:
    """Whether two pixels are at most ``radius`` pixels apart."""
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 <= radius * radius


def link_columns(session: Session, rng: np.random.Generator, left: Sequence[str], right: Sequence[str], title: str) -> None:
    """Open a board with two columns of cards, "left0", "left1", ... and "right0", ..., to be joined."""
    look = session.look
    widest = max(look.sans.width(text) for text in [*left, *right]) + 2 * look.size.pad
    w, h = board_size(session, max(24, 3 * widest // look.size.font), 22, rows=0)
    wide = min(widest, w * 2 // 5)
    board = LinkBoard(id="board", name=session.label(title), w=w, h=h)
    for side, texts, x in (("left", left, look.size.gap), ("right", right, w - wide - look.size.gap)):
        slot = h // len(texts)
        high = min(slot - look.size.gap, look.size.control)
        for i, text in enumerate(texts):
            y = slot * i + int(rng.integers(0, slot - high)) + 1
            board.items.append(Item(id=f"{side}{i}", shape="card", x=x, y=min(y, h - high - 2), w=wide, h=high, label=text, active=True))
    open_board(session, rng, board, title, ok=False)


def set_links(solver: Solver, goal: Sequence[Sequence[str]]) -> None:
    """Join exactly these pairs of items, and part all others."""
    board = the_board(solver.state, LinkBoard)
    wanted = {(min(pair), max(pair)) for pair in goal}
    for one, other in sorted(wanted ^ set(board.links)):
        drag_on(solver, board.item(one).middle, board.item(other).middle)


class LinkFamily(Family):
    """The cards ``params["left"]`` and ``params["right"]`` are joined by the lines ``params["goal"]``, and by no others."""

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        link_columns(session, rng, params["left"], params["right"], "Pairs")

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        board = board_in(state, LinkBoard)
        return board is not None and sorted(board.links) == sorted((min(pair), max(pair)) for pair in params["goal"])

    def solve(self, solver: Solver, params: Params) -> None:
        set_links(solver, params["goal"])


class ConnectPairs(LinkFamily):
    """Join the named cards of two columns by lines, and no others."""

    id = "connect-pairs"
    skills = ("drag", "read")
    max_steps = 14
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        n, goals = brief.by_level(2, 4, 5), brief.by_level(1, 2, 3)
        left, (*right, missing) = brief.sample(FIRST, n), brief.sample([*CITIES, *STEMS], n + 1)
        pairs = list(zip(brief.sample(range(n), goals), brief.sample(range(n), goals), strict=True))
        names = [[left[i], right[j]] for i, j in pairs]
        if not brief.feasible:
            names[-1][1] = missing
        way = brief.pick(["Connect {}.", "Draw a line {}. Draw no other lines.", "Link {}, and nothing else."])
        pair = "from {} to {}" if way.startswith("Draw") else "{} with {}"
        instruction = way.format(joined([pair.format(*map(quoted, ends)) for ends in names]))
        return {"instruction": instruction, "left": left, "right": right, "goal": [[f"left{i}", f"right{j}"] for i, j in pairs]}

    def spoil(self, solver: Solver, params: Params) -> bool:
        set_links(solver, [*params["goal"], ["left0", "left1"]])
        return True


class _DotsFamily(Family):
    """A board of coloured dots to draw on."""

    skills = ("drag", "draw", "perceive")
    max_steps = 12
    has_infeasible = True

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        w, h = board_size(session, 40, 25)
        side = max(9, session.look.size.font * 5 // 4)
        board = DrawBoard(id="board", name=session.label("Drawing"), w=w, h=h, tool=LINE if self.id == "draw-line" else CIRCLE)
        for color, (x, y) in zip(params["colors"], scatter(rng, (1, 1, w - 2, h - 2), len(params["colors"]), side, side, 2 * side), strict=True):
            board.items.append(Item(id=color, shape="dot", name=f"{color} dot", x=x, y=y, w=side, h=side, color=COLORS[color]))
        open_board(session, rng, board, "Drawing", ok=False, clear=True)

    def fits(self, stroke: Sequence[Point], one: Item, other: Item) -> bool:
        """Whether a stroke is what is asked for two dots."""
        raise NotImplementedError

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        board = board_in(state, DrawBoard)
        if board is None or board.drawing or len(board.strokes) != len(params["goal"]):
            return False
        return all(any(self.fits(stroke, board.item(one), board.item(other)) for stroke in board.strokes) for one, other in params["goal"])

    def solve(self, solver: Solver, params: Params) -> None:
        board = the_board(solver.state, DrawBoard)
        pairs = [(board.item(one), board.item(other)) for one, other in params["goal"]]
        missing = [pair for pair in pairs if not any(self.fits(stroke, *pair) for stroke in board.strokes)]
        if len(board.strokes) + len(missing) != len(pairs):  # there is one that belongs to no pair
            solver.click("board", "clear")
            missing = pairs
        for one, other in missing:
            drag_on(solver, one.middle, other.middle)

    def spoil(self, solver: Solver, params: Params) -> bool:
        drag_on(solver, (4, 4), (14, 4))
        return True


class DrawLine(_DotsFamily):
    """Draw straight lines between the dots of the named colours, and no others."""

    id = "draw-line"

    def draw(self, brief: Brief) -> dict[str, Any]:
        *colors, missing = brief.sample(COLOR_NAMES, brief.by_level(2, 4, 6) + 1)
        goal = [sorted(colors[:2])] + ([sorted(colors[2:4])] if brief.by_level(False, False, True) else [])
        names = [brief.sample(pair, 2) for pair in goal]
        if not brief.feasible:
            names[-1][1] = missing
        lines = " and another one from ".join(f"the {one} dot to the {other} dot" for one, other in names)
        instruction = wording(
            brief, ["Draw a line from {}.", "Draw a straight line from {}, and nothing else.", "Join the dots: draw a line from {}."], lines
        )
        return {"instruction": instruction, "colors": sorted(colors), "goal": goal}

    def fits(self, stroke: Sequence[Point], one: Item, other: Item) -> bool:
        return any(near(one.middle, a, one.w * 3 // 4) and near(other.middle, b, other.w * 3 // 4) for a, b in (stroke, stroke[::-1]))


class DrawCircle(_DotsFamily):
    """Draw a circle by dragging from its centre, a dot, until it goes through another dot."""

    id = "draw-circle"

    def draw(self, brief: Brief) -> dict[str, Any]:
        *colors, missing = brief.sample(COLOR_NAMES, brief.by_level(2, 4, 6) + 1)
        goal = [colors[:2]] + ([colors[2:4]] if brief.by_level(False, False, True) else [])
        names = [list(pair) for pair in goal]
        if not brief.feasible:
            names[-1][1] = missing
        circles = " and another one ".join(f"around the {one} dot that goes through the {other} dot" for one, other in names)
        instruction = wording(
            brief,
            [
                "Draw a circle {}. (Drag from the centre outwards.)",
                "Dragging from the centre outwards, draw a circle {}.",
                "Draw a circle {}, and nothing else: press in the centre and drag outwards.",
            ],
            circles,
        )
        return {"instruction": instruction, "colors": sorted(colors), "goal": goal}

    def fits(self, stroke: Sequence[Point], one: Item, other: Item) -> bool:
        off = abs(radius_of([stroke[0], other.middle]) - radius_of(list(stroke)))
        return near(one.middle, stroke[0], one.w * 3 // 4) and off <= other.w * 3 // 4


class TracePath(Family):
    """Follow a pale band from its first to its last number in one stroke that stays inside it."""

    id = "trace-path"
    skills = ("drag", "draw", "mouse path")
    max_steps = 18

    def draw(self, brief: Brief) -> dict[str, Any]:
        n = brief.by_level(3, 4, 6)
        columns = sorted(brief.sample(range(8), n))
        rows = [brief.integer(0, 99) for _ in columns]
        if brief.chance(0.5):
            columns.reverse()
        instruction = wording(
            brief,
            [
                "Trace the pale path from 1 to {} in one stroke, without leaving it.",
                "Hold the mouse button and follow the band from 1 to {}. Draw one line that stays inside the band.",
                "Draw along the path, from number 1 to number {}, in a single stroke that does not leave it.",
            ],
            n,
        )
        return {"instruction": instruction, "points": [[column, row] for column, row in zip(columns, rows, strict=True)]}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        w, h = board_size(session, int(rng.integers(34, 44)), int(rng.integers(18, 25)))
        board = DrawBoard(id="board", name=session.label("Drawing"), w=w, h=h, tool=PEN)
        side = 2 * session.look.size.font
        points = []
        for column, row in params["points"]:
            points.append((side + (w - 2 * side) * column // 7 + int(rng.integers(-3, 4)), side + (h - 2 * side) * row // 99))
        for i, ((x0, y0), (x1, y1)) in enumerate(zip(points, points[1:], strict=False)):
            board.items.append(Item(id=f"band{i}", shape="line", x=x0, y=y0, w=x1 - x0, h=y1 - y0, color=(176, 196, 222), thick=side))
        for i, (x, y) in enumerate(points):
            text = str(i + 1)
            board.items.append(Item(id=f"point{i}", shape="dot", label=text, x=x - side // 2, y=y - side // 2, w=side, h=side, color=(120, 150, 196)))
        open_board(session, rng, board, "Drawing", ok=False, clear=True)

    @staticmethod
    def _corners(board: DrawBoard) -> list[Point]:
        return [item.middle for item in board.items if item.shape == "dot"]

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        board = board_in(state, DrawBoard)
        if board is None or board.drawing or len(board.strokes) != 1:
            return False
        stroke, corners = board.strokes[0], self._corners(board)
        radius = board.items[-1].w // 2
        if not (near(stroke[0], corners[0], radius) and near(stroke[-1], corners[-1], radius)):
            return False
        at = 0  # the corner that was passed last
        for point in _pixels(stroke):
            if at + 1 < len(corners) and near(point, corners[at + 1], radius):
                at += 1
            if not any(_within(point, a, b, radius + 1) for a, b in zip(corners, corners[1:], strict=False)):
                return False
        return at == len(corners) - 1

    def solve(self, solver: Solver, params: Params) -> None:
        board = the_board(solver.state, DrawBoard)
        if board.strokes:
            solver.click("board", "clear")
        corners = self._corners(board)
        points = [spot(solver, *corner) for corner in corners]
        solver.act(Action.mouse_down(*points[0]))
        for point in points[1:]:
            solver.act(Action.move(*point))
        solver.act(Action.mouse_up(*points[-1]))

    def spoil(self, solver: Solver, params: Params) -> bool:
        drag_on(solver, (3, 3), (23, 3))
        return True


def _pixels(stroke: Sequence[Point]) -> list[Point]:
    """Points along a stroke, a pixel apart."""
    points = [stroke[0]]
    for (x0, y0), (x1, y1) in zip(stroke, stroke[1:], strict=False):
        n = max(abs(x1 - x0), abs(y1 - y0))
        points += [(x0 + (x1 - x0) * i // n, y0 + (y1 - y0) * i // n) for i in range(1, n + 1)]
    return points


def _within(point: Point, a: Point, b: Point, radius: int) -> bool:
    """Whether a pixel is at most ``radius`` pixels from the line between two others."""
    dx, dy, x, y = b[0] - a[0], b[1] - a[1], point[0] - a[0], point[1] - a[1]
    length2, along = dx * dx + dy * dy, x * dx + y * dy
    if along <= 0 or along >= length2:
        return near(point, a if along <= 0 else b, radius)
    return (x * dy - y * dx) ** 2 <= radius * radius * length2


class LeadThroughMaze(Family):
    """Drag a ball through a corridor to the green field; a touch of the walls sends it back to where it was taken."""

    id = "lead-through-maze"
    skills = ("drag", "mouse path")
    max_steps = 30

    def draw(self, brief: Brief) -> dict[str, Any]:
        columns, rows = brief.by_level((5, 3), (7, 4), (9, 5))
        row = brief.integer(0, rows - 1)
        path = [[0, row]]
        for column in range(1, columns):
            path.append([column, row])
            if column % 2 and column < columns - 1:
                to = brief.pick([other for other in range(rows) if other != row])
                path += [[column, r] for r in range(row, to, 1 if to > row else -1)][1:] + [[column, to]]
                row = to
        if brief.chance(0.5):
            path = [[columns - 1 - column, r] for column, r in path]
        ball, goal = brief.sample([name for name in COLOR_NAMES if name != "green"], 1)[0], "green"
        instruction = wording(
            brief,
            [
                "Drag the {} ball along the corridor to the {} field, without touching the walls.",
                "Lead the {} ball through the maze to the {} field. If it touches a wall, it goes back.",
                "Bring the {} ball to the {} field: hold the mouse button and stay clear of the walls.",
            ],
            ball,
            goal,
        )
        return {"instruction": instruction, "size": [columns, rows], "path": path, "color": ball}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        columns, rows = params["size"]
        w, h = board_size(session, int(rng.integers(4, 6)) * columns, int(rng.integers(4, 6)) * rows, rows=0)
        cell = min(w // columns, h // rows)
        cell_w, cell_h = min(w // columns, 2 * cell), cell
        board = MoveBoard(id="board", name=session.label("Maze"), w=cell_w * columns + 2, h=cell_h * rows + 2)
        for column in range(columns):
            for row in range(rows):
                x, y = 1 + cell_w * column, 1 + cell_h * row
                if [column, row] not in params["path"]:
                    wall = MovePiece(id=f"wall{column}-{row}", shape="box", x=x, y=y, w=cell_w, h=cell_h, color=(112, 120, 140), wall=True)
                    board.items.append(wall)
                elif [column, row] == params["path"][-1]:
                    goal = MovePiece(id="goal", shape="box", name="green field", x=x, y=y, w=cell_w, h=cell_h, color=(142, 214, 150))
                    board.items.append(goal)
        side, (column, row) = cell // 2, params["path"][0]
        ball = MovePiece(id="ball", shape="dot", name=f"{params['color']} ball", x=0, y=0, w=side, h=side, color=COLORS[params["color"]], active=True)
        ball.x, ball.y = 1 + cell_w * column + (cell_w - side) // 2, 1 + cell_h * row + (cell_h - side) // 2
        board.items.append(ball)
        open_board(session, rng, board, "Maze", ok=False)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        board = board_in(state, MoveBoard)
        return board is not None and not board.held and inside(board.item("goal").box, *board.item("ball").middle)

    def solve(self, solver: Solver, params: Params) -> None:
        board = the_board(solver.state, MoveBoard)
        ball, (columns, rows), path = board.item("ball"), params["size"], params["path"]
        cell_w, cell_h = (board.w - 2) // columns, (board.h - 2) // rows
        middles = [(1 + cell_w * column + cell_w // 2, 1 + cell_h * row + cell_h // 2) for column, row in path]
        x, y = ball.middle
        at = path.index([min((x - 1) // cell_w, columns - 1), min((y - 1) // cell_h, rows - 1)])
        turns = [at] + [i for i in range(at + 1, len(path) - 1) if path[i - 1][0] != path[i + 1][0] and path[i - 1][1] != path[i + 1][1]]
        points = [spot(solver, *middles[i]) for i in [*turns, len(path) - 1]]
        solver.act(Action.mouse_down(*spot(solver, x, y)))
        for point in points:
            solver.act(Action.move(*point))
        solver.act(Action.mouse_up(*points[-1]))

    def spoil(self, solver: Solver, params: Params) -> bool:
        """Drag the ball back, by the keys: it is not taken by a wall then."""
        board = the_board(solver.state, MoveBoard)
        (column, _), (before, _) = params["path"][-1], params["path"][-2]
        for _ in range((board.w - 2) // params["size"][0] // 2 + 1):
            solver.press(Key.RIGHT if before > column else Key.LEFT)
        return True
