"""Documents with broken parts, as the agent's result: a score and never an exception, whatever the libraries raise."""

from __future__ import annotations

import random
import re
import sys
import zipfile
from pathlib import Path

import pytest

for library in ("openpyxl", "docx", "rapidfuzz", "skimage", "lxml"):
    pytest.importorskip(library)

sys.path.insert(0, str(Path(__file__).parents[1] / "gui_gym" / "verifiers"))

from office_cases import DOCUMENTS, HERE, RULES  # noqa: E402

from gui_gym.verifiers.osworld.metrics import load_metric  # noqa: E402

VALUES = [b"", b"-1", b"99999999999", b"x", b"A1:ZZZ9", b"1e999", b"0", b"true", b"\xff", b"rId1"]


def broken(source: Path, target: Path, rng: random.Random) -> str:
    """A copy of an archive with one to four changes: a part missing or cut, a value changed, a tag missing."""
    with zipfile.ZipFile(source) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for _ in range(rng.choice([1, 1, 2, 4])):
        name = rng.choice([name for name in parts if name.endswith((".xml", ".rels"))])
        data, kind = parts[name], rng.random()
        if kind < 0.1:
            del parts[name]
        elif kind < 0.2:
            parts[name] = data[: rng.randrange(len(data) + 1)]
        elif found := list(re.finditer(rb'"([^"]*)"' if kind < 0.6 else rb"(<[^>]*>)", data)):
            match = rng.choice(found)
            parts[name] = data[: match.start(1)] + (rng.choice(VALUES) if kind < 0.6 else b"") + data[match.end(1) :]
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return str(target)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_broken_files_get_a_score(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    scores = []
    for _ in range(10):
        book = broken(HERE / "sales.xlsx", tmp_path / "a.xlsx", rng)
        for rule in rng.sample([rule for rule in RULES.values() if rule["type"] != "sheet_print"], 4):
            scores.append(load_metric("compare_table")(book, str(HERE / "sales.xlsx"), rules=[rule]))
        for metric, expected, _ in rng.sample(DOCUMENTS, 4):
            source = HERE / ("notes.odt" if metric == "check_highlighted_words" else "essay.docx")
            gold = [] if expected is None else [str(source) if expected == "itself" else expected]
            scores.append(load_metric(metric)(broken(source, tmp_path / f"a{source.suffix}", rng), *gold))
    assert all(0 <= score <= 1 for score in scores) and 0 in scores
