"""How large a model is, counted on torch's "meta" device without its weights."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from torch import nn

from agents.adapters import lora_targets
from agents.grpo.config import TrainConfig


@dataclass(frozen=True)
class Sizes:
    """A model in numbers.

    Args:
        decoder: parameters of the text layers.
        embedding: those of input embeddings.
        head: those of the output layer; 0 where it is the embeddings.
        vision: those of everything else.
        adapter: parameters that are trained.
        hidden, layers, query, key, inner, vocabulary: of the text tower: width, depth, width of all query heads and of all key heads, inner
            width of the MLP, ids.
        side: pixels of the side of one image token.
        stacked: feature vectors of one image token (more than one with DeepStack).
        max_length: ids that a sequence may have.
    """

    decoder: int
    embedding: int
    head: int
    vision: int
    adapter: int
    hidden: int
    layers: int
    query: int
    key: int
    inner: int
    vocabulary: int
    side: int
    stacked: int
    max_length: int

    @property
    def cached(self) -> int:
        """Numbers that a KV cache holds of one token."""
        return 2 * self.layers * self.key

    @property
    def total(self) -> int:
        return self.decoder + self.embedding + self.head + self.vision


def sizes_of(skeleton: Any, config: TrainConfig) -> Sizes:
    """The sizes of a model, which may be without weights (on torch's "meta" device), trained as ``config.adapter`` has it."""

    def count(module: nn.Module) -> int:
        return sum(parameter.numel() for parameter in module.parameters())

    text, vision = skeleton.config.get_text_config(), skeleton.config.vision_config
    embedding, head = skeleton.get_input_embeddings(), skeleton.get_output_embeddings()
    tied = head.weight is embedding.weight or bool(skeleton.config.tie_word_embeddings)
    decoder = count(skeleton.get_decoder()) - count(embedding)
    whole = sum({id(p): p.numel() for p in skeleton.parameters()}.values()) - (count(head) if tied and head.weight is not embedding.weight else 0)
    heads = text.num_attention_heads
    head_size = getattr(text, "head_dim", None) or text.hidden_size // heads
    return Sizes(
        decoder=decoder,
        embedding=count(embedding),
        head=0 if tied else count(head),
        vision=whole - decoder - count(embedding) - (0 if tied else count(head)),
        adapter=lora_parameters(skeleton, config) if config.adapter.train == "lora" else whole,
        hidden=text.hidden_size,
        layers=text.num_hidden_layers,
        query=heads * head_size,
        key=text.num_key_value_heads * head_size,
        inner=text.intermediate_size,
        vocabulary=text.vocab_size,
        side=vision.patch_size * vision.spatial_merge_size,
        stacked=1 + len(getattr(vision, "deepstack_visual_indexes", None) or ()),
        max_length=text.max_position_embeddings,
    )


def lora_parameters(skeleton: Any, config: TrainConfig) -> int:
    """Parameters of the LoRA adapter that ``config.adapter`` puts on a model: rank x (inputs + outputs) of each layer."""
    targets = lora_targets(skeleton, config.adapter)
    layers = [
        module
        for name, module in skeleton.named_modules()
        if isinstance(module, nn.Linear) and (re.fullmatch(targets, name) if isinstance(targets, str) else name in targets)
    ]
    return sum(config.adapter.rank * (layer.in_features + layer.out_features) for layer in layers)
