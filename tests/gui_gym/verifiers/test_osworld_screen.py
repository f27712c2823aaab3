"""The metric on accessibility trees."""

from __future__ import annotations

import pytest

pytest.importorskip("lxml")
pytest.importorskip("cssselect")
pytest.importorskip("rapidfuzz")

from gui_gym.desktops.accessibility import to_xml
from gui_gym.verifiers.osworld.metrics.screen import check_accessibility_tree
from gui_gym.verifiers.osworld.safe_files import UnreadableFile


def node(role: str, name: str, *children: dict, **more) -> dict:
    return {"role": role, "name": name, "bounds": [1, 2, 3, 4], "value": None, "children": list(children), **more}


PILLS = [node("label", f"{name}@example.org", attributes={"class": "pill label"}) for name in ("fox", "iron")]
TREE = to_xml(
    node(
        "desktop frame",
        "main",
        node(
            "application",
            "Mail App",
            node("tool bar", "", node("label", "To"), node("section", "", *PILLS), attributes={"id": "headers"}),
            node("page tab list", "", node("page tab", "Inbox", states=["selected"]), node("page tab", "Sent", states=[])),
            node("entry", "Subject", text="Tuition, please"),
        ),
    )
)
ONE, NOTHING = {"xpath": "//application[@name='Mail App']"}, {"xpath": "//application[@name='Other']"}


@pytest.mark.parametrize(
    ("rules", "score"),
    [
        ([ONE], 1.0),
        ([ONE, NOTHING], 0.0),
        ([], 1.0),
        ([{"selectors": ["tool-bar[attr|id=headers] label[name=To]~section>label[attr|class=\"pill label\"][name*=\"fox@\"]"]}], 1.0),
        ([{"selectors": ["label[name*=wolf]", "label[name*=iron]"]}], 1.0),
        ([{"selectors": ["application[name=Mail\\ App] page-tab-list>page-tab[name=Inbox][st|selected=true]"]}], 1.0),
        ([{"selectors": ["page-tab[name=Sent][st|selected=true]"]}], 0.0),
        ([{"xpath": "//entry[contains(text(), 'Tuition')]"}], 1.0),
        ([{"xpath": "//*[@cp:screencoord='(1, 2)' and @st:selected='true']"}], 1.0),
        ([{"xpath": "//entry", "text": "Tuition, please", "exact": True}], 1.0),
        ([{"xpath": "//entry", "text": "Tuition"}], 0.0),
        ([{"xpath": "//*", "text": "Tuition, please", "exact": True}], 1.0),
        ([{"xpath": "//page-tab", "text": "", "exact": True}], 1.0),
    ],
)  # fmt: skip
def test_rules(rules, score):
    assert check_accessibility_tree(TREE, rules) == score


def test_a_text_may_be_alike():
    alike = {"xpath": "//entry", "text": "Tuition please", "exact": False}
    assert 0.9 < check_accessibility_tree(TREE, [alike]) < 1.0
    assert check_accessibility_tree(TREE, [alike, alike]) == pytest.approx(check_accessibility_tree(TREE, [alike]) ** 2)


@pytest.mark.parametrize(
    "rule", [{}, {"selectors": []}, {"selectors": ["a["]}, {"selectors": ["x|a"]}, {"xpath": "//["}, {"xpath": "count(//*)"}, {"xpath": "//@name"}]
)
def test_a_rule_of_the_author_s_that_is_none_is_an_error(rule):
    with pytest.raises(ValueError, match="expected"):
        check_accessibility_tree(TREE, [rule])


def test_another_system_s_tree_is_an_error():
    with pytest.raises(ValueError, match="osname 'ubuntu'"):
        check_accessibility_tree(TREE, [ONE], osname="windows")


@pytest.mark.parametrize("tree", ["", "<a>", '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'])
def test_a_tree_that_is_none_is_not_read(tree):
    with pytest.raises(UnreadableFile):
        check_accessibility_tree(tree, [ONE])
