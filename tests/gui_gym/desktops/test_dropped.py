"""What closes desktops that were dropped: it waits for nobody, goes on after an error, and belongs to one process."""

from __future__ import annotations

import gc
import logging
import os
import threading
from collections.abc import Callable

import pytest

from gui_gym.desktops import dropped


class Dropped:
    """A desktop whose ``close`` is given; a part of a cycle, so that only the garbage collector finds it."""

    def __init__(self, close: Callable[[], None]):
        self.close, self.watched, self.me = close, dropped.watch(), self

    def __del__(self) -> None:
        dropped.close_later(self.close, self.watched)


def test_it_is_closed_by_another_thread_while_the_dropping_one_holds_a_lock_that_closing_needs() -> None:
    lock, closed = threading.Lock(), threading.Event()
    by: list[str] = []

    def close() -> None:
        with lock:
            by.append(threading.current_thread().name)
            closed.set()

    with lock:
        Dropped(close)
        gc.collect()
        assert not closed.is_set()
    assert closed.wait(20) and by == ["gui-gym-dropped"]


def test_one_that_cannot_be_closed_is_told_and_does_not_keep_others(caplog: pytest.LogCaptureFixture) -> None:
    closed = threading.Event()

    def fail() -> None:
        raise RuntimeError("it would not")

    with caplog.at_level(logging.ERROR):
        Dropped(fail)
        Dropped(closed.set)
        gc.collect()
        assert closed.wait(20)
    assert "it would not" in caplog.text


def test_a_forked_child_leaves_its_parents_desktops_alone_and_closes_its_own() -> None:
    inherited = Dropped(lambda: os._exit(3))
    child = os.fork()
    if child == 0:
        code = 4
        try:
            inherited.me = None
            del inherited
            own = threading.Event()
            Dropped(own.set)
            gc.collect()
            code = 0 if own.wait(20) else 5
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    inherited.close = lambda: None
