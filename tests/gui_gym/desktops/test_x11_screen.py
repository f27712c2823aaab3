"""The screen of a real desktop: pixels, pointer, settling, windows."""

from __future__ import annotations

import time

import numpy as np
import pytest
from x11_helpers import EMPTY, eventually

from gui_gym import Action, Button, Key, Modifier

#: A program that draws without end.
BLINK = b"""
import ctypes, time
x = ctypes.CDLL("libX11.so.6")
x.XOpenDisplay.restype = ctypes.c_void_p
display = ctypes.c_void_p(x.XOpenDisplay(None))
root = ctypes.c_ulong(x.XDefaultRootWindow(display))
for i in range(10**9):
    x.XSetWindowBackground(display, root, ctypes.c_ulong(i & 255))
    x.XClearWindow(display, root)
    x.XFlush(display)
    time.sleep(0.004)
"""

#: A program that sends the root window an event of each kind the server knows, with random content; it prints how many.
EVENTS = b"""
import ctypes, os
x = ctypes.CDLL("libX11.so.6")
x.XOpenDisplay.restype = ctypes.c_void_p
display = ctypes.c_void_p(x.XOpenDisplay(None))
root = ctypes.c_ulong(x.XDefaultRootWindow(display))
ignore = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda *_: 0)
x.XSetErrorHandler(ignore)
sent = 0
def convert(display, event, wire):
    ctypes.memmove(wire, bytes([kind]) + os.urandom(31), 32)
    return 1
put = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(convert)
x.XESetEventToWire.restype = ctypes.c_void_p
for kind in range(2, 128):
    if kind != 35:
        x.XESetEventToWire(display, kind, put)
        event = (ctypes.c_long * 24)(kind)
        for mask in (1 << 17, 1 << 19):
            sent += x.XSendEvent(display, root, 0, ctypes.c_long(mask), event)
x.XSync(display, 0)
print(sent)
"""


def test_a_reset_shows_an_empty_desktop_with_a_pointer(x11):
    frame = x11.screenshot()
    assert frame.shape == (600, 800, 3) and frame.dtype == np.uint8
    colours, counts = np.unique(frame.reshape(-1, 3), axis=0, return_counts=True)
    assert tuple(colours[counts.argmax()]) == (0x3B, 0x5F, 0x7F), "the background, in RGB order"
    assert 1 < len(colours), "the pointer"
    assert x11.cursor == (400, 300)


def test_a_screenshot_goes_into_the_array_it_is_given_and_else_into_a_new_one(x11):
    out = np.zeros((600, 800, 3), np.uint8)
    assert x11.screenshot(out) is out
    first = x11.screenshot()
    assert np.array_equal(first, out) and first is not x11.screenshot()
    batch = np.zeros((3, 600, 800, 3), np.uint8)
    x11.screenshot(batch[1])
    assert np.array_equal(batch[1], out) and not batch[0].any() and not batch[2].any()


def test_pixels_equal_those_the_server_gives_by_its_protocol(x11):
    from gui_gym.desktops.x11.display import xproto

    x11.write_file("~/a.txt", "grün & <blau> 漢\n".encode() * 20)
    x11.launch(["mousepad", "a.txt"])
    x11.wait_for_window("a.txt")
    frame = x11.screenshot()
    display = x11._live.display
    reply = display.x.core.GetImage(xproto.ImageFormat.ZPixmap, display.root, 0, 0, 800, 600, 0xFFFFFFFF).reply()
    direct = np.frombuffer(bytes(reply.data.buf()), np.uint8).reshape(600, 800, 4)[..., 2::-1]
    different = (direct != frame).any(-1)
    x, y = x11.cursor
    different[max(0, y - 32) : y + 32, max(0, x - 32) : x + 32] = False  # the protocol leaves the pointer out
    assert not different.any()


@pytest.mark.parametrize("point", [(0, 0), (799, 0), (0, 599), (799, 599), (123, 45)])
def test_the_pointer_is_where_it_was_put_and_drawn_there(x11, point):
    x11.perform(Action.move(300, 300))
    before = x11.screenshot()
    x11.perform(Action.move(*point))
    after = x11.screenshot()
    assert x11.cursor == point
    ys, xs = np.nonzero((before != after).any(-1))
    near = (abs(xs - point[0]) < 40) & (abs(ys - point[1]) < 40)
    assert near.any()
    assert xs[near].min() <= point[0] <= xs[near].max() and ys[near].min() <= point[1] <= ys[near].max(), "its hotspot"


def cursor_image(x11) -> tuple[np.ndarray, tuple[int, int]]:
    """What the X server says of the pointer's picture: ``(height, width, 4)`` RGBA with colours times alpha, and its hotspot."""
    xfixes = pytest.importorskip("xcffib.xfixes")
    extension = x11._live.display.x(xfixes.key)
    extension.QueryVersion(4, 0).reply()
    image = extension.GetCursorImage().reply()
    pixels = np.array(list(image.cursor_image), "<u4").view(np.uint8).reshape(image.height, image.width, 4)
    return pixels[..., [2, 1, 0, 3]], (image.xhot, image.yhot)


def test_the_pointers_picture_is_drawn_with_its_hotspot_at_the_point_and_nothing_else_changes(x11):
    x11.write_file("text.txt", b"words " * 5000)
    x11.launch(["mousepad", "text.txt"])
    x, y, width, height = x11.wait_for_window("text.txt").bounds
    seen = set()
    for point in ((30, 30), (x + width // 2, y + height // 2)):  # over the background and over text, where it is another
        x11.perform(Action.move(*point))
        shown, (picture, hot) = x11.screenshot().astype(int), cursor_image(x11)
        x11.perform(Action.move(790, 300))
        without = x11.screenshot().astype(int)
        left, top = point[0] - hot[0], point[1] - hot[1]
        area = np.s_[top : top + picture.shape[0], left : left + picture.shape[1]]
        expected = without.copy()
        expected[area] = picture[..., :3] + without[area] * (255 - picture[..., 3:].astype(int)) / 255
        expected[:, 750:] = shown[:, 750:]  # where it went meanwhile
        assert abs(expected - shown).max() <= 2
        assert abs(without[area] - shown[area]).max() > 50, "it is seen"
        seen.add((picture.shape, hot))
    assert len(seen) == 2, "an arrow and a text cursor"


def test_a_screenshot_is_never_older_than_the_action(x11):
    """Every menu, dialog and line is complete in the first frame after the action that brought it."""
    x11.launch(["mousepad"])
    x, y, width, height = x11.wait_for_window("mousepad").bounds
    actions = [
        Action.click(x + 20, y + 12),
        Action.press("escape"),
        Action.type_text("line\n" * 60),
        Action.scroll_by(x + width // 2, y + height // 2, dy=-10),
        Action.press("f", Modifier.CTRL),
        Action.click(x + width // 2, y + height // 2, clicks=3),
        Action.drag(x + width // 2, y - 8, x + width // 2 + 50, y + 30),
        Action.click(x + width // 2 + 50, y + height // 2, Button.RIGHT),
    ]
    for action in actions:
        x11.perform(action)
        first = x11.screenshot()
        time.sleep(0.3)
        later = x11.screenshot()
        assert np.array_equal(first, later), f"{action}: {(first != later).any(-1).sum()} pixels came later"


def test_timing_says_what_was_waited_for(x11):
    x11.perform(Action.move(1, 1))
    x11.screenshot()
    timing = x11.timing()
    assert set(timing) == {"settled", "settle", "ping", "quiet", "settle_limit", "screenshot"}
    assert all(isinstance(seconds, float) for seconds in timing.values())
    assert 0 <= timing["ping"] <= timing["ping"] + timing["quiet"] <= timing["settle"] < timing["settle_limit"] == 2.0
    assert timing["settled"] == 1.0 and timing["quiet"] > 0


def test_a_screen_that_never_rests_is_shown_at_the_limit(x11, monkeypatch):
    from gui_gym.desktops.x11 import display

    monkeypatch.setattr(display, "QUIET", 0.5)  # on a busy machine no program draws all the time
    x11.write_file("blink.py", BLINK)
    before = x11.screenshot()
    x11.launch(["python3", "blink.py"])
    assert eventually(lambda: not np.array_equal(x11.screenshot(), before))
    x11.perform(Action.move(4, 4))
    assert x11.timing()["settle"] >= x11.timing()["settle_limit"] == 2.0 and x11.timing()["settled"] == 0.0
    assert x11.screenshot().any()
    x11.run(["pkill", "-f", "blink"])
    x11.perform(Action.move(5, 5))
    assert x11.timing()["settle"] < 2.0 and x11.timing()["settled"] == 1.0


def test_a_program_that_hangs_is_waited_for_once(x11):
    x11.launch(["mousepad"])
    window = x11.wait_for_window("mousepad")
    x11.run(["pkill", "-STOP", "mousepad"])
    x11.perform(Action.press("a"))
    assert x11.timing()["settle"] >= 2.0 and x11.timing()["settled"] == 0.0
    x11.perform(Action.press("b"))
    assert x11.timing()["settle"] < 2.0 and x11.timing()["settled"] == 1.0
    x11.run(["pkill", "-CONT", "mousepad"])
    assert window.id in [w.id for w in x11.windows()]
    assert eventually(lambda: x11._live.display.rest(0.05) or x11._live.display._deaf == set()), "it answers again, so it is asked again"


def test_work_that_draws_nothing_is_waited_for(x11):
    """A program that works on in short spells, as GTK's file dialog does after Enter."""
    x11.launch(["bash", "-c", "for i in 1 2 3 4 5; do sleep 0.25; done; echo saved > out.txt"])
    x11.wait_until_idle()
    assert x11.read_file("out.txt") == b"saved\n"


def test_what_never_rests_is_waited_for_within_a_bound(x11):
    x11.launch(["bash", "-c", "while :; do :; done"])
    assert 0.5 <= x11._live.session.wait_until_idle(quiet=0.2, limit=0.5) < 30
    x11.run(["pkill", "bash"])
    x11._live.session.wait_until_idle(quiet=0.2, limit=30)
    assert x11.healthy()


def test_events_that_programs_make_up_do_no_harm(x11):
    """Any program can send the root window, which we listen at, an event of any kind."""
    x11.write_file("events.py", EVENTS)
    done = x11.run(["python3", "events.py"])
    assert done.returncode == 0 and int(done.stdout) > 60, done
    x11.perform(Action.move(7, 7))
    assert x11.healthy() and x11.cursor == (7, 7)


def test_it_works_where_a_thousand_files_are_open(x11):
    import os
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2048:
        pytest.skip(f"this machine allows {hard} open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (2048, hard))
    null = os.open("/dev/null", os.O_RDONLY)
    held = [os.dup(null) for _ in range(1100)]
    try:
        x11.reset(EMPTY, 0)
        x11.perform(Action.move(9, 9))
        assert x11.run(["true"]).returncode == 0 and x11.screenshot().any()
    finally:
        for fd in [null, *held]:
            os.close(fd)
        x11.reset(EMPTY, 0)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_window_that_is_activated_has_the_focus(x11):
    assert x11.windows() == []
    x11.launch(["mousepad"])
    first = x11.wait_for_window("Mousepad")
    assert first.wm_class == "mousepad.Mousepad" and first.bounds[2] > 100
    x11.launch(["l3afpad"])
    second = x11.wait_for_window("l3afpad", by_class=True)
    assert x11._live.display.active() == second.id
    x11.activate_window("mousepad")
    assert x11._live.display.active() == first.id


def test_the_window_manager_moves_maximises_and_restores(x11):
    x11.launch(["l3afpad"])
    x, y, width, height = x11.wait_for_window().bounds
    x11.perform(Action.drag(x + width // 2, y - 8, x + width // 2 - 40, y + 22))
    moved = x11.windows()[0].bounds
    assert (moved[0] - x, moved[1] - y) == (-40, 30)
    x11.perform(Action.click(moved[0] + width // 2, moved[1] - 8, clicks=2))
    assert x11.windows()[0].bounds[2] > 780, "a double click on the title maximises"
    x11.perform(Action.press(Key.F4, Modifier.ALT))
    assert x11.windows() == []


@pytest.mark.parametrize("size", [(16, 16), (333, 217), (1920, 1080)])
def test_screens_of_any_size(require_x11, size):
    from gui_gym.desktops.x11 import X11Desktop

    desktop = X11Desktop(*size)
    try:
        desktop.reset(EMPTY, 0)
        desktop.perform(Action.move(size[0] - 1, size[1] - 1))
        assert desktop.screenshot().shape == (size[1], size[0], 3)
        assert desktop.cursor == (size[0] - 1, size[1] - 1)
    finally:
        desktop.close()


def test_what_a_program_shows_while_it_starts_is_no_window_of_it(x11):
    x11.launch(["xev"])
    x11.wait_for_window("Event Tester")
    kind = "_NET_WM_WINDOW_TYPE"
    assert x11.run(["xprop", "-name", "Event Tester", "-f", kind, "32a", "-set", kind, f"{kind}_SPLASH"]).returncode == 0
    assert x11.windows() == []
