"""A vision-language model of about a million parameters, built here: nothing is downloaded.

It is a real model of its family (``AutoProcessor`` and ``AutoModelForImageTextToText`` load the folder), only small,
and starts from random weights. Its tokenizer is a byte-level BPE trained on the action grammar and the words of
instructions, so that an answer is a handful of tokens and still every string can be written.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from gui_gym.actions import Action, Button, Modifier
from gui_gym.codecs import ActionFormatError, make_codec
from gui_gym.tasks import load_suite

KINDS = ("idefics3", "smolvlm", "qwen2_5_vl", "qwen3_vl")

_SPECIAL = (
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>",
    "<image>", "<fake_token_around_image>", "<global-img>", "<end_of_utterance>",
)  # fmt: skip
#: Tokens of the Qwen kinds that are added and yet ordinary: a model may sample them.
_TOOL_CALL = ("<tool_call>", "</tool_call>")

_CHAT = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}PARTS{% endif %}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

_PARTS = {
    "text first": "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}IMAGE{% elif part['type'] == 'text' %}{{ part['text'] }}{% endif %}{% endfor %}",
    "image first": "{% for part in message['content'] %}{% if part['type'] == 'image' %}IMAGE{% endif %}{% endfor %}"
    "{% for part in message['content'] %}{% if part['type'] == 'text' %}{{ part['text'] }}{% endif %}{% endfor %}",
}

#: Fixed fragments of prompts.
PHRASES = ("system\n", "user\n", "assistant\n", "Your answer could not be read: ", "Your action could not be done: ", "expected ", " “", "”")

_EXAMPLES = (
    Action.move(1, 2), Action.click(1, 2), Action.click(1, 2, Button.RIGHT), Action.click(1, 2, clicks=2), Action.mouse_down(1, 2),
    Action.mouse_up(1, 2), Action.drag(1, 2, 3, 4), Action.scroll_by(1, 2, 0, 3), Action.scroll_by(1, 2, 0, -3),
    Action.type_text("1"), Action.press("enter"),
    Action.press("s", Modifier.CTRL), Action.press("tab"), Action.wait_for(1), Action.done(), Action.fail(), Action.answer("1"),
)  # fmt: skip


def chat_template(image: str, image_first: bool = False) -> str:
    """A template in the style of Qwen's, with ``image`` where a message shows one: after its text, or before it."""
    return _CHAT.replace("PARTS", _PARTS["image first" if image_first else "text first"]).replace("IMAGE", image)


def grammar(codecs: Iterable[str] = ("dsl", "json")) -> list[str]:
    """Example actions as the codecs write those they can, for the tokenizer to learn their fixed parts."""
    texts = []
    for codec in (make_codec(name, "grid:10") for name in codecs):
        for action in _EXAMPLES:
            with suppress(ActionFormatError):
                texts.append(codec.format(action, (10, 10)))
    return texts


@cache
def instruction_words() -> tuple[str, ...]:
    """The words most often met in instructions of the embedded desktop's training tasks."""
    suite, rng = load_suite("sim"), np.random.default_rng(0)
    texts = [suite.draw(rng, family).instruction for family in suite.ids() for _ in range(6)]
    counts = Counter(word for text in texts for word in re.findall(r" ?[^\W\d_]+", text))
    return tuple(sorted(word for word, _ in counts.most_common(180)))


def build_tokenizer(extra_words: Iterable[str] = (), vocab_size: int = 1024, *, cells: int = 0, tool_calls: bool = False) -> PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer of at most about ``vocab_size`` ids: every string can be encoded, digits stay single.

    Args:
        extra_words: fragments that should be few tokens as well, each with the space before it: " kumquat".
        vocab_size: ids besides the special ones and those of coordinates.
        cells: "x=0" to "x=31", and as many of "y=", are one token each if this is 32: points on a grid of as many cells are then learnt
            as names of places instead of as digits.
        tool_calls: know the marks and words of Qwen's tool calls.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, min_frequency=2, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    texts = grammar(("dsl", "json", "qwen") if tool_calls else ("dsl", "json"))
    # every fragment several times, the grammar most often, so that its merges come before the vocabulary is full
    tokenizer.train_from_iterator([*PHRASES, *instruction_words(), *extra_words] * 4 + texts * 16, trainer)
    tokenizer.add_tokens([AddedToken(f"{axis}={i}", normalized=False) for axis in "xy" for i in range(cells)])
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in _SPECIAL])
    if tool_calls:
        tokenizer.add_tokens([AddedToken(token, special=False, normalized=False) for token in _TOOL_CALL])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>", padding_side="left", model_max_length=8192,
        clean_up_tokenization_spaces=False,
    )  # fmt: skip


def build_tiny_vlm(
    folder: str | os.PathLike[str],
    *,
    kind: str = "idefics3",
    image_size: int = 112,
    patch: int = 14,
    hidden: int = 128,
    layers: int = 2,
    vision_layers: int = 1,
    extra_words: Iterable[str] = (),
    vocab_size: int = 1024,
    cells: int = 0,
    tool_calls: bool | None = None,
    image_first: bool = False,
    seed: int = 0,
) -> int:
    """Write a small VLM with random weights to ``folder`` and return its number of parameters.

    Args:
        kind: family, one of :data:`KINDS`; "idefics3" needs the least.
        image_size: pixels; Idefics3 and SmolVLM resize every image to this square, the Qwen kinds cap the area at its square.
        patch: pixels of one side of a vision patch; 2 x 2 patches make one image token.
        hidden: width of both towers; a multiple of 16.
        layers: text layers.
        vision_layers: vision layers.
        extra_words, vocab_size, cells, tool_calls: see :func:`build_tokenizer`; None for the last: of the Qwen kinds only.
        image_first: whether a message shows its image before its text, so that what is asked has seen the image.
        seed: of the weights.
    """
    if kind not in KINDS:
        raise ValueError(f"unknown kind {kind!r}: expected one of {', '.join(KINDS)}")
    if image_size % (2 * patch):
        raise ValueError(f"image_size {image_size} does not hold whole image tokens: expected a multiple of {2 * patch} pixels")
    if hidden % 16:
        raise ValueError(f"hidden is {hidden}: expected a multiple of 16")
    tokenizer = build_tokenizer(extra_words, vocab_size, cells=cells, tool_calls=kind.startswith("qwen") if tool_calls is None else tool_calls)
    chat = chat_template("IMAGE", image_first)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        make = _qwen if kind.startswith("qwen") else _idefics3
        model, processor = make(kind, tokenizer, chat, image_size, patch, hidden, layers, vision_layers)
        _scale_weights(model)
    model.generation_config.eos_token_id, model.generation_config.pad_token_id = tokenizer.eos_token_id, tokenizer.pad_token_id
    folder = Path(folder)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return sum(parameter.numel() for parameter in model.parameters())


def _text_config(tokenizer: PreTrainedTokenizerFast, hidden: int, layers: int) -> dict[str, Any]:
    return {
        "vocab_size": len(tokenizer), "hidden_size": hidden, "intermediate_size": 3 * hidden, "num_hidden_layers": layers,
        "num_attention_heads": 4, "num_key_value_heads": 4, "max_position_embeddings": 8192, "rms_norm_eps": 1e-6,
        "bos_token_id": None, "eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id,
    }  # fmt: skip


def _idefics3(
    kind: str, tokenizer: PreTrainedTokenizerFast, chat: str, image_size: int, patch: int, hidden: int, layers: int, vision_layers: int
) -> tuple[Any, Any]:
    import transformers

    from agents.models import without_video

    settings: dict[str, Any] = {
        "text_config": {
            "model_type": "llama", **_text_config(tokenizer, hidden, layers), "rope_parameters": {"rope_type": "default", "rope_theta": 1e4}
        },
        "vision_config": {
            "hidden_size": hidden, "intermediate_size": 2 * hidden, "num_hidden_layers": vision_layers, "num_attention_heads": 4,
            "image_size": image_size, "patch_size": patch,
        },
        "image_token_id": tokenizer.convert_tokens_to_ids("<image>"), "scale_factor": 2, "pad_token_id": tokenizer.pad_token_id,
        # tied here but not in text_config, some servers load a zero lm_head
        "tie_word_embeddings": False,
    }  # fmt: skip
    square = {"longest_edge": image_size}
    name = "Idefics3" if kind == "idefics3" else "SmolVLM"
    image_processor = getattr(transformers, f"{name}ImageProcessorPil")(size=square, max_image_size=square, do_image_splitting=False)
    rest: dict[str, Any] = {"image_seq_len": (image_size // patch) ** 2 // 4, "chat_template": chat.replace("IMAGE", "<image>")}
    if kind == "idefics3":
        processor: Any = transformers.Idefics3Processor(image_processor, tokenizer, **rest)
    else:
        processor = without_video(transformers.SmolVLMProcessor)(image_processor, tokenizer, None, **rest)
    return getattr(transformers, f"{name}ForConditionalGeneration")(getattr(transformers, f"{name}Config")(**settings)), processor


def _qwen(
    kind: str, tokenizer: PreTrainedTokenizerFast, chat: str, image_size: int, patch: int, hidden: int, layers: int, vision_layers: int
) -> tuple[Any, Any]:
    import transformers

    from agents.models import without_video

    half = hidden // 8  # half of a head's width, which the three rotary axes share
    ids: dict[str, Any] = {
        f"{name}_id": tokenizer.convert_tokens_to_ids(token)
        for name, token in (("image_token", "<|image_pad|>"), ("video_token", "<|video_pad|>"),
                            ("vision_start_token", "<|vision_start|>"), ("vision_end_token", "<|vision_end|>"))
    }  # fmt: skip
    text = _text_config(tokenizer, hidden, layers)
    rope: dict[str, Any] = {"rope_type": "default", "rope_theta": 10000.0}
    vision: dict[str, Any] = {
        "depth": vision_layers, "hidden_size": hidden, "intermediate_size": 2 * hidden, "num_heads": 4, "patch_size": patch, "out_hidden_size": hidden
    }  # fmt: skip
    limits = {"shortest_edge": (2 * patch) ** 2, "longest_edge": image_size**2}
    if kind == "qwen2_5_vl":
        side = 3 * half // 8
        rope["mrope_section"] = [half - 2 * side, side, side]
        vision.update(window_size=8 * patch, fullatt_block_indexes=[vision_layers - 1])
        config: Any = transformers.Qwen2_5_VLConfig(
            text_config={**text, "rope_parameters": rope}, vision_config=vision, tie_word_embeddings=False, **ids
        )
        model: Any = transformers.Qwen2_5_VLForConditionalGeneration(config)
        processor_class: Any = transformers.Qwen2_5_VLProcessor
        image_processor = transformers.Qwen2VLImageProcessorPil(patch_size=patch, size=limits)
    else:
        side = half // 3
        rope.update(mrope_section=[half - 2 * side, side, side], mrope_interleaved=True)
        vision.update(num_position_embeddings=256, deepstack_visual_indexes=[0])
        config = transformers.Qwen3VLConfig(
            text_config={**text, "head_dim": hidden // 4, "rope_parameters": rope}, vision_config=vision, tie_word_embeddings=False, **ids
        )
        model = transformers.Qwen3VLForConditionalGeneration(config)
        processor_class = transformers.Qwen3VLProcessor
        image_processor = transformers.Qwen2VLImageProcessorPil(patch_size=patch, size=limits, image_mean=[0.5] * 3, image_std=[0.5] * 3)
    template = chat.replace("IMAGE", "<|vision_start|><|image_pad|><|vision_end|>")
    return model, without_video(processor_class)(image_processor, tokenizer, None, chat_template=template)


@torch.no_grad()
def _scale_weights(model: torch.nn.Module) -> None:
    # larger embeddings and attention logits than usual: at this width they help the model to find where things are
    for name, weight in model.named_parameters():
        if "q_norm" in name or "k_norm" in name:  # they bound how sharply a place can be attended to: 1 is too blunt to point with
            weight.fill_(1.8)
        elif "position_embedding" in name or "pos_embed" in name:
            weight.normal_(0, 0.5)
        elif "patch_embed" in name and weight.dim() > 1:
            weight.normal_(0, 0.06)
        elif "embed_tokens" in name:
            weight.normal_(0, 0.3)
        elif weight.dim() == 2 and "lm_head" not in name:
            weight.normal_(0, weight.shape[1] ** -0.5)
