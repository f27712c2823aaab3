"""Runs killed, interrupted and out of room at many more points than :mod:`tests.agents.grpo.test_hard_to_kill` has time for."""

import contextlib
import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "agents" / "grpo"))
from killed_runs import WAYS, Runs

from agents.grpo import checkpoint as checkpoints

KILLS = 20


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    runs = Runs(tmp_path_factory.mktemp("runs"))
    yield runs
    runs.close()


@pytest.mark.parametrize("number", range(KILLS))
@pytest.mark.parametrize("way", WAYS)
def test_killed_at_any_point(runs, tmp_path, way, number):
    """One run for each: killed before, after or in the middle of a call, spread evenly over all that it makes."""
    calls, out = runs.straight(way)[1], tmp_path / "run"
    at = 1 + number * (len(calls) - 1) // (KILLS - 1)
    status, text = runs.zygote.run(runs.train(out, way), at=at)
    assert status == -9, text
    status, text = runs.zygote.run(runs.go_on(out, way))
    if at == len(calls):  # the last call of all: nothing was left to do
        assert status == 2 and "has done its 3 steps" in text, text
        status = 0
    runs.check(out, way, (status, text))


@pytest.mark.parametrize("way", WAYS)
def test_killed_twenty_times_at_any_moment(runs, tmp_path, way):
    """By the clock: also inside of calls, of torch and of the file system. A run that came to its end is compared, and the next one killed."""
    rng, killed, run = random.Random(way), 0, 0
    runs.straight(way)
    began = time.monotonic()
    runs.zygote.run(runs.train(tmp_path / "timed", way))
    length = time.monotonic() - began

    def end(status, text):
        assert status == 0 or (status == 2 and "has done its 3 steps" in text), text
        runs.check(tmp_path / f"run-{run}", way, (0, ""))

    while killed < KILLS:
        pid = runs.zygote.start(runs.go_on(tmp_path / f"run-{run}", way))
        time.sleep(rng.uniform(0, length / 2))
        with contextlib.suppress(ProcessLookupError):  # it has ended
            os.kill(pid, signal.SIGKILL)
        status, text = runs.zygote.wait()
        if status == -signal.SIGKILL:
            killed += 1
        else:
            end(status, text)
            run += 1
    end(*runs.zygote.run(runs.go_on(tmp_path / f"run-{run}", way)))


@pytest.mark.parametrize("number", range(10))
@pytest.mark.parametrize("way", WAYS)
def test_interrupted_at_any_point(runs, tmp_path, way, number):
    """As Ctrl-C on a terminal does it: the signal goes to the processes of the desktops too."""
    calls, out = runs.straight(way)[1], tmp_path / "run"
    at = 1 + number * (len(calls) - 1) // 9
    status, text = runs.zygote.run(runs.train(out, way), at=at, signals=["SIGINT"], group=True)
    assert status in (0, 130) and "Traceback" not in text, text
    if status:
        assert f"the run is saved as of step {checkpoints.steps(out / 'checkpoints')[-1]}: gui-agents train --resume {out}" in text
        status, text = runs.zygote.run(runs.resume(out))
    runs.check(out, way, (status, text))


@pytest.mark.parametrize("part", [0.02, 0.08, 0.15, 0.22, 0.3, 0.38, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95])
@pytest.mark.parametrize("way", WAYS)
def test_a_disk_that_is_full_at_any_point(runs, tmp_path, way, part):
    runs.fill_the_disk(tmp_path, part, way)
