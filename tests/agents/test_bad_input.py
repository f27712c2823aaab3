"""What cannot be is told in one line, before a model's weights are loaded or anything is written."""

import json
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from agents.cli import main
from agents.durable import write_sums

SCREEN = "--env.width 112 --env.height 112"


@pytest.fixture
def no_weights(monkeypatch):
    """Loading the weights of a model fails the test."""
    from transformers import AutoModelForImageTextToText

    def load(*args, **kwargs):
        raise AssertionError("weights were loaded before the input was checked")

    monkeypatch.setattr(AutoModelForImageTextToText, "from_pretrained", load)


def told(capsys, text):
    """What ``gui-agents`` says of a command that cannot be done: one line, or what tyro says of an option; and status 2."""
    capsys.readouterr()
    try:
        status = main(text.split())
    except SystemExit as stop:  # of tyro, which draws a box around the message
        out, err = capsys.readouterr()
        assert stop.code == 2 and out == "" and "Value error" in err
        return " ".join(err.replace("│", " ").split())
    out, err = capsys.readouterr()
    assert status == 2 and out == "" and err.startswith("gui-agents: ") and err.count("\n") == 1
    return err


@pytest.fixture
def copy(vlm_folder, tmp_path):
    """``copy(change)``: a folder with the tiny model, changed."""

    def make(change):
        folder = tmp_path / "model"
        shutil.copytree(vlm_folder(), folder)
        change(folder)
        return folder

    return make


def remove(*names):
    def change(folder):
        for path in [path for name in names for path in folder.glob(name)]:
            path.unlink()

    return change


def set_config(name, **values):
    def change(folder):
        about = json.loads((folder / name).read_text())
        (folder / name).write_text(json.dumps(about | values))

    return change


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (remove("chat_template*"), "has no chat template: choose the instruction-tuned version, or put a chat_template.jinja beside"),
        (remove("*processor_config.json"), "has no (image )?processor"),
        (set_config("config.json", model_type="llama"), "is a 'llama' model: expected a vision-language model"),
        (set_config("config.json", model_type="nonesuch"), "cannot load the model .*nonesuch"),
        (remove("config.json"), "expected a folder with a config.json"),
        (set_config("config.json", image_token_id=None), "image_token_id"),
    ],
    ids=["no chat template", "no image processor", "a text model", "an unknown model", "no config", "no image token"],
)
def test_a_model_that_cannot_be_used(copy, no_weights, tmp_path, capsys, change, says):
    import re

    error = told(capsys, f"train --model.name {copy(change)} {SCREEN} --out {tmp_path}/run")
    assert re.search(says, error), error
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--model.max-pixels 100", "max_pixels is 100: expected an area (width x height) of at least 784 pixels"),
        ("--adapter.rank 0", "rank 0, alpha 32: expected rank >= 1"),
        ("--adapter.rank 600", "adapter.rank is 600: expected at most "),
        ("--adapter.rank 600 --engine.kind vllm --engine.url http://127.0.0.1:9", "adapter.rank is 600: expected one that vLLM serves, at most 512"),
        ("--adapter.targets .*nothing", "no LoRA adapter fits the targets '.*nothing'"),
        ("--adapter.train full --model.dtype bfloat16", 'most steps would be rounded away; expected adapter.train "lora"'),
        ("--model.dtype float16", "in float16: the gradient of a token among thousands"),
        ("--group-size 1", "group_size is 1: expected at least 2"),
        ("--groups 0", "groups is 0: expected at least 1"),
        ("--steps 0", "steps is 0: expected at least 1"),
        ("--eval-envs 0", "eval_envs is 0: expected at least 1"),
        ("--keep 0", "keep is 0: expected at least 1"),
        ("--max-unscored 0", "max_unscored is 0: expected at least 1"),
        ("--learner.optimiser.lr nan", "lr nan"),
        ("--learner.optimiser.lr 0", "expected lr > 0"),
        ("--learner.optimiser.max-grad-norm nan", "max_grad_norm nan"),
        ("--learner.micro-tokens 0", "micro_tokens 0: expected at least 1"),
        ("--policy.max-new-tokens 0", "policy.max_new_tokens is 0: expected at least 1"),
        ("--policy.max-new-tokens 9000", "more than the 8192 that the model can hold"),
        ("--policy.temperature nan", "policy.temperature is nan"),
        ("--policy.frame grid:0", "grid:0"),
        ("--policy.frame resized:0x0", "resized:0x0"),
        ("--policy.frame cells", "cells"),
        ("--policy.codec prose", "unknown codec"),
        ("--env.width 1", "too small"),
        ("--minutes nan", "minutes is nan"),
    ],
)
def test_a_config_that_cannot_be(vlm_folder, no_weights, tmp_path, capsys, options, says):
    screen = SCREEN if "--env." not in options else "--env.height 112"
    error = told(capsys, f"train --model.name {vlm_folder()} --out {tmp_path}/run {screen} {options}")
    assert says in error, error
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("command", ["train", "warmup"])
def test_a_model_saved_in_half_precision(copy, no_weights, tmp_path, capsys, command):
    half = copy(set_config("config.json", dtype="float16"))
    error = told(capsys, f"{command} --model.name {half} --model.dtype auto {SCREEN} --out {tmp_path}/run")
    assert "in float16: the gradient" in error and "expected model.dtype bfloat16 or float32" in error


def test_a_warmup_in_several_processes(vlm_folder, no_weights, tmp_path, capsys, monkeypatch):
    """Each would be a run of its own in the same folder."""
    monkeypatch.setenv("WORLD_SIZE", "2")
    error = told(capsys, f"warmup --model.name {vlm_folder()} {SCREEN} --out {tmp_path}/run")
    assert "a warm-up runs in one process, and 2 were started" in error and not (tmp_path / "run").exists()


def test_a_screen_that_the_context_cannot_hold(copy, no_weights, tmp_path, capsys):
    short = copy(lambda folder: set_config("config.json", text_config=json.loads((folder / "config.json").read_text())["text_config"] | {
        "max_position_embeddings": 64})(folder))  # fmt: skip
    error = told(capsys, f"train --model.name {short} {SCREEN} --out {tmp_path}/run")
    assert "the first prompt takes" in error and "more than the 64 that the model can hold: keep fewer screens" in error
    error = told(capsys, f"eval --model.name {short} {SCREEN}")
    assert "more than the 64 that the model can hold" in error


@pytest.fixture(scope="module")
def adapter(vlm_folder, tmp_path_factory):
    """A folder of weights as a run leaves it."""
    from agents.adapters import AdapterConfig, Trainable
    from agents.models import load_model

    model, processor = load_model(vlm_folder())
    folder = tmp_path_factory.mktemp("adapter") / "weights"
    Trainable(model, AdapterConfig(rank=4, alpha=8)).export(folder, processor)
    return folder


def resized(folder):
    path = folder / "adapter_model.safetensors"
    save_file({name: torch.zeros(value.shape[0], 48) if "lora_A" in name else value for name, value in load_file(path).items()}, path)


def renamed(folder):
    path = folder / "adapter_model.safetensors"
    save_file({name.replace("layers.1", "layers.17"): value for name, value in load_file(path).items()}, path)


def cut(folder):
    path = folder / "adapter_model.safetensors"
    path.write_bytes(path.read_bytes()[:5000])


@pytest.mark.parametrize(
    ("change", "options", "says"),
    [
        (resized, "--adapter.rank 4 --adapter.alpha 8", "does not fit the model, it was trained on another: .* is for 48 numbers, not"),
        (renamed, "--adapter.rank 4 --adapter.alpha 8", "it was trained on another: it has no layer .*layers.17"),
        (cut, "--adapter.rank 4 --adapter.alpha 8", "is damaged"),
        (lambda folder: None, "--adapter.rank 8 --adapter.alpha 8", "was trained with rank 4, not 8: expected the same adapter.rank"),
        (lambda folder: None, "--adapter.rank 4 --adapter.alpha 16", "was trained with alpha 8, not 16: expected the same adapter.alpha"),
        (remove("adapter_*"), "", "holds no checkpoint"),
    ],
    ids=["other sizes", "other layers", "cut short", "other rank", "other alpha", "no weights"],
)
def test_an_adapter_that_does_not_fit(vlm_folder, adapter, no_weights, tmp_path, capsys, change, options, says):
    import re

    folder = tmp_path / "adapter"
    shutil.copytree(adapter, folder)
    change(folder)
    error = told(capsys, f"train --model.name {vlm_folder()} --model.adapter {folder} {SCREEN} --out {tmp_path}/run {options}")
    assert re.search(says, error), error
    if "adapter." not in says:
        assert re.search(says, told(capsys, f"eval --model.name {vlm_folder()} --model.adapter {folder} {SCREEN}"))


def test_an_adapter_of_other_weights_of_the_same_shape(copy, adapter, tmp_path, capsys):
    """This alone takes the weights to see, and is told before an env is made or anything written."""
    from safetensors.torch import load_file, save_file

    def other(folder):
        path = folder / "model.safetensors"
        save_file({name: value + 1 if value.is_floating_point() else value for name, value in load_file(path).items()}, path, {"format": "pt"})

    options = f"--model.adapter {adapter} --adapter.rank 4 --adapter.alpha 8 {SCREEN} --out {tmp_path}/run"
    assert "does not fit the model, it was trained on another: expected the model.name of that run" in told(
        capsys, f"train --model.name {copy(other)} {options}"
    )
    assert not (tmp_path / "run").exists()


def test_a_checkpoint_of_another_version(vlm_folder, no_weights, tmp_path, capsys):
    folder = tmp_path / "run" / "checkpoints" / "step-000001"
    folder.mkdir(parents=True)
    for about in ({"format": 1, "step": 1}, {"format": 99}, {"step": 1}):
        (folder / "run.json").write_text(json.dumps(about))
        write_sums(folder)
        for command in (f"train --resume {tmp_path}/run", f"eval --trained {tmp_path}/run --model.name {vlm_folder()}"):
            assert f"has format {about.get('format')}, expected 2: it was written by another version of gui-gym" in told(capsys, command)
