"""Each warning is given where it should be, and none on a healthy run."""

import json
import re
from dataclasses import asdict, replace

import pytest

from agents.config import ModelConfig, PolicyConfig
from agents.grpo.config import TrainConfig
from agents.grpo.explain import EVAL_RULES, QUIET, RULES, WINDOW, Watch

CONFIG = TrainConfig(ModelConfig("model"))
HEALTHY = {
    "success": 0.5, "reward": 0.5, "episodes": 64.0, "scored": 63.0, "unscored": 1.0, "cut_rate": 0.02, "parse_error_rate": 0.05,
    "overflow_rate": 0.0,
    "false_completion_rate": 0.1, "groups": 8.0, "skipped_groups": 2.0, "rows_per_episode": 1.0, "turns_per_row": 4.0, "mismatch": 1e-3,
    "mismatch_max": 0.05, "ratio": 1.01, "ratio_max": 1.8, "sequence_ratio_max": 3.0, "clipped_low": 0.02, "clipped_high": 0.03, "kl": 0.01,
    "entropy": 1.2, "grad_norm": 0.7, "lr": 1e-4, "skipped_updates": 0.0, "staleness_max": 0.0, "images_seen": 200.0,
    "memory_images_prepared": 230.0,
}  # fmt: skip


def told(watch, steps, config=CONFIG, first=1):
    """Names and texts of the warnings that ``steps`` give, each what it has besides HEALTHY."""
    texts = {}
    for i, changes in enumerate(steps):
        texts |= watch.step(first + i, {name: value for name, value in (HEALTHY | changes).items() if value is not None}, config)
    return texts


def test_a_healthy_run_is_told_nothing():
    watch = Watch()
    improving = [{"success": 0.3 + i / 100, "reward": 0.3 + i / 100, "entropy": 1.5 - i / 50, "kl": i / 1000} for i in range(60)]
    assert told(watch, improving) == {}
    for step, success in ((0, 0.3), (20, 0.5), (40, 0.45), (60, 0.7)):
        assert watch.measured(step, {"success": success, "success_low": success - 0.06, "success_high": success + 0.06}, CONFIG) == {}


def test_an_eval_before_the_first_step_and_one_without_scores():
    assert Watch().measured(0, {"success": 0.5, "success_low": 0.4, "success_high": 0.6}, CONFIG) == {}
    assert Watch().measured(0, {"unscored": 8.0}, CONFIG) == {}


ONE = [
    ("cut", {"cut_rate": 1.0, "parse_error_rate": 1.0, "skipped_groups": 8.0}, "cut at max_new_tokens 64, and every group's rewards are equal"),
    ("cut", {"cut_rate": 1.0, "parse_error_rate": 1.0}, "and none of them ended by itself"),
    ("format", {"parse_error_rate": 0.3, "cut_rate": 0.25}, r"30% of the answers could not be read \(25% were cut"),
    ("unscored", {"unscored": 40.0}, "40 of 64 episodes are unscored"),
    ("overflow", {"overflow_rate": 0.25}, "25% of the episodes outgrew"),
    ("forks", {"rows_per_episode": 4.0, "turns_per_row": 1.0}, "4.0 rows an episode.*though policy.history is append"),
    ("mismatch", {"mismatch": 0.3}, "differ by 0.3 nats a token .*mismatch_warn is 0.02"),
    ("ratio", {"ratio": 1.6}, "ratio is 1.6 in the mean"),
    ("ratio", {"ratio": 0.5}, "ratio is 0.5 in the mean"),
    ("ratio", {"sequence_ratio_max": 1e4}, r"up to 1e\+04 for a turn"),
    ("clipped", {"clipped_low": 0.3, "clipped_high": 0.1}, "cut 30% of the tokens below and 10% above"),
    ("kl", {"kl": 1.5}, "is 1.5 nats a token"),
    ("skipped", {"skipped_updates": 2.0}, "2 updates"),
    ("stale", {"dropped_stale": 6.0, "staleness_max": 9.0}, r"6 groups were dropped .*up to 9 updates"),
    ("image_cache", {"memory_images_prepared": 900.0}, "900 screens were prepared .*only 200 are distinct.*cache_mb 1024"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "changes", "says"), ONE, ids=[f"{i}-{case[0]}" for i, case in enumerate(ONE)])
def test_one_step_tells(name, changes, says):
    texts = told(Watch(), [changes])
    assert list(texts) == [name]
    assert_says(texts[name], says)


def assert_says(text, pattern):
    assert re.search(pattern, text), text
    assert ": " in text or "; " in text  # what to do follows


FULL = [{}] * (WINDOW // 2)
SEVERAL = [
    ("idle", [{"skipped_groups": 8.0, "success": 0.1}] * 5, "nothing to learn in 5 steps.*success 10%.*too hard"),
    ("idle", [{"skipped_groups": 8.0, "success": 0.95}] * 5, "too easy"),
    ("few_lessons", ([{"skipped_groups": 7.0}] * WINDOW), "140 of 160 groups of the last 20 steps had equal rewards"),
    ("kl", [{}] * 6 + [{"kl": 0.2}], r"is 0.2 nats a token \(usually 0.01\)"),
    ("entropy", [{}] * 6 + [{"entropy": 0.05}], "fell from 1.2 to 0.05 nats a token while success is 50%"),
    ("gradient", [{"grad_norm": 30.0 + i} for i in range(10)], "norms of 30 to 39 and were cut to max_grad_norm 1"),
    ("reward_hacking", [{}] * 10 + [{"reward": 0.8, "success": 0.3}] * 10, r"reward rose \(0.5 to 0.8\) while success fell \(50% to 30%\)"),
    ("false_completion", FULL + [{"false_completion_rate": 0.5}] * 10, r"10% to 50% of the episodes"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "steps", "says"), SEVERAL, ids=[f"{i}-{case[0]}" for i, case in enumerate(SEVERAL)])
def test_several_steps_tell(name, steps, says):
    watch = Watch()
    assert told(watch, steps[:-1]) == {}
    texts = told(watch, steps[-1:], first=len(steps))
    assert list(texts) == [name]
    assert_says(texts[name], says)


def test_held_out_success_that_falls_while_training_rises():
    watch = Watch()
    told(watch, [{"success": 0.6}] * WINDOW)
    assert watch.measured(20, {"success": 0.6, "success_low": 0.55, "success_high": 0.65}, CONFIG) == {}
    told(watch, [{"success": 0.8}] * WINDOW, first=21)
    assert watch.measured(40, {"success": 0.58, "success_low": 0.5, "success_high": 0.66}, CONFIG) == {}  # no more than chance
    texts = watch.measured(60, {"success": 0.4, "success_low": 0.35, "success_high": 0.45}, CONFIG)
    assert list(texts) == ["overfit"]
    for step in (80, 100):  # it lasts, however many steps are between two measurements
        assert watch.measured(step, {"success": 0.4, "success_low": 0.35, "success_high": 0.45}, CONFIG) == {}
    assert_says(texts["overfit"], "fell from 60% to 40% while in training it rose from 60% to 80%")


def test_what_is_no_fault_is_not_told():
    last_n = replace(CONFIG, policy=PolicyConfig(history="last_n", n=1))
    assert "history last_n with policy.n 1 forks each turn" in told(Watch(), [{"rows_per_episode": 4.0, "turns_per_row": 1.0}], last_n)["forks"]
    assert told(Watch(), [{"rows_per_episode": 1.0, "turns_per_row": 1.0}]) == {}  # episodes of one turn
    assert told(Watch(), [{}] * 6 + [{"entropy": 0.01, "success": 0.97}]) == {}  # it has learned it
    nothing_learned = {name: None for name in ("entropy", "kl", "grad_norm", "lr", "ratio", "mismatch", "rows_per_episode", "sequence_ratio_max")}
    assert told(Watch(), [nothing_learned | {"skipped_groups": 8.0}]) == {}


def test_steps_without_rewards_are_no_sign_of_tasks_that_are_too_hard():
    nothing = {"success": None, "reward": None, "scored": 0.0, "unscored": 64.0, "skipped_groups": 8.0}
    assert list(told(Watch(), [nothing] * (WINDOW + 5))) == ["unscored"]
    watch = Watch()
    idle = [{"skipped_groups": 8.0, "success": 0.1}]
    assert list(told(watch, idle * 3 + [nothing] + idle)) == ["unscored"]
    assert list(told(watch, idle, first=6)) == ["idle"]


def test_skipped_updates_are_told_of_when_they_happen():
    watch = Watch()
    assert list(told(watch, [{}, {"skipped_updates": 1.0}])) == ["skipped"]
    learned_nothing = {"skipped_updates": None, "skipped_groups": 8.0, "grad_norm": None}
    assert told(watch, [{"skipped_updates": 1.0}] * 30, first=3) == {}
    assert list(told(watch, [{"skipped_updates": 4.0}], first=33)) == ["skipped"]
    watch = Watch()
    told(watch, [{"skipped_updates": 1.0}])
    assert "skipped" not in told(watch, [learned_nothing] * 30 + [{"skipped_updates": 1.0}], first=2)


def test_a_warning_is_told_once_while_it_lasts_and_again_when_it_comes_back():
    watch, bad = Watch(), {"overflow_rate": 0.5}
    assert list(told(watch, [bad])) == ["overflow"]
    assert told(watch, [bad, {}, bad] + [{}] * QUIET + [{}], first=2) == {}
    assert list(told(watch, [bad], first=QUIET + 6)) == ["overflow"]


def test_it_goes_on_where_it_stood():
    straight, cut = Watch(), Watch()
    steps = [{"skipped_groups": 8.0, "success": 0.1, "overflow_rate": 0.5}] * 4
    told(straight, steps), told(cut, steps)
    back = Watch(**json.loads(json.dumps(asdict(cut))))
    assert back == straight
    assert told(back, steps[:1], first=5) == told(straight, steps[:1], first=5) != {}


def test_every_rule_is_tested():
    tested = {case[0] for case in ONE} | {case[0] for case in SEVERAL} | {"overfit"}
    assert tested == set(RULES) | set(EVAL_RULES)
