"""Questions about shapes whose answer is a number: how many, how many sides, how large, how many together."""

from __future__ import annotations

from typing import Any

import numpy as np

from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.widgets.board import Board, Item
from gui_gym.desktops.sim.widgets.shapes import SIDES
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.boards import (
    COLOR_NAMES,
    SHAPE_NAMES,
    AnswerFamily,
    board_size,
    open_board,
    scatter,
    side_for,
)
from gui_gym.tasks.sim.families.common import clutter
from gui_gym.tasks.sim.families.geometry import segment
from gui_gym.tasks.sim.families.sums import shown
from gui_gym.tasks.sim.family import Params
from gui_gym.tasks.sim.words import COLORS

TURNED = ("triangle", "pentagon", "star", "arrow", "diamond", "cross")  #: shapes that are still what they are when turned a little


def plural(shape: str) -> str:
    """Several of a shape."""
    return f"{shape}es" if shape.endswith("s") else f"{shape}s"


class CountShapes(AnswerFamily):
    """Say how many shapes of a kind, a colour, or both there are among others."""

    id = "count-shapes"
    skills = ("perceive", "count", "answer")

    def draw(self, brief: Brief) -> dict[str, Any]:
        count = brief.integer(*brief.by_level((1, 9), (2, 12), (4, 16)))
        color, *colors = brief.sample(COLOR_NAMES, brief.by_level(3, 4, 4))
        shape, *shapes = brief.sample(SHAPE_NAMES, brief.by_level(3, 4, 5))
        by = brief.by_level("shape", brief.pick(["shape", "colour"]), "both")
        rest = brief.integer(*brief.by_level((1, 6), (4, 10), (8, 14)))
        items = []
        for i in range(count + rest):
            right = i < count
            if by == "shape":
                item = [brief.pick([color, *colors]), shape if right else brief.pick(shapes)]
            elif by == "colour":
                item = [color if right else brief.pick(colors), brief.pick([shape, *shapes])]
            elif right:
                item = [color, shape]
            else:  # what shares one of the two with what is counted
                item = brief.pick([[color, brief.pick(shapes)], [brief.pick(colors), shape]])
            items.append(item)
        what = {"shape": plural(shape), "colour": f"{color} shapes", "both": f"{color} {plural(shape)}"}[by]
        wording = brief.pick(["How many {} are there?", "Count the {}.", "How many {} does the window show?"])
        return {
            "instruction": f"{wording.format(what)} Answer with the number alone.",
            "items": brief.sample(items, len(items)),
            "answer": str(count),
        }

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        w, h = board_size(session, 38, 24, rows=0)
        board = Board(id="board", name=session.label("Shapes"), w=w, h=h)
        gap = session.look.size.gap
        side = side_for((1, 1, w - 2, h - 2), len(params["items"]), gap, 3 * session.look.size.font, 1)
        spots = scatter(rng, (1, 1, w - 2, h - 2), len(params["items"]), side, side, gap)
        for i, ((color, shape), (x, y)) in enumerate(zip(params["items"], spots, strict=True)):
            own = side * int(rng.integers(75, 101)) // 100
            turn = int(rng.integers(-12, 13)) if shape in TURNED else 0
            board.items.append(Item(id=f"shape{i}", shape=shape, name=f"{color} {shape}", x=x, y=y, w=own, h=own, color=COLORS[color], turn=turn))
        open_board(session, rng, board, "Shapes", ok=False)


class CountSides(AnswerFamily):
    """Say how many sides a polygon has, or two of them together."""

    id = "count-sides"
    skills = ("perceive", "count", "answer")

    def draw(self, brief: Brief) -> dict[str, Any]:
        colors = brief.sample(COLOR_NAMES, brief.by_level(1, 3, 4))
        shapes = [brief.pick(sorted(SIDES)) for _ in colors]
        asked = colors[: brief.by_level(1, 1, 2)]
        names = " and the ".join(f"{color} shape" for color in asked)
        if len(asked) == 1:
            wording = brief.pick(["How many sides does the {} have?", "Count the sides of the {}.", "How many corners does the {} have?"])
        else:
            wording = brief.pick(["How many sides do the {} have together?", "Add up the sides of the {}.", "How many corners have the {} in all?"])
        answer = sum(SIDES[shape] for shape in shapes[: len(asked)])
        instruction = f"{wording.format(names)} Answer with the number alone."
        return {"instruction": instruction, "colors": colors, "shapes": shapes, "answer": str(answer)}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        w, h = board_size(session, 36, 22, rows=0)
        board = Board(id="board", name=session.label("Shapes"), w=w, h=h)
        n, gap = len(params["colors"]), session.look.size.gap
        most = min(w // n, h) - 3 * gap
        for i, (slot, color, shape) in enumerate(zip(rng.permutation(n), params["colors"], params["shapes"], strict=True)):
            side = most * int(rng.integers(75, 101)) // 100
            x = w * int(slot) // n + int(rng.integers(gap, w // n - side - gap + 1))
            y = int(rng.integers(gap, h - side - gap + 1))
            turn = int(rng.integers(0, 360))
            board.items.append(Item(id=f"shape{i}", shape=shape, name=f"{color} shape", x=x, y=y, w=side, h=side, color=COLORS[color], turn=turn))
        open_board(session, rng, board, "Shapes", ok=False)


class MeasureShape(AnswerFamily):
    """Say the perimeter or the area of a shape whose sides are written on it, or that lies on squared paper."""

    id = "measure-shape"
    skills = ("read", "geometry", "answer")
    max_steps = 10

    def draw(self, brief: Brief) -> dict[str, Any]:
        what = brief.pick(["area", "perimeter"])
        w, h = brief.integer(*brief.by_level((3, 9), (4, 12), (6, 13))), brief.integer(*brief.by_level((2, 6), (3, 7), (4, 7)))
        cut = [0, 0]
        if brief.by_level(False, brief.chance(0.3), True):
            cut = [brief.integer(1, w - 2), brief.integer(1, h - 2)]
        squared = brief.chance(0.5)
        factor = 1 if squared else brief.pick(brief.by_level([1, 2], [2, 3, 5], [3, 4, 7]))
        answer = factor * factor * (w * h - cut[0] * cut[1]) if what == "area" else 2 * factor * (w + h)
        unit = ("squares" if what == "area" else "sides of a square") if squared else ("square metres" if what == "area" else "metres")
        wording = brief.pick(
            [
                "What is the {what} of the {color} shape in {unit}?",
                "Work out the {what} of the {color} shape, in {unit}.",
                "How large is the {what} of the {color} shape? Count in {unit}.",
            ]
        )
        color = brief.pick(COLOR_NAMES)
        instruction = f"{wording.format(what=what, color=color, unit=unit)} Answer with the number alone."
        return {
            "instruction": instruction, "size": [w, h], "cut": cut, "corner": brief.integer(0, 3), "squared": squared, "factor": factor,
            "color": color, "answer": str(answer),
        }  # fmt: skip

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        (w, h), cut = params["size"], params["cut"]
        wide, high = board_size(session, 36, 22, rows=0)
        board = Board(id="board", name=session.label("Geometry"), w=wide, h=high)
        look, font = session.look, session.look.sans
        unit = min((wide - 8 * look.size.font) // w, (high - 2 * font.height - 8) // h)
        left = (wide - unit * w) // 2 + int(rng.integers(-look.size.font // 3, look.size.font // 3 + 1))
        top = (high - unit * h) // 2
        if params["squared"]:
            top, left = top // unit * unit + 1, left // unit * unit + 1
        mirror_x, mirror_y = params["corner"] % 2, params["corner"] // 2
        color = COLORS[params["color"]]
        # the shape is two boxes: the full width without the cut's rows, and the cut's rows without its columns
        rows = [(0, h - cut[1], 0, w), (h - cut[1], h, 0, w - cut[0])] if cut[0] else [(0, h, 0, w)]
        for i, (y0, y1, x0, x1) in enumerate(rows):
            if mirror_x:
                x0, x1 = w - x1, w - x0
            if mirror_y:
                y0, y1 = h - y1, h - y0
            part = Item(id=f"part{i}", shape="box", name=f"{params['color']} shape", x=left + x0 * unit, y=top + y0 * unit, w=0, h=0, color=color)
            part.w, part.h = (x1 - x0) * unit, (y1 - y0) * unit
            board.items.append(part)
        if params["squared"]:
            for x in range(left % unit, wide, unit):
                board.items.append(segment(f"x{x}", (x, 0), (x, high), 1))
            for y in range(top % unit, high, unit):
                board.items.append(segment(f"y{y}", (0, y), (wide, y), 1))
        else:
            self._write_sides(board, params, left, top, unit, font.height, font.width("0000 m"))
        open_board(session, rng, board, "Geometry", ok=False)

    @staticmethod
    def _write_sides(board: Board, params: Params, left: int, top: int, unit: int, high: int, wide: int) -> None:
        """Lengths at the sides that are needed: the full ones, and both of the cut's."""
        (w, h), cut, factor = params["size"], params["cut"], params["factor"]
        mirror_x, mirror_y = params["corner"] % 2, params["corner"] // 2

        def write(name: str, x: int, y: int, length: int) -> None:
            board.items.append(Item(id=name, shape="text", label=f"{length * factor} m", x=x - wide // 2, y=y - high // 2, w=wide, h=high))

        full_y = top - high // 2 - 2 if not mirror_y else top + h * unit + high // 2 + 2
        full_x = left - wide // 2 - 2 if not mirror_x else left + w * unit + wide // 2 + 2
        write("width", left + w * unit // 2, full_y, w)
        write("height", full_x, top + h * unit // 2, h)
        if cut[0]:
            cut_x = left + (w * unit - cut[0] * unit // 2 if not mirror_x else cut[0] * unit // 2)
            cut_y = top + (h * unit - cut[1] * unit // 2 if not mirror_y else cut[1] * unit // 2)
            write("cut-width", cut_x, top + h * unit + high // 2 + 2 if not mirror_y else top - high // 2 - 2, cut[0])
            write("cut-height", left + w * unit + wide // 2 + 2 if not mirror_x else left - wide // 2 - 2, cut_y, cut[1])


class VisualAddition(AnswerFamily):
    """Say how many dots two or three pictures show together, or how many more one has than another."""

    id = "visual-addition"
    skills = ("perceive", "count", "arithmetic", "answer")
    max_steps = 10

    def draw(self, brief: Brief) -> dict[str, Any]:
        most = brief.by_level(9, 12, 12)
        counts = [brief.integer(1, most) for _ in range(brief.by_level(2, 2, 3))]
        color, other = brief.sample(COLOR_NAMES, 2)
        signs = ["+"] * (len(counts) - 1)
        if brief.by_level(False, True, True) and counts[0] > counts[1] + 1 and brief.chance(0.5):
            signs[0] = "-"
        answer = counts[0] + sum(count if sign == "+" else -count for count, sign in zip(counts[1:], signs, strict=True))
        wording = brief.pick(
            [
                "Work out the sum of dots that the window shows.",
                "Count the dots and calculate: what is the result?",
                "What is the result of the sum in dots?",
            ]
        )
        # dots of another colour beside those of the sum are not counted
        stray = brief.integer(2, 4) if brief.by_level(False, False, True) else 0
        only = f" Only {color} dots count." if stray else ""
        return {
            "instruction": f"{wording}{only} Answer with the number alone.", "counts": counts, "signs": signs, "colors": [color, other],
            "stray": [stray * (i == 0) for i in range(len(counts))], "answer": str(answer),
        }  # fmt: skip

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        n, look = len(params["counts"]), session.look
        w, h = board_size(session, 14 * n, 14, rows=0)
        board = Board(id="board", name=session.label("Question"), w=w, h=h)
        sign = 2 * look.size.font
        box = (w - sign * (n - 1) - 2 * look.size.gap) // n
        for i, count in enumerate(params["counts"]):
            x = look.size.gap + i * (box + sign)
            board.items.append(Item(id=f"box{i}", shape="frame", x=x, y=look.size.gap, w=box, h=h - 2 * look.size.gap, color=(128, 136, 152)))
            if i:
                mark = shown(params["signs"][i - 1])
                board.items.append(Item(id=f"sign{i}", shape="text", label=mark, x=x - sign, y=h // 2 - look.size.font, w=sign, h=2 * look.size.font))
            colors = [params["colors"][0]] * count + [params["colors"][1]] * params["stray"][i]
            area = (x + 1, look.size.gap + 1, box - 2, h - 2 * look.size.gap - 2)
            side = side_for(area, len(colors), 2, 3 * look.size.font // 2, 1)
            for j, (at_x, at_y) in enumerate(scatter(rng, area, len(colors), side, side, 2)):
                board.items.append(
                    Item(id=f"dot{i}-{j}", shape="dot", name=f"{colors[j]} dot", x=at_x, y=at_y, w=side, h=side, color=COLORS[colors[j]])
                )
        open_board(session, rng, board, "Question", ok=False)
