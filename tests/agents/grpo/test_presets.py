"""Published algorithms by name."""

import dataclasses
import typing

import pytest

from agents.cli.parse import parse
from agents.config import ModelConfig
from agents.grpo.config import TrainConfig
from agents.grpo.learner import LearnerConfig
from agents.grpo.presets import PRESETS, Algorithm, with_algorithm

BASE = TrainConfig(ModelConfig("m"), learner=LearnerConfig(passes=3), seed=7)


def test_each_has_what_its_paper_names():
    found = {name: with_algorithm(BASE, name) for name in typing.get_args(Algorithm)}
    assert found.keys() == PRESETS.keys()
    losses = {name: config.learner.loss for name, config in found.items()}
    assert (losses["grpo"].kl, losses["grpo"].aggregation, found["grpo"].scale) == (0.04, "episode-mean", "group")
    assert (losses["dr-grpo"].kl, losses["dr-grpo"].aggregation, found["dr-grpo"].scale) == (0, "constant", "none")
    assert (losses["dapo"].clip_low, losses["dapo"].clip_high, losses["dapo"].aggregation) == (0.2, 0.28, "token-mean")
    assert found["dapo"].resample > 0 and found["dapo"].overlong == "mask"
    assert (losses["gspo"].ratio, losses["gspo"].clip_low, losses["gspo"].clip_high) == ("sequence", 3e-4, 4e-4)
    assert (losses["cispo"].surrogate, losses["cispo"].clip_low, 1 + losses["cispo"].clip_high) == ("cispo", 1.0, 5.0)
    assert (found["gigpo"].credit, found["gigpo"].gamma, found["gigpo"].omega) == ("step", 0.95, 1.0)


@pytest.mark.parametrize("name", PRESETS)
def test_the_rest_of_the_configuration_stays(name):
    config = with_algorithm(BASE, name)
    assert (config.learner.passes, config.seed, config.model) == (3, 7, BASE.model)
    assert dataclasses.replace(config, learner=BASE.learner, scale="group", credit="episode", resample=0, overlong="keep") == BASE


def test_unknown():
    with pytest.raises(ValueError, match="expected one of grpo, dr-grpo"):
        with_algorithm(BASE, "ppo")


def test_on_the_command_line_what_is_given_besides_is_taken_instead(tmp_path, capsys):
    command = parse(["train", "--model.name", "m", "--algorithm", "dapo", "--learner.loss.clip-high", "0.3", "--scale", "none"])
    loss = command.config.learner.loss
    assert (loss.clip_low, loss.clip_high, loss.aggregation, command.config.overlong, command.config.scale) == (
        0.2,
        0.3,
        "token-mean",
        "mask",
        "none",
    )
    assert parse(["train", "--algorithm=cispo", "--model.name", "m"]).config.learner.loss.surrogate == "cispo"
    assert parse(["train", "--model.name", "m"]).config == TrainConfig(ModelConfig("m"))
    for wrong in (["train", "--algorithm", "dapo"], ["train", "--model.name", "m", "--algorithm", "ppo"]):
        with pytest.raises(SystemExit):
            parse(wrong)
    said = capsys.readouterr()
    assert "model.name" in said.out + said.err and "gigpo" in said.out + said.err
    with pytest.raises(ValueError, match="expected no --algorithm"):
        parse(["train", "--resume", str(tmp_path), "--algorithm", "dapo"])
