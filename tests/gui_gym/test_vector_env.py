"""The batched env does what Gymnasium's vector envs over the same envs do: frames, rewards, ends, and infos to the dtype."""

import copy
import threading
import warnings

import fake_desktop
import gymnasium as gym
import numpy as np
import pytest
from fake_desktop import TARGET
from gymnasium.vector import AutoresetMode

from gui_gym import Action, DesktopError
from gui_gym.spaces import to_element
from gui_gym.vector_env import GuiDesktopVectorEnv

FAKE = {"suite": "fake", "width": 48, "height": 32}
SIM = {"suite": "sim", "width": 320, "height": 240, "max_steps": 4}
MODES = list(AutoresetMode)


def batch(actions):
    """Elements as one element of the batched action space."""
    elements = [to_element(action) if isinstance(action, Action) else action for action in actions]
    return {name: tuple(e[name] for e in elements) if name == "text" else np.stack([e[name] for e in elements]) for name in elements[0]}


def same(a, b, where="infos"):
    """Equal values, types, dtypes and keys, all the way down."""
    assert type(a) is type(b), where
    if isinstance(a, dict):
        assert a.keys() == b.keys(), where
        for key in a:
            same(a[key], b[key], f"{where}[{key!r}]")
    elif isinstance(a, np.ndarray):
        assert a.dtype == b.dtype and a.shape == b.shape, where
        if a.dtype == object:
            for i, (x, y) in enumerate(zip(a.ravel(), b.ravel(), strict=True)):
                same(x, y, f"{where}[{i}]")
        else:
            assert np.array_equal(a, b), where
    else:
        assert a == b, where


def script(length=25, num_envs=3):
    """Actions that reach, end, fail, answer and blunder, at other times in each member."""
    rng = np.random.default_rng(0)
    palette = [Action.move(*TARGET), Action.move(3, 3), Action.done(), Action.fail(), Action.answer("x"), Action.wait_for(0), Action.type_text("é")]
    blunder = {**to_element(Action.move(0, 0)), "point": np.array([0, 10_000])}
    choices = [*palette, blunder, palette[0], palette[5]]
    return [[choices[rng.integers(len(choices))] for _ in range(num_envs)] for _ in range(length)]


def make(kind, mode, num_envs=3, **kwargs):
    if kind == "batched":
        return gym.make_vec("GuiDesktop-v0", num_envs, autoreset_mode=mode, **kwargs)
    vector_kwargs = {"autoreset_mode": mode}
    if kind != "sync":
        vector_kwargs["context"] = kind
    return gym.make_vec("FakeDesktop-v0", num_envs, "sync" if kind == "sync" else "async", vector_kwargs=vector_kwargs, **kwargs)


def play(vec, mode, actions):
    """Everything the vector env says in one run: two whole resets, a reset by mask where members are not reset by themselves."""
    said = [vec.reset(seed=5)]
    ended = np.zeros(vec.num_envs, bool)
    for each in actions:
        if mode is AutoresetMode.DISABLED and ended.any():
            said.append(vec.reset(options={"reset_mask": ended.copy()}))
        said.append(vec.step(batch(each)))
        ended = said[-1][2] | said[-1][3]
    said.append(vec.reset(seed=[1, 1, 2], options={"task": "say"} if vec.get_attr("suite")[0].name == "fake" else None))
    said.append(vec.step(batch(actions[0])))
    vec.close()
    return said


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
@pytest.mark.parametrize("kwargs", [FAKE, SIM], ids=["fake", "sim"])
def test_batched_is_sync(mode, kwargs):
    actions = script()
    batched, sync = (play(make(kind, mode, **kwargs), mode, actions) for kind in ("batched", "sync"))
    assert any(said[3].any() for said in batched if len(said) == 5) and any(said[2].any() for said in batched if len(said) == 5)
    for t, (a, b) in enumerate(zip(batched, sync, strict=True)):
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            same(x, y, f"call {t}, item {i}")


@pytest.mark.parametrize(("context", "mode"), [("fork", mode) for mode in MODES] + [("spawn", AutoresetMode.SAME_STEP)])
@pytest.mark.parametrize("kwargs", [FAKE, SIM], ids=["fake", "sim"])
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_async_agrees(context, mode, kwargs):
    actions = script(12)
    batched, apart = (play(make(kind, mode, **kwargs), mode, actions) for kind in ("batched", context))
    for t, (a, b) in enumerate(zip(batched, apart, strict=True)):
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            same(x, y, f"call {t}, item {i}")


@pytest.fixture
def vec():
    made = []

    def make(num_envs=3, **kwargs):
        made.append(GuiDesktopVectorEnv(num_envs, **{**FAKE, **kwargs}))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_make_vec_gives_it_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vec = gym.make_vec("GuiDesktop-v0", num_envs=2, **FAKE)
        assert isinstance(vec.unwrapped, GuiDesktopVectorEnv) and vec.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
        vec.close()


def test_same_seed_is_a_group(vec):
    frames, infos = vec().reset(seed=[11] * 3)
    assert np.array_equal(frames[0], frames[1]) and np.array_equal(frames[0], frames[2]) and len(set(infos["task_id"])) == 1


def test_one_seed_counts_up(vec):
    one, listed = vec().reset(seed=4), vec().reset(seed=[4, 5, 6])
    same(one[0], listed[0])
    same(one[1], listed[1])


@pytest.mark.parametrize("seed", [[1], [1, 2, 3, 4], []])
def test_a_wrong_number_of_seeds(vec, seed):
    with pytest.raises(ValueError, match="expected 3 seeds"):
        vec().reset(seed=seed)


class TestResetMask:
    def test_only_those_start_again_and_options_stay(self, vec):
        env = vec(autoreset_mode="Disabled")
        before, _ = env.reset(seed=0)
        stepped = env.step(batch([Action.move(n, n) for n in range(3)]))[0]
        options = {"reset_mask": np.array([True, False, True]), "task": "reach"}
        kept = {"reset_mask": options["reset_mask"].copy(), "task": "reach"}
        frames, infos = env.reset(seed=0, options=options)
        same(options, kept)
        assert np.array_equal(frames[1], stepped[1]) and list(infos["_step"]) == [True, False, True]

    @pytest.mark.parametrize("mask", [[True, True, True], np.ones(3), np.ones(2, bool), np.zeros(3, bool), 1, "yes", np.ones((3, 1), bool)], ids=repr)
    def test_bad_masks_change_nothing(self, vec, mask):
        env = vec()
        before = env.reset(seed=0)[1]["task_id"]
        with pytest.raises(ValueError, match="reset_mask"):
            env.reset(options={"reset_mask": mask})
        assert list(env.step(batch([Action.wait_for(0)] * 3))[4]["task_id"]) == list(before)

    def test_a_finished_member_must_be_reset(self, vec):
        env = vec(autoreset_mode="Disabled")
        env.reset(seed=0)
        env.step(batch([Action.done(), Action.wait_for(0), Action.wait_for(0)]))
        with pytest.raises(AssertionError, match=r"members \[0\] are at their end"):
            env.step(batch([Action.wait_for(0)] * 3))
        env.reset(options={"reset_mask": np.array([True, False, False])})
        assert list(env.step(batch([Action.wait_for(0)] * 3))[4]["step"]) == [1, 2, 2]


def test_each_member_can_have_a_task_of_its_own(vec):
    env = vec()
    env.set_attr("next_task", ["reach#1", "say#2", "hidden#3"])
    assert list(env.reset(seed=0)[1]["task_id"]) == ["reach#1", "say#2", "hidden#3"]
    assert all(each.startswith("reach#") for each in env.reset(seed=0)[1]["task_id"])


def test_a_held_member_waits(vec):
    env = vec(autoreset_mode="Disabled", max_steps=2)
    env.reset(seed=0)
    env.step(batch([Action.done(), Action.wait_for(0), Action.wait_for(0)]))
    env.set_attr("hold", [True, False, False])
    env.reset(options={"reset_mask": np.array([True, False, False])})
    _, _, terminations, truncations, infos = env.step(batch([Action.done()] * 3))
    assert list(terminations) == [False, True, True] and not truncations.any() and list(infos["step"]) == [0, 2, 2]


@pytest.mark.parametrize(("kwargs", "steps"), [({"max_steps": 2}, 2), ({"max_episode_steps": 2}, 2), ({"max_episode_steps": 3, "max_steps": 2}, 2)])
def test_the_smallest_limit_counts(vec, kwargs, steps):
    env = vec(**kwargs)
    env.reset(seed=0)
    ends = [env.step(batch([Action.move(*TARGET)] * 3)) for _ in range(steps)]
    assert [bool(end[3].all()) for end in ends] == [False] * (steps - 1) + [True]
    assert ends[-1][1].tolist() == [1.0] * 3 and ends[-1][4]["scored"].all()


def test_the_tasks_own_limit_counts_beside_a_larger_one(vec):
    env = vec(max_episode_steps=100)
    env.reset(seed=0)
    assert [bool(env.step(batch([Action.wait_for(0)] * 3))[3].all()) for _ in range(6)] == [False] * 5 + [True]


def test_frames_stay_as_they_were_handed_out(vec):
    env = vec(autoreset_mode="SameStep")
    frames = [env.reset(seed=0)[0]]
    finals = []
    for each in script(15):
        said = env.step(batch(each))
        frames.append(said[0])
        finals += [obs for obs in said[4].get("final_obs", []) if obs is not None]
    copies = [frame.copy() for frame in frames + finals]
    for each in script(5):
        env.step(batch(each))
    assert finals and all(map(np.array_equal, frames + finals, copies))


class TestInfrastructure:
    @pytest.mark.parametrize("task", ["perform", "screenshot", "verify", "buggy", "unverified"])
    def test_one_members_desktop_fails_alone(self, vec, task):
        env = vec()
        env.set_attr("next_task", ["reach#1", task, "reach#1"])
        env.reset(seed=0)
        env.step(batch([Action.move(*TARGET)] * 3))
        _, rewards, terminations, truncations, infos = env.step(batch([Action.done()] * 3))
        assert rewards[[0, 2]].tolist() == [1.0, 1.0] and terminations[[0, 2]].all()
        if task in ("perform", "screenshot"):  # it ended a step earlier: this one was its reset
            assert not truncations.any()
        else:
            assert truncations.tolist() == [False, True, False] and infos["scored"].tolist() == [True, False, True] and infos["unscored"][1]

    def test_an_episode_that_cannot_start_is_over(self, vec):
        env = vec()
        env.reset(seed=0)
        env.set_attr("next_task", ["reach#1", "reset", "reach#1"])
        frames, infos = env.reset()
        assert infos["end"].tolist() == ["", "infrastructure", ""] and not frames[1].any() and frames[0].any()
        assert env.step(batch([Action.wait_for(0)] * 3))[3].tolist() == [False, True, False]
        assert env.step(batch([Action.wait_for(0)] * 3))[4]["end"].tolist() == ["", "", ""]

    def test_nothing_works_at_all(self, vec):
        with pytest.raises(DesktopError, match="no reset"):
            vec(task="reset").reset(seed=0)


def test_call_and_attributes(vec):
    env = vec()
    env.reset(seed=[3] * 3)
    assert [len(solution) for solution in env.call("solution")] == [2, 2, 2]
    assert env.get_attr("split") == ("train",) * 3
    env.set_attr("split", "test")
    assert env.get_attr("split") == ("test",) * 3
    with pytest.raises(ValueError, match="expected 3 values"):
        env.set_attr("split", ["test"])


def test_render(vec):
    env = vec(render_mode="rgb_array")
    frames, _ = env.reset(seed=0)
    assert all(map(np.array_equal, env.render(), frames))


def test_close_frees_every_desktop():
    alive = len(fake_desktop.ALIVE)
    env = GuiDesktopVectorEnv(4, **FAKE)
    env.reset(seed=0)
    assert len(fake_desktop.ALIVE) == alive + 4
    env.close()
    env.close()
    assert len(fake_desktop.ALIVE) == alive


def test_real_desktops_are_stepped_side_by_side(vec, monkeypatch):
    monkeypatch.setattr(fake_desktop.FakeDesktop, "real", True)
    threads = set()
    perform = fake_desktop.FakeDesktop.perform

    def noting(self, action):
        threads.add(threading.get_ident())
        barrier.wait(timeout=20)  # passes only if all three are here at once
        perform(self, action)

    barrier = threading.Barrier(3)
    monkeypatch.setattr(fake_desktop.FakeDesktop, "perform", noting)
    env = vec()
    env.reset(seed=0)
    env.step(batch([Action.move(1, 1)] * 3))
    assert len(threads) == 3


class TestInfosAreGymnasiums:
    """``_batch`` gives what ``VectorEnv._add_info`` builds, whatever members say."""

    CASES = {
        "all alike": [{"n": i, "x": i / 2, "ok": i > 1, "text": "a" * i, "at": np.array([i, 2], np.int64), "none": None} for i in range(3)],
        "numpy numbers": [{"a": np.float32(i), "b": np.int8(i), "c": np.bool_(i)} for i in range(3)],
        "other keys": [{"a": 1, "b": "x"}, {"a": 2}, {"b": "y", "c": np.ones((2, 2))}],
        "nobody": [{}, {}, {}],
        "only the last": [{}, {}, {"a": 1.5, "b": [1, 2]}],
        "lists and enums": [{"a": [i, [i]], "mode": AutoresetMode.DISABLED, "pair": (i, "b")} for i in range(3)],
        "a final one": [
            {"n": 1},
            {"final_obs": np.ones(3, np.uint8), "final_info": {"n": 5, "text": "end", "deep": {"x": 1.0}}, "n": 2},
            {"n": 3},
        ],
        "final ones alone": [{"final_obs": np.full(3, i), "final_info": {"n": i}} for i in range(3)],
    }

    @pytest.mark.parametrize("case", CASES)
    def test_same_keys_masks_and_dtypes(self, vec, case):
        env, expected = vec(), {}
        for i, info in enumerate(self.CASES[case]):
            expected = env._add_info(expected, info, i)
        same(env._batch(self.CASES[case]), expected)

    def test_masks_and_arrays_are_nobody_elses(self, vec):
        env = vec()
        _, first = env.reset(seed=0)
        kept = {name: value.copy() for name, value in first.items()}
        for each in script(6):
            env.step(batch(each))
        same(first, kept)
        arrays = list(first.values())
        assert all(not np.shares_memory(a, b) for i, a in enumerate(arrays) for b in arrays[i + 1 :] if a.dtype != object and b.dtype != object)


@pytest.mark.parametrize("writable", [False, True])
def test_all_that_was_handed_out_stays(vec, writable):
    """Frames and infos of a long run, some held and some dropped at once, beside an env whose frames are all copied."""
    env = GuiDesktopVectorEnv(3, width=320, height=240, max_steps=7, autoreset_mode="SameStep", writable=writable)
    apart = make("sync", AutoresetMode.SAME_STEP, width=320, height=240, max_steps=7, suite="sim")
    rng, held = np.random.default_rng(1), []
    env.reset(seed=3)
    apart.reset(seed=3)
    for each in script(60):
        frames, *_, infos = env.step(batch(each))
        assert frames.flags.writeable is writable and np.array_equal(frames, apart.step(batch(each))[0])
        if rng.random() < 0.5:
            part = frames[int(rng.integers(3))]
            held.append((part, part.copy(), infos, copy.deepcopy(infos)))
        if len(held) > 6:
            del held[int(rng.integers(len(held)))]
        if writable:
            frames[rng.integers(3)] = 0  # the holder may write where he likes
            held = [(part, part.copy(), *rest) for part, _, *rest in held]
        for part, pixels, said, then in held:
            assert np.array_equal(part, pixels)
            same(said, then)
    env.close()
    apart.close()


def test_frames_are_right_after_others_have_drawn(vec):
    """A screenshot or a step outside the vector env does not leave the next frames stale."""
    env = GuiDesktopVectorEnv(2, width=640, height=400)
    env.reset(seed=0)
    for i in range(6):
        held = [env.step(batch([Action.move(30 * i, 9), Action.wait_for(60)]))[0]]
        env.envs[0].desktop.perform(Action.click(200, 150 + 20 * i))
        assert env.envs[0].desktop.screenshot().any()
        env.envs[1].step(to_element(Action.move(300, 30 * i)))
        held.append(env.step(batch([Action.wait_for(0)] * 2))[0])
        assert all(np.array_equal(held[1][k], env.envs[k].desktop.screenshot()) for k in range(2))
    env.close()
