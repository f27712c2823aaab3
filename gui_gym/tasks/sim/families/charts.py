"""Reading: bar charts, line plots and tables, for a number that is shown or follows from what is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.widgets.board import Board, Item
from gui_gym.desktops.sim.widgets.listview import ListView
from gui_gym.desktops.sim.widgets.shapes import Point
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.boards import COLOR_NAMES, AnswerFamily, board_size, open_board
from gui_gym.tasks.sim.families.common import clutter, joined, quoted
from gui_gym.tasks.sim.families.geometry import INK, segment
from gui_gym.tasks.sim.family import Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import CITIES, COLORS, FIRST, STEMS

ALONE = "Answer with the number alone."
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_SHORT = tuple(name for name in (*FIRST, *CITIES) if len(name) <= 5)  #: names that fit under a bar


class Axes:
    """The frame of a chart on a board: a scale at the left, lines across, and names below.

    ``top`` is the largest number of the scale, ``step`` the one between its lines.
    """

    def __init__(self, session: Session, board: Board, names: Sequence[str], top: int, step: int):
        font, gap = session.look.sans, session.look.size.gap
        self.board, self.top, self.n = board, top, len(names)
        self.left = font.width(str(top)) + 2 * gap
        self.right, self.upper = board.w - gap, gap + font.height // 2
        self.lower = board.h - font.height - 2 * gap
        for value in range(0, top + 1, step):
            y = self.y(value)
            board.items.append(segment(f"line{value}", (self.left, y), (self.right, y), 1, INK if value else None))
            wide = self.left - gap
            board.items.append(Item(id=f"scale{value}", shape="text", label=str(value), x=0, y=y - font.height // 2, w=wide, h=font.height))
        board.items.append(segment("axis", (self.left, self.upper), (self.left, self.lower), 1, None))
        for i, name in enumerate(names):
            text = font.shorten(name, (self.right - self.left) // self.n)
            wide = font.width(text)
            board.items.append(Item(id=f"name{i}", shape="text", label=text, x=self.x(i) - wide // 2, y=self.lower + gap, w=wide, h=font.height))

    def y(self, value: int) -> int:
        """The row of a number."""
        return self.lower - (self.lower - self.upper) * value // self.top

    def x(self, i: int) -> int:
        """The middle of the column of a name."""
        return self.left + (self.right - self.left) * (2 * i + 1) // (2 * self.n)


def chart_board(session: Session, rng: np.random.Generator) -> Board:
    """An empty board for a chart."""
    clutter(session, rng)
    w, h = board_size(session, int(rng.integers(34, 44)), int(rng.integers(18, 26)), rows=0)
    return Board(id="board", name=session.label("Chart"), w=w, h=h)


class ReadBarChart(AnswerFamily):
    """Say how high a bar is, or how two or more bars compare. Bars end at lines of the scale, or half-way between them."""

    id = "read-bar-chart"
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        n, step = brief.by_level(4, 5, 7), brief.by_level(brief.pick([2, 5, 10]), brief.pick([10, 20, 50]), brief.pick([10, 20, 50, 100]))
        parts = brief.by_level(1, 2, 2)  # into how many a step is divided
        *names, missing = brief.sample(_SHORT, n + 1)
        values = [step // parts * brief.integer(1, 10 * parts) for _ in names]
        i, j, k = (brief.sample(range(n), 3) + [0])[:3]
        a, b, c = (quoted(name) for name in (names[i] if brief.feasible else missing, names[j], names[k]))
        kind = brief.pick(brief.by_level(["value"], ["value", "sum", "difference"], ["sum of three", "difference", "range"]))
        if kind == "difference" and values[i] == values[j]:
            values[i] += step // parts if values[i] < 10 * step else -(step // parts)
        if not brief.feasible and kind == "range":
            kind = "difference"
        answer, question = {
            "value": (
                values[i],
                brief.pick([f"What is the value for {a}?", f"How high is the bar of {a}?", f"Read the value of {a} from the chart."]),
            ),
            "sum": (values[i] + values[j], brief.pick([f"What do {a} and {b} add up to?", f"What is the sum of the values for {a} and {b}?"])),
            "difference": (
                abs(values[i] - values[j]),
                brief.pick([f"By how much do {a} and {b} differ?", f"What is the difference between {a} and {b}?"]),
            ),
            "sum of three": (values[i] + values[j] + values[k], f"What do {a}, {b} and {c} add up to?"),
            "range": (max(values) - min(values), "What is the difference between the highest and the lowest bar?"),
        }[kind]
        color = brief.pick(COLOR_NAMES)
        return {"instruction": f"{question} {ALONE}", "names": names, "values": values, "step": step, "color": color, "answer": str(answer)}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        board, step = chart_board(session, rng), params["step"]
        top = step * -(-max(params["values"]) // step)
        axes = Axes(session, board, params["names"], top, step)
        wide = (axes.right - axes.left) // axes.n * int(rng.integers(45, 75)) // 100
        for i, (name, value) in enumerate(zip(params["names"], params["values"], strict=True)):
            y = axes.y(value)
            bar = Item(id=f"bar{i}", shape="box", name=f"bar of {name}", x=axes.x(i) - wide // 2, y=y, w=wide, h=axes.lower - y)
            bar.color = COLORS[params["color"]]
            board.items.append(bar)
        open_board(session, rng, board, "Chart", ok=False)


class ReadLinePlot(AnswerFamily):
    """Say what a line of a plot shows on a day, how it changed, or what its highest point is."""

    id = "read-line-plot"

    def draw(self, brief: Brief) -> dict[str, Any]:
        n, step = brief.by_level(5, 7, 7), brief.by_level(brief.pick([2, 5, 10]), brief.pick([10, 20, 50]), brief.pick([10, 20, 100]))
        colors = brief.sample(COLOR_NAMES, brief.by_level(1, 1, 2))
        days = brief.labels(DAYS[:n])
        lines = [[step * brief.integer(0, 8) for _ in days] for _ in colors]
        line, color = lines[0], colors[0]
        i, j = sorted(brief.sample(range(n), 2))
        kind = brief.pick(brief.by_level(["value", "highest"], ["value", "change", "range"], ["change", "range", "between"]))
        if kind in ("change", "between") and line[i] == line[j if kind == "change" else i] == (lines[-1][i] if kind == "between" else line[j]):
            line[i] = (line[i] + 3 * step) % (9 * step)
        a, b = quoted(days[i]), quoted(days[j])
        answer, question = {
            "value": (line[i], brief.pick([f"What does the {color} line show for {a}?", f"What is the value of the {color} line on {a}?"])),
            "highest": (max(line), brief.pick([f"What is the highest value of the {color} line?", f"How high does the {color} line get?"])),
            "change": (abs(line[i] - line[j]), f"By how much does the {color} line differ between {a} and {b}?"),
            "range": (max(line) - min(line), f"What is the difference between the highest and the lowest point of the {color} line?"),
            "between": (abs(line[i] - lines[-1][i]), f"How far apart are the {color} line and the {colors[-1]} line on {a}?"),
        }[kind]
        return {"instruction": f"{question} {ALONE}", "days": days, "lines": lines, "colors": colors, "step": step, "answer": str(answer)}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        board, step = chart_board(session, rng), params["step"]
        axes = Axes(session, board, params["days"], max(step, max(map(max, params["lines"]))), step)
        side = max(5, session.look.size.font // 2) | 1
        for color, values in zip(params["colors"], params["lines"], strict=True):
            points: list[Point] = [(axes.x(i), axes.y(value)) for i, value in enumerate(values)]
            for i, (start, end) in enumerate(zip(points, points[1:], strict=False)):
                board.items.append(segment(f"{color}{i}", start, end, max(2, side // 3), COLORS[color]))
            for i, (x, y) in enumerate(points):
                point = Item(id=f"{color}-point{i}", shape="dot", name=f"{color} point", x=x - side // 2, y=y - side // 2, w=side, h=side)
                point.color = COLORS[color]
                board.items.append(point)
        open_board(session, rng, board, "Chart", ok=False)


class ReadTable(AnswerFamily):
    """Find a row of a table, which may have to be scrolled, and say or work out a number."""

    id = "read-table"
    skills = ("read", "scroll", "answer")
    has_infeasible = True

    def draw(self, brief: Brief) -> dict[str, Any]:
        n = brief.by_level(5, 10, 18)
        *names, missing = brief.sample(STEMS, n + 1)
        prices = [brief.integer(2, brief.by_level(30, 60, 90)) for _ in names]
        counts = [brief.integer(2, brief.by_level(20, 30, 40)) for _ in names]
        one, two = brief.sample(range(n), 2)
        a, b = quoted(names[one] if brief.feasible else missing), quoted(names[two])
        price, pieces = (quoted(text) for text in brief.labels(["Price", "Pieces"]))
        kind = brief.pick(brief.by_level(["price", "pieces"], ["price", "pieces", "worth"], ["worth", "sum", "both"]))
        answer, question = {
            "price": (prices[one], brief.pick([f"What is {price} of {a}?", f"Find {a} in the table: what is its {price}?"])),
            "pieces": (counts[one], brief.pick([f"What is {pieces} of {a}?", f"Look up {pieces} of {a}."])),
            "worth": (
                prices[one] * counts[one],
                brief.pick([f"What is {price} times {pieces} for {a}?", f"Multiply {price} and {pieces} of {a}."]),
            ),
            "sum": (prices[one] + prices[two], f"What is {price} of {a} and {b} together, one of each?"),
            "both": (counts[one] + counts[two], f"Add up {pieces} of {joined([a, b])}."),
        }[kind]
        rows = [[name, str(cost), str(count)] for name, cost, count in zip(names, prices, counts, strict=True)]
        return {"instruction": f"{question} {ALONE}", "rows": rows, "answer": str(answer)}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        w, h = board_size(session, int(rng.integers(24, 32)), int(rng.integers(14, 20)), rows=0)
        columns = [session.label(name) for name in ("Item", "Price", "Pieces")]
        table = ListView(id="board", name=session.label("List"), columns=columns, shares=[44, 28, 28], rows=[list(row) for row in params["rows"]])
        table.w, table.h = w, h
        open_board(session, rng, table, "List", ok=False)

    def solve(self, solver: Solver, params: Params) -> None:
        for name in [row[0] for row in params["rows"]]:
            if quoted(name) in params["instruction"]:
                solver.select_row("board", "board", name)
        solver.answer(params["answer"])
