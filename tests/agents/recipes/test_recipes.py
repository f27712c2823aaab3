"""Ready recipes: they load, their arithmetic is that of the published models, and each can be tried out."""

import dataclasses
import json
import re
import warnings
from pathlib import Path

import pytest

from agents.adapters import AdapterConfig
from agents.cli import main
from agents.config import EngineConfig, EnvConfig
from agents.planning import make_plan, total
from agents.recipes.dry_run import DryRunError, dry_run
from agents.recipes.model import skeleton
from agents.recipes.recipe import load_recipe, recipe_names
from agents.sizes import sizes_of

#: Bytes of the weights as published, at two a parameter: metadata.total_size of each model's model.safetensors.index.json.
PUBLISHED = {
    "qwen2.5-vl-3b": 7_509_245_952,
    "qwen2.5-vl-7b": 16_584_333_312,
    "qwen3-vl-4b": 8_875_631_616,
    "qwen3-vl-8b": 17_534_247_392,
}


@pytest.fixture(scope="module")
def models():
    return {name: skeleton(load_recipe(name).architecture) for name in PUBLISHED}


def plan_of(name, models, **changes):
    recipe = load_recipe(name)
    return make_plan(dataclasses.replace(recipe.train, **changes), models[name], recipe.processor, recipe.hardware)


def test_there_is_one_for_each_model():
    assert recipe_names() == sorted(PUBLISHED)


@pytest.mark.parametrize("name", PUBLISHED)
def test_it_has_the_parameters_of_the_published_model_and_fits_its_gpu(name, models):
    plan = plan_of(name, models)
    assert 2 * plan.sizes.total == PUBLISHED[name]
    assert plan.problems == [] and 0 < total(plan.memory) < 79
    parts = {part.name: part.value for part in plan.memory}
    assert parts["weights"] == pytest.approx(PUBLISHED[name] / 2**30)
    assert parts["trained part"] == pytest.approx(16 * plan.sizes.adapter / 2**30)
    assert 1 < total(plan.time) < 3600


def test_four_bits_take_a_quarter(models):
    train = load_recipe("qwen3-vl-8b").train
    plan = plan_of("qwen3-vl-8b", models, model=dataclasses.replace(train.model, quantize="nf4"))
    weights = next(part.value for part in plan.memory if part.name == "weights") * 2**30
    others = plan.sizes.total - plan.sizes.decoder
    assert weights == pytest.approx(plan.sizes.decoder * 4.127 / 8 + 2 * others, rel=1e-3)


def parts_of(parts):
    return {part.name: part.value for part in parts}


def test_a_copy_for_the_kl_divergence_takes_memory_and_disk(models):
    train = load_recipe("qwen3-vl-4b").train
    kl = dataclasses.replace(train.learner, loss=dataclasses.replace(train.learner.loss, kl=0.1))
    for adapter, start, number in ((AdapterConfig(train="full"), None, 2), (AdapterConfig(), Path("warm"), 4), (AdapterConfig(), None, 0)):
        changes = {"adapter": adapter, "model": dataclasses.replace(train.model, adapter=start)}
        without, plan = plan_of("qwen3-vl-4b", models, **changes), plan_of("qwen3-vl-4b", models, learner=kl, **changes)
        copy = number * plan.sizes.adapter / 2**30
        assert parts_of(plan.memory).get("reference", 0.0) == pytest.approx(copy)
        assert total(plan.memory) - total(without.memory) == pytest.approx(copy)
        kept = train.keep + 2
        assert total(plan.disk) - total(without.disk) == pytest.approx(kept * copy)


EMBEDDED = {"engine": EngineConfig(), "mode": "sync"}


def test_prompts_that_are_held_are_read_once_and_others_again(models):
    """A small step, whose keys and values the embedded engine can hold, and one that is too large; a server with room, and one without."""
    train = load_recipe("qwen2.5-vl-3b").train
    few = dataclasses.replace(train.policy, max_turns=3)
    small = plan_of("qwen2.5-vl-3b", models, **EMBEDDED, policy=few, groups=1, group_size=4).tokens
    step = small.image + 12 + small.answer
    assert (small.again, small.read) == (0, small.first + 4 * 2 * step)
    large = plan_of("qwen2.5-vl-3b", models, **EMBEDDED, policy=few).tokens
    assert (large.again, large.read) == (2, 8 * large.first + 64 * ((large.first + step) + (large.first + 2 * step)))
    assert large.context == pytest.approx(large.first + step)
    own = plan_of("qwen2.5-vl-7b", models, groups=2).tokens
    assert own.again == 0 and own.read == 2 * own.first + 16 * 11 * step
    assert plan_of("qwen2.5-vl-7b", models, groups=32).tokens.again > 0


@pytest.mark.parametrize(
    ("history", "n", "turns"), [("append", 4, 9), ("last_n", 3, 3), ("last_n", 1, 4), ("last_n", 3, 8), ("block", 4, 9), ("block", 5, 12)]
)
def test_rows_are_those_that_the_prompts_of_an_episode_make(models, vlm, frames, history, n, turns):
    from agents.config import PolicyConfig
    from agents.preflight import prompt_builder

    policy = PolicyConfig(history=history, n=n, max_turns=turns)
    plan = plan_of("qwen2.5-vl-7b", models, groups=1, policy=policy, env=EnvConfig(width=160, height=128))
    builder = prompt_builder(vlm("idefics3")[1], policy, (56, 56))
    answer = builder.completion_ids("DONE")
    prompts = [builder.start("Do it.", frames(1)[0], (56, 56))]
    for i in range(1, turns):
        prompts.append(builder.extend(prompts[-1], answer, "stop", frames(1, seed=i)[0]))
    forks = sum(later.images[: len(earlier.images)] != earlier.images for earlier, later in zip(prompts, prompts[1:], strict=False))
    assert (plan.tokens.rows, plan.tokens.again) == (1 + forks, forks)
    screens = [len(prompt.images) for prompt in prompts]
    step = plan.tokens.image + 12 + plan.tokens.answer
    assert plan.tokens.context == pytest.approx(plan.tokens.first + (sum(screens) / turns - 1) * step)


def test_each_sampled_token_reads_the_weights_and_all_that_is_before_it(models):
    recipe = load_recipe("qwen3-vl-8b")
    bandwidth = recipe.hardware.mbu * recipe.hardware.bandwidth * 1e9
    for groups, at_once in ((2, 1), (16, 3)):  # all episodes fit; they take turns
        plan = plan_of("qwen3-vl-8b", models, groups=groups)
        tokens, sizes = plan.tokens, plan.sizes
        weights = 2 * (sizes.decoder + sizes.head)  # of the embeddings one row
        before = groups * 8 * tokens.context * 2 * 36 * 8 * 128 * 2
        assert parts_of(plan.time)["sampling"] == pytest.approx(12 * tokens.answer * (at_once * weights + before) / bandwidth)


def test_a_server_of_its_own_sees_the_screens_besides_the_learner(models):
    apart, embedded = plan_of("qwen3-vl-8b", models), plan_of("qwen3-vl-8b", models, **EMBEDDED)
    assert parts_of(apart.time)["screens"] == parts_of(embedded.time)["screens"] > 0
    again = parts_of(apart.time)["learning"] - parts_of(embedded.time)["learning"]
    assert again == pytest.approx(parts_of(apart.time)["screens"])


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ([], "VLLM_ALLOW_RUNTIME_LORA_UPDATING=True vllm serve .* --port 8000 --dtype bfloat16 .*--enable-lora --max-loras 2 --max-lora-rank 32"),
        (["--adapter.train", "full"], "VLLM_SERVER_DEV_MODE=1 vllm serve (?!.*lora)"),
        (["--adapter.train", "full", "--engine.transfer", "nccl"], r"VLLM_SERVER_DEV_MODE=1 .*--weight-transfer-config '{\"backend\": \"nccl\"}'"),
        (["--engine.no-text-lora-only", "--engine.url", "http://10.0.0.2:9000"], "--host 10.0.0.2 --port 9000 .*--enable-tower-connector-lora"),
        (["--policy.history", "last_n", "--policy.n", "3"], """--limit-mm-per-prompt '{"image": 3}'"""),
    ],
)
def test_the_server_is_started_for_what_is_trained(changes, says, capsys):
    assert main(["plan", "--recipe", "qwen3-vl-4b", "--json", *changes]) in (0, 1)
    server = json.loads(capsys.readouterr().out)["server"]
    assert re.search(says, server), server


def test_lora_parameters_are_those_that_peft_adds(models):
    from peft import LoraConfig, get_peft_model

    from agents.adapters import lora_targets
    from agents.recipes.model import shrunk

    recipe = load_recipe("qwen3-vl-4b")
    small = skeleton(shrunk(recipe.architecture))
    for adapter in (AdapterConfig(rank=8), AdapterConfig(rank=4, targets="all"), AdapterConfig(rank=8, targets=r".*layers\.0\..*q_proj")):
        config = dataclasses.replace(recipe.train, adapter=adapter)
        expected = sizes_of(small, config).adapter
        model = get_peft_model(skeleton(shrunk(recipe.architecture)), LoraConfig(r=adapter.rank, target_modules=lora_targets(small, adapter)))
        assert sum(p.numel() for p in model.parameters() if p.requires_grad) == expected > 0


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"adapter": AdapterConfig(rank=1024)}, "adapter.rank is 1024: expected one that vLLM serves"),
        ({"adapter": AdapterConfig(train="full")}, "in full in bfloat16: most steps would be rounded away"),
        ({"adapter": AdapterConfig(targets="no_such_layer")}, "no LoRA adapter fits the targets"),
        ({"env": EnvConfig(width=1280, height=720, max_steps=500), "max_turns": 500}, "500 turns take up to .* more than the 262144"),
        ({"micro_tokens": 200_000}, "the learner needs .* GiB of 79 GiB memory of a NVIDIA H100 SXM 80 GB"),
        ({"adapter": AdapterConfig(rank=512), "keep": 100}, "the disk needs .* lower keep"),
    ],
)
def test_what_cannot_run_is_told_with_the_reason(models, changes, says):
    train = load_recipe("qwen3-vl-8b").train
    if "max_turns" in changes:
        changes["policy"] = dataclasses.replace(train.policy, max_turns=changes.pop("max_turns"))
    if "micro_tokens" in changes:
        changes["learner"] = dataclasses.replace(train.learner, micro_tokens=changes.pop("micro_tokens"))
    problems = plan_of("qwen3-vl-8b", models, **changes).problems
    assert any(re.search(says, problem) for problem in problems), problems


def minimal(name):
    recipe = load_recipe(name)
    return recipe, dataclasses.replace(recipe.train, env=dataclasses.replace(recipe.train.env, width=160, height=128, task="press-the-button"))


@pytest.mark.parametrize("name", ["qwen2.5-vl-3b", "qwen3-vl-4b"])  # the others, of the same two architectures, are in tests/slow
def test_a_dry_run_of_a_recipe(name, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    checked = []
    recipe, config = minimal(name)
    dry_run(config, recipe, checked.append)
    assert [text.partition(":")[0] for text in checked] == ["plan", "model", "screen", "step 1", "resume", "eval"]
    assert not list(tmp_path.iterdir())  # it leaves nothing


def test_a_dry_run_finds_a_wrong_pixel_limit():
    recipe, config = minimal("qwen3-vl-4b")
    plan_only = dataclasses.replace(recipe, processor={"min_pixels": 64 * 64, "max_pixels": 96 * 64})
    from agents.recipes import dry_run as module

    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        build = module.build_shrunk
        patch.setattr(module, "build_shrunk", lambda folder, architecture, limits: build(folder, architecture, recipe.processor))
        with pytest.raises(DryRunError, match="the recipe's processor limits are wrong"):
            dry_run(config, plan_only)


def test_by_the_command_line(capsys, tmp_path):
    assert main(["plan", "--recipe", "qwen3-vl-8b", "--groups", "4", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["parameters"] == PUBLISHED["qwen3-vl-8b"] // 2 and figures["tokens"]["image"] == 880 and figures["problems"] == []
    assert "--max-lora-rank 32" in figures["server"] and figures["seconds_per_step"] > 0
    assert main(["plan", "--recipe", "qwen3-vl-8b"]) == 0
    assert "8,767,123,696 parameters" in capsys.readouterr().out
    assert main(["plan", "--recipe", "qwen3-vl-8b", "--learner.micro-tokens", "300000"]) == 1
    assert "PROBLEM: the learner needs" in capsys.readouterr().out
    assert main(["train", "--recipe", "qwen3-vl-8b", "--dry-run", "--adapter.rank", "600"]) == 2
    assert "expected one that vLLM serves" in capsys.readouterr().err
    assert main(["train", "--model.name", "m", "--dry-run"]) == 2 and "--dry-run needs a recipe" in capsys.readouterr().err
    for argv in (["plan"], ["plan", "--json"], ["train", "--dry-run"]):
        assert main(argv) == 2 and "needs a recipe" in (told := capsys.readouterr().err) and all(name in told for name in PUBLISHED)
    with pytest.raises(SystemExit):
        main(["plan", "--help"])
    shown = capsys.readouterr().out
    assert all(name in shown for name in PUBLISHED)
    assert main(["train", "--recipe", "qwen4"]) == 2 and "expected qwen2.5-vl-3b, qwen2.5-vl-7b" in capsys.readouterr().err
    broken = tmp_path / "mine.toml"
    broken.write_text('title = "x"\n[train]\n')
    assert main(["train", "--recipe", str(broken)]) == 2 and "expected architecture, hardware" in capsys.readouterr().err
    broken.write_text("title = ")
    assert main(["train", "--recipe", str(broken)]) == 2 and "cannot be read" in capsys.readouterr().err
