"""The env's own logic, on a desktop whose faults the task chooses (fake_desktop.py)."""

import json
import pickle
import types
import warnings

import fake_desktop
import gymnasium as gym
import numpy as np
import pytest
from fake_desktop import FAULTS, TARGET
from gymnasium.utils.env_checker import check_env

from gui_gym import Action, ActionType, DesktopError, Task
from gui_gym.actions import FIELDS
from gui_gym.env import GuiDesktopEnv
from gui_gym.registry import UnknownNameError
from gui_gym.spaces import to_element

SIZE = {"width": 48, "height": 32}


@pytest.fixture
def make():
    made = []

    def make(task=None, **kwargs):
        made.append(GuiDesktopEnv(suite="fake", task=task, **SIZE, **kwargs))
        return made[-1]

    yield make
    for env in made:
        env.close()


def do(env, action):
    """Step with ``action``; check what holds at every step; return what changed hands."""
    frame, reward, terminated, truncated, info = env.step(to_element(action) if isinstance(action, Action) else action)
    assert frame in env.observation_space
    assert isinstance(reward, float) and type(terminated) is bool and type(truncated) is bool
    assert not (terminated and truncated)
    assert bool(info["end"]) == (terminated or truncated)
    assert info["scored"] or info["score"] == 0.0
    assert reward == (info["score"] if info["scored"] else 0.0)
    assert bool(info["unscored"]) == (bool(info["end"]) and not info["scored"])
    kinds = {name: type(value) for name, value in info.items()}
    expected = dict.fromkeys(("instruction", "task_id", "suite", "action_error", "end", "answer", "unscored"), str)
    assert kinds == {
        **expected,
        **dict.fromkeys(("feasible", "scored", "false_completion"), bool),
        **dict.fromkeys(("step", "side_effects"), int),
        "score": float,
        "cursor": np.ndarray,
    }
    return frame, reward, terminated, truncated, info


class TestEnds:
    def test_done_when_solved(self, make):
        env = make("reach")
        env.reset(seed=0)
        _, reward, terminated, truncated, info = do(env, Action.move(*TARGET))
        assert (reward, terminated, truncated, info["scored"]) == (0.0, False, False, False)
        _, reward, terminated, truncated, info = do(env, Action.done())
        assert (reward, terminated, truncated, info["score"], info["end"]) == (1.0, True, False, 1.0, "done")

    def test_done_when_not(self, make):
        env = make("reach")
        env.reset(seed=0)
        _, reward, terminated, _, info = do(env, Action.done())
        assert (reward, terminated, info["scored"], info["score"]) == (0.0, True, True, 0.0)

    @pytest.mark.parametrize(("task", "reward"), [("reach", 0.0), ("hidden", 1.0)])
    def test_fail(self, make, task, reward):
        env = make(task)
        _, info = env.reset(seed=0)
        assert info["feasible"] is (task == "reach")
        assert do(env, Action.fail())[1:4] == (reward, True, False)

    def test_answer(self, make):
        env = make("say")
        _, info = env.reset(seed=0)
        _, reward, terminated, _, after = do(env, Action.answer(info["task_id"]))
        assert (reward, terminated, after["answer"], after["end"]) == (1.0, True, info["task_id"], "done")
        assert env.reset(seed=0)[1]["answer"] == ""

    def test_the_tasks_own_limit_truncates_and_is_scored(self, make):
        env = make("reach")
        env.reset(seed=0)
        ends = [do(env, Action.move(*TARGET))[1:4] for _ in range(6)]
        assert ends == [(0.0, False, False)] * 5 + [(1.0, False, True)]

    @pytest.mark.parametrize("limit", [1, 3, 9])
    def test_max_steps_stands_in_for_it(self, make, limit):
        env = make("reach", max_steps=limit)
        env.reset(seed=0)
        assert [do(env, Action.wait_for(0))[3] for _ in range(limit)] == [False] * (limit - 1) + [True]

    @pytest.mark.parametrize("real", [True, False])
    def test_the_wall_clock_limits_real_desktops_only(self, make, monkeypatch, real):
        monkeypatch.setattr(fake_desktop.FakeDesktop, "real", real)
        now = iter(range(0, 1000, 10))
        monkeypatch.setattr("gui_gym.env.time", types.SimpleNamespace(monotonic=lambda: float(next(now))))
        env = make("reach", max_seconds=15)
        env.reset(seed=0)
        do(env, Action.move(*TARGET))
        _, reward, _, truncated, info = do(env, Action.wait_for(0))
        assert (reward, truncated, info["scored"]) == ((1.0, True, True) if real else (0.0, False, False))

    def test_done_on_the_last_step_is_done(self, make):
        env = make("reach", max_steps=1)
        env.reset(seed=0)
        assert do(env, Action.done())[1:4] == (0.0, True, False)

    def test_after_the_end_nothing_changes(self, make):
        env = make("reach")
        env.reset(seed=0)
        do(env, Action.move(*TARGET))
        frame, reward, terminated, truncated, info = do(env, Action.done())
        for action in (Action.move(1, 1), Action.fail(), Action.answer("x"), {"type": 999}):
            again, *later, after = do(env, action)
            assert np.array_equal(again, frame) and later == [reward, terminated, truncated]
            assert after.pop("action_error") == "the episode is over: call reset()"
            assert {k: str(v) for k, v in after.items()} == {k: str(v) for k, v in info.items() if k != "action_error"}

    def test_step_before_reset(self, make):
        env = make()
        with pytest.raises(gym.error.ResetNeeded):
            env.step(to_element(Action.done()))
        with pytest.raises(gym.error.ResetNeeded):
            env.solution()


class TestAutoVerify:
    def test_ends_when_solved(self, make):
        env = make("reach", auto_verify=True)
        env.reset(seed=0)
        assert do(env, Action.move(1, 1))[1:4] == (0.0, False, False)
        _, *end, info = do(env, Action.move(*TARGET))
        assert end == [1.0, True, False] and info["end"] == "done"

    def test_infeasible_tasks_still_need_the_agents_word(self, make):
        env = make("hidden", auto_verify=True)
        env.reset(seed=0)
        assert do(env, Action.move(*TARGET))[2:4] == (False, False)
        assert do(env, Action.fail())[1:3] == (1.0, True)

    def test_a_verifier_that_cannot_tell_does_not_end_it(self, make):
        env = make("verify", auto_verify=True, max_steps=2)
        env.reset(seed=0)
        assert do(env, Action.move(*TARGET))[2:4] == (False, False)
        _, reward, _, truncated, info = do(env, Action.wait_for(0))
        assert truncated and not info["scored"]

    def test_needs_a_verifier_that_changes_nothing(self, monkeypatch):
        monkeypatch.setattr(fake_desktop.FakeSuite, "pure_verifier", False)
        with pytest.raises(ValueError, match="auto_verify"):
            GuiDesktopEnv(suite="fake", auto_verify=True)


BAD = [
    {"type": 999}, {"type": -1}, {"type": float("nan")}, {"type": "CLICK"}, {"type": None}, {"point": (48, 0)}, {"point": (0, 32)},
    {"point": (-1, -1)}, {"point": (float("nan"), 1)}, {"point": (1.5, 1)}, {"point": "outside"},
    {"point": None}, {"point": (2**70, 1)}, {"point": np.array([1e300, 0])},
    {"button": 3}, {"button": "LEFT"}, {"clicks": 0}, {"clicks": 4}, {"clicks": True + 3}, {"modifiers": (2, 0, 0, 0)}, {"modifiers": "ctrl"},
]  # fmt: skip


class TestBadActions:
    @pytest.mark.parametrize("bad", BAD, ids=str)
    def test_change_nothing_and_say_why(self, make, bad):
        env = make("reach")
        before, first = env.reset(seed=0)
        after, *end, info = do(env, {**to_element(Action.click(1, 1)), **bad})
        assert end == [0.0, False, False] and info["action_error"] and info["step"] == 1
        assert np.array_equal(before, after) and list(info["cursor"]) == list(first["cursor"])
        assert env.desktop.done == []
        assert do(env, Action.click(1, 1))[4]["action_error"] == ""

    @pytest.mark.parametrize("kind", [kind for kind in ActionType if FIELDS[kind]])
    def test_missing_fields(self, make, kind):
        env = make("reach")
        env.reset(seed=0)
        info = do(env, {"type": int(kind)})[4]
        assert f"{kind.name} needs the field" in info["action_error"] and not info["end"]

    @pytest.mark.parametrize("bad", [None, 3, "click(1, 1)", [], np.zeros(3), {}], ids=str)
    def test_what_is_no_action_at_all(self, make, bad):
        env = make("reach")
        env.reset(seed=0)
        info = do(env, bad)[4]
        assert "keys of the action space" in info["action_error"] and not info["end"]

    def test_they_cost_a_step(self, make):
        env = make("reach", max_steps=2)
        env.reset(seed=0)
        assert [do(env, {"type": 999})[3] for _ in range(2)] == [False, True]

    def test_unused_fields_are_ignored(self, make):
        env = make("reach")
        env.reset(seed=0)
        env.action_space.seed(0)
        for _ in range(5):
            element = {**env.action_space.sample(), "type": int(ActionType.WAIT), "wait": 0, "point": None, "text": 3}
            assert do(env, element)[4]["action_error"] == ""
        assert env.desktop.done == [Action.wait_for(0)] * 5


class TestInfrastructure:
    """A desktop that fails is never the agent's fault: unscored, truncated, reward 0, and never a score of 0."""

    @pytest.mark.parametrize("task", ["perform", "screenshot", "cursor"])
    def test_in_a_step(self, make, task):
        env = make(task)
        env.reset(seed=0)
        frame, *end, info = do(env, Action.move(*TARGET))
        assert end == [0.0, False, True]
        assert (info["end"], info["scored"]) == ("infrastructure", False) and info["unscored"].startswith("infrastructure: no ")
        assert not frame.any()  # an old frame must not pass for a new one
        assert do(env, Action.done())[1:4] == (0.0, False, True)

    @pytest.mark.parametrize("task", ["verify", "buggy", "unverified", "unregistered"])
    @pytest.mark.parametrize("last", [Action.done(), Action.answer("x")])
    def test_in_the_verifier(self, make, task, last):
        env = make(task)
        env.reset(seed=0)
        _, *end, info = do(env, last)
        assert end == [0.0, False, True]
        assert (info["scored"], info["end"]) == (False, "done") and info["unscored"]

    def test_a_missing_output_is_a_zero(self, make):
        env = make("missing-file")
        env.reset(seed=0)
        _, *end, info = do(env, Action.done())
        assert end == [0.0, True, False] and info["scored"]

    def test_the_first_reset_raises(self, make):
        env = make("reset")
        with pytest.raises(DesktopError, match="no reset"):
            env.reset(seed=0)
        with pytest.raises(gym.error.ResetNeeded):
            env.step(to_element(Action.done()))

    def test_a_later_reset_is_an_unscored_episode(self, make):
        env = make()
        env.reset(seed=0)
        frame, info = env.reset(options={"task": "reset"})
        assert not frame.any() and info["end"] == "infrastructure" and info["unscored"] == "infrastructure: no reset" and not info["scored"]
        assert do(env, Action.done())[1:4] == (0.0, False, True)
        assert env.reset(seed=0)[0].any()

    def test_reset_tries_once_more_on_a_new_desktop(self, make, monkeypatch):
        monkeypatch.setattr(fake_desktop.FakeDesktop, "reset_faults", 0)
        env = make("reset-once")
        old = env.desktop
        _, info = env.reset(seed=0)
        assert env.desktop is not old and id(old) not in fake_desktop.ALIVE and not info["end"]

    @pytest.mark.parametrize("task", FAULTS)
    def test_the_next_episode_is_well_again(self, make, task):
        env = make()
        env.reset(seed=0)
        env.reset(options={"task": task})
        for _ in range(6):
            do(env, Action.wait_for(0))
        env.reset(seed=0, options={"task": "reach"})
        assert do(env, Action.move(*TARGET))[2:4] == (False, False)
        assert do(env, Action.done())[1:4] == (1.0, True, False)


class TestReset:
    def test_same_seed_same_everything(self, make):
        env, other = make(), make()
        runs = []
        for each in (env, other, env):
            frame, info = each.reset(seed=7)
            runs.append((frame.tobytes(), str(info), *(do(each, Action.move(n, n))[0].tobytes() for n in range(3))))
        assert runs[0] == runs[1] == runs[2]

    def test_without_a_seed_the_episodes_differ_but_repeat(self, make):
        ids = [[make_env.reset(seed=3 if n == 0 else None)[1]["task_id"] for n in range(4)] for make_env in (make(), make())]
        assert ids[0] == ids[1] and len(set(ids[0])) == 4

    def test_splits_never_meet(self, make):
        seen = {split: {make(split=split).reset(seed=s)[1]["task_id"] for s in range(30)} for split in ("train", "validation", "test")}
        assert not (seen["train"] & seen["test"] or seen["train"] & seen["validation"] or seen["test"] & seen["validation"])

    def test_infeasible_only_when_asked(self, make):
        assert all(make().reset(seed=s)[1]["feasible"] for s in range(20))
        assert not any(make(infeasible_rate=1.0).reset(seed=s)[1]["feasible"] for s in range(20))

    def test_options_choose_the_task_and_stay_as_they_were(self, make):
        env = make("reach")
        options = {"task": "say#5"}
        assert env.reset(seed=0, options=options)[1]["task_id"] == "say#5"
        assert options == {"task": "say#5"}
        assert env.reset(seed=0)[1]["task_id"].startswith("reach#")

    def test_next_task_counts_once(self, make):
        env = make("reach")
        env.next_task = "say#5"
        assert env.reset(seed=0)[1]["task_id"] == "say#5"
        assert env.reset(seed=0)[1]["task_id"].startswith("reach#")

    @pytest.mark.parametrize("options", [{"tsk": "reach"}, {"task": "reach", "seed": 3}, {1: 2}])
    def test_unknown_options_are_refused(self, make, options):
        with pytest.raises(ValueError, match="unknown reset options"):
            make().reset(options=options)

    def test_an_unknown_task_leaves_the_episode_as_it_was(self, make):
        env = make("reach")
        env.reset(seed=0)
        with pytest.raises(UnknownNameError, match="did you mean 'reach'"):
            env.reset(options={"task": "raech"})
        assert do(env, Action.move(*TARGET))[4]["step"] == 1
        assert do(env, Action.done())[1] == 1.0

    def test_task_none_in_options_means_any(self, make):
        assert make("say").reset(seed=0, options={"task": None})[1]["task_id"].startswith("say#")


class TestHold:
    def test_nothing_moves_while_held(self, make):
        env = make("reach", max_steps=3)
        before, first = env.reset(seed=0)
        env.hold = True
        for action in (Action.move(5, 5), Action.done(), {"type": 999}) * 3:
            frame, reward, terminated, truncated, info = env.step(to_element(action) if isinstance(action, Action) else action)
            assert np.array_equal(frame, before) and (reward, terminated, truncated) == (0.0, False, False)
            assert (info["step"], info["end"], info["action_error"]) == (0, "", "")
        env.hold = False
        assert do(env, Action.move(5, 5))[4]["step"] == 1

    def test_an_end_is_not_told_twice(self, make):
        env = make("reach")
        env.reset(seed=0)
        do(env, Action.done())
        env.hold = True
        assert env.step(to_element(Action.done()))[1:4] == (0.0, False, False)


class TestArguments:
    @pytest.mark.parametrize(
        ("bad", "message"),
        [
            ({"width": 15}, "too small"), ({"height": -1}, "too small"), ({"max_steps": 0}, "max_steps is 0"), ({"infeasible_rate": 1.5}, "0 to 1"),
            ({"infeasible_rate": float("nan")}, "0 to 1"), ({"split": "tran"}, "expected one of train"), ({"render_mode": "human"}, "render_mode"),
            ({"task": 5}, "task is 5"), ({"width": "640"}, "width is '640'"), ({"height": 90.5}, "height is 90.5"),
            ({"suite": None}, "suite is None"),
        ],
    )  # fmt: skip
    def test_bad_ones_are_refused(self, bad, message):
        with pytest.raises(ValueError, match=message):
            GuiDesktopEnv(**{"suite": "fake", **bad})

    @pytest.mark.parametrize("bad", [{"suite": "fkae"}, {"desktop": "fkae"}, {"task": "raech"}])
    def test_unknown_names_suggest(self, bad):
        alive = len(fake_desktop.ALIVE)
        with pytest.raises(UnknownNameError, match="did you mean"):
            GuiDesktopEnv(**{"suite": "fake", **bad})
        assert len(fake_desktop.ALIVE) == alive


def test_frames_are_nobodys_but_yours(make):
    env = make()
    frames = [env.reset(seed=0)[0], *(do(env, Action.move(n, n))[0] for n in range(3))]
    copies = [frame.copy() for frame in frames]
    do(env, Action.move(9, 9))
    env.reset()
    assert all(map(np.array_equal, frames, copies)) and len({id(frame) for frame in frames}) == 4


def test_info_is_nobodys_but_yours(make):
    env = make()
    _, info = env.reset(seed=0)
    info["cursor"][:] = 99
    assert list(do(env, Action.wait_for(0))[4]["cursor"]) == [0, 0]


def test_accessibility_tree_on_request(make):
    env = make(a11y=True)
    _, info = env.reset(seed=0)
    assert json.loads(info["accessibility_tree"])["bounds"] == [0, 0, 48, 32]
    assert json.loads(env.step(to_element(Action.wait_for(0)))[4]["accessibility_tree"])["role"] == "screen"


def test_render(make):
    env = make(render_mode="rgb_array")
    with pytest.raises(gym.error.ResetNeeded):
        env.render()
    frame, _ = env.reset(seed=0)
    shown = env.render()
    assert np.array_equal(shown, frame) and shown is not frame
    quiet = make()
    quiet.reset(seed=0)
    with pytest.warns(UserWarning, match="render_mode='rgb_array'"):
        assert quiet.render() is None


def test_solution_solves(make):
    env = make("reach")
    env.reset(seed=0)
    ends = [do(env, element)[1:3] for element in env.solution()]
    assert ends == [(0.0, False), (1.0, True)]


def test_close_twice(make):
    env = make()
    env.reset(seed=0)
    env.close()
    env.close()
    assert id(env.desktop) not in fake_desktop.ALIVE


def test_spec_survives_json():
    env = gym.make("GuiDesktop-v0", suite="fake", split="test", max_steps=4, infeasible_rate=0.5, **SIZE)
    spec = gym.envs.registration.EnvSpec.from_json(env.spec.to_json())
    assert spec.kwargs == env.spec.kwargs
    again = gym.make(spec)
    assert np.array_equal(again.reset(seed=1)[0], env.reset(seed=1)[0])
    env.close()
    again.close()


def test_tasks_are_plain_values():
    task = fake_desktop.FakeSuite().get("reach#5")
    assert isinstance(task, Task) and pickle.loads(pickle.dumps(task)) == task


@pytest.mark.parametrize("suite", ["fake", "sim"])
def test_check_env_is_silent(suite):
    env = gym.make("GuiDesktop-v0", suite=suite, width=320, height=240, render_mode="rgb_array")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(env.unwrapped)
    env.close()
    assert [str(w.message) for w in caught if "alternative render modes" not in str(w.message)] == []


def test_false_completion_and_side_effects_are_told_at_the_end() -> None:
    env = GuiDesktopEnv(task="delete-file#3", width=640, height=400)
    _, info = env.reset(seed=0)
    assert (info["false_completion"], info["side_effects"]) == (False, -1)
    for element in env.solution()[:-1]:
        info = env.step(element)[4]
    assert (info["false_completion"], info["side_effects"]) == (False, -1)
    env.desktop.write_file("/home/user/other.txt", b"x")
    _, reward, terminated, _, info = env.step(to_element(Action.done()))
    assert terminated and reward == 0.0 and (info["false_completion"], info["side_effects"]) == (True, 1)
    env.reset(seed=0)
    info = env.step(to_element(Action.fail()))[4]
    assert (info["false_completion"], info["side_effects"]) == (False, 0)
    env.close()
