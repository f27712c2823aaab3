"""How fast the simulated desktop is, beside the limit that the machine's memory sets, measured in the same run."""

from __future__ import annotations

import itertools
import os
import time
from pathlib import Path

import numpy as np

from gui_gym.benchmarks import Record, sim_vector
from gui_gym.benchmarks.measure import milliseconds, rate, record
from gui_gym.env import GuiDesktopEnv
from gui_gym.vector_env import GuiDesktopVectorEnv

WIDTH, HEIGHT = 1280, 720


def void(_: object) -> None:
    """Take a result and give none."""


def step(width: int = WIDTH, height: int = HEIGHT) -> Record:
    """``sim.step``: steps a second of one env that draws into one buffer: clicks, moves and typing in a form; the limit is a copy of a frame."""
    env = GuiDesktopEnv(task="fill-form#0", width=width, height=height, max_steps=10**9)
    frame = np.ones((height, width, 3), np.uint8)
    env.reset(seed=0)
    mix = itertools.cycle(sim_vector.member_mix(env.desktop.accessibility_tree() or {}, width, height, np.random.default_rng(0)))
    value = rate(lambda: void(env.step_into(next(mix), frame)))
    env.close()
    return record("sim.step", value, "steps/s", sim_vector.copying(1, width, height))


def reset(width: int = WIDTH, height: int = HEIGHT) -> Record:
    """``sim.reset``: median milliseconds until a member of a batched env has a new task in a new layout, all families in turn by chance.

    The reference is the least that a reset can do, allocating and filling one frame.
    """
    vec = GuiDesktopVectorEnv(1, width=width, height=height)
    vec.reset(seed=0)
    value = milliseconds(lambda: void(vec.reset()), 300, time.thread_time)
    vec.close()
    fresh = milliseconds(lambda: np.empty((height, width, 3), np.uint8).fill(7), 300, time.thread_time)
    return record("sim.reset", value, "ms", fresh, higher_is_better=False)


def snapshot(width: int = WIDTH, height: int = HEIGHT) -> Record:
    """``sim.snapshot``: median milliseconds to copy a desktop in the middle of a task and to go back to the copy. It has no limit to compare with."""
    env = GuiDesktopEnv(width=width, height=height)
    times = []
    for seed in range(40):
        env.reset(seed=seed)
        for action in env.solution()[:-1]:
            env.step(action)
        times.append(milliseconds(lambda: env.desktop.restore(env.desktop.snapshot()), 10, time.thread_time))
    env.close()
    return record("sim.snapshot", float(np.median(times)), "ms")


def memory(width: int = WIDTH, height: int = HEIGHT, count: int = 16) -> Record:
    """``sim.memory``: megabytes that each further env of a batch takes after some steps, its frame apart, which is the reference."""

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def used(num_envs: int) -> GuiDesktopVectorEnv:
        vec = sim_vector.mixed(num_envs, width, height)
        steps = sim_vector.batches(vec)
        frames = None
        for _ in range(2 * sim_vector.TURNS):
            frames = vec.step(next(steps))[0]  # the last one is held, as by any learner
        del frames
        return vec

    first = used(16)  # what all envs share is loaded by then
    before = resident()
    more = used(count)
    grown = (resident() - before) / count / 1e6
    frame = width * height * 3 / 1e6
    first.close()
    more.close()
    return record("sim.memory", grown - frame, "MB", frame, higher_is_better=False)


def run() -> list[Record]:
    """All records of the simulated desktop."""
    records = [step(), reset(), snapshot(), *sim_vector.run()]
    return records + ([memory()] if Path("/proc/self/statm").exists() else [])
