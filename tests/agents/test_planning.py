"""The arithmetic of a plan against what a small model really keeps and computes."""

import pytest
import torch
from peft import LoraConfig, get_peft_model
from torch.utils.flop_counter import FlopCounterMode

from agents.logprobs import _checkpointing, checkpoint_layers
from agents.models import linear_layers
from agents.planning import activation_bytes, update_flops
from agents.recipes.model import skeleton
from agents.recipes.recipe import load_recipe
from agents.sizes import sizes_of

TOKENS = 96
TEXT = {"vocab_size": 200, "hidden_size": 96, "intermediate_size": 256, "num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 16}


def model_of(name, layers, dtype=torch.float32, rank=4):
    """A model of the recipe's classes with ``layers`` text layers and a LoRA adapter, and its sizes."""
    import copy
    import dataclasses

    from transformers import AutoConfig, AutoModelForImageTextToText

    from agents.recipes.model import shrunk

    recipe = load_recipe(name)
    small = copy.deepcopy(shrunk(recipe.architecture))
    small["text_config"] |= TEXT | {"num_hidden_layers": layers, "bos_token_id": None, "eos_token_id": None, "pad_token_id": None}
    small["vision_config"]["out_hidden_size"] = TEXT["hidden_size"]
    config = dataclasses.replace(recipe.train, adapter=dataclasses.replace(recipe.train.adapter, rank=rank))
    sizes = sizes_of(skeleton(small), config)
    rest = copy.deepcopy(small)
    torch.manual_seed(0)
    model = AutoModelForImageTextToText.from_config(AutoConfig.for_model(rest.pop("model_type"), **rest)).to(dtype).eval()
    return get_peft_model(model, LoraConfig(r=rank, target_modules=linear_layers(model))), sizes


def kept_bytes(model, checkpointing):
    """Bytes that autograd keeps of one forward pass over TOKENS tokens, weights aside."""
    base = model.get_base_model()
    if checkpointing:
        checkpoint_layers(model)
    weights = {p.untyped_storage().data_ptr() for p in model.parameters()}
    kept = {}

    def pack(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    ids = torch.zeros((1, TOKENS), dtype=torch.int64)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor), _checkpointing(base):
        logits = model(input_ids=ids, attention_mask=torch.ones_like(ids), use_cache=False, logits_to_keep=1).logits
    del logits
    return sum(kept.values())


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["float32", "bfloat16"])
@pytest.mark.parametrize("name", ["qwen2.5-vl-3b", "qwen3-vl-8b"])
def test_activations_are_what_autograd_keeps(name, dtype):
    """Of two more layers: within a quarter without checkpointing, exactly one hidden state a layer with it."""
    number = 4 if dtype == torch.float32 else 2
    (small, few), (large, many) = model_of(name, 1, dtype), model_of(name, 3, dtype)
    for checkpointing, tolerance in ((False, 0.25), (True, 0.001)):  # once enabled, it stays
        measured = kept_bytes(large, checkpointing) - kept_bytes(small, checkpointing)
        expected = activation_bytes(many, TOKENS, number, checkpointing) - activation_bytes(few, TOKENS, number, checkpointing)
        assert measured == pytest.approx(expected, rel=tolerance)


def test_operations_are_what_a_counter_counts():
    (small, few), (large, many) = model_of("qwen3-vl-8b", 1), model_of("qwen3-vl-8b", 3)
    ids = torch.zeros((1, TOKENS), dtype=torch.int64)

    def count(model, backward):
        with FlopCounterMode(display=False) as counter:
            logits = model(input_ids=ids, attention_mask=torch.ones_like(ids), use_cache=False, logits_to_keep=1).logits
            if backward:
                logits.sum().backward()
        return counter.get_total_flops()

    for backward, factor in ((False, 2), (True, 4)):  # frozen weights need no gradient of their own
        measured = count(large, backward) - count(small, backward)
        expected = update_flops(many, TOKENS, TOKENS, factor) - update_flops(few, TOKENS, TOKENS, factor)
        assert measured == pytest.approx(expected, rel=0.15)
