"""What pretraining changes: a model, and a head that names what lies in each part of an image."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from agents.config import EnvConfig, ModelConfig, load_agent
from agents.pretraining.config import PretrainConfig
from agents.pretraining.samples import NOTHING, Sample, Screens

#: Heads of a layer that are taught where to look.
POINTERS = 2


class Namer(nn.Module):
    """From image features to the tokens of what lies there; used in pretraining only."""

    def __init__(self, width: int, vocabulary: int):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, features: Tensor, bags: Sequence[tuple[int, ...]]) -> Tensor:
        """Sum over image tokens of the cross-entropy (nats) with the uniform distribution over each token's bag, weighed by :func:`weight`."""
        rows = [i for i, bag in enumerate(bags) for _ in bag]
        ids = [j for bag in bags for j in bag]
        weights = [weight(bag) / len(bag) for bag in bags for _ in bag]
        logprobs = self.head(self.norm(features)).float().log_softmax(-1)
        picked = logprobs[torch.tensor(rows), torch.tensor(ids)]
        return -(picked * torch.tensor(weights)).sum()


def weight(bag: tuple[int, ...]) -> float:
    """How much the naming loss weighs an image token: most of a screen is background, and to know it says little."""
    return 0.0 if not bag else 0.05 if bag == (NOTHING,) else 1.0


class Pretrainer:
    """Model, optimiser and data of one run; ``step`` counts optimiser steps. Each of ``config.processes`` has one, equal but for ``rank``."""

    def __init__(self, config: PretrainConfig, rank: int = 0):
        self.config, self.rank = config, rank
        env = EnvConfig(width=config.width, height=config.height)
        torch.manual_seed(config.seed)
        self.agent = load_agent(ModelConfig(str(config.model), cache_mb=64, threads=config.threads), config.policy, env)
        self.model: Any = self.agent.model
        for parameter in self.model.parameters():
            parameter.requires_grad_(True)
        self.screens = Screens(config, self.agent)
        text = self.model.config.get_text_config()
        self.namer = Namer(text.hidden_size, text.vocab_size)
        self.optimisers = self._optimisers()
        self.step, self.seconds, self.cpu = 0, 0.0, 0.0
        self._features: list[Tensor] = []
        for module in self.model.modules():
            if isinstance(module, nn.Conv3d) and module.kernel_size == module.stride:
                setattr(module, "forward", _as_matrix(module))  # noqa: B010  the same numbers, at a tenth of a convolution's time on a CPU
        tower = getattr(self.model.model, "visual", None) or self.model.model.connector
        self._attended: list[tuple[Any, Tensor, Any]] = []
        for layer in self.model.model.get_decoder().layers:
            layer.self_attn.register_forward_pre_hook(self._note_attention, with_kwargs=True)
        tower.register_forward_hook(lambda module, inputs, output: self._features.append(_plain(output)))

    def _note_attention(self, attention: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._attended.append((attention, kwargs.get("hidden_states", *args[:1]), kwargs["position_embeddings"]))

    def _optimisers(self) -> list[torch.optim.Optimizer]:
        """Muon for the matrices inside the towers, AdamW for all else; at such a size this takes about half the steps of AdamW alone."""
        outside = ("embed", "lm_head")
        inner = {n: p for n, p in self.model.named_parameters() if p.dim() == 2 and not any(word in n for word in outside)}
        rest = [p for n, p in self.model.named_parameters() if n not in inner]
        adamw = torch.optim.AdamW([*rest, *self.namer.parameters()], lr=self.config.lr, betas=(0.9, 0.98), weight_decay=0.0)
        muon = torch.optim.Muon(list(inner.values()), lr=self.config.muon_lr, momentum=0.95, weight_decay=0.01)
        return [muon, adamw]

    @property
    def state_file(self) -> Path:
        return self.config.out / "state.pt"

    def save(self) -> None:
        """Write the state, whole or not at all."""
        self.config.out.mkdir(parents=True, exist_ok=True)
        state = {"model": self.model.state_dict(), "namer": self.namer.state_dict(), "optimisers": [each.state_dict() for each in self.optimisers]}
        state |= {"step": self.step, "seconds": self.seconds, "cpu": self.cpu}
        partial = self.state_file.with_suffix(".partial")
        torch.save(state, partial)
        os.replace(partial, self.state_file)

    def restore(self) -> None:
        """Go on from the state that was saved last."""
        state = torch.load(self.state_file, weights_only=True)
        self.model.load_state_dict(state["model"])
        self.namer.load_state_dict(state["namer"])
        for optimiser, held in zip(self.optimisers, state["optimisers"], strict=True):
            optimiser.load_state_dict(held)
        self.step, self.seconds, self.cpu = state["step"], state["seconds"], state["cpu"]

    def rate(self) -> float:
        """The learning rate of the step to come, as a share of the highest."""
        config, step = self.config, self.step + 1
        rise = min(1.0, step / max(1, config.warmup))
        fall = min(1.0, (config.steps - self.step) / max(1, config.cooldown))
        return min(rise, fall)

    def samples(self) -> Iterator[Sample]:
        """This process's samples of the step to come: a function of seed, step and rank alone."""
        rng = np.random.default_rng([self.config.seed, 4, self.step, self.rank])
        left = -(-self.config.batch // self.config.processes)
        if self.seeing:
            left *= 2  # as much work as with questions
        for _ in range(left):
            yield self.screens.look(rng) if self.seeing else self.screens.draw(rng)

    @property
    def seeing(self) -> bool:
        """Whether the step to come trains the vision tower alone."""
        return self.step < self.config.seeing

    def update(self) -> dict[str, float]:
        """One optimiser step; returns figures for the log."""
        began = time.perf_counter()
        samples = sorted(self.samples(), key=lambda sample: len(sample.ids))
        drawn = time.perf_counter()
        for optimiser, highest in zip(self.optimisers, (self.config.muon_lr, self.config.lr), strict=True):
            for group in optimiser.param_groups:
                group["lr"] = highest * self.rate()
        counts = [
            sum(sum(s.mask) for s in samples),
            sum(weight(bag) for s in samples for bag in s.named),
            sum(len(s.looks) + len(s.recalls) for s in samples),
        ]
        shared = torch.tensor(counts, dtype=torch.float64)
        self._sum([shared])
        total, named, pointed = (max(1.0, value) for value in shared.tolist())
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.config.bfloat16):
            loss, right, naming, pointing = self.losses(samples)
        (loss / total + self.config.naming * naming / named + self.config.pointing * pointing / pointed).backward()
        parts = [loss.item() / total, naming.item() / named, pointing.item() / pointed, right / total]
        sums = torch.tensor([*parts, sum(map(_answers, samples)), sum(len(s.ids) for s in samples)], dtype=torch.float64)
        parameters = [*self.model.parameters(), *self.namer.parameters()]
        self._sum([p.grad for p in parameters if p.grad is not None])
        self._sum([sums])
        figures = dict(zip(("loss", "naming", "pointing", "accuracy", "answers", "tokens"), sums.tolist(), strict=True))
        norm = nn.utils.clip_grad_norm_(parameters, 1.0)
        for optimiser in self.optimisers:
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
        self.step += 1
        now = time.perf_counter()
        self.seconds += now - began
        return figures | {"grad_norm": float(norm), "lr": self.rate(), "time_draw": drawn - began, "time_learn": now - drawn}

    def _sum(self, tensors: list[Tensor]) -> None:
        """Sum each tensor over all processes, in place."""
        if self.config.processes > 1:
            flat = torch.cat([tensor.flatten() for tensor in tensors])
            torch.distributed.all_reduce(flat)
            for tensor, part in zip(tensors, flat.split([tensor.numel() for tensor in tensors]), strict=True):
                tensor.copy_(part.view_as(tensor))

    def losses(self, samples: Sequence[Sample]) -> tuple[Tensor, int, Tensor, Tensor]:
        """Sum of the negative log-probs (nats) of answers, how many of their tokens are the likeliest, and the sums of naming and pointing loss."""
        vision = self.agent.vision
        bags = [bag for s in samples for bag in s.named]
        asked = [i for i, bag in enumerate(bags) if bag]
        self._features.clear()
        self._attended.clear()
        if self.seeing:
            self.model.model.get_image_features(**vision.pixels([frame for s in samples for frame in s.frames]))
            naming = self.namer(self._features[0][asked], [bags[i] for i in asked])
            return naming.new_zeros(()), 0, naming, naming.new_zeros(())
        inputs = vision.batch([s.ids for s in samples], [s.frames for s in samples], side="right")
        longest = inputs["input_ids"].shape[1]
        mask = torch.tensor([s.mask + [False] * (longest - len(s.mask)) for s in samples])
        hidden = self.model.model(**inputs, use_cache=False).last_hidden_state
        logits = self.model.lm_head(hidden[:, :-1][mask[:, 1:]]).float()
        targets = inputs["input_ids"][mask]
        loss = nn.functional.cross_entropy(logits, targets, reduction="sum")
        naming = loss.new_zeros(())
        if asked and self.config.naming:
            naming = self.namer(self._features[0][asked], [bags[i] for i in asked])
        return loss, int((logits.argmax(-1) == targets).sum()), naming, self._pointing(samples)

    def _pointing(self, samples: Sequence[Sample]) -> Tensor:
        """Sum of -log of the attention (nats) that :data:`POINTERS` heads pay what is to be looked at.

        In the middle layer, the words of a question look at the image token of what they tell; in the last, coordinates of the answer
        recall those words. So which of many things is meant is learnt before how to say where it is.
        """
        if not self.config.pointing:
            return torch.zeros(())
        middle, last = self.model.config.get_text_config().num_hidden_layers // 2, -1
        looks = [(row, *pair) for row, s in enumerate(samples) for pair in s.looks]
        recalls = [(row, *pair) for row, s in enumerate(samples) for pair in s.recalls]
        return self._inattention(middle, looks) + self._inattention(last, recalls)

    def _inattention(self, layer: int, pairs: list[tuple[int, int, int]]) -> Tensor:
        """Mean over heads, sum over ``(row, from, to)`` of -log of the attention in a layer."""
        if not pairs:
            return torch.zeros(())
        attention, hidden, (cos, sin) = self._attended[layer]
        shape = (*hidden.shape[:2], -1, attention.head_dim)
        query, key = attention.q_proj(hidden).view(shape), attention.k_proj(hidden).view(shape)
        if hasattr(attention, "q_norm"):
            query, key = attention.q_norm(query), attention.k_norm(key)
        turn = sys.modules[type(attention).__module__].apply_rotary_pos_emb
        query, key = turn(query.transpose(1, 2), key.transpose(1, 2), cos, sin)
        rows, at, targets = (torch.tensor(column) for column in zip(*pairs, strict=True))
        scores = torch.einsum("phd,phkd->phk", query[rows, :POINTERS, at].float(), key[rows, :POINTERS].float()) * attention.scaling
        scores = scores.masked_fill((torch.arange(scores.shape[-1]) > at[:, None])[:, None], -torch.inf)
        return nn.functional.cross_entropy(scores.flatten(0, 1), targets.repeat_interleave(POINTERS), reduction="sum") / POINTERS

    def export(self, folder: Path, dtype: torch.dtype = torch.float16) -> None:
        """Write model and processor; the model stays as it is."""
        self.model.half() if dtype is torch.float16 else self.model.to(dtype)
        self.model.save_pretrained(folder)
        self.agent.processor.save_pretrained(folder)
        self.model.float()


def _answers(sample: Sample) -> int:
    return sum(1 for a, b in zip([False, *sample.mask], sample.mask, strict=False) if b and not a)


def _as_matrix(convolution: nn.Conv3d) -> Callable[[Tensor], Tensor]:
    """The forward of a convolution over patches that are one kernel large."""

    def forward(patches: Tensor) -> Tensor:
        out = nn.functional.linear(patches.flatten(1), convolution.weight.flatten(1), convolution.bias)
        return out.view(*out.shape, 1, 1, 1)

    return forward


def _plain(output: Any) -> Tensor:
    """The features of a tower's output, ``(image tokens, width)``."""
    features = getattr(output, "pooler_output", output)
    return features.flatten(0, -2)
