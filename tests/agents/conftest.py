"""Tiny VLMs of each family, built once a session; no test here reaches the hub."""

import os

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("TORCHDYNAMO_DISABLE", "1")  # bitsandbytes would load torch's compiler, which nothing here uses, in each process: a second
os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # spinning threads starve each other on a busy machine

import numpy as np
import pytest
import torch

from agents.episodes import Frame
from agents.models import load_model
from agents.tiny_vlm import KINDS, build_tiny_vlm
from agents.vision import VisionInputs

torch.set_num_threads(2)
SIZE = (56, 56)


@pytest.fixture(scope="session")
def vlm_folder(tmp_path_factory):
    root, built = tmp_path_factory.mktemp("vlm"), set()

    def folder(kind="idefics3"):
        path = root / kind
        if kind not in built:
            build_tiny_vlm(path, kind=kind, image_size=56, hidden=32, layers=2, vision_layers=1)
            built.add(kind)
        return path

    return folder


@pytest.fixture(scope="session")
def vlm(vlm_folder):
    """``vlm(kind)``: model and vision adapter, shared by all tests: leave the weights alone."""
    loaded = {}

    def get(kind="idefics3"):
        if kind not in loaded:
            model, processor = load_model(vlm_folder(kind))
            loaded[kind] = model, VisionInputs(processor, model)
        return loaded[kind]

    return get


@pytest.fixture(params=KINDS)
def family(request, vlm):
    return vlm(request.param)


@pytest.fixture
def frames():
    """``frames(n)``: n different frames of 56 x 56 pixels."""

    def make(n, seed=0, size=SIZE):
        rng = np.random.default_rng(seed)
        return [Frame(rng.integers(0, 256, (size[1], size[0], 3), np.uint8)) for _ in range(n)]

    return make


@pytest.fixture
def endpoint_stub():
    """``endpoint_stub(answer, failures)``: a running :class:`endpoint_stub.EndpointStub`."""
    from endpoint_stub import EndpointStub

    running = []

    def start(answer, failures=()):
        running.append(EndpointStub(answer, failures))
        return running[-1]

    yield start
    for stub in running:
        stub.close()
