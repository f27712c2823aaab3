"""The log of a run."""

import json

import pytest

from agents.logs import FILE, RunLog, progress, read_log


def test_appends_and_reads_back(tmp_path):
    with RunLog(tmp_path, tensorboard=False) as log:
        log.write("train", 1, {"loss": 0.5})
        log.write("eval", 1, {"success": 0.25})
    assert [(r["kind"], r["step"]) for r in read_log(tmp_path)] == [("train", 1), ("eval", 1)]
    assert [r["loss"] for r in read_log(tmp_path, "train")] == [0.5]


def test_resuming_repeats_no_line(tmp_path):
    with RunLog(tmp_path, tensorboard=False) as log:
        for step in range(1, 8):
            log.write("train", step, {"loss": step})
    with (tmp_path / FILE).open("a") as file:
        file.write('{"kind": "train", "st')  # killed in the middle of a line
    with RunLog(tmp_path, resume_at=5, tensorboard=False) as log:
        for step in (6, 7, 8):
            log.write("train", step, {"loss": 10 * step})
    assert [(r["step"], r["loss"]) for r in read_log(tmp_path)] == [*((s, s) for s in range(1, 6)), (6, 60), (7, 70), (8, 80)]


def test_a_run_is_not_written_over(tmp_path):
    with RunLog(tmp_path, tensorboard=False) as log:
        log.write("train", 1, {})
    with pytest.raises(ValueError, match="resume that run, or choose another folder"):
        RunLog(tmp_path)


def test_damage_in_the_middle_is_an_error(tmp_path):
    (tmp_path / FILE).write_text('{"kind"\n' + json.dumps({"kind": "train", "step": 1}) + "\n")
    with pytest.raises(ValueError, match="line 1"):
        read_log(tmp_path)


def test_tensorboard_has_the_same_numbers(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    with RunLog(tmp_path) as log:
        for step in (1, 2):
            log.write("train", step, {"loss": 0.5 * step, "note": "text is not a scalar"})
    events = EventAccumulator(str(tmp_path / "tensorboard"))
    events.Reload()
    assert [(e.step, e.value) for e in events.Scalars("train/loss")] == [(1, 0.5), (2, 1.0)]


def test_no_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match="expected the folder of a run"):
        read_log(tmp_path)


def test_progress_is_plain_lines_where_there_is_no_terminal(capsys):
    with progress("training", 3, every=0.0) as bar:
        bar.update(1, "success 50 %")
        bar.note("eval done")
        bar.update(3, "success 75 %")
    assert capsys.readouterr().err.splitlines() == ["training: 1/3  success 50 %", "eval done", "training: 3/3  success 75 %"]


def test_what_is_no_number_is_null(tmp_path):
    with RunLog(tmp_path, tensorboard=False) as log:
        log.write("train", 1, {"loss": float("nan"), "grad_norm": float("inf"), "rows": 2.0})
    (line,) = (tmp_path / "metrics.jsonl").read_text().splitlines()
    assert "NaN" not in line and "Infinity" not in line
    assert {k: v for k, v in read_log(tmp_path)[0].items() if k != "time"} == {
        "kind": "train",
        "step": 1,
        "loss": None,
        "grad_norm": None,
        "rows": 2.0,
    }
