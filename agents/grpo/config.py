"""The configuration of a GRPO run."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from agents.adapters import AdapterConfig
from agents.config import EngineConfig, EnvConfig, ModelConfig, PolicyConfig
from agents.grpo.advantages import Scale
from agents.grpo.credit import Credit
from agents.grpo.learner import LearnerConfig
from agents.judge import JudgeConfig
from agents.rewards import check_rewards
from agents.sinks import LogTarget, check_logs
from gui_gym.tasks import split_range


@dataclass(frozen=True)
class TrainConfig:
    """Improve a policy by GRPO: groups of episodes of one task each, compared with one another.

    Args:
        model: the model to start from.
        out: folder of the run: metrics.jsonl, logs, checkpoints, episodes and the final weights.
        env: where episodes run.
        policy: prompt and sampling.
        adapter: what of the model is trained.
        learner: objective and optimiser.
        rewards: what training optimises: "score", "success" (1 for a score of 1), "milestones" (the part of the task that was done; with
            env.progress), "efficiency" (1 / steps of a success), "format" and "overlong" (-1 to 0), "steps" and "turns" (minus their number),
            "judge", or module:name for one that a module of yours registers; each as it is or as name=weight, added up, such as: score format=0.1.
        judge: the model that the reward "judge" asks.
        scale: what rewards less their group's mean are divided by: the population standard deviation of the "group" (GRPO) or of the whole "batch"
            of groups, or nothing: "none" (Dr. GRPO).
        credit: "episode": all turns of an episode have its advantage. "step": those that acted on a screen that others of the group saw too are
            compared with them besides (GiGPO); for long episodes.
        gamma: discount of one turn under step credit.
        omega: weight of the comparison by screen under step credit.
        resample: dynamic sampling (DAPO): most rounds in which groups that teach nothing, as all rewards are equal, are replaced by new ones; 0: off.
        overlong: what is done with answers that policy.max_new_tokens cut: "keep" trains on them, "mask" does not (DAPO).
        steps: steps of the run; each collects episodes and learns from them.
        groups: tasks of one step.
        group_size: episodes of each task.
        minutes: stop after the step during which this many minutes have passed since this start (a resumed run begins anew); None is no limit.
        stop_at: stop once measured success, sampled, is at least this (0 to 1); None trains all steps.
        eval_every: steps from one measurement to the next; 0 measures at the start and the end only.
        eval_episodes: held-out instances of one measurement.
        eval_envs: desktops side by side in a measurement, besides the groups x group_size of training.
        eval_split: "validation" or "test": instances never trained on.
        eval_greedy: measure greedy decoding besides sampling.
        record: episodes of the last measurement kept in out/episodes, for the report.
        save_every: steps from one checkpoint to the next; one is written at the end in any case.
        keep: checkpoints kept, the last ones.
        keep_best: keep besides the one with the best sampled success in a measurement, of equal ones the later (--trained RUN --checkpoint best).
        logs: where figures go besides metrics.jsonl: tensorboard, wandb, trackio (--logs without a name: nowhere).
        seed: of tasks, sampling and the adapter's initial weights.
        mode: "sync": rollouts and updates take turns. "async": rollouts go on during updates, with a policy up to max_staleness versions old; needs
            an engine apart (engine.kind "vllm").
        max_staleness: versions of the policy that the oldest turn of a group may be behind in async mode; older groups are dropped.
        group_minutes: a group that takes longer in async mode is dropped and replaced by another.
        parallel: how the processes of accelerate launch or torchrun share the model: "data": each has all of it. "fsdp": each has a part of its
            layers, for models too large for one GPU; needs an engine apart.
        peer_minutes: how long a process waits for the others within an update before it takes them for gone.
        max_unscored: steps in a row without any scored episode (or tries without any desktop) after which the run saves and stops.
        engine: what samples: the learner's own model, or a vLLM server.
    """

    model: ModelConfig
    out: Path = Path("runs/train")
    env: EnvConfig = field(default_factory=EnvConfig)
    policy: PolicyConfig = field(default_factory=PolicyConfig)
    adapter: AdapterConfig = field(default_factory=AdapterConfig)
    learner: LearnerConfig = field(default_factory=LearnerConfig)
    rewards: tuple[str, ...] = ("score",)
    judge: JudgeConfig = field(default_factory=JudgeConfig)
    scale: Scale = "group"
    credit: Credit = "episode"
    gamma: float = 0.95
    omega: float = 1.0
    resample: int = 0
    overlong: Literal["keep", "mask"] = "keep"
    steps: int = 100
    groups: int = 8
    group_size: int = 8
    minutes: float | None = None
    stop_at: float | None = None
    eval_every: int = 20
    eval_episodes: int = 256
    eval_envs: int = 64
    eval_split: str = "validation"
    eval_greedy: bool = True
    record: int = 8
    save_every: int = 20
    keep: int = 3
    keep_best: bool = True
    logs: tuple[LogTarget, ...] = ("tensorboard",)
    seed: int = 0
    mode: Literal["sync", "async"] = "sync"
    max_staleness: int = 1
    group_minutes: float = 30.0
    parallel: Literal["data", "fsdp"] = "data"
    peer_minutes: float = 30.0
    max_unscored: int = 5
    engine: EngineConfig = field(default_factory=EngineConfig)

    def __post_init__(self) -> None:
        if self.group_size < 2:
            raise ValueError(f"group_size is {self.group_size}: expected at least 2, for an episode is compared with its siblings")
        for name in ("steps", "groups", "eval_episodes", "eval_envs", "save_every", "keep", "max_unscored"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}: expected at least 1")
        for name in ("eval_every", "record", "seed", "minutes", "stop_at", "resample", "max_staleness"):
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise ValueError(f"{name} is {value}: expected 0 or more")
        for name, known in (("scale", get_args(Scale)), ("credit", get_args(Credit)), ("overlong", ("keep", "mask")),
                            ("mode", ("sync", "async")), ("parallel", ("data", "fsdp"))):  # fmt: skip
            if getattr(self, name) not in known:
                raise ValueError(f"{name} is {getattr(self, name)!r}: expected {' or '.join(known)}")
        if not (self.group_minutes > 0 and self.peer_minutes > 0):
            raise ValueError(f"group_minutes {self.group_minutes}, peer_minutes {self.peer_minutes}: expected more than 0 each")
        if not (0 < self.gamma <= 1 and 0 <= self.omega < math.inf):
            raise ValueError(f"gamma {self.gamma}, omega {self.omega}: expected 0 < gamma <= 1 and omega >= 0")
        if self.policy.temperature <= 0:
            raise ValueError(
                f"policy.temperature is {self.policy.temperature}: expected more than 0, for greedy episodes of a group are all the same"
            )
        if self.eval_split == "train":
            raise ValueError("eval_split is 'train': expected 'validation' or 'test', instances that are never trained on")
        split_range(self.eval_split)
        check_rewards(self.reward_weights)
        if "judge" in self.reward_weights:
            self.judge.endpoint.check_complete("the judge")
        if "milestones" in self.reward_weights and not self.env.progress:
            raise ValueError("the reward 'milestones' needs to be told how much of a task was done: set env.progress")
        check_logs(self.logs)

    @property
    def reward_weights(self) -> dict[str, float]:
        """:attr:`rewards` as a table from name to weight."""
        weights = {}
        for text in self.rewards:
            name, _, weight = text.partition("=")
            try:
                weights[name] = float(weight) if weight else 1.0
            except ValueError:
                raise ValueError(f"rewards: expected a name, or name=weight such as format=0.1, got {text!r}") from None
        return weights


#: What may differ when a run is resumed: none of it changes the numbers of a step.
MAY_CHANGE = frozenset(
    {"out", "steps", "minutes", "stop_at", "save_every", "keep", "keep_best", "logs", "record", "max_unscored", "group_minutes", "peer_minutes"}
)
MAY_CHANGE |= {f"judge.endpoint.{name}" for name in ("url", "token", "concurrency", "timeout", "attempts", "backoff", "input_price", "output_price")}
MAY_CHANGE |= {f"engine.{name}" for name in ("url", "model", "token", "token_file", "concurrency", "timeout", "attempts", "patience")}
