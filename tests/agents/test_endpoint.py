import json

import pytest

from agents.endpoint import Endpoint, EndpointConfig, EndpointError, Question, read_store

FAILURES = ("429", "500", "truncated", "invalid", "empty", "nothing", "cut")


def config(stub, **kwargs):
    return EndpointConfig(url=stub.url, model="m", **{"backoff": 0.0, "timeout": 10.0, **kwargs})


def read(text, question):
    assert question.system == "s"
    if not text:
        raise ValueError("expected a text")
    return text.upper()


@pytest.fixture
def endpoint(endpoint_stub):
    """``endpoint(answer, failures, store, **settings)``: an endpoint, and the server it asks."""
    made = []

    def start(answer=lambda body: body["messages"][1]["content"][0]["text"], failures=(), store=None, **kwargs):
        stub = endpoint_stub(answer, failures)
        made.append(Endpoint(config(stub, **kwargs), store))
        return made[-1], stub

    yield start
    for one in made:
        one.close()


def questions(n):
    return [Question("s", (f"q{i}",), {"number": i}) for i in range(n)]


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failure_that_may_pass_is_tried_again(endpoint, failure):
    asked, stub = endpoint(failures=(failure,))
    assert asked.ask(questions(1), read) == ["Q0"] and len(stub.requests) == 2 and not asked.problems


@pytest.mark.parametrize("failure", FAILURES)
def test_one_that_lasts_leaves_no_answer_and_says_why(endpoint, failure):
    asked, stub = endpoint(failures=(failure,) * 3, attempts=3)
    assert asked.ask(questions(1), read) == [None]
    assert len(stub.requests) == 3 and sum(asked.problems.values()) == 1
    assert asked.ask(questions(1), read) == ["Q0"]  # what had no answer is asked again


def test_an_unreachable_server_leaves_no_answer(endpoint):
    asked, stub = endpoint(attempts=2)
    stub.close()
    assert asked.ask(questions(2), read) == [None, None] and sum(asked.problems.values()) == 2


@pytest.mark.parametrize("status", ["401", "403", "404"])
def test_a_server_that_refuses_everybody_ends_the_asking(endpoint, status):
    asked, stub = endpoint(failures=(status,) * 20)
    with pytest.raises(EndpointError, match=f"answered {status}: expected"):
        asked.ask(questions(20), read)
    assert len(stub.requests) <= 20


def test_a_request_that_is_refused_is_not_tried_again(endpoint):
    asked, stub = endpoint(failures=("400",))
    assert asked.ask(questions(1), read) == [None] and len(stub.requests) == 1
    assert next(iter(asked.problems)).startswith("HTTP 400")


def test_many_are_asked_at_once_and_equal_ones_once(endpoint, frames):
    asked, stub = endpoint(concurrency=4)
    (frame,) = frames(1)
    same = [Question("s", ("a", frame), {"number": i}) for i in range(5)]
    done = []
    assert asked.ask([*questions(8), *same], read, done.append) == [f"Q{i}" for i in range(8)] + ["A"] * 5
    assert len(stub.requests) == 9 and stub.most <= 4 and done[-1] == 9
    picture = next(body for body in stub.requests if len(body["messages"][1]["content"]) == 2)["messages"][1]["content"][1]
    assert picture["image_url"]["url"].startswith("data:image/png;base64,")
    assert asked.spent.cost(config(stub, input_price=1.0, output_price=10.0)) == pytest.approx(9 * (100 + 100) / 1e6)


def test_the_token_comes_from_the_environment(endpoint, monkeypatch):
    monkeypatch.setenv("MY_TOKEN", "secret")
    asked, stub = endpoint(token="MY_TOKEN")
    asked.ask(questions(1), read)
    assert stub.tokens == ["Bearer secret"]


def test_what_was_answered_is_never_asked_again(endpoint, tmp_path, frames):
    store = tmp_path / "run" / "answers.jsonl"
    first, _ = endpoint(store=store, failures=("400",))
    a, b = frames(2)
    asked = [*questions(3), Question("s", ("q", a)), Question("s", ("q", b))]
    values = first.ask(asked, read)
    assert values.count(None) == 1
    with store.open("a") as file:
        file.write('{"key": "torn')  # a crash while a record was written
    second, stub = endpoint(store=store)
    assert None not in second.ask(asked, read) and len(stub.requests) == 1
    records = read_store(store)
    assert len(records) == 5 and {record["about"].get("number") for record in records} == {0, 1, 2, None}
    third, stub = endpoint(store=store)
    assert third.ask(questions(3), read) == ["Q0", "Q1", "Q2"] and not stub.requests and third.spent.requests == 0


def test_an_answer_with_a_line_break_of_unicode_is_one_line_of_the_store(endpoint, tmp_path):
    store, said = tmp_path / "answers.jsonl", "one\u2028two\x85three\u2029four\x1cfive"
    first, _ = endpoint(lambda body: said, store=store)
    assert first.ask(questions(1), read) == [said.upper()]
    second, stub = endpoint(store=store)
    assert second.ask(questions(1), read) == [said.upper()] and not stub.requests
    assert [record["text"] for record in read_store(store)] == [said]


def test_half_of_a_character_is_no_answer(endpoint, tmp_path):
    answers = iter(["\ud83d and no more", "whole"])
    asked, stub = endpoint(lambda body: next(answers), store=tmp_path / "answers.jsonl")
    assert asked.ask(questions(1), read) == ["WHOLE"] and len(stub.requests) == 2


def test_another_model_or_prompt_is_another_question(endpoint, frames):
    (a,) = frames(1)
    asked, stub = endpoint()
    other = Endpoint(config(stub, temperature=0.5))
    keys = {asked.key(Question("s", ("q",))), asked.key(Question("t", ("q",))), asked.key(Question("s", ("q", a))), other.key(Question("s", ("q",)))}
    other.close()
    assert len(keys) == 4


def test_a_store_that_is_none_is_refused(tmp_path):
    store = tmp_path / "answers.jsonl"
    store.write_text(json.dumps({"key": "a", "text": 3}) + "\n")
    with pytest.raises(ValueError, match="line 1: expected a JSON object with a key"):
        read_store(store)


@pytest.mark.parametrize("wrong", [{"url": "ftp://x"}, {"attempts": 0}, {"timeout": 0.0}, {"backoff": -1.0}, {"max_pixels": 0}])
def test_impossible_settings(wrong):
    with pytest.raises(ValueError, match="expected"):
        EndpointConfig(**wrong)
    with pytest.raises(ValueError, match="expected the address of a server"):
        EndpointConfig(model="m").check_complete("it")
