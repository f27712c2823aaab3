"""Using a window of the simulated desktop by mouse and keyboard, for tests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np

from gui_gym.actions import TERMINAL, Action, ActionType, Button, Key, Modifier
from gui_gym.desktops.sim import SimDesktop
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State, Window, key_of
from gui_gym.desktops.sim.widgets.choice import MenuBar

KINDS = [kind for kind in ActionType if kind not in TERMINAL]


class Driver:
    """A desktop with some files."""

    def __init__(self, width: int, height: int, files: Mapping[str, str]):
        self.desktop = SimDesktop(width, height)
        self.state.files.update(files)

    @property
    def session(self) -> Session:
        return self.desktop.session

    @property
    def state(self) -> State:
        return self.desktop.state

    @property
    def files(self) -> dict[str, str]:
        return self.state.files

    def act(self, action: Action) -> None:
        self.desktop.perform(action.check(self.desktop.width, self.desktop.height))

    def press(self, key: Key, *modifiers: Modifier) -> None:
        self.act(Action.press(key, *modifiers))

    def type(self, text: str) -> None:
        self.act(Action.type_text(text))

    def click(self, window: Window, widget: str, clicks: int = 1) -> None:
        x, y, w, h = window.rect_of(window.widget(widget))
        self.act(Action.click(x + w // 2, y + h // 2, clicks=clicks))

    def menu(self, window: Window, title: str, item: str) -> None:
        bar = window.widget("menu")
        assert isinstance(bar, MenuBar)
        x, y, w, h = dict(bar.titles(self.session.look))[title]
        left, top, _, _ = window.rect_of(bar)
        self.act(Action.click(left + x + w // 2, top + y + h // 2))
        self.choose(item)

    def choose(self, item: str) -> None:
        popup = self.state.popup
        assert popup is not None
        keys = [key_of(each) for each in popup.items]
        x, y, w, h = self.session.item_rects(popup)[keys.index(item)]
        self.act(Action.click(x + w // 2, y + h // 2))

    def unchanged_by_redrawing(self) -> bool:
        """Whether what was drawn bit by bit is what a fresh drawing of the state gives."""
        other = SimDesktop(self.desktop.width, self.desktop.height)
        other.restore(self.desktop.snapshot())
        return np.array_equal(self.desktop.screenshot(), other.screenshot())


def fuzz(driver: Driver, rng: np.random.Generator, steps: int, texts: Sequence[str]) -> None:
    """Random actions, mostly on the widgets of open windows: nothing may be raised, and only what changed is drawn again."""
    desktop = driver.desktop
    for step in range(steps):
        points = []
        for _ in range(2):
            rect = (0, 0, desktop.width, desktop.height)
            rects = [window.rect_of(widget) for window in driver.state.windows for widget in window.widgets]
            if driver.state.popup:
                x, y, w, h = driver.state.popup.rect
                rects = [(x, y, w, h)]
            if rects and rng.random() < 0.85:
                rect = rects[int(rng.integers(len(rects)))]
            x, y = rect[0] + int(rng.integers(max(1, rect[2]))), rect[1] + int(rng.integers(max(1, rect[3])))
            points.append((min(max(x, 0), desktop.width - 1), min(max(y, 0), desktop.height - 1)))
        kind = (
            [ActionType.TYPE, ActionType.KEY, ActionType.CLICK, ActionType.DRAG][step % 8] if step % 8 < 4 else KINDS[int(rng.integers(len(KINDS)))]
        )
        action = Action(
            kind,
            point=points[0],
            to=points[1],
            button=Button(int(rng.integers(3)) if rng.random() < 0.3 else 0),
            clicks=int(rng.integers(1, 4)),
            scroll=(int(rng.integers(-20, 21)), int(rng.integers(-20, 21))),
            key=Key(int(rng.integers(len(Key)))),
            modifiers=tuple(m for m in Modifier if rng.random() < 0.2),
            text=texts[int(rng.integers(len(texts)))],
        )
        driver.act(action)
        desktop.screenshot()
        if step % 5 == 0:
            assert driver.unchanged_by_redrawing(), f"after {action}: what was redrawn is not what has changed"
    json.dumps(desktop.accessibility_tree())
