"""The cases of ``tests/gui_gym/verifiers/table_cases.py``, and where OSWorld's own verdict is wrong."""

from pathlib import Path
from typing import Any

from table_cases import CASES, book

_STYLES = "a color by theme, tint or index is not looked up, and every theme color is equal to every other"
_CONDITIONS = "conditions are evaluated with the cell's own value in place of any reference, and only by formula and cellIs"

REASONS = {
    "one is not true": "beside numbers, true is read as 1",
    "a text in upper case, ignored": "sheet_data ignores ignore_case, which tasks give",
    "a number as text among texts": "the same text is a number or not by what else its column holds",
    "a number beside a text": "numbers are not rounded in a column that also holds a text",
    "a text that says there is nothing": "N/A, None, null and other texts are read as empty cells",
    "trimmed": "a text kept in the cell itself is read as a dict if it has blanks at its ends",
    "bold, by theme white": _STYLES,
    "theme with tint": _STYLES,
    "indexed color": _STYLES,
    "link": "a link is an object and never equal to an address",
    "automatic is black": "a font without a color and a black font look the same",
    "formula": _CONDITIONS,
    "by rank": _CONDITIONS,
    "by rank from below": _CONDITIONS,
    "above average": _CONDITIONS,
    "duplicates": _CONDITIONS,
    "same freeze, scrolled": "the first cell in view is compared, not what is frozen",
    "a row that is only mentioned": "a row that the file mentions and one that it does not differ, though both are shown",
    "chart": "a chart that is anchored at one cell has no last cell",
    "another place": "a chart that is anchored at one cell has no last cell",
    "another width of a chart": "the width is not read from the file: it is the library's default for every chart",
    "a chart too many": "a second chart on the same data takes the place of the first",
    "points of a scatter chart": "the points of a scatter chart are not looked at",
}


def cases(folder: Path) -> list[dict[str, Any]]:
    """Each with workbooks in ``folder``."""
    found = []
    for index, (name, result, expected, rule, _) in enumerate(CASES):
        paths = {side: book(folder / f"{index}-{side}.xlsx", *changes) for side, changes in (("result", result), ("expected", expected))}
        found.append({"name": name, "metric": "compare_table", **paths, "options": {"rules": [rule]}, "reason": REASONS.get(name, "")})
    assert not set(REASONS) - {case["name"] for case in found}
    return found
