"""A run that is killed, interrupted or has no room left goes on as if nothing had happened: with the real command, in a process of its own."""

import json
import random
import re
from hashlib import sha256

import pytest
import torch
from kill_points import NO_NAMESPACE
from zygote import Zygote

from agents.grpo import checkpoint as checkpoints
from agents.logs import read_log


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    from agents.tiny_vlm import build_tiny_vlm

    folder = tmp_path_factory.mktemp("vlm")
    build_tiny_vlm(folder, image_size=56, hidden=32, layers=1)
    return folder


@pytest.fixture(scope="module")
def zygote():
    zygote = Zygote()
    yield zygote
    zygote.close()


#: Two ways to train that keep their state in different places.
WAYS = {
    "lora": "--adapter.rank 4 --adapter.targets all --learner.minibatches 2 --resample 1",
    "full": "--adapter.train full --learner.loss.kl 0.05 --learner.optimiser.schedule cosine --learner.optimiser.warmup-steps 2 --credit step",
}


def train(model, out, way="lora", steps=3):
    env = "--env.task press-the-button --env.width 112 --env.height 112 --env.max-steps 2 --env.auto-verify"
    run = f"--rewards brevity --steps {steps} --groups 2 --group-size 3 --eval-every 2 --eval-episodes 3 --save-every 1 --keep 2 --record 1 --logs"
    text = f"train --model.name {model} --model.threads 1 --out {out} {env} --policy.frame grid:10 --policy.max-new-tokens 6 {run} {WAYS[way]} --json"
    return [*text.split(), "--policy.system", ""]


def resume(out):
    return ["train", "--resume", str(out), "--json"]


def plain(value):
    """Tensors as bytes, so that they can be compared."""
    if isinstance(value, torch.Tensor):
        return value.dtype, value.shape, value.numpy().tobytes()
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def result(out):
    """All that a run leaves, but times: log, weights, and the state in each of its checkpoints."""
    left = {"log": [{k: v for k, v in r.items() if not k.startswith("time")} for r in read_log(out)]}
    for path in sorted(out.rglob("*")):
        if path.suffix in (".safetensors", ".png") or path.name in ("episode.json", "base.json"):
            left[str(path.relative_to(out))] = sha256(path.read_bytes()).hexdigest()
    for step in checkpoints.steps(out / "checkpoints"):
        folder = checkpoints.find(out / "checkpoints", str(step))
        about = json.loads((folder / "run.json").read_text())
        left[folder.name] = plain(torch.load(folder / "state.pt")), about["python_rng"], {k: v for k, v in about["cursor"].items() if k != "log"}
    assert not list(out.rglob(".partial*")) and (out / "weights").is_dir()
    return left


@pytest.fixture(scope="module")
def straight(model, zygote, tmp_path_factory):
    """``straight(way)``: what an uninterrupted run leaves, and the calls that it made (see :mod:`kill_points`)."""
    known, roots = {}, {}

    def get(way):
        if way not in known:
            root = roots[way] = tmp_path_factory.mktemp(way)
            status, text = zygote.run(train(model, root / "run", way), counts=str(root / "counts"))
            assert status == 0, text
            known[way] = result(root / "run"), json.loads((root / "counts").read_text())
        return known[way]

    get.root = lambda way: get(way) and roots[way] / "run"
    return get


def go_on(zygote, model, out, way, **job):
    """Resume the run, or begin it where it died before its first checkpoint."""
    there = bool(checkpoints.steps(out / "checkpoints"))
    return zygote.run(resume(out) if there else train(model, out, way), **job)


@pytest.mark.parametrize("way", WAYS)
def test_a_run_that_is_killed_again_and_again_gives_the_same_numbers(zygote, model, straight, tmp_path, way):
    wanted, calls = straight(way)
    out, rng, killed = tmp_path / "run", random.Random(way), 0
    while killed < 4:
        status, text = go_on(zygote, model, out, way, at=rng.randrange(1, len(calls) // 2))
        if status == 0:
            break
        assert status == -9, text
        killed += 1
    assert killed >= 2
    if status:
        status, text = go_on(zygote, model, out, way)
        assert status == 0, text
    assert result(out) == wanted


@pytest.mark.parametrize(
    ("name", "where", "at", "step"),
    [
        ("SIGINT", "generate", 1, 0),  # the first measurement, which is left
        ("SIGINT", "generate", 5, 0),  # collecting
        ("SIGTERM", "optimiser", 3, 1),  # an update, which is finished
        ("SIGINT", "state", 2, 0),  # a checkpoint, which is written
    ],
)
def test_a_signal_saves_and_ends_the_run_and_it_goes_on_from_there(zygote, model, straight, tmp_path, name, where, at, step):
    out = tmp_path / "run"
    status, text = zygote.run(train(model, out), only=where, at=at, signals=[name])
    assert status == {"SIGINT": 130, "SIGTERM": 143}[name], text
    assert "stopping: the run is saved first. Once more to stop now" in text and "Traceback" not in text
    assert f"gui-agents: stopped by {name}, the run is saved as of step {step}: gui-agents train --resume {out} goes on" in text
    assert checkpoints.steps(out / "checkpoints")[-1] == step
    status, text = zygote.run(resume(out))
    assert status == 0, text
    assert result(out) == straight("lora")[0]


def test_a_signal_during_the_last_export_is_no_reason_not_to_finish(zygote, model, straight, tmp_path):
    wanted, calls = straight("lora")
    out = tmp_path / "run"
    status, text = zygote.run(train(model, out), only="weights", at=calls.count("weights"), signals=["SIGINT"])
    assert status == 0, text
    assert result(out) == wanted


@pytest.mark.parametrize("where", ["generate", "optimiser", "state"])
def test_a_second_signal_ends_it_at_once(zygote, model, straight, tmp_path, where):
    out = tmp_path / "run"
    status, text = zygote.run(train(model, out), only=where, at=5, signals=["SIGINT", "SIGINT"])
    assert status == 130 and "Traceback" not in text, text
    assert "saved as of" not in text
    status, text = zygote.run(resume(out))
    assert status == 0, text
    assert result(out) == straight("lora")[0]


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_full_disk_stops_the_run_with_a_message_and_with_more_room_it_goes_on(zygote, model, straight, tmp_path, part):
    fill_the_disk(zygote, model, straight, tmp_path, part)


def fill_the_disk(zygote, model, straight, tmp_path, part):
    """A run on a disk that holds ``part`` of what it leaves; then with more room."""
    root = straight.root("lora")
    (disk := tmp_path / "disk").mkdir()
    needed = sum(path.stat().st_blocks // 2 for path in root.rglob("*"))
    job = {"disk": str(disk), "kilobytes": max(int(part * needed), 4), "again": resume(disk / "run"), "copy": str(tmp_path / "copy")}
    status, text = zygote.run(train(model, disk / "run"), **job)
    if status == NO_NAMESPACE:
        pytest.skip("a process may not have a disk of its own here")
    assert status == 0, text
    assert "first: 1" in text or "first: 2" in text, text
    assert "Traceback" not in text and re.search("No space left on device|could not be written", text), text
    assert result(tmp_path / "copy") == straight("lora")[0]
