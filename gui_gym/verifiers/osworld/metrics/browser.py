"""Metrics of a browser: tabs, addresses, bookmarks, history, cookies, extensions, shortcuts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import publicsuffixlist  # noqa: F401  what same_url needs, so that it is missed before an episode

from gui_gym.tasks.urls import same_url

Rules = Mapping[str, Any]


def _kind(rules: Rules, *known: str) -> str:
    kind = rules["type"]
    if kind not in known:
        raise ValueError(f"rules.type: expected one of {', '.join(known)}, got {kind!r}")
    return str(kind)


def _address(result: Any) -> str:
    """The address of a tab: text, or what a getter of tabs gives."""
    return str(result.get("url") or "") if isinstance(result, Mapping) else str(result or "")


def is_expected_active_tab(result: Any, rules: Rules) -> float:
    """1 if the active tab shows ``rules["url"]``."""
    _kind(rules, "url")
    return float(same_url(rules["url"], _address(result)))


def is_expected_active_tab_approximate(result: Any, rules: Rules) -> float:
    """1 if the active tab shows ``rules["url"]``, whatever stands after "?"."""
    _kind(rules, "url")
    return float(_without_query(rules["url"]) == _without_query(_address(result)))


def _without_query(url: str) -> str:
    try:
        return urlunsplit(urlsplit(url)._replace(query=""))
    except ValueError:  # no address
        return url


def is_expected_url_pattern_match(result: Any, rules: Rules) -> float:
    """1 if every regular expression of ``rules["expected"]`` is found in the address."""
    address = _address(result)
    return float(bool(address) and all(re.search(pattern, address) for pattern in rules["expected"]))


def is_expected_search_query(result: Any, rules: Rules) -> float:
    """1 if the address has the pattern ``rules["expect"]["pattern"]``."""
    return float(re.search(rules["expect"]["pattern"], _address(result)) is not None)


def is_expected_tabs(result: Sequence[Mapping[str, Any]], rules: Rules) -> float:
    """1 if the open tabs are those of ``rules["urls"]``, in any order: as many, and each of them open."""
    _kind(rules, "url")
    left = [_address(tab) for tab in result]
    for url in rules["urls"]:
        found = next((open_url for open_url in left if same_url(url, open_url)), None)
        if found is None:
            return 0.0
        left.remove(found)
    return float(not left)


def is_expected_bookmarks(result: Any, rules: Rules) -> float:
    """1 if the bookmarks bar has the folders, the pages, or the folder of pages that ``rules`` name, and no other of the kind.

    ``liked_authors_websites_urls``: the folder ``names[0]`` has for each author one page of the list that ``urls`` holds for them.
    """
    kind = _kind(rules, "bookmark_bar_folders_names", "bookmark_bar_websites_urls", "liked_authors_websites_urls")
    bar = _children(result.get("bookmark_bar") if isinstance(result, Mapping) else None)
    if kind == "bookmark_bar_folders_names":
        return float({item.get("name") for item in bar if item.get("type") == "folder"} == set(rules["names"]))
    if kind == "bookmark_bar_websites_urls":
        return float(_pages(bar) == set(rules["urls"]))
    name = (rules.get("names") or ["Liked Authors"])[0]
    folder = next((item for item in bar if item.get("type") == "folder" and item.get("name") == name), None)
    choices = [{url} if isinstance(url, str) else set(url) for url in rules["urls"]]
    return float(folder is not None and _one_of_each(_pages(_children(folder)), choices))


def _children(folder: Any) -> list[Mapping[str, Any]]:
    children = folder.get("children") if isinstance(folder, Mapping) else None
    return [child for child in children if isinstance(child, Mapping)] if isinstance(children, list) else []


def _pages(items: Iterable[Mapping[str, Any]]) -> set[Any]:
    return {str(item.get("url")) for item in items if item.get("type") == "url"}


def _one_of_each(pages: set[Any], choices: list[set[str]]) -> bool:
    """Whether one page can be chosen of each of ``choices`` so that the chosen ones are exactly ``pages``."""
    if not choices:
        return not pages
    if len(pages) > len(choices) or not pages <= set().union(*choices):
        return False
    chosen: set[frozenset[str]] = {frozenset()}
    for choice in choices:
        chosen = {before | {url} for before in chosen for url in choice & pages}
    return frozenset(pages) in chosen


def is_expected_installed_extensions(result: Sequence[str], rules: Rules) -> float:
    """1 if all of ``rules["expected"]`` are installed; others may be."""
    return float(set(rules["expected"]) <= set(result))


def is_cookie_deleted(result: Sequence[Sequence[Any]], rules: Rules) -> float:
    """1 if no cookie, ``(creation time, host, ...)``, is left of ``rules["domains"]``."""
    _kind(rules, "domains")
    return float(not any(same_url(domain, str(cookie[1])) for domain in rules["domains"] for cookie in result))


def check_history_deleted(result: Sequence[Sequence[Any]], rules: Rules) -> float:
    """1 if no address, the first field of each row, has one of ``rules["keywords"]`` in it."""
    _kind(rules, "keywords")
    return float(not any(keyword in str(row[0]) for keyword in rules["keywords"] for row in result))


def is_shortcut_on_desktop(result: Mapping[str, str], rules: Rules) -> float:
    """1 if a launcher has the line ``Name=`` or ``Exec=`` that ``rules`` say."""
    kind = _kind(rules, "name", "exec")
    line = f"{kind.capitalize()}={rules[kind]}"
    return float(any(line in content.splitlines() for content in result.values()))


def is_added_to_steam_cart(result: Mapping[str, str], rules: Rules) -> float:
    """1 if the page's content has all of ``rules["items"]`` in it."""
    return float(all(item in str(result.get("content") or "") for item in rules["items"]))


def check_font_size(result: Mapping[str, Any], rules: Rules) -> float:
    """1 if the default font size, in pixels, is ``value``, or lies between ``min`` and ``max``, both excluded."""
    kind, size = _kind(rules, "value", "range"), result.get("default_font_size")
    if isinstance(size, bool) or not isinstance(size, (int, float)):
        return 0.0
    return float(size == rules["value"] if kind == "value" else rules["min"] < size < rules["max"])
