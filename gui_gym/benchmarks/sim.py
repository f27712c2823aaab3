"""How fast the simulated desktop is, beside the limit that the machine's memory sets, measured in the same run."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable

import numpy as np

from gui_gym.actions import Action
from gui_gym.env import GuiDesktopEnv

WIDTH, HEIGHT = 1280, 720
SECONDS = 1.5  #: how long each figure is measured
ROUNDS = 3  #: of which the best counts: the others met other work of the machine


def rate(once: Callable[[], None]) -> float:
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


def record(name: str, value: float, unit: str, reference: float, higher_is_better: bool) -> dict[str, object]:
    """One line of a benchmark. ``ratio`` is 1 where ``value`` is as good as ``reference``, the limit, and less where it is worse."""
    ratio = value / reference if higher_is_better else reference / value
    return {"name": name, "value": round(value, 3), "unit": unit, "reference": round(reference, 3), "ratio": round(ratio, 4)}


def copying(width: int, height: int) -> float:
    """Frames a second that can be copied into memory that is mapped already: no screen of that size can be handed out faster."""
    frame, out = np.random.default_rng(0).integers(0, 256, (height, width, 3), np.uint8), np.ones((height, width, 3), np.uint8)
    return rate(lambda: np.copyto(out, frame))


def step(width: int = WIDTH, height: int = HEIGHT) -> dict[str, object]:
    """``sim.step``: steps a second of one env that draws into one buffer; a mix of clicks, moves and typing in a form."""
    env = GuiDesktopEnv(task="fill-form#0", width=width, height=height, max_steps=10**9)
    out = np.ones((height, width, 3), np.uint8)
    env.reset(seed=0)
    fields = [node["bounds"] for node in _nodes(env.desktop.accessibility_tree() or {}) if node["role"] in ("text", "check box")]
    points = [(x + w // 2, y + h // 2) for x, y, w, h in fields]
    mix = itertools.cycle(
        action for x, y in points for action in (Action.click(x, y, clicks=2), Action.move(width - x - 1, y), Action.type_text("gymnasium"))
    )  # a double click selects the word typed before

    def once() -> None:
        env.step_into(next(mix), out)

    value = rate(once)
    env.close()
    return record("sim.step", value, "steps/s", copying(width, height), True)


def reset(width: int = WIDTH, height: int = HEIGHT) -> dict[str, object]:
    """``sim.reset``: milliseconds for a new task, drawn whole; the reference is allocating and filling one frame."""
    env = GuiDesktopEnv(width=width, height=height)
    env.reset(seed=0)

    def fresh() -> None:
        np.empty((height, width, 3), np.uint8).fill(7)

    value, limit = 1e3 / rate(lambda: void(env.reset())), 1e3 / rate(fresh)
    env.close()
    return record("sim.reset", value, "ms", limit, False)


def void(_: object) -> None:
    """Take a result and give none."""


def _nodes(tree: dict) -> list[dict]:
    children = tree.get("children", [])
    return [tree, *(node for child in children for node in _nodes(child))] if tree else []


def run() -> list[dict[str, object]]:
    """All records of the simulated desktop, in a few seconds."""
    return [step(), reset()]
