"""One stub of a vLLM server for all tests here, and engines of it."""

import pytest
import torch
from vllm_stub import VllmStub

from agents.adapters import AdapterConfig, Trainable
from agents.config import EngineConfig
from agents.engines.probe import Probe
from agents.engines.publish import publish
from agents.engines.vllm_engine import VllmEngine
from agents.models import load_model
from agents.prompts import PromptBuilder
from agents.vision import VisionInputs
from gui_gym.codecs import make_codec

SCREEN = (56, 56)


@pytest.fixture(scope="session")
def running(vlm_folder):
    with VllmStub(vlm_folder()) as stub:
        yield stub


@pytest.fixture
def stub(running):
    yield running
    running.release.set()
    running.forget()


@pytest.fixture
def setting(stub):
    """Further arguments of EngineConfig, to be changed before ``make`` is called."""
    return {"timeout": 20.0, "patience": 2.0, "attempts": 2, "concurrency": 8}


class Side:
    """The learner: a model with an adapter, which :meth:`move` changes."""

    def __init__(self, folder, config=None):
        model, processor = load_model(folder)
        self.trainable = Trainable(model, config or AdapterConfig(rank=4))
        self.model = self.trainable.model
        self.vision = VisionInputs(processor, self.model)
        self.builder = PromptBuilder(self.vision, make_codec("dsl", "grid:10"), system="")
        self.probe = Probe(self.builder)

    def move(self, seed=0, scale=0.3):
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for name, weight in self.model.named_parameters():
                if "lora_B" in name or self.trainable.config.train == "full":
                    weight.add_(torch.randn(weight.shape, generator=generator) * (scale if "lora_B" in name else scale / 10))


@pytest.fixture
def side(vlm_folder):
    return Side(vlm_folder())


@pytest.fixture
def make(stub, side, setting):
    """``make(awaits, learner)``: an engine of the stub, closed at the end."""
    made = []

    def build(awaits="", learner=True, of=None):
        one = of or side
        engine = VllmEngine(
            EngineConfig("vllm", stub.url, **setting), one.vision, one.probe, one.probe.learner(one.model) if learner else None, awaits
        )
        made.append(engine)
        return engine

    yield build
    stub.release.set()
    for engine in made:
        engine.close()


@pytest.fixture
def trained(make, side, tmp_path):
    """``trained()``: an engine that serves the learner's adapter, and ``publish`` for the next version."""

    def build(of=None):
        one = of or side
        engine = make(one.trainable.config.train, of=one)

        def send(version):
            publish(engine, one.trainable, version, tmp_path / "served")

        send(0)
        return engine, send

    return build


@pytest.fixture
def prompts(side, frames):
    """8 prompts of 1, 2 and 3 images; their answers are made up."""
    shown = frames(16)
    made = [side.builder.start("Click it." * (k % 3 + 1), shown[k], SCREEN) for k in range(8)]
    for turn in (1, 2):
        for k in range(8):
            if k % 3 >= turn:
                made[k] = side.builder.extend(
                    made[k], side.builder.completion_ids(f"click({k}, {turn})"), "stop", shown[8 + (k + turn) % 8], "no" * k
                )
    return made
