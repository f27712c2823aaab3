"""``gui-agents``, as it is called."""

import dataclasses
import json
import re
import shutil
import typing

import pytest

from agents.cli import main
from agents.cli.annotate import Annotate
from agents.cli.commands import Eval, Report, Rollout, Train, Warmup
from agents.cli.parse import parse
from agents.cli.plan import Plan
from agents.grpo import config as grpo_config
from agents.logs import read_log
from agents.warmup import run as warmup_run

ENV = "--env.task press-the-button --env.width 112 --env.height 112 --env.max-steps 1 --env.auto-verify"
POLICY = "--policy.frame grid:10 --policy.max-new-tokens 6"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    from agents.tiny_vlm import build_tiny_vlm

    folder = tmp_path_factory.mktemp("cli") / "vlm"
    build_tiny_vlm(folder, image_size=56, hidden=32, layers=1)
    return folder


def run(capsys, text):
    status = main([*text.split(), "--policy.system", ""] if "--model" in text else text.split())
    out, err = capsys.readouterr()
    assert status == 0, err
    return json.loads(out)


@pytest.mark.filterwarnings("ignore:.*(could not be read|nothing to learn|every answer was cut)")
def test_from_warm_up_to_report(model, tmp_path, capsys):
    warm = run(
        capsys,
        f"warmup --model.name {model} {ENV} {POLICY} --out {tmp_path}/warm --adapter.train full --supervised.max-steps 2 --supervised.batch 4 "
        "--eval-episodes 4 --demonstrations.noise 5 --logs --json",
    )
    assert warm == {"success": 0.0, "greedy_success": 0.0, "weights": f"{tmp_path}/warm/weights"}
    assert [r["step"] for r in read_log(tmp_path / "warm")] == [1, 2]

    options = f"--groups 1 --group-size 2 --eval-episodes 4 --logs --out {tmp_path}/run"
    trained = run(capsys, f"train --model.name {warm['weights']} {ENV} {POLICY} --steps 2 {options} --rewards score format=0.1 --json")
    assert trained["step"] == 2 and trained["episodes"] == 4
    trained_on = run(capsys, f"train --resume {tmp_path}/run --steps 3 --json")
    assert trained_on["step"] == 3
    assert [r["step"] for r in read_log(tmp_path / "run", "train")] == [1, 2, 3]

    figures = run(capsys, f"eval --model.name {warm['weights']} --model.adapter {tmp_path}/run {ENV} {POLICY} --episodes 5 --json")
    assert figures["scored"] == 5 and figures["success_low"] <= figures["success"] <= figures["success_high"]

    by_run = ["eval", "--trained", f"{tmp_path}/run", "--episodes", "5", "--json"]  # no need to say again how it was prompted
    assert main(by_run) == 0 and json.loads(capsys.readouterr().out) == figures
    asked, saved = parse(by_run), parse(["train", "--resume", f"{tmp_path}/run"]).config
    assert (asked.env, asked.policy, asked.model.name) == (saved.env, saved.policy, saved.model.name)
    assert asked.model.adapter.name == "step-000003" and parse([*by_run, "--policy.temperature", "0.5"]).policy.temperature == 0.5
    assert parse(["rollout", f"--trained={tmp_path}/run/checkpoints/step-000002"]).model.adapter.name == "step-000002"
    assert parse([*by_run, "--checkpoint", "2"]).model.adapter.name == "step-000002"
    assert parse([*by_run, "--checkpoint", "best"]).model.adapter.name == f"step-{trained_on['best_step']:06d}"

    kept = run(capsys, f"rollout --model.name {warm['weights']} {ENV} {POLICY} --episodes 3 --out {tmp_path}/seen --json")
    assert len(list((tmp_path / "seen" / "episodes").iterdir())) == kept["episodes"] == 3

    assert "holds episodes already" in fails(capsys, f"rollout --model.name {warm['weights']} --out {tmp_path}/seen")

    report = run(capsys, f"report {tmp_path}/run --json")["report"]
    page = re.sub("<[^>]+>", "", open(report).read())
    assert "GRPO: success over training" in page and page.count("step: 3") == page.count("press-the-button#") - page.count("step: 2") == 4
    assert "GRPO on press-the-button in GuiDesktop-v0: 1 groups of 2 episodes a step, rewarded by score + format=0.1, train a LoRA" in page
    assert main(["report", str(tmp_path / "warm")]) == 0  # a table for people
    assert "report.html" in re.sub(r"\s", "", capsys.readouterr().out)


def fails(capsys, text, status=2):
    assert main(text.split()) == status
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("gui-agents: ")
    return err


def test_bad_input_is_told_in_one_line(model, tmp_path, capsys):
    small = f"--episodes 1 {POLICY} --env.width 112 --env.height 112"
    assert "expected a folder with a config.json" in fails(capsys, f"eval --model.name {tmp_path}")
    assert "did you mean 'press-the-button'" in fails(capsys, f"eval --model.name {model} --env.task press-button {small}")
    assert "unknown split" in fails(capsys, f"eval --model.name {model} --split held-out {small}")
    assert "unknown codec" in fails(capsys, f"eval --model.name {model} --policy.codec dsll {small}")
    assert "holds no checkpoint" in fails(capsys, f"train --resume {tmp_path}")
    assert "holds no checkpoint" in fails(capsys, f"eval --trained {tmp_path}")
    assert "expected the folder of a run" in fails(capsys, f"report {tmp_path}")
    assert "holds no checkpoint" in fails(capsys, f"eval --model.name {model} --model.adapter {tmp_path} {small}")
    assert "unknown reward 'scor': did you mean 'score'" in fails(capsys, f"train --model.name {model} --rewards scor")
    assert "expected at least 1" in fails(capsys, f"train --model.name {model} --steps 0")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--model.device cuda:77", "no device 'cuda:77' on this machine"),
        ("--model.device toaster", "no device 'toaster'"),
        ("--model.adapter {model}", "expected the weights of a run with train='lora'"),
        ("--out {model}/config.json", "is a file: expected a folder for the run"),
        ("--env.id Nope-v0", "doesn't exist"),
        ("--env.id CartPole-v1", "is no id of GuiDesktopEnv"),
        ("--env.width 4", "too small"),
        ("--env.desktop x12", "did you mean 'x11'"),
        ("--policy.codec xml", "unknown codec"),
        ("--policy.max-new-tokens 9000", "more than the 8192 that the model can hold"),
        ("--rewards nowhere:short", "No module named 'nowhere'"),
        ("--seed -1", "seed is -1"),
        ("--record -1", "record is -1"),
        ("--minutes nan", "minutes is nan"),
    ],
)
def test_what_cannot_be_trained_is_told_before_anything_is_done(model, tmp_path, capsys, options, says):
    assert says in fails(capsys, f"train --model.name {model} --out {tmp_path}/run --env.width 112 --env.height 112 {options.format(model=model)}")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "options",
    ["--policy.temperature nan", "--policy.batch-size 0", "--policy.max-turns 0", "--policy.n 0", "--model.threads 0", "--model.cache-mb -1",
     "--learner.loss.kl nan", "--learner.loss.clip-high nan", "--learner.mismatch-stop nan", "--learner.optimiser.max-grad-norm nan",
     "--learner.optimiser.beta1 1"],
)  # fmt: skip
def test_impossible_numbers_are_refused_where_they_are_given(model, tmp_path, capsys, options):
    with pytest.raises(SystemExit) as stopped:
        main(f"train --model.name {model} --out {tmp_path}/run {options}".split())
    assert stopped.value.code == 2 and "expected" in capsys.readouterr().err and not (tmp_path / "run").exists()


def test_warnings_full_disks_and_interrupts_are_told_without_code(model, tmp_path, capsys, monkeypatch):
    options = f"--model.name {model} {ENV} {POLICY} --groups 1 --group-size 2 --steps 1 --eval-episodes 1 --logs --no-eval-greedy"
    assert main([*f"train {options} --out {tmp_path}/one --policy.system".split(), ""]) == 0
    err = capsys.readouterr().err
    assert "gui-agents: warning: step 1: every answer was cut" in err and "UserWarning" not in err and "trainer.py" not in err

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("agents.logs.RunLog.write", full)
    assert "No space left on device" in fails(capsys, f"train {options} --out {tmp_path}/two", status=1)

    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("agents.logs.RunLog.write", stop)
    assert "interrupted: train --resume goes on from the last checkpoint" in fails(capsys, f"train {options} --out {tmp_path}/three", status=130)


def test_a_run_goes_on_from_the_folder_of_one_of_its_checkpoints(model, tmp_path, capsys):
    options = "--groups 1 --group-size 2 --eval-episodes 1 --logs --no-eval-greedy --eval-every 0 --save-every 1 --json"
    run(capsys, f"train --model.name {model} {ENV} {POLICY} {options} --steps 2 --out {tmp_path}/run")
    assert run(capsys, f"train --resume {tmp_path}/run/checkpoints/step-000001 --steps 3 --json")["step"] == 3
    assert [r["step"] for r in read_log(tmp_path / "run", "train")] == [1, 2, 3]
    assert not (tmp_path / "run/checkpoints/step-000001/metrics.jsonl").exists()
    assert "has done its 3 steps" in fails(capsys, f"train --resume {tmp_path}/run")
    shutil.rmtree(tmp_path / "run" / "weights")  # as when it is killed after its last checkpoint
    again = run(capsys, f"train --resume {tmp_path}/run --json")  # measures nothing anew
    assert (again["step"], again["best_step"], again["weights"]) == (3, 3, f"{tmp_path}/run/weights")
    assert [r["step"] for r in read_log(tmp_path / "run", "eval")] == [0, 3]
    assert (tmp_path / "run" / "weights" / "adapter_model.safetensors").is_file()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"steps": "abc"}, "config.json.steps is 'abc': expected int"),
        ({"env": 3}, "env is 3: expected an object"),
        ({"scale": "mean"}, "scale is 'mean': expected 'group' or 'batch' or 'none'"),
        ({"model": {}}, "'name' is missing"),
        ({"group_size": 1}, "expected at least 2"),
    ],
)
def test_an_edited_checkpoint_is_refused(model, tmp_path, capsys, change, says):
    from agents.config import to_json
    from agents.durable import write_sums
    from agents.grpo import checkpoint as checkpoints
    from agents.grpo.config import TrainConfig

    saved = to_json(TrainConfig(typing.get_type_hints(TrainConfig)["model"](str(model)))) | change
    folder = tmp_path / "run" / "checkpoints" / "step-000001"
    (folder / "weights").mkdir(parents=True)
    about = {"format": checkpoints.FORMAT, "step": 1, "best": None, "cursor": {}, "python_rng": [], "config": saved}

    def told(text):
        (folder / "run.json").write_text(text)
        write_sums(folder)
        return fails(capsys, f"train --resume {tmp_path}/run")

    assert says.replace("config.json", "run.json") in told(json.dumps(about))
    assert "'step' is missing or of another type" in told(json.dumps(about | {"step": "one"}))
    assert "is damaged" in told("[]")
    assert "written by another version" in told(json.dumps(about | {"format": 1}))


def fields_of(kind):
    """Every option of a command: the class it is documented in, and its name."""
    hints = typing.get_type_hints(kind)
    for field in dataclasses.fields(kind):
        if dataclasses.is_dataclass(hints[field.name]):
            yield from fields_of(hints[field.name])
        else:
            yield kind, field.name


@pytest.mark.parametrize("command", [Rollout, Annotate, Warmup, Train, Plan, Eval, Report], ids=lambda c: c.__name__.lower())
def test_help_explains_every_option_with_its_default(command, capsys):
    with pytest.raises(SystemExit) as done:
        parse([command.__name__.lower(), "--help"])
    assert done.value.code == 0
    shown = capsys.readouterr().out
    options = list(fields_of(command))
    assert shown.count("(default:") + shown.count("(required)") == len(options) > 3
    for kind, name in options:
        assert re.search(rf"^ +{name}: \S.{{4,}}", kind.__doc__, re.MULTILINE), f"{kind.__name__}.{name} is not explained"
        assert name.replace("_", "-") in shown.lower(), name


@pytest.mark.parametrize(("command", "names"), [(Train, grpo_config.MAY_CHANGE), (Warmup, warmup_run.MAY_CHANGE)], ids=["train", "warmup"])
def test_help_names_what_a_resumed_run_may_be_given(command, names):
    explained = re.search(r"^ +resume: (.*?)^ +\w+: ", command.__doc__, re.MULTILINE | re.DOTALL)[1]
    servers = {name.rpartition(".")[0] if name.startswith(("engine.", "judge.")) else name for name in names}
    assert [name for name in servers - {"out"} if not re.search(rf"\b{re.escape(name)}\b", explained)] == []


def test_help_lists_the_commands(capsys):
    with pytest.raises(SystemExit):
        parse(["--help"])
    out = capsys.readouterr().out
    assert all(name in out for name in ("rollout", "annotate", "warmup", "train", "eval", "report"))
