"""Metrics on JSON, YAML, CSV and SQLite files."""

from __future__ import annotations

import csv
import json
import operator
import re
from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Any

from gui_gym.verifiers.osworld.databases import read_rows
from gui_gym.verifiers.osworld.safe_files import read_lines, read_text, zero_if_unreadable

_ABSENT = object()


@zero_if_unreadable
def check_json(result: str, rules: Mapping[str, list[Mapping[str, Any]]], is_yaml: bool = False) -> float:
    """1 if the file's values match every rule of ``rules["expect"]`` and none of ``rules["unexpect"]``.

    A rule is ``{"key": [path of keys], "method": ..., "ref": ...}``, see :func:`matches`. With ``is_yaml`` the file is
    YAML (needs the extra ``osworld``).
    """
    data = _yaml(result) if is_yaml else _json(result)
    if data is None:
        return 0.0
    return float(
        all(matches(_at(data, rule["key"]), rule) for rule in rules.get("expect", []))
        and not any(matches(_at(data, rule["key"]), rule) for rule in rules.get("unexpect", []))
    )


def _at(data: Any, keys: Iterable[Any]) -> Any:
    for key in keys:
        try:
            data = data[key]
        except (KeyError, IndexError, TypeError):
            return _ABSENT
    return data


def matches(value: Any, rule: Mapping[str, Any]) -> bool:
    """Whether ``value`` matches a rule.

    Methods: ``eq ne lt le gt ge`` against ``ref``; ``re`` or ``re.FLAG.FLAG``, a search for ``ref``; ``approx:D``, within D
    of ``ref``; ``range.AB`` with A and B of "t" or "e", ``ref[0] <A value <B ref[1]``; ``str_list_eq`` and ``str_set_eq``,
    the items of a comma-separated text. A value of another type, or none, does not match. Other methods are a ValueError.
    """
    method, ref = rule["method"], rule["ref"]
    if method in ("eq", "ne", "lt", "le", "gt", "ge"):
        test = getattr(operator, method)
    elif method == "re" or method.startswith("re."):
        flags = reduce(operator.or_, (getattr(re, name) for name in method.split(".")[1:]), re.RegexFlag(0))
        pattern = re.compile(ref, flags)

        def test(value: Any, _: Any) -> bool:
            return pattern.search(value) is not None
    elif method.startswith("approx:"):
        distance = float(method.partition(":")[2])

        def test(value: Any, ref: Any) -> bool:
            return abs(float(value) - ref) <= distance
    elif re.fullmatch(r"range\.[te][te]", method):
        below, above = (getattr(operator, f"l{end}") for end in method[6:])

        def test(value: Any, ref: Any) -> bool:
            return bool(below(ref[0], value) and above(value, ref[1]))
    elif method in ("str_list_eq", "str_set_eq"):
        kind = list if method == "str_list_eq" else set

        def test(value: Any, ref: Any) -> bool:
            return bool(kind(value.strip("\"'").split(",")) == kind(ref))
    else:
        raise ValueError(f"method: expected eq, ne, lt, le, gt, ge, re, approx:D, range.AB, str_list_eq or str_set_eq, got {method!r}")
    if value is _ABSENT:
        return False
    try:
        return bool(test(value, ref))
    except (TypeError, ValueError, AttributeError):  # the value is of a type that the method cannot look at
        return False


@zero_if_unreadable
def check_csv(result: str, rules: Mapping[str, list[Mapping[str, str]]]) -> float:
    """1 if each record of ``rules["expect"]`` is part of some row of the file and none of ``rules["unexpect"]`` of any."""
    try:
        rows = list(csv.DictReader(read_text(result).splitlines(keepends=True)))
    except csv.Error:
        return 0.0

    def found(record: Mapping[str, str]) -> bool:
        return any(all(row.get(key, _ABSENT) == value for key, value in record.items()) for row in rows)

    return float(all(map(found, rules.get("expect", []))) and not any(map(found, rules.get("unexpect", []))))


@zero_if_unreadable
def compare_csv(result: str, expected: str | list[str], strict: bool = True, ignore_case: bool = False, **options: Any) -> float:
    """1 if the lines of the file are those of ``expected``, or of one file of a list; not ``strict`` trims each line."""

    def lines(path: str) -> list[str]:
        found = read_lines(path) if strict else [line.strip() for line in read_lines(path)]
        return [line.lower() for line in found] if ignore_case else found

    return float(any(lines(result) == lines(gold) for gold in ([expected] if isinstance(expected, str) else expected)))


@zero_if_unreadable
def check_json_settings(result: str, rules: Mapping[str, Mapping[str, Any]], **options: Any) -> float:
    """1 if the file is a JSON object with every item of ``rules["expected"]``."""
    data = _json(result)
    return float(isinstance(data, dict) and all(key in data and data[key] == value for key, value in rules["expected"].items()))


@zero_if_unreadable
def check_json_keybindings(result: str, rules: Mapping[str, Any], **options: Any) -> float:
    """1 if the file is a JSON list with ``rules["expected"]`` in it; its first line may be a comment."""
    text = read_text(result)
    for candidate in (text, text.partition("\n")[2]):
        data = _parse(candidate)
        if isinstance(data, list):
            return float(rules["expected"] in data)
    return 0.0


@zero_if_unreadable
def run_sqlite3(result: str, rules: Mapping[str, str]) -> float:
    """The number that the query ``rules["sql"]`` gives on the SQLite database ``result``; no row and NULL are 0.

    A query that takes too long on it, or finds a table missing, gives 0; one that is no SQL raises :class:`sqlite3.Error`.
    """
    rows = read_rows(result, rules["sql"])
    return float(rows[0][0] or 0) if rows else 0.0


def _json(path: str) -> Any:
    return _parse(read_text(path))


def _parse(text: str) -> Any:
    """The JSON value, or None if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _yaml(path: str) -> Any:
    try:
        import yaml
    except ImportError as error:
        raise ImportError('a metric that reads YAML needs PyYAML: pip install "gui-gym[osworld]"') from error
    try:
        return yaml.safe_load(read_text(path))
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
