"""Metrics run in a process of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from gui_gym.verifiers.osworld import worker
from gui_gym.verifiers.osworld.worker import MetricError, Worker, Workers


@pytest.fixture
def workers() -> Workers:
    workers = Workers()
    yield workers
    workers.close()


def gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()


def test_a_verdict_is_that_of_the_metric(workers: Workers) -> None:
    assert workers.judge("exact_match", ["a", {"expected": "a"}], {}) == 1.0
    assert workers.judge("exact_match", ["a", {"expected": "b"}], {}) == 0.0


def test_one_process_judges_one_after_the_other_and_ends_with_its_owner(workers: Workers) -> None:
    workers.judge("exact_match", ["a", {"expected": "a"}], {})
    (one,) = workers._free
    workers.judge("exact_match", ["a", {"expected": "a"}], {})
    assert workers._free == [one]
    pid = one._process.pid
    workers.close()
    assert gone(pid) and not workers._free


def test_what_a_metric_raises_is_told(workers: Workers) -> None:
    with pytest.raises(MetricError, match="UnknownNameError: unknown metric 'no_such'"):
        workers.judge("no_such", [], {})
    with pytest.raises(MetricError, match="TypeError"):
        workers.judge("exact_match", ["a"], {})
    assert workers.judge("exact_match", ["a", {"expected": "a"}], {}) == 1.0, "it lives on"


def test_one_that_takes_too_long_is_ended(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    workers.judge("exact_match", ["a", {"expected": "a"}], {})
    pid = workers._free[0]._process.pid
    monkeypatch.setattr(worker, "SECONDS", 0.2)
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(MetricError, match="no verdict within 0.2 s"):
        workers.judge("exact_match", ["a", {"expected": "a"}], {})
    assert gone(pid) and not workers._free
    monkeypatch.undo()
    assert workers.judge("exact_match", ["a", {"expected": "a"}], {}) == 1.0


def test_one_that_was_killed_is_replaced(workers: Workers) -> None:
    workers.judge("exact_match", ["a", {"expected": "a"}], {})
    os.kill(workers._free[0]._process.pid, signal.SIGKILL)
    workers._free[0]._process.wait()
    assert workers.judge("exact_match", ["a", {"expected": "a"}], {}) == 1.0


def test_one_that_dies_over_a_question_is_an_error_and_no_score() -> None:
    one = Worker()
    os.kill(one._process.pid, signal.SIGSTOP)  # the question is taken in, and no answer comes
    threading.Timer(0.3, lambda: os.kill(one._process.pid, signal.SIGKILL)).start()
    with pytest.raises(MetricError, match="ended with status -9"):
        one.judge("exact_match", ["a", {"expected": "a"}], {})


def test_threads_do_not_get_each_others_answers(workers: Workers) -> None:
    wrong: list[int] = []

    def ask(number: int) -> None:
        for other in (number, number + 1):
            if workers.judge("exact_match", [number, {"expected": other}], {}) != float(other == number):
                wrong.append(number)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and len(workers._free) <= worker.KEEP


def test_a_worker_ends_with_a_caller_that_is_killed() -> None:
    code = (
        "from gui_gym.verifiers.osworld import worker\n"
        "worker.judge('exact_match', ['a', {'expected': 'a'}], {})\n"
        "print(worker._workers._free[0]._process.pid, flush=True)\n"
        "input()\n"
    )
    caller = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    pid = int(caller.stdout.readline())
    caller.kill()
    caller.communicate()
    for _ in range(500):
        if gone(pid):
            return
        time.sleep(0.02)
    raise AssertionError("the worker outlived its caller")
