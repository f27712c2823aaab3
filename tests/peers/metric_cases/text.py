"""The cases of ``tests/gui_gym/verifiers/test_osworld_metrics.py``, and where OSWorld's own verdict is wrong."""

from pathlib import Path
from typing import Any

from test_osworld_metrics import FILES, VALUES

_CRASH = "it crashes on output that an agent may well make"

REASONS = {
    "check_direct_json_object 4": _CRASH,
    "check_direct_json_object 8": "ignore_list_order is looked for among the expected values, and tasks give it beside them",
    "is_utc_0 3": _CRASH,
    "check_text_enlarged 3": _CRASH,
    "check_gnome_favorite_apps 3": "it crashes on an empty list as gsettings prints it",
    "check_gnome_favorite_apps 4": "it executes the text as Python",
    "fuzzy_match 3": _CRASH,
    "compare_text_file 7": _CRASH,
    "run_sqlite3 3": "it crashes where the query gives no row",
    "run_sqlite3 5": "it crashes on a database in which the program made no such table",
    "run_sqlite3 6": "a query may not open other files",
    "run_sqlite3 7": "a query may not change what it judges",
    "run_sqlite3 8": "what a query makes is not bounded",
    "run_sqlite3 9": _CRASH,
    "run_sqlite3 10": _CRASH,
    "compare_result_files 3": "a number with a comma between thousands, or other zeros at its end, is the same number",
    "compare_result_files 8": "a list of guesses is no answer",
    "compare_result_files 6": "13 is not 3, though its digits hold it",
}


def cases(folder: Path) -> list[dict[str, Any]]:
    """Each with its files in ``folder``; a case is named by its metric and its number among that metric's."""
    found: list[dict[str, Any]] = []
    for index, (metric, result, expected, options, _) in enumerate([*VALUES, *FILES]):
        number = sum(case["metric"] == metric for case in found) + 1
        sides = {"result": _file(result, folder / f"{index}-result")}
        if expected is not None:
            sides["expected"] = _file(expected, folder / f"{index}-expected")
        name = f"{metric} {number}"
        found.append({"name": name, "metric": metric, **sides, "options": options, "reason": REASONS.get(name, "")})
    assert not set(REASONS) - {case["name"] for case in found}
    return found


def _file(data: Any, path: Path) -> Any:
    if isinstance(data, list) and data and isinstance(data[0], bytes):
        return [_file(item, Path(f"{path}{index}")) for index, item in enumerate(data)]
    if not isinstance(data, bytes):
        return data
    path.write_bytes(data)
    return str(path)
