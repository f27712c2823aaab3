"""The mouse of an X server."""

from __future__ import annotations

import time

from gui_gym.actions import Button
from gui_gym.desktops.x11.display import Display

_PRESS, _RELEASE, _MOTION = 4, 5, 6
_BUTTONS = {Button.LEFT: 1, Button.MIDDLE: 2, Button.RIGHT: 3}
_WHEEL_UP, _WHEEL_DOWN, _WHEEL_LEFT, _WHEEL_RIGHT = 4, 5, 6, 7
#: Two clicks nearer than this, in seconds and pixels, are a double click to one of the toolkits (GTK and Qt 0.4 s, Chromium 0.5 s).
_DOUBLE_CLICK_SECONDS, _DOUBLE_CLICK_PIXELS = 0.5, 8
_BETWEEN_CLICKS = 0.005  # seconds: two presses of one millisecond are no double click to GTK
_STEP_PIXELS, _MIN_STEPS, _MAX_STEPS = 16, 4, 24  # of the way of a drag
_PACE = 0.006  # seconds between them: programs that follow a drag want to see it move


class Mouse:
    """The mouse of the X server of ``display``."""

    def __init__(self, display: Display):
        self._display = display
        self._held: set[int] = set()
        self._last_click = (0.0, 0, 0, Button.LEFT)

    def move(self, x: int, y: int) -> None:
        """Put the pointer at ``(x, y)``: in one jump, or along a line while a button is held."""
        if self._held:
            self._glide(x, y)
        else:
            self._motion(x, y)
        self._display.sync()

    def click(self, x: int, y: int, button: Button, clicks: int) -> None:
        """Click ``clicks`` times at once. A click that would join an earlier one to a double click comes later."""
        when, last_x, last_y, last_button = self._last_click
        if button is last_button and max(abs(x - last_x), abs(y - last_y)) <= _DOUBLE_CLICK_PIXELS:
            time.sleep(max(0.0, when + _DOUBLE_CLICK_SECONDS - time.monotonic()))
        self.move(x, y)
        for count in range(clicks):
            if count:
                self._display.sync()
                time.sleep(_BETWEEN_CLICKS)
            self._fake(_PRESS, _BUTTONS[button])
            self._fake(_RELEASE, _BUTTONS[button])
        self._held.discard(_BUTTONS[button])
        self._display.sync()
        self._last_click = (time.monotonic(), x, y, button)

    def down(self, x: int, y: int, button: Button) -> None:
        self.move(x, y)
        self._fake(_PRESS, _BUTTONS[button])
        self._held.add(_BUTTONS[button])
        self._display.sync()

    def up(self, x: int, y: int, button: Button) -> None:
        self.move(x, y)
        if self._held:
            self._display.settle()  # a drag that has just begun follows only what comes after
            self._motion(x - 1 if x else x + 1, y)
            self._motion(x, y)
            self._display.settle()  # drop targets answer the motion first
        self._fake(_RELEASE, _BUTTONS[button])
        self._held.discard(_BUTTONS[button])
        self._display.sync()

    def drag(self, x: int, y: int, to_x: int, to_y: int, button: Button) -> None:
        self.down(x, y, button)
        self.up(to_x, to_y, button)

    def scroll(self, x: int, y: int, dx: int, dy: int) -> None:
        """Turn the wheel at ``(x, y)``: positive is right and down."""
        self.move(x, y)
        for amount, forward, back in ((dy, _WHEEL_DOWN, _WHEEL_UP), (dx, _WHEEL_RIGHT, _WHEEL_LEFT)):
            for _ in range(abs(amount)):
                self._fake(_PRESS, forward if amount > 0 else back)
                self._fake(_RELEASE, forward if amount > 0 else back)
        self._display.sync()

    def _glide(self, x: int, y: int) -> None:
        from_x, from_y, _ = self._display.pointer()
        steps = min(_MAX_STEPS, max(_MIN_STEPS, max(abs(x - from_x), abs(y - from_y)) // _STEP_PIXELS))
        for i in range(1, steps + 1):
            self._motion(from_x + (x - from_x) * i // steps, from_y + (y - from_y) * i // steps)
            self._display.rest(_PACE)

    def _motion(self, x: int, y: int) -> None:
        self._display.xtest.FakeInput(_MOTION, 0, 0, self._display.root, x, y, 0)

    def _fake(self, kind: int, button: int) -> None:
        self._display.xtest.FakeInput(kind, button, 0, 0, 0, 0, 0)
