"""Ready recipes: they load, their arithmetic is that of the published models, and each can be tried out."""

import dataclasses
import json
import re
import warnings

import pytest

from agents.adapters import AdapterConfig
from agents.cli import main
from agents.config import EngineConfig, EnvConfig
from agents.planning import make_plan, sizes_of, total
from agents.recipes.dry_run import DryRunError, dry_run
from agents.recipes.model import skeleton
from agents.recipes.recipe import load_recipe, recipe_names

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


def test_the_embedded_engine_reads_prompts_again_where_its_cache_is_too_large(models):
    """As :class:`~agents.engines.held.HeldPrefixes` does: 1 GiB for the keys and values of all episodes."""
    recipe = load_recipe("qwen3-vl-4b")
    reads = []
    for groups in (1, recipe.train.groups):
        plan = plan_of("qwen3-vl-4b", models, engine=EngineConfig(), groups=groups, group_size=2, env=EnvConfig(width=320, height=180, max_steps=4))
        cache = next(part.value for part in plan.memory if part.name == "KV cache")
        assert plan.tokens.again is (cache > 1) and (cache > 1) is (groups > 1)
        reads.append(plan.tokens.read / groups)
        how = next(part.how for part in plan.time if part.name == "prompts")
        assert ("all of them again" in how) is plan.tokens.again
    assert reads[0] == 2 * plan.tokens.trained_row < reads[1]


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
    assert main(["train", "--recipe", "qwen4"]) == 2 and "expected qwen2.5-vl-3b, qwen2.5-vl-7b" in capsys.readouterr().err
    broken = tmp_path / "mine.toml"
    broken.write_text('title = "x"\n[train]\n')
    assert main(["train", "--recipe", str(broken)]) == 2 and "expected architecture, hardware" in capsys.readouterr().err
    broken.write_text("title = ")
    assert main(["train", "--recipe", str(broken)]) == 2 and "cannot be read" in capsys.readouterr().err
