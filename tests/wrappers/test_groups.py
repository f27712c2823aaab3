"""Groups start from the same state, act apart, wait for each other, and survive a desktop that fails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
import pytest

from gui_gym import Action, Button, Desktop, DesktopError, register_desktop
from gui_gym.actions import Modifier
from gui_gym.desktops.sim import SimDesktop
from gui_gym.registry import UnknownNameError
from gui_gym.tasks import load_suite
from wrappers.groups import GroupError, GroupVectorEnv

SIZE: dict[str, Any] = {"width": 640, "height": 480}
FAMILIES = load_suite("sim").ids()
MODES = [None, "sync", "async"]


class Flaky(SimDesktop):
    """Fails at the resets and actions that ``plan`` names, in order, and then is well."""

    resets: ClassVar[list[bool]] = []
    actions: ClassVar[list[bool]] = []

    def reset(self, task: Any, seed: int) -> None:
        if self.resets and self.resets.pop(0):
            raise DesktopError("no answer")
        super().reset(task, seed)

    def perform(self, action: Action) -> None:
        if self.actions and self.actions.pop(0):
            raise DesktopError("gone")
        super().perform(action)


class Drifting(SimDesktop):
    """No two of its first screens are equal."""

    count: ClassVar[int] = 0

    def reset(self, task: Any, seed: int) -> None:
        super().reset(task, seed)
        Drifting.count += 1
        self.perform(Action.move(Drifting.count % self.width, 0))


class Uncopied(SimDesktop):
    """Cannot be copied."""

    snapshot = Desktop.snapshot


register_desktop("groups-uncopied", Uncopied)
register_desktop("groups-flaky", Flaky)
register_desktop("groups-drifting", Drifting)


@pytest.fixture
def make() -> Iterator[Any]:
    made: list[GroupVectorEnv] = []

    def build(groups: int = 2, size: int = 3, **kwargs: Any) -> GroupVectorEnv:
        made.append(GroupVectorEnv(groups, size, **{**SIZE, **kwargs}))
        return made[-1]

    yield build
    for env in made:
        env.close()
    Flaky.resets, Flaky.actions = [], []


def test_members_start_alike_and_groups_differ(make: Any) -> None:
    env = make(3, 4)
    frames, infos = env.reset(seed=5)
    assert frames.shape == (12, 480, 640, 3) and frames.dtype == np.uint8 and frames in env.observation_space
    ids = [info["task_id"] for info in env.members(infos)]
    assert env.group_of.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    for group in range(3):
        of = np.flatnonzero(env.group_of == group)
        assert len({ids[i] for i in of}) == 1 and all(np.array_equal(frames[i], frames[of[0]]) for i in of)
    assert len(set(ids)) == 3 and env.active.all()


def test_the_seed_decides(make: Any) -> None:
    env = make()
    first, infos = env.reset(seed=7)
    other, _ = env.reset(seed=8)
    again, same = env.reset(seed=7)
    follows, _ = env.reset()
    assert np.array_equal(first, again) and infos["task_id"].tolist() == same["task_id"].tolist()
    assert not np.array_equal(first, other) and not np.array_equal(first, follows)
    env.reset(seed=7)
    assert np.array_equal(env.reset()[0], follows)


def test_each_group_can_be_given_its_seed_and_task(make: Any) -> None:
    env = make(2, 2)
    frames, infos = env.reset(seed=[4, 4], tasks=[FAMILIES[-1], FAMILIES[-1]])
    ids = infos["task_id"].tolist()
    assert len(set(ids)) == 1 and ids[0].startswith(FAMILIES[-1]) and np.array_equal(frames[0], frames[3])
    _, infos = env.reset(tasks=[ids[0], FAMILIES[0]])
    assert infos["task_id"][1] == ids[0] and infos["task_id"][2].startswith(FAMILIES[0])
    _, infos = env.reset(seed=1)
    assert ids[0] not in infos["task_id"].tolist()  # a task is given for one reset


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"tasks": ["a"]}, "2 tasks"), ({"tasks": "ab"}, "2 tasks"), ({"seed": [1, 2, 3]}, "2 seeds"), ({"options": {"task": "a"}}, "tasks=")],
)
def test_wrong_arguments_of_reset(make: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make().reset(**arguments)


def test_unknown_tasks_have_near_matches(make: Any) -> None:
    with pytest.raises(UnknownNameError, match=FAMILIES[0]):
        make().reset(tasks=[FAMILIES[0][:-1] + "x", FAMILIES[0]])


def test_wrong_arguments_of_the_constructor() -> None:
    with pytest.raises(ValueError, match="at least one"):
        GroupVectorEnv(0, 2)
    with pytest.raises(ValueError, match="'sync' or 'async'"):
        GroupVectorEnv(1, 2, vectorization_mode="threads", **SIZE)
    with pytest.raises(ValueError, match="no id of GuiDesktopEnv"):
        GroupVectorEnv(1, 2, id="CartPole-v1")


def test_one_who_waits_changes_nothing_and_counts_nothing(make: Any) -> None:
    env = make(1, 3)
    before, _ = env.reset(seed=0)
    solution = env.call("solution")[0]
    after, _, _, _, infos = env.step([solution[0], None, Action.move(1, 1)])
    each = env.members(infos)
    assert [m["step"] for m in each] == [1, 0, 1] and np.array_equal(after[1], before[1]) and not np.array_equal(after[0], before[0])
    for action in solution[1:]:
        after, rewards, terminations, _, infos = env.step([action, None, None])
    assert rewards.tolist() == [1.0, 0.0, 0.0] and terminations.tolist() == [True, False, False]
    assert env.active.tolist() == [False, True, True]
    for action in solution:
        frames, rewards, terminations, _, infos = env.step([Action.fail(), action, action])
        assert np.array_equal(frames[0], after[0])
    assert rewards.tolist() == [0.0, 1.0, 1.0] and terminations.tolist() == [False, True, True]
    assert [m["step"] for m in env.final_infos] == [len(solution), len(solution), len(solution) + 1]
    assert [m["score"] for m in env.final_infos] == [1.0] * 3 == [m["reward"] for m in env.final_infos]
    with pytest.raises(gym.error.ResetNeeded):
        env.step([None] * 3)


def test_limits_truncate_with_a_score(make: Any) -> None:
    env = make(1, 2, max_steps=2)
    env.reset(seed=0)
    env.step([Action.wait_for(0)] * 2)
    _, rewards, terminations, truncations, _ = env.step([Action.wait_for(0), None])
    assert truncations.tolist() == [True, False] and not terminations.any() and rewards.tolist() == [0.0, 0.0]
    assert env.final_infos[0]["scored"] and env.final_infos[0]["end"] == "truncated" and env.final_infos[1] is None


def test_actions_that_cannot_be_done_cost_a_step(make: Any) -> None:
    env = make(1, 3)
    env.reset(seed=0)
    frames, _, terminations, truncations, infos = env.step([Action.click(640, 0), {"foo": 1}, {"type": 99}])
    each = env.members(infos)
    assert "outside the screen" in each[0]["action_error"] and "keys of the action space" in each[1]["action_error"]
    assert "expected one of" in each[2]["action_error"] and [m["step"] for m in each] == [1, 1, 1]
    assert env.active.all() and not (terminations | truncations).any() and np.array_equal(frames[0], frames[2])
    with pytest.raises(ValueError, match="3 actions"):
        env.step([Action.done()])


def test_elements_of_the_batched_space_are_actions_too(make: Any) -> None:
    env = make(1, 3)
    env.reset(seed=0)
    env.action_space.seed(0)
    for _ in range(5):
        if env.active.any():
            env.step(env.action_space.sample())


def random_action(rng: np.random.Generator) -> Action | None:
    x, y, u, v = (int(n) for n in rng.integers(0, [640, 480, 640, 480]))
    button = Button(int(rng.integers(3)))
    choices = [
        None,
        Action.click(x, y, button, int(rng.integers(1, 4)), (Modifier.CTRL,) if rng.random() < 0.2 else ()),
        Action.move(x, y),
        Action.drag(x, y, u, v, button),
        Action.scroll_by(x, y, 0, int(rng.integers(-3, 4))),
        Action.type_text("it's 漢"),
        Action.press("a", Modifier.CTRL),
        Action.click(x + 640, y),
        Action.done() if rng.random() < 0.3 else Action.wait_for(1),
    ]
    return choices[int(rng.integers(len(choices)))]


@pytest.mark.parametrize(("mode", "context"), [("sync", None), ("async", "fork"), ("async", "spawn")])
def test_every_mode_gives_the_same_step_by_step(make: Any, mode: str, context: str | None) -> None:
    reference, other = make(), make(vectorization_mode=mode, context=context)
    rng = np.random.default_rng(3)
    for episode in range(2):
        results = [env.reset(seed=episode) for env in (reference, other)]
        solutions = [list(s) for s in reference.call("solution")]
        for _ in range(12):
            (frames, infos), (their_frames, their_infos) = [(r[0], r[-1]) for r in results]
            assert np.array_equal(frames, their_frames)
            assert [{k: str(v) for k, v in m.items()} for m in reference.members(infos)] == [
                {k: str(v) for k, v in m.items()} for m in other.members(their_infos)
            ]
            for mine, theirs in zip(results[0][1:-1], results[1][1:-1], strict=True):
                assert np.array_equal(mine, theirs) and mine.dtype == theirs.dtype
            assert reference.active.tolist() == other.active.tolist()
            if not reference.active.any():
                break
            actions = [solutions[i].pop(0) if i % 3 == 0 and solutions[i] else random_action(rng) for i in range(6)]
            results = [env.step(actions) for env in (reference, other)]
    finals = [[None if f is None else (f["score"], f["reward"], f["end"]) for f in env.final_infos] for env in (reference, other)]
    assert finals[0] == finals[1] and any(finals[0])


@pytest.mark.parametrize("mode", [None, "sync"])
def test_a_desktop_that_fails_in_reset_ends_one_member_unscored(make: Any, mode: str | None) -> None:
    Flaky.resets = [False, True, True, False]  # the second member's reset fails, and the env's own second try
    env = make(1, 3, desktop="groups-flaky", vectorization_mode=mode)
    frames, infos = env.reset(seed=0)
    assert env.active.tolist() == [True, False, True] and not frames[1].any() and frames[0].any()
    final = env.final_infos[1]
    assert not final["scored"] and "no answer" in final["unscored"] and final["end"] == "infrastructure" and final["truncated"]
    solution = env.call("solution")[0]
    for action in solution:
        env.step([action] * 3)
    assert [f["scored"] for f in env.final_infos] == [True, False, True] and env.final_infos[2]["score"] == 1.0
    frames, _ = env.reset(seed=1)  # and the next episode is whole again
    assert env.active.all() and np.array_equal(frames[0], frames[1])


@pytest.mark.parametrize("mode", [None, "sync"])
def test_a_desktop_that_fails_in_a_step_ends_one_member_unscored(make: Any, mode: str | None) -> None:
    env = make(1, 3, desktop="groups-flaky", vectorization_mode=mode)
    env.reset(seed=0)
    Flaky.actions = [False, True]
    _, rewards, terminations, truncations, _ = env.step([Action.move(3, 3)] * 3)
    assert truncations.tolist() == [False, True, False] and not terminations.any() and not rewards.any()
    assert "gone" in env.final_infos[1]["unscored"] and not env.final_infos[1]["scored"]
    env.step([Action.done()] * 3)
    assert not env.active.any() and env.final_infos[0]["scored"]


def test_a_member_that_is_abandoned_has_ended_unscored(make: Any) -> None:
    env = make(1, 3)
    env.reset(seed=0)
    env.abandon(1, "nobody acts for it")
    assert env.active.tolist() == [True, False, True]
    final = env.final_infos[1]
    assert (final["end"], final["scored"], final["unscored"], final["truncated"]) == ("infrastructure", False, "nobody acts for it", True)
    with pytest.raises(ValueError, match=r"member 1 is not running: expected one of \[0, 2\]"):
        env.abandon(1, "again")
    env.step([Action.done()] * 3)
    assert not env.active.any() and env.final_infos[0]["scored"] and env.final_infos[1] is final
    env.reset(seed=1)
    assert env.active.all()


@pytest.mark.parametrize("mode", MODES)
def test_no_desktop_at_all_is_an_error(make: Any, mode: str | None) -> None:
    Flaky.resets = [True] * 100
    env = make(1, 2, desktop="groups-flaky", vectorization_mode=mode, **({"context": "fork"} if mode == "async" else {}))
    with pytest.raises(DesktopError, match="no answer"):
        env.reset(seed=0)


def test_members_that_see_different_screens_are_an_error(make: Any) -> None:
    with pytest.raises(GroupError, match="more than task and seed"):
        make(1, 2, desktop="groups-drifting").reset(seed=0)


@pytest.mark.parametrize("mode", MODES)
def test_members_are_rendered(make: Any, mode: str | None) -> None:
    env = make(1, 2, render_mode="rgb_array", vectorization_mode=mode)
    frames, _ = env.reset(seed=0)
    assert np.array_equal(np.stack(env.render()), frames)


def test_step_before_reset_is_an_error(make: Any) -> None:
    with pytest.raises(gym.error.ResetNeeded):
        make().step([None] * 6)


def test_closing_twice_is_fine(make: Any) -> None:
    for mode in MODES:
        env = make(1, 2, vectorization_mode=mode)
        env.reset(seed=0)
        env.close()
        env.close()


class TestBranch:
    """Members go on from the middle of another one's episode."""

    @pytest.mark.parametrize(("mode", "context"), [(None, None), ("sync", None), ("async", "fork"), ("async", "spawn")])
    def test_branches_are_copies_that_go_on_apart(self, make: Any, mode: str | None, context: str | None) -> None:
        env = make(2, 3, vectorization_mode=mode, context=context)
        env.reset(seed=1, tasks=["fill-form", "enter-text"])
        solution = env.call("solution")[0]
        half = len(solution) // 2
        for i in range(half):
            frames, _, _, _, infos = env.step([solution[i], Action.click(5 + 9 * i, 40), None, Action.move(i, 3), None, None])
        before = env.members(infos)
        frames_before = frames.copy()
        branched, infos = env.branch(0)
        each = env.members(infos)
        for i in (1, 2):
            assert np.array_equal(branched[i], frames_before[0]) and each[i]["step"] == half == each[0]["step"]
        for i in (0, 3, 4, 5):
            assert np.array_equal(branched[i], frames_before[i]) and each[i]["step"] == before[i]["step"]
        kept = branched.copy()
        frames, _, _, _, _ = env.step([solution[half], None, Action.move(200, 200), None, None, None])
        assert np.array_equal(frames[1], kept[1]) and not np.array_equal(frames[2], kept[2]) and np.array_equal(branched, kept)
        shown = [frames[0].copy()]
        for action in solution[half + 1 :]:
            frames, rewards, terminations, _, _ = env.step([action, None, None, None, None, None])
            shown.append(frames[0].copy())
        assert rewards[0] == 1.0 and terminations[0]
        for frame, action in zip(shown, solution[half:], strict=True):
            frames, rewards, _, _, _ = env.step([None, action, None, None, None, None])
            assert np.array_equal(frames[1], frame)
        assert rewards[1] == 1.0 and env.final_infos[1]["step"] == len(solution) and env.final_infos[2] is None

    def test_ended_members_run_again(self, make: Any) -> None:
        env = make(1, 3)
        env.reset(seed=0)
        env.step([None, Action.fail(), Action.fail()])
        assert env.active.tolist() == [True, False, False]
        _, infos = env.branch(0, to=[2])
        assert env.active.tolist() == [True, False, True] and env.final_infos[2] is None and env.members(infos)[2]["end"] == ""
        assert env.final_infos[1]["end"] == "fail" and env.members(infos)[1]["end"] == "fail"

    @pytest.mark.parametrize("arguments", [(1, None), (6, None), (-1, None), (0, [3]), (0, [0]), (0, []), (0, [9])])
    def test_sources_and_targets_that_cannot_be(self, make: Any, arguments: tuple[int, Any]) -> None:
        env = make(2, 3)
        env.reset(seed=0)
        env.step([None, Action.fail(), None, None, None, None])
        with pytest.raises(ValueError, match="expected"):
            env.branch(*arguments)

    def test_a_desktop_that_cannot_be_copied(self, make: Any) -> None:
        env = make(1, 2, desktop="groups-uncopied")
        env.reset(seed=0)
        with pytest.raises(NotImplementedError, match="cannot be copied"):
            env.branch(0)
        env.step([Action.done(), Action.done()])
