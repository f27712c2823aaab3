"""Thinking: odd and even, order, and scales in balance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gui_gym.desktops.sim.canvas import inside
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.desktops.sim.widgets.basic import Label, Radio
from gui_gym.desktops.sim.widgets.board import Item, PickBoard
from gui_gym.desktops.sim.widgets.moveboard import MoveBoard, MovePiece
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.boards import (
    COLOR_NAMES,
    SUBMITTED,
    BoardDialog,
    board_in,
    board_size,
    click_at,
    drag_on,
    open_board,
    scatter,
    the_board,
)
from gui_gym.tasks.sim.families.common import clutter, handed_values, ok_cancel, wording
from gui_gym.tasks.sim.families.sums import shown
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import COLORS
from gui_gym.verifiers.score import Outcome


class OddOrEven(Family):
    """Mark each of several numbers as odd or even and press OK."""

    id = "odd-or-even"
    skills = ("read", "reason", "radio")
    touches = SUBMITTED
    max_steps = 14

    def draw(self, brief: Brief) -> dict[str, Any]:
        n, high = brief.by_level(3, 4, 5), brief.by_level(20, 200, 99999)
        instruction = wording(
            brief,
            [
                "Mark every number as odd or even, then press {ok}.",
                "Say of each number whether it is odd or even and confirm with {ok}.",
                "Are the numbers odd or even? Choose for each and press {ok}.",
            ],
        )
        return {
            "instruction": instruction,
            "numbers": brief.sample(range(1, min(high, 5000) + 1), n) if high <= 200 else [brief.integer(1, high) for _ in range(n)],
        }

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        look = session.look
        words = session.label("Odd"), session.label("Even")
        wide = max(look.sans.width(word) for word in words) + 3 * look.size.font
        number = look.sans.width("00000") + look.size.pad
        dialog = BoardDialog(id="board", title=session.label("Numbers"))
        least = sum(look.sans.width(session.label(text)) + 3 * look.size.pad for text in ("OK", "Cancel"))
        column = Column(session, dialog, max(number + 2 * wide + 2 * look.size.gap, least))
        for i, value in enumerate(params["numbers"]):
            odd, even = (Radio(id=f"{name}{i}", name=word, group=str(i), w=wide) for name, word in zip(("odd", "even"), words, strict=True))
            column.row(Label(id=f"number{i}", name=str(value), w=number), odd, even, align="left")
        column.space()
        ok_cancel(session, column)
        place(session, dialog, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        values = handed_values(state, "board")
        if values is None:
            return False
        return all(values[f"odd{i}"] == (value % 2 == 1) and values[f"even{i}"] == (value % 2 == 0) for i, value in enumerate(params["numbers"]))

    def solve(self, solver: Solver, params: Params) -> None:
        if handed_values(solver.state, "board") is not None:
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
        instruction = wording(brief, ["Click the numbers in order, {}.", "Click all numbers, {}.", "One after the other, click the numbers {}."], way)
        return {"instruction": instruction, "labels": [shown(str(value)) for value in values], "order": [f"number{i}" for i in order]}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        look, n = session.look, len(params["labels"])
        w, h = board_size(session, 30, 18, rows=0)
        board = PickBoard(id="board", name=session.label("Numbers"), w=w, h=h, several=n, ordered=True)
        wide, high = max(look.sans.width(label) for label in params["labels"]) + 2 * look.size.pad, look.size.control
        for i, (x, y) in enumerate(scatter(rng, (2, 2, w - 4 - look.size.font, h - 4), n, wide, high, 2 * look.size.font)):
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


def load(board: MoveBoard, pan: str) -> list[MovePiece]:
    """The weights that lie in a pan."""
    pieces = [item for item in board.items if isinstance(item, MovePiece) and item.id.startswith("weight")]
    return [piece for piece in pieces if inside(board.item(pan).box, *piece.middle)]


@dataclass(kw_only=True)
class Scales(BoardDialog):
    """Two pans whose weights are added up below them."""

    def weigh(self) -> None:
        """Write the sums of both pans."""
        board = self.part("board", MoveBoard)
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
        instruction = wording(
            brief,
            [
                "Drag weights into the right pan until both pans weigh the same.",
                "Bring the scales into balance: put weights from below into the right pan.",
                "Make the sum on the right equal to the sum on the left by dragging weights into the right pan.",
            ],
        )
        return {"instruction": instruction, "left": left, "weights": weights, "answer": list(range(taken)), "order": brief.sample(range(n), n)}

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
