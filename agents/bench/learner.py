"""``gui-agents bench learner``: an update of chained rows beside a loop that reads the whole history anew for each turn.

Both learn from the same episodes with the same weights, and their gradients are compared. The loop is what one writes with a plain trainer: for each
turn the prompts of all episodes up to it, in one batch, forward and backward, logits at the positions of the answer alone. A chained row is
read once: T turns against T (T + 1) / 2.

How much longer more turns may take: everything but attention grows as the number of turns, and attention as measured alone, by PyTorch's own kernel
at the shape of the rows. So where T0 turns took W(T0) seconds, of which attention A(T0), T turns may take (W(T0) - A(T0)) T / T0 + A(T).
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypedDict

import numpy as np
import torch
from torch import Tensor

from agents.adapters import AdapterConfig, Trainable
from agents.bench.memory import ProcessPeak, TensorPeak
from agents.engines.transformers_engine import sampling_logprobs
from agents.episodes import Episode, Frame, Sampling, Turn
from agents.grpo.learner import GrpoLearner, LearnerConfig
from agents.grpo.loss import grpo_loss, token_weights
from agents.logprobs import collate, micro_batches, trained_logprobs
from agents.models import load_model
from agents.optimiser import Optimiser
from agents.prompts import History, Prompt, PromptBuilder
from agents.rows import Row, rows_from_episode
from agents.tiny_vlm import build_tiny_vlm
from agents.vision import VisionInputs
from gui_gym.codecs import make_codec
from gui_gym.verifiers import Score

ENOUGH = 10.0  #: seconds of the processor after which there is no further round


@dataclass(frozen=True)
class Shape:
    """What is measured.

    Args:
        turns: numbers of turns, the smallest first.
        forked: turns for the histories whose rows fork.
        n: screens that those keep.
        group: episodes, which begin with the same screen.
        kind: family of the model.
        hidden: width of the model.
        layers: text layers.
        vision_layers: vision layers.
        image: side of a screen in pixels; 28 x 28 of them are a token.
        answer: tokens of an answer.
        micro_tokens: padded tokens of one forward pass of ours.
        rounds: how often each is done, of which the best counts.
    """

    turns: tuple[int, ...] = (4, 8, 16, 32)
    forked: int = 16
    n: int = 4
    group: int = 2
    kind: str = "idefics3"
    hidden: int = 256
    layers: int = 4
    vision_layers: int = 2
    image: int = 112
    answer: int = 12
    micro_tokens: int = 4096
    rounds: int = 3


QUICK = Shape(turns=(2, 4), forked=4, n=2, group=2, hidden=32, layers=2, vision_layers=1, image=56, answer=4, micro_tokens=512, rounds=1)


class LearnerRecord(TypedDict):
    """One update. ``wall`` and ``cpu`` are seconds (by the clock, and those the process had a processor), memory is in MB; ``loop`` is the same
    of the full-history loop, ``ratio`` how many times longer that took (in ``cpu`` seconds, on a GPU in ``wall``), ``cold_ratio`` the same where
    the update processes frames and computes their features itself, each once, ``growth`` the time beside what is ``allowed`` (None for the first
    and where rows fork), ``difference`` the largest of the gradients relative to the largest gradient."""

    name: str
    turns: int
    rows: int
    tokens: int
    trained_tokens: int
    images: int
    distinct_images: int
    tokens_per_s: float
    wall: float
    cpu: float
    tensor_mb: float
    process_mb: float
    loop_wall: float
    loop_cpu: float
    loop_tensor_mb: float
    loop_process_mb: float
    ratio: float
    wall_ratio: float
    cold_ratio: float
    allowed: float | None
    growth: float | None
    difference: float


@dataclass(frozen=True)
class _Cost:
    wall: float
    cpu: float
    process: int


class _Kept(Optimiser):
    """Keeps the gradients where it should take a step, so that all begin from the same weights."""

    gradients: list[Tensor]

    def step(self, loss: float) -> float:
        self.gradients = [torch.zeros_like(p) if p.grad is None else p.grad.clone() for p in self.parameters]
        self.clear()
        return 0.0


class LearnerBench:
    """A model of random weights with a LoRA adapter on its text tower, and what is measured on it.

    Args:
        shape: of model and episodes.
        device: "cpu" or "cuda".
        dtype: of the model's weights.
    """

    def __init__(self, shape: Shape, device: str = "cpu", dtype: str = "float32"):
        self.shape, self.device = shape, device
        with TemporaryDirectory() as folder:
            sizes: dict[str, Any] = {"hidden": shape.hidden, "layers": shape.layers, "vision_layers": shape.vision_layers}
            self.parameters = build_tiny_vlm(Path(folder), kind=shape.kind, image_size=shape.image, **sizes)
            model, processor = load_model(folder, dtype=dtype, device=device)
        model.generation_config.max_length = None
        torch.manual_seed(0)
        self.vision = VisionInputs(processor, model)
        self.trainable = Trainable(model, AdapterConfig(rank=8, alpha=16))
        with torch.no_grad():  # B is zero at first, and A's gradient with it
            for p in self.trainable.parameters():
                p.add_(torch.randn_like(p), alpha=0.02)
        self.learner = GrpoLearner(
            self.trainable, self.vision, self.vision.tokens.pad, LearnerConfig(passes=1, micro_tokens=shape.micro_tokens), total_steps=1
        )
        self.learner.optimiser = self.kept = _Kept(self.trainable.parameters(), self.learner.config.optimiser, 1)

    def describe(self) -> dict[str, Any]:
        """What the figures are of."""
        builder, frames = self._builder("append"), self._frames(2, 0)
        first = builder.start("", frames[0], (self.shape.image,) * 2)
        turn = len(builder.extend(first, builder.completion_ids("x")[:1], "stop", frames[1]).ids) - len(first.ids) - 1 + self.shape.answer
        config = self.trainable.model.config.get_text_config()
        return {
            "model": self.shape.kind, "parameters": self.parameters, "trained_parameters": sum(p.numel() for p in self.trainable.parameters()),
            "hidden_size": config.hidden_size, "layers": config.num_hidden_layers, "vocabulary": config.vocab_size,
            "episodes": self.shape.group, "tokens_a_turn": turn, "image_tokens": self.vision.image_tokens(frames[0]),
            "answer_tokens": self.shape.answer, "device": self.device, "dtype": str(self.trainable.model.dtype).removeprefix("torch."),
            "threads": torch.get_num_threads(),
        }  # fmt: skip

    def run(self) -> list[LearnerRecord]:
        """All records: chained rows at each number of turns, then the histories that fork."""
        self._cost(lambda: self.ours(self.rows(self.episodes("append", 2))))  # what the first call of all sets up
        gc.freeze()  # what is there to stay is not looked through before each measurement
        try:
            return self._records()
        finally:
            gc.unfreeze()

    def _records(self) -> list[LearnerRecord]:
        records: list[LearnerRecord] = []
        first: tuple[int, float, float] | None = None
        for turns in self.shape.turns:
            record = self.measure("append", turns)
            attention = self.attention(record["tokens"] // self.shape.group)
            if first is None:
                first = turns, self._seconds(record), attention
            else:
                record["allowed"] = allowed = (first[1] - first[2]) * turns / first[0] + attention
                record["growth"] = self._seconds(record) / allowed
            records.append(record)
        return [*records, *(self.measure(history, self.shape.forked) for history in ("last_n", "block"))]

    def measure(self, history: History, turns: int) -> LearnerRecord:
        """One update of episodes of ``turns`` turns, both ways."""
        episodes = self.episodes(history, turns)
        rows = self.rows(episodes)
        ours, mine = self._cost(lambda: self.ours(rows))
        loop, theirs = self._cost(lambda: self.full_history(episodes))
        cold, _ = self._cost(lambda: self.ours(rows, forget=True))
        with TensorPeak() as peak:
            self.ours(rows)
        with TensorPeak() as loop_peak:
            self.full_history(episodes, turns - 1)  # the last turn, the longest
        scale = max(float(gradient.abs().max()) for gradient in theirs)
        difference = max(float((a - b).abs().max()) for a, b in zip(mine, theirs, strict=True)) / scale
        images = [frame.hash for row in rows for frame in row.images]
        tokens = sum(len(row.ids) for row in rows)
        return {
            "name": f"learner.turns{turns}" if history == "append" else f"learner.{history}.turns{turns}",
            "turns": turns, "rows": len(rows), "tokens": tokens, "trained_tokens": sum(sum(row.mask) for row in rows),
            "images": len(images), "distinct_images": len(set(images)), "tokens_per_s": tokens / ours.wall,
            "wall": ours.wall, "cpu": ours.cpu, "tensor_mb": peak.peak / 1e6, "process_mb": ours.process / 1e6,
            "loop_wall": loop.wall, "loop_cpu": loop.cpu, "loop_tensor_mb": loop_peak.peak / 1e6, "loop_process_mb": loop.process / 1e6,
            "ratio": self._seconds(loop.__dict__) / self._seconds(ours.__dict__),
            "wall_ratio": loop.wall / ours.wall,
            "cold_ratio": self._seconds(loop.__dict__) / self._seconds(cold.__dict__),
            "allowed": None, "growth": None, "difference": difference,
        }  # fmt: skip

    def ours(self, rows: Sequence[Row], forget: bool = False) -> list[Tensor]:
        """The gradients of one update of the learner. Image features are there from the rollout, as they are where the engine is embedded;
        ``forget`` computes those of each distinct frame in it, as a learner must whose engine is apart."""
        if forget:
            self.vision.features.cache.drop(lambda key: True)
        self.learner.update(rows)
        return self.kept.gradients

    def full_history(self, episodes: Sequence[Episode], begin: int = 0) -> list[Tensor]:
        """The gradients of the same update, a forward and backward pass for each turn from ``begin`` on, over all that its prompt holds."""
        model, config = self.trainable.model, self.learner.config.loss
        lengths = [sum(len(turn.completion_ids) for turn in episode.turns) for episode in episodes]
        weights = token_weights(lengths, [1.0] * len(episodes), config)
        for number in range(begin, max(len(episode.turns) for episode in episodes)):
            turns = [episode.turns[number] for episode in episodes]
            sequences = [(*turn.prompt_ids, *turn.completion_ids) for turn in turns]
            inputs = self.vision.batch(sequences, [turn.images for turn in turns], side="left", device=self.device)
            width = max(len(turn.completion_ids) for turn in turns)
            logits = model(**inputs, use_cache=False, logits_to_keep=width + 1).logits[:, :-1]
            loss = torch.zeros((), device=self.device)
            for turn, own, weight, episode in zip(turns, logits, weights, episodes, strict=True):
                said = torch.tensor(turn.completion_ids, device=self.device)
                logprobs = sampling_logprobs(own[-len(said) :], turn.sampling).gather(1, said[:, None])[:, 0]
                behaviour = torch.tensor(turn.logprobs, device=self.device)
                advantage = torch.full_like(behaviour, float(episode.reward or 0.0))
                loss = loss + grpo_loss(logprobs, behaviour, advantage, torch.full_like(behaviour, weight), config, torch.zeros_like(said))[0]
            loss.backward()
        self.kept.step(0.0)
        return self.kept.gradients

    def attention(self, length: int) -> float:
        """Seconds that attention alone takes, forward and backward, for rows of ``length`` ids, in all layers."""
        config = self.trainable.model.config.get_text_config()
        heads = config.num_attention_heads
        shape = self.shape.group, heads, length, config.hidden_size // heads
        q, k, v = (torch.randn(shape, device=self.device, dtype=self.trainable.model.dtype, requires_grad=True) for _ in range(3))

        def once() -> list[Tensor]:
            torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).sum().backward()
            return []

        once()
        return config.num_hidden_layers * self._seconds(self._cost(once)[0].__dict__)

    def _seconds(self, cost: Mapping[str, Any]) -> float:
        """The time that other work of the machine does not change: that of the processor, or of the GPU's work by the clock."""
        return cost["wall" if self.device.startswith("cuda") else "cpu"]

    def _cost(self, work: Callable[[], list[Tensor]]) -> tuple[_Cost, list[Tensor]]:
        """The best of several rounds, or of as many as take :data:`ENOUGH` seconds: the others met other work of the machine."""
        costs: list[_Cost] = []
        while len(costs) < self.shape.rounds and sum(cost.cpu for cost in costs) < ENOUGH:
            gc.collect()
            with ProcessPeak() as memory:
                cpu, wall = time.process_time(), time.perf_counter()
                result = work()
                if self.device.startswith("cuda"):
                    torch.cuda.synchronize()
                wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            costs.append(_Cost(wall, cpu, memory.peak))
        return _Cost(min(cost.wall for cost in costs), min(cost.cpu for cost in costs), max(cost.process for cost in costs)), result

    def rows(self, episodes: Sequence[Episode]) -> list[Row]:
        return [row for i, episode in enumerate(episodes) for row in rows_from_episode(episode, self.vision, i, float(episode.reward or 0.0))]

    def episodes(self, history: History, turns: int) -> list[Episode]:
        """A group that has said something at random: behaviour log-probs are the model's own, advantages alternate."""
        builder, sampling = self._builder(history), self.vision.sampling(1.0, self.shape.answer)
        episodes = []
        for number in range(self.shape.group):
            frames = [*self._frames(1, 0), *self._frames(turns - 1, number + 1)]
            episode = Episode("bench", "Press the button.", score=Score.of(1.0), reward=(-1.0) ** number)
            rng = np.random.default_rng([7, number])
            prompt = builder.start(episode.instruction, frames[0], (self.shape.image,) * 2)
            for turn in range(turns):
                said = self._say(rng)
                episode.turns.append(self._turn(prompt, said, sampling))
                if turn + 1 < turns:
                    prompt = builder.extend(prompt, said, "stop", frames[turn + 1])
            episodes.append(episode)
        self._measure_behaviour(episodes)
        return episodes

    def _turn(self, prompt: Prompt, said: tuple[int, ...], sampling: Sampling) -> Turn:
        return Turn(prompt.ids, prompt.images, said, (0.0,) * len(said), sampling)

    def _say(self, rng: np.random.Generator) -> tuple[int, ...]:
        tokens = self.vision.tokens
        allowed = np.setdiff1d(np.arange(len(self.vision.tokenizer)), [*tokens.suppress, *tokens.stop])
        return (*map(int, rng.choice(allowed, self.shape.answer - 1)), tokens.stop[0])

    @torch.no_grad()
    def _measure_behaviour(self, episodes: Sequence[Episode]) -> None:
        for episode in episodes:
            found: list[float] = []
            rows = self.rows([episode])
            by_row: dict[int, list[float]] = {}
            for part in micro_batches(rows, self.shape.micro_tokens):
                batch = collate(part, self.vision, self.vision.tokens.pad, self.device)
                logprobs = trained_logprobs(self.trainable.model, batch)[0]
                by_row |= {id(row): logprobs[batch.row == i].tolist() for i, row in enumerate(part)}
            found = [value for row in rows for value in by_row[id(row)]]
            for turn in episode.turns:
                object.__setattr__(turn, "logprobs", tuple(found[: len(turn.completion_ids)]))
                found = found[len(turn.completion_ids) :]

    def _builder(self, history: History) -> PromptBuilder:
        return PromptBuilder(self.vision, make_codec("dsl", "grid:10"), history=history, n=self.shape.n, system="")

    def _frames(self, count: int, seed: int) -> list[Frame]:
        rng, side = np.random.default_rng([3, seed]), self.shape.image
        return [Frame(rng.integers(0, 256, (side, side, 3), np.uint8)) for _ in range(count)]
