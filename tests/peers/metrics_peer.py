"""Compare our metrics with those of OSWorld's own client (PyPI ``desktop-env``) on the same inputs.

    python tests/peers/metrics_peer.py --python VENV/bin/python [--metric NAME ...] [--json FILE]
    python tests/peers/metrics_peer.py --venv DIR          # makes DIR, which takes minutes and needs a package index

Cases come from ``tests/peers/metric_cases``: a ``NAME.json`` holds a list of cases, a ``NAME.py`` has a function
``cases(folder)`` that makes files in ``folder`` and returns such a list. A case is an object::

    {"name": "what it is", "metric": "compare_table", "result": INPUT, "expected": INPUT, "options": {...},
     "reason": "why theirs is wrong, where it is"}

An input is a JSON value; ``{"file": "images/a.png"}`` stands for the path of a file of ``tests/gui_gym/verifiers/files``, or
of an absolute path, and ``{"text": "...", "as": "a.csv"}`` for a file with that text; ``{"files": [...]}`` is a list of such.
``expected`` and ``options`` may be missing. Two verdicts agree if the scores are equal or both sides raise.

Prints a table of each metric's counts and of every disagreement; the exit code is 1 if one has no reason.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from desktop_env_venv import make_venv

from gui_gym import Task
from gui_gym.desktops.x11 import X11Desktop
from gui_gym.tasks.setup import Stage
from gui_gym.verifiers.osworld.metrics import ON_DESKTOP, as_score, load_metric

HERE = Path(__file__).parent
FILES = HERE.parent / "gui_gym" / "verifiers" / "files"
THEIRS = HERE / "desktop_env_metrics.py"
#: What their metrics import; ``desktop-env`` itself comes without its dependencies, which no environment of today can hold together.
LIBRARIES = (
    "beautifulsoup4", "borb", "cssselect", "fastdtw", "formulas", "imagehash", "librosa", "lxml", "mutagen", "numpy", "odfpy",
    "opencv-python-headless", "openpyxl", "pandas", "pdfplumber", "pillow", "pyacoustid", "pymupdf", "pypdf", "PyPDF2", "python-docx",
    "python-pptx", "pyyaml", "rapidfuzz", "requests", "scikit-image", "scipy", "tldextract", "xmltodict",
)  # fmt: skip
SECONDS = 900  #: most time that all their metrics take


def load_cases(folder: Path) -> list[dict[str, Any]]:
    """All cases, with inputs as their metrics and ours get them; files are made in ``folder``."""
    found: list[dict[str, Any]] = []
    sys.path.insert(0, str(FILES.parent))  # where the tests are whose cases they take
    for source in sorted((HERE / "metric_cases").iterdir()):
        own = folder / source.stem
        own.mkdir(exist_ok=True)
        if source.suffix == ".json":
            cases = json.loads(source.read_text(encoding="utf-8"))
        elif source.suffix == ".py":
            spec = importlib.util.spec_from_file_location(f"metric_cases_{source.stem}", source)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            cases = module.cases(own)
        else:
            continue
        for index, case in enumerate(cases):
            sides = {side: resolve(case[side], own / f"{index}-{side}") for side in ("result", "expected") if side in case}
            found.append({"options": {}, "reason": "", **case, **sides, "source": source.name})
    return found


def resolve(value: Any, folder: Path) -> Any:
    """An input of a case as a metric gets it."""
    if isinstance(value, dict) and set(value) == {"file"}:
        return str(FILES / value["file"])
    if isinstance(value, dict) and set(value) == {"files"}:
        return [resolve(item, folder / str(index)) for index, item in enumerate(value["files"])]
    if isinstance(value, dict) and set(value) == {"text", "as"}:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / value["as"]).write_text(value["text"], encoding="utf-8")
        return str(folder / value["as"])
    return value


def ours(case: dict[str, Any], stage: Callable[[], Stage]) -> Any:
    """Our score, or the error as a text; ``stage`` gives one for metrics that act on a desktop."""
    arguments = [case[side] for side in ("result", "expected") if side in case]
    try:
        metric = load_metric(case["metric"])
        return as_score(metric(*arguments, **case["options"], **({"stage": stage()} if metric in ON_DESKTOP else {})))
    except Exception as error:  # each metric has errors of its own, and all are verdicts here
        return f"{type(error).__name__}: {error}"[:300]


def theirs(cases: list[dict[str, Any]], python: Path) -> list[Any]:
    """Their scores, or errors as texts, in the order of ``cases``."""
    with tempfile.TemporaryDirectory() as folder:  # some of them leave files where they run
        done = subprocess.run([python.absolute(), THEIRS], input=json.dumps(cases), capture_output=True, text=True, timeout=SECONDS, cwd=folder)
    if done.returncode:
        raise SystemExit(f"{THEIRS.name} failed in {python}:\n{done.stderr[-2000:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


@contextmanager
def desktop_stage(folder: Path) -> Iterator[Callable[[], Stage]]:
    """Gives a stage on a real desktop that is started when the first metric asks for it."""
    task = Task("peer", "test", "compare")
    started: list[X11Desktop] = []

    def stage() -> Stage:
        if not started:
            started.append(X11Desktop(640, 480, spares=0))
            started[0].reset(task, 0)
        return Stage(task, started[0], folder)

    try:
        yield stage
    finally:
        for desktop in started:
            desktop.close()


def agree(one: Any, other: Any) -> bool:
    """Whether two verdicts are the same."""
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and isinstance(other, str)
    return abs(one - other) < 1e-6


def main() -> int:
    """Run the comparison; 1 if there is a disagreement without a reason."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--python", type=Path, help="interpreter of an environment that has desktop-env and what its metrics import")
    where.add_argument("--venv", type=Path, help="folder of such an environment, made if it is not there")
    parser.add_argument("--metric", action="append", help="only cases of this metric (may be repeated)")
    parser.add_argument("--json", type=Path, help="write all verdicts to this file")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gui-gym-peer-") as folder:
        cases = [case for case in load_cases(Path(folder)) if not given.metric or case["metric"] in given.metric]
        verdicts = theirs(cases, given.python or make_venv(given.venv, LIBRARIES))
        with desktop_stage(Path(folder)) as stage:
            rows = [{**case, "ours": ours(case, stage), "theirs": verdict} for case, verdict in zip(cases, verdicts, strict=True)]
    for row in rows:
        row["verdict"] = "agree" if agree(row["ours"], row["theirs"]) else "reason" if row["reason"] else "UNEXPLAINED"
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1, ensure_ascii=False), encoding="utf-8")
    report(rows)
    return int(any(row["verdict"] == "UNEXPLAINED" for row in rows))


def report(rows: list[dict[str, Any]]) -> None:
    """Print the counts of each metric, and every disagreement."""
    for row in rows:
        if row["verdict"] != "agree":
            print(f"{row['verdict']:12} {row['metric']}: {row['name']}\n    ours {row['ours']}, theirs {row['theirs']}\n    {row['reason']}")
        elif row["reason"]:
            print(f"a reason that is not needed: {row['metric']}: {row['name']}")
    for metric in [*sorted({row["metric"] for row in rows}), "all"]:
        count = Counter(row["verdict"] for row in rows if metric in (row["metric"], "all"))
        counts = ", ".join(f"{count[kind]:4} {kind}" for kind in ("agree", "reason", "UNEXPLAINED"))
        print(f"{metric:50} {sum(count.values()):5} cases: {counts}")


if __name__ == "__main__":
    sys.exit(main())
