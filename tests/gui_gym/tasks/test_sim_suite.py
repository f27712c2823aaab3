"""The suite: its ids, its splits and what it draws."""

import gymnasium as gym
import numpy as np
import pytest

import gui_gym
from gui_gym.benchmarks import measure
from gui_gym.benchmarks import sim as benchmark
from gui_gym.registry import UnknownNameError
from gui_gym.tasks import SPLITS, TaskError, load_suite
from gui_gym.tasks.audit import audit
from gui_gym.tasks.sim import FAMILIES, SimSuite
from gui_gym.tasks.sim.areas import AREAS, OTHER, area_of
from gui_gym.tasks.sim.families.buttons import PressTheButton

SUITE = SimSuite()


def test_it_is_the_suite_called_sim() -> None:
    suite = load_suite("sim")
    assert isinstance(suite, SimSuite) and suite.pure_verifier and suite.desktop == "sim"
    assert suite.ids() == FAMILIES.names()


def test_a_family_stands_for_its_first_training_instance() -> None:
    assert SUITE.get("click-button") == SUITE.get("click-button#0")


@pytest.mark.parametrize(
    "bad",
    ["click-button#", "click-button#x", "click-button#-1", "click-button#1.5", "click-button#²", f"click-button#{10**12}", "click-button#1/odd"],
)
def test_an_id_that_names_no_instance_says_what_was_expected(bad: str) -> None:
    with pytest.raises(TaskError, match="expected click-button#SEED"):
        SUITE.get(bad)


@pytest.mark.parametrize("marks", ["", "/easy", "/hard", "/infeasible", "/easy/infeasible", "/hard/infeasible"])
def test_an_id_names_difficulty_and_feasibility(marks: str) -> None:
    task = SUITE.get(f"click-button#17{marks}")
    assert task.id == f"click-button#17{marks}" and SUITE.get(task.id) == task
    assert task.feasible == ("infeasible" not in marks)
    assert SUITE.get("click-button#17/medium") == SUITE.get("click-button#17")
    assert task.params["difficulty"] == (marks.split("/")[1] if marks.startswith(("/easy", "/hard")) else "medium")


@pytest.mark.parametrize("mark", ["/easy/hard", "/infeasible/easy", "/infeasible/infeasible", "/", "/Easy", "/easy/"])
def test_marks_of_an_id_are_known_in_order_and_not_superfluous(mark: str) -> None:
    with pytest.raises(TaskError, match="expected click-button#SEED"):
        SUITE.get(f"click-button#17{mark}")


def test_a_difficulty_is_drawn_as_asked() -> None:
    rng = np.random.default_rng(0)
    drawn = {level: {SUITE.draw(rng, difficulty=level).params["difficulty"] for _ in range(40)} for level in (None, "easy", "hard", "mixed")}
    assert drawn == {None: {"medium"}, "easy": {"easy"}, "hard": {"hard"}, "mixed": {"easy", "medium", "hard"}}
    with pytest.raises(TaskError, match="expected one of easy, medium, hard, mixed"):
        SUITE.draw(rng, difficulty="harder")


def test_there_is_no_folder_of_tasks() -> None:
    with pytest.raises(TaskError, match="generates its tasks and reads no folder"):
        load_suite("sim", tasks="somewhere")


def test_unknown_families_list_near_matches() -> None:
    with pytest.raises(UnknownNameError, match="did you mean.*'click-button'"):
        SUITE.get("clik-button#3")


@pytest.mark.parametrize("split", SPLITS)
def test_instances_come_from_the_range_of_their_split(split: str) -> None:
    rng = np.random.default_rng(0)
    low, high = SPLITS[split]
    tasks = [SUITE.draw(rng, split=split) for _ in range(2 * len(SUITE.ids()))]
    assert all(low <= int(task.id.partition("#")[2]) < high for task in tasks)
    assert len({task.id.partition("#")[0] for task in tasks}) > len(SUITE.ids()) // 2
    assert all(task.feasible for task in tasks)


def test_the_same_generator_draws_the_same_instance() -> None:
    assert SUITE.draw(np.random.default_rng(5)) == SUITE.draw(np.random.default_rng(5))
    assert SUITE.draw(np.random.default_rng(5), "fill-form").id.startswith("fill-form#")
    assert SUITE.draw(np.random.default_rng(5), "fill-form#77").id == "fill-form#77"


def test_infeasible_instances_are_drawn_as_often_as_asked() -> None:
    rng = np.random.default_rng(0)
    assert sum(not SUITE.draw(rng, infeasible_rate=0.25).feasible for _ in range(400)) in range(70, 131)
    assert not SUITE.draw(rng, "click-button", infeasible_rate=1.0).feasible
    task = SUITE.draw(rng, "click-button", infeasible_rate=1.0)
    assert SUITE.get(task.id) == task


def test_a_family_without_infeasible_instances_says_which_have_them() -> None:
    with pytest.raises(TaskError, match="no infeasible instances.*click-button"):
        SUITE.draw(np.random.default_rng(0), "press-the-button", infeasible_rate=0.5)
    with pytest.raises(TaskError, match="no infeasible instances"):
        SUITE.get("press-the-button#1/infeasible")


def test_the_env_ends_by_itself_on_the_first_hit() -> None:
    """What the demonstration trains on: one large button, a small screen, any number of tries."""
    env = gym.make("GuiDesktop-v0", task="press-the-button", width=112, height=112, auto_verify=True)
    for seed in range(10):
        env.reset(seed=seed)
        click, _ = env.unwrapped.solution()
        miss = dict(click, point=np.array([111, 111]))
        _, reward, terminated, _, _ = env.step(miss)
        assert not terminated and reward == 0.0
        _, reward, terminated, truncated, info = env.step(click)
        assert terminated and not truncated and reward == 1.0 and info["score"] == 1.0
    env.close()


def test_what_does_not_fit_the_screen_is_not_drawn() -> None:
    env = gym.make("GuiDesktop-v0", width=112, height=112)
    drawn = {env.reset(seed=seed)[1]["task_id"].partition("#")[0] for seed in range(30)}
    env.close()
    assert drawn == {name for name in SUITE.ids() if max(FAMILIES.get(name).min_size) <= 112}
    with pytest.raises(TaskError, match="no task fits a screen of 64x64 pixels: the smallest needs 96x80"):
        gym.make("GuiDesktop-v0", width=64, height=64).reset(seed=0)
    with pytest.raises(TaskError, match="fill-form.*at least 300x190"):
        gym.make("GuiDesktop-v0", width=112, height=112, task="fill-form").reset(seed=0)


def test_a_random_policy_solves_next_to_nothing() -> None:
    """Uniform over all kinds of action that do not end an episode, verified after each; the limit is 2 %."""
    tallies = [audit(SUITE, family, seeds=0, random_instances=5) for family in SUITE.ids()]
    episodes = sum(tally.random_instances for tally in tallies)
    assert sum(tally.random * tally.random_instances for tally in tallies) <= 0.02 * episodes


def test_the_benchmark_gives_its_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "SECONDS", 0.03)
    records = [benchmark.step(640, 400), benchmark.reset(640, 400)]
    assert [record["name"] for record in records] == ["sim.step", "sim.reset"]
    for record in records:
        assert {"name", "value", "unit", "reference", "ratio"} <= set(record)
        assert all(float(str(record[key])) > 0 for key in ("value", "reference", "ratio"))


def test_a_third_party_can_add_a_family() -> None:
    class Twin(PressTheButton):
        id = "twin"

    FAMILIES.register("twin", Twin)
    try:
        env = gym.make("GuiDesktop-v0", task="twin")
        env.reset(seed=0)
        assert env.unwrapped.solution()[-1]["type"] == gui_gym.ActionType.DONE
        env.close()
    finally:
        del FAMILIES._entries["twin"]


def test_every_family_has_an_area_and_every_module_one() -> None:
    modules = [module for each in AREAS.values() for module in each]
    assert len(modules) == len(set(modules))
    used = {FAMILIES.get(name).__module__.rpartition(".")[2] for name in FAMILIES.names()}
    assert used == set(modules), "put the module into gui_gym.tasks.sim.areas.AREAS"
    assert SUITE.describe("click-button")["area"] == "Click one target"

    class Foreign(PressTheButton):
        __module__ = "somebody.buttons"

    assert area_of(Foreign) == OTHER
