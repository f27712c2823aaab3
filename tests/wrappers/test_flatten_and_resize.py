"""Simpler action spaces and smaller pictures: every element is a valid action, and points map as documented."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env

import gui_gym
from gui_gym import Action, ActionType, Button, Key, Modifier
from gui_gym.registry import UnknownNameError
from gui_gym.spaces import to_action
from wrappers.flatten import DEFAULT_KEYS, DiscreteActions, FlattenAction
from wrappers.resize import ResizeScreenshot

W, H = 640, 480
ALL = [t.name.lower() for t in ActionType if t not in (ActionType.KEY_DOWN, ActionType.KEY_UP)]
WRAPPERS: dict[str, Any] = {
    "flat": lambda env: FlattenAction(env),
    "flat-all": lambda env: FlattenAction(env, types=ALL, grid=None, texts=("", "it's 漢")),
    "discrete": lambda env: DiscreteActions(env, 8, keys=("ctrl+s", "+"), done=True),
    "resized": lambda env: ResizeScreenshot(env),
    "letterbox": lambda env: ResizeScreenshot(env, 64, 96, keep_aspect=True, grayscale=True),
    "both": lambda env: ResizeScreenshot(FlattenAction(env, grid=8)),
}


@pytest.fixture
def env() -> Iterator[Any]:
    made = gym.make("GuiDesktop-v0", width=W, height=H)
    yield made
    made.close()


@pytest.mark.parametrize("name", ["none", *WRAPPERS])
def test_check_env_passes_without_a_warning(env: Any, name: str) -> None:
    wrapped = env if name == "none" else WRAPPERS[name](env)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*is different from the unwrapped version.*")  # it is meant to be wrapped
        check_env(wrapped if name != "none" else env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("name", WRAPPERS)
def test_a_whole_episode_without_a_warning_of_the_passive_checker(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = WRAPPERS[name](gym.make("GuiDesktop-v0", width=W, height=H, max_steps=8))
        env.action_space.seed(0)
        for seed in (0, 1):
            observation, _ = env.reset(seed=seed)
            over = False
            while not over:
                assert observation in env.observation_space
                observation, _, terminated, truncated, info = env.step(env.action_space.sample())
                assert info["action_error"] == ""  # all that these spaces hold can be done
                over = terminated or truncated
        env.close()


@pytest.mark.parametrize("name", WRAPPERS)
def test_samples_are_in_the_space_and_so_are_the_actions_they_stand_for(env: Any, name: str) -> None:
    wrapped = WRAPPERS[name](env)
    wrapped.action_space.seed(1)
    inner = wrapped.env if name == "both" else wrapped
    for _ in range(1000):
        sample = wrapped.action_space.sample()
        assert sample in wrapped.action_space
        if name not in ("resized", "letterbox"):
            assert inner.action(sample) in env.action_space
    for _ in range(10):
        assert wrapped.observation_space.sample() in wrapped.observation_space


@pytest.mark.parametrize("name", WRAPPERS)
def test_a_wrapped_env_is_made_again_from_its_spec(env: Any, name: str) -> None:
    wrapped = WRAPPERS[name](env)
    spec = EnvSpec.from_json(json.loads(json.dumps(wrapped.spec.to_json())))
    again = gym.make(spec)
    assert again.action_space == wrapped.action_space and again.observation_space == wrapped.observation_space
    again.close()


def test_factors_are_those_the_types_use(env: Any) -> None:
    flat = FlattenAction(env)
    assert flat.factors == {"type": 5, "x": 16, "y": 16, "to_x": 16, "to_y": 16, "button": 3, "clicks": 3, "scroll": 4, "key": len(DEFAULT_KEYS)}
    assert FlattenAction(env, types=("click",), grid=None).factors == {"type": 1, "x": W, "y": H, "button": 3, "clicks": 3}
    assert FlattenAction(env, types=("wait", "done")).factors == {"type": 2}


def test_flat_numbers_mean_what_is_documented(env: Any) -> None:
    flat = FlattenAction(env, types=("click", "drag", "scroll", "key", "type", "wait"), grid=8, keys=("enter", "ctrl++"), texts=("a", "it's"))
    names = list(flat.factors)

    def act(**given: int) -> Action:
        return to_action(flat.action(np.array([given.get(name, 0) for name in names])), W, H)

    assert act(x=0, y=7, button=2, clicks=1) == Action.click(40, 450, Button.RIGHT, 2)
    assert act(type=1, x=1, to_x=2, to_y=3) == Action.drag(120, 30, 200, 210)
    assert [act(type=2, scroll=i).scroll for i in range(4)] == [(0, -3), (0, 3), (-3, 0), (3, 0)]
    assert act(type=3, key=1) == Action.press(Key.PLUS, Modifier.CTRL)
    assert act(type=4, text=1, x=3) == Action.type_text("it's")
    assert act(type=5) == Action.wait_for(1)


def test_discrete_numbers_mean_what_is_documented(env: Any) -> None:
    discrete = DiscreteActions(env, 4, keys=("tab",), done=True)
    assert discrete.action_space.n == 18
    assert to_action(discrete.action(np.int64(6)), W, H) == Action.click(400, 180)
    assert to_action(discrete.action(np.int64(16)), W, H) == Action.press(Key.TAB)
    assert to_action(discrete.action(np.int64(17)), W, H) == Action.done()


def test_wrong_arguments(env: Any) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'click'"):
        FlattenAction(env, types=("clik",))
    with pytest.raises(ValueError, match="texts for 'type'"):
        FlattenAction(env, types=("type",))
    with pytest.raises(gui_gym.ActionError, match="did you mean enter"):
        FlattenAction(env, keys=("entr",))
    with pytest.raises(ValueError, match="inside any other"):
        FlattenAction(DiscreteActions(env))
    with pytest.raises(ValueError, match="uint8"):
        ResizeScreenshot(gym.make("CartPole-v1"))
    with pytest.raises(ValueError, match="1x1"):
        ResizeScreenshot(env, 0, 5)


@pytest.mark.parametrize("grid", [0, -1, 10**6])
def test_a_grid_of_no_size_is_refused(env: Any, grid: int) -> None:
    for wrapper in (FlattenAction, DiscreteActions):
        with pytest.raises(ValueError, match=f"grid is {grid}: expected 1 to"):
            wrapper(env, grid=grid)


@pytest.mark.parametrize("name, value", [("types", "click"), ("keys", "enter"), ("texts", "hello")])
def test_a_lone_text_is_no_list_of_its_letters(env: Any, name: str, value: str) -> None:
    with pytest.raises(ValueError, match=rf"{name} is '{value}': expected a list, such as \['{value}'\]"):
        FlattenAction(env, **{name: value})
    with pytest.raises(ValueError, match="keys is 'enter'"):
        DiscreteActions(env, keys="enter")


@pytest.mark.parametrize("action", [np.array([99] * 9), np.array([0.5] * 9), np.array([0]), 3])
def test_elements_of_another_space_are_refused(env: Any, action: Any) -> None:
    flat = FlattenAction(env)
    flat.reset(seed=0)
    with pytest.raises(ValueError, match="expected an element"):
        flat.step(action)
    with pytest.raises(ValueError, match=r"expected 0\.\.99"):
        DiscreteActions(env).action(np.int64(100))


@pytest.mark.parametrize("size", [(84, 84), (320, 240), (1000, 700), (7, 400)])
@pytest.mark.parametrize("keep", [False, True])
def test_points_of_the_small_picture_map_to_what_it_shows_there(env: Any, size: tuple[int, int], keep: bool) -> None:
    small = ResizeScreenshot(env, *size, keep_aspect=keep)
    for x in range(0, small.inner[0], max(1, small.inner[0] // 20)):
        for y in range(0, small.inner[1], max(1, small.inner[1] // 20)):
            px, py = small.to_screen(x, y)
            assert 0 <= px < W and 0 <= py < H
            assert abs((px + 0.5) / W - (x + 0.5) / small.inner[0]) <= 0.5 / W + 1e-9
            if small.inner[0] <= W and small.inner[1] <= H:
                assert small.from_screen(px, py) == (x, y)
    assert small.to_screen(small.inner[0] - 1, small.inner[1] - 1) <= (W - 1, H - 1)
    for point in ((-1, 0), (small.inner[0], 0), (0, small.inner[1])):
        with pytest.raises(ValueError, match="expected 0 <= x"):
            small.to_screen(*point)
    with pytest.raises(ValueError, match="outside the screen"):
        small.from_screen(W, 0)


@pytest.mark.parametrize("keep", [False, True])
def test_a_click_found_in_the_small_picture_hits_its_target(env: Any, keep: bool) -> None:
    small = ResizeScreenshot(env, 128, 128, keep_aspect=keep)
    screen = np.zeros((H, W, 3), np.uint8)
    screen[300:330, 500:540] = 255  # the target
    picture = small.observation(screen)
    ys, xs = np.nonzero(picture[..., 0] > 200)
    assert len(xs)
    px, py = small.to_screen(int(xs[len(xs) // 2]), int(ys[len(ys) // 2]))
    assert 500 <= px < 540 and 300 <= py < 330


def test_letterbox_keeps_the_aspect_and_fills_with_black(env: Any) -> None:
    small = ResizeScreenshot(env, 64, 96, keep_aspect=True, grayscale=True)
    picture = small.observation(np.full((H, W, 3), 200, np.uint8))
    assert small.inner == (64, 48) and picture.shape == (96, 64, 1)
    assert (picture[:48] == 200).all() and not picture[48:].any()


def test_the_actions_of_a_resized_env_stay_in_pixels_of_the_screen(env: Any) -> None:
    small = ResizeScreenshot(env)
    assert small.action_space == env.action_space
    small.reset(seed=0)
    for action in env.unwrapped.solution():
        _, reward, terminated, _, _ = small.step(action)
    assert terminated and reward == 1.0
