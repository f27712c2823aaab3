"""Time: read a clock, set one, and find days in a calendar."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.desktops.sim.widgets.board import Board, Item
from gui_gym.desktops.sim.widgets.clockface import HOUR, MINUTE, ClockFace
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.boards import SUBMITTED, AnswerFamily, board_size, drag_on, open_board, the_board
from gui_gym.tasks.sim.families.charts import ALONE, DAYS
from gui_gym.tasks.sim.families.common import clutter, handed_values, quoted, wording
from gui_gym.tasks.sim.family import Family, Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.verifiers.score import Outcome

HALF_DAY = 720  #: minutes
NEAR = "A minute more or less will do."


def clock_text(minutes: int) -> str:
    """A time of twelve hours, such as "12:05"."""
    return f"{minutes % HALF_DAY // 60 or 12}:{minutes % 60:02d}"


def said_time(answer: str | None) -> int | None:
    """The minutes since twelve of an answer that is a time alone, such as "7:05", "07.05" or "19:05"; else None."""
    said = re.fullmatch(r"(\d{1,2})[:.](\d{2})(?:\s*(?:am|pm|h))?\.?", (answer or "").strip(), re.IGNORECASE | re.ASCII)
    if not said or int(said[1]) > 24 or int(said[2]) > 59:
        return None
    return (int(said[1]) * 60 + int(said[2])) % HALF_DAY


def close(minutes: int, other: int) -> bool:
    """Whether two times are at most a minute apart, which is as well as a small clock can be read."""
    return (minutes - other + 1) % HALF_DAY <= 2


def clock_side(session: Session, rng: np.random.Generator, rows: int) -> int:
    """A size for a clock."""
    side = int(rng.integers(12, 19))
    return min(board_size(session, side, side, rows))


class ReadClock(Family):
    """Say what time a clock with hands shows, or will show in a while; the harder, the fewer numbers it has."""

    id = "read-clock"
    skills = ("perceive", "read", "answer")
    max_steps = 10

    def draw(self, brief: Brief) -> dict[str, Any]:
        step = brief.by_level(5, 1, 1)
        minutes = step * brief.integer(0, HALF_DAY // step - 1)
        later = brief.by_level(0, 0, 5 * brief.integer(1, 22))
        if later:
            instruction = wording(
                brief,
                [
                    f"What time will the clock show in {later} minutes?",
                    f"It is now what the clock shows. What time will it be {later} minutes later?",
                ],
            )
        else:
            instruction = wording(
                brief, ["What time does the clock show?", "Read the clock: what time is it?", "Which time do the hands of the clock show?"]
            )
        instruction = f"{instruction} Answer with hours and minutes, such as 4:05. {NEAR}"
        return {
            "instruction": instruction,
            "minutes": minutes,
            "numbers": brief.by_level(True, brief.chance(0.5), False),
            "answer": clock_text(minutes + later),
        }

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        side = clock_side(session, rng, 0)
        clock = ClockFace(id="board", name=session.label("Clock"), w=side, h=side, minutes=params["minutes"], numbers=params["numbers"], fixed=True)
        open_board(session, rng, clock, "Clock", ok=False)

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        said, right = said_time(outcome.answer), said_time(params["answer"])
        return said is not None and right is not None and close(said, right)

    def solve(self, solver: Solver, params: Params) -> None:
        solver.raise_window(solver.window("board"))
        solver.answer(params["answer"])


class SetClock(Family):
    """Set a clock by dragging its hands, and press OK."""

    id = "set-clock"
    skills = ("drag", "perceive", "read")
    touches = SUBMITTED
    max_steps = 12

    def draw(self, brief: Brief) -> dict[str, Any]:
        step = brief.by_level(15, 5, 1)
        minutes = step * brief.integer(0, HALF_DAY // step - 1)
        start = 5 * brief.integer(0, HALF_DAY // 5 - 1)
        if start == minutes:
            start = (start + 95) % HALF_DAY
        instruction = wording(
            brief,
            [
                "Set the clock to {} and press {ok}.",
                "Drag the hands of the clock to {}, then confirm with {ok}.",
                "Make the clock show {} and press {ok}.",
            ],
            clock_text(minutes),
        )
        return {
            "instruction": f"{instruction} {NEAR}",
            "minutes": minutes,
            "start": start,
            "numbers": brief.by_level(True, True, brief.chance(0.5)),
        }

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        side = clock_side(session, rng, 1)
        clock = ClockFace(id="board", name=session.label("Clock"), w=side, h=side, minutes=params["start"], numbers=params["numbers"])
        open_board(session, rng, clock, "Clock")

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        values = handed_values(state, "board")
        shows = said_time(values["board"]) if values else None
        return shows is not None and close(shows, params["minutes"])

    def solve(self, solver: Solver, params: Params) -> None:
        if handed_values(solver.state, "board") is not None:
            return
        for hand, of in ((MINUTE, params["minutes"] % 60), (HOUR, params["minutes"] // 60)):
            clock = the_board(solver.state, ClockFace)
            if (clock.minutes % 60 if hand == MINUTE else clock.minutes // 60) != of:
                drag_on(solver, clock.hand_end(hand), clock.spot(hand, of))
        solver.click("board", "ok")


_NTH = ("first", "second", "third", "fourth")


class CalendarArithmetic(AnswerFamily):
    """Say which day of a month a weekday falls on, or count days between two, on a calendar sheet."""

    id = "calendar-arithmetic"
    skills = ("read", "reason", "answer")
    max_steps = 10

    def draw(self, brief: Brief) -> dict[str, Any]:
        first, length = brief.integer(0, 6), brief.integer(28, 31)  # the weekday of the first day, from Monday on
        days = brief.labels(DAYS)

        def date(day: int, nth: int) -> int:
            return 1 + (day - first) % 7 + 7 * nth

        day, nth, other, nth2 = brief.integer(0, 6), brief.integer(0, 3), brief.integer(0, 6), brief.integer(0, 3)
        one, two = (f"the {_NTH[n]} {quoted(days[d])}" for d, n in ((day, nth), (other, nth2)))
        kind = brief.pick(brief.by_level(["date"], ["date", "after"], ["after", "between"]))
        later = brief.integer(3, 24)
        if kind == "after":
            nth, later = (nth, later) if date(day, nth) + later <= length else (0, length - date(day, 0) - brief.integer(0, 2))
            one = f"the {_NTH[nth]} {quoted(days[day])}"
            answer, question = date(day, nth) + later, f"Which day of the month is {later} days after {one}?"
        elif kind == "between":
            ends = sorted({(date(day, nth), one), (date(other, nth2), two)})
            if len(ends) < 2:
                return self.draw(brief)
            answer, question = ends[1][0] - ends[0][0], f"How many days after {ends[0][1]} is {ends[1][1]}?"
        else:
            answer, question = date(day, nth), brief.pick([f"Which day of the month is {one}?", f"On which day of the month falls {one}?"])
        return {"instruction": f"{question} {ALONE}", "first": first, "length": length, "days": days, "answer": str(answer)}

    def build(self, session: Session, params: Params, rng: np.random.Generator) -> None:
        clutter(session, rng)
        font = session.look.sans
        weeks = -(-(params["first"] + params["length"]) // 7)
        least = max(font.width(day) for day in params["days"]) * 7 // session.look.size.font + 7
        w, h = board_size(session, max(least, int(rng.integers(20, 30))), int(rng.integers(14, 20)), rows=0)
        board = Board(id="board", name=session.label("Calendar"), w=w, h=h)
        cell_w, cell_h = (w - 2) // 7, (h - 2) // (weeks + 1)
        for i, name in enumerate(params["days"]):
            board.items.append(Item(id=f"day{i}", shape="text", label=name, x=1 + i * cell_w, y=1, w=cell_w, h=cell_h))
        for i in range(params["length"]):
            column, row = (params["first"] + i) % 7, (params["first"] + i) // 7 + 1
            cell = Item(id=f"date{i + 1}", shape="card", label=str(i + 1), x=1 + column * cell_w, y=1 + row * cell_h, w=cell_w - 1, h=cell_h - 1)
            board.items.append(cell)
        open_board(session, rng, board, "Calendar", ok=False)
