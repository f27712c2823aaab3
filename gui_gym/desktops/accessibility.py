"""Accessibility trees (:meth:`~gui_gym.desktops.base.Desktop.accessibility_tree`) as the XML of OSWorld's guest server, and back.

An element is a node: its tag the role, with "-" for spaces; ``name``, ``description``; ``st:`` one attribute for each state,
"true"; ``cp:screencoord`` "(x, y)" and ``cp:size`` "(width, height)" in pixels; ``val:value``; ``attr:`` the toolkit's
attributes; its text the node's.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from typing import Any

#: Namespaces of OSWorld's trees by prefix: selectors in task files use the prefixes.
NAMESPACES = {
    prefix: f"https://accessibility.ubuntu.example.org/ns/{name}"
    for prefix, name in {
        "st": "state",
        "attr": "attributes",
        "cp": "component",
        "doc": "document",
        "docattr": "document/attributes",
        "txt": "text",
        "val": "value",
        "act": "action",
    }.items()
}
MAX_TEXT = 64 << 20  #: longest XML that is read, in characters
MAX_DEPTH = 200  #: deepest tree that is read or written
MAX_NODES = 200_000  #: most nodes of a tree that is read
#: States of a node that tells none: it is on the screen.
_SHOWN = ("enabled", "showing", "visible")
_KINDS = {"role": str, "name": str, "bounds": list, "children": list}
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_NAME = re.compile(r"[^\w.-]+")
_PAIR = re.compile(r"\s*\(\s*(-?\d+)\s*,\s*(-?\d+)\s*\)\s*")

for _prefix, _address in NAMESPACES.items():
    ET.register_namespace(_prefix, _address)


def checked(tree: Any) -> dict[str, Any]:
    """``tree``, which came as JSON from a desktop. ValueError if it is no tree, or larger or deeper than is read."""
    waiting, count = [(tree, 1)], 0
    while waiting:
        node, depth = waiting.pop()
        count += 1
        _check_depth(depth)
        if not isinstance(node, dict) or not all(isinstance(node.get(name), kind) for name, kind in _KINDS.items()) or "value" not in node:
            raise ValueError(f"expected a node of an accessibility tree, got {str(node)[:80]}")
        if [type(each) for each in node["bounds"]] != [int] * 4:
            raise ValueError(f"expected x, y, width and height of a node, got {str(node['bounds'])[:80]}")
        if count + len(node["children"]) > MAX_NODES:
            raise ValueError(f"expected an accessibility tree of at most {MAX_NODES} nodes")
        waiting += [(child, depth + 1) for child in node["children"]]
    return tree


def walk(tree: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Every node of a tree, parents first, in the tree's order."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node["children"])


def to_xml(tree: Mapping[str, Any]) -> str:
    """The tree as XML; characters that XML cannot hold are left out. ValueError if it is deeper than :data:`MAX_DEPTH`."""
    root = _element(tree)
    waiting = [(tree, root, 1)]
    while waiting:
        node, element, depth = waiting.pop()
        _check_depth(depth)
        for child in node["children"]:
            below = _element(child)
            element.append(below)
            waiting.append((child, below, depth + 1))
    return ET.tostring(root, encoding="unicode")


def _element(node: Mapping[str, Any]) -> ET.Element:
    attributes = {"name": _clean(node["name"])}
    if node.get("description"):
        attributes["description"] = _clean(node["description"])
    for state in node.get("states", _SHOWN):
        attributes[f"{{{NAMESPACES['st']}}}{_name(state)}"] = "true"
    for key, value in node.get("attributes", {}).items():
        attributes[f"{{{NAMESPACES['attr']}}}{_name(key)}"] = _clean(value)
    x, y, width, height = node["bounds"]
    if any(node["bounds"]):
        attributes[f"{{{NAMESPACES['cp']}}}screencoord"] = f"({x}, {y})"
        attributes[f"{{{NAMESPACES['cp']}}}size"] = f"({width}, {height})"
    if node["value"] is not None:
        attributes[f"{{{NAMESPACES['val']}}}value"] = _clean(node["value"])
    element = ET.Element(_name(node["role"]), attributes)
    element.text = _clean(node.get("text", "")) or None
    return element


def _clean(text: Any) -> str:
    return _NOT_XML.sub("", str(text))


def _name(text: str) -> str:
    name = _NOT_NAME.sub("-", text) or "unknown"
    return name if name[0].isalpha() or name[0] == "_" else f"_{name}"


def from_xml(text: str) -> dict[str, Any]:
    """The tree of such an XML text. ValueError if it is none, declares a document type, or is longer or deeper than is read."""
    if len(text) > MAX_TEXT:
        raise ValueError(f"expected an accessibility tree of at most {MAX_TEXT} characters, got {len(text)}")
    if text.count("<") > 2 * MAX_NODES:  # each node has one or two
        raise ValueError(f"expected an accessibility tree of at most {MAX_NODES} nodes")
    if "<!DOCTYPE" in text:
        raise ValueError("expected an accessibility tree without a document type: entities are not read")
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        raise ValueError(f"expected the XML of an accessibility tree, got {text[:80]!r} ({error})") from error
    tree = _node(root)
    waiting = [(root, tree, 1)]
    while waiting:
        element, node, depth = waiting.pop()
        _check_depth(depth)
        for below in element:
            child = _node(below)
            node["children"].append(child)
            waiting.append((below, child, depth + 1))
    return tree


def _check_depth(depth: int) -> None:
    if depth > MAX_DEPTH:
        raise ValueError(f"expected an accessibility tree at most {MAX_DEPTH} deep")


def _node(element: ET.Element) -> dict[str, Any]:
    node: dict[str, Any] = {"role": _local(element.tag).replace("-", " "), "name": element.get("name", ""), "bounds": [0, 0, 0, 0], "value": None}
    node["children"] = []
    states, attributes = [], {}
    for key, value in element.attrib.items():
        prefix = next((prefix for prefix, address in NAMESPACES.items() if key.startswith(f"{{{address}}}")), "")
        if prefix == "st" and value == "true":
            states.append(_local(key))
        elif prefix == "attr":
            attributes[_local(key)] = value
        elif prefix == "val" and _local(key) == "value":
            node["value"] = _number(value)
        elif prefix == "cp" and (pair := _PAIR.fullmatch(value)):
            start = {"screencoord": 0, "size": 2}.get(_local(key))
            if start is not None:
                node["bounds"][start : start + 2] = [int(pair[1]), int(pair[2])]
    node["states"] = states
    optional = {"description": element.get("description"), "text": element.text, "attributes": attributes}
    return {**node, **{key: value for key, value in optional.items() if value}}


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def terminal_text(tree: Mapping[str, Any]) -> str | None:
    """What the terminal window that is in use holds, trailing blanks left out; None if no terminal is shown.

    That is the shown terminal of the active window, else of the last one in the tree.
    """
    found: str | None = None
    for window in walk(tree):
        if window["role"] not in ("frame", "dialog", "window"):
            continue
        for node in walk(window):
            if node["role"] == "terminal" and "showing" in node.get("states", _SHOWN):
                found = str(node.get("text", "")).rstrip()
                if "active" in window.get("states", ()):
                    return found
    return found
