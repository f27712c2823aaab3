"""The log of a run."""

import json
import os
import subprocess
import sys

import pytest

from agents.logs import FILE, RunLog, progress, read_log


def test_appends_and_reads_back(tmp_path):
    with RunLog(tmp_path) as log:
        log.write("train", 1, {"loss": 0.5})
        log.write("eval", 1, {"success": 0.25})
    assert [(r["kind"], r["step"]) for r in read_log(tmp_path)] == [("train", 1), ("eval", 1)]
    assert [r["loss"] for r in read_log(tmp_path, "train")] == [0.5]


def test_resuming_repeats_no_line(tmp_path):
    with RunLog(tmp_path) as log:
        for step in range(1, 8):
            log.write("train", step, {"loss": step})
    with (tmp_path / FILE).open("a") as file:
        file.write('{"kind": "train", "st')  # killed in the middle of a line
    with RunLog(tmp_path, resume_at=5) as log:
        for step in (6, 7, 8):
            log.write("train", step, {"loss": 10 * step})
    assert [(r["step"], r["loss"]) for r in read_log(tmp_path)] == [*((s, s) for s in range(1, 6)), (6, 60), (7, 70), (8, 80)]


def test_a_run_is_not_written_over(tmp_path):
    with RunLog(tmp_path) as log:
        log.write("train", 1, {})
    with pytest.raises(ValueError, match="resume that run, or choose another folder"):
        RunLog(tmp_path)


def test_damage_in_the_middle_is_an_error(tmp_path):
    (tmp_path / FILE).write_text('{"kind"\n' + json.dumps({"kind": "train", "step": 1}) + "\n")
    with pytest.raises(ValueError, match="line 1"):
        read_log(tmp_path)


def test_tensorboard_has_the_same_numbers(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    with RunLog(tmp_path, logs=("tensorboard",)) as log:
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
    with RunLog(tmp_path) as log:
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


STUB = '''
"""The calls that wandb and trackio share: points go to a file at once, and nothing is ever taken back."""
import json, os

class Settings:
    def __init__(self, **kwargs):
        self.kwargs = kwargs

class Run:
    def __init__(self, given):
        self.key = given.get("id") or given["name"]
        line(["init", self.key, given["project"], given["resume"], given["config"]])

    def log(self, values, step):
        line([self.key, step, values])

def line(what):
    with open(os.environ["STUB_FILE"], "a") as file:
        file.write(json.dumps(what) + "\\n")

def init(**given):
    print("hello from the tracker")
    return Run(given)

def finish():
    print("bye")
'''


@pytest.fixture(params=["wandb", "trackio"])
def tracker(request, tmp_path, monkeypatch):
    """Name of a tracker, and a function that gives what it was sent."""
    monkeypatch.delitem(sys.modules, request.param, raising=False)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / f"{request.param}.py").write_text(STUB)
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.setenv("STUB_FILE", str(tmp_path / "sent"))
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path / 'site'}{os.pathsep}{os.getcwd()}")
    yield request.param, lambda: [json.loads(line) for line in (tmp_path / "sent").read_text().splitlines()]
    sys.modules.pop(request.param, None)


def test_trackers_get_each_point_once_though_steps_are_done_again(tracker, tmp_path, capsys):
    name, sent = tracker
    about = {"seed": 1}
    log = RunLog(tmp_path / "run", logs=(name,), about=about)
    for step in (1, 2, 3):
        log.write("train", step, {"loss": 0.5 * step, "note": "no number", "unknown": None, "bad": float("nan")})
        if step == 2:
            log.write("eval", step, {"success": 0.25})
            log.write("warning", step, {"text": "no number at all"})
    # killed here: nothing is closed
    with RunLog(tmp_path / "run", resume_at=1, logs=(name,), about=about) as log:
        for step in (2, 3, 4):
            log.write("train", step, {"loss": 0.5 * step})
        log.write("eval", 4, {"success": 0.5})
    with pytest.raises(ValueError, match="resume that run"):
        RunLog(tmp_path / "run", logs=(name,), about=about)
    first, *points = sent()
    (again,) = [p for p in points if p[0] == "init"]
    assert first == again == ["init", first[1], "gui-gym", "allow", about]
    assert [p[1:] for p in points if p[0] != "init"] == [
        [1, {"train/loss": 0.5}],
        [2, {"train/loss": 1.0}],
        [2, {"eval/success": 0.25}],
        [3, {"train/loss": 1.5}],
        [4, {"train/loss": 2.0}],
        [4, {"eval/success": 0.5}],
    ]
    assert capsys.readouterr().out == ""  # standard output is for results


WRITER = """
import sys
from pathlib import Path
from agents.logs import RunLog
folder, at, name = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
log = RunLog(folder, int(at) if at != "new" else None, (name,))
for step in range(int(at) + 1 if at != "new" else 1, 100_000):
    log.write("train", step, {"loss": step / 7, "text": "x" * (step % 50)})
    print(step, flush=True)
"""


def test_killed_at_any_moment_and_resumed_nothing_appears_twice(tracker, tmp_path):
    name, sent = tracker
    at = "new"
    for lines in (3, 17, 31):
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path / "run"), at, name], stdout=subprocess.PIPE, text=True)
        for _ in range(lines):
            at = str(max(1, int(process.stdout.readline()) - 2))  # the last checkpoint is some steps old
        process.kill()
        process.communicate()
    with RunLog(tmp_path / "run", resume_at=int(at), logs=(name,)) as log:
        log.write("train", int(at) + 1, {"loss": 0.0})
    assert [r["step"] for r in read_log(tmp_path / "run")] == list(range(1, int(at) + 2))
    steps = [p[1] for p in sent() if p[0] != "init"]
    assert steps == sorted(set(steps)) and len({p[0] for p in sent() if p[0] != "init"}) == 1


@pytest.mark.parametrize("name", ["wandb", "trackio"])
def test_a_tracker_that_is_not_installed(tmp_path, monkeypatch, name):
    monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr("agents.sinks.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=rf'pip install "gui-gym\[{name}\]", or leave {name} out of --logs'):
        RunLog(tmp_path / "run", logs=(name,))
    assert not (tmp_path / "run").exists()


def test_unknown_log_targets(tmp_path):
    for logs in (("tensorbord",), ("tensorboard", "tensorboard")):
        with pytest.raises(ValueError, match="expected some of tensorboard, wandb, trackio, each once"):
            RunLog(tmp_path / "run", logs=logs)
    assert not (tmp_path / "run").exists()


def test_tensorboard_forgets_what_a_resumed_run_does_again(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    first = RunLog(tmp_path, logs=("tensorboard",))
    for step in (1, 2, 3):
        first.write("train", step, {"loss": 1.0 * step})
    first.close()
    (event_file,) = (tmp_path / "tensorboard").iterdir()
    event_file.write_bytes(event_file.read_bytes()[:-3])  # killed in the middle of a point
    with RunLog(tmp_path, resume_at=2, logs=("tensorboard",)) as log:
        for step in (3, 4):
            log.write("train", step, {"loss": 10.0 * step})
    events = EventAccumulator(str(tmp_path / "tensorboard"))
    events.Reload()
    assert [(e.step, e.value) for e in events.Scalars("train/loss")] == [(1, 1.0), (2, 2.0), (3, 30.0), (4, 40.0)]
