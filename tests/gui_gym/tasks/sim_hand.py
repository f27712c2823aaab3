"""A user of simulated tasks, for tests of what their verifiers accept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Self

from gui_gym.actions import Action, ActionType, Button, Key, Modifier
from gui_gym.desktops.sim import SimDesktop
from gui_gym.desktops.sim.icons import icon_rects
from gui_gym.desktops.sim.state import Window
from gui_gym.tasks.sim import SimSuite, Solver
from gui_gym.verifiers import EndReason, Outcome, verify

SUITE = SimSuite()
#: The families of plain things, whose instances are also done and undone in other ways than the script does.
PLAIN_FAMILIES = [
    "check-boxes", "choose-menu", "choose-one", "click-button", "click-colour", "close-window", "copy-text", "delete-file", "edit-and-save",
    "enter-text", "fill-form", "move-window", "pick-from-list", "press-the-button", "read-code", "read-size", "rename-file", "set-slider",
]  # fmt: skip
FORMS = ["check-boxes", "choose-one", "enter-text", "fill-form", "set-slider", "copy-text", "pick-from-list"]
CTRL, SHIFT, ALT = Modifier.CTRL, Modifier.SHIFT, Modifier.ALT


class Hand:
    """A user of one task: acts on the desktop, and asks what it scores."""

    def __init__(self, task_id: str, size: tuple[int, int] = (1280, 720)):
        self.task, self.desktop = SUITE.get(task_id), SimDesktop(*size)
        self.desktop.reset(self.task, 0)
        self.goal = self.task.params["goal"]

    def __call__(self, *actions: Action) -> Self:
        for action in actions:
            self.desktop.perform(action.check(self.desktop.width, self.desktop.height))
        return self

    def solution(self) -> list[Action]:
        return SUITE.solution(self.task, self.desktop)

    def solve(self) -> str | None:
        """Do what the script does, and give its answer."""
        *actions, last = self.solution()
        self(*actions)
        return last.text if last.type is ActionType.ANSWER else None

    def score(self, answer: str | None = None) -> float | None:
        return verify(self.task, self.desktop, Outcome(EndReason.DONE, answer)).value

    @property
    def active(self) -> Window:
        window = self.desktop.session.active
        assert window is not None
        return window

    def window(self, window_id: str) -> Window:
        window = self.desktop.state.window(window_id)
        assert window is not None
        return window

    def press(self, key: Key, *modifiers: Modifier) -> Self:
        self(Action.press(key, *modifiers))
        return self

    def tab_to(self, widget: str) -> Self:
        """Give the keyboard to a widget of the active window by Tab."""
        for _ in range(20):
            if self.active.focus == widget:
                return self
            self.press(Key.TAB)
        raise AssertionError(f"{widget} cannot be reached by Tab")

    def scripted(self, act: Callable[[Solver], object]) -> Self:
        """What a script does from here, done."""
        solver = Solver(self.desktop.copy_state())
        act(solver)
        self(*solver.actions)
        return self

    def use(self, method: str, *args: Any, **keywords: Any) -> Self:
        """Do what a method of :class:`Solver` does from here: ``use("click", "dialog", "ok")``."""
        return self.scripted(lambda solver: getattr(solver, method)(*args, **keywords))

    def choose(self, item: str) -> Self:
        """Click an item of the open menu."""
        popup, session = self.desktop.state.popup, self.desktop.session
        assert popup is not None
        x, y, w, h = session.item_rects(popup)[popup.items.index(item)]
        self(Action.click(x + w // 2, y + h // 2))
        return self

    def row(self, name: str, button: Button = Button.LEFT, clicks: int = 1) -> Self:
        """Click a row of the file manager's list."""
        return self.scripted(lambda solver: solver.select_row("files", "files", name, clicks, button))

    def wallpaper(self) -> tuple[int, int]:
        """A pixel where there is nothing."""
        session = self.desktop.session
        for x in range(session.state.width - 3, 0, -7):
            if session.window_at(x, 5) is None and all(not r[0] <= x < r[0] + r[2] for _, r in icon_rects(session)):
                return x, 5
        raise AssertionError("no free spot")


def each(families: Iterable[str], seeds: int = 6) -> Iterable[Hand]:
    for family in families:
        for seed in range(seeds):
            yield Hand(f"{family}#{seed}")
