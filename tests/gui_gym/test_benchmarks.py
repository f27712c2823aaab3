"""Benchmarks measure what they say they do; how fast that is, no test asks."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gui_gym import ActionType, DesktopError
from gui_gym.benchmarks import Record, measure, peers, sim, sim_vector
from gui_gym.spaces import split_actions


@pytest.fixture(autouse=True)
def briefly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "SECONDS", 0.03)


def check(record: Record, name: str, unit: str) -> None:
    assert record.keys() == Record.__annotations__.keys() and (record["name"], record["unit"]) == (name, unit)
    assert record["value"] > 0 and json.dumps(record, allow_nan=False)
    for other, ratio in (("reference", "ratio"), ("peer", "peer_ratio")):
        assert (record[other] is None) == (record[ratio] is None)  # type: ignore[literal-required]


def test_ratios_are_the_higher_the_better() -> None:
    faster, quicker = measure.record("a", 30, "1/s", 10, 60), measure.record("b", 30, "ms", 10, 60, higher_is_better=False)
    assert (faster["ratio"], faster["peer_ratio"]) == (3.0, 0.5) and (quicker["ratio"], quicker["peer_ratio"]) == (0.3333, 2.0)


def test_records_of_the_simulated_desktop() -> None:
    check(sim.step(640, 400), "sim.step", "steps/s")
    check(sim.snapshot(640, 400), "sim.snapshot", "ms")
    if Path("/proc/self/statm").exists():
        record = sim.memory(320, 200, 3)
        assert record["name"] == "sim.memory" and record["reference"] == pytest.approx(320 * 200 * 3 / 1e6, abs=1e-3)


def test_reset_draws_all_families_by_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sim, "milliseconds", lambda once, count, clock: measure.milliseconds(once, 3, clock))
    check(sim.reset(640, 400), "sim.reset", "ms")


def test_limits_and_peers_are_positive() -> None:
    assert sim_vector.copying(2, 64, 48) > 0 and sim_vector.trivial(2, 64, 48) > 0 and sim_vector.batched(2, 320, 180) > 0


def test_the_mix_has_all_three_kinds_and_changes_screens_and_texts() -> None:
    vec = sim_vector.mixed(4, 640, 400)
    assert len({env.task.params["family"] for env in vec.envs if env.task}) == 4
    steps, kinds, changed = sim_vector.batches(vec), set(), 0
    before = vec.step(next(steps))[0]
    for _ in range(3 * sim_vector.TURNS):
        batch = next(steps)
        kinds |= {ActionType(each["type"]) for each in split_actions(batch, 4)}
        frames, _, terminations, truncations, infos = vec.step(batch)
        assert not (terminations | truncations).any() and not any(infos["action_error"])
        changed += int((frames != before).any(axis=(1, 2, 3)).sum())
        before = frames
    assert kinds == {ActionType.MOVE, ActionType.CLICK, ActionType.TYPE} and changed > 4 * sim_vector.TURNS
    vec.close()


def program(folder: Path, text: str) -> Path:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    os.chmod(path, 0o755)
    return path


def test_miniwob_is_measured_by_another_python(tmp_path: Path) -> None:
    said = json.dumps([{"task": t, "steps_per_second": s, "reset_ms": 90.0} for t, s in (("a", 5.0), ("b", 10.0), ("c", 50.0))])
    step, reset = peers.miniwob(program(tmp_path, f"test -f \"$1\" && echo '{said}'"))
    check(step, "sim.peer.miniwob.step", "steps/s")
    check(reset, "sim.peer.miniwob.reset", "ms")
    assert (step["peer"], reset["peer"]) == (10.0, 90.0)
    assert step["peer_ratio"] == pytest.approx(step["value"] / 10, rel=0.01) and reset["peer_ratio"] == pytest.approx(90 / reset["value"], rel=0.01)


def test_a_peer_that_does_not_run_says_why(tmp_path: Path) -> None:
    with pytest.raises(DesktopError, match="No module named miniwob"):
        peers.miniwob(program(tmp_path, "echo ModuleNotFoundError: No module named miniwob >&2; exit 1"))
    for run in (peers.miniwob, peers.run):
        with pytest.raises(DesktopError, match="did not run"):
            run(tmp_path / "missing")
    with pytest.raises(DesktopError, match="did not run: what is this"):
        peers.run(program(tmp_path, "echo what is this >&2; exit 1"))


def test_the_peers_that_are_there_are_measured_and_the_others_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one = measure.record("x11.peer.step", 1.0, "ms", peer=2.0)
    monkeypatch.setattr(peers.x11_beside_peer, "run", lambda python: [one])
    assert peers.run(program(tmp_path, 'test "$3" != miniwob || echo miniwob')) == [one]
    assert "not measured beside MiniWoB++" in (said := capsys.readouterr().err) and "has no miniwob" in said
    with pytest.raises(DesktopError, match="has no peer"):
        peers.run(program(tmp_path, "shift 2; echo $*"))
    assert "has no flask, pyautogui, PIL" in capsys.readouterr().err


def test_a_server_beside_us_that_does_not_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(DesktopError, match="did not start: no display"):
        peers.x11_beside_peer.Server(program(tmp_path, "echo no display >&2; exit 1"))
