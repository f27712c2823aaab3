"""What every command shares: which model, in which env, prompted and sampled how."""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import urlsplit

import gymnasium as gym

from wrappers.groups import GroupVectorEnv

if TYPE_CHECKING:
    from agents.prompts import PromptBuilder
    from agents.rollout import Policy
    from agents.vision import VisionInputs

C = TypeVar("C")


@dataclass(frozen=True)
class EnvConfig:
    """Where episodes run.

    Args:
        id: id of the env, such as GuiDesktop-v0.
        suite: suite of tasks; None is the id's own.
        task: one task or family of the suite; None draws from all.
        desktop: kind of desktop; None is the suite's own.
        width: screen width in pixels; None is the id's own.
        height: screen height in pixels; None is the id's own.
        max_steps: steps after which an episode is cut; None is each task's own limit.
        max_seconds: wall-clock seconds after which an episode on a real desktop is cut; None is no limit.
        difficulty: easy, medium, hard or mixed, for suites whose tasks are graded; None is the suite's usual one.
        infeasible_rate: how often a task that cannot be done is drawn, 0 to 1.
        auto_verify: end an episode as soon as its task is solved, without waiting for the policy to say so.
        progress: tell at the end of an episode how much of its task was done, which the reward "milestones" needs.
        tasks: folder of task files, for suites that read them.
        workers: "batched" runs all desktops in this process (real ones in threads), "async" each in a process of its own.
    """

    id: str = "GuiDesktop-v0"
    suite: str | None = None
    task: str | None = None
    desktop: str | None = None
    width: int | None = None
    height: int | None = None
    max_steps: int | None = None
    max_seconds: float | None = None
    difficulty: str | None = None
    infeasible_rate: float = 0.0
    auto_verify: bool = False
    progress: bool = False
    tasks: str | None = None
    workers: Literal["batched", "async"] = "batched"

    @property
    def screen(self) -> tuple[int, int]:
        """``(width, height)`` of the screen in pixels."""
        defaults = {"width": 1280, "height": 720, **gym.spec(self.id).kwargs, **self.kwargs("train")}
        return defaults["width"], defaults["height"]

    def check(self) -> None:
        """Make the env once, without starting an episode. ValueError, LookupError or DesktopError for one that cannot be."""
        if self.workers not in ("batched", "async"):
            raise ValueError(f"workers is {self.workers!r}: expected 'batched' or 'async'")
        try:
            GroupVectorEnv(1, 1, self.id, **self.kwargs("train")).close()
        except gym.error.Error as error:
            raise ValueError(f"env.id: {error}") from error

    def kwargs(self, split: str) -> dict[str, Any]:
        """Arguments of the env itself, those left None omitted."""
        given = {name: value for name, value in dataclasses.asdict(self).items() if name not in ("id", "workers") and value is not None}
        return {**given, "split": split}

    def group_kwargs(self, split: str) -> dict[str, Any]:
        """Arguments of :class:`~wrappers.groups.GroupVectorEnv` besides its numbers."""
        return {"id": self.id, "vectorization_mode": None if self.workers == "batched" else "async", **self.kwargs(split)}


@dataclass(frozen=True)
class ModelConfig:
    """The vision-language model.

    Args:
        name: folder or hub name of what AutoModelForImageTextToText loads.
        adapter: folder of a LoRA adapter, or of a checkpoint that holds one; None is the bare model.
        dtype: "float32", "bfloat16", "float16" or "auto" (as saved). An adapter is trained in float32, beside a model in float32 or bfloat16; all
            of a model only in float32, for in half precision most steps would be rounded away.
        device: "cpu", "cuda" or the like.
        quantize: "nf4" holds the linear layers of the text tower in 4 bits (QLoRA), with bitsandbytes; for adapters only.
        max_pixels: screens with a larger area (width x height) are scaled down to it before the model sees them; None is the processor's own limit.
        cache_mb: memory that screens prepared for the model may take so that none is prepared twice, in MiB.
        threads: CPU threads torch uses; None is torch's own choice.
    """

    name: str
    adapter: Path | None = None
    dtype: str = "float32"
    device: str = "cpu"
    quantize: Literal["none", "nf4"] = "none"
    max_pixels: int | None = None
    cache_mb: int = 1024
    threads: int | None = None

    def __post_init__(self) -> None:
        if self.quantize not in ("none", "nf4"):
            raise ValueError(
                f"model.quantize is {self.quantize!r}: expected 'none' or 'nf4'; in 8 bits what a row gives depends on the others of its batch, "
                "so that learner and engine would differ"
            )
        if self.cache_mb < 0 or (self.threads is not None and self.threads < 1):
            raise ValueError(f"cache_mb {self.cache_mb}, threads {self.threads}: expected 0 or more MiB, and at least 1 thread or None")


@dataclass(frozen=True)
class PolicyConfig:
    """How the model is prompted and sampled.

    Args:
        codec: the format actions are written in: "dsl", "json", "qwen" (the tool calls Qwen-VL speaks natively: with frame "seen" for Qwen2.5-VL,
            "thousand" for Qwen3-VL), or OSWorld's "pyautogui" and "computer_13".
        frame: the numbers points are written in: "pixels", "seen" (pixels of the picture as the model sees it), "unit" (0 to 1), "thousand"
            (0 to 1000), "grid:N" (N x N cells) or "resized:WxH".
        system: the system message; None is a general one with the codec's description, "" is none.
        history: screens a prompt holds: "append" (all), "last_n", or "block" (all until there are n, then several go at once).
        n: most screens of a prompt under "last_n" and "block".
        temperature: of sampling; 1 is the model's own distribution.
        max_new_tokens: most tokens of one answer; a longer one is cut and cannot be read.
        max_turns: most answers of an episode; None is the env's step limit.
        batch_size: prompts the engine answers at once; bounds memory and changes no result.
    """

    codec: str = "dsl"
    frame: str = "thousand"
    system: str | None = None
    history: Literal["append", "last_n", "block"] = "append"
    n: int = 4
    temperature: float = 1.0
    max_new_tokens: int = 64
    max_turns: int | None = None
    batch_size: int = 64

    def __post_init__(self) -> None:
        for name in ("n", "max_new_tokens", "max_turns", "batch_size"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"policy.{name} is {value}: expected at least 1")
        if not (math.isfinite(self.temperature) and self.temperature >= 0):
            raise ValueError(f"policy.temperature is {self.temperature}: expected a finite number, 0 (greedy) or more")


@dataclass(frozen=True)
class EngineConfig:
    """What samples: the learner's own model, or a vLLM server (0.32 or newer), which docs/vllm.md says how to start.

    Args:
        kind: "transformers" samples from the model as it is loaded here; "vllm" asks a server, which holds a copy of it.
        url: address of the server, such as http://127.0.0.1:8000.
        model: name the server serves the model by; "" is the first it lists.
        token: environment variable that holds the server's API key; none is sent where it is not set.
        token_file: file that holds it instead.
        concurrency: requests in flight at once.
        timeout: seconds that one request may take.
        attempts: tries of a request that gets no answer.
        patience: seconds to wait for a server that is not there before the run stops.
        tolerance: largest mean difference (nats) of the log-probs of server and learner in the checks at the start and after each update.
        text_lora_only: refuse LoRA adapters of vision tower and output layer, which a server ignores unless it was started with
            --enable-tower-connector-lora. False sends them, and the check after each update tells whether they act.
        transfer: how weights reach the server when all of them are trained: "disk" has it read the folder they were saved to, "nccl" broadcasts them
            from GPU to GPU (with vLLM installed here too).
    """

    kind: Literal["transformers", "vllm"] = "transformers"
    url: str = ""
    model: str = ""
    token: str = "VLLM_API_KEY"
    token_file: Path | None = None
    concurrency: int = 64
    timeout: float = 600.0
    attempts: int = 4
    patience: float = 300.0
    tolerance: float = 0.25
    text_lora_only: bool = True
    transfer: Literal["disk", "nccl"] = "disk"

    def __post_init__(self) -> None:
        for name, expected in (("kind", ("transformers", "vllm")), ("transfer", ("disk", "nccl"))):
            if getattr(self, name) not in expected:
                raise ValueError(f"engine.{name} is {getattr(self, name)!r}: expected {' or '.join(map(repr, expected))}")
        if (self.kind == "vllm") != bool(self.url):
            wanted = "only kind 'vllm' asks a server" if self.url else "expected the server's address, such as http://127.0.0.1:8000"
            raise ValueError(f"engine.kind is {self.kind!r} and engine.url {self.url!r}: {wanted}")
        parts = urlsplit(self.url)
        if self.url and (parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.username is not None):
            raise ValueError("engine.url: expected an address such as http://127.0.0.1:8000; an API key goes into the variable engine.token names")
        for name in ("timeout", "patience", "tolerance"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) > 0):
                raise ValueError(f"engine.{name} is {getattr(self, name)}: expected a finite number above 0")
        if self.concurrency < 1 or self.attempts < 1:
            raise ValueError(f"engine.concurrency {self.concurrency}, engine.attempts {self.attempts}: expected at least 1 each")


@dataclass(eq=False)
class Agent:
    """A loaded model and what surrounds it. ``trainable`` is its trained part, or None; ``engine`` None samples from the model itself."""

    model: Any
    processor: Any
    vision: VisionInputs
    prompts: PromptBuilder
    config: PolicyConfig
    trainable: Any = field(default=None)
    engine: Any = field(default=None)

    def policy(self, temperature: float | None = None) -> Policy:
        """The policy, sampled at ``temperature`` (None: as configured; 0: greedy). All policies of an agent share one engine."""
        from agents.rollout import Policy

        wanted = self.config.temperature if temperature is None else temperature
        return Policy(self.prompts, self.engine, self.vision.sampling(wanted, self.config.max_new_tokens))

    def __post_init__(self) -> None:
        from agents.engines.transformers_engine import TransformersEngine

        if self.engine is None:
            self.engine = TransformersEngine(self.model, self.vision, batch_size=self.config.batch_size)


@dataclass(eq=False)
class Loaded:
    """A model, what prepares its inputs, and its trained part, or None. ``weights`` is the folder of those it began from."""

    model: Any
    processor: Any
    vision: VisionInputs
    trainable: Any
    weights: Path | None


def load_trainable(model: ModelConfig, adapter: Any = None, resume: Path | None = None) -> Loaded:
    """Load a model and its trained part; arguments and errors are those of :func:`load_agent`."""
    import torch

    from agents.adapters import Trainable, attach, weights_folder
    from agents.models import load_model
    from agents.vision import VisionInputs

    weights = weights_folder(model.adapter) if model.adapter is not None else None
    if model.threads is not None:
        torch.set_num_threads(model.threads)
    loaded, processor = load_model(model.name, dtype=model.dtype, device=model.device, quantize=model.quantize)
    vision = VisionInputs(processor, loaded, max_pixels=model.max_pixels, cache_bytes=model.cache_mb * 2**20)
    trainable = None
    if adapter is not None:
        trainable = Trainable(loaded, adapter, weights, resume)
        loaded = trainable.model
    elif weights is not None:
        loaded = attach(loaded, weights)
    return Loaded(loaded, processor, vision, trainable, weights)


def load_inputs(model: ModelConfig) -> Loaded:
    """What :func:`load_trainable` loads, but a model without weights: for who acts by a server, which has them."""
    from agents.adapters import weights_folder
    from agents.models import load_processor
    from agents.preflight import without_weights
    from agents.vision import VisionInputs

    skeleton, processor = without_weights(model.name), load_processor(model.name)
    vision = VisionInputs(processor, skeleton, max_pixels=model.max_pixels, cache_bytes=model.cache_mb * 2**20)
    return Loaded(skeleton, processor, vision, None, weights_folder(model.adapter) if model.adapter is not None else None)


def load_agent(
    model: ModelConfig,
    policy: PolicyConfig,
    env: EnvConfig,
    adapter: Any = None,
    resume: Path | None = None,
    engine: EngineConfig | None = None,
) -> Agent:
    """Load a model to act in ``env``.

    Args:
        model: which.
        policy: prompt and sampling.
        env: its screen size is asked for where points are written in pixels of what the model sees.
        adapter: an :class:`~agents.adapters.AdapterConfig` to train it; None only acts, with ``model.adapter`` if given.
        resume: folder of the weights to which training, begun from ``model`` as given, had come.
        engine: what samples; None is the model itself. A server that is to be trained samples nothing before its first weights.

    Raises:
        ModelError, FileNotFoundError, ValueError: for a model, adapter or codec that is not there or does not fit.
        EngineError: for a server that is gone or does not fit.
    """
    from agents.adapters import weights_folder
    from agents.preflight import check_agent, prompt_builder
    from gui_gym.codecs import make_codec

    env.check()  # first what is quick to find out
    if policy.frame != "seen":
        make_codec(policy.codec, policy.frame)
    check_agent(model, policy, env, adapter, resume or (weights_folder(model.adapter) if model.adapter is not None else None), engine)
    apart = engine is not None and engine.kind == "vllm"
    parts = load_inputs(model) if apart and adapter is None else load_trainable(model, adapter, resume)
    prompts = prompt_builder(parts.vision, policy, env.screen)
    served = _server(engine, parts, prompts, adapter) if engine is not None and apart else None
    return Agent(parts.model, parts.processor, parts.vision, prompts, policy, parts.trainable, served)


def _server(config: EngineConfig, parts: Loaded, prompts: PromptBuilder, adapter: Any) -> Any:
    """The engine of a server that holds the model of ``parts``, to be trained by ``adapter``, or to act with the weights of ``parts``."""
    from agents.engines.probe import Probe
    from agents.engines.vllm_engine import VllmEngine, adapted_outside_text

    weights = parts.weights
    awaits: Any = "" if adapter is None else adapter.train
    if adapter is None and weights is not None:
        awaits = "lora" if (weights / "adapter_config.json").is_file() else "full"
    if awaits == "lora" and config.text_lora_only and (outside := adapted_outside_text(parts.model, weights if adapter is None else None)):
        raise ValueError(
            f"the adapter has layers outside the text tower ({outside[0]}, ...), which a vLLM server ignores: expected adapter.targets 'text', or "
            "engine.text_lora_only False and a server started with --enable-tower-connector-lora"
        )
    probe = Probe(prompts)
    server = VllmEngine(config, parts.vision, probe, None if adapter is None else probe.learner(parts.model), awaits)
    if adapter is None and weights is not None:
        try:
            server.update_weights(0, weights)
        except BaseException:  # whatever stopped it, no connection may stay open
            server.close()
            raise
    return server


def to_json(config: Any) -> Any:
    """A config as JSON data."""
    if dataclasses.is_dataclass(config) and not isinstance(config, type):
        return {f.name: to_json(getattr(config, f.name)) for f in dataclasses.fields(config)}
    if isinstance(config, Mapping):
        return {name: to_json(value) for name, value in config.items()}
    if isinstance(config, tuple):
        return [to_json(value) for value in config]
    return str(config) if isinstance(config, Path) else config


def from_json(kind: type[C], data: Any, where: str = "config") -> C:
    """The config of class ``kind`` that :func:`to_json` wrote. ValueError names a field that is unknown, missing or of the wrong type."""
    hints = typing.get_type_hints(kind)
    fields = {f.name: f for f in dataclasses.fields(kind)}  # type: ignore[arg-type]
    if not isinstance(data, Mapping):
        raise ValueError(f"{where} is {data!r}: expected an object with {', '.join(fields)}")
    unknown = sorted(set(data) - set(fields))
    if unknown:
        raise ValueError(f"{where}: unknown option {unknown[0]!r}; expected {', '.join(fields)}")
    needed = [f.name for f in fields.values() if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING]
    missing = sorted(set(needed) - set(data))
    if missing:
        raise ValueError(f"{where}: {missing[0]!r} is missing")
    return kind(**{name: _value(hints[name], value, f"{where}.{name}") for name, value in data.items()})


def _value(hint: Any, value: Any, where: str) -> Any:
    options = [a for a in typing.get_args(hint) if a is not NoneType] if isinstance(hint, UnionType) else [hint]
    if value is None or len(options) != 1:
        return value
    if dataclasses.is_dataclass(options[0]):
        return from_json(typing.cast(type[Any], options[0]), value, where)
    if typing.get_origin(options[0]) is tuple:
        return tuple(value)
    if typing.get_origin(options[0]) is Literal:
        fits, expected = value in typing.get_args(options[0]), " or ".join(map(repr, typing.get_args(options[0])))
    else:
        plain: Any = {Path: str, float: (int, float)}.get(options[0], options[0])
        fits, expected = isinstance(value, plain) and (options[0] is bool) == isinstance(value, bool), options[0].__name__
    if not fits:
        raise ValueError(f"{where} is {value!r}: expected {expected}")
    return Path(value) if options[0] is Path else value
