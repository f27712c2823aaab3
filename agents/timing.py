"""Where the time of a step goes: seconds by phase."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Timings:
    """Adds up the seconds spent in named phases; two calls of the clock for each, and on a GPU a wait for what it was asked to do.

    Args:
        device: of the work that is timed; a GPU is waited for at the end of a phase, so that the phase gets the time of its own work.
    """

    def __init__(self, device: Any = "cpu"):
        self._wait = None
        if str(device).startswith("cuda"):
            import torch

            self._wait = torch.cuda.synchronize
        self._seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def __call__(self, phase: str) -> Iterator[None]:
        """Time what happens in the context as part of ``phase``."""
        began = time.perf_counter()
        try:
            yield
        finally:
            if self._wait is not None:
                self._wait()
            self._seconds[phase] += time.perf_counter() - began

    def take(self) -> dict[str, float]:
        """Seconds by phase since the last call, as the figures ``time_<phase>``."""
        seconds, self._seconds = self._seconds, defaultdict(float)
        return {f"time_{phase}": value for phase, value in seconds.items()}
