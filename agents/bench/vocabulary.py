"""What log-probs over a large vocabulary take: in chunks, as the learner computes them, and from all logits at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from agents.bench.memory import TensorPeak
from agents.episodes import Sampling
from agents.logprobs import collate, trained_logprobs
from agents.rows import Row


def vocabulary_memory(vocabulary: int = 50_000, tokens: int = 2048, device: str = "cpu") -> dict[str, Any]:
    """Peak memory of tensors (MB) and the largest tensor (numbers), forward and backward, of ``tokens`` trained tokens."""
    config = LlamaConfig(
        vocab_size=vocabulary, hidden_size=64, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2, pad_token_id=0, bos_token_id=None
    )
    torch.manual_seed(0)
    model = LlamaForCausalLM(config).eval().to(device)
    model.lm_head.requires_grad_(False)
    rng, rows = np.random.default_rng(0), []
    for _ in range(8):
        n = tokens // 8 + 1
        rows.append(Row(rng.integers(1, vocabulary, n).tolist(), [False] + [True] * (n - 1), [0.0] * n, [0.0] * n, [], Sampling()))
    batch = collate(rows, lambda images, ids: {}, 0, device)

    def at_once() -> torch.Tensor:
        logprobs = model(**batch.inputs, logits_to_keep=batch.keep).logits.float().log_softmax(-1)
        return logprobs[batch.row, batch.column].gather(1, batch.targets[:, None])[:, 0]

    found: dict[str, Any] = {"vocabulary": vocabulary, "trained_tokens": len(batch.targets)}
    for name, work in (("chunked", lambda: trained_logprobs(model, batch)[0]), ("at_once", at_once)):
        with TensorPeak() as peak:
            work().sum().backward()
        found |= {f"{name}_mb": peak.peak / 1e6, f"{name}_largest": peak.largest}
    return found
