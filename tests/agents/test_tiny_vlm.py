import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoModelForImageTextToText, AutoProcessor

from agents.tiny_vlm import build_tiny_vlm, build_tokenizer, grammar

TOKENIZER = build_tokenizer(["Rename the file"])


@given(st.text(max_size=60))
def test_every_string_can_be_written(text):
    assert TOKENIZER.decode(TOKENIZER(text, split_special_tokens=True)["input_ids"]) == text


@given(st.integers(0, 10**9))
def test_digits_are_single_tokens(number):
    assert len(TOKENIZER(str(number))["input_ids"]) == len(str(number))


def test_actions_are_few_tokens():
    lengths = {text: len(TOKENIZER(text)["input_ids"]) for text in grammar()}
    assert lengths["click(x=1,y=2)"] == 5
    assert max(lengths.values()) <= 9


def test_extra_words_are_learnt():
    word = "kumquat "
    assert len(build_tokenizer([word])(word)["input_ids"]) == 1 < len(TOKENIZER(word)["input_ids"])


def test_auto_classes_load_the_folder(vlm_folder):
    model = AutoModelForImageTextToText.from_pretrained(vlm_folder("idefics3"))
    processor = AutoProcessor.from_pretrained(vlm_folder("idefics3"))
    assert model.config.model_type == "idefics3" and processor.chat_template
    assert not model.config.tie_word_embeddings
    assert model.lm_head.weight.abs().sum() > 0 and model.lm_head.weight is not model.get_input_embeddings().weight


def test_number_of_parameters_and_seed(tmp_path):
    settings = {"image_size": 56, "hidden": 32, "layers": 1}
    before = torch.random.get_rng_state()
    count = build_tiny_vlm(tmp_path / "a", **settings)
    assert torch.equal(before, torch.random.get_rng_state())
    build_tiny_vlm(tmp_path / "b", **settings)
    build_tiny_vlm(tmp_path / "c", **settings, seed=1)
    a, b, c = (AutoModelForImageTextToText.from_pretrained(tmp_path / name) for name in "abc")
    assert count == sum(p.numel() for p in a.parameters())
    assert all(torch.equal(x, y) for x, y in zip(a.parameters(), b.parameters(), strict=True))
    assert not torch.equal(a.lm_head.weight, c.lm_head.weight)


@pytest.mark.parametrize(
    "wrong, message", [({"kind": "gpt"}, "unknown kind"), ({"image_size": 100}, "multiple of 28"), ({"hidden": 50}, "multiple of 16")]
)
def test_wrong_settings(tmp_path, wrong, message):
    with pytest.raises(ValueError, match=message):
        build_tiny_vlm(tmp_path / "x", **wrong)
    assert not (tmp_path / "x").exists()
