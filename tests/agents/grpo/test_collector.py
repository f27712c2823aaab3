"""Where the episodes of a step come from, and dynamic sampling: groups that teach nothing are replaced."""

import dataclasses
import warnings

import numpy as np
import pytest
from grpo_fakes import episode

import agents.grpo.collector as module
from agents.adapters import AdapterConfig
from agents.config import EnvConfig, ModelConfig, PolicyConfig, load_agent
from agents.episodes import Group
from agents.grpo.collector import Collector
from agents.grpo.config import TrainConfig
from agents.grpo.figures import lasting
from agents.grpo.lesson import advantages_of, teaches
from agents.grpo.trainer import GrpoTrainer, resumable
from agents.logs import read_log
from agents.rewards import REWARDS

if "test-parity" not in REWARDS:  # often equal for both episodes of a group of an untrained model
    REWARDS.register("test-parity", lambda e: float(sum(turn.completion_ids[0] for turn in e.turns) % 2))
CONFIG = TrainConfig(
    ModelConfig("none"),
    env=EnvConfig(task="press-the-button", width=112, height=112, max_steps=1, auto_verify=True),
    policy=PolicyConfig(frame="grid:10", system="", max_new_tokens=4),
    adapter=AdapterConfig(rank=2),
    rewards=("test-parity",),
    groups=3,
    group_size=2,
)


@pytest.fixture(scope="module")
def agent(vlm_folder):
    return load_agent(ModelConfig(str(vlm_folder()), threads=1), CONFIG.policy, CONFIG.env)


@pytest.fixture
def collector(agent):
    made = []

    def make(**changes):
        made.append(Collector(agent, dataclasses.replace(CONFIG, **changes)))
        return made[-1]

    yield make
    for one in made:
        one.close()


def rewards(groups):
    return [[e.reward for e in group.episodes] for group in groups]


def ids(groups):
    return [[turn.completion_ids for turn in e.turns] for group in groups for e in group.episodes]


def test_a_step_is_a_function_of_run_and_step(collector):
    first = [ids(collector().collect(step, lambda e: None)) for step in (1, 2)]
    again = collector()
    assert ids(again.collect(2, lambda e: None)) == first[1] != first[0]  # also for one that begins there, as a resumed run does
    assert ids(collector(seed=1).collect(2, lambda e: None)) != first[1]
    assert again.figures == {}


def test_groups_that_teach_nothing_are_replaced_and_all_episodes_are_told_of(collector):
    plain, sampling = collector(), collector(resample=20)
    replaced = 0
    for step in range(1, 5):
        before = plain.collect(step, lambda e: None)
        seen = []
        after = sampling.collect(step, seen.append)
        thrown = sampling.figures["resampled_groups"]
        replaced += thrown
        assert len(after) == 3 and all(teaches(advantages) for advantages in advantages_of(after, CONFIG))
        assert len(seen) == CONFIG.group_size * (3 + thrown)  # of every round, those thrown away too
        for old, new in zip(before, after, strict=True):
            assert (old.episodes[0].reward != old.episodes[1].reward) == (ids([old]) == ids([new]))  # what teaches stays as it was
        assert {id(e) for group in after for e in group.episodes} <= {id(e) for e in seen}
    assert replaced > 0


def test_replacements_are_a_function_of_run_step_and_round(collector):
    one = [ids(collector(resample=20).collect(step, lambda e: None)) for step in (1, 2, 3)]
    assert [ids(collector(resample=20).collect(step, lambda e: None)) for step in (1, 2, 3)] == one


def test_each_round_draws_anew_for_the_groups_that_need_it_and_gives_up_at_the_limit(collector, monkeypatch):
    rounds = []

    def fake(policy, envs, *, seed, only, progress, **rest):
        rounds.append((tuple(seed), list(only)))
        groups = [Group("t#1", [episode(1.0), episode(0.0 if i == 1 else 1.0)]) for i in only]
        for group in groups:
            for e in group.episodes:
                progress(e)
        return groups

    monkeypatch.setattr(module, "collect", fake)
    seen = []
    groups = collector(resample=2).collect(7, seen.append)
    assert [only for _, only in rounds] == [[0, 1, 2], [0, 2], [0, 2]]
    assert len({seed for seed, _ in rounds}) == 3 and len(seen) == 2 * (3 + 2 + 2)
    assert rewards(groups) == [[1.0, 1.0], [1.0, 0.0], [1.0, 1.0]]  # of what is left nothing is hidden


def test_unscored_groups_are_replaced_too(collector, monkeypatch):
    answers = iter([[Group("t", [episode(None), episode(1.0)])] * 3, [Group("t", [episode(0.0), episode(1.0)])] * 3])
    monkeypatch.setattr(module, "collect", lambda *args, **kwargs: list(next(answers)))
    one = collector(resample=1)
    assert rewards(one.collect(1, lambda e: None)) == [[0.0, 1.0]] * 3 and one.figures == {"resampled_groups": 3.0}


def test_a_run_that_resamples_logs_all_it_saw_and_resumes(vlm_folder, tmp_path):
    def config(name):
        return dataclasses.replace(
            CONFIG, model=ModelConfig(str(vlm_folder()), threads=1), out=tmp_path / name, resample=2, steps=3, save_every=1,
            eval_every=0, eval_episodes=2, eval_greedy=False, logs=(),
        )  # fmt: skip

    def records(name):
        return [lasting(record) for record in read_log(tmp_path / name, "train")]

    class Cut(Exception):
        pass

    def cut(step, figures):
        if step == 2:
            raise Cut

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(could not be read|answer was cut)")
        GrpoTrainer(config("straight")).train()
        with pytest.raises(Cut):
            GrpoTrainer(config("cut"), on_step=cut).train()
        checkpoint, saved = resumable(tmp_path / "cut")
        GrpoTrainer(saved, checkpoint).train()
    assert records("cut") == records("straight")
    steps = records("straight")
    assert any(step["resampled_groups"] > 0 for step in steps)
    for step in steps:
        assert step["episodes"] == 2 * (step["groups"] + step["resampled_groups"]) and step["groups"] == 3
        assert np.isfinite(list(v for v in step.values() if isinstance(v, float))).all()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"resample": -1}, "resample"),
        ({"scale": "std"}, "group or batch or none"),
        ({"credit": "turn"}, "episode or step"),
        ({"overlong": "drop"}, "keep or mask"),
        ({"gamma": 0.0}, "gamma"),
        ({"omega": -1.0}, "omega"),
    ],
)
def test_bad_config(change, says):
    with pytest.raises(ValueError, match=says):
        dataclasses.replace(CONFIG, **change)
