"""What real programs tell of their widgets."""

from __future__ import annotations

import pytest
from x11_helpers import EMPTY, eventually, needs

from gui_gym import Action, DesktopError, Key, Modifier
from gui_gym.desktops.accessibility import from_xml, to_xml, walk
from gui_gym.tasks.setup import Stage

pytest.importorskip("xcffib")
pytestmark = [pytest.mark.usefixtures("require_x11"), needs("/usr/libexec/at-spi-bus-launcher")]


def named(tree: dict, name: str) -> list[dict]:
    return [node for node in walk(tree) if node["name"].strip() == name]


def test_an_empty_desktop_has_an_empty_tree(x11):
    assert x11.accessibility_tree() == {"role": "desktop frame", "name": "main", "bounds": [0, 0, 800, 600], "value": None, "children": []}


@needs("mousepad")
def test_a_window_s_tree_is_where_it_is_on_the_screen(x11):
    x11.launch(["mousepad", "--disable-server", "notes.txt"])
    window = x11.wait_for_window("notes.txt")
    x11.perform(Action.type_text("a < b\nnaïve 日本"))
    tree = x11.accessibility_tree()
    (application,) = tree["children"]
    assert (application["role"], application["name"]) == ("application", "mousepad")
    (frame,) = application["children"]
    assert frame["role"] == "frame" and {"active", "showing", "visible"} <= set(frame["states"])
    (text,) = (node for node in walk(tree) if node.get("text"))
    assert text["role"] == "text" and text["text"] == "a < b\nnaïve 日本" and {"editable", "focused"} <= set(text["states"])
    x, y, width, height = text["bounds"]
    left, top, wide, high = window.bounds
    assert left <= x and top <= y and x + width <= left + wide and y + height <= top + high and width * height > wide * high / 2
    assert from_xml(to_xml(tree)) == from_xml(to_xml(from_xml(to_xml(tree))))
    assert not named(tree, "Save As..."), "a closed menu's items are nowhere on the screen"
    x, y, width, height = named(tree, "File")[0]["bounds"]
    x11.perform(Action.click(x + width // 2, y + height // 2))
    (item,) = named(x11.accessibility_tree(), "Save As...")
    assert item["role"] == "menu item" and min(item["bounds"]) >= 0 and "showing" in item["states"]
    x11.perform(Action.click(item["bounds"][0] + 10, item["bounds"][1] + 10))
    assert x11.wait_for_window("Save As")


@needs("l3afpad", "mousepad")
def test_a_program_that_hangs_hides_only_itself(x11):
    x11.launch(["l3afpad"])
    x11.launch(["mousepad", "--disable-server"])
    for name in ("l3afpad", "mousepad"):
        x11.wait_for_window(name, by_class=True)
    assert eventually(lambda: len(x11.accessibility_tree()["children"]) == 2)
    x11.run(["pkill", "-STOP", "mousepad"])
    tree = x11.accessibility_tree()
    assert [node["name"] for node in tree["children"]] in (["l3afpad", ""], ["", "l3afpad"]) and len(list(walk(tree))) > 6


def test_no_bus_is_a_failure_of_the_desktop(x11):
    x11.run(["pkill", "dbus-daemon"])
    with pytest.raises(DesktopError, match="the accessibility tree could not be read"):
        x11.accessibility_tree()


@needs("gnome-terminal")
def test_the_output_of_the_terminal_in_use(x11, tmp_path):
    from gui_gym.verifiers.osworld.getters import GETTERS

    getter, stage = GETTERS.get("vm_terminal_output"), Stage(EMPTY, x11, tmp_path)
    assert getter.get(stage, {}) is None, "no terminal is open"
    x11.perform(Action.press(Key.T, Modifier.CTRL, Modifier.ALT))
    x11.wait_for_window("Terminal")
    x11.perform(Action.type_text("sleep 0.3; echo $((6 * 7)) café\n"))
    assert eventually(lambda: "\n42 café\n" in getter.get(stage, {}))
    assert getter.get(stage, {}).endswith("$"), "the next prompt"


@needs("mousepad")
def test_the_tree_as_a_getter_s_value_and_its_metric(x11, tmp_path):
    pytest.importorskip("lxml")
    pytest.importorskip("cssselect")
    from gui_gym.verifiers.osworld.getters import GETTERS
    from gui_gym.verifiers.osworld.metrics import load_metric

    x11.launch(["mousepad", "--disable-server", "notes.txt"])
    x11.wait_for_window("notes.txt")
    x11.perform(Action.type_text("done"))
    tree = GETTERS.get("accessibility_tree").get(Stage(EMPTY, x11, tmp_path), {})
    check = load_metric("check_accessibility_tree")
    assert check(tree, [{"selectors": ["application[name=mousepad] text[st|focused=true]"], "text": "done", "exact": True}]) == 1.0
    assert check(tree, [{"xpath": "//application[@name='mousepad']//menu[@name='File']"}]) == 1.0
    assert check(tree, [{"xpath": "//application[@name='gedit']"}]) == 0.0
