"""Commands that ask a server: settings, training, evaluation, over the stub."""

import json

import pytest

from agents.adapters import AdapterConfig
from agents.cli import main
from agents.config import EngineConfig, EnvConfig, ModelConfig, PolicyConfig, from_json, load_agent, to_json
from agents.engines.vllm_engine import VllmEngine
from agents.logs import read_log
from agents.rewards import REWARDS

ENV = "--env.task press-the-button --env.width 112 --env.height 112 --env.max-steps 2 --env.auto-verify"
POLICY = "--policy.frame grid:10 --policy.max-new-tokens 6"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kind": "vllm"}, "expected the server's address"),
        ({"url": "http://127.0.0.1:1"}, "only kind 'vllm' asks a server"),
        ({"kind": "other"}, "expected 'transformers' or 'vllm'"),
        ({"kind": "vllm", "url": "127.0.0.1:8000"}, "expected an address such as"),
        ({"kind": "vllm", "url": "http://me:secret@host"}, "an API key goes into"),
        ({"kind": "vllm", "url": "http://h", "timeout": 0}, "engine.timeout is 0"),
        ({"kind": "vllm", "url": "http://h", "concurrency": 0}, "engine.concurrency 0"),
        ({"kind": "vllm", "url": "http://h", "transfer": "pigeon"}, "engine.transfer is 'pigeon'"),
    ],
)
def test_settings(settings, message):
    with pytest.raises(ValueError, match=message) as error:
        EngineConfig(**settings)
    assert "secret" not in str(error.value)


def test_settings_survive_json(tmp_path):
    config = EngineConfig("vllm", "https://host:1/base", token_file=tmp_path / "key", text_lora_only=False)
    assert from_json(EngineConfig, json.loads(json.dumps(to_json(config)))) == config


@pytest.fixture
def load(stub, vlm_folder):
    made = []

    def agent(adapter=None, weights=None, **engine):
        model = ModelConfig(str(vlm_folder()), adapter=weights)
        config = EngineConfig("vllm", stub.url, **engine)
        made.append(
            load_agent(model, PolicyConfig(system="", max_new_tokens=6), EnvConfig(width=112, height=112, max_steps=2), adapter, engine=config)
        )
        return made[-1]

    yield agent
    for one in made:
        one.engine.close()


def test_adapters_beyond_the_text_tower_are_refused(load):
    """Such as a server ignores with a warning at most; unless whoever trains says that it does not."""
    with pytest.raises(ValueError, match="layers outside the text tower .*text_lora_only False"):
        load(AdapterConfig(rank=2, targets="all"))
    assert isinstance(load(AdapterConfig(rank=2, targets="all"), text_lora_only=False).engine, VllmEngine)
    assert load(AdapterConfig(rank=2)).engine.apart


def test_acting_with_the_weights_of_a_run(load, side, sides, stub, tmp_path):
    """They are sent to the server, as an adapter or in place of its own."""
    side.move(1)
    side.trainable.save(tmp_path / "lora")
    agent = load(weights=tmp_path / "lora")
    assert list(stub.adapters.values()) == [str(tmp_path / "lora")] and agent.engine.policy_version == 0
    assert next(agent.model.parameters()).is_meta, "weights were loaded that only the server needs"
    agent.engine.close()
    assert load().engine._served.folder is None
    wide = sides(targets="all")
    wide.trainable.save(tmp_path / "wide")
    with pytest.raises(ValueError, match="layers outside the text tower"):
        load(weights=tmp_path / "wide")
    side.forget()
    side.trainable.save(tmp_path / "zero")
    with pytest.warns(UserWarning, match="change nothing of its answer"):
        load(weights=tmp_path / "zero")


@pytest.fixture
def brevity():
    if "vllm-brevity" not in REWARDS:
        REWARDS.register("vllm-brevity", lambda episode: -sum(len(turn.completion_ids) + turn.completion_ids[0] / 1000 for turn in episode.turns))


@pytest.mark.filterwarnings("ignore:.*(could not be read|nothing to learn|every answer was cut)")
def test_from_training_to_evaluation(stub, vlm_folder, tmp_path, capsys, brevity):
    """``gui-agents train`` with the server, resumed once, then ``eval`` and ``rollout`` with it."""

    def run(text):
        status = main(text.split()[:1] + (["--policy.system", ""] if "--model.name" in text else []) + text.split()[1:] + ["--json"])
        out, err = capsys.readouterr()
        assert status == 0, err
        return json.loads(out)

    server = f"--engine.kind vllm --engine.url {stub.url}"
    options = "--rewards vllm-brevity --groups 2 --group-size 3 --eval-every 0 --eval-episodes 2 --no-eval-greedy --adapter.rank 4 --record 0"
    out = tmp_path / "run"
    run(f"train --model.name {vlm_folder()} {ENV} {POLICY} {server} {options} --steps 1 --out {out} --logs")
    run(f"train --resume {out} --steps 3")
    steps = read_log(out, "train")
    assert [s["step"] for s in steps] == [1, 2, 3] and all(s["rows"] > 0 for s in steps)
    assert max(s["mismatch_max"] for s in steps) < 1e-4 and max(s["ratio_max"] for s in steps) < 2
    loads = stub.bodies["/v1/load_lora_adapter"]
    assert len({b["lora_path"] for b in loads}) == len({b["lora_name"] for b in loads}) == len(loads) == 5, "version 0, 1; 1 again, 2, 3"
    assert not stub.adapters, "an adapter stays in the server's memory"
    assert len(list((out / "engine").iterdir())) == 1

    seen = len(loads)
    assert run(f"eval --trained {out} {server} --episodes 2")["scored"] == 2
    assert stub.bodies["/v1/load_lora_adapter"][seen]["lora_path"].startswith(str(out / "checkpoints"))
    assert run(f"rollout --model.name {vlm_folder()} {ENV} {POLICY} {server} --episodes 2 --out {tmp_path / 'seen'}")["episodes"] == 2

    stub.faults["raw log-probs"] = -1
    assert main(f"eval --trained {out} {server} --episodes 2".split()) == 1
    assert "gui-agents: the server's log-probs are not those" in capsys.readouterr().err
