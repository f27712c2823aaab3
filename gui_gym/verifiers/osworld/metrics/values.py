"""Metrics on values: text of a command, numbers, objects."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def exact_match(result: Any, rules: Mapping[str, Any]) -> float:
    """1 if ``result`` equals ``rules["expected"]``."""
    return float(result == rules["expected"])


def match_in_list(result: Any, rules: Mapping[str, Any]) -> float:
    """1 if ``result`` is one of ``rules["expected"]``."""
    return float(result in rules["expected"])


def is_in_list(result: Any, rules: Mapping[str, Any]) -> float:
    """1 if ``rules["expected"]`` is in ``result``, a list or a text."""
    return float(rules["expected"] in result)


def literal_match(result: Any, expected: Any, type: str = "str", ignore_case: bool = False, **options: Any) -> float:
    """1 if ``result`` and ``expected`` are written alike; with ``type="list"`` both are lists, compared item by item."""

    def text(value: Any) -> str:
        return str(value).lower() if ignore_case else str(value)

    if type == "str":
        return float(text(result) == text(expected))
    if type != "list":
        raise ValueError(f"literal_match: type: expected 'str' or 'list', got {type!r}")
    if not isinstance(result, (list, tuple)) or not isinstance(expected, (list, tuple)):
        return 0.0
    return float([text(item) for item in result] == [text(item) for item in expected])


def compare_answer(result: str, rules: Mapping[str, Any], **options: Any) -> float:
    """1 if the text is ``rules["expected"]`` and not empty."""
    return float(bool(result) and result == rules["expected"])


def check_include_exclude(result: str, rules: Mapping[str, list[str]]) -> float:
    """1 if every text of ``rules["include"]`` is in ``result`` and none of ``rules["exclude"]`` is."""
    return float(all(text in result for text in rules.get("include", [])) and all(text not in result for text in rules.get("exclude", [])))


def check_direct_json_object(result: Any, rules: Mapping[str, Any]) -> float:
    """1 if ``result``, an object or its JSON text, holds what ``rules["expected"]`` does at each of its keys.

    ``expect_in_result``: an expected text need only be part of the result's, of an expected list one item must be in the
    result's list or equal its text. ``ignore_list_order``: lists are compared as sorted. Single quotes in a text are
    read as double ones.
    """
    if isinstance(result, str):
        try:
            result = json.loads(result.strip().replace("'", '"'))
        except (ValueError, RecursionError):
            return 0.0
    if not isinstance(result, Mapping):
        return 0.0
    expected = rules["expected"]
    if "__EVALUATION_FAILED__" in [value for value in expected.values() if isinstance(value, str)]:
        raise ValueError("the expected value could not be made")
    loose = rules.get("expect_in_result", False)
    sort = rules.get("ignore_list_order", False) or expected.get("ignore_list_order", False)
    keys = [key for key in expected if key != "ignore_list_order"]
    return float(all((_contains if loose else _equals)(expected[key], result.get(key), sort) for key in keys))


def _equals(expected: Any, actual: Any, sort: bool) -> bool:
    if sort and isinstance(expected, list) and isinstance(actual, list):
        return sorted(expected, key=repr) == sorted(actual, key=repr)
    return bool(expected == actual)


def _contains(expected: Any, actual: Any, sort: bool) -> bool:
    if isinstance(expected, list):
        return any(item in actual if isinstance(actual, list) else item == actual for item in expected)
    return isinstance(expected, str) and isinstance(actual, str) and expected in actual
