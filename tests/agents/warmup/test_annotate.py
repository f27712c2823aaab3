"""Thoughts from an endpoint: asked for at once, kept as they come, refused where they will not do."""

import json

import gymnasium as gym
import pytest

from agents.cli import main
from agents.config import EnvConfig, PolicyConfig
from agents.endpoint import EndpointConfig, EndpointError, read_store
from agents.prompts import PromptBuilder
from agents.warmup.annotate import AnnotateRun, run_annotation
from agents.warmup.demonstrations import DemonstrationConfig, demonstrate, draw_seeds
from agents.warmup.thoughts import make_thinker
from gui_gym.codecs import make_codec

ENV = EnvConfig(task="press-the-button", width=112, height=112)


def thinks(body):
    return f"I look at the screen, {len(body['messages'][1]['content'])} parts of it."


def run(stub, tmp_path, **kwargs):
    endpoint = EndpointConfig(url=stub.url, model="m", backoff=0.0, attempts=6, input_price=2.0, output_price=20.0)
    return AnnotateRun(tmp_path / "thoughts.jsonl", endpoint, ENV, PolicyConfig(frame="pixels"), episodes=5, seed=7, **kwargs)


def test_a_file_of_thoughts_that_warm_up_reads(endpoint_stub, tmp_path, vlm):
    stub = endpoint_stub(thinks, ("429", "500", "truncated", "invalid", "empty"))
    config, done = run(stub, tmp_path), []
    report = run_annotation(config, done.append)
    assert (report["demonstrations"], report["actions"], report["thoughts"], report["missing"]) == (5, 10, 10, 0) and done[-1] == 5
    assert report["requests"] == 11  # the empty one was paid for as well
    assert report["cost"] == pytest.approx((1100 * 2 + 110 * 20) / 1e6) and report["input_tokens"] == 1100
    builder = PromptBuilder(vlm()[1], make_codec("dsl", "pixels"), system="")
    think, env = make_thinker(str(config.out)), gym.make(ENV.id, disable_env_checker=True, **ENV.kwargs("train"))
    for seed in think.seeds:
        episode = demonstrate(env, builder, builder.vision.sampling(), seed, DemonstrationConfig(), think)
        assert episode.score.value == 1.0 and all(turn.text.startswith("Thought: I look at the screen, 3 parts") for turn in episode.turns)
    stream = draw_seeds(config.seed)
    assert set(think.seeds) == {next(stream) for _ in range(5)}


def test_an_interrupted_run_goes_on_where_it_was(endpoint_stub, tmp_path):
    stub = endpoint_stub(thinks, ("401",))
    with pytest.raises(EndpointError, match="answered 401"):
        run_annotation(run(stub, tmp_path))
    kept = len(read_store(tmp_path / "thoughts.jsonl"))
    before = len(stub.requests)
    report = run_annotation(run(stub, tmp_path))
    assert report["thoughts"] == 10 and len(stub.requests) - before == 10 - kept == report["requests"]
    assert run_annotation(run(stub, tmp_path))["requests"] == 0


def test_a_server_that_is_not_there_ends_it_soon(endpoint_stub, tmp_path):
    stub = endpoint_stub(thinks)
    stub.close()
    with pytest.raises(EndpointError, match="gave no answer to 10 questions: ConnectError"):
        run_annotation(run(stub, tmp_path))


def test_what_is_asked_shows_the_screen_before_and_nothing_after(endpoint_stub, tmp_path):
    stub = endpoint_stub(thinks)
    run_annotation(run(stub, tmp_path))
    for body in stub.requests:
        content = body["messages"][1]["content"]
        assert [part["type"] for part in content] == ["text", "image_url", "text"]
        done, following = content[0]["text"], content[2]["text"]
        assert ("1. CLICK" in done) == ("DONE" in following) and "score" not in json.dumps(content[::2])


@pytest.mark.parametrize("bad", ["", "x" * 401, "click(x=1,y=2) is what I do"])
def test_a_thought_that_will_not_do_is_counted_and_never_kept(endpoint_stub, tmp_path, bad):
    stub = endpoint_stub(lambda body: bad if "DONE" in body["messages"][1]["content"][2]["text"] else thinks(body))
    report = run_annotation(run(stub, tmp_path))
    assert (report["thoughts"], report["missing"]) == (5, 5) and sum(report["missing_reasons"].values()) == 5
    assert all(reason.startswith("the answer will not do") for reason in report["missing_reasons"])
    assert len(read_store(tmp_path / "thoughts.jsonl")) == 5


@pytest.mark.filterwarnings("ignore:.*could never be said")
def test_the_command_and_a_warm_up_on_its_file(endpoint_stub, tmp_path, capsys, monkeypatch, vlm_folder):
    monkeypatch.chdir(tmp_path)
    stub = endpoint_stub(thinks)
    options = ["--env.task", "press-the-button", "--env.width", "112", "--env.height", "112", "--episodes", "2", "--out", "thoughts.jsonl"]
    assert main(["annotate", "--endpoint.url", stub.url, "--endpoint.model", "m", *options, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["thoughts"] == 4 and report["out"] == "thoughts.jsonl"
    warm = ["warmup", "--model.name", str(vlm_folder()), *options[:6], "--thoughts", "thoughts.jsonl", "--adapter.train", "full", "--logs"]
    warm += ["--supervised.max-steps", "1", "--supervised.batch", "2", "--eval-episodes", "1", "--policy.max-new-tokens", "8", "--env.max-steps", "1"]
    assert main([*warm, "--out", "warm", "--json"]) == 0 and (tmp_path / "warm" / "weights").is_dir()
    assert main([*warm, "--out", "other", "--policy.frame", "grid:4"]) == 1  # the clicks of another frame are other ones
    assert "has no thought for" in capsys.readouterr().err
    assert main([*warm[:9], "--thoughts", "none.jsonl"]) == 2
    assert "none.jsonl does not exist" in capsys.readouterr().err
    assert main(["annotate", *options]) == 2
    assert "expected the address of a server" in capsys.readouterr().err
    assert main(["annotate", "--policy.frame", "seen", *options]) == 2
    assert "depends on a model" in capsys.readouterr().err
