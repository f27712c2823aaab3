"""What can be found wrong with a run before a model's weights are loaded: all that its config, processor and adapter files say."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors import SafetensorError, safe_open
from transformers import AutoConfig, AutoModelForImageTextToText, GenerationConfig

from agents.adapters import AdapterConfig, lora_targets
from agents.context import check_context
from agents.models import load_processor, max_length
from agents.optimiser import FULL_PRECISION
from agents.prompts import PromptBuilder
from agents.vision import VisionInputs
from gui_gym.actions import Action
from gui_gym.codecs import make_codec

if TYPE_CHECKING:
    from agents.config import EngineConfig, EnvConfig, ModelConfig, PolicyConfig

#: Highest rank of LoRA adapters that vLLM serves (the most that ``--max-lora-rank`` takes).
VLLM_RANK = 512


def check_agent(
    model: ModelConfig, policy: PolicyConfig, env: EnvConfig, adapter: AdapterConfig | None, weights: Path | None, engine: EngineConfig | None
) -> None:
    """Raise what :func:`agents.config.load_agent` would raise of the same arguments, as far as it can be told without weights.

    ``weights`` is the folder whose weights would be loaded into the model or its adapter; None for the bare model. A server is asked what it serves.
    """
    served = engine is not None and engine.kind == "vllm"
    processor = load_processor(model.name)
    skeleton = without_weights(model.name)
    prompts = prompt_builder(VisionInputs(processor, skeleton, max_pixels=model.max_pixels), policy, env.screen)
    check_screen(prompts, env.screen)
    if adapter is not None:
        check_dtype(_saved_dtype(model.name) if model.dtype == "auto" else model.dtype, adapter)
    if adapter is not None and adapter.train == "lora":
        check_rank(skeleton, adapter, served)
    if weights is not None:
        check_weights(skeleton, weights, adapter)
    if engine is not None and served:
        from agents.engines.vllm_client import check_server

        check_length(prompts, policy, env, check_server(engine))
    else:
        check_length(prompts, policy, env, max_length(skeleton))


def _saved_dtype(name: str) -> str:
    return str(AutoConfig.from_pretrained(name).dtype or torch.float32).removeprefix("torch.")


def check_dtype(dtype: str, adapter: AdapterConfig) -> None:
    """ValueError for the precision ``dtype`` of a model, such as "bfloat16", in which ``adapter`` would not be trained as its gradients say."""
    if dtype == "float16":
        raise ValueError(
            "the model would be trained in float16: the gradient of a token among thousands is too small for it and becomes 0; "
            "expected model.dtype bfloat16 or float32"
        )
    if adapter.train == "full" and dtype == "bfloat16":
        raise ValueError(f"the model would be trained in full in bfloat16: most steps would be rounded away; {FULL_PRECISION}")


def without_weights(name: str) -> Any:
    """The model as its config has it, with shapes and no numbers (on torch's "meta" device): quick and of no size."""
    with torch.device("meta"):
        skeleton = AutoModelForImageTextToText.from_config(AutoConfig.from_pretrained(name))
    try:
        skeleton.generation_config = GenerationConfig.from_pretrained(name)
    except OSError:  # none beside the model: that of its config stays, as when its weights are loaded
        pass
    return skeleton


def prompt_builder(vision: VisionInputs, policy: PolicyConfig, screen: tuple[int, int]) -> PromptBuilder:
    """The prompts of ``policy`` for a ``screen`` of (width, height) pixels."""
    frame = policy.frame
    if frame == "seen":
        width, height = vision.seen_size(*screen)
        frame = f"resized:{width}x{height}"
    return PromptBuilder(vision, make_codec(policy.codec, frame), history=policy.history, n=policy.n, system=policy.system)


def check_length(prompts: PromptBuilder, policy: PolicyConfig, env: EnvConfig, length: int) -> None:
    """:func:`~agents.context.check_context` for the turns that an episode may have."""
    turns = min((n for n in (policy.max_turns, env.max_steps) if n is not None), default=None)
    check_context(prompts, prompts.vision.sampling(policy.temperature, policy.max_new_tokens), length, env.screen, turns)


def check_screen(prompts: PromptBuilder, screen: tuple[int, int]) -> None:
    """ValueError where the codec cannot name the corners of the screen."""
    width, height = screen
    for x, y in ((0, 0), (width - 1, 0), (0, height - 1), (width - 1, height - 1)):
        prompts.codec.parse(prompts.codec.format(Action.click(x, y), screen), screen, (0, 0))


def check_rank(skeleton: Any, adapter: AdapterConfig, served: bool) -> None:
    """ValueError for targets that name no layer, and a rank that is more than any of them has or (``served``) that vLLM does not serve."""
    if served and adapter.rank > VLLM_RANK:
        raise ValueError(f"adapter.rank is {adapter.rank}: expected one that vLLM serves, at most {VLLM_RANK}")
    targets = lora_targets(skeleton, adapter)
    layers = {
        name: module
        for name, module in skeleton.named_modules()
        if isinstance(module, torch.nn.Linear) and (re.fullmatch(targets, name) if isinstance(targets, str) else name in targets)
    }
    if not layers:
        raise ValueError(
            f"no LoRA adapter fits the targets {adapter.targets!r}: expected 'text', 'all', or a regular expression of linear layers' names"
        )
    most = max(min(module.in_features, module.out_features) for module in layers.values())
    if adapter.rank > most:
        raise ValueError(f"adapter.rank is {adapter.rank}: expected at most {most}, the rank of the largest adapted layer; or adapter.train 'full'")


def check_weights(skeleton: Any, weights: Path, adapter: AdapterConfig | None) -> None:
    """ValueError or FileNotFoundError where the LoRA adapter in ``weights`` is damaged, of another model, or not as ``adapter`` has it."""
    wanted = "lora" if adapter is None else adapter.train
    about_path, path = weights / "adapter_config.json", weights / "adapter_model.safetensors"
    if not about_path.is_file() or wanted == "full":
        if wanted == "lora" and adapter is not None:
            raise FileNotFoundError(f"{path} does not exist: expected the weights of a run with train='lora'")
        return
    try:
        about = json.loads(about_path.read_text(encoding="utf-8"))
        with safe_open(path, "pt") as file:
            shapes = {name: file.get_slice(name).get_shape() for name in file.keys()}
    except (OSError, ValueError, SafetensorError) as error:
        raise ValueError(f"the adapter {weights} is damaged: {error}") from error
    if adapter is not None:
        for name, key in (("rank", "r"), ("alpha", "lora_alpha")):
            if about.get(key) != getattr(adapter, name):
                raise ValueError(
                    f"{weights} was trained with {name} {about.get(key)}, not {getattr(adapter, name)}: expected the same adapter.{name}"
                )
    modules = dict(skeleton.named_modules())
    for name, shape in shapes.items():
        layer, _, part = name.removeprefix("base_model.model.").partition(".lora_")
        module = modules.get(layer)
        if module is None and part:
            raise ValueError(f"the adapter {weights} does not fit the model, it was trained on another: it has no layer {layer}")
        if not isinstance(module, torch.nn.Linear) or part[:1] not in ("A", "B"):
            continue
        size, expected = (shape[-1], module.in_features) if part[0] == "A" else (shape[0], module.out_features)
        if size != expected:
            raise ValueError(f"the adapter {weights} does not fit the model, it was trained on another: {name} is for {size} numbers, not {expected}")
