"""Thinking: sums, equations, series, odd and even, order, pairs that belong together, and scales in balance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gui_gym.desktops.sim.canvas import inside
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.desktops.sim.widgets.basic import Button, Label, Radio
from gui_gym.desktops.sim.widgets.board import Board, Item, PickBoard
from gui_gym.desktops.sim.widgets.drawboard import LinkBoard
from gui_gym.desktops.sim.widgets.moveboard import MoveBoard, MovePiece
from gui_gym.desktops.sim.widgets.text import TextField
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.boards import (
    COLOR_NAMES,
    SUBMITTED,
    BoardDialog,
    board_in,
    board_size,
    click_at,
    drag_on,
    handed_values,
    open_board,
    plain_number,
    scatter,
    side_for,
    the_board,
)
from gui_gym.tasks.sim.families.common import clutter, width_for
from gui_gym.tasks.sim.families.draw import link_columns, set_links
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import COLORS
from gui_gym.verifiers.score import Outcome


class _ResultFamily(Family):
    """A task ``params["text"]`` is written in a dialog; its result, a whole number, is typed below it and handed in with OK."""

    skills = ("read", "arithmetic", "type")
    touches = SUBMITTED
    max_steps = 10

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        font, buttons = session.look.bold, [session.label("OK"), session.label("Cancel")]
        dialog = BoardDialog(id="board", title=session.label("Question"), closing=["ok", "cancel"], default="ok")
        least = max(font.width(params["text"]), sum(session.look.sans.width(text) + 3 * session.look.size.pad for text in buttons))
        column = Column(session, dialog, max(width_for(session, int(rng.integers(14, 24))), least + session.look.size.pad))
        column.row(Label(id="text", name=params["text"]))
        column.row(Label(id="label", name=session.label("Result:")))
        column.row(TextField(id="result", name=session.label("Result:")))
        column.row(Button(id="ok", name=buttons[0], primary=True), Button(id="cancel", name=buttons[1]), align="right")
        column.finish()
        place(session, dialog, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        values = handed_values(state)
        return values is not None and plain_number(values["result"]) == params["answer"]

    def solve(self, solver: Solver, params: Params) -> None:
        if handed_values(solver.state) is None:
            solver.fill("board", "result", params["answer"])
            solver.click("board", "ok")


def shown(text: str) -> str:
    """A formula as it is written on the screen."""
    return text.replace("-", "−").replace("*", "×")


class SimpleArithmetic(_ResultFamily):
    """Type the result of a sum: the harder, the larger the numbers and the more steps it takes."""

    id = "simple-arithmetic"

    def draw(self, brief: Brief) -> dict[str, Any]:
        low, high = brief.by_level((2, 20), (5, 60), (8, 99))
        a, b, c = (brief.integer(low, high) for _ in range(3))
        kinds: list[tuple[str, int]] = [(f"{a} + {b}", a + b), (f"{a + b} - {a}", b)]
        if brief.by_level(False, True, True):
            a, b = brief.integer(3, 12), brief.integer(3, 19)
            kinds += [(f"{a} * {b}", a * b), (f"{c} - {c + a}", -a)]
        if brief.by_level(False, False, True):
            kinds = [(f"{a} * {b} + {c}", a * b + c), (f"{a} * ({b} + {c})", a * (b + c)), (f"{c} - {a} * {b}", c - a * b)]
        text, answer = brief.pick(kinds)
        wording = brief.pick(
            [
                "Type the result and press OK.",
                "Solve the sum in the window, enter the result and confirm.",
                "Work it out, write the answer into the field, then click OK.",
            ]
        )
        return {"instruction": wording, "text": f"{shown(text)} =", "answer": str(answer)}


class SimpleAlgebra(_ResultFamily):
    """Solve an equation for the unknown and type it."""

    id = "simple-algebra"

    def draw(self, brief: Brief) -> dict[str, Any]:
        name = brief.pick("abknxyz")
        value, a, b, c = brief.integer(*brief.by_level((1, 20), (2, 30), (-20, 40))), brief.integer(2, 25), brief.integer(2, 9), brief.integer(2, 9)
        easy = [f"{name} + {a} = {value + a}", f"{a} + {name} = {value + a}", f"{name} - {a} = {value - a}"]
        medium = [*easy, f"{b} * {name} = {b * value}", f"{a} - {name} = {a - value}"]
        hard = [
            f"{b} * {name} + {a} = {b * value + a}",
            f"{b} * {name} - {a} = {b * value - a}",
            f"{b + c} * {name} + {a} = {c} * {name} + {b * value + a}",
            f"{b} * ({name} + {a}) = {b * (value + a)}",
        ]
        wording = brief.pick(
            [
                "Find {0}: type its value and press OK.",
                "Solve the equation for {0}, enter the result and confirm.",
                "What is {0}? Type the number, then click OK.",
            ]
        )
        return {"instruction": wording.format(name), "text": shown(brief.pick(brief.by_level(easy, medium, hard))), "answer": str(value)}


class NumberSeries(_ResultFamily):
    """Type the number that comes next in a series."""

    id = "number-series"
    skills = ("read", "reason", "type")

    def draw(self, brief: Brief) -> dict[str, Any]:
        a, d, e = brief.integer(1, 20), brief.integer(2, 9), brief.integer(1, 6)
        makers: dict[str, Callable[[int], int]] = {
            "up": lambda i: a + d * i,
            "down": lambda i: a + 8 * d - d * i,
            "double": lambda i: e * 2**i,
            "triple": lambda i: e * 3**i,
            "square": lambda i: (i + e) ** 2,
            "grow": lambda i: a + d * i + i * (i - 1) // 2 * e,
            "mixed": lambda i: a + (i + 1) // 2 * d + i // 2 * e,
            "double more": lambda i: (a + 1) * 2**i - 1,
        }
        kind = brief.pick(
            brief.by_level(["up", "down"], ["up", "down", "double", "triple", "square"], ["grow", "mixed", "square", "double more", "triple"])
        )
        n = 5 if kind != "mixed" else 6
        text = ", ".join(str(makers[kind](i)) for i in range(n))
        wording = brief.pick(
            [
                "Which number comes next? Type it and press OK.",
                "Continue the series: enter the next number and confirm.",
                "Type the number that follows, then click OK.",
            ]
        )
        return {"instruction": wording, "text": f"{shown(text)}, ?", "answer": str(makers[kind](n))}


class VisualAddition(Family):
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

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return plain_number(outcome.answer) == params["answer"]

    def solve(self, solver: Solver, params: Params) -> None:
        solver.raise_window(solver.window("board"))
        solver.answer(params["answer"])


class OddOrEven(Family):
    """Mark each of several numbers as odd or even and press OK."""

    id = "odd-or-even"
    skills = ("read", "reason", "radio")
    touches = SUBMITTED
    max_steps = 14

    def draw(self, brief: Brief) -> dict[str, Any]:
        n, high = brief.by_level(2, 4, 5), brief.by_level(20, 200, 99999)
        wording = brief.pick(
            [
                "Mark every number as odd or even, then press OK.",
                "Say of each number whether it is odd or even and confirm with OK.",
                "Are the numbers odd or even? Choose for each and press OK.",
            ]
        )
        return {
            "instruction": wording,
            "numbers": brief.sample(range(1, min(high, 5000) + 1), n) if high <= 200 else [brief.integer(1, high) for _ in range(n)],
        }

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        look = session.look
        words = session.label("Odd"), session.label("Even")
        wide = max(look.sans.width(word) for word in words) + 3 * look.size.font
        number = look.sans.width("00000") + look.size.pad
        dialog = BoardDialog(id="board", title=session.label("Numbers"), closing=["ok", "cancel"], default="ok")
        least = sum(look.sans.width(session.label(text)) + 3 * look.size.pad for text in ("OK", "Cancel"))
        column = Column(session, dialog, max(number + 2 * wide + 2 * look.size.gap, least))
        for i, value in enumerate(params["numbers"]):
            odd, even = (Radio(id=f"{name}{i}", name=word, group=str(i), w=wide) for name, word in zip(("odd", "even"), words, strict=True))
            column.row(Label(id=f"number{i}", name=str(value), w=number), odd, even, align="left")
        column.space()
        column.row(Button(id="ok", name=session.label("OK"), primary=True), Button(id="cancel", name=session.label("Cancel")), align="right")
        column.finish()
        place(session, dialog, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        values = handed_values(state)
        if values is None:
            return False
        return all(values[f"odd{i}"] == (value % 2 == 1) and values[f"even{i}"] == (value % 2 == 0) for i, value in enumerate(params["numbers"]))

    def solve(self, solver: Solver, params: Params) -> None:
        if handed_values(solver.state) is not None:
            return
        for i, value in enumerate(params["numbers"]):
            radio = f"{'odd' if value % 2 else 'even'}{i}"
            if not solver.widget("board", radio).value:
                solver.click("board", radio)
        solver.click("board", "ok")


class ClickInOrder(Family):
    """Click numbers or words one after the other in order; a second click on one takes it back."""

    id = "click-in-order"
    skills = ("read", "compare", "click")
    max_steps = 20

    def draw(self, brief: Brief) -> dict[str, Any]:
        n, high = brief.by_level(3, 5, 7), brief.by_level(50, 300, 2000)
        low = brief.by_level(1, 1, -500)
        values = brief.sample(range(low, high), n)
        down = brief.chance(0.4)
        order = sorted(range(n), key=lambda i: values[i], reverse=down)
        way = "from the largest to the smallest" if down else "from the smallest to the largest"
        wording = brief.pick(["Click the numbers in order, {}.", "Click all numbers, {}.", "One after the other, click the numbers {}."])
        return {"instruction": wording.format(way), "labels": [shown(str(value)) for value in values], "order": [f"number{i}" for i in order]}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        look, n = session.look, len(params["labels"])
        w, h = board_size(session, 30, 18, rows=0)
        board = PickBoard(id="board", name=session.label("Numbers"), w=w, h=h, several=n)
        wide, high = max(look.sans.width(label) for label in params["labels"]) + 2 * look.size.pad, look.size.control
        for i, (x, y) in enumerate(scatter(rng, (2, 2, w - 4, h - 4), n, wide, high, 2 * look.size.gap)):
            board.items.append(Item(id=f"number{i}", shape="card", label=params["labels"][i], x=x, y=y, w=wide, h=high, active=True))
        open_board(session, rng, board, "Numbers", ok=False)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        board = board_in(state, PickBoard)
        return board is not None and board.picked == params["order"]

    def solve(self, solver: Solver, params: Params) -> None:
        board = the_board(solver.state, PickBoard)
        right = 0
        while right < len(board.picked) and board.picked[right] == params["order"][right]:
            right += 1
        for item in [*reversed(board.picked[right:]), *params["order"][right:]]:
            click_at(solver, board.item(item).middle)

    def spoil(self, solver: Solver, params: Params) -> bool:
        click_at(solver, the_board(solver.state, PickBoard).item(params["order"][0]).middle)
        return True


class MatchPairs(Family):
    """Join every sum with its result by a line."""

    id = "match-pairs"
    skills = ("drag", "arithmetic", "read")
    max_steps = 16

    def draw(self, brief: Brief) -> dict[str, Any]:
        n = brief.by_level(2, 4, 5)
        results = brief.sample(range(*brief.by_level((4, 20), (8, 60), (12, 99))), n)
        sums = []
        for result in results:
            a = brief.integer(2, result - 1)
            kinds = [f"{a} + {result - a}", f"{result + a} - {a}"]
            factors = [d for d in range(2, 13) if result % d == 0 and result // d > 1]
            if brief.by_level(False, True, True) and factors:
                factor = brief.pick(factors)
                kinds.append(f"{factor} * {result // factor}")
            sums.append(shown(brief.pick(kinds)))
        order = brief.sample(range(n), n)
        wording = brief.pick(
            ["Connect every sum with its result.", "Draw a line from each sum to its result.", "Which result belongs to which sum? Link them all."]
        )
        pairs = [[f"left{i}", f"right{order.index(i)}"] for i in range(n)]
        return {"instruction": wording, "left": sums, "right": [str(results[i]) for i in order], "goal": pairs}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        link_columns(session, rng, params["left"], params["right"], "Pairs")

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        board = board_in(state, LinkBoard)
        return board is not None and sorted(board.links) == sorted((min(pair), max(pair)) for pair in params["goal"])

    def solve(self, solver: Solver, params: Params) -> None:
        set_links(solver, params["goal"])

    def spoil(self, solver: Solver, params: Params) -> bool:
        set_links(solver, params["goal"][1:])
        return True


def load(board: MoveBoard, pan: str) -> list[MovePiece]:
    """The weights that lie in a pan."""
    pieces = [item for item in board.items if isinstance(item, MovePiece) and item.id.startswith("weight")]
    return [piece for piece in pieces if inside(board.item(pan).box, *piece.middle)]


@dataclass(kw_only=True)
class Scales(BoardDialog):
    """Two pans whose weights are added up below them."""

    def weigh(self) -> None:
        """Write the sums of both pans."""
        board = self.widget("board")
        assert isinstance(board, MoveBoard)
        for pan in ("left", "right"):
            board.item(f"{pan}-sum").label = f"= {sum(int(piece.label) for piece in load(board, pan))}"

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        super().on_signal(session, widget, signal, value)
        if signal == "moved":
            self.weigh()
            session.touch(self, widget)


class BalanceWeights(Family):
    """Drag weights into the right pan until both pans hold the same; what is in the left one is fixed."""

    id = "balance-weights"
    skills = ("drag", "arithmetic", "reason")
    max_steps = 16

    def draw(self, brief: Brief) -> dict[str, Any]:
        n, taken = brief.by_level((3, 1), (5, 2), (6, 3))
        weights = brief.sample(range(2, brief.by_level(20, 30, 40)), n)
        total = sum(weights[:taken])
        part = brief.integer(1, total - 1)
        left = [total] if brief.by_level(True, brief.chance(0.5), False) else [part, total - part]
        wording = brief.pick(
            [
                "Drag weights into the right pan until both pans weigh the same.",
                "Bring the scales into balance: put weights from below into the right pan.",
                "Make the sum on the right equal to the sum on the left by dragging weights into the right pan.",
            ]
        )
        return {"instruction": wording, "left": left, "weights": weights, "answer": list(range(taken)), "order": brief.sample(range(n), n)}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        look, gap = session.look, session.look.size.gap
        w, h = board_size(session, 34, 20, rows=0)
        board = MoveBoard(id="board", name=session.label("Scales"), w=w, h=h)
        side = min(look.sans.width("00") + 2 * gap, (h - 3 * gap - look.sans.height) // 3)
        pan_w, pan_h = (w - 3 * gap) // 2, h - side - 4 * gap - look.sans.height
        for pan, x in (("left", gap), ("right", w - pan_w - gap)):
            board.items.append(MovePiece(id=pan, shape="frame", name=f"{pan} pan", x=x, y=gap, w=pan_w, h=pan_h, thick=2, color=(128, 136, 152)))
            board.items.append(MovePiece(id=f"{pan}-sum", shape="text", x=x, y=gap + pan_h, w=pan_w, h=look.sans.height))
        for i, weight in enumerate(params["left"]):
            x = gap + pan_w * (i + 1) // (len(params["left"]) + 1) - side // 2
            piece = MovePiece(
                id=f"weight-left{i}", shape="square", label=str(weight), x=x, y=gap + pan_h - side - 3, w=side, h=side, color=(128, 136, 152)
            )
            board.items.append(piece)
        color = COLORS[COLOR_NAMES[int(rng.integers(len(COLOR_NAMES)))]]
        n = len(params["weights"])
        for slot, i in enumerate(params["order"]):
            x, y = gap + (w - 2 * gap) * slot // n + ((w - 2 * gap) // n - side) // 2, h - side - gap
            label = str(params["weights"][i])
            board.items.append(MovePiece(id=f"weight{i}", shape="square", label=label, x=x, y=y, w=side, h=side, color=color, active=True))
        dialog = Scales(id="board", title="")
        open_board(session, rng, board, "Scales", ok=False, window=dialog)
        dialog.weigh()

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        board = board_in(state, MoveBoard)
        if board is None or board.held:
            return False
        left, right = load(board, "left"), load(board, "right")
        return not any(piece.active for piece in left) and sum(int(piece.label) for piece in right) == sum(params["left"])

    def solve(self, solver: Solver, params: Params) -> None:
        wanted = {f"weight{i}" for i in params["answer"]}
        for i in range(len(params["weights"])):
            board = the_board(solver.state, MoveBoard)
            piece, pan = board.item(f"weight{i}"), board.item("right")
            lies = {each.id for each in load(board, "right")}
            if (piece.id in wanted) != (piece.id in lies) or piece in load(board, "left"):
                if piece.id in wanted:
                    to = pan.x + pan.w * (len(lies) + 1) // 5, pan.middle[1]
                else:
                    to = piece.middle[0], board.h - piece.h // 2 - 2
                drag_on(solver, piece.middle, to)

    def spoil(self, solver: Solver, params: Params) -> bool:
        board = the_board(solver.state, MoveBoard)
        piece = board.item(f"weight{params['answer'][0]}")
        drag_on(solver, piece.middle, (piece.middle[0], board.h - piece.h // 2 - 2))
        return True
