"""The simulated desktop beside MiniWoB++, in one run; the other Python that has it is told by ``gui-gym bench --peers``."""

from __future__ import annotations

import json
import statistics
import subprocess
import time
from pathlib import Path

from gui_gym.benchmarks import Record, miniwob_peer
from gui_gym.benchmarks.measure import milliseconds, rate, record
from gui_gym.benchmarks.sim import void
from gui_gym.benchmarks.sim_vector import batches, mixed
from gui_gym.desktops import DesktopError
from gui_gym.env import GuiDesktopEnv

SIZE = (320, 180)  #: MiniWoB++ shows 160 x 210 pixels; ours has more of them


def run(python: Path) -> list[Record]:
    """``sim.peer.miniwob.step`` and ``.reset``: one env each, medians over its tasks. DesktopError if MiniWoB++ does not run there."""
    try:
        done = subprocess.run([python, miniwob_peer.__file__], capture_output=True, text=True, timeout=240)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DesktopError(f"MiniWoB++ did not run: {error}") from error
    if done.returncode:
        raise DesktopError(f"MiniWoB++ did not run: {done.stderr.strip().splitlines()[-1]}")
    theirs = json.loads(done.stdout)
    vec = mixed(1, *SIZE)
    steps = batches(vec)
    step = rate(lambda: vec.step(next(steps)), time.perf_counter)  # a browser is waited for: by the clock on the wall, both
    vec.close()
    env = GuiDesktopEnv(width=SIZE[0], height=SIZE[1])
    reset = milliseconds(lambda: void(env.reset()), 200)
    env.close()
    return [
        record("sim.peer.miniwob.step", step, "steps/s", peer=statistics.median(each["steps_per_second"] for each in theirs)),
        record("sim.peer.miniwob.reset", reset, "ms", peer=statistics.median(each["reset_ms"] for each in theirs), higher_is_better=False),
    ]
