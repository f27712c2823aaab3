"""The files that LibreOffice wrote, ``tests/gui_gym/verifiers/office_cases.py``, and where OSWorld's own verdict is wrong."""

from pathlib import Path
from typing import Any

from office_cases import DOCUMENTS, HERE, RULES, SETTINGS

_NO_COLOR = "it crashes on a font without a color, which is what LibreOffice writes for automatic"

REASONS = {
    "sales: fonts": _NO_COLOR,
    "sales_by_hand: fonts": _NO_COLOR,
    "sales_wrong: fonts": _NO_COLOR,
    "sales_wrong: direction": "it crashes on a chart that has no direction, such as lines where bars are wanted",
    "has_page_numbers_in_footers: essay_wrong.docx": "a digit that is typed is no page number",
    "compare_font_names: essay.docx": "the font that the style sets is not looked at",
}


def cases(folder: Path) -> list[dict[str, Any]]:
    """Each rule on three workbooks, each metric on the right and the wrong document."""
    found = []
    for name, rule in RULES.items():
        for result in ("sales", "sales_by_hand", "sales_wrong"):
            sides = {"result": str(HERE / f"{result}.xlsx"), "expected": str(HERE / "sales.xlsx")}
            found.append({"name": f"{result}: {name}", "metric": "compare_table", **sides, "options": {"rules": [rule]}})
    for metric, expected, _ in DOCUMENTS:
        names = ["notes.odt", "notes_wrong.odt"] if metric == "check_highlighted_words" else ["essay.docx", "essay_wrong.docx"]
        gold = {} if expected is None else {"expected": str(HERE / names[0]) if expected == "itself" else expected}
        found += [{"name": f"{metric}: {name}", "metric": metric, "result": str(HERE / name), **gold} for name in names]
    for metric, *rules in SETTINGS:
        for which in rules:
            gold = {"expected": which[0]} if which else {}
            found.append({"name": f"{metric}: {gold}", "metric": metric, "result": str(HERE / "registrymodifications.xcu"), **gold})
    assert not set(REASONS) - {case["name"] for case in found}
    return [{**case, "reason": REASONS.get(case["name"], "")} for case in found]
