"""Benchmarks of real desktops measure what they say they do; how fast that is, no test asks."""

from __future__ import annotations

import json

import pytest

from gui_gym.benchmarks import Record

pytest.importorskip("xcffib")
pytestmark = pytest.mark.usefixtures("require_x11")


def check(records: list[Record], units: dict[str, str]) -> None:
    assert {record["name"]: record["unit"] for record in records} == units
    for record in records:
        assert record["value"] > 0 and record["reference"] and record["ratio"] and json.dumps(record, allow_nan=False)


def test_figures_of_desktops_with_an_editor() -> None:
    from gui_gym.benchmarks import x11

    with x11.editors(2) as desktops:
        records = [x11.screenshot(desktops[0]), x11.step(desktops[:1], 0.2), x11.step(desktops, 0.2), x11.memory(desktops)]
        assert [desktop.windows()[0].wm_class for desktop in desktops] == ["mousepad.Mousepad"] * 2
    check(records, {"x11.screenshot": "ms", "x11.step.1": "steps/s", "x11.step.2": "steps/s", "x11.pss_per_desktop": "MB"})
    assert records[3]["value"] > 5 and records[3]["value"] > (records[3]["reference"] or 0)


def test_figures_of_resets() -> None:
    from gui_gym.benchmarks import x11

    records = x11.resets(count=1)
    check(records, {"x11.reset": "ms", "x11.reset.spare": "ms", "x11.reset.sustained": "1/s"})
