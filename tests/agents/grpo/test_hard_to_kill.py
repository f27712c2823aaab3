"""A run that is killed, interrupted or has no room left goes on as if nothing had happened: the real command, in a process of its own."""

import random

import pytest
from killed_runs import Runs

from agents.grpo import checkpoint as checkpoints


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    runs = Runs(tmp_path_factory.mktemp("runs"), steps=2)
    yield runs
    runs.close()


@pytest.mark.parametrize("way", ["lora", "full"])
def test_a_run_that_is_killed_again_and_again_gives_the_same_numbers(runs, tmp_path, way):
    """At points drawn from all that it does between two writes; ``make test-slow`` kills at twenty of each way."""
    calls, rng, out = runs.straight(way)[1], random.Random(way), tmp_path / "run"
    for _ in range(2):
        status, text = runs.zygote.run(runs.go_on(out, way), at=rng.randrange(1, len(calls) // 2))
        assert status == -9, text
    runs.check(out, way, runs.zygote.run(runs.go_on(out, way)))


@pytest.mark.parametrize(
    ("name", "where", "at", "step"),
    [
        ("SIGINT", "generate", 1, 0),  # the first measurement, which is left
        ("SIGTERM", "optimiser", 3, 1),  # an update, which is finished
    ],
)
def test_a_signal_saves_and_ends_the_run_and_it_goes_on_from_there(runs, tmp_path, name, where, at, step):
    out = tmp_path / "run"
    status, text = runs.zygote.run(runs.train(out), only=where, at=at, signals=[name])
    assert status == {"SIGINT": 130, "SIGTERM": 143}[name], text
    assert "stopping: the run is saved first. Once more to stop now" in text and "Traceback" not in text
    assert f"gui-agents: stopped by {name}, the run is saved as of step {step}: gui-agents train --resume {out} goes on" in text
    assert checkpoints.steps(out / "checkpoints")[-1] == step
    runs.check(out, "lora", runs.zygote.run(runs.resume(out)))


def test_a_second_signal_ends_it_at_once(runs, tmp_path):
    out = tmp_path / "run"
    status, text = runs.zygote.run(runs.train(out), only="optimiser", at=5, signals=["SIGINT", "SIGTERM"])
    assert status == 143 and "saved as of" not in text and "Traceback" not in text, text
    runs.check(out, "lora", runs.zygote.run(runs.resume(out)))


def test_a_full_disk_stops_the_run_with_a_message_and_with_more_room_it_goes_on(runs, tmp_path):
    runs.fill_the_disk(tmp_path, 0.5)
