"""The demo itself, with tiny numbers: every part of it runs, and what it writes is what it measured."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_demo(tmp_path):
    out = tmp_path / "demo"
    arguments = "--episodes 16 --warmup-steps 2 --steps 2 --groups 2 --group-size 2 --hidden 32 --threads 1 --seed 3".split()
    command = [sys.executable, str(ROOT / "examples" / "demo.py"), "--out", str(out), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    figures = json.loads((out / "figures.json").read_text())
    assert {figures[stage][mode]["scored"] for stage in ("before", "after") for mode in ("sampled", "greedy")} == {16.0}
    assert figures["random"]["scored"] == 16
    assert f"report: {out / 'report.html'}" in done.stdout and "95 % interval" in done.stdout
    page = re.sub("</?bdi>", "", (out / "report.html").read_text())
    rate = f"{100 * figures['random']['success']:.1f} %"
    assert rate in page and "after GRPO, sampled" in page and "<svg" in page
    assert page.count("policy: before GRPO") == page.count("policy: after GRPO") == 6
    assert len(list((out / "episodes").iterdir())) == 12
    assert (out / "train" / "checkpoints" / "step-000002" / "run.json").is_file()
    assert "warm-up" in done.stderr and "success" in done.stderr  # progress without a terminal
