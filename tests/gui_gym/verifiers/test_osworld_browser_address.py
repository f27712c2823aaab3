"""The address of the active tab in an accessibility tree, and what is read in it."""

from __future__ import annotations

from typing import Any

import pytest

from gui_gym.desktops import DesktopError
from gui_gym.tasks import Task, TaskError
from gui_gym.tasks.setup import Stage
from gui_gym.verifiers.osworld.getters import GETTERS, check_getter


def node(role: str, name: str = "", *children: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "name": name, "bounds": [0, 0, 1, 1], "value": None, "children": list(children), **more}


def window(text: str | None, *states: str, name: str = "Address and search bar") -> dict[str, Any]:
    return node("frame", "a window", node("panel", "", node("entry", name, **({} if text is None else {"text": text}))), states=list(states))


def get(guest: Any, tree: Any, getter: str = "active_url_from_accessTree", **spec: Any) -> Any:
    guest.accessibility_tree = lambda: tree
    check_getter({"type": getter, **spec}, "evaluator.result")
    return GETTERS.get(getter).get(Stage(Task("t", "osworld", "x"), guest), spec)


def screen(*windows: Any) -> dict[str, Any]:
    return node("desktop frame", "main", node("application", "Chromium", *windows))


@pytest.mark.parametrize(
    "tree, expected",
    [
        (screen(window("drugs.com/npc/")), "https://drugs.com/npc/"),
        (screen(window("first.example"), window("active.example", "active")), "https://active.example"),
        (screen(window("first.example"), window("second.example")), "https://first.example"),
        (screen(window(None, "active"), window("other.example")), None),
        (screen(window("")), None),
        (screen(window("x", name="Search the page")), None),
        (screen(), None),
    ],
)
def test_the_address_is_that_of_the_active_window(guest: Any, tree: Any, expected: str | None) -> None:
    assert get(guest, tree) == expected


def test_what_goes_before_the_address(guest: Any) -> None:
    assert get(guest, screen(window("drugs.com")), goto_prefix="https://www.") == "https://www.drugs.com"
    assert get(guest, screen(window("chrome://settings/appearance")), goto_prefix="") == "chrome://settings/appearance"
    valued = node("frame", "", node("text", "Address and search bar", value="x.example"))
    assert get(guest, screen({**valued, "children": [{**valued["children"][0], "value": "x.example"}]})) == "https://x.example"


def test_a_desktop_without_a_tree_is_not_a_wrong_address(guest: Any) -> None:
    with pytest.raises(DesktopError, match="no accessibility tree"):
        get(guest, None)


@pytest.mark.parametrize("getter", ["active_url_from_accessTree", "active_tab_info"])
def test_without_a_window_nothing_is_asked_of_a_browser(guest: Any, getter: str) -> None:
    assert get(guest, screen(), getter) is None


@pytest.mark.parametrize(
    "text, part, expected",
    [
        ("www.a.example/b/c?x=1", {"partIndex": -1, "returnType": "string"}, "c?x=1"),
        ("www.a.example/b/c?x=1", {"partIndex": -1, "returnType": "string", "needDeleteId": True}, "c"),
        ("www.a.example/b/may-weather/1", {"partIndex": -2, "returnType": "json", "key": "time"}, {"time": "may-weather"}),
        ("www.a.example", {"partIndex": -9, "returnType": "string"}, None),
        ("www.a.example", {"partIndex": 9, "returnType": "string"}, None),
    ],
)
def test_a_part_of_the_address(guest: Any, text: str, part: dict[str, Any], expected: Any) -> None:
    assert get(guest, screen(window(text)), "url_dashPart", **part) == expected


@pytest.mark.parametrize(
    "text, spec, expected",
    [
        ("a.example/?q=drip%20coffee&x=1", {"parse_keys": ["q", "y"]}, {"q": "drip coffee", "y": ""}),
        ("a.example/?d=2027-01-01", {"parse_keys": ["d", "e"], "replace": {"d": "time", "e": "end"}}, {"time": "2027-01-01", "end": ""}),
        ("a.example/?l=a,b", {"parse_keys": ["l"], "split_list": True}, {"l": ["a", "b"]}),
        ("a.example/?fuel[]=electric", {"parse_keys": ["fuel[]"]}, {"fuel[]": "electric"}),
        ("[broken", {"parse_keys": ["q"]}, {"q": ""}),
    ],
)
def test_parameters_of_the_address(guest: Any, text: str, spec: dict[str, Any], expected: Any) -> None:
    assert get(guest, screen(window(text)), "active_tab_url_parse", **spec) == expected


@pytest.mark.parametrize(
    "path, expected",
    [
        (
            "mens-clothing/shirts/Price_discount_range,Men_regular_size_t/50_PERCENT_ off & more|60_PERCENT_ off & more,L",
            (True, "50_PERCENT_ off & more", "L"),
        ),
        (
            "mens-clothing/shirts/Price_discount_range,Men_regular_size_t/20_PERCENT_ off & more|50_PERCENT_ off & more,",
            (True, "not_50_PERCENT_ off & more", None),
        ),
        ("womens/shoes", (None, "not_50_PERCENT_ off & more", None)),
    ],
)
def test_filters_of_a_shop(guest: Any, path: str, expected: tuple[Any, ...]) -> None:
    keys = ["shirts", "Price_discount_range", "Men_regular_size_t"]
    found = get(guest, screen(window(f"shop.example/{path}")), "url_path_parse", parse_keys=keys)
    assert tuple(found[key] for key in keys) == expected


@pytest.mark.parametrize(
    "getter, spec",
    [
        ("url_dashPart", {"partIndex": "first", "returnType": "string"}),
        ("url_dashPart", {"partIndex": 1, "returnType": "list"}),
        ("active_tab_url_parse", {"parse_keys": "q"}),
        ("active_tab_html_parse", {"category": "smell"}),
        ("page_info", {}),
        ("info_from_website", {"url": "https://a.example", "infos": [{"action": "lick", "selector": "h1"}]}),
        ("info_from_website", {"url": "https://a.example", "infos": [{"action": "attribute", "selector": "h1"}]}),
        ("cookie_data", {"dest": "../x"}),
    ],
)
def test_specs_of_another_form_are_the_files_mistake(guest: Any, getter: str, spec: dict[str, Any]) -> None:
    with pytest.raises(TaskError, match="evaluator.result"):
        check_getter({"type": getter, **spec}, "evaluator.result")


def test_getters_tell_whom_they_ask() -> None:
    for getter, spec in (
        ("page_info", {"url": "{}"}),
        ("pdf_from_url", {"path": "{}", "dest": "x.pdf"}),
        ("info_from_website", {"url": "{}", "infos": []}),
    ):
        asked = GETTERS.get(getter).addresses
        filled = {key: value.format("https://a.example/x") if isinstance(value, str) else value for key, value in spec.items()}
        local = {key: value.format("http://127.0.0.1:8000/x") if isinstance(value, str) else value for key, value in spec.items()}
        assert (asked(filled), asked(local)) == (["https://a.example/x"], [])
    assert GETTERS.get("gotoRecreationPage_and_get_html_content").addresses({}) == ["https://www.recreation.gov/"]
