"""How a figure is taken, and how it is written down."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from gui_gym.benchmarks import Record

SECONDS = 1.5  #: how long each figure is measured
ROUNDS = 3  #: of which the best counts: the others met other work of the machine


def rate(once: Callable[[], Any]) -> float:
    """How often ``once`` runs in a second: the best of :data:`ROUNDS` rounds that take :data:`SECONDS` together."""
    once()
    best = 0.0
    for _ in range(ROUNDS):
        count, start, end = 0, time.perf_counter(), time.perf_counter() + SECONDS / ROUNDS
        while (now := time.perf_counter()) < end:
            once()
            count += 1
        best = max(best, count / (now - start))
    return best


def milliseconds(once: Callable[[], Any], count: int) -> float:
    """Median wall time of ``once`` in milliseconds."""
    times = []
    for _ in range(count):
        start = time.perf_counter()
        once()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


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
