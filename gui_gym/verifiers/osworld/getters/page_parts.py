"""What ``active_tab_html_parse`` reads on a page: texts of elements found by class, XPath or label, and the words in its address.

Playwright looks elements up in a world of its own, so a page's scripts cannot answer in their place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from gui_gym.tasks.fields import Field

if TYPE_CHECKING:
    from playwright.sync_api import ElementHandle, Page

OTHERS = "is_other_exist"  #: key that says whether there is an element that the task does not name


def parse_page(page: Page, spec: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of ``page`` that ``spec`` names, under the keys that it gives them; "" for one that is not there."""
    return _READERS[spec["category"]](page, spec)


def _elements(page: Page, selector: str) -> list[ElementHandle]:
    return page.query_selector_all(selector)


def _text(element: ElementHandle | None) -> str:
    return (element.text_content() or "").strip() if element else ""


def _by_class(page: Page, spec: Mapping[str, Any]) -> dict[str, Any]:
    def whole(name: str) -> list[str]:
        return [_text(element) for element in _elements(page, f".{name}")]

    def own(name: str) -> list[str]:
        """The texts that stand in the first element itself, not in elements inside it."""
        script = "node => [...node.childNodes].filter(n => n.nodeType === 3).map(n => n.textContent.trim()).filter(t => t)"
        found = _elements(page, f".{name}")
        return list(found[0].evaluate(script)) if found else []

    def headings(name: str) -> list[str]:
        found = [element.query_selector("h3") for element in _elements(page, f".{name}")]
        return [_text(heading) for heading in found if heading]

    values: dict[str, Any] = {}
    for field, texts in (("class_multiObject", whole), ("class_multiObject_child", own), ("class_multiObject_only_child", headings)):
        for name, keys in spec.get(field, {}).items():
            found = texts(name)
            values.update({key: found[int(index)] if int(index) < len(found) else "" for index, key in keys.items()})
    for name, wanted in spec.get("class_multiObject_search_exist", {}).items():
        found = whole(name)
        values.update({text: text in found for text in wanted if text != OTHERS})
        if OTHERS in wanted:
            values[OTHERS] = values.get(OTHERS, False) or any(text not in wanted for text in found)
    for name, key in spec.get("class_singleObject", {}).items():
        values[key] = next(iter(whole(name)), "")
    return values


def _by_xpath(page: Page, spec: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _text(page.query_selector(f"xpath={path}")) for path, key in spec.get("xpathObject", {}).items()}


def _by_label(page: Page, spec: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _text(page.query_selector(f"text={label}")) for label, key in spec.get("labelObject", {}).items()}


def _inputs(page: Page, spec: Mapping[str, Any]) -> dict[str, Any]:
    script = "node => typeof node.value === 'string' ? node.value : ''"
    found = {key: page.query_selector(f"xpath={path}") for path, key in spec.get("inputObject", {}).items()}
    return {key: str(element.evaluate(script)).strip() if element else "" for key, element in found.items()}


def _by_class_and_address(page: Page, spec: Mapping[str, Any]) -> dict[str, Any]:
    """Which of the task's words are there, in lower case: as the text of an element of a class, or in the address."""

    def whole(name: str) -> list[str]:
        return [_text(element) for element in _elements(page, f".{name}")]

    def breadcrumbs(name: str) -> list[str]:
        found = [element.query_selector("span") for element in _elements(page, f".{name} li.catAllProducts")]
        return [span.inner_text().strip() for span in found if span]

    values: dict[str, Any] = {}
    for field, texts in (("class_multiObject", whole), ("class_multiObject_li", breadcrumbs)):
        for name, wanted in spec.get(field, {}).items():
            found = [text.lower() for text in texts(name)]
            values.update({word.lower(): True for word in wanted if word.lower() in found})
            values[OTHERS] = values.get(OTHERS, False) or any(all(text not in word.lower() for word in wanted) for text in found)
    address = page.url.lower()
    words = {**{word: word for word in spec.get("url_include_expected", [])}, **spec.get("url_include_expected_multichoice", {})}
    for word, key in words.items():  # several words may stand for one key
        values[key.lower()] = values.get(key.lower(), False) or word.lower() in address
    return values


_READERS: dict[str, Callable[[Page, Mapping[str, Any]], dict[str, Any]]] = {
    "class": _by_class,
    "class&url": _by_class_and_address,
    "input": _inputs,
    "label": _by_label,
    "xpath": _by_xpath,
}
CATEGORIES = Field(f"one of {', '.join(_READERS)}", lambda v: v in _READERS)
