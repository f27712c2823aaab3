"""Published algorithms as settings: ``gui-agents train --algorithm NAME`` takes them as defaults."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from agents.grpo.config import TrainConfig
from agents.grpo.loss import LossConfig

Algorithm = Literal["grpo", "dr-grpo", "dapo", "gspo", "cispo", "gigpo"]

#: For each algorithm its objective, and settings of :class:`~agents.grpo.config.TrainConfig`; what its paper leaves open is as by default.
#: DAPO's punishment of long answers is the reward "overlong", which is asked for by name: ``--rewards score overlong``.
PRESETS: dict[Algorithm, tuple[LossConfig, dict[str, Any]]] = {
    # arXiv:2402.03300, eq. 3 and section 4.2
    "grpo": (LossConfig(clip_low=0.2, clip_high=0.2, kl=0.04), {"scale": "group"}),
    # arXiv:2503.20783, section 3.2: neither the length of an answer nor the spread of a group weighs
    "dr-grpo": (LossConfig(clip_low=0.2, clip_high=0.2, aggregation="constant"), {"scale": "none"}),
    # arXiv:2503.14476, eq. 8 and section 4.1
    "dapo": (LossConfig(clip_low=0.2, clip_high=0.28, aggregation="token-mean"), {"scale": "group", "resample": 4, "overlong": "mask"}),
    # arXiv:2507.18071, eq. 5 and section 5.1, whose answers have thousands of tokens; short ones need a wider range
    "gspo": (LossConfig(ratio="sequence", clip_low=3e-4, clip_high=4e-4), {"scale": "group"}),
    # arXiv:2506.13585, eq. 4, without a bound below; the cap of 5 is that of arXiv:2510.13786
    "cispo": (LossConfig(surrogate="cispo", clip_low=1.0, clip_high=4.0, aggregation="token-mean"), {"scale": "group", "resample": 4}),
    # arXiv:2505.10978, section 4, with the settings of its experiments
    "gigpo": (LossConfig(clip_low=0.2, clip_high=0.2, kl=0.01), {"scale": "group", "credit": "step", "gamma": 0.95, "omega": 1.0}),
}


def with_algorithm(config: TrainConfig, name: Algorithm) -> TrainConfig:
    """``config`` with the objective and the settings of the algorithm ``name``; ValueError for one that is not known."""
    if name not in PRESETS:
        raise ValueError(f"algorithm is {name!r}: expected one of {', '.join(PRESETS)}")
    loss, settings = PRESETS[name]
    return replace(config, learner=replace(config.learner, loss=loss), **settings)
