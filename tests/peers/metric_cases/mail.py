"""The cases of ``tests/gui_gym/verifiers/test_osworld_mail.py``, and those of editors' extensions."""

from pathlib import Path
from typing import Any

from test_osworld_mail import FILTER_RULES, FILTERS, FOLDERS, PREFERENCE_RULES, PREFS, message

_FOLDER = "each message that is not empty is skipped, so that any two folders are the same"
REASONS = {
    "check_thunderbird_prefs with a broken line": "a line that Thunderbird did not write ends the comparison with an error",
    "check_thunderbird_prefs 10": "quotes and backslashes in the name stay written as they are in the file",
    "check_thunderbird_prefs 12": "of a preference that is there twice, both values count; Thunderbird takes the last",
    "check_thunderbird_filter 8": "the name of a header with a hyphen is not recognised",
    "check_thunderbird_filter 9": "of several actions only the last is looked at",
    **{f"check_thunderbird_folder {index}": _FOLDER for index in (4, 5, 6, 8, 10, 11, 13, 15, 17)},
}


def cases(folder: Path) -> list[dict[str, Any]]:
    """Each with files in ``folder``."""
    found: list[dict[str, Any]] = []

    def add(metric: str, name: str, result: Any, expected: Any, options: dict[str, Any] | None = None) -> None:
        reason = REASONS.get(f"{metric} {name}", "")
        found.append({"name": name, "metric": metric, "result": result, "expected": expected, "options": options or {}, "reason": reason})

    (folder / "prefs.js").write_bytes(b"\n".join(line for line in PREFS.splitlines() if b"mail.odd" not in line))
    for index, (rules, _) in enumerate(PREFERENCE_RULES):
        add("check_thunderbird_prefs", str(index), str(folder / "prefs.js"), rules)
    (folder / "broken.js").write_bytes(PREFS)
    add("check_thunderbird_prefs", "with a broken line", str(folder / "broken.js"), PREFERENCE_RULES[0][0])
    (folder / "msgFilterRules.dat").write_text(FILTERS)
    for index, (rules, _) in enumerate(FILTER_RULES):
        add("check_thunderbird_filter", str(index), str(folder / "msgFilterRules.dat"), rules)
    (folder / "gold").write_text(message(1) + message(2))
    for index, (text, options, _) in enumerate(FOLDERS):
        (folder / f"folder{index}").write_bytes(text.encode("latin-1"))
        add("check_thunderbird_folder", str(index), str(folder / f"folder{index}"), str(folder / "gold"), options)
    for printed in ("a.b\nmattn.lisp\n", "a.b", ""):
        for kind in ("contain", "not_contain", "is"):
            add("is_extension_installed", f"{kind} {printed!r}", printed, {"type": kind, "expected": "mattn.lisp"})
    return found
