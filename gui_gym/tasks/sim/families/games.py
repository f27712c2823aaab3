"""Small games: guess a number, find what is hidden, make the winning move, and turn up pairs of cards."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gui_gym.desktops.sim.canvas import Color
from gui_gym.desktops.sim.layout import Column, place
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.desktops.sim.widgets.basic import Button, Label
from gui_gym.desktops.sim.widgets.board import Item, PickBoard
from gui_gym.desktops.sim.widgets.text import TextField
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.boards import (
    COLOR_NAMES,
    SHAPE_NAMES,
    BoardDialog,
    PickFamily,
    board_size,
    click_at,
    open_board,
    the_board,
)
from gui_gym.tasks.sim.families.common import clutter, width_for, wording
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import COLORS
from gui_gym.tasks.task import TaskError
from gui_gym.verifiers.score import Outcome

GREEN: Color = (142, 214, 150)


@dataclass(kw_only=True)
class GuessWindow(BoardDialog):
    """Says of each guess whether it is too low or too high, until there are none left."""

    secret: int
    left: int
    solved: bool = False

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        entry = self.part("guess", TextField)
        text = entry.text.strip()
        if signal != "clicked" or self.solved or not self.left or not re.fullmatch(r"\d{1,9}", text, re.ASCII):
            return
        self.left -= 1
        said = int(text)
        self.solved = said == self.secret
        answer = "Correct!" if self.solved else "Too low" if said < self.secret else "Too high"
        self.widget("answer").name = f"{said}: {session.label(answer)}"
        self.widget("left").name = session.label("Guesses left: {}", str(self.left))
        entry.text, entry.caret, entry.anchor = "", 0, 0
        for each in self.widgets:
            session.touch(self, each)
        session.focus(self, entry)


class GuessNumber(Family):
    """Find a number by guessing; each guess is said to be too low or too high, and there are only so many."""

    id = "guess-number"
    skills = ("type", "read", "reason")
    max_steps = 34

    def draw(self, brief: Brief) -> dict[str, Any]:
        high, guesses = brief.by_level((30, 6), (100, 8), (1000, 11))
        instruction = wording(
            brief,
            [
                "Guess the number from 1 to {}. You have {} guesses.",
                "Find the hidden number, which is between 1 and {}, within {} guesses.",
                "Which number from 1 to {} is it? Enter guesses until the answer is right: you have {}.",
            ],
            high,
            guesses,
        )
        return {"instruction": instruction, "high": high, "guesses": guesses, "answer": brief.integer(1, high)}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        window = GuessWindow(id="board", title=session.label("Guess the number"), default="ok", secret=params["answer"], left=params["guesses"])
        column = Column(session, window, width_for(session, int(rng.integers(17, 24))))
        column.row(Label(id="range", name=session.label("From {} to {}", "1", str(params["high"]))))
        column.row(TextField(id="guess", name=session.label("Number")), Button(id="ok", name=session.label("Guess"), primary=True))
        column.row(Label(id="answer", name=""))
        column.row(Label(id="left", name=session.label("Guesses left: {}", str(params["guesses"])), muted=True))
        column.finish()
        place(session, window, rng)

    @staticmethod
    def _window(state: State) -> GuessWindow | None:
        window = state.window("board")
        return window if isinstance(window, GuessWindow) else None

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        window = self._window(state)
        return window is not None and window.solved

    def solve(self, solver: Solver, params: Params) -> None:
        low, high = 1, params["high"]
        window = self._window(solver.state)
        while window is not None and not window.solved:
            if not window.left or low > high:
                raise TaskError("there is no scripted solution from here: no guesses are left")
            guess = (low + high) // 2
            solver.fill("board", "guess", str(guess))
            solver.click("board", "ok")
            said = window.widget("answer").name
            low, high = (guess + 1, high) if said.endswith(solver.session.label("Too low")) else (low, guess - 1)


@dataclass(kw_only=True)
class TreasureWindow(BoardDialog):
    """A field of cells, one of which hides a treasure: the others say how many steps away it is."""

    target: tuple[int, int]
    found: bool = False

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if signal != "clicked" or not isinstance(widget, PickBoard) or self.found:
            return
        column, row = cell_of(value)
        steps = abs(column - self.target[0]) + abs(row - self.target[1])
        self.found = steps == 0
        item = widget.item(value)
        item.color, item.label = (GREEN, "") if self.found else ((90, 140, 220), str(steps))
        if self.found:
            item.shape = "star"
        told = self.widget("told")
        told.name = session.label("Found!") if self.found else session.label("Distance: {}", str(steps))
        session.touch(self, widget)
        session.touch(self, told)


def cell_of(name: str) -> tuple[int, int]:
    """The column and row of a cell called "cell3-4"."""
    column, _, row = name.removeprefix("cell").partition("-")
    return int(column), int(row)


class HotCold(Family):
    """Find the cell with the treasure: every other cell says, when it is clicked, how many steps (across and down) it is away."""

    id = "hot-cold"
    skills = ("click", "read", "reason")
    max_steps = 12

    def draw(self, brief: Brief) -> dict[str, Any]:
        columns, rows = brief.by_level((9, 6), (12, 7), (16, 8))
        instruction = wording(
            brief,
            [
                "A treasure is hidden under one of the cells. A click on a cell tells its distance in steps across and down. Find the treasure.",
                "Click cells until you find the treasure: each tells how many steps, sideways and up or down, it is away.",
                "Find the hidden treasure. Every cell you click says how far it is, in steps to the side and up or down.",
            ],
        )
        target = [brief.integer(0, columns - 1), brief.integer(0, rows - 1)]
        return {"instruction": instruction, "size": [columns, rows], "target": target}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        (columns, rows), font = params["size"], session.look.size.font
        w, h = board_size(session, max(16, 2 * columns), 2 * rows, rows=1)
        cell = min((w - 4) // columns, (h - 4) // rows)
        board = PickBoard(id="board", name=session.label("Hidden treasure"), w=cell * columns + 3, h=cell * rows + 3)
        for i in range(columns * rows):
            column, row = i % columns, i // columns
            name = f"cell{column}-{row}"
            item = Item(id=name, shape="box", name=name, x=2 + cell * column, y=2 + cell * row, w=cell - 1, h=cell - 1, active=True)
            board.items.append(item)
        window = TreasureWindow(id="board", title=session.label("Hidden treasure"), target=(params["target"][0], params["target"][1]))
        column_ = Column(session, window, max(board.w, 12 * font))
        column_.row(board, height=board.h, align="centre")
        column_.row(Label(id="told", name=""))
        column_.finish()
        place(session, window, rng)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        window = state.window("board")
        return isinstance(window, TreasureWindow) and window.found

    def solve(self, solver: Solver, params: Params) -> None:
        """Ask two corners: the sum and the difference of the steps give the cell."""
        columns, rows = params["size"]
        window, board = solver.window("board"), the_board(solver.state, PickBoard)
        assert isinstance(window, TreasureWindow)
        told: list[int] = []
        for corner in ("cell0-0", f"cell{columns - 1}-0"):
            if window.found:
                return
            item = board.item(corner)
            if not item.label:
                click_at(solver, item.middle)
            told.append(int(item.label or 0))
        if not window.found:
            first, second = told  # column + row, and (columns - 1 - column) + row
            row = (first + second - (columns - 1)) // 2
            click_at(solver, board.item(f"cell{first - row}-{row}").middle)


LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def winning(cells: Sequence[str], player: str) -> list[int]:
    """The empty cells with which a player completes a line."""
    return [i for i in range(9) if not cells[i] and any(i in line and sum(cells[j] == player for j in line) == 2 for line in LINES)]


class TicTacToe(PickFamily):
    """Noughts and crosses: select the cell of the one move that wins, or that stops the other from winning, and press OK."""

    id = "tic-tac-toe"
    skills = ("reason", "click")

    def draw(self, brief: Brief) -> dict[str, Any]:
        while True:
            turns = brief.by_level(2, 3, brief.integer(2, 3))
            spots = brief.sample(range(9), 2 * turns)
            cells = ["X" if i in spots[:turns] else "O" if i in spots[turns:] else "" for i in range(9)]
            if any(cells[a] and cells[a] == cells[b] == cells[c] for a, b, c in LINES):
                continue
            win, block = winning(cells, "X"), winning(cells, "O")
            if brief.by_level(True, True, False):
                right = win
            else:
                right = win or block
            if len(right) == 1 and (win or not brief.by_level(True, True, False)):
                break
        if brief.by_level(True, True, False):
            instruction = wording(
                brief,
                [
                    "You are X. Select the cell for the move that wins and press {ok}.",
                    "It is the turn of X: pick the cell that wins the game at once, then click {ok}.",
                    "Select the cell where an X completes a line of three, and confirm with {ok}.",
                ],
            )
        else:
            instruction = wording(
                brief,
                [
                    "You are X. If you can win at once, select that cell; else the one where O would win. Press {ok}.",
                    "It is the turn of X: select the winning move or, if there is none, the one that keeps O from winning. Then click {ok}.",
                    "Play for X: select the cell that completes a line of three, or blocks that of O if you cannot, and confirm with {ok}.",
                ],
            )
        return {"instruction": instruction, "cells": cells, "target": f"cell{right[0]}"}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        side = int(rng.integers(11, 17))
        side = min(board_size(session, side, side)) // 3 * 3
        board = PickBoard(id="board", name=session.label("Noughts and crosses"), w=side, h=side, several=1)
        cell, mark = side // 3, side // 5
        for i, player in enumerate(params["cells"]):
            left, top = cell * (i % 3), cell * (i // 3)
            board.items.append(Item(id=f"frame{i}", shape="frame", x=left, y=top, w=cell, h=cell, color=(128, 136, 152)))
            item = Item(id=f"cell{i}", shape="text", name=f"cell {i + 1}: empty", x=left + 3, y=top + 3, w=cell - 6, h=cell - 6, active=True)
            if player:
                shape, color, turn = ("cross", COLORS["red"], 45) if player == "X" else ("ring", COLORS["blue"], 0)
                x, y = left + (cell - mark) // 2, top + (cell - mark) // 2
                item = Item(id=f"cell{i}", shape=shape, name=f"cell {i + 1}: {player}", x=x, y=y, w=mark, h=mark, color=color, turn=turn)
                item.thick = max(2, mark // 7)
            board.items.append(item)
        open_board(session, rng, board, "Noughts and crosses")


@dataclass(kw_only=True)
class MemoryWindow(BoardDialog):
    """Cards lie face down. Two are turned up by clicks: equal ones stay so, others are turned down by the next click."""

    faces: dict[str, tuple[str, str]]  #: colour and shape by card
    up: list[str] = field(default_factory=list)  #: the one or two that were turned up last
    matched: list[str] = field(default_factory=list)

    def _turn(self, board: PickBoard, card: str, up: bool) -> None:
        item = board.item(card)
        color, shape = self.faces[card]
        item.shape, item.color, item.name = (shape, COLORS[color], f"{color} {shape}") if up else ("card", None, "card")

    def on_signal(self, session: Session, widget: Widget, signal: str, value: str) -> None:
        if signal != "clicked" or not isinstance(widget, PickBoard) or value in self.matched or self.up == [value]:
            return
        if len(self.up) == 2:
            for card in self.up:
                self._turn(widget, card, up=False)
            self.up = []
        self._turn(widget, value, up=True)
        self.up.append(value)
        if len(self.up) == 2 and self.faces[self.up[0]] == self.faces[self.up[1]]:
            self.matched += self.up
            self.up = []
        session.touch(self, widget)


class MemoryCards(Family):
    """Turn up all pairs of equal cards."""

    id = "memory-cards"
    skills = ("click", "remember", "perceive")
    max_steps = 44

    def draw(self, brief: Brief) -> dict[str, Any]:
        pairs = brief.by_level(2, 4, 6)
        shapes = brief.sample([[color, shape] for color in COLOR_NAMES for shape in SHAPE_NAMES], pairs)
        instruction = wording(
            brief,
            [
                "Find all pairs of equal cards: turn up two at a time by clicking them.",
                "Turn the cards over, two at a time, until all pairs are found.",
                "Play memory: click two cards after each other. Equal ones stay up. Find every pair.",
            ],
        )
        return {"instruction": instruction, "faces": brief.sample([*shapes, *shapes], 2 * pairs)}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        n, gap = len(params["faces"]), session.look.size.gap
        columns = {4: 2, 8: 4, 12: 4}[n]
        rows = n // columns
        w, h = board_size(session, max(12, 5 * columns), 5 * rows, rows=0)
        cell = min((w - gap) // columns, (h - gap) // rows)
        board = PickBoard(id="board", name=session.label("Memory"), w=cell * columns + gap, h=cell * rows + gap)
        for i in range(n):
            x, y, side = gap + cell * (i % columns), gap + cell * (i // columns), cell - gap
            board.items.append(Item(id=f"card{i}", shape="card", name="card", x=x, y=y, w=side, h=side, active=True))
        faces = {f"card{i}": (color, shape) for i, (color, shape) in enumerate(params["faces"])}
        open_board(session, rng, board, "Memory", ok=False, window=MemoryWindow(id="board", title="", faces=faces))

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        window = state.window("board")
        return isinstance(window, MemoryWindow) and len(window.matched) == len(window.faces)

    def solve(self, solver: Solver, params: Params) -> None:
        """Turn up what is not known yet, and remember what was seen."""
        window, board = solver.window("board"), the_board(solver.state, PickBoard)
        assert isinstance(window, MemoryWindow)
        cards = [item.id for item in board.items]
        seen: dict[str, str] = {}

        def turn(card: str) -> None:
            click_at(solver, board.item(card).middle)
            seen[card] = board.item(card).name

        def mate(card: str) -> str:
            left = [other for other in cards if other not in window.matched and other != card]
            return next((other for other in left if seen.get(other) == seen[card]), "")

        for card in window.up:
            seen[card] = board.item(card).name
        while len(window.matched) < len(cards):
            left = [card for card in cards if card not in window.matched]
            first = window.up[0] if len(window.up) == 1 else next((card for card in left if card in seen and mate(card)), "")
            first = first or next(card for card in left if card not in seen)
            if window.up != [first]:
                turn(first)
            turn(mate(first) or next(card for card in left if card not in seen and card != first))
