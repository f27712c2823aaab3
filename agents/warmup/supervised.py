"""Supervised warm-up: imitate demonstrations until the measured success says that it is enough."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import torch

from agents.adapters import Trainable
from agents.episodes import Episode
from agents.logprobs import ImageInputs, checkpoint_layers, collate, micro_batches, trained_logprobs
from agents.memory import memory_errors, smaller_parts
from agents.optimiser import Optimiser, OptimiserConfig
from agents.rows import Row


@dataclass(frozen=True)
class Success:
    """Success of the policy as it is, each 0 to 1; None where no episode could be scored."""

    sampled: float | None = None
    greedy: float | None = None


@dataclass(frozen=True)
class WarmupConfig:
    """Supervised warm-up. It ends once greedy success is high enough, and not after a number of steps: what a small model learns comes in jumps.

    Args:
        optimiser: AdamW and its schedule, which ends at max_steps.
        batch: demonstrations of one step.
        micro_tokens: padded tokens of one forward pass; bounds memory and changes no result.
        gradient_checkpointing: keep one hidden state a layer and compute the rest again in the backward pass: less memory, a third more time.
        stop_greedy: enough greedy success, 0 to 1.
        stop_gap: greedy success must also lie above sampled success by this, 0 to 1: what RL can then close. 0 does not ask.
        eval_every: steps from one measurement to the next.
        min_steps: no measurement before this step.
        max_steps: stop after this step in any case.
        minutes: stop after the step during which this many minutes have passed since this start (a resumed run begins anew); None is no limit.
    """

    optimiser: OptimiserConfig = field(default_factory=lambda: OptimiserConfig(lr=1e-3, warmup_steps=50, weight_decay=0.01))
    batch: int = 48
    micro_tokens: int = 8192
    gradient_checkpointing: bool = False
    stop_greedy: float = 0.8
    stop_gap: float = 0.0
    eval_every: int = 25
    min_steps: int = 0
    max_steps: int = 1000
    minutes: float | None = None

    def __post_init__(self) -> None:
        for name in ("batch", "micro_tokens", "eval_every", "max_steps"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}: expected at least 1")
        if not (self.stop_greedy >= 0 and self.stop_gap >= 0):
            raise ValueError(f"stop_greedy {self.stop_greedy}, stop_gap {self.stop_gap}: expected rates of 0 or more")
        if self.minutes is not None and not self.minutes >= 0:
            raise ValueError(f"minutes is {self.minutes}: expected 0 or more, or None")

    def enough(self, success: Success) -> bool:
        """Whether a policy of this success needs no more of it. What is not known is not enough."""
        if success.greedy is None or success.sampled is None:
            return False
        return success.greedy >= self.stop_greedy and success.greedy - success.sampled >= self.stop_gap


class SupervisedLearner:
    """Raises the log-probs of the answers in rows, under the same sampling settings as RL will use.

    The loss is the mean negative log-prob (nats) of the rows' trained tokens, each token counting once.

    Attributes:
        steps: optimizer steps taken.
        figures: of the last of them, for the log.
    """

    def __init__(self, trainable: Trainable, vision: ImageInputs, pad_id: int, config: WarmupConfig):
        self.trainable, self.vision, self.pad_id, self.config = trainable, vision, pad_id, config
        self.optimiser = Optimiser(trainable.parameters(), config.optimiser, config.max_steps)
        self.micro_tokens = config.micro_tokens  #: as configured, or less where memory ran out
        self.steps, self.figures = 0, dict[str, float]()
        if config.gradient_checkpointing:
            checkpoint_layers(trainable.model)

    def update(self, rows: Sequence[Row]) -> dict[str, float]:
        """One optimizer step; returns figures for the log. Where memory runs out the step is done again in smaller parts."""
        self.trainable.model.eval()
        while True:
            self.optimiser.clear()
            try:
                with memory_errors():
                    total = self._backward(rows)
                break
            except torch.OutOfMemoryError as error:
                problem = str(error).splitlines()[0]
            self.micro_tokens = smaller_parts(rows, self.micro_tokens, problem)
        self.figures = {"loss": total, "lr": self.optimiser.lr, "grad_norm": self.optimiser.step(total)}  # the rate of this step
        self.steps += 1
        return dict(self.figures)

    def state_dict(self) -> dict[str, Any]:
        return {"optimiser": self.optimiser.state_dict(), "micro_tokens": self.micro_tokens, "steps": self.steps, "figures": self.figures}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.optimiser.load_state_dict(state["optimiser"])
        self.micro_tokens, self.steps, self.figures = state["micro_tokens"], state["steps"], state["figures"]

    def _backward(self, rows: Sequence[Row]) -> float:
        """Add up the gradients of ``rows``; returns their loss."""
        tokens, total = sum(sum(row.mask) for row in rows), 0.0
        for part in micro_batches(rows, self.micro_tokens):
            batch = collate(part, self.vision, self.pad_id, self.trainable.model.device)
            loss = -trained_logprobs(self.trainable.model, batch)[0].sum() / tokens
            loss.backward()
            total += loss.item()
        return total


def warm_up(
    learner: SupervisedLearner,
    demonstrations: Iterator[Episode],
    rows_of: Callable[[Episode], list[Row]],
    measure: Callable[[], Success],
    report: Callable[[int, dict[str, float | None]], None] = lambda step, figures: None,
    reported: int = 0,
) -> Success:
    """Imitate ``demonstrations`` until ``measure`` says enough, and return what it said last.

    Args:
        learner: takes the steps.
        demonstrations: without end.
        rows_of: the rows of an episode, as in RL.
        measure: success of the policy on instances that are not demonstrated.
        report: called after every step with its number and figures; ``sampled`` and ``greedy`` are among them where measured, None where
            nothing was scored.
        reported: steps already reported, of a learner that goes on. One that it has taken besides is measured and reported, and not taken again.
    """
    config = learner.config
    success = Success()
    began = time.monotonic()
    for step in range(reported + 1, config.max_steps + 1):
        if learner.steps < step:
            learner.update([row for episode in islice(demonstrations, config.batch) for row in rows_of(episode)])
        figures: dict[str, float | None] = {**learner.figures}
        late = config.minutes is not None and time.monotonic() - began > 60 * config.minutes
        last = late or step == config.max_steps
        if last or (step % config.eval_every == 0 and step >= config.min_steps):
            with torch.no_grad():
                success = measure()
            figures |= {"sampled": success.sampled, "greedy": success.greedy}
        report(step, figures)
        if last or ("greedy" in figures and config.enough(success)):
            break
    return success
