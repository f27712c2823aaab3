"""Steps and getters of a browser with a real one, on pages that the desktop serves itself."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("xcffib")
pytest.importorskip("playwright")
pytest.importorskip("publicsuffixlist")

from gui_gym import Action
from gui_gym.actions import Modifier
from gui_gym.desktops import DesktopError, devtools
from gui_gym.desktops.accessibility import walk
from gui_gym.tasks import Task
from gui_gym.tasks.setup import SETUP_STEPS, Stage, run_setup, wait_until
from gui_gym.tasks.setup.browser import EPOCH
from gui_gym.verifiers import EndReason, Outcome, verify
from gui_gym.verifiers.osworld.getters import GETTERS, pages
from gui_gym.verifiers.osworld.getters.page_parts import parse_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from gui_gym.desktops.x11 import X11Desktop

SITE = "http://127.0.0.1:8000"
FILES = {
    "index.html": """<!doctype html><title>Shop</title><h1 class=title>Blue shoes</h1>
        <div class=row>one</div><div class=row> two <b>three</b></div><div class=sep>SEA<span>-</span>NYC</div>
        <div class=card><h3>Ten</h3></div><p class=badge>Toys</p><ul class=crumbs><li class=catAllProducts><span>Kids</span></li></ul>
        <input id=name value=Ann><script>document.querySelector('#name').value = 'Bob'; document.cookie = 'seen=1; max-age=86400'</script>
        <a id=go href=/second.html data-number=7>on</a>""",
    "second.html": "<!doctype html><title>Second</title><p id=text>Hello",
    "camp.html": "<title>Camp</title><i class=date>-</i><i class=date id=second>-</i>"
    "<button class=next-available onclick=\"document.querySelector('#second').textContent = ' May 3 '\">Next</button>",
    "search.html": "<input id=hero-search-input><button class=nav-search-button onclick=\"document.querySelector('a').hidden = false\">Go</button>"
    "<a class=search-result-highlight--success hidden target=_blank href=camp.html>Diamond</a>",
}
HISTORY = [
    {"url": "https://www.nytimes.com/", "title": "Yesterday's news", "visit_time_from_now_in_seconds": 86_400},
    {"url": "https://www.youtube.com/watch?v=1", "title": "강남", "visit_time_from_now_in_seconds": 3600},
    {"url": "https://www.nytimes.com/", "title": "News", "visit_time_from_now_in_seconds": 60},
]
STEPS = (
    {"type": "update_browse_history", "parameters": {"history": HISTORY}},
    {"type": "launch", "parameters": {"command": ["python3", "-m", "http.server", "8000", "--bind", "127.0.0.1", "-d", "/home/user/site"]}},
    {"type": "launch", "parameters": {"command": ["google-chrome", "--remote-debugging-port=1337"]}},
    {"type": "launch", "parameters": {"command": ["socat", "tcp-listen:9222,fork", "tcp:localhost:1337"]}},
    {"type": "chrome_open_tabs", "parameters": {"urls_to_open": [f"{SITE}/second.html", SITE]}},
)


@pytest.fixture(scope="module")
def opened(require_x11: None) -> Iterator[X11Desktop]:
    from gui_gym.desktops.x11 import X11Desktop

    if not X11Desktop.has_program("google-chrome"):
        pytest.skip("needs chromium")
    desktop = X11Desktop(1280, 720, spares=0)
    try:
        desktop.reset(Task("empty", "test", "do nothing"), 0)
        for name, text in FILES.items():
            desktop.write_file(f"/home/user/site/{name}", text.encode())
        run_setup(Task("browser", "osworld", "x", setup=STEPS), desktop)
        yield desktop
    finally:
        desktop.close()


@pytest.fixture
def stage(opened: X11Desktop, tmp_path: Path) -> Stage:
    return Stage(Task("browser", "osworld", "x"), opened, tmp_path)


def get(stage: Stage, name: str, **spec: Any) -> Any:
    return GETTERS.get(name).get(stage, spec)


def open_urls(stage: Stage) -> list[str]:
    return sorted(tab["url"] for tab in get(stage, "open_tabs_info"))


def type_address(stage: Stage, text: str) -> None:
    """Type into the address bar once it has the focus: the browser asks the page about the keys first, which may take a while."""
    stage.desktop.perform(Action.press("l", Modifier.CTRL))

    def there() -> bool:
        nodes = walk(stage.desktop.accessibility_tree())
        return any("focused" in node["states"] for node in nodes if node["name"] == "Address and search bar")

    assert wait_until(there, 20.0)
    stage.desktop.perform(Action.type_text(text))


def go(stage: Stage, url: str) -> None:
    """Go to ``url`` in the active tab, as a user does who wants no completion of it."""
    type_address(stage, url)
    stage.desktop.perform(Action.press("delete"))
    stage.desktop.perform(Action.press("enter"))
    assert wait_until(lambda: url in open_urls(stage), 20.0), open_urls(stage)


def test_tabs_are_opened_and_the_empty_one_is_gone(stage: Stage) -> None:
    assert open_urls(stage) == [f"{SITE}/", f"{SITE}/second.html"]


def test_the_active_tab_is_the_one_in_the_address_bar(stage: Stage) -> None:
    assert get(stage, "active_url_from_accessTree", goto_prefix="http://") == SITE
    info = get(stage, "active_tab_info", goto_prefix="http://")
    assert (info["title"], info["url"]) == ("Shop", f"{SITE}/") and "Blue shoes" in info["content"]
    type_address(stage, "typed only")
    assert get(stage, "active_tab_info", goto_prefix="http://") is None
    stage.desktop.perform(Action.press("escape"))
    stage.desktop.perform(Action.press("escape"))


def test_parts_of_a_page(stage: Stage) -> None:
    by_class = get(
        stage,
        "active_tab_html_parse",
        category="class",
        class_multiObject={"row": {"0": "first", "1": "second", "5": "sixth"}},
        class_multiObject_child={"sep": {"0": "from", "1": "to", "2": "more"}},
        class_multiObject_only_child={"card": {"0": "heading"}},
        class_multiObject_search_exist={"row": ["one", "four", "is_other_exist"]},
        class_singleObject={"title": "title", "none": "nothing"},
    )
    assert by_class == {
        "first": "one", "second": "two three", "sixth": "", "from": "SEA", "to": "NYC", "more": "", "heading": "Ten", "one": True, "four": False,
        "is_other_exist": True, "title": "Blue shoes", "nothing": "",
    }  # fmt: skip
    specs: list[dict[str, Any]] = [
        {"category": "input", "inputObject": {"//input": "name", "//h1": "heading", "//nothing": "none"}},
        {"category": "xpath", "xpathObject": {"/html/body/h1": "title", "//p[5]": "none"}},
        {"category": "label", "labelObject": {"Blue": "found", "Red": "none"}},
        {
            "category": "class&url",
            "class_multiObject": {"badge": ["TOYS", "Games"]},
            "class_multiObject_li": {"crumbs": ["Kids"]},
            "url_include_expected": ["127.0.0.1", "games"],
            "url_include_expected_multichoice": {"127.0": "Loopback", "elsewhere": "Elsewhere", "8000": "Elsewhere"},
        },
    ]

    def read(browser: Browser) -> list[dict[str, Any]]:
        page = next(page for page in browser.contexts[0].pages if page.url == f"{SITE}/")
        return [parse_page(page, spec) for spec in specs]

    assert devtools.use_browser(stage.desktop, read) == [
        {"name": "Bob", "heading": "", "none": ""},
        {"title": "Blue shoes", "none": ""},
        {"found": "Blue shoes", "none": ""},
        {"toys": True, "kids": True, "is_other_exist": False, "127.0.0.1": True, "games": False, "loopback": True, "elsewhere": True},
    ]


def test_parts_of_an_address(stage: Stage) -> None:
    go(stage, f"{SITE}/second.html?from=BOM&when=2027-01-02&models=a,b")
    spec = {"goto_prefix": "http://", "parse_keys": ["from", "when", "none"], "replace": {"when": "time"}}
    assert get(stage, "active_tab_url_parse", **spec) == {"from": "BOM", "time": "2027-01-02", "none": ""}
    assert get(stage, "active_tab_url_parse", goto_prefix="", parse_keys=["models"], split_list=True) == {"models": ["a", "b"]}
    part = {"goto_prefix": "http://", "partIndex": -1, "needDeleteId": True}
    assert get(stage, "url_dashPart", **part, returnType="string") == "second.html"
    assert get(stage, "url_dashPart", **part, returnType="json", key="page") == {"page": "second.html"}
    assert get(stage, "url_dashPart", goto_prefix="", partIndex=9, returnType="string") is None
    go(stage, f"{SITE}/")


def test_a_shops_filters_in_an_address(stage: Stage) -> None:
    keys = ["mens_clothing", "shirts", "Men_regular_size_t", "Price_discount_range", "short_sleeve"]
    go(
        stage,
        f"{SITE}/shop/mens-clothing/all/Men_regular_size_t,Price_discount_range,Sleeve_length/L,50_PERCENT_%20off%20%26%20more,short-sleeve?id=2",
    )
    found = get(stage, "url_path_parse", goto_prefix="http://", parse_keys=keys)
    assert found == {
        "mens_clothing": True, "shirts": None, "Men_regular_size_t": "L", "Price_discount_range": "50_PERCENT_ off & more", "short_sleeve": True,
    }  # fmt: skip
    go(stage, f"{SITE}/")


def test_pages_are_loaded_read_and_closed_again(stage: Stage) -> None:
    before = open_urls(stage)
    info = get(stage, "page_info", url=f"{SITE}/second.html")
    assert (info["title"], info["url"]) == ("Second", f"{SITE}/second.html") and "Hello" in info["content"]
    assert Path(get(stage, "pdf_from_url", path=f"{SITE}/second.html", dest="page.pdf")).read_bytes().startswith(b"%PDF-")
    infos = [
        {"action": "inner_text", "selector": "h1"},
        {"action": "attribute", "selector": "#go", "attribute": "data-number"},
        {"action": "click_and_inner_text", "selector": ["#go", "#text"]},
        {"action": "click_and_attribute", "selector": ["#go", "#text"], "attribute": "id"},
    ]
    assert get(stage, "info_from_website", url=f"{SITE}/", infos=infos) == ["Blue shoes", "7", "Hello", "text"]
    assert open_urls(stage) == before


def test_a_page_that_cannot_be_loaded(stage: Stage) -> None:
    before = open_urls(stage)
    spec: dict[str, Any] = {"url": "http://127.0.0.1:9/", "infos": [{"action": "inner_text", "selector": "h1"}]}
    assert get(stage, "info_from_website", **spec, backups=["known"]) == ["known"]
    with pytest.raises(DesktopError, match="ERR_UNSAFE_PORT|ERR_CONNECTION_REFUSED"):
        get(stage, "info_from_website", **spec)
    with pytest.raises(DesktopError, match="ERR_CONNECTION_REFUSED"):
        SETUP_STEPS.get("chrome_open_tabs").run(stage, {"urls_to_open": ["http://127.0.0.1:8001/"]})
    assert open_urls(stage) == before


def test_a_camps_next_free_dates(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "RECREATION", f"{SITE}/search.html")
    before = open_urls(stage)
    spec = {"selector": "class", "class": "date", "order": "1"}
    assert get(stage, "gotoRecreationPage_and_get_html_content", **spec) == {"expected": {"date": "May 3"}}
    assert open_urls(stage) == before


def test_the_mode_of_appearance_is_read_behind_the_active_tab(stage: Stage) -> None:
    assert get(stage, "chrome_appearance_mode_ui") == "system"
    assert get(stage, "active_url_from_accessTree", goto_prefix="http://") == SITE


def test_a_browser_is_used_where_an_event_loop_runs(stage: Stage) -> None:
    async def titles() -> list[str]:
        return devtools.use_browser(stage.desktop, lambda browser: [page.title() for page in browser.contexts[0].pages])

    assert sorted(asyncio.run(titles())) == ["Second", "Shop"]


def test_a_page_that_hangs_is_waited_for_so_long_and_no_longer(stage: Stage) -> None:
    with pytest.raises(DesktopError, match="took more than 1.5 s"):
        devtools.use_browser(stage.desktop, lambda browser: browser.contexts[0].new_page().evaluate("for (;;);"), 1.5)
    for tab in devtools.tabs(stage.desktop):
        if tab["url"] == "about:blank":
            devtools.close_tab(stage.desktop, tab)
    assert open_urls(stage) == [f"{SITE}/", f"{SITE}/second.html"]


def test_a_driver_that_hangs_is_ended(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Playwright's does whose connection ends while it opens a page."""
    monkeypatch.setattr(devtools, "HANG_SECONDS", 1.0)

    frozen: list[int] = []

    def freeze(browser: Browser) -> None:
        frozen.extend(devtools.drivers())
        (driver,) = frozen
        os.kill(driver, signal.SIGSTOP)
        browser.contexts[0].new_page()

    with pytest.raises(DesktopError, match="took more than 8 s"):
        devtools.use_browser(stage.desktop, freeze, 8.0)
    assert wait_until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in frozen), 20.0)
    assert open_urls(stage) == [f"{SITE}/", f"{SITE}/second.html"]


def test_tabs_are_closed(stage: Stage) -> None:
    SETUP_STEPS.get("chrome_close_tabs").run(stage, {"urls_to_close": ["http://127.0.0.1:8000/second.html", "http://none.example"]})
    assert open_urls(stage) == [f"{SITE}/"]


def cookie_task(domain: str) -> Task:
    verifier = {
        "type": "osworld",
        "postconfig": [{"type": "execute", "parameters": {"command": ["pkill", "chrome"]}}],
        "func": "is_cookie_deleted",
        "result": {"type": "cookie_data", "dest": "Cookies"},
        "expected": {"type": "rule", "rules": {"type": "domains", "domains": [domain]}},
    }
    return Task("cookies", "osworld", "x", verifier=verifier)


def test_what_a_page_has_just_set_and_a_user_has_just_done_is_in_the_profile(stage: Stage) -> None:
    stage.desktop.perform(Action.press("d", Modifier.CTRL))
    stage.desktop.perform(Action.press("enter"))
    assert verify(cookie_task("127.0.0.1"), stage.desktop, Outcome(EndReason.DONE)).value == 0.0
    assert verify(cookie_task(".amazon.com"), stage.desktop, Outcome(EndReason.DONE)).value == 1.0
    with pytest.raises(devtools.NoBrowserError):
        devtools.find_browser(stage.desktop)
    roots = get(stage, "bookmarks")
    marked = [item for folder in ("bookmark_bar", "other") for item in roots[folder]["children"]]
    assert [(item["type"], item["name"], item["url"]) for item in marked] == [("url", "Shop", f"{SITE}/")]


def test_the_history_has_visits_of_the_past_and_of_now(stage: Stage) -> None:
    assert len(get(stage, "history", dest="history.sqlite")) == len({row[0] for row in get(stage, "history", dest="history.sqlite")})
    rows = {url: (title, time.time() - (moment / 1_000_000 - EPOCH)) for url, title, moment in get(stage, "history", dest="history.sqlite")}
    assert rows["https://www.youtube.com/watch?v=1"][0] == "강남" and rows["https://www.nytimes.com/"][0] == "News"
    assert rows[f"{SITE}/"][0] == "Shop"
    ages = [rows[url][1] for url in ("https://www.youtube.com/watch?v=1", "https://www.nytimes.com/", f"{SITE}/")]
    assert ages == sorted(ages, reverse=True) and 3600 <= ages[0] < 7200 and 60 <= ages[1] < 3600


def test_settings_of_a_new_profile(stage: Stage) -> None:
    expected = {
        "default_search_engine": "Google", "enable_do_not_track": "false", "enable_enhanced_safety_browsing": "false", "new_startup_page": "true",
        "data_delete_automacally": "false", "shortcuts_on_desktop": {},
    }  # fmt: skip
    assert {name: get(stage, name) for name in expected} == expected
    assert get(stage, "chrome_font_size")["default_font_size"] == 16
    assert all(path.startswith("/opt/google/chrome/") for path in get(stage, "find_unpacked_extension_path"))


def test_settings_that_a_browser_was_given_are_read_back(stage: Stage) -> None:
    path = "/home/user/.config/google-chrome/Default/Preferences"
    values = json.loads(stage.desktop.read_file(path))
    values |= {"enable_do_not_track": True, "webkit": {"webprefs": {"default_font_size": 24}}}
    stage.desktop.write_file(path, json.dumps(values).encode())
    assert open_urls(stage)  # a browser that was closed is started
    GETTERS.get("enable_do_not_track").prepare(stage, ["enable_do_not_track"])
    assert get(stage, "enable_do_not_track") == "true" and get(stage, "chrome_font_size")["default_font_size"] == 24
