"""Ways of doing a task that the script does not take, and what does no harm: all of them score 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from sim_hand import ALT, CTRL, FORMS, PLAIN_FAMILIES, SHIFT, Hand, each

from gui_gym.actions import Action, ActionType, Button, Key
from gui_gym.desktops.sim.icons import icon_rects
from gui_gym.desktops.sim.widgets.choice import MenuBar, Slider

# ------------------------------------------------------------------------------------------- the same by other means


def in_pieces(actions: list[Action]) -> list[Action]:
    """Clicks as down and up, drags as down, moves and up, texts letter by letter."""
    pieces: list[Action] = []
    for action in actions:
        x, y = action.point
        if action.type is ActionType.CLICK and action.clicks == 1 and not action.modifiers:
            pieces += [Action.move(x, y), Action.mouse_down(x, y, action.button), Action.mouse_up(x, y, action.button)]
        elif action.type is ActionType.DRAG:
            to_x, to_y = action.to
            steps = [Action.move(x + (to_x - x) * i // 5, y + (to_y - y) * i // 5) for i in range(1, 6)]
            pieces += [Action.mouse_down(x, y, action.button), *steps, Action.mouse_up(to_x, to_y, action.button)]
        elif action.type is ActionType.TYPE:
            pieces += [Action.type_text(c) for c in action.text]
        elif action.type is ActionType.KEY:
            held = [Key[m.name] for m in action.modifiers]
            pieces += [*map(Action.key_down, held), Action.key_down(action.key), Action.key_up(action.key), *map(Action.key_up, reversed(held))]
        else:
            pieces.append(action)
    return pieces


@pytest.mark.parametrize("family", PLAIN_FAMILIES)
def test_the_script_in_small_pieces_solves_it_too(family: str) -> None:
    for hand in each([family]):
        *actions, last = hand.solution()
        hand(*in_pieces(actions))
        assert hand.score(last.text if last.type is ActionType.ANSWER else None) == 1, hand.task.instruction


def by_keys(hand: Hand) -> str | None:
    """Solve it with the keyboard alone, and give the answer."""
    goal, family = hand.goal, hand.task.params["family"]
    if family == "press-the-button":
        hand.tab_to("button").press(Key.SPACE)
    elif family == "click-button":
        hand.tab_to(f"button{goal['labels'].index(goal['target'])}").press(Key.ENTER)
    elif family == "click-colour":
        hand.tab_to(goal["target"]).press(Key.ENTER)
    elif family == "choose-menu":
        menu, _, item = goal["target"].partition(" > ")
        hand.press(Key.F10)
        bar = hand.active.widget("menu")
        assert isinstance(bar, MenuBar)
        while bar.opened != menu:
            hand.press(Key.RIGHT)
        for _ in range(goal["menus"][menu].index(item) + 1):
            hand.press(Key.DOWN)
        hand.press(Key.ENTER)
    elif family == "check-boxes":
        for name, on in zip(goal["options"], goal["checked"], strict=True):
            if on != (name in goal["wanted"]):
                hand.tab_to(name).press(Key.SPACE)
        hand.press(Key.ENTER)
    elif family == "choose-one":
        hand.tab_to(goal["options"][0])
        while not hand.active.widget(goal["target"]).value:
            hand.press(Key.DOWN)
        hand.press(Key.ENTER)
    elif family == "enter-text":
        hand.tab_to(goal["target"]).press(Key.A, CTRL)(Action.type_text(goal["text"] + "\n"))
    elif family == "fill-form":
        for key, _, value in goal["fields"]:
            hand.tab_to(key)(Action.type_text(value))
        hand.tab_to("Plan").press(Key.ENTER)
        for _ in range(goal["plans"].index(goal["plan"]) + 1):
            hand.press(Key.DOWN)
        hand.press(Key.ENTER)
        if goal["news"] != goal["ticked"]:
            hand.tab_to("news").press(Key.SPACE)
        hand.tab_to("ok").press(Key.ENTER)
    elif family == "set-slider":
        for name, number in goal["goals"].items():
            hand.tab_to(name).press(Key.HOME)
            for _ in range(number // goal["step"]):
                hand.press(Key.RIGHT)
        hand.press(Key.ENTER)
    elif family == "copy-text":
        hand.tab_to(goal["source"]).press(Key.A, CTRL).press(Key.C, CTRL).tab_to("again").press(Key.V, CTRL).press(Key.ENTER)
    elif family == "pick-from-list":
        hand.tab_to("list").press(Key.HOME)
        for _ in range(goal["rows"].index([goal["target"]])):
            hand.press(Key.DOWN)
        hand.tab_to("ok").press(Key.ENTER)
    elif family == "close-window":
        while hand.active.title not in goal["targets"]:
            hand.press(Key.TAB, ALT, SHIFT)
        hand.press(Key.F4, ALT)
    elif family == "read-code":
        while hand.active.title != goal["target"]:
            hand.press(Key.TAB, ALT, SHIFT)
        return str(goal["code"])
    elif family == "edit-and-save":
        if not goal["open"]:
            select_by_keys(hand).press(Key.ENTER)
        hand.press(Key.HOME, CTRL)
        lines = goal["files"][goal["target"]].splitlines()
        for _ in range(len(lines) if goal["old"] is None else lines.index(goal["old"])):
            hand.press(Key.DOWN)
        hand.press(Key.END, SHIFT)(Action.type_text(goal["new"])).press(Key.S, CTRL)
    else:
        select_by_keys(hand)
        if family == "delete-file":
            hand.press(Key.DELETE)
        elif family == "rename-file":
            hand.press(Key.F2)(Action.type_text(goal["new"] + "\n"))
        elif family == "read-size":
            return str(len(goal["files"][goal["target"]].encode()))
        else:
            raise AssertionError(f"{family} is new: say how it is done with the keyboard")
    return None


def select_by_keys(hand: Hand) -> Hand:
    hand.tab_to("files").press(Key.HOME)
    for _ in range(sorted(hand.goal["files"]).index(hand.goal["target"])):
        hand.press(Key.DOWN)
    return hand


@pytest.mark.parametrize("family", [name for name in PLAIN_FAMILIES if name != "move-window"])
def test_the_keyboard_alone_will_do(family: str) -> None:
    for hand in each([family]):
        answer = by_keys(hand)
        assert hand.score(answer) == 1, hand.task.instruction


def test_a_menu_is_chosen_from_by_drawing_to_the_item() -> None:
    for hand in each(["choose-menu"]):
        menu, _, item = hand.goal["target"].partition(" > ")
        bar = hand.active.widget("menu")
        assert isinstance(bar, MenuBar)
        x, y, w, h = hand.active.rect_of(bar)
        left, top, width, height = dict(bar.titles(hand.desktop.session.look))[menu]
        start = x + left + width // 2, y + top + height // 2
        at = hand(Action.click(*start)).desktop.session.item_rects(hand.desktop.state.popup)[hand.goal["menus"][menu].index(item)]  # type: ignore[arg-type]
        hand.press(Key.ESCAPE)(Action.drag(*start, at[0] + 5, at[1] + at[3] // 2))
        assert hand.score() == 1 and hand.desktop.state.popup is None


@pytest.mark.parametrize("family", ["rename-file", "delete-file"])
def test_files_are_handled_by_button_key_and_context_menu(family: str) -> None:
    word, key = ("Delete", Key.DELETE) if family == "delete-file" else ("Rename", Key.F2)
    ways: list[Callable[[Hand, str], object]] = [
        lambda hand, name: hand.row(name).press(key),
        lambda hand, name: hand.row(name, Button.RIGHT).choose(word),
        lambda hand, name: hand.row(name).scripted(lambda solver: solver.click("files", word.lower())),
    ]
    for way in ways:
        for hand in each([family], 3):
            way(hand, hand.goal["target"])
            if family == "rename-file":
                hand(Action.type_text(hand.goal["new"])).scripted(lambda solver: solver.click("prompt:files", "ok"))
            assert hand.score() == 1


def appended(seeds: int = 12) -> Iterable[Hand]:
    """Instances that ask for a line at the end, with the editor open."""
    for hand in each(["edit-and-save"], seeds):
        if hand.goal["old"] is None:
            path = f"editor:/home/user/Documents/{hand.goal['target']}"
            if not hand.goal["open"]:
                hand.row(hand.goal["target"], clicks=2)
            assert hand.active.id == path
            yield hand


@pytest.mark.parametrize(
    "way", ["after the last line", "on the empty line", "with a line end", "with two", "by the menu", "at the last line's end by the mouse"]
)
def test_a_line_is_appended_in_any_way_that_looks_the_same(way: str) -> None:
    for hand in appended():
        new = Action.type_text(hand.goal["new"])
        hand.press(Key.END, CTRL)
        if way == "after the last line":
            hand.press(Key.BACKSPACE).press(Key.ENTER)(new)
        elif way == "at the last line's end by the mouse":
            area, height = hand.active.widget("text"), hand.desktop.session.look.mono.height
            lines = len(hand.goal["files"][hand.goal["target"]].splitlines())
            x, y, w, _ = hand.active.rect_of(area)
            hand(Action.click(x + w - 30, y + hand.desktop.session.look.size.gap + (lines - 1) * height + 3)).press(Key.ENTER)(new)
        else:
            hand(new)
        hand(Action.type_text({"with a line end": "\n", "with two": "\n\n"}.get(way, "")))
        if way == "by the menu":
            hand.scripted(lambda solver: solver.open_menu(solver.session.active.id, "menu", "File")).choose("Save")  # type: ignore[union-attr]
        else:
            hand.press(Key.S, CTRL)
        assert hand.score() == 1


@pytest.mark.parametrize(
    "way", ["a blank line between", "at the start", "on the last line", "with a space", "without a save", "saved, then taken back"]
)
def test_a_line_that_is_not_what_was_asked_for_scores_0(way: str) -> None:
    for hand in appended():
        new = Action.type_text(hand.goal["new"])
        if way == "at the start":
            hand.press(Key.HOME, CTRL)(new).press(Key.ENTER)
        elif way == "on the last line":
            hand.press(Key.END, CTRL).press(Key.BACKSPACE)(new)
        else:
            hand.press(Key.END, CTRL)(Action.type_text("\n" if way == "a blank line between" else ""), new)
            hand(Action.type_text(" " if way == "with a space" else ""))
        if way != "without a save":
            hand.press(Key.S, CTRL)
        if way == "saved, then taken back":
            hand.press(Key.Z, CTRL).press(Key.S, CTRL)
        assert hand.score() == 0


def test_files_open_by_double_click_enter_button_and_menu() -> None:
    ways: list[Callable[[Hand, str], object]] = [
        lambda hand, name: hand.row(name, clicks=2),
        lambda hand, name: hand.row(name).press(Key.ENTER),
        lambda hand, name: hand.row(name).scripted(lambda solver: solver.click("files", "open")),
        lambda hand, name: hand.row(name, Button.RIGHT).choose("Open"),
    ]
    for way in ways:
        hand = Hand("delete-file#1")
        way(hand, hand.goal["target"])
        assert hand.active.id == f"editor:/home/user/Documents/{hand.goal['target']}"


def test_a_row_that_is_double_clicked_is_selected_and_not_confirmed() -> None:
    for hand in each(["pick-from-list"]):
        hand.use("select_row", "dialog", "list", hand.goal["target"], clicks=2)
        assert hand.score() == 0
        hand.use("click", "dialog", "ok")
        assert hand.score() == 1


@pytest.mark.parametrize("size", [(1280, 720), (640, 400), (320, 200), (240, 140)])
def test_every_value_of_a_slider_can_be_set_by_the_mouse(size: tuple[int, int]) -> None:
    for seed in range(12):
        hand = Hand(f"set-slider#{seed}", size)
        slider = hand.active.widget(next(iter(hand.goal["goals"])))
        assert isinstance(slider, Slider)
        x, y, w, h = hand.active.rect_of(slider)
        seen = {hand(Action.click(x + i, y + h // 2)).active.widget(slider.id).value for i in range(w)}
        assert seen == set(range(0, 101, hand.goal["step"]))


@pytest.mark.parametrize("size", [(1280, 720), (640, 400), (320, 200)])
def test_a_window_dragged_towards_the_corner_is_in_the_corner(size: tuple[int, int]) -> None:
    """By its title to the very corner, so that some of it is beyond the edge; or so that all of it is just there."""
    for seed in range(10):
        hand = Hand(f"move-window#{seed}", size)
        left, top = "left" in hand.goal["corner"], "top" in hand.goal["corner"]
        hand.scripted(lambda solver, hand=hand: solver.raise_window(solver.window(hand.goal["target"])))  # type: ignore[misc]
        x, y, w, h = hand.desktop.session.title_rect(hand.active)
        hand(Action.drag(x + w // 3, y + h // 2, 0 if left else size[0] - 1, 0 if top else size[1] - 1))
        assert hand.score() == 1, hand.task.instruction


# ------------------------------------------------------------------------------------------------ what does no harm


def harmless(hand: Hand) -> list[Action]:
    """Things to do that leave everything as it is, or as good."""
    x, y = hand.wallpaper()
    acts = [Action.move(x, y), Action.wait_for(2), Action.click(x, y), Action.click(x, y, Button.RIGHT), Action.scroll_by(x, y, dy=3)]
    acts += [Action.press(Key.ESCAPE), Action.press(Key.CAPS_LOCK), Action.press(Key.CAPS_LOCK), Action.press(Key.TAB, ALT), Action.press(Key.TAB)]
    for window in hand.desktop.state.windows:
        left, top, _, height = hand.desktop.session.title_rect(window)
        acts.append(Action.drag(left + 12, top + height // 2, left + 20, top + height // 2 + 5))
    icon = dict(icon_rects(hand.desktop.session))["Documents"]
    return [*acts, Action.click(icon[0] + icon[2] // 2, icon[1] + icon[3] // 2, clicks=2)]


@pytest.mark.parametrize("family", PLAIN_FAMILIES)
def test_what_does_no_harm_changes_no_score(family: str) -> None:
    for hand in each([family], 4):
        hand(*harmless(hand))
        assert hand.score() == 0
        answer = hand.solve()
        assert hand.score(answer) == 1, hand.task.instruction
        hand(*(act for act in harmless(hand) if act.type is not ActionType.DRAG or family != "move-window"))
        assert hand.score(answer) == 1, hand.task.instruction


@pytest.mark.parametrize("family", ["press-the-button", "click-button", "click-colour", *FORMS])
def test_a_double_click_counts_like_a_click(family: str) -> None:
    for hand in each([family]):
        *actions, last = hand.solution()
        x, y = actions[-1].point
        hand(*actions[:-1], Action.click(x, y, clicks=2))
        assert hand.score() == 1 and last == Action.done()
