"""Mouse and keyboard of a real desktop: what arrives is what was meant."""

from __future__ import annotations

import re

import pytest
from x11_helpers import EMPTY, eventually

from gui_gym import Action, ActionError, ActionType, Button, Key, Modifier

ASCII = "".join(map(chr, range(0x20, 0x7F)))
CTRL, SHIFT, ALT, META = Modifier


@pytest.fixture
def editor(x11):
    """The desktop with an empty editor; ``saved()`` gives the text it has saved."""
    x11.write_file("~/text.txt", b"")
    x11.launch(["mousepad", "text.txt"])
    x11.wait_for_window("text.txt")

    def saved() -> str:
        x11.perform(Action.press("s", CTRL))
        assert eventually(lambda: not x11.windows()[0].title.startswith("*")), "the title's star is for text that is not saved"
        return x11.read_file("text.txt").decode()

    x11.saved = saved
    return x11


@pytest.fixture
def events(x11, monkeypatch):
    """The desktop with a window that writes down every event it gets; ``seen()`` gives those since the last call, decoded."""
    from gui_gym.desktops.x11 import display

    monkeypatch.setattr(display, "QUIET_UNPINGED", 0.005)
    x11.launch(["bash", "-c", "exec stdbuf -oL xev -geometry 600x400+50+50 -event keyboard -event mouse > events.txt"])
    window = x11.wait_for_window("Event Tester", timeout=10)
    x11.perform(Action.move(window.bounds[0] + 100, window.bounds[1] + 100))
    x11.origin = window.bounds[:2]
    taken = 0

    def seen() -> list[tuple[str, int, object, tuple[int, int]]]:
        nonlocal taken
        x11.perform(Action.press(Key.F12))  # once its release is written, so is all before
        text = ""

        def read() -> bool:
            nonlocal text
            text = x11.read_file("events.txt").decode()[taken:]
            return re.search(r"KeyRelease event(?:(?!\n\n).)*keysym 0xffc9(?:(?!\n\n).)*XFilterEvent returns: \w+\n", text, re.DOTALL) is not None

        assert eventually(read)
        taken += len(text)
        new = [block.strip() for block in text.split("\n\n") if "keysym 0xffc9" not in block]
        found = []
        for block in new:
            head = re.match(r"(KeyPress|KeyRelease|ButtonPress|ButtonRelease|MotionNotify) event", block)
            if head:
                state = int(re.search(r"state (0x[0-9a-f]+)", block)[1], 16)
                point = tuple(map(int, re.search(r"root:\((\d+),(\d+)\)", block).groups()))
                what = re.search(r"button (\d+)", block) or re.search(r"keysym (0x[0-9a-f]+)", block)
                found.append((head[1], state, int(what[1], 0) if what else None, point))
        return found

    seen()
    x11.seen = seen
    return x11


def test_every_ascii_character_and_more_is_typed_exactly(editor):
    text = ASCII + '\né 漢 😀 € ñ Ω ß ı\tI\'m <b>"&"</b>\n' + ASCII[::-1] + "\n"
    editor.perform(Action.type_text(text))
    assert editor.saved() == text


@pytest.mark.parametrize("program", ["mousepad", "l3afpad"])
def test_500_characters_at_full_speed_are_all_there_in_order(x11, program):
    text = ("The quick brown fox: naïve – 日本語 <>&\"' 0123456789 " * 12)[:499] + "\n"
    x11.write_file("~/text.txt", b"")
    x11.launch([program, "text.txt"])
    x11.wait_for_window("text.txt")
    x11.perform(Action.type_text(text))
    x11.perform(Action.press("s", CTRL))
    assert eventually(lambda: x11.read_file("text.txt").decode() == text), x11.read_file("text.txt").decode()


def test_more_different_characters_than_the_keyboard_has_spare_keys(editor):
    text = "".join(map(chr, range(0x4E00, 0x4E00 + 400))) + "\n" + "abc é 一 丁\n"
    editor.perform(Action.type_text(text))
    editor.perform(Action.type_text("丂 then 亀\n"))
    assert editor.saved() == text + "丂 then 亀\n"


def test_line_ends_and_editing_characters(editor):
    editor.perform(Action.type_text("a\r\nb\rcx\b\nd"))
    assert editor.saved().rstrip("\n") == "a\nb\nc\nd"


@pytest.mark.parametrize("text", ["ab\x00", "\x07", "\x85", "\ud800", "x\udfff"])
def test_what_no_keyboard_types_is_refused_before_the_first_key(editor, text):
    with pytest.raises(ActionError, match=r"U\+[0-9A-F]{4}"):
        editor.perform(Action.type_text("first" + text))
    assert editor.saved().rstrip("\n") == ""


def test_caps_lock_does_not_change_what_is_typed(editor):
    editor.perform(Action.press(Key.CAPS_LOCK))
    editor.perform(Action.type_text("Abc é"))
    editor.perform(Action.press(Key.A))
    assert editor.saved().rstrip("\n") == "Abc éA", "it still holds for single keys"


def test_every_key_has_its_keysym(events):
    from gui_gym.desktops.x11.keyboard import KEYSYMS

    assert set(KEYSYMS) == set(Key)
    keys = [key for key in Key if key is not Key.F12]
    for key in keys:
        events.perform(Action.press(key))
        if key in (Key.CAPS_LOCK, Key.NUM_LOCK):
            events.perform(Action.press(key))
    seen = [what for kind, _, what, _ in events.seen() if kind == "KeyPress" and what != 0xFFE1]
    assert seen == [KEYSYMS[k] for k in keys for _ in range(2 if k in (Key.CAPS_LOCK, Key.NUM_LOCK) else 1) if k is not Key.SHIFT]


@pytest.mark.parametrize("names", [("page_down", "PageDown", "pgdn", "Next"), ("cmd", "super", "win", "Meta_L"), ("ctrl", "Control_L", "control")])
def test_names_that_models_use_press_the_same_key(events, names):
    for name in names:
        events.perform(Action.press(name))
    assert len({what for kind, _, what, _ in events.seen() if kind == "KeyPress"}) == 1


def test_names_of_keys(events):
    names = {
        "Return": 0xFF0D,
        "KP_Enter": 0xFF0D,
        "ArrowLeft": 0xFF51,
        "esc": 0xFF1B,
        "super": 0xFFEB,
        "option": 0xFFE9,
        "space": 0x20,
        "BackSpace": 0xFF08,
    }
    for name in names:
        events.perform(Action.press(name))
    assert [what for kind, _, what, _ in events.seen() if kind == "KeyPress"] == list(names.values())
    with pytest.raises(ActionError, match="hyper_drive"):
        Action.press("hyper_drive")


def test_keys_that_are_held_count_for_clicks_and_drags(events):
    x, y = events.origin[0] + 40, events.origin[1] + 40
    for action in (Action.key_down(Key.CTRL), Action.key_down(Key.SHIFT), Action.click(x, y), Action.drag(x, y, x + 100, y), Action.key_up(Key.CTRL)):
        events.perform(action)
    events.perform(Action.click(x, y + 60))
    events.perform(Action.key_up(Key.SHIFT))
    events.perform(Action.click(x, y + 120))
    assert [state for kind, state, _, _ in events.seen() if kind == "ButtonPress"] == [5, 5, 1, 0]


def test_modifiers_are_held_for_keys_and_clicks_and_let_go(events):
    x, y = events.origin[0] + 30, events.origin[1] + 30
    letters = {ord("q"): "q", ord("Q"): "q", ord("w"): "w"}
    for modifiers, mask in (((), 0), ((CTRL,), 4), ((SHIFT,), 1), ((ALT,), 8), ((META,), 64), ((CTRL, SHIFT, ALT), 13)):
        clicks = META not in modifiers and ALT not in modifiers  # the window manager moves windows with alt and the mouse
        events.perform(Action.press("q", *modifiers))
        if clicks:
            events.perform(Action.click(x, y, Button.MIDDLE, modifiers=modifiers))
        events.perform(Action.press("w"))
        seen = events.seen()
        states = [(letters[what], state) for kind, state, what, _ in seen if kind == "KeyPress" and what in letters]
        assert states == [("q", mask), ("w", 0)]
        assert [event[1:] for event in seen if event[0] == "ButtonPress"] == ([(mask, 2, (x, y))] if clicks else [])


def test_clicks(events):
    for i, button in enumerate(Button):
        for clicks in (1, 2, 3):
            x, y = events.origin[0] + 100 + 100 * i, events.origin[1] + 100 * clicks
            events.perform(Action.click(x, y, button, clicks))
            pairs = [(kind, what, point) for kind, _, what, point in events.seen() if kind.startswith("Button")]
            assert pairs == [("ButtonPress", button + 1, (x, y)), ("ButtonRelease", button + 1, (x, y))] * clicks


def test_a_held_key_lasts_until_it_is_let_go_or_the_desktop_is_reset(events):
    events.perform(Action.key_down(Key.SHIFT))
    events.perform(Action.key_down(Key.SHIFT))
    events.perform(Action.press("q"))
    events.perform(Action.press("s", SHIFT))
    events.perform(Action.press("x"))
    events.perform(Action.key_up(Key.SHIFT))
    events.perform(Action.key_up(Key.SHIFT))
    events.perform(Action.press("w"))
    events.perform(Action.key_down(Key.A))
    seen = events.seen()
    keys = [(state, chr(what)) for kind, state, what, _ in seen if kind == "KeyPress" and what < 0x80]
    assert keys == [(1, "Q"), (1, "S"), (1, "X"), (0, "w"), (0, "a")], "no repeats"
    events.perform(Action.key_down(Key.CTRL))
    events.perform(Action.mouse_down(events.origin[0] + 9, events.origin[1] + 9))
    assert events._live.display.pointer()[2] & 0x104 == 0x104
    events.reset(EMPTY, 0)
    assert events._live.display.pointer()[2] == 0


def test_a_symbol_key_presses_the_shift_it_needs(events):
    events.perform(Action.press("+", CTRL))
    events.perform(Action.key_down(Key.LESS))
    events.perform(Action.key_up(Key.LESS))
    events.perform(Action.press("<", SHIFT))
    keys = [(kind, chr(what), state) for kind, state, what, _ in events.seen() if kind.startswith("Key") and what < 0x80]
    assert [k for k in keys if k[0] == "KeyPress"] == [("KeyPress", "+", 5), ("KeyPress", "<", 1), ("KeyPress", "<", 1)]
    assert events._live.display.pointer()[2] == 0


def test_a_drag_moves_on_the_way(events):
    x, y = events.origin[0] + 20, events.origin[1] + 20
    events.perform(Action.drag(x, y, x + 300, y + 200))
    seen = [event for event in events.seen() if event[0] != "MotionNotify" or event[1] & 0x100]
    assert seen[0] == ("ButtonPress", 0, 1, (x, y)) and seen[-1] == ("ButtonRelease", 0x100, 1, (x + 300, y + 200))
    way = [point for kind, _, _, point in seen if kind == "MotionNotify"]
    assert len(way) >= 10 and way[:-2] == sorted(way[:-2]) and way[-1] == (x + 300, y + 200)


def test_pressing_moving_and_letting_go_is_a_drag_as_well(events):
    x, y = events.origin[0] + 20, events.origin[1] + 20
    for action in (Action.mouse_down(x, y, Button.RIGHT), Action.move(x + 100, y), Action.mouse_up(x + 100, y + 100, Button.RIGHT)):
        events.perform(action)
    seen = [event for event in events.seen() if event[0] != "MotionNotify" or event[1] & 0x400]
    assert (seen[0][0], seen[0][2], seen[0][3]) == ("ButtonPress", 3, (x, y))
    assert (seen[-1][0], seen[-1][2], seen[-1][3]) == ("ButtonRelease", 3, (x + 100, y + 100))
    assert (x + 100, y) in [event[3] for event in seen]


def test_the_wheel_turns_on_both_axes(events):
    x, y = events.origin[0] + 50, events.origin[1] + 50
    for scroll, buttons in (((0, 3), [5] * 3), ((0, -2), [4] * 2), ((2, 0), [7] * 2), ((-1, 0), [6]), ((1, -1), [4, 7])):
        events.perform(Action.scroll_by(x, y, *scroll))
        assert [(what, point) for kind, _, what, point in events.seen() if kind == "ButtonPress"] == [(b, (x, y)) for b in buttons]


def test_two_clicks_at_one_place_are_no_double_click(editor):
    editor.perform(Action.type_text("one two three"))
    x, y, _, _ = editor.windows()[0].bounds
    row = y + 54 - 8  # in the first line of text
    for _ in range(2):
        editor.perform(Action.click(x + 12, row))
    editor.perform(Action.type_text("_"))
    assert "one" in editor.saved().replace("_", ""), "a double click would have selected the word and the text replaced it"
    editor.perform(Action.click(x + 12, row, clicks=2))
    editor.perform(Action.type_text("word"))
    assert editor.saved().split()[0] == "word" and "two three" in editor.saved()


def test_ends_of_episodes_are_no_input(x11):
    for action in (Action.done(), Action.fail(), Action.answer("x")):
        with pytest.raises(ValueError, match="ends an episode"):
            x11.perform(action)
    assert {a.type for a in (Action.done(), Action.fail(), Action.answer(""))} == {ActionType.DONE, ActionType.FAIL, ActionType.ANSWER}


@pytest.mark.parametrize("program", ["mousepad", "l3afpad"])
@pytest.mark.parametrize("enter", ["in the text", "as a key"])
def test_a_file_name_and_enter_save_a_new_file(x11, program, enter):
    """A dialog that still checks the name ignores Enter: it must come late enough, at full speed too."""
    x11.launch([program])
    x11.wait_for_window(program, by_class=True)
    x11.perform(Action.type_text("some text"))
    x11.perform(Action.press("s", CTRL))
    x11.perform(Action.type_text("/home/user/new.txt" + ("\n" if enter == "in the text" else "")))
    if enter == "as a key":
        x11.perform(Action.press(Key.ENTER))
    assert eventually(lambda: "new.txt" in x11.windows()[0].title, 10), x11.windows()
    assert x11.read_file("new.txt").decode().strip() == "some text"
