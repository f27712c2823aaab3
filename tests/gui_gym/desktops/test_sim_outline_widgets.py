"""Trees, sections, tabs, links, switches and pictograms: mouse, keyboard, accessibility, and that only what changed is drawn again."""

from __future__ import annotations

import numpy as np
import pytest

from gui_gym.actions import Action, Key, Modifier
from gui_gym.desktops.sim.apps.tabbed import Tabbed
from gui_gym.desktops.sim.canvas import inside
from gui_gym.desktops.sim.look import look_for
from gui_gym.desktops.sim.painter import Painter
from gui_gym.desktops.sim.perform import perform
from gui_gym.desktops.sim.pictograms import PICTOGRAMS, pictogram
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State, Window
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.desktops.sim.widgets.basic import CheckBox
from gui_gym.desktops.sim.widgets.icon_button import IconButton
from gui_gym.desktops.sim.widgets.link import Link
from gui_gym.desktops.sim.widgets.outline import Node, Outline
from gui_gym.desktops.sim.widgets.sections import Sections
from gui_gym.desktops.sim.widgets.switch import Switch
from gui_gym.desktops.sim.widgets.tabs import Tabs
from gui_gym.desktops.sim.widgets.tree import Tree


def shown(*widgets: Widget, size: tuple[int, int] = (640, 400)) -> tuple[Session, Window]:
    """A window with these widgets, each 200 pixels wide, below each other."""
    session = Session(State(*size))
    window = Window(id="w", title="W", x=20, y=10, w=220, h=300)
    y = 30
    for widget in widgets:
        widget.x, widget.y, widget.w, widget.h = 10, y, 200, widget.h or 22
        y += widget.h + 5
    window.widgets = list(widgets)
    session.open(window)
    return session, window


def folders(cls: type[Outline]) -> Outline:
    return cls(id="o", h=120, nodes=[Node("A", [Node("B", [Node("b")]), Node("a")]), Node("C", [Node(f"c{i}") for i in range(20)])])


def names(outline: Outline) -> list[str]:
    return [row.path for row in outline.rows()]


def click_row(session: Session, window: Window, outline: Outline, path: str, dx: int = 60, clicks: int = 1) -> None:
    place = outline.row_rect(session.look, outline.at(path))
    assert place is not None
    left, top, _, _ = window.rect_of(outline)
    perform(session, Action.click(left + place[0] + dx, top + place[1] + place[3] // 2, clicks=clicks))


def press(session: Session, *keys: Key) -> None:
    for key in keys:
        perform(session, Action.press(key))


def test_a_tree_opens_by_its_arrow_a_double_click_or_a_key() -> None:
    tree = folders(Tree)
    session, window = shown(tree)
    assert names(tree) == ["A", "C"] and tree.value == ""
    click_row(session, window, tree, "A", dx=5)
    assert names(tree) == ["A", "A > B", "A > a", "C"] and tree.value == ""
    click_row(session, window, tree, "A > B", clicks=2)
    assert "A > B > b" in names(tree) and tree.value == "A > B"
    click_row(session, window, tree, "A > B > b")
    assert tree.value == "A > B > b"
    click_row(session, window, tree, "A", dx=5)
    assert names(tree) == ["A", "C"] and tree.value == "A", "what a closed folder hides is not selected"
    click_row(session, window, tree, "C", clicks=2)
    assert [event.signal for event in session.state.log if event.widget == "o"].count("activated") == 0


def test_a_tree_is_used_by_the_keyboard() -> None:
    tree = folders(Tree)
    session, window = shown(tree)
    session.focus(window, tree)
    press(session, Key.DOWN, Key.RIGHT, Key.RIGHT, Key.RIGHT, Key.RIGHT)
    assert tree.value == "A > B > b"
    press(session, Key.ENTER)
    assert [(e.signal, e.value) for e in session.state.log][-1] == ("activated", "A > B > b")
    press(session, Key.LEFT)
    assert tree.value == "A > B"
    press(session, Key.LEFT, Key.LEFT)
    assert tree.value == "A" and "A > B > b" not in names(tree)
    press(session, Key.END, Key.SPACE, Key.END)
    assert tree.value == "C > c19" and tree.row_rect(session.look, tree.at(tree.value)) is not None
    press(session, Key.HOME, Key.PAGE_DOWN, Key.PAGE_UP)
    assert tree.value == "A"


def test_sections_open_by_a_click_and_their_links_are_used() -> None:
    sections = folders(Sections)
    session, window = shown(sections)
    click_row(session, window, sections, "C")
    assert names(sections)[:3] == ["A", "C", "C > c0"]
    click_row(session, window, sections, "C > c1", dx=20)
    click_row(session, window, sections, "C > c1", dx=120)  # beside the link
    perform(session, Action.scroll_by(window.x + 50, window.y + 60, dy=20))
    assert sections.top > 0
    click_row(session, window, sections, "C > c19", dx=20, clicks=2)
    press(session, Key.UP, Key.ENTER)
    assert [e.value for e in session.state.events("clicked")] == ["C > c1", "C > c19", "C > c18"]


def test_the_tree_of_accessibility_has_what_is_in_view() -> None:
    tree = folders(Tree)
    session, window = shown(tree)
    click_row(session, window, tree, "C", clicks=2)
    nodes = tree.children(window.rect_of(tree), session.look)
    assert [node["name"] for node in nodes][:3] == ["A", "C", "c0"] and len(nodes) == tree.rows_in_view(session.look) < 22
    assert nodes[1]["value"] == {"selected": True, "level": 0, "open": True} and nodes[2]["role"] == "tree item"
    assert all(inside(window.rect_of(tree), node["bounds"][0], node["bounds"][1]) for node in nodes)


def test_tabs_turn_the_pages_of_a_dialog_and_all_pages_are_handed_in() -> None:
    session = Session(State(640, 400))
    tabs = Tabs(id="tabs", names=["One", "Two", "Three"], x=5, y=25, w=200, h=21)
    pages: list[list[Widget]] = [[CheckBox(id=f"box{i}", name="Box", x=5, y=60, w=100, h=21)] for i in range(3)]
    ok = IconButton(id="ok", picture="star", x=5, y=100, w=30, h=21)
    dialog = Tabbed(id="d", title="D", x=50, y=50, w=220, h=140, closing=["ok"], pages=pages, below=[ok], widgets=[tabs, *pages[0], ok])
    session.open(dialog)
    x, y, w, h = tabs.tab_rects(session.look)[1]
    perform(session, Action.click(dialog.x + 5 + x + w // 2, dialog.y + 25 + y + h // 2))
    assert [w.id for w in dialog.widgets] == ["tabs", "box1", "ok"] and tabs.value == "Two"
    press(session, Key.RIGHT)
    perform(session, Action.click(dialog.x + 10, dialog.y + 65))
    press(session, Key.TAB, Key.ENTER)
    assert session.state.events("submitted")[0].value == '{"box0": false, "box1": false, "box2": true}'
    assert [node["value"] for node in tabs.children((0, 0, 200, 21), session.look)] == [False, False, True]


def test_tabs_without_room_begin_a_new_line() -> None:
    tabs = Tabs(id="tabs", names=[f"A longer name {i}" for i in range(5)], w=200)
    rects = tabs.tab_rects(look_for(640, 400, "harbour"))
    assert {y for _, y, _, _ in rects} == {0, 21, 42, 63, 84} and all(x + w <= 200 for x, _, w, _ in rects)


def test_links_and_switches_are_used_by_mouse_and_keys() -> None:
    link, switch = Link(id="link", name="here"), Switch(id="switch", name="Sound")
    session, window = shown(link, switch)
    perform(session, Action.click(window.x + 15, window.y + 35))
    press(session, Key.ENTER, Key.TAB, Key.SPACE)
    assert link.visited and switch.value is True
    assert [(e.widget, e.signal) for e in session.state.log] == [("link", "clicked"), ("link", "clicked"), ("switch", "toggled")]
    switch.enabled = False
    perform(session, Action.click(window.x + 200, window.y + 60))
    assert switch.value is True


@pytest.mark.parametrize("size", [(96, 80), (320, 200), (640, 400), (1280, 720)])
def test_only_what_changed_is_drawn_again_and_that_is_enough(size: tuple[int, int]) -> None:
    """Random clicks, scrolling and keys: the retained frame equals one drawn anew."""
    widgets: list[Widget] = [
        folders(Tree),
        folders(Sections),
        Tabs(id="tabs", names=["One", "Two"]),
        Link(id="link", name="link"),
        Switch(id="s", name="Switch"),
    ]
    for widget in widgets:
        widget.h = 40 if isinstance(widget, Outline) else 15
        widget.id += type(widget).__name__
    session, window = shown(*widgets, IconButton(id="icon", picture="bell", h=15), size=size)
    rng, painter = np.random.default_rng(0), Painter(*size)
    keys = [Key.TAB, Key.UP, Key.DOWN, Key.LEFT, Key.RIGHT, Key.ENTER, Key.SPACE, Key.END, Key.HOME]
    for _ in range(150):
        x, y = int(rng.integers(size[0])), int(rng.integers(min(size[1], 260)))
        acts = [Action.click(x, y, clicks=int(rng.integers(1, 3))), Action.press(keys[int(rng.integers(len(keys)))]), Action.scroll_by(x, y, dy=2)]
        acts += [Action.mouse_down(x, y), Action.move(x, y), Action.mouse_up(x, y), Action.press(Key.TAB, Modifier.SHIFT)]
        perform(session, acts[int(rng.integers(len(acts)))])
        painter.update(session)
        fresh = Painter(*size)
        session.redraw_all()
        fresh.update(session)
        assert np.array_equal(painter.frame, fresh.frame)


@pytest.mark.parametrize("name", PICTOGRAMS)
def test_pictograms_are_figures_at_every_size(name: str) -> None:
    for side in (8, 11, 18, 40, 120):
        image = pictogram(name, side)
        assert image.shape == (side, side) and image.dtype == np.uint8
        assert 0.05 < image.mean() / 255 < 0.8
    assert not any(other != name and np.array_equal(pictogram(other, 12), pictogram(name, 12)) for other in PICTOGRAMS)
