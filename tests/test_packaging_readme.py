"""The README says what is so."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parent.parent
TEXT = (REPO / "README.md").read_text()


def test_it_is_short():
    assert len(TEXT.splitlines()) < 100


def test_its_python_runs(tmp_path):
    (block,) = re.findall("```python\n(.*?)```", TEXT, re.S)
    assert len([line for line in block.splitlines() if line.strip()]) <= 10
    done = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^1\.0 after \d+ steps$", done.stdout, re.M)


@pytest.mark.skipif(not (REPO / "examples").is_dir(), reason="needs the whole repository")
def test_its_links_and_picture_exist():
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", TEXT) if "://" not in link]
    assert links and [link for link in links if not (REPO / link).exists()] == []
    assert (REPO / "assets/readme/desktop.png").stat().st_size < 200_000


def test_its_ids_are_registered():
    import gui_gym

    assert set(re.findall(r"^\| `(Gui\w+-v\d)`", TEXT, re.M)) == set(gui_gym.ENVIRONMENTS)


def test_its_make_targets_exist():
    targets = set(re.findall(r"^([a-z-]+):", (REPO / "Makefile").read_text(), re.M))
    assert set(re.findall(r"make ([a-z-]+)", TEXT)) <= targets


def test_the_quickstart_runs(tmp_path):
    done = subprocess.run([sys.executable, REPO / "examples/quickstart.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and (tmp_path / "quickstart.png").exists(), done.stderr
