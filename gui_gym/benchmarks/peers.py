"""Our desktops beside other software, in one run; the other Python that has it is told by ``gui-gym bench --peers``."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from gui_gym.benchmarks import Record, miniwob_peer, x11_beside_peer
from gui_gym.benchmarks.measure import milliseconds, rate, record
from gui_gym.benchmarks.sim import void
from gui_gym.benchmarks.sim_vector import batches, mixed
from gui_gym.desktops import DesktopError
from gui_gym.env import GuiDesktopEnv

SIZE = (320, 180)  #: MiniWoB++ shows 160 x 210 pixels; ours has more of them
_SECONDS = 60.0  # longest wait for a peer's server


def run(python: Path) -> list[Record]:
    """The records of every peer that ``python`` has the packages of; what is missing is said on standard error.

    Raises DesktopError if it has none, or one does not run.
    """
    peers: dict[str, tuple[Callable[[Path], list[Record]], str]] = {
        "MiniWoB++": (miniwob, "miniwob"),
        "a pyautogui and HTTP server": (x11_beside_peer.run, "flask pyautogui PIL"),
    }
    records: list[Record] = []
    for name, (measure, modules) in peers.items():
        if missing := missing_modules(python, modules.split()):
            print(f"gui-gym bench: not measured beside {name}: {python} has no {', '.join(missing)}", file=sys.stderr)
        else:
            records += measure(python)
    if not records:
        raise DesktopError(f"{python} has no peer: expected the packages of {' or of '.join(peers)}")
    return records


def missing_modules(python: Path, modules: list[str]) -> list[str]:
    """Those of ``modules`` that ``python`` has not; DesktopError if it does not run."""
    script = "import importlib.util, sys; print(*[m for m in sys.argv[1:] if importlib.util.find_spec(m) is None])"
    try:
        done = subprocess.run([python, "-c", script, *modules], capture_output=True, text=True, timeout=_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DesktopError(f"{python} did not run: {error}") from error
    if done.returncode:
        raise DesktopError(f"{python} did not run: {done.stderr.strip()[-300:]}")
    return done.stdout.split()


def miniwob(python: Path) -> list[Record]:
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
