"""All weights of the server replaced, over the stub: paused, drained, replaced, named, and checked before anything is sampled."""

import sys
import threading
import time

import pytest
import torch
from vllm_side import gap

from agents.engines import weight_transfer
from agents.engines.base import EngineError


@pytest.fixture
def whole(sides):
    return sides(train="full")


def ask(engine, side, prompts, n=2):
    return engine.generate(prompts[:n], side.vision.sampling(1.0, 4), range(n))


def test_every_version_is_the_learners(trained, whole, prompts, stub):
    engine, publish = trained(whole)
    seen = set()
    for version in range(3):
        if version:
            whole.move(version)
            publish(version)
        completions = engine.generate(prompts, whole.vision.sampling(0.7, 6), range(8))
        assert {c.policy_version for c in completions} == {version}
        assert gap(whole, prompts, completions, whole.vision.sampling(0.7, 6)) < 1e-4
        seen.add(completions[0].logprobs)
    assert len(seen) == 3 and not stub.adapters
    assert stub.seen["/reset_prefix_cache"] == stub.seen["/reset_mm_cache"] == stub.seen["/reset_encoder_cache"] == stub.seen["/resume"] == 3


def test_requests_end_before_weights_change_and_others_wait(trained, whole, prompts, stub):
    engine, publish = trained(whole)
    whole.move(1)
    stub.faults["slow"] = 2
    got = {}
    old = threading.Thread(target=lambda: got.update(old=ask(engine, whole, prompts)))
    old.start()
    while stub.in_flight < 2:
        time.sleep(0.01)
    update = threading.Thread(target=publish, args=(1,))
    update.start()
    while not engine._wait_at_gate:
        time.sleep(0.01)
    new = threading.Thread(target=lambda: got.update(new=ask(engine, whole, prompts)))
    new.start()
    assert stub.seen["/pause"] == 1, "the server was paused under requests"
    stub.release.set()
    for thread in (old, update, new):
        thread.join()
    assert not stub.changed_while_busy and not stub.paused
    assert {c.policy_version for c in got["old"]} == {0} and {c.policy_version for c in got["new"]} == {1}


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("old weights from the cache", "do not act on the server"),
        ("cache in use", "could not reset its prefix cache"),
        ("500 /collective_rpc", "did not carry out /collective_rpc: .*no such luck"),
        ("404 /pause", "VLLM_SERVER_DEV_MODE=1"),
    ],
)
def test_weights_that_are_not_replaced(trained, whole, prompts, stub, fault, message):
    """Nothing is sampled from a server that may hold half of each: whoever waits is told so."""
    engine, publish = trained(whole)
    whole.move(1)
    stub.faults[fault] = 1
    with pytest.raises(EngineError, match=message):
        publish(1)
    with pytest.raises(EngineError, match="the server's weights could not be replaced"):
        ask(engine, whole, prompts)
    publish(2)
    assert {c.policy_version for c in ask(engine, whole, prompts)} == {2}


def test_a_server_started_anew_has_its_first_weights(trained, whole, prompts, stub):
    engine, _ = trained(whole)
    stub.label = "default"
    with pytest.raises(EngineError, match="sampled with weights default, not gui-gym-.*started anew.*--resume"):
        ask(engine, whole, prompts)


def test_broadcast(trained, whole, prompts, stub, setting, monkeypatch):
    """Routes, metadata and tensors of a broadcast; vLLM's own sender needs a GPU on both sides, so another stands in for it."""
    setting["transfer"] = "nccl"
    sent = []

    class Sender:  # calls as NCCLTrainerWeightTransferEngine of vLLM 0.32 does
        def __init__(self, client, source):
            self.client, self.source = client, source
            source.device = "cpu"
            client.init_weight_transfer_engine({"world_size": client.world_size() + 1})

        def send_weights(self):
            meta = self.source.metadata()
            self.client.start_weight_update()
            self.client.update_weights({"names": [m.name for m in meta], "dtype_names": [str(m.dtype).split(".")[-1] for m in meta]})
            sent.append(dict(self.source))
            assert [(m.name, m.dtype, m.shape) for m in meta] == [(n, t.dtype, tuple(t.shape)) for n, t in sent[-1].items()]
            stub.replace(self.source.folder)
            self.client.finish_weight_update()

    monkeypatch.setattr(weight_transfer, "open_sender", Sender)
    engine, publish = trained(whole)
    whole.move(1)
    publish(1)
    assert {c.policy_version for c in ask(engine, whole, prompts)} == {1}
    assert stub.bodies["/init_weight_transfer_engine"] == [{"init_info": {"world_size": 2}}], "one handshake for all versions"
    assert len(sent) == 2 and {k: v.shape for k, v in sent[1].items()} == {n: p.shape for n, p in whole.model.named_parameters()}
    assert all(torch.equal(value, whole.model.get_parameter(name)) for name, value in sent[1].items())
    assert [b["weight_version"] for b in stub.bodies["/finish_weight_update"]][1] == stub.label == engine._served.label


def test_a_broadcast_needs_vllm_here(trained, whole, setting, monkeypatch):
    setting["transfer"] = "nccl"
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(ModuleNotFoundError, match=r"gui-gym\[vllm\]"):
        trained(whole)
