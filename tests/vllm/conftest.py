"""A vLLM server for each family of tiny models, in a virtual environment of its own (install.sh)."""

import json
import os
import signal
import sys
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
sys.path.insert(0, str(Path(__file__).parents[1] / "agents" / "engines_vllm"))

import pytest
import torch
from vllm_server import VllmServer

from agents.tiny_vlm import build_tiny_vlm

torch.set_num_threads(2)
signal.signal(signal.SIGTERM, signal.default_int_handler)  # the server ends with the tests, however they end


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """``folder(kind)``: a tiny model; vLLM's attention on a CPU wants heads at least 32 wide."""
    root = tmp_path_factory.mktemp("vlm")

    def build(kind):
        if not (root / kind).is_dir():
            build_tiny_vlm(root / kind, kind=kind, image_size=56, hidden=128, layers=2, vision_layers=1)
            if kind.startswith("qwen"):  # vLLM loads the processor for videos too, which ours is built without
                about = {"video_processor_type": "Qwen2VLVideoProcessor", "size": {"shortest_edge": 28**2, "longest_edge": 56**2}, "patch_size": 14}
                (root / kind / "video_preprocessor_config.json").write_text(json.dumps(about))
        return root / kind

    return build


@pytest.fixture(scope="session", params=["idefics3", "qwen2_5_vl"])
def kind(request):
    return request.param


@pytest.fixture(scope="session")
def server(kind, folder, tmp_path_factory):
    with VllmServer(folder(kind), tmp_path_factory.mktemp("server") / "log") as server:
        yield server
