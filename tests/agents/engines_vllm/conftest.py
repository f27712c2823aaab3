"""One stub of a vLLM server for all tests here, and engines of it."""

import pytest
from vllm_side import Side
from vllm_stub import VllmStub

from agents.adapters import AdapterConfig
from agents.config import EngineConfig
from agents.engines.publish import publish
from agents.engines.vllm_engine import VllmEngine


@pytest.fixture(scope="session")
def running(vlm_folder):
    with VllmStub(vlm_folder()) as stub:
        yield stub


@pytest.fixture
def stub(running):
    yield running
    running.forget()


@pytest.fixture
def setting(stub):
    """Further arguments of EngineConfig, to be changed before ``make`` is called."""
    return {"timeout": 20.0, "patience": 2.0, "attempts": 2, "concurrency": 8}


@pytest.fixture(scope="session")
def sides(vlm_folder):
    """``sides(**adapter)``: one learner for each kind of adapter, with the weights it began with."""
    made = {}

    def get(**adapter):
        key = tuple(sorted(adapter.items()))
        if key not in made:
            made[key] = Side(vlm_folder(), AdapterConfig(rank=4, **adapter))
        made[key].forget()
        return made[key]

    return get


@pytest.fixture
def side(sides):
    return sides()


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
    return side.prompts(frames(16))
