"""``make gpu-check``: does the learner work on this GPU, how fast, in how much memory, and does it compute what the CPU computes?

Nothing is downloaded: a model of Qwen2.5-VL's architecture with random weights is built from its config, it plays on the embedded desktop, and
:class:`~agents.grpo.learner.GrpoLearner` learns from these episodes. ``--device cpu --scale tiny`` runs the same script anywhere in seconds.
"""

from __future__ import annotations

import gc
import json
import platform
import tempfile
import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from transformers import AutoConfig, AutoModelForImageTextToText
from transformers.utils import logging

from agents.adapters import AdapterConfig, Trainable
from agents.engines.transformers_engine import TransformersEngine
from agents.grpo.learner import GrpoLearner, LearnerConfig
from agents.logprobs import collate, trained_logprobs
from agents.models import ModelError, load_model, load_processor
from agents.prompts import PromptBuilder
from agents.rollout import Policy, collect
from agents.rows import Row, rows_from_episode
from agents.tiny_vlm import KINDS, build_tiny_vlm
from agents.vision import VisionInputs
from gui_gym.codecs import make_codec
from wrappers.groups import GroupVectorEnv

#: Dense bfloat16 operations a second of GPUs, in units of 1e12, from their makers' data sheets; by a part of their names.
PEAKS = {"B200": 2250, "H200": 989, "H100": 989, "A100": 312, "L40S": 362, "A10G": 70, "L4": 121, "4090": 165, "3090": 71}


@dataclass(frozen=True)
class Scale:
    """A size of the check: of the model (``layers`` of ``hidden``, ``vision_layers`` of the vision tower), of episodes, and of updates."""

    hidden: int
    layers: int
    heads: int
    intermediate: int
    vocabulary: int
    vision_hidden: int
    vision_layers: int
    screen: tuple[int, int]
    groups: int
    group_size: int
    turns: int
    new_tokens: int
    micro_tokens: tuple[int, ...]
    kinds: tuple[str, ...]


SCALES = {
    "1b": Scale(1536, 18, 12, 8960, 32768, 1280, 8, (1280, 720), 4, 8, 4, 32, (8192, 16384, 32768), KINDS),
    "tiny": Scale(64, 1, 4, 128, 2048, 64, 1, (112, 112), 1, 3, 2, 4, (512,), ("qwen2_5_vl",)),
}


@dataclass(frozen=True)
class GpuCheck:
    """Check the learner on a GPU: exactness against the CPU, tokens a second, memory, for a vision-language model of about 1 B random weights.

    Args:
        device: "cuda", or "cpu" for a dry run.
        scale: "1b", or "tiny" for a dry run.
        out: folder of check.json and check.md.
        minutes: no measurement begins after this many minutes.
        seed: of weights, tasks and sampling.
    """

    device: str = "cuda"
    scale: Literal["1b", "tiny"] = "1b"
    out: Path = Path("runs/gpu-check")
    minutes: float = 6.0
    seed: int = 0

    def run(self) -> dict[str, Any]:
        """Do it; returns what check.json says. ModelError where there is no such device."""
        if self.device.startswith("cuda") and not torch.cuda.is_available():
            raise ModelError(
                f"torch {torch.__version__} sees no GPU: expected its CUDA build in this environment, or --device cpu --scale tiny for a dry run"
            )
        logging.disable_progress_bar()
        began, scale = time.perf_counter(), SCALES[self.scale]
        # the CPU's thread and image processing are the same on every machine, and torch's fp32 is fp32: no TF32
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        with tempfile.TemporaryDirectory() as folder:
            found: dict[str, Any] = {"device": device_name(self.device), "torch": torch.__version__, "scale": self.scale, **asdict(scale)}
            say(f"{found['device']}, torch {found['torch']}")
            found["engine_learner"] = {kind: engine_against_learner(Path(folder) / kind, kind, self.device, self.seed) for kind in scale.kinds}
            say(f"engine and learner in float32, largest difference in nats: {found['engine_learner']}")
            model, vision = build(Path(folder) / "model", scale, self.device, self.seed)
            found |= {"parameters": count(model), "parameters_text": count(model.get_decoder()) - count(model.get_input_embeddings())}
            say(f"{found['parameters'] / 1e6:.0f} M parameters in bfloat16")
            rows, played = play(model, vision, scale, self.seed)
            found |= played
            say(f"{found['rows']} rows of {found['tokens_row']:.0f} tokens and {found['images_row']:.1f} images in {found['time_rollout']:.1f} s")
            found |= against_cpu(model, vision, rows)
            say(f"bfloat16 here and float32 on the CPU differ by {found['cpu_mean']:.3g} nats in the mean, {found['cpu_max']:.3g} at most")
            found["updates"] = []
            for micro_tokens in scale.micro_tokens:
                if time.perf_counter() - began > 60 * self.minutes:
                    say(f"micro_tokens {micro_tokens} and more left out: {self.minutes:g} minutes have passed")
                    break
                found["updates"].append(learn(model, vision, rows, micro_tokens, self.device, found))
                say(json.dumps(found["updates"][-1]))
        found["seconds"] = time.perf_counter() - began
        self.out.mkdir(parents=True, exist_ok=True)
        (self.out / "check.json").write_text(json.dumps(found, indent=2) + "\n")
        (self.out / "check.md").write_text(markdown(found))
        say(f"{found['seconds']:.0f} s; see {self.out / 'check.md'}")
        return found


def say(text: str) -> None:
    print(text, flush=True)


def device_name(device: str) -> str:
    return torch.cuda.get_device_name(device) if device.startswith("cuda") else f"{platform.machine()} CPU, {torch.get_num_threads()} threads"


def count(model: torch.nn.Module) -> int:
    return sum(p.numel() for p in model.parameters())


def build(folder: Path, scale: Scale, device: str, seed: int) -> tuple[Any, VisionInputs]:
    """A model of Qwen2.5-VL's architecture with random bfloat16 weights, and its processor; the tokenizer is that of the tiny models."""
    build_tiny_vlm(folder, kind="qwen2_5_vl", image_size=1344, seed=seed)
    processor = load_processor(folder)
    config = AutoConfig.from_pretrained(folder)
    text, vision = config.text_config, config.vision_config
    text.hidden_size, text.num_hidden_layers, text.intermediate_size = scale.hidden, scale.layers, scale.intermediate
    text.num_attention_heads, text.num_key_value_heads = scale.heads, max(1, scale.heads // 6)
    text.layer_types = None if text.layer_types is None else text.layer_types[:1] * scale.layers
    text.vocab_size = max(scale.vocabulary, len(processor.tokenizer))
    text.max_position_embeddings = 32768
    half = scale.hidden // scale.heads // 2
    text.rope_parameters["mrope_section"] = [half - 2 * (3 * half // 8), 3 * half // 8, 3 * half // 8]
    vision.hidden_size, vision.depth, vision.intermediate_size = scale.vision_hidden, scale.vision_layers, 4 * scale.vision_hidden
    vision.num_heads, vision.out_hidden_size = max(1, scale.vision_hidden // 80), scale.hidden
    vision.fullatt_block_indexes = [scale.vision_layers - 1]
    torch.manual_seed(seed)
    with torch.device(device):
        model: Any = AutoModelForImageTextToText.from_config(config, dtype=torch.bfloat16)
    model.generation_config.eos_token_id, model.generation_config.pad_token_id = processor.tokenizer.eos_token_id, processor.tokenizer.pad_token_id
    model.eval()
    return model, VisionInputs(processor, model)


def policy(model: Any, vision: VisionInputs, new_tokens: int) -> Policy:
    return Policy(PromptBuilder(vision, make_codec("dsl"), system=""), TransformersEngine(model, vision), vision.sampling(1.0, new_tokens))


def play(model: Any, vision: VisionInputs, scale: Scale, seed: int) -> tuple[list[Row], dict[str, float]]:
    """Rows of episodes that the model sampled on the embedded desktop, with random advantages: one row an episode."""
    rng, (width, height) = np.random.default_rng(seed), scale.screen
    rows: list[Row] = []
    envs = GroupVectorEnv(scale.groups, scale.group_size, width=width, height=height, max_steps=scale.turns)
    began = time.perf_counter()
    try:
        groups = collect(policy(model, vision, scale.new_tokens), envs, seed=seed, max_turns=scale.turns)
    finally:
        envs.close()
    took = time.perf_counter() - began
    for i, episode in enumerate(episode for group in groups for episode in group.episodes):
        rows += rows_from_episode(replace(episode, reward=0.0), vision, i, [float(rng.normal()) for _ in episode.turns])
    sampled = sum(sum(row.mask) for row in rows)
    tokens, images = (sum(map(len, each)) / len(rows) for each in ([row.ids for row in rows], [row.images for row in rows]))
    figures = {"rows": len(rows), "tokens_row": tokens, "images_row": images, "time_rollout": took, "sampled_tokens_s": sampled / took}
    return rows, figures


def logprobs(model: Any, vision: VisionInputs, rows: Sequence[Row]) -> torch.Tensor:
    with torch.no_grad():
        return trained_logprobs(model, collate(rows, vision, vision.tokens.pad, model.device))[0].cpu()


def engine_against_learner(folder: Path, kind: str, device: str, seed: int) -> float:
    """The largest difference, in nats, of engine and learner in float32 on a tiny model of a family: two turns, a picture each, padded rows."""
    build_tiny_vlm(folder, kind=kind, image_size=56, hidden=32, layers=2, seed=seed)
    model, processor = load_model(folder, device=device)
    vision = VisionInputs(processor, model)
    small = replace(SCALES["tiny"], turns=2, new_tokens=6)
    rows, _ = play(model, vision, small, seed)
    behaviour = collate(rows, vision, vision.tokens.pad).behaviour
    return float((logprobs(model, vision, rows) - behaviour).abs().max())


def against_cpu(model: Any, vision: VisionInputs, rows: Sequence[Row]) -> dict[str, float]:
    """How far bfloat16 on the device is from float32 on the CPU, in nats, on the shortest row."""
    row = min(rows, key=lambda row: len(row.ids))
    exact: Any = AutoModelForImageTextToText.from_config(model.config, dtype=torch.float32).eval()
    exact.load_state_dict(model.state_dict())
    gap = (logprobs(model, vision, [row]) - logprobs(exact, VisionInputs(vision.processor, exact), [row])).abs()
    return {"cpu_tokens": float(len(gap)), "cpu_mean": float(gap.mean()), "cpu_max": float(gap.max())}


def learn(model: Any, vision: VisionInputs, rows: Sequence[Row], micro_tokens: int, device: str, found: dict[str, Any]) -> dict[str, float]:
    """One GRPO update that warms up and one that is measured, with LoRA and gradient checkpointing; the model is left as it was."""
    trainable = Trainable(model, AdapterConfig(rank=16))
    config = LearnerConfig(passes=1, micro_tokens=micro_tokens, gradient_checkpointing=True)
    learner = GrpoLearner(trainable, vision, vision.tokens.pad, config, total_steps=10)
    with warnings.catch_warnings():  # the same rows twice: the second time they are off-policy, and nobody minds
        warnings.simplefilter("ignore")
        first = learner.update(rows)
        learner.timings.take()
        if device.startswith("cuda"):
            torch.cuda.synchronize()
            torch.cuda.reset_peak_memory_stats()
        began = time.perf_counter()
        learner.update(rows)
    if device.startswith("cuda"):
        torch.cuda.synchronize()
    took = time.perf_counter() - began
    tokens = sum(len(row.ids) for row in rows)
    operations = update_operations(found["parameters_text"], [len(row.ids) for row in rows], found["hidden"], found["layers"])
    peak = next((peak for name, peak in PEAKS.items() if name in found["device"]), None)
    memory = torch.cuda.max_memory_allocated() / 2**30 if device.startswith("cuda") else 0.0
    trainable.model.unload()
    gc.collect()
    result = {
        "micro_tokens": learner.micro_tokens, "seconds": took, "tokens_s": tokens / took, "peak_gib": memory, "ratio_max": first["ratio_max"],
        "grad_norm": first["grad_norm"], "tera_operations_s": operations / took / 1e12,
    }  # fmt: skip
    result |= learner.timings.take()
    return result | ({"mfu": operations / took / (peak * 1e12)} if peak else {})


def update_operations(parameters: int, lengths: Sequence[int], hidden: int, layers: int) -> float:
    """Operations that one update of a LoRA adapter needs: 4 for each weight and token (forward, and backward to what the layer was given; frozen
    weights get no gradient of their own), and for attention 4 x 3 x layers x hidden for each pair of a token and one before it (PaLM,
    arXiv:2204.02311, appendix B). What gradient checkpointing computes again is not counted, nor is the vision tower.
    """
    return sum(4.0 * parameters * n + 12.0 * layers * hidden * n * n / 2 for n in lengths)


def markdown(found: dict[str, Any]) -> str:
    """A section for docs/results.md."""
    width, height = found["screen"]
    exact = ", ".join(f"{kind} {gap:.1e}" for kind, gap in found["engine_learner"].items())
    lines = [
        f"{found['device']}, torch {found['torch']}: a model of Qwen2.5-VL's architecture with {found['parameters'] / 1e6:.0f} M random weights in "
        f"bfloat16, {found['rows']:.0f} episodes of {found['turns']} turns at {width}x{height} ({found['tokens_row']:.0f} tokens and "
        f"{found['images_row']:.1f} pictures each), LoRA rank 16, gradient checkpointing; "
        f"the features of the pictures are those of the rollout, not computed again. {found['seconds']:.0f} s in all.",
        "",
        f"- Engine and learner in float32 on the device, largest difference in nats: {exact}.",
        f"- bfloat16 on the device against float32 on the CPU, {found['cpu_tokens']:.0f} tokens: {found['cpu_mean']:.2g} nats in the mean, "
        f"{found['cpu_max']:.2g} at most.",
        f"- Rollout with the embedded engine: {found['sampled_tokens_s']:.0f} sampled tokens/s.",
        "",
        "| micro_tokens | update, s | tokens/s | peak memory, GiB | forward, s | backward, s | first ratio, max | MFU |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for each in found["updates"]:
        mfu = f"{each['mfu']:.1%}" if "mfu" in each else "-"
        phases = " | ".join(f"{each.get(f'time_{phase}', float('nan')):.2f}" for phase in ("forward", "backward"))
        lines.append(
            f"| {each['micro_tokens']} | {each['seconds']:.2f} | {each['tokens_s']:.0f} | {each['peak_gib']:.1f} | {phases} "
            f"| {each['ratio_max']:.4f} | {mfu} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    import tyro

    try:
        tyro.cli(GpuCheck).run()
    except ModelError as error:
        raise SystemExit(f"gpu-check: {error}") from None


if __name__ == "__main__":
    main()
