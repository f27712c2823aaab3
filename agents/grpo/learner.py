"""From rows to better weights: :class:`GrpoLearner`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import torch

from agents.adapters import Trainable
from agents.distributed import Processes
from agents.grpo.loss import LossConfig, grpo_loss, token_weights
from agents.logprobs import ImageInputs, checkpoint_layers, collate, micro_batches, trained_logprobs
from agents.memory import memory_errors, smaller_parts
from agents.optimiser import Optimiser, OptimiserConfig
from agents.rows import Row, turn_numbers
from agents.timing import Timings

T = TypeVar("T")

#: By name, log-probs of the trained tokens of each row, by the row's ``id``.
Fixed = dict[str, dict[int, torch.Tensor]]

#: Figures of tokens and turns whose largest value is logged beside their mean.
WITH_MAX = ("ratio", "sequence_ratio", "mismatch", "kl", "tis_weight", "tis_sequence")


class EngineMismatchError(RuntimeError):
    """Engine and learner do not compute the same policy, so what is trained is not what was sampled."""


@dataclass(frozen=True)
class LearnerConfig:
    """How rows become updates.

    Args:
        loss: the objective.
        optimiser: AdamW and its schedule.
        passes: times each batch of rows is used.
        minibatches: optimizer steps per pass; each uses an equal share of the episodes, drawn anew, with all of their rows.
        micro_tokens: padded tokens of one forward pass; bounds memory and changes no result.
        gradient_checkpointing: keep one hidden state a layer and compute the rest again in the backward pass: less memory, a third more time.
        mismatch_warn: mean absolute difference of engine's and learner's log-probs (nats) above which a training run warns.
        mismatch_stop: the same above which training stops.
    """

    loss: LossConfig = field(default_factory=LossConfig)
    optimiser: OptimiserConfig = field(default_factory=OptimiserConfig)
    passes: int = 2
    minibatches: int = 1
    micro_tokens: int = 8192
    gradient_checkpointing: bool = False
    mismatch_warn: float = 0.02
    mismatch_stop: float = 0.5

    def __post_init__(self) -> None:
        if self.passes < 1 or self.minibatches < 1 or self.micro_tokens < 1:
            raise ValueError(f"passes {self.passes}, minibatches {self.minibatches}, micro_tokens {self.micro_tokens}: expected at least 1 each")
        if not (self.mismatch_warn >= 0 and self.mismatch_stop >= 0):
            raise ValueError(f"mismatch_warn {self.mismatch_warn}, mismatch_stop {self.mismatch_stop}: expected 0 or more nats")


class GrpoLearner:
    """Trains ``trainable`` on rows. The model stays in eval mode: dropout would make it another policy than the engine's.

    Args:
        trainable: the model, shared with the engine.
        vision: from frames and ids to the model's other inputs.
        pad_id: any valid token id; padded positions are attended by nothing.
        config: how.
        total_steps: optimizer steps after which "linear" and "cosine" schedules end.
        rng: shuffles episodes over minibatches.
        processes: those that share the work; each has a learner of its own, which takes the same steps.
    """

    def __init__(
        self,
        trainable: Trainable,
        vision: ImageInputs,
        pad_id: int,
        config: LearnerConfig,
        total_steps: int,
        rng: np.random.Generator | None = None,
        processes: Processes | None = None,
    ):
        self.processes = processes or Processes()
        self.trainable, self.vision, self.pad_id, self.config = trainable, vision, pad_id, config
        self.optimiser = Optimiser(trainable.parameters(), config.optimiser, total_steps)
        self.rng = rng or np.random.default_rng(0)
        self.timings = Timings(trainable.model.device)  #: of its phases: reference, forward, backward, optimiser
        self.micro_tokens = config.micro_tokens  #: as configured, or less where memory ran out
        self.version = 0  #: batches of rows learned from: the policy version of the weights as they are now
        if config.loss.kl > 0:
            trainable.freeze_reference()
        if config.gradient_checkpointing:
            checkpoint_layers(trainable.model)

    def update(self, rows: Sequence[Row], share: float = 1.0) -> dict[str, float]:
        """Learn from ``rows`` (all of one collection), in ``passes x minibatches`` optimizer steps. Returns figures for the log.

        ``share`` is what part of the collection ``rows`` are (:class:`~agents.grpo.lesson.Lesson`). The rest has advantage 0: it adds
        nothing to the gradient and still counts in its mean, so that a step with little to learn from is a small one.

        Where memory runs out the work is done again in smaller parts. A loss or gradient that is no number is skipped, and the figures say so.
        Raises :class:`EngineMismatchError`, :class:`~agents.optimiser.DivergedError` where that happens again and again, torch.OutOfMemoryError
        where not even one row fits; none of them leaves damaged weights behind.
        """
        if not rows:
            raise ValueError("no rows to learn from: every group was skipped")
        self.processes.order("update", list(rows), share)
        self.trainable.model.eval()
        with self.timings("reference"):
            fixed = self._fixed(rows)
        figures: dict[str, list[float]] = defaultdict(list)
        for pass_ in range(self.config.passes):
            for i, part in enumerate(self._minibatches(rows)):
                for name, value in self._step(part, share, pass_ == i == 0, fixed).items():
                    figures[name].append(value)
        self.version += 1
        self.processes.done()
        largest = {name for name in figures if name.endswith("_max")}
        result = {name: max(values) if name in largest else sum(values) / len(values) for name, values in figures.items()}
        return result | {"rows": float(len(rows)), "skipped_updates": float(self.optimiser.skipped)}

    def follow(self) -> None:
        """Of a process that does not lead, the whole of training: do to its model what process 0 does, until the run is over."""
        doing: dict[str, Callable[..., object]] = {"update": self.update, "weights": self.trainable.whole, "state": self.state_dict}
        for name, arguments in self.processes.orders():
            doing[name](*arguments)

    def _minibatches(self, rows: Sequence[Row]) -> list[list[Row]]:
        """``rows`` in parts of whole episodes: which tokens meet in a step, and what they weigh, depends on no fork."""
        by_episode: dict[int, list[Row]] = defaultdict(list)
        for row in rows:
            by_episode[row.episode].append(row)
        episodes = list(by_episode.values())
        order = self.rng.permutation(len(episodes)) if self.config.minibatches > 1 else np.arange(len(episodes))
        parts = np.array_split(order, min(self.config.minibatches, len(episodes)))
        return [[row for i in part for row in episodes[i]] for part in parts]

    def _fixed(self, rows: Sequence[Row]) -> Fixed:
        """What stays as it is while ``rows`` are learned from: log-probs of the reference, and of the learner before the first step."""
        fixed: Fixed = {}
        if self.config.loss.kl > 0:
            with self.trainable.reference() as model:
                fixed["reference"] = self._logprobs(model, rows)
        if self.config.loss.tis_cap is not None and self.config.passes * self.config.minibatches > 1:
            fixed["old"] = self._logprobs(self.trainable.model, rows)
        return fixed

    @torch.no_grad()
    def _logprobs(self, model: Any, rows: Sequence[Row]) -> dict[int, torch.Tensor]:
        """Log-probs of the trained tokens of each row, by the row's ``id``."""
        number = {id(row): i for i, row in enumerate(rows)}

        def work() -> dict[int, torch.Tensor]:
            found: dict[int, torch.Tensor] = {}
            for part, counts in self._own_share(rows):
                batch = collate(part, self.vision, self.pad_id, self.trainable.model.device)
                logprobs = trained_logprobs(model, batch)[0].cpu()
                at = batch.row.cpu()
                found |= {number[id(row)]: logprobs[at == i] for i, row in enumerate(batch.rows) if counts}
            return found

        return {id(rows[i]): values for found in self._within_memory(work, rows) for i, values in found.items()}

    def _own_share(self, rows: Sequence[Row]) -> list[tuple[list[Row], bool]]:
        """This process's micro-batches, and whether they count (:meth:`Processes.share`)."""
        return self.processes.share(list(micro_batches(rows, self.micro_tokens)), cost=lambda part: len(part) * max(len(r.ids) for r in part))

    def _step(self, rows: list[Row], share: float, first: bool, fixed: Fixed) -> dict[str, float]:
        """One optimizer step on a minibatch."""
        self.optimiser.clear()  # what an update that failed half-way left
        total, kept = self._accumulate(rows, share, first, fixed)
        if first:
            self._compare(torch.cat(kept["mismatch"]))
        with self.timings("optimiser"):
            result = {"loss": total, "lr": self.optimiser.lr, "grad_norm": self.optimiser.step(total)}  # the rate of this step
        for name, parts in kept.items():
            values = torch.cat(parts)
            result[name] = float(values.mean()) if len(values) else 0.0
            if name in WITH_MAX:
                result[f"{name}_max"] = float(values.max()) if len(values) else 0.0
        return result

    def _accumulate(self, rows: list[Row], share: float, first: bool, fixed: Fixed) -> tuple[float, dict[str, list[torch.Tensor]]]:
        """The gradients of a minibatch, of all processes. Returns its loss and, by name, figures of its trained tokens."""
        total, kept = 0.0, defaultdict(list)
        for loss, figures in self._within_memory(lambda: self._backward(rows, self._own_share(rows), share, first, fixed), rows):
            total += loss
            for name, values in figures.items():
                kept[name].append(values)
        self.processes.sum_gradients(self.trainable.parameters())
        return total, kept

    def _within_memory(self, work: Callable[[], T], rows: Sequence[Row]) -> list[T]:
        """``work()`` of all processes on ``rows``; again with half of ``micro_tokens`` where memory runs out in any, down to one row at a time."""

        def attempt() -> T:
            with memory_errors():
                return work()

        while True:
            try:
                return self.processes.agree(attempt)
            except torch.OutOfMemoryError as error:
                problem = str(error).splitlines()[0]
            self.optimiser.clear()  # what the parts that fitted have left
            self.micro_tokens = smaller_parts(rows, self.micro_tokens, problem)

    def _backward(
        self, rows: list[Row], parts: list[tuple[list[Row], bool]], share: float, first: bool, fixed: Fixed
    ) -> tuple[float, dict[str, torch.Tensor]]:
        """Add up the gradients of this process's ``parts`` of ``rows``; those that do not count add nothing."""
        each = token_weights([sum(row.mask) for row in rows], [row.weight for row in rows], self.config.loss)
        weights = {id(row): share * weight for row, weight in zip(rows, each, strict=True)}
        kept: dict[str, list[torch.Tensor]] = defaultdict(list)
        total = 0.0
        for part, counts in parts:
            with self.timings("forward"):
                batch = collate(part, self.vision, self.pad_id, self.trainable.model.device)
                logprobs, entropy = trained_logprobs(self.trainable.model, batch)
            if not counts:
                (0.0 * logprobs.sum()).backward()
                continue
            if first:  # of the tokens that the weights as they are now have sampled
                current = batch.per_token([float(row.policy_version == self.version) for row in part]).bool()
                kept["mismatch"].append((logprobs.detach() - batch.behaviour)[current].abs())
            known = {name: torch.cat([values[id(row)] for row in batch.rows]).to(logprobs.device) for name, values in fixed.items()}
            if self.config.loss.tis_cap is not None:
                known.setdefault("old", logprobs.detach())  # of the only step of an update
            token_weight = batch.per_token([weights[id(row)] for row in part])
            turn = torch.tensor(turn_numbers(batch.rows), device=logprobs.device)
            loss, metrics = grpo_loss(logprobs, batch.behaviour, batch.advantages, token_weight, self.config.loss, turn, **known)
            with self.timings("backward"):
                loss.backward()
            total += float(loss.detach())
            kept["entropy"].append(entropy)
            for name, values in metrics.items():
                kept[name].append(values.float())
        return total, {name: torch.cat(values).cpu() for name, values in kept.items()}

    def _compare(self, gap: torch.Tensor) -> None:
        """Check engine against learner, whose log-probs of the same tokens differ by ``gap`` ``(tokens,)``, before any step is taken."""
        mean = float(gap.mean()) if len(gap) else 0.0
        if mean > self.config.mismatch_stop:
            raise EngineMismatchError(
                f"the log-probs of engine and learner differ by {mean:.3g} nats in the mean (up to {float(gap.max()):.3g}), more than mismatch_stop "
                f"{self.config.mismatch_stop}: same weights, temperature, suppressed ids, images and precision on both sides?"
            )

    def state_dict(self) -> dict[str, Any]:
        if self.processes.sharded:
            self.processes.order("state")
        optimiser = self.optimiser.state_dict()
        self.processes.done()
        return {
            "optimiser": optimiser, "version": self.version, "rng": self.rng.bit_generator.state, "micro_tokens": self.micro_tokens
        }  # fmt: skip

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.optimiser.load_state_dict(state["optimiser"])
        self.version = state["version"]
        self.rng.bit_generator.state = state["rng"]
        self.micro_tokens = state["micro_tokens"]
