"""Getters of what the desktop's browser shows now: its tabs, the address in its active window, what is on the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

from gui_gym.desktops.accessibility import walk
from gui_gym.desktops.base import Desktop, DesktopError
from gui_gym.desktops.devtools import ensure_browser, tabs, use_browser
from gui_gym.tasks.fields import FLAG, OBJECT, TEXT, Field, flag
from gui_gym.tasks.setup import Stage
from gui_gym.verifiers.osworld.getters import Getter
from gui_gym.verifiers.osworld.getters.accessibility import tree_of
from gui_gym.verifiers.osworld.getters.page_parts import CATEGORIES, parse_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ADDRESS_BAR = "address and search bar"  #: name of the address bar in the accessibility tree
SETTINGS = "chrome://settings/appearance"
COLOR_SCHEMES = {"0": "system", "1": "light", "2": "dark"}
COLOR_SCHEME = "select#colorSchemeModeSelect option[selected]"  #: the choice in the browser's settings, once it is known there

PREFIX = Field("a text", lambda v: isinstance(v, str))
NAMES = Field("a list of names", lambda v: isinstance(v, list) and all(isinstance(name, str) for name in v))
INTEGER = Field("an integer", lambda v: isinstance(v, int) and not isinstance(v, bool))


def _open_tabs(stage: Stage, spec: Mapping[str, Any]) -> list[dict[str, str]]:
    """``{"title", "url"}`` of each tab; of a browser that the agent closed those it starts with."""
    ensure_browser(stage.desktop)
    return [{"title": tab["title"], "url": tab["url"]} for tab in tabs(stage.desktop)]


def _address_text(desktop: Desktop) -> str | None:
    """What stands in the address bar of the active browser window, or of the first one; None if there is none, or nothing in it.

    A browser leaves out "https://" and "www." there, which is why task files say what goes before it.
    """
    windows = [node for node in walk(tree_of(desktop)) if node["role"] in ("frame", "window")]
    for window in sorted(windows, key=lambda window: "active" not in window.get("states", ())):
        for node in walk(window):
            if node["name"].lower() == ADDRESS_BAR and node["role"] in ("entry", "text"):
                return str(node.get("text") or node["value"] or "") or None
    return None


def _active_url(stage: Stage, spec: Mapping[str, Any]) -> str | None:
    text = _address_text(stage.desktop)
    return None if text is None else f"{spec.get('goto_prefix', 'https://')}{text}"


def _shown(url: str) -> str:
    """An address as an address bar shows it, for comparing."""
    for prefix in ("https://", "http://", "www."):
        url = url.removeprefix(prefix)
    return unquote(url).rstrip("/")


def _on_active_page(stage: Stage, use: Callable[[Page], Any]) -> Any:
    """What ``use`` makes of the page of the active tab; None if the address bar shows no open page, as while something is typed there."""
    text = _address_text(stage.desktop)
    if text is None:
        return None

    def find(browser: Browser) -> Any:
        pages = [page for context in browser.contexts for page in context.pages]
        active = next((page for page in pages if _shown(page.url) == _shown(text)), None)
        return None if active is None else use(active)

    return use_browser(stage.desktop, find)


def _tab_info(page: Page) -> dict[str, str]:
    return {"title": page.title(), "url": page.url, "content": page.content()}


def _query(stage: Stage, spec: Mapping[str, Any]) -> dict[str, Any] | None:
    """Chosen parameters of the active tab's address, "" for one that is not there; ``replace`` gives them other names."""
    url = _active_url(stage, spec)
    if url is None:
        return None
    found = parse_qs(_split(url).query)
    values = {key: found.get(key, [""])[0] for key in spec["parse_keys"]}
    for old, new in (spec.get("replace") or {}).items():
        values[new] = values.pop(old, "")
    return {key: value.split(",") for key, value in values.items()} if flag(spec.get("split_list") or False) else values


def _split(url: str) -> Any:
    try:
        return urlsplit(url)
    except ValueError:  # the agent can type anything there
        return urlsplit("")


def _part(stage: Stage, spec: Mapping[str, Any]) -> Any:
    """One part of the active tab's address between slashes, as text or as ``{key: part}``; None if there is none at the index."""
    url = _active_url(stage, spec)
    parts = url.split("/") if url is not None else []
    index = spec["partIndex"]
    if not -len(parts) <= index < len(parts):
        return None
    part = parts[index].split("?")[0] if flag(spec.get("needDeleteId") or False) else parts[index]
    return {spec["key"]: part} if spec["returnType"] == "json" else part


def _shop_path(stage: Stage, spec: Mapping[str, Any]) -> dict[str, Any] | None:
    """Filters in the path of Macy's shop: ``.../mens-clothing/.../Key1,Key2/value1,value2``; None for one that is not set."""
    url = _active_url(stage, spec)
    if url is None:
        return None
    path = unquote(_split(url).path)
    parts = path.strip("/").split("/")
    filters: dict[str, str] = {}
    for keys, values in zip(parts, parts[1:], strict=False):
        if "," in keys and "," in values:
            filters = dict(zip((key.strip() for key in keys.split(",")), (value.strip() for value in values.split(",")), strict=False))
            break
    discounts = [discount.strip() for discount in filters.get("Price_discount_range", "").split("|")]
    half = "50_PERCENT_ off & more"
    weaker = any(f"{percent}_PERCENT_ off & more" in discounts for percent in (20, 30))
    shirts = "shirts" in path or filters.get("Product_department", "").lower() in ("shirt", "shirts")
    found = {
        **{key: filters.get(key) or None for key in spec["parse_keys"]},
        "mens_clothing": True if "mens-clothing" in path else None,
        "shirts": True if shirts else None,
        "short_sleeve": True if "short-sleeve" in path or filters.get("Sleeve_length") in ("short-sleeve", "Short Sleeve") else None,
        "Price_discount_range": half if half in discounts and not weaker else f"not_{half}",
    }
    return {key: value for key, value in found.items() if key in spec["parse_keys"]}


def _appearance(stage: Stage, spec: Mapping[str, Any]) -> str:
    """ "light", "dark" or "system": the mode that the browser's settings show, which may not be on the disk yet."""
    ensure_browser(stage.desktop)

    def read(browser: Browser) -> str:
        context = browser.contexts[0]
        with context.expect_page() as opened:  # behind the others: the active tab stays
            browser.new_browser_cdp_session().send("Target.createTarget", {"url": SETTINGS, "background": True})
        page = opened.value
        chosen = page.locator(COLOR_SCHEME).get_attribute("value")
        page.close()
        if chosen not in COLOR_SCHEMES:
            raise DesktopError(f"expected one of {', '.join(COLOR_SCHEMES)} in {COLOR_SCHEME} of {SETTINGS}, got {chosen!r:.80}")
        return COLOR_SCHEMES[chosen]

    return use_browser(stage.desktop, read)


_ACTIVE = {"goto_prefix": PREFIX}
_NEEDS = ("playwright",)
open_tabs_info = Getter(_open_tabs)
active_url_from_accessTree = Getter(_active_url, {}, _ACTIVE)  # noqa: N816  names here are those in task files
active_tab_info = Getter(lambda stage, spec: _on_active_page(stage, _tab_info), {}, _ACTIVE, needs=_NEEDS)
active_tab_url_parse = Getter(_query, {"parse_keys": NAMES}, {**_ACTIVE, "replace": OBJECT, "split_list": FLAG})
active_tab_html_parse = Getter(
    lambda stage, spec: _on_active_page(stage, lambda page: parse_page(page, spec)), {"category": CATEGORIES}, _ACTIVE, needs=_NEEDS
)
url_dashPart = Getter(  # noqa: N816
    _part,
    {"partIndex": INTEGER, "returnType": Field('"string" or "json"', lambda v: v in ("string", "json"))},
    {**_ACTIVE, "needDeleteId": FLAG, "key": TEXT},
)
url_path_parse = Getter(_shop_path, {"parse_keys": NAMES}, _ACTIVE)
chrome_appearance_mode_ui = Getter(_appearance, needs=_NEEDS)
