"""What the engine promises, over a stub of the server with a real model; ``make test-vllm`` runs it over vLLM itself."""

import threading
import time

import numpy as np
import pytest
from vllm_side import ServerConformance, gap
from vllm_stub import picture

from agents.engines.base import EngineError
from agents.engines.vllm_wire import Pictures
from agents.episodes import Frame, Sampling


class TestVllmEngine(ServerConformance):
    @pytest.fixture
    def engine(self, make):
        return make()


def test_every_version_is_the_learners(trained, side, prompts, stub):
    """Three adapters, one after the other: the log-probs are the learner's at the same weights, and the version is in the completion."""
    engine, publish = trained()
    sampling, seen = side.vision.sampling(0.7, 10), []
    for version in range(4):
        if version:
            side.move(version)
            publish(version)
        completions = engine.generate(prompts, sampling, range(8))
        assert {c.policy_version for c in completions} == {engine.policy_version} == {version}
        assert gap(side, prompts, completions, sampling) < 1e-4
        seen.append([c.logprobs for c in completions])
    assert all(a != b for a, b in zip(seen, seen[1:], strict=False))


def test_an_adapter_has_a_name_and_a_path_of_its_own(trained, side, stub, tmp_path):
    """vLLM #42125: the same path again, and prefixes computed with the old weights are served on."""
    engine, publish = trained()
    for version in (1, 1, 2):
        side.move(version)
        publish(version)
    loads = stub.bodies["/v1/load_lora_adapter"]
    assert len(loads) == len({b["lora_name"] for b in loads}) == len({b["lora_path"] for b in loads}) == 4
    assert not any(b.get("load_inplace") for b in loads)
    assert len(stub.adapters) == 1 and [p.name for p in (tmp_path / "served").iterdir()] == ["version-000002-000003"]
    with pytest.raises(ValueError, match="expected a new folder each time"):
        engine.update_weights(3, next((tmp_path / "served").iterdir()))
    engine.close()
    assert not stub.adapters, "its adapter stays in the server's memory"


def test_requests_under_way_end_with_the_adapter_they_began_with(trained, side, prompts, stub):
    engine, publish = trained()
    side.move(1)
    stub.faults["slow"] = 2
    got = {}
    thread = threading.Thread(target=lambda: got.update(old=engine.generate(prompts[:2], side.vision.sampling(1.0, 4), [0, 1])))
    thread.start()
    while stub.in_flight < 2:
        time.sleep(0.01)
    update = threading.Thread(target=publish, args=(1,))
    update.start()
    while engine.policy_version == 0:
        time.sleep(0.01)
    new = engine.generate(prompts[:2], side.vision.sampling(1.0, 4), [0, 1])
    assert update.is_alive() and stub.seen["/v1/unload_lora_adapter"] == 0, "the old adapter went while requests used it"
    stub.release.set()
    thread.join()
    update.join()
    assert {c.policy_version for c in got["old"]} == {0} and {c.policy_version for c in new} == {1}
    assert stub.seen["/v1/unload_lora_adapter"] == 1 and len(stub.adapters) == 1


def test_so_many_requests_at_once(make, setting, side, prompts, stub):
    setting["concurrency"] = 3
    engine = make()
    engine.generate(prompts * 2, side.vision.sampling(1.0, 2), range(16))
    assert 1 < stub.most_in_flight <= 3


def test_what_is_sent(make, side, prompts, stub):
    """One placeholder for each image, the shorter of the two lists of ids, and no default of server or model left to apply."""
    engine = make()
    engine.generate(prompts[2:3], side.vision.sampling(0.7, 9), [2**62])
    body = stub.bodies["/inference/v1/generate"][-1]
    assert body["token_ids"] == list(prompts[2].unexpanded) != list(prompts[2].ids)
    assert body["token_ids"].count(side.vision.image_token_id) == len(body["content_parts"]) == 3
    params = body["sampling_params"]
    assert {params[k] for k in ("top_p", "repetition_penalty")} == {1.0} and params["top_k"] == params["min_p"] == params["logprobs"] == 0
    assert params["temperature"] == 0.7 and params["max_tokens"] == 9 and params["seed"] == 2**62
    assert params["stop_token_ids"] == list(side.vision.tokens.stop) and params["ignore_eos"] is True
    assert {int(i) for i in params["logit_bias"]} == set(side.vision.tokens.suppress) and "allowed_token_ids" not in params
    few = Sampling(1.0, 4, tuple(i for i in range(len(side.vision.tokenizer)) if i not in (70, 71)))
    engine.generate(prompts[:1], few, [0])
    params = stub.bodies["/inference/v1/generate"][-1]["sampling_params"]
    assert params["allowed_token_ids"] == [70, 71] and "logit_bias" not in params


def test_a_frame_is_encoded_once_and_scaled_as_the_learner_sees_it(vlm, monkeypatch):
    model, vision = vlm()
    frames = [Frame(np.full((60, 80, 3), k, np.uint8)) for k in range(3)]
    made = []
    monkeypatch.setattr(vision, "picture", lambda frame: made.append(frame.hash) or type(vision).picture(vision, frame))
    monkeypatch.setattr(vision, "max_pixels", 1200)
    pictures = Pictures(vision)
    urls = [pictures.url(frame) for frame in (*frames, *frames)]
    assert made == [f.hash for f in frames] and urls[:3] == urls[3:] and len(set(urls)) == 3
    assert picture(urls[2]).pixels.shape == (30, 40, 3)
    small = Pictures(vision, limit=len(urls[0]))
    for frame in (*frames, *frames):
        small.url(frame)
    assert len(made) == 9, "more is remembered than the limit allows"


def test_nothing_is_sampled_before_the_learners_weights_came(make, side, prompts):
    engine = make("lora")
    with pytest.raises(EngineError, match="call update_weights"):
        engine.generate(prompts[:1], side.vision.sampling(1.0, 2), [0])


def test_limits_of_the_server(make, side, prompts, stub, monkeypatch):
    monkeypatch.setattr(stub, "max_model_len", 40)
    engine = make()
    assert engine.max_length == 40
    with pytest.raises(ValueError, match="exceed the 40 that the model can hold"):
        engine.generate(prompts[2:3], side.vision.sampling(1.0, 9), [0])
    with pytest.raises(ValueError, match="vLLM samples at 0"):
        engine.generate(prompts[:1], side.vision.sampling(0.001, 2), [0])


def test_a_model_that_is_split_over_processes_is_not_asked(side, monkeypatch):
    """All of them would have to be, and the others wait for something else."""
    ask = side.probe.learner(side.model)
    assert ask(True).shape == (16,) and np.isclose(np.exp(ask(False)).sum(), 1.0)
    monkeypatch.setattr("agents.engines.probe.FSDPModule", type(side.model.get_base_model()))
    assert ask(False) is None
