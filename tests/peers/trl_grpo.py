"""Their side of ``trl_losses.py``: ``trl.GRPOTrainer`` itself, from rewards to loss, on log-probs that are given.

    python trl_grpo.py CASES.json RESULTS.json

Generation and the model's forward pass are replaced; advantages, masks, importance weights and loss are computed by their code.
"""

from __future__ import annotations

import json
import logging
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from tokenizers import Tokenizer, models
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

EOS, PAD, WORD = 1, 0, 2


def tokenizer() -> PreTrainedTokenizerFast:
    words = Tokenizer(models.WordLevel({"<pad>": PAD, "<eos>": EOS, "word": WORD}, unk_token="word"))
    return PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="<eos>", unk_token="word")


class Given(GRPOTrainer):
    """Completions and log-probs are those of ``case``, and nothing is generated."""

    case: dict[str, Any]
    now: torch.Tensor
    their_reference: Any

    def rows(self, name: str) -> torch.Tensor:
        return torch.nn.utils.rnn.pad_sequence([torch.tensor(row, dtype=torch.float64) for row in self.case[name]], batch_first=True)

    def _generate(self, prompts: list) -> tuple:
        sampled = self.case["sampled"]
        ids = [[WORD] * (len(mask) - 1) + [WORD if cut else EOS] for mask, cut in zip(sampled, self.case["cut"], strict=True)]
        behaviour = self.case["behaviour"] if self.use_vllm else None
        return [[WORD]] * len(prompts), ids, sampled, ["word"] * len(prompts), behaviour, {}, None, []

    def _get_per_token_logps_and_entropies(self, model: Any, *args: Any, **kwargs: Any) -> tuple:
        if model is self.their_reference:
            return self.rows("reference"), None, None
        if torch.is_grad_enabled():
            return self.now, torch.zeros_like(self.now), None
        return self.rows("old" if self.use_vllm else "behaviour"), None, None


def compute(case: dict[str, Any], folder: str) -> dict[str, Any]:
    count = len(case["rewards"])
    size = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1, "num_key_value_heads": 1}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=3, bos_token_id=None, eos_token_id=EOS, pad_token_id=PAD, **size))
    config = GRPOConfig(
        output_dir=folder, per_device_train_batch_size=count, num_generations=case["group_size"], use_cpu=True, bf16=False, report_to="none",
        num_iterations=2, gradient_checkpointing=False, **case["config"],
    )  # fmt: skip
    data = Dataset.from_list([{"prompt": "word"}] * count)
    trainer = Given(model, lambda completions, **_: case["rewards"], config, data, processing_class=tokenizer())
    trainer.case, trainer.now, trainer.their_reference = case, torch.empty(0), object()
    trainer.use_vllm = case["tis"]
    trainer.beta, trainer.ref_model = case["beta"], trainer.their_reference
    trainer.now = trainer.rows("now").requires_grad_()
    trainer.model.train()
    trainer.current_gradient_accumulation_steps = 1
    inputs = trainer._generate_and_score_completions([{"prompt": "word"}] * count)
    loss = trainer._compute_loss(trainer.model, inputs)
    loss.backward()
    assert trainer.now.grad is not None
    grad = [row[: len(mask)].tolist() for row, mask in zip(trainer.now.grad, case["sampled"], strict=True)]
    return {"loss": loss.item(), "grad": grad, "advantages": inputs["advantages"].tolist()}


if __name__ == "__main__":
    logging.disable(logging.WARNING)  # theirs tells of every reward that is missing
    with tempfile.TemporaryDirectory() as made:
        results = [compute(case, made) for case in json.loads(Path(sys.argv[1]).read_text())]
    Path(sys.argv[2]).write_text(json.dumps(results))
