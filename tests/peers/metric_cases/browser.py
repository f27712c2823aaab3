"""What getters of a browser give, as the tests of our metrics have it."""

from pathlib import Path
from typing import Any

from test_osworld_browser_metrics import CASES, HOSTILE

_FORM = "what an agent left in another form is a 0; theirs raises, or takes true for a number"
_LINES = "a line that ends as on Windows is a line"
_MANY = 4  #: index in HOSTILE of the bookmarks that are only many, on which both agree


def cases(folder: Path) -> list[dict[str, Any]]:
    """The tables of the tests."""
    found = []
    for index, (metric, result, rules, _) in enumerate(CASES):
        reason = _FORM if result == "http://[" else _LINES if "\\r" in repr(result) else ""
        found.append({"name": f"{index}", "metric": metric, "result": result, "expected": rules, "reason": reason})
    for index, (metric, result, rules) in enumerate(HOSTILE):
        reason = "" if index == _MANY else _FORM
        found.append({"name": f"hostile {index}", "metric": metric, "result": result, "expected": rules, "reason": reason})
    return found
