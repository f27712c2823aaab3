"""The metrics on files that LibreOffice itself wrote: see files/office/make_office.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

for library in ("openpyxl", "docx", "rapidfuzz", "skimage", "lxml"):
    pytest.importorskip(library)

from office_cases import DOCUMENTS, HERE, RULES, SETTINGS  # noqa: E402

from gui_gym.verifiers.osworld.metrics import load_metric  # noqa: E402


@pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))
def test_a_workbook_made_alike_in_another_way_and_one_that_is_wrong(rule: dict[str, Any]) -> None:
    gold = str(HERE / "sales.xlsx")
    scores = [load_metric("compare_table")(str(HERE / f"{name}.xlsx"), gold, rules=[rule]) for name in ("sales", "sales_by_hand", "sales_wrong")]
    assert scores == [1, 1, 0]


@pytest.mark.parametrize(("metric", "expected", "wrong"), DOCUMENTS, ids=[row[0] for row in DOCUMENTS])
def test_a_document_and_one_that_is_wrong(metric: str, expected: Any, wrong: float) -> None:
    names = ["notes.odt", "notes_wrong.odt"] if metric == "check_highlighted_words" else ["essay.docx", "essay_wrong.docx"]
    gold = [str(HERE / names[0])] if expected == "itself" else [] if expected is None else [expected]
    assert [load_metric(metric)(str(HERE / name), *gold) for name in names] == pytest.approx([1, wrong])


@pytest.mark.parametrize(("metric", "yes", "no"), SETTINGS, ids=[row[0] for row in SETTINGS])
def test_settings(metric: str, yes: list[Any], no: list[Any], tmp_path: Path) -> None:
    profile, empty, half = HERE / "registrymodifications.xcu", tmp_path / "empty.xcu", tmp_path / "half.xcu"
    empty.write_text('<oor:items xmlns:oor="http://openoffice.org/2001/registry"/>')
    half.write_bytes(profile.read_bytes()[:500])
    assert load_metric(metric)(str(profile), *yes) == 1
    if no:
        assert load_metric(metric)(str(profile), *no) == 0
    assert [load_metric(metric)(str(path), *yes) for path in (empty, half, tmp_path / "absent.xcu")] == [0, 0, 0]


def test_the_panel_of_slides() -> None:
    tree = '<desktop-frame xmlns:st="urn:x"><application><document-frame name="{}"/></application></desktop-frame>'
    check = load_metric("check_left_panel")
    assert [check(tree.format(name)) for name in ("Slides View", "PRESENTATION1")] == [1, 0]
    with pytest.raises(ValueError, match="XML: cannot be read"):
        check("<desktop-frame>")
