"""The model of a recipe, without its weights: in full size as shapes only, and shrunk with random weights."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForImageTextToText

from agents.models import without_video
from agents.tiny_vlm import build_tokenizer, chat_template

#: What the parts of a shrunk model measure, whatever the model.
_TEXT = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "head_dim": 16}
_VISION = {"hidden_size": 64, "intermediate_size": 128, "num_heads": 4, "depth": 2, "out_hidden_size": 64}


def skeleton(architecture: dict[str, Any]) -> Any:
    """The model that a published config describes, with shapes and no numbers (on torch's "meta" device)."""
    with torch.device("meta"):
        model = AutoModelForImageTextToText.from_config(_config(architecture))
    model.tie_weights()
    return model


def _config(architecture: dict[str, Any]) -> Any:
    rest = copy.deepcopy(architecture)
    try:
        return AutoConfig.for_model(rest.pop("model_type"), **rest)
    except (KeyError, ValueError) as error:
        raise ValueError(f"architecture.model_type is {architecture.get('model_type')!r}: expected a model that transformers knows") from error


def shrunk(architecture: dict[str, Any]) -> dict[str, Any]:
    """``architecture`` with two layers in each tower and narrow ones: the same keys, so the same code runs."""
    small = copy.deepcopy(architecture)
    text, vision = small["text_config"], small["vision_config"]
    shared = text["num_attention_heads"] // text["num_key_value_heads"]
    text |= _TEXT | {"num_key_value_heads": max(1, 4 // shared)}
    half = _TEXT["head_dim"] // 2
    sections = text["rope_parameters"]["mrope_section"]
    others = [section * half // sum(sections) for section in sections[1:]]
    text["rope_parameters"]["mrope_section"] = [half - sum(others), *others]
    vision |= _VISION
    if "fullatt_block_indexes" in vision:
        vision["fullatt_block_indexes"] = [1]
    if "deepstack_visual_indexes" in vision:
        vision["deepstack_visual_indexes"] = [0]
    return small


def build_shrunk(folder: Path, architecture: dict[str, Any], limits: dict[str, int], seed: int = 0) -> int:
    """Write the shrunk model of a Qwen-VL ``architecture`` with random weights to ``folder``, with the pixel ``limits`` of its image processor and
    a tokenizer that knows Qwen's special tokens. Returns its number of parameters.
    """
    import transformers

    kind = architecture["model_type"]
    if kind not in ("qwen2_5_vl", "qwen3_vl"):
        raise ValueError(f"architecture.model_type is {kind!r}: a dry run knows qwen2_5_vl and qwen3_vl")
    tokenizer = build_tokenizer(tool_calls=True)
    small = shrunk(architecture)
    small["text_config"] |= {
        "vocab_size": len(tokenizer), "bos_token_id": None, "eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id
    }  # fmt: skip
    names = {
        "image_token": "<|image_pad|>",
        "video_token": "<|video_pad|>",
        "vision_start_token": "<|vision_start|>",
        "vision_end_token": "<|vision_end|>",
    }
    small |= {f"{name}_id": tokenizer.convert_tokens_to_ids(token) for name, token in names.items()}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model: Any = AutoModelForImageTextToText.from_config(_config(small))
    model.generation_config.eos_token_id, model.generation_config.pad_token_id = tokenizer.eos_token_id, tokenizer.pad_token_id
    size = {"shortest_edge": limits["min_pixels"], "longest_edge": limits["max_pixels"]}
    half: dict[str, Any] = {"image_mean": [0.5] * 3, "image_std": [0.5] * 3} if kind == "qwen3_vl" else {}
    image_processor = transformers.Qwen2VLImageProcessorPil(patch_size=architecture["vision_config"]["patch_size"], size=size, **half)
    processor_class: Any = {"qwen2_5_vl": transformers.Qwen2_5_VLProcessor, "qwen3_vl": transformers.Qwen3VLProcessor}[kind]
    chat = chat_template("<|vision_start|><|image_pad|><|vision_end|>")
    model.save_pretrained(folder)
    without_video(processor_class)(image_processor, tokenizer, None, chat_template=chat).save_pretrained(folder)
    return sum(parameter.numel() for parameter in model.parameters())
