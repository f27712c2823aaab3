"""Signals that ask a run to stop: the first at its next safe point, a second at once."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)
_asked: signal.Signals | None = None


class Interrupted(KeyboardInterrupt):
    """A run that was asked to stop, by ``signal``; ``at_once`` if it was asked a second time."""

    def __init__(self, signal: signal.Signals, message: str = "", at_once: bool = False):
        super().__init__(message or f"stopped by {signal.name}")
        self.signal, self.at_once = signal, at_once

    @property
    def status(self) -> int:
        """Exit status of a process that ends for it, as shells have it: 130 for SIGINT, 143 for SIGTERM."""
        return 128 + self.signal


@contextmanager
def deferred() -> Iterator[None]:
    """While the block lasts, a first SIGINT or SIGTERM only makes :func:`check` raise; a second one raises where the process is.

    Processes forked meanwhile, such as those of desktops, leave a SIGINT of the terminal to this one, which ends them when it is time. In another
    thread than the main one, which alone may handle signals, the block runs as it is.
    """
    global _asked
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    owner = os.getpid()

    def handle(number: int, _: FrameType | None) -> None:
        global _asked
        if os.getpid() != owner:
            if number != signal.SIGINT:
                signal.signal(number, signal.SIG_DFL)
                os.kill(os.getpid(), number)
            return
        if _asked is not None:
            raise Interrupted(signal.Signals(number), at_once=True)
        _asked = signal.Signals(number)
        os.write(2, b"\nstopping: the run is saved first. Once more to stop now\n")  # print may have been interrupted itself

    before = {number: signal.signal(number, handle) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        _asked = None


def asked() -> signal.Signals | None:
    """The signal that :func:`check` will raise for, if one has come."""
    return _asked


def check() -> None:
    """A safe point: raises :class:`Interrupted` if the run was asked to stop."""
    if _asked is not None:
        raise Interrupted(_asked)


def polite(error: BaseException) -> bool:
    """Whether the run was asked to stop, and ``error`` is no second demand. Desktops in processes of their own get the signal of a terminal
    too, and fail in ways of their own before :func:`check` is reached.
    """
    return _asked is not None and not getattr(error, "at_once", False)


def leave(error: BaseException, saved: str) -> None:
    """Raise :class:`Interrupted` for ``error``, which ended a run that was asked to stop; ``saved`` says where it can go on."""
    if _asked is not None:
        raise Interrupted(_asked, f"stopped by {_asked.name}, {saved}") from error


def wait(seconds: float) -> None:
    """Sleep, but not for longer than until the run is asked to stop."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        check()
        time.sleep(min(left, 0.1))
