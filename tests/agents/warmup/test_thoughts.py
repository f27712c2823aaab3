"""Thoughts before actions: made from the screen before, read as the same action, trained with it and nothing else."""

import json
from contextlib import suppress

import gymnasium as gym
import pytest

import gui_gym  # noqa: F401
from agents.adapters import AdapterConfig, Trainable
from agents.engines.transformers_engine import TransformersEngine
from agents.models import load_model
from agents.optimiser import OptimiserConfig
from agents.prompts import PromptBuilder
from agents.rollout import Policy, collect
from agents.rows import rows_from_episode
from agents.vision import VisionInputs
from agents.warmup.demonstrations import DemonstrationConfig, DemonstrationError, demonstrate, demonstrations
from agents.warmup.play import play
from agents.warmup.rationale import Rationale, thing_at
from agents.warmup.supervised import SupervisedLearner, WarmupConfig
from agents.warmup.thoughts import Annotated, make_thinker, with_thought
from gui_gym.actions import Action
from gui_gym.codecs import ActionFormatError, make_codec
from wrappers.groups import GroupVectorEnv

SCREEN = (112, 112)


def make_env(task="press-the-button", width=112, height=112, **kwargs):
    return gym.make("GuiDesktop-v0", disable_env_checker=True, task=task, width=width, height=height, **kwargs)


def moments(task, seed=0, codec="dsl", noise=0.0):
    env, said = make_env(task, 640, 400, max_steps=60), []
    think = Rationale()
    for _, moment in play(env, make_codec(codec, "pixels"), seed, DemonstrationConfig(noise)):
        said.append((moment, think(moment)))
    return said


def test_the_rationale_names_what_is_acted_on_and_why():
    said = moments("fill-form", seed=5)
    instruction = said[0][0].instruction
    typed = [(m, thought) for m, thought in said if m.wanted.text]
    assert len(typed) >= 2
    for moment, thought in typed:
        assert f"The task asks for “{moment.wanted.text}”, so I type it into the " in thought and moment.wanted.text in instruction
    first = said[0][1]
    assert first.startswith("I click the ") and f"to type “{said[1][0].wanted.text}”" in first
    assert said[-1][1] == "Everything the task asks for is done."
    assert all("(x=" not in thought for _, thought in said)


def test_the_tree_of_a_real_desktop_says_what_is_hit():
    def node(role, name, bounds, *children, states=("showing",)):
        return {"role": role, "name": name, "bounds": list(bounds), "value": None, "children": list(children), "states": list(states)}

    editor = node("frame", "Editor", (0, 0, 90, 90), node("push button", "Save", (10, 10, 20, 20)), node("label", "", (12, 12, 5, 5)))
    hidden = node("frame", "Gone", (0, 0, 100, 100), node("push button", "Gone", (0, 0, 100, 100)), states=())
    front = node("frame", "Files", (50, 50, 50, 50), states=("showing", "active"))
    tree = node(
        "desktop frame", "main", (0, 0, 100, 100), node("application", "a", (0, 0, 0, 0), hidden, editor), node("application", "b", (0,) * 4, front)
    )
    said = [thing_at(tree, point) for point in ((13, 13), (5, 5), (60, 60), (95, 5))]
    assert said == ["the push button “Save”", "the frame “Editor”", "the frame “Files”", ""]


def test_every_family_has_a_thought_for_each_action_that_every_codec_can_write_before_it():
    from gui_gym.tasks import load_suite

    env, codecs = make_env(None, 640, 400, max_steps=100), [make_codec(name, "thousand") for name in ("dsl", "json", "qwen", "pyautogui")]
    for family in load_suite("sim").ids()[::12]:
        env.unwrapped.next_task = family
        think = Rationale()
        for _, moment in play(env, codecs[0], 1, DemonstrationConfig()):
            thought = think(moment)
            assert 10 < len(thought) < 400 and thought.endswith("."), (family, thought)
            for codec in codecs:
                with suppress(ActionFormatError):
                    text = codec.format(moment.action, (640, 400))
                    assert codec.parse(codec.with_thought(thought, text), (640, 400), moment.cursor) == codec.parse(text, (640, 400), moment.cursor)


def test_a_thought_knows_nothing_of_what_comes_after():
    """The same thought comes out when the episode is never played on."""
    env, think = make_env("fill-form", 640, 400, max_steps=60), Rationale()
    whole = [thought for _, thought in moments("fill-form", seed=5)]
    for number in range(len(whole)):
        for (_, moment), expected in zip(play(env, make_codec("dsl", "pixels"), 5, DemonstrationConfig()), whole, strict=False):
            assert think(moment) == expected
            if moment.number == number:
                break


@pytest.mark.parametrize("thought", ["", "  \n", "so </think> done"])
def test_a_thought_that_will_not_do_is_refused(thought):
    (moment, _), *_ = moments("fill-form")
    with pytest.raises(ValueError, match="expected a thought"):
        with_thought(make_codec("dsl", "pixels"), moment, thought, (640, 400))


def test_one_that_changes_the_action_is_refused():
    (moment, _), *_ = moments("fill-form", codec="qwen")
    codec = make_codec("qwen", "pixels")
    assert codec.parse(with_thought(codec, moment, "Action: I click it.", (640, 400)), (640, 400), (0, 0)) == [moment.action]
    with pytest.raises(ValueError, match="expected a thought"):
        with_thought(codec, moment, "I write <tool_call> and so on", (640, 400))


@pytest.mark.parametrize("codec", ["dsl", "json", "qwen"])
def test_what_is_trained_is_thought_action_and_end_and_nothing_else(vlm, codec):
    builder = PromptBuilder(vlm("qwen3_vl")[1], make_codec(codec, "pixels"))
    episode = demonstrate(make_env(), builder, builder.vision.sampling(1.0, 200), 3, DemonstrationConfig(), Rationale())
    (row,) = rows_from_episode(episode, builder.vision)
    trained = [i for i, m in zip(row.ids, row.mask, strict=True) if m]
    assert trained == [i for turn in episode.turns for i in turn.completion_ids]
    assert all(turn.completion_ids[-1] in builder.vision.tokens.stop for turn in episode.turns)
    assert trained.count(builder.vision.tokenizer.convert_tokens_to_ids("<|im_end|>")) == len(episode.turns) == 2
    assert builder.vision.image_token_id not in trained
    texts = [builder.completion_text(turn.completion_ids) for turn in episode.turns]
    assert texts == [turn.text for turn in episode.turns] and texts[0].startswith("Thought: I click" if codec != "qwen" else "I click")
    at = [i for i, m in enumerate(row.mask) if m]
    assert all(not row.mask[i] for i in range(at[0]))  # system message, instruction and screen


def test_annotated_thoughts_are_looked_up_by_what_is_seen_and_done(vlm, tmp_path):
    builder = PromptBuilder(vlm()[1], make_codec("dsl", "pixels"), system="")
    path, records = tmp_path / "thoughts.jsonl", []
    for seed in (3, 4):
        for _, moment in play(make_env(), builder.codec, seed, DemonstrationConfig()):
            about = {"moment": moment.key, "seed": seed, "number": moment.number}
            records.append({"key": f"{seed}-{moment.number}", "text": f"so {seed}", "about": about})
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    think = make_thinker(str(path))
    assert isinstance(think, Annotated) and think.seeds == [3, 4]
    sampling = builder.vision.sampling(1.0, 64)
    stream = demonstrations(make_env(), builder, sampling, 0, DemonstrationConfig(), think=think, seeds=think.endless_seeds(0))
    texts = [next(stream).turns[0].text for _ in range(6)]
    assert {text.split("\n")[0] for text in texts[:2]} == {"Thought: so 3", "Thought: so 4"} and sorted(texts[:2]) == sorted(texts[4:])
    other = PromptBuilder(vlm()[1], make_codec("dsl", "grid:4"), system="")
    with pytest.raises(DemonstrationError, match="has no thought .* another env, codec, frame or noise"):
        next(demonstrations(make_env(), other, sampling, 0, DemonstrationConfig(), think=think, seeds=think.endless_seeds(0)))


def test_files_that_hold_no_thoughts(tmp_path):
    with pytest.raises(FileNotFoundError, match="expected a file that gui-agents annotate wrote, or 'rationale'"):
        make_thinker(str(tmp_path / "none.jsonl"))
    for text in ("", '{"key": "a", "text": "b", "about": {}}\n'):
        (tmp_path / "thoughts.jsonl").write_text(text)
        with pytest.raises(ValueError, match="gui-agents annotate"):
            make_thinker(str(tmp_path / "thoughts.jsonl"))
    assert make_thinker(None) is None


@pytest.mark.parametrize(("kind", "codec"), [("idefics3", "dsl"), ("qwen2_5_vl", "qwen"), ("qwen3_vl", "qwen")])
def test_a_model_that_is_trained_on_thoughts_says_them_and_acts(vlm_folder, kind, codec):
    """Trained until it knows one demonstration by heart, it thinks and acts in a rollout as was shown: the same prompts, codec and template."""
    model, processor = load_model(vlm_folder(kind))
    vision = VisionInputs(processor, model)
    builder = PromptBuilder(vision, make_codec(codec, "thousand" if kind == "qwen3_vl" else "resized:56x56"), system="")
    episode = demonstrate(make_env(), builder, vision.sampling(1.0, 120), 3, DemonstrationConfig(), Rationale())
    config = WarmupConfig(OptimiserConfig(lr=6e-3, warmup_steps=5, weight_decay=0.0), max_steps=100)
    learner = SupervisedLearner(Trainable(model, AdapterConfig(train="full")), vision, vision.tokens.pad, config)
    rows = rows_from_episode(episode, vision)
    losses: list[float] = []
    while len(losses) < config.max_steps and (not losses or losses[-1] > 0.02):
        losses.append(learner.update(rows)["loss"])
    assert losses[-1] < 0.1 < losses[0]
    policy = Policy(builder, TransformersEngine(model, vision), vision.sampling(0.0, 120))
    envs = GroupVectorEnv(1, 1, "GuiDesktop-v0", task="press-the-button", width=112, height=112, max_steps=4, split="train")
    (group,) = collect(policy, envs, seed=3, tasks=[episode.task_id])
    envs.close()
    said = group.episodes[0]
    assert [turn.text for turn in said.turns] == [turn.text for turn in episode.turns]
    assert said.actions == episode.actions and said.actions[-1] == Action.done() and said.score.value == 1.0
    assert all(turn.finish_reason == "stop" and not turn.parse_error for turn in said.turns)
    if codec == "qwen":
        call = vision.tokenizer.convert_tokens_to_ids("<tool_call>")
        assert all(call in turn.completion_ids for turn in said.turns) and call not in vision.tokens.suppress
        assert builder.plain("<tool_call><|im_end|>") == "<tool_call>< |im_end|>"
