"""Getters that load a page in the desktop's browser, which is started where it does not run, and read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from gui_gym.desktops.base import DesktopError
from gui_gym.desktops.devtools import BROWSER_SECONDS, ensure_browser, open_page, use_browser
from gui_gym.tasks.fields import NAME, TEXT, Field
from gui_gym.tasks.setup import Stage
from gui_gym.tasks.setup.browser import internet_addresses
from gui_gym.verifiers.osworld.getters import Getter
from gui_gym.verifiers.osworld.getters.files import new_folder

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ElementHandle, Page

T = TypeVar("T")

QUIET_SECONDS = 10.0  #: longest wait until a loaded page asks for nothing more
ELEMENT_SECONDS = 10.0  #: longest wait for an element of a page
ADDRESSES = "chrome://settings/addresses"
RECREATION = "https://www.recreation.gov/"
CAMP = "Diamond"  #: what the one task that uses this site looks for there


def _with_page(stage: Stage, url: str, use: Callable[[Page], T], seconds: float = BROWSER_SECONDS) -> T:
    """What ``use`` makes of a new tab with ``url``, which is closed again."""
    from playwright.sync_api import TimeoutError as PlaywrightTimeout

    def act(browser: Browser) -> T:
        page = open_page(browser, url)
        try:
            page.wait_for_load_state("networkidle", timeout=1000 * QUIET_SECONDS)
        except PlaywrightTimeout:  # some pages never rest
            pass
        try:
            return use(page)
        finally:
            page.close()

    ensure_browser(stage.desktop)
    return use_browser(stage.desktop, act, seconds)


def _page_info(stage: Stage, spec: Mapping[str, Any]) -> dict[str, str]:
    return _with_page(stage, spec["url"], lambda page: {"title": page.title(), "url": page.url, "content": page.content()})


def _pdf(stage: Stage, spec: Mapping[str, Any]) -> str:
    """The page printed as the browser does, as a PDF file."""
    path = Path(new_folder(stage), spec["dest"])
    path.write_bytes(_with_page(stage, spec["path"], lambda page: page.pdf()))
    return str(path)


def _infos(stage: Stage, spec: Mapping[str, Any]) -> Any:
    """Texts or attributes of elements, with ``click_and_...`` after clicks on those before; ``backups`` where the page does not give them."""

    def read(page: Page) -> list[str | None]:
        values = []
        for info in spec["infos"]:
            if page.url != spec["url"]:
                page.goto(spec["url"])
            *clicks, last = [info["selector"]] if isinstance(info["selector"], str) else info["selector"]
            for selector in clicks:
                _element(page, selector).click()
                page.wait_for_load_state("load")
            element = _element(page, last)
            values.append(element.get_attribute(info["attribute"]) if info["action"].endswith("attribute") else element.inner_text())
        return values

    try:
        return _with_page(stage, spec["url"], read)
    except DesktopError:
        if "backups" not in spec or not stage.desktop.healthy():
            raise
        return spec["backups"]


def _element(page: Page, selector: str) -> ElementHandle:
    element = page.wait_for_selector(selector, state="attached", timeout=1000 * ELEMENT_SECONDS)
    assert element is not None, "an element that is attached is given"
    return element


def _recreation(stage: Stage, spec: Mapping[str, Any]) -> dict[str, Any]:
    """``{"expected": {class: text}}``: the text of an element of the camp's page once its next free dates are shown."""

    def read(page: Page) -> dict[str, Any]:
        page.fill("input#hero-search-input", CAMP)
        page.click("button.nav-search-button")
        with page.expect_popup() as opened:
            page.click(".search-result-highlight--success")
        camp = opened.value
        try:
            camp.click("button.next-available")
            camp.wait_for_load_state("networkidle")
            found: Sequence[ElementHandle] = camp.query_selector_all(f".{spec['class']}")
            index = int(spec.get("order", 0))
            if index >= len(found):
                raise DesktopError(f"{camp.url:.200} has {len(found)} elements of class {spec['class']!r}: expected more than {index}")
            return {"expected": {spec["class"]: (found[index].text_content() or "").strip()}}
        finally:
            camp.close()

    return _with_page(stage, RECREATION, read)


_NEEDS = ("playwright",)
_ACTIONS = ("inner_text", "attribute", "click_and_inner_text", "click_and_attribute")
INFOS = Field(
    f'a list of {{"action": one of {", ".join(_ACTIONS)}, "selector": a selector or a list of them, "attribute": a name}}',
    lambda v: (
        isinstance(v, list)
        and all(
            isinstance(info, dict)
            and info.get("action") in _ACTIONS
            and (isinstance(info.get("selector"), str) or (isinstance(info.get("selector"), list) and bool(info["selector"])))
            and (isinstance(info.get("attribute"), str) or not info["action"].endswith("attribute"))
            for info in v
        )
    ),
)
page_info = Getter(_page_info, {"url": TEXT}, needs=_NEEDS, addresses=lambda spec: internet_addresses([spec["url"]]))
pdf_from_url = Getter(_pdf, {"path": TEXT, "dest": NAME}, from_author=True, needs=_NEEDS, addresses=lambda spec: internet_addresses([spec["path"]]))
info_from_website = Getter(
    _infos, {"url": TEXT, "infos": INFOS}, from_author=True, needs=_NEEDS, addresses=lambda spec: internet_addresses([spec["url"]])
)
chrome_saved_address = Getter(lambda stage, spec: _page_info(stage, {"url": ADDRESSES})["content"], needs=_NEEDS)
gotoRecreationPage_and_get_html_content = Getter(  # noqa: N816  the name in task files
    _recreation,
    {"selector": Field('"class"', lambda v: v == "class"), "class": TEXT},
    {"order": Field("an index", lambda v: str(v).isdecimal())},
    from_author=True,
    needs=_NEEDS,
    addresses=lambda spec: [RECREATION],
)
