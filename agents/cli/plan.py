"""``gui-agents plan``: what a run needs and how fast it can be, before it begins."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlsplit

from tyro.conf import arg

from agents.grpo.config import TrainConfig
from agents.planning import Plan as RunPlan
from agents.planning import make_plan, total
from agents.recipes.recipe import Recipe, load_recipe
from gui_gym.cli.output import print_json, print_table


@dataclass
class Plan:
    """Work out the parameters, tokens, memory and time of a recipe, with any of its settings changed. Needs neither GPU nor the model's weights.

    Args:
        config: of the run.
        recipe: qwen2.5-vl-3b, qwen2.5-vl-7b, qwen3-vl-4b, qwen3-vl-8b, or the path of a .toml file.
        json: print JSON instead of tables.
    """

    config: Annotated[TrainConfig, arg(name="")]
    recipe: str
    json: bool = False

    def run(self) -> int:
        from agents.recipes.model import skeleton

        recipe = load_recipe(self.recipe)
        plan = make_plan(self.config, skeleton(recipe.architecture), recipe.processor, recipe.hardware)
        show_plan(plan, self.config, recipe, self.json)
        return 1 if plan.problems else 0


def summary(plan: RunPlan, config: TrainConfig, recipe: Recipe) -> dict[str, Any]:
    """A plan as JSON data."""
    collect = sum(part.value for part in plan.time if part.name != "learning")
    learn = total(plan.time) - collect
    seconds = max(collect, learn) if config.mode == "async" else collect + learn
    return {
        "recipe": recipe.name, "gpu": recipe.hardware.gpu, "parameters": plan.sizes.total, "trained_parameters": plan.sizes.adapter,
        "tokens": dataclasses.asdict(plan.tokens),
        "learner_gib": total(plan.memory), "gpu_gib": recipe.hardware.gpu_gib, "disk_gib": total(plan.disk),
        "memory": _parts(plan.memory), "engine": _parts(plan.engine), "disk": _parts(plan.disk), "time": _parts(plan.time),
        "seconds_per_step": seconds, "learned_tokens_per_second": plan.tokens.update / learn, "steps_per_hour": 3600 / seconds,
        "server": server_command(config, plan, recipe), "problems": plan.problems,
    }  # fmt: skip


def _parts(parts: Any) -> dict[str, float]:
    return {part.name: part.value for part in parts}


def server_command(config: TrainConfig, plan: RunPlan, recipe: Recipe) -> str:
    """How the vLLM server of a run is started; "" for a run without."""
    if config.engine.kind != "vllm":
        return ""
    address, screens = urlsplit(config.engine.url), plan.tokens.turns if config.policy.history == "append" else config.policy.n
    if config.adapter.train == "lora":
        allowed, weights = "VLLM_ALLOW_RUNTIME_LORA_UPDATING=True", f"--enable-lora --max-loras 2 --max-lora-rank {config.adapter.rank}"
        weights += "" if config.engine.text_lora_only else " --enable-tower-connector-lora"
    else:
        allowed, weights = "VLLM_SERVER_DEV_MODE=1", """--weight-transfer-config '{"backend": "nccl"}'""" if config.engine.transfer == "nccl" else ""
    share = recipe.hardware.engine_share
    words = (
        f"{allowed} vllm serve {config.model.name} --host {address.hostname} --port {address.port or 80} --dtype {config.model.dtype}",
        f"--enable-scale-out --logprobs-mode processed_logprobs {weights}".rstrip(),
        f"""--max-model-len {plan.tokens.row} --limit-mm-per-prompt '{{"image": {screens}}}' --gpu-memory-utilization {share:g}""",
    )
    return " ".join(words)


def show_plan(plan: RunPlan, config: TrainConfig, recipe: Recipe, as_json: bool) -> None:
    """Print a plan: as tables for people, or as one JSON object."""
    figures = summary(plan, config, recipe)
    if as_json:
        print_json(figures)
        return
    print(f"{recipe.title}\n{recipe.hardware.gpu}, {config.model.name}: {plan.sizes.total:,} parameters, {plan.sizes.adapter:,} trained")
    tokens = plan.tokens
    print(
        f"{tokens.image} tokens a screen (seen as {tokens.seen[0]}x{tokens.seen[1]}), {tokens.turns} turns, {tokens.rows} row(s) of up to "
        f"{tokens.row} tokens an episode, {tokens.update:,} tokens an update\n"
    )
    groups = [("learner", plan.memory), ("server", plan.engine), ("disk", plan.disk), ("step", plan.time)]
    rows = []
    for where, parts in groups:
        rows += [{"where": where, "part": part.name, part.unit: f"{part.value:.2f}", "how": part.how} for part in parts]
        if parts:
            rows.append({"where": where, "part": "all", parts[0].unit: f"{total(parts):.2f}", "how": ""})
    print_table(rows, ("where", "part", "GiB", "s", "how"), right=("GiB", "s"))
    print(f"\n{figures['seconds_per_step']:.0f} s a step, {figures['learned_tokens_per_second']:,.0f} tokens/s learned")
    if figures["server"]:
        print(f"server: {figures['server']}")
    for problem in plan.problems:
        print(f"PROBLEM: {problem}")
