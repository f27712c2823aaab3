"""The tasks that are shipped: what they cover, what they name, and that their evaluators tell the start from the goal."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from gui_gym.assets_path import asset
from gui_gym.tasks import Task, load_suite
from gui_gym.tasks.content_cache import base_name, cache_folder, cached_file
from gui_gym.verifiers.osworld.getters import gold_file, named_files
from gui_gym.verifiers.osworld.metrics import ON_DESKTOP, load_metric

CORPUS = Path(os.environ.get("GUI_GYM_OSWORLD_TASKS", Path(__file__).parents[4] / "shared" / "corpora" / "osworld"))
#: How often the 369 tasks of OSWorld use the 20 metrics that they use most, "infeasible" among them; the last is one of four in its place.
MOST_USED = {
    "compare_table": 62, "compare_pptx_files": 53, "infeasible": 29, "check_direct_json_object": 22, "check_include_exclude": 21,
    "exact_match": 18, "compare_docx_files": 16, "compare_pdfs": 13, "is_expected_url_pattern_match": 12, "check_list": 8, "compare_images": 7,
    "check_json_settings": 7, "compare_text_file": 6, "is_extension_installed": 6, "compare_docx_tables": 5, "diff_text_file": 5,
    "check_mp3_meta": 5, "is_expected_active_tab": 5, "compare_csv": 4, "is_expected_tabs": 4,
}  # fmt: skip
needs_osworld = pytest.mark.skipif(importlib.util.find_spec("openpyxl") is None, reason="needs the extra osworld")
#: What the agent's result is compared with there is not how it should look.
FROM_START = {"check_image_mirror"}

SUITE = load_suite("osworld")
TASKS = [SUITE.get(i) for i in SUITE.ids()]


def funcs(task: Mapping[str, Any] | Task) -> list[str]:
    func = task.verifier["func"] if isinstance(task, Task) else task["evaluator"]["func"]
    return [func] if isinstance(func, str) else list(func)


def parts(task: Task) -> Iterator[tuple[str, Any, Any, dict[str, Any]]]:
    """Metric, result, expected and options of each part of the evaluator."""
    names = funcs(task)
    many = isinstance(task.verifier["func"], list)
    for index, name in enumerate(names):
        result, expected, options = (
            (task.verifier[key][index] if many else task.verifier[key]) if task.verifier.get(key) else None
            for key in ("result", "expected", "options")
        )
        yield name, result, expected, options or {}


def test_there_are_enough_of_all_kinds() -> None:
    assert len(TASKS) >= 25 and sum(not task.feasible for task in TASKS) >= 2
    apps = Counter(app for task in TASKS for app in task.params["apps"])
    for app in ("libreoffice_calc", "libreoffice_writer", "libreoffice_impress", "gimp", "vlc", "chrome", "thunar", "terminal", "mousepad", "gedit"):
        assert apps[app], app
    assert sum(len(task.params["apps"]) > 1 for task in TASKS) >= 2
    assert len({task.instruction for task in TASKS}) == len(TASKS)


def test_the_most_used_metrics_are_covered() -> None:
    assert len(MOST_USED) == 20
    assert set(MOST_USED) <= {func for task in TASKS for func in funcs(task)}


@pytest.mark.skipif(not (CORPUS / "examples").is_dir(), reason="OSWorld's task files are not here")
def test_the_most_used_metrics_are_those() -> None:
    counts = Counter(func for path in CORPUS.glob("examples/*/*.json") for func in funcs(json.loads(path.read_text())))
    assert {name: counts[name] for name in MOST_USED} == MOST_USED
    assert sorted(counts.values(), reverse=True)[:20] == sorted(MOST_USED.values(), reverse=True)


@needs_osworld
def test_a_script_makes_all_their_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(asset("tasks").parent))
    makers = importlib.import_module("osworld_files.registry").MAKERS
    for module in ("media", "office", "pages", "texts"):
        importlib.import_module(f"osworld_files.{module}")
    assert set(makers) == {task.id for task in TASKS if cache_folder(task).is_dir()}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_it_names_its_files_and_no_others(task: Task) -> None:
    used: set[Path | None] = set()
    for step in [*task.setup, *task.verifier.get("postconfig", [])]:
        for file in step["parameters"]["files"] if step["type"] == "download" else []:
            assert file["url"].startswith(("https://files.example/gui-gym/", "https://example.com/gui-gym/")) and f"/{task.id}/" in file["url"]
            used.add(cached_file(task, file["url"], base_name(file["path"])))
    for _, result, expected, _ in parts(task):
        for getter in (result, expected):
            if getter and getter["type"] == "cloud_file":
                used |= {gold_file(task, url, name) for _, url, name in named_files(getter)}
    assert None not in used
    assert used == (set(cache_folder(task).iterdir()) if cache_folder(task).is_dir() else set())


@needs_osworld
@pytest.mark.parametrize("task", [task for task in TASKS if task.feasible], ids=lambda task: task.id)
def test_its_evaluator_tells_the_start_from_the_goal(task: Task, tmp_path: Path) -> None:
    """Of files: the goal compared with itself scores 1 in each part; what is there at the start, if it is, fails in some part."""
    starts = {
        file["path"]: cached_file(task, file["url"], base_name(file["path"]))
        for step in task.setup
        if step["type"] == "download"
        for file in step["parameters"]["files"]
    }
    scores, all_parts = [], list(parts(task))
    for index, (name, result, expected, options) in enumerate(all_parts):
        metric = load_metric(name)
        if metric in ON_DESKTOP or not (expected and expected["type"] == "cloud_file" and result["type"] == "vm_file"):
            continue
        folder = tmp_path / str(index)
        folder.mkdir()
        golds, made = [], []
        for (_, path, dest), (_, url, gold_name) in zip(named_files(result), named_files(expected), strict=True):
            gold = gold_file(task, url, gold_name)
            assert gold is not None
            golds.append(str(gold))
            made.append(shutil.copyfile(gold, folder / dest))
            start = starts.get(path)
            if start is not None:
                shutil.copyfile(start, folder / f"start-{dest}")
                scores.append(metric(str(folder / f"start-{dest}"), str(gold), **options))
        if name not in FROM_START:
            assert metric(str(made[0]), golds[0], **options) == 1.0, name
    if len(scores) == len(all_parts):  # else a file that is not there yet, or a command's output, decides
        assert min(scores) == 0.0
