"""A recipe: what to run, on which hardware, and the published figures of the model, so that it can be planned and tried without the model."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from agents.config import from_json
from agents.grpo.config import TrainConfig

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Hardware:
    """The machine a plan is for. The defaults are those of an NVIDIA H100 SXM (its data sheet, without sparsity).

    Args:
        gpu: its name.
        gpu_gib: memory of one GPU that programs can use, in GiB.
        tflops: bf16 matrix multiplication, in 10^12 operations a second.
        bandwidth: of the GPU's memory, in GB a second.
        engine: where a vLLM server runs: "own", a GPU of its own, or "shared", that of the learner.
        engine_share: part of its GPU's memory that the server takes (its --gpu-memory-utilization).
        disk_gib: free disk that the run may count on, in GiB.
        mfu: part of ``tflops`` that updates and the reading of prompts reach; 0.3 to 0.5 is usual.
        mbu: part of ``bandwidth`` that sampling reaches.
        env_seconds: time that one action of all desktops side by side takes, in seconds.
        answer_tokens: tokens of an answer in the mean; None is half of policy.max_new_tokens.
    """

    gpu: str = "NVIDIA H100 SXM 80 GB"
    gpu_gib: float = 79.0
    tflops: float = 989.0
    bandwidth: float = 3350.0
    engine: Literal["own", "shared"] = "own"
    engine_share: float = 0.9
    disk_gib: float = 100.0
    mfu: float = 0.35
    mbu: float = 0.5
    env_seconds: float = 0.5
    answer_tokens: int | None = None

    def __post_init__(self) -> None:
        for name in ("gpu_gib", "tflops", "bandwidth", "disk_gib", "mfu", "mbu"):
            if not getattr(self, name) > 0:
                raise ValueError(f"hardware.{name} is {getattr(self, name)}: expected more than 0")
        if self.mfu > 1 or self.mbu > 1 or not 0 < self.engine_share <= 1:
            raise ValueError(f"hardware: mfu {self.mfu}, mbu {self.mbu}, engine_share {self.engine_share}: expected parts of 1")


@dataclass(frozen=True)
class Recipe:
    """What :func:`load_recipe` reads.

    Args:
        name: of the file.
        title: one line about it.
        architecture: the model's published config.json, as far as it says sizes.
        processor: the published pixel limits of its image processor: min_pixels and max_pixels.
        hardware: the machine it is for.
        train: the settings of the run.
    """

    name: str
    title: str
    architecture: dict[str, Any]
    processor: dict[str, int]
    hardware: Hardware
    train: TrainConfig


def recipe_names() -> list[str]:
    """Names of the recipes that come with the package."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load_recipe(name: str) -> Recipe:
    """The recipe called ``name``, or in the file of that path. ValueError for one that is not there or has other fields than it may."""
    path = Path(name) if name.endswith(".toml") else FOLDER / f"{name}.toml"
    if not name.endswith(".toml") and name not in recipe_names():
        raise ValueError(f"no recipe {name!r}: expected {', '.join(recipe_names())}, or the path of a .toml file")
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ValueError(f"no recipe {path}: expected a .toml file, or one of {', '.join(recipe_names())}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"the recipe {path} cannot be read: {error}") from error
    expected = {"title", "architecture", "processor", "hardware", "train"}
    if set(data) != expected:
        raise ValueError(f"the recipe {path} has {', '.join(sorted(data))}: expected {', '.join(sorted(expected))}")
    limits = data["processor"]
    if set(limits) != {"min_pixels", "max_pixels"} or not all(isinstance(value, int) and value > 0 for value in limits.values()):
        raise ValueError(f"the recipe {path}: processor is {limits}: expected min_pixels and max_pixels, areas in pixels")
    hardware, train = from_json(Hardware, data["hardware"], f"{path.name}: hardware"), from_json(TrainConfig, data["train"], f"{path.name}: train")
    return Recipe(path.stem, str(data["title"]), data["architecture"], limits, hardware, train)
