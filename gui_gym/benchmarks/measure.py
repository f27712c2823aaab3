"""How a figure is taken, and how it is written down."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

from gui_gym.benchmarks import Record

SECONDS = 1.5  #: how long each figure is measured
ROUNDS = 3  #: of which the best counts: the others met other work of the machine
_SPACING = 30  # pixels

Clock = Callable[[], float]  #: seconds since some time


def rate(once: Callable[[], Any], clock: Clock = time.thread_time) -> float:
    """How often ``once`` runs in a second: the best of :data:`ROUNDS` rounds that take :data:`SECONDS` together.

    By default seconds are those that this thread had a processor, so that other work of the machine, which may take it away,
    does not count. For what waits for something, pass ``time.perf_counter``.
    """
    once()
    best = 0.0
    for _ in range(ROUNDS):
        start = clock()
        count, end = 0, start + SECONDS / ROUNDS
        while (now := clock()) < end:
            once()
            count += 1
        best = max(best, count / (now - start))
    return best


def milliseconds(once: Callable[[], Any], count: int, clock: Clock = time.perf_counter) -> float:
    """Median time of ``once`` in milliseconds, by default by the clock on the wall."""
    times = []
    for _ in range(count):
        start = clock()
        once()
        times.append(clock() - start)
    return statistics.median(times) * 1e3


def click_places(bounds: tuple[int, int, int, int]) -> Iterator[tuple[int, int]]:
    """Pixels inside the text of an editor with these bounds, over and over, each too far from the last for a double click."""
    x, y, width, height = bounds
    return itertools.cycle((x + 20 + _SPACING * i, y + height // 2) for i in range((width - 40) // _SPACING))


def record(name: str, value: float, unit: str, reference: float | None = None, peer: float | None = None, higher_is_better: bool = True) -> Record:
    """One line of a benchmark, rounded."""

    def ratio(other: float | None) -> float | None:
        return None if other is None else round(value / other if higher_is_better else other / value, 4)

    def rounded(other: float | None) -> float | None:
        return None if other is None else round(other, 3)

    return {
        "name": name, "value": round(value, 3), "unit": unit,
        "reference": rounded(reference), "ratio": ratio(reference), "peer": rounded(peer), "peer_ratio": ratio(peer),
    }  # fmt: skip
