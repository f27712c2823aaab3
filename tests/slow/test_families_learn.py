"""The examples that docs/results.md tells of, made short."""

import json
import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).parents[2]


def run(script, *arguments):
    command = [sys.executable, str(REPO / "examples" / script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_a_family_that_the_model_has_never_seen_is_learned(tmp_path):
    run("train_families.py", "draw-line", "--out", tmp_path, "--steps", 15, "--episodes", 128, "--validation", 64)
    figures = json.loads((tmp_path / "draw-line" / "figures.json").read_text())
    before, after = (figures[stage]["sampled"]["success"] for stage in ("before", "after"))
    assert after > 0.92 and after - before > 0.15
    table = run("results_table.py", tmp_path)
    assert "`draw-line`" in table and table.count("\n") == 3


def test_an_ablation_has_a_row_for_each_run_and_a_chart(tmp_path):
    out, chart = tmp_path / "ablation", tmp_path / "chart.png"
    run("ablate.py", "--out", out, "--steps", 4, "--seeds", 1, "--validation", 16, "--demonstrations", 1, "--warmups", 2)
    table = run("results_table.py", out, "--chart", chart)
    assert len(table.splitlines()) == 2 + 7 and "group size | 16" in table and "warm-up | 2 steps" in table
    assert chart.stat().st_size > 10_000
