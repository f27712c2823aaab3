"""AdamW with a schedule, gradient clipping, and a guard that never lets a damaged gradient reach the weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import nn

from agents.distributed import split_like, whole

#: What is expected instead of weights that are trained in half precision.
FULL_PRECISION = 'expected adapter.train "lora", whose adapter is in float32 beside a model in bfloat16, or model.dtype "float32"'


class DivergedError(RuntimeError):
    """Training met losses or gradients that are no numbers, again and again. The weights are those of the last good update."""


@dataclass(frozen=True)
class OptimiserConfig:
    """AdamW.

    Args:
        lr: learning rate after its warm-up.
        warmup_steps: optimizer steps over which the learning rate rises from 0.
        schedule: what follows the warm-up: constant, or a fall to 0 at the last step, "linear" or "cosine".
        beta1: decay of the mean of gradients.
        beta2: decay of the mean of squared gradients.
        weight_decay: AdamW's.
        max_grad_norm: gradients are scaled down to this 2-norm.
        max_bad_steps: consecutive steps with a loss or gradient that is no number after which training stops; each is skipped.
    """

    lr: float = 2e-4
    warmup_steps: int = 0
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    beta1: float = 0.9
    beta2: float = 0.98
    weight_decay: float = 0.0
    max_grad_norm: float = 1.0
    max_bad_steps: int = 3

    def __post_init__(self) -> None:
        if not (math.isfinite(self.lr) and self.lr > 0 and self.max_grad_norm > 0) or self.warmup_steps < 0 or self.max_bad_steps < 1:
            raise ValueError(
                f"lr {self.lr}, max_grad_norm {self.max_grad_norm}, warmup_steps {self.warmup_steps}, max_bad_steps {self.max_bad_steps}: "
                "expected lr > 0, max_grad_norm > 0, warmup_steps >= 0 and max_bad_steps >= 1"
            )
        if not (0 <= self.beta1 < 1 and 0 <= self.beta2 < 1 and 0 <= self.weight_decay < math.inf):
            raise ValueError(
                f"beta1 {self.beta1}, beta2 {self.beta2}, weight_decay {self.weight_decay}: expected 0 <= beta < 1 and weight_decay >= 0"
            )
        if self.schedule not in ("constant", "linear", "cosine"):
            raise ValueError(f"schedule is {self.schedule!r}: expected constant, linear or cosine")


class Optimiser:
    """Takes steps on ``parameters``; ``total_steps`` is where "linear" and "cosine" end.

    ValueError for parameters in half precision: most steps are smaller than half the distance of a number to the next, and would do nothing.
    """

    def __init__(self, parameters: Iterable[nn.Parameter], config: OptimiserConfig, total_steps: int):
        from transformers import get_scheduler

        self.config = config
        self.parameters = list(parameters)
        if half := sorted({str(p.dtype).removeprefix("torch.") for p in self.parameters if p.dtype in (torch.float16, torch.bfloat16)}):
            raise ValueError(f"the trained weights are in {half[0]}, where most steps would be rounded away: {FULL_PRECISION}")
        self.adamw = torch.optim.AdamW(self.parameters, lr=config.lr, betas=(config.beta1, config.beta2), weight_decay=config.weight_decay)
        name = "constant_with_warmup" if config.schedule == "constant" else config.schedule
        self.schedule = get_scheduler(name, self.adamw, num_warmup_steps=config.warmup_steps, num_training_steps=max(total_steps, 1))
        self.bad_steps = 0  #: consecutive skipped steps
        self.skipped = 0  #: all of them

    @property
    def lr(self) -> float:
        return self.adamw.param_groups[0]["lr"]

    def clear(self) -> None:
        """Forget the gradients there are."""
        self.adamw.zero_grad(set_to_none=True)

    def step(self, loss: float) -> float:
        """Use the gradients there are, then clear them; returns their norm before clipping.

        Where ``loss`` or the norm is no finite number the weights stay as they are; :class:`DivergedError` at the
        ``max_bad_steps``-th time in a row.
        """
        total: Any = nn.utils.clip_grad_norm_(self.parameters, self.config.max_grad_norm)
        norm = float(total.full_tensor() if hasattr(total, "full_tensor") else total)  # of gradients that are split over processes
        if math.isfinite(loss) and math.isfinite(norm):
            self.adamw.step()
            self.schedule.step()
            self.bad_steps = 0
        else:
            self.bad_steps += 1
            self.skipped += 1
        self.clear()
        if self.bad_steps >= self.config.max_bad_steps:
            raise DivergedError(
                f"{self.bad_steps} updates in a row had loss {loss} and gradient norm {norm}; none was applied. "
                "Begin anew from the last checkpoint (model.adapter) with a lower lr or a higher kl"
            )
        return norm

    def state_dict(self) -> dict[str, Any]:
        return {
            "adamw": _each_tensor(self.adamw.state_dict(), whole),
            "schedule": self.schedule.state_dict(),
            "bad_steps": self.bad_steps,
            "skipped": self.skipped,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.adamw.load_state_dict(state["adamw"])
        for p, values in self.adamw.state.items():  # of weights that are split over processes each has its part
            values.update({name: split_like(p, value) for name, value in values.items()})
        self.schedule.load_state_dict(state["schedule"])
        self.bad_steps, self.skipped = state["bad_steps"], state["skipped"]


def _each_tensor(state: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """``state`` with each tensor in it changed."""
    if isinstance(state, dict):
        return {name: _each_tensor(value, change) for name, value in state.items()}
    if isinstance(state, list):
        return [_each_tensor(value, change) for value in state]
    return change(state) if isinstance(state, torch.Tensor) else state
