"""Each way in which a vLLM server is known to fail: a clear error before anything is trained on it, or the right recovery."""

import dataclasses
import threading
import time
from concurrent.futures import CancelledError

import numpy as np
import pytest
import torch
from vllm_stub import VllmStub

from agents.config import EngineConfig
from agents.engines.base import EngineError
from agents.engines.vllm_engine import VllmEngine


def ask(engine, side, prompts, n=2, tokens=4):
    return engine.generate(prompts[:n], side.vision.sampling(1.0, tokens), range(n))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("image dropped", "ids with 0 images of a prompt of .* expected the same ids"),
        ("no log-probs", "4 ids and 0 log-probs.*must come in pairs"),
        ("a log-prob short", "4 ids and 3 log-probs.*must come in pairs"),
        ("NaN", "log-prob of -9999.0: expected finite ones.*damaged"),
        ("null", "log-prob of None: expected finite ones"),
        ("positive log-prob", "log-prob of 0.5"),
        ("suppressed id", "sampled the suppressed ids"),
        ("cut early", "ended by 'length' after 1 ids"),
        ("aborted", "ended by 'abort' after"),
        ("no choice", "weights of no known version, not default"),
        ("weights changed under way", "sampled with weights another, default, not default"),
    ],
)
def test_an_answer_that_is_not_what_was_asked_for(make, side, prompts, stub, fault, message):
    engine = make()
    stub.faults[fault] = 1
    letter = side.vision.tokenizer("a", add_special_tokens=False)["input_ids"][0]
    width = max(len(side.vision.tokenizer), max(side.vision.tokens.suppress) + 1)
    sampling = dataclasses.replace(side.vision.sampling(1.0, 4), suppress=tuple(i for i in range(width) if i != letter))
    with pytest.raises(EngineError, match=message):
        engine.generate(prompts[:1], sampling, [0])
    assert stub.seen["/inference/v1/generate"] == 4, "an answer was asked for again"
    assert engine.generate(prompts[:1], sampling, [0])[0].ids == (letter,) * 4


def test_ids_that_are_expanded_already_are_expanded_again(make, side, prompts):
    """With HTTP 200; so is a placeholder without its image taken."""
    engine = make()
    wrong = dataclasses.replace(prompts[0], unexpanded=prompts[0].ids)
    with pytest.raises(EngineError, match=f"made {len(wrong.ids) + len(wrong.ids) - len(prompts[0].unexpanded)} ids with 1 images"):
        ask(engine, side, [wrong], 1)


def test_one_image_too_many_fails_that_request_alone(make, side, prompts, stub):
    """HTTP 500: the others have their answers."""
    engine = make()
    wrong = dataclasses.replace(prompts[0], images=(*prompts[0].images, prompts[1].images[0]))
    good, bad, other = ask(engine, side, [prompts[1], wrong, prompts[2]], 3)
    assert good.ids and other.ids and not good.error
    assert bad.finish_reason == "failed" and bad.ids == () and "Failed to apply prompt replacement" in bad.error
    with pytest.raises(EngineError, match="requests in a row had no answer, the last one: .*prompt replacement"):
        engine.generate([wrong] * 9, side.vision.sampling(1.0, 2), range(9))


def test_raw_log_probs_are_refused_at_the_start(make, stub):
    stub.faults["raw log-probs"] = -1
    with pytest.raises(EngineError, match="--logprobs-mode processed_logprobs"):
        make()


def test_another_model_is_refused_at_the_start(make, side, setting):
    setting["tolerance"] = 0.01
    with side.trainable.reference() as bare:
        for name, weight in bare.named_parameters():
            if "layers.0" in name and "lora" not in name:
                weight.data.mul_(1.5)
    with pytest.raises(EngineError, match="differ by .* nats in the mean, more than engine.tolerance 0.01: .*same model"):
        make()


def test_an_adapter_that_is_ignored_is_noticed(trained, side, prompts, stub):
    """And nothing is sampled with it: what was served before is served on."""
    engine, publish = trained()
    stub.faults["adapter ignored"] = 1
    side.move(1, 0.05)
    with pytest.raises(EngineError, match="do not act on the server, or not all of them.* the server's by 0[.,]"):
        publish(1)
    assert engine.policy_version == 0 and len(stub.adapters) == 1
    assert ask(engine, side, prompts)[0].policy_version == 0
    publish(2)
    assert engine.policy_version == 2


def test_vision_layers_that_the_server_ignores_are_noticed(trained, stub, sides):
    """vLLM without --enable-tower-connector-lora loads such an adapter with a warning only."""
    wide = sides(targets="all")
    engine, publish = trained(wide)
    wide.move(1)
    publish(1)
    wide.move(2)
    stub.faults["text layers only"] = 1
    with pytest.raises(EngineError, match="--enable-tower-connector-lora"):
        publish(2)


def test_a_damaged_adapter_is_noticed(trained, side, stub):
    _, publish = trained()
    stub.faults["damaged adapter"] = 1
    with pytest.raises(EngineError, match="damaged"):
        publish(1)


def test_a_name_that_is_taken_is_an_error(trained, stub, side, monkeypatch):
    engine, publish = trained()
    monkeypatch.setattr(engine, "_run", "twice")
    stub.adapters["gui-gym-twice-1-1"] = "elsewhere"
    with pytest.raises(EngineError, match="has already been loaded"):
        publish(1)
    assert engine.policy_version == 0


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("scale-out disabled", "start it with --enable-scale-out"),
        ("404 /inference/v1/generate", "vLLM 0.32 or newer, started with --enable-scale-out"),
        ("500 /inference/v1/generate", "the server does not answer: .*no such luck"),
    ],
)
def test_a_server_that_was_started_otherwise(make, stub, fault, message):
    stub.faults[fault] = -1
    with pytest.raises(EngineError, match=message):
        make()


def test_a_server_without_adapters(make, side, stub, tmp_path):
    engine = make("lora")
    stub.faults["404 /v1/load_lora_adapter"] = 1
    side.trainable.save(tmp_path / "weights")
    with pytest.raises(EngineError, match="VLLM_ALLOW_RUNTIME_LORA_UPDATING"):
        engine.update_weights(0, tmp_path / "weights")
    with pytest.raises(FileNotFoundError, match="holds no weights"):
        engine.update_weights(0, tmp_path)
    with pytest.raises(ValueError, match="expected the folder"):
        engine.update_weights(0)


def test_the_key(make, stub, setting, tmp_path, monkeypatch, side, prompts):
    """By the name of a variable or a file; neither an error nor a setting holds it."""
    stub.key = "s3cret"
    setting["token"] = "GUI_GYM_TEST_KEY"
    with pytest.raises(EngineError, match=r"wants another API key.*GUI_GYM_TEST_KEY"):
        make()
    monkeypatch.setenv("GUI_GYM_TEST_KEY", "s3cret")
    engine = make()
    stub.faults["500 /inference/v1/generate"] = 2
    (failed,) = ask(engine, side, prompts, 1)
    assert "no such luck" in failed.error and "s3cret" not in failed.error and "s3cret" not in repr(engine.config)
    (tmp_path / "key").write_text("s3cret\n")
    monkeypatch.delenv("GUI_GYM_TEST_KEY")
    setting["token_file"] = tmp_path / "key"
    make()
    (tmp_path / "key").write_text("\n")
    with pytest.raises(ValueError, match="holds no key"):
        make()


@pytest.mark.parametrize("fault", ["connection reset", "truncated JSON", "busy", "500 /inference/v1/generate"])
def test_a_request_without_an_answer_is_made_again(make, side, prompts, stub, fault):
    """With its fixed seed it gives the same."""
    engine = make()
    expected = ask(engine, side, prompts)
    stub.faults[fault] = 1
    assert ask(engine, side, prompts) == expected
    stub.faults[fault] = -1
    (failed,) = ask(engine, side, prompts, 1)
    assert failed.finish_reason == "failed" and "in 2 tries" in failed.error


def test_a_slow_answer(make, setting, side, prompts, stub):
    engine = make()
    expected = ask(engine, side, prompts, 1)
    engine.client._http.timeout = 0.3
    stub.faults["slow"] = 2
    assert "gave no answer in" in ask(engine, side, prompts, 1)[0].error
    stub.release.set()
    assert ask(engine, side, prompts, 1) == expected


def test_closing_ends_requests_under_way(make, side, prompts, stub):
    """A thread that read on would keep the program from ending until its request has timed out."""
    engine, got = make(), []

    def run():
        try:
            ask(engine, side, prompts, 4)
        except (EngineError, CancelledError) as error:
            got.append(error)

    stub.faults["slow"] = -1
    thread = threading.Thread(target=run)
    thread.start()
    while stub.in_flight < 4:
        time.sleep(0.01)
    engine.close()
    thread.join()
    assert "closed" in str(got[0]) and not stub.release.is_set()
    for each in engine._pool._threads:
        each.join()
    with pytest.raises(EngineError, match="the engine was closed"):
        ask(engine, side, prompts)


def test_a_server_that_is_ending_is_waited_for(make, side, prompts, stub):
    """Its last requests are answered by 500, and its health tells."""
    engine = make()
    expected = ask(engine, side, prompts, 1)
    stub.faults["500 /inference/v1/generate"], stub.faults["sick"] = 1, 3
    assert ask(engine, side, prompts, 1) == expected


@pytest.fixture
def own(vlm_folder):
    stub = VllmStub(vlm_folder())
    stub.start()
    yield stub
    stub.stop()


@pytest.fixture
def served(own, side, tmp_path):
    config = EngineConfig("vllm", own.url, timeout=20.0, patience=30.0, attempts=3)
    engine = VllmEngine(config, side.vision, side.probe, side.probe.learner(side.model), "lora")
    side.move(1)
    side.trainable.save(tmp_path / "weights")
    engine.update_weights(1, tmp_path / "weights")
    yield engine
    engine.close()


def test_gone_and_back(own, served, side, prompts):
    """The server was started anew: it is waited for, and gets the adapter again."""
    expected = ask(served, side, prompts, 4)
    own.stop()
    got = []
    thread = threading.Thread(target=lambda: got.extend(ask(served, side, prompts, 4)))
    thread.start()
    while not served.client.problem():
        time.sleep(0.01)
    own.forget()
    own.start()
    thread.join()
    assert got == expected and own.seen["/v1/load_lora_adapter"] == 1


def test_gone_for_good(own, served, side, prompts):
    own.stop()
    served.client.config = dataclasses.replace(served.config, patience=0.2)
    with pytest.raises(EngineError, match="is gone: no connection .*for 0.2 s .*Start it again.*--resume"):
        ask(served, side, prompts)
    served.close()
    served.close()
    with pytest.raises(EngineError, match="the engine was closed"):
        ask(served, side, prompts)


def test_nobody_there(side):
    with pytest.raises(EngineError, match="is gone"):
        VllmEngine(EngineConfig("vllm", "http://127.0.0.1:9", patience=0.1), side.vision, side.probe)


def test_a_model_that_is_not_served(make, setting):
    setting["model"] = "other"
    with pytest.raises(ValueError, match="serves no 'other': expected one of tiny"):
        make()


def test_weights_that_another_run_has_left_there_are_not_taken_for_the_models(trained, make, sides):
    whole = sides(train="full")
    engine, publish = trained(whole)
    whole.move(1)
    publish(1)
    engine.close()
    for awaits in ("", "lora"):
        with pytest.raises(EngineError, match="weights that another run gave it .gui-gym-.*start it again"):
            make(awaits, learner=False)
    trained(whole)  # which replaces them


def test_an_adapter_that_is_ignored_is_noticed_amid_the_noise_of_a_coarse_precision(trained, side, stub, monkeypatch):
    exact, noise = side.probe.learner(side.model), 0.03 * np.random.default_rng(0).normal(size=16)
    monkeypatch.setattr(type(side.probe), "learner", lambda self, model: lambda bare: exact(bare) + noise)
    _, publish = trained()
    side.move(1, 0.02)
    stub.faults["adapter ignored"] = 1
    with pytest.raises(EngineError, match="do not act on the server"):
        publish(1)
    publish(2)


def test_an_adapter_that_cannot_be_unloaded_does_not_keep_the_engine_open(trained, stub):
    engine, _ = trained()
    stub.faults["500 /v1/unload_lora_adapter"] = 1
    with pytest.warns(UserWarning, match="stays loaded: .*no such luck"):
        engine.close()
    assert engine.client.closed


def test_a_server_that_does_not_answer_does_not_hold_an_engine_that_leaves(trained, stub, monkeypatch):
    engine, _ = trained()
    monkeypatch.setattr("agents.engines.vllm_engine._FAREWELL", 0.1)
    stub.faults["silence /v1/unload_lora_adapter"] = 1
    with pytest.warns(UserWarning, match="stays loaded: .*gave no answer in 0.1 s"):
        engine.close()
    assert engine.client.closed and not stub.release.is_set()


def test_weights_wait_for_a_server_that_is_away(own, served, side, tmp_path):
    own.stop()
    side.trainable.save(tmp_path / "more")
    update = threading.Thread(target=served.update_weights, args=(2, tmp_path / "more"))
    update.start()
    time.sleep(0.1)
    own.forget()
    own.start()
    update.join()
    assert served.policy_version == 2


def test_a_server_that_comes_back_with_another_model_is_refused(own, served, side, prompts):
    served.config = dataclasses.replace(served.config, tolerance=0.01)
    own.forget()
    with torch.no_grad():
        for name, weight in own.base.named_parameters():
            weight.mul_(1.5 if "layers.0" in name else 1.0)
    with pytest.raises(EngineError, match="started anew with another model, weights or precision"):
        ask(served, side, prompts, 1)
