"""What a run needs and how fast it can be, worked out before it begins: tokens, memory, time. docs/recipes.md explains each formula."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.context import HINT
from agents.engines.held import HELD_BYTES
from agents.grpo.config import TrainConfig
from agents.logprobs import CHUNK
from agents.preflight import check_dtype, check_rank
from agents.prompts import SYSTEM
from agents.recipes.recipe import Hardware
from agents.sizes import Sizes, sizes_of
from gui_gym.codecs import make_codec
from gui_gym.codecs.smart_resize import smart_resize

GIB = 2**30
BYTES = {"float32": 4, "bfloat16": 2, "float16": 2, "auto": 2}
#: Bytes that autograd keeps of one decoder layer for each token, by the bytes of a number of the model: times the hidden size, the width of
#: all query heads, that of all key heads, and the inner width of the MLP. Measured with a float32 LoRA adapter on every linear layer.
LAYER_BYTES = {2: (30, 12, 8, 10), 4: (18, 12, 12, 16)}
#: Characters of English and JSON that a token of Qwen's tokenizer holds at least, in the mean.
CHARACTERS = 3
#: Bytes of a weight in 4 bits: a scale of 8 bits for 64 weights, and one of 32 for 256 scales (QLoRA, arXiv:2305.14314, section 3).
NF4 = (4 + 8 / 64 + 32 / (64 * 256)) / 8
TEMPLATE_TOKENS = 12  #: what the chat template puts around one exchange


@dataclass(frozen=True)
class Tokens:
    """What the tokens of a run add up to.

    Args:
        image: of one screen.
        seen: (width, height) in pixels of the screen as the model sees it.
        first: of the first prompt.
        turn: that one more turn adds, its answer as long as it may be.
        context: of a prompt in the mean, over the turns of an episode.
        row: of the longest row.
        rows: of an episode.
        turns: of an episode.
        answer: of an answer, in the mean.
        trained_row: of a row in the mean.
        update: of all rows of a step in the mean.
        read: prompt tokens that the engine reads in a step.
        again: turns of an episode whose prompt it reads from the beginning.
    """

    image: int
    seen: tuple[int, int]
    first: int
    turn: int
    context: float
    row: int
    rows: int
    turns: int
    answer: int
    trained_row: int
    update: int
    read: int
    again: int


def tokens_of(config: TrainConfig, processor: Mapping[str, int], sizes: Sizes, hardware: Hardware) -> Tokens:
    """Tokens of a step of ``config``, from the pixel limits of the model's image processor; text is counted at :data:`CHARACTERS` a token."""
    policy, env = config.policy, config.env
    width, height = env.screen
    limit = config.model.max_pixels
    scale = min(1.0, math.sqrt(limit / (width * height))) if limit else 1.0
    limits = {"min_pixels": processor["min_pixels"], "max_pixels": processor["max_pixels"]}
    seen = smart_resize(max(1, int(width * scale)), max(1, int(height * scale)), factor=sizes.side, **limits)
    image = seen[0] * seen[1] // sizes.side**2
    frame = f"resized:{seen[0]}x{seen[1]}" if policy.frame == "seen" else policy.frame
    system = f"{SYSTEM}\n{make_codec(policy.codec, frame).describe(env.screen)}" if policy.system is None else policy.system
    first = math.ceil(len(system) / CHARACTERS) + 100 + 2 * TEMPLATE_TOKENS + image  # 100: an instruction
    turn = image + TEMPLATE_TOKENS + policy.max_new_tokens
    answer = hardware.answer_tokens or max(1, policy.max_new_tokens // 2)
    turns = min((n for n in (policy.max_turns, env.max_steps) if n is not None), default=10)
    held = turns if policy.history == "append" else min(policy.n, turns)
    dropped = max(1, policy.n // 2) if policy.history == "block" else 1
    row = first + (held - 1) * turn + policy.max_new_tokens
    mean_row = first + (held - 1) * (turn - policy.max_new_tokens + answer) + answer
    episodes, step, kept = config.groups * config.group_size, image + TEMPLATE_TOKENS + answer, held_tokens(config, sizes, hardware)
    lengths, rows, again, read, screens = [first], 1, 0, config.groups * first, 1  # a group shares its first prompt
    for _ in range(1, turns):
        forks = policy.history != "append" and screens == policy.n
        lost = forks or episodes * (lengths[-1] + answer) > kept  # what was read in the turn before
        screens += 1 - dropped * forks
        lengths.append(first + (screens - 1) * step)
        rows, again, read = rows + forks, again + lost, read + episodes * (lengths[-1] if lost else step)
    context = sum(lengths) / turns
    return Tokens(image, seen, first, turn, context, row, rows, turns, answer, mean_row, episodes * rows * mean_row, read, again)


def token_bytes(config: TrainConfig, sizes: Sizes) -> int:
    """Bytes of the keys and values of one token."""
    return sizes.cached * BYTES[config.model.dtype]


def held_tokens(config: TrainConfig, sizes: Sizes, hardware: Hardware) -> float:
    """Tokens whose keys and values the engine can keep from one turn to the next."""
    kept = _server_cache(config, sizes, hardware) if config.engine.kind == "vllm" else HELD_BYTES
    return kept / token_bytes(config, sizes)


def _server_cache(config: TrainConfig, sizes: Sizes, hardware: Hardware) -> float:
    """Bytes of a vLLM server's share of its GPU that are left for keys and values."""
    return max(
        0.0, hardware.engine_share * hardware.gpu_gib * GIB - BYTES[config.model.dtype] * sizes.total - _served_adapters(config, sizes) - 3 * GIB
    )


def _served_adapters(config: TrainConfig, sizes: Sizes) -> int:
    return 2 * 2 * sizes.adapter * (config.adapter.train == "lora")


def _reference_bytes(config: TrainConfig, sizes: Sizes) -> int:
    """What a frozen copy of the policy as RL began takes; nothing where LoRA begins from the bare model."""
    if not config.learner.loss.kl > 0 or (config.adapter.train == "lora" and config.model.adapter is None):
        return 0
    return BYTES[config.model.dtype] * sizes.total if config.adapter.train == "full" else 4 * sizes.adapter


@dataclass(frozen=True)
class Part:
    """One line of a plan: ``value`` in ``unit``, and how it comes about."""

    name: str
    value: float
    unit: str
    how: str


@dataclass(frozen=True)
class Plan:
    """What a run needs.

    Args:
        sizes: of the model.
        tokens: of a step.
        memory: of the learner's GPU, part by part, in GiB.
        engine: of the server's GPU, in GiB; empty without a server.
        disk: in GiB.
        time: of one step, in seconds.
        problems: why the run could not start, or would stop.
    """

    sizes: Sizes
    tokens: Tokens
    memory: list[Part]
    engine: list[Part]
    disk: list[Part]
    time: list[Part]
    problems: list[str]


def total(parts: Sequence[Part]) -> float:
    """What ``parts`` add up to."""
    return sum(part.value for part in parts)


def make_plan(config: TrainConfig, skeleton: Any, processor: Mapping[str, int], hardware: Hardware) -> Plan:
    """The plan of ``config`` on ``hardware``, of a model that may be without weights."""
    sizes = sizes_of(skeleton, config)
    tokens = tokens_of(config, processor, sizes, hardware)
    memory, engine = learner_memory(config, sizes, tokens, hardware), engine_memory(config, sizes, tokens, hardware)
    plan = Plan(sizes, tokens, memory, engine, disk_space(config, sizes), step_time(config, sizes, tokens, hardware), [])
    plan.problems.extend(_problems(plan, config, skeleton, hardware))
    return plan


def activation_bytes(sizes: Sizes, tokens: int, number: int, checkpointing: bool) -> float:
    """Bytes that autograd keeps of the text layers for ``tokens`` tokens in a forward pass, at ``number`` bytes a number."""
    by_hidden, by_query, by_key, by_inner = LAYER_BYTES[number]
    layer = tokens * (by_hidden * sizes.hidden + by_query * sizes.query + by_key * sizes.key + by_inner * sizes.inner)
    return sizes.layers * tokens * sizes.hidden * number + layer if checkpointing else sizes.layers * layer


def learner_memory(config: TrainConfig, sizes: Sizes, tokens: Tokens, hardware: Hardware) -> list[Part]:
    """What the learner's GPU holds at the peak of an update."""
    number, full = BYTES[config.model.dtype], config.adapter.train == "full"
    micro, again = max(config.learner.micro_tokens, tokens.row), config.learner.gradient_checkpointing
    features = _distinct_frames(config, tokens) * tokens.image * sizes.hidden * sizes.stacked * number
    per_trained = 4 * number if full else 16
    held, how = float(number * sizes.total), f"{number} bytes x {sizes.total / 1e9:.2f} G parameters"
    if config.model.quantize == "nf4":
        held = NF4 * sizes.decoder + number * (sizes.total - sizes.decoder)
        how = f"{NF4:.3f} bytes x {sizes.decoder / 1e9:.2f} G of the text layers, {number} bytes x the others"
    parts = [
        Part("weights", held, "GiB", how),
        Part(
            "trained part", per_trained * sizes.adapter - (number * sizes.total if full else 0), "GiB",
            f"{'gradient and AdamW' if full else 'float32 adapter, gradient and AdamW: 16 bytes'} x {sizes.adapter / 1e6:.1f} M parameters",
        ),
        Part(
            "activations", 1.5 * activation_bytes(sizes, micro, number, again), "GiB",
            f"1.5 x {'(one hidden state a layer + one layer whole)' if again else 'all layers whole'} x {micro} tokens",
        ),
        Part("attention mask", micro * tokens.row, "GiB", f"1 byte x {micro} x {tokens.row} tokens"),
        Part("logits", 4 * 4 * CHUNK, "GiB", "4 float32 copies of a chunk of 2^25"),
        Part(
            "image features", min(config.model.cache_mb * 2**20, features), "GiB",
            f"distinct screens of a step x {tokens.image} tokens x {sizes.stacked} vectors, at most model.cache_mb",
        ),
        Part("CUDA context", 1.0 * GIB, "GiB", "and what the allocator cannot use"),
    ]  # fmt: skip
    if reference := _reference_bytes(config, sizes):
        parts.append(Part("reference", reference, "GiB", "a frozen copy of what is trained, for the KL divergence"))
    if config.engine.kind == "transformers":
        episodes = config.groups * config.group_size
        batch, one = min(config.policy.batch_size, episodes), tokens.row * token_bytes(config, sizes)
        how = f"{batch} prompts x {tokens.row} tokens x 2 x {sizes.layers} layers x {sizes.key} numbers, and what is held of all episodes"
        parts.append(Part("KV cache", batch * one + min(HELD_BYTES, episodes * one), "GiB", how))
    elif hardware.engine == "shared":
        parts.append(Part("vLLM", hardware.engine_share * hardware.gpu_gib * GIB, "GiB", f"{hardware.engine_share:.0%} of this GPU"))
    return [Part(part.name, part.value / GIB, part.unit, part.how) for part in parts]


def engine_memory(config: TrainConfig, sizes: Sizes, tokens: Tokens, hardware: Hardware) -> list[Part]:
    """What a vLLM server needs of its share of a GPU."""
    if config.engine.kind != "vllm":
        return []
    number = BYTES[config.model.dtype]
    left, one = _server_cache(config, sizes, hardware), tokens.row * token_bytes(config, sizes)
    parts = [
        Part("weights", number * sizes.total, "GiB", f"{number} bytes x {sizes.total / 1e9:.2f} G parameters"),
        Part("adapters", _served_adapters(config, sizes), "GiB", "the one in use and the next, 2 bytes a parameter"),
        Part("activations", 3 * GIB, "GiB", "of reading prompts and screens, CUDA graphs: as vLLM measures at its start; assumed"),
        Part("KV cache", left, "GiB", f"what is left: {left / one:.1f} episodes of {tokens.row} tokens at {one / GIB:.2f} GiB"),
    ]
    return [Part(part.name, part.value / GIB, part.unit, part.how) for part in parts]


def disk_space(config: TrainConfig, sizes: Sizes) -> list[Part]:
    """What the run writes."""
    full, number = config.adapter.train == "full", BYTES[config.model.dtype]
    one = (3 * number * sizes.total if full else 12 * sizes.adapter) + _reference_bytes(config, sizes)  # weights and both moments of AdamW
    kept = config.keep + int(config.keep_best) + 1
    weights = number * sizes.total if full else 4 * sizes.adapter
    frames = config.record * (config.env.max_steps or 10) * math.prod(config.env.screen)
    parts = [
        Part(
            "checkpoints",
            kept * one,
            "GiB",
            f"{kept} (keep, the best, the one being written) x weights, AdamW's moments, a copied reference",
        ),
        Part("weights", (1 + 2 * (config.engine.kind == "vllm")) * weights, "GiB", "the result, and what the server is given"),
        Part("episodes", frames, "GiB", f"{config.record} recorded ones, a byte a pixel as PNG"),
    ]
    return [Part(part.name, part.value / GIB, part.unit, part.how) for part in parts]


def update_flops(sizes: Sizes, tokens: int, row: int, factor: int) -> float:
    """Operations of ``tokens`` tokens in rows of ``row``: 2 for each parameter of the text layers and token in a forward pass, ``factor`` in all, and
    attention, whose forward pass takes 4 x width x the tokens before (half of the row in the mean).
    """
    return factor * tokens * (sizes.decoder + sizes.adapter) + factor / 2 * 4 * sizes.layers * sizes.query * tokens * row / 2


def step_time(config: TrainConfig, sizes: Sizes, tokens: Tokens, hardware: Hardware) -> list[Part]:
    """Seconds of the phases of a step, at the shares of the GPU's speed that ``hardware`` assumes."""
    speed, episodes = hardware.mfu * hardware.tflops * 1e12, config.groups * config.group_size
    factor = (6 if config.adapter.train == "full" else 4) + 2 * config.learner.gradient_checkpointing
    once = 2 * ((config.learner.loss.kl > 0) + (config.learner.loss.tis_cap is not None and config.learner.passes * config.learner.minibatches > 1))
    screens, apart = 2 * sizes.vision * 4 * tokens.image * _distinct_frames(config, tokens), config.engine.kind == "vllm"
    learn = update_flops(sizes, tokens.update, tokens.trained_row, config.learner.passes * factor + once) + screens * apart
    fit = int(held_tokens(config, sizes, hardware) / tokens.context)
    batch = min(episodes, max(1, min(config.engine.concurrency, fit) if apart else config.policy.batch_size))
    weights = BYTES[config.model.dtype] * (sizes.decoder + (sizes.head or sizes.embedding))
    decode = tokens.turns * tokens.answer * (math.ceil(episodes / batch) * weights + episodes * tokens.context * token_bytes(config, sizes))
    each = f"{config.learner.passes} x {factor}" + (f" + {once}" if once else "")
    assumed = f"{hardware.mfu:.0%} of {hardware.tflops:g} TFLOP/s"
    return [
        Part("env", tokens.turns * hardware.env_seconds, "s", f"{tokens.turns} turns x {hardware.env_seconds} s"),
        Part("screens", screens / speed, "s", f"2 x {sizes.vision / 1e9:.2f} G x patches of the distinct screens, at {assumed}"),
        Part(
            "prompts", update_flops(sizes, tokens.read, tokens.row, 2) / speed, "s",
            f"2 x {sizes.decoder / 1e9:.2f} G x {tokens.read} prompt tokens; {tokens.again} of {tokens.turns} turns read all of theirs again",
        ),
        Part(
            "sampling", decode / (hardware.mbu * hardware.bandwidth * 1e9), "s",
            f"{tokens.turns} x {tokens.answer} tokens, each of which reads the weights ({batch} episodes at once) and keys and values of "
            f"{tokens.context:.0f} tokens an episode at {hardware.mbu:.0%} of {hardware.bandwidth:g} GB/s",
        ),
        Part(
            "learning", learn / speed, "s",
            f"({each}) x ({sizes.decoder / 1e9:.2f} G + attention) x {tokens.update} tokens{', and screens again' if apart else ''}, at {assumed}",
        ),
    ]  # fmt: skip


def _distinct_frames(config: TrainConfig, tokens: Tokens) -> int:
    return config.groups * (1 + config.group_size * (tokens.turns - 1))  # a group shares its first screen


def _problems(plan: Plan, config: TrainConfig, skeleton: Any, hardware: Hardware) -> list[str]:
    tokens, sizes, found = plan.tokens, plan.sizes, []
    try:
        check_dtype(config.model.dtype, config.adapter)
    except ValueError as error:
        found.append(str(error))
    if config.adapter.train == "lora":
        try:
            check_rank(skeleton, config.adapter, served=config.engine.kind == "vllm")
        except ValueError as error:
            found.append(str(error))
    if tokens.first + config.policy.max_new_tokens > sizes.max_length:
        found.append(f"the first prompt and an answer take {tokens.first + config.policy.max_new_tokens} ids of {sizes.max_length}: {HINT}")
    elif tokens.row > sizes.max_length:
        found.append(f"{tokens.turns} turns take up to {tokens.row} ids, more than the {sizes.max_length} that the model can hold: {HINT}")
    for name, parts, limit in (("learner", plan.memory, hardware.gpu_gib), ("disk", plan.disk, hardware.disk_gib)):
        need = total(parts)
        if need > limit:
            most = max(parts, key=lambda part: part.value)
            what = "disk" if name == "disk" else f"memory of a {hardware.gpu}"
            hint = (
                "lower keep"
                if name == "disk"
                else "lower learner.micro_tokens or model.max_pixels, set learner.gradient_checkpointing, or give the engine a GPU of its own"
            )
            found.append(f"the {name} needs {need:.1f} GiB of {limit:g} GiB {what}, {most.value:.1f} of them for {most.name}: {hint}")
    if plan.engine:
        share = hardware.engine_share * hardware.gpu_gib
        cache = next(part.value for part in plan.engine if part.name == "KV cache")
        one = tokens.row * token_bytes(config, sizes) / GIB
        if cache < one:
            found.append(
                f"vLLM's share of {share:.1f} GiB leaves {cache:.1f} GiB for the KV cache, one episode needs {one:.1f}: raise hardware.engine_share, "
                "or give it a GPU of its own"
            )
    return found
