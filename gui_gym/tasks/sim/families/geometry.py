"""Geometry: mark a midpoint, a centre, a point of a grid or of a number line, halve an angle and draw a right one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from gui_gym.desktops.sim.canvas import Color
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.desktops.sim.widgets.board import Board, Item, MarkBoard
from gui_gym.desktops.sim.widgets.shapes import UNIT, Point, direction
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.boards import COLOR_NAMES, SUBMITTED, board_in, board_size, click_at, open_board, scatter, the_board
from gui_gym.tasks.sim.families.common import clutter, handed_values, quoted, wording
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import COLORS
from gui_gym.verifiers.score import Outcome

INK = (128, 136, 152)  #: of helping lines, on light and on dark
NOTE = "The ring of your mark has to enclose it."  #: how exact a mark has to be


class MarkFamily(Family):
    """A point is marked by a click, and the mark is handed in with OK."""

    skills: ClassVar[tuple[str, ...]] = ("click", "geometry", "perceive")
    touches = SUBMITTED
    max_steps = 10

    def start_board(self, session: Session, rng: np.random.Generator, wide: int, high: int, title: str = "Geometry") -> MarkBoard:
        """An empty board."""
        clutter(session, rng)
        w, h = board_size(session, wide, high)
        return MarkBoard(id="board", name=session.label(title), w=w, h=h, radius=max(4, session.look.size.font * 3 // 4))

    def right(self, board: MarkBoard, params: Params, mark: Sequence[int]) -> bool:
        """Whether the mark is where it shall be: by default near enough to :meth:`target`."""
        x, y = self.target(board, params)
        return (mark[0] - x) ** 2 + (mark[1] - y) ** 2 <= board.radius * board.radius

    def target(self, board: MarkBoard, params: Params) -> Point:
        """A pixel of the board where the mark is right."""
        raise NotImplementedError

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        values, board = handed_values(state, "board"), board_in(start, MarkBoard)
        return values is not None and board is not None and bool(values["board"]) and self.right(board, params, values["board"])

    def solve(self, solver: Solver, params: Params) -> None:
        if handed_values(solver.state, "board") is None:
            board = the_board(solver.state, MarkBoard)
            click_at(solver, self.target(board, params))
            solver.click("board", "ok")


def dot(item_id: str, at: Point, side: int, color: str, name: str = "") -> Item:
    """A dot around a pixel."""
    return Item(id=item_id, shape="dot", name=name or f"{color} dot", x=at[0] - side // 2, y=at[1] - side // 2, w=side, h=side, color=COLORS[color])


def segment(item_id: str, start: Point, end: Point, thick: int, color: Color | None = INK) -> Item:
    """A line between two pixels."""
    return Item(id=item_id, shape="line", x=start[0], y=start[1], w=end[0] - start[0], h=end[1] - start[1], thick=thick, color=color)


class FindMidpoint(MarkFamily):
    """Mark the point half-way between two dots, which may not be joined, among others."""

    id = "find-midpoint"
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        *colors, missing = brief.sample(COLOR_NAMES, brief.by_level(2, 3, 5) + 1)
        one, other = colors[:2]
        if not brief.feasible:
            other = missing
        instruction = wording(
            brief,
            [
                "Mark the point half-way between the {} dot and the {} dot, then press {ok}.",
                "Click the midpoint of the {} dot and the {} dot and confirm with {ok}.",
                "Put a mark exactly in the middle between the {} and the {} dot. Press {ok}.",
            ],
            one,
            other,
        )
        joined = brief.by_level(True, brief.chance(0.5), False)
        return {"instruction": f"{instruction} {NOTE}", "colors": colors, "joined": joined}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        board = self.start_board(session, rng, 38, 24)
        side = max(7, session.look.size.font * 3 // 4) | 1
        spots = scatter(rng, (1, 1, board.w - 2, board.h - 2), len(params["colors"]), side, side, 3 * side)
        middles = [(x + side // 2, y + side // 2) for x, y in spots]
        if params["joined"]:
            board.items.append(segment("line", middles[0], middles[1], max(1, side // 5)))
        board.items += [dot(color, at, side, color) for color, at in zip(params["colors"], middles, strict=True)]
        open_board(session, rng, board, "Geometry")

    def target(self, board: MarkBoard, params: Params) -> Point:
        (x0, y0), (x1, y1) = (board.item(color).middle for color in params["colors"][:2])
        return (x0 + x1) // 2, (y0 + y1) // 2


class CircleCentre(MarkFamily):
    """Mark the centre of one of several circles."""

    id = "circle-centre"
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        *colors, missing = brief.sample(COLOR_NAMES, brief.by_level(1, 2, 4) + 1)
        instruction = wording(
            brief,
            [
                "Mark the centre of the {} circle, then press {ok}.",
                "Click in the middle of the {} circle and confirm with {ok}.",
                "Where is the centre of the {} circle? Mark it and press {ok}.",
            ],
            colors[0] if brief.feasible else missing,
        )
        instruction = f"{instruction} {NOTE}"
        sizes = [brief.integer(0, 100) for _ in colors]
        return {"instruction": instruction, "colors": colors, "sizes": sizes, "filled": brief.by_level(True, False, False)}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        board = self.start_board(session, rng, 38, 24)
        most = min(board.h * 2 // 3, board.w // 3)
        for color, share in zip(params["colors"], params["sizes"], strict=True):
            side = (most * (50 + share // 2) // 100) | 1
            x, y = int(rng.integers(2, board.w - side - 1)), int(rng.integers(2, board.h - side - 1))
            thick = max(2, session.look.size.font // 5)
            filled = params["filled"]
            circle = Item(id=color, shape="dot" if filled else "ring", name=f"{color} circle", x=x, y=y, w=side, h=side)
            circle.color, circle.thick = COLORS[color], thick
            board.items.append(circle)
        open_board(session, rng, board, "Geometry")

    def target(self, board: MarkBoard, params: Params) -> Point:
        return board.item(params["colors"][0]).middle


class _AngleFamily(MarkFamily):
    """A mark shows where a ray from a vertex goes: its direction counts, to within :data:`SLACK` degrees."""

    def start_rays(self, session: Session, rng: np.random.Generator, turns: Sequence[int], length: int) -> MarkBoard:
        """A board with a vertex and rays in the directions ``turns`` (degrees); ``length`` in hundredths of what there is room for."""
        board = self.start_board(session, rng, int(rng.integers(26, 36)), 26)
        side = max(7, session.look.size.font * 3 // 4) | 1
        room = min(board.w, board.h) // 2 - side
        shift = max(0, board.w // 2 - room - side)
        vertex = board.w // 2 + int(rng.integers(-shift, shift + 1)), board.h // 2
        for i, turn in enumerate(turns):
            dx, dy = direction(turn)
            reach = room * length // 100
            board.items.append(segment(f"ray{i}", vertex, (vertex[0] + dx * reach // UNIT, vertex[1] + dy * reach // UNIT), max(2, side // 3)))
        board.items.append(dot("vertex", vertex, side, "red", "vertex"))
        board.anchor = vertex
        return board

    def directions(self, params: Params) -> list[int]:
        """The directions, in degrees, that are right."""
        raise NotImplementedError

    def target(self, board: MarkBoard, params: Params) -> Point:
        dx, dy = direction(self.directions(params)[0])
        x, y = board.item("vertex").middle
        far = min(board.w, board.h) * 2 // 5
        return x + dx * far // UNIT, y + dy * far // UNIT

    def right(self, board: MarkBoard, params: Params, mark: Sequence[int]) -> bool:
        x, y = board.item("vertex").middle
        mx, my = mark[0] - x, mark[1] - y
        far2 = mx * mx + my * my
        if far2 < (4 * board.radius) ** 2:  # so near, a pixel is too many degrees
            return False
        for turn in self.directions(params):
            dx, dy = direction(turn)
            along, across = mx * dx + my * dy, mx * dy - my * dx
            # tan(SLACK) = sine(SLACK) / sine(90 - SLACK); a pixel is always granted
            if along > 0 and across * across <= max((along * SLACK_TAN // UNIT) ** 2, UNIT * UNIT):
                return True
        return False


SLACK = 6  #: degrees that an angle may be off
WIDE = f"Keep well away from the red dot: {SLACK} degrees off will do."
SLACK_TAN = 431  #: UNIT times the tangent of that


class BisectAngle(_AngleFamily):
    """Mark a point on the line that halves the angle between two rays."""

    id = "bisect-angle"

    def draw(self, brief: Brief) -> dict[str, Any]:
        wide = 2 * brief.integer(*brief.by_level((30, 60), (20, 70), (15, 80)))
        start = 15 * brief.integer(0, 23) if brief.by_level(True, False, False) else brief.integer(0, 359)
        instruction = wording(
            brief,
            [
                "Mark a point on the line that halves the angle, then press {ok}.",
                "Divide the angle at the red vertex into two equal parts: click where the dividing line goes, and press {ok}.",
                "Bisect the angle between the two grey lines with a click and confirm with {ok}.",
            ],
        )
        return {"instruction": f"{instruction} {WIDE}", "turns": [start % 360, (start + wide) % 360], "middle": start + wide // 2}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        open_board(session, rng, self.start_rays(session, rng, params["turns"], int(rng.integers(75, 100))), "Geometry")

    def directions(self, params: Params) -> list[int]:
        return [params["middle"]]


class RightAngle(_AngleFamily):
    """Mark a point so that the line to it stands at a right angle on a ray: the harder, the less level or upright the ray is."""

    id = "right-angle"

    def draw(self, brief: Brief) -> dict[str, Any]:
        turn = brief.by_level(30 * brief.integer(0, 11), 15 * brief.integer(0, 23), brief.integer(0, 359))
        instruction = wording(
            brief,
            [
                "Mark a point so that the line to it makes a right angle with the grey line, then press {ok}.",
                "Draw a line from the red dot at 90 degrees to the grey line: click where it shall go, and press {ok}.",
                "Make a right angle at the red vertex with a click on either side and confirm with {ok}.",
            ],
        )
        return {"instruction": f"{instruction} {WIDE}", "turns": [turn]}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        open_board(session, rng, self.start_rays(session, rng, params["turns"], int(rng.integers(70, 100))), "Geometry")

    def directions(self, params: Params) -> list[int]:
        return [params["turns"][0] + 90, params["turns"][0] - 90]


class GridCoordinate(MarkFamily):
    """Mark a point of a coordinate system by its coordinates."""

    id = "grid-coordinate"
    skills = ("click", "geometry", "read")

    def draw(self, brief: Brief) -> dict[str, Any]:
        right, up = brief.by_level((3, 2), (5, 3), (7, 3))
        while True:
            x, y = brief.integer(-right, right), brief.integer(-up, up)
            if (x, y) != (0, 0):
                break
        if brief.by_level(True, False, False):
            x, y = max(x, -x), max(y, -y)
        instruction = wording(
            brief,
            [
                "Mark the point {}, then press {ok}.",
                "Click the point with the coordinates {} and confirm with {ok}.",
                "Find {}: mark it, press {ok}.",
            ],
            f"({x}, {y})".replace("-", "−"),
        )
        others = brief.by_level(0, 2, 4)
        stray = brief.sample([[i, j] for i in range(-right, right + 1) for j in range(-up, up + 1) if [i, j] != [x, y]], others)
        return {"instruction": f"{instruction} {NOTE}", "size": [right, up], "point": [x, y], "stray": stray}

    @staticmethod
    def _at(board: Board, params: Params, x: int, y: int) -> Point:
        right, up = params["size"]
        unit_x, unit_y = board.w // (2 * right + 2), board.h // (2 * up + 2)
        return board.w // 2 + x * unit_x, board.h // 2 - y * unit_y

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        right, up = params["size"]
        step = int(rng.integers(3, 5))
        board = self.start_board(session, rng, step * (2 * right + 2), step * (2 * up + 2))
        look, font = session.look, session.look.sans
        board.radius = max(3, min(board.radius, board.h // (2 * up + 2) * 2 // 5))
        at = {(x, y): self._at(board, params, x, y) for x in range(-right, right + 1) for y in range(-up, up + 1)}
        for x in range(-right, right + 1):
            board.items.append(segment(f"x{x}", at[x, up], at[x, -up], 1))
        for y in range(-up, up + 1):
            board.items.append(segment(f"y{y}", at[-right, y], at[right, y], 1))
        thick = max(2, look.size.font // 6)
        board.items += [segment("xaxis", at[-right, 0], at[right, 0], thick, None), segment("yaxis", at[0, -up], at[0, up], thick, None)]
        for x in range(-right, right + 1):  # beside the grid, where no line runs through them
            text, (left, top) = str(x).replace("-", "−"), at[x, -up]
            board.items.append(Item(id=f"nx{x}", shape="text", label=text, x=left - 8, y=top + 2, w=16, h=font.height))
        for y in range(-up, up + 1):
            text, (left, top) = str(y).replace("-", "−"), at[-right, y]
            wide = font.width(text) + 6
            board.items.append(Item(id=f"ny{y}", shape="text", label=text, x=left - wide, y=top - font.height // 2, w=wide, h=font.height))
        for i, (x, y) in enumerate(params["stray"]):
            board.items.append(dot(f"dot{i}", at[x, y], max(7, look.size.font * 3 // 4) | 1, COLOR_NAMES[i]))
        open_board(session, rng, board, "Grid")

    def target(self, board: MarkBoard, params: Params) -> Point:
        return self._at(board, params, *params["point"])


class NumberLine(MarkFamily):
    """Mark a number on a line of which only some numbers are written."""

    id = "number-line"
    skills = ("click", "geometry", "read")

    def draw(self, brief: Brief) -> dict[str, Any]:
        ticks, unit = brief.by_level((10, brief.pick([1, 2])), (20, brief.pick([1, 2, 5])), (20, brief.pick([5, 25, 50])))
        low = unit * brief.integer(*brief.by_level((0, 0), (0, 20), (-20, 20)))
        every = brief.by_level(2, 5, 10)
        at = brief.pick([i for i in range(ticks + 1) if brief.by_level(True, i % every, i % every)])
        number = quoted(str(low + unit * at).replace("-", "−"))
        instruction = wording(
            brief,
            [
                "Mark the number {} on the line, then press {ok}.",
                "Click where {} is on the number line and confirm with {ok}.",
                "Show where {} is and press {ok}.",
            ],
            number,
        )
        return {"instruction": f"{instruction} {NOTE}", "low": low, "unit": unit, "ticks": ticks, "every": every, "at": at}

    @staticmethod
    def _at(board: Board, params: Params, i: int) -> Point:
        pad = board.w // 12
        return pad + (board.w - 2 * pad) * i // params["ticks"], board.h * 2 // 5

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        board = self.start_board(session, rng, int(rng.integers(36, 46)), int(rng.integers(7, 12)), "Number line")
        look, font = session.look, session.look.sans
        step = (board.w - 2 * (board.w // 12)) // params["ticks"]
        board.radius = max(3, min(board.radius, step * 9 // 20))
        ends = [self._at(board, params, i) for i in (0, params["ticks"])]
        thick = max(2, look.size.font // 6)
        board.items.append(segment("line", ends[0], ends[1], thick))
        for i in range(params["ticks"] + 1):
            x, y = self._at(board, params, i)
            long = look.size.font * 2 // 3 if i % params["every"] == 0 else look.size.font // 3
            board.items.append(segment(f"tick{i}", (x, y - long), (x, y + long), 1 if i % params["every"] else thick))
            if i % params["every"] == 0:
                text = str(params["low"] + params["unit"] * i).replace("-", "−")
                wide = font.width(text) + 2
                board.items.append(Item(id=f"number{i}", shape="text", label=text, x=x - wide // 2, y=y + look.size.font, w=wide, h=font.height))
        open_board(session, rng, board, "Number line")

    def right(self, board: MarkBoard, params: Params, mark: Sequence[int]) -> bool:
        x, y = self.target(board, params)
        return abs(mark[0] - x) <= board.radius and abs(mark[1] - y) <= 2 * board.radius + 2

    def target(self, board: MarkBoard, params: Params) -> Point:
        return self._at(board, params, params["at"])
