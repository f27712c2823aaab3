"""A text-only stand-in for a VLM, and rows sampled from it: what learner and checkpoint tests need."""

from __future__ import annotations

import numpy as np
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from agents.adapters import AdapterConfig, Trainable
from agents.episodes import Episode, Frame, Sampling, Turn
from agents.grpo.learner import GrpoLearner, LearnerConfig
from agents.rows import Row
from gui_gym.verifiers import Score

VOCABULARY, PAD = 20, 0


class OneTokenImages:
    """Every image is one token, 99."""

    image_token_id = 99

    def image_tokens(self, frame):
        return 1


def screen(number: int) -> Frame:
    return Frame(np.full((4, 4, 3), number, np.uint8))


def episode(reward, screens=(0,), ids=(3, 4), finish_reasons=None, task="t#1") -> Episode:
    """An episode that saw ``screens``, a turn each, and answered ``ids`` each time. Each prompt holds its last screen only: a row a turn."""
    reasons = finish_reasons or ["stop"] * len(screens)
    turns = [
        Turn((1, 99), (screen(s),), tuple(ids), (-0.5,) * len(ids), Sampling(), finish_reason=why) for s, why in zip(screens, reasons, strict=True)
    ]
    score = Score.missing("dead") if reward is None else Score.of(min(1.0, max(0.0, reward)))
    return Episode(task, "Do.", turns=turns, frames=[screen(s) for s in screens], score=score, reward=reward)


def no_images(images, ids):
    return {}


def tiny_llama(seed: int = 0) -> LlamaForCausalLM:
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=2,
        max_position_embeddings=64, pad_token_id=PAD, bos_token_id=None, eos_token_id=1,
    )  # fmt: skip
    model = LlamaForCausalLM(config)
    with torch.no_grad():
        for p in model.parameters():
            p.mul_(5)  # far from uniform, so that a wrong log-prob shows
    return model.eval()


@torch.no_grad()
def sample_row(
    model, rng: np.random.Generator, prompt: int = 4, new: int = 5, sampling: Sampling | None = None, turns: int = 1, advantage=0.0, **fields
) -> Row:
    """Sample token by token, without cache, padding or batch: as slow and plain as can be."""
    sampling = sampling or Sampling()
    ids, mask, logprobs = [], [], []
    for _ in range(turns):
        for token in rng.integers(2, VOCABULARY, prompt):
            ids.append(int(token))
            mask.append(False)
            logprobs.append(0.0)
        for _ in range(new):
            logits = model(input_ids=torch.tensor([ids])).logits[0, -1].double() / sampling.temperature
            logits[list(sampling.suppress)] = -torch.inf
            p = logits.softmax(0)
            token = int(rng.choice(VOCABULARY, p=(p / p.sum()).numpy()))
            ids.append(token)
            mask.append(True)
            logprobs.append(float(p[token].log()))
    return Row(ids, mask, logprobs, [advantage * m for m in mask], [], sampling, turns=turns, **fields)


def make_learner(model, adapter: AdapterConfig | None = None, total_steps: int = 100, **config) -> GrpoLearner:
    torch.manual_seed(1)
    trainable = Trainable(model, adapter or AdapterConfig(rank=4, alpha=8))
    return GrpoLearner(trainable, no_images, PAD, LearnerConfig(**config), total_steps, np.random.default_rng(0))


def make_rows(model, seed: int = 0, n: int = 6) -> list[Row]:
    rng = np.random.default_rng(seed)
    shape = [(3, 5, 1), (6, 2, 1), (2, 3, 2), (4, 1, 1), (1, 6, 1), (5, 4, 2)]
    return [
        sample_row(model, rng, p, new, turns=turns, advantage=float((-1) ** i * (1 + i / 4)), episode=i)
        for i, (p, new, turns) in enumerate(shape[i % len(shape)] for i in range(n))
    ]
