"""Metrics: pure functions ``metric(result, expected, **options) -> float in [0, 1]``, by OSWorld's names.

``result`` and ``expected`` are what the getters gave: values, or paths of files. A metric is not called where the
agent's side is None. Output of the agent that cannot be read is 0; what the task's author got wrong raises. ``**options``
where there is one: OSWorld's metric of that name takes and ignores options that it does not know. A module
imports what it needs at its top, so that :func:`load_metric` finds out before an episode whether it is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gui_gym.registry import Registry

Metric = Callable[..., float]

_HERE = "gui_gym.verifiers.osworld.metrics"
_MODULES: dict[str, tuple[str, ...]] = {
    "values": (
        "exact_match", "match_in_list", "is_in_list", "literal_match", "check_include_exclude", "check_direct_json_object", "compare_answer",
    ),
    "system": ("is_utc_0", "check_text_enlarged", "check_gnome_favorite_apps", "check_moved_jpgs", "is_in_vm_clickboard"),
    "text": ("compare_text_file", "diff_text_file", "compare_config", "file_contains", "check_line_number", "check_list"),
    "records": ("check_json", "check_csv", "compare_csv", "check_json_settings", "check_json_keybindings"),
    "fuzzy": ("fuzzy_match",),
}  # fmt: skip

#: Metrics by an evaluator's ``func``.
METRICS: Registry[Metric] = Registry("metric", {name: f"{_HERE}.{module}:{name}" for module, names in _MODULES.items() for name in names})
register_metric = METRICS.register


def load_metric(name: str) -> Metric:
    """The metric called ``name``.

    Raises:
        UnknownNameError: there is none.
        ImportError: a library it needs is not installed.
    """
    return METRICS.get(name)


def as_score(value: Any) -> float:
    """A metric's return as a float; ValueError unless it is a number in [0, 1]."""
    number = float(value)
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"expected a metric in [0, 1], got {value!r}")
    return number
