"""Checkpoints: nothing is lost by a crash, and what comes back is what was saved."""

import json
import os
import random
import signal
import subprocess
from pathlib import Path

import pytest
import torch
from grpo_fakes import make_learner, make_rows, tiny_llama

from agents.adapters import AdapterConfig, Trainable
from agents.durable import whole_folder, write_sums
from agents.grpo import checkpoint as checkpoints
from agents.grpo.checkpoint import Checkpoint, CheckpointError


def save(root, learner, step, keep=3):
    return checkpoints.save(root, Checkpoint(step, {"lr": 1}, learner.state_dict(), {"seed": step}), learner.trainable, keep)


def parameters(learner):
    return [p.detach().clone() for p in learner.trainable.parameters()]


@pytest.mark.parametrize("adapter", [AdapterConfig(rank=4, alpha=8), AdapterConfig(train="full")], ids=["lora", "full"])
def test_resuming_gives_the_same_numbers(tmp_path, adapter):
    rows = [make_rows(tiny_llama(), seed) for seed in range(4)]
    learner = make_learner(tiny_llama(), adapter, minibatches=2)
    for step in range(4):
        learner.update(rows[step])
        if step == 1:
            save(tmp_path, learner, 2)
            drawn = random.random(), torch.rand(3)
    straight = parameters(learner)

    folder = checkpoints.find(tmp_path)
    resumed = make_learner(tiny_llama(), adapter, minibatches=2)
    resumed.trainable.load(folder / "weights")
    random.seed(5), torch.manual_seed(5)
    back = checkpoints.restore(folder)
    assert (back.step, back.config, back.cursor) == (2, {"lr": 1}, {"seed": 2})
    now = random.random(), torch.rand(3)
    assert now[0] == drawn[0] and torch.equal(now[1], drawn[1])
    resumed.load_state_dict(back.learner)
    for step in (2, 3):
        resumed.update(rows[step])
    assert resumed.version == learner.version == 4
    assert all(torch.equal(a, b) for a, b in zip(straight, parameters(resumed), strict=True))


@pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing")
def test_adapter_loads_with_plain_peft(tmp_path):
    from peft import PeftModel

    learner = make_learner(tiny_llama())
    learner.update(make_rows(tiny_llama()))
    folder = save(tmp_path, learner, 1) / "weights"
    ids = torch.tensor([[2, 3, 4]])
    loaded = PeftModel.from_pretrained(tiny_llama(), folder)
    assert torch.equal(loaded(input_ids=ids).logits, learner.trainable.model(input_ids=ids).logits)


def test_the_last_ones_are_kept_and_found_by_name(tmp_path):
    learner = make_learner(tiny_llama())
    for step in (1, 2, 10, 9):
        save(tmp_path, learner, step, keep=3)
    assert checkpoints.steps(tmp_path) == [2, 9, 10]
    assert checkpoints.find(tmp_path).name == "step-000010"
    for name in ("9", "step-000009"):
        assert checkpoints.find(tmp_path, name).name == "step-000009"
    assert checkpoints.find(tmp_path / "step-000002") == tmp_path / "step-000002"
    with pytest.raises(CheckpointError, match="2, 9, 10"):
        checkpoints.find(tmp_path, "5")


def test_saving_a_step_again_replaces_it(tmp_path):
    learner = make_learner(tiny_llama())
    save(tmp_path, learner, 1)
    learner.version = 7
    folder = save(tmp_path, learner, 1)
    assert checkpoints.restore(folder).learner["version"] == 7
    assert [p.name for p in tmp_path.iterdir()] == ["step-000001"]


@pytest.mark.parametrize("where", ["save_pretrained", "torch.save", "fsync", "rename"])
def test_a_failure_while_writing_leaves_the_last_one(tmp_path, monkeypatch, where):
    learner = make_learner(tiny_llama())
    save(tmp_path, learner, 1)

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    owner, name = {
        "save_pretrained": (type(learner.trainable.model), "save_pretrained"),
        "torch.save": (torch, "save"),
        "fsync": (os, "fsync"),
        "rename": (Path, "rename"),
    }[where]
    monkeypatch.setattr(owner, name, full)
    with pytest.raises(CheckpointError, match="No space.*the last one, step 1, is as it was"):
        save(tmp_path, learner, 2)
    monkeypatch.undo()
    assert [p.name for p in tmp_path.iterdir()] == ["step-000001"]
    assert checkpoints.restore(checkpoints.find(tmp_path)).step == 1


def test_sigkill_while_writing_leaves_the_last_one(tmp_path):
    learner = make_learner(tiny_llama())
    save(tmp_path, learner, 1)
    pid = os.fork()
    if pid == 0:
        try:
            checkpoints.torch.save = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
            save(tmp_path, learner, 2)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
    assert any(p.name.startswith(".partial") for p in tmp_path.iterdir())  # it really died half-way
    assert checkpoints.restore(checkpoints.find(tmp_path)).step == 1
    save(tmp_path, learner, 2)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["step-000001", "step-000002"]


def test_no_checkpoint(tmp_path):
    for root in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(CheckpointError, match="holds no checkpoint"):
            checkpoints.find(root)


def test_every_flipped_bit_is_noticed_and_the_file_named(tmp_path):
    """In any file, at any place; also a file that was cut short or is gone."""
    learner = make_learner(tiny_llama())
    save(tmp_path, learner, 1)
    folder = save(tmp_path, learner, 2)
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert {"run.json", "state.pt", "SHA256SUMS", "weights/adapter_model.safetensors", "weights/base.json"} <= set(names)
    rng = random.Random(0)
    for name in names:
        path, whole = folder / name, (folder / name).read_bytes()
        at = rng.randrange(len(whole))
        flipped = whole[:at] + bytes([whole[at] ^ 1 << rng.randrange(8)]) + whole[at + 1 :]
        for damaged in (flipped, whole[:-2], b""):
            path.write_bytes(damaged)
            with pytest.raises(CheckpointError, match="step-000002 (is damaged|has format)"):
                checkpoints.check(folder)
            if name not in ("run.json", "SHA256SUMS"):
                with pytest.raises(CheckpointError, match=f"{name} is not .*resume from step 1, which is whole"):
                    checkpoints.check(folder)
            with pytest.warns(UserWarning, match="going on from step-000001, the newest that is whole"):
                assert checkpoints.find(tmp_path).name == "step-000001"
            with pytest.raises(CheckpointError, match="step-000002"):  # asked for by name, nothing else is taken
                checkpoints.find(tmp_path, "2")
        path.unlink()
        with pytest.raises(CheckpointError, match="is missing|cannot be read"):
            checkpoints.check(folder)
        path.write_bytes(whole)
    checkpoints.check(folder)
    assert subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=folder).returncode == 0  # as anybody can check


def test_a_checkpoint_is_hashed_once_unless_it_was_written_to(tmp_path, monkeypatch):
    folder, hashed = save(tmp_path, make_learner(tiny_llama()), 1), []
    damage = checkpoints.damage
    monkeypatch.setattr(checkpoints, "damage", lambda folder: hashed.append(folder.name) or damage(folder))
    for _ in range(2):
        checkpoints.find(tmp_path)
        checkpoints.check(folder)
    assert hashed == ["step-000001"]
    (folder / "weights" / "more").touch()
    with pytest.raises(CheckpointError, match="more is not in SHA256SUMS"):
        checkpoints.check(folder)
    save(tmp_path, make_learner(tiny_llama()), 1)  # takes its name
    checkpoints.check(folder)
    assert len(hashed) == 3


@pytest.mark.parametrize("here", [0, 1, 2])
def test_random_states_go_to_the_gpus_that_are_here_and_another_number_of_them_is_told(tmp_path, monkeypatch, recwarn, here):
    states, given = [torch.tensor([1]), torch.tensor([2])], {}
    learner = make_learner(tiny_llama())
    state = Checkpoint(1, {}, learner.state_dict(), {})
    folder = checkpoints.save(tmp_path, state, learner.trainable, randomness=checkpoints.random_state() | {"cuda": states})
    monkeypatch.setattr(torch.cuda, "device_count", lambda: here)
    monkeypatch.setattr(torch.cuda, "set_rng_state", lambda state, device: given.update({device: int(state)}))
    checkpoints.restore(folder)
    assert given == dict(list({0: 1, 1: 2}.items())[:here])
    told = [str(warning.message) for warning in recwarn if "in sight" in str(warning.message)]
    assert len(told) == (here != 2) and all(f"saved with 2 GPUs in sight, and here are {here}" in text for text in told)


def test_all_of_them_damaged(tmp_path):
    for step in (1, 2):
        (save(tmp_path, make_learner(tiny_llama()), step) / "state.pt").write_bytes(b"PK")
    with pytest.raises(CheckpointError, match="step-000002 is damaged, state.pt.*no older one is whole: start the run anew"):
        checkpoints.find(tmp_path)


@pytest.mark.parametrize("about", [{"format": 1}, {"format": 99}, {"format": None}])
def test_another_version(tmp_path, about):
    folder = save(tmp_path, make_learner(tiny_llama()), 1)
    (folder / "run.json").write_text(json.dumps(json.loads((folder / "run.json").read_text()) | about))
    for use in (checkpoints.check, checkpoints.read, checkpoints.restore, lambda f: checkpoints.find(f.parent)):
        with pytest.raises(CheckpointError, match=f"format {about['format']}, expected {checkpoints.FORMAT}: .*another version of gui-gym"):
            use(folder)


def test_the_best_is_kept_besides_the_last_ones(tmp_path):
    learner = make_learner(tiny_llama())
    for step, best in ((0, None), (1, 1), (2, 1), (3, 3), (4, 3), (5, 3), (6, 3)):
        checkpoints.save(tmp_path, Checkpoint(step, {}, learner.state_dict(), {}, best), learner.trainable, keep=2)
        if step == 0:
            with pytest.raises(CheckpointError, match="no best checkpoint: nothing was measured"):
                checkpoints.find(tmp_path, "best")
    assert checkpoints.steps(tmp_path) == [3, 5, 6]
    assert checkpoints.find(tmp_path, "best").name == "step-000003"
    assert checkpoints.find(tmp_path).name == "step-000006"
    checkpoints.drop_after(tmp_path, 4)
    assert checkpoints.steps(tmp_path) == [3]


def test_weights_that_are_no_numbers_are_not_saved(tmp_path):
    learner = make_learner(tiny_llama())
    save(tmp_path, learner, 1)
    with torch.no_grad():
        learner.trainable.parameters()[-1].view(-1)[0] = float("nan")
    with pytest.raises(FloatingPointError, match="weights that are no numbers are not saved"):
        save(tmp_path, learner, 2)
    assert checkpoints.steps(tmp_path) == [1]


def test_weights_that_do_not_fit(tmp_path):
    folder = save(tmp_path, make_learner(tiny_llama()), 1) / "weights"
    with pytest.raises(ValueError, match="same model and rank"):
        Trainable(tiny_llama(), AdapterConfig(rank=2, alpha=8), folder)
    with pytest.raises(ValueError, match="trained with alpha 8, not 4"):  # the tensors fit, and would be another policy
        Trainable(tiny_llama(), AdapterConfig(rank=4, alpha=4), folder)
    with pytest.raises(ValueError, match="does not fit the model"):
        Trainable(tiny_llama(), AdapterConfig(rank=4, alpha=8, targets=".*q_proj"), folder)
    with pytest.raises(FileNotFoundError, match="train='full'"):
        Trainable(tiny_llama(), AdapterConfig(train="full"), folder)


def test_state_is_data_not_code(tmp_path):
    """A checkpoint from elsewhere runs nothing when it is read."""
    folder = save(tmp_path, make_learner(tiny_llama()), 1)

    class Evil:
        def __reduce__(self):
            return os.system, (f"touch {tmp_path}/ran",)

    torch.save({"learner": Evil()}, folder / "state.pt")
    write_sums(folder)  # whoever can write the one can write the other
    with pytest.raises(CheckpointError, match="damaged"):
        checkpoints.restore(folder)
    assert not (tmp_path / "ran").exists()


def test_an_adapter_of_another_model_is_refused_not_ignored(tmp_path):
    """peft loads what it finds and warns at most: the policy would act without the rest."""
    from safetensors.torch import load_file, save_file

    from agents.adapters import attach

    folder = save(tmp_path, make_learner(tiny_llama()), 1) / "weights"
    tensors = load_file(folder / "adapter_model.safetensors")
    attach(tiny_llama(), folder)
    save_file({name: value for name, value in tensors.items() if "layers.1" not in name}, folder / "adapter_model.safetensors")
    with pytest.raises(ValueError, match="does not fit the model, it was trained on another"):
        attach(tiny_llama(), folder)


def test_an_adapter_on_other_weights_of_the_same_shapes_is_refused(tmp_path):
    """The bare model instead of the warmed-up one: everything fits, and nothing works."""
    from agents.adapters import attach

    folder = save(tmp_path, make_learner(tiny_llama()), 1) / "weights"
    adapter = AdapterConfig(rank=4, alpha=8)
    for use in (lambda m: attach(m, folder), lambda m: Trainable(m, adapter, folder), lambda m: Trainable(m, adapter, resume=folder)):
        use(tiny_llama())
        with pytest.raises(ValueError, match="trained on another: expected the model.name of that run"):
            use(tiny_llama(seed=1))
        use(tiny_llama(seed=1).bfloat16())  # in another precision it cannot be told
    (folder / "base.json").unlink()
    attach(tiny_llama(seed=1), folder)  # peft's own adapters do not say


def test_final_weights_are_replaced_whole(tmp_path, monkeypatch):
    trainable = make_learner(tiny_llama()).trainable

    class Processor:
        def save_pretrained(self, folder):
            (folder / "preprocessor_config.json").write_text("{}")

    trainable.export(tmp_path / "weights", Processor())
    before = (tmp_path / "weights" / "adapter_model.safetensors").read_bytes()
    with torch.no_grad():
        trainable.parameters()[1].add_(1.0)

    class Full:
        def save_pretrained(self, folder):
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        trainable.export(tmp_path / "weights", Full())
    assert (tmp_path / "weights" / "adapter_model.safetensors").read_bytes() == before
    trainable.export(tmp_path / "weights", Processor())
    assert (tmp_path / "weights" / "adapter_model.safetensors").read_bytes() != before
    assert [p.name for p in tmp_path.iterdir()] == ["weights"]


@pytest.mark.parametrize("swaps", [True, False], ids=["exchange", "two renames"])
def test_a_folder_takes_the_place_of_another_whole(tmp_path, monkeypatch, swaps):
    from agents import durable

    if not swaps:  # as on file systems without renameat2
        monkeypatch.setattr(durable.ctypes, "CDLL", lambda *_, **__: object())
    for text in ("one", "two"):
        with whole_folder(tmp_path / "it") as partial:
            (partial / "file").write_text(text)
        assert (tmp_path / "it" / "file").read_text() == text and [p.name for p in tmp_path.iterdir()] == ["it"]
    with pytest.raises(ZeroDivisionError), whole_folder(tmp_path / "it") as partial:
        (partial / "file").write_text("three")
        raise ZeroDivisionError
    assert (tmp_path / "it" / "file").read_text() == "two" and [p.name for p in tmp_path.iterdir()] == ["it"]
