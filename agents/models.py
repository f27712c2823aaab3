"""Load a vision-language model by name or folder: whatever ``AutoModelForImageTextToText`` takes (Qwen2.5-VL, Qwen3-VL, SmolVLM, Idefics3, ...)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import torch
from huggingface_hub.errors import StrictDataclassError
from transformers import AutoConfig, AutoModelForImageTextToText, AutoProcessor, BitsAndBytesConfig, PreTrainedModel, ProcessorMixin
from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES
from transformers.models.auto.processing_auto import PROCESSOR_MAPPING_NAMES

#: How the weights of a text tower are held: as they are, or in 4 bits (NF4: QLoRA, arXiv:2305.14314).
Quantize = Literal["none", "nf4"]


class ModelError(ValueError):
    """A model that cannot be used here; says what it lacks and what to do."""


@dataclass(frozen=True)
class TokenIds:
    """The token ids sampling must know.

    Args:
        image: the id that stands where image features go, and the one the chat template writes once for each image.
        pad: fills a batch.
        stop: any of them ends a completion.
        suppress: never sampled: special ids, image ids, ids no token stands for. None of ``stop`` is among them.
    """

    image: int
    pad: int
    stop: tuple[int, ...]
    suppress: tuple[int, ...]


def without_video(processor_class: type[ProcessorMixin]) -> type[ProcessorMixin]:
    """``processor_class`` with images and text only (``video_processor=None``): a video processor imports torchvision, which we never need."""

    class ImagesAndText(processor_class):  # type: ignore[misc, valid-type]
        @classmethod
        def get_attributes(cls) -> list[str]:
            return [name for name in super().get_attributes() if name != "video_processor"]

        @classmethod
        def _get_arguments_from_pretrained(cls, *args: Any, **kwargs: Any) -> list[Any]:
            loaded = dict(zip(cls.get_attributes(), super()._get_arguments_from_pretrained(*args, **kwargs), strict=True))
            return [loaded.get(name) for name in processor_class.get_attributes()]

    ImagesAndText.__name__ = ImagesAndText.__qualname__ = processor_class.__name__
    return ImagesAndText


def load_processor(name: str | os.PathLike[str]) -> ProcessorMixin:
    """The processor of a model (hub name or folder). Works without torchvision where transformers has a PIL image processor.

    Raises :class:`ModelError` for a model without chat template or image processor.
    """
    name = os.fspath(name)
    config = _config(name)
    try:
        import transformers

        known: Any = PROCESSOR_MAPPING_NAMES.get(config.model_type)
        processor_class = getattr(transformers, known[-1] if isinstance(known, (tuple, list)) else known) if known else None
        if processor_class is not None and "video_processor" in processor_class.get_attributes() and find_spec("torchvision") is None:
            processor: Any = without_video(processor_class).from_pretrained(name)
        else:
            processor = AutoProcessor.from_pretrained(name)
    except ImportError as error:
        raise ModelError(
            f'the image processor of {name!r} ({config.model_type}) needs a package that is missing: run pip install "gui-gym[qwen]" ({error})'
        ) from error
    except (OSError, ValueError) as error:
        raise ModelError(f"{name!r} has no processor that loads: {error}") from error
    if getattr(processor, "image_processor", None) is None or getattr(processor, "tokenizer", None) is None:
        raise ModelError(f"{name!r} has no image processor: expected a vision-language model with a preprocessor_config.json")
    if not (processor.chat_template or processor.tokenizer.chat_template):
        raise ModelError(f"{name!r} has no chat template: choose the instruction-tuned version, or put a chat_template.jinja beside its processor")
    processor.chat_template = processor.chat_template or processor.tokenizer.chat_template
    return processor


def load_model(
    name: str | os.PathLike[str],
    *,
    dtype: str | torch.dtype = "float32",
    device: str | torch.device = "cpu",
    quantize: Quantize = "none",
) -> tuple[Any, ProcessorMixin]:
    """A model in eval mode and its processor, by hub name or folder.

    Args:
        dtype: "float32", "bfloat16", "float16" or "auto" (as saved).
        device: where its weights go.
        quantize: see :class:`~agents.config.ModelConfig`.

    Raises :class:`ModelError` if it is not there or no vision-language model with a chat template, ValueError for an unknown dtype,
    ModuleNotFoundError without bitsandbytes where it is needed.
    """
    name = os.fspath(name)
    if dtype != "auto" and not isinstance(getattr(torch, dtype) if isinstance(dtype, str) and hasattr(torch, dtype) else dtype, torch.dtype):
        raise ValueError(f"dtype is {dtype!r}: expected 'float32', 'bfloat16', 'float16' or 'auto'")
    try:
        torch.empty(0, device=device)
    except (AssertionError, RuntimeError) as error:  # torch reports a device that is not there in either way
        raise ValueError(f"no device {str(device)!r} on this machine: expected 'cpu', or 'cuda' where there is a GPU ({error})") from error
    processor = load_processor(name)
    placed = {} if quantize == "none" else {"quantization_config": _quantization(name, dtype), "device_map": {"": str(device)}}
    try:
        model: Any = AutoModelForImageTextToText.from_pretrained(name, dtype=dtype, **placed)
    except OSError as error:
        raise ModelError(f"cannot load the weights of {name!r}: {error}") from error
    for module in model.modules():
        if hasattr(module, "support_avx512bf16_for_cpu"):  # bitsandbytes' packed kernel lets no gradient through to the layers below
            module.support_avx512bf16_for_cpu = False
    return (model.eval() if placed else model.to(device).eval()), processor


def _quantization(name: str, dtype: str | torch.dtype) -> Any:
    """How transformers quantises the linear layers of the text tower, and no others, as it loads them."""
    if find_spec("bitsandbytes") is None:
        raise ModuleNotFoundError('model.quantize "nf4" needs bitsandbytes: pip install "gui-gym[qlora]"', name="bitsandbytes")
    with torch.device("meta"):
        skeleton = AutoModelForImageTextToText.from_config(_config(name))
    text = set(linear_layers(skeleton))
    others = [layer for layer, module in skeleton.named_modules() if isinstance(module, torch.nn.Linear) and layer not in text]
    compute = getattr(torch, dtype) if isinstance(dtype, str) and dtype != "auto" else dtype
    compute = (_config(name).dtype or torch.bfloat16) if compute == "auto" else compute
    return BitsAndBytesConfig(
        load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True, bnb_4bit_compute_dtype=compute, llm_int8_skip_modules=others
    )


def is_quantized(model: torch.nn.Module) -> bool:
    """Whether ``model`` holds weights that are no floating point numbers."""
    return any(not parameter.is_floating_point() for parameter in model.parameters())


def _config(name: str) -> Any:
    try:
        config = AutoConfig.from_pretrained(name)
    except (OSError, ValueError, StrictDataclassError) as error:
        here = "a folder with a config.json" if Path(name).exists() else "an existing folder, or the name of a model on the hub"
        raise ModelError(f"cannot load the model {name!r}: expected {here} ({' '.join(str(error).split())[:300]})") from error
    if config.model_type not in MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES:
        raise ModelError(f"{name!r} is a {config.model_type!r} model: expected a vision-language model that AutoModelForImageTextToText loads")
    return config


def base_model(model: Any) -> PreTrainedModel:
    """The transformers model inside ``model``, which may be wrapped by peft."""
    return model.get_base_model() if hasattr(model, "get_base_model") else model


def max_length(model: Any) -> int:
    """How many ids a sequence of ``model`` may have."""
    return getattr(base_model(model).config.get_text_config(), "max_position_embeddings", None) or 2**31


def linear_layers(model: PreTrainedModel, *, vision: bool = False) -> list[str]:
    """Names of the linear layers of the text tower, the head excepted; with ``vision`` of the rest as well."""
    text = set(model.get_decoder().modules())
    head = model.get_output_embeddings()
    names = [
        name for name, module in model.named_modules()
        if isinstance(module, torch.nn.Linear) and module is not head and (vision or module in text)
    ]  # fmt: skip
    if not names:
        raise ModelError(f"{type(model).__name__} has no linear layers in its text tower to adapt")
    return names


def token_ids(model: Any, processor: Any) -> TokenIds:
    """The ids of ``model`` that sampling must know (see :class:`TokenIds`)."""
    tokenizer, config, generation = processor.tokenizer, base_model(model).config, base_model(model).generation_config
    image = getattr(config, "image_token_id", None)
    image = getattr(config, "image_token_index", None) if image is None else image
    if image is None:
        raise ModelError(f"the config of this {config.model_type!r} model names no image token: expected image_token_id")
    ends = generation.eos_token_id if isinstance(generation.eos_token_id, (list, tuple)) else [generation.eos_token_id]
    stop = {i for i in (*ends, tokenizer.eos_token_id) if i is not None}
    if not stop:
        raise ModelError("this model has no end token: set eos_token_id in its generation_config.json")
    special = {i for i, token in tokenizer.added_tokens_decoder.items() if token.special} | set(tokenizer.all_special_ids) | {image}
    width = base_model(model).get_output_embeddings().weight.shape[0]
    nameless = set(range(len(tokenizer), width))
    pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else min(stop)
    return TokenIds(int(image), int(pad), tuple(sorted(stop)), tuple(sorted((special | nameless) - stop)))
