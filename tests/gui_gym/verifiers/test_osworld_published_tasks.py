"""OSWorld's published tasks beside our evaluators: nothing that a task file says is silently passed over, and nothing but work is a success."""

from __future__ import annotations

import inspect
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from gui_gym import Task
from gui_gym.desktops import Completed, DesktopFileNotFoundError
from gui_gym.desktops.x11 import profile
from gui_gym.tasks.setup.commands import fill_placeholders
from gui_gym.verifiers import EndReason, Outcome, verify
from gui_gym.verifiers.osworld import getters
from gui_gym.verifiers.osworld.getters import GETTERS, dates
from gui_gym.verifiers.osworld.metrics import ON_DESKTOP, load_metric, records

CORPUS = Path(os.environ.get("GUI_GYM_OSWORLD_TASKS", Path(__file__).parents[4] / "shared" / "corpora" / "osworld"))
pytestmark = pytest.mark.skipif(not (CORPUS / "examples").is_dir(), reason="OSWorld's task files are not here")
for library in ("cssselect", "docx", "lxml", "mutagen", "openpyxl", "pptx", "publicsuffixlist", "pypdfium2", "rapidfuzz", "scipy", "skimage"):
    pytest.importorskip(library)

#: What task files say and nobody reads, OSWorld's published client (desktop-env 1.0.2) neither.
IGNORED = {
    ("check_config_status", "type:"),
    ("check_direct_json_object", "result_not_list"),
    ("compare_config", "containment_ok"),
    ("compare_pptx_files", "_note"),
    ("compare_pptx_files", "examine_shape_lenient_height"),
    ("compare_references", "content_only"),
}
#: Metrics whose rules have names of the task's own for keys, such as those of ID3 tags.
OWN_KEYS = {"check_mp3_meta"}
#: Beginnings of tasks that a silent or unreadable output fulfills: what it must not say, or a setting that has its default.
SILENT = {"415ef462", "5ac2891a", "69acbb55", "dfac9ee8"}


@dataclass(frozen=True)
class Part:
    """One metric of a task, with what belongs to it."""

    task: str
    metric: str
    result: Any
    expected: Any
    options: Mapping[str, Any]

    @property
    def rules(self) -> Any:
        """The author's rules; None if the agent's work is compared with something else."""
        return next((side["rules"] for side in (self.result, self.expected) if side and "rules" in side), None)


def files() -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(CORPUS.glob("examples/*/*.json"))]


def parts() -> Iterator[Part]:
    """The metrics of all feasible tasks."""
    for task in files():
        spec = task["evaluator"]
        if spec["func"] == "infeasible":
            continue
        several = isinstance(spec["func"], list)
        for index, metric in enumerate(spec["func"] if several else [spec["func"]]):
            sides = [
                (spec.get(name) or None) and (spec[name][index] if several else spec[name]) or None for name in ("result", "expected", "options")
            ]
            yield Part(task["id"], metric, sides[0], sides[1], sides[2] or {})


def source(*places: Any) -> str:
    """The text of modules and packages."""
    folders = [Path(inspect.getfile(place)) for place in places]
    return "".join(path.read_text() for file in folders for path in ([file] if file.name != "__init__.py" else sorted(file.parent.rglob("*.py"))))


def keys(rule: Mapping[str, Any]) -> Iterator[str]:
    """The keys of a rule and, of one for :func:`compare_table`, those of the rules in it; those of ``dv_props`` are openpyxl's."""
    yield from rule
    inner = [*rule.get("rules", []), *(props for row in rule.get("dv_props", []) for props in row.values())]
    inner += [props for props in [rule.get("props")] if isinstance(props, dict)]
    for item in inner:
        yield from keys(item)


def test_every_metric_takes_what_its_tasks_give_it() -> None:
    for part in parts():
        sides = [side for side in (part.result, part.expected) if side is not None]
        stage = {"stage": None} if load_metric(part.metric) in ON_DESKTOP else {}
        inspect.signature(load_metric(part.metric)).bind(*sides, **part.options, **stage)


def test_every_option_is_one_that_the_metric_knows() -> None:
    from gui_gym.verifiers.osworld.metrics.slides import compare

    more = {"compare_pptx_files": {f"examine_{name}" for name in (*compare._ON, *compare._OFF)}}
    for part in parts():
        known = {*inspect.signature(load_metric(part.metric)).parameters, *more.get(part.metric, ())}
        for name in part.options:
            assert name in known or (part.metric, name) in IGNORED, (part.task, part.metric, name)


def test_every_key_of_a_rule_is_read() -> None:
    """Its name stands in the module of the metric, or in one that the metric uses."""
    text: dict[str, str] = {}
    for part in parts():
        if part.metric not in text:
            module = inspect.getmodule(inspect.unwrap(load_metric(part.metric)))
            places = [*([dates] if part.metric == "check_direct_json_object" else []), module, records]
            text[part.metric] = source(*places) + f'"expected_{part.metric.removeprefix("check_")}"'
        rules = part.options.get("rules") if part.metric == "compare_table" else part.rules
        for rule in rules if isinstance(rules, list) else [rules or {}]:
            for name in keys(rule) if part.metric not in OWN_KEYS else ():
                assert f'"{name}"' in text[part.metric] or (part.metric, name) in IGNORED, (part.task, part.metric, name)


def test_every_field_of_a_getter_is_read() -> None:
    text = source(getters)
    for part in parts():
        for spec in (part.result, part.expected):
            if spec is None or spec["type"] not in GETTERS:
                continue
            known = GETTERS.get(spec["type"])
            for name in set(spec) - {"type", *known.required, *known.optional}:
                assert f'"{name}"' in text, (part.task, spec["type"], name)


def test_dates_can_be_computed_on_every_day() -> None:
    rules = [part.rules for part in parts() if (part.expected or {}).get("type") == "rule_relativeTime"]
    assert len(rules) == 10
    for day in range(0, 800):
        for rule in rules:
            now = datetime(2027, 1, 1, 12) + timedelta(days=day)
            filled = dates.apply_days(rule, now)["expected"]
            assert not re.search(r"\{[A-Z]", json.dumps(filled), re.IGNORECASE), (rule, now)


def test_steps_use_what_the_desktop_has() -> None:
    """Calls of pyautogui, and placeholders only where OSWorld fills them in: in commands that steps run to their end."""
    calls: set[str] = set()
    for task in files():
        for step in [*(task.get("config") or []), *(task["evaluator"].get("postconfig") or [])]:
            parameters = step["parameters"]
            calls |= set(re.findall(r"pyautogui\.(\w+)", json.dumps(parameters)))
            if step["type"] in ("execute", "command"):
                parameters = fill_placeholders(parameters["command"], _Screen())  # type: ignore[arg-type]
            assert not PLACEHOLDER.search(json.dumps(parameters)), (task["id"], parameters)
        assert not PLACEHOLDER.search(json.dumps([task["evaluator"].get(name) for name in ("result", "expected")])), task["id"]
    shim = "".join(path.read_text() for path in (profile.GUEST / "python").rglob("*.py"))
    assert {"hotkey", "press", "write"} <= calls
    assert all(re.search(rf"^(def )?{name}\b", shim, re.MULTILINE) for name in calls)


PLACEHOLDER = re.compile(r"\{(CLIENT|SCREEN)_")


class _Screen:
    width, height = 1920, 1080


@pytest.mark.parametrize("output", [None, b"", bytes(range(256)), b"PK\x05\x06" + bytes(18)], ids=["missing", "empty", "noise", "empty-archive"])
def test_output_that_is_no_work_scores_0(output: bytes | None, guest: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """In every task that compares files, or what commands print, with rules."""

    def read(path: str) -> bytes:
        if output is None:
            raise DesktopFileNotFoundError(path)
        return output

    monkeypatch.setattr(guest, "read_file", read)
    home = Completed(0, b"/home/user\n", b"")
    guest.answer = lambda argv: home if argv[0] == "printenv" else Completed(int(output is None), output or b"", b"")
    judged = 0
    for part in parts():
        if part.rules is None or (part.result or {}).get("type") not in _IN_MEMORY or part.task[:8] in SILENT:
            continue
        verifier = {"type": "osworld", "func": part.metric, "result": part.result, "expected": part.expected, "options": part.options}
        if part.result["type"] == "cache_file":
            verifier["postconfig"] = [{"type": "execute", "parameters": {"command": ["true"], "stdout": part.result["path"]}}]
        score = verify(Task(part.task, "osworld", "Do it.", verifier=verifier), guest, Outcome(EndReason.DONE))
        assert score.value == 0.0, (part.task, part.metric, score)
        judged += 1
    assert judged > 100


_IN_MEMORY = {"vm_file", "vm_command_line", "vm_command_error", "cache_file", "gimp_config_file", "vlc_config", "list_directory"} | {
    name for name, module in GETTERS._entries.items() if "browser_profile" in str(module)
}


def test_a_dead_desktop_is_unscored_in_every_task(guest: Any) -> None:
    guest.dead = True
    for part in parts():
        if part.result["type"] not in GETTERS or part.result["type"] == "cache_file" or GETTERS.get(part.result["type"]).from_author:
            continue  # asked for nothing of the desktop at first
        verifier = {"type": "osworld", "func": part.metric, "result": part.result, "expected": part.expected, "options": part.options}
        for wait in (guest.alive, lambda: None):  # found before any getter, or by one
            guest.wait_until_idle = wait
            score = verify(Task(part.task, "osworld", "Do it.", verifier=verifier), guest, Outcome(EndReason.DONE))
            assert not score.scored and score.reason.startswith("infrastructure"), (part.task, part.metric, score)
