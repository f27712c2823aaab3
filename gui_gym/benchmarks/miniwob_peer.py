"""Steps a second of MiniWoB++, as JSON: run by itself with a Python that has the package ``miniwob``, not ours.

MiniWoB++ drives a Chromium by WebDriver: both must be installed (Debian: ``apt install chromium chromium-driver``), and are taken from
MINIWOB_CHROME_BINARY and MINIWOB_CHROMEDRIVER or else from the PATH.

    python -m venv peers && peers/bin/pip install miniwob
    peers/bin/python gui_gym/benchmarks/miniwob_peer.py
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

TASKS = ("click-test-2", "click-checkboxes", "enter-text")
STEPS, RESETS = 25, 5

#: Chromium's own sandbox does not start for root and in many containers.
_WRAPPER = '#!/bin/sh\nexec "{binary}" --no-sandbox --disable-dev-shm-usage --disable-gpu "$@"\n'


def find_browser(folder: Path) -> None:
    """Tell MiniWoB++ which browser and driver to use; it wants both or none, and passes no flags on."""
    for variable, names in {"MINIWOB_CHROME_BINARY": ("chromium", "google-chrome"), "MINIWOB_CHROMEDRIVER": ("chromedriver",)}.items():
        found = os.environ.get(variable) or next(filter(None, map(shutil.which, names)), None)
        if found is None:
            raise SystemExit(f"MiniWoB++ needs {names[0]}: install it or set {variable}")
        os.environ[variable] = found
    wrapper = folder / "browser"
    wrapper.write_text(_WRAPPER.format(binary=os.environ["MINIWOB_CHROME_BINARY"]), encoding="utf-8")
    wrapper.chmod(0o755)
    os.environ["MINIWOB_CHROME_BINARY"] = str(wrapper)


def measure(task: str) -> dict[str, object]:
    """Steps a second and milliseconds a reset (medians) of one task at its own size, 160 x 210 pixels, screenshots on."""
    import gymnasium as gym
    import miniwob  # type: ignore[import-not-found]
    from miniwob.action import ActionTypes  # type: ignore[import-not-found]

    gym.register_envs(miniwob)
    env: Any = gym.make(f"miniwob/{task}-v1")
    env.reset(seed=0)
    resets, steps = [], []
    for seed in range(RESETS):
        start = time.perf_counter()
        env.reset(seed=seed)
        resets.append(time.perf_counter() - start)
        for i in range(STEPS // RESETS):
            action = env.unwrapped.create_action(ActionTypes.CLICK_COORDS, coords=(5.0 + i, 200.0))
            start = time.perf_counter()
            env.step(action)
            steps.append(time.perf_counter() - start)
    env.close()
    return {"task": task, "steps_per_second": 1 / statistics.median(steps), "reset_ms": 1e3 * statistics.median(resets)}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        find_browser(Path(folder))
        print(json.dumps([measure(task) for task in TASKS]))
