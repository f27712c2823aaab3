"""Rollouts in threads, against an engine that answers when it is told to: no test here waits for a clock."""

import dataclasses
import json
import threading
import warnings

import numpy as np
import pytest

from agents.config import Agent, EnvConfig, ModelConfig, PolicyConfig
from agents.engines.base import Completion, EngineError
from agents.grpo import async_collector
from agents.grpo.async_collector import AsyncCollector
from agents.grpo.config import TrainConfig
from agents.grpo.learner import LearnerConfig
from agents.grpo.loss import LossConfig
from agents.prompts import PromptBuilder
from gui_gym.codecs import make_codec
from gui_gym.desktops import DesktopError

PATIENCE = 60.0  # of a test that would otherwise hang


class Gated:
    """An engine apart that answers with a click, at another point for each seed; questions of the groups in ``held`` wait to be released.

    A question is known by the number of its group, which its seed tells.
    """

    apart, max_length = True, 8192

    def __init__(self, prompts, held=()):
        self.prompts, self.policy_version = prompts, 0
        self.asked, self.failing = [], {}
        self.held = {number: threading.Event() for number in held}
        self.changed = threading.Condition()

    def generate(self, prompts, sampling, seeds):
        number = next(n for n in range(1000) if token_seed(n) == seeds[0])
        with self.changed:
            self.asked.append(number)
            self.changed.notify_all()
        if number in self.held:
            assert self.held[number].wait(PATIENCE)
        if error := self.failing.pop(number, None):
            raise error
        texts = [f"click({seed % 10},{seed // 10 % 10})" for seed in seeds]
        ids = [self.prompts.completion_ids(text) for text in texts]
        return [Completion(each, (-0.5,) * len(each), "stop", self.policy_version) for each in ids]

    def wait_for(self, what):
        with self.changed:
            assert self.changed.wait_for(what, PATIENCE)

    def close(self):
        pass


def token_seed(number):
    """Of the first answer of the first episode of a group."""
    own = int(np.random.default_rng([0, 4, number]).integers(2**31))
    return int(np.random.default_rng([own, 0, 0]).integers(2**63))


@pytest.fixture
def make(vlm, tmp_path):
    """``make(held, **settings)``: a collector of 2 groups of 2 episodes of one turn, and its engine."""
    made = []

    def collector(held=(), state=None, clock=lambda: 0.0, **settings):
        model, vision = vlm()
        prompts = PromptBuilder(vision, make_codec("dsl", "grid:10"), system="")
        engine = Gated(prompts, held)
        agent = Agent(model, None, vision, prompts, PolicyConfig(frame="grid:10", system="", max_new_tokens=40), None, engine)
        config = TrainConfig(
            ModelConfig("unused"), tmp_path, EnvConfig(task="press-the-button", width=112, height=112, max_steps=1),
            learner=LearnerConfig(loss=LossConfig(tis_cap=2.0)), groups=2, group_size=2, **settings,
        )  # fmt: skip
        made.append((AsyncCollector(agent, config, state, clock), engine))
        return made[-1]

    yield collector
    for collector, engine in made:
        for event in engine.held.values():
            event.set()
        collector.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("rollouts-")]


def collect(collector, step=1):
    """The numbers of the groups of a step, told by what they were asked, and the groups."""
    seen = []
    groups = collector.collect(step, seen.append)
    assert [episode for group in groups for episode in group.episodes] == seen[-4:]
    return groups


def settled(collector, ready):
    """Wait until ``ready`` groups are ready and nothing more can begin."""
    with collector._changed:
        assert collector._changed.wait_for(lambda: len(collector._ready) == ready == len(collector._pending), PATIENCE)


def test_rollouts_go_on_during_an_update_and_wait_at_the_bound(make):
    collector, engine = make(max_staleness=1)
    groups = collect(collector)
    assert len(groups) == 2 and all(len(group.episodes) == 2 for group in groups)
    settled(collector, 2)  # of the next step, with nobody having asked for them
    assert sorted(engine.asked) == [0, 1, 2, 3]
    engine.policy_version = 1
    collect(collector, 2)
    assert collector.figures["queue"] == 2 and collector.figures["staleness"] == collector.figures["staleness_max"] == 1
    settled(collector, 2)
    assert sorted(engine.asked) == [0, 1, 2, 3, 4, 5]


def test_without_staleness_rollouts_and_updates_take_turns(make):
    collector, engine = make(max_staleness=0)
    for step in (1, 2, 3):
        groups = collect(collector, step)
        settled(collector, 0)
        assert sorted(engine.asked) == list(range(2 * step))
        assert {turn.policy_version for group in groups for episode in group.episodes for turn in episode.turns} == {step - 1}
        engine.policy_version = step


def test_groups_that_are_too_old_are_dropped_and_counted(make):
    collector, engine = make(max_staleness=1)
    collect(collector)
    settled(collector, 2)
    engine.policy_version = 3
    groups = collect(collector, 2)
    assert collector.figures["dropped_stale"] == 2 and collector.figures["staleness_max"] <= 1
    assert {turn.policy_version for group in groups for episode in group.episodes for turn in episode.turns} == {3}


def test_what_counts_is_which_weights_answered_not_when_the_group_began(make):
    collector, engine = make(max_staleness=1, held=[2, 3])
    collect(collector)
    engine.wait_for(lambda: {2, 3} <= set(engine.asked))
    engine.policy_version = 2
    for number in (2, 3):
        engine.held[number].set()  # answered by the weights of version 2 after all
    collect(collector, 2)
    assert collector.figures["dropped_stale"] == 0


def test_a_straggler_is_dropped_and_another_takes_its_place(make):
    now = [0.0]
    collector, engine = make(held=[0], clock=lambda: now[0], group_minutes=1.0, max_staleness=0)

    def pass_time():
        engine.wait_for(lambda: 0 in engine.asked)
        with collector._changed:
            assert collector._changed.wait_for(lambda: collector._ready or collector._taken, PATIENCE)  # the other group has ended
            now[0] = 61.0

    passing = threading.Thread(target=pass_time)
    passing.start()
    groups = collect(collector)
    passing.join()
    assert len(groups) == 2 and sorted(engine.asked) == [0, 1, 2] and collector.figures["dropped_late"] == 1
    state = collector.state_dict()
    assert 0 not in state["again"] and state["next"] == 3  # nor will a resumed run be held up by it again
    engine.held[0].set()
    collect(collector, 2)
    assert collector.figures["dropped_late"] == 0


def test_rollouts_that_all_hang_end_the_run(make):
    now = [0.0]
    collector, engine = make(held=range(100), clock=lambda: now[0], group_minutes=1.0)

    def pass_time():
        for count in (2, 4):
            engine.wait_for(lambda count=count: len(engine.asked) == count)
            now[0] += 61.0

    passing = threading.Thread(target=pass_time)
    passing.start()
    with pytest.raises(async_collector.DesktopError, match="4 rollouts hang"):
        collect(collector)
    passing.join()


@pytest.mark.parametrize("error", [EngineError("the server is gone"), KeyError("what")])
def test_what_a_rollout_raises_reaches_the_run(make, error):
    collector, engine = make(held=[1], max_staleness=0)
    engine.failing[0] = error
    with pytest.raises(type(error)):
        collect(collector)
    assert 0 in collector.state_dict()["again"]
    engine.held[1].set()
    collect(collector)  # the run may try again: nothing is lost
    assert not collector._pending and sorted(engine.asked) == [0, 0, 1]


def test_what_was_under_way_is_begun_anew_by_a_resumed_run(make):
    collector, engine = make(held=[2, 4], max_staleness=2)
    collect(collector)
    engine.wait_for(lambda: set(engine.asked) == {0, 1, 2, 3, 4, 5} or len(engine.asked) >= 4)
    state = json.loads(json.dumps(collector.state_dict()))
    handed = {0, 1, 2, 3} - set(state["again"])
    assert len(handed) == 2 and set(state["again"]) | handed == set(range(state["next"]))
    resumed, engine = make(state=state, max_staleness=0)
    for step in (2, 3):
        collect(resumed, step)
    assert set(engine.asked) == set(range(6)) - handed


def test_groups_that_teach_nothing_are_replaced(make, monkeypatch):
    monkeypatch.setattr(async_collector, "teaches", lambda advantages: False)
    collector, engine = make(resample=1, max_staleness=0)
    seen = []
    assert len(collector.collect(1, seen.append)) == 2
    assert collector.figures["resampled_groups"] == 2 and len(seen) == 8 and sorted(engine.asked) == [0, 1, 2, 3]


def test_closing_does_not_wait_for_what_hangs(make, monkeypatch):
    monkeypatch.setattr(async_collector, "_GRACE", 0.01)
    collector, engine = make(held=range(9))
    asking = threading.Thread(target=lambda: pytest.raises(KeyError, collect, collector))
    engine.failing[0] = KeyError("over")
    asking.start()
    engine.wait_for(lambda: {0, 1} <= set(engine.asked))
    engine.held[0].set()
    asking.join(PATIENCE)
    collector.close()
    assert any(thread.name.startswith("rollouts-") for thread in threading.enumerate())
    for event in engine.held.values():
        event.set()


def test_a_shared_engine_is_refused_and_missing_importance_sampling_is_told(make):
    collector, _ = make()
    shared = dataclasses.replace(collector.agent, engine=None)
    with pytest.raises(ValueError, match="engine.kind 'vllm'"):
        AsyncCollector(shared, collector.config)
    bare = dataclasses.replace(collector.config, learner=LearnerConfig())
    with pytest.warns(UserWarning, match="tis_cap"):
        AsyncCollector(collector.agent, bare)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        AsyncCollector(collector.agent, collector.config)


@pytest.mark.parametrize("bad", [{"mode": "both"}, {"max_staleness": -1}, {"group_minutes": 0.0}, {"parallel": "tensor"}, {"peer_minutes": -1.0}])
def test_bad_settings(bad, tmp_path):
    with pytest.raises(ValueError, match="expected"):
        TrainConfig(ModelConfig("unused"), tmp_path, **bad)


def test_an_outage_of_all_desktops_is_one_error(make):
    collector, engine = make(held=[0, 1], max_staleness=0)
    engine.failing = {number: DesktopError("gone") for number in (0, 1)}

    def fail():
        engine.wait_for(lambda: {0, 1} <= set(engine.asked))
        for number in (0, 1):
            engine.held[number].set()

    failing = threading.Thread(target=fail)
    with collector._changed:  # so that both have failed before the learner looks
        failing.start()
        collector._limit = 2
        collector._man()
        assert collector._changed.wait_for(lambda: len(collector._errors) == 2, PATIENCE)
    failing.join()
    with pytest.raises(DesktopError):
        collect(collector)
    collect(collector)
