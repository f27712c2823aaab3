"""Whatever is done to the simulated desktop, nothing is raised and every invariant holds."""

import json
import pickle

import numpy as np
import pytest

from gui_gym.actions import KEY_CHARACTER, TERMINAL, Action, ActionType, Button, Key, Modifier
from gui_gym.desktops.sim import SimDesktop
from gui_gym.desktops.sim.apps import APPS, launch
from gui_gym.desktops.sim.icons import icon_rects
from gui_gym.desktops.sim.menus import chain
from gui_gym.desktops.sim.shell import bar_rects
from gui_gym.desktops.sim.widgets.text import TextField
from gui_gym.env import GuiDesktopEnv
from gui_gym.spaces import to_element
from gui_gym.tasks import Task
from gui_gym.tasks.sim import FAMILIES, SimSuite

KINDS = [kind for kind in ActionType if kind not in TERMINAL]
TEXTS = ["a", "it's", "x" * 300, "naïve 日本語 😀", "\n", "\t \n\t", "\ud800", "\x00\x7f", "", "a\r\nb", " ", "<>&\\"]


def random_action(rng: np.random.Generator, desktop: SimDesktop) -> Action:
    """Any action, with a liking for points where there is something to hit."""

    def point() -> tuple[int, int]:
        state = desktop.state
        if rng.random() < 0.8 and state.windows:
            window = state.windows[int(rng.integers(len(state.windows)))]
            rects = [window.rect_of(w) for w in window.widgets] + [desktop.session.title_rect(window)]
            rects += [rect for _, rect in desktop.session.title_buttons(window) + bar_rects(desktop.session)]
            rects += [(window.x - 3, window.y + window.h - 3, 6, 6), (window.x + window.w - 3, window.y - 3, 6, window.h + 6)]
            rects += [rect for _, rect in icon_rects(desktop.session)]
            if state.popup:
                rects = [(*popup.rect,) for popup in chain(state.popup)]
            x, y, w, h = rects[int(rng.integers(len(rects)))]
            x, y = x + int(rng.integers(max(1, w))), y + int(rng.integers(max(1, h)))
            return min(max(x, 0), desktop.width - 1), min(max(y, 0), desktop.height - 1)
        return int(rng.integers(desktop.width)), int(rng.integers(desktop.height))

    modifiers = tuple(m for m in Modifier if rng.random() < 0.2)
    return Action(
        KINDS[int(rng.integers(len(KINDS)))],
        point=point(),
        to=point(),
        button=Button(int(rng.integers(3)) if rng.random() < 0.4 else 0),
        clicks=int(rng.integers(1, 4)),
        scroll=(int(rng.integers(-20, 21)), int(rng.integers(-20, 21))),
        key=Key(int(rng.integers(len(Key)))),
        modifiers=modifiers,
        wait=int(rng.integers(61)),
        text=TEXTS[int(rng.integers(len(TEXTS)))],
    ).check(desktop.width, desktop.height)


def redrawn(desktop: SimDesktop) -> np.ndarray:
    """The screen of the same state, drawn from nothing."""
    other = SimDesktop(desktop.width, desktop.height)
    other.restore(desktop.snapshot())
    return other.screenshot()


def exercise(rng: np.random.Generator, desktop: SimDesktop, steps: int) -> None:
    """Random actions, after each of which every invariant holds."""
    for step in range(steps):
        action = random_action(rng, desktop)
        desktop.perform(action)
        frame = desktop.screenshot()
        assert frame.shape == (desktop.height, desktop.width, 3)
        assert 0 <= desktop.cursor[0] < desktop.width and 0 <= desktop.cursor[1] < desktop.height
        if step % 4 == 0:
            assert np.array_equal(frame, redrawn(desktop)), f"after {action}: what was redrawn is not what has changed"
    json.dumps(desktop.accessibility_tree())
    pickle.loads(desktop.snapshot())


@pytest.mark.parametrize("family", FAMILIES.names())
def test_random_actions_keep_every_invariant(family: str) -> None:
    """Half of the families on a small screen, as far as they fit there."""
    number = FAMILIES.names().index(family)
    small = number % 2 and FAMILIES.get(family).min_size <= (320, 200)
    desktop = SimDesktop(*((320, 200) if small else (640, 400)))
    desktop.reset(SimSuite().get(f"{family}#0"), 0)
    exercise(np.random.default_rng([7, number]), desktop, 32)


@pytest.mark.parametrize("app", APPS)
def test_random_actions_on_every_program(app: str) -> None:
    """With files to work on, menus opened by keys, and a second program beside it."""
    rng = np.random.default_rng(len(app))
    desktop = SimDesktop(640, 400)
    desktop.reset(Task(id="none", suite="sim", instruction="-"), 0)
    for name in ("a.txt", "b.csv", "sub/c.md"):
        desktop.state.files[f"/home/user/Documents/{name}"] = "1,two\nthree,4\n" * 9
        desktop.state.files[f"/home/user/Desktop/{name}"] = name
    for each in ("files", app):
        launch(desktop.session, each)
        desktop.perform(Action.press(Key.F10))
        exercise(rng, desktop, 60)


@pytest.mark.parametrize("size", [(128, 96), (320, 200), (640, 400), (1280, 720)])
def test_long_random_episodes_through_the_env(size: tuple[int, int]) -> None:
    """Half of the actions are drawn from the action space, half where there is something to hit."""
    rng, env = np.random.default_rng(11), GuiDesktopEnv(width=size[0], height=size[1], max_steps=1000)
    env.action_space.seed(3)
    for episode in range(3):
        env.reset(seed=episode)
        assert isinstance(env.desktop, SimDesktop)
        for step in range(200):
            element = env.action_space.sample()
            element["type"] = np.int64(KINDS[int(rng.integers(len(KINDS)))])
            if rng.random() < 0.5:
                element = to_element(random_action(rng, env.desktop))
            frame, reward, terminated, truncated, info = env.step(element)
            assert frame in env.observation_space and info["action_error"] == ""
            assert (reward, terminated, truncated) == (0.0, False, False)
            if step % 50 == 49:
                assert np.array_equal(frame, redrawn(env.desktop))
    env.close()


def test_every_key_alone_and_with_each_modifier_is_taken() -> None:
    desktop = SimDesktop(320, 200)
    desktop.reset(SimSuite().get("edit-and-save#1"), 0)
    for key in Key:
        for modifiers in [(), *((m,) for m in Modifier)]:
            desktop.perform(Action.press(key, *modifiers))
    assert len(KEY_CHARACTER) == 69
    desktop.screenshot()


def test_the_longest_text_is_taken() -> None:
    desktop = SimDesktop(320, 200)
    desktop.reset(SimSuite().get("enter-text#1"), 0)
    window = desktop.state.windows[-1]
    field = next(widget for widget in window.widgets if isinstance(widget, TextField))
    desktop.perform(Action.click(window.rect_of(field)[0] + 3, window.rect_of(field)[1] + 3))
    for _ in range(20):
        desktop.perform(Action.type_text("é" * 8192))
    assert 90_000 < len(field.value) <= 100_000
    assert np.array_equal(desktop.screenshot(), redrawn(desktop))
