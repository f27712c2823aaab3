"""The cases of ``tests/gui_gym/verifiers/image_cases.py``, and where OSWorld's own verdict is wrong."""

from pathlib import Path
from typing import Any

from image_cases import CASES, REASONS, path


def cases(folder: Path) -> list[dict[str, Any]]:
    """All cases, their images drawn in ``folder``."""
    rows = []
    for metric, result, expected, options, _ in CASES:
        sides = {side: path(value, folder) for side, value in (("result", result), ("expected", expected)) if value is not None}
        reason = REASONS.get((metric, str(result)), "")
        rows.append({"name": f"{result} {expected or ''}", "metric": metric, **sides, "options": options, "reason": reason})
    return rows
