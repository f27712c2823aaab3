import json
import shutil

import numpy as np
import pytest
import torch
from peft import LoraConfig, get_peft_model

from agents.episodes import Frame
from agents.models import ModelError, linear_layers, load_model, load_processor, token_ids
from agents.vision import VisionInputs


def sequence(vision, frames, tail=(65, 66, 67)):
    """Expanded ids of a text with ``frames`` in it."""
    return vision.expand([70, *(i for k, _ in enumerate(frames) for i in (vision.image_token_id, 71 + k)), *tail], frames)


# -- loading ---------------------------------------------------------------------------------------------------------------------


def test_families_load_by_folder(family):
    model, vision = family
    assert not model.training and type(vision.processor.image_processor).__name__.endswith("Pil")


def test_unknown_model_is_named(tmp_path):
    with pytest.raises(ModelError, match="an existing folder, or the name of a model on the hub"):
        load_model(tmp_path / "nothing-here")


def test_unknown_dtype(vlm_folder):
    with pytest.raises(ValueError, match="dtype is 'float33'"):
        load_model(vlm_folder(), dtype="float33")
    assert load_model(vlm_folder(), dtype="bfloat16")[0].dtype == torch.bfloat16


def test_no_chat_template(vlm_folder, tmp_path):
    folder = shutil.copytree(vlm_folder(), tmp_path / "m")
    (folder / "chat_template.jinja").unlink()
    with pytest.raises(ModelError, match="no chat template"):
        load_model(folder)


def test_no_image_processor(vlm_folder, tmp_path):
    folder = shutil.copytree(vlm_folder(), tmp_path / "m")
    (folder / "processor_config.json").unlink()
    with pytest.raises(ModelError, match="processor"):
        load_processor(folder)


def test_text_model_is_refused(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "llama", "architectures": ["LlamaForCausalLM"]}))
    with pytest.raises(ModelError, match="expected a vision-language model"):
        load_model(tmp_path)


def test_missing_package_names_the_extra(vlm_folder, monkeypatch):
    def no_torchvision(*args, **kwargs):
        raise ImportError("torchvision is not there")

    monkeypatch.setattr("agents.models.AutoProcessor.from_pretrained", no_torchvision)
    with pytest.raises(ModelError, match=r'pip install "gui-gym\[qwen\]"'):
        load_processor(vlm_folder())


# -- token ids -------------------------------------------------------------------------------------------------------------------


def test_suppressed_ids(family):
    model, vision = family
    tokenizer, ids = vision.tokenizer, vision.tokens
    assert tokenizer.eos_token_id in ids.stop and not set(ids.stop) & set(ids.suppress)
    assert {ids.image, tokenizer.pad_token_id, tokenizer.convert_tokens_to_ids("<|im_start|>")} <= set(ids.suppress)
    assert not set(tokenizer('click(x=1,y=2) type(text="é")')["input_ids"]) & set(ids.suppress)
    assert vision.sampling(0.7, 9).suppress == ids.suppress


def test_ids_without_a_token_are_suppressed(vlm_folder):
    model, processor = load_model(vlm_folder())
    model.resize_token_embeddings(len(processor.tokenizer) + 3)
    assert set(range(len(processor.tokenizer), len(processor.tokenizer) + 3)) <= set(token_ids(model, processor).suppress)


def test_no_end_token_is_refused(vlm_folder):
    model, processor = load_model(vlm_folder())
    model.generation_config.eos_token_id = processor.tokenizer.eos_token = None
    with pytest.raises(ModelError, match="no end token"):
        token_ids(model, processor)


# -- frames to model inputs ------------------------------------------------------------------------------------------------------


def test_images_go_to_their_own_sequences(family, frames):
    """2, 1 and 3 images in a batch (TRL #3847, #4488, #6570): each sequence computes what it computes alone, in any order."""
    model, vision = family
    a = frames(6)
    images = [a[:2], a[2:3], a[3:6]]
    ids = [sequence(vision, each, tail=(65,) * (k + 1)) for k, each in enumerate(images)]
    with torch.no_grad():
        alone = [model(**vision.batch([i], [f])).logits[0] for i, f in zip(ids, images, strict=True)]
        for order in ([0, 1, 2], [2, 0, 1]):
            logits = model(**vision.batch([ids[k] for k in order], [images[k] for k in order], side="right")).logits
            for row, k in zip(logits, order, strict=True):
                assert (row[: len(ids[k])] - alone[k]).abs().max() < 1e-4


def test_sequences_without_images(family):
    model, vision = family
    batch = vision.batch([[70, 71], [70]], [[], []])
    assert "pixel_values" not in batch
    with torch.no_grad():
        assert torch.isfinite(model(**batch).logits).all()


def test_another_image_gives_other_logits(family, frames):
    """agent-lightning #559: pixel_values never reached the trainer, and the loss looked fine."""
    model, vision = family
    a, b = frames(2)
    ids = sequence(vision, [a])
    with torch.no_grad():
        one, other = (model(**vision.batch([ids], [[f]])).logits[0, -1].log_softmax(-1) for f in (a, b))
    assert (one - other).abs().max() > 1e-3


def test_tiles_stay_with_their_image(vlm_folder, frames):
    """InternVL's fault (TRL #4061, #6619): tiles indexed by sample. Here 5 tiles, then 3."""
    model, processor = load_model(vlm_folder())
    processor.image_processor.do_image_splitting, processor.image_processor.size = True, {"longest_edge": 112}
    vision = VisionInputs(processor, model)
    square, wide = frames(1)[0], frames(1, size=(112, 56))[0]
    one, two = vision.pixels([square])["pixel_values"], vision.pixels([wide])["pixel_values"]
    assert (one.shape[1], two.shape[1]) == (5, 3)
    assert [vision.image_tokens(f) for f in (square, wide)] == [5 * 4, 3 * 4]
    joint = vision.pixels([square, wide])["pixel_values"]
    assert torch.equal(joint[:, :5], one) and torch.equal(joint[:, 5:], two)
    with torch.no_grad():
        assert torch.isfinite(model(**vision.batch([sequence(vision, [square, wide])], [[square, wide]])).logits).all()


def test_a_frame_is_processed_once(vlm_folder, frames, monkeypatch):
    model, processor = load_model(vlm_folder())
    vision, seen = VisionInputs(processor, model), []
    original = VisionInputs._process
    monkeypatch.setattr(VisionInputs, "_process", lambda self, batch: seen.extend(f.hash for f in batch) or original(self, batch))
    a, b = frames(2)
    first = vision.pixels([a, b, a])
    again = vision.pixels([Frame(a.pixels.copy()), b])
    assert seen == [a.hash, b.hash]
    assert torch.equal(first["pixel_values"][:, :2], again["pixel_values"])


def test_cache_is_bounded(vlm_folder, frames):
    model, processor = load_model(vlm_folder())
    vision = VisionInputs(processor, model, cache_bytes=1)
    a, b = frames(2)
    assert vision.pixels([a, b])["pixel_values"].shape[1] == 2
    assert len(vision._cache) == 0 and vision._cache.held == 0


def test_placeholders_must_match_images(family, frames):
    _, vision = family
    a, b = frames(2)
    with pytest.raises(ValueError, match="2 image placeholders but 1 images"):
        vision.expand([vision.image_token_id] * 2, [a])
    with pytest.raises(ValueError, match="sequence 1 has .* image ids but its 1 images take"):
        vision.batch([sequence(vision, [a]), sequence(vision, [a, b])], [[a], [a]])


def test_max_pixels(vlm_folder):
    model, processor = load_model(vlm_folder("qwen3_vl"))
    screen = Frame(np.zeros((100, 200, 3), np.uint8))
    processor.image_processor.size = {"shortest_edge": 28 * 28, "longest_edge": 10**6}
    free, small = VisionInputs(processor, model), VisionInputs(processor, model, max_pixels=84 * 42)
    assert free.seen_size(200, 100) == (196, 112) and free.image_tokens(screen) == 7 * 4
    assert small.seen_size(200, 100) == (84, 56) and small.image_tokens(screen) == 3 * 2
    with pytest.raises(ValueError, match="max_pixels is 10"):
        VisionInputs(processor, model, max_pixels=10)


def test_seen_size_of_a_fixed_size_model(vlm):
    assert vlm("idefics3")[1].seen_size(200, 100) == (56, 56)


# -- adapters --------------------------------------------------------------------------------------------------------------------


def test_linear_layers_of_the_text_tower(family):
    model, _ = family
    text, both = linear_layers(model), linear_layers(model, vision=True)
    assert text and not any("vis" in name or "lm_head" in name or "connector" in name for name in text)
    assert set(text) < set(both) and not any("lm_head" in name for name in both)


def test_an_adapted_model_is_seen_through(vlm_folder, frames):
    model, processor = load_model(vlm_folder())
    names = linear_layers(model)
    adapted = get_peft_model(model, LoraConfig(r=2, target_modules=names))
    vision = VisionInputs(processor, adapted)
    assert sum("lora_A" in name for name, _ in adapted.named_parameters()) == len(names)
    with torch.no_grad():
        adapted(**vision.batch([sequence(vision, frames(1))], [frames(1)]))
