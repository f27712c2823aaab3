import json

import pytest

from agents.cli import main
from agents.endpoint import EndpointConfig
from agents.episodes import Episode
from agents.judge import JUDGE, Judge, JudgeConfig, read_verdict
from agents.logs import read_log
from agents.rewards import assign_rewards, check_rewards
from gui_gym.actions import Action
from gui_gym.verifiers import EndReason, Score


@pytest.fixture
def episode(frames):
    def make(steps=3, seed=0, score=1.0):
        made = Episode("t", 'Press "OK"', frames=frames(steps + 1, seed), end=EndReason.DONE, answer="42")
        made.actions, made.errors = [*[Action.click(1, i) for i in range(steps - 1)], None], ["", "nothing there", *[""] * (steps - 2)]
        made.score = Score.missing("infrastructure: gone") if score is None else Score.of(score)
        return made

    return make


def verdict(score):
    return lambda body: json.dumps({"reason": "so", "score": score})


def test_episodes_are_judged_together_and_the_parts_kept_apart(endpoint_stub, episode, tmp_path):
    stub = endpoint_stub(lambda body: verdict(0.25 if "secret" in json.dumps(body) else 0.75)(body))
    config = JudgeConfig(EndpointConfig(url=stub.url, model="m", backoff=0.0))
    JUDGE.set_up(config, tmp_path / "judge.jsonl")
    episodes = [episode(seed=i) for i in range(3)] + [episode(score=None)]
    episodes[1].instruction = "secret"
    assign_rewards(episodes, {"score": 1.0, "judge": 2.0})
    assert [e.reward for e in episodes] == [2.5, 1.5, 2.5, None]
    assert episodes[1].reward_parts == {"score": 1.0, "judge": 0.25}
    assert len(stub.requests) == 3
    JUDGE.set_up(config, tmp_path / "judge.jsonl")  # as a resumed run does
    assign_rewards(episodes, {"judge": 1.0})
    assert [e.reward for e in episodes] == [0.75, 0.25, 0.75, None] and len(stub.requests) == 3
    JUDGE.close()


def test_no_verdict_drops_the_episode_and_is_never_a_zero(endpoint_stub, episode):
    answers = iter(["I think it is fine.", '{"score": 1}', '{"reason": "so", "score": 2}', '{"reason": "so", "score": 0.5}'])
    stub = endpoint_stub(lambda body: next(answers))
    judge = Judge().set_up(JudgeConfig(EndpointConfig(url=stub.url, model="m", backoff=0.0, attempts=3)))
    with pytest.warns(UserWarning, match="1 of 1 episodes have no verdict .* the answer will not do"):
        assert judge(episode()) is None
    assert sum(judge.endpoint.problems.values()) == 1
    assert judge(episode()) == 0.5


def test_the_judge_sees_task_screens_and_actions_and_not_the_score(endpoint_stub, episode):
    stub = endpoint_stub(verdict(1))
    judge = Judge().set_up(JudgeConfig(EndpointConfig(url=stub.url, model="m"), screens=2))
    judge(episode(steps=4))
    content = stub.requests[0]["messages"][1]["content"]
    assert [part["type"] for part in content].count("image_url") == 2
    texts = "\n".join(part.get("text", "") for part in content)
    assert 'The task: "Press \\"OK\\""' in texts and "CLICK(point=(1, 0)" in texts and "could not be done: nothing there" in texts
    assert "could not be read" in texts and "The screen after 4 actions:" in texts and 'answered "42"' in texts and "score" not in texts


@pytest.mark.parametrize(
    "text",
    ["", "1", "[]", '{"score": 1}', '{"reason": "a", "score": "1"}', '{"reason": "a", "score": true}', '{"reason": "a", "score": 1.1}',
     '{"reason": "a", "score": NaN}', '{"reason": "a", "score": 1, "more": 2}', 'so: ```json\n{"reason": "a", "score": 1}\n```'],
)  # fmt: skip
def test_verdicts_are_read_strictly(text):
    with pytest.raises(ValueError):
        read_verdict(text)
    for around in ("{}", "```json\n{}\n```", "\n```\n{}\n```\n"):
        assert read_verdict(around.replace("{}", '{"reason": "a", "score": 1}')) == 1.0


def test_a_judge_with_nobody_to_ask(episode):
    check_rewards({"judge": 1.0})
    with pytest.raises(ValueError, match="give judge.endpoint.url and judge.endpoint.model"):
        Judge()(episode())
    with pytest.raises(ValueError, match="expected the address"):
        Judge().set_up(JudgeConfig(EndpointConfig(url="http://127.0.0.1:1/v1")))
    with pytest.raises(ValueError, match="screens is 1"):
        JudgeConfig(screens=1)


@pytest.mark.filterwarnings("ignore:.*(could not be read|nothing to learn|every answer was cut)")
def test_a_run_logs_each_component_apart(endpoint_stub, vlm_folder, tmp_path, capsys):
    stub = endpoint_stub(lambda body: "no" if "1 actions" not in json.dumps(body) else verdict(0.5)(body))
    options = "--env.task press-the-button --env.width 112 --env.height 112 --env.max-steps 1 --policy.max-new-tokens 4 --adapter.train full --logs"
    where = f"--model.name {vlm_folder()} --out {tmp_path}/run --steps 1 --groups 1 --group-size 2 --eval-episodes 1 --judge.endpoint.model m --json"
    rewards = ["--rewards", "score", "milestones", "judge=0.5", "--judge.endpoint.url", stub.url]
    assert main(["train", *where.split(), *options.split(), *rewards, "--env.progress"]) == 0, capsys.readouterr().err
    (record,) = read_log(tmp_path / "run", "train")
    assert record["reward_judge"] == 0.5 and record["reward_milestones"] == 0.0 and record["reward"] == record["reward_score"] + 0.25
    assert record["dropped"] == 0 and (tmp_path / "run" / "judge.jsonl").is_file() and JUDGE.endpoint is None
    assert main(["train", *where.split(), *options.split(), *rewards]) == 2 and "set env.progress" in capsys.readouterr().err
    assert main(["train", *where.split(), *options.split(), "--rewards", "judge"]) == 2
    assert "expected the address of a server" in capsys.readouterr().err
