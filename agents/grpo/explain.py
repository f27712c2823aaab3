"""What is wrong with a run, in words: each warning says what was seen, what it means, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from agents.context import HINT
from agents.grpo.config import TrainConfig

WINDOW = 20  #: steps and measurements that are remembered
IDLE = 5  #: steps in a row without anything to learn after which a warning explains what that may mean
QUIET = 10  #: steps (or measurements) after which a warning that held once, and holds again, is told again
_KEPT = ("success", "reward", "entropy", "kl", "grad_norm", "false_completion_rate", "skipped_groups", "groups", "skipped_updates")


@dataclass(frozen=True)
class Look:
    """What a rule sees.

    Args:
        now: figures of the step (or measurement) just done.
        steps: the remembered figures of steps, oldest first, the one just done among them.
        evals: held-out success of the remembered measurements with its interval, each with ``train_success``, the mean of the steps remembered then.
        first: mean figures of the first steps that learned something.
        idle: steps in a row with rewards, and nothing to learn from them.
        config: of the run.
    """

    now: Mapping[str, float]
    steps: Sequence[Mapping[str, float]]
    evals: Sequence[Mapping[str, float]]
    first: Mapping[str, float]
    idle: int
    config: TrainConfig

    def get(self, name: str, default: float = 0.0) -> float:
        """A figure of the step just done."""
        return self.now.get(name, default)

    def halves(self, name: str) -> tuple[float, float] | None:
        """Means of a figure over the older and the newer half of a full memory of steps; None before it is full."""
        values = [step[name] for step in self.steps if name in step]
        return (fmean(values[: WINDOW // 2]), fmean(values[WINDOW // 2 :])) if len(values) == WINDOW else None


#: From what was seen to a warning, or to "" where all is well.
Rule = Callable[[Look], str]
RULES: dict[str, Rule] = {}
EVAL_RULES: dict[str, Rule] = {}


def _rule(rule: Rule) -> Rule:
    RULES[rule.__name__.strip("_")] = rule
    return rule


@_rule
def _cut(look: Look) -> str:
    if look.get("cut_rate") < 1.0:
        return ""
    learned = "and every group's rewards are equal" if look.get("skipped_groups") == look.get("groups") else "and none of them ended by itself"
    return f"every answer was cut at max_new_tokens {look.config.policy.max_new_tokens}, {learned}: raise policy.max_new_tokens, or warm up the model"


@_rule
def _format(look: Look) -> str:
    rate, cut = look.get("parse_error_rate"), look.get("cut_rate")
    if rate <= 0.2 or cut == 1.0:
        return ""
    unread = f"{rate:.0%} of the answers could not be read ({cut:.0%} were cut at policy.max_new_tokens)"
    return f"{unread}: add a reward for the format (rewards: score format=0.1), or first warm up the model on demonstrations of it"


@_rule
def _unscored(look: Look) -> str:
    unscored, episodes = look.get("unscored"), look.get("episodes")
    if unscored <= 0.2 * episodes:
        return ""
    return f"{unscored:.0f} of {episodes:.0f} episodes are unscored and teach nothing: see what fails with gui-gym doctor"


@_rule
def _overflow(look: Look) -> str:
    rate = look.get("overflow_rate")
    return f"{rate:.0%} of the episodes outgrew what the model can hold and were asked no more: {HINT}" if rate > 0 else ""


@_rule
def _idle(look: Look) -> str:
    if look.idle < IDLE:
        return ""
    success = look.get("success")
    why = "the tasks are too easy" if success > 0.5 else "the tasks are too hard: warm up first, or choose easier ones"
    return f"nothing to learn in {look.idle} steps, all rewards of each group are equal (success {success:.0%}): {why}"


@_rule
def _few_lessons(look: Look) -> str:
    rewarded = [step for step in look.steps if "reward" in step]
    skipped, groups = (sum(step.get(name, 0.0) for step in rewarded) for name in ("skipped_groups", "groups"))
    if len(rewarded) < WINDOW or look.idle >= IDLE or skipped <= 0.8 * groups:
        return ""
    return (
        f"{skipped:.0f} of {groups:.0f} groups of the last {WINDOW} steps had equal rewards and taught nothing: choose tasks that succeed "
        "sometimes, make groups larger (group_size), or replace such groups (resample)"
    )


@_rule
def _forks(look: Look) -> str:
    rows, history = look.get("rows_per_episode"), look.config.policy.history
    if rows <= 1 or look.get("turns_per_row") > 1:
        return ""
    cost = f"every turn became a row of its own ({rows:.1f} rows an episode), so that each screen is read again for every turn after it"
    if history == "append":
        return f"{cost}: a prompt's ids or images are not the beginning of the next one's, though policy.history is append; report this"
    return f"{cost}: policy.history {history} with policy.n {look.config.policy.n} forks each turn; append forks none, block one in several"


@_rule
def _mismatch(look: Look) -> str:
    gap, limit = look.get("mismatch"), look.config.learner.mismatch_warn
    if gap <= limit:
        return ""
    return (
        f"engine and learner differ by {gap:.3g} nats a token (up to {look.get('mismatch_max'):.3g}; mismatch_warn is {limit:g}) before the first "
        "update, where they should compute the same: compare weights, temperature, suppressed ids, images and dtype on both sides, or correct for it "
        "with learner.loss.tis_cap 2"
    )


@_rule
def _ratio(look: Look) -> str:
    ratio, turn = look.get("ratio", 1.0), look.get("sequence_ratio_max", 1.0)
    if 0.8 <= ratio <= 1.25 and turn <= 100:
        return ""
    return (
        f"the importance ratio is {ratio:.3g} in the mean and up to {turn:.3g} for a turn: what is trained is far from what sampled, so that "
        "clipping decides; lower learner.optimiser.lr, learner.passes or the staleness allowed"
    )


@_rule
def _clipped(look: Look) -> str:
    low, high = look.get("clipped_low"), look.get("clipped_high")
    if low + high <= 0.3:
        return ""
    return f"the clip cut {low:.0%} of the tokens below and {high:.0%} above: lower learner.optimiser.lr or learner.passes"


@_rule
def _kl(look: Look) -> str:
    kl, before = look.get("kl"), sorted(step["kl"] for step in look.steps[:-1] if "kl" in step)
    usual = before[len(before) // 2] if len(before) >= 5 else kl
    if kl <= 1.0 and kl <= max(0.1, 5 * usual):
        return ""
    return (
        f"the KL divergence from the policy as training began is {kl:.3g} nats a token (usually {usual:.3g}): it forgets what it could do; "
        "raise learner.loss.kl or lower learner.optimiser.lr, and resume from an earlier checkpoint if success falls"
    )


@_rule
def _entropy(look: Look) -> str:
    now, first = look.get("entropy", 1.0), look.first.get("entropy", 0.0)
    if now >= 0.1 * first or look.get("success") >= 0.9:
        return ""
    return (
        f"the entropy fell from {first:.3g} to {now:.3g} nats a token while success is {look.get('success'):.0%}: the policy tries nothing new; "
        "raise learner.loss.clip_high or policy.temperature, lower learner.optimiser.lr, or add learner.loss.kl"
    )


@_rule
def _gradient(look: Look) -> str:
    norms, limit = [step["grad_norm"] for step in look.steps[-10:] if "grad_norm" in step], look.config.learner.optimiser.max_grad_norm
    if len(norms) < 10 or min(norms) <= 10 * limit:
        return ""
    return (
        f"the gradients of the last 10 steps had norms of {min(norms):.3g} to {max(norms):.3g} and were cut to max_grad_norm {limit:g}: the step "
        "size no longer depends on them; raise learner.optimiser.max_grad_norm, or lower learner.optimiser.lr"
    )


@_rule
def _skipped(look: Look) -> str:
    known = [step["skipped_updates"] for step in look.steps if "skipped_updates" in step]  # so far, each
    before = known[-2] if len(known) > 1 else 0.0 if len(look.steps) < WINDOW else look.get("skipped_updates")
    if "skipped_updates" not in look.now or known[-1] <= before:
        return ""
    return f"{known[-1]:.0f} updates so far had a loss or gradient that is no number and were skipped: lower learner.optimiser.lr"


@_rule
def _stale(look: Look) -> str:
    dropped, groups = look.get("dropped_stale"), look.get("groups")
    if dropped <= 0.2 * (groups + dropped):
        return ""
    return (
        f"{dropped:.0f} groups were dropped because the policy that sampled them is too old (up to {look.get('staleness_max'):.0f} updates): "
        "episodes take longer than updates; run more of them side by side, lower learner.passes, or raise max_staleness"
    )


@_rule
def _image_cache(look: Look) -> str:
    prepared, distinct = look.get("memory_images_prepared"), look.get("images_seen")
    if prepared <= max(2 * distinct, distinct + 32):  # some are prepared to try out the model
        return ""
    return (
        f"{prepared:.0f} screens were prepared for the model in this step, though only {distinct:.0f} are distinct: they do not fit into "
        f"model.cache_mb {look.config.model.cache_mb}; raise it"
    )


@_rule
def _reward_hacking(look: Look) -> str:
    reward, success = look.halves("reward"), look.halves("success")
    if reward is None or success is None or reward[1] <= reward[0] or success[1] >= success[0] - 0.1:
        return ""
    return (
        f"over the last {WINDOW} steps the reward rose ({reward[0]:.3g} to {reward[1]:.3g}) while success fell ({success[0]:.0%} to {success[1]:.0%}"
        "): what is rewarded is not what is wanted; give rewards other than score less weight"
    )


@_rule
def _false_completion(look: Look) -> str:
    rates = look.halves("false_completion_rate")
    if rates is None or rates[1] <= max(0.2, rates[0] + 0.1):
        return ""
    return (
        f"the policy says more often that it is done when it is not ({rates[0]:.0%} to {rates[1]:.0%} of the episodes over the last {WINDOW} steps): "
        "it learns to stop early; reward nothing but score for a while, or choose tasks that it can finish"
    )


def _overfit(look: Look) -> str:
    best = max(look.evals, key=lambda each: each["success"])
    last = look.evals[-1]
    if last["success_high"] >= best["success_low"] or last["train_success"] <= best["train_success"]:
        return ""
    return (
        f"held-out success fell from {best['success']:.0%} to {last['success']:.0%} while in training it rose from {best['train_success']:.0%} to "
        f"{last['train_success']:.0%}: the policy learns these tasks by heart, or games their reward; stop here and use the best checkpoint, "
        "train on more tasks, or add learner.loss.kl"
    )


EVAL_RULES["overfit"] = _overfit


@dataclass
class Watch:
    """Looks at each step and measurement of a run, and tells each warning once while it lasts. Its fields are JSON data, for checkpoints.

    Args:
        held: step (of those about measurements: which measurement, from 1) at which each warning held last.
        steps: see :class:`Look`.
        evals: see :class:`Look`.
        first: see :class:`Look`.
        idle: see :class:`Look`.
        measurements: how many there were with a success to look at.
    """

    held: dict[str, int] = field(default_factory=dict)
    steps: list[dict[str, float]] = field(default_factory=list)
    evals: list[dict[str, float]] = field(default_factory=list)
    first: dict[str, float] = field(default_factory=dict)
    idle: int = 0
    measurements: int = 0

    def step(self, step: int, figures: Mapping[str, float], config: TrainConfig) -> dict[str, str]:
        """The warnings that begin with this step, by name."""
        self.steps = [*self.steps, {name: figures[name] for name in _KEPT if name in figures}][-WINDOW:]
        if "reward" in figures:  # where nothing is scored, that is what is wrong
            self.idle = self.idle + 1 if figures.get("skipped_groups") == figures.get("groups") else 0
        if not self.first and sum("entropy" in each for each in self.steps) == IDLE:
            self.first = {"entropy": fmean(each["entropy"] for each in self.steps if "entropy" in each)}
        return self._new(step, RULES, self._look(figures, config))

    def measured(self, step: int, figures: Mapping[str, float], config: TrainConfig) -> dict[str, str]:
        """The warnings that begin with this measurement, by name."""
        known = {name: figures[name] for name in ("success", "success_low", "success_high") if name in figures}
        recent = [each["success"] for each in self.steps if "success" in each]
        if len(known) < 3 or not recent:
            return {}
        self.evals = [*self.evals, known | {"train_success": fmean(recent)}][-WINDOW:]
        self.measurements += 1
        return self._new(self.measurements, EVAL_RULES, self._look(figures, config))

    def _look(self, figures: Mapping[str, float], config: TrainConfig) -> Look:
        return Look(figures, self.steps, self.evals, self.first, self.idle, config)

    def _new(self, now: int, rules: Mapping[str, Rule], look: Look) -> dict[str, str]:
        found = {name: text for name, rule in rules.items() if (text := rule(look))}
        new = {name: text for name, text in found.items() if now - self.held.get(name, -QUIET - 1) > QUIET}
        self.held |= dict.fromkeys(found, now)
        return new
