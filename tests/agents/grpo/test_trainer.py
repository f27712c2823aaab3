"""The GRPO loop on a tiny VLM and the embedded desktop."""

import dataclasses
import json
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from agents.adapters import AdapterConfig, weights_folder
from agents.config import EnvConfig, ModelConfig, PolicyConfig, from_json, load_agent, to_json
from agents.episodes import Frame
from agents.grpo.checkpoint import CheckpointError
from agents.grpo.config import TrainConfig
from agents.grpo.figures import lasting
from agents.grpo.learner import LearnerConfig
from agents.grpo.loss import LossConfig
from agents.grpo.trainer import GrpoTrainer, changes, resumable
from agents.logs import read_log
from agents.optimiser import OptimiserConfig
from agents.rewards import REWARDS
from agents.tiny_vlm import build_tiny_vlm


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("vlm")
    build_tiny_vlm(folder, image_size=56, hidden=32, layers=1)
    return folder


@pytest.fixture(scope="module", autouse=True)
def brevity():
    """A reward that differs between the episodes of an untrained model."""
    if "test-brevity" not in REWARDS:
        REWARDS.register("test-brevity", lambda episode: -sum(len(turn.completion_ids) + turn.completion_ids[0] / 1000 for turn in episode.turns))


def config(folder, out, **changes):
    base = TrainConfig(
        ModelConfig(str(folder), threads=1),
        out,
        EnvConfig(task="press-the-button", width=112, height=112, max_steps=2, auto_verify=True),
        PolicyConfig(frame="grid:10", system="", max_new_tokens=6),
        AdapterConfig(rank=4, targets="all"),
        LearnerConfig(minibatches=2),
        rewards=("test-brevity",),
        steps=4,
        groups=2,
        group_size=3,
        eval_every=2,
        eval_episodes=4,
        save_every=2,
        logs=(),
    )
    return dataclasses.replace(base, **changes)


def quiet(trainer):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*could not be read")
        warnings.filterwarnings("ignore", message=".*every answer was cut")
        return trainer.train()


def records(out):
    return [lasting(record) for record in read_log(out)]


@pytest.mark.parametrize("kl", [0.0, 0.05])
def test_a_run_that_was_cut_off_continues_as_if_it_had_not_been(folder, tmp_path, kl):
    learner = LearnerConfig(minibatches=2, loss=LossConfig(kl=kl))
    quiet(GrpoTrainer(config(folder, tmp_path / "straight", learner=learner)))

    class Cut(Exception):
        pass

    def cut(step, figures):
        if step == 3:  # logged, but after the last checkpoint
            raise Cut

    with pytest.raises(Cut):
        quiet(GrpoTrainer(config(folder, tmp_path / "cut", learner=learner), on_step=cut))
    assert [r["step"] for r in read_log(tmp_path / "cut", "train")] == [1, 2, 3]
    checkpoint, saved = resumable(tmp_path / "cut")
    assert checkpoint.name == "step-000002" and saved == config(folder, tmp_path / "cut", learner=learner)
    quiet(GrpoTrainer(saved, checkpoint))

    assert records(tmp_path / "cut") == records(tmp_path / "straight")
    assert [r["step"] for r in read_log(tmp_path / "cut", "train")] == [1, 2, 3, 4]
    name = "weights/adapter_model.safetensors"
    assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "straight" / name).read_bytes()
    assert all(r["kl"] > 0 for r in read_log(tmp_path / "cut", "train")[1:]) if kl else "kl" not in read_log(tmp_path / "cut", "train")[0]


def test_what_a_step_logs(folder, tmp_path):
    quiet(GrpoTrainer(config(folder, tmp_path / "run", steps=2)))
    step = read_log(tmp_path / "run", "train")[0]
    assert step["episodes"] == 6 and step["groups"] == 2 and step["skipped_groups"] == 0 and step["unscored"] == 0
    assert abs(step["mismatch"]) < 1e-5  # engine and learner compute the same policy
    assert step["ratio_max"] < 2 and step["reward"] == step["reward_test-brevity"] < 0
    assert {"entropy", "grad_norm", "loss", "lr", "sequence_ratio_max", "time_collect", "time_learn"} <= set(step)
    evals = read_log(tmp_path / "run", "eval")
    assert [e["step"] for e in evals] == [0, 2] and all(e["episodes"] == e["greedy_episodes"] == 4 for e in evals)


def test_the_result_acts_by_its_adapter(folder, tmp_path):
    cfg = config(folder, tmp_path / "run", steps=2, save_every=1)
    quiet(GrpoTrainer(cfg))
    for adapter in (tmp_path / "run" / "weights", tmp_path / "run" / "checkpoints", tmp_path / "run" / "checkpoints" / "step-000002"):
        agent = load_agent(dataclasses.replace(cfg.model, adapter=adapter), cfg.policy, cfg.env)
        prompt = agent.prompts.start("Press the button.", Frame(np.zeros((112, 112, 3), np.uint8)), (112, 112))
        trained = agent.engine.generate([prompt], agent.policy().sampling, [0])[0].logprobs
        with agent.model.disable_adapter():
            bare = agent.engine.generate([prompt], agent.policy().sampling, [0])[0].logprobs
        assert trained != bare


@pytest.mark.filterwarnings("ignore:.*(could not be read|every answer was cut)")
def test_without_differing_rewards_nothing_moves_and_it_says_why(folder, tmp_path):
    cfg = config(folder, tmp_path / "run", rewards=("score",), steps=5, eval_every=0, save_every=5)
    trainer = GrpoTrainer(cfg)
    before = [p.detach().clone() for p in trainer.agent.trainable.parameters()]
    with pytest.warns(UserWarning, match="nothing to learn in 5 steps.*too hard"):
        trainer.train()
    assert all((a == b).all() for a, b in zip(before, trainer.agent.trainable.parameters(), strict=True))
    assert [r["skipped_groups"] for r in read_log(tmp_path / "run", "train")] == [2.0] * 5
    assert trainer.learner.version == trainer.agent.engine.policy_version == 0


def test_stops_by_success_and_by_the_clock(folder, tmp_path):
    for name, change in (("success", {"stop_at": 0.0}), ("clock", {"minutes": 0.0, "stop_at": None})):
        quiet(GrpoTrainer(config(folder, tmp_path / name, eval_every=1, **change)))
        assert [r["step"] for r in read_log(tmp_path / name, "train")] == [1]
        assert resumable(tmp_path / name)[0].name == "step-000001"


def test_resuming_with_other_settings_is_refused(folder, tmp_path):
    cfg = config(folder, tmp_path / "run", steps=2)
    quiet(GrpoTrainer(cfg))
    checkpoint, _ = resumable(tmp_path / "run")
    with pytest.raises(CheckpointError, match="other settings of adapter.rank, seed"):
        GrpoTrainer(dataclasses.replace(cfg, seed=1, adapter=AdapterConfig(rank=2, targets="all")), checkpoint)
    quiet(GrpoTrainer(dataclasses.replace(cfg, steps=3), checkpoint))
    assert [r["step"] for r in read_log(tmp_path / "run", "train")] == [1, 2, 3]


def test_more_steps_would_change_a_schedule_that_ends_at_the_last(tmp_path):
    cfg = config("model", tmp_path)
    assert changes(dataclasses.replace(cfg, steps=9), to_json(cfg)) == []
    falling = config("model", tmp_path, learner=LearnerConfig(optimiser=OptimiserConfig(schedule="linear")))
    assert changes(dataclasses.replace(falling, steps=9), to_json(falling)) == ["steps"]


def test_a_run_is_not_written_over(folder, tmp_path):
    quiet(GrpoTrainer(config(folder, tmp_path / "run", steps=1)))
    with pytest.raises(ValueError, match="resume that run, or choose another folder"):
        GrpoTrainer(config(folder, tmp_path / "run", steps=1))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"group_size": 1}, "group_size"),
        ({"steps": 0}, "steps"),
        ({"eval_split": "train"}, "never trained on"),
        ({"eval_split": "dev"}, "unknown split"),
        ({"policy": PolicyConfig(temperature=0.0)}, "greedy"),
        ({"rewards": ()}, "at least one reward"),
        ({"rewards": ("score=much",)}, "name=weight"),
    ],
)
def test_bad_config(tmp_path, change, says):
    with pytest.raises(ValueError, match=says):
        config("model", tmp_path, **change)


def test_config_survives_json(tmp_path):
    cfg = config("model", tmp_path, learner=LearnerConfig(loss=LossConfig(kl=0.1)), minutes=3.0)
    assert dataclasses.replace(cfg, rewards=("score", "format=0.5")).reward_weights == {"score": 1.0, "format": 0.5}
    assert from_json(TrainConfig, json.loads(json.dumps(to_json(cfg)))) == cfg
    with pytest.raises(ValueError, match="config.learner.loss: unknown option 'beta'; expected .*clip_low"):
        from_json(TrainConfig, to_json(cfg) | {"learner": {"loss": {"beta": 1}}})


def test_equal_seeds_give_equal_figures(folder, tmp_path):
    for name in ("one", "two"):
        quiet(GrpoTrainer(config(folder, tmp_path / name, steps=2)))
    assert records(tmp_path / "one") == records(tmp_path / "two")
    quiet(GrpoTrainer(config(folder, tmp_path / "other", steps=2, seed=1)))
    assert records(tmp_path / "other") != records(tmp_path / "one")


def test_a_reward_of_none_leaves_the_episode_out_of_the_mean(folder, tmp_path, monkeypatch):
    """A dropped episode counts as little as an unscored one: in no share, no mean, no row."""
    if "test-drops" not in REWARDS:
        REWARDS.register("test-drops", lambda e: None if e.turns[0].completion_ids[0] % 2 else float(e.turns[0].completion_ids[0]))
    trainer = GrpoTrainer(config(folder, tmp_path / "run", rewards=("score", "test-drops=0.5"), steps=1, groups=3, group_size=4))
    seen = {}
    original = trainer.learner.update

    def update(rows, share):
        seen.update(rows=rows, share=share)
        return original(rows, share)

    monkeypatch.setattr(trainer.learner, "update", update)
    quiet(trainer)
    (step,) = read_log(tmp_path / "run", "train")
    assert step["scored"] == 12 and step["reward"] == pytest.approx(0.5 * step["reward_test-drops"]) and step["reward_score"] == 0
    assert {row.episode for row in seen["rows"]} and len({row.episode for row in seen["rows"]}) < 12
    if step["skipped_groups"] == 0:
        assert seen["share"] == 1.0


def test_a_measurement_keeps_no_more_screens_than_are_recorded(folder, tmp_path):
    trainer = GrpoTrainer(config(folder, tmp_path / "run", record=1))
    trainer.measure()
    assert [len(e.frames) > 0 for e in trainer._seen] == [True]
    trainer.log.close()


@pytest.mark.filterwarnings("ignore:.*every answer was cut")
def test_no_episode_scored_is_a_step_without_learning_not_a_crash(folder, tmp_path, monkeypatch):
    from gui_gym.desktops import DesktopError
    from gui_gym.verifiers import VERIFIERS

    def unreachable(task, desktop, outcome):
        raise DesktopError("cannot be reached")

    monkeypatch.setitem(VERIFIERS._entries, "sim", unreachable)
    trainer = GrpoTrainer(config(folder, tmp_path / "run", steps=2))
    with pytest.warns(UserWarning, match="6 of 6 episodes are unscored"):
        trainer.train()
    assert [(r["scored"], r["unscored"], "reward" in r) for r in read_log(tmp_path / "run", "train")] == [(0, 6, False)] * 2
    assert trainer.learner.version == 0


def test_weights_that_become_no_numbers_stop_the_run_and_leave_the_checkpoint(folder, tmp_path):
    import torch

    def damage(step, figures):
        if step == 2:
            with torch.no_grad():
                trainer.agent.trainable.parameters()[1].fill_(float("nan"))

    trainer = GrpoTrainer(config(folder, tmp_path / "run"), on_step=damage)
    with pytest.raises(FloatingPointError, match="damaged"):
        quiet(trainer)
    checkpoint, saved = resumable(tmp_path / "run")
    assert checkpoint.name == "step-000002"
    quiet(GrpoTrainer(saved, checkpoint))
    assert [r["step"] for r in read_log(tmp_path / "run", "train")] == [1, 2, 3, 4]


def test_a_run_that_goes_on_is_measured_by_its_last_checkpoint(folder, tmp_path):
    quiet(GrpoTrainer(config(folder, tmp_path / "run", steps=2)))
    assert weights_folder(tmp_path / "run").parent.name == "step-000002"
    assert weights_folder(tmp_path / "run" / "weights") == tmp_path / "run" / "weights"
    assert weights_folder(tmp_path / "run" / "checkpoints" / "step-000002").parent.name == "step-000002"


def documented():
    """The names in the table of figures of docs/training.md, and those that the table says are not always there."""
    text = (Path(__file__).parents[3] / "docs" / "training.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[^|]*) \|[^|]*\| ([^|]*) \|$", text[text.index("## Logs") :], re.MULTILINE)
    names = {name: when for cell, when in rows for name in re.findall(r"`([^`]+)`", cell)}
    return set(names), {name for name, when in names.items() if when.strip() != "always"}


def test_every_figure_is_documented_and_every_documented_figure_is_logged(folder, tmp_path):
    names, conditional = documented()
    learner = LearnerConfig(minibatches=2, loss=LossConfig(kl=0.05, tis_cap=2.0))
    cfg = config(folder, tmp_path / "run", learner=learner, steps=2, save_every=1, resample=1, credit="step", overlong="mask")
    quiet(GrpoTrainer(cfg))
    train, evals = read_log(tmp_path / "run", "train"), read_log(tmp_path / "run", "eval")
    learned = [record for record in train if "loss" in record]
    logged = {name for record in (*train, *evals) for name in record} - {"kind", "step", "time"}
    plain = {re.sub(r"^reward_.*", "reward_<name>", name.removeprefix("greedy_")) for name in logged}
    assert plain - names == set()
    always = names - conditional
    assert all(always <= set(record) for record in train)
    if learned:
        elsewhere = {"success_infeasible", "dropped_stale", "dropped_late", "queue", "time_wait_groups", "time_wait_learner"}
        assert names - plain - elsewhere - {"memory_gpu_allocated", "memory_gpu_reserved"} == set()
