"""Loading OSWorld's task files: what is read, what is refused, and what a refusal says."""

from __future__ import annotations

import importlib.util
import json
import os
import pickle
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gui_gym import Action, TaskError
from gui_gym.registry import UnknownNameError
from gui_gym.tasks import load_suite
from gui_gym.tasks.osworld import CACHE_VARIABLE, OSWorldSuite

CORPUS = Path(os.environ.get("GUI_GYM_OSWORLD_TASKS", Path(__file__).parents[4] / "shared" / "corpora" / "osworld"))
needs_corpus = pytest.mark.skipif(not (CORPUS / "examples").is_dir(), reason="OSWorld's task files are not here")


def task(**changes: object) -> dict[str, object]:
    data = {
        "id": "one",
        "instruction": "Do it.",
        "config": [{"type": "sleep", "parameters": {"seconds": 0}}],
        "evaluator": {
            "func": "exact_match",
            "result": {"type": "vm_command_line", "command": ["id"]},
            "expected": {"type": "rule", "rules": {"expected": "x"}},
        },
    }
    return {name: value for name, value in {**data, **changes}.items() if value is not ...}


def folder(tmp_path: Path, *tasks: dict[str, object]) -> Path:
    for index, data in enumerate(tasks):
        (tmp_path / f"{data.get('id') if isinstance(data.get('id'), str) and '/' not in str(data.get('id')) else index}.json").write_text(
            json.dumps(data)
        )
    return tmp_path


@needs_corpus
def test_all_published_tasks_load() -> None:
    suite = OSWorldSuite(str(CORPUS))
    tasks = [suite.get(i) for i in suite.ids()]
    assert len(tasks) == 369
    assert sum(not t.feasible for t in tasks) == 29
    assert all(t.max_steps == 15 and t.suite == "osworld" and t.instruction and t.verifier["type"] == "osworld" for t in tasks)
    raw = json.loads((CORPUS / "examples" / "os" / "94d95f96-9699-4208-98ba-3c3119edf9c2.json").read_text())
    loaded = suite.get(raw["id"])
    assert list(loaded.setup) == raw["config"] and {k: v for k, v in loaded.verifier.items() if k != "type"} == raw["evaluator"]
    assert pickle.loads(pickle.dumps(loaded)) == loaded and json.dumps(loaded.params)


@needs_corpus
def test_a_list_file_chooses_among_the_published_tasks() -> None:
    assert len(OSWorldSuite(str(CORPUS / "test_small.json")).ids()) == 39


@needs_corpus
def test_of_the_published_tasks_only_what_can_run_is_drawn() -> None:
    suite = OSWorldSuite(str(CORPUS))
    rng = np.random.default_rng(0)
    drawn = {suite.draw(rng).id for _ in range(200)}
    assert len(drawn) > 5 and all(suite.get(i).feasible and not suite.missing(suite.get(i)) for i in drawn)
    with pytest.raises(TaskError, match="content cache has no"):
        suite.draw(rng, "0bf05a7d-b28b-44d2-955a-50b41e24012a")
    with pytest.raises(TaskError, match="googledrive"):
        suite.draw(rng, "a0b9dc9c-fc07-4a88-8c5d-5e3ecad91bcb")


@pytest.mark.skipif(importlib.util.find_spec("openpyxl") is None, reason="needs the extra osworld")
def test_shipped_tasks_can_run() -> None:
    suite = load_suite("osworld")
    assert {i: missing for i in suite.ids() if (missing := suite.missing(suite.get(i)))} == {}  # type: ignore[attr-defined]


def test_shipped_tasks_have_solutions(guest: Any) -> None:
    guest.width, guest.height = 1920, 1080
    suite = load_suite("osworld")
    tasks = [suite.get(i) for i in suite.ids()]
    assert len(tasks) >= 6 and any(not t.feasible for t in tasks)
    for t in tasks:
        actions = suite.solution(t, guest)
        assert 0 < len(actions) <= t.max_steps
        assert actions[-1].type.name == ("DONE" if t.feasible else "FAIL")


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        "[1]",
        "[",
        '["click(1"]',
        '["done()", "jump()"]',
        '{"screen": [9, 9.5], "actions": []}',
        '{"screen": [1280, 720], "actions": "done()"}',
    ],
)
def test_a_solution_that_cannot_be_read_names_its_file(text: str, tmp_path: Path, guest: object) -> None:
    suite = OSWorldSuite(str(folder(tmp_path, task())))
    (tmp_path / "solutions").mkdir()
    (tmp_path / "solutions" / "one.json").write_text(text)
    with pytest.raises(TaskError, match=r"solutions/one\.json: (\[\d\]: )?(.|\n)*expected"):
        suite.solution(suite.get("one"), guest)  # type: ignore[arg-type]


def test_points_of_a_solution_hold_for_one_size_of_screen(tmp_path: Path, guest: Any) -> None:
    suite = OSWorldSuite(str(folder(tmp_path, task())))
    (tmp_path / "solutions").mkdir()
    (tmp_path / "solutions" / "one.json").write_text(json.dumps({"screen": [1920, 1080], "actions": ["click(1900,1000)", "done()"]}))
    with pytest.raises(TaskError, match="1920x1080 pixels, the desktop has 1280x720"):
        suite.solution(suite.get("one"), guest)
    guest.width, guest.height = 1920, 1080
    assert suite.solution(suite.get("one"), guest) == [Action.click(1900, 1000), Action.done()]


def test_a_solution_is_looked_for_among_the_shipped_ones_too(tmp_path: Path, guest: Any) -> None:
    suite = OSWorldSuite(str(folder(tmp_path, task(id="new-note"))))
    assert suite.solution(suite.get("new-note"), guest) == load_suite("osworld").solution(load_suite("osworld").get("new-note"), guest)


def test_draw(tmp_path: Path) -> None:
    suite = OSWorldSuite(str(folder(tmp_path, task(), task(id="two"), task(id="never", evaluator={"func": "infeasible"}))))
    rng = np.random.default_rng(1)
    assert {suite.draw(rng).id for _ in range(40)} == {"one", "two"}
    assert {suite.draw(rng, infeasible_rate=1.0).id for _ in range(5)} == {"never"}
    assert {suite.draw(rng, infeasible_rate=0.5).id for _ in range(40)} == {"one", "two", "never"}
    assert suite.draw(rng, "never").id == "never" and not suite.get("never").feasible
    assert [suite.draw(np.random.default_rng(5)).id for _ in range(2)] == [suite.draw(np.random.default_rng(5)).id] * 2
    assert {suite.draw(rng, split=split).id for split in ("validation", "test") for _ in range(40)} == {"one", "two"}
    with pytest.raises(ValueError, match="unknown split"):
        suite.draw(rng, split="dev")
    with pytest.raises(TaskError, match="no scripted solution"):
        suite.solution(suite.get("one"), None)  # type: ignore[arg-type]


def test_unknown_ids_list_near_matches(tmp_path: Path) -> None:
    suite = OSWorldSuite(str(folder(tmp_path, task(id="open-the-file"), task(id="two"))))
    with pytest.raises(UnknownNameError, match="open-the-file"):
        suite.get("open-the-flie")
    with pytest.raises(UnknownNameError):
        suite.get("../../etc/passwd")


def test_an_id_needs_not_be_the_file_name(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(task(id="b")))
    (tmp_path / "b.json").write_text(json.dumps(task(id="a", instruction="Other.")))
    suite = OSWorldSuite(str(tmp_path))
    assert suite.get("a").instruction == "Other." and suite.ids() == ["a", "b"]


def test_two_files_with_one_id_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(task()))
    (tmp_path / "b.json").write_text(json.dumps(task()))
    with pytest.raises(TaskError, match=r"b\.json: id: expected one that no other file has.*a\.json"):
        OSWorldSuite(str(tmp_path)).ids()


def test_one_task_does_not_read_the_others(tmp_path: Path) -> None:
    folder(tmp_path, task())
    (tmp_path / "broken.json").write_text("{")
    suite = OSWorldSuite(str(tmp_path))
    assert suite.get("one").id == "one"
    with pytest.raises(TaskError, match=r"broken\.json: expected a JSON file"):
        suite.ids()


RESULT = {"type": "vm_file", "path": "/a", "dest": "a"}
BAD = {
    "id-missing": (task(id=...), r"id: expected letters.*got None"),
    "id-traversal": (task(id="../../x"), r"id: expected letters.*'\.\./\.\./x'"),
    "id-number": (task(id=3), r"id: expected"),
    "instruction": (task(instruction=""), r"instruction: expected a string"),
    "instruction-type": (task(instruction=["a"]), r"instruction: expected a string.*\['a'\]"),
    "config": (task(config={"type": "sleep"}), r"config: expected a list of steps"),
    "step": (task(config=["sleep"]), r"config\[0\]: expected"),
    "step-type": (task(config=[{"parameters": {}}]), r"config\[0\]\.type: expected"),
    "parameters": (task(config=[{"type": "sleep", "parameters": 3}]), r"config\[0\]\.parameters: expected an object, got 3"),
    "missing-parameter": (task(config=[{"type": "sleep", "parameters": {}}]), r"config\[0\]\.parameters\.seconds: expected.*nothing"),
    "unknown-parameter": (
        task(config=[{"type": "sleep", "parameters": {"seconds": 1, "secs": 2}}]),
        r"config\[0\]\.parameters\.secs: unknown field: expected only seconds",
    ),
    "surrogate": (task(instruction="a\ud800"), r"instruction: expected a string"),
    "long-name": (
        task(config=[{"type": "download", "parameters": {"files": [{"url": "https://example.com/" + "é" * 101, "path": "/a"}]}}]),
        r"config\[0\]\.parameters\.files: expected a list of",
    ),
    "endless-sleep": (
        task(config=[{"type": "sleep", "parameters": {"seconds": 1e9}}]),
        r"config\[0\]\.parameters\.seconds: expected a number of seconds from 0 to 120",
    ),
    "command": (task(config=[{"type": "execute", "parameters": {"command": 5}}]), r"config\[0\]\.parameters\.command: expected a command"),
    "command-item": (
        task(config=[{"type": "execute", "parameters": {"command": ["a", 5]}}]),
        r"config\[0\]\.parameters\.command: expected a command",
    ),
    "command-nul": (task(config=[{"type": "execute", "parameters": {"command": ["a\0b"]}}]), r"config\[0\]\.parameters\.command: expected a command"),
    "stdout-traversal": (
        task(evaluator={"func": "infeasible", "postconfig": [{"type": "execute", "parameters": {"command": ["a"], "stdout": "../x"}}]}),
        r"evaluator\.postconfig\[0\]\.parameters\.stdout: expected a plain file name",
    ),
    "evaluator": (task(evaluator=...), r"evaluator: expected an object, got None"),
    "func": (task(evaluator={"func": 3}), r"evaluator\.func: expected a string or a list of at most 32 strings.*got 3"),
    "func-empty": (task(evaluator={"func": []}), r"evaluator\.func: expected .*not empty, got \[\]"),
    "conj": (task(evaluator={"func": "infeasible", "conj": "xor"}), r"evaluator\.conj: expected"),
    "result-length": (
        task(evaluator={"func": ["a", "b"], "result": [RESULT]}),
        r"evaluator\.result: expected a list of 2, one for each func",
    ),
    "result-list": (task(evaluator={"func": "a", "result": [RESULT]}), r"evaluator\.result: expected an object"),
    "result-type": (task(evaluator={"func": "a", "result": {"path": "/a"}}), r"evaluator\.result\.type: expected"),
    "result-path": (task(evaluator={"func": ["a"], "result": [{"type": "vm_file", "dest": "a"}]}), r"evaluator\.result\[0\]\.path: expected"),
    "dest-traversal": (
        task(evaluator={"func": "a", "result": {**RESULT, "dest": "../../etc/cron.d/x"}}),
        r"evaluator\.result\.dest: expected a plain file name",
    ),
    "dest-absolute": (task(evaluator={"func": "a", "result": {**RESULT, "dest": "/etc/x"}}), r"evaluator\.result\.dest: expected a plain"),
    "multi": (
        task(evaluator={"func": "a", "result": {"type": "vm_file", "path": ["/a", "/b"], "dest": ["a"], "multi": True}}),
        r"evaluator\.result: expected path and dest to be lists of one length",
    ),
    "cache-traversal": (
        task(evaluator={"func": "a", "result": {"type": "cache_file", "path": "../../../etc/passwd"}}),
        r"evaluator\.result\.path: expected a plain file name",
    ),
    "options": (task(evaluator={"func": "a", "options": 1}), r"evaluator\.options: expected an object"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_malformed_file_names_file_field_and_expectation(name: str, tmp_path: Path) -> None:
    data, message = BAD[name]
    (tmp_path / "x.json").write_text(json.dumps(data))
    with pytest.raises(TaskError, match=r"x\.json: " + message):
        OSWorldSuite(str(tmp_path)).ids()


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=True)
    | st.sampled_from(["", "vm_file", "execute", "rule", "and", "../x", "\0", "\ud800", "é" * 3000, "true"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "parameters", "path", "dest", "files"]), inner, max_size=3),
    max_leaves=6,
)


def replace_part(value: object, path: list[int], new: object) -> object:
    """``value`` with the part at ``path`` (indices, taken modulo) replaced, or dropped if ``new`` is Ellipsis."""
    if not path or not isinstance(value, (dict, list)) or not value:
        return new
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = keys[path[0] % len(keys)]
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[key] = replace_part(value[key], path[1:], new)  # type: ignore[index,call-overload]
    if copy[key] is ...:  # type: ignore[index,call-overload]
        del copy[key]  # type: ignore[arg-type]
    return copy


BASES = [load_suite("osworld").get(i).params["file"] for i in load_suite("osworld").ids()]
BASES += [str(path) for path in sorted(CORPUS.glob("examples/*/*.json"))[::7]]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(base=st.sampled_from(BASES), path=st.lists(st.integers(0, 9), min_size=1, max_size=6), new=JSON | st.just(...))
def test_any_damage_to_a_file_loads_or_is_a_task_error(base: str, path: list[int], new: object, tmp_path: Path) -> None:
    data = json.loads(Path(base).read_text())
    (tmp_path / "x.json").write_text(json.dumps(replace_part(data, path, new)))
    try:
        suite = OSWorldSuite(str(tmp_path))
        for i in suite.ids():
            suite.missing(suite.get(i))
    except TaskError as error:
        assert "x.json: " in str(error) and "expected" in str(error)


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"{", b"\xff\xfe", b"[" * 100_000, b'{"id": "a"'], ids=["empty", "list", "cut", "not-utf8", "deep", "open"]
)
def test_what_is_no_json_object_is_refused(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(text)
    with pytest.raises(TaskError, match=r"x\.json: expected"):
        OSWorldSuite(str(tmp_path)).ids()


def test_folders_that_hold_no_tasks(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="expected a folder of task files"):
        OSWorldSuite(str(tmp_path / "nowhere"))
    with pytest.raises(TaskError, match="expected task files"):
        OSWorldSuite(str(tmp_path)).ids()


@pytest.mark.parametrize("lists", [{"os": "one"}, {"os": [3]}, {"..": ["one"]}, {"os": ["../../one"]}])
def test_bad_list_files(lists: dict[str, object], tmp_path: Path) -> None:
    (tmp_path / "test_mine.json").write_text(json.dumps(lists))
    with pytest.raises(TaskError, match=r"test_mine\.json: "):
        OSWorldSuite(str(tmp_path / "test_mine.json")).ids()


def test_a_task_that_cannot_run_is_refused_with_all_it_lacks(tmp_path: Path) -> None:
    url = "https://example.com/gold.txt"
    config = [
        {"type": "chrome_open_tabs", "parameters": {"urls_to_open": ["https://example.com"]}},
        {"type": "download", "parameters": {"files": [{"url": "https://example.com/in.txt", "path": "/home/user/in.txt"}]}},
    ]
    evaluator = {
        "func": ["no_such_metric", "exact_match"],
        "result": [{"type": "no_such_getter"}, RESULT],
        "expected": [None, {"type": "cloud_file", "path": url, "dest": "gold.txt"}],
    }
    suite = OSWorldSuite(str(folder(tmp_path, task(config=config, evaluator=evaluator))))
    lacks = "in\\.txt.*no_such_metric.*no_such_getter.*gold\\.txt.*it needs https://example.com, and the desktop does not reach the Internet"
    with pytest.raises(TaskError, match=lacks):
        suite.draw(np.random.default_rng(0), "one")
    with pytest.raises(TaskError, match="expected feasible tasks that can run here, got none of 1"):
        suite.draw(np.random.default_rng(0))


@pytest.mark.parametrize("place", ["beside", "variable"])
def test_the_content_cache(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = "https://example.com/a/in.txt"
    config = [{"type": "download", "parameters": {"files": [{"url": url, "path": "/home/user/in.txt"}]}}]
    root = tmp_path / "tasks"
    root.mkdir()
    cache = root / "cache"
    if place == "variable":
        cache = tmp_path / "elsewhere"
        monkeypatch.setenv(CACHE_VARIABLE, str(cache))
    suite = OSWorldSuite(str(folder(root, task(config=config))))
    assert len(suite.missing(suite.get("one"))) == 1
    (cache / "one").mkdir(parents=True)
    (cache / "one" / f"{uuid.uuid5(uuid.NAMESPACE_URL, url)}_in.txt").write_text("in")
    assert suite.missing(suite.get("one")) == []
