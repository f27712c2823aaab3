"""Accessibility trees as OSWorld's XML and back."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import gymnasium as gym
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gui_gym  # noqa: F401  registers the ids
from gui_gym.desktops.accessibility import MAX_DEPTH, NAMESPACES, from_xml, terminal_text, to_xml, walk


def node(role: str, name: str = "", *children: dict, **more) -> dict:
    return {"role": role, "name": name, "bounds": [0, 0, 0, 0], "value": None, "children": list(children), "states": [], **more}


BUTTON = node("push button", "Save", bounds=[3, -4, 50, 20], states=["enabled", "showing"], attributes={"id": "save"}, description="Saves it")
SLIDER = node("slider", "Volume", value=0.5)
TREE = node("desktop frame", "main", node("application", "editor", BUTTON, SLIDER, node("text", text="a < b &\n\tc")))


def test_the_xml_is_osworld_s():
    root = ET.fromstring(to_xml(TREE))
    assert root.tag == "desktop-frame"
    button = root.find("application/push-button")
    assert button is not None and button.attrib == {
        "name": "Save",
        "description": "Saves it",
        f"{{{NAMESPACES['st']}}}enabled": "true",
        f"{{{NAMESPACES['st']}}}showing": "true",
        f"{{{NAMESPACES['attr']}}}id": "save",
        f"{{{NAMESPACES['cp']}}}screencoord": "(3, -4)",
        f"{{{NAMESPACES['cp']}}}size": "(50, 20)",
    }
    assert root.find("application/slider").get(f"{{{NAMESPACES['val']}}}value") == "0.5"
    assert root.find("application/text").text == "a < b &\n\tc"


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\r", exclude_categories=("Cc", "Cs", "Cn")), max_size=8)
NAMES = st.sampled_from(["id", "class", "x_1", "tag.name"])
NODES = st.recursive(
    st.builds(
        lambda role, name, bounds, states, more: node(role, name, bounds=bounds, states=states, **{k: v for k, v in more.items() if v}),
        st.sampled_from(["push button", "text", "document web"]),
        TEXTS,
        st.lists(st.integers(-9, 2000), min_size=4, max_size=4),
        st.lists(st.sampled_from(["showing", "focused", "multi-line"]), unique=True),
        st.fixed_dictionaries({"text": TEXTS, "description": TEXTS, "attributes": st.dictionaries(NAMES, TEXTS)}),
    ),
    lambda inner: st.builds(lambda *children: node("panel", "", *children), inner, inner),
    max_leaves=8,
)


@given(NODES)
def test_what_is_written_is_read_back(tree):
    assert from_xml(to_xml(tree)) == tree


def test_the_simulated_desktop_s_tree_is_xml_too():
    env = gym.make("GuiDesktop-v0", disable_env_checker=True)
    env.reset(seed=0)
    tree = env.unwrapped.desktop.accessibility_tree()
    back = list(walk(from_xml(to_xml(tree))))
    env.close()
    assert [(n["role"], n["name"], n["bounds"]) for n in back] == [(n["role"], n["name"], n["bounds"]) for n in walk(tree)]
    assert all("showing" in n["states"] for n in back) and len(back) > 5


def test_what_xml_cannot_hold_is_left_out():
    odd = node("9 lives/of:a <cat>", "a\x00b\x1b[0m\ud800", attributes={"xml:lang": "\x07en", "": "x"}, text="\x0b")
    root = ET.fromstring(to_xml(odd))
    assert (root.tag, root.get("name"), root.text) == ("_9-lives-of-a-cat-", "ab[0m", None)
    assert root.get(f"{{{NAMESPACES['attr']}}}xml-lang") == "en"


def test_a_very_deep_tree_is_refused():
    deep = node("panel")
    for _ in range(5000):
        deep = node("panel", "", deep)
    with pytest.raises(ValueError, match="at most 200 deep"):
        to_xml(deep)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected the XML of an accessibility tree, got ''"),
        ("<a><b></a>", "expected the XML"),
        ('<!DOCTYPE a [<!ENTITY x "y">]><a name="&x;"/>', "without a document type"),
        ("<a>" * (MAX_DEPTH + 1) + "</a>" * (MAX_DEPTH + 1), "at most 200 deep"),
    ],
)
def test_what_is_no_tree_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        from_xml(text)


def test_too_long_a_text_is_refused(monkeypatch):
    monkeypatch.setattr("gui_gym.desktops.accessibility.MAX_TEXT", 10)
    with pytest.raises(ValueError, match="at most 10 characters, got 11"):
        from_xml("<a>1234</a>")


def test_the_text_of_the_terminal_in_use():
    def window(text: str, *states: str, shown: bool = True) -> dict:
        return node("frame", "Terminal", node("terminal", text=text, states=["showing"] if shown else []), states=list(states))

    assert terminal_text(node("desktop frame")) is None
    assert terminal_text(node("desktop frame", "", window("one\n\n"), window("two"))) == "two"
    assert terminal_text(node("desktop frame", "", window("one  \n", "active"), window("two"))) == "one"
    assert terminal_text(node("desktop frame", "", window("one"), window("a hidden tab", "active", shown=False))) == "one"
    assert terminal_text(node("desktop frame", "", window("", "active"))) == ""
