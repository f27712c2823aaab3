"""Metrics on what system commands print."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any


def is_utc_0(result: str) -> float:
    """1 if the fourth line of ``timedatectl``'s output, its time zone, is at offset +0000."""
    lines = result.split("\n")
    return float(len(lines) > 3 and lines[3].endswith("+0000)"))


def check_text_enlarged(result: str) -> float:
    """1 if the scaling factor printed is above 1."""
    try:
        return float(float(result) > 1.0)
    except ValueError:
        return 0.0


def check_gnome_favorite_apps(result: str, rules: Mapping[str, list[str]]) -> float:
    """1 if the list printed by gsettings, such as ``['a.desktop']``, has the items of ``rules["expected"]`` in any order."""
    try:
        apps = ast.literal_eval(result.strip().removeprefix("@as "))
    except (ValueError, SyntaxError, RecursionError, MemoryError):  # what literal_eval raises for other texts
        return 0.0
    return float(isinstance(apps, list) and len(apps) == len(rules["expected"]) and set(map(str, apps)) == set(rules["expected"]))


def check_moved_jpgs(result: Mapping[str, Any], rules: Mapping[str, list[str]]) -> float:
    """1 if the directory tree has the names ``rules["expected"]`` at its top, and no others."""
    names = [node["name"] for node in result["children"]]
    return float(len(names) == len(rules["expected"]) and set(names) == set(rules["expected"]))


def is_in_vm_clickboard(rules: Mapping[str, Any], output: str) -> float:
    """1 if ``rules["expected"]``, a text or all of a list, is in the clipboard's text. The rule comes first here."""
    expected = rules["expected"]
    return float(all(text in output for text in (expected if isinstance(expected, list) else [expected])))
