import numpy as np
import pytest

from agents.engines.base import Completion, EngineError
from agents.engines.transformers_engine import TransformersEngine
from agents.episodes import Episode, Frame
from agents.evaluation import EvalResult, evaluate, wilson
from agents.prompts import PromptBuilder
from agents.rollout import Policy, collect
from agents.rows import rows_from_episode
from gui_gym.actions import Action, ActionType
from gui_gym.codecs import make_codec
from gui_gym.desktops import DesktopError
from gui_gym.env import GuiDesktopEnv
from gui_gym.spaces import to_action
from gui_gym.tasks import split_range
from gui_gym.verifiers import EndReason, Score
from wrappers.groups import GroupVectorEnv

SCREEN = (112, 112)
ENV = {"task": "press-the-button", "width": 112, "height": 112, "max_steps": 5}


class Scripted:
    """An engine that says what ``answer(prompt)`` returns; a text that ends with ``…`` was cut off there."""

    policy_version, max_length = 3, 8192

    def __init__(self, builder, answer):
        self.builder, self.answer, self.prompts, self.seeds = builder, answer, [], []

    def generate(self, prompts, sampling, seeds):
        self.prompts.append(prompts)
        self.seeds.append(list(seeds))
        out = []
        for prompt in prompts:
            text = self.answer(prompt)
            ids = self.builder.completion_ids(text.removesuffix("…"))
            ids = ids[:-1] if text.endswith("…") else ids
            out.append(Completion(ids, (-0.5,) * len(ids), "length" if text.endswith("…") else "stop", self.policy_version))
        return out


@pytest.fixture
def vision(vlm):
    return vlm()[1]


@pytest.fixture
def scripted(vision):
    """``scripted(answer)``: a policy that answers by a function of the prompt, or with the k-th text in turn k."""

    def make(answer, codec=None, **kwargs):
        builder = PromptBuilder(vision, codec or make_codec("dsl"), system="", **kwargs)
        texts = answer if callable(answer) else lambda prompt: answer[min(len(prompt.exchanges), len(answer)) - 1]
        return Policy(builder, Scripted(builder, texts), vision.sampling(1.0, 40))

    return make


@pytest.fixture
def envs():
    made = GroupVectorEnv(2, 2, **ENV)
    yield made
    made.close()


def solutions(seeds, split="train", **kwargs):
    """The text that solves each seed's instance, by the hash of its first frame."""
    env, texts, codec = GuiDesktopEnv(**{**ENV, **kwargs}, split=split), {}, make_codec("dsl")
    for seed in seeds:
        frame, _ = env.reset(seed=seed)
        texts[Frame(frame).hash] = "\n".join(codec.format(to_action(a, *SCREEN), SCREEN) for a in env.solution())
    env.close()
    return texts


def one(groups):
    return groups[0].episodes[0]


# -- an episode ------------------------------------------------------------------------------------------------------------------


def test_what_solves_it_scores(scripted, envs, vision):
    texts = solutions([11, 12])
    policy = scripted(lambda prompt: texts[prompt.images[0].hash])
    groups = collect(policy, envs, seed=[11, 12])
    assert [g.task_id for g in groups] == [e.task_id for g in groups for e in g.episodes[:1]] and len({g.task_id for g in groups}) == 2
    for k, group in enumerate(groups):
        assert group.episodes[0].frames[0] is group.episodes[1].frames[0]
        for episode in group.episodes:
            assert (episode.score.value, episode.reward, episode.end, episode.group) == (1.0, 1.0, EndReason.DONE, k)
            assert episode.reward_parts == {"score": 1.0}
            (turn,) = episode.turns
            assert turn.images == (episode.frames[0],) and turn.policy_version == 3 and turn.text == texts[episode.frames[0].hash]
            assert [a.type for a in episode.actions] == [ActionType.CLICK, ActionType.DONE] == [a.type for a in turn.actions]
            assert len(episode.frames) == 3 and episode.errors == ["", ""]
            assert [sum(r.mask) for r in rows_from_episode(episode, vision)] == [len(turn.completion_ids)]


def test_each_turn_holds_the_frames_that_were_shown(scripted, envs):
    """OpenAdapt computed its loss on the frame after the action, its TRL bridge on the last frame of the episode."""
    episode = one(collect(scripted(["move(x=5,y=5)", "move(x=90,y=90)", "done()"]), envs, seed=1))
    assert len({f.hash for f in episode.frames[:3]}) == 3
    for k, turn in enumerate(episode.turns):
        assert [f.hash for f in turn.images] == [f.hash for f in episode.frames[: k + 1]]


def test_an_unreadable_answer_costs_a_step_and_nothing_else(scripted, envs, vision):
    policy = scripted(["clack(x=5,y=5)", "I am done", "done()"])
    episode = one(collect(policy, envs, seed=1))
    assert episode.actions == [None, None, Action.done()] and episode.end is EndReason.DONE
    assert len({f.hash for f in episode.frames}) == 1
    assert all(turn.parse_error and not turn.actions for turn in episode.turns[:2]) and not episode.turns[2].parse_error
    assert episode.errors == [*(turn.parse_error for turn in episode.turns[:2]), ""]
    told = vision.tokenizer.decode(list(policy.engine.prompts[1][0].unexpanded))
    assert f"Your answer could not be read: {episode.turns[0].parse_error}" in told


@pytest.mark.parametrize("text", ["done()…", "click(x=5,y=5)…", "Thought: I need…"])
def test_a_cut_completion_is_no_action(scripted, envs, text):
    """OpenAdapt #62: output cut at 100 tokens was read as DONE."""
    episode = one(collect(scripted([text, "done()"]), envs, seed=1))
    assert episode.actions == [None, Action.done()] and "cut off" in episode.errors[0]
    assert episode.turns[0].finish_reason == "length"


def test_errors_alone_end_by_the_step_limit(scripted, envs):
    episode = one(collect(scripted(["nonsense"]), envs, seed=1))
    assert (episode.end, episode.score.value, len(episode.turns)) == (EndReason.TRUNCATED, 0.0, ENV["max_steps"])


def test_several_actions_in_one_turn(scripted, envs):
    policy = scripted(["move(x=5,y=5)\nmove(x=90,y=90)\nmove(x=5,y=90)", "done()"])
    episode = one(collect(policy, envs, seed=1))
    assert [str(a) for a in episode.actions] == ["MOVE(point=(5, 5))", "MOVE(point=(90, 90))", "MOVE(point=(5, 90))", "DONE()"]
    assert [f.hash for f in episode.turns[1].images] == [episode.frames[0].hash, episode.frames[3].hash]


def test_actions_after_the_end_are_not_done(scripted, envs):
    episode = one(collect(scripted(["\n".join(["wait(seconds=1)"] * 9)]), envs, seed=1))
    assert (len(episode.actions), episode.end, len(episode.turns)) == (5, EndReason.TRUNCATED, 1)


def test_an_action_that_cannot_be_done(scripted, envs, vision):
    class Wild(type(make_codec("dsl"))):
        def parse(self, text, screen, cursor, truncated=False):
            found = super().parse(text, screen, cursor, truncated)
            return [Action.click(500, 500), Action.done()] if found[0].type is ActionType.MOVE else found

    policy = scripted(["move(x=5,y=5)", "done()"], codec=Wild())
    episode = one(collect(policy, envs, seed=1))
    assert episode.actions == [Action.click(500, 500), Action.done()] and "outside the screen" in episode.errors[0]
    assert len(episode.turns) == 2, "what followed the action that failed must not be done"
    told = vision.tokenizer.decode(list(policy.engine.prompts[1][0].unexpanded))
    assert f"Your action could not be done: {episode.errors[0]}" in told


def test_a_relative_action_acts_at_the_pointer(scripted, envs):
    episode = one(collect(scripted(["move(x=33,y=44)", "click()", "done()"]), envs, seed=1))
    assert episode.actions[1] == Action.click(33, 44)


def test_members_end_at_different_times(scripted, envs):
    seen = []

    def answer(prompt):
        seen.append(len(prompt.exchanges))
        return "done()" if len(seen) == 2 else "wait()"

    groups = collect(scripted(answer), envs, seed=1)
    assert [len(e.turns) for g in groups for e in g.episodes] == [5, 1, 5, 5]


def test_a_dead_desktop_is_unscored_and_harms_no_other(scripted, envs, vision):
    def dies(action):
        raise DesktopError("the desktop died")

    ended = []
    envs.reset(seed=0)
    broken = envs.vector.envs[1]
    original = broken.desktop.perform
    broken.desktop.perform = dies
    groups = collect(scripted(["wait()", "done()"]), envs, seed=1, progress=ended.append)
    broken.desktop.perform = original
    bad, good = groups[0].episodes[1], groups[0].episodes[0]
    assert (bad.end, bad.score.scored, bad.reward) == (EndReason.INFRASTRUCTURE, False, None) and "the desktop died" in bad.score.reason
    assert rows_from_episode(bad, vision) == []
    assert (good.end, good.reward) == (EndReason.DONE, 0.0)
    assert sorted(map(id, ended)) == sorted(id(e) for g in groups for e in g.episodes)


def test_an_episode_whose_prompt_gets_no_answer_is_unscored_and_harms_no_other(scripted, envs, vision):
    """The engine failed, not the agent: never a score of 0."""
    policy, ended = scripted(["wait()", "done()"]), []
    say = policy.engine.generate

    def fails_once(prompts, sampling, seeds):
        said = say(prompts, sampling, seeds)
        if len(policy.engine.prompts) == 2:
            said[1] = Completion((), (), "failed", 3, "it took too long")
        return said

    policy.engine.generate = fails_once
    groups = collect(policy, envs, seed=1, progress=ended.append)
    bad, *good = [groups[0].episodes[1], groups[0].episodes[0], *groups[1].episodes]
    assert (bad.end, bad.score.scored, bad.reward) == (EndReason.INFRASTRUCTURE, False, None)
    assert bad.score.reason == "the engine gave no answer: it took too long" and [t.text for t in bad.turns] == ["wait()"]
    assert [(e.end, e.reward, len(e.turns)) for e in good] == [(EndReason.DONE, 0.0, 2)] * 3
    assert sorted(map(id, ended)) == sorted(id(e) for g in groups for e in g.episodes)
    assert [e.end for g in collect(policy, envs, seed=1) for e in g.episodes] == [EndReason.DONE] * 4, "the next episode is whole again"


def test_an_engine_that_is_gone_ends_it(scripted, envs):
    policy = scripted(["wait()"])

    def gone(prompts, sampling, seeds):
        raise EngineError("nobody there")

    policy.engine.generate = gone
    with pytest.raises(EngineError, match="nobody there"):
        collect(policy, envs, seed=1)


def test_each_turn_has_the_version_that_sampled_it(scripted, envs):
    policy = scripted(["wait()", "wait()", "done()"])
    say = policy.engine.generate

    def newer(prompts, sampling, seeds):
        policy.engine.policy_version += 1
        return say(prompts, sampling, seeds)

    policy.engine.generate = newer
    assert [t.policy_version for t in one(collect(policy, envs, seed=1)).turns] == [4, 5, 6]


def test_turn_limit(scripted, envs):
    policy = scripted(["wait()"])
    episode = one(collect(policy, envs, seed=1, max_turns=2))
    assert (len(episode.turns), len(episode.actions), episode.end, episode.score.value) == (2, 2, EndReason.TRUNCATED, 0.0)
    assert len(policy.engine.prompts) == 2


@pytest.mark.parametrize("history", ["append", "last_n"])
def test_an_episode_that_outgrows_the_model_is_asked_no_more(scripted, envs, vision, history):
    """It runs out its steps and is scored; what it did before is trained on."""
    first = scripted(["done()"]).prompts.start("", Frame(np.zeros((112, 112, 3), np.uint8)), SCREEN)
    policy = scripted(["wait()"], history=history, n=3)
    policy.engine.max_length = 3 * len(first.ids) + 20
    ended = []
    groups = collect(policy, envs, seed=1, progress=ended.append)
    episodes = [e for g in groups for e in g.episodes]
    for episode in episodes:
        assert "screens) and 40 new ones exceed the" in episode.overflow and "that the model can hold" in episode.overflow
        assert (episode.end, episode.score.value, len(episode.actions)) == (EndReason.TRUNCATED, 0.0, len(episode.turns))
        assert 0 < len(episode.turns) < ENV["max_steps"] and len(rows_from_episode(episode, vision)) >= 1
    assert len(ended) == 4
    result = evaluate(policy, ENV, seeds=[1, 2])
    assert result.overflow_rate == 1.0 and result.figures()["overflow_rate"] == 1.0


def test_one_that_outgrows_the_model_leaves_the_others_alone(scripted, envs):
    calls = []

    def answer(prompt):
        calls.append(prompt)
        return "1" * 400 if len(calls) == 1 else "wait()" if len(prompt.exchanges) < 4 else "done()"

    policy = scripted(answer)
    policy.engine.max_length = 4 * len(policy.prompts.start("", Frame(np.zeros((112, 112, 3), np.uint8)), SCREEN).ids) + 200
    episodes = [e for g in collect(policy, envs, seed=1) for e in g.episodes]
    assert [(bool(e.overflow), e.end, len(e.turns)) for e in episodes] == [
        (True, EndReason.TRUNCATED, 1), *[(False, EndReason.DONE, 4)] * 3
    ]  # fmt: skip


def test_history_policy_forks_rows(scripted, envs, vision):
    episode = one(collect(scripted(["wait()"], history="last_n", n=2), envs, seed=1))
    found = rows_from_episode(episode, vision)
    assert [len(r.images) for r in found] == [2, 2, 2, 2] and sum(r.weight for r in found) == pytest.approx(1)
    assert len(rows_from_episode(one(collect(scripted(["wait()"]), envs, seed=1)), vision)) == 1


def test_rewards_by_name(scripted, envs):
    episode = one(collect(scripted(["nonsense", "done()"]), envs, seed=1, rewards={"score": 1.0, "format": 0.5}))
    assert episode.reward == -0.25 and episode.reward_parts == {"score": 0.0, "format": -0.5}
    with pytest.raises(LookupError, match="unknown reward"):
        collect(scripted(["done()"]), envs, seed=1, rewards={"nope": 1.0})


def test_tasks_are_chosen_by_group(scripted, envs):
    groups = collect(scripted(["done()"]), envs, seed=1, tasks=["press-the-button#5", "press-the-button#6"])
    assert [g.task_id for g in groups] == ["press-the-button#5", "press-the-button#6"]


def test_token_seeds_differ_by_member_and_turn(scripted, envs):
    policy = scripted(["wait()"])
    collect(policy, envs, seed=1)
    seeds = [s for turn in policy.engine.seeds for s in turn]
    assert len(set(seeds)) == len(seeds) == 4 * 5


def test_the_real_engine_repeats_itself(vlm, envs):
    model, vision = vlm()
    policy = Policy(PromptBuilder(vision, make_codec("dsl", "grid:10"), system=""), TransformersEngine(model, vision), vision.sampling(1.0, 8))

    def run(seed):
        return [
            [(t.completion_ids, t.prompt_ids, [f.hash for f in t.images]) for t in e.turns]
            for g in collect(policy, envs, seed=seed)
            for e in g.episodes
        ]

    first = run(5)
    assert first == run(5) != run(6)
    assert len({turns[0][0] for turns in first}) == 4


# -- evaluation ------------------------------------------------------------------------------------------------------------------


def test_wilson():
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)  # value from R's prop.test(8, 10, correct=FALSE)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)
    with pytest.raises(ValueError, match="3 successes of 2"):
        wilson(3, 2)


def test_evaluate_counts_each_seed_once(scripted):
    seeds = range(7)
    texts, ended = solutions(seeds, split="test"), []
    failing = list(texts)[2]
    policy = scripted(lambda prompt: "done()" if prompt.images[0].hash == failing else texts[prompt.images[0].hash])
    result = evaluate(policy, ENV, seeds=seeds, num_envs=3, progress=ended.append)
    assert (result.success.successes, result.success.scored, len(result.episodes)) == (6, 7, 7)
    assert sorted(map(id, ended)) == sorted(map(id, result.episodes))
    low, high = split_range("test")
    assert all(low <= int(e.task_id.split("#")[1]) < high for e in result.episodes)
    assert [e.score.value for e in result.episodes] == [1, 1, 0, 1, 1, 1, 1]
    figures = result.figures()
    assert figures["success"] == pytest.approx(6 / 7) and figures["success_low"] < 6 / 7 < figures["success_high"]
    assert (figures["parse_error_rate"], figures["truncated_rate"], figures["unscored"]) == (0, 0, 0)
    assert "6/7 = 85.7%" in str(result.success)


def test_frames_can_be_left_out(scripted):
    result = evaluate(scripted(["wait()", "done()"]), ENV, seeds=range(5), num_envs=2, keep_frames=3)
    assert [len(e.frames) for e in result.episodes] == [3, 3, 3, 0, 0]
    assert [len(e.turns[1].images) for e in result.episodes] == [2, 2, 2, 0, 0]
    assert result.steps == 2.0 and result.success.scored == 5


def test_a_seed_is_answered_alike_whatever_runs_beside_it(vlm):
    model, vision = vlm()
    policy = Policy(PromptBuilder(vision, make_codec("dsl", "grid:10"), system=""), TransformersEngine(model, vision), vision.sampling(1.0, 8))
    results = [evaluate(policy, ENV, seeds=seeds, num_envs=n).episodes for seeds, n in ((range(5), 2), (range(5), 5), ([4, 3], 1))]
    said = [[[turn.completion_ids for turn in episode.turns] for episode in episodes] for episodes in results]
    assert said[0] == said[1] and said[2] == [said[0][4], said[0][3]]


def test_feasible_and_infeasible_apart(scripted):
    result = evaluate(scripted(["fail()"]), {**ENV, "task": "click-colour", "infeasible_rate": 0.5}, seeds=range(12), num_envs=12)
    assert result.infeasible.rate == 1.0 and result.feasible.rate == 0.0
    assert 0 < result.infeasible.scored < 12 and result.infeasible.scored + result.feasible.scored == 12


def test_errors_are_reported(scripted):
    result = evaluate(scripted(["done()…", "nonsense", "wait()"]), ENV, seeds=range(2))
    assert (result.parse_error_rate, result.cut_rate, result.truncated_rate, result.steps) == (0.4, 0.2, 1.0, 5.0)


def test_unscored_episodes_count_in_no_rate(scripted, monkeypatch):
    from gui_gym.verifiers import VERIFIERS

    def unreachable(task, desktop, outcome):
        raise DesktopError("cannot be reached")

    monkeypatch.setitem(VERIFIERS._entries, "sim", unreachable)
    result = evaluate(scripted(["done()"]), ENV, seeds=range(3))
    assert result.success.rate is None and result.mean_score is None and "success" not in result.figures()
    assert result.unscored == {"infrastructure: cannot be reached": 3} and str(result.success) == "nothing scored"


def test_evaluate_needs_seeds(scripted):
    with pytest.raises(ValueError, match="at least one seed"):
        evaluate(scripted(["done()"]), ENV, seeds=[])


def test_false_completions_and_side_effects_are_rates_of_their_own():
    """A policy that says DONE too early is told from one that ran out of steps, and one that breaks things from one that does not."""

    def episode(end: EndReason, score: Score, side_effects: int) -> Episode:
        return Episode("t", "-", end=end, score=score, side_effects=side_effects)

    one, none = Score.of(1.0), Score.of(0.0)
    result = EvalResult(
        [
            episode(EndReason.DONE, one, 0),
            episode(EndReason.DONE, none, 2),
            episode(EndReason.TRUNCATED, none, 0),
            episode(EndReason.FAIL, none, -1),
            episode(EndReason.INFRASTRUCTURE, Score.missing("gone"), -1),
        ]
    )
    assert result.false_completion_rate == 1 / 4 and result.side_effect_rate == 1 / 3
    assert {"false_completion_rate", "side_effect_rate"} <= set(result.figures())
    assert "side_effect_rate" not in EvalResult([episode(EndReason.DONE, one, -1)]).figures()


def test_side_effects_come_with_the_episode(scripted):
    (episode,) = evaluate(scripted(["done()"]), ENV, seeds=[1]).episodes
    assert episode.side_effects == 0 and episode.end is EndReason.DONE


def test_only_some_groups_run(scripted):
    policy = scripted(lambda prompt: "done()")
    envs = GroupVectorEnv(3, 2, **ENV)
    told = []
    try:
        groups = collect(policy, envs, seed=[5, 6, 7], only=[2, 0], progress=told.append)
        assert len(policy.engine.prompts[0]) == 4 and len(told) == 4
        assert [group.episodes[0].group for group in groups] == [0, 2] and all(len(e.turns) == 1 for g in groups for e in g.episodes)
        whole = collect(policy, envs, seed=[5, 6, 7])
        assert [g.episodes[0].frames[0].hash for g in groups] == [whole[i].episodes[0].frames[0].hash for i in (0, 2)]
    finally:
        envs.close()
