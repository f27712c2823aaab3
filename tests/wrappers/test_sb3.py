"""Stable-Baselines3 on the wrapped env, in its own vector envs and in Gymnasium's through GymVecEnv."""

from __future__ import annotations

import builtins
import sys
import warnings
from collections.abc import Iterator
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
import pytest

from gui_gym import Action, DesktopError, register_desktop
from gui_gym.desktops.sim import SimDesktop
from wrappers.flatten import DiscreteActions, FlattenAction
from wrappers.resize import ResizeScreenshot

pytest.importorskip("stable_baselines3")

import torch
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv, VecMonitor

from wrappers.sb3 import GymVecEnv

KWARGS: dict[str, Any] = {"width": 640, "height": 480, "max_steps": 4}


def flat(env: gym.Env[Any, Any]) -> gym.Env[Any, Any]:
    return FlattenAction(env, grid=8)


def small(env: gym.Env[Any, Any]) -> gym.Env[Any, Any]:
    return ResizeScreenshot(env, 48, 48)


def make_one() -> gym.Env[Any, Any]:
    return Monitor(small(flat(gym.make("GuiDesktop-v0", **KWARGS))))


def make_gym(n: int = 2, mode: str = "sync", **kwargs: Any) -> GymVecEnv:
    vector_kwargs: dict[str, Any] = {"autoreset_mode": "SameStep"}
    if mode == "async-pipe":
        mode, vector_kwargs["shared_memory"] = "async", False
    vector = gym.make_vec("GuiDesktop-v0", n, vectorization_mode=mode, vector_kwargs=vector_kwargs, wrappers=[flat, small], **{**KWARGS, **kwargs})
    return GymVecEnv(vector)


VECS: dict[str, Any] = {
    "dummy": lambda: DummyVecEnv([make_one] * 2),
    "subproc": lambda: SubprocVecEnv([make_one] * 2, start_method="fork"),
    "gym-sync": lambda: VecMonitor(make_gym()),
    "gym-async": lambda: VecMonitor(make_gym(mode="async")),
}


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize("wrap", [lambda env: flat(env), lambda env: DiscreteActions(env), lambda env: small(flat(env))])
def test_check_env_of_sb3_passes_without_a_warning(wrap: Any) -> None:
    env = wrap(gym.make("GuiDesktop-v0", **KWARGS))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env, skip_render_check=True)
    env.close()


@pytest.mark.parametrize("kind", VECS)
def test_ppo_learns_a_little_everywhere_without_a_warning(kind: str) -> None:
    venv: VecEnv = VECS[kind]()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = PPO("CnnPolicy", venv, n_steps=8, batch_size=8, n_epochs=1, seed=0, device="cpu")
            before = [p.clone() for p in model.policy.parameters()]
            model.learn(32)
        assert model.num_timesteps == 32
        assert any(not torch.equal(a, b) for a, b in zip(before, model.policy.parameters(), strict=True))
        lengths = [episode["l"] for episode in model.ep_info_buffer]
        assert lengths and max(lengths) <= 4
    finally:
        venv.close()


def test_dqn_takes_the_discrete_space() -> None:
    env = Monitor(small(DiscreteActions(gym.make("GuiDesktop-v0", **KWARGS), 6)))
    model = DQN("CnnPolicy", env, buffer_size=64, learning_starts=8, batch_size=8, seed=0, device="cpu")
    model.learn(16)
    assert model.num_timesteps == 16
    env.close()


@pytest.mark.parametrize("mode", ["sync", "async", "async-pipe"])
def test_steps_equal_those_of_sb3s_own_vector_env(mode: str) -> None:
    ours, theirs = make_gym(mode=mode), DummyVecEnv([lambda: small(flat(gym.make("GuiDesktop-v0", **KWARGS)))] * 2)
    ours.seed(3)
    theirs.seed(3)
    try:
        assert np.array_equal(ours.reset(), theirs.reset())
        assert [i["task_id"] for i in ours.reset_infos] == [i["task_id"] for i in theirs.reset_infos]
        space = ours.action_space
        space.seed(0)
        ends = 0
        for _ in range(20):
            actions = np.array([space.sample() for _ in range(2)])
            (a, ra, da, ia), (b, rb, db, ib) = ours.step(actions), theirs.step(actions)
            assert np.array_equal(a, b) and np.array_equal(ra, rb) and np.array_equal(da, db)
            assert ra.dtype == rb.dtype and da.dtype == db.dtype
            for i in range(2):
                ends += int(da[i])
                assert set(ia[i]) - {"is_success"} >= set(ib[i]) - {"TimeLimit.truncated"}
                assert ia[i]["step"] == ib[i]["step"] and ia[i]["score"] == ib[i]["score"]
                assert ia[i].get("TimeLimit.truncated", False) == ib[i]["TimeLimit.truncated"]
                if da[i]:
                    assert np.array_equal(ia[i]["terminal_observation"], ib[i]["terminal_observation"])
                    assert not np.array_equal(ia[i]["terminal_observation"], a[i])  # the next episode's first is another
                    assert ours.reset_infos[i]["task_id"] == theirs.reset_infos[i]["task_id"]
        assert ends >= 4
    finally:
        ours.close()
        theirs.close()


def test_an_end_tells_success_and_its_own_observation() -> None:
    venv = make_gym(2, max_steps=1)
    venv.seed(0)
    first = venv.reset()
    done = list(FlattenAction(gym.make("GuiDesktop-v0", **KWARGS), grid=8).types).index(Action.done().type)
    action = np.zeros((2, len(venv.action_space.nvec)), np.int64)
    action[:, 0] = [done, done - 1]
    observation, _, dones, infos = venv.step(action)
    assert dones.all() and [i["TimeLimit.truncated"] for i in infos] == [False, True]
    assert [i["is_success"] for i in infos] == [False, False] and [i["step"] for i in infos] == [1, 1]
    assert np.array_equal(infos[0]["terminal_observation"], first[0]) and not np.array_equal(observation[0], first[0])
    venv.close()


class Dying(SimDesktop):
    """Fails at every action."""

    calls: ClassVar[int] = 0

    def perform(self, action: Action) -> None:
        raise DesktopError("gone")


register_desktop("sb3-dying", Dying)


def test_an_unscored_end_is_a_truncation_and_no_success() -> None:
    venv = make_gym(1, desktop="sb3-dying")
    venv.reset()
    _, rewards, dones, infos = venv.step(np.zeros((1, len(venv.action_space.nvec)), np.int64))
    assert dones[0] and infos[0]["TimeLimit.truncated"] and "is_success" not in infos[0]
    assert not infos[0]["scored"] and "gone" in infos[0]["unscored"] and rewards[0] == 0.0
    venv.close()


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_attributes_methods_and_wrappers_can_be_asked_for(mode: str) -> None:
    venv = make_gym(3, mode=mode)
    try:
        venv.reset()
        assert venv.get_attr("width") == [640] * 3 and venv.get_attr("width", 1) == [640] and venv.get_attr("width", [0, 2]) == [640] * 2
        venv.set_attr("hold", True, indices=1)
        assert venv.get_attr("hold") == [False, True, False]
        venv.set_attr("hold", False)
        assert venv.get_attr("hold") == [False] * 3
        assert all(len(s) for s in venv.env_method("solution"))
        if mode == "sync":
            assert len(venv.env_method("solution", indices=[1])) == 1
        else:
            with pytest.raises(NotImplementedError, match="pass no indices"):
                venv.env_method("solution", indices=[1])
        assert venv.env_is_wrapped(ResizeScreenshot) == [True] * 3 and venv.env_is_wrapped(Monitor, [0]) == [False]
    finally:
        venv.close()


def test_images_are_rendered() -> None:
    venv = make_gym(2, render_mode="rgb_array")
    venv.reset()
    assert venv.render_mode == "rgb_array" and [image.shape for image in venv.get_images()] == [(480, 640, 3)] * 2
    venv.close()


def test_another_autoreset_mode_is_refused() -> None:
    vector = gym.make_vec("GuiDesktop-v0", 1, **KWARGS)
    with pytest.raises(ValueError, match="autoreset_mode='SameStep'"):
        GymVecEnv(vector)
    vector.close()


def test_options_are_refused() -> None:
    venv = make_gym(1)
    venv.set_options({"task": "a"})
    with pytest.raises(ValueError, match="as an argument"):
        venv.reset()
    venv.close()


def test_a_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("stable_baselines3"):
            raise ModuleNotFoundError("No module named 'stable_baselines3'", name="stable_baselines3")
        return real(name, *args, **kwargs)

    monkeypatch.delitem(sys.modules, "wrappers.sb3")
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "gui-gym\[sb3\]"'):
        import wrappers.sb3  # noqa: F401


def test_one_env_is_no_vector_env() -> None:
    env = gym.make("GuiDesktop-v0", width=112, height=112)
    with pytest.raises(TypeError, match="expected a vector env, as gym.make_vec makes it"):
        GymVecEnv(env)  # type: ignore[arg-type]
    env.close()


def test_frames_of_the_batched_env_may_be_written_into_and_become_tensors_without_a_warning() -> None:
    one, other = (GymVecEnv(gym.make_vec("GuiDesktop-v0", 2, autoreset_mode="SameStep", width=320, height=200)) for _ in range(2))
    for env in (one, other):
        env.seed(3)
    frames, same = one.reset(), other.reset()
    for _ in range(6):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            torch.as_tensor(frames).zero_()
        actions = one.vector.action_space.sample()
        for env in (one, other):
            env.step_async(actions)
        frames, same = one.step_wait()[0], other.step_wait()[0]
        assert np.array_equal(frames, same)
    one.close()
    other.close()
