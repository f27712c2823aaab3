"""Metrics of a browser."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("publicsuffixlist")

from gui_gym.verifiers.osworld.metrics import load_metric

URL = {"type": "url", "url": "https://www.drugs.com/npc/"}
PATTERNS = {"expected": ["^https://(www\\.)?dmv\\.example/licenses", "id=7$"]}
TABS = {"type": "url", "urls": ["https://www.lonelyplanet.com", "https://www.airbnb.com"]}
FOLDERS = {"type": "bookmark_bar_folders_names", "names": ["Favorites"]}
PAGES = {"type": "bookmark_bar_websites_urls", "urls": ["https://a.example/x"]}
AUTHORS = {"type": "liked_authors_websites_urls", "names": ["Liked Authors"], "urls": [["https://a/1", "https://a/2"], "https://b/", ["https://c/"]]}
SEARCH = {"expect": {"pattern": "(?i)google\\.com/search\\?q=nereida(?:&|$)"}}


def folder(name: str, *children: Any) -> dict[str, Any]:
    return {"type": "folder", "name": name, "children": list(children)}


def page(url: str) -> dict[str, Any]:
    return {"type": "url", "name": "x", "url": url}


def bar(*children: Any) -> dict[str, Any]:
    return {"bookmark_bar": {"children": list(children)}, "other": {"children": [folder("Other"), page("https://o/")]}}


def tabs(*urls: str) -> list[dict[str, str]]:
    return [{"title": "", "url": url} for url in urls]


CASES: list[tuple[str, Any, Any, float]] = [
    ("is_expected_active_tab", "https://drugs.com/npc/", URL, 1),
    ("is_expected_active_tab", {"url": "https://www.drugs.com/npc/", "title": ""}, URL, 1),
    ("is_expected_active_tab", "https://www.drugs.com/npc/?a=1", URL, 0),
    ("is_expected_active_tab", "", URL, 0),
    ("is_expected_active_tab", {}, URL, 0),
    ("is_expected_active_tab_approximate", "https://www.drugs.com/npc/?a=1", URL, 1),
    ("is_expected_active_tab_approximate", "https://drugs.com/npc/", URL, 0),
    ("is_expected_active_tab_approximate", "http://[", URL, 0),
    ("is_expected_url_pattern_match", "https://dmv.example/licenses?id=7", PATTERNS, 1),
    ("is_expected_url_pattern_match", {"url": "https://www.dmv.example/licenses?id=7"}, PATTERNS, 1),
    ("is_expected_url_pattern_match", "https://dmv.example/licenses", PATTERNS, 0),
    ("is_expected_url_pattern_match", "", {"expected": [""]}, 0),
    ("is_expected_search_query", {"url": "https://www.google.com/search?q=Nereida&x=1"}, SEARCH, 1),
    ("is_expected_search_query", {"url": "https://www.google.com/search?q=other"}, SEARCH, 0),
    ("is_expected_tabs", tabs("https://airbnb.com/", "https://lonelyplanet.com/"), TABS, 1),
    ("is_expected_tabs", tabs("https://airbnb.com/"), TABS, 0),
    ("is_expected_tabs", tabs("https://airbnb.com/", "https://airbnb.com/"), TABS, 0),
    ("is_expected_tabs", tabs("https://airbnb.com/", "https://lonelyplanet.com/", "https://x.com"), TABS, 0),
    ("is_expected_tabs", [], TABS, 0),
    ("is_expected_bookmarks", bar(folder("Favorites")), FOLDERS, 1),
    ("is_expected_bookmarks", bar(folder("Favorites"), page("https://p/")), FOLDERS, 1),
    ("is_expected_bookmarks", bar(folder("Favorites"), folder("More")), FOLDERS, 0),
    ("is_expected_bookmarks", bar(), FOLDERS, 0),
    ("is_expected_bookmarks", {}, FOLDERS, 0),
    ("is_expected_bookmarks", bar(page("https://a.example/x"), folder("f")), PAGES, 1),
    ("is_expected_bookmarks", bar(page("https://a.example/y")), PAGES, 0),
    ("is_expected_bookmarks", bar(folder("Liked Authors", page("https://c/"), page("https://a/2"), page("https://b/"))), AUTHORS, 1),
    ("is_expected_bookmarks", bar(folder("Liked Authors", page("https://a/1"), page("https://a/2"), page("https://b/"))), AUTHORS, 0),
    ("is_expected_bookmarks", bar(folder("Liked Authors", page("https://a/1"), page("https://b/"))), AUTHORS, 0),
    ("is_expected_bookmarks", bar(folder("Liked", page("https://c/"), page("https://a/2"), page("https://b/"))), AUTHORS, 0),
    ("is_expected_installed_extensions", ["Momentum", "PDF Viewer", "Zoom"], {"expected": ["Zoom", "Momentum"]}, 1),
    ("is_expected_installed_extensions", ["Momentum"], {"expected": ["Zoom", "Momentum"]}, 0),
    ("is_cookie_deleted", [(1, ".ebay.com", "a", "/"), (2, "fls.amazon.com", "b", "/")], {"type": "domains", "domains": [".amazon.com"]}, 1),
    ("is_cookie_deleted", [(1, "www.amazon.com", "a", "/")], {"type": "domains", "domains": [".amazon.com"]}, 0),
    ("is_cookie_deleted", [], {"type": "domains", "domains": [".amazon.com"]}, 1),
    ("check_history_deleted", [("https://www.youtube.com/x", "t", 1)], {"type": "keywords", "keywords": ["youtube"]}, 0),
    ("check_history_deleted", [("https://bbc.co.uk", "youtube", 1)], {"type": "keywords", "keywords": ["youtube"]}, 1),
    ("is_shortcut_on_desktop", {"a.desktop": "[Desktop Entry]\nName=Play 2048\nExec=x"}, {"type": "name", "name": "Play 2048"}, 1),
    ("is_shortcut_on_desktop", {"a.desktop": "[Desktop Entry]\nName=Play 2048 now\n"}, {"type": "name", "name": "Play 2048"}, 0),
    ("is_shortcut_on_desktop", {"a.desktop": "Exec=x --y\r\n"}, {"type": "exec", "exec": "x --y"}, 1),
    ("is_shortcut_on_desktop", {}, {"type": "name", "name": "x"}, 0),
    ("is_added_to_steam_cart", {"content": "<b>The Dota 2 Official Soundtrack</b>"}, {"items": ["The Dota 2 Official Soundtrack"]}, 1),
    ("is_added_to_steam_cart", {"content": ""}, {"items": ["The Dota 2 Official Soundtrack"]}, 0),
    ("check_font_size", {"default_font_size": 24}, {"type": "range", "min": 16, "max": 99999}, 1),
    ("check_font_size", {"default_font_size": 16}, {"type": "range", "min": 16, "max": 99999}, 0),
    ("check_font_size", {"default_font_size": 20}, {"type": "value", "value": 20}, 1),
    ("check_font_size", {"default_font_size": 21}, {"type": "value", "value": 20}, 0),
]


@pytest.mark.parametrize("metric, result, rules, expected", CASES, ids=[f"{case[0]}-{index}" for index, case in enumerate(CASES)])
def test_score(metric: str, result: Any, rules: Any, expected: float) -> None:
    assert load_metric(metric)(result, rules) == expected


HOSTILE = [
    ("is_expected_bookmarks", {"bookmark_bar": "x"}, FOLDERS),
    ("is_expected_bookmarks", {"bookmark_bar": {"children": {"a": 1}}}, FOLDERS),
    ("is_expected_bookmarks", bar(7, None, {"type": "folder"}, {"type": "url", "url": {}}), PAGES),
    ("is_expected_bookmarks", [1], FOLDERS),
    ("is_expected_bookmarks", bar(folder("Liked Authors", *(page(f"https://{n}/") for n in range(5000)))), AUTHORS),
    ("is_expected_tabs", [{"url": None}, {}], TABS),
    ("is_expected_active_tab", {"url": 7}, URL),
    ("check_font_size", {"default_font_size": "huge"}, {"type": "range", "min": 16, "max": 99999}),
    ("check_font_size", {"default_font_size": True}, {"type": "range", "min": 0, "max": 99999}),
    ("check_font_size", {}, {"type": "value", "value": 16}),
    ("is_added_to_steam_cart", {"content": None}, {"items": ["x"]}),
]


@pytest.mark.parametrize("metric, result, rules", HOSTILE)
def test_a_result_of_no_form_is_zero(metric: str, result: Any, rules: Any) -> None:
    assert load_metric(metric)(result, rules) == 0


def test_many_choices_of_authors_are_not_multiplied_out() -> None:
    choices = [[f"https://{author}/{n}" for n in range(20)] for author in range(12)]
    chosen = bar(folder("Liked Authors", *(page(choice[3]) for choice in choices)))
    assert load_metric("is_expected_bookmarks")(chosen, {**AUTHORS, "urls": choices}) == 1


@pytest.mark.parametrize(
    "metric", ["is_expected_active_tab", "is_expected_tabs", "is_expected_bookmarks", "is_cookie_deleted", "check_history_deleted"]
)
def test_a_kind_of_rule_that_is_not_known_is_the_authors_mistake(metric: str) -> None:
    with pytest.raises(ValueError, match="rules.type"):
        load_metric(metric)([], {"type": "mood"})
