"""OSWorld's metrics: each example is one that OSWorld's own metric of that name scores so."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

from gui_gym.registry import UnknownNameError
from gui_gym.verifiers.osworld import databases
from gui_gym.verifiers.osworld.metrics import METRICS, MODULES, as_score, load_metric
from gui_gym.verifiers.osworld.safe_files import UnreadableFile

TIME = "               Local time: Thu\n           Universal time: Thu\n                 RTC time: Thu\n                Time zone: {} \n"

VALUES: list[tuple[str, Any, Any, dict[str, Any], float]] = [
    ("exact_match", "a\n", {"expected": "a\n"}, {}, 1),
    ("exact_match", "a", {"expected": "a\n"}, {}, 0),
    ("exact_match", {"width": 1}, {"expected": {"width": 1}}, {}, 1),
    ("match_in_list", "Bing", {"expected": ["Microsoft Bing", "Bing"]}, {}, 1),
    ("match_in_list", "bing", {"expected": ["Microsoft Bing", "Bing"]}, {}, 0),
    ("is_in_list", ["/a", "/b"], {"expected": "/b"}, {}, 1),
    ("is_in_list", ["/ab"], {"expected": "/b"}, {}, 0),
    ("literal_match", 3, "3", {}, 1),
    ("literal_match", "Ab", "aB", {}, 0),
    ("literal_match", "Ab", "aB", {"ignore_case": True}, 1),
    ("literal_match", ["A", 2], ["a", "2"], {"type": "list", "ignore_case": True}, 1),
    ("literal_match", ["a"], ["a", "b"], {"type": "list"}, 0),
    ("literal_match", "a", ["a"], {"type": "list"}, 0),
    ("compare_answer", "x", {"expected": "x"}, {"unknown": 1}, 1),
    ("compare_answer", "", {"expected": ""}, {}, 0),
    ("check_include_exclude", "one two", {"include": ["one", "two"], "exclude": ["three"]}, {}, 1),
    ("check_include_exclude", "one two", {"include": ["one"], "exclude": ["two"]}, {}, 0),
    ("check_include_exclude", "one", {"include": ["one", "two"]}, {}, 0),
    ("check_include_exclude", "", {}, {}, 1),
    ("check_direct_json_object", {"a": 1, "b": 2}, {"expected": {"a": 1}}, {}, 1),
    ("check_direct_json_object", {"a": "1"}, {"expected": {"a": 1}}, {}, 0),
    ("check_direct_json_object", " {'a': 'x'} ", {"expected": {"a": "x"}}, {}, 1),
    ("check_direct_json_object", "bash: no such command", {"expected": {"a": "x"}}, {}, 0),
    ("check_direct_json_object", "[1]", {"expected": {"a": "x"}}, {}, 0),
    ("check_direct_json_object", {}, {"expected": {"a": 1}}, {}, 0),
    ("check_direct_json_object", {"a": ["x", "y"]}, {"expected": {"a": ["y", "x"]}}, {}, 0),
    ("check_direct_json_object", {"a": ["x", "y"]}, {"expected": {"a": ["y", "x"]}, "ignore_list_order": True}, {}, 1),
    ("check_direct_json_object", {"q": "drip coffee maker black"}, {"expected": {"q": "coffee"}, "expect_in_result": True}, {}, 1),
    ("check_direct_json_object", {"q": "ARN"}, {"expected": {"q": ["STO", "ARN"]}, "expect_in_result": True}, {}, 1),
    ("check_direct_json_object", {"q": ["ARN"]}, {"expected": {"q": ["STO", "ARN"]}, "expect_in_result": True}, {}, 1),
    ("check_direct_json_object", {"q": "OSL"}, {"expected": {"q": ["STO", "ARN"]}, "expect_in_result": True}, {}, 0),
    ("check_direct_json_object", {}, {"expected": {"q": "x"}, "expect_in_result": True}, {}, 0),
    ("is_utc_0", TIME.format("Atlantic/Faroe (WET, +0000)").replace(") \n", ")\n"), None, {}, 1),
    ("is_utc_0", TIME.format("Europe/Zurich (CET, +0100)").replace(") \n", ")\n"), None, {}, 0),
    ("is_utc_0", "timedatectl: command not found", None, {}, 0),
    ("check_text_enlarged", "1.25\n", None, {}, 1),
    ("check_text_enlarged", "1.0\n", None, {}, 0),
    ("check_text_enlarged", "No such schema", None, {}, 0),
    ("check_gnome_favorite_apps", "['a.desktop', 'b.desktop']\n", {"expected": ["b.desktop", "a.desktop"]}, {}, 1),
    ("check_gnome_favorite_apps", "['a.desktop', 'a.desktop']", {"expected": ["b.desktop", "a.desktop"]}, {}, 0),
    ("check_gnome_favorite_apps", "@as []\n", {"expected": []}, {}, 1),
    ("check_gnome_favorite_apps", "__import__('os').system('id')", {"expected": []}, {}, 0),
    ("check_moved_jpgs", {"children": [{"name": "a"}, {"name": "b"}]}, {"expected": ["b", "a"]}, {}, 1),
    ("check_moved_jpgs", {"children": [{"name": "a"}]}, {"expected": ["b", "a"]}, {}, 0),
    ("is_in_vm_clickboard", {"expected": "/a/b"}, "copied /a/b", {}, 1),
    ("is_in_vm_clickboard", {"expected": ["a", "z"]}, "abc", {}, 0),
    ("fuzzy_match", "hello", {"expected": "hello"}, {}, 1),
    ("fuzzy_match", "hella", {"expected": "hello"}, {}, 0.8),
    ("fuzzy_match", 3, {"expected": "hello"}, {}, 0),
]


def database(*statements: str) -> bytes:
    """An SQLite file."""
    connection = sqlite3.connect(":memory:")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    return connection.serialize()


MAILS = database("CREATE TABLE mails (starred INT)", "INSERT INTO mails VALUES (1), (1)")
ALL_STARRED = {"sql": "SELECT (SELECT COUNT(*) FROM mails WHERE starred = 1) = (SELECT COUNT(*) FROM mails);"}
ENDLESS = {"sql": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"}
GOLD = b"# -*- coding: utf-8 -*-\nimport os\n\nif os:\n\tpass  \n"
RULES = {"expected": "a\nb\n"}
EQ = {"key": ["a", "b"], "method": "eq", "ref": 3}
FILES: list[tuple[str, bytes, Any, dict[str, Any], float]] = [
    ("compare_text_file", b"a b\n", b"a b\n", {}, 1),
    ("compare_text_file", b"a  b\n", b"a b", {}, 0),
    ("compare_text_file", b"a \t b\n\n", b" a b", {"ignore_blanks": True}, 1),
    ("compare_text_file", b"ab", b"a b", {"ignore_blanks": True}, 0),
    ("compare_text_file", b"A", b"a", {"ignore_case": True, "unknown": 1}, 1),
    ("compare_text_file", b"a\r\nb", b"a\nb", {}, 1),
    ("compare_text_file", b"\xff\xfe", b"\xff\xfd", {}, 0),
    ("compare_text_file", "é漢".encode(), "é漢".encode(), {}, 1),
    ("diff_text_file", b"a\nb\nc\nd", b"a\nb\nc\nd\n", {}, 1),
    ("diff_text_file", b"a\nb\nx\nd", b"a\nb\nc\nd", {}, 0.75),
    ("compare_config", b"a\nb\n", RULES, {"containment_ok": True}, 1),
    ("compare_config", b"a\nb", RULES, {}, 0),
    ("file_contains", b"CPU %user", {"expected": ["CPU", "%user"]}, {}, 1),
    ("file_contains", b"CPU", {"expected": ["CPU", "%user"]}, {}, 0),
    ("file_contains", b"\xff\x00binary", {"expected": ["CPU"]}, {}, 0),
    ("check_line_number", b"10:00:01 a\nb\n23:59:60 c\n24:00:00 d\n", {"expected": "2"}, {}, 1),
    ("check_line_number", b"10:00:01 a 10:00:02\n", {"expected": 2}, {}, 0),
    ("check_list", b"Attachment added!\nx", {"expect": ["^Attachment", "x$"]}, {}, 1),
    ("check_list", b"a\nb", {"expect": ["a"], "unexpect": ["b"]}, {}, 0),
    ("check_list", b"a\nb", {"expect": ["a.b"]}, {}, 0),
    ("check_list", b"", {"unexpect": ["b"]}, {}, 1),
    ("check_json", b'{"a": {"b": 3}}', {"expect": [EQ]}, {}, 1),
    ("check_json", b'{"a": {"b": 4}}', {"expect": [EQ]}, {}, 0),
    ("check_json", b'{"a": {"b": 3}}', {"unexpect": [EQ]}, {}, 0),
    ("check_json", b'{"a": 3}', {"expect": [EQ]}, {}, 0),
    ("check_json", b'{"a": 3}', {"unexpect": [EQ]}, {}, 1),
    ("check_json", b'{"a": ', {"unexpect": [EQ]}, {}, 0),
    ("check_json", b"[" * 100_000, {"expect": [EQ]}, {}, 0),
    ("check_json", b'[{"b": 3}]', {"expect": [{**EQ, "key": [0, "b"]}]}, {}, 1),
    ("check_json", b"a:\n  b: 3\n", {"expect": [EQ]}, {"is_yaml": True}, 1),
    ("check_json", b"a: [", {"expect": [EQ]}, {"is_yaml": True}, 0),
    ("check_json", b"!!python/object/apply:os.system ['id']", {"expect": [EQ]}, {"is_yaml": True}, 0),
    ("check_csv", b"name,age\nAnn,3\nBo,4\n", {"expect": [{"name": "Bo", "age": "4"}], "unexpect": [{"name": "Cy"}]}, {}, 1),
    ("check_csv", b"name,age\nAnn,3\nBo,4\n", {"expect": [{"name": "Ann", "age": "4"}]}, {}, 0),
    ("check_csv", b"name,age\nAnn,3\n", {"unexpect": [{"age": "3"}]}, {}, 0),
    ("compare_csv", b"a,b\n1,2\n", b"a,b\n1,2", {}, 1),
    ("compare_csv", b"a,b \n1,2\n", b"A,b\n1,2", {}, 0),
    ("compare_csv", b"a,b \n1,2\n", b"A,b\n1,2", {"strict": False, "ignore_case": True}, 1),
    ("compare_csv", b"a,b", [b"x", b"a,b"], {}, 1),
    ("compare_csv", "é".encode("latin-1"), "é".encode(), {}, 1),
    ("check_json_settings", b'{"a": 1, "b": 2}', {"expected": {"a": 1}}, {"unknown": 1}, 1),
    ("check_json_settings", b'{"a": 2}', {"expected": {"a": 1}}, {}, 0),
    ("check_json_settings", b"// no json", {"expected": {"a": 1}}, {}, 0),
    ("check_json_keybindings", b'// comment\n[{"key": "a"}]', {"expected": {"key": "a"}}, {}, 1),
    ("check_json_keybindings", b'[{"key": "b"}]', {"expected": {"key": "a"}}, {}, 0),
    ("check_json_keybindings", b'{"key": "a"}', {"expected": {"key": "a"}}, {}, 0),
    ("run_sqlite3", MAILS, ALL_STARRED, {}, 1),
    ("run_sqlite3", database("CREATE TABLE mails (starred INT)", "INSERT INTO mails VALUES (1), (0)"), ALL_STARRED, {}, 0),
    ("run_sqlite3", MAILS, {"sql": "SELECT starred FROM mails WHERE starred = 7"}, {}, 0),
    ("run_sqlite3", MAILS, {"sql": "SELECT NULL"}, {}, 0),
    ("run_sqlite3", MAILS, {"sql": "SELECT 1 FROM letters"}, {}, 0),
    ("run_sqlite3", MAILS, {"sql": "ATTACH 'other.db' AS other"}, {}, 0),
    ("run_sqlite3", MAILS, {"sql": "DELETE FROM mails RETURNING 1"}, {}, 0),
    ("run_sqlite3", MAILS, {"sql": "SELECT length(zeroblob(1000000000)) > 0"}, {}, 0),
    ("run_sqlite3", b"no database", ALL_STARRED, {}, 0),
    ("run_sqlite3", MAILS[: len(MAILS) // 2], ALL_STARRED, {}, 0),
    ("compare_python_pure_text", b"#!/usr/bin/python\n# coding=utf-8\nimport os\nif os:\n    pass\n", GOLD, {}, 1),
    ("compare_python_pure_text", b"import os\nif os:\n  pass\n", GOLD, {}, 0),
    ("compare_python_pure_text", b"```python\nimport os\nif os:\n    pass\n```\n", GOLD, {}, 0),
    ("compare_result_files", b"the same\n", b" the same", {}, 1),
    ("compare_result_files", b"the same", b"another", {}, 0),
    ("compare_result_files", b"about 1,234.50 in all", b"1234.5\n", {}, 1),
    ("compare_result_files", b"0.33333", b"0.33", {}, 1),
    ("compare_result_files", b"0.33335", b"0.33334", {}, 1),
    ("compare_result_files", b"13", b"3", {}, 0),
    ("compare_result_files", b"none", b"3", {}, 0),
    ("compare_result_files", b"1 2 3 4 5 6 7 8 9 10 11", b"3", {}, 0),
]


@pytest.mark.parametrize(("name", "result", "expected", "options", "score"), VALUES)
def test_on_values(name: str, result: Any, expected: Any, options: dict[str, Any], score: float) -> None:
    if name == "fuzzy_match":
        pytest.importorskip("rapidfuzz")
    arguments = [result] if expected is None else [result, expected]
    assert load_metric(name)(*arguments, **options) == pytest.approx(score)


@pytest.mark.parametrize(("name", "content", "expected", "options", "score"), FILES)
def test_on_files(name: str, content: bytes, expected: Any, options: dict[str, Any], score: float, tmp_path: Path) -> None:
    if options.get("is_yaml"):
        pytest.importorskip("yaml")

    def file(data: Any, label: str) -> Any:
        if not isinstance(data, bytes):
            return [file(item, f"{label}{i}") for i, item in enumerate(data)] if isinstance(data, list) else data
        (tmp_path / label).write_bytes(data)
        return str(tmp_path / label)

    assert load_metric(name)(file(content, "result"), file(expected, "gold"), **options) == pytest.approx(score)


@pytest.mark.parametrize(
    ("method", "ref", "yes", "no"),
    [
        ("eq", 3, [3, 3.0], [4, "3", None]),
        ("ne", 3, [4, "3"], [3]),
        ("lt", 3, [2], [3, "2"]),
        ("le", 3, [3], [4]),
        ("gt", 3, [4], [3, None]),
        ("ge", 3, [3], [2]),
        ("re", r"\bsmart\b", ["a smart b"], ["smarter", 3, None]),
        ("re.I.M", "^SMART", ["x\nsmart"], ["x smart"]),
        ("approx:0.5", 3, [3.5, "2.5"], [3.6, "x", None]),
        ("range.te", [0, 2], [1, 2], [0, 3, "1"]),
        ("range.et", [0, 2], [0, 1], [2]),
        ("str_list_eq", ["a", "b"], ["a,b", '"a,b"'], ["b,a", 3]),
        ("str_set_eq", ["a", "b"], ["b,a", "a,b,a"], ["a", 3]),
    ],
)
def test_the_methods_of_a_json_rule(method: str, ref: Any, yes: list[Any], no: list[Any]) -> None:
    from gui_gym.verifiers.osworld.metrics.records import matches

    rule = {"method": method, "ref": ref}
    assert [matches(value, rule) for value in yes] == [True] * len(yes)
    assert [matches(value, rule) for value in no] == [False] * len(no)


def test_an_unknown_method_is_an_error_and_no_zero() -> None:
    from gui_gym.verifiers.osworld.metrics.records import matches

    with pytest.raises(ValueError, match="method: expected eq.*'like'"):
        matches("a", {"method": "like", "ref": "a"})


def test_a_query_that_does_not_end_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "_MAX_LOOKS", 100)
    (tmp_path / "db").write_bytes(MAILS)
    assert load_metric("run_sqlite3")(str(tmp_path / "db"), ENDLESS) == 0


def test_a_query_that_is_no_sql_is_an_error_and_no_zero(tmp_path: Path) -> None:
    (tmp_path / "db").write_bytes(MAILS)
    with pytest.raises(sqlite3.Error, match="syntax error"):
        load_metric("run_sqlite3")(str(tmp_path / "db"), {"sql": "SELEKT 1"})


READERS = [row for index, row in enumerate(FILES) if row[0] not in [other[0] for other in FILES[:index]]]


@pytest.mark.parametrize(("name", "content", "expected", "options", "score"), READERS, ids=[row[0] for row in READERS])
def test_a_file_that_is_too_large_is_zero_and_the_authors_raises(
    name: str, content: bytes, expected: Any, options: dict[str, Any], score: float, tmp_path: Path
) -> None:
    good, large = tmp_path / "good", tmp_path / "large"
    good.write_bytes(content)
    with large.open("wb") as file:
        file.truncate(1 << 30)
    gold = [expected] if not isinstance(expected, bytes) else [str(good)]
    assert load_metric(name)(str(large), *gold, **options) == 0
    if isinstance(expected, bytes):
        with pytest.raises(UnreadableFile, match="large: expected at most"):
            load_metric(name)(str(good), str(large), **options)


def test_every_metric_has_an_example() -> None:
    here = {name for module in ("values", "system", "text", "records", "fuzzy") for name in MODULES[module]}
    assert here == {row[0] for row in [*VALUES, *FILES]}


def test_names_and_scores() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'exact_match'"):
        load_metric("exact_mach")
    assert [as_score(value) for value in (True, 0, 0.5)] == [1.0, 0.0, 0.5]
    for bad in (2, -1, float("nan")):
        with pytest.raises(ValueError, match="expected a metric in"):
            as_score(bad)


@pytest.mark.parametrize(("library", "name", "arguments"), [("rapidfuzz", "fuzzy_match", None), ("yaml", "check_json", {"is_yaml": True})])
def test_a_library_that_is_not_installed_is_named_with_the_extra(
    library: str, name: str, arguments: dict[str, Any] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, "gui_gym.verifiers.osworld.metrics.fuzzy", raising=False)
    monkeypatch.setitem(METRICS._entries, "fuzzy_match", "gui_gym.verifiers.osworld.metrics.fuzzy:fuzzy_match")
    (tmp_path / "x").write_text("a: 1")
    with pytest.raises(ImportError, match=r'pip install "gui-gym\[osworld\]"'):
        metric = load_metric(name)
        metric(str(tmp_path / "x"), {}, **(arguments or {}))
