"""A warm-up that is killed or interrupted goes on as if nothing had happened: the real command, in a process of its own."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "grpo"))
from killed_runs import plain
from zygote import Zygote

from agents.cli import main
from agents.evaluation import EvalResult
from agents.grpo import checkpoint as checkpoints
from agents.logs import read_log


@pytest.fixture(scope="module")
def zygote():
    zygote = Zygote()
    yield zygote
    zygote.close()


@pytest.fixture(scope="module")
def warm(vlm_folder):
    """``warm(out)``: arguments of a new warm-up."""
    model = f"--model.name {vlm_folder()} --model.threads 1 --policy.frame grid:10 --policy.max-new-tokens 6 --adapter.rank 4"
    env = "--env.task press-the-button --env.width 112 --env.height 112 --env.max-steps 1 --env.auto-verify"
    run = "--supervised.batch 3 --supervised.eval-every 2 --eval-episodes 3 --save-every 1 --logs --demonstrations.noise 5"
    return lambda out, steps=4: [*f"warmup {model} {env} {run} --supervised.max-steps {steps} --out {out} --json".split(), "--policy.system", ""]


@pytest.fixture(scope="module")
def straight(zygote, warm, tmp_path_factory):
    """Folder of an undisturbed run, and all that it left."""
    out = tmp_path_factory.mktemp("warm") / "run"
    status, text = zygote.run(warm(out))
    assert status == 0, text
    return out, left(out)


def left(out):
    log = [{k: v for k, v in r.items() if not k.startswith("time")} for r in read_log(out)]
    last = checkpoints.restore(checkpoints.find(out / "checkpoints"))
    assert not list(out.rglob(".partial*")) and checkpoints.steps(out / "checkpoints") == [4]
    return log, plain(last.learner), last.cursor["drawn"], (out / "weights" / "adapter_model.safetensors").read_bytes()


def go_on(zygote, warm, out, **job):
    return zygote.run(["warmup", "--resume", str(out), "--json"] if checkpoints.steps(out / "checkpoints") else warm(out), **job)


def test_killed_and_interrupted_again_and_again_it_gives_the_same_numbers(zygote, warm, straight, tmp_path):
    """A measurement that a signal ends is done again, and the step before it is not."""
    out = tmp_path / "run"
    for only, at in (("optimiser", 2), ("generate", 1)):
        status, text = go_on(zygote, warm, out, only=only, at=at)
        assert status == -9, (only, text)
    status, text = go_on(zygote, warm, out, only="generate", at=1, signals=["SIGINT"])
    assert status == 130 and f"the run is saved as of step 2: gui-agents warmup --resume {out} goes on" in text, text
    status, text = go_on(zygote, warm, out, only="weights", at=2)
    assert status == -9, text
    status, text = go_on(zygote, warm, out)
    assert status == 0, text
    assert left(out) == straight[1]


def test_killed_after_the_measurement_that_was_enough_it_takes_no_further_step(zygote, warm, tmp_path):
    out = tmp_path / "run"
    status, text = zygote.run([*warm(out), "--supervised.stop-greedy", "0"], only="weights", at=4)  # after steps 0, 1, 2 and, once more, 2
    assert status == -9, text
    status, text = go_on(zygote, warm, out)
    assert status == 0 and [record["step"] for record in read_log(out)] == [1, 2], text


def test_a_measurement_without_a_score_is_no_success_of_0(warm, tmp_path, capsys, monkeypatch):
    out = tmp_path / "run"
    monkeypatch.setattr("agents.warmup.run.evaluate", lambda *_, **__: EvalResult([]))
    assert main(warm(out, steps=1)) == 0
    assert main(["warmup", "--resume", str(out), "--json"]) == 0
    said = capsys.readouterr()
    nothing = {"success": None, "greedy_success": None, "weights": str(out / "weights")}
    assert said.out == 2 * (json.dumps(nothing, indent=2) + "\n") and "1/1  loss" in said.err and "success sampled unknown greedy unknown" in said.err
    (record,) = read_log(out)
    assert record["sampled"] is None and record["greedy"] is None
    assert checkpoints.read(checkpoints.find(out / "checkpoints")).cursor["success"] == [None, None]
    assert main(["report", str(out)]) == 0


def test_one_that_is_done_only_writes_its_weights_again_and_other_settings_are_refused(zygote, warm, straight, capsys):
    out, before = straight
    (out / "weights" / "adapter_model.safetensors").unlink()
    status, text = go_on(zygote, warm, out)
    assert status == 0, text
    assert left(out) == before
    assert main(["warmup", "--resume", str(out), "--supervised.batch", "4"]) == 2
    assert "was trained with other settings of supervised.batch" in capsys.readouterr().err
    assert main(["train", "--resume", str(out)]) == 2
    assert "unknown option 'demonstrations'" in capsys.readouterr().err
    assert main(["report", str(out)]) == 0
