"""The engine over vLLM itself, with tiny models on a CPU: ``make test-vllm``."""

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from vllm_server import VllmServer
from vllm_side import ServerConformance, Side, gap

from agents.adapters import AdapterConfig
from agents.config import EngineConfig
from agents.engines.base import EngineError
from agents.engines.publish import publish
from agents.engines.vllm_engine import VllmEngine
from agents.engines.weight_transfer import replace_weights
from agents.episodes import Frame
from agents.logs import read_log

ROOT = Path(__file__).parents[2]


def config(server, **more):
    return EngineConfig("vllm", server.url, **{"timeout": 120.0, "patience": 120.0, **more})


@pytest.fixture
def side(server):
    return Side(server.folder)


@pytest.fixture
def frames():
    rng = np.random.default_rng(0)
    return [Frame(rng.integers(0, 256, (56, 56, 3), np.uint8)) for _ in range(16)]


@pytest.fixture
def prompts(side, frames):
    return side.prompts(frames)


@pytest.fixture
def engine(server, side):
    engine = VllmEngine(config(server), side.vision, side.probe, side.probe.learner(side.model))
    yield engine
    engine.close()


@pytest.fixture
def trained(server, tmp_path):
    """``trained(side)``: an engine with version 0 of its weights, and what publishes the next."""
    engines = []

    def build(side, **more):
        engine = VllmEngine(config(server, **more), side.vision, side.probe, side.probe.learner(side.model), side.trainable.config.train)
        engines.append(engine)

        def send(version):
            publish(engine, side.trainable, version, tmp_path / "served")

        send(0)
        return engine, send

    yield build
    for engine in engines:
        engine.close()


class TestVllm(ServerConformance):
    pass


def test_three_adapters_one_after_the_other(trained, side, prompts):
    engine, send = trained(side)
    sampling, seen = side.vision.sampling(0.7, 12), set()
    for version in range(4):
        if version:
            side.move(version, 0.1)
            send(version)
        completions = engine.generate(prompts, sampling, range(8))
        assert {c.policy_version for c in completions} == {version}
        assert gap(side, prompts, completions, sampling) < 1e-4
        seen.add(completions[0].logprobs)
    assert len(seen) == 4
    names = [name for name in engine.client.cards() if name.startswith("gui-gym")]
    assert names == [engine._served.name]


def test_all_weights_one_version_after_the_other(trained, server, prompts):
    whole = Side(server.folder, AdapterConfig(train="full"))
    engine, send = trained(whole)
    seen = set()
    try:
        for version in range(3):
            if version:
                whole.move(version, 0.1)
                send(version)
            completions = engine.generate(prompts, whole.vision.sampling(0.7, 12), range(8))
            assert {c.policy_version for c in completions} == {version}
            assert gap(whole, prompts, completions, whole.vision.sampling(0.7, 12)) < 1e-4
            seen.add(completions[0].logprobs)
    finally:
        replace_weights(engine.client, engine._transfer, server.folder, "default")  # as it was started
    assert len(seen) == 3


def test_silent_traps(engine, side, prompts):
    """Ids expanded twice, and an image too many: the one is answered with HTTP 200, the other with 500."""
    sampling = side.vision.sampling(1.0, 4)
    with pytest.raises(EngineError, match="expected the same ids"):
        engine.generate([dataclasses.replace(prompts[0], unexpanded=prompts[0].ids)], sampling, [0])
    with pytest.raises(EngineError, match="expected the same ids"):
        engine.generate([dataclasses.replace(prompts[0], images=())], sampling, [0])
    # a picture that vLLM has never seen: it remembers one of a request that failed, and fails all that show it again
    other = Frame(np.zeros((56, 56, 3), np.uint8))
    bad, good = engine.generate([dataclasses.replace(prompts[0], images=(*prompts[0].images, other)), prompts[1]], sampling, [0, 1])
    assert "prompt replacement" in bad.error and good.ids and not good.error


def test_an_adapter_of_vision_layers_is_noticed(trained, server):
    """The server was started without --enable-tower-connector-lora."""
    wide = Side(server.folder, AdapterConfig(rank=8, targets=r".*(vision_model|visual)\..*(q_proj|k_proj|v_proj|qkv|fc1|up_proj)"))
    engine, send = trained(wide)
    wide.move(1)
    with pytest.raises(EngineError):
        send(1)


def test_raw_log_probs_are_refused(folder, tmp_path):
    """vLLM's own default."""
    with VllmServer(folder("idefics3"), tmp_path / "log", "raw_logprobs") as raw:
        side = Side(raw.folder)
        with pytest.raises(EngineError, match="--logprobs-mode processed_logprobs"):
            VllmEngine(config(raw), side.vision, side.probe)


def cli(tmp_path, *arguments):
    env = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-m", "agents.cli", *arguments, "--json"], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=280
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def arguments(server):
    env = "--env.task press-the-button --env.width 112 --env.height 112 --env.max-steps 2 --env.auto-verify"
    policy = "--policy.frame grid:10 --policy.max-new-tokens 6 --policy.temperature 0.8"
    return [*f"--model.name {server.folder} {env} {policy} --engine.kind vllm --engine.url {server.url} --policy.system".split(), ""]


@pytest.mark.parametrize("train", ["lora", "full"])
def test_a_grpo_run(server, tmp_path, train):
    """Two turns of two screens an episode, three versions of the policy, each sampled by the server and trained on here."""
    (tmp_path / "brevity.py").write_text(
        "from agents.rewards import REWARDS\n"
        "REWARDS.register('brevity', lambda episode: -sum(len(t.completion_ids) + t.completion_ids[0] / 1000 for t in episode.turns))\n"
    )
    options = "--rewards brevity:brevity --steps 3 --groups 2 --group-size 4 --eval-every 0 --eval-episodes 4 --no-eval-greedy --adapter.rank 8"
    figures = cli(tmp_path, "train", *arguments(server), "--out", "run", "--adapter.train", train, *options.split(), "--logs")
    assert figures["step"] == 3
    steps = read_log(tmp_path / "run", "train")
    assert [s["rows"] > 0 for s in steps] == [True] * 3
    assert max(s["mismatch_max"] for s in steps) < 1e-3 and max(abs(s["ratio_max"] - 1) for s in steps[:1]) < 1.0
    print({s["step"]: (s["mismatch"], s["mismatch_max"], s["ratio"]) for s in steps})
    if train == "full":
        return
    measured = cli(tmp_path, "eval", *arguments(server), "--model.adapter", "run", "--episodes", "4")
    assert measured["scored"] == 4
    assert cli(tmp_path, "rollout", *arguments(server), "--episodes", "2", "--out", "seen")["episodes"] == 2
