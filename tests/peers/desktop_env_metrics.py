"""Runs the metrics of PyPI ``desktop-env``: cases as JSON on stdin, one verdict a line on stdout. For its own environment.

Its package of metrics imports every module at once, each of which needs libraries of its own. A package in its place makes
them importable one by one; what a module needs only for single functions is replaced by an empty module.
"""

import importlib
import json
import os
import sys
import types
from typing import Any

PACKAGE = "desktop_env.evaluators.metrics"
NOT_NEEDED = ("easyocr",)


def load() -> dict[str, Any]:
    """All their metrics by name."""
    import desktop_env.evaluators

    folder = os.path.join(os.path.dirname(desktop_env.evaluators.__file__), "metrics")
    package = types.ModuleType(PACKAGE)
    package.__path__ = [folder]
    sys.modules[PACKAGE] = package
    for name in NOT_NEEDED:
        try:
            importlib.import_module(name)
        except ImportError:
            sys.modules[name] = types.ModuleType(name)
    found: dict[str, Any] = {}
    for file in sorted(os.listdir(folder)):
        if file.endswith(".py") and file != "__init__.py":
            try:
                module = importlib.import_module(f"{PACKAGE}.{file[:-3]}")
            except ImportError as error:
                print(f"{file}: {error}", file=sys.stderr)
                continue
            found |= {name: value for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__}
    return found


def verdict(metrics: dict[str, Any], case: dict[str, Any]) -> Any:
    """The score of one case, or the error as a text."""
    if case["metric"] not in metrics:
        return "they have no such metric"
    arguments = [case[side] for side in ("result", "expected") if side in case]
    try:
        return float(metrics[case["metric"]](*arguments, **case["options"]))
    except Exception as error:  # whatever a metric raises is its verdict
        return f"{type(error).__name__}: {error}"[:300]


if __name__ == "__main__":
    verdicts = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # metrics, and libraries of theirs, print
    theirs = load()
    for item in json.load(sys.stdin):
        print(json.dumps(verdict(theirs, item)), file=verdicts, flush=True)
