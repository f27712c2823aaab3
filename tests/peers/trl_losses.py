"""Compare our objectives with those of PyPI ``trl`` on the same tensors: advantages, loss, and its gradient for every log-prob.

    python tests/peers/trl_losses.py --python VENV/bin/python [--json]
    python tests/peers/trl_losses.py --venv DIR          # makes DIR, which takes a minute and needs a package index

Theirs is what ``GRPOTrainer`` computes from rewards to loss (``trl_grpo.py``), in float64 with advantages in float32, as it has them.
Two things are converted, and everything else is compared as it is: they divide by the *sample* standard deviation + 1e-4, we by the
population's; and their ``epsilon_high`` of CISPO is the cap itself, ours what it exceeds 1 by.

Prints the largest differences of each case; the exit code is 1 if one is larger than 1e-6 and has no reason.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from trl_venv import make_venv

from agents.grpo.advantages import Scale, relative
from agents.grpo.loss import LossConfig, grpo_loss, token_weights

THEIRS = Path(__file__).with_name("trl_grpo.py")
TOLERANCE = 1e-6
GROUP = 4
LENGTH = 16  #: max_completion_length, which dr_grpo divides by


@dataclass(frozen=True)
class Case:
    """One setting on both sides.

    Args:
        name: what it is.
        ours: our objective.
        theirs: arguments of GRPOConfig.
        scale: of advantages, on both sides.
        turns: most turns of an episode.
        cut: whether some answers are cut, and masked.
        whole: number our tokens by episode, as if it were one turn.
        reason: why the two differ, where they do.
    """

    name: str
    ours: LossConfig
    theirs: dict[str, Any] = field(default_factory=dict)
    scale: Scale = "group"
    turns: int = 1
    cut: bool = False
    whole: bool = False
    reason: str = ""


def cases() -> list[Case]:
    clip = {"epsilon": 0.2, "epsilon_high": 0.28, "use_bias_correction_kl": False}
    tis = {"vllm_importance_sampling_mode": "token_truncate", "vllm_importance_sampling_clip_max": 2.0}
    gspo = LossConfig(ratio="sequence", clip_low=0.03, clip_high=0.04)
    their_gspo = {"loss_type": "grpo", "importance_sampling_level": "sequence", "epsilon": 0.03, "epsilon_high": 0.04}
    cispo = LossConfig(surrogate="cispo", clip_low=1.0, clip_high=0.5, aggregation="token-mean")
    their_cispo = {"loss_type": "cispo", "epsilon_high": 1.5}
    episode = "the sequence of a ratio is a turn here and the whole episode there; the same where an episode is one turn"
    found = []
    for turns in (1, 3):
        many, why = (f", {turns} turns", episode) if turns > 1 else ("", "")
        found += [
            Case(f"GRPO{many}", LossConfig(), {**clip, "loss_type": "grpo"}, turns=turns),
            Case(f"GRPO, symmetric clip{many}", LossConfig(clip_high=0.2), {"loss_type": "grpo", "epsilon": 0.2}, turns=turns),
            Case(f"GRPO, KL{many}", LossConfig(kl=0.1), {**clip, "loss_type": "grpo"}, turns=turns),
            Case(
                f"GRPO, unbiased KL{many}", LossConfig(kl=0.1, kl_unbiased=True),
                {**clip, "loss_type": "grpo", "use_bias_correction_kl": True}, turns=turns,
            ),
            Case(f"GRPO, TIS{many}", LossConfig(tis_cap=2.0), {**clip, **tis, "loss_type": "grpo"}, turns=turns),
            Case(f"Dr. GRPO{many}", LossConfig(aggregation="constant", constant_length=LENGTH), {**clip, "loss_type": "dr_grpo"}, "none", turns),
            Case(f"DAPO{many}", LossConfig(aggregation="token-mean"), {**clip, "loss_type": "dapo"}, turns=turns),
            Case(f"BNPO (token mean of a batch){many}", LossConfig(aggregation="token-mean"), {**clip, "loss_type": "bnpo"}, "batch", turns),
            Case(
                f"DAPO, KL, TIS{many}", LossConfig(aggregation="token-mean", kl=0.1, tis_cap=2.0),
                {**clip, **tis, "loss_type": "dapo"}, turns=turns,
            ),
            Case(f"CISPO{many}", cispo, their_cispo, turns=turns),
            Case(f"CISPO, TIS{many}", replace(cispo, tis_cap=2.0), {**their_cispo, **tis}, turns=turns),
            Case(f"GSPO{many}", gspo, their_gspo, turns=turns, reason=why),
            Case(f"GSPO, TIS{many}", replace(gspo, tis_cap=2.0), {**their_gspo, **tis}, turns=turns, reason=why),
        ]  # fmt: skip
    for name, loss_type, aggregation in (("GRPO", "grpo", "episode-mean"), ("DAPO", "dapo", "token-mean"), ("Dr. GRPO", "dr_grpo", "constant")):
        ours = LossConfig(aggregation=aggregation, constant_length=LENGTH)  # type: ignore[arg-type]
        found.append(Case(f"{name}, cut answers masked", ours, {**clip, "loss_type": loss_type, "mask_truncated_completions": True}, cut=True))
    found.append(Case("GSPO, 3 turns taken as one", gspo, their_gspo, turns=3, whole=True))
    return found


def tensors(case: Case, seed: int) -> dict[str, Any]:
    """Three groups of episodes, the last with equal rewards, one reward missing; log-probs that float32 holds exactly."""
    rng = np.random.default_rng(seed)
    count = 3 * GROUP
    sampled = []
    for _ in range(count):
        parts = [[1] * int(rng.integers(1, 6)) for _ in range(int(rng.integers(1, case.turns + 1)))]
        mask = parts[0]
        for part in parts[1:]:
            mask = mask + [0] * int(rng.integers(1, 4)) + part
        sampled.append(mask)

    def draw(base: list[list[float]] | None, spread: float) -> list[list[float]]:
        values = [rng.normal(0, spread, len(mask)) - (2.0 if base is None else 0.0) for mask in sampled]
        return [[float(np.float32(v + (0.0 if base is None else base[i][j]))) for j, v in enumerate(row)] for i, row in enumerate(values)]

    behaviour = draw(None, 0.5)
    old = draw(behaviour, 0.5)
    rewards: list[float | None] = [float(np.float32(r)) for r in rng.random(count)]
    rewards[2 * GROUP :] = [0.5] * GROUP
    rewards[1] = None
    return {
        "sampled": sampled, "cut": [case.cut and i % 3 == 0 for i in range(count)], "behaviour": behaviour, "old": old,
        "now": draw(old if case.ours.tis_cap is not None else behaviour, 0.3), "reference": draw(behaviour, 0.4),
        "rewards": rewards, "group_size": GROUP, "tis": case.ours.tis_cap is not None, "beta": case.ours.kl,
        "config": {"max_completion_length": LENGTH, "scale_rewards": case.scale, **case.theirs},
    }  # fmt: skip


def our_advantages(given: dict[str, Any], scale: Scale) -> list[float]:
    """Ours, in their unit: times population deviation / (sample deviation + 1e-4)."""
    groups = [given["rewards"][i : i + GROUP] for i in range(0, len(given["rewards"]), GROUP)]

    def factor(rewards: list[float | None]) -> float:
        known = [r for r in rewards if r is not None]
        return float(np.std(known) / (np.std(known, ddof=1) + 1e-4))

    factors = {"none": [1.0] * len(groups), "batch": [factor(given["rewards"])] * len(groups), "group": [factor(group) for group in groups]}[scale]
    return [a * by for group, by in zip(relative(groups, scale), factors, strict=True) for a in group]


def our_loss(given: dict[str, Any], advantages: list[float], config: LossConfig, whole: bool) -> tuple[float, list[list[float]]]:
    """Loss, and its gradient for every log-prob in the shape of ``given["now"]``."""
    kept = [not cut for cut in given["cut"]]
    at = [(i, j) for i, mask in enumerate(given["sampled"]) for j, trained in enumerate(mask) if trained and kept[i]]
    starts = [before[0] != after[0] or (before[1] + 1 != after[1] and not whole) for before, after in pairwise(at)]
    turn = torch.tensor(np.cumsum([0, *starts]))
    take = lambda name: torch.tensor([given[name][i][j] for i, j in at], dtype=torch.float64)  # noqa: E731
    lengths = [sum(mask) for mask, keep in zip(given["sampled"], kept, strict=True) if keep]
    share = 1.0 if config.aggregation == "token-mean" else sum(kept) / len(kept)
    each = iter(share * weight for weight in token_weights(lengths, [1.0] * len(lengths), config))
    weight = {i: next(each) for i, keep in enumerate(kept) if keep}
    now = take("now").requires_grad_()
    weights, their_advantages = (torch.tensor([values[i] for i, _ in at], dtype=torch.float64) for values in (weight, advantages))
    loss, _ = grpo_loss(now, take("behaviour"), their_advantages, weights, config, turn, take("reference"), take("old"))
    loss.backward()
    assert now.grad is not None
    grad = [[0.0] * len(row) for row in given["now"]]
    for (i, j), value in zip(at, now.grad.tolist(), strict=True):
        grad[i][j] = value
    return loss.item(), grad


def compare(python: Path, seeds: int) -> list[dict[str, Any]]:
    """A row of the table for each case, over ``seeds`` draws."""
    todo = [(case, seed, tensors(case, seed)) for case in cases() for seed in range(seeds)]
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder) / "cases.json", Path(folder) / "results.json"
        given.write_text(json.dumps([tensors for _, _, tensors in todo]))
        subprocess.run([python, THEIRS, given, made], check=True, stdout=sys.stderr)
        results = json.loads(made.read_text())
    table: dict[str, dict[str, Any]] = {}
    for (case, _, tensors_), theirs in zip(todo, results, strict=True):
        advantages = our_advantages(tensors_, case.scale)
        loss, grad = our_loss(tensors_, theirs["advantages"], case.ours, case.whole)
        row = table.setdefault(case.name, {"case": case.name, "advantages": 0.0, "loss": 0.0, "gradient": 0.0, "largest_gradient": 0.0})
        row["advantages"] = max(row["advantages"], *(abs(a - b) for a, b in zip(advantages, theirs["advantages"], strict=True)))
        row["loss"] = max(row["loss"], abs(loss - theirs["loss"]))
        pairs = [(a, b) for ours, their in zip(grad, theirs["grad"], strict=True) for a, b in zip(ours, their, strict=True)]
        row["gradient"] = max(row["gradient"], *(abs(a - b) for a, b in pairs))
        row["largest_gradient"] = max(row["largest_gradient"], *(abs(b) for _, b in pairs))
        worst = max(row["advantages"], row["loss"], row["gradient"])
        row["agrees"] = not math.isnan(worst) and worst <= TOLERANCE
        row["reason"] = "" if row["agrees"] else case.reason
    return list(table.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--python", type=Path, help="interpreter of an environment with trl")
    where.add_argument("--venv", type=Path, help="folder of an environment with trl; made if it is not there")
    parser.add_argument("--seeds", type=int, default=3, help="draws of each case")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    args = parser.parse_args()
    table = compare(args.python or make_venv(args.venv), args.seeds)
    if args.json:
        print(json.dumps(table, indent=1))
    else:
        print(f"{'largest difference':38} {'advantages':>11} {'loss':>9} {'gradient':>9}   of gradients up to")
        for row in table:
            verdict = "" if row["agrees"] else f"   {row['reason'] or 'DISAGREES'}"
            print(f"{row['case']:38} {row['advantages']:11.1e} {row['loss']:9.1e} {row['gradient']:9.1e}   {row['largest_gradient']:.3f}{verdict}")
    return any(not row["agrees"] and not row["reason"] for row in table)


if __name__ == "__main__":
    sys.exit(main())
