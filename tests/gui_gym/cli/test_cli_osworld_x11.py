"""``gui-gym tasks --coverage`` and ``gui-gym verify`` on tasks in OSWorld's format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("tyro")
pytest.importorskip("xcffib")

from gui_gym.cli import main
from gui_gym.desktops.x11.sandbox import probe

needs_sandbox = pytest.mark.skipif(not probe().ok, reason="needs the x11 desktop: make system")
CORPUS = Path(__file__).parents[4] / "shared" / "corpora" / "osworld"


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    status = main(list(argv))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@needs_sandbox
def test_verify_plays_through_the_env(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    argv = ["verify", "append-line", "bold-word", "--suite", "osworld", "--record", str(tmp_path), "--json"]
    status, out, err = run(capsys, *argv)
    records = json.loads(out)
    assert status == 0 and err == ""
    assert [(r["id"], r["ok"], r["scripted"], r["no_op"], r["runs"], r["skipped"]) for r in records] == [
        ("append-line", True, 1.0, 0.0, 1, []),
        ("bold-word", True, 1.0, 0.0, 1, []),
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["append-line-0", "bold-word-0"]


def own_folder(folder: Path, **evaluator: object) -> Path:
    """A folder with one task that asks for a file, and a solution that makes none."""
    (folder / "solutions").mkdir(parents=True)
    spec = {"func": "exact_match", "result": {"type": "vm_command_line", "command": ["echo", "x"]}, **evaluator}
    rule = {"type": "rule", "rules": {"expected": "x\n"}}
    (folder / "mine.json").write_text(json.dumps({"id": "mine", "instruction": "?", "config": [], "evaluator": {"expected": rule, **spec}}))
    (folder / "solutions" / "mine.json").write_text('["done()"]')
    return folder


@needs_sandbox
def test_a_task_that_doing_nothing_solves_is_not_as_it_ought_to_be(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status, out, _ = run(capsys, "verify", "--suite", "osworld", "--tasks", str(own_folder(tmp_path)), "--json")
    (record,) = json.loads(out)
    assert status == 1 and (record["ok"], record["scripted"], record["no_op"]) == (False, 1.0, 1.0)


@needs_sandbox
def test_an_unscored_run_is_a_problem_and_no_figure(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = own_folder(tmp_path, result={"type": "vm_command_line", "command": ["no-such-program"]})
    status, out, err = run(capsys, "verify", "--suite", "osworld", "--tasks", str(folder), "--json")
    (record,) = json.loads(out)
    assert status == 1 and record["scripted"] == record["no_op"] == 0.5 and "no-such-program" in err


@needs_sandbox
def test_what_cannot_run_is_skipped_with_its_reasons(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = own_folder(tmp_path, func="no_such_metric")
    status, out, _ = run(capsys, "verify", "--suite", "osworld", "--tasks", str(folder), "--json")
    (record,) = json.loads(out)
    assert status == 0 and record["scripted"] is None and record["skipped"] == ["evaluator: metric 'no_such_metric' is not supported"]


def test_coverage_says_what_stands_in_the_way(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = own_folder(tmp_path, func="no_such_metric")
    (folder / "other.json").write_text(
        json.dumps(
            {
                "id": "other",
                "instruction": "?",
                "config": [{"type": "launch", "parameters": {"command": ["no-such-program"]}}, {"type": "login", "parameters": {"a": 1}}],
                "evaluator": {"func": "infeasible"},
            }
        )
    )
    status, out, _ = run(capsys, "tasks", "--suite", "osworld", "--tasks", str(folder), "--coverage", "--json")
    found = json.loads(out)
    assert status == 0 and (found["loaded"], found["infeasible"], found["total_uses"], found["supported_uses"], found["runnable_here"]) == (
        2,
        1,
        2,
        1,
        0,
    )
    assert {row["reason"] for row in found["unsupported"]} == {
        "metric 'no_such_metric' is not supported",
        "config: step type 'login' is not supported: it needs an account of the Internet and its password",
    }
    assert "the program 'no-such-program' is not on the desktop" in found["tasks"]["other"]
    assert run(capsys, "tasks", "--suite", "osworld", "--tasks", str(folder), "--coverage")[1].startswith("2 tasks load")
    assert run(capsys, "tasks", "--coverage")[0] == 2


@pytest.mark.skipif(not CORPUS.is_dir(), reason="OSWorld's task files are not here")
def test_of_the_published_tasks_nearly_all_uses_are_supported(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("playwright")
    status, out, _ = run(capsys, "tasks", "--suite", "osworld", "--tasks", str(CORPUS), "--coverage", "--json")
    found = json.loads(out)
    assert status == 0 and found["loaded"] == 369
    assert found["supported_uses"] >= 0.95 * found["total_uses"] and found["total_uses"] == 438
    assert all(row["reason"].count(":") for row in found["unsupported"]), "what is not supported has its reason"
