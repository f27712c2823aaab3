"""Families of single targets, lists, menus, trees and windows: other ways that count, and cheats that do not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from sim_hand import Hand, each

from gui_gym.actions import Action, Button, Key, Modifier
from gui_gym.desktops.sim.apps.tabbed import Tabbed
from gui_gym.desktops.sim.labels import LANGUAGES, label
from gui_gym.desktops.sim.state import MINIMISE
from gui_gym.desktops.sim.widgets.listview import ListView
from gui_gym.desktops.sim.widgets.outline import Outline
from gui_gym.tasks.sim import words
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.arranging import PROGRAMS
from gui_gym.tasks.sim.families.choices import NUMBERS
from gui_gym.tasks.sim.families.common import draw_labels
from gui_gym.tasks.sim.families.messages import QUESTIONS

CTRL, SHIFT, ALT, META = Modifier.CTRL, Modifier.SHIFT, Modifier.ALT, Modifier.META


def middle_of(hand: Hand, window: str, widget: str) -> tuple[int, int]:
    x, y, w, h = hand.window(window).rect_of(hand.window(window).widget(widget))
    return x + w // 2, y + h // 2


def by_keys_in(outline: Outline, hand: Hand, path: str) -> None:
    """Go to a path in a tree or in sections by arrow keys."""
    parts = path.split(" > ")
    for depth in range(1, len(parts) + 1):
        while outline.selected != " > ".join(parts[:depth]):
            hand.press(Key.DOWN)
        if depth < len(parts):
            hand.press(Key.RIGHT)


def solve_by_keys(hand: Hand) -> None:
    """Solve it with the keyboard alone."""
    goal, family = hand.goal, hand.task.params["family"]
    if family == "click-link":
        hand.tab_to(goal["target"]).press(Key.ENTER)
    elif family == "click-sequence":
        for label in goal["order"]:
            hand.tab_to(label).press(Key.SPACE)
    elif family == "check-on-tab":
        dialog = hand.active
        assert isinstance(dialog, Tabbed)
        for tab, option in goal["targets"].items():
            hand.tab_to("tabs")
            while dialog.tabs.value != tab:
                hand.press(Key.RIGHT)
            hand.tab_to(option).press(Key.SPACE)
        hand.tab_to("ok").press(Key.SPACE)
    elif family in ("expand-section", "select-in-tree"):
        outline = hand.active.widget("sections" if family == "expand-section" else "tree")
        assert isinstance(outline, Outline)
        hand.tab_to(outline.id)
        by_keys_in(outline, hand, goal["target"])
        hand.press(Key.ENTER)
    elif family == "choose-submenu":
        path = goal["target"].split(" > ")
        hand.press(Key.F10)
        while hand.active.widget("menu").opened != path[0]:  # type: ignore[attr-defined]
            hand.press(Key.RIGHT)
        popup = hand.desktop.state.popup
        assert popup is not None
        while popup.selected < 0 or popup.items[popup.selected][0] != path[1]:
            hand.press(Key.DOWN)
        hand.press(Key.RIGHT)
        child = popup.child
        assert child is not None
        while child.items[child.selected] != path[2]:
            hand.press(Key.DOWN)
        hand.press(Key.ENTER)
    elif family == "toggle-switches":
        for option, on in goal["goal"].items():
            if goal["start"][option] != on:
                hand.tab_to(option).press(Key.SPACE)
    elif family == "maximise-window":
        for title in goal["targets"]:
            while hand.active.title != title:
                hand.press(Key.TAB, ALT, SHIFT)
            hand.press(Key.UP, META)
    elif family == "minimise-window":
        state = hand.desktop.state
        for title in goal["targets"]:
            hand(Action.key_down(Key.ALT)).press(Key.TAB)
            while hand.desktop.session.recent[state.switching].title != title:
                hand.press(Key.TAB)
            hand(Action.key_up(Key.ALT)).press(Key.DOWN, META)
    elif family == "use-hidden-window":
        while hand.active.title != goal["target"]:
            hand.press(Key.TAB, ALT, SHIFT)
        hand.tab_to(goal["option"]).press(Key.SPACE).tab_to("apply").press(Key.SPACE)


@pytest.mark.parametrize(
    "family",
    [
        "click-link", "click-sequence", "check-on-tab", "expand-section", "select-in-tree", "choose-submenu", "toggle-switches",
        "maximise-window", "minimise-window", "use-hidden-window",
    ],
)  # fmt: skip
def test_the_keyboard_alone_will_do(family: str) -> None:
    for hand in each([family], 5):
        solve_by_keys(hand)
        assert hand.score() == 1, hand.task.instruction


def test_buttons_out_of_order_or_twice_are_no_sequence() -> None:
    for hand in each(["click-sequence"], 4):
        order = hand.goal["order"]
        for name in reversed(order):
            hand.use("click", "dialog", name)
        assert hand.score() == 0
        for name in order:
            hand.use("click", "dialog", name)
        assert hand.score() == 0
    for hand in each(["click-sequence"], 4):
        for name in hand.goal["order"]:
            hand.use("click", "dialog", name, clicks=2)
        assert hand.score() == 0


def test_what_is_right_on_the_wrong_tab_or_with_cancel_scores_0() -> None:
    for hand in each(["check-on-tab"], 5):
        hand.use("click", "dialog", hand.active.widgets[1].id).use("click", "dialog", "ok")
        assert hand.score() == 0
    for hand in each(["check-on-tab", "turn-pages", "select-in-tree", "select-several", "pick-by-rank", "transfer-items", "reorder-list"], 2):
        *before, _, _ = hand.solution()
        hand(*before).use("click", "dialog", "cancel")
        assert hand.score() == 0


def test_rows_in_a_row_are_selected_by_shift() -> None:
    found = 0
    for seed in range(60):
        hand = Hand(f"select-several#{seed}/easy")
        rows = sorted(hand.goal["rows"].index(name) for name in hand.goal["wanted"])
        if rows[-1] - rows[0] == 1:
            names = [hand.goal["rows"][i] for i in rows]
            hand.use("select_row", "dialog", "list", names[0]).use("select_row", "dialog", "list", names[1], modifiers=[SHIFT])
            hand.use("click", "dialog", "ok")
            assert hand.score() == 1
            found += 1
    assert found > 3


def test_all_rows_selected_is_not_some_of_them() -> None:
    for hand in each(["select-several"], 4):
        hand.tab_to("list").press(Key.A, CTRL).tab_to("ok").press(Key.ENTER)
        assert hand.score() == 0


def test_a_table_is_sorted_by_its_header() -> None:
    """Then the largest number is at an end of the table."""
    for seed in range(8):
        hand = Hand(f"pick-by-rank#{seed}")
        view = hand.active.widget("list")
        assert isinstance(view, ListView)
        x, y, w, h = view.column_rects(hand.desktop.session.look)[1]
        left, top, _, _ = hand.active.rect_of(view)
        hand(Action.click(left + x + w // 2, top + y + h // 2))
        numbers = [int(row[1]) for row in view.rows]
        assert numbers == sorted(numbers)
        ends = [view.rows[0][0], view.rows[-1][0]]
        assert hand.goal["target"] in ends
        hand(Action.click(left + x + w // 2, top + y + h // 2, clicks=1))
        assert [int(row[1]) for row in view.rows] == sorted(numbers, reverse=True)
        hand.use("select_row", "dialog", "list", hand.goal["target"]).use("click", "dialog", "ok")
        assert hand.score() == 1


def test_rows_are_moved_over_by_a_double_click() -> None:
    for hand in each(["transfer-items"], 4):
        for source in ("right", "left"):
            for name in list(hand.active.widget(source).value):
                if (name in hand.goal["wanted"]) == (source == "left"):
                    hand.use("select_row", "dialog", source, name, clicks=2)
        hand.use("click", "dialog", "ok")
        assert hand.score() == 1


def test_the_other_message_and_a_closed_one_score_0() -> None:
    for hand in each(["answer-message"], 6):
        right, others = hand.goal["target"], [i for i in range(len(hand.goal["boxes"])) if i != hand.goal["target"]]
        hand.use("click", f"message{others[0]}", "button0")
        assert hand.score() == 0
        hand.use("close", f"message{right}")
        assert hand.score() == 0


def test_a_window_behind_a_message_cannot_be_used() -> None:
    for hand in each(["answer-message"], 3):
        for i in range(len(hand.goal["boxes"])):
            box = hand.window(f"window{i}").widget("option")
            before = box.value
            hand(Action.click(*middle_of(hand, f"window{i}", "option")))
            assert box.value == before


def test_the_window_that_is_compared_with_must_keep_its_size() -> None:
    for hand in each(["resize-window"], 6):
        target = hand.window(hand.goal["target"])
        hand.use("resize", hand.goal["model"], target.w, target.h)
        assert hand.score() == 0


def test_a_double_click_on_the_title_maximises() -> None:
    for hand in each(["maximise-window"], 4):
        for title in hand.goal["targets"]:
            hand.use("move", title, 0, 0)  # raises it
            x, y, _, h = hand.desktop.session.title_rect(hand.active)
            hand(Action.move(1, 300), Action.click(x + 2 * h, y + h // 2, clicks=2))
        assert hand.score() == 1


def test_minimising_every_window_is_not_minimising_one() -> None:
    for hand in each(["minimise-window"], 4):
        for title in hand.goal["titles"]:
            hand.use("press_title_button", title, MINIMISE)
        assert hand.score() == 0


def test_windows_are_tiled_by_dragging_too() -> None:
    for hand in each(["tile-windows"], 4):
        _, _, width, height = hand.desktop.session.work_area
        for title, side in hand.goal["places"].items():
            hand.use("move", title, 0, 0).use("resize", title, width // 2, height).use("move", title, 0 if side == "left" else width // 2, 0)
        assert hand.score() == 1, hand.task.instruction


def test_the_button_before_the_box_scores_0() -> None:
    for hand in each(["use-hidden-window"], 4):
        hand.use("click", hand.goal["target"], "apply").use("click", hand.goal["target"], hand.goal["option"])
        assert hand.score() == 0
        hand.use("click", hand.goal["target"], "apply")
        assert hand.score() == 1


@pytest.mark.parametrize("app", PROGRAMS)
def test_the_windows_of_programs_are_called_as_the_task_expects(app: str) -> None:
    hand = Hand("open-app#0").use("start_program", app)
    assert hand.active.id.partition(":")[0] == PROGRAMS[app]


def test_a_program_more_than_asked_for_scores_0() -> None:
    for hand in each(["open-app"], 4):
        hand.solve()
        assert hand.score() == 1
        other = next(app for app in ("calculator", "files", "terminal") if app not in hand.goal["apps"])
        hand.use("start_program", other)
        assert hand.score() == 0


@pytest.mark.parametrize("family", ["context-menu"])
def test_the_right_item_of_another_row_scores_0(family: str) -> None:
    for hand in each([family], 5):
        row, _, item = hand.goal["target"].partition(" > ")
        other = next(name for name in hand.goal["rows"] if name != row)
        hand.use("select_row", "shelf", "list", other, button=Button.RIGHT).choose(item)
        assert hand.score() == 0


@pytest.mark.parametrize(
    "family, wrong",
    [
        ("click-icon", lambda goal: next(name for name in goal["pictures"] if name != goal["target"])),
        ("click-shade", lambda goal: f"tile{(goal['target'] + 1) % len(goal['tiles'])}"),
        ("click-link", lambda goal: next(name for name in goal["links"] if name != goal["target"])),
    ],
)
def test_a_wrong_target_first_spoils_it(family: str, wrong: Callable[[dict[str, object]], str]) -> None:
    for hand in each([family], 4):
        right, other = hand.solution(), wrong(hand.goal)
        window = next(w.id for w in hand.desktop.state.windows if w.find(other))
        hand.use("click", window, other)
        hand(*right[:-1])
        assert hand.score() == 0


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "group, most",
    [
        (words.ALIKE, 11), (words.BUTTONS, 8), (words.TABS, 6), (words.ACTIONS, 8), (words.MEASURES, 2), (words.OPTIONS, 16), (words.TITLES, 7),
        (words.SLIDERS, 4), (words.PLANS, 5), (NUMBERS, 3),
    ],
)  # fmt: skip
def test_every_language_has_enough_different_words(group: tuple[str, ...], most: int, language: str) -> None:
    """As many as a hard instance draws, however others coincide in a language."""
    for seed in range(5):
        found = draw_labels(Brief(np.random.default_rng(seed), language=language), group, most)
        assert len({text.casefold() for text in found}) == most


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_words_of_submenus_and_messages(language: str) -> None:
    for menu, items in words.SUBMENUS.items():
        shown = [label(item, language) for item in items]
        assert label(menu, language) and len(set(shown)) == len(shown)
        for inner in items.values():
            assert len({label(item, language).casefold() for item in inner}) == len(inner)
    for question, buttons in QUESTIONS.items():
        assert "{}" in label(question, language) and len({label(button, language) for button in buttons}) == len(buttons)
