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


def test_a_run_that_is_killed_again_and_again_gives_the_same_numbers(runs, tmp_path):
    """At points drawn from all that it does between two writes; ``make test-slow`` kills at twenty of each way."""
    calls, rng, out = runs.straight("full")[1], random.Random("full"), tmp_path / "run"
    for _ in range(2):
        status, text = runs.zygote.run(runs.go_on(out, "full"), at=rng.randrange(1, len(calls) // 2))
        assert status == -9, text
    runs.check(out, "full", runs.zygote.run(runs.go_on(out, "full")))


def test_a_run_that_is_killed_and_asked_to_stop_in_each_way_gives_the_same_numbers(runs, tmp_path):
    """One life after the other: each ends as it should, and the next goes on from there."""
    out = tmp_path / "run"

    def life(expected, *saved, **job):
        status, text = runs.zygote.run(runs.go_on(out, "lora"), **job)
        assert status == expected and "Traceback" not in text, text
        assert checkpoints.steps(out / "checkpoints")[-1:] == list(saved)
        return text

    def said(text, name, step):
        assert "stopping: the run is saved first. Once more to stop now" in text
        assert f"gui-agents: stopped by {name}, the run is saved as of step {step}: gui-agents train --resume {out} goes on" in text

    life(-9, only="state", at=1)  # before its first checkpoint is there
    said(life(130, 0, only="generate", at=1, signals=["SIGINT"]), "SIGINT", 0)  # the first measurement, which is left
    life(-9, 0, only="optimiser", at=2)
    text = life(143, 0, only="optimiser", at=1, signals=["SIGINT", "SIGTERM"])  # the second at once
    assert "saved as of" not in text
    said(life(143, 1, only="optimiser", at=1, signals=["SIGTERM"]), "SIGTERM", 1)  # an update, which is finished
    life(-9, 1, only="log", at=1)  # in the middle of a line
    runs.check(out, "lora", runs.zygote.run(runs.go_on(out, "lora")))


def test_a_full_disk_stops_the_run_with_a_message_and_with_more_room_it_goes_on(runs, tmp_path):
    runs.fill_the_disk(tmp_path, 0.5)
