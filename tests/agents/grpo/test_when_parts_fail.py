"""An engine, desktops or numbers that fail in the middle of a run: never a score, never a damaged checkpoint, always a way on."""

import dataclasses
import shutil
import warnings
from pathlib import Path

import pytest
import torch

from agents.adapters import AdapterConfig, weights_folder
from agents.config import EnvConfig, ModelConfig, PolicyConfig
from agents.engines.base import EngineError
from agents.engines.transformers_engine import TransformersEngine
from agents.evaluation import EvalResult
from agents.grpo import checkpoint as checkpoints
from agents.grpo import trainer as trainers
from agents.grpo.config import TrainConfig
from agents.grpo.figures import lasting
from agents.grpo.learner import GrpoLearner, LearnerConfig
from agents.grpo.trainer import GrpoTrainer, NothingScoredError, resumable
from agents.logs import read_log
from agents.optimiser import DivergedError, OptimiserConfig
from agents.rewards import REWARDS
from gui_gym.desktops import DesktopError
from gui_gym.verifiers import VERIFIERS

pytestmark = pytest.mark.filterwarnings("ignore:.*(could not be read|every answer was cut|nothing to learn|are unscored|forked)")


@pytest.fixture(scope="module", autouse=True)
def brevity():
    if "test-brevity" not in REWARDS:
        REWARDS.register("test-brevity", lambda episode: -sum(len(turn.completion_ids) + turn.completion_ids[0] / 1000 for turn in episode.turns))


@pytest.fixture
def config(vlm_folder, tmp_path):
    return config_of(vlm_folder(), tmp_path / "run")


def config_of(model, out):
    return TrainConfig(
        ModelConfig(str(model), threads=1),
        out,
        EnvConfig(task="press-the-button", width=112, height=112, max_steps=1, auto_verify=True),
        PolicyConfig(frame="grid:10", system="", max_new_tokens=4),
        AdapterConfig(rank=4),
        LearnerConfig(passes=1),
        rewards=("test-brevity",),
        steps=3,
        groups=1,
        group_size=3,
        eval_every=0,
        eval_episodes=2,
        eval_greedy=False,
        save_every=10,
        record=0,
        logs=(),
    )


def records(out):
    return [lasting(record) for record in read_log(out)]


def finish(out):
    checkpoint, saved = resumable(out)
    return GrpoTrainer(saved, checkpoint).train()


@pytest.fixture(scope="module")
def straight(vlm_folder, tmp_path_factory):
    """What an undisturbed run logs, and its weights."""
    out = tmp_path_factory.mktemp("straight") / "run"
    GrpoTrainer(config_of(vlm_folder(), out)).train()
    return records(out), (out / "weights" / "adapter_model.safetensors").read_bytes()


def same(out, straight):
    return (records(out), (out / "weights" / "adapter_model.safetensors").read_bytes()) == straight


@pytest.mark.parametrize("call", [1, 4])
def test_an_engine_that_is_gone_ends_the_run_which_goes_on_when_it_is_back(config, straight, monkeypatch, call):
    original, calls = TransformersEngine.generate, []

    def generate(self, *args):
        calls.append(1)
        if len(calls) >= call:
            raise EngineError("nothing listens at http://127.0.0.1:1")
        return original(self, *args)

    monkeypatch.setattr(TransformersEngine, "generate", generate)
    with pytest.warns(UserWarning, match=f"the run is saved as of step {max(call - 2, 0)}: gui-agents train --resume"), pytest.raises(EngineError):
        GrpoTrainer(config).train()
    monkeypatch.undo()
    assert [r["step"] for r in read_log(config.out, "train")] == list(range(1, call - 1))  # nothing was scored 0 for it
    finish(config.out)
    assert same(config.out, straight)


def test_desktops_that_do_not_come_up_are_tried_again_with_the_same_result(config, straight, monkeypatch):
    original, failures = trainers.Collector.collect, iter([1, 1, 0, 0, 0, 0])
    monkeypatch.setattr(trainers.interrupts, "wait", lambda seconds: None)

    def collect(self, step, note):
        if next(failures):
            raise DesktopError("no display could be opened")
        return original(self, step, note)

    monkeypatch.setattr(trainers.Collector, "collect", collect)
    with pytest.warns(UserWarning, match="no display could be opened; trying again in 2 s"):
        GrpoTrainer(config).train()
    assert same(config.out, straight)


def test_desktops_that_never_come_up_end_the_run(config, straight, monkeypatch):
    def collect(self, step, note):
        raise DesktopError("no display could be opened")

    monkeypatch.setattr(trainers.interrupts, "wait", lambda seconds: None)
    monkeypatch.setattr(trainers.Collector, "collect", collect)
    with pytest.warns(UserWarning, match="the run is saved as of step 0"), pytest.raises(DesktopError, match="no display"):
        GrpoTrainer(config).train()
    monkeypatch.undo()
    finish(config.out)
    assert same(config.out, straight)


def test_steps_in_a_row_without_a_score_end_the_run(config, monkeypatch):
    def unreachable(task, desktop, outcome):
        raise DesktopError("cannot be reached")

    monkeypatch.setitem(VERIFIERS._entries, "sim", unreachable)
    config = dataclasses.replace(config, max_unscored=2, steps=9)
    with pytest.raises(NothingScoredError, match=r"no episode was scored in 2 steps in a row \(.*cannot be reached.*gui-gym doctor"):
        GrpoTrainer(config).train()
    checkpoint, saved = resumable(config.out)
    assert checkpoint.name == "step-000002" and all(r["scored"] == 0 and "reward" not in r for r in read_log(config.out, "train"))
    assert checkpoints.read(checkpoint).best is None  # of what nobody could measure
    with pytest.raises(NothingScoredError, match="in 3 steps in a row"):  # still broken: it does not begin to count anew
        GrpoTrainer(saved, checkpoint).train()
    monkeypatch.undo()
    trainer = GrpoTrainer(dataclasses.replace(saved, steps=4), resumable(config.out)[0])
    trainer.train()
    assert trainer.cursor.unscored == 0 and [r["step"] for r in read_log(config.out, "train")] == [1, 2, 3, 4]


def spoil(trainer, monkeypatch, bad):
    """The forward passes with a gradient whose numbers are in ``bad`` give no numbers."""
    model = trainer.agent.trainable.model.get_base_model()
    original, calls = model.forward, []

    def forward(*args, **kwargs):
        out = original(*args, **kwargs)
        if out.logits.requires_grad:
            calls.append(1)
            if len(calls) in bad:
                out.logits = out.logits * float("nan")
        return out

    monkeypatch.setattr(model, "forward", forward)


def finite(trainer):
    return all(bool(torch.isfinite(p).all()) for p in trainer.agent.trainable.parameters())


def test_a_micro_batch_without_numbers_costs_an_update_and_not_the_run(config, monkeypatch):
    trainer = GrpoTrainer(config)
    monkeypatch.setattr(GrpoLearner, "_compare", lambda *_: None)
    forwards = iter([])
    original = GrpoLearner._backward

    def backward(self, *args):
        total, kept = original(self, *args)
        return (float("nan"), kept) if next(forwards, 0) else (total, kept)

    monkeypatch.setattr(GrpoLearner, "_backward", backward)
    forwards = iter([0, 1, 0])
    trainer.train()
    assert [r["skipped_updates"] for r in read_log(config.out, "train")] == [0, 1, 1]
    assert [r["loss"] is None for r in read_log(config.out, "train")] == [False, True, False]
    assert finite(trainer)


def test_numbers_that_stay_away_end_the_run_and_the_last_checkpoint_is_good(config, monkeypatch):
    config = dataclasses.replace(config, steps=9, save_every=2, learner=LearnerConfig(passes=1, optimiser=OptimiserConfig(max_bad_steps=2)))
    trainer = GrpoTrainer(config)
    spoil(trainer, monkeypatch, range(4, 99))
    with pytest.raises(DivergedError, match=r"2 updates in a row had loss nan.*Begin anew from the last checkpoint \(model.adapter\)"):
        trainer.train()
    assert finite(trainer)
    anew = dataclasses.replace(config, out=config.out.parent / "anew", steps=1, model=dataclasses.replace(config.model, adapter=config.out))
    other = GrpoTrainer(anew)
    assert finite(other)
    other.train()


class Apart:
    """An engine that holds the weights it was given, as a server does, and samples from them."""

    apart = True

    def __init__(self, agent, config):
        self.inner, self.agent = TransformersEngine(agent.model, agent.vision), agent
        self.policy_version, self.max_length = 0, self.inner.max_length
        self.given: list[Path] = []
        self.seen: list[bytes] = []

    def generate(self, prompts, sampling, seeds):
        assert weights_of(self.given[-1]) == self.seen[-1]
        completions = self.inner.generate(prompts, sampling, seeds)
        return [dataclasses.replace(c, policy_version=self.policy_version) for c in completions]

    def update_weights(self, policy_version, weights=None):
        assert weights not in self.given and all(folder.exists() for folder in self.given[-1:])
        self.given.append(weights)
        self.seen.append(weights_of(weights))
        self.policy_version = policy_version

    def close(self):
        self.closed = True


def weights_of(folder):
    return (folder / "adapter_model.safetensors").read_bytes()


def test_an_engine_apart_is_given_each_version_and_a_resumed_run_gives_it_again(config, straight, monkeypatch):
    original, made = trainers.load_agent, []

    def load(*args, **kwargs):
        agent = original(*args, **kwargs)
        agent.engine = Apart(agent, config)
        made.append(agent.engine)
        return agent

    monkeypatch.setattr(trainers, "load_agent", load)

    class Cut(Exception):
        pass

    def cut(step, figures):
        if step == 2:
            raise Cut

    with pytest.raises(Cut):
        GrpoTrainer(dataclasses.replace(config, save_every=1), on_step=cut).train()
    checkpoint, saved = resumable(config.out)
    GrpoTrainer(saved, checkpoint).train()
    assert same(config.out, straight)
    first, second = made
    assert [len(first.given), len(second.given)] == [3, 2] and first.closed and second.closed
    assert [path for path in (config.out / "engine").iterdir()] == [second.given[-1]]  # the others went once they were not sampled from
    assert second.seen == [weights_of(checkpoint / "weights"), straight[1]] and first.seen[-1] == second.seen[0]


def test_the_best_by_validation_is_kept_and_found(config, monkeypatch):
    rates = iter([0.25, 0.75, 0.75, 0.5, 0.0, 0.1])
    original = EvalResult.figures

    def measure(self):
        return {"success": next(rates), "scored": 2.0}

    monkeypatch.setattr(GrpoTrainer, "measure", measure)
    config = dataclasses.replace(config, steps=4, eval_every=1, keep=1)
    trainer = GrpoTrainer(config)
    trainer.train()
    assert original is EvalResult.figures
    assert checkpoints.steps(config.out / "checkpoints") == [2, 4]  # of equal ones the later
    assert (trainer.cursor.best, trainer.cursor.best_success) == (2, 0.75)
    assert resumable(config.out, "best")[0].name == weights_folder(config.out, "best").parent.name == "step-000002"
    assert resumable(config.out)[0].name == "step-000004"
    last = config.out / "checkpoints" / "step-000004" / "weights" / "adapter_model.safetensors"
    assert last.read_bytes() == (config.out / "weights" / "adapter_model.safetensors").read_bytes()

    shutil.rmtree(resumable(config.out, "best")[0])  # as later steps do, which are done again if they are damaged
    checkpoint, saved = resumable(config.out)
    again = GrpoTrainer(dataclasses.replace(saved, steps=5), checkpoint)
    assert again.cursor.best is None
    again.train()
    assert resumable(config.out, "best")[0].name == "step-000005"


def test_settings_that_newer_versions_add_do_not_keep_an_older_run_from_going_on(config):
    trainer = GrpoTrainer(dataclasses.replace(config, steps=1))
    trainer.train()
    import json

    from agents.durable import write_sums

    checkpoint, saved = resumable(config.out)
    about = json.loads((checkpoint / "run.json").read_text())
    del about["config"]["resample"]  # as if it had not been there yet
    (checkpoint / "run.json").write_text(json.dumps(about))
    write_sums(checkpoint)
    GrpoTrainer(dataclasses.replace(saved, steps=2), checkpoint).train()
    assert [r["step"] for r in read_log(config.out, "train")] == [1, 2]


def test_a_log_that_lost_lines_is_told_of_and_the_run_goes_on(config):
    GrpoTrainer(dataclasses.replace(config, steps=2)).train()
    path = config.out / "metrics.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    checkpoint, saved = resumable(config.out)
    with pytest.warns(UserWarning, match="shorter than when the run was saved: lines of it are lost"):
        trainer = GrpoTrainer(dataclasses.replace(saved, steps=3), checkpoint)
    with warnings.catch_warnings():
        trainer.train()
    assert [r["step"] for r in read_log(config.out, "train")] == [1, 2, 3]
