"""Metrics on the accessibility tree of the screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cssselect import SelectorError
from lxml import etree
from lxml.cssselect import CSSSelector
from rapidfuzz import fuzz

from gui_gym.desktops.accessibility import NAMESPACES
from gui_gym.verifiers.osworld.safe_files import parse_xml


def check_accessibility_tree(result: str, rules: Sequence[Mapping[str, Any]], osname: str = "ubuntu") -> float:
    """How well each rule holds for the tree, an XML text, multiplied.

    A rule asks for elements that its ``xpath``, or one of its CSS ``selectors``, finds: 0 if there is none. With ``text``,
    the best element counts: 1 or 0 for equal texts if ``exact`` (the default), else how similar the texts are.

    Raises:
        ValueError: a rule that is none, or a tree of another system than ``osname`` "ubuntu" is asked for.
    """
    if osname != "ubuntu":
        raise ValueError(f"expected osname 'ubuntu', got {osname!r}")
    tree = parse_xml(result.encode())
    score = 1.0
    for rule in rules:
        found = _find(tree, rule)
        if not found:
            return 0.0
        if "text" in rule:
            texts = [element.text or "" for element in found]
            score *= max(float(text == rule["text"]) if rule.get("exact", True) else fuzz.ratio(text, rule["text"]) / 100 for text in texts)
    return score


def _find(tree: etree._Element, rule: Mapping[str, Any]) -> list[etree._Element]:
    try:
        if "xpath" in rule:
            found = tree.xpath(rule["xpath"], namespaces=NAMESPACES, smart_strings=False)
        elif rule.get("selectors"):
            found = CSSSelector(", ".join(rule["selectors"]), namespaces=NAMESPACES)(tree)
        else:
            raise ValueError(f"expected xpath or selectors in a rule, got {dict(rule)!r:.200}")
    except (etree.XPathError, SelectorError) as error:
        raise ValueError(f"expected a selector of elements, got {dict(rule)!r:.200} ({error})") from error
    if not isinstance(found, list) or not all(isinstance(element, etree._Element) for element in found):
        raise ValueError(f"expected a rule that finds elements, got {dict(rule)!r:.200}")
    return found
