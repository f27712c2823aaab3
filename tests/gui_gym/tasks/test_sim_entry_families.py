"""Families about entering: what is nearly right does not count, other ways of doing it do, and all of it can be read in every language."""

from __future__ import annotations

import numpy as np
import pytest
from sim_hand import SUITE, Hand

from gui_gym.actions import Action, ActionType, Key, Modifier
from gui_gym.desktops.sim import SimDesktop
from gui_gym.desktops.sim.apps.form import Form
from gui_gym.desktops.sim.apps.wizard import Wizard
from gui_gym.desktops.sim.labels import LANGUAGES, labels_of
from gui_gym.desktops.sim.state import Window
from gui_gym.desktops.sim.widgets.area import TextArea
from gui_gym.desktops.sim.widgets.basic import Button, CheckBox, Label
from gui_gym.tasks.sim import FAMILIES, Solver, suite
from gui_gym.tasks.sim.families import date_fields, numbers, pages, records
from gui_gym.tasks.sim.families.date_fields import time_in_words
from gui_gym.tasks.sim.families.entering import CHANGES
from gui_gym.tasks.sim.families.fields import FormFamily, retype
from gui_gym.tasks.sim.families.prose import find_word, rare_words, select

LEVELS = ("easy", "medium", "hard")
FORMS = (
    "choose-date", "enter-date", "enter-password", "enter-time", "login-user", "mend-form", "order-form", "rate-and-review", "set-range",
    "transform-text", "type-exact", "use-spinner", "use-suggestions",
)  # fmt: skip
OTHERS = (
    "copy-between-windows", "find-in-text", "focus-field", "form-wizard", "multi-line-note", "press-shortcuts", "read-field", "replace-word",
    "scroll-and-type", "select-text", "sign-agreement",
)  # fmt: skip
CTRL, SHIFT = Modifier.CTRL, Modifier.SHIFT


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("family", FORMS)
def test_the_right_values_do_not_count_when_they_are_cancelled_or_not_handed_in(family: str, level: str) -> None:
    hand = Hand(f"{family}#5/{level}" if level != "medium" else f"{family}#5")
    *before, press, _ = hand.solution()
    assert press.type is ActionType.CLICK
    hand(*before)
    assert hand.score() == 0
    hand.scripted(lambda solver: solver.click("dialog", "cancel"))
    assert hand.score() == 0


@pytest.mark.parametrize("family", FORMS)
def test_a_form_handed_in_with_one_field_changed_does_not_count(family: str) -> None:
    """Each field in turn: those asked for with the value they had, all others with another one."""
    for level in ("", "/hard"):
        fields = Hand(f"{family}#2{level}").goal["fields"]
        for field in (f for f in fields if f["kind"] != "note"):
            hand = Hand(f"{family}#2{level}")
            goal = dict(hand.goal)
            other = another(field, goal["wanted"].get(field["id"], field["value"]))
            goal["wanted"] = goal["wanted"] | {field["id"]: other}
            solver, changed = Solver(hand.desktop.copy_state()), FAMILIES.get(family)()
            assert isinstance(changed, FormFamily)
            changed.solve(solver, goal)
            hand(*solver.actions)
            assert hand.score() == 0, (hand.task.id, field["id"], other)


def another(field: dict, value: object) -> object:
    """Another value of a field."""
    match field["kind"]:
        case "check":
            return not value
        case "spinner":
            return value - 1 if value == field.get("high", 100) else value + 1
        case "choice":
            return next(choice for choice in field["choices"] if choice != value)
        case "rating":
            return value % 5 + 1
        case "slider":
            return 10 if value != 10 else 20
        case "range":
            return [field["low"], field["high"]] if value != [field["low"], field["high"]] else [field["low"], field["high"] - field["step"]]
        case "date":
            return f"{value[:8]}{'11' if value[8:] != '11' else '12'}"
        case "suggest":
            return next(entry for entry in field["entries"] if entry != value)
    digits = str(value).isdigit()
    return f"{value[:-1]}{(int(value[-1]) + 1) % 10}" if digits else f"{str(value)[:-1]}~" if field["kind"] == "password" else f"{value}a"


@pytest.mark.parametrize("family", [*FORMS, *OTHERS])
def test_typing_the_instruction_everywhere_does_not_count(family: str) -> None:
    hand = Hand(f"{family}#3")
    for _ in range(12):
        hand(Action.type_text(hand.task.instruction), Action.press(Key.TAB))
        assert hand.score() == 0 and hand.score("") == 0
    hand(Action.press(Key.ENTER))
    assert hand.score() == 0


@pytest.mark.parametrize("family", [*FORMS, *OTHERS])
def test_the_same_by_single_keys_counts(family: str) -> None:
    """Texts letter by letter, and clicks as down and up."""
    hand = Hand(f"{family}#4/hard")
    *actions, last = hand.solution()
    for action in actions:
        if action.type is ActionType.TYPE:
            hand(*(Action.type_text(c) for c in action.text))
        elif action.type is ActionType.CLICK and action.clicks == 1 and not action.modifiers:
            hand(Action.move(*action.point), Action.mouse_down(*action.point), Action.mouse_up(*action.point))
        else:
            hand(action)
    assert hand.score(last.text if last.type is ActionType.ANSWER else None) == 1


# -------------------------------------------------------------------------------------------------------------- texts


def test_more_or_less_than_what_is_asked_is_not_selected() -> None:
    for seed in range(6):
        for level in ("easy", "hard"):
            hand = Hand(f"select-text#{seed}/{level}")
            start, end, text = hand.goal["start"], hand.goal["end"], hand.goal["text"]
            for low, high in ((start, end - 1), (start + 1, end), (start, min(len(text), end + 2)), (0, len(text))):
                if (low, high) != (start, end):
                    hand.scripted(lambda solver, low=low, high=high: select(solver, "text", "text", low, high))
                    assert hand.score() == 0, (hand.task.id, low, high)
            hand.scripted(lambda solver, at=(start, end): select(solver, "text", "text", at[1], at[0]))
            assert hand.score() == 1, hand.task.id


def test_a_word_is_selected_by_a_double_click_and_by_keys() -> None:
    hand = Hand("select-text#1/easy")
    hand(*hand.solution()[:-1])
    area = hand.window("text").widget("text")
    assert isinstance(area, TextArea)
    hand.scripted(lambda solver: solver.click("text", "text"))
    hand(Action.press(Key.HOME, CTRL), *[Action.press(Key.RIGHT)] * hand.goal["start"])
    hand(*[Action.press(Key.RIGHT, SHIFT)] * (hand.goal["end"] - hand.goal["start"]))
    assert hand.score() == 1
    hand(Action.type_text("x"), Action.press(Key.Z, CTRL))
    assert area.text == hand.goal["text"]
    hand(Action.type_text("x"))
    assert hand.score() == 0


def test_words_are_found_whole() -> None:
    text = "Midnight came. The night guard left at midnight."
    assert find_word(text, "night") == text.index("night guard")
    assert "midnight" not in [word.casefold() for word in rare_words(text)] and "guard" in rare_words(text)
    with pytest.raises(ValueError, match="'nigh' is not in the text"):
        find_word(text, "nigh")


def test_a_word_replaced_in_other_words_too_does_not_count() -> None:
    tried = 0
    for seed in range(12):
        hand = Hand(f"replace-word#{seed}/hard")
        before, old, new = (hand.goal[key] for key in ("before", "old", "new"))
        if f"{old}s" in before:
            spoilt = before.replace(old, new)
            hand.scripted(lambda solver, text=spoilt: retype(solver, "dialog", "text", text))
            hand.scripted(lambda solver: solver.click("dialog", "ok"))
            assert hand.score() == 0
            tried += 1
    assert tried >= 6


@pytest.mark.parametrize("said, right", [("{}", 1), ("“{}”", 1), (" {}. ", 1), ("the {}", 0), ("{} {}", 0), ("", 0)])
def test_how_a_word_may_be_said(said: str, right: int) -> None:
    hand = Hand("find-in-text#2")
    assert hand.score(said.replace("{}", hand.goal["word"])) == right
    assert hand.score(said.replace("{}", hand.goal["word"].upper())) == right


@pytest.mark.parametrize("said, right", [("{}", 1), (" “{}” ", 1), ("{}0", 0), ("", 0), ("the value is {}", 0)])
def test_how_the_content_of_a_field_may_be_said(said: str, right: int) -> None:
    hand = Hand("read-field#2/hard")
    assert hand.score(said.replace("{}", hand.goal["value"])) == right


def test_another_word_or_field_is_no_answer() -> None:
    for seed in range(5):
        hand = Hand(f"read-field#{seed}/hard")
        values = {field["value"] for field in hand.goal["fields"]} - {hand.goal["value"]}
        assert all(hand.score(value) == 0 for value in sorted(values) if value.casefold() != hand.goal["value"].casefold())


def test_the_caret_beside_the_place_or_in_another_field_does_not_count() -> None:
    for seed in range(5):
        hand = Hand(f"focus-field#{seed}")
        hand(*hand.solution()[:-1])
        assert hand.score() == 1
        for key in (Key.LEFT, Key.RIGHT, Key.RIGHT):
            hand(Action.press(key))
            assert hand.score() == (1 if key is Key.RIGHT and hand.window("form").widget(hand.goal["target"]).caret == hand.goal["index"] else 0)
        hand(Action.press(Key.LEFT), Action.press(Key.LEFT, SHIFT))
        assert hand.score() == 0  # a selection is no caret
        hand(Action.press(Key.TAB))
        assert hand.score() == 0


# -------------------------------------------------------------------------------------------------------------- pages


def test_what_a_form_does_not_complain_about_is_left() -> None:
    for seed in range(4):
        hand = Hand(f"mend-form#{seed}/hard")
        hand.scripted(lambda solver: solver.click("dialog", "ok"))
        form = hand.window("dialog")
        assert isinstance(form, Form) and form.widget("problem").name.startswith("✗ ")
        assert form.focus in hand.goal["wanted"]
        card = dict(line.split(": ", 1) for line in hand.goal["lines"])
        same = [f for f in hand.goal["fields"] if f["id"] not in hand.goal["wanted"] and f["value"] != card[f["label"]]]
        assert len(same) == 3
        goal = hand.goal | {"wanted": hand.goal["wanted"] | {same[0]["id"]: card[same[0]["label"]]}}
        hand.scripted(lambda solver, goal=goal: pages.MendForm().solve(solver, goal))
        assert hand.score() == 0


def test_shortcuts_out_of_order_or_too_many_do_not_count() -> None:
    hand = Hand("press-shortcuts#3/hard")
    wanted = hand.goal["wanted"]
    press = pages.PressShortcuts._press
    hand.scripted(lambda solver: [press(solver, hand.goal, name) for name in [wanted[1], wanted[0], *wanted[2:]]])
    assert hand.score() == 0
    hand = Hand("press-shortcuts#3/hard")
    hand.scripted(lambda solver: [press(solver, hand.goal, name) for name in wanted])
    assert hand.score() == 1
    hand.scripted(lambda solver: press(solver, hand.goal, wanted[0]))
    assert hand.score() == 0


def test_an_agreement_is_not_signed_without_scrolling() -> None:
    hand = Hand("sign-agreement#1/hard")
    assert not hand.window("dialog").widget("accept").enabled
    for widget in ("accept", "ok", "accept", "ok"):
        hand.scripted(lambda solver, name=widget: solver.click("dialog", name))
    assert hand.desktop.state.window("dialog") is not None and hand.score() == 0


def test_a_wizard_finished_with_a_page_left_out_does_not_count() -> None:
    hand = Hand("form-wizard#2/hard")
    hand.scripted(lambda solver: [solver.click("dialog", "next") for _ in range(3)])
    hand.scripted(lambda solver: solver.click("dialog", "finish"))
    assert hand.score() == 0


def test_a_line_more_in_a_note_does_not_count_but_its_last_line_end_does_no_harm() -> None:
    for text, right in (("{}\n", 1), ("\n{}", 0), ("{}\n\n", 0), ("{} ", 0)):
        hand = Hand("multi-line-note#2")
        written = text.replace("{}", hand.goal["after"])
        hand.scripted(lambda solver, written=written: retype(solver, "dialog", "text", written))
        hand.scripted(lambda solver: solver.click("dialog", "ok"))
        assert hand.score() == right, text


def test_values_copied_from_another_window_do_not_count() -> None:
    hand = Hand("copy-between-windows#3/hard")
    goal = hand.goal
    other = next(name for name in goal["sources"] if name != goal["source"])
    hand.scripted(lambda solver: records.CopyBetweenWindows().solve(solver, goal | {"source": other}))
    assert hand.score() == 0


# -------------------------------------------------------------------------------------------------------------- words


@pytest.mark.parametrize(
    "hour, minute, said",
    [(0, 0, "twelve o'clock at night"), (12, 30, "half past twelve in the afternoon"), (16, 45, "a quarter to five in the afternoon"),
     (23, 45, "a quarter to twelve at night"), (11, 45, "a quarter to twelve in the morning"), (19, 15, "a quarter past seven in the evening")],
)  # fmt: skip
def test_times_are_said_as_people_say_them(hour: int, minute: int, said: str) -> None:
    assert time_in_words(hour, minute) == said


def test_each_quarter_of_an_hour_is_said_in_its_own_words() -> None:
    assert len({time_in_words(hour, minute) for hour in range(24) for minute in (0, 15, 30, 45)}) == 96


@pytest.mark.parametrize(
    "way, text, changed",
    [("reverse", "Opal 12", "21 lapO"), ("initials", "amber Cedar 90", "aC9"), ("swap", "a b 1", "1 b a"), ("digits", "a1 b2", "12"),
     ("letters", "raven opal 77", "raven opal"), ("dashes", "a b c", "a-b-c"), ("join", "a b", "ab"),
     ("upper", "Opal", "OPAL"), ("lower", "OpaL", "opal")],
)  # fmt: skip
def test_how_texts_are_changed(way: str, text: str, changed: str) -> None:
    assert CHANGES[way][0](text) == changed


@pytest.mark.parametrize("language", LANGUAGES)
def test_fields_that_stand_together_are_called_differently(language: str) -> None:
    for names in (records.FIELDS, date_fields.NAMES, numbers.COUNTS, numbers.ITEMS, pages._COMMANDS):
        shown = [labels_of(language)[name].casefold() for name in names]
        assert len(set(shown)) == len(shown), language


# ------------------------------------------------------------------------------------------------------------- layout


def parts(window: Window) -> list:
    return window.parts if isinstance(window, Form | Wizard) else window.widgets


@pytest.mark.parametrize("size", [(1280, 720), (560, 360), (300, 190)])
@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_cut_off_in_any_language(language: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "_LANGUAGES", {language: 1.0})
    desktop, seen, rng = SimDesktop(*size), 0, np.random.default_rng(5)
    for family in (*FORMS, *OTHERS):
        for level in ("easy", "hard"):
            desktop.reset(SUITE.get(f"{family}#{int(rng.integers(1000))}/{level}"), 0)
            look = desktop.session.look
            for window in (w for w in desktop.state.windows if not w.id.startswith("editor")):
                for widget in parts(window):
                    wide, name = look.sans.width(widget.name), (family, window.id, widget.id, widget.name)
                    assert widget.w > 0 and widget.x >= 0 and widget.x + widget.w <= window.w, name
                    assert isinstance(window, Form) or widget.y + widget.h <= window.h, name
                    if isinstance(widget, Label) and widget.h < 2 * look.sans.height and not isinstance(window, Wizard):
                        assert wide <= widget.w, name
                    elif isinstance(widget, CheckBox):
                        assert wide <= widget.w - look.size.font - 2 - look.size.gap, name
                    elif isinstance(widget, Button):
                        assert wide <= widget.w - 4, name
                    seen += 1
    assert seen > 200
