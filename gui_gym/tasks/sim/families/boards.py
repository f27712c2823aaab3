"""What the families of boards (shapes to drag, draw, mark and look at) have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np

from gui_gym.actions import Action
from gui_gym.desktops.sim.apps.dialog import Dialog
from gui_gym.desktops.sim.canvas import Rect
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.desktops.sim.widgets.basic import Button
from gui_gym.desktops.sim.widgets.board import PickBoard
from gui_gym.desktops.sim.widgets.drawboard import DrawBoard
from gui_gym.desktops.sim.widgets.shapes import Point
from gui_gym.tasks.sim.families.common import handed_values, ok_cancel, plain_number, width_for
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.task import TaskError
from gui_gym.verifiers.score import Outcome

WINDOW = "board"  #: id of the window around a board, and of the board in it
SUBMITTED = (f"submitted:{WINDOW}",)  #: what a task changes that ends with OK
SHAPE_NAMES = ("circle", "square", "triangle", "pentagon", "star", "diamond", "cross", "arrow")  #: shapes that are told apart at a glance
#: Colours that are told apart at a glance, on light and on dark.
COLOR_NAMES = ("red", "green", "blue", "yellow", "orange", "purple", "pink")
T = TypeVar("T", bound=Widget)


@dataclass(kw_only=True)
class BoardDialog(Dialog):
    """A dialog around a board; its button "clear" wipes off what was drawn."""

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        board = self.find(WINDOW)
        if signal == "clicked" and widget.id == "clear" and isinstance(board, DrawBoard):
            board.clear(session, self)
        else:
            super().on_signal(session, widget, signal, value)


def board_size(session: Session, wide: int, high: int, rows: int = 1) -> Point:
    """Width and height in pixels of a board of ``wide`` x ``high`` font sizes, or what the screen has room for beside ``rows`` of controls."""
    size = session.look.size
    room = session.work_area[3] - size.title - 2 * size.pad - 2 * size.shadow - rows * (size.control + size.gap)
    return width_for(session, wide), min(high * size.font, room)


def open_board(
    session: Session, rng: np.random.Generator, board: Widget, title: str, ok: bool = True, clear: bool = False, window: Dialog | None = None
) -> None:
    """Open a window around a board whose size is set. Below it, ``ok``: OK and Cancel; ``clear``: a button that wipes it."""
    dialog = window or BoardDialog(id=WINDOW, title=session.label(title))
    dialog.title = session.label(title)
    look, captions = session.look, [session.label(text) for text in (["Clear"] if clear else []) + (["OK", "Cancel"] if ok else [])]
    column = Column(session, dialog, max(board.w, sum(look.sans.width(text) + 2 * look.size.pad + look.size.gap for text in captions)))
    column.row(board, height=board.h, align="centre")
    if clear:
        column.row(Button(id="clear", name=session.label("Clear")), align="right")
    if ok:
        ok_cancel(session, column)
    else:
        column.finish()
    place(session, dialog, rng)


def board_in(state: State, kind: type[T]) -> T | None:
    """The board, of a class, or None once its window is closed."""
    board = state.widget(WINDOW, WINDOW)
    return board if isinstance(board, kind) else None


def the_board(state: State, kind: type[T]) -> T:
    """The board, of a class; :class:`~gui_gym.tasks.TaskError` once its window is closed."""
    board = board_in(state, kind)
    if board is None:
        raise TaskError(f"there is no scripted solution from here: the window {WINDOW!r} is closed")
    return board


# Laying out


def scatter(rng: np.random.Generator, area: Rect, n: int, w: int, h: int, gap: int) -> list[Point]:
    """``n`` random upper left corners of boxes of ``w`` x ``h`` pixels in ``area`` that stay ``gap`` pixels apart.

    Raises :class:`~gui_gym.tasks.TaskError` if there is no room for them.
    """
    left, top, wide, high = area
    columns, rows = wide // (w + gap), high // (h + gap)
    if columns * rows < n:
        raise TaskError(f"{n} things of {w}x{h} pixels do not fit an area of {wide}x{high}")
    cell_w, cell_h = wide // columns, high // rows
    return [
        (
            left + gap // 2 + cell_w * (int(i) % columns) + int(rng.integers(0, cell_w - w - gap + 1)),
            top + gap // 2 + cell_h * (int(i) // columns) + int(rng.integers(0, cell_h - h - gap + 1)),
        )
        for i in rng.permutation(columns * rows)[:n]
    ]


def side_for(area: Rect, n: int, gap: int, most: int, room: int = 2) -> int:
    """The largest side, at most ``most`` pixels, of squares of which ``room`` times ``n`` fit into ``area`` with ``gap`` pixels between them."""
    fits = (side for side in range(most, 4, -1) if (area[2] // (side + gap)) * (area[3] // (side + gap)) >= room * n)
    return next(fits, 4)


# Solving


def spot(solver: Solver, x: int, y: int, window_id: str = WINDOW, widget_id: str = WINDOW) -> Point:
    """The pixel of the screen where a pixel of a widget is, once its window is on top and within the screen."""
    window = solver.window(window_id)
    left, top, _, _ = window.rect_of(window.widget(widget_id))
    return solver.reach(window, (left + x, top + y, 1, 1))


def click_at(solver: Solver, at: Point) -> None:
    """Click a pixel of the board."""
    solver.act(Action.click(*spot(solver, *at)))


def drag_on(solver: Solver, start: Point, end: Point) -> None:
    """Drag from a pixel of the board to another."""
    spot(solver, *end)  # may bring the window in
    from_x, from_y = spot(solver, *start)
    solver.act(Action.drag(from_x, from_y, from_x + end[0] - start[0], from_y + end[1] - start[1]))


# Families


class AnswerFamily(Family):
    """A question about what a window shows, whose answer is the number ``params["answer"]``."""

    skills: ClassVar[tuple[str, ...]] = ("perceive", "read", "answer")
    max_steps = 12

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return plain_number(outcome.answer) == params["answer"]

    def solve(self, solver: Solver, params: Params) -> None:
        solver.raise_window(solver.window(WINDOW))
        solver.answer(params["answer"])


class PickFamily(Family):
    """The item ``params["target"]`` of a board, of which one can be picked, is picked and handed in with OK."""

    touches = SUBMITTED
    max_steps = 10

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        values = handed_values(state, "board")
        return values is not None and values[WINDOW] == [params["target"]]

    def solve(self, solver: Solver, params: Params) -> None:
        if handed_values(solver.state, "board") is not None:
            return
        board = the_board(solver.state, PickBoard)
        if board.picked != [params["target"]]:
            click_at(solver, board.item(params["target"]).middle)
        solver.click(WINDOW, "ok")
