"""An asynchronous run over the stub of a server: rollouts in threads, updates, weights sent while requests are under way, resumed."""

import dataclasses
import json
import warnings

import pytest

from agents.config import EngineConfig, EnvConfig, ModelConfig, PolicyConfig
from agents.grpo.config import TrainConfig
from agents.grpo.learner import LearnerConfig
from agents.grpo.loss import LossConfig
from agents.grpo.trainer import GrpoTrainer, resumable
from agents.logs import read_log
from agents.rewards import REWARDS


@pytest.fixture
def config(stub, vlm_folder, tmp_path):
    if "test-first-token" not in REWARDS:  # differs between the episodes of an untrained model
        REWARDS.register("test-first-token", lambda episode: -sum(turn.completion_ids[0] / 1000 for turn in episode.turns))
    return TrainConfig(
        ModelConfig(str(vlm_folder()), threads=1), tmp_path / "run",
        EnvConfig(task="press-the-button", width=112, height=112, max_steps=2),
        PolicyConfig(frame="grid:10", system="", max_new_tokens=5),
        learner=LearnerConfig(passes=1, loss=LossConfig(tis_cap=2.0)), engine=EngineConfig("vllm", stub.url, timeout=20.0, concurrency=8),
        rewards=("test-first-token",), mode="async", max_staleness=1, steps=3, groups=2, group_size=2, eval_every=0, eval_episodes=2,
        eval_greedy=False, save_every=1, logs=(),
    )  # fmt: skip


def train(config, resume=None):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(could not be read|every answer was cut|cut at policy)")
        trainer = GrpoTrainer(config, resume)
        trainer.train()
    return trainer


def test_an_asynchronous_run_learns_is_never_too_stale_and_goes_on(config):
    trainer = train(config)
    steps = read_log(config.out, "train")
    assert [record["step"] for record in steps] == [1, 2, 3] and trainer.learner.version == 3
    assert all(0 <= record["staleness_max"] <= 1 for record in steps)
    assert all({"queue", "time_wait_groups", "time_wait_learner", "dropped_stale", "dropped_late"} <= record.keys() for record in steps)
    assert all(record["groups"] == 2 and record["grad_norm"] > 0 for record in steps)
    checkpoint, _ = resumable(config.out)
    groups = json.loads((checkpoint / "run.json").read_text())["cursor"]["groups"]
    handed = set(range(groups["next"])) - set(groups["again"])
    assert len(handed) == 6 + sum(record["dropped_stale"] + record["dropped_late"] for record in steps)
    more = train(dataclasses.replace(config, steps=4), checkpoint)
    assert more.step == 4 and [record["step"] for record in read_log(config.out, "train")] == [1, 2, 3, 4]
