"""A desktop for tests, on which every action is checked to have redrawn all that it changed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from gui_gym.actions import TERMINAL, Action, ActionType, Button, Key, Modifier
from gui_gym.desktops.sim import SimDesktop, Window
from gui_gym.desktops.sim.apps import launch
from gui_gym.desktops.sim.canvas import Rect
from gui_gym.desktops.sim.session import Session
from gui_gym.desktops.sim.state import State
from gui_gym.desktops.sim.widgets.base import Widget
from gui_gym.tasks import Task

DOCUMENTS = "/home/user/Documents"
KINDS = [kind for kind in ActionType if kind not in TERMINAL]


class Rig:
    """A blank desktop with files, and short ways to act on it."""

    def __init__(self, files: dict[str, str] | None = None, size: tuple[int, int] = (640, 400), **settings: Any):
        self.desktop, self._other = SimDesktop(*size), SimDesktop(*size)
        self.desktop.reset(Task(id="none", suite="sim", instruction="-"), 0)
        self.state.files.update(files or {})
        for name, value in settings.items():
            self.session.change_setting(name, value)

    @property
    def session(self) -> Session:
        return self.desktop.session

    @property
    def state(self) -> State:
        return self.desktop.state

    @property
    def files(self) -> dict[str, str]:
        return self.state.files

    @property
    def active(self) -> Window:
        window = self.session.active
        assert window is not None
        return window

    @property
    def order(self) -> list[str]:
        return [window.id for window in self.session.shown]

    def launch(self, app: str, path: str = "") -> Any:
        window = launch(self.session, app, path)
        self.check()
        return window

    def do(self, *actions: Action) -> Rig:
        for action in actions:
            self.desktop.perform(action.check(self.desktop.width, self.desktop.height))
            self.check(action)
        return self

    def check(self, action: Action | None = None) -> None:
        """What was redrawn is all that has changed, and the state and the tree are plain data."""
        frame = self.desktop.screenshot()
        self._other.restore(self.desktop.snapshot())
        differs = np.argwhere((frame != self._other.screenshot()).any(axis=2))
        assert not len(differs), f"after {action}: rows {differs[:, 0].min()}-{differs[:, 0].max()} are not what they should be"
        json.dumps(self.desktop.accessibility_tree())

    def at(self, rect: Rect) -> tuple[int, int]:
        return rect[0] + rect[2] // 2, rect[1] + rect[3] // 2

    def click(self, target: Rect | str | Widget, window: Window | None = None, **more: Any) -> Rig:
        """Click the middle of a rectangle, or of a widget of the active window."""
        if not isinstance(target, tuple):
            window = window or self.active
            target = window.rect_of(window.widget(target) if isinstance(target, str) else target)
        return self.do(Action.click(*self.at(target), **more))

    def right(self, target: Rect | str, window: Window | None = None) -> Rig:
        return self.click(target, window, button=Button.RIGHT)

    def press(self, key: Key | str, *modifiers: Modifier) -> Rig:
        return self.do(Action.press(key, *modifiers))

    def type(self, text: str) -> Rig:
        return self.do(Action.type_text(text))

    def choose(self, *path: str) -> Rig:
        """Click items of the open menu and of its submenus."""
        popup = self.state.popup
        for key in path:
            assert popup is not None, f"no menu has {key!r}"
            items = [item if isinstance(item, str) else item[0] for item in popup.items]
            self.click(self.session.item_rects(popup)[items.index(key)])
            popup = popup.child
        return self

    def menu(self, bar: str, title: str, *path: str) -> Rig:
        """Open a menu of a menu bar of the active window, and choose an item."""
        x, y, _, _ = self.active.rect_of(self.active.widget(bar))
        left, top, w, h = dict(self.active.widget(bar).titles(self.session.look))[title]  # type: ignore[attr-defined]
        return self.click((x + left, y + top, w, h)).choose(*path)

    def row(self, name: str, window: Window | None = None, **more: Any) -> Rig:
        """Click the row of that name in the list "files" of the active window."""
        return self.click(self.row_rect(name, window), **more)

    def row_rect(self, name: str, window: Window | None = None) -> Rect:
        window = window or self.active
        view = window.widget("files")
        place = view.row_rect(self.session.look, [row[0] for row in view.rows].index(name))  # type: ignore[attr-defined]
        assert place is not None, f"{name} is out of view"
        x, y, _, _ = window.rect_of(view)
        return x + place[0], y + place[1], place[2], place[3]

    def nodes(self, role: str) -> list[dict[str, Any]]:
        """All nodes of the accessibility tree of a role."""
        found, left = [], [self.desktop.accessibility_tree()]
        while left:
            node = left.pop(0)
            found += [node] if node["role"] == role else []
            left += node["children"]
        return found

    def node(self, role: str, name: str) -> dict[str, Any]:
        return next(node for node in self.nodes(role) if node["name"] == name)


def fuzz(rig: Rig, rng: np.random.Generator, steps: int, texts: Sequence[str]) -> None:
    """Random actions, mostly on the widgets of open windows: nothing may be raised, and only what changed is drawn again."""
    desktop = rig.desktop
    for step in range(steps):
        points = []
        for _ in range(2):
            rect = (0, 0, desktop.width, desktop.height)
            rects = [window.rect_of(widget) for window in rig.state.windows for widget in window.widgets]
            if rig.state.popup:
                x, y, w, h = rig.state.popup.rect
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
        desktop.perform(action.check(desktop.width, desktop.height))
        desktop.screenshot()
        if step % 5 == 0:
            rig.check(action)
    rig.check()
