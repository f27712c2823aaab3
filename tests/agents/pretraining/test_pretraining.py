import dataclasses
import re

import numpy as np
import pytest
import torch
from transformers import AutoModelForImageTextToText

from agents.logs import read_log
from agents.pretraining.config import PretrainConfig
from agents.pretraining.learner import POINTERS, Namer, Pretrainer
from agents.pretraining.run import run_pretraining
from agents.pretraining.things import things
from agents.tiny_vlm import build_tiny_vlm
from gui_gym.desktops.sim.canvas import intersect


@pytest.fixture(scope="module", params=["idefics3", "qwen3_vl"])
def config(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pretraining") / request.param
    build_tiny_vlm(folder, kind=request.param, image_size=112, hidden=32, layers=1, cells=32, image_first=True)
    return PretrainConfig(folder, batch=2, steps=2, cooldown=1, warmup=1, seeing=1, demonstrations=0.3, others=0.3, questions=4)


@pytest.fixture(scope="module")
def trainer(config):
    return Pretrainer(config)


def test_answers_alone_are_trained_and_each_ends(trainer):
    vision = trainer.agent.vision
    for seed in range(8):
        for sample in [trainer.screens.draw(np.random.default_rng(seed))]:
            assert len(sample.ids) == len(sample.mask)
            assert sample.ids.count(vision.image_token_id) == sum(map(vision.image_tokens, sample.frames)) == len(sample.named)
            text, answers = vision.tokenizer.decode(sample.ids), []
            for i, trained in enumerate(sample.mask):
                if trained and not sample.mask[i - 1]:
                    assert vision.tokenizer.decode(sample.ids[:i]).endswith("<|im_start|>assistant\n")
                    answers.append([])
                if trained:
                    answers[-1].append(sample.ids[i])
            assert len(answers) == text.count("<|im_start|>assistant") and all(answer[-1] in vision.tokens.stop for answer in answers)
            for answer in answers:
                trainer.screens.builder.codec.parse(trainer.screens.builder.completion_text(answer), trainer.screens.size, (0, 0))


def test_words_look_at_the_part_of_the_screen_they_tell_of_and_answers_recall_those_words(trainer):
    screens, vision = trainer.screens, trainer.agent.vision
    seen = copied = 0
    for seed in range(8):
        sample = screens.draw(np.random.default_rng(seed))
        first = sample.ids.index(vision.image_token_id)
        columns, rows = screens._layout(len(sample.named))
        told = dict(sample.looks)
        for at, word in sample.recalls:
            if word not in told:  # text to be typed as it is told
                said, asked = (vision.tokenizer.decode([sample.ids[i]]) for i in (at + 1, word))
                assert sample.mask[at + 1] and not sample.mask[word] and word < at and (said in asked or asked in said or "\ufffd" in said + asked)
                copied += 1
                continue
            x, y = (re.fullmatch(rf"{axis}=(\d+)", vision.tokenizer.decode([sample.ids[at + 1]])) for axis in "xy")
            assert (x or y) and sample.mask[at + 1] and word < at and not sample.mask[word]
            column, row = (told[word] - first) % columns, (told[word] - first) // columns
            cell, count, place = (int(x[1]), columns, column) if x else (int(y[1]), rows, row)
            assert abs((cell + 0.5) / 32 * count - (place + 0.5)) <= 0.5 + count / 64  # a cell may reach over an edge
            seen += 1
        assert all(sample.ids[token] == vision.image_token_id for token in told.values())
    assert seen > 10 and copied > 10


def test_pointing_loss_is_the_attention_that_is_missing(config):
    trainer = Pretrainer(dataclasses.replace(config, seeing=0, bfloat16=False))
    trainer.model.set_attn_implementation("eager")
    sample = next(s for s in trainer.samples() if s.looks and s.recalls)
    inputs = trainer.agent.vision.batch([sample.ids], [sample.frames], side="right")
    with torch.no_grad():
        attention = trainer.model.model(**inputs, output_attentions=True).attentions
        expected = -sum(
            attention[layer][0, :POINTERS, at, to].log().mean() for layer, pairs in ((0, sample.looks), (-1, sample.recalls)) for at, to in pairs
        )
        assert trainer.losses([sample])[3].item() == pytest.approx(expected.item(), rel=1e-3)


def test_image_tokens_are_asked_what_lies_in_their_part_of_the_screen(trainer):
    screens = trainer.screens
    task = screens.suite.draw(np.random.default_rng(1), "click-colour", difficulty="easy")
    screens.desktop.reset(task, 0)
    found = [thing for thing in things(screens.desktop.session) if thing.role == "tile"]
    count = trainer.agent.vision.image_tokens(screens.frame())
    bags = screens.named(found, np.random.default_rng(0), 1.0)
    columns = round((count * screens.seen[0] / screens.seen[1]) ** 0.5)
    width, height = screens.size[0] / columns, screens.size[1] / (count // columns)
    for i, bag in enumerate(bags):
        part = (int(i % columns * width), int(i // columns * height), int(width), int(height))
        names = [thing.name for thing in found if intersect(thing.rect, part)]
        assert set(bag) >= {token for name in names for token in screens._encode(f" {name}")}
    assert sum(bag != (0,) for bag in bags) >= 1 and bags != [bags[0]] * count


def test_naming_loss_is_the_cross_entropy_with_each_bag():
    torch.manual_seed(0)
    namer, features = Namer(4, 6), torch.randn(2, 4)
    logprobs = namer.head(namer.norm(features)).log_softmax(-1)
    expected = -(logprobs[0, 1] + logprobs[0, 3]) / 2 - logprobs[1, 5]
    assert torch.allclose(namer(features, [(1, 3), (5,)]), expected)


def test_a_run_that_was_cut_goes_on_as_if_it_had_not_been(config, tmp_path):
    whole = dataclasses.replace(config, out=tmp_path / "whole", save_every=1)
    run_pretraining(whole)
    cut = Pretrainer(dataclasses.replace(whole, out=tmp_path / "cut"))
    cut.update()
    cut.save()
    figures = run_pretraining(dataclasses.replace(whole, out=tmp_path / "cut"))
    assert figures["step"] == 2 and [record["step"] for record in read_log(tmp_path / "cut")] == [2]
    one, other = (AutoModelForImageTextToText.from_pretrained(tmp_path / name / "weights") for name in ("whole", "cut"))
    assert one.dtype == torch.float16
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
    before = AutoModelForImageTextToText.from_pretrained(config.model)
    assert not torch.equal(before.lm_head.weight, one.lm_head.weight.float())


def test_the_rate_rises_stays_and_falls(trainer):
    at = [dataclasses.replace(trainer.config, steps=10, warmup=2, cooldown=4)]
    pretrainer = Pretrainer.__new__(Pretrainer)
    pretrainer.config = at[0]
    rates = []
    for pretrainer.step in range(10):
        rates.append(pretrainer.rate())
    assert rates == [0.5, 1, 1, 1, 1, 1, 1, 0.75, 0.5, 0.25]


@pytest.mark.parametrize("wrong", [{"others": 2.0}, {"batch": 0}, {"lr": 0.0}, {"written": -1.0}])
def test_wrong_settings(wrong, tmp_path):
    with pytest.raises(ValueError, match="expected"):
        PretrainConfig(tmp_path, **wrong)
