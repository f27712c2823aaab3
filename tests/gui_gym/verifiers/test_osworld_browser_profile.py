"""Getters of a browser's profile, on files as Chromium writes them and as an agent could leave them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gui_gym.desktops import Completed
from gui_gym.tasks import Task
from gui_gym.tasks.setup import Stage
from gui_gym.verifiers.osworld import databases
from gui_gym.verifiers.osworld.databases import read_rows
from gui_gym.verifiers.osworld.getters import GETTERS
from gui_gym.verifiers.osworld.safe_files import UnreadableFile

PROFILE = "/home/user/.config/google-chrome/Default"
SETTINGS = (
    "default_search_engine", "profile_name", "enable_do_not_track", "enable_enhanced_safety_browsing", "enable_safe_browsing", "new_startup_page",
    "data_delete_automacally", "chrome_font_size", "find_unpacked_extension_path", "find_installed_extension_name",
)  # fmt: skip


@pytest.fixture
def stage(guest: Any, tmp_path: Path) -> Stage:
    return Stage(Task("t", "osworld", "x"), guest, tmp_path)


def get(stage: Stage, name: str, **spec: Any) -> Any:
    return GETTERS.get(name).get(stage, spec)


def keep(stage: Stage, name: str, value: Any) -> None:
    stage.desktop.write_file(f"{PROFILE}/{name}", value if isinstance(value, bytes) else json.dumps(value).encode())


@pytest.mark.parametrize(
    "getter, preferences, expected",
    [
        ("default_search_engine", {}, "Google"),
        ("default_search_engine", {"default_search_provider_data": {"template_url_data": {"short_name": "Microsoft Bing"}}}, "Microsoft Bing"),
        ("profile_name", {"profile": {"name": "Thomas"}}, "Thomas"),
        ("profile_name", {}, None),
        ("enable_do_not_track", {"enable_do_not_track": True}, "true"),
        ("enable_do_not_track", {"enable_do_not_track": False}, "false"),
        ("enable_do_not_track", {"enable_do_not_track": "yes"}, "false"),
        ("enable_do_not_track", {}, "false"),
        ("enable_enhanced_safety_browsing", {"safebrowsing": {"enhanced": True}}, "true"),
        ("enable_enhanced_safety_browsing", {"safebrowsing": {"enabled": True}}, "false"),
        ("enable_safe_browsing", {"safebrowsing": {"enabled": True, "enhanced": False}}, "true"),
        ("enable_safe_browsing", {"safebrowsing": {"enabled": False, "enhanced": True}}, "true"),
        ("enable_safe_browsing", {"safebrowsing": {"enabled": False, "enhanced": False}}, "false"),
        ("new_startup_page", {}, "true"),
        ("new_startup_page", {"session": {"restore_on_startup": 5}}, "true"),
        ("new_startup_page", {"session": {"restore_on_startup": 4, "startup_urls": ["https://funbrain.example"]}}, "false"),
        ("data_delete_automacally", {"profile": {"default_content_setting_values": {"cookies": 4}}}, "true"),
        ("data_delete_automacally", {"profile": {"default_content_setting_values": {"cookies": 2}}}, "false"),
        ("data_delete_automacally", {"profile": {"default_content_setting_values": {"has_migrated_local_network_access": True}}}, "false"),
        ("data_delete_automacally", {"profile": {}}, "false"),
        ("chrome_font_size", {}, {"default_fixed_font_size": 13, "default_font_size": 16, "minimum_font_size": 0}),
        (
            "chrome_font_size",
            {"webkit": {"webprefs": {"default_font_size": 24}}},
            {"default_fixed_font_size": 13, "default_font_size": 24, "minimum_font_size": 0},
        ),
        (
            "find_unpacked_extension_path",
            {"extensions": {"settings": {"a": {"path": "/home/user/Desktop/hello"}, "b": {"path": "x/1_0"}, "c": {}, "d": 7}}},
            ["/home/user/Desktop/hello", "x/1_0"],
        ),
        ("find_unpacked_extension_path", {}, []),
        ("find_installed_extension_name", {"extensions": {"settings": {"a": {"manifest": {"name": "Momentum"}}, "b": {}}}}, ["Momentum"]),
    ],
)
def test_a_setting(getter: str, preferences: dict[str, Any], expected: Any, stage: Stage) -> None:
    keep(stage, "Preferences", preferences)
    assert get(stage, getter) == expected


@pytest.mark.parametrize("content", [None, b"", b'{"profile": {"name": "Tho', b"[1]", b"\xff\xfe", b"null", b"[" * 100_000], ids=range(7))
@pytest.mark.parametrize("getter", [*SETTINGS, "bookmarks"])
def test_a_file_that_is_missing_or_broken_is_a_missing_output(getter: str, content: bytes | None, stage: Stage) -> None:
    if content is not None:
        keep(stage, "Preferences", content)
        keep(stage, "Bookmarks", content)
    assert get(stage, getter) is None


@pytest.mark.parametrize("value", ["text", 7, [], None, True])
@pytest.mark.parametrize("getter", SETTINGS)
def test_settings_of_another_type_are_not_followed(getter: str, value: Any, stage: Stage) -> None:
    names = ("default_search_provider_data", "profile", "safebrowsing", "session", "webkit", "extensions")
    keep(stage, "Preferences", dict.fromkeys(names, value))
    assert get(stage, getter) in (
        None,
        "Google",
        "false",
        "true",
        [],
        {"default_fixed_font_size": 13, "default_font_size": 16, "minimum_font_size": 0},
    )
    keep(stage, "Preferences", {"extensions": {"settings": value}, "webkit": {"webprefs": value}})
    get(stage, getter)


def test_secure_preferences_come_before_the_others(stage: Stage) -> None:
    keep(stage, "Preferences", {"extensions": {"settings": {"a": {"path": "/a"}}}, "profile": {"name": "Ann"}})
    keep(stage, "Secure Preferences", {"extensions": {"settings": {"b": {"path": "/b"}}}})
    assert get(stage, "find_unpacked_extension_path") == ["/a", "/b"] and get(stage, "profile_name") == "Ann"


def test_the_profile_of_another_browser_is_found(stage: Stage) -> None:
    stage.desktop.write_file("/home/user/snap/chromium/common/chromium/Default/Preferences", b'{"profile": {"name": "Ann"}}')
    assert get(stage, "profile_name") == "Ann"


def test_names_of_extensions_whose_manifest_is_a_file(stage: Stage) -> None:
    settings = {"a": {"path": "abc/1.0_0"}, "b": {"path": "/home/user/hello"}, "c": {"path": "/home/user/none"}}
    keep(stage, "Preferences", {"extensions": {"settings": settings}})
    keep(stage, "Extensions/abc/1.0_0/manifest.json", {"name": "__MSG_appName__", "default_locale": "en"})
    keep(stage, "Extensions/abc/1.0_0/_locales/en/messages.json", {"AppName": {"message": "Translate"}})
    stage.desktop.write_file("/home/user/hello/manifest.json", b'{"name": "Hello"}')
    assert get(stage, "find_installed_extension_name") == ["Translate", "Hello"]


def test_bookmarks(stage: Stage) -> None:
    keep(stage, "Bookmarks", {"roots": {"bookmark_bar": {"children": []}}, "version": 1})
    assert get(stage, "bookmarks") == {"bookmark_bar": {"children": []}}


def test_shortcuts(stage: Stage, guest: Any) -> None:
    folder = "/home/user/Desktop"
    guest.files = {f"{folder}/a.desktop": b"Name=\xe9\n", f"{folder}/b.desktop": b"Name=B\n"}
    listing = b"\0".join([f"{folder}/{name}".encode() for name in ("a.desktop", "b.desktop", "gone.desktop")]) + b"\0"
    shell = guest.answer
    guest.answer = lambda argv: Completed(0, listing, b"") if argv[0] == "find" else shell(argv)
    assert get(stage, "shortcuts_on_desktop") == {"a.desktop": "Name=\ufffd\n", "b.desktop": "Name=B\n"}


# -- databases -------------------------------------------------------------------------------------------------------


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(tmp_path / "made")) as connection:
        yield connection


def content(database: sqlite3.Connection, tmp_path: Path) -> bytes:
    database.commit()
    return (tmp_path / "made").read_bytes()


def test_history_and_cookies(stage: Stage, database: sqlite3.Connection, tmp_path: Path) -> None:
    database.execute("CREATE TABLE urls (id INTEGER, url TEXT, title TEXT, last_visit_time INTEGER)")
    database.execute("INSERT INTO urls VALUES (1, 'https://a.example/', 'é', 7)")
    database.execute("INSERT INTO urls VALUES (2, CAST(x'ff' AS TEXT), 'bad', 8)")
    database.execute("CREATE TABLE cookies (host_key TEXT, creation_utc INTEGER, encrypted_value BLOB, name TEXT, path TEXT)")
    database.execute("INSERT INTO cookies VALUES ('.a.example', 5, x'00', 'n', '/')")
    keep(stage, "History", content(database, tmp_path))
    keep(stage, "Cookies", content(database, tmp_path))
    assert get(stage, "history", dest="h.sqlite") == [("https://a.example/", "é", 7), ("\ufffd", "bad", 8)]
    assert get(stage, "cookie_data", dest="Cookies") == [(5, ".a.example", "n", "/")]
    keep(stage, "Network/Cookies", b"a newer browser's, broken")
    assert get(stage, "cookie_data", dest="Cookies") is None


@pytest.mark.parametrize("getter", ["history", "cookie_data"])
@pytest.mark.parametrize("broken", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 4096, None])
def test_what_is_no_database_is_a_missing_output(getter: str, broken: bytes | None, stage: Stage) -> None:
    if broken is not None:
        keep(stage, "History", broken)
        keep(stage, "Cookies", broken)
    assert get(stage, getter, dest="x") is None


def test_a_truncated_database_is_a_missing_output(stage: Stage, database: sqlite3.Connection, tmp_path: Path) -> None:
    database.execute("CREATE TABLE urls (url TEXT, title TEXT, last_visit_time INTEGER)")
    database.executemany("INSERT INTO urls VALUES (?, 'x', 1)", [("https://a.example/" + "x" * 500,)] * 200)
    keep(stage, "History", content(database, tmp_path)[:20_000])
    assert get(stage, "history", dest="x") is None


def test_hostile_databases_are_bounded(database: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "_MAX_LOOKS", 1000)
    monkeypatch.setattr(databases, "MAX_ROWS", 10)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
    database.execute(f"CREATE VIEW endless AS {endless} SELECT max(i) AS url FROM n")
    database.execute(f"CREATE VIEW many AS {endless} SELECT i AS url FROM n")
    database.execute("CREATE VIEW large AS SELECT zeroblob(1000000000) AS url")
    database.commit()
    for name in ("endless", "many", "large", "missing"):
        with pytest.raises(UnreadableFile, match="expected"):
            read_rows(tmp_path / "made", f"SELECT url FROM {name}")


def test_reading_changes_nothing_and_writes_nowhere(database: sqlite3.Connection, tmp_path: Path) -> None:
    database.execute("CREATE TABLE urls (url TEXT)")
    before = content(database, tmp_path)
    for query in ("INSERT INTO urls VALUES ('x')", f"ATTACH '{tmp_path / 'other'}' AS o", f"VACUUM INTO '{tmp_path / 'copy'}'"):
        with pytest.raises(UnreadableFile):
            read_rows(tmp_path / "made", query)
    assert read_rows(tmp_path / "made", "SELECT * FROM urls") == []
    assert (tmp_path / "made").read_bytes() == before and [path.name for path in tmp_path.iterdir()] == ["made"]
